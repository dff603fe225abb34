package assist

import "github.com/drawbridge-dra/drawbridge/core/feature"

// sliceFields are those of ResourceSlice.
var sliceFields = []entry{
	{"ResourceSlice.metadata", "The name of the slice, and its labels. Most drivers let the API server make up the name, from generateName.", "", "", "", "metadata-name"},
	{"ResourceSlice.spec", "What the driver publishes in this slice.", "", "", "", "node-selection counter-sets-beside-devices"},

	{"ResourceSliceSpec.driver", "The driver that publishes the slice and prepares its devices. It cannot be changed.", driverForm, "", "", "driver-name driver-name-case slice-immutable"},
	{"ResourceSliceSpec.pool", "The pool that the slice is a part of. Devices of a pool are only considered once all of its slices are there.", "", "", "", "pool-name"},
	{"ResourceSliceSpec.nodeName", "The one node that can use these devices. It cannot be changed.", "one of nodeName, nodeSelector, allNodes and perDeviceNodeSelection", "", "", "node-selection node-name slice-immutable"},
	{"ResourceSliceSpec.nodeSelector", "Which nodes can use these devices, by labels, for devices that several nodes reach.", "exactly one term", "", "", "node-selection node-selector node-selector-terms"},
	{"ResourceSliceSpec.allNodes", "Every node can use these devices.", "true, or not there", "", "", "node-selection all-nodes"},
	{"ResourceSliceSpec.devices", "The devices of this slice.", "128; 64 if any of them has taints, consumes counters or has a list attribute; not beside sharedCounters", "", "", "devices-max device-name-duplicate counter-sets-beside-devices"},
	{"ResourceSliceSpec.perDeviceNodeSelection", "Each device says itself which nodes can use it.", "true, or not there", "", feature.DRAPartitionableDevices, "node-selection per-device-node-selection"},
	{"ResourceSliceSpec.sharedCounters", "Amounts that devices of the pool share, such as the memory of a card that is cut into partitions. They stand in a slice of their own, without devices.", "8 sets", "", feature.DRAPartitionableDevices, "counter-sets-max counter-set-duplicate counter-sets-beside-devices"},
	{"ResourceSliceSpec.partitionTypeAttribute", "The string attribute that tells kinds of partitions apart, for the status of pools. Every device that consumes counters must have it.", "domain/identifier", "", feature.DRAPartitionableDevicesType, "partition-type-attribute"},
	{"ResourceSliceSpec.skipNodeOperations", "What the kubelet does not ask of a driver on the node, for drivers that have nothing to do there. NodePrepareResources needs NodeUnprepareResources as well, or else pods hang when they end.", "NodePrepareResources, NodeUnprepareResources or *", "nothing is skipped", feature.DRAOptionalNodeOperations, "skip-node-operations skip-node-operations-value skip-node-operations-duplicate"},

	{"ResourcePool.name", "The name of the pool, unique for the driver; often the name of the node. It cannot be changed.", "DNS subdomains with / between, at most 253 characters", "", "", "pool-name slice-immutable"},
	{"ResourcePool.generation", "The version of the pool. Whoever changes a pool raises it in all of its slices; older slices are then passed over.", "0 or more", "", "", "pool-generation"},
	{"ResourcePool.resourceSliceCount", "How many slices the pool has in this generation. Until that many are there, the pool is incomplete.", "1 or more", "", "", "pool-slice-count"},

	{"CounterSet.name", "The name by which devices of the pool refer to the set.", label, "", "", "counter-set-name counter-set-duplicate"},
	{"CounterSet.counters", "The counters of the set, with how much there is of each.", "1 to 32 counters, each named by a DNS label", "", "", "counters counters-max counter-name"},
	{"Counter.value", "How much there is, or how much of it a device takes.", quantity, "", "", ""},

	{"Device.name", "The name of the device, unique in its pool.", label, "", "", "device-name device-name-duplicate"},
	{"Device.basic", "All that there is to say of the device. Only v1beta1 and v1alpha3 have this level.", "", "", "", ""},
	{"Device.attributes", "What can be said of the device, for selectors and constraints. A name without a domain is in that of the driver.", "32 entries, together with capacity; 48 values; names: " + qualified, "", "", "device-entries-max attribute-name attribute-values-max"},
	{"Device.capacity", "How much the device has of something. Selectors can compare it, and a device that is shared gives it away in parts.", "32 entries, together with attributes; names: " + qualified, "", "", "device-entries-max capacity-name"},
	{"Device.consumesCounters", "What the device takes of the counters of its pool when it is allocated. Devices that together would take more than there is cannot be allocated together.", "2 entries, each for another set", "", feature.DRAPartitionableDevices, "consumes-counters-max consumes-counters-duplicate"},
	{"Device.nodeName", "The one node that can use this device.", "only with perDeviceNodeSelection; one of nodeName, nodeSelector and allNodes", "", feature.DRAPartitionableDevices, "device-node-selection node-name"},
	{"Device.nodeSelector", "Which nodes can use this device, by labels.", "only with perDeviceNodeSelection; use one term, the allocator cannot take more", "", feature.DRAPartitionableDevices, "device-node-selection node-selector"},
	{"Device.allNodes", "Every node can use this device.", "true, only with perDeviceNodeSelection", "", feature.DRAPartitionableDevices, "device-node-selection all-nodes"},
	{"Device.taints", "Reasons not to use the device. Claims must tolerate them.", "16", "", feature.DRADeviceTaints, "taints-max"},
	{"Device.bindsToNode", "Once allocated, the claim can only be used on the node that was chosen.", "", "false", feature.DRADeviceBindingConditions, ""},
	{"Device.bindingConditions", "Conditions in the status of the claim that must be true before the pod is bound, say because the device must be attached first.", "4 label names, with bindingFailureConditions beside them", "", feature.DRADeviceBindingConditions, "binding-conditions-max binding-conditions-duplicate binding-condition-name binding-conditions-pair"},
	{"Device.bindingFailureConditions", "Conditions that end the wait: if one is true, the claim is given back and the pod scheduled anew.", "4 label names, others than in bindingConditions", "", feature.DRADeviceBindingConditions, "binding-conditions-max binding-conditions-duplicate binding-condition-name binding-conditions-overlap binding-conditions-pair"},
	{"Device.allowMultipleAllocations", "Several claims may have the device at the same time, each with a part of its capacity.", "", "false", feature.DRAConsumableCapacity, "request-policy-exclusive"},
	{"Device.nodeAllocatableResources", "What the device takes of, or adds to, the node's own cpu, memory or hugepages, for the scheduler's count.", "cpu, memory and hugepages-*", "", feature.DRANodeAllocatableResources, "node-allocatable-name node-allocatable-empty"},

	{"DeviceAttribute.int", "A whole number.", "exactly one kind of value", "", "", "attribute-union"},
	{"DeviceAttribute.bool", "True or false.", "exactly one kind of value", "", "", "attribute-union"},
	{"DeviceAttribute.string", "A string.", "64 bytes; exactly one kind of value", "", "", "attribute-union attribute-string-length"},
	{"DeviceAttribute.version", "A semantic version: three numbers, without a leading v.", "64 bytes; exactly one kind of value", "", "", "attribute-union attribute-version"},
	{"DeviceAttribute.ints", "Several whole numbers.", "at least one; each counts as a value", "", feature.DRAListTypeAttributes, "attribute-union attribute-list-empty attribute-values-max"},
	{"DeviceAttribute.bools", "Several booleans.", "at least one; each counts as a value", "", feature.DRAListTypeAttributes, "attribute-union attribute-list-empty attribute-values-max"},
	{"DeviceAttribute.strings", "Several strings.", "at least one, of at most 64 bytes; each counts as a value", "", feature.DRAListTypeAttributes, "attribute-union attribute-list-empty attribute-values-max attribute-string-length"},
	{"DeviceAttribute.versions", "Several semantic versions.", "at least one, of at most 64 bytes; each counts as a value", "", feature.DRAListTypeAttributes, "attribute-union attribute-list-empty attribute-values-max attribute-version"},

	{"DeviceCapacity.value", "How much the device has in all.", quantity, "", "", ""},
	{"DeviceCapacity.requestPolicy", "Which amounts a claim can ask for, where the device is shared. Without one it can ask for any, and gets all where it asks for none.", "only with allowMultipleAllocations: true", "", feature.DRAConsumableCapacity, "request-policy-exclusive request-policy-union"},
	{"CapacityRequestPolicy.default", "What a claim takes that asks for nothing.", quantity + "; needed with validValues and validRange", "", "", "request-policy-default"},
	{"CapacityRequestPolicy.validValues", "The amounts that can be had. What is asked for is rounded up to the next.", "10, in rising order, with the default among them", "", "", "request-policy-values request-policy-values-max request-policy-values-duplicate request-policy-union"},
	{"CapacityRequestPolicy.validRange", "From where to where amounts can be had, and in which steps.", "not beside validValues", "", "", "request-policy-range request-policy-union"},
	{"CapacityRequestPolicyRange.min", "The smallest amount. Who asks for less gets this.", "at most the capacity", "", "", "request-policy-range"},
	{"CapacityRequestPolicyRange.max", "The largest amount. Who asks for more does not get the device.", "at most the capacity", "the capacity", "", "request-policy-range"},
	{"CapacityRequestPolicyRange.step", "Amounts are min plus a multiple of this; what lies between is rounded up.", "more than 0; default and max must be on a step", "", "", "request-policy-step request-policy-fraction"},

	{"DeviceCounterConsumption.counterSet", "The set of the same pool from which the device takes.", label, "", "", "counter-set-reference consumes-counters-duplicate"},
	{"DeviceCounterConsumption.counters", "How much the device takes of which counter.", "1 to 32 counters of the set", "", "", "counters counters-max counter-name counter-reference"},
	{"DeviceCounterConsumption.compatibilityGroups", "With which others the device can draw on the set: all devices that are allocated from it must have one group in common. A device without groups goes with all.", "2 DNS labels", "the device goes with all others", feature.DRADeviceCompatibilityGroups, "compatibility-groups-max compatibility-groups-duplicate compatibility-group-name"},

	{"DeviceTaint.key", "The name of the taint.", "a label name, with or without a prefix", "", "", "taint-key"},
	{"DeviceTaint.value", "The value that goes with the key.", "a label value", "", "", "taint-value"},
	{"DeviceTaint.effect", "What the taint does to claims that do not tolerate it.", "NoSchedule, NoExecute or None", "", "", "taint-effect"},
	{"DeviceTaint.timeAdded", "Since when the taint is there; tolerationSeconds count from here.", "a time", "the time of creation", "", ""},

	{"NodeAllocatableResource.mapping", "The resource follows from the capacity that is allocated, or from the device.", "one of capacityKey and deviceMultiplier inside", "", "", "node-allocatable-mapping node-allocatable-empty"},
	{"NodeAllocatableResource.overhead", "What is taken on top, for each pod or container that uses the device.", "", "", "", "node-allocatable-overhead node-allocatable-empty"},
	{"NodeAllocatableMapping.capacityKey", "The capacity of the device whose allocated amount counts.", "a key of capacity, as written there", "", "", "node-allocatable-mapping node-allocatable-mapping-union"},
	{"NodeAllocatableMapping.capacityMultiplier", "How much one unit of the capacity is of the resource.", "more than 0; needed with capacityKey", "", "", "node-allocatable-mapping"},
	{"NodeAllocatableMapping.deviceMultiplier", "How much one device is of the resource.", "more than 0; not beside capacityKey", "", "", "node-allocatable-mapping node-allocatable-mapping-union"},
	{"NodeAllocatableOverhead.perPod", "Taken once for each pod that uses the device.", "0 or more", "", "", "node-allocatable-overhead"},
	{"NodeAllocatableOverhead.perContainer", "Taken for each container that uses the device.", "0 or more", "", "", "node-allocatable-overhead"},
}
