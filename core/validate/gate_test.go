package validate

import (
	"strings"
	"testing"

	resourceapi "k8s.io/api/resource/v1"
)

const everything = `
nodeName: n1
skipNodeOperations: ["*"]
partitionTypeAttribute: gpu.example.com/profile
devices:
- name: d
  attributes: {a: {strings: [x]}}
  allowMultipleAllocations: true
  capacity: {c: {value: 10, requestPolicy: {default: 1, validValues: [1]}}}
  taints: [{key: k, effect: NoSchedule}]
  consumesCounters: [{counterSet: s, counters: {m: {value: 1}}, compatibilityGroups: [a]}]
  bindsToNode: true
  bindingConditions: [a]
  bindingFailureConditions: [b]
  nodeAllocatableResources: {cpu: {overhead: {perPod: 1}}}
`

const counterGates = "DRAPartitionableDevices=false"

var gateExamples = []example{
	{name: "alpha in 1.37", text: sliceWith(everything), want: []string{
		"gate/skip-node-operations-dropped - spec.skipNodeOperations",
		"gate/partition-type-attribute-dropped - spec.partitionTypeAttribute",
		"gate/list-attribute-dropped - spec.devices[0].attributes[a].strings",
		"api/attribute-union FieldValueInvalid spec.devices[0].attributes[a]",
		"gate/compatibility-groups-dropped - spec.devices[0].consumesCounters[0].compatibilityGroups",
		"gate/node-allocatable-resources-dropped - spec.devices[0].nodeAllocatableResources"}},
	{name: "1.35", version: "1.35", text: sliceWith(`
nodeName: n1
devices:
- name: d
  allowMultipleAllocations: true
  capacity: {c: {value: 10, requestPolicy: {default: 1, validValues: [1]}}}
  taints: [{key: k, effect: NoSchedule}]
  consumesCounters: [{counterSet: s, counters: {m: {value: 1}}}]
  bindsToNode: true
  bindingConditions: [a]
  bindingFailureConditions: [b]
`), want: []string{
		"gate/taints-dropped - spec.devices[0].taints",
		"gate/consumes-counters-dropped - spec.devices[0].consumesCounters",
		"gate/binding-conditions-dropped - spec.devices[0].bindingConditions",
		"gate/binding-conditions-dropped - spec.devices[0].bindingFailureConditions",
		"gate/binds-to-node-dropped - spec.devices[0].bindsToNode",
		"gate/allow-multiple-allocations-dropped - spec.devices[0].allowMultipleAllocations",
		"gate/request-policy-dropped - spec.devices[0].capacity[c].requestPolicy"}},
	{name: "what is dropped is no conflict", version: "1.34", text: sliceWith(`
nodeName: n1
perDeviceNodeSelection: true
sharedCounters: [{name: S, counters: {m: {value: 1}}}]
devices: [{name: d, nodeName: N1, nodeSelector: {nodeSelectorTerms: [{}]}, allNodes: true}]
`), want: []string{
		"gate/per-device-node-selection-dropped - spec.perDeviceNodeSelection",
		"gate/shared-counters-dropped - spec.sharedCounters",
		"gate/device-node-dropped - spec.devices[0].nodeName",
		"gate/device-node-dropped - spec.devices[0].nodeSelector",
		"gate/device-node-dropped - spec.devices[0].allNodes",
		"api/counter-set-name FieldValueInvalid spec.sharedCounters[0].name if DRAPartitionableDevices",
		"api/node-name FieldValueInvalid spec.devices[0].nodeName if DRAPartitionableDevices"}},
	{name: "nothing is left to select nodes", version: "1.34", text: sliceWith("perDeviceNodeSelection: true\ndevices: [{name: d, nodeName: n1}]"), want: []string{
		"gate/per-device-node-selection-dropped - spec.perDeviceNodeSelection",
		"gate/device-node-dropped - spec.devices[0].nodeName",
		"api/node-selection FieldValueRequired spec"}},
	{name: "empty lists are nothing", text: sliceWith("nodeName: n1\nskipNodeOperations: []\ndevices: [{name: d, consumesCounters: [{counterSet: s, counters: {m: {value: 1}}, compatibilityGroups: []}]}]")},
	{name: "bad values in dropped fields", text: sliceWith(`
nodeName: n1
skipNodeOperations: [NodePrepareResources]
devices: [{name: d, consumesCounters: [{counterSet: s, counters: {m: {value: 1}}, compatibilityGroups: [a, b, c]}]}]`), want: []string{
		"gate/skip-node-operations-dropped - spec.skipNodeOperations",
		"gate/compatibility-groups-dropped - spec.devices[0].consumesCounters[0].compatibilityGroups",
		"api/skip-node-operations FieldValueInvalid spec.skipNodeOperations if DRAOptionalNodeOperations",
		"api/compatibility-groups-max FieldValueTooMany spec.devices[0].consumesCounters[0].compatibilityGroups if DRADeviceCompatibilityGroups"}},
	{name: "a field inside of a dropped one", gates: counterGates, text: sliceWith(`
nodeName: n1
devices: [{name: d, consumesCounters: [{counterSet: S, counters: {m: {value: 1}}, compatibilityGroups: [a, b, c]}]}]`), want: []string{
		"gate/consumes-counters-dropped - spec.devices[0].consumesCounters",
		"api/counter-set-reference FieldValueInvalid spec.devices[0].consumesCounters[0].counterSet if DRAPartitionableDevices",
		"api/compatibility-groups-max FieldValueTooMany spec.devices[0].consumesCounters[0].compatibilityGroups if DRAPartitionableDevices"}},
	{name: "many dropped fields", version: "1.35", text: sliceWith(devices(50, taint)), want: []string{
		"gate/taints-dropped - spec.devices[0].taints"}},
	{name: "more than are listed", version: "1.35", text: sliceWith("nodeName: n1\ndevices: [" + many(30, "{name: d%d, taints: [{key: k, effect: None}]},") + "]"), want: numbered(maxGateWarnings,
		"gate/taints-dropped - spec.devices[%d].taints")},
	{name: "claim in 1.35", version: "1.35", gates: "DRAAdminAccess=false,DRAPrioritizedList=false", text: strings.Replace(claimOf(`
requests:
- {name: a, exactly: {deviceClassName: c, adminAccess: true, tolerations: [{key: k, operator: Exists}], capacity: {requests: {c: 1}}, derivedAttributes: [{name: a/b, expression: "1"}]}}
- {name: b, firstAvailable: [{name: x, deviceClassName: c}]}
constraints: [{distinctAttribute: a/b}]`), "resource.k8s.io/v1", "resource.k8s.io/v1beta2", 1), want: []string{
		"gate/admin-access-dropped - spec.devices.requests[0].exactly.adminAccess",
		"gate/tolerations-dropped - spec.devices.requests[0].exactly.tolerations",
		"gate/capacity-requests-dropped - spec.devices.requests[0].exactly.capacity",
		"gate/derived-attributes-dropped - spec.devices.requests[0].exactly.derivedAttributes",
		"gate/first-available-dropped - spec.devices.requests[1].firstAvailable",
		"gate/distinct-attribute-dropped - spec.devices.constraints[0].distinctAttribute",
		"api/request-union FieldValueRequired spec.devices.requests[1]",
		"api/constraint-union FieldValueRequired spec.devices.constraints[0].matchAttribute"}},
	{name: "alternatives", version: "1.35", text: claimOf(`
requests: [{name: b, firstAvailable: [{name: x, deviceClassName: c, tolerations: [{operator: x}], capacity: {requests: {c: 1}}}]}]`), want: []string{
		"gate/tolerations-dropped - spec.devices.requests[0].firstAvailable[0].tolerations",
		"gate/capacity-requests-dropped - spec.devices.requests[0].firstAvailable[0].capacity",
		"api/toleration-operator FieldValueNotSupported spec.devices.requests[0].firstAvailable[0].tolerations[0].operator if DRADeviceTaints"}},
	{name: "counters of another slice in 1.34", version: "1.34", gates: "DRAPartitionableDevices=true", text: sliceWith(`
nodeName: n1
sharedCounters: [{name: s, counters: {m: {value: 1}}}]
devices: [{name: d, consumesCounters: [{counterSet: s, counters: {n: {value: 1}}}, {counterSet: T, counters: {m: {value: 1}}}]}]`), want: []string{
		"api/counter-reference FieldValueInvalid spec.devices[0].consumesCounters[0].counters",
		"api/counter-reference FieldValueInvalid spec.devices[0].consumesCounters[1].counterSet"}},
	{name: "many counters in 1.34", version: "1.34", gates: "DRAPartitionableDevices=true", text: sliceWith("nodeName: n1\nsharedCounters: [{name: s, counters: {" + many(33, "m%d: {value: 1},") + "}}]"), want: []string{
		"api/counters-max FieldValueInvalid spec.sharedCounters"}},
	{name: "a step of nothing in 1.36", version: "1.36", text: sliceWith("nodeName: n1\ndevices: [{name: d, allowMultipleAllocations: true, capacity: {c: {value: 10, requestPolicy: {default: 1, validRange: {min: 1, step: 0}}}}}]"), want: []string{
		"api/request-policy-step InternalError spec.devices[0].capacity[c].requestPolicy.validRange.step"}},
	{name: "lists and names in 1.34", version: "1.34", text: claimOf("requests: [{name: r, exactly: {deviceClassName: C}, firstAvailable: [{name: x, deviceClassName: c}]}," + strings.Repeat("{name: r},", 32) + "]"), want: append([]string{
		"api/requests-max FieldValueTooMany spec.devices.requests",
		"api/request-union FieldValueInvalid spec.devices.requests[0]",
		"api/device-class-name FieldValueInvalid spec.devices.requests[0].exactly.deviceClassName"},
		append(from(1, 33, "api/request-union FieldValueRequired spec.devices.requests[%d]"),
			from(1, 33, "api/request-name-duplicate FieldValueDuplicate spec.devices.requests[%d].name")...)...)},
	{name: "kept by mistake in 1.34", version: "1.34", text: claimOf(`
requests: [{name: b, exactly: {deviceClassName: c, tolerations: [{key: k, effect: None}]}}]
constraints: [{distinctAttribute: a/b}]`), want: []string{
		"api/toleration-effect FieldValueNotSupported spec.devices.requests[0].exactly.tolerations[0].effect"}},
	{name: "class in 1.35", version: "1.35", text: classOf("extendedResourceName: gpu"), want: []string{
		"gate/extended-resource-name-dropped - spec.extendedResourceName",
		"api/extended-resource-name FieldValueInvalid spec.extendedResourceName if DRAExtendedResource"}},
	{name: "v1beta1 paths of dropped fields", text: `
apiVersion: resource.k8s.io/v1beta1
kind: ResourceSlice
metadata: {name: s}
spec: {driver: d, nodeName: n1, pool: {name: p, generation: 1, resourceSliceCount: 1}, devices: [{name: d, basic: {consumesCounters: [{counterSet: s, counters: {m: {value: 1}}, compatibilityGroups: [a]}]}}]}
`, want: []string{"gate/compatibility-groups-dropped - spec.devices[0].basic.consumesCounters[0].compatibilityGroups"}},
}

// from numbers lines from the first to before the last.
func from(first, last int, format string) []string {
	return numbered(last, format)[first:]
}

func numbered(n int, format string) []string {
	return strings.Split(strings.TrimSuffix(many(n, format+"\n"), "\n"), "\n")
}

// TestStored looks at what is left of an object.
func TestStored(t *testing.T) {
	obj := parse(t, sliceWith(everything))
	result := Create(obj, environment(t, "1.34", ""))
	stored := result.Stored.(*resourceapi.ResourceSlice)
	d := stored.Spec.Devices[0]
	if d.Taints != nil || d.ConsumesCounters != nil || d.AllowMultipleAllocations != nil || d.Capacity["c"].RequestPolicy != nil ||
		d.BindingConditions != nil || d.BindsToNode != nil || d.NodeAllocatableResources != nil || d.Attributes["a"].StringValues != nil ||
		stored.Spec.SkipNodeOperations != nil || stored.Spec.PartitionTypeAttribute != nil {
		t.Errorf("fields of features that are off are left: %+v", stored.Spec)
	}
	written := obj.Value.(*resourceapi.ResourceSlice)
	if written.Spec.Devices[0].Capacity["c"].RequestPolicy == nil || written.Spec.Devices[0].Attributes["a"].StringValues == nil {
		t.Error("the object that was passed in has changed")
	}
	for version, want := range map[string]int64{"resource.k8s.io/v1": 1, "resource.k8s.io/v1beta1": 0} {
		text := "apiVersion: " + version + "\nkind: ResourceClaim\nmetadata: {name: c}\nspec: {devices: {requests: [{name: r, "
		if want == 1 {
			text += "exactly: {deviceClassName: '', tolerations: [{key: k}]}}]}}\n"
		} else {
			text += "selectors: [], tolerations: [{key: k}]}]}}\n"
		}
		claim := Create(parse(t, text), environment(t, "", "")).Stored.(*resourceapi.ResourceClaim)
		e := claim.Spec.Devices.Requests[0].Exactly
		if e.Count != want || claim.Namespace != DefaultNamespace || e.Tolerations[0].Operator != resourceapi.DeviceTolerationOpEqual {
			t.Errorf("%s: defaults are missing: %+v", version, claim)
		}
	}
}
