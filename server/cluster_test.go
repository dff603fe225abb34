package server

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	admissionv1 "k8s.io/api/admission/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"
)

const claimReview = `{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"u","operation":"CREATE",
"kind":{"group":"resource.k8s.io","version":"v1","kind":"ResourceClaim"},"resource":{"group":"resource.k8s.io","version":"v1","resource":"resourceclaims"},
"namespace":"default","name":"c","object":{"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaim","metadata":{"namespace":"default","name":"c"},
"spec":{"devices":{"requests":[{"name":"r","exactly":{"deviceClassName":"gpu-a"}}]}}}}}`

// TestCluster asks about a claim whose class the cluster does not have, until
// it is known that there is none.
func TestCluster(t *testing.T) {
	client := fake.NewClientset(&resourcev1.DeviceClass{ObjectMeta: metav1.ObjectMeta{Name: "gpu-b"}})
	client.Resources = []*metav1.APIResourceList{{GroupVersion: "resource.k8s.io/v1", APIResources: []metav1.APIResource{
		{Name: "resourceslices"}, {Name: "deviceclasses"}, {Name: "resourceclaims"}, {Name: "resourceclaimtemplates"},
	}}}
	r := run(t, Config{Cluster: client, WatchPods: true})
	ask := func() *admissionv1.AdmissionResponse {
		res := r.send(t, "POST", r.https+"/admission/validate", claimReview, "Content-Type", "application/json")
		var review admissionv1.AdmissionReview
		if err := json.Unmarshal([]byte(res.body), &review); err != nil || res.status != 200 || review.Response == nil {
			t.Fatalf("%d %s", res.status, res.body)
		}
		return review.Response
	}
	const want = "DeviceClass gpu-a is not in the cluster"
	for end := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
		a := ask()
		if !a.Allowed {
			t.Fatalf("denied: %+v", a.Result)
		}
		if strings.Contains(strings.Join(a.Warnings, "\n"), want) {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("warnings are %q, want %q", a.Warnings, want)
		}
	}
	res := r.send(t, "GET", r.http+"/readyz?verbose", "")
	for _, want := range []string{"ok\n", "cluster DeviceClass: known, 1 objects in resource.k8s.io/v1", "cluster Pod: ", "kubernetes version "} {
		if res.status != 200 || !strings.Contains(res.body, want) {
			t.Errorf("status is %d\n%s\nwant %q", res.status, res.body, want)
		}
	}
	if short := r.send(t, "GET", r.http+"/readyz", ""); short.body != "ok\n" {
		t.Errorf("/readyz says %q", short.body)
	}
	metrics := r.send(t, "GET", r.http+"/metrics", "").body
	for _, want := range []string{`drawbridge_cluster_objects{kind="DeviceClass"} 1`, `drawbridge_cluster_synced{kind="DeviceClass"} 1`, `drawbridge_cluster_silence_seconds{kind="DeviceClass"}`} {
		if !strings.Contains(metrics, want) {
			t.Errorf("the metrics lack %s", want)
		}
	}
}

func TestNoCluster(t *testing.T) {
	r := run(t, Config{KubernetesVersion: "1.36"})
	status := r.send(t, "GET", r.http+"/readyz?verbose", "").body
	for _, want := range []string{"kubernetes version 1.36, from the flag", "cluster: not looked at"} {
		if !strings.Contains(status, want) {
			t.Errorf("status is\n%s\nwant %q", status, want)
		}
	}
}
