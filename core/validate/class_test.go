package validate

import "strings"

func classOf(spec string) string {
	return "apiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: c}\nspec: {" + spec + "}\n"
}

func ruleOf(spec string) string {
	return "apiVersion: resource.k8s.io/v1\nkind: DeviceTaintRule\nmetadata: {name: r}\nspec: {" + spec + "}\n"
}

const atName = "api/extended-resource-name FieldValueInvalid spec.extendedResourceName"

var classExamples = []example{
	{name: "right", text: classOf(`selectors: [{cel: {expression: "true"}}], config: [{opaque: {driver: d, parameters: {}}}], extendedResourceName: example.com/gpu`)},
	{name: "selectors", text: classOf(`selectors: [{}, {cel: {expression: "1"}}]`), want: []string{
		"api/selector-cel FieldValueRequired spec.selectors[0].cel",
		"api/cel-expression FieldValueInvalid spec.selectors[1].cel.expression"}},
	{name: "many selectors", text: classOf(`selectors: [` + strings.Repeat("{},", 33) + `]`), want: []string{
		"api/selectors-max FieldValueTooMany spec.selectors"}},
	{name: "configuration", text: classOf(`config: [{}, {opaque: {driver: A_b, parameters: []}}]`), want: []string{
		"api/opaque-config FieldValueRequired spec.config[0].opaque",
		"api/driver-name FieldValueInvalid spec.config[1].opaque.driver",
		"api/opaque-parameters FieldValueInvalid spec.config[1].opaque.parameters"}},
	{name: "much configuration", text: classOf(`config: [` + strings.Repeat("{},", 33) + `]`), want: []string{
		"api/config-max FieldValueTooMany spec.config"}},
	{name: "name without a domain", text: classOf(`extendedResourceName: gpu`), want: []string{atName}},
	{name: "name of Kubernetes", text: classOf(`extendedResourceName: a.kubernetes.io/gpu`), want: []string{atName}},
	{name: "name of a quota", text: classOf(`extendedResourceName: requests.example.com/g_`), want: []string{atName, atName}},
	{name: "a rule for everything", text: ruleOf(`deviceSelector: {}, taint: {key: example.com/k, effect: None}`)},
	{name: "a rule for nothing", text: ruleOf(`taint: {key: k, value: v, effect: NoExecute}`)},
	{name: "faults in a rule", text: ruleOf(`deviceSelector: {driver: "", pool: a/, device: D}, taint: {key: k, value: "-", effect: noexecute}`), want: []string{
		"api/driver-name FieldValueRequired spec.deviceSelector.driver",
		"api/pool-name FieldValueInvalid spec.deviceSelector.pool",
		"api/device-name FieldValueInvalid spec.deviceSelector.device",
		"api/taint-value FieldValueInvalid spec.taint.value",
		"api/taint-effect FieldValueNotSupported spec.taint.effect"}},
	{name: "a rule without taint", text: ruleOf(``), want: []string{
		"api/taint-key FieldValueInvalid spec.taint.key",
		"api/taint-key FieldValueInvalid spec.taint.key",
		"api/taint-effect FieldValueRequired spec.taint.effect"}},
}
