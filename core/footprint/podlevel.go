package footprint

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	resourcehelpers "k8s.io/component-helpers/resource"

	"github.com/drawbridge-dra/drawbridge/core/fit"
)

// withDevices counts containers and devices, and not what the pod as a whole
// sets.
var withDevices = resourcehelpers.PodResourcesOptions{SkipPodLevelResources: true, UseDRANodeAllocatableResourceClaimStatus: true}

// Exceeds says where devices, together with containers, take more than the
// resources of the pod as a whole; empty if they do not. The status of the pod
// must hold what devices take.
func Exceeds(pod *corev1.Pod) string {
	if pod.Spec.Resources == nil || len(pod.Status.NodeAllocatableResourceClaimStatuses) == 0 {
		return ""
	}
	requests := resourcehelpers.AggregateContainerRequests(pod, withDevices)
	for _, name := range names(pod.Spec.Resources.Requests) {
		if !resourcehelpers.IsSupportedPodLevelResource(name) {
			continue
		}
		whole := pod.Spec.Resources.Requests[name]
		if sum, ok := requests[name]; ok && sum.Cmp(whole) > 0 {
			return fmt.Sprintf("containers and devices together need %s %s, and the pod as a whole requests %s; request more in spec.resources", sum.String(), name, whole.String())
		}
	}
	limits := resourcehelpers.AggregateContainerLimits(pod, withDevices)
	for _, name := range names(limits) {
		whole, set := pod.Spec.Resources.Limits[name]
		if sum := limits[name]; fit.HugePages(name) && set && sum.Cmp(whole) > 0 {
			return fmt.Sprintf("containers and devices together have a limit of %s %s, and the pod as a whole one of %s; raise it in spec.resources", sum.String(), name, whole.String())
		}
	}
	for i := range pod.Spec.Containers {
		c := &pod.Spec.Containers[i]
		devices := resourcehelpers.GetContainerDRAAllocations(pod, c.Name)
		for _, name := range names(c.Resources.Limits) {
			whole, set := pod.Spec.Resources.Limits[name]
			if fit.HugePages(name) || !set {
				continue
			}
			limit := c.Resources.Limits[name].DeepCopy()
			limit.Add(devices[name])
			if limit.Cmp(whole) > 0 {
				return fmt.Sprintf("container %s and its devices have a limit of %s %s, and the pod as a whole one of %s; raise it in spec.resources", c.Name, limit.String(), name, whole.String())
			}
		}
	}
	return ""
}

func names(list corev1.ResourceList) []corev1.ResourceName {
	out := make([]corev1.ResourceName, 0, len(list))
	for name := range list {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}
