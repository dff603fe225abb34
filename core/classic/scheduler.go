package classic

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/drawbridge-dra/drawbridge/core/fit"
	"github.com/drawbridge-dra/drawbridge/core/past"
)

// What the scheduler does is that of its plugin dynamicresources in Kubernetes
// 1.31 and 1.30, extension point by extension point. A sentence that a
// function returns says what the pod waits for.

// attempt is one attempt to schedule the pod.
func (p *player) attempt() string {
	if gates := p.pod.Spec.SchedulingGates; len(gates) > 0 {
		return "scheduling gate " + gates[0].Name + " holds the pod back"
	}
	uses, waits := p.preFilter()
	if waits != "" {
		return waits
	}
	feasible, unavailable, waits := p.filter(uses)
	if len(feasible) == 0 {
		return p.postFilter(uses, unavailable, waits)
	}
	t := p.contexts[p.pod.key]
	if t == nil {
		t = &talk{owned: true}
	}
	plan := p.preScore(t, uses, feasible)
	node := feasible[0].Name
	if waits := p.choose(t, uses, node, len(feasible) > 1, &plan); waits != "" {
		p.release(uses)
		return waits
	}
	if plan.dirty() {
		p.publish(t, plan, node)
		p.release(uses)
		return "the controllers have to allocate for node " + node
	}
	return p.bind(uses, node)
}

// preFilter finds what keeps the pod from any node.
func (p *player) preFilter() ([]use, string) {
	if missing := p.missing(true); missing != "" {
		return nil, missing
	}
	if len(p.nodes) == 0 {
		return nil, "there is no Node in the text; add those that the pod may run on"
	}
	uses := p.uses()
	if len(uses) == 0 {
		return nil, ""
	}
	if t := p.contexts[p.pod.key]; t != nil && !t.owned && (p.opts.Controllers || p.opts.Minor < 31) {
		return nil, p.contextName(p.pod.key) + " belongs to another pod of this name; the scheduler gives up with an error until it is gone"
	}
	for _, u := range uses {
		c := u.claim
		switch {
		case c.driver != "" && !c.old && !p.opts.Controllers:
			return nil, claimName(c) + " has spec.controller, and DRAControlPlaneController is off; turn it on, or replace the claim by one without"
		case c.deallocation && !slices.Contains(c.finalizers, finalizerOf(c.by)) && c.by != "":
			return nil, fmt.Sprintf("%s is to be allocated anew, and lacks the finalizer %s, by which the controller knows that the allocation is its own", claimName(c), finalizerOf(c.by))
		case c.deallocation:
			return nil, claimName(c) + " is to be allocated anew; its controller has to take the devices back first"
		case c.allocated && !p.mayReserve(c) && !slices.Contains(c.reserved, p.pod.uid):
			return nil, claimName(c) + " is in use by another pod and cannot be shared; the pod waits until that ends"
		case c.allocated:
			continue
		}
		for _, name := range c.classes {
			if p.classes[name] == nil {
				kind := "DeviceClass"
				if c.old {
					kind = "ResourceClass"
				}
				return nil, fmt.Sprintf("%s asks for %s %s, which does not exist; create it", claimName(c), kind, name)
			}
		}
		if c.immediate && c.driver != "" {
			return nil, claimName(c) + " has allocationMode Immediate and is not allocated; its controller has to do that first"
		}
	}
	return uses, ""
}

// mayReserve tells whether one more pod may use an allocated claim.
func (p *player) mayReserve(c *claim) bool { return !c.old || c.shareable || len(c.reserved) == 0 }

// filter finds the nodes that fit, and the allocated claims that are not
// available on a node that would fit otherwise.
func (p *player) filter(uses []use) (feasible []*fit.Node, unavailable []int, why string) {
	reasons, count := []string{}, map[string]int{}
	refuse := func(reason string) {
		if count[reason]++; count[reason] == 1 {
			reasons = append(reasons, reason)
		}
	}
	t := p.contexts[p.pod.key]
	for _, n := range p.nodes {
		p.looks += len(uses) + 1
		if r := n.Refuse(p.pod.fit, func(corev1.ResourceName) bool { return false }); len(r) > 0 {
			refuse(r[0].Message)
			continue
		}
		if reason := p.refused(uses, t, n.Node, &unavailable); reason != "" {
			refuse(reason)
			continue
		}
		feasible = append(feasible, n)
	}
	why = fmt.Sprintf("none of %s fits: ", quantity(len(p.nodes), "node"))
	for i, r := range reasons {
		if i > 0 {
			why += "; "
		}
		if i == 5 {
			why += "…"
			break
		}
		why += fmt.Sprintf("%s (%d)", r, count[r])
	}
	return feasible, unavailable, why
}

// refused says what the claims have against a node.
func (p *player) refused(uses []use, t *talk, n *corev1.Node, unavailable *[]int) string {
	var missing []int
	for i, u := range uses {
		c := u.claim
		if c.allocated {
			if !onNode(c.nodes, n) {
				missing = append(missing, i)
			}
			continue
		}
		if c.driver == "" {
			p.assume("a claim that the scheduler allocates itself fits on every node; POST /v1/allocate says whether it does")
			continue
		}
		for _, name := range c.classes {
			if !onNode(p.classes[name].nodes, n) {
				return "suitableNodes of class " + name + " leaves the node out"
			}
		}
		if t == nil {
			continue
		}
		for _, s := range t.claims {
			if s.Name == u.asked && slices.Contains(s.UnsuitableNodes, n.Name) {
				return "the controller of " + c.driver + " has named the node unsuitable for claim " + u.name
			}
		}
	}
	for _, i := range missing {
		if !slices.Contains(*unavailable, i) {
			*unavailable = append(*unavailable, i)
		}
	}
	if len(missing) > 0 {
		return claimName(uses[missing[0]].claim) + " is allocated and not available there"
	}
	return ""
}

// postFilter lets go of an allocation that is in the way.
func (p *player) postFilter(uses []use, unavailable []int, waits string) string {
	slices.Sort(unavailable)
	if len(unavailable) > 1 {
		p.assume("of several allocations that are in the way, the scheduler lets go of the first; a cluster draws lots")
	}
	for _, i := range unavailable {
		c := uses[i].claim
		if len(c.reserved) > 1 || len(c.reserved) == 1 && c.reserved[0] != p.pod.uid {
			continue
		}
		t := p.contexts[p.pod.key]
		if c.by != "" && t != nil && t.selected != "" {
			t.selected = ""
			set(t.tree, nil, "spec", "selectedNode")
			p.step(scheduler, p.contextName(p.pod.key)+", spec", "an allocation is to go; first no node is selected any more, so that the controller does not allocate for it again at once", &t.document, p.contextName(p.pod.key))
		}
		c.reserved = nil
		set(c.tree, nil, "status", "reservedFor")
		why := fmt.Sprintf("no node is left for pod %s, and the allocation of the claim keeps it from some: ", p.pod.key)
		if c.by == "" {
			c.deallocate()
			why += "the scheduler removes it"
		} else {
			c.deallocation = true
			set(c.tree, true, "status", "deallocationRequested")
			why += "the scheduler asks the controller of " + c.by + " to take the devices back"
		}
		p.step(scheduler, claimName(c)+", status", why, &c.document, claimName(c), "Node")
		return "an allocation had to go: " + waits
	}
	return waits
}

// plan is what the scheduler is about to write into the context; nil for what
// stays.
type plan struct {
	selected  *string
	potential []string
}

func (c plan) dirty() bool { return c.selected != nil || c.potential != nil }

// preScore asks the controllers about all nodes that fit, if there are several.
func (p *player) preScore(t *talk, uses []use, feasible []*fit.Node) plan {
	pending := slices.ContainsFunc(uses, func(u use) bool { return !u.claim.allocated && u.claim.driver != "" })
	if len(feasible) == 1 || !pending {
		return plan{}
	}
	news := false
	var names []string
	for _, n := range feasible {
		news = news || !slices.Contains(t.potential, n.Name)
		if len(names) < past.MostSchedulingNodes {
			names = append(names, n.Name)
		}
	}
	if !news {
		return plan{}
	}
	if len(feasible) > past.MostSchedulingNodes {
		p.assume(fmt.Sprintf("of more than %d nodes that fit, the scheduler asks about the first; a cluster draws lots", past.MostSchedulingNodes))
	}
	slices.Sort(names)
	return plan{potential: names}
}

// choose decides whether to select the node.
func (p *player) choose(t *talk, uses []use, node string, scored bool, next *plan) string {
	pending, informed, own := 0, 0, 0
	for _, u := range uses {
		switch {
		case u.claim.allocated:
		case u.claim.driver == "":
			own++
		default:
			pending++
			if slices.ContainsFunc(t.claims, func(s past.ClaimScheduling) bool { return s.Name == u.asked }) {
				informed++
			}
		}
	}
	if pending == 0 {
		return ""
	}
	if !scored && !slices.Contains(t.potential, node) {
		next.potential = []string{node}
	}
	if pending == 1 && own == 0 || informed+own == pending && own < pending {
		if t.selected != node {
			next.selected = &node
			return ""
		}
	}
	if next.dirty() {
		return ""
	}
	if own > 0 && informed == pending {
		return fmt.Sprintf("%s for controllers and %s for the scheduler are open, and the scheduler of this version counts its own among the answers that it waits for: it never selects a node; put them into pods of their own, or convert the claims", quantity(pending, "claim"), quantity(own, "claim"))
	}
	return "the controllers have not said of every open claim which nodes are unsuitable, or not allocated yet"
}

// publish writes the context.
func (p *player) publish(t *talk, next plan, node string) {
	apiVersion, kind := p.contextKind()
	created := t.tree == nil
	if created {
		reference := owner(p.pod)
		reference["blockOwnerDeletion"] = true
		t.tree = map[string]any{"apiVersion": apiVersion, "kind": kind, "metadata": map[string]any{
			"name": p.pod.Name, "namespace": namespaceOf(p.pod), "ownerReferences": []any{reference},
		}, "spec": map[string]any{}}
		p.contexts[p.pod.key] = t
	}
	why := ""
	if next.potential != nil {
		t.potential = next.potential
		set(t.tree, strings(t.potential), "spec", "potentialNodes")
		why = fmt.Sprintf("the pod fits on %s, and the controllers are asked which of them are unsuitable", quantity(len(t.potential), "node"))
	}
	if next.selected != nil {
		t.selected = *next.selected
		set(t.tree, t.selected, "spec", "selectedNode")
		if why != "" {
			why += "; "
		}
		why += "node " + node + " is selected, because "
		if len(t.claims) == 0 {
			why += "a single open claim needs no answers first: the controller allocates or says no"
		} else {
			why += "the controllers have answered for every open claim"
		}
	}
	if created {
		why = "there is no " + kind + " for the pod yet; " + why
	}
	p.step(scheduler, p.contextName(p.pod.key)+", spec", why, &t.document, "Pod "+p.pod.key, "Node")
}
