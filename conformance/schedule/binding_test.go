package schedule

import (
	"context"
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/drawbridge-dra/drawbridge/core/allocate"
	"github.com/drawbridge-dra/drawbridge/core/schedule"
)

// bound draws an allocated claim whose devices may have to become ready.
func (g source) bound() *resourceapi.ResourceClaim {
	c := &resourceapi.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Name: "c", Namespace: "default"}}
	c.Status.Allocation = &resourceapi.AllocationResult{}
	// What nobody has reserved would be taken back, and the pod tried again.
	c.Status.ReservedFor = []resourceapi.ResourceClaimConsumerReference{{Resource: "pods", Name: "other", UID: "1"}}
	if g.chance(70) {
		c.Status.Allocation.AllocationTimestamp = ptr.To(metav1.NewTime(time.Now().Add(-time.Duration(g.IntN(2)) * time.Hour)))
	}
	for i := range 1 + g.IntN(3) {
		r := resourceapi.DeviceRequestAllocationResult{Request: "r", Driver: "acc.example.test", Pool: "n1", Device: fmt.Sprintf("d%d", i)}
		if g.chance(70) {
			r.BindingConditions = []string{"Attached", "Powered"}[:1+g.IntN(2)]
			r.BindingFailureConditions = []string{"Broken", "Burnt"}[:g.IntN(3)]
		}
		c.Status.Allocation.Devices.Results = append(c.Status.Allocation.Devices.Results, r)
		// A share of the device may have an entry of its own.
		for range g.IntN(3) {
			s := resourceapi.AllocatedDeviceStatus{Driver: r.Driver, Pool: r.Pool, Device: r.Device}
			for _, name := range []string{"Attached", "Powered", "Broken", "Burnt"} {
				if g.chance(60) {
					s.Conditions = append(s.Conditions, metav1.Condition{Type: name, Status: metav1.ConditionStatus(g.pick("True", "True", "False", "Unknown"))})
				}
			}
			c.Status.Devices = append(c.Status.Devices, s)
		}
	}
	return c
}

// TestBindingConditions compares whether an allocated claim is ready, waits,
// has failed or has waited too long.
func TestBindingConditions(t *testing.T) {
	judge := plugin()
	seen := map[allocate.Code]bool{}
	each(t, func(t *testing.T, g source) bool {
		claim := g.bound()
		want := allocate.Code("")
		ready, err := isClaimReadyForBinding(judge, claim)
		switch {
		case err != nil:
			want = schedule.BindingFailed
		case !ready && isClaimTimeout(judge, claim):
			want = schedule.BindingTimeout
		case !ready:
			want = schedule.BindingWait
		}
		pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "p", Namespace: "default"}}
		pod.Spec.ResourceClaims = []corev1.PodResourceClaim{{Name: "a", ResourceClaimName: ptr.To("c")}}
		in := schedule.Input{
			Nodes: []*corev1.Node{{ObjectMeta: metav1.ObjectMeta{Name: "n1"}}},
			Pods:  []*corev1.Pod{pod}, Claims: []*resourceapi.ResourceClaim{claim}, Now: metav1.Now(),
		}
		in.Features.BindingConditions = true
		plan, err := schedule.Run(context.Background(), in)
		if err != nil {
			t.Fatal(err)
		}
		got := allocate.Code("")
		for _, r := range plan.Pods[0].Nodes[0].Reasons {
			got = r.Code
		}
		if got != want {
			t.Errorf("got %q, the scheduler %q\n%s", got, want, text(t, claim))
		}
		fits := want == "" || want == schedule.BindingWait
		if plan.Pods[0].Nodes[0].Fits != fits {
			t.Errorf("fits: %v, the scheduler: %v", !fits, fits)
		}
		seen[want] = true
		return true
	})
	if len(seen) != 4 {
		t.Errorf("only %v came up", seen)
	}
}
