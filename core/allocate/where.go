package allocate

import (
	"fmt"
	"slices"
	"strings"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/drawbridge-dra/drawbridge/core/inventory"
)

// at is a place in the device; rest continues the path.
func (d *device) at(rest string) inventory.Place { return d.slice.DeviceAt(d.index, rest) }

// places tells for a rule where in slices, classes, taint rules or the node
// the cause of a refusal lies. Rules that are not here refuse for what stands
// in a claim, and the reason that lists the device says where.
var places = map[Code]func(s *search, a *ask, i int) inventory.Place{
	BindingOff:         func(s *search, _ *ask, i int) inventory.Place { return s.devices[i].at(".bindingConditions") },
	NodeSelection:      func(s *search, _ *ask, i int) inventory.Place { return s.devices[i].nodeAt() },
	CapacityMissing:    func(s *search, _ *ask, i int) inventory.Place { return s.devices[i].at(".capacity") },
	SkipNodeOperations: func(s *search, _ *ask, i int) inventory.Place { return s.skippingAt(i) },
	CountersOff:        func(s *search, _ *ask, i int) inventory.Place { return s.devices[i].at(".consumesCounters") },
	Groups:             func(s *search, _ *ask, i int) inventory.Place { return s.groupsAt(i) },
	Counters:           func(s *search, _ *ask, i int) inventory.Place { return s.counterAt(i) },
	Taint:              func(s *search, a *ask, i int) inventory.Place { return s.taintAt(a, i) },
	MatchAttribute:     func(s *search, a *ask, i int) inventory.Place { return s.constraintAt(a, i, MatchAttribute) },
	DistinctAttribute:  func(s *search, a *ask, i int) inventory.Place { return s.constraintAt(a, i, DistinctAttribute) },
	NodeSelector:       func(s *search, _ *ask, i int) inventory.Place { return s.devices[i].nodeAt() },
}

// placeOf finds the cause of a refusal in the present state of the attempt.
func (s *search) placeOf(a *ask, i int, code Code) inventory.Place {
	if find := places[code]; find != nil {
		return find(s, a, i)
	}
	return inventory.Place{}
}

// classSelectorAt is the place of a selector of the class of an ask.
func classSelectorAt(a *ask, index int) inventory.Place {
	return inventory.Place{Object: a.class, Field: fmt.Sprintf("spec.selectors[%d].cel.expression", index)}
}

// nodeAt is where a device says for which nodes it is.
func (d *device) nodeAt() inventory.Place {
	perDevice := d.slice.Spec.PerDeviceNodeSelection
	switch {
	case perDevice == nil || !*perDevice:
		return d.slice.At("spec.nodeSelector")
	case d.NodeName != nil:
		return d.at(".nodeName")
	}
	return d.at(".nodeSelector")
}

// skippingAt is where the slice skips operations, or where the node would
// have to declare that it can.
func (s *search) skippingAt(i int) inventory.Place {
	if !s.view.features.OptionalNodeOperations {
		return s.devices[i].slice.At("spec.skipNodeOperations")
	}
	return inventory.Place{Object: s.view.node, Field: "status.declaredFeatures"}
}

// groupsAt is where a device names its groups for the set in which it clashes.
func (s *search) groupsAt(i int) inventory.Place {
	d := &s.devices[i]
	n := s.pools[d.pool].clash(d)
	return s.consumptionAt(d, func(c *resourceapi.DeviceCounterConsumption) (string, bool) {
		return ".compatibilityGroups", n >= 0 && c.CounterSet == s.view.pools[d.pool].sets[n]
	})
}

// counterAt is where a device says how much it needs of the counter of which
// too little is left.
func (s *search) counterAt(i int) inventory.Place {
	d := &s.devices[i]
	pool := &s.view.pools[d.pool]
	n := s.pools[d.pool].short(pool, d)
	return s.consumptionAt(d, func(c *resourceapi.DeviceCounterConsumption) (string, bool) {
		if n < 0 || c.CounterSet != pool.counters[n].set {
			return "", false
		}
		_, ok := c.Counters[pool.counters[n].name]
		return fmt.Sprintf(".counters[%s]", pool.counters[n].name), ok
	})
}

// consumptionAt is a place in the consumption that is wanted; without one, all
// that the device consumes.
func (s *search) consumptionAt(d *device, wanted func(c *resourceapi.DeviceCounterConsumption) (field string, ok bool)) inventory.Place {
	for j := range d.ConsumesCounters {
		if field, ok := wanted(&d.ConsumesCounters[j]); ok {
			return d.at(fmt.Sprintf(".consumesCounters[%d]%s", j, field))
		}
	}
	return d.at(".consumesCounters")
}

func (s *search) taintAt(a *ask, i int) inventory.Place {
	d := &s.devices[i]
	if taint := untolerated(a, d); taint != nil {
		return d.slice.TaintAt(d.index, taint)
	}
	return inventory.Place{}
}

// constraintAt is the attribute of a device that breaks a constraint, or all
// of them if it has none.
func (s *search) constraintAt(a *ask, i int, code Code) inventory.Place {
	d := &s.devices[i]
	con := s.broken(a, i, code)
	if con == nil || a.derived[con.name] != "" {
		return inventory.Place{}
	}
	for _, name := range sortedNames(d.Attributes) {
		bare := strings.TrimPrefix(string(con.name), d.id.Driver+"/")
		if string(name) == string(con.name) || string(name) == bare {
			return d.at(fmt.Sprintf(".attributes[%s]", name))
		}
	}
	return d.at(".attributes")
}

// broken is the first constraint of a kind that does not admit a device.
func (s *search) broken(a *ask, i int, code Code) *constraint {
	at := slices.IndexFunc(a.constraints, func(con *constraint) bool {
		if con.code() != code {
			return false
		}
		v, found, failure := s.attribute(a, i, con.name)
		if failure != nil {
			return false
		}
		_, ok := con.admits(s.stacks[con.id], v)
		return !found || !ok
	})
	if at < 0 {
		return nil
	}
	return a.constraints[at]
}
