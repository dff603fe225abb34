package schedule

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/drawbridge-dra/drawbridge/core/allocate"
	"github.com/drawbridge-dra/drawbridge/core/fit"
	"github.com/drawbridge-dra/drawbridge/core/footprint"
	"github.com/drawbridge-dra/drawbridge/core/inventory"
)

// attempt is what a pod would get on a node.
type attempt struct {
	node    *fit.Node
	variant *variant
	answer  *allocate.Answer
	// pod is the pod with what its devices take of the node.
	pod       *fit.Pod
	footprint []corev1.NodeAllocatableResourceClaimStatus
	waits     []Reason
}

// attempt tries every node and takes the best. If there is none, it returns
// the allocated claims without which there might be one.
func (p *planner) attempt(out *Pod, name string) (unavailable map[*Claim]bool, err error) {
	variants := p.variants(out)
	var best *attempt
	bestScore, ties := -1, 0
	t := trial{}
	for _, node := range p.nodes {
		// Once there is a node, others matter only if they can be better.
		t.enough = best != nil && !variants.ranked && !p.Gates.NodeAllocatable
		a, err := p.try(out, node, variants, &t)
		if err != nil {
			return nil, err
		}
		if a == nil {
			continue
		}
		// Of nodes with equal scores the scheduler draws one; here the first
		// of the bundle wins.
		switch s := score(a.variant.open, a.answer.Allocations); {
		case s > bestScore:
			best, bestScore, ties = a, s, 1
		case s == bestScore:
			ties++
		}
	}
	out.Nodes = t.finish()
	switch {
	case t.podWide != nil:
		out.Message = summary(name, out.Nodes)
	case best == nil && !t.undecided:
		out.Message = summary(name, out.Nodes)
		return t.unavailable, nil
	case best == nil:
		out.Outcome = Undecided
		out.Message = summary(name, out.Nodes)
		for _, c := range out.Claims {
			if c.Claim.Status.Allocation == nil {
				c.Outcome = Undecided
			}
		}
	default:
		p.draws.note(name, ties)
		p.bind(out, best)
		out.Message = p.success(name, out, best)
	}
	return nil, nil
}

// try tells what the pod would get on the node; nil if it does not fit there.
// The trial gets to know either way. What is asked in which order is the
// scheduler's, because an error that ends the attempt counts only where all
// that comes before is fine.
func (p *planner) try(out *Pod, node *fit.Node, variants *variants, t *trial) (*attempt, error) {
	if refusals := node.Refuse(out.fit, variants.byDevices(node)); len(refusals) > 0 {
		t.refuse(node, fromFit(node, refusals)...)
		return nil, nil
	}
	unavailable, shared, waits := p.allocated(out, node)
	if shared != nil {
		t.refuse(node, *shared)
		return nil, nil
	}
	a := &attempt{node: node, variant: variants.on(node), answer: &allocate.Answer{Fits: true}, pod: out.fit, waits: waits}
	if len(a.variant.open) > 0 {
		answer, err := p.allocate(node, a.variant.claims, t.enough)
		if err != nil {
			return nil, err
		}
		if a.answer = answer; !answer.Fits {
			wide := answer.Failure.Kind == allocate.PodWide
			if unavailable != nil && !wide {
				t.refuse(node, unavailable[0])
				return nil, nil
			}
			t.fail(node, answer.Failure, a.variant.reasons(answer.Failure.Reasons, wide))
			return nil, nil
		}
	}
	if refusal := p.burden(out, a); refusal != nil {
		t.refuse(node, *refusal...)
		return nil, nil
	}
	if unavailable != nil {
		t.refuse(node, unavailable[0])
		t.withheld(unavailable)
		return nil, nil
	}
	if lacks := node.Lacks(out.fit); lacks != nil {
		t.refuse(node, fromFit(node, []fit.Refusal{*lacks})...)
		return nil, nil
	}
	if a.variant.stuck {
		t.refuse(node, Reason{Code: PluginAndClaims, Field: "spec.containers",
			Message: fmt.Sprintf("a device plugin of %s serves %s, and the pod uses claims as well: Kubernetes then makes an empty claim and fails to bind the pod, over and over; request the device in a claim, or use a node without the plugin", node.Name, a.variant.names)})
		return nil, nil
	}
	t.fits(node, append(a.variant.reasons(a.answer.Notes, false), waits...))
	return a, nil
}

// allocated looks at the claims that are allocated already: whether the node
// can use them, whether they can be shared, and what they wait for.
func (p *planner) allocated(out *Pod, node *fit.Node) (unavailable []Reason, shared *Reason, waits []Reason) {
	note := func(r *Reason) { unavailable = append(unavailable, *r) }
	for _, c := range out.Claims {
		allocation := c.Claim.Status.Allocation
		if allocation == nil {
			continue
		}
		if !c.reaches(node.Node) {
			note(&Reason{Code: AllocatedAway, Claim: c, Field: "status.allocation.nodeSelector",
				Message: fmt.Sprintf("%s is allocated already, for nodes that %s, and %s is none of them", c.Name(), selectorText(allocation.NodeSelector), node.Name)})
			continue
		}
		if skipsOperations(allocation) && !declares(node.Node, optionalOperations) {
			note(&Reason{Code: NodeOperations, Claim: c, Field: "status.allocation",
				Message: fmt.Sprintf("%s is allocated with a device that skips node operations, and node %s does not declare %s; use a node whose kubelet has it", c.Name(), node.Name, optionalOperations)})
			continue
		}
		switch r := p.binding(c); {
		case r == nil:
		case r.Code == BindingWait:
			waits = append(waits, *r)
		default:
			r.Message += p.afterwards(c, out)
			note(r)
		}
		if p.Gates.NodeAllocatable && len(c.Claim.Status.ReservedFor) > 0 && !p.reserved(c.Claim, out.Pod) && footprint.Mapped(allocation, p.devices.on(nil)) {
			return nil, &Reason{Code: NodeShare, Claim: c, Field: "status.reservedFor",
				Message: fmt.Sprintf("a device of %s stands for resources of the node, and another pod uses it; only one pod can, so give this one a claim of its own", c.Name())}, nil
		}
	}
	return unavailable, nil, waits
}

// optionalOperations is what a node declares that can do without preparing a
// device.
const optionalOperations = "DRAOptionalNodeOperations"

func skipsOperations(a *resourceapi.AllocationResult) bool {
	for i := range a.Devices.Results {
		if len(a.Devices.Results[i].SkipNodeOperations) > 0 {
			return true
		}
	}
	return false
}

func declares(node *corev1.Node, feature string) bool {
	for _, f := range node.Status.DeclaredFeatures {
		if f == feature {
			return true
		}
	}
	return false
}

// burden counts in what the devices take of the node.
func (p *planner) burden(out *Pod, a *attempt) *[]Reason {
	if !p.Gates.NodeAllocatable {
		return nil
	}
	var claims []footprint.Claim
	var of []*Claim
	add := func(c *Claim, allocation *resourceapi.AllocationResult) {
		if slices.Contains(of, c) {
			return
		}
		one := footprint.Claim{Name: c.Claim.Name, Allocation: allocation}
		for i := range out.Claims {
			if out.Claims[i] == c && out.entries[i] != "" {
				one.Entries = append(one.Entries, out.entries[i])
			}
		}
		claims, of = append(claims, one), append(of, c)
	}
	for _, c := range out.Claims {
		if c.Claim.Status.Allocation != nil {
			add(c, c.Claim.Status.Allocation)
		}
	}
	for i, c := range a.variant.open {
		add(c, &a.answer.Allocations[i])
	}
	statuses, problem := footprint.Statuses(out.Pod, claims, p.devices.on(a.node.Node))
	if problem != nil {
		return &[]Reason{{Code: NodeMapping, Claim: of[problem.Claim], PodWide: true, Message: problem.Message}}
	}
	if len(statuses) == 0 {
		return nil
	}
	a.footprint, a.pod = statuses, out.fit.With(statuses)
	if text := footprint.Exceeds(a.pod.Pod); text != "" {
		return &[]Reason{{Code: PodLevel, Field: "spec.resources", Message: text}}
	}
	if short := a.node.Short(a.pod, notOrdinary); len(short) > 0 {
		list := fromFit(a.node, short)
		for i := range list {
			list[i].Message += " (with what its devices take of the node)"
		}
		return &list
	}
	return nil
}

// notOrdinary leaves out what no device can stand for.
func notOrdinary(name corev1.ResourceName) bool {
	return strings.Contains(string(name), "/") && !fit.HugePages(name)
}

func fromFit(node *fit.Node, refusals []fit.Refusal) []Reason {
	out := make([]Reason, len(refusals))
	for i, r := range refusals {
		out[i] = Reason{Code: r.Code, Message: r.Message, Field: r.Field, Left: r.Left}
		if r.OnNode != "" {
			out[i].At = inventory.Place{Object: node.Node, Field: r.OnNode}
		}
	}
	return out
}

// bind writes what the scheduler would write.
func (p *planner) bind(out *Pod, a *attempt) {
	out.Outcome, out.Node, out.Footprint = Done, a.node.Name, a.footprint
	if special := a.variant.special; special != nil {
		out.Claims, out.entries, out.consumers = append(out.Claims, special), append(out.entries, ""), append(out.consumers, podConsumer(out.Pod))
		out.Extended = &corev1.PodExtendedResourceClaimStatus{ResourceClaimName: special.Claim.Name, RequestMappings: a.variant.mappings}
		p.claims = append(p.claims, special)
		p.byName[special.Name()] = special
		p.use(special, out.Pod)
	}
	for i, c := range a.variant.open {
		// A claim that the pod uses twice was searched for twice and keeps what
		// it got first.
		if c.Claim.Status.Allocation == nil {
			p.commit(c, &a.answer.Allocations[i], a.node.Name)
		}
	}
	for _, note := range a.variant.reasons(a.answer.Notes, false) {
		note.Claim.Notes = append(note.Claim.Notes, note)
	}
	for i, c := range out.Claims {
		p.reserve(c.Claim, out.Pod, out.consumers[i])
	}
	for _, c := range a.variant.open {
		c.Message = devicesOf(c)
		if wait := p.condition(c); p.Features.BindingConditions && wait != nil {
			a.waits = append(a.waits, *wait)
		}
	}
	a.node.Add(a.pod)
}

func (p *planner) success(name string, out *Pod, a *attempt) string {
	text := fmt.Sprintf("%s goes to %s.", name, out.Node)
	if out.Node == "" {
		text = name + " fits on the assumed node."
	}
	for _, c := range a.variant.open {
		text += " " + c.Message
	}
	for _, w := range a.waits {
		text += fmt.Sprintf(" It is not bound before that is over: %s.", w.Message)
	}
	return text
}
