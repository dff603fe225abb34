package allocate

import (
	"fmt"
	"slices"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/drawbridge-dra/drawbridge/core/inventory"
	"github.com/drawbridge-dra/drawbridge/core/nearest"
)

// ask is a request, or one of the alternatives of a request. It is the same
// for every node.
type ask struct {
	// id counts the asks of all claims together.
	id     int
	claim  int
	name   string // request, or request/subrequest
	parent string // the request, if this is a subrequest
	// request is the index of the request in the claim, alternative that of
	// the subrequest, -1 if this is none.
	request, alternative int
	className            string
	class                *resourceapi.DeviceClass
	selectors            []resourceapi.DeviceSelector
	mode                 resourceapi.DeviceAllocationMode
	count                int64
	adminAccess          *bool
	tolerations          []resourceapi.DeviceToleration
	capacity             *resourceapi.CapacityRequirements
	derived              map[resourceapi.FullyQualifiedName]string
	derivedList          []resourceapi.DeviceDerivedAttribute // the same in their order
	// row numbers the selectors: asks with equal ones share what a view
	// remembers of its devices.
	row int
	// amountsNumber does the same for the amounts of capacity.
	amountsNumber int
	// constraints are those that cover the ask.
	constraints []*constraint
}

// field is the path inside the claim.
func (a *ask) field() string {
	if a.alternative < 0 {
		return fmt.Sprintf("spec.devices.requests[%d].exactly", a.request)
	}
	return fmt.Sprintf("spec.devices.requests[%d].firstAvailable[%d]", a.request, a.alternative)
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
	// id counts the requests of all claims together.
	id           int
	asks         []*ask
	alternatives bool
}

// claim is a claim with its requests and constraints prepared.
type claim struct {
	*resourceapi.ResourceClaim
	requests    []*request
	constraints []*constraint
}

// Claims are claims that are to be allocated together, prepared once for any
// number of nodes.
type Claims struct {
	claims      []claim
	requests    []*request
	asks        int
	constraints int
	// shape numbers all that decides whether the claims fit: on the same view
	// in the same state, claims of one shape all do or all do not.
	shape int
	// wording numbers all that an explanation depends on; 0 until one is made.
	wording  int
	programs *Programs
	// failure is what no node can mend.
	failure *Failure
}

// preparation is the state of Prepare.
type preparation struct {
	*Claims
	classes  map[string]*resourceapi.DeviceClass
	features inventory.Features
	// The lists that requests and asks are cut from; they do not grow.
	requestMemory []request
	askMemory     []ask
	askList       []*ask
}

// Prepare checks what does not depend on a node. Where it finds something
// wrong, the scheduler gives up on the pod.
func Prepare(claims []*resourceapi.ResourceClaim, classes map[string]*resourceapi.DeviceClass, features inventory.Features, programs *Programs) *Claims {
	p := preparation{Claims: &Claims{claims: make([]claim, len(claims)), programs: programs}, classes: classes, features: features}
	p.makeRoom(claims)
	for i, c := range claims {
		first := len(p.requests)
		p.claims[i].ResourceClaim = c
		for j := range c.Spec.Devices.Requests {
			if p.failure = p.request(i, j); p.failure != nil {
				return p.Claims
			}
		}
		p.claims[i].requests = p.requests[first:len(p.requests):len(p.requests)]
		if p.failure = p.constraintsOf(i); p.failure != nil {
			return p.Claims
		}
	}
	p.shape = p.shapeOf(programs)
	return p.Claims
}

// makeRoom takes the memory for all requests and alternatives at once.
func (p *preparation) makeRoom(claims []*resourceapi.ResourceClaim) {
	requests, asks := 0, 0
	for _, c := range claims {
		requests += len(c.Spec.Devices.Requests)
		for j := range c.Spec.Devices.Requests {
			asks += max(1, len(c.Spec.Devices.Requests[j].FirstAvailable))
		}
	}
	p.requests = make([]*request, 0, requests)
	p.requestMemory, p.askMemory = make([]request, 0, requests), make([]ask, 0, asks)
	p.askList = make([]*ask, 0, asks)
}

// who names a request and its claim.
func (c *Claims) who(claim int, request string) string {
	return fmt.Sprintf("request %s of %s", request, claimName(c.claims[claim].ResourceClaim))
}

func (p *preparation) constraintsOf(i int) *Failure {
	c := &p.claims[i]
	for j := range c.Spec.Devices.Constraints {
		spec := &c.Spec.Devices.Constraints[j]
		con := &constraint{id: p.Claims.constraints, index: j, requests: spec.Requests, lists: p.features.ListTypeAttributes}
		p.Claims.constraints++
		switch {
		case spec.MatchAttribute != nil:
			con.name = *spec.MatchAttribute
		case spec.DistinctAttribute != nil && p.features.Implementation() == inventory.Stable:
			return podWide(Reason{Code: Unsupported, Claim: i, Field: fmt.Sprintf("spec.devices.constraints[%d].distinctAttribute", j),
				Message: fmt.Sprintf("%s uses distinctAttribute, which the allocator that Kubernetes runs with these gates does not know: it gives up on the pod; turn DRAConsumableCapacity on", claimName(c.ResourceClaim))})
		case spec.DistinctAttribute != nil:
			con.name, con.distinct = *spec.DistinctAttribute, true
		default:
			return podWide(Reason{Code: Unsupported, Claim: i, Field: fmt.Sprintf("spec.devices.constraints[%d]", j),
				Message: fmt.Sprintf("a constraint of %s has neither matchAttribute nor distinctAttribute; Kubernetes gives up on the pod; write one of them", claimName(c.ResourceClaim))})
		}
		c.constraints = append(c.constraints, con)
	}
	some := slices.ContainsFunc(c.constraints, func(con *constraint) bool { return len(con.requests) > 0 })
	for _, r := range c.requests {
		for _, a := range r.asks {
			if !some {
				a.constraints = c.constraints
				continue
			}
			for _, con := range c.constraints {
				if con.covers(a) {
					a.constraints = append(a.constraints, con)
				}
			}
		}
	}
	return nil
}

// off is the failure of a request that uses what a gate has turned off.
func (p *preparation) off(claim int, request, field, what, gate string) *Failure {
	return podWide(Reason{Code: GateOff, Claim: claim, Request: request, Field: field,
		Message: fmt.Sprintf("%s %s, and %s is off in the scheduler; Kubernetes gives up on the pod; turn the gate on", p.who(claim, request), what, gate)})
}

func (p *preparation) request(i, j int) *Failure {
	r := &p.claims[i].Spec.Devices.Requests[j]
	if len(r.FirstAvailable) > 0 && !p.features.PrioritizedList {
		return p.off(i, r.Name, fmt.Sprintf("spec.devices.requests[%d].firstAvailable", j), "has alternatives", "DRAPrioritizedList")
	}
	asks := p.asksOf(r, i, j)
	if len(asks) == 0 {
		return podWide(Reason{Code: Unsupported, Claim: i, Request: r.Name, Field: fmt.Sprintf("spec.devices.requests[%d]", j),
			Message: p.who(i, r.Name) + " has neither exactly nor firstAvailable; Kubernetes gives up on the pod; write one of them"})
	}
	// The stable allocator does not look at capacity requests at all.
	if !p.features.ConsumableCapacity && p.features.Implementation() != inventory.Stable {
		for _, a := range asks {
			if a.capacity != nil {
				return p.off(i, a.name, a.field()+".capacity", "asks for capacity", "DRAConsumableCapacity")
			}
		}
	}
	for _, a := range asks {
		if failure := p.ask(a); failure != nil {
			return failure
		}
	}
	p.requestMemory = append(p.requestMemory, request{id: len(p.requests), asks: asks, alternatives: len(r.FirstAvailable) > 0})
	p.requests = append(p.requests, &p.requestMemory[len(p.requestMemory)-1])
	return nil
}

// asksOf takes a request apart. The classes are looked up later.
func (p *preparation) asksOf(r *resourceapi.DeviceRequest, i, j int) []*ask {
	first := len(p.askList)
	add := func(a ask) {
		p.askMemory = append(p.askMemory, a)
		p.askList = append(p.askList, &p.askMemory[len(p.askMemory)-1])
	}
	if e := r.Exactly; e != nil && len(r.FirstAvailable) == 0 {
		add(ask{
			claim: i, name: r.Name, request: j, alternative: -1, className: e.DeviceClassName,
			selectors: e.Selectors, mode: e.AllocationMode, count: e.Count, adminAccess: e.AdminAccess,
			tolerations: e.Tolerations, capacity: e.Capacity, derived: derivedOf(e.DerivedAttributes), derivedList: e.DerivedAttributes,
		})
	}
	for k := range r.FirstAvailable {
		e := &r.FirstAvailable[k]
		add(ask{
			claim: i, name: r.Name + "/" + e.Name, parent: r.Name, request: j, alternative: k, className: e.DeviceClassName,
			selectors: e.Selectors, mode: e.AllocationMode, count: e.Count,
			tolerations: e.Tolerations, capacity: e.Capacity, derived: derivedOf(e.DerivedAttributes), derivedList: e.DerivedAttributes,
		})
	}
	return p.askList[first:len(p.askList):len(p.askList)]
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

func (p *preparation) ask(a *ask) *Failure {
	if len(a.derived) > 0 && !p.features.DerivedAttributes {
		return p.off(a.claim, a.name, a.field()+".derivedAttributes", "has derived attributes", "DRADerivedAttributes")
	}
	for k := range a.selectors {
		if a.selectors[k].CEL == nil {
			return podWide(Reason{Code: Unsupported, Claim: a.claim, Request: a.name, Field: fmt.Sprintf("%s.selectors[%d]", a.field(), k),
				Message: fmt.Sprintf("%s of %s has no CEL expression; Kubernetes gives up on the pod; write one", nth(k, len(a.selectors)), p.who(a.claim, a.name))})
		}
	}
	if a.adminAccess != nil && !p.features.AdminAccess {
		return p.off(a.claim, a.name, a.field()+".adminAccess", "sets adminAccess", "DRAAdminAccess")
	}
	a.class = p.classes[a.className]
	if a.class == nil {
		return podWide(Reason{Code: ClassMissing, Claim: a.claim, Request: a.name, Field: a.field() + ".deviceClassName",
			Message: fmt.Sprintf("%s names DeviceClass %q, which does not exist; %s", p.who(a.claim, a.name), a.className, p.otherClass(a.className))})
	}
	switch a.mode {
	case "":
		// What the API server would have filled in.
		a.mode = resourceapi.DeviceAllocationModeExactCount
		if a.count == 0 {
			a.count = 1
		}
	case resourceapi.DeviceAllocationModeExactCount, resourceapi.DeviceAllocationModeAll:
	default:
		return podWide(Reason{Code: Unsupported, Claim: a.claim, Request: a.name, Field: a.field() + ".allocationMode",
			Message: fmt.Sprintf("%s has allocation mode %s; Kubernetes knows ExactCount and All, and gives up on the pod", p.who(a.claim, a.name), a.mode)})
	}
	a.id = p.asks
	p.asks++
	a.row, a.amountsNumber = rowOf(a, p.programs), amountsOf(a, p.programs)
	return nil
}

// otherClass says what to do about a class that does not exist.
func (p *preparation) otherClass(name string) string {
	if near := nearest.Name(name, sortedKeys(p.classes)); near != "" {
		return "did you mean " + near + "?"
	}
	return "create it or name another"
}

// rowOf numbers the selectors of an ask.
func rowOf(a *ask, programs *Programs) int {
	k := programs.spell('r')
	for _, list := range [2][]resourceapi.DeviceSelector{a.class.Spec.Selectors, a.selectors} {
		k.int(int64(len(list)))
		for i := range list {
			if list[i].CEL != nil {
				k.text(list[i].CEL.Expression)
			}
		}
	}
	return k.number()
}
