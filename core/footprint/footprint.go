// Package footprint works out what allocated devices take of the cpu, memory
// and huge pages of their node: what they are mapped to, and what they cost
// besides.
package footprint

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// Claim is an allocated claim of a pod.
type Claim struct {
	// Name is how the status of the pod names the claim.
	Name string
	// Entries are the names under which the containers of the pod know the
	// claim; none for the one of extended resources.
	Entries    []string
	Allocation *resourceapi.AllocationResult
}

// Lookup finds the device of a result, nil if the node sees none by that name.
type Lookup func(*resourceapi.DeviceRequestAllocationResult) *resourceapi.Device

// Problem is an error with which the scheduler gives up on the pod. Claim
// counts the claims from 0.
type Problem struct {
	Claim   int
	Message string
}

// Mapped tells whether a device of the allocation stands for resources of the
// node, so that no second pod can have the claim.
func Mapped(a *resourceapi.AllocationResult, device Lookup) bool {
	for i := range a.Devices.Results {
		d := device(&a.Devices.Results[i])
		if d == nil {
			continue
		}
		for _, r := range d.NodeAllocatableResources {
			if r.Mapping != nil {
				return true
			}
		}
	}
	return false
}

// Statuses is what the scheduler writes into the status of the pod. Claims
// whose devices take nothing are left out.
func Statuses(pod *corev1.Pod, claims []Claim, device Lookup) ([]corev1.NodeAllocatableResourceClaimStatus, *Problem) {
	var out []corev1.NodeAllocatableResourceClaimStatus
	for i := range claims {
		c := &claims[i]
		if !takes(c.Allocation, device) {
			continue
		}
		s := sums{mapped: map[corev1.ResourceName]*resource.Quantity{}, overhead: map[corev1.ResourceName]*corev1.NodeAllocatableOverheadResources{}}
		for j := range c.Allocation.Devices.Results {
			result := &c.Allocation.Devices.Results[j]
			d := device(result)
			if d == nil {
				return nil, &Problem{i, fmt.Sprintf("device %s of pool %s is allocated, and no slice offers it to the node, so what it takes of the node is not known; Kubernetes gives up on the pod", result.Device, result.Pool)}
			}
			if message := s.add(d, result); message != "" {
				return nil, &Problem{i, message}
			}
		}
		if len(s.mapped)+len(s.overhead) > 0 {
			out = append(out, s.status(c.Name, users(pod, c.Entries)))
		}
	}
	slices.SortStableFunc(out, func(a, b corev1.NodeAllocatableResourceClaimStatus) int {
		return strings.Compare(a.ResourceClaimName, b.ResourceClaimName)
	})
	return out, nil
}

func takes(a *resourceapi.AllocationResult, device Lookup) bool {
	for i := range a.Devices.Results {
		if d := device(&a.Devices.Results[i]); d != nil && len(d.NodeAllocatableResources) > 0 {
			return true
		}
	}
	return false
}

// users lists the containers that use entries of the pod, one that names them
// twice twice.
func users(pod *corev1.Pod, entries []string) []string {
	out := []string{}
	for _, containers := range [][]corev1.Container{pod.Spec.InitContainers, pod.Spec.Containers} {
		for i := range containers {
			for _, claim := range containers[i].Resources.Claims {
				if slices.Contains(entries, claim.Name) {
					out = append(out, containers[i].Name)
				}
			}
		}
	}
	return out
}

// sums is what the devices of one claim take.
type sums struct {
	mapped   map[corev1.ResourceName]*resource.Quantity
	overhead map[corev1.ResourceName]*corev1.NodeAllocatableOverheadResources
}

// add adds a device, or says why it cannot be counted.
func (s *sums) add(d *resourceapi.Device, result *resourceapi.DeviceRequestAllocationResult) string {
	names := make([]corev1.ResourceName, 0, len(d.NodeAllocatableResources))
	for name := range d.NodeAllocatableResources {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		r := d.NodeAllocatableResources[name]
		if r.Mapping != nil {
			if message := s.addMapping(name, r.Mapping, result); message != "" {
				return message
			}
		}
		if r.Overhead != nil {
			s.addOverhead(name, r.Overhead)
		}
	}
	return ""
}

func (s *sums) addMapping(name corev1.ResourceName, m *resourceapi.NodeAllocatableMapping, result *resourceapi.DeviceRequestAllocationResult) string {
	var amount resource.Quantity
	switch {
	case m.CapacityKey != nil && *m.CapacityKey != "":
		if result.ConsumedCapacity == nil {
			return fmt.Sprintf("device %s maps its capacity %s to %s of the node, and nothing of it is consumed, because the device does not allow several allocations; Kubernetes gives up on the pod, so publish a deviceMultiplier instead",
				result.Device, *m.CapacityKey, name)
		}
		consumed, ok := result.ConsumedCapacity[*m.CapacityKey]
		if !ok {
			return ""
		}
		amount = times(consumed, m.CapacityMultiplier)
	case m.DeviceMultiplier != nil:
		amount = m.DeviceMultiplier.DeepCopy()
	default:
		return ""
	}
	if sum := s.mapped[name]; sum != nil {
		sum.Add(amount)
	} else {
		s.mapped[name] = &amount
	}
	return ""
}

func times(q resource.Quantity, by *resource.Quantity) resource.Quantity {
	q = q.DeepCopy()
	if by == nil || by.Equal(*resource.NewQuantity(1, resource.DecimalSI)) {
		return q
	}
	factor := by.DeepCopy()
	product := q.AsDec()
	product.Mul(product, factor.AsDec())
	return *resource.NewDecimalQuantity(*product, q.Format)
}

func (s *sums) addOverhead(name corev1.ResourceName, o *resourceapi.NodeAllocatableOverhead) {
	if o.PerPod == nil && o.PerContainer == nil {
		return
	}
	sum := s.overhead[name]
	if sum == nil {
		sum = &corev1.NodeAllocatableOverheadResources{Name: name}
		s.overhead[name] = sum
	}
	sum.PerPod = plus(sum.PerPod, o.PerPod)
	sum.PerContainer = plus(sum.PerContainer, o.PerContainer)
}

func plus(sum, q *resource.Quantity) *resource.Quantity {
	if q == nil {
		return sum
	}
	total := q.DeepCopy()
	if sum != nil {
		total = sum.DeepCopy()
		total.Add(*q)
	}
	return &total
}

func (s *sums) status(name string, containers []string) corev1.NodeAllocatableResourceClaimStatus {
	out := corev1.NodeAllocatableResourceClaimStatus{
		ResourceClaimName: name, Containers: containers,
		Mapping: []corev1.NodeAllocatableMappedResources{}, Overhead: []corev1.NodeAllocatableOverheadResources{},
	}
	for name, q := range s.mapped {
		out.Mapping = append(out.Mapping, corev1.NodeAllocatableMappedResources{Name: name, Quantity: q})
	}
	for _, o := range s.overhead {
		out.Overhead = append(out.Overhead, *o)
	}
	slices.SortFunc(out.Mapping, func(a, b corev1.NodeAllocatableMappedResources) int {
		return strings.Compare(string(a.Name), string(b.Name))
	})
	slices.SortFunc(out.Overhead, func(a, b corev1.NodeAllocatableOverheadResources) int {
		return strings.Compare(string(a.Name), string(b.Name))
	})
	return out
}
