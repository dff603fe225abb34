package schedule

import (
	"crypto/sha256"
	"fmt"
	"maps"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	schedulingapi "k8s.io/api/scheduling/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/drawbridge-dra/drawbridge/core/nearest"
)

// claimOf finds or makes the claim for an entry of a pod. Both results are
// nil for an entry for which no claim is needed. The field of a reason that
// has no claim is a path inside the entry.
func (p *planner) claimOf(pod *corev1.Pod, entry *corev1.PodResourceClaim, group *schedulingapi.PodGroup) (*Claim, *Reason) {
	ns := namespace(pod.Namespace)
	switch {
	case entry.ResourceClaimName != nil && entry.ResourceClaimTemplateName == nil:
		c, ok := p.byName[ns+"/"+*entry.ResourceClaimName]
		if !ok {
			return nil, &Reason{Code: ClaimMissing, Field: ".resourceClaimName",
				Message: fmt.Sprintf("ResourceClaim %s/%s does not exist%s", ns, *entry.ResourceClaimName, p.claimHint(ns, *entry.ResourceClaimName))}
		}
		return p.usable(c, pod)
	case entry.ResourceClaimTemplateName != nil && entry.ResourceClaimName == nil:
		of := podParent(pod)
		if groupHas(group, entry) {
			of = groupParent(group)
		}
		return p.fromTemplate(pod, entry, of)
	}
	return nil, &Reason{Code: PodEntry,
		Message: fmt.Sprintf("entry %s of spec.resourceClaims must name exactly one of resourceClaimName and resourceClaimTemplateName", entry.Name)}
}

func (p *planner) usable(c *Claim, pod *corev1.Pod) (*Claim, *Reason) {
	switch {
	case c.Outcome == Invalid:
		return c, &Reason{Code: ClaimInvalid, Claim: c, Message: fmt.Sprintf("ResourceClaim %s is refused by the API server; see the findings", c.Name())}
	case c.gone != "" || c.Claim.DeletionTimestamp != nil && pod.Spec.NodeName == "":
		return c, &Reason{Code: ClaimMissing, Claim: c, Message: fmt.Sprintf("ResourceClaim %s is being deleted", c.Name())}
	}
	return c, nil
}

func (p *planner) claimHint(ns, name string) string {
	var names []string
	for _, c := range p.claims {
		if c.Claim.Namespace == ns {
			names = append(names, c.Claim.Name)
		} else if c.Claim.Name == name {
			return fmt.Sprintf(" (there is one in namespace %s)", c.Claim.Namespace)
		}
	}
	if near := nearest.Name(name, names); near != "" {
		return fmt.Sprintf(" (did you mean %s?)", near)
	}
	return ""
}

// fromTemplate finds the claim that the controller has made for the entry
// already, or makes it as the controller would.
func (p *planner) fromTemplate(pod *corev1.Pod, entry *corev1.PodResourceClaim, of parent) (*Claim, *Reason) {
	name, made := of.known[entry.Name]
	if !made {
		name, made = podParent(pod).known[entry.Name]
	}
	if made {
		if name == nil {
			return nil, nil
		}
		if c, ok := p.byName[of.namespace+"/"+*name]; ok {
			if !of.owns(c.Claim) {
				return c, &Reason{Code: ClaimForeign, Claim: c, Field: "metadata.ownerReferences",
					Message: fmt.Sprintf("the status of the pod names %s for entry %s, and %s %s does not own it; delete it, so that another one is made", c.Name(), entry.Name, of.owner.Kind, of.name)}
			}
			return p.usable(c, pod)
		}
	}
	for _, c := range p.generated[[3]string{of.namespace, of.name, entry.Name}] {
		if c.gone == "" && of.owns(c.Claim) {
			return p.usable(c, pod)
		}
	}
	if of.over {
		return nil, nil
	}
	full := of.namespace + "/" + *entry.ResourceClaimTemplateName
	t, ok := p.templates[full]
	if !ok {
		return nil, &Reason{Code: TemplateMissing, Field: ".resourceClaimTemplateName", Message: fmt.Sprintf("ResourceClaimTemplate %s does not exist%s", full, p.templateHint(of.namespace, *entry.ResourceClaimTemplateName))}
	}
	c := &Claim{Claim: generate(of, entry.Name, t), Origin: t, Outcome: Unfit}
	if p.Invalid[t] {
		c.Outcome = Invalid
		c.Message = "the API server refuses the template; see the findings"
		return c, &Reason{Code: ClaimInvalid, Claim: c, Message: fmt.Sprintf("ResourceClaimTemplate %s is refused by the API server; see the findings", full)}
	}
	p.claims = append(p.claims, c)
	p.byName[c.Name()] = c
	p.noteGenerated(c)
	return c, nil
}

// noteGenerated remembers for whom and for which of their entries a claim was
// made.
func (p *planner) noteGenerated(c *Claim) {
	entry, owner := c.Claim.Annotations[resourceapi.PodResourceClaimAnnotation], metav1.GetControllerOf(c.Claim)
	if entry != "" && owner != nil {
		key := [3]string{c.Claim.Namespace, owner.Name, entry}
		p.generated[key] = append(p.generated[key], c)
	}
}

func (p *planner) templateHint(ns, name string) string {
	var names []string
	for _, t := range p.Templates {
		if namespace(t.Namespace) == ns {
			names = append(names, t.Name)
		} else if t.Name == name {
			return fmt.Sprintf(" (there is one in namespace %s)", namespace(t.Namespace))
		}
	}
	if near := nearest.Name(name, names); near != "" {
		return fmt.Sprintf(" (did you mean %s?)", near)
	}
	return ""
}

// generate makes the claim for a template as the resourceclaim controller
// does, except for the random end of its name, which is derived.
func generate(of parent, entry string, t *resourceapi.ResourceClaimTemplate) *resourceapi.ResourceClaim {
	c := &resourceapi.ResourceClaim{Spec: *t.Spec.Spec.DeepCopy()}
	c.GenerateName = generateName(of.name, entry)
	c.Name = c.GenerateName + suffix(of.namespace+"/"+of.name+"/"+entry)
	c.Namespace = of.namespace
	c.Labels = maps.Clone(t.Spec.Labels)
	c.Annotations = maps.Clone(t.Spec.Annotations)
	if c.Annotations == nil {
		c.Annotations = map[string]string{}
	}
	c.Annotations[resourceapi.PodResourceClaimAnnotation] = entry
	c.OwnerReferences = []metav1.OwnerReference{of.owner}
	return c
}

// maxGenerateName leaves room for the suffix in a name of 63 bytes, less one.
const maxGenerateName = 57

// generateName follows the controller: where pod and entry together are too
// long, both are cut in proportion, and the final dash is lost.
func generateName(pod, entry string) string {
	name := pod + "-" + entry + "-"
	if len(name) <= maxGenerateName {
		return name
	}
	podLength := len(pod) * maxGenerateName / len(name)
	entryLength := len(entry) * maxGenerateName / len(name)
	return pod[:podLength] + "-" + entry[:entryLength]
}

// suffix stands in for the five random characters of a generated name. The
// alphabet is the one that the API server draws from.
func suffix(of string) string {
	const alphabet = "bcdfghjklmnpqrstvwxz2456789"
	sum := sha256.Sum256([]byte(of))
	out := make([]byte, 5)
	for i := range out {
		out[i] = alphabet[int(sum[i])%len(alphabet)]
	}
	return string(out)
}
