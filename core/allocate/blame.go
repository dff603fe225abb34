package allocate

import (
	"fmt"
	"slices"
	"strings"
)

// explainSteps bounds each of the searches that an explanation makes.
const explainSteps = 50_000

// suspects are the rules that only show in combinations, in the order in
// which they are tried as the one to blame.
var suspects = []Code{Groups, Counters, Capacity, MatchAttribute, DistinctAttribute, Taint, InUse, SkipNodeOperations}

// blame finds the one rule without which everything would fit, by trying. It
// looks only at the requests that are in each other's way.
func (s *search) blame() Reason {
	core, leftOut := s.core()
	if len(leftOut) == 0 {
		return s.blameRule()
	}
	p := s.Problem
	p.Steps = explainSteps
	alone := newSearch(s.ctx, p)
	defer alone.giveBack()
	alone.leftOut = leftOut
	if s.prune.active {
		alone.plan, alone.PruneAtOnce = &s.prune, true
	}
	if alone.prepare() != nil {
		return s.blameRule()
	}
	if ok, failure := alone.solve(); ok || failure != nil {
		return s.blameRule()
	}
	r := alone.blameRule()
	if len(core) > 1 {
		r.Message += "; the smallest set of requests that cannot hold together is " + s.requestNames(core)
	}
	return r
}

func (s *search) blameRule() Reason {
	picks, stuckAt := slices.Clone(s.deepest), s.deepestAsk
	code := Combination
	for _, suspect := range suspects {
		if s.fitsWithout(suspect) {
			code = suspect
			break
		}
	}
	r := Reason{Code: code, Claim: -1}
	if stuckAt == nil {
		r.Message = "no combination of devices satisfies all requests"
		return r
	}
	r.Claim, r.Request, r.Field = stuckAt.claim, stuckAt.name, stuckAt.field()
	if code == MatchAttribute || code == DistinctAttribute {
		r.Field = s.constraintField(stuckAt, code)
	}
	s.replay(picks)
	t := s.takeStock(stuckAt)
	r.Devices = t.devices
	if code == Capacity {
		r.Field = s.capacityField(stuckAt, code)
	}
	r.Message = s.blameMessage(code, stuckAt, picks, t)
	return r
}

// fitsWithout searches once more with a rule left out.
func (s *search) fitsWithout(code Code) bool {
	fits, _ := s.tryAgain(func(other *search) { other.relaxed = map[Code]bool{code: true} })
	return fits
}

// tryAgain searches once more under other conditions, within the budget for
// explanations. Both results are false if that does not suffice.
func (s *search) tryAgain(change func(other *search)) (fits, proven bool) {
	p := s.Problem
	p.Steps = explainSteps
	if s.ExplainEffort != nil {
		if p.Steps = min(p.Steps, *s.ExplainEffort); p.Steps <= 0 {
			return false, false
		}
	}
	p.Explain = false
	// Where the short search did not suffice once, it will not now.
	p.PruneAtOnce = s.prune.active
	other := newSearch(s.ctx, p)
	defer other.giveBack()
	other.leftOut = s.leftOut
	change(other)
	if s.prune.active && s.relaxed == nil && other.relaxed == nil {
		other.plan = &s.prune
	}
	if failure := other.prepare(); failure != nil {
		return false, false
	}
	ok, failure := other.solve()
	if s.ExplainEffort != nil {
		*s.ExplainEffort -= other.used
	}
	return ok && failure == nil, failure == nil
}

// maxCore is how many requests a core is looked for among.
const maxCore = 32

// core finds a smallest set of requests that cannot hold together: take any
// of them away, and the rest fits. The others are left out. Where nothing is,
// it is all of them, or it could not be proven.
func (s *search) core() (core []*request, leftOut map[int]bool) {
	all := s.Claims.requests
	if len(all) < 2 || len(all) > maxCore {
		return nil, nil
	}
	out := map[int]bool{}
	for _, r := range all {
		out[r.id] = true
		fits, proven := s.tryAgain(func(other *search) { other.leftOut = out })
		if !proven {
			return nil, nil
		}
		if fits {
			delete(out, r.id)
		}
	}
	return slices.DeleteFunc(slices.Clone(all), func(r *request) bool { return out[r.id] }), out
}

// requestNames lists requests with their claims, the first few of them.
func (s *search) requestNames(requests []*request) string {
	const most = 4
	var names []string
	for _, r := range requests[:min(len(requests), most)] {
		a := r.asks[0]
		name := a.name
		if a.parent != "" {
			name = a.parent
		}
		names = append(names, placeholder(a.claim)+" "+name)
	}
	text := strings.Join(names, ", ")
	if more := len(requests) - len(names); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// replay puts the attempt back into a state that it was in.
func (s *search) replay(picks []pick) {
	for _, p := range picks {
		// It was possible then, so it is now; a refusal would only make the
		// explanation less detailed.
		_, _, _ = s.place(p.ask, p.device, false)
	}
}
