package classic

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
)

// makeClaims makes the claims that templates stand for, and notes in the status
// of the pod what they are called. It tells whether all went well.
func (p *player) makeClaims() bool {
	var made []corev1.PodResourceClaimStatus
	last := map[string]int{} // of an entry's name
	var found orphans
	for _, e := range p.entries() {
		if p.spent() {
			return false
		}
		if e.template == "" || e.made && (e.key == "" || e.claim != nil && p.pod.owns(e.claim)) {
			continue
		}
		if found == nil {
			found = p.orphans()
		}
		c := p.claims[found.key(p.pod, e.name)]
		if c == nil {
			t := p.templates[e.template]
			if t == nil || p.opts.Minor < namesInStatus && e.claim != nil {
				return false
			}
			c = p.makeClaim(t, e)
			found.add(c)
		}
		name := text(c.tree, "metadata", "name")
		last[e.name] = len(made)
		made = append(made, corev1.PodResourceClaimStatus{Name: e.name, ResourceClaimName: &name})
	}
	if len(made) == 0 || p.opts.Minor < namesInStatus {
		return true
	}
	p.pod.made = slices.DeleteFunc(slices.Clone(p.pod.made), func(old corev1.PodResourceClaimStatus) bool {
		_, again := last[old.Name]
		return again
	})
	for i, s := range made {
		if last[s.Name] == i {
			p.pod.made = append(p.pod.made, s)
		}
	}
	var list []any
	for _, s := range p.pod.made {
		entry := map[string]any{"name": s.Name}
		if s.ResourceClaimName != nil {
			entry["resourceClaimName"] = *s.ResourceClaimName
		}
		list = append(list, entry)
	}
	set(p.pod.document().tree, list, "status", "resourceClaimStatuses")
	p.step(manager, "Pod "+p.pod.key+", status", "what the claims are called is noted in the status of the pod, where everybody looks for it", p.pod.document(), "Pod "+p.pod.key)
	return true
}

// claimAnnotation tells which entry of a pod a claim was made for.
const claimAnnotation = "resource.kubernetes.io/pod-claim-name"

// orphans are the keys of claims that were made for the pod, by what tells the
// entry: the annotation, or else the name.
type orphans map[orphan]string

type orphan struct{ annotation, name string }

// orphans finds claims that were made for the pod before its status was written.
func (p *player) orphans() orphans {
	p.looks += len(p.claims)
	out := orphans{}
	for key, c := range p.claims {
		if p.pod.owns(c) && inNamespace(p.pod.Namespace, text(c.tree, "metadata", "name")) == key {
			out.add(c)
		}
	}
	return out
}

// add notes a claim; of those alike the first by its key counts.
func (o orphans) add(c *claim) {
	var of orphan
	if annotation, noted := get(c.tree, "metadata", "annotations", claimAnnotation).(string); noted {
		of.annotation = annotation
	} else {
		of.name = text(c.tree, "metadata", "name")
	}
	if before, known := o[of]; !known || c.key < before {
		o[of] = c.key
	}
}

// key is that of the claim for an entry; empty for none.
func (o orphans) key(p *pod, entry string) string {
	noted, named := o[orphan{annotation: entry}], o[orphan{name: generatedName(p, entry)}]
	if noted == "" || named != "" && named < noted {
		return named
	}
	return noted
}

func (p *player) makeClaim(t *template, e entry) *claim {
	name := generatedName(p.pod, e.name)
	for p.claims[inNamespace(p.pod.Namespace, name)] != nil {
		name += "-x"
	}
	metadata, _ := copyOf(get(t.tree, "spec", "metadata")).(map[string]any)
	if metadata == nil {
		metadata = map[string]any{}
	}
	metadata["name"], metadata["namespace"] = name, namespaceOf(p.pod)
	reference := owner(p.pod)
	reference["blockOwnerDeletion"] = true
	metadata["ownerReferences"] = []any{reference}
	set(metadata, e.name, "annotations", claimAnnotation)
	tree := map[string]any{"apiVersion": t.tree["apiVersion"], "kind": "ResourceClaim", "metadata": metadata}
	if spec := copyOf(get(t.tree, "spec", "spec")); spec != nil {
		tree["spec"] = spec
	}
	if p.opts.Minor == 31 && !p.opts.Controllers {
		set(tree, nil, "spec", "controller") // which the API server does not take
	}
	c := p.read(tree, nil)
	p.claims[c.key] = c
	p.assume("claims that are made from a template are named after pod and entry; a cluster appends five characters")
	p.step(manager, claimName(c), fmt.Sprintf("claim %s of the pod stands for a template: a claim of its own is made for it", e.name), &c.document, "Pod "+p.pod.key, "ResourceClaimTemplate "+e.template)
	return c
}
