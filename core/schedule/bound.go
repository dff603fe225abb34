package schedule

import (
	"fmt"
	"strings"

	"github.com/drawbridge-dra/drawbridge/core/fit"
)

// join reserves what is allocated for a pod that is on a node already, as the
// resourceclaim controller does: nothing as long as it cannot make all claims,
// nothing behind a claim that is not there, and no claim of extended resources.
func (p *planner) join(out *Pod) {
	if fit.Ended(out.Pod) {
		return
	}
	for i, c := range out.Claims[:out.reservable] {
		if c.Outcome != Invalid && c.Claim.Status.Allocation != nil {
			p.reserve(c.Claim, out.Pod, out.consumers[i])
		}
	}
}

// bypassed says, once all other pods are placed, what the kubelet waits for
// on behalf of a pod that somebody put onto a node.
func (p *planner) bypassed(out *Pod) {
	p.join(out)
	name := namespace(out.Pod.Namespace) + "/" + out.Pod.Name
	switch problem := out.problem; {
	case fit.Ended(out.Pod):
		out.Message = fmt.Sprintf("%s has ended on %s.", name, out.Node)
		return
	case out.Pod.DeletionTimestamp != nil:
		out.Message = fmt.Sprintf("%s is being deleted on %s, and holds its devices until it has ended.", name, out.Node)
		return
	case problem != nil:
		out.Message = fmt.Sprintf("%s is bound to %s, and the kubelet waits: %s.", name, out.Node, problem.Message)
		return
	}
	var waiting []string
	for _, c := range out.Claims {
		switch {
		case c.Claim.Status.Allocation == nil:
			waiting = append(waiting, c.Name()+" is not allocated")
		case !p.reserved(c.Claim, out.Pod):
			waiting = append(waiting, fmt.Sprintf("%s is reserved for %d others and can be for no more", c.Name(), maxReserved))
		}
	}
	if len(waiting) > 0 {
		out.Message = fmt.Sprintf("%s sets spec.nodeName, so it went past the scheduler, and %s: the kubelet on %s waits for ever. Use nodeSelector kubernetes.io/hostname instead.",
			name, strings.Join(waiting, ", "), out.Node)
		return
	}
	out.Message = fmt.Sprintf("%s runs on %s.", name, out.Node)
	for _, c := range out.Claims {
		if n := p.nodeByName[out.Node]; n != nil && !c.reaches(n.Node) {
			out.Message = fmt.Sprintf("%s is bound to %s, but %s is allocated for nodes that %s; the kubelet does not check that, and the driver of %s may not have the device.",
				name, out.Node, c.Name(), selectorText(c.Claim.Status.Allocation.NodeSelector), out.Node)
		}
	}
}
