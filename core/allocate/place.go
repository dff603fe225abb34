package allocate

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/drawbridge-dra/drawbridge/core/inventory"
)

// nodeOperations is the feature that a node declares in its status when its
// kubelet can skip operations.
const nodeOperations = "DRAOptionalNodeOperations"

// selection tells whether selectors and node selection admit a device, and
// if not, which rule refuses it: for a selector its index counts.
func (s *search) selection(a *ask, i int) (code Code, index int, failure *Failure) {
	d := &s.devices[i]
	if !s.Features.BindingConditions && len(d.BindingConditions) > 0 {
		return BindingOff, 0, nil
	}
	for _, list := range []struct {
		code      Code
		selectors []resourceapi.DeviceSelector
	}{{ClassSelector, a.class.Spec.Selectors}, {RequestSelector, a.selectors}} {
		for k := range list.selectors {
			if list.selectors[k].CEL == nil {
				continue
			}
			ok, err := s.Programs.match(s.ctx, list.selectors[k].CEL.Expression, d.id.Driver, d.Device)
			if err != nil {
				return list.code, k, podWide(s.selectorFailure(a, i, list.code, k, list.selectors[k].CEL.Expression, err))
			}
			if !ok {
				return list.code, k, nil
			}
		}
	}
	ok, err := d.slice.DeviceOnNode(d.index, s.Node)
	if err != nil {
		return NodeSelection, 0, podWide(Reason{Code: NodeSelector, Claim: a.claim, Request: a.name,
			Message: fmt.Sprintf("the node selector of device %s cannot be read: %v; Kubernetes gives up on the pod", d.id, err)})
	}
	if !ok {
		return NodeSelection, 0, nil
	}
	return "", 0, nil
}

// isSelectable is selection with a memory.
func (s *search) isSelectable(a *ask, i int) (bool, *Failure) {
	if ok, known := a.selectable[i]; known {
		return ok, nil
	}
	code, _, failure := s.selection(a, i)
	if failure != nil {
		return false, failure
	}
	a.selectable[i] = code == ""
	return code == "", nil
}

// unavailable tells whether a device is out of reach before anything else is
// looked at: held or picked, or, for admin access, picked by the same claim.
func (s *search) unavailable(a *ask, d *device) Code {
	if a.admin() {
		if slices.Contains(d.owners, a.claim) {
			return Picked
		}
		return ""
	}
	if len(s.Held.Exclusive[d.id]) > 0 && !s.relaxed[InUse] {
		return InUse
	}
	if len(d.owners) > 0 {
		return Picked
	}
	return ""
}

// skipsUnsupported tells whether a device cannot be used because its slice
// skips node operations. Only the experimental allocator looks at that.
func (s *search) skipsUnsupported(d *device) bool {
	return len(d.slice.Spec.SkipNodeOperations) > 0 && s.Features.Implementation() == inventory.Experimental &&
		(!s.Features.OptionalNodeOperations || !slices.Contains(s.Node.Status.DeclaredFeatures, nodeOperations))
}

// drawn tells whether a shareable device already has a share given out, held
// or in this attempt: further shares cost no counters.
func (s *search) drawn(d *device) bool {
	return d.shareable && (len(s.Held.Shared[d.id]) > 0 || d.shares > 0)
}

// undo is what place has changed, for taking it back.
type undo struct {
	device      int
	counters    bool
	groups      []groupState
	constraints []*constraint
	owned       bool
	before      quantities
}

// place gives a device to a request if every rule admits it. A code says
// which rule refused; must turns a refusal by a constraint into a failure, as
// Kubernetes does for requests that want all devices.
func (s *search) place(a *ask, i int, must bool) (u undo, code Code, failure *Failure) {
	d := &s.devices[i]
	if code := s.unavailable(a, d); code != "" {
		return undo{}, code, nil
	}
	if s.skipsUnsupported(d) && !s.relaxed[SkipNodeOperations] {
		return undo{}, SkipNodeOperations, nil
	}
	if !s.Features.PartitionableDevices && len(d.ConsumesCounters) > 0 {
		return undo{}, CountersOff, nil
	}
	u = undo{device: i}
	pool := &s.pools[d.pool]
	if len(d.ConsumesCounters) > 0 && !s.drawn(d) {
		if s.Features.CompatibilityGroups && !s.relaxed[Groups] {
			if pool.clash(d) >= 0 {
				return undo{}, Groups, nil
			}
			u.groups = pool.join(d)
		}
		if pool.short(d) >= 0 && !s.relaxed[Counters] {
			s.revert(u)
			return undo{}, Counters, nil
		}
		pool.take(d)
		u.counters = true
	}
	if s.Features.DeviceTaints && s.untolerated(a, d) != nil && !s.relaxed[Taint] {
		s.revert(u)
		return undo{}, Taint, nil
	}
	for _, con := range s.claims[a.claim].constraints {
		if !con.covers(a) || s.relaxed[con.code()] {
			continue
		}
		v, found, failure := s.attribute(a, d, con.name)
		if failure != nil {
			s.revert(u)
			return undo{}, "", failure
		}
		push, ok := con.admits(v)
		if !found || !ok {
			s.revert(u)
			if must {
				return undo{}, con.code(), podWide(s.constraintOnAll(a, d, con, v, found))
			}
			return undo{}, con.code(), nil
		}
		con.stack = append(con.stack, push)
		u.constraints = append(u.constraints, con)
	}
	if !d.shareable {
		d.owners = append(d.owners, a.claim)
		u.owned = true
	}
	p := pick{ask: a, device: i}
	if s.Features.ConsumableCapacity {
		ok, failure := s.hasCapacity(a, i, s.Held.Capacity[d.id], d.sum)
		if failure != nil || !ok {
			s.revert(u)
			return undo{}, Capacity, failure
		}
		if d.shareable {
			// consumption cannot fail here: hasCapacity has just computed it.
			p.shared = true
			p.consumed, _ = consumption(a.amounts(), d.Capacity, s.Features.FractionalCapacityRange)
			u.before = d.sum
			d.sum = add(d.sum, p.consumed)
			d.shares++
		}
	}
	s.claims[a.claim].picks = append(s.claims[a.claim].picks, p)
	return u, "", nil
}

// unplace undoes a successful place.
func (s *search) unplace(a *ask, u undo) {
	c := &s.claims[a.claim]
	last := c.picks[len(c.picks)-1]
	c.picks = c.picks[:len(c.picks)-1]
	if last.shared {
		d := &s.devices[u.device]
		d.sum, d.shares = u.before, d.shares-1
	}
	s.revert(u)
}

// revert takes back everything but the pick itself.
func (s *search) revert(u undo) {
	d := &s.devices[u.device]
	pool := &s.pools[d.pool]
	if u.owned {
		d.owners = d.owners[:len(d.owners)-1]
	}
	for i := len(u.constraints) - 1; i >= 0; i-- {
		con := u.constraints[i]
		con.stack = con.stack[:len(con.stack)-1]
	}
	if u.groups != nil {
		pool.leave(d, u.groups)
	}
	if u.counters {
		pool.give(d)
	}
}

func add(sum, more quantities) quantities {
	out := make(quantities, len(more))
	for name, q := range sum {
		out[name] = q.DeepCopy()
	}
	for name, q := range more {
		var total resource.Quantity
		if old, ok := out[name]; ok {
			total = old
		}
		total.Add(q)
		out[name] = total
	}
	return out
}

// untolerated finds a taint that keeps a request off a device.
func (s *search) untolerated(a *ask, d *device) *resourceapi.DeviceTaint {
	for i := range d.Taints {
		taint := &d.Taints[i]
		if taint.Effect != resourceapi.DeviceTaintEffectNoSchedule && taint.Effect != resourceapi.DeviceTaintEffectNoExecute {
			continue
		}
		if !slices.ContainsFunc(a.tolerations, func(t resourceapi.DeviceToleration) bool { return tolerates(&t, taint) }) {
			return taint
		}
	}
	return nil
}

// tolerates follows the rules of Kubernetes: an empty effect or key matches
// any, and an empty operator means Equal.
func tolerates(t *resourceapi.DeviceToleration, taint *resourceapi.DeviceTaint) bool {
	if t.Effect != "" && t.Effect != taint.Effect || t.Key != "" && t.Key != taint.Key {
		return false
	}
	switch t.Operator {
	case "", resourceapi.DeviceTolerationOpEqual:
		return t.Value == taint.Value
	case resourceapi.DeviceTolerationOpExists:
		return true
	}
	return false
}

// attribute looks up what a constraint compares: a derived attribute of the
// request first, then what the device publishes.
func (s *search) attribute(a *ask, d *device, name resourceapi.FullyQualifiedName) (v attribute, found bool, failure *Failure) {
	published := (*resourceapi.DeviceAttribute)(nil)
	if expression, ok := a.derived[name]; ok {
		derived, err := s.Programs.derive(s.ctx, expression, d.id.Driver, d.Device)
		if err != nil {
			return attribute{}, false, podWide(Reason{Code: DerivedError, Claim: a.claim, Request: a.name, Field: a.field + ".derivedAttributes",
				Message: fmt.Sprintf("derived attribute %s fails on device %s: %v; Kubernetes gives up on the pod", name, d.id, err)})
		}
		published = derived
	} else {
		published = find(d.id.Driver, d.Device, name)
	}
	if published == nil {
		return attribute{}, false, nil
	}
	return attributeOf(published), true, nil
}

// onlyNode selects one node by its name.
func onlyNode(name string) *corev1.NodeSelector {
	return &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{
		MatchFields: []corev1.NodeSelectorRequirement{{Key: "metadata.name", Operator: corev1.NodeSelectorOpIn, Values: []string{name}}},
	}}}
}
