package validate

import (
	"strconv"
	"strings"

	resourceapi "k8s.io/api/resource/v1"
)

// counterSets checks the counter sets that a slice publishes.
func (c *checker) counterSets(sets []resourceapi.CounterSet, at *path) {
	const limit = resourceapi.ResourceSliceMaxCounterSets
	if len(sets) > limit {
		if c.does(countersApart) {
			c.both(at, tooMany("counter-sets-max", len(sets), limit, "counter set", "spread them over several slices of the pool"))
			return
		}
	}
	for i := range sets {
		s := &sets[i]
		c.about(named("counter set", s.Name, "sharedCounters", i), func() {
			c.counterSetName("counter-set-name", s.Name, at.at(i).child("name"))
			c.counters(s.Counters, resourceapi.ResourceSliceMaxCountersPerCounterSet, at.at(i).child("counters"))
		})
	}
	unique(sets, func(s resourceapi.CounterSet) string { return s.Name }, func(i int) {
		p := duplicate("counter-set-duplicate", sets[i].Name, "counter set")
		p.focus = at.at(i).child("name")
		c.both(c.duplicateOf(at.at(i), "name"), p)
	})
}

func (c *checker) counterSetName(rule, name string, at *path) {
	if name == "" {
		c.both(at, required(rule, "the counter set is not named; write the name under which sharedCounters publishes it"))
		return
	}
	c.both(at, label(rule, "counter set name", name)...)
}

// counters checks what a set publishes or a device consumes.
func (c *checker) counters(counters map[string]resourceapi.Counter, limit int, at *path) {
	if len(counters) == 0 {
		c.both(at, required("counters", "lists no counter; add at least one, with its value"))
		return
	}
	names := func() {
		if allOf(counters, func(name string, _ *resourceapi.Counter) bool { return len(name) <= maxLabel && isLabelText(name) }) {
			return
		}
		for _, name := range sortedKeys(counters) {
			for _, p := range label("counter-name", "counter name", name) {
				p.focus = at.key(name)
				c.both(c.keyAt(at, name, longCounterKey), p)
			}
		}
	}
	if len(counters) > limit && c.does(countersApart) {
		c.hand(at, tooMany("counters-max", len(counters), limit, "counter", "spread them over several counter sets"))
		c.declaredOnly(names)
		return
	}
	names()
}

// consumptions checks what a device takes from counter sets.
func (c *checker) consumptions(list []resourceapi.DeviceCounterConsumption, at *path) {
	const limit = resourceapi.ResourceSliceMaxDeviceCounterConsumptionsPerDevice
	if len(list) > limit && c.does(countersApart) {
		c.both(at, tooMany("consumes-counters-max", len(list), limit, "entry", "merge counter sets so that the device needs fewer"))
		return
	}
	for i := range list {
		e := &list[i]
		if e.CounterSet == "" || c.does(countersApart) {
			c.counterSetName("counter-set-reference", e.CounterSet, at.at(i).child("counterSet"))
		}
		c.counters(e.Counters, resourceapi.ResourceSliceMaxCountersPerDeviceCounterConsumption, at.at(i).child("counters"))
		c.groups(e, at.at(i).child("compatibilityGroups"))
	}
	unique(list, func(e resourceapi.DeviceCounterConsumption) string { return e.CounterSet }, func(i int) {
		p := duplicate("consumes-counters-duplicate", list[i].CounterSet, "counter set")
		p.focus = at.at(i).child("counterSet")
		c.both(c.duplicateOf(at.at(i), "counterSet"), p)
	})
}

// groups checks the compatibility groups of one consumption.
func (c *checker) groups(e *resourceapi.DeviceCounterConsumption, at *path) {
	const limit = resourceapi.DeviceCompatibilityGroupsMaxSize
	if n := len(e.CompatibilityGroups); n > limit {
		p := tooMany("compatibility-groups-max", n, limit, "compatibility group", "")
		p.message = "has " + plural(n, "compatibility group") + " (" + short(strings.Join(e.CompatibilityGroups, ", ")) + ") for counter set " + short(e.CounterSet) +
			", at most " + strconv.Itoa(limit) + " are allowed; keep those that other devices share with it"
		c.std(at, p)
		return
	}
	for i, g := range e.CompatibilityGroups {
		c.std(at.at(i), label("compatibility-group-name", "group name", g)...)
	}
	unique(e.CompatibilityGroups, itself, func(i int) {
		c.std(at.at(i), duplicate("compatibility-groups-duplicate", e.CompatibilityGroups[i], "group"))
	})
}

// The limits on counters of before countersApart, for a whole slice and a
// device of it.
const (
	sumOfSharedCounters   = 32
	sumOfDeviceCounters   = 32
	sumOfConsumedCounters = 1024
)

// counterSums checks the sums of counters, where sets and devices are in the
// same slice.
func (c *checker) counterSums(s *resourceapi.ResourceSliceSpec, spec *path) {
	consumed := 0
	for i := range s.Devices {
		consumed += consumedCounters(&s.Devices[i])
	}
	c.counterSum(spec.child("devices"), "all devices consume", consumed, sumOfConsumedCounters)
	shared := 0
	for i := range s.SharedCounters {
		shared += len(s.SharedCounters[i].Counters)
	}
	c.counterSum(spec.child("sharedCounters"), "all counter sets have", shared, sumOfSharedCounters)
}

func (c *checker) counterSum(at *path, who string, n, limit int) {
	if n > limit {
		c.hand(at, invalid("counters-max", strconv.Itoa(n), who+" "+plural(n, "counter")+" together, at most "+strconv.Itoa(limit)+" are allowed before Kubernetes 1.35; spread them over several slices"))
	}
}

func consumedCounters(d *resourceapi.Device) int {
	n := 0
	for i := range d.ConsumesCounters {
		n += len(d.ConsumesCounters[i].Counters)
	}
	return n
}

// counterReferences checks that a device consumes counters of its own slice.
func (c *checker) counterReferences(d *resourceapi.Device, sets []resourceapi.CounterSet, device, body *path) {
	c.counterSum(device, "the device consumes", consumedCounters(d), sumOfDeviceCounters)
	const rule, before = "counter-reference", "before Kubernetes 1.35 counter sets must be in the slice of the devices that consume them"
	for i := range d.ConsumesCounters {
		e, at := &d.ConsumesCounters[i], body.child("consumesCounters").at(i)
		found := -1
		for j := range sets { // of several with one name the last counts
			if sets[j].Name == e.CounterSet {
				found = j
			}
		}
		if found < 0 {
			c.hand(at.child("counterSet"), invalid(rule, e.CounterSet, "the slice has no counter set "+quote(e.CounterSet)+"; "+before))
			continue
		}
		for _, name := range sortedKeys(e.Counters) {
			if _, ok := sets[found].Counters[name]; !ok {
				p := invalid(rule, name, "counter set "+short(e.CounterSet)+" has no counter "+quote(name)+"; "+before)
				p.focus = at.child("counters").key(name)
				c.hand(at.child("counters"), p)
			}
		}
	}
}
