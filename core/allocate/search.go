package allocate

import (
	"fmt"
)

// outcome is how a part of the search ended.
type outcome int

const (
	failed outcome = iota
	solved
	// tooMany means that the claim would get more than MaxDevices: no other
	// choice for the same request helps, so the search goes back to where a
	// request has alternatives, or to the next claim.
	tooMany
	// stopped means that a failure ends everything.
	stopped
)

// position is the next device to find: the k-th for an alternative of a
// request of a claim, looking from device start on.
type position struct {
	claim, request int
	k, start       int
}

// solve tries a short search as it is, and if that does not decide, a long
// one with pruning.
func (s *search) solve() (bool, *Failure) {
	total := s.steps
	if !s.PruneAtOnce {
		s.steps = min(total, quickSteps)
		ok, failure := s.run()
		if failure == nil || failure.Kind != Undecided || s.ctx.Err() != nil {
			return ok, failure
		}
	}
	s.planPruning()
	s.steps = total
	return s.run()
}

// run searches depth first: claims, requests and devices in their order; the
// first complete solution wins. That is the scheduler's order, so the first
// solution is the scheduler's. See docs/parity.md.
func (s *search) run() (bool, *Failure) {
	result, failure := s.nextRequest(position{})
	if failure != nil {
		return false, failure
	}
	return result == solved, nil
}

// nextRequest starts on a request, or on the next claim.
func (s *search) nextRequest(p position) (outcome, *Failure) {
	if p.claim == len(s.claims) {
		return solved, nil
	}
	c := &s.claims[p.claim]
	if p.request == len(c.requests) {
		result, failure := s.nextRequest(position{claim: p.claim + 1})
		if result == tooMany {
			result = failed
		}
		return result, failure
	}
	if s.leftOut[c.requests[p.request].id] {
		return s.nextRequest(position{claim: p.claim, request: p.request + 1})
	}
	key, hopeless := s.hopeless(p)
	if hopeless {
		return failed, nil
	}
	r := c.requests[p.request]
	result, failure := failed, (*Failure)(nil)
	if !r.alternatives {
		result, failure = s.nextDevice(r.asks[0], p)
	} else {
		result, failure = s.alternatives(r, p)
	}
	if result == failed && failure == nil {
		s.remember(key)
	}
	return result, failure
}

// alternatives takes the first subrequest with which everything else can be
// satisfied too.
func (s *search) alternatives(r *request, p position) (outcome, *Failure) {
	all := tooMany
	for i, a := range r.asks {
		s.chosen[r.id] = i
		result, failure := s.nextDevice(a, p)
		switch result {
		case tooMany:
			continue
		case solved, stopped:
			return result, failure
		}
		all = failed
	}
	return all, nil
}

// nextDevice finds the k-th device of a request and then everything after it.
func (s *search) nextDevice(a *ask, p position) (outcome, *Failure) {
	if a.wantsAll() && len(s.asks[a.id].all) == 0 {
		s.stuck(a)
		return failed, nil
	}
	if p.k >= s.asks[a.id].num {
		return s.nextRequest(position{claim: p.claim, request: p.request + 1})
	}
	if s.asks[a.id].num-p.k > MaxDevices-len(s.picks[p.claim]) {
		return tooMany, nil
	}
	if a.wantsAll() {
		return s.nextOfAll(a, p)
	}
	tried := s.prune.newTried()
	for i := p.start; i < len(s.devices); i++ {
		if s.prune.skip(s, tried, a, i) {
			continue
		}
		if failure := s.step(); failure != nil {
			return stopped, failure
		}
		u, code, failure := s.consider(a, i)
		if failure != nil {
			return stopped, failure
		}
		if code != "" {
			tried.add(s, i)
			continue
		}
		result, failure := s.nextDevice(a, position{p.claim, p.request, p.k + 1, i + 1})
		if result == solved {
			return solved, nil
		}
		s.unplace(a, u)
		if failure != nil {
			return stopped, failure
		}
		if result == tooMany {
			return tooMany, nil
		}
		tried.add(s, i)
	}
	s.stuck(a)
	return failed, nil
}

// nextOfAll takes the devices of a request for all in their order; there is
// nothing to choose.
func (s *search) nextOfAll(a *ask, p position) (outcome, *Failure) {
	if failure := s.step(); failure != nil {
		return stopped, failure
	}
	u, code, failure := s.place(a, s.asks[a.id].all[p.k], true)
	if failure != nil {
		return stopped, failure
	}
	if code != "" {
		s.stuck(a)
		return failed, nil
	}
	result, failure := s.nextDevice(a, position{p.claim, p.request, p.k + 1, 0})
	if result != solved {
		s.unplace(a, u)
	}
	return result, failure
}

// consider checks a device in the order in which the scheduler does. The
// order is part of the answer: a selector that fails on a device only matters
// if nothing before it has ruled the device out.
func (s *search) consider(a *ask, i int) (undo, Code, *Failure) {
	if code := s.unavailable(a, i); code != "" {
		return undo{}, code, nil
	}
	ok, failure := s.isSelectable(a, i)
	if failure != nil || !ok {
		return undo{}, RequestSelector, failure
	}
	if ok, failure := s.hasRoom(a, i); failure != nil || !ok {
		return undo{}, Capacity, failure
	}
	return s.place(a, i, false)
}

// step counts one device tried.
func (s *search) step() *Failure {
	s.steps--
	s.used++
	if s.steps&0xff == 0 && s.ctx.Err() != nil {
		return &Failure{Kind: Undecided}
	}
	if s.steps < 0 {
		budget := s.Steps
		if budget <= 0 {
			budget = DefaultSteps
		}
		return &Failure{Kind: Undecided, Reasons: []Reason{{Code: Budget, Claim: -1,
			Message: fmt.Sprintf("undecided: %d devices were tried without a solution and without a proof that there is none", budget)}}}
	}
	return nil
}

// stuck notes the largest set of picks that was reached before no device was
// left for a request; explanations start from there.
func (s *search) stuck(a *ask) {
	if !s.Explain {
		return
	}
	n := 0
	for i := range s.picks {
		n += len(s.picks[i])
	}
	if s.deepestSeen && n <= len(s.deepest) {
		return
	}
	s.deepestSeen, s.deepestAsk = true, a
	s.deepest = s.deepest[:0]
	for i := range s.picks {
		s.deepest = append(s.deepest, s.picks[i]...)
	}
}
