package kubelet

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/drawbridge-dra/drawbridge/core/extended"
	"github.com/drawbridge-dra/drawbridge/core/fit"
)

// What admission makes of a pod for which devices stand behind an extended
// resource, and none was claimed.
const (
	// Unlisted is of a pod that starts, and goes without what it asks for.
	Unlisted Code = "extended-resource-unlisted"
	// OutOf is of a pod that is refused.
	OutOf Code = "extended-resource-refused"
)

// Refusal is why a kubelet does not take a pod in: the pod has failed, and
// nobody tries again.
type Refusal struct {
	Resource                  corev1.ResourceName
	Requested, Used, Capacity int64
}

// Reason is what the kubelet writes into status.reason of the pod.
func (r *Refusal) Reason() string { return "OutOf" + string(r.Resource) }

// Words are how the kubelet says it.
func (r *Refusal) Words() string {
	return fmt.Sprintf("Node didn't have enough resource: %s, requested: %d, used: %d, capacity: %d", r.Resource, r.Requested, r.Used, r.Capacity)
}

// Room is what a node lists of resources that devices can stand behind, and
// what the pods on it ask for. Those count whether or not the node lists it,
// and whether or not they have it as a device.
type Room struct {
	node *fit.Node
	used map[corev1.ResourceName]int64
}

// NewRoom is that of a node without pods.
func NewRoom(node *corev1.Node) *Room {
	return &Room{fit.NewNode(node), map[corev1.ResourceName]int64{}}
}

// Add puts a pod onto the node.
func (r *Room) Add(pod *fit.Pod) {
	for _, a := range pod.Used() {
		if extended.Name(a.Name) {
			r.used[a.Name] += a.Value
		}
	}
}

// Lists tells how much of a resource the node has for pods; false if it says
// nothing of the resource.
func (r *Room) Lists(name corev1.ResourceName) (int64, bool) { return r.node.Allocatable(name) }

// Admit compares what a pod that arrives asks for with what is left on its
// node, for the resources that devices can stand behind. Refusals are sorted by
// name; the kubelet tells one of them, whichever it comes upon first.
//
// Two things surprise. An extended resource that the node does not list is
// left out of the comparison, as the scheduler is taken to have seen to it; so
// a pod that no scheduler saw starts without it. The names that every
// DeviceClass has are in a domain of Kubernetes, which makes them no extended
// resources to a kubelet: they are compared, and no node lists them.
func (g Gates) Admit(pod *fit.Pod, room *Room) []Refusal {
	requests := pod.Without(func(container string, name corev1.ResourceName) bool {
		_, listed := room.Lists(name)
		return fit.IsExtended(name) && !listed || extended.Name(name) && g.mapped(pod.Pod, container, name)
	})
	var out []Refusal
	for i := range requests {
		name, wants := requests[i].Name, requests[i].Value
		has, _ := room.Lists(name)
		if used := room.used[name]; extended.Name(name) && wants > 0 && wants > has-used {
			out = append(out, Refusal{Resource: name, Requested: wants, Used: used, Capacity: has})
		}
	}
	return out
}

// mapped tells whether the status of the pod says that a container has devices
// for a resource.
func (g Gates) mapped(pod *corev1.Pod, container string, name corev1.ResourceName) bool {
	status := pod.Status.ExtendedResourceClaimStatus
	return g.ExtendedResource && status != nil && slices.ContainsFunc(status.RequestMappings, func(m corev1.ContainerExtendedResourceRequest) bool {
		return m.ContainerName == container && m.ResourceName == string(name)
	})
}
