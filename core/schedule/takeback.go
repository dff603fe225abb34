package schedule

import (
	"fmt"
	"strings"

	"github.com/drawbridge-dra/drawbridge/core/inventory"
)

// An allocation that nobody uses does not bind a pod to where it is: if the
// pod fits nowhere, and some node would do but for that allocation, the
// scheduler takes it back and tries again. It takes one at a time, and draws
// which; here the first of the pod is taken.

// place gives the pod a node, or says why it gets none.
func (p *planner) place(out *Pod, name string) error {
	var taken []string
	for {
		unavailable, err := p.attempt(out, name)
		if err != nil {
			return err
		}
		idle := p.idle(out, unavailable)
		if idle == nil {
			break
		}
		taken = append(taken, idle.Name())
		p.takeBack(idle)
	}
	if len(taken) > 0 {
		out.Message += fmt.Sprintf(" Nobody uses the allocation that %s had before, so the scheduler takes it back first.", strings.Join(taken, " and "))
	}
	return nil
}

// idle is the first of the pod's claims that stand in its way and are reserved
// for nobody else.
func (p *planner) idle(out *Pod, unavailable map[*Claim]bool) *Claim {
	for _, c := range out.Claims {
		if unavailable[c] && p.unused(c, out) {
			return c
		}
	}
	return nil
}

// unused tells whether a claim is reserved for nobody but the pod.
func (p *planner) unused(c *Claim, out *Pod) bool {
	reserved := c.Claim.Status.ReservedFor
	return len(reserved) == 0 || len(reserved) == 1 && p.reserved(c.Claim, out.Pod)
}

// takeBack undoes an allocation. What is known of the nodes rests on what is
// held, so all of it is found out anew; that is rare.
func (p *planner) takeBack(c *Claim) {
	c.Claim.Status.Allocation, c.Claim.Status.Devices, c.Claim.Status.ReservedFor = nil, nil, nil
	c.Outcome = Unfit
	p.held = inventory.NewHeld()
	clear(p.views)
	for _, other := range p.claims {
		if other.Outcome != Invalid && other.Claim.Status.Allocation != nil {
			p.held.Add(other.Claim, p.Features)
		}
	}
}
