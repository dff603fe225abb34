package allocate

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/drawbridge-dra/drawbridge/core/inventory"
)

// nodeOperations is the feature that a node declares in its status when its
// kubelet can skip operations.
const nodeOperations = "DRAOptionalNodeOperations"

// selection tells whether selectors and node selection admit a device, and
// if not, which rule refuses it: for a selector its index counts.
func (s *search) selection(a *ask, i int) (code Code, index int, failure *Failure) {
	d := &s.devices[i]
	if !s.view.features.BindingConditions && len(d.BindingConditions) > 0 {
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
			ok, err := s.view.programs.match(s.ctx, list.selectors[k].CEL.Expression, d)
			if err != nil {
				return list.code, k, podWide(s.selectorFailure(a, i, list.code, k, list.selectors[k].CEL.Expression, err))
			}
			if !ok {
				return list.code, k, nil
			}
		}
	}
	ok, err := d.slice.DeviceOnNode(d.index, s.view.node)
	if err != nil {
		return NodeSelection, 0, podWide(Reason{Code: NodeSelector, Claim: a.claim, Request: a.name, At: d.nodeAt(),
			Message: fmt.Sprintf("the node selector of device %s cannot be read: %v; Kubernetes gives up on the pod", d.id, err)})
	}
	if !ok {
		return NodeSelection, 0, nil
	}
	return "", 0, nil
}

// isSelectable is selection with a memory.
func (s *search) isSelectable(a *ask, i int) (bool, *Failure) {
	row := s.asks[a.id].row
	if row[i] != unknown {
		return row[i] == admitted, nil
	}
	code, _, failure := s.selection(a, i)
	if failure != nil {
		return false, failure
	}
	row[i] = refused
	if code == "" {
		row[i] = admitted
	}
	return code == "", nil
}

// unavailable tells whether a device is out of reach before anything else is
// looked at: held or picked, or, for admin access, picked by the same claim.
func (s *search) unavailable(a *ask, i int) Code {
	owners := s.state[i].owners
	if a.admin() {
		if slices.Contains(owners, a.claim) {
			return Picked
		}
		return ""
	}
	if s.devices[i].exclusive && !s.relaxed[InUse] {
		return InUse
	}
	if len(owners) > 0 {
		return Picked
	}
	return ""
}

// skipsUnsupported tells whether a device cannot be used because its slice
// skips node operations. Only the experimental allocator looks at that.
func (s *search) skipsUnsupported(d *device) bool {
	return len(d.slice.Spec.SkipNodeOperations) > 0 && s.view.features.Implementation() == inventory.Experimental &&
		(!s.view.features.OptionalNodeOperations || !slices.Contains(s.view.node.Status.DeclaredFeatures, nodeOperations))
}

// drawn tells whether a shareable device already has a share given out, held
// or in this attempt: further shares cost no counters.
func (s *search) drawn(i int) bool {
	return s.devices[i].shareable && (s.devices[i].shared || s.state[i].shares > 0)
}

// undo is what place has changed, for taking it back.
type undo struct {
	ask      *ask
	device   int
	counters bool
	groups   bool
	// pushed is how many constraints of the ask remember the device.
	pushed int
	owned  bool
}

// place gives a device to a request if every rule admits it. A code says
// which rule refused; must turns a refusal by a constraint into a failure, as
// Kubernetes does for requests that want all devices.
func (s *search) place(a *ask, i int, must bool) (u undo, code Code, failure *Failure) {
	d, st := &s.devices[i], &s.state[i]
	if code := s.unavailable(a, i); code != "" {
		return undo{}, code, nil
	}
	if s.skipsUnsupported(d) && !s.relaxed[SkipNodeOperations] {
		return undo{}, SkipNodeOperations, nil
	}
	if !s.view.features.PartitionableDevices && len(d.ConsumesCounters) > 0 {
		return undo{}, CountersOff, nil
	}
	u = undo{ask: a, device: i}
	if len(d.ConsumesCounters) > 0 && !s.drawn(i) {
		pool := &s.pools[d.pool]
		pool.touch(&s.view.pools[d.pool])
		if s.view.features.CompatibilityGroups && !s.relaxed[Groups] {
			if pool.clash(d) >= 0 {
				return undo{}, Groups, nil
			}
			pool.join(d)
			u.groups = true
		}
		if pool.short(&s.view.pools[d.pool], d) >= 0 && !s.relaxed[Counters] {
			s.revert(u)
			return undo{}, Counters, nil
		}
		pool.take(d)
		u.counters = true
	}
	if s.view.features.DeviceTaints && len(d.Taints) > 0 && untolerated(a, d) != nil && !s.relaxed[Taint] {
		s.revert(u)
		return undo{}, Taint, nil
	}
	for _, con := range a.constraints {
		if s.relaxed[con.code()] {
			continue
		}
		v, found, failure := s.compared(a, i, con)
		if failure != nil {
			s.revert(u)
			return undo{}, "", failure
		}
		push, ok := con.admits(s.stacks[con.id], v)
		if !found || !ok {
			s.revert(u)
			if must {
				return undo{}, con.code(), podWide(s.constraintOnAll(a, i, con, v, found))
			}
			return undo{}, con.code(), nil
		}
		s.stacks[con.id] = append(s.stacks[con.id], push)
		u.pushed++
	}
	if !d.shareable {
		if st.owners == nil {
			st.owners = st.one[:0]
		}
		st.owners = append(st.owners, a.claim)
		u.owned = true
	}
	if ok, failure := s.hasRoom(a, i); failure != nil || !ok {
		s.revert(u)
		return undo{}, Capacity, failure
	}
	p := pick{ask: a, device: i}
	if d.shareable {
		p.shared = true
		st.share(s.view.room(a, i))
	}
	s.picks[a.claim] = append(s.picks[a.claim], p)
	return u, "", nil
}

// unplace undoes a successful place.
func (s *search) unplace(a *ask, u undo) {
	picks := s.picks[a.claim]
	last := picks[len(picks)-1]
	s.picks[a.claim] = picks[:len(picks)-1]
	if last.shared {
		s.state[u.device].unshare(s.view.room(a, u.device))
	}
	s.revert(u)
}

// revert takes back everything but the pick itself.
func (s *search) revert(u undo) {
	d, st := &s.devices[u.device], &s.state[u.device]
	if u.owned {
		st.owners = st.owners[:len(st.owners)-1]
	}
	for _, con := range u.ask.constraints {
		if u.pushed == 0 {
			break
		}
		if !s.relaxed[con.code()] {
			s.stacks[con.id] = s.stacks[con.id][:len(s.stacks[con.id])-1]
			u.pushed--
		}
	}
	pool := &s.pools[d.pool]
	if u.groups {
		pool.leave(d)
	}
	if u.counters {
		pool.give(d)
	}
}

// untolerated finds a taint that keeps a request off a device.
func untolerated(a *ask, d *device) *resourceapi.DeviceTaint {
	for i := range d.Taints {
		taint := &d.Taints[i]
		if taint.Effect != resourceapi.DeviceTaintEffectNoSchedule && taint.Effect != resourceapi.DeviceTaintEffectNoExecute {
			continue
		}
		if !slices.ContainsFunc(a.tolerations, func(t resourceapi.DeviceToleration) bool { return Tolerates(&t, taint) }) {
			return taint
		}
	}
	return nil
}

// Tolerates follows the rules of Kubernetes: an empty effect or key matches
// any, and an empty operator means Equal.
func Tolerates(t *resourceapi.DeviceToleration, taint *resourceapi.DeviceTaint) bool {
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

// compared is attribute for the commonest case, with a memory.
func (s *search) compared(a *ask, i int, con *constraint) (v attribute, found bool, failure *Failure) {
	if a.derived != nil {
		return s.attribute(a, i, con.name)
	}
	if s.columns[con.id] == nil {
		s.columns[con.id] = s.view.column(con.name)
	}
	published := &s.columns[con.id][i]
	return published.attribute, published.found, nil
}

// attribute looks up what a constraint compares: a derived attribute of the
// request first, then what the device publishes.
func (s *search) attribute(a *ask, i int, name resourceapi.FullyQualifiedName) (v attribute, found bool, failure *Failure) {
	expression, ok := a.derived[name]
	if !ok {
		published := s.view.value(i, name)
		return published.attribute, published.found, nil
	}
	d := &s.devices[i]
	derived, err := s.view.programs.derive(s.ctx, expression, d)
	if err != nil {
		at := slices.IndexFunc(a.derivedList, func(d resourceapi.DeviceDerivedAttribute) bool { return d.Name == name })
		return attribute{}, false, podWide(Reason{Code: DerivedError, Claim: a.claim, Request: a.name,
			Field:   fmt.Sprintf("%s.derivedAttributes[%d].expression", a.field(), at),
			Devices: []DeviceReason{{ID: d.id, Code: DerivedError, Message: "the expression fails on it", At: d.at("")}},
			Message: fmt.Sprintf("derived attribute %s of %s fails on device %s: %v; Kubernetes gives up on the pod", name, s.who(a), d.id, err)})
	}
	return attributeOf(derived), true, nil
}

// onlyNode selects one node by its name.
func onlyNode(name string) *corev1.NodeSelector {
	return &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{
		MatchFields: []corev1.NodeSelectorRequirement{{Key: "metadata.name", Operator: corev1.NodeSelectorOpIn, Values: []string{name}}},
	}}}
}
