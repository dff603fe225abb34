// Package kubelet works out what the kubelet of a node does with the claims of
// its pods: what it checks, which drivers it calls before a pod starts and
// after it has ended, and what it writes about the health of devices.
package kubelet

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"
)

// Gates are the feature gates of a kubelet that count here.
type Gates struct {
	ExtendedResource       bool
	OptionalNodeOperations bool
	WorkloadClaims         bool
	Health, HealthMessage  bool
}

// Kubelet is that of one node. It remembers what it has prepared.
type Kubelet struct {
	Gates Gates
	// Claim is the API server: the claim of that name, nil for none.
	Claim func(namespace, name string) *resourceapi.ResourceClaim
	// Registered tells whether the plugin of a driver is there.
	Registered func(driver string) bool
	// Devices are what a driver answers when it has prepared a claim; nil for
	// what an honest driver answers, see Answer.
	Devices func(driver string, claim *resourceapi.ResourceClaim) []Device

	// Known are the drivers of claims that have been worked out, which several
	// kubelets may share as long as no claim changes; nil for none.
	Known map[*resourceapi.ResourceClaim][]Driver

	prepared map[types.NamespacedName]*prepared
	// uses are the claims that were prepared for each pod, by its UID.
	uses map[types.UID][]types.NamespacedName
}

// prepared is what the kubelet remembers of a claim.
type prepared struct {
	uid     types.UID
	pods    []types.UID
	drivers []Driver
	// done is set once all drivers have prepared it, leaving once they are
	// asked to undo that.
	done, leaving bool
}

// Driver is a driver that has devices in the allocation of a claim.
type Driver struct {
	Name string
	// Skips are the operations that are skipped, because all devices of the
	// driver in this claim skip them.
	Skips []resourceapi.SkipNodeOperation
	// Results are its devices, as indexes into the results of the allocation.
	Results []int
	// Devices are what it answered when it was asked to prepare the claim.
	Devices []Device
}

// Device is how a driver describes a device that it has prepared.
type Device struct {
	Pool, Device string
	Requests     []string
	CDI          []string
}

// The operations that a kubelet asks of a driver, or skips.
const (
	Prepare   = resourceapi.SkipNodeOperationNodePrepareResources
	Unprepare = resourceapi.SkipNodeOperationNodeUnprepareResources
)

// Skip tells whether the operation is skipped.
func (d *Driver) Skip(op resourceapi.SkipNodeOperation) bool {
	return slices.Contains(d.Skips, op) || slices.Contains(d.Skips, resourceapi.SkipNodeOperationAll)
}

// Drivers lists the drivers of an allocation by name, with what is skipped of
// each: an operation that every one of its devices skips.
func Drivers(a *resourceapi.AllocationResult) []Driver {
	byName := map[string]int{}
	var out []Driver
	for i := range a.Devices.Results {
		name := a.Devices.Results[i].Driver
		at, known := byName[name]
		if !known {
			at = len(out)
			byName[name] = at
			out = append(out, Driver{Name: name})
		}
		out[at].Results = append(out[at].Results, i)
	}
	for i := range out {
		out[i].Skips = skips(a, out[i].Results)
	}
	slices.SortFunc(out, func(a, b Driver) int {
		if a.Name < b.Name {
			return -1
		}
		return 1
	})
	return out
}

// skips are the operations that all of some results skip. Everything is an
// operation of its own if all of them name it, and stands for each of the
// others if some do.
func skips(a *resourceapi.AllocationResult, results []int) []resourceapi.SkipNodeOperation {
	all := 0
	var names []resourceapi.SkipNodeOperation
	count := map[resourceapi.SkipNodeOperation]int{}
	for _, i := range results {
		list := a.Devices.Results[i].SkipNodeOperations
		if slices.Contains(list, resourceapi.SkipNodeOperationAll) {
			all++
			continue
		}
		for _, op := range list {
			if count[op]++; count[op] == 1 {
				names = append(names, op)
			}
		}
	}
	if all == len(results) {
		return []resourceapi.SkipNodeOperation{resourceapi.SkipNodeOperationAll}
	}
	names = slices.DeleteFunc(names, func(op resourceapi.SkipNodeOperation) bool { return count[op]+all != len(results) })
	slices.Sort(names)
	return names
}

// Answer is what an honest driver answers: the devices of the allocation, each
// for its request. It need not name CDI devices.
func Answer(driver string, claim *resourceapi.ResourceClaim) []Device {
	var out []Device
	for i := range claim.Status.Allocation.Devices.Results {
		r := &claim.Status.Allocation.Devices.Results[i]
		if r.Driver == driver {
			out = append(out, Device{Pool: r.Pool, Device: r.Device, Requests: []string{base(r.Request)}})
		}
	}
	return out
}

// driversOf are those of an allocated claim.
func (k *Kubelet) driversOf(claim *resourceapi.ResourceClaim) []Driver {
	out, known := k.Known[claim]
	if !known {
		out = Drivers(claim.Status.Allocation)
		if k.Known != nil {
			k.Known[claim] = out
		}
	}
	return out
}

func (k *Kubelet) answer(driver string, claim *resourceapi.ResourceClaim) []Device {
	if k.Devices != nil {
		return k.Devices(driver, claim)
	}
	return Answer(driver, claim)
}

// use notes that a pod uses a claim.
func (k *Kubelet) use(pod types.UID, key types.NamespacedName, of *prepared) {
	if slices.Contains(of.pods, pod) {
		return
	}
	if k.prepared == nil {
		k.prepared, k.uses = map[types.NamespacedName]*prepared{}, map[types.UID][]types.NamespacedName{}
	}
	k.prepared[key] = of
	of.pods = append(of.pods, pod)
	k.uses[pod] = append(k.uses[pod], key)
}

// release notes that a pod does not use a claim any more. The last one takes
// the claim with it.
func (k *Kubelet) release(pod types.UID, key types.NamespacedName) {
	of := k.prepared[key]
	of.pods = slices.DeleteFunc(of.pods, func(other types.UID) bool { return other == pod })
	if len(of.pods) == 0 {
		delete(k.prepared, key)
	}
	k.uses[pod] = slices.DeleteFunc(k.uses[pod], func(other types.NamespacedName) bool { return other == key })
	if len(k.uses[pod]) == 0 {
		delete(k.uses, pod)
	}
}

// entries are the claims of a pod, with the one for its extended resources.
func (k *Kubelet) entries(pod *corev1.Pod) []corev1.PodResourceClaim {
	status := pod.Status.ExtendedResourceClaimStatus
	if !k.Gates.ExtendedResource || status == nil {
		return pod.Spec.ResourceClaims
	}
	return append(slices.Clone(pod.Spec.ResourceClaims), corev1.PodResourceClaim{ResourceClaimName: &status.ResourceClaimName})
}
