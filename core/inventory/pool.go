package inventory

import (
	"cmp"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
)

// Pool is what a node sees of a pool.
type Pool struct {
	ID         PoolID
	Generation int64
	// Incomplete is set when slices of the generation are missing or in
	// surplus, Invalid when they contradict each other. Neither kind has
	// devices.
	Incomplete, Invalid bool
	// Reason says in words why the pool is unusable.
	Reason string
	// At is where that lies.
	At Place
	// Slices hold the devices for the node, by slice name.
	Slices []*Slice
	// Elsewhere holds the devices of the pool for other nodes: what is held
	// of them counts against the counters too.
	Elsewhere []*Slice
	// Counters are the counter sets of the pool by name.
	Counters map[string]*resourceapi.CounterSet
}

// Usable tells whether devices may be taken from the pool.
func (p *Pool) Usable() bool { return !p.Incomplete && !p.Invalid }

// Pools gathers the pools that the node can use, in the order in which the
// allocator walks them: by driver and pool, those with binding conditions
// last. The error is that of a node selector which cannot be parsed; the
// scheduler then gives up on the pod.
func (inv *Inventory) Pools(node *corev1.Node) ([]*Pool, error) {
	candidates := inv.candidates(node.Name)
	groups := make(map[PoolID][]*Slice, min(len(candidates), 8))
	var order []PoolID
	for _, s := range candidates {
		if inv.hidden(s) {
			continue
		}
		if !inv.alwaysRelevant(s) {
			ok, err := s.relevant(node)
			if err != nil {
				return nil, s.unreadable(err)
			}
			if !ok {
				continue
			}
		}
		id := s.PoolID()
		group, seen := groups[id]
		switch {
		case !seen:
			order = append(order, id)
			groups[id] = []*Slice{s}
		case s.Spec.Pool.Generation > group[0].Spec.Pool.Generation:
			groups[id] = []*Slice{s}
		case s.Spec.Pool.Generation == group[0].Spec.Pool.Generation:
			groups[id] = append(group, s)
		}
	}

	slices.SortFunc(order, PoolID.compare)
	first := make([]*Pool, 0, len(order))
	var last []*Pool
	for _, id := range order {
		pool := inv.pool(id, groups[id])
		switch {
		case pool == nil:
		case pool.hasBindingConditions() && !inv.stable():
			last = append(last, pool)
		default:
			first = append(first, pool)
		}
	}
	return append(first, last...), nil
}

// stable tells whether the stable allocator runs, which gathers pools in ways
// of its own. Its order of pools is that of a Go map; ours is one of those.
func (inv *Inventory) stable() bool { return inv.features.Implementation() == Stable }

// alwaysRelevant: to the stable allocator, counters belong to every node.
func (inv *Inventory) alwaysRelevant(s *Slice) bool { return inv.stable() && s.hasCounters }

// candidates lists the slices that may be for a node, in the order in which
// the allocator looks at them.
func (inv *Inventory) candidates(node string) []*Slice {
	if !inv.stable() {
		return slices.Concat(inv.onNode[node], inv.shared)
	}
	list := slices.Concat(inv.onNode[node], inv.shared, inv.counters)
	slices.SortFunc(list, func(a, b *Slice) int { return cmp.Compare(a.order, b.order) })
	return slices.Compact(list)
}

// hidden tells whether the allocator looks past a slice because it uses what
// a gate has turned off.
func (inv *Inventory) hidden(s *Slice) bool {
	return !inv.features.PartitionableDevices && (s.Spec.PerDeviceNodeSelection != nil || s.hasCounters) ||
		!inv.features.CompatibilityGroups && s.usesGroups
}

// pool checks what the node sees of a pool against the whole of it. It
// returns nil if another node's slices show a newer generation.
func (inv *Inventory) pool(id PoolID, group []*Slice) *Pool {
	generation, want := group[0].Spec.Pool.Generation, group[0].Spec.Pool.ResourceSliceCount
	pool := &Pool{ID: id, Generation: generation}
	all := group
	if int64(len(group)) != want {
		all = nil
		hiddenByGroups := 0
		for _, s := range inv.byPool[id] {
			switch {
			case s.Spec.Pool.Generation > generation:
				return nil
			case s.Spec.Pool.Generation < generation:
			case !inv.features.CompatibilityGroups && s.usesGroups:
				hiddenByGroups++
			default:
				all = append(all, s)
			}
		}
		if int64(len(all)) != want {
			pool.Incomplete = true
			pool.At = group[0].At("spec.pool.resourceSliceCount")
			pool.Reason = fmt.Sprintf("%d of %d slices of generation %d seen", len(all), want, generation)
			if int64(len(all)) > want {
				pool.Reason = fmt.Sprintf("%d slices of generation %d seen, and they announce %d", len(all), generation, want)
			}
			if hiddenByGroups > 0 {
				pool.Reason += fmt.Sprintf("; %d more use compatibilityGroups, which hides them while DRADeviceCompatibilityGroups is off", hiddenByGroups)
			}
			return pool
		}
	}
	inv.fill(pool, group, all)
	return pool
}

// fill sorts the slices of a complete pool into devices here, devices
// elsewhere and counters, and checks that they agree.
func (inv *Inventory) fill(pool *Pool, group, all []*Slice) {
	group = slices.Clone(group)
	if !inv.stable() {
		slices.SortStableFunc(group, func(a, b *Slice) int { return cmp.Compare(a.Name, b.Name) })
	}
	here := map[string]bool{}
	if len(all) == len(group) {
		all = nil // they are the same
	}
	var counters []*Slice
	for _, s := range group {
		if all != nil {
			here[s.Name] = true
		}
		if inv.features.PartitionableDevices && s.hasCounters {
			counters = append(counters, s)
		} else {
			pool.Slices = append(pool.Slices, s)
		}
	}
	for _, s := range all {
		switch {
		case here[s.Name]:
		case inv.features.PartitionableDevices && s.hasCounters:
			counters = append(counters, s)
		default:
			pool.Elsewhere = append(pool.Elsewhere, s)
		}
	}
	if reason, at := inv.contradiction(pool, counters); reason != "" {
		*pool = Pool{ID: pool.ID, Generation: pool.Generation, Invalid: true, Reason: reason, At: at}
	}
}

func (inv *Inventory) contradiction(pool *Pool, counters []*Slice) (string, Place) {
	if reason, at := publishedTwice(pool.Slices); reason != "" {
		return reason, at
	}
	if !inv.features.PartitionableDevices {
		return "", Place{}
	}
	if len(counters) > 0 {
		pool.Counters = map[string]*resourceapi.CounterSet{}
	}
	from := map[string]string{}
	for _, s := range counters {
		for i := range s.Spec.SharedCounters {
			set := &s.Spec.SharedCounters[i]
			if other, twice := from[set.Name]; twice {
				return fmt.Sprintf("counter set %s is published by slices %s and %s", set.Name, other, s.Name), s.At(fmt.Sprintf("spec.sharedCounters[%d].name", i))
			}
			from[set.Name] = s.Name
			pool.Counters[set.Name] = set
		}
	}
	for _, list := range [][]*Slice{pool.Slices, pool.Elsewhere} {
		for _, s := range list {
			for i := range s.Spec.Devices {
				if reason, field := dangling(&s.Spec.Devices[i], pool.Counters); reason != "" {
					return reason, s.DeviceAt(i, field)
				}
			}
		}
	}
	return "", Place{}
}

// publishedTwice finds a device name that occurs twice. What a single slice
// says is known already.
func publishedTwice(list []*Slice) (string, Place) {
	if len(list) == 1 && !list[0].repeats {
		return "", Place{}
	}
	names := map[string]string{}
	for _, s := range list {
		for i := range s.Spec.Devices {
			name := s.Spec.Devices[i].Name
			if other, twice := names[name]; twice {
				return fmt.Sprintf("device %s is published by slices %s and %s", name, other, s.Name), s.DeviceAt(i, ".name")
			}
			names[name] = s.Name
		}
	}
	return "", Place{}
}

// dangling says what a device consumes that its pool does not have, and where
// in the device that is said.
func dangling(device *resourceapi.Device, sets map[string]*resourceapi.CounterSet) (reason, field string) {
	for j, c := range device.ConsumesCounters {
		set, ok := sets[c.CounterSet]
		if !ok {
			return fmt.Sprintf("device %s consumes counter set %s, which no slice of the pool publishes", device.Name, c.CounterSet),
				fmt.Sprintf(".consumesCounters[%d].counterSet", j)
		}
		missing := ""
		for name := range c.Counters {
			if _, ok := set.Counters[name]; !ok && (missing == "" || name < missing) {
				missing = name
			}
		}
		if missing != "" {
			return fmt.Sprintf("device %s consumes counter %s, which counter set %s does not have", device.Name, missing, c.CounterSet),
				fmt.Sprintf(".consumesCounters[%d].counters[%s]", j, missing)
		}
	}
	return "", ""
}

func (p *Pool) hasBindingConditions() bool {
	for _, s := range p.Slices {
		for i := range s.Spec.Devices {
			if s.Spec.Devices[i].BindingConditions != nil {
				return true
			}
		}
	}
	return false
}
