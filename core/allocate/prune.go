package allocate

import (
	"encoding/binary"
	"slices"
)

// quickSteps is how far the search goes before it invests in pruning: most
// claims fit at once, and then it would be wasted work.
const quickSteps = 2048

// maxRemembered bounds the memory for failed states of one attempt, in bytes.
const maxRemembered = 64 << 20

// entrySize is about what the map takes for a state beside its key.
const entrySize = 48

// freeWork and workPerStep bound the work of the bounds, in pairs of device
// and request, by what the search itself has done: a step is a unit of time
// only as long as nothing else takes more.
const (
	freeWork    = 1 << 20
	workPerStep = 64
	// quantityWork is what an addition of amounts counts for.
	quantityWork = 4
)

// pruning cuts branches of the search that hold neither a solution nor an
// error that the scheduler would have come across. It is only active where
// no error can happen at all: then whatever is cut, the first solution stays
// the first. The reasoning is in docs/allocation.md.
type pruning struct {
	active bool
	// candidates tells for each ask, by its id, which devices may ever be given
	// to it.
	candidates [][]bool
	// class numbers the devices so that equal numbers mean: interchangeable
	// for everything that is asked.
	class []int32
	// failed are states that are known to hold no solution.
	failed map[string]struct{}
	// remembered is what they take, in bytes.
	remembered int
	visits     int
	// work is what the bounds have looked at.
	work int
}

// planPruning turns pruning on if that is safe.
func (s *search) planPruning() {
	if s.plan != nil {
		s.prune = pruning{active: true, candidates: s.plan.candidates, class: s.plan.class, failed: map[string]struct{}{}}
		return
	}
	s.prune = pruning{candidates: make([][]bool, s.Claims.asks), failed: map[string]struct{}{}}
	for _, r := range s.Claims.requests {
		for _, a := range r.asks {
			row, ok := s.candidateRow(a)
			if !ok {
				return
			}
			s.prune.candidates[a.id] = row
		}
	}
	s.classify()
	s.prune.active = true
}

// candidateRow finds the devices that an ask may ever get; false if looking
// at one of them is an error, or if the ask breaks the symmetry of devices.
func (s *search) candidateRow(a *ask) ([]bool, bool) {
	if a.admin() {
		return nil, false
	}
	if a.wantsAll() && len(a.constraints) > 0 {
		return nil, false
	}
	row := make([]bool, len(s.devices))
	for i := range s.devices {
		ok, safe := s.isCandidate(a, i)
		if !safe {
			return nil, false
		}
		row[i] = ok
	}
	if a.wantsAll() {
		all := make([]bool, len(s.devices))
		for _, i := range s.asks[a.id].all {
			all[i] = row[i]
		}
		row = all
	}
	return row, true
}

// isCandidate applies the rules that only get stricter as the attempt goes
// on, to a device of which the attempt has taken nothing.
func (s *search) isCandidate(a *ask, i int) (ok, safe bool) {
	if s.unavailable(a, i) != "" {
		return false, true
	}
	if ok, failure := s.isSelectable(a, i); failure != nil || !ok {
		return false, failure == nil
	}
	if ok, failure := s.hasRoom(a, i); failure != nil || !ok {
		return false, failure == nil
	}
	u, code, failure := s.place(a, i, false)
	if failure != nil {
		return false, false
	}
	if code == "" {
		s.unplace(a, u)
	}
	return code == "", true
}

// classify gives interchangeable devices the same number.
func (s *search) classify() {
	numbers := map[string]int32{}
	s.prune.class = make([]int32, len(s.devices))
	k := spelling{}
	for i := range s.devices {
		k.key = k.key[:0]
		s.sign(&k, i)
		n, ok := numbers[string(k.key)]
		if !ok {
			n = int32(len(numbers))
			numbers[string(k.key)] = n
		}
		s.prune.class[i] = n
	}
}

// sign spells out everything about a device that a later decision of this
// attempt can depend on.
func (s *search) sign(k *spelling, i int) {
	d := &s.devices[i]
	for _, r := range s.Claims.requests {
		for _, a := range r.asks {
			k.flag(s.prune.candidates[a.id][i])
		}
	}
	for c := range s.claims {
		for _, con := range s.claims[c].constraints {
			s.signConstraint(k, i, con, s.claims[c].requests)
		}
	}
	if len(d.demands)+len(d.groups) > 0 {
		k.int(int64(d.pool))
	}
	k.int(int64(len(d.demands)))
	for _, need := range d.demands {
		k.int(int64(need.counter))
		k.text(need.amount.AsDec().String())
	}
	k.int(int64(len(d.groups)))
	for _, g := range d.groups {
		k.int(int64(g.set))
		k.texts(slices.Sorted(slices.Values(g.groups)))
	}
	if d.shareable {
		// What is left of a shareable device decides; rather than to spell
		// that out for each policy, every such device is its own class.
		k.int(int64(i))
	}
}

// signConstraint spells out what a constraint compares of a device: what it
// publishes, once, and what each ask derives.
func (s *search) signConstraint(k *spelling, i int, con *constraint, requests []*request) {
	published := false
	for _, r := range requests {
		for _, a := range r.asks {
			if !s.prune.candidates[a.id][i] || !slices.Contains(a.constraints, con) || a.derived == nil && published {
				continue
			}
			published = published || a.derived == nil
			v, _, _ := s.compared(a, i, con)
			k.key = append(k.key, v.kind)
			k.flag(v.list)
			k.texts(v.values)
		}
	}
}

// tried lists the classes that failed at one level of the search.
type tried struct{ classes []int32 }

func (p *pruning) newTried() *tried {
	if !p.active {
		return nil
	}
	return &tried{}
}

// add notes that a device failed, unless the attempt already uses it: then
// its failure says nothing of its class.
func (t *tried) add(s *search, i int) {
	if t != nil && s.untouched(i) {
		t.classes = append(t.classes, s.prune.class[i])
	}
}

func (s *search) untouched(i int) bool {
	return len(s.state[i].owners) == 0 && s.state[i].shares == 0
}

// skip tells whether a device need not be tried for an ask: it can never be
// given to it, or one just like it has failed at this very place. If giving
// d2 there led to a solution, exchanging d2 and the d1 that failed would have
// made a solution with d1.
func (p *pruning) skip(s *search, t *tried, a *ask, i int) bool {
	if !p.active {
		return false
	}
	return !p.candidates[a.id][i] || s.untouched(i) && slices.Contains(t.classes, p.class[i])
}

// hopeless tells whether the state at the start of a request is known, or
// easily proven, to hold no solution.
func (s *search) hopeless(at position) (key string, hopeless bool) {
	if !s.prune.active {
		return "", false
	}
	s.prune.visits++
	// The root is always checked; deeper states once the search has shown
	// that it has to go back and forth.
	if s.prune.visits == 1 || s.prune.visits > 64 && s.prune.work <= freeWork+workPerStep*s.used {
		if s.impossible(at) {
			return "", true
		}
	}
	key = s.stateKey(at)
	_, known := s.prune.failed[key]
	return key, known
}

func (s *search) remember(key string) {
	if !s.prune.active || key == "" {
		return
	}
	if size := len(key) + entrySize; s.prune.remembered+size <= s.memory {
		s.prune.failed[key] = struct{}{}
		s.prune.remembered += size
	}
}

// stateKey spells out everything that the rest of the search depends on, up
// to the exchange of interchangeable devices.
func (s *search) stateKey(at position) string {
	var classes []int32
	var shared []int
	for c := range s.claims {
		for _, p := range s.picks[c] {
			if p.shared {
				shared = append(shared, p.device)
			} else {
				classes = append(classes, s.prune.class[p.device])
			}
		}
	}
	slices.Sort(classes)
	slices.Sort(shared)
	key := make([]byte, 0, 64)
	key = binary.AppendUvarint(key, uint64(at.claim))
	key = binary.AppendUvarint(key, uint64(at.request))
	key = binary.AppendUvarint(key, uint64(len(s.picks[at.claim])))
	key = binary.AppendUvarint(key, uint64(len(classes)))
	for _, c := range classes {
		key = binary.AppendUvarint(key, uint64(c))
	}
	for _, i := range slices.Compact(shared) {
		st := &s.state[i]
		key = binary.AppendUvarint(key, uint64(i))
		key = binary.AppendUvarint(key, uint64(st.shares))
		for _, q := range st.sum {
			key = append(key, q.AsDec().String()...)
			key = append(key, ';')
		}
	}
	for _, con := range s.claims[at.claim].constraints {
		key = append(key, '|')
		key = append(key, con.state(s.stacks[con.id])...)
	}
	return string(key)
}
