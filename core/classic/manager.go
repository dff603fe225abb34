package classic

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/drawbridge-dra/drawbridge/core/fit"
)

// What kube-controller-manager does is that of its controller resourceclaim in
// Kubernetes 1.31.

// manage looks at the claims of the pod, and at the pod.
func (p *player) manage() {
	looked := map[*claim]bool{}
	for _, u := range p.uses() {
		if p.spent() {
			return
		}
		if !looked[u.claim] {
			looked[u.claim] = true
			p.tidy(u.claim)
		}
	}
	// What is noted of claims that are made now is not read before the next turn.
	entries := p.entries()
	if !p.needsWork() || !p.makeClaims() || p.pod.Spec.NodeName == "" {
		return
	}
	for _, e := range entries {
		c := p.claims[e.key]
		switch {
		case !e.made:
			return
		case e.key == "":
		case c == nil, e.own && !p.pod.owns(c):
			return
		case !c.allocated:
			p.trigger()
			return
		case !slices.Contains(c.reserved, p.pod.uid) && p.mayReserve(c):
			if refused(c) != "" {
				return // and tries again
			}
			p.reserve(c)
			p.step(manager, claimName(c)+", status", "pod "+p.pod.key+" has a node and the claim is allocated, but not reserved for it: that is done now", c.shown(), "Pod "+p.pod.key, claimName(c))
		}
	}
}

// needsWork tells whether the pod gets into the queue at all. An entry that
// needs nothing, or that nothing can be done for, hides those behind it.
func (p *player) needsWork() bool {
	for _, e := range p.entries() {
		c := e.claim
		switch {
		case !e.made:
			return true
		case e.key == "":
			return false
		case c == nil:
			return e.template != ""
		case e.own && !p.pod.owns(c):
			return false
		case p.pod.Spec.NodeName == "":
		case !c.allocated:
			if t := p.contexts[p.pod.key]; t == nil || t.selected != p.pod.Spec.NodeName {
				return true
			}
		case !slices.Contains(c.reserved, p.pod.uid) && p.mayReserve(c):
			return true
		}
	}
	return false
}

// missing says which of the pod's claims is not there to be used. The scheduler
// does not begin with one that is being deleted; the kubelet does.
func (p *player) missing(deleted bool) string {
	for _, e := range p.entries() {
		switch {
		case e.made && e.key == "":
		case e.claim == nil && e.template != "" && p.templates[e.template] == nil:
			return fmt.Sprintf("ResourceClaimTemplate %s does not exist; create it", e.template)
		case !e.made:
			return fmt.Sprintf("no claim has been made for %s of the pod, because kube-controller-manager does not look at the pod while another of its claims is missing, belongs to another pod or is not needed", e.name)
		case e.claim == nil:
			return fmt.Sprintf("ResourceClaim %s does not exist; create it", e.key)
		case e.claim.deleted && deleted:
			return claimName(e.claim) + " is being deleted"
		case e.own && !p.pod.owns(e.claim):
			return claimName(e.claim) + " was not made for pod " + p.pod.key + ", which its metadata.ownerReferences would say; delete it"
		}
	}
	return ""
}

// unready says what a pod that has a node still waits for.
func (p *player) unready() string {
	if missing := p.missing(false); missing != "" {
		return missing
	}
	for _, u := range p.uses() {
		c := u.claim
		switch {
		case !c.allocated && c.driver == "":
			return claimName(c) + " is not allocated, and the scheduler, which allocates it, does not look at a pod with spec.nodeName; use a node selector instead"
		case !c.allocated && len(p.unsuitable(u.name, []string{p.pod.Spec.NodeName})) > 0:
			return claimName(c) + " is not allocated, and the controller of " + c.driver + " finds node " + p.pod.Spec.NodeName + " unsuitable"
		case !c.allocated:
			return claimName(c) + " is not allocated; that is up to the controller of " + c.driver
		case slices.Contains(c.reserved, p.pod.uid):
		case !p.mayReserve(c):
			return claimName(c) + " is in use by another pod and cannot be shared"
		case refused(c) != "":
			return refused(c)
		default:
			return claimName(c) + " is not reserved for the pod"
		}
	}
	return ""
}

// tidy takes reservations back of pods that are known to be over.
func (p *player) tidy(c *claim) {
	list := items(c.tree, "status", "reservedFor")
	p.looks += len(list)
	var valid []any
	var reserved []string
	for _, r := range list {
		consumer, _ := r.(map[string]any)
		if text(consumer, "resource") != "pods" || text(consumer, "apiGroup") != "" {
			return // the controller fails
		}
		uid := text(consumer, "uid")
		switch other := p.named[inNamespace(text(c.tree, "metadata", "namespace"), text(consumer, "name"))]; {
		case other == nil:
			p.assume("pods that have claims reserved and are not in the text are running")
		case other.uid != uid || over(other):
			continue
		}
		valid, reserved = append(valid, r), append(reserved, uid)
	}
	structured := slices.Contains(c.finalizers, c.schedulersFinalizer())
	switch {
	case len(valid) < len(list):
		c.reserved = reserved
		set(c.tree, orNothing(valid), "status", "reservedFor")
		why := "a pod that the claim is reserved for is over, or was replaced by another one of its name: its reservation goes"
		if len(valid) == 0 && !c.immediate {
			if structured {
				c.deallocate()
				why += ", and with the last one the allocation"
			} else {
				c.deallocation = true
				set(c.tree, true, "status", "deallocationRequested")
				why += ", and with the last one the controller of " + c.by + " is asked to take the devices back"
			}
		}
		p.step(manager, claimName(c)+", status", why, c.shown(), claimName(c), "Pod")
		if structured && !c.allocated {
			p.unprotect(manager, c, c.schedulersFinalizer(), "the claim is not allocated any more, so it may go away")
		}
	case structured && c.deleted && len(valid) == 0:
		if c.allocated {
			c.deallocate()
			p.step(manager, claimName(c)+", status", "the claim is to be deleted and nobody has it reserved: its allocation goes", &c.document, claimName(c))
		}
		p.unprotect(manager, c, c.schedulersFinalizer(), "nothing keeps the claim any more")
	}
	if len(valid) == 0 {
		p.drop(c)
	}
}

// drop deletes a claim that was made for a pod which is over, or which another
// one of its name has replaced.
func (p *player) drop(c *claim) {
	owner := controllerOf(c.tree)
	if owner == nil || text(owner, "kind") != "Pod" || text(owner, "apiVersion") != "v1" || p.claims[c.key] != c {
		return
	}
	other := p.named[inNamespace(text(c.tree, "metadata", "namespace"), text(owner, "name"))]
	if other == nil || other.uid == text(owner, "uid") && !over(other) || c.deleted && len(c.finalizers) > 0 {
		return
	}
	why := "the claim was made for an older pod of this name, and nobody has it reserved: it is deleted"
	if len(c.finalizers) > 0 {
		c.deleted = true
		set(c.tree, "1970-01-01T00:00:00Z", "metadata", "deletionTimestamp")
		p.step(manager, claimName(c), why+", once its finalizers are gone", c.shown(), claimName(c), "Pod")
		return
	}
	delete(p.claims, c.key)
	p.step(manager, claimName(c), why, nil, claimName(c), "Pod")
}

// over tells whether a pod is known not to run any more.
func over(p *pod) bool {
	return fit.Ended(p.Pod) || p.DeletionTimestamp != nil && p.Spec.NodeName == ""
}

func orNothing(list []any) any {
	if len(list) == 0 {
		return nil
	}
	return list
}

// trigger asks the controllers to allocate for the node that the pod has.
func (p *player) trigger() {
	t := p.contexts[p.pod.key]
	if t != nil && t.selected == p.pod.Spec.NodeName {
		return
	}
	apiVersion, kind := p.contextKind()
	if t == nil {
		t = &talk{owned: true}
		t.tree = map[string]any{"apiVersion": apiVersion, "kind": kind, "metadata": map[string]any{
			"name": p.pod.Name, "namespace": namespaceOf(p.pod), "ownerReferences": []any{owner(p.pod)},
		}, "spec": map[string]any{}}
		p.contexts[p.pod.key] = t
	}
	t.selected = p.pod.Spec.NodeName
	set(t.tree, t.selected, "spec", "selectedNode")
	p.step(manager, p.contextName(p.pod.key)+", spec", "pod "+p.pod.key+" was created with spec.nodeName, so the scheduler does not look at it: allocation is triggered by selecting its node", &t.document, "Pod "+p.pod.key)
}

func namespaceOf(p *pod) string {
	if p.Namespace == "" {
		return "default"
	}
	return p.Namespace
}

// owner is the reference of what belongs to a pod.
func owner(p *pod) map[string]any {
	return map[string]any{"apiVersion": "v1", "kind": "Pod", "name": p.Name, "uid": p.uid, "controller": true}
}

// document is the pod as an object.
func (p *pod) document() *document {
	if p.written == nil {
		p.written = &document{treeOf(p.object.Raw), p.object}
	}
	return p.written
}

// nodeNamed selects one node.
func nodeNamed(name string) *corev1.NodeSelector {
	return &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{
		MatchFields: []corev1.NodeSelectorRequirement{{Key: "metadata.name", Operator: corev1.NodeSelectorOpIn, Values: []string{name}}},
	}}}
}
