package allocate

import (
	"context"
	"fmt"
	"math"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/drawbridge-dra/drawbridge/core/inventory"
)

// device is a device of a usable pool.
type device struct {
	*resourceapi.Device
	id    inventory.DeviceID
	slice *inventory.Slice
	index int // in the slice
	pool  int // in search.pools
	// shareable devices can be given out many times.
	shareable bool
	// demands are what the device takes of the pool's counters.
	demands []demand
	// groups are its compatibility groups for each counter set it draws from.
	groups []groupDemand

	// owners are the claims that the attempt has given the device to.
	owners []int
	// shares counts the shares given out in the attempt, sum what they take.
	shares int
	sum    quantities
}

// ask is a request, or one of the alternatives of a request.
type ask struct {
	claim       int
	request     int
	name        string // request, or request/subrequest
	parent      string // the request, if this is a subrequest
	field       string // path inside the claim
	class       *resourceapi.DeviceClass
	selectors   []resourceapi.DeviceSelector
	mode        resourceapi.DeviceAllocationMode
	count       int64
	adminAccess *bool
	tolerations []resourceapi.DeviceToleration
	capacity    *resourceapi.CapacityRequirements
	derived     map[resourceapi.FullyQualifiedName]string

	// num is how many devices are wanted; all are those of a request for all
	// devices, as indexes into search.devices.
	num int
	all []int
	// selectable remembers whether selectors and node admit a device.
	selectable map[int]bool
}

func (a *ask) admin() bool    { return a.adminAccess != nil && *a.adminAccess }
func (a *ask) wantsAll() bool { return a.mode == resourceapi.DeviceAllocationModeAll }

func (a *ask) amounts() quantities {
	if a.capacity == nil {
		return nil
	}
	return a.capacity.Requests
}

// request holds one ask, or the alternatives of a prioritized list.
type request struct {
	asks         []*ask
	alternatives bool
	chosen       int
}

// claim is a claim with its requests and constraints prepared.
type claim struct {
	*resourceapi.ResourceClaim
	requests    []*request
	constraints []*constraint
	picks       []pick
}

// pick is a device given to a request.
type pick struct {
	ask      *ask
	device   int
	shared   bool
	consumed quantities
}

// search is the state of one attempt.
type search struct {
	*Problem
	ctx     context.Context
	steps   int // left before the search stops
	used    int // taken in all
	devices []device
	pools   []poolState
	claims  []claim
	prune   pruning
	// relaxed rules are not applied; only explanations use that.
	relaxed map[Code]bool
	// deepest remembers the largest set of picks that was reached, and the
	// ask that found no device then.
	deepest     []pick
	deepestAsk  *ask
	deepestSeen bool
}

func newSearch(ctx context.Context, p *Problem) *search {
	s := &search{Problem: p, ctx: ctx, steps: p.Steps}
	if s.steps <= 0 {
		s.steps = DefaultSteps
	}
	s.pools = make([]poolState, len(p.Pools))
	for i, pool := range p.Pools {
		s.pools[i] = poolState{Pool: pool}
		for _, slice := range pool.Slices {
			for j := range slice.Spec.Devices {
				d := &slice.Spec.Devices[j]
				s.devices = append(s.devices, device{
					Device: d, id: slice.DeviceID(j), slice: slice, index: j, pool: i,
					shareable: p.Features.ConsumableCapacity && d.AllowMultipleAllocations != nil && *d.AllowMultipleAllocations,
				})
			}
		}
	}
	for i := range s.pools {
		s.pools[i].init(s)
	}
	return s
}

// prepare checks every claim before the search begins, in the order in which
// the scheduler does: what it finds wrong here ends the whole attempt.
func (s *search) prepare() *Failure {
	s.claims = make([]claim, len(s.Claims))
	for i, c := range s.Claims {
		s.claims[i].ResourceClaim = c
		devices := 0
		for j := range c.Spec.Devices.Requests {
			req, failure := s.prepareRequest(i, j)
			if failure != nil {
				return failure
			}
			s.claims[i].requests = append(s.claims[i].requests, req)
			least := math.MaxInt
			for _, a := range req.asks {
				least = min(least, a.num)
			}
			if least > MaxDevices-devices {
				return podWide(Reason{
					Code: DeviceLimit, Claim: i, Request: c.Spec.Devices.Requests[j].Name,
					Field: fmt.Sprintf("spec.devices.requests[%d]", j),
					Message: fmt.Sprintf("request %s wants %s, with %d wanted by the requests before it; a claim can get at most %d, and Kubernetes gives up on the pod",
						c.Spec.Devices.Requests[j].Name, plural(least, "device"), devices, MaxDevices),
				})
			}
			devices += least
		}
		if failure := s.prepareConstraints(i); failure != nil {
			return failure
		}
	}
	return nil
}

func (s *search) prepareConstraints(i int) *Failure {
	c := s.Claims[i]
	for j := range c.Spec.Devices.Constraints {
		spec := &c.Spec.Devices.Constraints[j]
		con := &constraint{requests: spec.Requests, lists: s.Features.ListTypeAttributes}
		con.field = fmt.Sprintf("spec.devices.constraints[%d]", j)
		switch {
		case spec.MatchAttribute != nil:
			con.name = *spec.MatchAttribute
			con.field += ".matchAttribute"
		case spec.DistinctAttribute != nil:
			con.name, con.distinct = *spec.DistinctAttribute, true
			con.field += ".distinctAttribute"
		default:
			return podWide(Reason{Code: Unsupported, Claim: i, Field: con.field,
				Message: fmt.Sprintf("constraint %d has neither matchAttribute nor distinctAttribute; Kubernetes gives up on the pod", j)})
		}
		s.claims[i].constraints = append(s.claims[i].constraints, con)
	}
	return nil
}

func (s *search) prepareRequest(i, j int) (*request, *Failure) {
	r := &s.Claims[i].Spec.Devices.Requests[j]
	field := fmt.Sprintf("spec.devices.requests[%d]", j)
	off := func(request, what, gate string) *Failure {
		return podWide(Reason{Code: GateOff, Claim: i, Request: request, Field: field,
			Message: fmt.Sprintf("request %s %s, and %s is off in the scheduler; Kubernetes gives up on the pod", request, what, gate)})
	}
	if len(r.FirstAvailable) > 0 && !s.Features.PrioritizedList {
		return nil, off(r.Name, "has alternatives", "DRAPrioritizedList")
	}
	asks := asksOf(r, i, j, field)
	if len(asks) == 0 {
		return nil, podWide(Reason{Code: Unsupported, Claim: i, Request: r.Name, Field: field,
			Message: fmt.Sprintf("request %s has neither exactly nor firstAvailable; Kubernetes gives up on the pod", r.Name)})
	}
	if !s.Features.ConsumableCapacity {
		for _, a := range asks {
			if a.capacity != nil {
				return nil, off(a.name, "asks for capacity", "DRAConsumableCapacity")
			}
		}
	}
	for _, a := range asks {
		if failure := s.prepareAsk(a, off); failure != nil {
			return nil, failure
		}
	}
	return &request{asks: asks, alternatives: len(r.FirstAvailable) > 0}, nil
}

func asksOf(r *resourceapi.DeviceRequest, i, j int, field string) []*ask {
	var asks []*ask
	if e := r.Exactly; e != nil && len(r.FirstAvailable) == 0 {
		asks = append(asks, &ask{
			claim: i, request: j, name: r.Name, field: field + ".exactly",
			selectors: e.Selectors, mode: e.AllocationMode, count: e.Count, adminAccess: e.AdminAccess,
			tolerations: e.Tolerations, capacity: e.Capacity, derived: derivedOf(e.DerivedAttributes),
			class: &resourceapi.DeviceClass{},
		})
		asks[0].class.Name = e.DeviceClassName
	}
	for k := range r.FirstAvailable {
		e := &r.FirstAvailable[k]
		a := &ask{
			claim: i, request: j, name: r.Name + "/" + e.Name, parent: r.Name,
			field:     fmt.Sprintf("%s.firstAvailable[%d]", field, k),
			selectors: e.Selectors, mode: e.AllocationMode, count: e.Count,
			tolerations: e.Tolerations, capacity: e.Capacity, derived: derivedOf(e.DerivedAttributes),
			class: &resourceapi.DeviceClass{},
		}
		a.class.Name = e.DeviceClassName
		asks = append(asks, a)
	}
	return asks
}

func derivedOf(list []resourceapi.DeviceDerivedAttribute) map[resourceapi.FullyQualifiedName]string {
	if len(list) == 0 {
		return nil
	}
	out := make(map[resourceapi.FullyQualifiedName]string, len(list))
	for _, d := range list {
		out[d.Name] = d.Expression
	}
	return out
}

func (s *search) prepareAsk(a *ask, off func(request, what, gate string) *Failure) *Failure {
	if len(a.derived) > 0 && !s.Features.DerivedAttributes {
		return off(a.name, "has derived attributes", "DRADerivedAttributes")
	}
	for k := range a.selectors {
		if a.selectors[k].CEL == nil {
			return podWide(Reason{Code: Unsupported, Claim: a.claim, Request: a.name, Field: fmt.Sprintf("%s.selectors[%d]", a.field, k),
				Message: fmt.Sprintf("selector %d of request %s has no CEL expression; Kubernetes gives up on the pod", k, a.name)})
		}
	}
	if a.adminAccess != nil && !s.Features.AdminAccess {
		return off(a.name, "sets adminAccess", "DRAAdminAccess")
	}
	class := s.Classes[a.class.Name]
	if class == nil {
		return podWide(Reason{Code: ClassMissing, Claim: a.claim, Request: a.name, Field: a.field + ".deviceClassName",
			Message: fmt.Sprintf("request %s names DeviceClass %q, which does not exist; create it or name another", a.name, a.class.Name)})
	}
	a.class = class
	a.selectable = map[int]bool{}
	switch a.mode {
	case resourceapi.DeviceAllocationModeExactCount, "":
		if a.num = int(a.count); a.mode == "" && a.count == 0 {
			a.num = 1 // what the API server would have filled in
		}
	case resourceapi.DeviceAllocationModeAll:
		return s.prepareAll(a)
	default:
		return podWide(Reason{Code: Unsupported, Claim: a.claim, Request: a.name, Field: a.field + ".allocationMode",
			Message: fmt.Sprintf("request %s has allocation mode %s, which this version does not know; Kubernetes gives up on the pod", a.name, a.mode)})
	}
	return nil
}

// prepareAll finds out how many devices "all" are. A single unusable pool of
// any driver on the node makes that unknowable.
func (s *search) prepareAll(a *ask) *Failure {
	next := 0
	for i, pool := range s.Pools {
		if !pool.Usable() {
			code := PoolIncomplete
			if pool.Invalid {
				code = PoolInvalid
			}
			return podWide(Reason{Code: code, Claim: a.claim, Request: a.name, Field: a.field + ".allocationMode",
				Message: fmt.Sprintf("request %s asks for all devices, and pool %s of %s on this node is unusable (%s): Kubernetes then gives up on the pod, whatever the other nodes offer",
					a.name, pool.ID.Pool, pool.ID.Driver, pool.Reason)})
		}
		for ; next < len(s.devices) && s.devices[next].pool == i; next++ {
			ok, failure := s.isSelectable(a, next)
			if failure != nil {
				return failure
			}
			if !ok {
				continue
			}
			if s.Features.ConsumableCapacity {
				ok, failure := s.hasCapacity(a, next, nothing, nothing)
				if failure != nil {
					return failure
				}
				if !ok {
					continue
				}
			}
			a.all = append(a.all, next)
		}
	}
	a.num = len(a.all)
	return nil
}

var nothing = quantities{}

// hasCapacity tells whether a request fits into what is left of a device.
func (s *search) hasCapacity(a *ask, i int, held, given quantities) (bool, *Failure) {
	refusal, failure := s.capacityRefusal(a, i, held, given)
	return refusal.code == "" || s.relaxed[refusal.code], failure
}

// capacityShortage says which capacity refuses a request.
type capacityShortage struct {
	code        Code
	name        resourceapi.QualifiedName
	asked, left resource.Quantity
}

func (s *search) capacityRefusal(a *ask, i int, held, given quantities) (capacityShortage, *Failure) {
	d := &s.devices[i]
	asked := a.amounts()
	for _, name := range sortedNames(asked) {
		if _, ok := d.Capacity[name]; !ok {
			return capacityShortage{code: CapacityMissing, name: name, asked: asked[name]}, nil
		}
	}
	taken, err := consumption(asked, d.Capacity, s.Features.FractionalCapacityRange)
	if err != nil {
		return capacityShortage{}, podWide(Reason{Code: CapacityError, Claim: a.claim, Request: a.name, Field: a.field + ".capacity",
			Message: fmt.Sprintf("request %s on device %s: %v; Kubernetes gives up on the pod", a.name, d.id, err)})
	}
	for _, name := range sortedNames(d.Capacity) {
		if refusedByPolicy(taken[name], d.Capacity[name].RequestPolicy, s.Features.FractionalCapacityRange) {
			return capacityShortage{code: CapacityPolicy, name: name, asked: taken[name]}, nil
		}
		left := d.Capacity[name].Value.DeepCopy()
		left.Sub(held[name])
		left.Sub(given[name])
		if left.Cmp(taken[name]) < 0 {
			return capacityShortage{Capacity, name, taken[name], left}, nil
		}
	}
	return capacityShortage{}, nil
}
