package allocate

import (
	"slices"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/drawbridge-dra/drawbridge/core/inventory"
)

// demand is what a device takes of one counter of its pool.
type demand struct {
	counter int // in poolState.counters
	amount  resource.Quantity
}

// groupDemand are the groups of a device for one counter set of its pool.
type groupDemand struct {
	set    int // in poolState.sets
	groups []string
}

// counter is one counter of a pool.
type counter struct {
	set, name string
	total     resource.Quantity
	// left is what held devices leave; it may be negative after slices have
	// been edited. used is what the attempt has taken.
	left, used resource.Quantity
}

// groupState is what the members of a counter set have in common.
type groupState struct {
	members   bool
	groupless bool
	groups    []string
}

// admits tells whether a device with the groups may join. Devices without
// groups only go with others that have none.
func (g groupState) admits(groups []string) bool {
	switch {
	case !g.members:
		return true
	case len(groups) == 0:
		return g.groupless
	case g.groupless:
		return false
	}
	return slices.ContainsFunc(groups, func(s string) bool { return slices.Contains(g.groups, s) })
}

// join returns the state with one more member; the receiver stays as it is.
func (g groupState) join(groups []string) groupState {
	switch {
	case !g.members:
		return groupState{members: true, groupless: len(groups) == 0, groups: groups}
	case g.groupless || len(groups) == 0:
		return g
	}
	var both []string
	for _, s := range g.groups {
		if slices.Contains(groups, s) {
			both = append(both, s)
		}
	}
	g.groups = both
	return g
}

// poolState is a pool with what the attempt has taken of it.
type poolState struct {
	*inventory.Pool
	counters []counter
	sets     []string
	groups   []groupState
	// overdrawn names a counter of which held devices take more than there
	// is, "" if there is none. The allocator then refuses every device of
	// the pool that consumes counters, related or not.
	overdrawn int
}

// init numbers the counters of a pool, charges held devices and prepares
// what each device of the search demands.
func (p *poolState) init(s *search) {
	p.overdrawn = -1
	if !p.Usable() || !s.Features.PartitionableDevices || len(p.Counters) == 0 {
		return
	}
	type key struct{ set, name string }
	number := map[key]int{}
	setNumber := map[string]int{}
	for _, set := range sortedKeys(p.Counters) {
		setNumber[set] = len(p.sets)
		p.sets = append(p.sets, set)
		p.groups = append(p.groups, groupState{})
		for _, name := range sortedKeys(p.Counters[set].Counters) {
			value := p.Counters[set].Counters[name].Value
			number[key{set, name}] = len(p.counters)
			p.counters = append(p.counters, counter{set: set, name: name, total: value, left: value.DeepCopy()})
		}
	}
	for _, list := range [][]*inventory.Slice{p.Slices, p.Elsewhere} {
		for _, slice := range list {
			for i := range slice.Spec.Devices {
				if !s.Held.Any(slice.DeviceID(i)) {
					continue
				}
				for _, c := range slice.Spec.Devices[i].ConsumesCounters {
					for name, amount := range c.Counters {
						if n, ok := number[key{c.CounterSet, name}]; ok {
							p.counters[n].left.Sub(amount.Value)
						}
					}
					if n, ok := setNumber[c.CounterSet]; ok && s.Features.CompatibilityGroups {
						p.groups[n] = p.groups[n].join(c.CompatibilityGroups)
					}
				}
			}
		}
	}
	for i := range p.counters {
		if p.counters[i].left.Sign() < 0 {
			p.overdrawn = i
			break
		}
	}
	for i := range s.devices {
		d := &s.devices[i]
		if s.pools[d.pool].Pool != p.Pool {
			continue
		}
		for _, c := range d.ConsumesCounters {
			for _, name := range sortedKeys(c.Counters) {
				if n, ok := number[key{c.CounterSet, name}]; ok {
					d.demands = append(d.demands, demand{n, c.Counters[name].Value})
				}
			}
			if n, ok := setNumber[c.CounterSet]; ok {
				d.groups = append(d.groups, groupDemand{n, c.CompatibilityGroups})
			}
		}
	}
}

// short finds a counter of which too little is left for a device, -1 if there
// is none.
func (p *poolState) short(d *device) int {
	if p.overdrawn >= 0 && len(d.ConsumesCounters) > 0 {
		return p.overdrawn
	}
	for _, need := range d.demands {
		c := &p.counters[need.counter]
		rest := c.left.DeepCopy()
		rest.Sub(c.used)
		if need.amount.Cmp(rest) > 0 {
			return need.counter
		}
	}
	return -1
}

// take charges the counters for a device, give returns them.
func (p *poolState) take(d *device) {
	for _, need := range d.demands {
		p.counters[need.counter].used.Add(need.amount)
	}
}

func (p *poolState) give(d *device) {
	for _, need := range d.demands {
		p.counters[need.counter].used.Sub(need.amount)
	}
}

// clash finds a counter set in which a device shares no group with those
// that draw from it, -1 if there is none.
func (p *poolState) clash(d *device) int {
	for _, g := range d.groups {
		if !p.groups[g.set].admits(g.groups) {
			return g.set
		}
	}
	return -1
}

// join adds a device to the groups and returns what was there before.
func (p *poolState) join(d *device) []groupState {
	before := make([]groupState, len(d.groups))
	for i, g := range d.groups {
		before[i] = p.groups[g.set]
		p.groups[g.set] = p.groups[g.set].join(g.groups)
	}
	return before
}

func (p *poolState) leave(d *device, before []groupState) {
	for i := len(before) - 1; i >= 0; i-- {
		p.groups[d.groups[i].set] = before[i]
	}
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
