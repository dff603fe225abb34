// Package allocate finds the devices for a list of claims on one node: the
// same devices that the scheduler's allocator would choose, or why there are
// none.
package allocate

import (
	"context"
	"fmt"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/drawbridge-dra/drawbridge/core/inventory"
)

// MaxDevices is how many devices one claim can get.
const MaxDevices = resourceapi.AllocationResultsMaxSize

// DefaultSteps bounds the search on one node. A step is one device that is
// tried for one request.
const DefaultSteps = 2_000_000

// Problem is one attempt: these claims, together, on this node.
type Problem struct {
	View   *View
	Claims *Claims
	// Steps bounds the search; 0 means DefaultSteps.
	Steps int
	// Explain asks for the reasons of a failure that is no error, and for
	// notes; without it they cost nothing.
	Explain bool
	// ExplainEffort is what is left of a budget of steps for the searches
	// that explanations make, shared by several attempts; nil means that each
	// attempt has enough of its own.
	ExplainEffort *int
	// FitsIsEnough allows an answer without allocations, if it is known already
	// that they exist.
	FitsIsEnough bool
	// PruneAtOnce leaves out the short search without pruning that usually
	// decides; the answer is the same. Tests use it to compare the two.
	PruneAtOnce bool
}

// Answer is the outcome of an attempt.
type Answer struct {
	// Allocations are one for each claim, in their order, if all fit.
	Allocations []resourceapi.AllocationResult
	// Fits is true if there are allocations; for no claims at all it is true
	// as well.
	Fits bool
	// Failure is set if Fits is not.
	Failure *Failure
	// Notes tell what the allocation passed over, such as the alternatives of
	// a request that did not fit.
	Notes []Reason
}

// Kind tells how far a failure reaches.
type Kind int

// The kinds of failure.
const (
	// NotHere: there is no solution on this node; proven.
	NotHere Kind = iota
	// PodWide: the scheduler gives up on the pod, whatever other nodes offer.
	PodWide
	// Undecided: the budget of steps ran out.
	Undecided
)

// Failure says why an attempt failed.
type Failure struct {
	Kind    Kind
	Reasons []Reason
}

// Reason is one cause of a failure.
type Reason struct {
	Code    Code
	Message string
	// Claim is the index of the claim that the reason is about, -1 for none.
	Claim int
	// Request is its request, or request/subrequest.
	Request string
	// Field is the path inside the claim where the reason lies, if it lies
	// there.
	Field string
	// At is where the reason lies if that is in no claim.
	At inventory.Place
	// Devices are those that were considered for the request.
	Devices []DeviceReason
}

// DeviceReason says why a request cannot have a device.
type DeviceReason struct {
	ID      inventory.DeviceID
	Code    Code
	Message string
	// At is where the cause lies if that is not in a claim: in the slice, a
	// taint rule, the class or the node.
	At inventory.Place
}

// Allocate looks for the devices. The error is the context's own.
func Allocate(ctx context.Context, p Problem) (*Answer, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if p.Claims.failure != nil {
		return &Answer{Failure: p.Claims.failure}, nil
	}
	p.View.catchUp()
	if known := p.View.knownToFail(p); known != nil {
		return known, nil
	}
	if p.FitsIsEnough && p.View.fitting[p.Claims.shape] {
		return knownToFit, nil
	}
	s := newSearch(ctx, p)
	defer s.giveBack()
	if failure := s.prepare(); failure != nil {
		return p.Claims.failed(failure), ctx.Err()
	}
	found, stop := s.solve()
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case stop != nil:
		return p.Claims.failed(stop), nil
	case !found && !p.Explain:
		p.View.fail(p, nil)
		return notHere, nil
	case !found:
		reasons := s.explain()
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		p.View.fail(p, reasons)
		return p.Claims.failed(&Failure{Kind: NotHere, Reasons: reasons}), nil
	}
	allocations, failure := s.results()
	if failure != nil {
		return p.Claims.failed(failure), nil
	}
	answer := &Answer{Fits: true, Allocations: allocations}
	if p.Explain {
		answer.Notes = p.Claims.fill(s.notes())
		if len(answer.Notes) == 0 {
			p.View.fit(p)
		}
	}
	return answer, ctx.Err()
}

// notHere is the commonest of all answers.
var notHere = &Answer{Failure: &Failure{Kind: NotHere}}

// knownToFit is the answer where allocations do not matter.
var knownToFit = &Answer{Fits: true}

// podWide makes the failure that ends the scheduler's whole attempt.
func podWide(r Reason) *Failure { return &Failure{Kind: PodWide, Reasons: []Reason{r}} }

func claimName(c *resourceapi.ResourceClaim) string {
	name := c.Name
	if name == "" {
		name = c.GenerateName + "*"
	}
	return c.Namespace + "/" + name
}

func plural(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %ss", n, one)
}
