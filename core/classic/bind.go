package classic

import (
	"fmt"
	"slices"

	"github.com/drawbridge-dra/drawbridge/core/past"
)

// release takes back what the pod has reserved: that is how an attempt ends
// which does not bind the pod, even if a controller has made the reservation.
func (p *player) release(uses []use) {
	for _, u := range uses {
		c := u.claim
		at := slices.Index(c.reserved, p.pod.uid)
		if at < 0 || !c.allocated {
			continue
		}
		c.reserved = slices.Delete(slices.Clone(c.reserved), at, at+1)
		var left []any
		for _, r := range items(c.tree, "status", "reservedFor") {
			if consumer, _ := r.(map[string]any); text(consumer, "uid") != p.pod.uid {
				left = append(left, r)
			}
		}
		set(c.tree, orNothing(left), "status", "reservedFor")
		p.step(scheduler, claimName(c)+", status", "the attempt ends without a node for pod "+p.pod.key+", and the scheduler takes all its reservations back; it reserves the claim again when it can bind the pod", c.shown(), claimName(c))
	}
}

// refused says why the API server takes no more reservations of an allocated
// claim; empty if it does.
func refused(c *claim) string {
	switch {
	case c.deallocation:
		return claimName(c) + " is to be allocated anew, and the API server refuses reservations until then"
	case c.deleted:
		return claimName(c) + " is being deleted, and the API server refuses reservations"
	case len(c.reserved) >= past.MostConsumers:
		return fmt.Sprintf("%s is reserved for %d pods, and the API server refuses one more; wait for one of them to end", claimName(c), past.MostConsumers)
	}
	return ""
}

// shown is the claim as it is shown; nil once it has devices that are not known
// here.
func (c *claim) shown() *document {
	if c.vague {
		return nil
	}
	return &c.document
}

// schedulersFinalizer is that of claims which the scheduler has allocated.
func (c *claim) schedulersFinalizer() string {
	if c.old {
		return structuredFinalizer
	}
	return "resource.kubernetes.io/delete-protection"
}

// bind reserves all claims, binds the pod and deletes the context. It says what
// is in the way of that.
func (p *player) bind(uses []use, node string) string {
	var open []use
	for _, u := range uses {
		if !slices.Contains(u.claim.reserved, p.pod.uid) {
			open = append(open, u)
		}
	}
	names := map[*claim]string{}
	for _, u := range open {
		c := u.claim
		before, twice := names[c]
		if !twice {
			names[c] = u.name
		}
		switch {
		case twice && p.opts.Minor < 31:
			continue // it is reserved already, which is no mistake there
		case twice:
			p.release(uses)
			return fmt.Sprintf("%s stands for %s and for %s of the pod: the scheduler of this version reserves it twice, which the API server refuses; use it under one name", claimName(c), before, u.name)
		case refused(c) != "":
			p.release(uses)
			return refused(c)
		case !c.allocated:
			p.protect(scheduler, c, c.schedulersFinalizer(), "before it allocates, the scheduler adds its finalizer %s")
			c.allocated, c.vague = true, true
			c.nodes = nodeNamed(node)
			p.reserve(c)
			p.step(scheduler, claimName(c)+", status", "the claim has no controller: the scheduler allocates it and reserves it in one write; POST /v1/allocate shows which devices", nil, claimName(c), "ResourceSlice")
		default:
			p.reserve(c)
			p.step(scheduler, claimName(c)+", status", "the claim is allocated and available on node "+node+"; it is reserved for pod "+p.pod.key, c.shown(), claimName(c))
		}
	}
	set(p.pod.document().tree, node, "spec", "nodeName")
	p.step(scheduler, "Pod "+p.pod.key+", binding", "every claim is allocated and reserved; the pod is bound to node "+node, p.pod.document(), "Pod "+p.pod.key)
	if p.contexts[p.pod.key] != nil && len(uses) > 0 {
		p.step(scheduler, p.contextName(p.pod.key), "the pod has its node, so nobody needs the object any more: it is deleted", nil)
		delete(p.contexts, p.pod.key)
	}
	for _, n := range p.nodes {
		if n.Name == node {
			n.Add(p.pod.fit)
			break
		}
	}
	p.node = node
	p.end(Scheduled, "")
	return ""
}
