package schedule

import (
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/drawbridge-dra/drawbridge/core/fit"
	"github.com/drawbridge-dra/drawbridge/core/footprint"
)

func (g source) quantity(values ...string) *resource.Quantity {
	return ptr.To(resource.MustParse(g.pick(values...)))
}

// device draws one that may stand for resources of its node.
func (g source) device(name string) resourceapi.Device {
	d := resourceapi.Device{Name: name}
	for _, r := range []corev1.ResourceName{"cpu", "memory", "hugepages-2Mi"} {
		if !g.chance(40) {
			continue
		}
		if d.NodeAllocatableResources == nil {
			d.NodeAllocatableResources = map[corev1.ResourceName]resourceapi.NodeAllocatableResource{}
		}
		n := resourceapi.NodeAllocatableResource{}
		switch g.IntN(4) {
		case 0:
			n.Mapping = &resourceapi.NodeAllocatableMapping{DeviceMultiplier: g.quantity("1", "500m", "2Gi")}
		case 1:
			n.Mapping = &resourceapi.NodeAllocatableMapping{CapacityKey: ptr.To(resourceapi.QualifiedName(g.pick("size", "other", ""))), CapacityMultiplier: g.quantity("1", "500m", "3")}
		}
		if g.chance(50) {
			n.Overhead = &resourceapi.NodeAllocatableOverhead{}
			if g.chance(60) {
				n.Overhead.PerPod = g.quantity("100m", "64Mi")
			}
			if g.chance(60) {
				n.Overhead.PerContainer = g.quantity("10m", "1Mi")
			}
		}
		d.NodeAllocatableResources[r] = n
	}
	return d
}

// TestFootprint compares what devices take of their node: the status of the
// pod, its total, and whether that is within the limits of the pod as a whole.
func TestFootprint(t *testing.T) {
	judge := plugin()
	each(t, func(t *testing.T, g source) bool {
		slice := &resourceapi.ResourceSlice{}
		slice.Spec.Driver, slice.Spec.NodeName, slice.Spec.Pool.Name = "acc.example.test", ptr.To("n1"), "n1"
		for i := range 3 {
			slice.Spec.Devices = append(slice.Spec.Devices, g.device(fmt.Sprintf("d%d", i)))
		}
		pod := g.pod("p", false)
		var claims []footprint.Claim
		theirs := map[corev1.ObjectReference]*resourceapi.AllocationResult{}
		entries := map[string]types.UID{}
		for _, entry := range []string{"a", "b"} {
			allocation := &resourceapi.AllocationResult{}
			takes := false
			for range 1 + g.IntN(2) {
				i := g.IntN(3)
				result := resourceapi.DeviceRequestAllocationResult{Driver: "acc.example.test", Pool: "n1", Device: fmt.Sprintf("d%d", i)}
				if g.chance(80) {
					result.ConsumedCapacity = map[resourceapi.QualifiedName]resource.Quantity{"size": *g.quantity("1", "3", "2Gi")}
				}
				allocation.Devices.Results = append(allocation.Devices.Results, result)
				takes = takes || len(slice.Spec.Devices[i].NodeAllocatableResources) > 0
			}
			claims = append(claims, footprint.Claim{Name: "claim-" + entry, Entries: []string{entry}, Allocation: allocation})
			if takes {
				theirs[corev1.ObjectReference{Name: "claim-" + entry, UID: types.UID(entry)}] = allocation
			}
			entries[entry] = types.UID(entry)
		}
		find := func(r *resourceapi.DeviceRequestAllocationResult) *resourceapi.Device {
			for i := range slice.Spec.Devices {
				if slice.Spec.Devices[i].Name == r.Device {
					return &slice.Spec.Devices[i]
				}
			}
			return nil
		}
		node := &corev1.Node{}
		node.Name = "n1"
		got, problem := footprint.Statuses(pod, claims, find)
		want, err := buildNodeAllocatableDRAInfo(judge, pod, theirs, entries, []*resourceapi.ResourceSlice{slice}, node)
		if (problem != nil) != (err != nil) {
			t.Errorf("got %v, the scheduler %v\n%s", problem, err, text(t, slice))
		}
		if err != nil || problem != nil {
			return true
		}
		if !equality.Semantic.DeepEqual(got, want) && len(got)+len(want) > 0 {
			t.Errorf("got\n%s, the scheduler\n%s\n%s", text(t, got), text(t, want), text(t, slice))
		}
		ours := fit.NewPod(pod, fit.Options{NodeAllocatable: true}).With(got)
		judged := stored(pod)
		judged.Status.NodeAllocatableResourceClaimStatuses = want
		exceeds, refused := footprint.Exceeds(ours.Pod), validatePodLevelResourcesCoverDRA(judge, judged)
		if (exceeds != "") != !refused.IsSuccess() {
			t.Errorf("got %q, the scheduler %v\n%s", exceeds, refused, text(t, judged))
		}
		return len(want) > 0
	})
}
