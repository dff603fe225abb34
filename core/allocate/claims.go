package allocate

import (
	"fmt"
	"strings"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/drawbridge-dra/drawbridge/core/inventory"
	"github.com/drawbridge-dra/drawbridge/core/nearest"
)

// ask is a request, or one of the alternatives of a request. It is the same
// for every node.
type ask struct {
	// id counts the asks of all claims together.
	id          int
	claim       int
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
	derivedList []resourceapi.DeviceDerivedAttribute // the same in their order
	// row numbers the selectors: asks with equal ones share what a view
	// remembers of its devices.
	row int
	// amountsNumber does the same for the amounts of capacity.
	amountsNumber int
	// constraints are those that cover the ask.
	constraints []*constraint
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
	// failure is what no node can mend.
	failure *Failure
}

// preparation is the state of Prepare.
type preparation struct {
	*Claims
	classes  map[string]*resourceapi.DeviceClass
	features inventory.Features
	programs *Programs
}

// Prepare checks what does not depend on a node. Where it finds something
// wrong, the scheduler gives up on the pod.
func Prepare(claims []*resourceapi.ResourceClaim, classes map[string]*resourceapi.DeviceClass, features inventory.Features, programs *Programs) *Claims {
	p := preparation{&Claims{claims: make([]claim, len(claims))}, classes, features, programs}
	for i, c := range claims {
		p.claims[i].ResourceClaim = c
		for j := range c.Spec.Devices.Requests {
			r, failure := p.request(i, j)
			if failure != nil {
				p.failure = failure
				return p.Claims
			}
			p.claims[i].requests = append(p.claims[i].requests, r)
			p.requests = append(p.requests, r)
		}
		if p.failure = p.constraintsOf(i); p.failure != nil {
			return p.Claims
		}
	}
	return p.Claims
}

// who names a request and its claim.
func (c *Claims) who(claim int, request string) string {
	return fmt.Sprintf("request %s of %s", request, claimName(c.claims[claim].ResourceClaim))
}

func (p *preparation) constraintsOf(i int) *Failure {
	c := &p.claims[i]
	for j := range c.Spec.Devices.Constraints {
		spec := &c.Spec.Devices.Constraints[j]
		con := &constraint{id: p.Claims.constraints, requests: spec.Requests, lists: p.features.ListTypeAttributes}
		p.Claims.constraints++
		con.field = fmt.Sprintf("spec.devices.constraints[%d]", j)
		switch {
		case spec.MatchAttribute != nil:
			con.name = *spec.MatchAttribute
			con.field += ".matchAttribute"
		case spec.DistinctAttribute != nil && p.features.Implementation() == inventory.Stable:
			return podWide(Reason{Code: Unsupported, Claim: i, Field: con.field + ".distinctAttribute",
				Message: fmt.Sprintf("%s uses distinctAttribute, which the allocator that Kubernetes runs with these gates does not know: it gives up on the pod; turn DRAConsumableCapacity on", claimName(c.ResourceClaim))})
		case spec.DistinctAttribute != nil:
			con.name, con.distinct = *spec.DistinctAttribute, true
			con.field += ".distinctAttribute"
		default:
			return podWide(Reason{Code: Unsupported, Claim: i, Field: con.field,
				Message: fmt.Sprintf("a constraint of %s has neither matchAttribute nor distinctAttribute; Kubernetes gives up on the pod; write one of them", claimName(c.ResourceClaim))})
		}
		c.constraints = append(c.constraints, con)
	}
	for _, r := range c.requests {
		for _, a := range r.asks {
			for _, con := range c.constraints {
				if con.covers(a) {
					a.constraints = append(a.constraints, con)
				}
			}
		}
	}
	return nil
}

func (p *preparation) request(i, j int) (*request, *Failure) {
	r := &p.claims[i].Spec.Devices.Requests[j]
	field := fmt.Sprintf("spec.devices.requests[%d]", j)
	off := func(request, field, what, gate string) *Failure {
		return podWide(Reason{Code: GateOff, Claim: i, Request: request, Field: field,
			Message: fmt.Sprintf("%s %s, and %s is off in the scheduler; Kubernetes gives up on the pod; turn the gate on", p.who(i, request), what, gate)})
	}
	if len(r.FirstAvailable) > 0 && !p.features.PrioritizedList {
		return nil, off(r.Name, field+".firstAvailable", "has alternatives", "DRAPrioritizedList")
	}
	asks := asksOf(r, i, field)
	if len(asks) == 0 {
		return nil, podWide(Reason{Code: Unsupported, Claim: i, Request: r.Name, Field: field,
			Message: p.who(i, r.Name) + " has neither exactly nor firstAvailable; Kubernetes gives up on the pod; write one of them"})
	}
	// The stable allocator does not look at capacity requests at all.
	if !p.features.ConsumableCapacity && p.features.Implementation() != inventory.Stable {
		for _, a := range asks {
			if a.capacity != nil {
				return nil, off(a.name, a.field+".capacity", "asks for capacity", "DRAConsumableCapacity")
			}
		}
	}
	for _, a := range asks {
		if failure := p.ask(a, off); failure != nil {
			return nil, failure
		}
	}
	return &request{id: len(p.requests), asks: asks, alternatives: len(r.FirstAvailable) > 0}, nil
}

func asksOf(r *resourceapi.DeviceRequest, i int, field string) []*ask {
	var asks []*ask
	if e := r.Exactly; e != nil && len(r.FirstAvailable) == 0 {
		asks = append(asks, &ask{
			claim: i, name: r.Name, field: field + ".exactly",
			selectors: e.Selectors, mode: e.AllocationMode, count: e.Count, adminAccess: e.AdminAccess,
			tolerations: e.Tolerations, capacity: e.Capacity, derived: derivedOf(e.DerivedAttributes), derivedList: e.DerivedAttributes,
			class: &resourceapi.DeviceClass{},
		})
		asks[0].class.Name = e.DeviceClassName
	}
	for k := range r.FirstAvailable {
		e := &r.FirstAvailable[k]
		a := &ask{
			claim: i, name: r.Name + "/" + e.Name, parent: r.Name,
			field:     fmt.Sprintf("%s.firstAvailable[%d]", field, k),
			selectors: e.Selectors, mode: e.AllocationMode, count: e.Count,
			tolerations: e.Tolerations, capacity: e.Capacity, derived: derivedOf(e.DerivedAttributes), derivedList: e.DerivedAttributes,
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

func (p *preparation) ask(a *ask, off func(request, field, what, gate string) *Failure) *Failure {
	if len(a.derived) > 0 && !p.features.DerivedAttributes {
		return off(a.name, a.field+".derivedAttributes", "has derived attributes", "DRADerivedAttributes")
	}
	for k := range a.selectors {
		if a.selectors[k].CEL == nil {
			return podWide(Reason{Code: Unsupported, Claim: a.claim, Request: a.name, Field: fmt.Sprintf("%s.selectors[%d]", a.field, k),
				Message: fmt.Sprintf("%s of %s has no CEL expression; Kubernetes gives up on the pod; write one", nth(k, len(a.selectors)), p.who(a.claim, a.name))})
		}
	}
	if a.adminAccess != nil && !p.features.AdminAccess {
		return off(a.name, a.field+".adminAccess", "sets adminAccess", "DRAAdminAccess")
	}
	class := p.classes[a.class.Name]
	if class == nil {
		return podWide(Reason{Code: ClassMissing, Claim: a.claim, Request: a.name, Field: a.field + ".deviceClassName",
			Message: fmt.Sprintf("%s names DeviceClass %q, which does not exist; %s", p.who(a.claim, a.name), a.class.Name, p.otherClass(a.class.Name))})
	}
	a.class = class
	switch a.mode {
	case "":
		// What the API server would have filled in.
		a.mode = resourceapi.DeviceAllocationModeExactCount
		if a.count == 0 {
			a.count = 1
		}
	case resourceapi.DeviceAllocationModeExactCount, resourceapi.DeviceAllocationModeAll:
	default:
		return podWide(Reason{Code: Unsupported, Claim: a.claim, Request: a.name, Field: a.field + ".allocationMode",
			Message: fmt.Sprintf("%s has allocation mode %s; Kubernetes knows ExactCount and All, and gives up on the pod", p.who(a.claim, a.name), a.mode)})
	}
	a.id = p.asks
	p.asks++
	a.row, a.amountsNumber = p.programs.number(rowOf(a)), p.programs.number(amountsOf(a))
	return nil
}

// otherClass says what to do about a class that does not exist.
func (p *preparation) otherClass(name string) string {
	if near := nearest.Name(name, sortedKeys(p.classes)); near != "" {
		return "did you mean " + near + "?"
	}
	return "create it or name another"
}

// rowOf spells out the selectors of an ask.
func rowOf(a *ask) string {
	var b strings.Builder
	b.WriteString("row")
	for _, list := range [][]resourceapi.DeviceSelector{a.class.Spec.Selectors, a.selectors} {
		for k := range list {
			if list[k].CEL != nil {
				b.WriteString("\x00" + list[k].CEL.Expression)
			}
		}
		b.WriteString("\x01")
	}
	return b.String()
}
