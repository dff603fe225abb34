package validate

import (
	"slices"

	resourceapi "k8s.io/api/resource/v1"
	alphaapi "k8s.io/api/resource/v1alpha3"

	"github.com/drawbridge-dra/drawbridge/core/feature"
)

// claimStatus removes from the status of a claim what is off.
func (d *dropper) claimStatus(s *resourceapi.ResourceClaimStatus, at *path) {
	if gate, off := d.offGate(feature.DRAResourceClaimDeviceStatus); off {
		d.drop(len(s.Devices) > 0, "device-status-dropped", gate, at.child("devices"), "devices", "nobody sees what the driver says of its devices")
		s.Devices = nil
	}
	for i := range results(s) {
		e := &s.Allocation.Devices.Results[i]
		d.subject = named("device", e.Device, "results", i)
		d.result(e, at.child("allocation").child("devices").child("results").at(i))
	}
	if gate, off := d.offGate(d.bindingGates()...); off && s.Allocation != nil && !d.does(bindingNeedsOneGate) {
		d.drop(s.Allocation.AllocationTimestamp != nil, "binding-conditions-dropped", gate, at.child("allocation").child("allocationTimestamp"), "allocationTimestamp",
			"nobody knows since when the pod waits for the device")
		s.Allocation.AllocationTimestamp = nil
	}
	if gate, off := d.offGate(feature.DRAConsumableCapacity); off {
		for i := range s.Devices {
			e := &s.Devices[i]
			d.subject = named("device", e.Device, "devices", i)
			d.drop(e.ShareID != nil, "share-id-dropped", gate, at.child("devices").at(i).child("shareID"), "shareID", "the status is taken to be about the whole device")
			e.ShareID = nil
		}
	}
	d.subject = subject{}
}

func (d *dropper) result(e *resourceapi.DeviceRequestAllocationResult, at *path) {
	if gate, off := d.offGate(feature.DRAAdminAccess); off {
		d.drop(e.AdminAccess != nil, "admin-access-dropped", gate, at.child("adminAccess"), "adminAccess", "the device counts as taken by the claim")
		e.AdminAccess = nil
	}
	if gate, off := d.offGate(feature.DRAConsumableCapacity); off {
		d.drop(e.ShareID != nil, "share-id-dropped", gate, at.child("shareID"), "shareID", "the shares of the device cannot be told apart")
		d.drop(e.ConsumedCapacity != nil, "consumed-capacity-dropped", gate, at.child("consumedCapacity"), "consumedCapacity", "the device counts as taken whole")
		e.ShareID, e.ConsumedCapacity = nil, nil
	}
	if gate, off := d.offGate(d.bindingGates()...); off {
		const rule, effect = "binding-conditions-dropped", "the pod is bound without waiting for the device to become ready"
		d.drop(len(e.BindingConditions) > 0, rule, gate, at.child("bindingConditions"), "bindingConditions", effect)
		d.drop(len(e.BindingFailureConditions) > 0, rule, gate, at.child("bindingFailureConditions"), "bindingFailureConditions", effect)
		e.BindingConditions, e.BindingFailureConditions = nil, nil
	}
	if gate, off := d.offGate(feature.DRAOptionalNodeOperations); off {
		d.drop(len(e.SkipNodeOperations) > 0, "skip-node-operations-dropped", gate, at.child("skipNodeOperations"), "skipNodeOperations",
			"the kubelet will wait for the driver's plugin on the node, and pods hang where there is none")
		e.SkipNodeOperations = nil
	}
}

// bindingGates are those that the binding conditions of a status need.
func (d *dropper) bindingGates() []feature.Gate {
	if d.does(bindingNeedsOneGate) || d.bound {
		return []feature.Gate{feature.DRADeviceBindingConditions}
	}
	return []feature.Gate{feature.DRADeviceBindingConditions, feature.DRAResourceClaimDeviceStatus}
}

// dropDeallocated removes from the new status what is said of devices that
// this very update takes from the claim. The API server does so for clients
// that know nothing of statuses of devices.
func dropDeallocated(s, was *resourceapi.ResourceClaimStatus) {
	gone := map[statusID]bool{}
	for i := range results(was) {
		gone[allocatedDevice(&was.Allocation.Devices.Results[i])] = true
	}
	for i := range results(s) {
		delete(gone, allocatedDevice(&s.Allocation.Devices.Results[i]))
	}
	s.Devices = slices.DeleteFunc(s.Devices, func(d resourceapi.AllocatedDeviceStatus) bool { return gone[statusDevice(&d)] })
	if len(s.Devices) == 0 {
		s.Devices = nil
	}
}

// poolRequest removes from the spec of a request what is off.
func (d *dropper) poolRequest(s *alphaapi.ResourcePoolStatusRequestSpec, at *path) {
	if gate, off := d.offGate(feature.DRAPartitionableDevicesType); off {
		d.drop(s.DefaultPartitionTypeAttribute != nil, "default-partition-type-attribute-dropped", gate, at.child("defaultPartitionTypeAttribute"), "defaultPartitionTypeAttribute",
			"the answer does not tell the partitions of slices apart that name no attribute themselves")
		s.DefaultPartitionTypeAttribute = nil
	}
}
