package schedule

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	schedulingapi "k8s.io/api/scheduling/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
)

// groupName is the name of the pod's group, empty if it has none.
func groupName(pod *corev1.Pod) string {
	if pod.Spec.SchedulingGroup == nil {
		return ""
	}
	return ptr.Deref(pod.Spec.SchedulingGroup.PodGroupName, "")
}

// groupOf finds the group of the pod, as long as groups can have claims.
func (p *planner) groupOf(pod *corev1.Pod) (*schedulingapi.PodGroup, *Reason) {
	name := groupName(pod)
	if name == "" || !p.Gates.WorkloadClaims {
		return nil, nil
	}
	full := namespace(pod.Namespace) + "/" + name
	if g := p.groups[full]; g != nil {
		return g, nil
	}
	return nil, &Reason{Code: GroupMissing, Field: "spec.schedulingGroup", Message: fmt.Sprintf("the pod's PodGroup %s does not exist, and it may say which claims its pods share; create it", full)}
}

// groupHas tells whether a claim of the pod is one of its group's: both have
// to call it the same and to mean the same.
func groupHas(group *schedulingapi.PodGroup, entry *corev1.PodResourceClaim) bool {
	if group == nil {
		return false
	}
	for _, c := range group.Spec.ResourceClaims {
		if c.Name == entry.Name && ptr.Equal(c.ResourceClaimName, entry.ResourceClaimName) && ptr.Equal(c.ResourceClaimTemplateName, entry.ResourceClaimTemplateName) {
			return true
		}
	}
	return false
}

func groupUID(group *schedulingapi.PodGroup) types.UID {
	if group.UID != "" {
		return group.UID
	}
	return derivedUID("podgroup/" + namespace(group.Namespace) + "/" + group.Name)
}

func groupConsumer(group *schedulingapi.PodGroup) resourceapi.ResourceClaimConsumerReference {
	return resourceapi.ResourceClaimConsumerReference{APIGroup: schedulingapi.GroupName, Resource: podGroups, Name: group.Name, UID: groupUID(group)}
}

// parent is what a generated claim is made for, and belongs to.
type parent struct {
	namespace, name string
	owner           metav1.OwnerReference
	// uid is empty if no API server has seen the parent.
	uid types.UID
	// known are the names of claims that exist, by entry.
	known map[string]*string
	// over is set if no more claims are made.
	over bool
}

func podParent(pod *corev1.Pod) parent {
	known := map[string]*string{}
	for _, s := range pod.Status.ResourceClaimStatuses {
		known[s.Name] = s.ResourceClaimName
	}
	return parent{
		namespace: namespace(pod.Namespace), name: pod.Name, uid: pod.UID, known: known, over: over(pod) || pod.DeletionTimestamp != nil,
		owner: metav1.OwnerReference{APIVersion: "v1", Kind: "Pod", Name: pod.Name, UID: uidOf(pod), Controller: ptr.To(true)},
	}
}

func groupParent(group *schedulingapi.PodGroup) parent {
	known := map[string]*string{}
	for _, s := range group.Status.ResourceClaimStatuses {
		known[s.Name] = s.ResourceClaimName
	}
	return parent{
		namespace: namespace(group.Namespace), name: group.Name, uid: group.UID, known: known, over: group.DeletionTimestamp != nil,
		owner: metav1.OwnerReference{APIVersion: "scheduling.k8s.io/v1beta1", Kind: "PodGroup", Name: group.Name, UID: groupUID(group), Controller: ptr.To(true)},
	}
}

// owns tells whether a claim was made for the parent. A parent that no API
// server has seen is known by its name.
func (p *parent) owns(c *resourceapi.ResourceClaim) bool {
	owner := metav1.GetControllerOf(c)
	return owner != nil && owner.Kind == p.owner.Kind && owner.Name == p.name && sameUID(owner.UID, p.uid)
}
