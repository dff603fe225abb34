package extended

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/drawbridge-dra/drawbridge/core/fit"
)

// Requests makes the requests of the claim for the given resources, and says
// which container gets which. Containers that run together each have a
// request. An init container that ends before those behind it start uses
// theirs first; of what is missing then, the largest amount among all such
// init containers is requested once, for all of them.
func Requests(pod *corev1.Pod, resources []corev1.ResourceName, classes Classes) ([]resourceapi.DeviceRequest, []corev1.ContainerExtendedResourceRequest) {
	containers := slices.Concat(pod.Spec.InitContainers, pod.Spec.Containers)
	var requests []resourceapi.DeviceRequest
	var mappings []corev1.ContainerExtendedResourceRequest
	resources = slices.Clone(resources)
	slices.Sort(resources)
	for _, name := range resources {
		class := classes[name]
		if class == nil {
			continue
		}
		b := builder{containers: containers, inits: len(pod.Spec.InitContainers), name: name, class: class.Name}
		b.build()
		requests = append(requests, b.requests...)
		mappings = append(mappings, b.mappings...)
	}
	slices.SortStableFunc(requests, func(a, b resourceapi.DeviceRequest) int { return strings.Compare(a.Name, b.Name) })
	return requests, mappings
}

// builder makes the requests for one resource.
type builder struct {
	containers []corev1.Container
	inits      int
	name       corev1.ResourceName
	class      string

	requests []resourceapi.DeviceRequest
	mappings []corev1.ContainerExtendedResourceRequest
}

func (b *builder) passing(i int) bool { return i < b.inits && !fit.Sidecar(&b.containers[i]) }

func (b *builder) build() {
	lasting := make([]*resourceapi.DeviceRequest, len(b.containers))
	for i := range b.containers {
		if !b.passing(i) {
			lasting[i] = b.container(i, nil, &b.mappings)
		}
	}
	var largest *resourceapi.DeviceRequest
	var mappings []corev1.ContainerExtendedResourceRequest
	merged := map[string]bool{}
	for i := range b.containers {
		if !b.passing(i) {
			continue
		}
		if r := b.container(i, lasting[i:], &mappings); r != nil {
			merged[r.Name] = true
			if largest == nil || largest.Exactly.Count < r.Exactly.Count {
				largest = r
			}
		}
	}
	if largest != nil {
		b.requests = append(b.requests, *largest)
		for i := range mappings {
			if merged[mappings[i].RequestName] {
				mappings[i].RequestName = largest.Name
			}
		}
	}
	for _, r := range lasting {
		if r != nil {
			b.requests = append(b.requests, *r)
		}
	}
	b.mappings = append(b.mappings, mappings...)
}

// container makes the request of one container for what the reusable requests
// do not cover; nil if nothing is missing.
func (b *builder) container(i int, reusable []*resourceapi.DeviceRequest, mappings *[]corev1.ContainerExtendedResourceRequest) *resourceapi.DeviceRequest {
	c := &b.containers[i]
	q, ok := c.Resources.Requests[b.name]
	if !ok {
		return nil
	}
	count, whole := q.AsInt64()
	if !whole || count <= 0 {
		return nil
	}
	use := func(request string) {
		*mappings = append(*mappings, corev1.ContainerExtendedResourceRequest{ContainerName: c.Name, ResourceName: string(b.name), RequestName: request})
	}
	for _, r := range reusable {
		if r == nil {
			continue
		}
		use(r.Name)
		if count -= r.Exactly.Count; count <= 0 {
			return nil
		}
	}
	name := fmt.Sprintf("container-%d-request-%d", i, position(c.Resources.Requests, b.name))
	use(name)
	return &resourceapi.DeviceRequest{Name: name, Exactly: &resourceapi.ExactDeviceRequest{
		DeviceClassName: b.class, AllocationMode: resourceapi.DeviceAllocationModeExactCount, Count: count,
	}}
}

// position is that of a resource among all that a container requests, sorted
// by name.
func position(list corev1.ResourceList, name corev1.ResourceName) int {
	n := 0
	for other := range list {
		if other < name {
			n++
		}
	}
	return n
}
