package lint

import (
	"fmt"
	"strconv"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/drawbridge-dra/drawbridge/core/diag"
)

// slice is a ResourceSlice of the bundle.
type slice struct {
	typed[resourceapi.ResourceSlice]
}

// node returns the node that the slice is for, or "" where it selects its
// nodes in another way.
func (s *slice) node() string {
	if s.value.Spec.NodeName == nil {
		return ""
	}
	return *s.value.Spec.NodeName
}

func (s *slice) announced() int64  { return s.value.Spec.Pool.ResourceSliceCount }
func (s *slice) generation() int64 { return s.value.Spec.Pool.Generation }

// countPlace is where a slice announces the number of slices of its pool.
func (s *slice) countPlace() place { return s.at("spec.pool.resourceSliceCount") }

type poolID struct{ driver, pool string }

func (id poolID) String() string { return id.driver + "/" + id.pool }

// pool is what the bundle shows of a pool. A scheduler looks at a pool from
// one node: it sees the slices for that node and those for many nodes.
type pool struct {
	poolID
	// slices are those that count: of the newest generation that their node
	// can see, in the bundle's order.
	slices []*slice
	// older are the leftovers of earlier generations.
	older []*slice
	state poolState
}

type poolState int

const (
	// stateComplete: as many slices as announced.
	stateComplete poolState = iota
	// stateIncomplete: fewer than announced.
	stateIncomplete
	// stateSurplus: more than announced.
	stateSurplus
	// stateDisagrees: the slices announce different numbers.
	stateDisagrees
	// stateSplit: every node has its own complete part, so that one name
	// stands for several pools.
	stateSplit
	// stateUnknown: a slice announces no possible number, which the API
	// server rejects.
	stateUnknown
)

// groupPools sorts slices into pools, in order of appearance.
func groupPools(slices []*slice) []*pool {
	var pools []*pool
	byID := map[poolID]*pool{}
	for _, s := range slices {
		id := poolID{s.value.Spec.Driver, s.value.Spec.Pool.Name}
		if id.driver == "" || id.pool == "" {
			continue
		}
		p := byID[id]
		if p == nil {
			p = &pool{poolID: id}
			byID[id] = p
			pools = append(pools, p)
		}
		p.slices = append(p.slices, s)
	}
	for _, p := range pools {
		p.judge()
	}
	return pools
}

func (p *pool) judge() {
	all := p.slices
	p.slices, p.older = newest(all, perNode(all))
	for _, s := range p.slices {
		if s.announced() <= 0 {
			p.state = stateUnknown
			return
		}
	}
	if splitOverNodes(p.slices) {
		p.state = stateSplit
		return
	}
	// Without complete parts per node the newest generation of all counts.
	p.slices, p.older = newest(all, nil)
	first, n := p.slices[0].announced(), int64(len(p.slices))
	p.state = stateComplete
	for _, s := range p.slices {
		if s.announced() != first {
			p.state = stateDisagrees
			return
		}
	}
	switch {
	case n < first:
		p.state = stateIncomplete
	case n > first:
		p.state = stateSurplus
	}
}

// newest parts the slices into those of the newest generation and the rest.
// floor says what the newest generation is for a node; nil means that it is
// the same for all.
func newest(all []*slice, floor map[string]int64) (current, older []*slice) {
	var top int64
	for i, s := range all {
		if i == 0 || s.generation() > top {
			top = s.generation()
		}
	}
	for _, s := range all {
		limit := top
		if g, ok := floor[s.node()]; ok {
			limit = g
		}
		if s.generation() < limit {
			older = append(older, s)
		} else {
			current = append(current, s)
		}
	}
	return current, older
}

// perNode returns the newest generation that each node sees in the slices
// that name a node, or nil where slices without a node name take part: then
// all nodes see them.
func perNode(all []*slice) map[string]int64 {
	floor := map[string]int64{}
	for _, s := range all {
		if s.node() == "" {
			return nil
		}
		if g, ok := floor[s.node()]; !ok || s.generation() > g {
			floor[s.node()] = s.generation()
		}
	}
	return floor
}

// splitOverNodes tells whether each of several nodes has a complete pool of
// its own, while the slices together are not one complete pool.
func splitOverNodes(slices []*slice) bool {
	own := map[string]int64{}
	for _, s := range slices {
		if s.node() == "" {
			return false
		}
		own[s.node()]++
	}
	for _, s := range slices {
		if own[s.node()] != s.announced() {
			return false
		}
	}
	return len(own) > 1
}

func poolSliceCountDisagrees(c *cluster, r *reporter) {
	for _, p := range c.pools {
		if p.state != stateDisagrees {
			continue
		}
		// The number of slices at hand is right if one of them says so.
		n := int64(len(p.slices))
		right := int64(0)
		for _, s := range p.slices {
			if s.announced() == n {
				right = n
			}
		}
		wrong, others := odd(c.mineFirst(p.slices), right)
		if c.around != nil {
			// Whoever comes last is asked, right or not.
			if wrong, others = against(c.mineFirst(p.slices)); wrong == nil {
				continue
			}
			right = 0 // Others may come.
		}
		f := finding{
			at:    wrong.countPlace(),
			value: strconv.FormatInt(wrong.announced(), 10),
			message: fmt.Sprintf("the slices of pool %s disagree about resourceSliceCount: %s says %d, %s says %d; the first one seen would decide",
				p, wrong.object.Ref.Name, wrong.announced(), others[0].object.Ref.Name, others[0].announced()),
		}
		if right > 0 {
			f.message += fmt.Sprintf(", so let each announce the %s that there are", count(int(right), "slice"))
			f.fix = replace(f.at, strconv.FormatInt(right, 10), fmt.Sprintf("announce %d", right))
		} else {
			f.message += fmt.Sprintf(", so let each announce the same number (here are %d)", n)
		}
		f.related = relatedCounts(others)
		r.report(f)
	}
}

// odd picks the slice to report: the first that announces another number
// than right or, where right is not known, than the first slice. The others
// that it returns start with one that announces something else.
func odd(slices []*slice, right int64) (*slice, []*slice) {
	at := -1
	for i, s := range slices {
		if (right > 0 && s.announced() != right) || (right == 0 && s.announced() != slices[0].announced()) {
			at = i
			break
		}
	}
	wrong := slices[at]
	var differ, same []*slice
	for i, s := range slices {
		switch {
		case i == at:
		case s.announced() != wrong.announced():
			differ = append(differ, s)
		default:
			same = append(same, s)
		}
	}
	return wrong, append(differ, same...)
}

// against returns the first slice and those others that announce another
// number, nil where none does.
func against(slices []*slice) (*slice, []*slice) {
	var others []*slice
	for _, s := range slices[1:] {
		if s.announced() != slices[0].announced() {
			others = append(others, s)
		}
	}
	if len(others) == 0 {
		return nil, nil
	}
	return slices[0], others
}

// mineFirst puts the slice that matters first, where one does.
func (c *cluster) mineFirst(slices []*slice) []*slice {
	for i, s := range slices {
		if c.subject != nil && s.object == c.subject {
			return append([]*slice{s}, append(slices[:i:i], slices[i+1:]...)...)
		}
	}
	return slices
}

func relatedCounts(slices []*slice) []diag.Related {
	var list []diag.Related
	for _, s := range slices[:min(len(slices), mostRelated)] {
		list = append(list, related(fmt.Sprintf("announces %d", s.announced()), s.countPlace())...)
	}
	return list
}

func poolTooManySlices(c *cluster, r *reporter) {
	for _, p := range c.pools {
		if p.state != stateSurplus {
			continue
		}
		list := c.mineFirst(p.slices)
		first, n := list[0], len(list)
		r.report(finding{
			at:    first.countPlace(),
			value: strconv.FormatInt(first.announced(), 10),
			message: fmt.Sprintf("pool %s has %s of generation %d (%s), and each announces %d, so no device of it is ever allocated; set resourceSliceCount to %d in each",
				p, count(n, "slice"), first.generation(), sliceNames(list), first.announced(), n),
			related: relatedCounts(list[1:]),
			fix:     replace(first.countPlace(), strconv.Itoa(n), fmt.Sprintf("announce %d", n)),
		})
	}
}

// poolIncomplete is a warning where the bundle asks for devices or shows a
// change of generations under way. Otherwise its author may well look at one
// slice of many, and the finding only informs.
func poolIncomplete(c *cluster, r *reporter) {
	for _, p := range c.pools {
		if p.state != stateIncomplete {
			continue
		}
		first := p.slices[0]
		f := finding{
			at:    first.countPlace(),
			value: strconv.FormatInt(first.announced(), 10),
			message: fmt.Sprintf("pool %s is incomplete: the bundle holds %d of %s of generation %d, and until all are there none of its devices is allocated, and a request for all devices fails on every node that sees the pool",
				p, len(p.slices), count(int(first.announced()), "slice"), first.generation()),
		}
		if !c.asks() && len(p.older) == 0 {
			f.severity = diag.Info
		}
		f.related = related("the slice of the generation before is not counted", places(p.older, "spec.pool.generation")...)
		r.report(f)
	}
}

// poolOldGeneration informs about leftovers, which do no harm as such. While
// the newer generation is incomplete they look like devices that could be
// had, and that is worth a warning.
func poolOldGeneration(c *cluster, r *reporter) {
	for _, p := range c.pools {
		if len(p.older) == 0 {
			continue
		}
		older := c.mineFirst(p.older)
		first, newer := older[0], p.slices[0]
		f := finding{
			at:    first.at("spec.pool.generation"),
			value: strconv.FormatInt(first.generation(), 10),
			message: fmt.Sprintf("the devices of ResourceSlice %s%s are ignored: pool %s has a newer generation %d; delete the leftover",
				first.object.Ref.Name, andMore(len(p.older)-1, "slice"), p, newer.generation()),
			related: related("the newer generation", newer.at("spec.pool.generation")),
		}
		switch {
		case c.around != nil:
			// A leftover is there already; one that comes now is a mistake.
			f.severity = diag.Warning
			f.message = fmt.Sprintf("the devices of ResourceSlice %s are ignored: it is of generation %d, and pool %s has a newer generation %d; publish it with that generation",
				first.object.Ref.Name, first.generation(), p, newer.generation())
		case p.state == stateIncomplete:
			f.severity = diag.Warning
			f.message = fmt.Sprintf("the devices of ResourceSlice %s%s are ignored although generation %d of pool %s is incomplete: old and new are never added up",
				first.object.Ref.Name, andMore(len(p.older)-1, "slice"), newer.generation(), p)
		}
		r.report(f)
	}
}

// poolSplitOverNodes leaves pools to deviceOnTwoNodes whose devices collide
// as well: that finding says the same and more.
func poolSplitOverNodes(c *cluster, r *reporter) {
	for _, p := range c.pools {
		if p.state != stateSplit {
			continue
		}
		first := p.slices[0]
		var other *slice
		for _, s := range p.slices {
			if s.node() != first.node() && (other == nil || c.subject != nil && s.object == c.subject) {
				other = s
			}
		}
		if found := c.collisions(p); found.apart.n > 0 {
			continue
		}
		r.report(finding{
			at:    other.at("spec.pool.name"),
			value: p.pool,
			message: fmt.Sprintf("pool %s is published for node %s and again for node %s, each as if it were whole; a generation that one of them moves to hides the others, so name each pool after its node",
				p, first.node(), other.node()),
			related: related("published here too", first.at("spec.pool.name")),
			fix:     replace(other.at("spec.pool.name"), other.node(), "name the pool after the node"),
		})
	}
}

func places(slices []*slice, path string) []place {
	var list []place
	for _, s := range slices[:min(len(slices), mostRelated)] {
		list = append(list, s.at(path))
	}
	return list
}

// sliceNames lists the names of a few slices.
func sliceNames(slices []*slice) string {
	names := ""
	for i, s := range slices[:min(len(slices), 3)] {
		if i > 0 {
			names += ", "
		}
		names += s.object.Ref.Name
	}
	return names + andMore(len(slices)-3, "slice")
}
