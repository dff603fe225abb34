package allocate

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/drawbridge-dra/drawbridge/core/selector"
)

// refusal says why an ask cannot have a device in the present state of the
// attempt; its code is empty if it can. Errors count as refusals here: an
// explanation is given only after the search has ended without one.
func (s *search) refusal(a *ask, i int) DeviceReason {
	d := &s.devices[i]
	r := DeviceReason{ID: d.id}
	set := func(code Code, format string, args ...any) DeviceReason {
		r.Code, r.Message, r.At = code, fmt.Sprintf(format, args...), s.placeOf(a, i, code)
		return r
	}
	// Selectors first, although the search asks for use first: that a device
	// is held says nothing to someone who could never have it.
	code, index, failure := s.selection(a, i)
	switch {
	case failure != nil:
		return set(failure.Reasons[0].Code, "%s", failure.Reasons[0].Message)
	case code == ClassSelector:
		r = set(code, "does not match %s of class %s", nth(index, len(a.class.Spec.Selectors)), a.class.Name)
		r.At = classSelectorAt(a, index)
		return r
	case code == RequestSelector:
		return set(code, "does not match %s of the request%s", nth(index, len(a.selectors)), s.actual(a.selectors[index].CEL.Expression, d))
	case code == NodeSelection:
		if d.NodeName != nil {
			return set(code, "is for node %s", *d.NodeName)
		}
		return set(code, "is for other nodes")
	case code == BindingOff:
		return set(code, "has binding conditions, and %s", cmp.Or(s.view.features.NoBinding, "the gates for them are off"))
	}
	switch s.unavailable(a, i) {
	case InUse:
		return set(InUse, "is held by %s", strings.Join(s.view.held.Holders(d.id), ", "))
	case Picked:
		return set(Picked, "is given to %s", s.taker(i))
	}
	if s.view.features.ConsumableCapacity {
		short, failure := s.lacking(a, i)
		if failure != nil {
			return set(CapacityError, "%s", failure.Reasons[0].Message)
		}
		if short.code != "" {
			r = set(short.code, "%s", s.capacityText(d, short))
			if short.code != CapacityMissing {
				r.At = d.at(fmt.Sprintf(".capacity[%s]", short.name))
			}
			return r
		}
	}
	return s.placeRefusal(a, i, set)
}

// placeRefusal continues refusal with the rules of place.
func (s *search) placeRefusal(a *ask, i int, set func(Code, string, ...any) DeviceReason) DeviceReason {
	d := &s.devices[i]
	pool := &s.view.pools[d.pool]
	u, code, failure := s.place(a, i, false)
	if failure != nil {
		return set(failure.Reasons[0].Code, "%s", failure.Reasons[0].Message)
	}
	switch code {
	case "":
		s.unplace(a, u)
		return DeviceReason{ID: d.id}
	case SkipNodeOperations:
		if !s.view.features.OptionalNodeOperations {
			return set(code, "skips node operations, and DRAOptionalNodeOperations is off")
		}
		return set(code, "skips node operations, and %s does not declare %s in status.declaredFeatures", s.nodeLabel(), nodeOperations)
	case CountersOff:
		return set(code, "consumes counters, and DRAPartitionableDevices is off")
	case Groups:
		return set(code, "%s", s.groupsText(d))
	case Counters:
		short := s.pools[d.pool].short(pool, d)
		c := pool.counters[short]
		left := s.pools[d.pool].rest[short]
		if pool.overdrawn >= 0 {
			return set(code, "consumes counters of a pool in which counter %s of %s is overdrawn (%s left): Kubernetes then refuses every device that consumes counters", c.name, c.set, text(left))
		}
		for _, need := range d.demands {
			if need.counter == short {
				return set(code, "needs %s of counter %s in %s, and %s of %s is left%s", text(need.amount), c.name, c.set, text(left), text(c.total), s.drawers(d.pool, short))
			}
		}
	case Taint:
		taint := untolerated(a, d)
		return set(code, "has taint %s, which the request does not tolerate", taintText(taint))
	case MatchAttribute, DistinctAttribute:
		return set(code, "%s", s.constraintText(a, i, code))
	}
	return set(code, "is refused")
}

// drawers says who has the rest of a counter.
func (s *search) drawers(pool, counter int) string {
	const most = 3
	var who []string
	more := 0
	for i := range s.devices {
		d := &s.devices[i]
		at := slices.IndexFunc(d.demands, func(n demand) bool { return d.pool == pool && n.counter == counter })
		if at < 0 {
			continue
		}
		holder := ""
		switch {
		case d.exclusive || d.shared:
			holder = strings.Join(s.view.held.Holders(d.id), ", ")
		case len(s.state[i].owners) > 0 || s.state[i].shares > 0:
			holder = s.taker(i)
		default:
			continue
		}
		if len(who) == most {
			more++
			continue
		}
		who = append(who, fmt.Sprintf("%s has %s for %s", d.id.Device, text(d.demands[at].amount), holder))
	}
	if len(who) == 0 {
		return ""
	}
	if more > 0 {
		who = append(who, fmt.Sprintf("%d more", more))
	}
	return " (" + strings.Join(who, ", ") + ")"
}

func taintText(t *resourceapi.DeviceTaint) string {
	text := t.Key
	if t.Value != "" {
		text += "=" + t.Value
	}
	return text + ":" + string(t.Effect)
}

// taker names the request of this attempt that has a device.
func (s *search) taker(i int) string {
	for c := range s.claims {
		for _, p := range s.picks[c] {
			if p.device == i {
				return s.who(p.ask)
			}
		}
	}
	return "another request"
}

func (s *search) capacityText(d *device, short capacityShortage) string {
	switch short.code {
	case CapacityMissing:
		names := make([]string, 0, len(d.Capacity))
		for _, name := range sortedNames(d.Capacity) {
			names = append(names, string(name))
		}
		if len(names) == 0 {
			return fmt.Sprintf("has no capacity %s", short.name)
		}
		return fmt.Sprintf("has no capacity %s, only %s", short.name, strings.Join(names, ", "))
	case CapacityPolicy:
		return fmt.Sprintf("gives out %s of %s at a time, and %s is needed", policyText(d.Capacity[short.name].RequestPolicy), short.name, short.asked.String())
	}
	total := d.Capacity[short.name].Value
	if total.Cmp(short.left) == 0 {
		return fmt.Sprintf("has %s of %s, and %s is needed", total.String(), short.name, short.asked.String())
	}
	return fmt.Sprintf("has %s of %s left of %s, and %s is needed", short.left.String(), short.name, total.String(), short.asked.String())
}

// policyText says which amounts a policy allows.
func policyText(policy *resourceapi.CapacityRequestPolicy) string {
	const most = 6
	if policy.ValidRange == nil {
		values := make([]string, 0, most)
		for _, v := range policy.ValidValues[:min(len(policy.ValidValues), most)] {
			values = append(values, text(v))
		}
		if more := len(policy.ValidValues) - most; more > 0 {
			return fmt.Sprintf("%s or one of %d other amounts", strings.Join(values, ", "), more)
		}
		return strings.Join(values, " or ")
	}
	v := policy.ValidRange
	var parts []string
	if v.Min != nil {
		parts = append(parts, text(*v.Min))
		if v.Step != nil {
			parts[0] += " plus steps of " + text(*v.Step)
		}
	}
	if v.Max != nil {
		parts = append(parts, "at most "+text(*v.Max))
	}
	return strings.Join(parts, " and ")
}

// nth names one of several selectors, counted from 0, as people count.
func nth(index, of int) string {
	if of == 1 {
		return "the selector"
	}
	n := index + 1
	suffix := "th"
	if n%100 < 11 || n%100 > 13 {
		switch n % 10 {
		case 1:
			suffix = "st"
		case 2:
			suffix = "nd"
		case 3:
			suffix = "rd"
		}
	}
	return fmt.Sprintf("the %d%s selector", n, suffix)
}

// groupsText names the groups that clash.
func (s *search) groupsText(d *device) string {
	pool := &s.pools[d.pool]
	n := pool.clash(d)
	if n < 0 {
		return "shares no compatibility group"
	}
	var own []string
	for _, g := range d.groups {
		if g.set == n {
			own = g.groups
		}
	}
	state := pool.groups[n]
	theirs := "devices without groups"
	if !state.groupless {
		theirs = "devices of group " + bracket(state.groups)
	}
	offers := "has no groups"
	if len(own) > 0 {
		offers = "offers " + bracket(own)
	}
	return fmt.Sprintf("%s, and counter set %s already serves %s: nothing in common", offers, s.view.pools[d.pool].sets[n], theirs)
}

func bracket(list []string) string { return "[" + strings.Join(list, ", ") + "]" }

// constraintText names the constraint that refuses a device.
func (s *search) constraintText(a *ask, i int, code Code) string {
	d := &s.devices[i]
	con := s.broken(a, i, code)
	if con == nil {
		return "breaks a constraint"
	}
	v, found, _ := s.attribute(a, i, con.name)
	switch {
	case !found:
		return fmt.Sprintf("does not have attribute %s%s", con.name, twin(d, con.name, s))
	case len(s.stacks[con.id]) == 0 || v.kind == 0:
		return fmt.Sprintf("has an attribute %s without a value that can be compared", con.name)
	}
	return s.clashText(con, v)
}

// clashText says what a device has and what those before it have, for a
// constraint that does not admit it.
func (s *search) clashText(con *constraint, v attribute) string {
	if con.distinct {
		return fmt.Sprintf("repeats %s %s", con.name, v)
	}
	return fmt.Sprintf("has %s %s, not %s like those before it", con.name, v, s.stacks[con.id][len(s.stacks[con.id])-1])
}

// twin finds an attribute of a device that was probably meant: the same value
// under another name, when others of the claim's devices have the wanted one,
// or else the same name in another domain.
func twin(d *device, wanted resourceapi.FullyQualifiedName, s *search) string {
	values := map[string]bool{}
	for i := range s.devices {
		if a := find(s.devices[i].id.Driver, s.devices[i].Device, wanted); a != nil {
			values[attributeOf(a).String()] = true
		}
	}
	for _, name := range sortedNames(d.Attributes) {
		a := d.Attributes[name]
		if v := attributeOf(&a); values[v.String()] {
			qualified := string(name)
			if !strings.Contains(qualified, "/") {
				qualified = d.id.Driver + "/" + qualified
			}
			return fmt.Sprintf(" (it publishes %s with the value %s)", qualified, v)
		}
	}
	_, wantedID, _ := strings.Cut(string(wanted), "/")
	for _, name := range sortedNames(d.Attributes) {
		domain, id, qualified := strings.Cut(string(name), "/")
		if !qualified {
			domain, id = d.id.Driver, domain
		}
		if id == wantedID {
			return fmt.Sprintf(" (it publishes %s/%s)", domain, id)
		}
	}
	return ""
}

// actual says what a device has for what a selector compares.
func (s *search) actual(expression string, d *device) string {
	var parts []string
	for _, r := range s.view.programs.selectors.Get(expression).Reads {
		if r.Compared == "" || r.Capacity || r.ID == "" {
			continue
		}
		if text := compared(d, r); text != "" {
			parts = append(parts, text)
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return ": " + strings.Join(parts, ", ")
}

func compared(d *device, r selector.Read) string {
	a := find(d.id.Driver, d.Device, resourceapi.FullyQualifiedName(r.Name()))
	if a == nil {
		return fmt.Sprintf("it has no %s", r.Name())
	}
	return fmt.Sprintf("%s is %s, the selector asks for %s %s", r.ID, attributeOf(a), r.Compared, r.Literal)
}

// selectorField finds the path of the selector at which most devices that
// came as far as the code failed.
func (s *search) selectorField(a *ask, code Code) (string, bool) {
	if code != RequestSelector {
		return a.field() + ".deviceClassName", true
	}
	counts := make([]int, len(a.selectors))
	for i := range s.devices {
		if c, k, failure := s.selection(a, i); failure == nil && c == code {
			counts[k]++
		}
	}
	best := slices.Index(counts, slices.Max(counts))
	return fmt.Sprintf("%s.selectors[%d].cel.expression", a.field(), best), true
}

// capacityField finds the amount that the first device refuses that came as
// far as the code.
func (s *search) capacityField(a *ask, code Code) string {
	for i := range s.devices {
		if s.refusal(a, i).Code != code {
			continue
		}
		if short, failure := s.lacking(a, i); failure == nil && short.code == code {
			return amountField(a, short.name)
		}
	}
	return a.field()
}

// amountField is the path of a requested amount, or of the whole request
// where the device asks for the amount on its own.
func amountField(a *ask, name resourceapi.QualifiedName) string {
	if _, asked := a.amounts()[name]; !asked {
		return a.field()
	}
	return fmt.Sprintf("%s.capacity.requests[%s]", a.field(), name)
}

func (s *search) constraintField(a *ask, code Code) string {
	for _, con := range a.constraints {
		if con.code() == code {
			return con.field()
		}
	}
	return a.field()
}
