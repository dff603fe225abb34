package allocate

import (
	"slices"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// maxBoundWork is how many pairs of device and value the bounds may look at;
// beyond it they say nothing, which is always right.
const maxBoundWork = 1 << 20

// need is a request that still wants devices of its own.
type need struct {
	request *request
	num     int
}

// shortfall is a proof that requests cannot be satisfied together: these
// needs want more devices than match any of them.
type shortfall struct {
	needs  []need
	wanted int
	free   int
}

// impossible tells whether one of the bounds proves that what remains from a
// position on has no solution. Each bound looks at one rule alone and ignores
// all others, so where it fails nothing stricter can succeed.
func (s *search) impossible(at position) bool {
	return s.shortage(at) != nil || s.constraintsFail(at) || s.countersFail(at)
}

// remaining lists the requests from a position on.
func (s *search) remaining(at position) []*request {
	var out []*request
	for c := at.claim; c < len(s.claims); c++ {
		out = append(out, s.remainingOf(at, c)...)
	}
	return out
}

func (s *search) remainingOf(at position, c int) []*request {
	requests := s.claims[c].requests
	if c == at.claim {
		requests = requests[min(at.request, len(requests)):]
	}
	if len(s.leftOut) == 0 {
		return requests
	}
	return slices.DeleteFunc(slices.Clone(requests), func(r *request) bool { return s.leftOut[r.id] })
}

// shortage tries to give every remaining request as many free devices as it
// wants, each device to one request, looking at nothing but which devices
// are candidates. Shareable devices serve every request once, so they only
// lower what is needed.
func (s *search) shortage(at position) *shortfall {
	return s.match(s.remaining(at), nil)
}

// match is shortage for some requests, and for some devices if a filter is
// given.
func (s *search) match(requests []*request, filter func(i int) bool) *shortfall {
	needs := make([]need, 0, len(requests))
	for _, r := range requests {
		needs = append(needs, s.needOf(r, filter))
	}
	m := matching{right: len(s.devices), edge: func(n, i int) bool {
		return !s.devices[i].shareable && len(s.state[i].owners) == 0 && (filter == nil || filter(i)) && s.wants(needs[n].request, i)
	}}
	visited := m.fill(len(needs), func(n int) int { return needs[n].num })
	s.prune.work += m.looked + len(needs)*len(s.devices)
	if visited == nil {
		return nil
	}
	f := &shortfall{free: m.reached}
	for _, n := range visited {
		f.needs = append(f.needs, needs[n])
		f.wanted += needs[n].num
	}
	return f
}

func (s *search) wants(r *request, i int) bool {
	return slices.ContainsFunc(r.asks, func(a *ask) bool { return s.prune.candidates[a.id][i] })
}

// needOf counts what a request wants at the least.
func (s *search) needOf(r *request, filter func(i int) bool) need {
	n := need{request: r, num: -1}
	for _, a := range r.asks {
		num := s.least(a)
		for i, ok := range s.prune.candidates[a.id] {
			if ok && s.devices[i].shareable && (filter == nil || filter(i)) {
				num--
			}
		}
		if n.num < 0 || num < n.num {
			n.num = max(num, 0)
		}
	}
	return n
}

// least is how many devices an ask takes; a request for all devices needs at
// least one.
func (s *search) least(a *ask) int {
	if a.wantsAll() {
		return max(s.asks[a.id].num, 1)
	}
	return s.asks[a.id].num
}

// constraintsFail tries, for each constraint by itself, whether its requests
// can still be satisfied.
func (s *search) constraintsFail(at position) bool {
	for c := at.claim; c < len(s.claims); c++ {
		for _, con := range s.claims[c].constraints {
			if s.relaxed[con.code()] {
				continue
			}
			var covered []*request
			for _, r := range s.remainingOf(at, c) {
				if !slices.ContainsFunc(r.asks, func(a *ask) bool { return !slices.Contains(a.constraints, con) || a.derived != nil }) {
					covered = append(covered, r)
				}
			}
			if len(covered) == 0 {
				continue
			}
			if con.distinct && s.distinctFails(con, covered) || !con.distinct && s.matchFails(con, covered) {
				return true
			}
		}
	}
	return false
}

// keysOf are the values by which a device can be alike with others under a
// constraint. A list counts by its values only where lists compare as sets;
// elsewhere it is alike with nothing, as is an attribute without a value.
func (s *search) keysOf(con *constraint, i int) []string {
	list, ok := s.view.keys[con.name]
	if !ok {
		list = make([][]string, len(s.devices))
		for j, v := range s.view.column(con.name) {
			switch {
			case !v.found:
			case !con.lists && (v.list || v.kind == 0):
				list[j] = []string{"only " + s.devices[j].id.String()}
			default:
				list[j] = con.keys(v.attribute)
			}
		}
		if s.view.keys == nil {
			s.view.keys = map[resourceapi.FullyQualifiedName][][]string{}
		}
		s.view.keys[con.name] = list
	}
	return list[i]
}

// keys are the values of an attribute that others can have too.
func (c *constraint) keys(v attribute) []string {
	if v.kind == 0 || v.list && !c.lists {
		return nil
	}
	keys := make([]string, len(v.values))
	for j, text := range v.values {
		keys[j] = string(v.kind) + text
	}
	return keys
}

// matchFails tells whether for every value the devices that have it are too
// few for the requests.
func (s *search) matchFails(con *constraint, requests []*request) bool {
	s.prune.work += len(requests) * len(s.devices)
	having := map[string][]int{}
	var order []string
	for i := range s.devices {
		if !slices.ContainsFunc(requests, func(r *request) bool { return s.wants(r, i) }) {
			continue
		}
		for _, key := range s.keysOf(con, i) {
			if having[key] == nil {
				order = append(order, key)
			}
			having[key] = append(having[key], i)
		}
	}
	if len(order)*len(s.devices) > maxBoundWork {
		return false
	}
	stack := s.stacks[con.id]
	for _, key := range order {
		if len(stack) > 0 && !slices.Contains(con.keys(stack[len(stack)-1]), key) {
			continue
		}
		has := make([]bool, len(s.devices))
		for _, i := range having[key] {
			has[i] = true
		}
		if s.match(requests, func(i int) bool { return has[i] }) == nil {
			return false
		}
	}
	return true
}

// distinctFails tells whether there are too few values for every device to
// have one of its own.
func (s *search) distinctFails(con *constraint, requests []*request) bool {
	s.prune.work += len(requests) * len(s.devices)
	number := map[string]int{}
	reach := make([]map[int]bool, len(requests))
	taken := map[string]bool{}
	for _, v := range s.stacks[con.id] {
		for _, key := range con.keys(v) {
			taken[key] = true
		}
	}
	for n, r := range requests {
		reach[n] = map[int]bool{}
		for i := range s.devices {
			if len(s.state[i].owners) > 0 || !s.wants(r, i) {
				continue
			}
			for _, key := range s.keysOf(con, i) {
				if taken[key] {
					continue
				}
				k, ok := number[key]
				if !ok {
					k = len(number)
					number[key] = k
				}
				reach[n][k] = true
			}
		}
	}
	m := matching{right: len(number), edge: func(n, k int) bool { return reach[n][k] }}
	short := m.fill(len(requests), func(n int) int {
		least := -1
		for _, a := range requests[n].asks {
			if l := s.least(a); least < 0 || l < least {
				least = l
			}
		}
		return least
	})
	s.prune.work += m.looked
	return short != nil
}

// countersFail tells whether even the least demanding devices take more of a
// counter than is left.
func (s *search) countersFail(at position) bool {
	if s.relaxed[Counters] {
		return false
	}
	requests := s.remaining(at)
	units := 0
	for _, r := range requests {
		units += s.needOf(r, nil).num
	}
	if units == 0 {
		return false
	}
	usable, free := make([]bool, len(s.devices)), 0
	for i := range s.devices {
		if !s.devices[i].shareable && len(s.state[i].owners) == 0 && slices.ContainsFunc(requests, func(r *request) bool { return s.wants(r, i) }) {
			usable[i] = true
			free++
		}
	}
	s.prune.work += len(requests) * len(s.devices)
	for p := range s.view.pools {
		if len(s.view.pools[p].counters) > 0 && s.poolFails(p, usable, units-free) {
			return true
		}
	}
	return false
}

// poolFails adds up, for each counter of a pool, the smallest demands among
// all usable devices; those that do not draw from it demand nothing and are
// taken first. More is how many more devices are wanted than are usable.
func (s *search) poolFails(p int, usable []bool, more int) bool {
	view := &s.view.pools[p]
	s.pools[p].touch(view)
	for c, payers := range s.view.payers(p) {
		able := 0
		for i := range payers {
			if usable[payers[i].device] {
				able++
			}
		}
		paying := more + able
		if paying <= 0 || paying > able {
			continue
		}
		sum := resource.Quantity{}
		for i := 0; paying > 0; i++ {
			if usable[payers[i].device] {
				sum.Add(payers[i].amount)
				paying--
			}
		}
		s.prune.work += quantityWork * len(payers)
		if sum.Cmp(s.pools[p].rest[c]) > 0 {
			return true
		}
	}
	return false
}

// payer is a device that draws from a counter.
type payer struct {
	device int
	amount resource.Quantity
}

// payers lists for each counter of a pool who draws from it, the smallest
// demands first.
func (v *View) payers(p int) [][]payer {
	pool := &v.pools[p]
	if pool.payers != nil {
		return pool.payers
	}
	pool.payers = make([][]payer, len(pool.counters))
	for i := range v.devices {
		if v.devices[i].pool != p {
			continue
		}
		for _, need := range v.devices[i].demands {
			if need.amount.Sign() > 0 {
				pool.payers[need.counter] = append(pool.payers[need.counter], payer{i, need.amount})
			}
		}
	}
	for _, list := range pool.payers {
		slices.SortStableFunc(list, func(a, b payer) int { return a.amount.Cmp(b.amount) })
	}
	return pool.payers
}
