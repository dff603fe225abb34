package classic

import (
	"fmt"
	"slices"

	"github.com/drawbridge-dra/drawbridge/core/past"
)

// What a controller does is that of Kubernetes' library for them, package
// k8s.io/dynamic-resource-allocation/controller of 1.31 and 1.30.

// controller lets the controller of one driver act once on all that the pod
// has to do with.
func (p *player) controller(driver string) {
	for _, u := range p.uses() {
		p.syncClaim(driver, u.claim)
	}
	p.syncTalk(driver)
}

// finalizerOf keeps a claim from going away before its driver has let go.
func finalizerOf(driver string) string { return driver + "/deletion-protection" }

func actorOf(driver string) string { return "controller of " + driver }

// syncClaim gives devices back, and allocates what is not to wait for a pod.
func (p *player) syncClaim(driver string, c *claim) {
	actor := actorOf(driver)
	switch {
	case len(c.reserved) > 0:
		// In use: there is nothing to do now.
	case c.deleted || c.deallocation:
		finalizer := finalizerOf(driver)
		if !slices.Contains(c.finalizers, finalizer) {
			return
		}
		if c.allocated || c.deallocation {
			c.deallocate()
			p.step(actor, claimName(c)+", status", "nobody has the claim reserved and its allocation is to go: the driver takes the devices back, then the controller removes status.allocation and status.deallocationRequested", &c.document, claimName(c))
		}
		p.unprotect(actor, c, finalizer, "nothing of the driver depends on the claim any more")
	case !c.allocated && c.immediate && c.driver == driver:
		p.assume("the controller can allocate claims with allocationMode Immediate, for every node")
		p.protect(actor, c, finalizerOf(driver), "before it allocates, the controller adds its finalizer %s, so that the claim cannot go away with devices in use")
		p.allocate(driver, c, "")
		p.step(actor, claimName(c)+", status", "allocationMode is Immediate: the controller allocates as soon as the claim is there, whatever pod comes", &c.document, claimName(c))
	}
}

// deallocate removes all that speaks of an allocation.
func (c *claim) deallocate() {
	c.allocated, c.deallocation, c.vague, c.by, c.nodes = false, false, false, "", nil
	set(c.tree, nil, "status", "allocation")
	set(c.tree, nil, "status", "deallocationRequested")
	set(c.tree, nil, "status", "driverName")
}

func (c *claim) setFinalizers(list []string) {
	if c.finalizers = list; len(list) == 0 {
		set(c.tree, nil, "metadata", "finalizers")
		return
	}
	set(c.tree, strings(list), "metadata", "finalizers")
}

// protect adds a finalizer before anything is allocated for a claim.
func (p *player) protect(actor string, c *claim, finalizer, why string) {
	if slices.Contains(c.finalizers, finalizer) {
		return
	}
	c.setFinalizers(append(slices.Clone(c.finalizers), finalizer))
	p.step(actor, claimName(c), fmt.Sprintf(why, finalizer), c.shown(), claimName(c))
}

// unprotect removes a finalizer; a claim that waits for that is gone then.
func (p *player) unprotect(actor string, c *claim, finalizer, why string) {
	c.setFinalizers(slices.DeleteFunc(slices.Clone(c.finalizers), func(f string) bool { return f == finalizer }))
	why += ", so the finalizer " + finalizer + " goes"
	after := c.shown()
	if c.deleted && len(c.finalizers) == 0 {
		delete(p.claims, c.key)
		after = nil
		why += ", and the claim with it"
	}
	p.step(actor, claimName(c), why, after, claimName(c))
}

// allocate writes an allocation for a node, or for all.
func (p *player) allocate(driver string, c *claim, node string) {
	c.allocated, c.by = true, driver
	allocation, field := map[string]any{}, "nodeSelector"
	if c.old {
		set(c.tree, driver, "status", "driverName")
		field = "availableOnNodes"
		if p.opts.Minor > 26 {
			allocation["resourceHandles"] = []any{map[string]any{"driverName": driver}}
		}
	} else {
		allocation["controller"] = driver
	}
	if node != "" {
		c.nodes = nodeNamed(node)
		allocation[field] = map[string]any{"nodeSelectorTerms": []any{map[string]any{
			"matchFields": []any{map[string]any{"key": "metadata.name", "operator": "In", "values": []any{node}}},
		}}}
	}
	set(c.tree, allocation, "status", "allocation")
}

// reserve enters the pod into a claim.
func (p *player) reserve(c *claim) {
	c.reserved = append(c.reserved, p.pod.uid)
	list := items(c.tree, "status", "reservedFor")
	set(c.tree, append(slices.Clone(list), map[string]any{"resource": "pods", "name": p.pod.Name, "uid": p.pod.uid}), "status", "reservedFor")
}

// syncTalk answers the scheduler, and allocates for the node that it has
// selected.
func (p *player) syncTalk(driver string) {
	t := p.contexts[p.pod.key]
	if t == nil || !t.owned || t.selected == "" && len(t.potential) == 0 {
		return
	}
	mine, failed := p.pending(driver)
	if failed || len(mine) == 0 {
		return
	}
	asked := slices.Clone(t.potential)
	if t.selected != "" && !slices.Contains(asked, t.selected) {
		asked = append(asked, t.selected)
	}
	unsuitable := make([][]string, len(mine))
	if len(t.potential) > 0 {
		for i, u := range mine {
			unsuitable[i] = p.unsuitable(u.name, asked)
		}
	}
	if t.selected != "" && !slices.ContainsFunc(unsuitable, func(nodes []string) bool { return slices.Contains(nodes, t.selected) }) {
		if !p.allocateAll(driver, t, mine) {
			return
		}
	}
	p.answer(driver, t, mine, unsuitable, asked)
}

// pending lists the claims that the controller has to allocate for the pod. It
// fails, and tries again later, if anything is missing for that.
func (p *player) pending(driver string) (mine []use, failed bool) {
	for _, e := range p.entries() {
		c := e.claim
		switch {
		case !e.made, c != nil && e.own && !p.pod.owns(c):
			return nil, true
		case c == nil || c.allocated || c.driver != driver:
			continue
		}
		for _, name := range c.classes {
			if p.classes[name] == nil {
				return nil, true
			}
		}
		mine = append(mine, use{name: e.name, claim: c})
	}
	return mine, false
}

// allocateAll allocates for the selected node. It tells whether all went well:
// a driver that was not asked about nodes can still say no, and what it has to
// allocate twice fails the second time.
func (p *player) allocateAll(driver string, t *talk, mine []use) bool {
	var able []use
	var added []*claim
	well := true
	for _, u := range mine {
		if slices.Contains(added, u.claim) {
			well = false // its finalizer was added to what is there no more
			continue
		}
		if !slices.Contains(u.claim.finalizers, finalizerOf(driver)) {
			added = append(added, u.claim)
		}
		p.protect(actorOf(driver), u.claim, finalizerOf(driver), "before it allocates, the controller adds its finalizer %s, so that the claim cannot go away with devices in use")
		able = append(able, u)
	}
	for _, u := range able {
		if u.claim.allocated || len(p.unsuitable(u.name, []string{t.selected})) > 0 {
			well = false
			continue
		}
		p.allocate(driver, u.claim, t.selected)
		p.reserve(u.claim)
		p.assume("an allocation by a controller is for the selected node alone")
		p.step(actorOf(driver), claimName(u.claim)+", status",
			fmt.Sprintf("node %s is selected and the driver has nothing against it: the controller allocates, and reserves the claim for pod %s in the same write", t.selected, p.pod.key),
			&u.claim.document, p.contextName(p.pod.key), "Pod "+p.pod.key, claimName(u.claim))
	}
	return well
}

// unsuitable is what the controller has against nodes for a claim.
func (p *player) unsuitable(name string, asked []string) []string {
	out := []string{}
	known := false
	for _, a := range p.answers[p.pod.key] {
		if a.Name == name {
			known = true
			for _, node := range asked {
				if slices.Contains(a.UnsuitableNodes, node) {
					out = append(out, node)
				}
			}
		}
	}
	if !known {
		p.assume("a controller of which no PodSchedulingContext in the text has an answer finds every node suitable")
	}
	return out
}

// answer writes what the controller has against the nodes, if that is news.
func (p *player) answer(driver string, t *talk, mine []use, unsuitable [][]string, asked []string) {
	news, against := false, 0
	for i, u := range mine {
		nodes := unsuitable[i]
		against += len(nodes)
		if n := len(nodes); n > past.MostSchedulingNodes {
			if nodes[0] == t.selected {
				nodes = nodes[:n-1]
			} else {
				nodes = nodes[1:]
			}
		}
		at := slices.IndexFunc(t.claims, func(c past.ClaimScheduling) bool { return c.Name == u.name })
		switch {
		case at < 0:
			t.claims = append(slices.Clone(t.claims), past.ClaimScheduling{Name: u.name, UnsuitableNodes: nodes})
			news = true
		case !slices.Equal(t.claims[at].UnsuitableNodes, unsuitable[i]):
			t.claims = slices.Clone(t.claims)
			t.claims[at].UnsuitableNodes = nodes
			news = true
		}
	}
	if !news {
		return
	}
	var list []any
	for _, c := range t.claims {
		entry := map[string]any{"name": c.Name}
		if len(c.UnsuitableNodes) > 0 {
			entry["unsuitableNodes"] = strings(c.UnsuitableNodes)
		}
		list = append(list, entry)
	}
	set(t.tree, list, "status", "resourceClaims")
	why := fmt.Sprintf("of %s the driver has nothing against any", quantity(len(asked), "node"))
	switch {
	case len(t.potential) == 0:
		why = "the controller notes its claim; nobody has asked it about nodes"
	case against > 0:
		why = fmt.Sprintf("the driver cannot allocate everywhere on %s that it was asked about; the scheduler will leave those out", quantity(len(asked), "node"))
	}
	p.step(actorOf(driver), p.contextName(p.pod.key)+", status", why, &t.document, p.contextName(p.pod.key), "Pod "+p.pod.key)
}
