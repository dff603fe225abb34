// Package fit tells whether a node suits a pod before devices are looked at:
// node selector and affinity, taints, host ports, declared features, and
// whether what the pod requests is left. Volumes, and where other pods run,
// are not looked at.
package fit

import (
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apiresource "k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/version"
	"k8s.io/component-helpers/nodedeclaredfeatures"
	"k8s.io/component-helpers/resource"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
)

// Options are what feature gates and the version decide.
type Options struct {
	// NodeAllocatable counts what devices take of a node's own resources,
	// where a pod's status says so.
	NodeAllocatable bool
	// DeclaredFeatures asks nodes for the features that a pod needs.
	DeclaredFeatures bool
	// Version is that of the control plane, such as 1.37.
	Version string
}

// Pod is what counts of a pod, worked out once for all nodes.
type Pod struct {
	// Pod has the defaults of the API server in its containers.
	*corev1.Pod
	// Requests is what the pod asks a node for.
	Requests Amounts

	options  Options
	affinity nodeaffinity.RequiredNodeAffinity
	ports    []port
	features nodedeclaredfeatures.FeatureSet
	needs    bool // whether features is of interest
}

// NewPod gets a pod ready.
func NewPod(pod *corev1.Pod, options Options) *Pod {
	p := &Pod{Pod: withDefaults(pod), options: options}
	p.affinity = nodeaffinity.GetRequiredNodeAffinity(pod)
	p.Requests = amounts(resource.PodRequests(p.Pod, resource.PodResourcesOptions{}))
	p.ports = hostPorts(p.Pod)
	if options.DeclaredFeatures {
		if v, err := version.Parse(options.Version); err == nil {
			set, err := nodedeclaredfeatures.DefaultFramework.InferForPodScheduling(&nodedeclaredfeatures.PodInfo{Spec: &p.Spec}, v)
			p.features, p.needs = set, err == nil && !set.IsEmpty()
		}
	}
	return p
}

// With is the pod with what its devices take of the node counted in.
func (p *Pod) With(statuses []corev1.NodeAllocatableResourceClaimStatus) *Pod {
	out, pod := *p, *p.Pod
	pod.Status.NodeAllocatableResourceClaimStatuses = statuses
	out.Pod = &pod
	out.Requests = amounts(resource.PodRequests(&pod, resource.PodResourcesOptions{UseDRANodeAllocatableResourceClaimStatus: true}))
	return &out
}

// Without is what the pod requests of a node if some of what its containers
// ask for does not count.
func (p *Pod) Without(leaveOut func(container string, name corev1.ResourceName) bool) Amounts {
	strip := func(list []corev1.Container) []corev1.Container {
		out := slices.Clone(list)
		for i := range out {
			requests := maps.Clone(out[i].Resources.Requests)
			maps.DeleteFunc(requests, func(name corev1.ResourceName, _ apiresource.Quantity) bool { return leaveOut(out[i].Name, name) })
			out[i].Resources.Requests = requests
		}
		return out
	}
	pod := *p.Pod
	pod.Spec.InitContainers, pod.Spec.Containers = strip(pod.Spec.InitContainers), strip(pod.Spec.Containers)
	return amounts(resource.PodRequests(&pod, resource.PodResourcesOptions{}))
}

// Used is what the pod takes of the node that it is on, where a resize may
// not have arrived yet.
func (p *Pod) Used() Amounts {
	return amounts(resource.PodRequests(p.Pod, resource.PodResourcesOptions{
		UseStatusResources: true, InPlacePodLevelResourcesVerticalScalingEnabled: true,
		UseDRANodeAllocatableResourceClaimStatus: p.options.NodeAllocatable,
	}))
}

// Ended tells whether a pod no longer runs and never will again.
func Ended(pod *corev1.Pod) bool {
	return pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed
}

// port is a port of the node, on one of its addresses or on all.
type port struct {
	number
	ip string
}

// number is a port on whatever address.
type number struct {
	protocol corev1.Protocol
	number   int32
}

const anyIP = "0.0.0.0"

func hostPorts(pod *corev1.Pod) []port {
	var out []port
	add := func(c *corev1.Container) {
		for i := range c.Ports {
			p := &c.Ports[i]
			if p.HostPort <= 0 {
				continue
			}
			one := port{number{p.Protocol, p.HostPort}, p.HostIP}
			if one.ip == "" {
				one.ip = anyIP
			}
			if one.protocol == "" {
				one.protocol = corev1.ProtocolTCP
			}
			out = append(out, one)
		}
	}
	for i := range pod.Spec.InitContainers {
		if c := &pod.Spec.InitContainers[i]; Sidecar(c) {
			add(c)
		}
	}
	for i := range pod.Spec.Containers {
		add(&pod.Spec.Containers[i])
	}
	return out
}

// Sidecar tells whether an init container goes on running.
func Sidecar(c *corev1.Container) bool {
	return c.RestartPolicy != nil && *c.RestartPolicy == corev1.ContainerRestartPolicyAlways
}
