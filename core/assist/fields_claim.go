package assist

import "github.com/drawbridge-dra/drawbridge/core/feature"

// claimFields are those of ResourceClaim, but for its status, and of
// ResourceClaimTemplate and DeviceClass.
var claimFields = []entry{
	{"ResourceClaim.metadata", "The name of the claim, its namespace and its labels.", "", "", "", "metadata-name metadata-namespace"},
	{"ResourceClaim.spec", "What is asked for. It cannot be changed once the claim is there.", "", "", "", "spec-immutable"},
	{"ResourceClaim.status", "What the claim got and who uses it. The scheduler and drivers write it; on create it is emptied.", "", "", "", ""},
	{"ResourceClaimSpec.devices", "The devices that are asked for.", "", "", "", ""},
	{"ResourceClaimSpec.controller", "For allocation by a driver's own controller, which Kubernetes 1.32 removed. Leave it out.", "", "", feature.DRAControlPlaneController, ""},

	{"DeviceClaim.requests", "One entry for each thing that is needed. All of them must be met, on the same node.", "32, with names of their own", "", "", "requests-max request-name-duplicate"},
	{"DeviceClaim.constraints", "What must be true of the devices of several requests together.", "32", "", "", "constraints-max"},
	{"DeviceClaim.config", "Settings for the driver, for some or all of the requests.", "32", "", "", "config-max"},

	{"DeviceRequest.name", "The name of the request, for constraints, config and the containers of pods.", label, "", "", "request-name request-name-duplicate"},
	{"DeviceRequest.exactly", "The one way in which the request can be met.", "one of exactly and firstAvailable", "", "", "request-union"},
	{"DeviceRequest.firstAvailable", "Alternatives, best first. The first that can be had on a node is taken.", "8; one of exactly and firstAvailable", "", feature.DRAPrioritizedList, "request-union first-available-max"},

	{"ExactDeviceRequest.deviceClassName", "The DeviceClass that the devices must belong to.", subdomain, "", "", "device-class-name"},
	{"ExactDeviceRequest.selectors", "Expressions that must all be true of a device, besides those of the class.", "32", "", "", "selectors-max selector-cel"},
	{"ExactDeviceRequest.allocationMode", "Whether a number of devices is wanted or all that match.", "ExactCount or All", "ExactCount", "", "allocation-mode"},
	{"ExactDeviceRequest.count", "How many devices are wanted.", "1 or more; only with ExactCount", "1", "", "count"},
	{"ExactDeviceRequest.adminAccess", "Look at devices that others have, to watch or repair them. The claim holds nothing then. Only in namespaces with the label resource.kubernetes.io/admin-access: \"true\".", "", "false", feature.DRAAdminAccess, "admin-access"},
	{"ExactDeviceRequest.tolerations", "Taints of devices that do not matter to this request.", "", "", feature.DRADeviceTaints, "toleration-key toleration-operator"},
	{"ExactDeviceRequest.capacity", "How much is wanted of devices that are shared.", "", "", feature.DRAConsumableCapacity, ""},
	{"ExactDeviceRequest.derivedAttributes", "Attributes that are worked out for the constraints of this claim, from what devices publish.", "32, each used by a constraint", "", feature.DRADerivedAttributes, "derived-attributes-max derived-attribute-duplicate derived-attributes-cost"},

	{"DeviceSubRequest.name", "The name of the alternative. Others refer to it as request/alternative.", label, "", "", "request-name request-name-duplicate"},
	{"DeviceSubRequest.deviceClassName", "The DeviceClass that the devices must belong to.", subdomain, "", "", "device-class-name"},
	{"DeviceSubRequest.selectors", "Expressions that must all be true of a device, besides those of the class.", "32", "", "", "selectors-max selector-cel"},
	{"DeviceSubRequest.allocationMode", "Whether a number of devices is wanted or all that match.", "ExactCount or All", "ExactCount", "", "allocation-mode"},
	{"DeviceSubRequest.count", "How many devices are wanted.", "1 or more; only with ExactCount", "1", "", "count"},
	{"DeviceSubRequest.tolerations", "Taints of devices that do not matter to this alternative.", "", "", feature.DRADeviceTaints, "toleration-key toleration-operator"},
	{"DeviceSubRequest.capacity", "How much is wanted of devices that are shared.", "", "", feature.DRAConsumableCapacity, ""},
	{"DeviceSubRequest.derivedAttributes", "Attributes that are worked out for the constraints of this claim.", "32, each used by a constraint", "", feature.DRADerivedAttributes, "derived-attributes-max derived-attribute-duplicate"},

	{"DeviceSelector.cel", "The condition, as a CEL expression.", "", "", "", "selector-cel"},
	{"CELDeviceSelector.expression", "An expression that is true for devices that may be used. It knows device.driver, device.attributes, device.capacity and device.allowMultipleAllocations. Reading an attribute that a device lacks is an error and stops the whole pod: ask with \"name\" in device.attributes[\"domain\"] first.", "10240 bytes, estimated cost 1000000", "", "", "cel-expression cel-expression-length cel-cost"},

	{"DeviceToleration.key", "The key of the taint. Empty stands for every key, with operator Exists.", "a label name", "every key", "", "toleration-key"},
	{"DeviceToleration.operator", "How key and value are compared with those of the taint.", "Equal or Exists", "Equal", "", "toleration-operator"},
	{"DeviceToleration.value", "The value of the taint; only with operator Equal.", "a label value", "", "", "toleration-value"},
	{"DeviceToleration.effect", "The effect of the taint. Empty stands for every effect.", "NoSchedule, NoExecute or None", "every effect", "", "toleration-effect"},
	{"DeviceToleration.tolerationSeconds", "How long a pod stays after a taint with NoExecute came; 0 and less mean not at all.", "", "for ever", "", ""},

	{"CapacityRequirements.requests", "How much of which capacity. What the device's policy rounds up is what the claim gets.", "names: " + qualified, "", "", ""},

	{"DeviceDerivedAttribute.name", "The name under which constraints find the value.", "domain/identifier", "", "", "derived-attribute-name derived-attribute-duplicate derived-attribute-unused"},
	{"DeviceDerivedAttribute.expression", "A CEL expression that gives the value for a device.", "10240 bytes; cost 1000000 for all of a claim together", "", "", "derived-attribute-expression derived-attributes-cost"},

	{"DeviceConstraint.requests", "The requests that the constraint is about.", "32 names of requests, or request/alternative", "all requests", "", "request-reference request-reference-duplicate request-references-max"},
	{"DeviceConstraint.matchAttribute", "The attribute that must have the same value on all of the devices; each must have it.", "domain/identifier", "", "", "constraint-union constraint-attribute"},
	{"DeviceConstraint.distinctAttribute", "The attribute that must have another value on each of the devices; each must have it.", "domain/identifier; passed over beside matchAttribute", "", feature.DRAConsumableCapacity, "constraint-union constraint-attribute"},

	{"DeviceClaimConfiguration.requests", "The requests that the settings are for.", "32 names of requests, or request/alternative", "all requests", "", "request-reference request-reference-duplicate request-references-max"},
	{"DeviceConfiguration.opaque", "Settings that only the driver understands.", "", "", "", "opaque-config"},
	{"OpaqueDeviceConfiguration.driver", "The driver that the settings are for; others pass them over.", driverForm, "", "", "opaque-config driver-name"},
	{"OpaqueDeviceConfiguration.parameters", "The settings, an object of the driver's own form, most often with apiVersion and kind.", "10240 bytes", "", "", "opaque-parameters"},

	{"ResourceClaimTemplate.metadata", "The name of the template, its namespace and its labels.", "", "", "", "metadata-name metadata-namespace"},
	{"ResourceClaimTemplate.spec", "What the claims are made of. It cannot be changed.", "", "", "", "spec-immutable"},
	{"ResourceClaimTemplateSpec.metadata", "Labels and annotations for the claims.", "labels and annotations only", "", "", "template-metadata"},
	{"ResourceClaimTemplateSpec.spec", "The spec of the claims, one for each pod that names the template.", "", "", "", ""},

	{"DeviceClass.metadata", "The name by which claims ask for the class, and its labels.", "", "", "", "metadata-name"},
	{"DeviceClass.spec", "Which devices belong to the class, and settings for them.", "", "", "", ""},
	{"DeviceClassSpec.selectors", "Expressions that must all be true of a device of the class. One of them should ask for the driver.", "32", "", "", "selectors-max selector-cel"},
	{"DeviceClassSpec.config", "Settings for the driver, for every claim that uses the class.", "32", "", "", "config-max"},
	{"DeviceClassSpec.extendedResourceName", "A name under which pods get a device of the class through their resources, as from a device plugin.", "domain/name, not of kubernetes.io", "", feature.DRAExtendedResource, "extended-resource-name"},
	{"DeviceClassSpec.suitableNodes", "For allocation by a driver's own controller, which Kubernetes 1.32 removed. Leave it out.", "", "", feature.DRAControlPlaneController, ""},
}
