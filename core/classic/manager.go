package classic

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
)

// What kube-controller-manager does is that of its controller resourceclaim in
// Kubernetes 1.31.

// makeClaims makes the claims that templates stand for. It says what is missing
// to do so.
func (p *player) makeClaims() string {
	for i := range p.pod.Spec.ResourceClaims {
		r := &p.pod.Spec.ResourceClaims[i]
		if p.claimOf(r) != nil {
			continue
		}
		if r.ResourceClaimTemplateName == nil {
			name := r.Name
			if r.ResourceClaimName != nil {
				name = *r.ResourceClaimName
			}
			return fmt.Sprintf("ResourceClaim %s does not exist; create it", inNamespace(p.pod.Namespace, name))
		}
		t := p.templateOf(r)
		if t == nil {
			return fmt.Sprintf("ResourceClaimTemplate %s does not exist; create it", inNamespace(p.pod.Namespace, *r.ResourceClaimTemplateName))
		}
		p.makeClaim(t, r)
	}
	return ""
}

func (p *player) makeClaim(t *template, r *corev1.PodResourceClaim) {
	name := generatedName(p.pod, r)
	metadata, _ := copyOf(get(t.tree, "spec", "metadata")).(map[string]any)
	if metadata == nil {
		metadata = map[string]any{}
	}
	metadata["name"], metadata["namespace"] = name, namespaceOf(p.pod)
	metadata["ownerReferences"] = []any{owner(p.pod)}
	set(metadata, r.Name, "annotations", "resource.kubernetes.io/pod-claim-name")
	tree := map[string]any{"apiVersion": t.tree["apiVersion"], "kind": "ResourceClaim", "metadata": metadata}
	if spec := copyOf(get(t.tree, "spec", "spec")); spec != nil {
		tree["spec"] = spec
	}
	c := p.read(tree, nil)
	p.claims[c.key] = c
	p.assume("claims that are made from a template are named after pod and entry; a cluster appends five characters")
	p.step(manager, claimName(c), fmt.Sprintf("claim %s of the pod stands for a template: a claim of its own is made for it", r.Name), &c.document, "Pod "+p.pod.key, "ResourceClaimTemplate "+inNamespace(p.pod.Namespace, *r.ResourceClaimTemplateName))
}

// reserveOrTrigger does for a pod that has a node already what the scheduler
// would have done. It says what is still missing.
func (p *player) reserveOrTrigger() string {
	for _, u := range p.uses() {
		c := u.claim
		switch {
		case !c.allocated:
			p.trigger()
			if c.driver == "" {
				return claimName(c) + " is not allocated, and the scheduler, which allocates it, does not look at a pod with spec.nodeName; use a node selector instead"
			}
			if c.deallocation {
				return claimName(c) + " is to be allocated anew"
			}
			return claimName(c) + " is not allocated; that is up to the controller of " + c.driver
		case slices.Contains(c.reserved, p.pod.uid):
		case p.mayReserve(c):
			p.reserve(c)
			p.step(manager, claimName(c)+", status", "pod "+p.pod.key+" has a node and the claim is allocated, but not reserved for it: that is done now", &c.document, "Pod "+p.pod.key, claimName(c))
		default:
			return claimName(c) + " is in use by another pod and cannot be shared"
		}
	}
	return ""
}

// trigger asks the controllers to allocate for the node that the pod has.
func (p *player) trigger() {
	t := p.contexts[p.pod.key]
	if t != nil && (t.selected == p.pod.Spec.NodeName || !t.owned) {
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
	return map[string]any{"apiVersion": "v1", "kind": "Pod", "name": p.Name, "uid": p.uid, "controller": true, "blockOwnerDeletion": true}
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
