package kubelet

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	schedulingapi "k8s.io/api/scheduling/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Code names what stops a kubelet.
type Code string

// The codes.
const (
	NotCreated   Code = "claim-not-created"
	EmptyEntry   Code = "pod-claim-entry"
	Missing      Code = "claim-missing"
	Foreign      Code = "claim-of-another-pod"
	NotReserved  Code = "not-reserved"
	NotAllocated Code = "not-allocated"
	GateOff      Code = "node-operations-gate"
	Absent       Code = "plugin-absent"
	OtherUID     Code = "older-claim-prepared"
	Leaving      Code = "being-unprepared"
	ListedTwice  Code = "claim-listed-twice"
)

// Codes lists them, in the order in which a kubelet comes upon them.
var Codes = []Code{EmptyEntry, NotCreated, Missing, Foreign, NotReserved, NotAllocated, GateOff, Absent, OtherUID, Leaving, ListedTwice}

// Problem is something that stops the kubelet.
type Problem struct {
	Code   Code
	Claim  string // name of the claim; empty if it has none yet
	Driver string // the driver that it is about; empty for none
	// Words are how the kubelet says it.
	Words string
}

func absent(claim, driver string) *Problem {
	return &Problem{Code: Absent, Claim: claim, Driver: driver, Words: fmt.Sprintf("DRA driver %s is not registered", driver)}
}

// nameOf finds the name of the claim for an entry, and whether the claim was
// made from a template. The name is empty where no claim is needed.
func nameOf(pod *corev1.Pod, entry *corev1.PodResourceClaim) (name string, generated bool, problem *Problem) {
	switch {
	case entry.ResourceClaimName != nil:
		return *entry.ResourceClaimName, false, nil
	case entry.ResourceClaimTemplateName != nil:
		for _, s := range pod.Status.ResourceClaimStatuses {
			if s.Name != entry.Name {
				continue
			}
			if s.ResourceClaimName == nil {
				return "", true, nil
			}
			return *s.ResourceClaimName, true, nil
		}
		return "", false, &Problem{Code: NotCreated, Words: fmt.Sprintf(`pod "%s/%s": ResourceClaim not created yet`, pod.Namespace, pod.Name)}
	}
	return "", false, &Problem{Code: EmptyEntry, Words: fmt.Sprintf(`pod "%s/%s", spec.resourceClaim %q: none of the supported fields are set`, pod.Namespace, pod.Name, entry.Name)}
}

// groupOf is the name of the pod's group; false if it has none.
func groupOf(pod *corev1.Pod) (string, bool) {
	if pod.Spec.SchedulingGroup == nil || pod.Spec.SchedulingGroup.PodGroupName == nil {
		return "", false
	}
	return *pod.Spec.SchedulingGroup.PodGroupName, true
}

// foreign tells whether a generated claim belongs to somebody else.
func (k *Kubelet) foreign(pod *corev1.Pod, claim *resourceapi.ResourceClaim) *Problem {
	if metav1.IsControlledBy(claim, pod) {
		return nil
	}
	why := "Pod is not owner"
	if group, has := groupOf(pod); has && k.Gates.WorkloadClaims {
		owner := metav1.GetControllerOfNoCopy(claim)
		if owner != nil && owner.Name == group && owner.Kind == "PodGroup" && strings.HasPrefix(owner.APIVersion, schedulingapi.GroupName+"/") {
			return nil
		}
		why = fmt.Sprintf("neither Pod nor PodGroup %s is the owner", group)
	}
	return &Problem{Code: Foreign, Claim: claim.Name, Words: fmt.Sprintf("ResourceClaim %s/%s was not created for Pod %s/%s (%s)", claim.Namespace, claim.Name, pod.Namespace, pod.Name, why)}
}

// reserved tells whether the claim is reserved for the pod or its group.
func (k *Kubelet) reserved(pod *corev1.Pod, claim *resourceapi.ResourceClaim) bool {
	group, has := groupOf(pod)
	for i := range claim.Status.ReservedFor {
		r := &claim.Status.ReservedFor[i]
		if r.UID == pod.UID {
			return true
		}
		if has && k.Gates.WorkloadClaims && r.APIGroup == schedulingapi.GroupName && r.Resource == "podgroups" && r.Name == group {
			return true
		}
	}
	return false
}

// base is the name of a request without that of an alternative.
func base(request string) string {
	name, _, _ := strings.Cut(request, "/")
	return name
}
