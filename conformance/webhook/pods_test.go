package webhook

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	admissionv1 "k8s.io/api/admission/v1"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// devices are two nodes with two devices each, their class, and claims for
// one. The second node calls itself by another name than its own.
const devices = `apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: gpu.example.com}
spec:
  selectors: [{cel: {expression: device.driver == "gpu.example.com"}}]
  extendedResourceName: example.com/gpu
---
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: n1-gpus}
spec:
  driver: gpu.example.com
  nodeName: n1
  pool: {name: n1, generation: 1, resourceSliceCount: 1}
  devices: [{name: a}, {name: b}, {name: c}, {name: d}]
---
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: n2-gpus}
spec:
  driver: gpu.example.com
  nodeName: n2
  pool: {name: n2, generation: 1, resourceSliceCount: 1}
  devices: [{name: a}, {name: b}, {name: c}, {name: d}]
`

const podText = `apiVersion: v1
kind: Pod
metadata: {name: NAME, namespace: default}
spec:
  nodeName: NODE
  containers:
  - name: main
    image: example.com/app
    resources: {claims: [{name: gpu}]}
  resourceClaims: [{name: gpu, resourceClaimName: NAME}]
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: NAME, namespace: default}
spec:
  devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu.example.com}}]}
`

func podOn(name, node string) string {
	return strings.NewReplacer("NAME", name, "NODE", node).Replace(podText)
}

// TestPodsThatNameTheirNode is what the mutating webhook is for: a pod that
// names its node never meets the scheduler, and so its claims would never be
// allocated.
func TestPodsThatNameTheirNode(t *testing.T) {
	r := viewing(t)
	addNode(t, "n1", "n1")
	addNode(t, "n2", "the-second")
	kubectl(t, devices, "create", "-f", "-").must(t)
	t.Cleanup(func() {
		forget(t, "deviceclass", "gpu.example.com")
		forget(t, "resourceslice", "n1-gpus", "n2-gpus")
	})
	awaitView(t, r, "cluster Node: known, 2 objects", "cluster DeviceClass: known, 1 objects", "cluster ResourceSlice: known, 2 objects")

	for _, node := range []string{"n1", "n2"} {
		t.Run("on "+node, func(t *testing.T) {
			name := "claims-" + node
			said := kubectl(t, podOn(name, node), "create", "-f", "-").must(t)
			t.Cleanup(func() { forgetPod(t, name) })
			said.says(t, "Warning: ", "nodeName")
			bound(t, name, node)
			claim, err := plane.client.ResourceV1().ResourceClaims("default").Get(t.Context(), name, metav1.GetOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if a := claim.Status.Allocation; a == nil || len(a.Devices.Results) != 1 || a.Devices.Results[0].Pool != node {
				t.Errorf("the claim is not allocated on %s: %+v", node, claim.Status)
			}
		})
	}

	t.Run("extended resources", func(t *testing.T) {
		for name, limit := range map[string]string{"implicit": "deviceclass.resource.kubernetes.io/gpu.example.com", "explicit": "example.com/gpu"} {
			kubectl(t, strings.NewReplacer("NAME", name, "LIMIT", limit).Replace(`apiVersion: v1
kind: Pod
metadata: {name: NAME, namespace: default}
spec:
  nodeName: n2
  containers: [{name: main, image: example.com/app, resources: {limits: {LIMIT: 1}}}]
`), "create", "-f", "-").must(t).says(t, "Warning: ")
			t.Cleanup(func() { forgetPod(t, name) })
			if pod := bound(t, name, "n2"); pod.Status.ExtendedResourceClaimStatus == nil {
				t.Errorf("%s: no claim was made for the devices", limit)
			}
		}
	})

	t.Run("mirror pods stay", func(t *testing.T) {
		// The API server takes no mirror pod with claims.
		pod := dryRun(t, `apiVersion: v1
kind: Pod
metadata: {name: mirror, namespace: default, annotations: {kubernetes.io/config.mirror: abc}}
spec:
  nodeName: n1
  containers: [{name: main, image: example.com/app, resources: {limits: {deviceclass.resource.kubernetes.io/gpu.example.com: 1}}}]
`)
		if pod.Spec.NodeName != "n1" || len(pod.Spec.NodeSelector) != 0 || pod.Annotations["kubernetes.io/config.mirror"] != "abc" {
			t.Errorf("a mirror pod was changed: %+v", pod.Spec)
		}
	})

	t.Run("pods without devices stay", func(t *testing.T) {
		pod := dryRun(t, `{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "plain", "namespace": "default"},
			"spec": {"nodeName": "n1", "containers": [{"name": "main", "image": "example.com/app"}]}}`)
		if pod.Spec.NodeName != "n1" || len(pod.Spec.NodeSelector) != 0 {
			t.Errorf("a pod without devices was changed: %+v", pod.Spec)
		}
	})

	t.Run("dry run", func(t *testing.T) {
		if pod := dryRun(t, podOn("dry", "n1")); pod.Spec.NodeName != "" || pod.Spec.NodeSelector[corev1.LabelHostname] != "n1" {
			t.Errorf("the pod would not be rewritten: %+v", pod.Spec)
		}
		if said := kubectl(t, "", "get", "pod", "dry"); !said.failed {
			t.Error("a dry run has stored a pod")
		}
	})

	t.Run("beside another webhook", func(t *testing.T) {
		calls := intrude(t)
		name := "twice"
		kubectl(t, podOn(name, "n1"), "create", "-f", "-").must(t)
		t.Cleanup(func() { forgetPod(t, name) })
		pod := bound(t, name, "n1")
		if pod.Labels["intruder"] != "was-here" || pod.Spec.NodeSelector[corev1.LabelHostname] != "n1" || len(pod.Spec.NodeSelector) != 1 {
			t.Errorf("both webhooks had to change the pod, once: %v, %v", pod.Labels, pod.Spec.NodeSelector)
		}
		if calls() == 0 {
			t.Error("the other webhook was not called")
		}
	})
}

// dryRun is the pod as it would be stored.
func dryRun(t *testing.T, text string) *corev1.Pod {
	t.Helper()
	text, _, _ = strings.Cut(text, "---\n")
	said := kubectl(t, text, "create", "--dry-run=server", "-o", "json", "-f", "-").must(t)
	pod := &corev1.Pod{}
	if err := json.Unmarshal([]byte(said.out), pod); err != nil {
		t.Fatal(err)
	}
	return pod
}

// bound waits until the scheduler has given the pod its node.
func bound(t *testing.T, name, node string) *corev1.Pod {
	t.Helper()
	var pod *corev1.Pod
	eventually(t, func(ctx context.Context) (err error) {
		if pod, err = plane.client.CoreV1().Pods("default").Get(ctx, name, metav1.GetOptions{}); err != nil {
			return err
		}
		scheduled := false
		for _, c := range pod.Status.Conditions {
			scheduled = scheduled || c.Type == corev1.PodScheduled && c.Status == corev1.ConditionTrue
		}
		if pod.Spec.NodeName != node || !scheduled {
			return fmt.Errorf("the pod is on %q: %+v %+v", pod.Spec.NodeName, pod.Spec.NodeSelector, pod.Status.Conditions)
		}
		return nil
	})
	return pod
}

// forgetPod needs no kubelet.
func forgetPod(t *testing.T, name string) {
	forget(t, "--force", "--grace-period=0", "pod", name)
	forget(t, "resourceclaim", name)
}

// addNode makes a node that is ready and has room.
func addNode(t *testing.T, name, hostname string) {
	t.Helper()
	nodes := plane.client.CoreV1().Nodes()
	node, err := nodes.Create(t.Context(), &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{corev1.LabelHostname: hostname}}}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { forget(t, "node", name) })
	node.Spec.Taints = nil
	if node, err = nodes.Update(t.Context(), node, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	node.Status.Allocatable = corev1.ResourceList{
		corev1.ResourceCPU: resource.MustParse("64"), corev1.ResourceMemory: resource.MustParse("64Gi"), corev1.ResourcePods: resource.MustParse("110"),
	}
	node.Status.Capacity = node.Status.Allocatable
	node.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}
	if _, err = nodes.UpdateStatus(t.Context(), node, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
}

// intrude registers a second webhook, which comes after ours, gives pods a
// label and their node's name back, and returns how often it was asked.
func intrude(t *testing.T) (calls func() int) {
	t.Helper()
	asked := make(chan struct{}, 1000)
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var review admissionv1.AdmissionReview
		if err := json.NewDecoder(r.Body).Decode(&review); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		asked <- struct{}{}
		kind := admissionv1.PatchTypeJSONPatch
		review.Response = &admissionv1.AdmissionResponse{
			UID: review.Request.UID, Allowed: true, PatchType: &kind,
			Patch: []byte(`[{"op": "add", "path": "/metadata/labels", "value": {"intruder": "was-here"}}, {"op": "add", "path": "/spec/nodeName", "value": "n1"}]`),
		}
		review.Request = nil
		_ = json.NewEncoder(w).Encode(review)
	}))
	t.Cleanup(server.Close)
	never, fail, url := admissionregistrationv1.NeverReinvocationPolicy, admissionregistrationv1.Fail, server.URL
	none := admissionregistrationv1.SideEffectClassNone
	configurations := plane.client.AdmissionregistrationV1().MutatingWebhookConfigurations()
	_, err := configurations.Create(t.Context(), &admissionregistrationv1.MutatingWebhookConfiguration{
		ObjectMeta: metav1.ObjectMeta{Name: "intruder"},
		Webhooks: []admissionregistrationv1.MutatingWebhook{{
			Name: "pods.intruder.example", ReinvocationPolicy: &never, FailurePolicy: &fail, SideEffects: &none, AdmissionReviewVersions: []string{"v1"},
			ClientConfig: admissionregistrationv1.WebhookClientConfig{URL: &url, CABundle: certificatePEM(server.Certificate())},
			Rules: []admissionregistrationv1.RuleWithOperations{{
				Operations: []admissionregistrationv1.OperationType{admissionregistrationv1.Create},
				Rule:       admissionregistrationv1.Rule{APIGroups: []string{""}, APIVersions: []string{"v1"}, Resources: []string{"pods"}},
			}},
		}},
	}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { forget(t, "mutatingwebhookconfiguration", "intruder") })
	eventually(t, func(context.Context) error {
		if pod := dryRun(t, podOn("probe", "n1")); pod.Labels["intruder"] == "" {
			return fmt.Errorf("the other webhook is not asked")
		}
		return nil
	})
	return func() int { return len(asked) }
}
