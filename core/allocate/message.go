package allocate

import (
	"fmt"
	"slices"
	"strings"

	resourceapi "k8s.io/api/resource/v1"
)

// describeSelector says how far the devices came and what the selector wants
// instead of what they have.
func (s *search) describeSelector(a *ask, code Code, n int) string {
	passed := 0
	values := map[string][]string{} // what is compared -> values found
	var order []string
	failedAt, severalFail := -1, false
	expression, drivers := "", []string(nil)
	for i := range s.devices {
		c, k, failure := s.selection(a, i)
		if failure != nil || c == ClassSelector || c == BindingOff {
			if c != code || failure != nil {
				continue
			}
		}
		if c != ClassSelector {
			passed++
		}
		if c != code {
			continue
		}
		if failedAt < 0 {
			failedAt, expression = k, s.expression(a, code, k)
		}
		severalFail = severalFail || k != failedAt
		if driver := s.devices[i].id.Driver; !slices.Contains(drivers, driver) {
			drivers = append(drivers, driver)
		}
		for _, r := range s.view.programs.selectors.Get(s.expression(a, code, k)).Reads {
			if r.Compared == "" || r.Capacity || r.ID == "" {
				continue
			}
			key := fmt.Sprintf("%s %s %s", r.Name(), r.Compared, r.Literal)
			text := "nothing"
			if v := find(s.devices[i].id.Driver, s.devices[i].Device, resourceapi.FullyQualifiedName(r.Name())); v != nil {
				text = attributeOf(v).String()
			}
			if values[key] == nil {
				order = append(order, key)
			}
			if !slices.Contains(values[key], text) {
				values[key] = append(values[key], text)
			}
		}
	}
	total := len(s.devices)
	selectors := a.selectors
	if code == ClassSelector {
		selectors = a.class.Spec.Selectors
	}
	which := nth(failedAt, len(selectors))
	if severalFail {
		which = "all selectors"
	}
	text := ""
	switch {
	case code == ClassSelector && total > n:
		text = fmt.Sprintf("%d of %s %s not pass %s of class %s", n, plural(total, "device"), verb(n, "does", "do"), which, a.class.Name)
	case code == ClassSelector:
		text = fmt.Sprintf("none of %s passes %s of class %s", plural(total, "device"), which, a.class.Name)
	default:
		text = fmt.Sprintf("%d of %s %s class %s, and %d of these %s %s of the request",
			passed, plural(total, "device"), verb(passed, "passes", "pass"), a.class.Name, passed-n, verb(passed-n, "passes", "pass"), which)
	}
	const longest = 100
	if len(order) == 0 && !severalFail && len(expression) <= longest && !strings.Contains(expression, "\n") {
		text += ": " + expression
		if strings.Contains(expression, "device.driver") && len(drivers) <= 3 {
			text += "; the driver is " + strings.Join(drivers, ", ")
		}
	}
	for _, key := range order[:min(len(order), 2)] {
		list := values[key]
		more := ""
		if len(list) > 4 {
			list, more = list[:4], fmt.Sprintf(" and %d other values", len(list)-4)
		}
		text += fmt.Sprintf("; it asks for %s, and the devices have %s%s", key, strings.Join(list, ", "), more)
	}
	return text
}

func (s *search) expression(a *ask, code Code, k int) string {
	if code == ClassSelector {
		return a.class.Spec.Selectors[k].CEL.Expression
	}
	return a.selectors[k].CEL.Expression
}

// describeMissingAttribute covers the commonest reason why a matchAttribute
// never holds: no candidate has the attribute at all.
func (s *search) describeMissingAttribute(a *ask, n int) string {
	for _, con := range a.constraints {
		if con.distinct {
			continue
		}
		hint, missing := "", 0
		for i := range s.devices {
			if ok, failure := s.isSelectable(a, i); failure != nil || !ok {
				continue
			}
			d := &s.devices[i]
			if _, found, failure := s.attribute(a, i, con.name); failure != nil || found {
				continue
			}
			missing++
			if hint == "" {
				hint = twin(d, con.name, s)
			}
		}
		if missing == n && missing > 0 {
			return fmt.Sprintf("no device that it could get has %s, which matchAttribute compares%s; an attribute without a domain is the driver's own", con.name, strings.ReplaceAll(hint, "(it publishes", "(published is"))
		}
	}
	return ""
}

// blameMessage puts the rule to blame into words.
func (s *search) blameMessage(code Code, a *ask, picks []pick, t tally) string {
	wants := fmt.Sprintf("%s wants %s", s.who(a), plural(s.asks[a.id].num, "device"))
	switch code {
	case Groups:
		return wants + "; " + s.groupsStory(a, picks)
	case Combination:
		// That the devices which are given out cannot be given again goes
		// without saying.
		if t.furthest != Picked {
			delete(t.byCode, Picked)
		}
		return fmt.Sprintf("%s; no combination of devices satisfies every rule at once: %s%s", wants, s.given(picks), s.describe(a, t))
	case InUse:
		return fmt.Sprintf("%s; it would fit if no claim held devices already: %s", wants, s.describe(a, t))
	}
	return wants + "; " + s.describeAfter(code, a, picks, t)
}

// describeAfter names the devices that the rule to blame refuses once the
// earlier picks are made.
func (s *search) describeAfter(code Code, a *ask, picks []pick, t tally) string {
	var refused []DeviceReason
	for _, d := range t.devices {
		if d.Code == code {
			refused = append(refused, d)
		}
	}
	text := s.listRefusals(refused, t.byCode[code])
	if text == "" {
		text = s.describe(a, t)
	}
	return s.given(picks) + text
}

// given begins a sentence with the devices that earlier requests have.
func (s *search) given(picks []pick) string {
	if len(picks) == 0 {
		return ""
	}
	names := make([]string, 0, len(picks))
	for _, p := range picks {
		names = append(names, s.devices[p.device].id.Device)
	}
	const most = 4
	more := ""
	if len(names) > most {
		names, more = names[:most], fmt.Sprintf(" and %d more", len(names)-most)
	}
	return fmt.Sprintf("with %s%s given out, ", strings.Join(names, ", "), more)
}

// groupsStory tells which devices of a counter set offer which groups.
func (s *search) groupsStory(a *ask, picks []pick) string {
	for i := range s.devices {
		d := &s.devices[i]
		pool := &s.pools[d.pool]
		if s.refusal(a, i).Code != Groups {
			continue
		}
		n := pool.clash(d)
		var offers []string
		for _, p := range picks {
			if s.devices[p.device].pool == d.pool {
				offers = appendOffer(offers, &s.devices[p.device], n)
			}
		}
		for j := i; j < len(s.devices) && len(offers) < 6; j++ {
			if s.refusal(a, j).Code == Groups && s.devices[j].pool == d.pool {
				offers = appendOffer(offers, &s.devices[j], n)
			}
		}
		return fmt.Sprintf("devices of one claim or pod that draw from counter set %s must share a compatibility group; %s, nothing in common", s.view.pools[d.pool].sets[n], strings.Join(offers, ", "))
	}
	return "the devices that are left share no compatibility group with those given out"
}

func appendOffer(offers []string, d *device, set int) []string {
	for _, g := range d.groups {
		if g.set == set {
			return append(offers, d.id.Device+" offers "+bracket(g.groups))
		}
	}
	return offers
}

// selectorFailure describes a selector that fails on a device.
func (s *search) selectorFailure(a *ask, i int, code Code, k int, expression string, err error) Reason {
	d := &s.devices[i]
	where, cause := fmt.Sprintf("%s of %s", nth(k, len(a.selectors)), s.who(a)), d.at("")
	field := fmt.Sprintf("%s.selectors[%d].cel.expression", a.field(), k)
	if code == ClassSelector {
		where, field = fmt.Sprintf("%s of class %s, which %s names,", nth(k, len(a.class.Spec.Selectors)), a.class.Name, s.who(a)), a.field()+".deviceClassName"
		cause = classSelectorAt(a, k)
	}
	r := Reason{Code: SelectorError, Claim: a.claim, Request: a.name, Field: field,
		Devices: []DeviceReason{{ID: d.id, Code: SelectorError, Message: "the selector fails on it", At: cause}}}
	const giveUp = "Kubernetes then gives up on the whole pod, whatever the other devices and nodes offer"
	program := s.view.programs.selectors.Get(expression)
	if program.Err != nil {
		r.Message = fmt.Sprintf("%s does not compile: %s; %s", where, program.Err.Message, giveUp)
		return r
	}
	for _, read := range program.Reads {
		if read.Guarded || read.Capacity || read.ID == "" ||
			find(d.id.Driver, d.Device, resourceapi.FullyQualifiedName(read.Name())) != nil {
			continue
		}
		r.Message = fmt.Sprintf("%s reads attribute %s, which device %s does not have; %s. Guard it: has(device.attributes[%q].%s) && …, or device.attributes[%q].?%s.orValue(…)",
			where, read.Name(), d.id, giveUp, read.Domain, read.ID, read.Domain, read.ID)
		return r
	}
	r.Message = fmt.Sprintf("%s fails on device %s: %v; %s", where, d.id, err, giveUp)
	return r
}

// constraintOnAll describes a request for all devices of which a constraint
// excludes one.
func (s *search) constraintOnAll(a *ask, i int, con *constraint, v attribute, found bool) Reason {
	d := &s.devices[i]
	why := fmt.Sprintf("does not have attribute %s", con.name)
	switch {
	case found && len(s.stacks[con.id]) > 0 && v.kind != 0:
		why = s.clashText(con, v)
	case found:
		why = fmt.Sprintf("has an attribute %s without a value that can be compared", con.name)
	}
	return Reason{Code: ConstraintOnAll, Claim: a.claim, Request: a.name, Field: con.field(),
		Devices: []DeviceReason{{ID: d.id, Code: con.code(), Message: why, At: s.placeOf(a, i, con.code())}},
		Message: fmt.Sprintf("%s wants all devices, and a constraint excludes one: %s %s; Kubernetes gives up on the pod; ask for a count", s.who(a), d.id.Device, why)}
}
