package validate

import (
	"fmt"
	"strings"
)

// sliceWith is a slice that is right save for what is put into its spec.
func sliceWith(spec string) string {
	return "apiVersion: resource.k8s.io/v1\nkind: ResourceSlice\nmetadata: {name: s}\nspec:\n  driver: gpu.example.com\n  pool: {name: p, generation: 1, resourceSliceCount: 1}\n" +
		indented(spec)
}

func indented(text string) string {
	return "  " + strings.ReplaceAll(strings.Trim(text, "\n"), "\n", "\n  ") + "\n"
}

// devices lists n devices, with something special in the first.
func devices(n int, special string) string {
	var b strings.Builder
	b.WriteString("nodeName: n1\ndevices:\n")
	for i := range n {
		if i > 0 {
			special = ""
		}
		fmt.Fprintf(&b, "- {name: d%d%s}\n", i, special)
	}
	return b.String()
}

const (
	taint = `, taints: [{key: example.com/worn, effect: NoSchedule}]`
	eats  = `, consumesCounters: [{counterSet: s, counters: {memory: {value: 1Gi}}}]`
)

var sliceExamples = []example{
	{name: "right", text: sliceWith(devices(128, ""))},
	{name: "driver", text: strings.Replace(sliceWith(devices(1, "")), "gpu.example.com", "GPU_", 1), want: []string{
		"api/driver-name FieldValueInvalid spec.driver"}},
	{name: "driver in upper case", text: strings.Replace(sliceWith(devices(1, "")), "gpu.example.com", "GPU.example.com", 1), want: []string{
		"api/driver-name-case - spec.driver"}},
	{name: "no driver", text: strings.Replace(sliceWith(devices(1, "")), "gpu.example.com", `""`, 1), want: []string{
		"api/driver-name FieldValueRequired spec.driver"}},
	{name: "long driver", text: strings.Replace(sliceWith(devices(1, "")), "gpu.example.com", strings.Repeat("d", 64), 1), want: []string{
		"api/driver-name FieldValueTooLong spec.driver"}},
	{name: "pool", text: strings.Replace(sliceWith(devices(1, "")), "{name: p, generation: 1, resourceSliceCount: 1}", "{name: a//B, generation: -1, resourceSliceCount: 0}", 1), want: []string{
		"api/pool-name FieldValueInvalid spec.pool.name",
		"api/pool-name FieldValueInvalid spec.pool.name",
		"api/pool-generation FieldValueInvalid spec.pool.generation",
		"api/pool-slice-count FieldValueInvalid spec.pool.resourceSliceCount"}},
	{name: "no pool", text: strings.Replace(sliceWith(devices(1, "")), "{name: p,", `{name: "",`, 1), want: []string{
		"api/pool-name FieldValueRequired spec.pool.name"}},
	{name: "long pool", text: strings.Replace(sliceWith(devices(1, "")), "{name: p,", `{name: a/`+strings.Repeat("b", 252)+`,`, 1), want: []string{
		"api/pool-name FieldValueTooLong spec.pool.name"}},
	{name: "no nodes", text: sliceWith(`devices: [{name: d}]`), want: []string{
		"api/node-selection FieldValueRequired spec"}},
	{name: "two kinds of nodes", text: sliceWith("nodeName: n1\nallNodes: true\ndevices: []"), want: []string{
		"api/node-selection FieldValueInvalid spec"}},
	{name: "empty and false do not count", text: sliceWith("nodeName: \"\"\nallNodes: false\nperDeviceNodeSelection: false"), want: []string{
		"api/node-selection FieldValueRequired spec",
		"api/node-name FieldValueInvalid spec.nodeName",
		"api/all-nodes FieldValueInvalid spec.allNodes",
		"api/per-device-node-selection FieldValueInvalid spec.perDeviceNodeSelection"}},
	{name: "node name", text: sliceWith("nodeName: N1"), want: []string{
		"api/node-name FieldValueInvalid spec.nodeName"}},
	{name: "selector without a term", text: sliceWith("nodeSelector: {nodeSelectorTerms: []}"), want: []string{
		"api/node-selector FieldValueRequired spec.nodeSelector.nodeSelectorTerms",
		"api/node-selector-terms FieldValueInvalid spec.nodeSelector.nodeSelectorTerms"}},
	{name: "selector with two terms", text: sliceWith("nodeSelector: {nodeSelectorTerms: [{matchExpressions: [{key: a, operator: Exists}]}, {}]}"), want: []string{
		"api/node-selector-terms FieldValueInvalid spec.nodeSelector.nodeSelectorTerms"}},
	{name: "requirements", text: sliceWith(`
nodeSelector:
  nodeSelectorTerms:
  - matchExpressions:
    - {key: a, operator: In}
    - {key: a, operator: Exists, values: [x]}
    - {key: a, operator: Gt, values: ["1", "2"]}
    - {key: a/b/c, operator: in, values: ["-"]}
    matchFields:
    - {key: metadata.name, operator: In, values: [N1]}
    - {key: metadata.name, operator: In}
    - {key: metadata.uid, operator: Exists}`), want: []string{
		"api/node-selector FieldValueRequired spec.nodeSelector.nodeSelectorTerms[0].matchExpressions[0].values",
		"api/node-selector FieldValueForbidden spec.nodeSelector.nodeSelectorTerms[0].matchExpressions[1].values",
		"api/node-selector FieldValueRequired spec.nodeSelector.nodeSelectorTerms[0].matchExpressions[2].values",
		"api/node-selector FieldValueInvalid spec.nodeSelector.nodeSelectorTerms[0].matchExpressions[3].key",
		"api/node-selector FieldValueInvalid spec.nodeSelector.nodeSelectorTerms[0].matchExpressions[3].operator",
		"api/node-selector FieldValueInvalid spec.nodeSelector.nodeSelectorTerms[0].matchExpressions[3].values[0]",
		"api/node-selector FieldValueInvalid spec.nodeSelector.nodeSelectorTerms[0].matchFields[0].values[0]",
		"api/node-selector FieldValueRequired spec.nodeSelector.nodeSelectorTerms[0].matchFields[1].values",
		"api/node-selector FieldValueInvalid spec.nodeSelector.nodeSelectorTerms[0].matchFields[2].key",
		"api/node-selector FieldValueInvalid spec.nodeSelector.nodeSelectorTerms[0].matchFields[2].operator"}},
	{name: "per device", text: sliceWith(`
perDeviceNodeSelection: true
devices:
- {name: a, nodeName: n1}
- {name: b, nodeSelector: {nodeSelectorTerms: [{}, {}]}}
- {name: c, allNodes: true}
- {name: d}
- {name: e, nodeName: n1, allNodes: true}
- {name: f, nodeName: ""}
- {name: g, nodeName: n1, allNodes: false}`), want: []string{
		"api/device-node-selection FieldValueRequired spec.devices[3]",
		"api/device-node-selection FieldValueInvalid spec.devices[4]",
		"api/device-node-selection FieldValueRequired spec.devices[5]",
		"api/node-name FieldValueInvalid spec.devices[5].nodeName",
		"api/all-nodes FieldValueInvalid spec.devices[6].allNodes"}},
	{name: "node of a device without leave", text: sliceWith("allNodes: true\ndevices: [{name: d, nodeName: n1}]"), want: []string{
		"api/device-node-selection FieldValueInvalid spec.devices[0]"}},
	{name: "counter sets beside devices", text: sliceWith("nodeName: n1\nsharedCounters: [{name: s, counters: {memory: {value: 8Gi}}}]\ndevices: []"), want: []string{
		"api/counter-sets-beside-devices FieldValueInvalid spec"}},
	{name: "counter sets", text: sliceWith(`
nodeName: n1
sharedCounters:
- {name: s, counters: {memory: {value: 8Gi}}}
- {name: s, counters: {Memory: {value: 8Gi}}}
- {name: "", counters: {}}
- {name: S, counters: {m: {value: "-1"}}}`), want: []string{
		"api/counter-set-duplicate FieldValueDuplicate spec.sharedCounters[1]",
		"api/counter-name FieldValueInvalid spec.sharedCounters[1].counters",
		"api/counter-set-name FieldValueRequired spec.sharedCounters[2].name",
		"api/counters FieldValueRequired spec.sharedCounters[2].counters",
		"api/counter-set-name FieldValueInvalid spec.sharedCounters[3].name"}},
	{name: "too many counter sets", text: sliceWith("nodeName: n1\nsharedCounters: [" + strings.Repeat("{name: S, counters: {}},", 9) + "]"), want: []string{
		"api/counter-sets-max FieldValueTooMany spec.sharedCounters"}},
	{name: "too many counters", text: sliceWith("nodeName: n1\nsharedCounters: [{name: s, counters: {" + many(33, "c%d: {value: 1}, ") + "}}]"), want: []string{
		"api/counters-max FieldValueTooMany spec.sharedCounters[0].counters"}},
	{name: "the declared pass goes on behind too many counters", text: sliceWith("nodeName: n1\nsharedCounters: [{name: s, counters: {" + many(33, "C%d: {value: 1}, ") + "}}]"), want: append(
		repeated(33, "api/counter-name FieldValueInvalid spec.sharedCounters[0].counters"),
		"api/counters-max FieldValueTooMany spec.sharedCounters[0].counters")},
	{name: "too many devices", text: sliceWith(devices(129, "")), want: []string{
		"api/devices-max FieldValueTooMany spec.devices"}},
	{name: "64 devices with a taint", text: sliceWith(devices(64, taint))},
	{name: "65 devices with a taint", text: sliceWith(devices(65, taint)), want: []string{
		"api/devices-max FieldValueTooMany spec.devices"}},
	{name: "65 devices with counters", text: sliceWith(devices(65, eats)), want: []string{
		"api/devices-max FieldValueTooMany spec.devices"}},
	{name: "65 devices with a list", gates: "DRAListTypeAttributes=true", text: sliceWith(devices(65, ", attributes: {a: {ints: [1]}}")), want: []string{
		"api/devices-max FieldValueTooMany spec.devices"}},
	{name: "the declared pass goes on behind too many devices", text: sliceWith(devices(129, ", taints: [{key: k, effect: x}], attributes: {a: {}}")), want: []string{
		"api/devices-max FieldValueTooMany spec.devices",
		"api/taint-effect FieldValueNotSupported spec.devices[0].taints[0].effect",
		"api/attribute-union FieldValueInvalid spec.devices[0].attributes[a]"}},
	{name: "operations", gates: "DRAOptionalNodeOperations=true", text: sliceWith("nodeName: n1\nskipNodeOperations: [NodePrepareResources, nodeprepareresources, NodePrepareResources]"), want: []string{
		"api/skip-node-operations FieldValueInvalid spec.skipNodeOperations",
		"api/skip-node-operations-value FieldValueNotSupported spec.skipNodeOperations[1]",
		"api/skip-node-operations-duplicate FieldValueDuplicate spec.skipNodeOperations[2]"}},
	{name: "both operations", gates: "DRAOptionalNodeOperations=true", text: sliceWith("nodeName: n1\nskipNodeOperations: [NodeUnprepareResources, NodePrepareResources]")},
	{name: "all operations", gates: "DRAOptionalNodeOperations=true", text: sliceWith("nodeName: n1\nskipNodeOperations: [NodePrepareResources, '*']")},
	{name: "type of partitions", gates: partitionTypes, text: sliceWith(`
nodeName: n1
partitionTypeAttribute: gpu.example.com/profile
devices:
- {name: a, attributes: {profile: {string: 1g}}` + eats + `}
- {name: b, attributes: {gpu.example.com/profile: {int: 1}}` + eats + `}
- {name: c` + eats + `}
- {name: d}`), want: []string{
		"api/partition-type-attribute FieldValueInvalid spec.devices[1].attributes[gpu.example.com/profile]",
		"api/partition-type-attribute FieldValueRequired spec.devices[2].attributes[gpu.example.com/profile]"}},
	{name: "type of no partitions", gates: partitionTypes, text: sliceWith("nodeName: n1\npartitionTypeAttribute: profile"), want: []string{
		"api/partition-type-attribute FieldValueInvalid spec.partitionTypeAttribute",
		"api/partition-type-attribute FieldValueInvalid spec.partitionTypeAttribute"}},
}

const partitionTypes = "DRAPartitionableDevicesType=true,DRAResourcePoolStatus=true"

func many(n int, format string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

func repeated(n int, line string) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = line
	}
	return out
}
