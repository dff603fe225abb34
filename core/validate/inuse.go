package validate

import (
	"slices"

	resourceapi "k8s.io/api/resource/v1"
	alphaapi "k8s.io/api/resource/v1alpha3"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/drawbridge-dra/drawbridge/core/feature"
)

// uses lists the gates whose features an object uses, in its status or in the
// rest. An update does not lose fields of such a feature, old or new ones,
// when its gate is off.
func uses(o runtime.Object, status bool, minor int) map[feature.Gate]bool {
	switch v := o.(type) {
	case *resourceapi.ResourceSlice:
		return sliceUses(&v.Spec)
	case *resourceapi.ResourceClaim:
		if status {
			return claimStatusUses(v, minor)
		}
		return claimUses(&v.Spec)
	case *resourceapi.ResourceClaimTemplate:
		return claimUses(&v.Spec.Spec)
	case *resourceapi.DeviceClass:
		return map[feature.Gate]bool{feature.DRAExtendedResource: v.Spec.ExtendedResourceName != nil}
	case *alphaapi.ResourcePoolStatusRequest:
		return map[feature.Gate]bool{feature.DRAPartitionableDevicesType: v.Spec.DefaultPartitionTypeAttribute != nil}
	}
	return nil
}

func sliceUses(s *resourceapi.ResourceSliceSpec) map[feature.Gate]bool {
	used := map[feature.Gate]bool{
		feature.DRAPartitionableDevices:     len(s.SharedCounters) > 0 || s.PerDeviceNodeSelection != nil,
		feature.DRAPartitionableDevicesType: s.PartitionTypeAttribute != nil,
		feature.DRAOptionalNodeOperations:   len(s.SkipNodeOperations) > 0,
	}
	note := func(g feature.Gate, is bool) { used[g] = used[g] || is }
	for i := range s.Devices {
		d := &s.Devices[i]
		note(feature.DRADeviceTaints, len(d.Taints) > 0)
		note(feature.DRAPartitionableDevices, len(d.ConsumesCounters) > 0 || d.NodeName != nil || d.NodeSelector != nil || d.AllNodes != nil)
		note(feature.DRADeviceBindingConditions, len(d.BindingConditions) > 0 || len(d.BindingFailureConditions) > 0 || d.BindsToNode != nil)
		note(feature.DRAConsumableCapacity, d.AllowMultipleAllocations != nil)
		note(feature.DRANodeAllocatableResources, len(d.NodeAllocatableResources) > 0)
		for _, capacity := range d.Capacity {
			note(feature.DRAConsumableCapacity, capacity.RequestPolicy != nil)
		}
		for _, e := range d.ConsumesCounters {
			note(feature.DRADeviceCompatibilityGroups, len(e.CompatibilityGroups) > 0)
		}
		for _, a := range d.Attributes {
			note(feature.DRAListTypeAttributes, a.BoolValues != nil || a.IntValues != nil || a.StringValues != nil || a.VersionValues != nil)
		}
	}
	// In slices binding conditions need this gate as well, and nothing else
	// does.
	used[feature.DRAResourceClaimDeviceStatus] = used[feature.DRADeviceBindingConditions]
	return used
}

func claimUses(s *resourceapi.ResourceClaimSpec) map[feature.Gate]bool {
	used := map[feature.Gate]bool{}
	note := func(g feature.Gate, is bool) { used[g] = used[g] || is }
	request := func(tolerations []resourceapi.DeviceToleration, capacity *resourceapi.CapacityRequirements, derived []resourceapi.DeviceDerivedAttribute) {
		note(feature.DRADeviceTaints, len(tolerations) > 0)
		note(feature.DRAConsumableCapacity, capacity != nil)
		note(feature.DRADerivedAttributes, len(derived) > 0)
	}
	for i := range s.Devices.Requests {
		r := &s.Devices.Requests[i]
		note(feature.DRAPrioritizedList, len(r.FirstAvailable) > 0)
		if e := r.Exactly; e != nil {
			note(feature.DRAAdminAccess, e.AdminAccess != nil)
			request(e.Tolerations, e.Capacity, e.DerivedAttributes)
		}
		for j := range r.FirstAvailable {
			sub := &r.FirstAvailable[j]
			request(sub.Tolerations, sub.Capacity, sub.DerivedAttributes)
		}
	}
	note(feature.DRAConsumableCapacity, slices.ContainsFunc(s.Devices.Constraints, func(k resourceapi.DeviceConstraint) bool { return k.DistinctAttribute != nil }))
	return used
}

func claimStatusUses(r *resourceapi.ResourceClaim, minor int) map[feature.Gate]bool {
	spec := claimUses(&r.Spec)
	used := map[feature.Gate]bool{
		feature.DRAResourceClaimDeviceStatus: len(r.Status.Devices) > 0,
		feature.DRAAdminAccess:               spec[feature.DRAAdminAccess],
		feature.DRAConsumableCapacity: spec[feature.DRAConsumableCapacity] ||
			slices.ContainsFunc(r.Status.Devices, func(d resourceapi.AllocatedDeviceStatus) bool { return d.ShareID != nil }),
	}
	note := func(g feature.Gate, is bool) { used[g] = used[g] || is }
	if minor < int(bindingNeedsOneGate) {
		note(feature.DRADeviceBindingConditions, r.Status.Allocation != nil && r.Status.Allocation.AllocationTimestamp != nil)
	}
	for _, e := range results(&r.Status) {
		note(feature.DRAAdminAccess, e.AdminAccess != nil)
		note(feature.DRAConsumableCapacity, e.ShareID != nil || e.ConsumedCapacity != nil)
		note(feature.DRADeviceBindingConditions, e.BindingConditions != nil || e.BindingFailureConditions != nil)
		note(feature.DRAOptionalNodeOperations, len(e.SkipNodeOperations) > 0)
	}
	return used
}
