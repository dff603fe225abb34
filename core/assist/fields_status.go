package assist

import "github.com/drawbridge-dra/drawbridge/core/feature"

// statusFields are those of the status of ResourceClaim.
var statusFields = []entry{
	{"ResourceClaimStatus.allocation", "What the scheduler gave to the claim. It can be set and removed, not changed.", "", "", "", "allocation-immutable"},
	{"ResourceClaimStatus.reservedFor", "Who may use the claim; it is not given back while somebody stands here.", "256", "", "", "reserved-for-max reserved-for-duplicate reserved-for-unallocated reserved-for-deleted"},
	{"ResourceClaimStatus.devices", "What drivers say of the devices that are allocated.", "one entry for each device or share", "", feature.DRAResourceClaimDeviceStatus, "device-status-duplicate device-status-unallocated"},
	{"ResourceClaimStatus.deallocationRequested", "For allocation by a driver's own controller, which Kubernetes 1.32 removed. Leave it out.", "", "", feature.DRAControlPlaneController, ""},

	{"AllocationResult.devices", "The devices, and the settings for them.", "", "", "", ""},
	{"AllocationResult.nodeSelector", "Where the devices can be used; every node if it is missing.", "", "", "", "node-selector"},
	{"AllocationResult.allocationTimestamp", "When the devices were allocated, for the wait for binding conditions.", "a time", "", feature.DRADeviceBindingConditions, ""},
	{"AllocationResult.controller", "For allocation by a driver's own controller, which Kubernetes 1.32 removed. Leave it out.", "", "", feature.DRAControlPlaneController, ""},

	{"DeviceAllocationResult.results", "The devices, in the order of the requests.", "32", "", "", "allocation-results-max"},
	{"DeviceAllocationResult.config", "The settings of the class and of the claim, in the order in which drivers apply them.", "64", "", "", "allocation-config-max"},

	{"DeviceRequestAllocationResult.request", "The request that the device is for, or request/alternative.", "", "", "", "request-reference"},
	{"DeviceRequestAllocationResult.driver", "The driver of the device.", driverForm, "", "", "driver-name"},
	{"DeviceRequestAllocationResult.pool", "The pool of the device.", "", "", "", "pool-name"},
	{"DeviceRequestAllocationResult.device", "The device.", label, "", "", "device-name"},
	{"DeviceRequestAllocationResult.adminAccess", "The device is only looked at; it counts as free.", "", "false", feature.DRAAdminAccess, "admin-access"},
	{"DeviceRequestAllocationResult.tolerations", "The tolerations of the request, as they were.", "", "", feature.DRADeviceTaints, "toleration-key"},
	{"DeviceRequestAllocationResult.bindingConditions", "The conditions of the device that the pod waits for, as they were.", "4", "", feature.DRADeviceBindingConditions, "binding-conditions-max binding-conditions-pair"},
	{"DeviceRequestAllocationResult.bindingFailureConditions", "The conditions of the device that end the wait, as they were.", "4", "", feature.DRADeviceBindingConditions, "binding-conditions-max binding-conditions-pair"},
	{"DeviceRequestAllocationResult.shareID", "Tells the shares of a device apart that several claims have.", "a UUID", "", feature.DRAConsumableCapacity, "share-id"},
	{"DeviceRequestAllocationResult.consumedCapacity", "What the claim has of the capacities of a shared device.", "", "", feature.DRAConsumableCapacity, ""},
	{"DeviceRequestAllocationResult.skipNodeOperations", "What the kubelet does not ask of the driver, as the slice said.", "", "", feature.DRAOptionalNodeOperations, "skip-node-operations"},

	{"DeviceAllocationConfiguration.source", "Where the settings are from.", "FromClass or FromClaim", "", "", "allocation-config-source"},
	{"DeviceAllocationConfiguration.requests", "The requests that the settings are for.", "", "all requests", "", "request-reference"},

	{"ResourceClaimConsumerReference.apiGroup", "The API group of the consumer; empty for pods.", "", "", "", ""},
	{"ResourceClaimConsumerReference.resource", "The kind of consumer in the plural, such as pods.", "", "", "", "reserved-for-entry"},
	{"ResourceClaimConsumerReference.name", "The name of the consumer, in the namespace of the claim.", "", "", "", "reserved-for-entry"},
	{"ResourceClaimConsumerReference.uid", "The UID of the consumer, so that one of the same name later is another.", "", "", "", "reserved-for-entry reserved-for-duplicate"},

	{"AllocatedDeviceStatus.driver", "The driver of the device.", driverForm, "", "", "driver-name device-status-unallocated"},
	{"AllocatedDeviceStatus.pool", "The pool of the device.", "", "", "", "pool-name device-status-unallocated"},
	{"AllocatedDeviceStatus.device", "The device; it must be one that is allocated to the claim.", label, "", "", "device-name device-status-unallocated"},
	{"AllocatedDeviceStatus.shareID", "The share of the device, for one that several claims have.", "a UUID", "", feature.DRAConsumableCapacity, "share-id"},
	{"AllocatedDeviceStatus.conditions", "What the driver reports, binding conditions among it.", "8", "", "", "conditions-max condition-duplicate"},
	{"AllocatedDeviceStatus.data", "Anything that the driver wants to tell.", "10240 bytes", "", "", "device-status-data"},
	{"AllocatedDeviceStatus.networkData", "Addresses, for network devices.", "", "", "", ""},
	{"NetworkDeviceData.interfaceName", "The name of the network interface in the pod.", "256 bytes", "", "", "network-interface-name"},
	{"NetworkDeviceData.ips", "Addresses with their prefix, such as 192.0.2.5/24.", "16", "", "", "network-ips-max network-ip network-ip-duplicate"},
	{"NetworkDeviceData.hardwareAddress", "The hardware address, most often a MAC address.", "128 bytes", "", "", "network-hardware-address"},

	{"Condition.type", "What is reported; each only once.", "a label name", "", "", "condition-type condition-duplicate"},
	{"Condition.status", "Whether it is so.", "True, False or Unknown", "", "", "condition-status"},
	{"Condition.observedGeneration", "The generation of the object that this was said of.", "0 or more", "", "", "condition-generation"},
	{"Condition.lastTransitionTime", "Since when the status is what it is.", "a time", "", "", "condition-time"},
	{"Condition.reason", "The reason in one word, for programs.", "a CamelCase word of at most 1024 characters", "", "", "condition-reason"},
	{"Condition.message", "The reason in words, for people.", "32768 characters", "", "", "condition-message"},
}
