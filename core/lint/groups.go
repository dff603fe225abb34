package lint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/drawbridge-dra/drawbridge/core/diag"
)

// grouped are the pools in which compatibility groups count.
func (c *cluster) grouped(f func(*pool)) {
	if c.on("DRADeviceCompatibilityGroups") {
		c.partitioned(f)
	}
}

// sharing counts, for one counter set, in how many devices each group stands.
type sharing struct {
	consumers int
	groups    map[string]int
	names     []string
}

func (p *pool) groupSharing() map[string]*sharing {
	sets := map[string]*sharing{}
	p.consumptions(func(u consumption) {
		s := sets[u.value().CounterSet]
		if s == nil {
			s = &sharing{groups: map[string]int{}}
			sets[u.value().CounterSet] = s
		}
		s.consumers++
		seen := map[string]bool{}
		for _, g := range u.value().CompatibilityGroups {
			if seen[g] {
				continue
			}
			seen[g] = true
			if s.groups[g]++; s.groups[g] == 1 {
				s.names = append(s.names, g)
			}
		}
	})
	return sets
}

// compatibilityGroupAlone looks for devices that go together with no other:
// of the groups of an entry none is shared. Where a shared group is nearly
// of that name it is a likely slip; otherwise it may be meant so.
func compatibilityGroupAlone(c *cluster, r *reporter) {
	c.grouped(func(p *pool) {
		sets := p.groupSharing()
		type lonely struct {
			first consumption
			n     int
		}
		found := map[string]*lonely{}
		var order []*lonely
		c.consumptions(p, func(u consumption) {
			s := sets[u.value().CounterSet]
			groups := u.value().CompatibilityGroups
			if len(groups) == 0 || s.consumers < 2 || slices.ContainsFunc(groups, func(g string) bool { return s.groups[g] > 1 }) {
				return
			}
			if found[u.value().CounterSet] == nil {
				found[u.value().CounterSet] = &lonely{first: u}
				order = append(order, found[u.value().CounterSet])
			}
			found[u.value().CounterSet].n++
		})
		for _, l := range order {
			u := l.first
			groups, s := u.value().CompatibilityGroups, sets[u.value().CounterSet]
			f := finding{
				at: u.at("compatibilityGroups"), severity: diag.Info, value: strings.Join(groups, ", "),
				message: fmt.Sprintf("no compatibility group of device %s%s (%s) is one of another device of counter set %s: while one of these is allocated, no other device of the set that has groups can be",
					u.device.value().Name, andMore(l.n-1, "device"), few(groups), u.value().CounterSet),
			}
			var others []string
			for _, g := range s.names {
				if !slices.Contains(groups, g) {
					others = append(others, g)
				}
			}
			for i, g := range groups {
				meant := c.guess(g, others)
				if meant == "" {
					continue
				}
				f.severity = diag.Warning
				f.message += "; did you mean " + meant + "?"
				f.fix = replace(u.at("compatibilityGroups", i), meant, "write "+meant)
				break
			}
			r.report(f)
		}
	})
}

// compatibilityGroupsHeld looks at devices that are allocated although their
// groups do not go together, which happens where slices are edited live.
func compatibilityGroupsHeld(c *cluster, r *reporter) {
	held := c.held()
	if len(held) == 0 {
		return
	}
	c.grouped(func(p *pool) {
		type state struct {
			common []string
			first  consumption
			broken bool
		}
		states := map[string]*state{}
		p.consumptions(func(u consumption) {
			if !held[deviceID{p.driver, p.pool, u.device.value().Name}] {
				return
			}
			groups := u.value().CompatibilityGroups
			s := states[u.value().CounterSet]
			if s == nil {
				states[u.value().CounterSet] = &state{common: groups, first: u}
				return
			}
			if s.broken {
				return
			}
			before := s.common
			s.common = slices.DeleteFunc(slices.Clone(before), func(g string) bool { return !slices.Contains(groups, g) })
			if len(s.common) > 0 || len(before) == 0 && len(groups) == 0 {
				return
			}
			s.broken = true
			at := u.at("compatibilityGroups")
			if len(groups) == 0 {
				at = u.at("counterSet")
			}
			r.report(finding{
				at: at, value: strings.Join(groups, ", "),
				message: fmt.Sprintf("devices %s and %s of pool %s are both allocated, and they share no compatibility group for counter set %s: until one of them is free no other device of the set that has groups is allocated",
					s.first.device.value().Name, u.device.value().Name, p, u.value().CounterSet),
				related: related("the other device", s.first.device.at("name")),
			})
		})
	})
}

// partitionTypeCosts compares devices that are said to be partitions of one
// type.
func partitionTypeCosts(c *cluster, r *reporter) {
	if !c.on("DRAPartitionableDevicesType") {
		return
	}
	c.partitioned(func(p *pool) {
		type like struct {
			first device
			cost  string
		}
		first := map[[2]string]*like{}
		var differ group
		p.devices(func(d device) {
			attribute := d.slice.value.Spec.PartitionTypeAttribute
			if attribute == nil || len(d.value().ConsumesCounters) == 0 {
				return
			}
			value := d.attribute(string(*attribute)).StringValue
			if value == nil {
				return // The API server looks.
			}
			k, cost := [2]string{string(*attribute), *value}, d.cost()
			switch other := first[k]; {
			case other == nil:
				first[k] = &like{d, cost}
			case other.cost != cost && c.mine(d.slice.object):
				differ.add(d, other.first)
			}
		})
		if differ.n > 0 {
			d, other := differ.first, differ.with
			attribute := string(*d.slice.value.Spec.PartitionTypeAttribute)
			r.report(finding{
				at: d.at("consumesCounters"),
				message: fmt.Sprintf("device %s%s is of the same partition type as %s (%s is %s) and consumes other counters (%s, and %s): the status of pool %s cannot count what is left; give equal types equal costs",
					d.value().Name, andMore(differ.n-1, "device"), other.value().Name, attribute, *d.attribute(attribute).StringValue, shorten(d.cost(), 120), shorten(other.cost(), 120), p),
				related: related("the device of the same type", other.at("consumesCounters")),
			})
		}
	})
}

// cost writes down what a device consumes, the same for equal amounts.
func (d device) cost() string {
	var parts []string
	for _, u := range d.value().ConsumesCounters {
		for _, n := range sortedKeys(u.Counters) {
			value := u.Counters[n].Value
			parts = append(parts, u.CounterSet+"/"+n+" "+value.String())
		}
	}
	slices.Sort(parts)
	return strings.Join(parts, ", ")
}
