package lint

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/drawbridge-dra/drawbridge/core/bundle"
	"github.com/drawbridge-dra/drawbridge/core/diag"
	"github.com/drawbridge-dra/drawbridge/core/feature"
)

// podClaim is one entry of a pod's resourceClaims.
type podClaim struct {
	pod   pod
	index int
	entry corev1.PodResourceClaim
	// generated is the claim that was made from a template already.
	generated string
}

func (p podClaim) at(field string) place {
	return p.pod.at("spec.resourceClaims", p.index, field)
}

// podClaims calls f for every entry of every pod that is not done. Mirror
// pods are left out: the API server lets them use no claims.
func (c *cluster) podClaims(f func(podClaim)) {
	for _, p := range c.pods {
		if phase := p.value.Status.Phase; phase == corev1.PodSucceeded || phase == corev1.PodFailed {
			continue
		}
		if _, mirror := p.value.Annotations[corev1.MirrorPodAnnotationKey]; mirror {
			continue
		}
		generated := map[string]string{}
		for _, s := range p.value.Status.ResourceClaimStatuses {
			if s.ResourceClaimName != nil {
				generated[s.Name] = *s.ResourceClaimName
			}
		}
		for i, entry := range p.value.Spec.ResourceClaims {
			f(podClaim{p, i, entry, generated[entry.Name]})
		}
	}
}

// spec returns the claim or the template behind the entry, nil where it is
// not in the bundle.
func (c *cluster) spec(p podClaim) *claimSpec {
	ns := p.pod.object.Ref.Namespace
	switch {
	case p.entry.ResourceClaimName != nil:
		return c.claims[named(ns, *p.entry.ResourceClaimName)]
	case p.entry.ResourceClaimTemplateName == nil:
		return nil
	}
	if s := c.claims[named(ns, p.generated)]; s != nil && p.generated != "" {
		return s
	}
	return c.templates[named(ns, *p.entry.ResourceClaimTemplateName)]
}

// reference describes the two kinds of objects that a pod may name.
type reference struct {
	kind   string
	field  string
	object map[name]*claimSpec
}

func missingClaim(c *cluster, r *reporter) {
	ref := reference{"ResourceClaim", "resourceClaimName", c.claims}
	others := namespacesOf(ref.object)
	c.podClaims(func(p podClaim) {
		if p.entry.ResourceClaimName != nil {
			c.missing(p, *p.entry.ResourceClaimName, ref, others, r)
		}
	})
}

// missingTemplate needs no template for a claim that was made already.
func missingTemplate(c *cluster, r *reporter) {
	ref := reference{"ResourceClaimTemplate", "resourceClaimTemplateName", c.templates}
	others := namespacesOf(ref.object)
	c.podClaims(func(p podClaim) {
		if p.entry.ResourceClaimTemplateName != nil && p.entry.ResourceClaimName == nil && p.generated == "" {
			c.missing(p, *p.entry.ResourceClaimTemplateName, ref, others, r)
		}
	})
}

// namespacesOf maps the bare name of an object to the first object that has
// it, in whichever namespace.
func namespacesOf(objects map[name]*claimSpec) map[string]*claimSpec {
	first := map[string]*claimSpec{}
	for n, s := range objects {
		if other := first[n.name]; other == nil || s.object.Ref.Index < other.object.Ref.Index {
			first[n.name] = s
		}
	}
	return first
}

// missing reports a reference to an object that is not there. It is an error
// where the bundle has objects of that kind in the pod's namespace, so that
// its author seems to bring along what the pod needs, or one of that name in
// another. Otherwise the object may well be in the cluster, and a remark is
// enough. A namespace that one of the two does not write down is decided when
// it is applied, so a difference is no more than a warning then.
func (c *cluster) missing(p podClaim, wanted string, ref reference, others map[string]*claimSpec, r *reporter) {
	full := named(p.pod.object.Ref.Namespace, wanted)
	if wanted == "" || c.has(ref.kind, full) || !c.knows(ref.kind) {
		return
	}
	beside := c.specNames[specGroup{ref.kind, full.namespace}]
	f := finding{
		at: p.at(ref.field), value: wanted, severity: c.remark(),
		message: fmt.Sprintf("%s %s is not in the %s; the pod stays pending until it exists", ref.kind, full, c.where()),
	}
	if len(beside) > 0 && c.around == nil {
		f.severity = diag.Error
	}
	if other := others[wanted]; other != nil {
		f.severity = diag.Error
		f.message = fmt.Sprintf("%s %s does not exist: the one of that name is in namespace %s, and a pod can only use those of its own namespace %s",
			ref.kind, full, other.name.namespace, full.namespace)
		f.related = related("the one in the other namespace", place{other.object, "metadata.name"})
		if p.pod.object.Ref.Namespace == "" || other.object.Ref.Namespace == "" {
			f.severity = diag.Warning
			f.message += "; write the namespace in both"
		}
	} else if meant := c.guess(wanted, beside); meant != "" {
		f.message += "; did you mean " + meant + "?"
		f.fix = replace(f.at, meant, "write "+meant)
	}
	r.report(f)
}

// claimUse is one claim that a container uses.
type claimUse = corev1.ResourceClaim

// containers calls f for every claim that a container of the pod uses.
func containers(p pod, f func(container string, at place, use claimUse)) {
	for _, list := range []struct {
		path       string
		containers []corev1.Container
	}{{"spec.initContainers", p.value.Spec.InitContainers}, {"spec.containers", p.value.Spec.Containers}} {
		for i, container := range list.containers {
			for j, use := range container.Resources.Claims {
				f(container.Name, p.at(list.path, i, "resources.claims", j), use)
			}
		}
	}
}

func containerClaimUnknown(c *cluster, r *reporter) {
	for _, p := range c.pods {
		names := map[string]bool{}
		var list []string
		for _, entry := range p.value.Spec.ResourceClaims {
			names[entry.Name] = true
			list = append(list, entry.Name)
		}
		containers(p, func(container string, at place, use claimUse) {
			if use.Name == "" || names[use.Name] {
				return
			}
			f := finding{
				at:      place{at.object, at.path + ".name"},
				value:   use.Name,
				message: fmt.Sprintf("container %s uses claim %s, which spec.resourceClaims of Pod %s does not list", container, use.Name, p.object.Ref.Name),
			}
			if meant := c.guess(use.Name, list); meant != "" {
				f.message += "; did you mean " + meant + "?"
				f.fix = replace(f.at, meant, "write "+meant)
			} else {
				f.message += "; add it there with the claim or template that it stands for"
			}
			r.report(f)
		})
	}
}

// containerRequestUnknown looks into the claim or template, where the bundle
// has it. The kubelet compares with the name of the request; the name of one
// of its alternatives never matches.
func containerRequestUnknown(c *cluster, r *reporter) {
	type use struct{ pod, name string }
	specs := map[use]*claimSpec{}
	id := func(p pod, n string) use { return use{fmt.Sprint(p.object.Ref.Index), n} }
	c.podClaims(func(p podClaim) {
		if s := c.spec(p); s != nil {
			specs[id(p.pod, p.entry.Name)] = s
		}
	})
	for _, p := range c.pods {
		containers(p, func(container string, at place, use claimUse) {
			s := specs[id(p, use.Name)]
			if s == nil || use.Request == "" || s.parents[use.Request] {
				return
			}
			f := finding{
				at:      place{at.object, at.path + ".request"},
				value:   use.Request,
				message: fmt.Sprintf("container %s uses request %s of claim %s, which %s does not have, so the container gets no device", container, use.Request, use.Name, s),
				related: related("its requests", s.at("devices.requests")),
			}
			parent, _, _ := strings.Cut(use.Request, "/")
			names := sortedKeys(s.parents)
			switch meant := c.guess(use.Request, names); {
			case s.parents[parent]:
				f.message += "; name the request, not its alternative: " + parent
				f.fix = replace(f.at, parent, "write "+parent)
			case meant != "":
				f.message += "; did you mean " + meant + "?"
				f.fix = replace(f.at, meant, "write "+meant)
			case len(names) > 0:
				f.message += "; it has " + few(names)
			}
			r.report(f)
		})
	}
}

// podBoundUnallocated is about pods that name their node themselves. A claim
// that is not in the bundle may be allocated, so only a template counts
// without its claim, and only while the pod's status names none.
// byController tells whether the controller of a driver allocates a claim once
// its pod has a node, as in Kubernetes 1.31.
func byController(c *cluster, o *bundle.Object) bool {
	controller, _ := o.At("spec.controller").Str()
	return controller != "" && c.set.Enabled(feature.DRAControlPlaneController)
}

func podBoundUnallocated(c *cluster, r *reporter) {
	last := -1
	c.podClaims(func(p podClaim) {
		node := p.pod.value.Spec.NodeName
		if node == "" || p.pod.object.Ref.Index == last {
			return
		}
		s := c.spec(p)
		var which string
		switch {
		case s != nil && s.claim != nil:
			if s.claim.Status.Allocation != nil || byController(c, s.object) {
				return
			}
			which = fmt.Sprintf("claim %s is not allocated", s.name)
		case p.entry.ResourceClaimTemplateName != nil && p.generated == "":
			which = fmt.Sprintf("the claim from template %s does not exist yet", *p.entry.ResourceClaimTemplateName)
		default:
			return
		}
		last = p.pod.object.Ref.Index
		selector := "nodeSelector: {kubernetes.io/hostname: " + node + "}"
		r.report(finding{
			at:    p.pod.at("spec.nodeName"),
			value: node,
			message: fmt.Sprintf("Pod %s sets nodeName, so no scheduler sees it, and %s: nothing allocates it, and the kubelet waits for ever; use %s instead",
				p.pod.object.Ref.Name, which, selector),
			fix: &diag.Suggestion{Message: "replace nodeName by " + selector},
		})
	})
}
