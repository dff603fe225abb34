package schedule

import (
	"context"
	"testing"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

// TestKnownToFit asks a node again on which the same claims fitted before
// another pod came.
func TestKnownToFit(t *testing.T) {
	in := fleet(2, 0)
	in.Templates[0].Spec.Spec.Devices.Requests[0].Exactly.Count = 4
	for _, p := range []struct{ name, node string }{{"first", ""}, {"pinned", "n0001"}, {"full", "n0001"}, {"last", ""}} {
		pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: p.name, Namespace: "default"}}
		pod.Spec.Containers = []corev1.Container{{Name: "c", Image: "app", Resources: corev1.ResourceRequirements{Claims: []corev1.ResourceClaim{{Name: "a"}}}}}
		pod.Spec.ResourceClaims = []corev1.PodResourceClaim{{Name: "a", ResourceClaimTemplateName: ptr.To("two")}}
		if p.node != "" {
			pod.Spec.NodeSelector = map[string]string{corev1.LabelHostname: p.node}
		}
		in.Pods = append(in.Pods, pod)
	}
	plan, err := Run(context.Background(), in)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []struct {
		node string
		fits [2]bool
	}{{"n0000", [2]bool{true, true}}, {"n0001", [2]bool{false, true}}, {"n0001", [2]bool{false, true}}, {"n0000", [2]bool{true, false}}} {
		p := plan.Pods[i]
		if p.Outcome != Done || p.Node != want.node || p.Nodes[0].Fits != want.fits[0] || p.Nodes[1].Fits != want.fits[1] {
			t.Errorf("%s is on %q, and fits on %v, %v: %s", p.Pod.Name, p.Node, p.Nodes[0].Fits, p.Nodes[1].Fits, p.Message)
		}
		if n := len(p.Claims[0].Claim.Status.Allocation.Devices.Results); n != 4 {
			t.Errorf("%s has %d devices", p.Pod.Name, n)
		}
	}
}

// TestRankedNodes looks at the devices of every node where nodes differ in how
// good they are, although the claims are known to fit.
func TestRankedNodes(t *testing.T) {
	in := fleet(2, 0)
	in.Slices[0].Spec.Devices = in.Slices[0].Spec.Devices[:2]
	in.Templates[0].Spec.Spec.Devices.Requests = []resourceapi.DeviceRequest{{Name: "r", FirstAvailable: []resourceapi.DeviceSubRequest{
		{Name: "many", DeviceClassName: "acc", AllocationMode: resourceapi.DeviceAllocationModeExactCount, Count: 3},
		{Name: "few", DeviceClassName: "acc", AllocationMode: resourceapi.DeviceAllocationModeExactCount, Count: 1},
	}}}
	for _, name := range []string{"p", "q"} {
		pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default"}}
		pod.Spec.Containers = []corev1.Container{{Name: "c", Image: "app", Resources: corev1.ResourceRequirements{Claims: []corev1.ResourceClaim{{Name: "a"}}}}}
		pod.Spec.ResourceClaims = []corev1.PodResourceClaim{{Name: "a", ResourceClaimTemplateName: ptr.To("two")}}
		in.Pods = append(in.Pods, pod)
	}
	plan, err := Run(context.Background(), in)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range plan.Pods {
		if p.Node != "n0001" {
			t.Errorf("%s is on %s, where it gets the worse alternative", p.Pod.Name, p.Node)
		}
	}
}
