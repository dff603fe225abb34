package schedule

import (
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// Handover is what the kubelets get to see once the plan has been carried out.
type Handover struct {
	// Pods are those of the plan that have a node, each with its node, its
	// namespace, its UID and the names of its claims.
	Pods map[*Pod]*corev1.Pod
	// Claims are all that an API server would hold, by namespace/name.
	Claims map[string]*resourceapi.ResourceClaim
	// Of leads from each of Claims back to the claim of the plan.
	Of map[*resourceapi.ResourceClaim]*Claim
}

// Handover completes what the plan made: UIDs that no API server has given yet
// are derived from the names, and the same everywhere. What the plan holds
// stays as it is.
func (p *Plan) Handover() Handover {
	out := Handover{Pods: map[*Pod]*corev1.Pod{}, Claims: map[string]*resourceapi.ResourceClaim{}, Of: map[*resourceapi.ResourceClaim]*Claim{}}
	uids := map[string]types.UID{}
	for _, pod := range p.Pods {
		name := podName(pod.Pod)
		if _, twice := uids[name]; !twice {
			uids[name] = uidOf(pod.Pod)
		}
	}
	for _, c := range p.known {
		if c.Outcome == Invalid || c.gone != "" || out.Claims[c.Name()] != nil {
			continue
		}
		claim := withUIDs(c.Claim, uids)
		out.Claims[c.Name()], out.Of[claim] = claim, c
	}
	for _, pod := range p.Pods {
		if (pod.Outcome == Done || pod.Outcome == Before) && pod.Pod != nil {
			out.Pods[pod] = pod.handedOver(out.Claims)
		}
	}
	return out
}

// Join adds a pod with a node that the plan leaves out, because it uses no
// claims.
func (h Handover) Join(pod *corev1.Pod) *Pod {
	p := &Pod{Pod: pod, Outcome: Before, Node: pod.Spec.NodeName}
	h.Pods[p] = p.handedOver(h.Claims)
	return p
}

// withUIDs completes a copy of a claim: its own UID, and those of the pods
// that it names.
func withUIDs(c *resourceapi.ResourceClaim, pods map[string]types.UID) *resourceapi.ResourceClaim {
	c = c.DeepCopy()
	if c.UID == "" {
		c.UID = derivedUID("resourceclaim/" + c.Namespace + "/" + c.Name)
	}
	complete := func(name string, uid *types.UID) {
		// A pod that no API server has seen has a derived UID, whatever the
		// author of the claim wrote.
		if of, known := pods[c.Namespace+"/"+name]; known && (*uid == "" || of == derivedUID("pod/"+c.Namespace+"/"+name)) {
			*uid = of
		}
	}
	for i := range c.Status.ReservedFor {
		if r := &c.Status.ReservedFor[i]; r.APIGroup == "" && r.Resource == "pods" {
			complete(r.Name, &r.UID)
		}
	}
	for i := range c.OwnerReferences {
		if o := &c.OwnerReferences[i]; o.Kind == "Pod" {
			complete(o.Name, &o.UID)
		}
	}
	return c
}

// handedOver is the pod with what scheduler and controllers write into it.
func (p *Pod) handedOver(claims map[string]*resourceapi.ResourceClaim) *corev1.Pod {
	pod := p.Pod.DeepCopy()
	pod.Namespace, pod.UID = namespace(pod.Namespace), uidOf(p.Pod)
	pod.Spec.NodeName = p.Node
	pod.Status.ExtendedResourceClaimStatus = p.Extended
	for i, c := range p.Claims {
		entry := p.entries[i]
		if entry == "" || claims[c.Name()] == nil || !fromTemplate(pod, entry) {
			continue
		}
		name := c.Claim.Name
		status := claimStatus(pod, entry)
		status.ResourceClaimName = &name
	}
	return pod
}

func fromTemplate(pod *corev1.Pod, entry string) bool {
	for i := range pod.Spec.ResourceClaims {
		if e := &pod.Spec.ResourceClaims[i]; e.Name == entry {
			return e.ResourceClaimTemplateName != nil
		}
	}
	return false
}

// claimStatus finds or makes the entry in the status of a pod.
func claimStatus(pod *corev1.Pod, entry string) *corev1.PodResourceClaimStatus {
	list := &pod.Status.ResourceClaimStatuses
	for i := range *list {
		if (*list)[i].Name == entry {
			return &(*list)[i]
		}
	}
	*list = append(*list, corev1.PodResourceClaimStatus{Name: entry})
	return &(*list)[len(*list)-1]
}

// ReachesNode tells whether an allocation may be used on a node, which no
// kubelet looks at; it may where the allocation does not say.
func (c *Claim) ReachesNode(node *corev1.Node) bool {
	return c.Claim.Status.Allocation == nil || c.reaches(node)
}

// SelectorText puts the nodes of an allocation into words, as in "have x In [y]".
func SelectorText(selector *corev1.NodeSelector) string { return selectorText(selector) }

// ReservedAtFirst tells whether the claim came with an allocation and a
// reservation for the pod, before any of the plan.
func (c *Claim) ReservedAtFirst(pod *corev1.Pod) bool {
	origin, ok := c.Origin.(*resourceapi.ResourceClaim)
	if !ok || origin.Status.Allocation == nil {
		return false
	}
	for _, r := range origin.Status.ReservedFor {
		if r.APIGroup == "" && r.Resource == "pods" && r.Name == pod.Name && sameUID(r.UID, pod.UID) {
			return true
		}
		if r.Resource == podGroups && r.Name == groupName(pod) {
			return true
		}
	}
	return false
}

// Owner is the controller of a claim; nil for a claim that somebody wrote.
func (c *Claim) Owner() *metav1.OwnerReference { return metav1.GetControllerOf(c.Claim) }
