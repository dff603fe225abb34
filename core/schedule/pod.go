package schedule

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/drawbridge-dra/drawbridge/core/fit"
)

// usesDevices tells whether the answer is about the pod: it uses claims, or
// extended resources that devices stand behind. Of a pod that is on a node
// already only its status says so.
func (p *planner) usesDevices(pod *fit.Pod) bool {
	return len(pod.Spec.ResourceClaims) > 0 || pod.Status.ExtendedResourceClaimStatus != nil ||
		pod.Spec.NodeName == "" && !fit.Ended(pod.Pod) && len(p.extended.Wanted(pod.Requests)) > 0
}

// pod works out what becomes of one pod. One that has a node already is only
// looked up.
func (p *planner) pod(out *Pod) error {
	problem := p.collect(out)
	if out.Pod.Spec.NodeName != "" {
		out.Outcome, out.Node = Before, out.Pod.Spec.NodeName
		out.problem = problem
		p.join(out)
		return nil
	}
	name := namespace(out.Pod.Namespace) + "/" + out.Pod.Name
	if p.Invalid[out.Pod] {
		out.Outcome = Invalid
		out.Message = name + " is refused by the API server; see the findings."
		return nil
	}
	if held := heldBack(out.Pod); held != nil {
		problem = held
	}
	if problem == nil {
		return p.place(out, name)
	}
	if problem.Code == ClaimInvalid {
		out.Outcome = Invalid
	}
	for _, node := range p.nodes {
		out.Nodes = append(out.Nodes, Node{Name: node.Name, Reasons: []Reason{*problem}})
	}
	out.Message = fmt.Sprintf("%s cannot be scheduled: %s.", name, problem.Message)
	return nil
}

// heldBack tells why the scheduler does not even look at a pod.
func heldBack(pod *corev1.Pod) *Reason {
	switch {
	case fit.Ended(pod):
		return &Reason{Code: PodEnded, Field: "status.phase", Message: fmt.Sprintf("the pod has ended (%s) and is not scheduled again; create a new one", pod.Status.Phase)}
	case pod.DeletionTimestamp != nil:
		return &Reason{Code: PodEnded, Field: "metadata.deletionTimestamp", Message: "the pod is being deleted, so the scheduler leaves it alone; create a new one"}
	case len(pod.Spec.SchedulingGates) > 0:
		var names []string
		for _, g := range pod.Spec.SchedulingGates {
			names = append(names, g.Name)
		}
		return &Reason{Code: SchedulingGate, Field: "spec.schedulingGates",
			Message: fmt.Sprintf("scheduling %s %s the pod back; it waits until whoever has set that removes it", plural(len(names), "gate ", "gates ")+strings.Join(names, ", "), plural(len(names), "holds", "hold"))}
	}
	return nil
}

func plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// collect finds or makes the claims of the pod. The reason is the first that
// stands in its way.
func (p *planner) collect(out *Pod) *Reason {
	var problem *Reason
	note := func(r *Reason) {
		if r != nil && problem == nil {
			problem = r
		}
	}
	group, missing := p.groupOf(out.Pod)
	// The controller makes all claims before it reserves any, and reserves them
	// in their order up to one that is not there.
	unmade, gap := missing != nil, -1
	for i := range out.Pod.Spec.ResourceClaims {
		entry := &out.Pod.Spec.ResourceClaims[i]
		claim, reason := p.claimOf(out.Pod, entry, group)
		if reason != nil && reason.Claim == nil {
			reason.Field = fmt.Sprintf("spec.resourceClaims[%d]%s", i, reason.Field)
		}
		note(reason)
		switch {
		case reason == nil:
		case reason.Code == PodEntry || reason.Code == TemplateMissing || reason.Code == ClaimInvalid && entry.ResourceClaimName == nil:
			unmade = true
		case gap < 0:
			gap = len(out.Claims)
		}
		if claim == nil {
			continue
		}
		consumer := podConsumer(out.Pod)
		if groupHas(group, entry) {
			consumer = groupConsumer(group)
		}
		out.Claims, out.entries, out.consumers = append(out.Claims, claim), append(out.entries, entry.Name), append(out.consumers, consumer)
		p.use(claim, out.Pod)
		if out.Pod.Spec.NodeName == "" && claim.Claim.Status.Allocation != nil && !p.reserved(claim.Claim, out.Pod) && len(claim.Claim.Status.ReservedFor) >= maxReserved {
			note(&Reason{Code: ReservationLimit, Claim: claim, Field: "status.reservedFor",
				Message: fmt.Sprintf("%s is reserved for %d consumers, and the API server refuses more when the pod is bound; give the pod a claim of its own, or let others end", claim.Name(), maxReserved)})
		}
	}
	if len(out.Pod.Spec.ResourceClaims) > 0 {
		note(missing)
	}
	switch out.reservable = len(out.Claims); {
	case unmade || out.Pod.DeletionTimestamp != nil:
		out.reservable = 0
	case gap >= 0:
		out.reservable = gap
	}
	if status := out.Pod.Status.ExtendedResourceClaimStatus; status != nil && out.Pod.Spec.NodeName != "" {
		out.Extended = status
		if c := p.byName[namespace(out.Pod.Namespace)+"/"+status.ResourceClaimName]; c != nil {
			out.Claims, out.entries, out.consumers = append(out.Claims, c), append(out.entries, ""), append(out.consumers, podConsumer(out.Pod))
			p.use(c, out.Pod)
		}
	}
	return problem
}

// use lists a claim once, for the first pod that uses it.
func (p *planner) use(c *Claim, pod *corev1.Pod) {
	if c.used {
		return
	}
	c.used, c.Pod = true, pod
	p.plan.Claims = append(p.plan.Claims, c)
}

// score prefers nodes that give earlier alternatives of prioritized lists, as
// the scheduler's plugin does. Claims that are allocated already would count
// the same on every node.
func score(claims []*Claim, allocations []resourceapi.AllocationResult) int {
	total := 0
	for i, c := range claims {
		for j := range c.Claim.Spec.Devices.Requests {
			r := &c.Claim.Spec.Devices.Requests[j]
			for k := range r.FirstAvailable {
				name := r.Name + "/" + r.FirstAvailable[k].Name
				if hasRequest(&allocations[i], name) {
					total += resourceapi.FirstAvailableDeviceRequestMaxSize - k
					break
				}
			}
		}
	}
	return total
}

func hasRequest(a *resourceapi.AllocationResult, name string) bool {
	for i := range a.Devices.Results {
		if a.Devices.Results[i].Request == name {
			return true
		}
	}
	return false
}

// selectorText puts a node selector into words.
func selectorText(selector *corev1.NodeSelector) string {
	var terms []string
	for _, term := range selector.NodeSelectorTerms {
		var parts []string
		for _, r := range slices.Concat(term.MatchFields, term.MatchExpressions) {
			part := "have " + r.Key + " " + string(r.Operator)
			if len(r.Values) > 0 {
				part += " [" + strings.Join(r.Values, ", ") + "]"
			}
			parts = append(parts, part)
		}
		terms = append(terms, strings.Join(parts, " and "))
	}
	return strings.Join(terms, " or ")
}

// Entry is the name under which the pod lists the claim at a place of Claims;
// empty for the claim of its extended resources.
func (p *Pod) Entry(i int) string { return p.entries[i] }

// Waits is what the kubelet waits for on behalf of a pod that has a node; nil
// where nothing but allocations and reservations can be in its way.
func (p *Pod) Waits() *Reason { return p.problem }
