package lint

import (
	"fmt"
	"slices"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/drawbridge-dra/drawbridge/core/diag"
)

// counterSet is one of the counter sets of a pool.
type counterSet struct {
	slice *slice
	index int
}

func (s counterSet) value() *resourceapi.CounterSet {
	return &s.slice.value.Spec.SharedCounters[s.index]
}

func (s counterSet) at(parts ...any) place {
	return s.slice.at(append([]any{"spec.sharedCounters", s.index}, parts...)...)
}

// counterSets returns the counter sets of the pool by name, the first of each
// name, and the names in order of appearance.
func (p *pool) counterSets() (map[string]counterSet, []string) {
	sets := map[string]counterSet{}
	var names []string
	p.eachCounterSet(func(s counterSet) {
		if _, seen := sets[s.value().Name]; !seen {
			sets[s.value().Name] = s
			names = append(names, s.value().Name)
		}
	})
	return sets, names
}

func (p *pool) eachCounterSet(f func(counterSet)) {
	for _, s := range p.slices {
		for i := range s.value.Spec.SharedCounters {
			f(counterSet{s, i})
		}
	}
}

// consumption is one entry of consumesCounters.
type consumption struct {
	device device
	index  int
}

func (u consumption) value() *resourceapi.DeviceCounterConsumption {
	return &u.device.value().ConsumesCounters[u.index]
}

func (u consumption) at(parts ...any) place {
	return u.device.at(append([]any{"consumesCounters", u.index}, parts...)...)
}

func (p *pool) consumptions(f func(consumption)) {
	p.devices(func(d device) {
		for i := range d.value().ConsumesCounters {
			f(consumption{d, i})
		}
	})
}

// consumptions are those of the devices that matter.
func (c *cluster) consumptions(p *pool, f func(consumption)) {
	p.consumptions(func(u consumption) {
		if c.mine(u.device.slice.object) {
			f(u)
		}
	})
}

// counterGroup collects consumptions that are wrong in the same way.
type counterGroup struct {
	first   consumption
	counter string
	n       int
}

// consumptionGroups keeps the groups of a pool in order of appearance.
type consumptionGroups struct {
	byKey map[[2]string]*counterGroup
	list  []*counterGroup
}

// add counts the consumption in the group of its counter set and counter.
func (g *consumptionGroups) add(u consumption, counter string) {
	k := [2]string{u.value().CounterSet, counter}
	if g.byKey == nil {
		g.byKey = map[[2]string]*counterGroup{}
	}
	if g.byKey[k] == nil {
		g.byKey[k] = &counterGroup{first: u, counter: counter}
		g.list = append(g.list, g.byKey[k])
	}
	g.byKey[k].n++
}

// partitioned are the pools whose counters count at all: without the feature
// gate the API server drops them.
func (c *cluster) partitioned(f func(*pool)) {
	if !c.on("DRAPartitionableDevices") {
		return
	}
	for _, p := range c.pools {
		f(p)
	}
}

func duplicateCounterSet(c *cluster, r *reporter) {
	c.partitioned(func(p *pool) {
		first := map[string]counterSet{}
		p.eachCounterSet(func(s counterSet) {
			n := s.value().Name
			other, seen := first[n]
			if !seen {
				first[n] = s
				return
			}
			if n == "" || other.slice == s.slice {
				// Within one slice the API server looks.
				return
			}
			r.report(finding{
				at:    s.at("name"),
				value: n,
				message: fmt.Sprintf("counter set %s stands in two slices of pool %s (%s and %s), so no device of the pool is ever allocated; publish each counter set once",
					n, p, other.slice.object.Ref.Name, s.slice.object.Ref.Name),
				related: related("the other counter set of that name", other.at("name")),
			})
		})
	})
}

// unknownCounterSet is silent while slices of the pool are missing, which has
// a finding of its own: the set may be in one of them. A name that is almost
// one of the known sets is worth a warning all the same.
func unknownCounterSet(c *cluster, r *reporter) {
	c.partitioned(func(p *pool) {
		sets, names := p.counterSets()
		var unknown consumptionGroups
		c.consumptions(p, func(u consumption) {
			if n := u.value().CounterSet; n != "" {
				if _, ok := sets[n]; !ok {
					unknown.add(u, "")
				}
			}
		})
		for _, g := range unknown.list {
			n := g.first.value().CounterSet
			f := finding{at: g.first.at("counterSet"), value: n}
			meant := c.guess(n, names)
			if p.state == stateIncomplete {
				if meant == "" {
					continue
				}
				f.severity = diag.Warning
			}
			f.message = fmt.Sprintf("device %s%s consumes from counter set %s, which no slice of pool %s publishes: no device of the pool is ever allocated",
				g.first.device.value().Name, andMore(g.n-1, "device"), n, p)
			switch {
			case meant != "":
				f.message += "; did you mean " + meant + "?"
				f.fix = replace(f.at, meant, "write "+meant)
				f.related = related("a counter set of nearly that name", sets[meant].at("name"))
			case len(names) == 0:
				f.message += "; publish the counter sets in a slice of their own in the same pool"
			default:
				f.message += "; the pool publishes " + few(names)
			}
			r.report(f)
		}
	})
}

func unknownCounter(c *cluster, r *reporter) {
	c.partitioned(func(p *pool) {
		sets, _ := p.counterSets()
		var unknown consumptionGroups
		c.consumptions(p, func(u consumption) {
			set, ok := sets[u.value().CounterSet]
			if !ok {
				return
			}
			for _, n := range sortedKeys(u.value().Counters) {
				if _, ok := set.value().Counters[n]; !ok {
					unknown.add(u, n)
				}
			}
		})
		for _, g := range unknown.list {
			set := sets[g.first.value().CounterSet]
			f := finding{
				at:    g.first.at("counters", key(g.counter)),
				value: g.counter,
				message: fmt.Sprintf("device %s%s consumes counter %s, which counter set %s of pool %s does not have: no device of the pool is ever allocated",
					g.first.device.value().Name, andMore(g.n-1, "device"), g.counter, set.value().Name, p),
				related: related("the counter set", set.at("name")),
			}
			names := sortedKeys(set.value().Counters)
			if meant := c.guess(g.counter, names); meant != "" {
				f.message += "; did you mean " + meant + "?"
			} else if len(names) > 0 {
				f.message += "; it has " + few(names)
			}
			r.report(f)
		}
	})
}

func counterDemandTooLarge(c *cluster, r *reporter) {
	c.partitioned(func(p *pool) {
		sets, _ := p.counterSets()
		var large consumptionGroups
		c.consumptions(p, func(u consumption) {
			set, ok := sets[u.value().CounterSet]
			if !ok {
				return
			}
			for _, n := range sortedKeys(u.value().Counters) {
				offer, ok := set.value().Counters[n]
				demand := u.value().Counters[n].Value
				if ok && demand.Cmp(offer.Value) > 0 && demand.Sign() > 0 {
					large.add(u, n)
				}
			}
		})
		for _, g := range large.list {
			set := sets[g.first.value().CounterSet]
			demand, offer := g.first.value().Counters[g.counter].Value, set.value().Counters[g.counter].Value
			r.report(finding{
				at:    g.first.at("counters", key(g.counter), "value"),
				value: demand.String(),
				message: fmt.Sprintf("device %s%s consumes %s of counter %s, and counter set %s offers %s in all, so it is never allocated; lower the one or raise the other",
					g.first.device.value().Name, andMore(g.n-1, "device"), demand.String(), g.counter, set.value().Name, offer.String()),
				related: related("offers "+offer.String(), set.at("counters", key(g.counter), "value")),
			})
		}
	})
}

func negativeCounter(c *cluster, r *reporter) {
	c.partitioned(func(p *pool) {
		p.eachCounterSet(func(s counterSet) {
			for _, n := range sortedKeys(s.value().Counters) {
				value := s.value().Counters[n].Value
				if value.Sign() >= 0 {
					continue
				}
				r.report(finding{
					at:    s.at("counters", key(n), "value"),
					value: value.String(),
					message: fmt.Sprintf("counter %s of counter set %s is %s: a counter below zero keeps every device of pool %s that consumes counters from being allocated; publish zero or more",
						n, s.value().Name, value.String(), p),
				})
			}
		})
		var negative consumptionGroups
		c.consumptions(p, func(u consumption) {
			for _, n := range sortedKeys(u.value().Counters) {
				if demand := u.value().Counters[n].Value; demand.Sign() < 0 {
					negative.add(u, n)
				}
			}
		})
		for _, g := range negative.list {
			demand := g.first.value().Counters[g.counter].Value
			r.report(finding{
				at:       g.first.at("counters", key(g.counter), "value"),
				severity: diag.Warning,
				value:    demand.String(),
				message: fmt.Sprintf("device %s%s consumes %s of counter %s, so allocating it would add to counter set %s; consume zero or more",
					g.first.device.value().Name, andMore(g.n-1, "device"), demand.String(), g.counter, g.first.value().CounterSet),
			})
		}
	})
}

// counterOvercommitted adds up what the allocated devices consume. Claims by
// administrators do not count.
func counterOvercommitted(c *cluster, r *reporter) {
	held := c.held()
	if len(held) == 0 {
		return
	}
	c.partitioned(func(p *pool) {
		sets, names := p.counterSets()
		used := map[[2]string]resource.Quantity{}
		p.consumptions(func(u consumption) {
			if !held[deviceID{p.driver, p.pool, u.device.value().Name}] {
				return
			}
			for n, counter := range u.value().Counters {
				k := [2]string{u.value().CounterSet, n}
				sum := used[k]
				sum.Add(counter.Value)
				used[k] = sum
			}
		})
		for _, name := range names {
			set := sets[name]
			for _, n := range sortedKeys(set.value().Counters) {
				offer, sum := set.value().Counters[n].Value, used[[2]string{name, n}]
				if sum.Cmp(offer) <= 0 || offer.Sign() < 0 {
					continue
				}
				r.report(finding{
					at:    set.at("counters", key(n), "value"),
					value: offer.String(),
					message: fmt.Sprintf("the allocated devices of pool %s consume %s of counter %s, and counter set %s offers %s: until that is mended no other device of the pool that consumes counters is allocated",
						p, sum.String(), n, name, offer.String()),
				})
			}
		}
	})
}

// sortedKeys returns the keys of a map in order.
func sortedKeys[K ~string, V any](m map[K]V) []K {
	keys := make([]K, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// few lists up to three names and counts the rest.
func few(names []string) string {
	list := ""
	for i, n := range names[:min(len(names), 3)] {
		if i > 0 {
			list += ", "
		}
		list += n
	}
	if more := len(names) - 3; more > 0 {
		list += fmt.Sprintf(" and %d more", more)
	}
	return list
}
