package lint

import (
	"fmt"

	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// controllerOf returns the owner that manages an object, if it is a pod, or
// a group of pods.
func controllerOf(o metav1.Object) *metav1.OwnerReference {
	owner := metav1.GetControllerOf(o)
	if owner == nil || owner.Kind != "Pod" && owner.Kind != "PodGroup" {
		return nil
	}
	return owner
}

// claimImitatesExtendedResource looks for the mark of the claims that the
// scheduler makes for pods with extended resources.
func claimImitatesExtendedResource(c *cluster, r *reporter) {
	if !c.on("DRAExtendedResource") {
		return
	}
	const mark = resourceapi.ExtendedResourceClaimAnnotation
	for _, s := range c.specs {
		if s.claim == nil {
			t, ok := s.object.Value.(*resourceapi.ResourceClaimTemplate)
			if ok && t.Spec.Annotations[mark] == "true" {
				r.report(finding{
					at: place{s.object, at("spec.metadata.annotations", key(mark))}, value: "true",
					message: fmt.Sprintf("claims from %s get the mark of the scheduler's own claims for extended resources (%s), and the scheduler would take them for those and delete them; remove the annotation", s, mark),
				})
			}
			continue
		}
		if s.claim.Annotations[mark] != "true" {
			continue
		}
		f := finding{at: place{s.object, at("metadata.annotations", key(mark))}, value: "true"}
		switch owner := controllerOf(s.claim); {
		case owner == nil:
			f.message = fmt.Sprintf("%s has the mark of the scheduler's own claims for extended resources (%s), and no pod controls it, so no pod gets it that way; remove the annotation", s, mark)
		case s.claim.Status.Allocation == nil && len(s.requests) > 0:
			f.message = fmt.Sprintf("%s has the mark of the scheduler's own claims for extended resources (%s), and the scheduler never writes one with requests and without an allocation: it keeps pod %s pending and deletes the claim; remove the annotation", s, mark, owner.Name)
		default:
			continue
		}
		r.report(f)
	}
}

// claimImitatesGenerated looks for the mark of claims that were made from a
// template, on claims that were not.
func claimImitatesGenerated(c *cluster, r *reporter) {
	const mark = resourceapi.PodResourceClaimAnnotation
	for _, s := range c.specs {
		if s.claim == nil || s.claim.Annotations[mark] == "" || controllerOf(s.claim) != nil {
			continue
		}
		entry := s.claim.Annotations[mark]
		r.report(finding{
			at: place{s.object, at("metadata.annotations", key(mark))}, value: entry,
			message: fmt.Sprintf("%s has the mark of claims that are made from a template (%s: %s), and no pod controls it: containers would look for its devices' metadata under resourceclaimtemplates/%s; remove the annotation, or use a template",
				s, mark, shorten(entry, 80), shorten(entry, 80)),
		})
	}
}

// generatedClaimNotOwned looks at the claims that a pod's status names. The
// scheduler and the kubelet take only those that the pod controls.
func generatedClaimNotOwned(c *cluster, r *reporter) {
	c.podClaims(func(p podClaim) {
		if p.entry.ResourceClaimTemplateName == nil || p.generated == "" {
			return
		}
		s := c.claims[named(p.pod.object.Ref.Namespace, p.generated)]
		if s == nil {
			return
		}
		owner := metav1.GetControllerOf(s.claim)
		who := "is controlled by nobody"
		if owner != nil {
			if owner.Kind == "PodGroup" || owner.Kind == "Pod" && owner.Name == p.pod.value.Name && (p.pod.value.UID == "" || owner.UID == p.pod.value.UID) {
				return
			}
			who = fmt.Sprintf("is controlled by %s %s", owner.Kind, owner.Name)
			if owner.Kind == "Pod" && owner.Name == p.pod.value.Name {
				who = "is controlled by an earlier pod of that name"
			}
		}
		r.report(finding{
			at: p.at("name"), value: p.entry.Name,
			message: fmt.Sprintf("the status of Pod %s says that claim %s was made for its entry %s, and that claim %s: the scheduler and the kubelet refuse it, so the pod never starts; delete the claim, and a new one is made",
				p.pod.object.Ref.Name, s.name, p.entry.Name, who),
			related: related("the claim", place{s.object, "metadata.name"}),
		})
	})
}
