package lint

import (
	"fmt"
	"slices"
	"strings"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/drawbridge-dra/drawbridge/core/census"
)

// constraintAttribute returns the attribute that a constraint acts on and the
// field that holds it; none for a field that the API server drops.
func (c *cluster) constraintAttribute(constraint resourceapi.DeviceConstraint) (attribute, field string) {
	switch {
	case constraint.MatchAttribute != nil:
		return string(*constraint.MatchAttribute), "matchAttribute"
	case constraint.DistinctAttribute != nil && c.on("DRAConsumableCapacity"):
		return string(*constraint.DistinctAttribute), "distinctAttribute"
	}
	return "", ""
}

func constraintBothAttributes(c *cluster, r *reporter) {
	for _, s := range c.specs {
		for i, constraint := range s.spec.Devices.Constraints {
			if constraint.MatchAttribute == nil || constraint.DistinctAttribute == nil || !c.on("DRAConsumableCapacity") {
				continue
			}
			r.report(finding{
				at:      s.at("devices.constraints", i, "distinctAttribute"),
				value:   string(*constraint.DistinctAttribute),
				message: "a constraint with matchAttribute ignores its distinctAttribute; write two constraints",
				related: related("this one counts", s.at("devices.constraints", i, "matchAttribute")),
			})
		}
	}
}

// constraintAttributeUnpublished is silent about requests for whose driver
// the bundle holds no devices. A device that lacks the attribute is never
// accepted, so one request without it is enough for the claim to fail.
func constraintAttributeUnpublished(c *cluster, r *reporter) {
	hints := map[[2]string]string{}
	for _, s := range c.specs {
		for i, constraint := range s.spec.Devices.Constraints {
			attribute, field := c.constraintAttribute(constraint)
			if attribute == "" {
				continue
			}
			lacking, d := c.lacking(s, constraint.Requests, attribute)
			if len(lacking) == 0 {
				continue
			}
			hint, known := hints[[2]string{attribute, d.Name}]
			if !known {
				hint = c.attributeHint(attribute, d)
				hints[[2]string{attribute, d.Name}] = hint
			}
			f := finding{
				at:    s.at("devices.constraints", i, field),
				value: attribute,
				message: fmt.Sprintf("no device of the %s that request %s can get publishes %s, so the constraint never holds%s",
					c.where(), few(lacking), attribute, hint),
			}
			first := s.requests[s.byName[lacking[0]][0]]
			f.related = related("the request", s.under(first, "deviceClassName"))
			r.report(f)
		}
	}
}

// lacking returns the requests none of whose alternatives can get a device
// with the attribute, and what the first of them can get instead.
func (c *cluster) lacking(s *claimSpec, names []string, attribute string) ([]string, *driver) {
	var order []string
	var looked *driver
	fine := map[string]bool{}
	for _, q := range s.refer(names) {
		without, known := fine[q.parent]
		if !known {
			order = append(order, q.parent)
		}
		d := c.offered(q)
		derived := slices.ContainsFunc(q.DerivedAttributes, func(a resourceapi.DeviceDerivedAttribute) bool {
			return string(a.Name) == attribute
		})
		fine[q.parent] = without || derived || d == nil || d.Attributes[attribute] != nil
		if !fine[q.parent] && looked == nil {
			looked = d
		}
	}
	return slices.DeleteFunc(order, func(n string) bool { return fine[n] }), looked
}

// attributeHint says what the devices publish instead: best something with a
// value that the wanted attribute has elsewhere, else a similar name.
func (c *cluster) attributeHint(attribute string, d *driver) string {
	if len(d.Attributes) == 0 {
		return "; these devices publish no attributes at all"
	}
	if !c.visits.spend(len(d.Attributes)) {
		return ""
	}
	names := sortedKeys(d.Attributes)
	if p := c.allDrivers().Attributes[attribute]; p != nil {
		for _, full := range names {
			if text, ok := smallest(d.Attributes[full].Texts, func(t string, _ int) bool { return p.Texts[t] > 0 }); ok {
				return fmt.Sprintf("; it publishes %s with the same value (%s)", full, shorten(text, 70))
			}
		}
	}
	meant := c.guess(attribute, names)
	if meant == "" {
		// Perhaps the name is right, or nearly, and the domain is not.
		_, id, _ := strings.Cut(attribute, "/")
		var ids []string
		byID := map[string]string{}
		for _, full := range names {
			_, other, _ := strings.Cut(full, "/")
			if byID[other] == "" {
				byID[other] = full
				ids = append(ids, other)
			}
		}
		if meant = byID[id]; meant == "" {
			meant = byID[c.guess(id, ids)]
		}
	}
	if meant != "" {
		return "; did you mean " + meant + "?"
	}
	return "; published are " + few(names)
}

// allModeConstraint compares the devices that one node sees in one pool,
// which is as much as a look at the slices can tell. A request for all of
// them must take each, and the scheduler does not call that unschedulable: it
// gives up on the pod.
func allModeConstraint(c *cluster, r *reporter) {
	known := map[[2]string][]device{}
	for _, s := range c.specs {
		for i, constraint := range s.spec.Devices.Constraints {
			attribute, field := c.constraintAttribute(constraint)
			if field != "matchAttribute" {
				continue
			}
			for _, q := range s.refer(constraint.Requests) {
				d := c.offered(q)
				if !q.all() || d == nil {
					continue
				}
				k := [2]string{d.Name, attribute}
				// A selector may leave out the devices that differ.
				narrow := len(q.Selectors) > 0 || d.Name == ""
				if narrow {
					k[0] = q.path + " of " + s.String()
				}
				pair, seen := known[k]
				if !seen && narrow {
					if devices, ok := c.candidates(q); ok {
						pair = differing(attribute, func(f func(device) bool) {
							for _, d := range devices {
								if !f(d) {
									return
								}
							}
						})
					}
				} else if !seen && c.visits.spend(c.reach(d)) {
					pair = differing(attribute, func(f func(device) bool) { c.devicesOf(d, f) })
				}
				known[k] = pair
				if pair == nil {
					continue
				}
				r.report(finding{
					at:    s.at("devices.constraints", i, field),
					value: attribute,
					message: fmt.Sprintf("request %s takes all devices, and device %s and device %s of pool %s/%s differ in %s: the scheduler then gives up on the whole pod instead of trying other nodes; ask for a count",
						q.full, pair[0].value().Name, pair[1].value().Name, pair[1].slice.value.Spec.Driver, pair[1].slice.value.Spec.Pool.Name, attribute),
					related: related("one of the devices that differ", pair[0].at("name"), pair[1].at("name")),
				})
				break
			}
		}
	}
}

// differing returns two devices that one node sees and whose values of the
// attribute cannot match, or nil.
func differing(attribute string, each func(func(device) bool)) []device {
	first := map[string]device{}
	var pair []device
	each(func(d device) bool {
		if d.node() == "" && !d.everywhere() {
			return true
		}
		for _, n := range []string{d.node(), ""} {
			other, seen := first[n]
			if !seen {
				continue
			}
			a, b := other.attribute(attribute), d.attribute(attribute)
			scalars := !strings.HasSuffix(census.KindOf(&a), "s") && !strings.HasSuffix(census.KindOf(&b), "s")
			if scalars && (census.KindOf(&a) != census.KindOf(&b) || census.TextOf(a) != census.TextOf(b)) {
				pair = []device{other, d}
				return false
			}
		}
		if _, seen := first[d.node()]; !seen {
			first[d.node()] = d
		}
		return true
	})
	return pair
}

// attribute looks up a fully qualified name, as constraints do.
func (d device) attribute(full string) resourceapi.DeviceAttribute {
	v := d.value()
	if a, ok := v.Attributes[resourceapi.QualifiedName(full)]; ok {
		return a
	}
	if domain, id, ok := strings.Cut(full, "/"); ok && domain == d.slice.value.Spec.Driver {
		return v.Attributes[resourceapi.QualifiedName(id)]
	}
	return resourceapi.DeviceAttribute{}
}

// allModeOverlap looks for a request that takes all devices of a class beside
// others that want some of them. Shareable devices can serve both.
func allModeOverlap(c *cluster, r *reporter) {
	for _, s := range c.specs {
		everything := map[string]request{}
		for _, q := range s.requests {
			if q.all() && !q.alternative && len(q.Selectors) == 0 && !isTrue(q.AdminAccess) && q.Capacity == nil {
				if _, ok := everything[q.DeviceClassName]; !ok {
					everything[q.DeviceClassName] = q
				}
			}
		}
		if len(everything) == 0 {
			continue
		}
		others := map[string][]request{}
		var classes []string
		for _, q := range s.requests {
			greedy, ok := everything[q.DeviceClassName]
			// Another one for all devices may select none, and then both fit.
			if !ok || greedy.full == q.full || q.alternative || isTrue(q.AdminAccess) || q.all() && len(q.Selectors) > 0 || c.shareable(q) {
				continue
			}
			if others[q.DeviceClassName] == nil {
				classes = append(classes, q.DeviceClassName)
			}
			others[q.DeviceClassName] = append(others[q.DeviceClassName], q)
		}
		for _, n := range classes {
			greedy, first := everything[n], others[n][0]
			r.report(finding{
				at: s.under(first, "deviceClassName"), value: n,
				message: fmt.Sprintf("request %s%s wants a device of DeviceClass %s, and request %s takes all of them, so the claim never fits; drop one of the two",
					first.full, andMore(len(others[n])-1, "request"), n, greedy.full),
				related: related("takes all devices", s.under(greedy, "allocationMode")),
			})
		}
	}
}

func (c *cluster) shareable(q request) bool {
	d := c.offered(q)
	return d != nil && d.Shareable()
}
