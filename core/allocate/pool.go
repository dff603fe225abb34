package allocate

import (
	"slices"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/drawbridge-dra/drawbridge/core/inventory"
)

// demand is what a device takes of one counter of its pool.
type demand struct {
	counter int // in poolView.counters
	amount  resource.Quantity
}

// groupDemand are the groups of a device for one counter set of its pool.
type groupDemand struct {
	set    int // in poolView.sets
	groups []string
}

// counter is one counter of a pool.
type counter struct {
	set, name string
	total     resource.Quantity
	// left is what held devices leave; it may be negative after slices have
	// been edited.
	left resource.Quantity
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

// poolView is a pool with what held devices leave of its counters.
type poolView struct {
	*inventory.Pool
	counters []counter
	sets     []string
	groups   []groupState
	// number finds a counter, setNumber a counter set.
	number    map[counterName]int
	setNumber map[string]int
	// overdrawn is a counter of which held devices take more than there is,
	// -1 if there is none. The allocator then refuses every device of the
	// pool that consumes counters, related or not.
	overdrawn int
	// payers are those who draw from each counter; nil until somebody asks.
	payers [][]payer
	// changes are those of the pool, nil as long as there are none; seen
	// counts the ones taken in.
	changes *inventory.Changes
	seen    int
	// changed is set while more is held than overdrawn and groups know.
	changed bool
}

type counterName struct{ set, name string }

// init numbers the counters of a pool and prepares what each of its devices
// demands.
func (p *poolView) init(v *View, pool *inventory.Pool, devices []device, index int) {
	p.Pool, p.overdrawn = pool, -1
	if !pool.Usable() || !v.features.PartitionableDevices || len(pool.Counters) == 0 {
		return
	}
	p.number, p.setNumber = map[counterName]int{}, map[string]int{}
	for _, set := range sortedKeys(pool.Counters) {
		p.setNumber[set] = len(p.sets)
		p.sets = append(p.sets, set)
		p.groups = append(p.groups, groupState{})
		for _, name := range sortedKeys(pool.Counters[set].Counters) {
			total := pool.Counters[set].Counters[name].Value
			p.number[counterName{set, name}] = len(p.counters)
			p.counters = append(p.counters, counter{set: set, name: name, total: total, left: total.DeepCopy()})
		}
	}
	for i := range devices {
		p.demandsOf(&devices[i])
	}
	for _, slice := range pool.Elsewhere {
		for i := range slice.Spec.Devices {
			if d := &slice.Spec.Devices[i]; len(d.ConsumesCounters) > 0 {
				id := slice.DeviceID(i)
				next, twice := v.knownElsewhere[id]
				if !twice {
					next = -1
				}
				if v.knownElsewhere == nil {
					v.knownElsewhere = map[inventory.DeviceID]int{}
				}
				v.knownElsewhere[id] = len(v.others)
				v.others = append(v.others, elsewhere{Device: d, pool: index, next: next})
			}
		}
	}
}

func (p *poolView) demandsOf(d *device) {
	for _, c := range d.ConsumesCounters {
		for _, name := range sortedKeys(c.Counters) {
			if n, ok := p.number[counterName{c.CounterSet, name}]; ok {
				d.demands = append(d.demands, demand{n, c.Counters[name].Value})
			}
		}
		if n, ok := p.setNumber[c.CounterSet]; ok {
			d.groups = append(d.groups, groupDemand{n, c.CompatibilityGroups})
		}
	}
}

// charge takes a held device off the counters.
func (p *poolView) charge(d *resourceapi.Device) {
	p.changed = true
	for _, c := range d.ConsumesCounters {
		for name, amount := range c.Counters {
			if n, ok := p.number[counterName{c.CounterSet, name}]; ok {
				p.counters[n].left.Sub(amount.Value)
			}
		}
	}
}

// joinGroups adds a held device to the groups.
func (p *poolView) joinGroups(d *resourceapi.Device) {
	for _, c := range d.ConsumesCounters {
		if n, ok := p.setNumber[c.CounterSet]; ok {
			p.groups[n] = p.groups[n].join(c.CompatibilityGroups)
		}
	}
}

// poolState is what an attempt has left of a pool: counters and groups are
// copied when the first device takes of them.
type poolState struct {
	touched bool
	rest    []resource.Quantity
	groups  []groupState
	// before are the states of groups that later ones have replaced.
	before []groupState
}

func (p *poolState) touch(v *poolView) {
	if p.touched || len(v.counters)+len(v.groups) == 0 {
		return
	}
	p.touched = true
	p.rest = p.rest[:0]
	for i := range v.counters {
		p.rest = append(p.rest, v.counters[i].left.DeepCopy())
	}
	p.groups = append(p.groups[:0], v.groups...)
}

// short finds a counter of which too little is left for a device, -1 if there
// is none.
func (p *poolState) short(v *poolView, d *device) int {
	if v.overdrawn >= 0 && len(d.ConsumesCounters) > 0 {
		return v.overdrawn
	}
	for i := range d.demands {
		if p.rest[d.demands[i].counter].Cmp(d.demands[i].amount) < 0 {
			return d.demands[i].counter
		}
	}
	return -1
}

// take charges the counters for a device, give returns them.
func (p *poolState) take(d *device) {
	for i := range d.demands {
		p.rest[d.demands[i].counter].Sub(d.demands[i].amount)
	}
}

func (p *poolState) give(d *device) {
	for i := range d.demands {
		p.rest[d.demands[i].counter].Add(d.demands[i].amount)
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

// join adds a device to the groups, leave takes the last one away again.
func (p *poolState) join(d *device) {
	for _, g := range d.groups {
		p.before = append(p.before, p.groups[g.set])
		p.groups[g.set] = p.groups[g.set].join(g.groups)
	}
}

func (p *poolState) leave(d *device) {
	for i := len(d.groups) - 1; i >= 0; i-- {
		last := len(p.before) - 1
		p.groups[d.groups[i].set] = p.before[last]
		p.before = p.before[:last]
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
