package fit

import (
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/component-helpers/resource"
)

// withDefaults copies what the API server would fill in: a limit is a request
// where there is none, and on the host's network a port is a host port.
func withDefaults(pod *corev1.Pod) *corev1.Pod {
	out := *pod
	out.Spec.InitContainers = defaultContainers(pod.Spec.InitContainers, pod.Spec.HostNetwork)
	out.Spec.Containers = defaultContainers(pod.Spec.Containers, pod.Spec.HostNetwork)
	if r := pod.Spec.Resources; r != nil && len(r.Requests)+len(r.Limits) > 0 {
		whole := *r
		whole.Limits = defaultHugePages(&out, r)
		whole.Requests = defaultWhole(&out, &whole)
		out.Spec.Resources = &whole
	}
	return &out
}

// defaultHugePages limits the huge pages of the pod as a whole to what its
// containers are limited to.
func defaultHugePages(pod *corev1.Pod, whole *corev1.ResourceRequirements) corev1.ResourceList {
	out := maps.Clone(whole.Limits)
	for name, q := range resource.AggregateContainerLimits(pod, resource.PodResourcesOptions{}) {
		_, limited := whole.Limits[name]
		if _, requested := whole.Requests[name]; HugePages(name) && !limited && !requested {
			if out == nil {
				out = corev1.ResourceList{}
			}
			out[name] = q
		}
	}
	return out
}

// defaultWhole lets a pod with limits as a whole request what its containers
// request, or else its limits.
func defaultWhole(pod *corev1.Pod, whole *corev1.ResourceRequirements) corev1.ResourceList {
	if len(whole.Limits) == 0 {
		return whole.Requests
	}
	out := maps.Clone(whole.Requests)
	if out == nil {
		out = corev1.ResourceList{}
	}
	fill := func(from corev1.ResourceList, wanted func(corev1.ResourceName) bool) {
		for name, q := range from {
			if _, set := out[name]; !set && wanted(name) {
				out[name] = q
			}
		}
	}
	fill(resource.AggregateContainerRequests(pod, resource.PodResourcesOptions{}), func(name corev1.ResourceName) bool {
		return resource.IsSupportedPodLevelResource(name) && !HugePages(name)
	})
	fill(whole.Limits, resource.IsSupportedPodLevelResource)
	return out
}

func defaultContainers(containers []corev1.Container, hostNetwork bool) []corev1.Container {
	copied := slices.Clone(containers)
	for i := range copied {
		c := &copied[i]
		c.Resources.Requests = defaultRequests(c.Resources)
		if hostNetwork && slices.ContainsFunc(c.Ports, func(p corev1.ContainerPort) bool { return p.HostPort == 0 }) {
			c.Ports = slices.Clone(c.Ports)
			for j := range c.Ports {
				if c.Ports[j].HostPort == 0 {
					c.Ports[j].HostPort = c.Ports[j].ContainerPort
				}
			}
		}
	}
	return copied
}

func defaultRequests(r corev1.ResourceRequirements) corev1.ResourceList {
	missing := false
	for name := range r.Limits {
		if _, set := r.Requests[name]; !set {
			missing = true
		}
	}
	if !missing {
		return r.Requests
	}
	out := corev1.ResourceList{}
	for name, q := range r.Limits {
		out[name] = q
	}
	for name, q := range r.Requests {
		out[name] = q
	}
	return out
}
