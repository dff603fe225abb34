package validate

import "strings"

// deviceWith is a slice with one device.
func deviceWith(device string) string {
	return sliceWith("nodeName: n1\ndevices:\n- name: d\n" + indented(device))
}

const listAttributes, groups, allocatable = "DRAListTypeAttributes=true", "DRADeviceCompatibilityGroups=true", "DRANodeAllocatableResources=true"

var deviceExamples = []example{
	{name: "right", text: deviceWith(`
attributes: {a: {int: 1}, b: {bool: false}, c: {string: ""}, example.com/d: {version: 1.2.3-a+b}, a/b/c: {int: 1}}
capacity: {memory: {value: "-1"}}
taints: [{key: k, value: v, effect: None}, {key: k, effect: None}]
consumesCounters: [{counterSet: s, counters: {memory: {value: 1Gi}}}]
bindingConditions: [example.com/ready]
bindingFailureConditions: [failed]`)},
	{name: "names", text: sliceWith("nodeName: n1\ndevices: [{name: a}, {name: a}, {name: A}, {name: \"\"}]"), want: []string{
		"api/device-name-duplicate FieldValueDuplicate spec.devices[1]",
		"api/device-name FieldValueInvalid spec.devices[2].name",
		"api/device-name FieldValueInvalid spec.devices[3].name"}},
	{name: "long name with a dot", text: sliceWith("nodeName: n1\ndevices: [{name: " + strings.Repeat("a", 63) + ".b}]"), want: []string{
		"api/device-name FieldValueInvalid spec.devices[0].name",
		"api/device-name FieldValueInvalid spec.devices[0].name"}},
	{name: "names of attributes", text: deviceWith(`attributes: {link-speed: {int: 1}, "": {int: 1}, /a: {int: 1}, x/: {int: 1}, x_y/a: {int: 1}, ` + strings.Repeat("a", 33) + `: {int: 1}}`), want: []string{
		"api/attribute-name FieldValueInvalid spec.devices[0].attributes",
		"api/attribute-name FieldValueInvalid spec.devices[0].attributes",
		"api/attribute-name FieldValueInvalid spec.devices[0].attributes",
		"api/attribute-name FieldValueInvalid spec.devices[0].attributes",
		"api/attribute-name FieldValueInvalid spec.devices[0].attributes",
		"api/attribute-name FieldValueTooLong spec.devices[0].attributes"}},
	{name: "one error for two names that are too long", text: deviceWith(`attributes: {` + strings.Repeat("a", 33) + `: {int: 1}, ` + strings.Repeat("b", 40) + `: {int: 1}}`), want: []string{
		"api/attribute-name FieldValueTooLong spec.devices[0].attributes"}},
	{name: "names of capacities", text: deviceWith(`capacity: {a.b: {value: 1}, ` + strings.Repeat("d", 64) + `/a: {value: 1}}`), want: []string{
		"api/capacity-name FieldValueInvalid spec.devices[0].capacity",
		"api/capacity-name FieldValueTooLong spec.devices[0].capacity"}},
	{name: "values", text: deviceWith(`attributes: {a: {}, b: {int: 1, string: x}, c: {string: ` + strings.Repeat("x", 65) + `}, d: {version: v1.2.3}, e: {version: "1.2.3-` + strings.Repeat("x", 59) + `"}, f: {version: "1.` + strings.Repeat("x", 63) + `"}}`), want: []string{
		"api/attribute-union FieldValueInvalid spec.devices[0].attributes[a]",
		"api/attribute-union FieldValueInvalid spec.devices[0].attributes[b]",
		"api/attribute-string-length FieldValueTooLong spec.devices[0].attributes[c].string",
		"api/attribute-version FieldValueInvalid spec.devices[0].attributes[d].version",
		"api/attribute-version FieldValueTooLong spec.devices[0].attributes[e].version",
		"api/attribute-version FieldValueInvalid spec.devices[0].attributes[f].version",
		"api/attribute-version FieldValueTooLong spec.devices[0].attributes[f].version"}},
	{name: "lists", gates: listAttributes, text: deviceWith(`attributes: {a: {ints: []}, b: {int: 1, ints: []}, c: {strings: [ok, ` + strings.Repeat("x", 65) + `]}, d: {versions: ["1"]}, e: {bools: [true], strings: [x]}, f: {bools: [true, true]}}`), want: []string{
		"api/attribute-list-empty FieldValueInvalid spec.devices[0].attributes[a].ints",
		"api/attribute-union FieldValueInvalid spec.devices[0].attributes[a]",
		"api/attribute-list-empty FieldValueInvalid spec.devices[0].attributes[b].ints",
		"api/attribute-union FieldValueInvalid spec.devices[0].attributes[b]",
		"api/attribute-string-length FieldValueTooLong spec.devices[0].attributes[c].strings[1]",
		"api/attribute-version FieldValueInvalid spec.devices[0].attributes[d].versions[0]",
		"api/attribute-union FieldValueInvalid spec.devices[0].attributes[e]"}},
	{name: "the two passes shorten names differently", text: deviceWith(`attributes: {` + strings.Repeat("a", 97) + `: {}}`), want: []string{
		"api/attribute-name FieldValueTooLong spec.devices[0].attributes",
		"api/attribute-union FieldValueInvalid spec.devices[0].attributes[" + strings.Repeat("a", 47) + "..." + strings.Repeat("a", 46) + "]",
		"api/attribute-union FieldValueInvalid spec.devices[0].attributes[" + strings.Repeat("a", 97) + "]"}},
	{name: "of two names that are shortened to the same path one is reported", text: deviceWith(
		"attributes: {" + strings.Repeat("a", 98) + ": {}, " + strings.Repeat("a", 99) + ": {ints: [1]}}\n" +
			"allowMultipleAllocations: true\ncapacity: {" + strings.Repeat("a", 50) + "b" + strings.Repeat("a", 50) + ": {value: 1, requestPolicy: {validValues: [1]}}, " +
			strings.Repeat("a", 50) + "c" + strings.Repeat("a", 50) + ": {value: 1, requestPolicy: {validValues: [1]}}}"), want: []string{
		"api/attribute-name FieldValueTooLong spec.devices[0].attributes",
		"api/attribute-union FieldValueInvalid spec.devices[0].attributes[" + strings.Repeat("a", 47) + "..." + strings.Repeat("a", 46) + "]",
		"api/attribute-union FieldValueInvalid spec.devices[0].attributes[" + strings.Repeat("a", 98) + "]",
		"api/attribute-union FieldValueInvalid spec.devices[0].attributes[" + strings.Repeat("a", 99) + "]",
		"api/capacity-name FieldValueTooLong spec.devices[0].capacity",
		"api/request-policy-default FieldValueRequired spec.devices[0].capacity[" + strings.Repeat("a", 47) + "..." + strings.Repeat("a", 46) + "].requestPolicy.default",
		"gate/list-attribute-dropped - spec.devices[0].attributes[" + strings.Repeat("a", 99) + "].ints"}},
	{name: "too many entries", text: deviceWith("attributes: {" + many(32, "a%d: {int: 1}, ") + "}\ncapacity: {c: {value: 1}}"), want: []string{
		"api/device-entries-max FieldValueInvalid spec.devices[0]"}},
	{name: "too many values", gates: listAttributes, text: deviceWith("attributes: {a: {ints: [" + strings.Repeat("1,", 48) + "]}, b: {int: 1}}"), want: []string{
		"api/attribute-values-max FieldValueInvalid spec.devices[0]"}},
	{name: "taints", text: deviceWith(`taints: [{key: "", effect: NoSchedule}, {key: a/b/c, value: "-", effect: ""}, {key: k, effect: noschedule}]`), want: []string{
		"api/taint-key FieldValueInvalid spec.devices[0].taints[0].key",
		"api/taint-key FieldValueInvalid spec.devices[0].taints[0].key",
		"api/taint-key FieldValueInvalid spec.devices[0].taints[1].key",
		"api/taint-value FieldValueInvalid spec.devices[0].taints[1].value",
		"api/taint-effect FieldValueRequired spec.devices[0].taints[1].effect",
		"api/taint-effect FieldValueNotSupported spec.devices[0].taints[2].effect"}},
	{name: "too many taints", text: deviceWith(`taints: [` + strings.Repeat("{key: k, effect: NoSchedule},", 16) + `{key: "", effect: x}]`), want: []string{
		"api/taints-max FieldValueTooMany spec.devices[0].taints",
		"api/taint-effect FieldValueNotSupported spec.devices[0].taints[16].effect"}},
	{name: "consumed counters", text: deviceWith(`consumesCounters: [{counterSet: "", counters: {}}, {counterSet: "", counters: {A: {value: 1}}}]`), want: []string{
		"api/counter-set-reference FieldValueRequired spec.devices[0].consumesCounters[0].counterSet",
		"api/counters FieldValueRequired spec.devices[0].consumesCounters[0].counters",
		"api/consumes-counters-duplicate FieldValueDuplicate spec.devices[0].consumesCounters[1]",
		"api/counter-set-reference FieldValueRequired spec.devices[0].consumesCounters[1].counterSet",
		"api/counter-name FieldValueInvalid spec.devices[0].consumesCounters[1].counters"}},
	{name: "too many sets", text: deviceWith(`consumesCounters: [{counterSet: A}, {counterSet: B}, {counterSet: C}]`), want: []string{
		"api/consumes-counters-max FieldValueTooMany spec.devices[0].consumesCounters"}},
	{name: "groups", gates: groups, text: deviceWith(`consumesCounters: [{counterSet: s, counters: {m: {value: 1}}, compatibilityGroups: [Mig, Mig]}, {counterSet: t, counters: {m: {value: 1}}, compatibilityGroups: [a, b]}]`), want: []string{
		"api/compatibility-group-name FieldValueInvalid spec.devices[0].consumesCounters[0].compatibilityGroups[0]",
		"api/compatibility-group-name FieldValueInvalid spec.devices[0].consumesCounters[0].compatibilityGroups[1]",
		"api/compatibility-groups-duplicate FieldValueDuplicate spec.devices[0].consumesCounters[0].compatibilityGroups[1]"}},
	{name: "three groups", gates: groups, text: deviceWith(`consumesCounters: [{counterSet: s, counters: {m: {value: 1}}, compatibilityGroups: [A, A, b]}]`), want: []string{
		"api/compatibility-groups-max FieldValueTooMany spec.devices[0].consumesCounters[0].compatibilityGroups"}},
	{name: "conditions", text: deviceWith("bindingConditions: [a, a, a b]\nbindingFailureConditions: [a, c, c]"), want: []string{
		"api/binding-conditions-duplicate FieldValueDuplicate spec.devices[0].bindingConditions[1]",
		"api/binding-condition-name FieldValueInvalid spec.devices[0].bindingConditions[2]",
		"api/binding-conditions-overlap FieldValueInvalid spec.devices[0].bindingFailureConditions[0]",
		"api/binding-conditions-duplicate FieldValueDuplicate spec.devices[0].bindingFailureConditions[2]"}},
	{name: "too many conditions, which are still compared", text: deviceWith("bindingConditions: [a, b, c, d, d]\nbindingFailureConditions: [a]"), want: []string{
		"api/binding-conditions-max FieldValueTooMany spec.devices[0].bindingConditions",
		"api/binding-conditions-duplicate FieldValueDuplicate spec.devices[0].bindingConditions[4]",
		"api/binding-conditions-overlap FieldValueInvalid spec.devices[0].bindingFailureConditions[0]"}},
	{name: "half of the conditions", text: deviceWith("bindingConditions: [a]"), want: []string{
		"api/binding-conditions-pair FieldValueInvalid spec.devices[0].bindingFailureConditions"}},
	{name: "the other half", text: deviceWith("bindingFailureConditions: [a]"), want: []string{
		"api/binding-conditions-pair FieldValueInvalid spec.devices[0].bindingConditions"}},
	{name: "resources of the node", gates: allocatable, text: deviceWith(`
capacity: {cores: {value: 8}}
nodeAllocatableResources:
  cpu: {mapping: {capacityKey: cores, capacityMultiplier: 1}, overhead: {perPod: 1}}
  memory: {mapping: {deviceMultiplier: 1Gi}}
  hugepages-2Mi: {overhead: {perContainer: 0}}`)},
	{name: "faults with resources of the node", gates: allocatable, text: deviceWith(`
capacity: {cores: {value: 8}}
nodeAllocatableResources:
  cpu: {}
  disk: {overhead: {}}
  hugepages-1: {mapping: {capacityKey: "", deviceMultiplier: 0}}
  hugepages-2: {mapping: {capacityKey: core, capacityMultiplier: "-1"}}
  hugepages-3: {mapping: {capacityMultiplier: 1}}
  memory: {overhead: {perPod: "-1", perContainer: "-1"}}`), want: []string{
		"api/node-allocatable-empty FieldValueRequired spec.devices[0].nodeAllocatableResources[cpu]",
		"api/node-allocatable-name FieldValueInvalid spec.devices[0].nodeAllocatableResources[disk]",
		"api/node-allocatable-overhead FieldValueInvalid spec.devices[0].nodeAllocatableResources[disk].overhead",
		"api/node-allocatable-mapping FieldValueInvalid spec.devices[0].nodeAllocatableResources[hugepages-1].mapping.capacityKey",
		"api/node-allocatable-mapping FieldValueRequired spec.devices[0].nodeAllocatableResources[hugepages-1].mapping.capacityMultiplier",
		"api/node-allocatable-mapping FieldValueInvalid spec.devices[0].nodeAllocatableResources[hugepages-1].mapping.deviceMultiplier",
		"api/node-allocatable-mapping-union FieldValueInvalid spec.devices[0].nodeAllocatableResources[hugepages-1].mapping",
		"api/node-allocatable-mapping FieldValueNotFound spec.devices[0].nodeAllocatableResources[hugepages-2].mapping.capacityKey",
		"api/node-allocatable-mapping FieldValueInvalid spec.devices[0].nodeAllocatableResources[hugepages-2].mapping.capacityMultiplier",
		"api/node-allocatable-mapping FieldValueRequired spec.devices[0].nodeAllocatableResources[hugepages-3].mapping.capacityKey",
		"api/node-allocatable-mapping-union FieldValueInvalid spec.devices[0].nodeAllocatableResources[hugepages-3].mapping",
		"api/node-allocatable-overhead FieldValueInvalid spec.devices[0].nodeAllocatableResources[memory].overhead.perPod",
		"api/node-allocatable-overhead FieldValueInvalid spec.devices[0].nodeAllocatableResources[memory].overhead.perContainer"}},
	{name: "v1beta1 has two kinds of paths", text: strings.NewReplacer("resource.k8s.io/v1", "resource.k8s.io/v1beta1").Replace(sliceWith(`
nodeName: n1
devices:
- name: d
  basic:
    attributes: {a: {}, b: {string: ` + strings.Repeat("x", 65) + `}, c-d: {int: 1}}
    taints: [{key: "a b", effect: x}]
    consumesCounters: [{counterSet: S, counters: {m: {value: 1}}}]
    bindingConditions: [a]`)), want: []string{
		"api/attribute-name FieldValueInvalid spec.devices[0].attributes",
		"api/attribute-union FieldValueInvalid spec.devices[0].basic.attributes[a]",
		"api/attribute-string-length FieldValueTooLong spec.devices[0].attributes[b].string",
		"api/taint-key FieldValueInvalid spec.devices[0].taints[0].key",
		"api/taint-effect FieldValueNotSupported spec.devices[0].basic.taints[0].effect",
		"api/counter-set-reference FieldValueInvalid spec.devices[0].basic.consumesCounters[0].counterSet",
		"api/binding-conditions-pair FieldValueInvalid spec.devices[0].bindingFailureConditions"}},
}
