package webhook

import (
	"context"
	"fmt"
	"strings"
	"testing"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// wrongSlice passes if nobody but the API server looks at it.
var wrongSlice = strings.Replace(groupsOf, "GROUPS", "mig, vgpu, whole", 1)

// TestDownIgnored takes every replica away while failurePolicy is Ignore, as
// deploy/ has it: nobody notices but the API server's metrics.
func TestDownIgnored(t *testing.T) {
	r := one(t)
	kubectl(t, wrongSlice, "create", "--dry-run=server", "-f", "-").says(t, "api/compatibility-groups-max")
	r.kill()
	before, err := scrape(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	kubectl(t, wrongSlice, "create", "--dry-run=server", "-f", "-").must(t)
	after, err := scrape(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if after.failedOpen() == before.failedOpen() {
		t.Error("the API server has not tried")
	}
}

// TestDownFails does the same with failurePolicy Fail: what the webhook is
// for is refused and says why, and nothing else is in the way, least of all
// the pods that would bring it back.
func TestDownFails(t *testing.T) {
	control(t)
	ca := newAuthority(t)
	m := newMount(t, ca)
	b, replicas := pair(t, ca, m, admissionregistrationv1.Fail)
	for _, r := range replicas {
		r.kill()
	}
	refused := func() {
		t.Helper()
		said := kubectl(t, devices, "create", "--dry-run=server", "-f", "-")
		if !said.failed {
			t.Error("objects pass although nobody has looked at them")
		}
		said.says(t, "failed calling webhook", "objects.drawbridge-dra.github.io")
		kubectl(t, podOn("p", "n1"), "create", "--dry-run=server", "-f", "-").says(t, "failed calling webhook", "pods.drawbridge-dra.github.io")
	}
	refused()

	t.Run("what is not ours goes on", func(t *testing.T) {
		claim := strings.Split(podOn("p", "n1"), "---\n")[1]
		for name, text := range map[string]string{
			"kube-system":   strings.ReplaceAll(podOn("p", "n1"), "namespace: default", "namespace: kube-system"),
			"own namespace": strings.ReplaceAll(claim, "namespace: default", "namespace: "+ownNamespace),
			"pod without claims": `{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "plain", "namespace": "default"},
				"spec": {"nodeName": "n1", "containers": [{"name": "main", "image": "example.com/app"}]}}`,
			"another kind": `{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "plain", "namespace": "default"}}`,
		} {
			if said := kubectl(t, text, "create", "--dry-run=server", "-f", "-"); said.failed {
				t.Errorf("%s: %s", name, said.err)
			}
		}
	})

	// After a full restart of the cluster there is no replica, and the only
	// way to get one is to let its pod in.
	t.Run("its own pods come back", func(t *testing.T) {
		template := readDeployed(t).deployment.Spec.Template
		pod := &corev1.Pod{ObjectMeta: template.ObjectMeta, Spec: template.Spec}
		pod.Name, pod.Namespace = "drawbridge-0", ownNamespace
		if _, err := plane.client.CoreV1().Pods(ownNamespace).Create(t.Context(), pod, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		forget(t, "--force", "--grace-period=0", "--namespace="+ownNamespace, "pod", pod.Name)
	})

	t.Run("a replica that starts ends it", func(t *testing.T) {
		b.add(t, startReplica(t, files(m)...))
		eventually(t, tryClaim)
		kubectl(t, wrongSlice, "create", "--dry-run=server", "-f", "-").says(t, "api/compatibility-groups-max")
	})

	t.Run("deleting the configurations ends it", func(t *testing.T) {
		b.clear()
		eventually(t, func(ctx context.Context) error {
			if tryClaim(ctx) == nil {
				return fmt.Errorf("a claim passes although there is nobody to look at it")
			}
			return nil
		})
		refused()
		kubectl(t, "", "delete", "mutatingwebhookconfiguration,validatingwebhookconfiguration", configurationName).must(t)
		eventually(t, tryClaim)
	})
}

// TestKilledReplica kills one of two under load. Calls that it had, and those
// that come before its endpoint is gone, are lost: with Ignore no user sees
// it, and it ends by itself.
func TestKilledReplica(t *testing.T) {
	control(t)
	ca := newAuthority(t)
	m := newMount(t, ca)
	b, replicas := pair(t, ca, m, admissionregistrationv1.Ignore)
	before, err := scrape(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	l := startLoad(t)
	for i := range 3 {
		replicas[i%2].kill()
		replicas[i%2] = startReplica(t, files(m)...)
		b.add(t, replicas[i%2])
	}
	// From here on nothing may be lost: the endpoints are those that live.
	settled, err := scrape(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	calls := watchCalls(t)
	eventually(t, func(ctx context.Context) error {
		now, err := scrape(ctx)
		if err == nil && now.calls() < settled.calls()+100 {
			err = fmt.Errorf("only %v calls since", now.calls()-settled.calls())
		}
		return err
	})
	l.unfailed(t)
	calls()
	t.Logf("%v of %v calls failed open", settled.failedOpen()-before.failedOpen(), settled.calls()-before.calls())
}

// TestAPIServerRestarts takes the API server away and brings it back. The
// replica must not care.
func TestAPIServerRestarts(t *testing.T) {
	r := viewing(t)
	if err := plane.StopAPIServer(); err != nil {
		t.Fatal(err)
	}
	select {
	case <-r.ended:
		t.Error("the replica has ended with the API server")
	default:
	}
	if err := plane.StartAPIServer(t.Context()); err != nil {
		t.Fatal(err)
	}
	eventually(t, func(ctx context.Context) error { return asked(ctx, true) })
	addNode(t, "n4", "the-fourth")
	awaitView(t, r, "cluster Node: known, 1 objects")
	kubectl(t, wrongSlice, "create", "--dry-run=server", "-f", "-").says(t, "api/compatibility-groups-max")
}
