package schedule

import (
	"fmt"
	"slices"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/drawbridge-dra/drawbridge/core/allocate"
	"github.com/drawbridge-dra/drawbridge/core/fit"
	"github.com/drawbridge-dra/drawbridge/core/inventory"
)

// Eviction is what a taint with effect NoExecute does to pods that have a
// node, or would do: a rule with effect None is taken as if it were to evict.
type Eviction struct {
	// Rule or Slice has the taint; of a slice it is that of Device.
	Rule   *resourceapi.DeviceTaintRule
	Slice  *resourceapi.ResourceSlice
	Device string
	Taint  resourceapi.DeviceTaint
	At     inventory.Place
	// Simulated is set for a rule with effect None.
	Simulated bool
	Pods      []Evicted
}

// Evicted is a pod that goes because of a taint.
type Evicted struct {
	Pod *Pod
	// Claim and Device are those for which it goes first.
	Claim  *Claim
	Device inventory.DeviceID
	// Seconds after the taint was added; 0 for at once.
	Seconds int64
	// Ignored is set if a toleration with an empty effect is there, which
	// counts for the scheduler and not for evictions.
	Ignored bool
}

// evictions looks at what the bound pods use. The clock does not matter: all
// times count from when the taint was added.
func (p *planner) evictions(bound []*Pod) {
	if !p.Features.DeviceTaints {
		return
	}
	var list []*Eviction
	newest := map[inventory.PoolID]int64{}
	for _, s := range p.Slices {
		id := poolOf(s)
		newest[id] = max(newest[id], s.Spec.Pool.Generation)
	}
	for _, s := range p.Slices {
		if p.Invalid[s] || s.Spec.Pool.Generation != newest[poolOf(s)] {
			continue
		}
		for i := range s.Spec.Devices {
			d := &s.Spec.Devices[i]
			for j := range d.Taints {
				if d.Taints[j].Effect == resourceapi.DeviceTaintEffectNoExecute {
					list = append(list, &Eviction{Slice: s, Device: d.Name, Taint: d.Taints[j], At: inventory.Place{Object: s, Field: fmt.Sprintf("spec.devices[%d].taints[%d]", i, j)}})
				}
			}
		}
	}
	if p.Features.DeviceTaintRules {
		for _, r := range p.Rules {
			effect := r.Spec.Taint.Effect
			if simulated := effect == resourceapi.DeviceTaintEffectNone; !p.Invalid[r] && (simulated || effect == resourceapi.DeviceTaintEffectNoExecute) {
				list = append(list, &Eviction{Rule: r, Taint: r.Spec.Taint, Simulated: simulated, At: inventory.Place{Object: r, Field: "spec.taint"}})
			}
		}
	}
	for _, e := range list {
		for _, pod := range bound {
			if one := p.evicted(e, pod); one != nil {
				e.Pods = append(e.Pods, *one)
			}
		}
		if e.Rule != nil || len(e.Pods) > 0 {
			p.plan.Evictions = append(p.plan.Evictions, e)
		}
	}
}

func poolOf(s *resourceapi.ResourceSlice) inventory.PoolID {
	return inventory.PoolID{Driver: s.Spec.Driver, Pool: s.Spec.Pool.Name}
}

// evicted tells when a pod goes because of a taint; nil if it stays.
func (p *planner) evicted(e *Eviction, pod *Pod) *Evicted {
	if fit.Ended(pod.Pod) {
		return nil
	}
	var first *Evicted
	for _, c := range pod.Claims {
		allocation := c.Claim.Status.Allocation
		if allocation == nil || c.Outcome == Invalid || !p.reserved(c.Claim, pod.Pod) {
			continue
		}
		for i := range allocation.Devices.Results {
			r := &allocation.Devices.Results[i]
			if !e.hits(r) {
				continue
			}
			seconds, goes, ignored := tolerated(r.Tolerations, &e.Taint)
			if goes && (first == nil || seconds < first.Seconds) {
				first = &Evicted{Pod: pod, Claim: c, Device: inventory.DeviceID{Driver: r.Driver, Pool: r.Pool, Device: r.Device}, Seconds: seconds, Ignored: ignored}
			}
		}
	}
	return first
}

// hits tells whether a device has the taint. A rule selects devices that no
// slice has any more, too.
func (e *Eviction) hits(r *resourceapi.DeviceRequestAllocationResult) bool {
	if e.Slice != nil {
		return r.Driver == e.Slice.Spec.Driver && r.Pool == e.Slice.Spec.Pool.Name && r.Device == e.Device
	}
	s := e.Rule.Spec.DeviceSelector
	return s != nil && (s.Driver == nil || *s.Driver == r.Driver) && (s.Pool == nil || *s.Pool == r.Pool) && (s.Device == nil || *s.Device == r.Device)
}

// tolerated tells for how long the taint is tolerated: for ever, so that
// nothing goes, or so many seconds. The tolerations are those that the
// scheduler has written into the allocation, and only those count whose effect
// is exactly NoExecute.
func tolerated(tolerations []resourceapi.DeviceToleration, taint *resourceapi.DeviceTaint) (seconds int64, goes, ignored bool) {
	as := *taint
	as.Effect = resourceapi.DeviceTaintEffectNoExecute
	var limits []int64
	for i := range tolerations {
		t := &tolerations[i]
		switch {
		case !allocate.Tolerates(t, &as):
		case t.Effect != resourceapi.DeviceTaintEffectNoExecute:
			ignored = true
		case t.TolerationSeconds == nil:
			return 0, false, false
		default:
			limits = append(limits, max(*t.TolerationSeconds, 0))
		}
	}
	if len(limits) > 0 {
		return slices.Min(limits), true, false
	}
	return 0, true, ignored
}
