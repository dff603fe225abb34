package classic

// entry is what stands in a pod's list of claims.
type entry struct {
	name string
	// made is unset while kube-controller-manager has a claim to make.
	made bool
	// own is set for a claim that must have been made for the pod.
	own bool
	// key is the claim's; empty if the pod turned out to need none.
	key string
	// template is the key of a template.
	template string
	claim    *claim
}

// entries lists what the pod names, and the claims that there are for it.
func (p *player) entries() []entry {
	noted := map[string]*string{}
	for _, s := range p.pod.made {
		if _, known := noted[s.Name]; !known {
			noted[s.Name] = s.ResourceClaimName
		}
	}
	var out []entry
	for i := range p.pod.Spec.ResourceClaims {
		r := &p.pod.Spec.ResourceClaims[i]
		e := entry{name: r.Name}
		switch {
		case r.ResourceClaimName != nil:
			e.made, e.key = true, inNamespace(p.pod.Namespace, *r.ResourceClaimName)
		case r.ResourceClaimTemplateName != nil:
			e.own, e.template = true, inNamespace(p.pod.Namespace, *r.ResourceClaimTemplateName)
			if p.opts.Minor < namesInStatus {
				e.made, e.key = true, inNamespace(p.pod.Namespace, generatedName(p.pod, r.Name))
				break
			}
			var name *string
			if name, e.made = noted[r.Name]; name != nil {
				e.key = inNamespace(p.pod.Namespace, *name)
			}
		}
		if e.key != "" {
			e.claim = p.claims[e.key]
		}
		out = append(out, e)
	}
	return out
}

// namesInStatus is the version that began to append characters to the names of
// claims, and to note them in the status of the pod.
const namesInStatus = 28

func generatedName(p *pod, name string) string { return p.Name + "-" + name }

// owns tells whether the claim was made for the pod.
func (p *pod) owns(c *claim) bool { return text(controllerOf(c.tree), "uid") == p.uid }

// controllerOf is the reference to what an object was made for; nil if there is
// none.
func controllerOf(tree map[string]any) map[string]any {
	for _, r := range items(tree, "metadata", "ownerReferences") {
		owner, _ := r.(map[string]any)
		if controls, _ := owner["controller"].(bool); controls {
			return owner
		}
	}
	return nil
}

// use is a claim under the name that the pod gives it.
type use struct {
	name  string
	claim *claim
	// asked is the name under which the scheduler looks for answers. It counts
	// the claims, so that it is another one behind an entry without a claim.
	asked string
}

// uses lists the claims of the pod that exist.
func (p *player) uses() []use {
	var out []use
	for _, e := range p.entries() {
		if e.claim != nil {
			out = append(out, use{e.name, e.claim, p.pod.Spec.ResourceClaims[len(out)].Name})
		}
	}
	return out
}
