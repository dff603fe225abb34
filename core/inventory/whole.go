package inventory

import (
	"fmt"
	"slices"
)

// WholePool is a pool as it was published, whoever can use which part of it.
type WholePool struct {
	ID         PoolID
	Generation int64
	// Slices are those of the newest generation, in the order of the input.
	Slices []*Slice
	// Outdated is how many slices of older generations there are.
	Outdated int
	// Problem says why no device can be taken from the pool, as the node of
	// its first slice sees it; empty if they can.
	Problem string
	// At is where that lies.
	At Place
}

// Whole lists all pools, in the order in which their slices were given.
func (inv *Inventory) Whole() []*WholePool {
	out := make([]*WholePool, 0, len(inv.byPool))
	for id := range inv.byPool {
		out = append(out, inv.whole(id))
	}
	slices.SortFunc(out, func(a, b *WholePool) int { return inv.byPool[a.ID][0].order - inv.byPool[b.ID][0].order })
	return out
}

func (inv *Inventory) whole(id PoolID) *WholePool {
	pool := &WholePool{ID: id, Generation: inv.byPool[id][0].Spec.Pool.Generation}
	for _, s := range inv.byPool[id] {
		pool.Generation = max(pool.Generation, s.Spec.Pool.Generation)
	}
	for _, s := range inv.byPool[id] {
		if s.Spec.Pool.Generation == pool.Generation {
			pool.Slices = append(pool.Slices, s)
		} else {
			pool.Outdated++
		}
	}
	node := value(pool.Slices[0].Spec.NodeName)
	var group []*Slice
	for _, s := range pool.Slices {
		if own := value(s.Spec.NodeName); !inv.hidden(s) && (own == "" || own == node) {
			group = append(group, s)
		}
	}
	if len(group) == 0 {
		pool.Problem, pool.At = "it uses what a feature gate has turned off", pool.Slices[0].At("spec.pool.name")
		return pool
	}
	if seen := inv.pool(id, group); seen != nil && !seen.Usable() {
		pool.Problem, pool.At = seen.Reason, seen.At
	}
	return pool
}

// SharedCounterAt is where the slice publishes the counter set at an index.
func (s *Slice) SharedCounterAt(i int) Place { return s.At(fmt.Sprintf("spec.sharedCounters[%d]", i)) }
