package schedule

import (
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	schedulingapi "k8s.io/api/scheduling/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/drawbridge-dra/drawbridge/core/fit"
)

// releaser takes back what consumers hold that are no more, as the
// resourceclaim controller does.
type releaser struct {
	*planner
	// complete are the namespaces of which the bundle holds all pods: it has
	// running ones that an API server has seen, which is what kubectl prints.
	complete map[string]bool
	freed    []string
	kept     []string
}

func (p *planner) releaser() *releaser {
	r := &releaser{planner: p, complete: map[string]bool{}}
	for _, pod := range p.Pods {
		if pod.UID != "" && pod.Spec.NodeName != "" {
			r.complete[namespace(pod.Namespace)] = true
		}
	}
	return r
}

// over tells whether a pod will not run any more.
func over(pod *corev1.Pod) bool {
	return fit.Ended(pod) || pod.DeletionTimestamp != nil && pod.Spec.NodeName == ""
}

// claim drops reservations of a claim. One that loses its last is
// deallocated; one that never had any stays as it is.
func (r *releaser) claim(c *Claim) {
	status := &c.Claim.Status
	had := len(status.ReservedFor)
	status.ReservedFor = slices.DeleteFunc(status.ReservedFor, func(ref resourceapi.ResourceClaimConsumerReference) bool { return r.dead(c, ref) })
	owner := metav1.GetControllerOf(c.Claim)
	pod := r.owner(c, owner)
	if pod != nil && pod.Spec.NodeName == "" && !over(pod) && c.Claim.Annotations[resourceapi.ExtendedResourceClaimAnnotation] == "true" {
		status.ReservedFor = nil
		r.deallocate(c)
		c.gone = fmt.Sprintf("is left over from an earlier attempt to schedule %s; the scheduler deletes it and makes a new one.", owner.Name)
		return
	}
	if len(status.ReservedFor) > 0 {
		return
	}
	if had > 0 || c.Claim.DeletionTimestamp != nil {
		r.deallocate(c)
	}
	switch {
	case c.Claim.DeletionTimestamp != nil && len(c.Claim.Finalizers) == 0:
		c.gone = "is being deleted and nothing holds it any more."
	case pod == nil:
	case over(pod) || !sameUID(pod.UID, owner.UID):
		r.deallocate(c)
		c.gone = fmt.Sprintf("was made for pod %s, which will not run any more; it gets deleted.", owner.Name)
	}
}

func (r *releaser) owner(c *Claim, owner *metav1.OwnerReference) *corev1.Pod {
	if owner == nil || owner.Kind != "Pod" {
		return nil
	}
	return r.pods[c.Claim.Namespace+"/"+owner.Name]
}

func (r *releaser) deallocate(c *Claim) {
	c.Claim.Status.Allocation, c.Claim.Status.Devices = nil, nil
	c.Claim.Finalizers = slices.DeleteFunc(c.Claim.Finalizers, func(f string) bool { return f == resourceapi.Finalizer })
}

func sameUID(a, b types.UID) bool { return a == "" || b == "" || a == b }

// dead tells whether a reservation is for somebody who is no more. Who is not
// known stays.
func (r *releaser) dead(c *Claim, ref resourceapi.ResourceClaimConsumerReference) bool {
	name := c.Claim.Namespace + "/" + ref.Name
	switch {
	case ref.APIGroup == "" && ref.Resource == "pods":
		if pod := r.pods[name]; pod != nil {
			return over(pod) || !sameUID(pod.UID, ref.UID)
		}
		what := fmt.Sprintf("%s for %s", c.Name(), ref.Name)
		if !r.complete[c.Claim.Namespace] {
			r.kept = append(r.kept, what)
			return false
		}
		r.freed = append(r.freed, what)
		return true
	case r.Gates.WorkloadClaims && ref.APIGroup == schedulingapi.GroupName && ref.Resource == podGroups:
		group := r.groups[name]
		return group != nil && !sameUID(group.UID, ref.UID)
	}
	return false
}

// tell says what was taken for granted about pods that are not known.
func (r *releaser) tell() {
	if len(r.freed) > 0 {
		r.assume(fmt.Sprintf("where running pods are known, all of their namespaces are taken to be, so reservations for others are void and their devices free (%s); add the pods if they still run", some(r.freed)))
	}
	if len(r.kept) > 0 && len(r.Pods) > 0 {
		r.assume(fmt.Sprintf("reservations for pods that are not known are taken to stand, so their devices stay held (%s)", some(r.kept)))
	}
}

// some names the first few of a list.
func some(list []string) string {
	const most = 3
	if len(list) <= most {
		return strings.Join(list, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(list[:most], ", "), len(list)-most)
}

const podGroups = "podgroups"

// maxReserved is for how many consumers the API server lets a claim be
// reserved.
const maxReserved = resourceapi.ResourceClaimReservedForMaxSize

// reserved tells whether the claim is reserved for the pod, or for its group.
func (p *planner) reserved(c *resourceapi.ResourceClaim, pod *corev1.Pod) bool {
	for i := range c.Status.ReservedFor {
		r := &c.Status.ReservedFor[i]
		switch {
		case r.APIGroup == "" && r.Resource == "pods":
			if r.Name == pod.Name && sameUID(pod.UID, r.UID) {
				return true
			}
		case p.Gates.WorkloadClaims && r.APIGroup == schedulingapi.GroupName && r.Resource == podGroups:
			if r.Name == groupName(pod) {
				return true
			}
		}
	}
	return false
}

// reserve notes the consumer in the claim, if there is room.
func (p *planner) reserve(c *resourceapi.ResourceClaim, pod *corev1.Pod, consumer resourceapi.ResourceClaimConsumerReference) {
	if !p.reserved(c, pod) && len(c.Status.ReservedFor) < maxReserved {
		c.Status.ReservedFor = append(c.Status.ReservedFor, consumer)
	}
}

func podConsumer(pod *corev1.Pod) resourceapi.ResourceClaimConsumerReference {
	return resourceapi.ResourceClaimConsumerReference{Resource: "pods", Name: pod.Name, UID: uidOf(pod)}
}

// uidOf is the pod's UID, or one derived from its name for a pod that no API
// server has seen yet.
func uidOf(pod *corev1.Pod) types.UID {
	if pod.UID != "" {
		return pod.UID
	}
	return derivedUID("pod/" + namespace(pod.Namespace) + "/" + pod.Name)
}

func derivedUID(of string) types.UID {
	return types.UID(uuid.NewSHA1(uuid.NameSpaceURL, []byte(of)).String())
}
