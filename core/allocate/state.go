package allocate

import (
	"context"
	"fmt"
	"math"

	"k8s.io/apimachinery/pkg/api/resource"
)

// deviceState is what an attempt has taken of a device.
type deviceState struct {
	// owners are the claims that the attempt has given the device to.
	owners []int
	// one is the memory for a single owner.
	one [1]int
	// shares counts the shares given out in the attempt, sum what they take.
	// The order of sum is that of device.capacities.
	shares int
	sum    []resource.Quantity
}

// askState is what an ask amounts to on a node.
type askState struct {
	// num is how many devices are wanted; all are those of a request for all
	// devices, as indexes into View.devices.
	num int
	all []int
	// row remembers which devices the selectors admit.
	row []int8
}

// pick is a device given to a request.
type pick struct {
	ask    *ask
	device int
	shared bool
}

// search is the state of one attempt.
type search struct {
	Problem
	ctx    context.Context
	view   *View
	claims []claim
	steps  int // left before the search stops
	used   int // taken in all
	memory int // bytes that failed states may take

	devices []device // those of the view
	state   []deviceState
	pools   []poolState
	asks    []askState
	picks   [][]pick      // by claim
	stacks  [][]attribute // by constraint
	columns [][]value     // what each constraint compares, by device
	chosen  []int         // the alternative, by request

	prune pruning
	// plan is that of another attempt on the same claims and under the same
	// rules, nil for none.
	plan *pruning
	// relaxed rules are not applied, and left-out requests, by their id, are
	// not made; only explanations use that.
	relaxed map[Code]bool
	leftOut map[int]bool
	// deepest remembers the largest set of picks that was reached, and the
	// ask that found no device then.
	deepest     []pick
	deepestAsk  *ask
	deepestSeen bool
}

// newSearch starts an attempt. It uses the memory of an earlier one on the
// same view if that has been given back.
func newSearch(ctx context.Context, p Problem) *search {
	s := p.View.spare
	p.View.spare = nil
	if s == nil {
		s = &search{view: p.View, devices: p.View.devices,
			state: make([]deviceState, len(p.View.devices)), pools: make([]poolState, len(p.View.pools))}
	}
	s.Problem, s.ctx, s.claims, s.steps, s.memory = p, ctx, p.Claims.claims, p.Steps, maxRemembered
	if s.steps <= 0 {
		s.steps = DefaultSteps
	}
	s.asks = resized(s.asks, p.Claims.asks)
	for i := range s.asks {
		s.asks[i] = askState{all: s.asks[i].all[:0]}
	}
	s.picks = emptied(s.picks, len(s.claims))
	s.stacks = emptied(s.stacks, p.Claims.constraints)
	s.columns = resized(s.columns, p.Claims.constraints)
	clear(s.columns)
	s.chosen = resized(s.chosen, len(p.Claims.requests))
	clear(s.chosen)
	return s
}

// resized is a list of n values, in the memory of another if that is large
// enough; they are what they were, or zero.
func resized[T any](list []T, n int) []T {
	if cap(list) < n {
		return make([]T, n)
	}
	return list[:n]
}

// emptied is a list of n empty lists in the memory of others.
func emptied[T any](lists [][]T, n int) [][]T {
	lists = resized(lists, n)
	for i := range lists {
		lists[i] = lists[i][:0]
	}
	return lists
}

// giveBack keeps the memory of the attempt for the next one on the view.
func (s *search) giveBack() {
	for _, picks := range s.picks {
		for _, p := range picks {
			st := &s.state[p.device]
			st.owners, st.shares = st.owners[:0], 0
			clear(st.sum)
		}
	}
	for i := range s.pools {
		s.pools[i].touched, s.pools[i].before = false, s.pools[i].before[:0]
	}
	s.prune, s.plan, s.relaxed, s.leftOut, s.used = pruning{}, nil, nil, nil, 0
	s.deepest, s.deepestAsk, s.deepestSeen = s.deepest[:0], nil, false
	s.ctx, s.claims, s.Problem = nil, nil, Problem{}
	s.view.spare = s
}

// prepare finds out what the requests amount to on this node, in the order in
// which the scheduler does: what it finds wrong here ends the whole attempt.
func (s *search) prepare() *Failure {
	for i := range s.claims {
		devices := 0
		for j, r := range s.claims[i].requests {
			least := math.MaxInt
			for _, a := range r.asks {
				if failure := s.prepareAsk(a); failure != nil {
					return failure
				}
				least = min(least, s.asks[a.id].num)
			}
			if least > MaxDevices-devices {
				name := s.claims[i].Spec.Devices.Requests[j].Name
				return podWide(Reason{
					Code: DeviceLimit, Claim: i, Request: name,
					Field: fmt.Sprintf("spec.devices.requests[%d]", j),
					Message: fmt.Sprintf("%s wants %s, with %d wanted by the requests before it; a claim can get at most %d, and Kubernetes gives up on the pod",
						s.whoIs(i, name), plural(least, "device"), devices, MaxDevices),
				})
			}
			devices += least
		}
	}
	return nil
}

func (s *search) prepareAsk(a *ask) *Failure {
	st := &s.asks[a.id]
	st.row = s.view.rows[a.row]
	if st.row == nil {
		st.row = make([]int8, len(s.devices))
		if s.view.rows == nil {
			s.view.rows = map[int][]int8{}
		}
		s.view.rows[a.row] = st.row
	}
	if a.wantsAll() {
		return s.prepareAll(a)
	}
	st.num = int(a.count)
	return nil
}

// prepareAll finds out how many devices "all" are. A single unusable pool of
// any driver on the node makes that unknowable.
func (s *search) prepareAll(a *ask) *Failure {
	next := 0
	st := &s.asks[a.id]
	for i, pool := range s.view.raw {
		if !pool.Usable() {
			cause := poolReason(pool)
			failure := podWide(Reason{Code: cause.Code, Claim: a.claim, Request: a.name, Field: a.field() + ".allocationMode",
				Message: fmt.Sprintf("%s asks for all devices, and pool %s of %s on this node is unusable (%s): Kubernetes then gives up on the pod, whatever the other nodes offer",
					s.who(a), pool.ID.Pool, pool.ID.Driver, pool.Reason)})
			failure.Reasons = append(failure.Reasons, cause)
			return failure
		}
		for ; next < len(s.devices) && s.devices[next].pool == i; next++ {
			ok, failure := s.isSelectable(a, next)
			if failure != nil {
				return failure
			}
			if !ok {
				continue
			}
			if s.view.features.ConsumableCapacity {
				// What others hold does not count here: a device that is full
				// is one of "all" too.
				r := s.view.room(a, next)
				if r.err != nil {
					return s.capacityFailure(a, next, r.err)
				}
				if r.refusal.code != "" || r.exceeds() {
					continue
				}
			}
			st.all = append(st.all, next)
		}
	}
	st.num = len(st.all)
	return nil
}
