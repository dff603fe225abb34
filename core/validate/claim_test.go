package validate

import "strings"

func claimOf(devices string) string {
	return "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: c, namespace: default}\nspec:\n  devices:\n" + indented(indented(devices))
}

// exactly is a claim with one request.
func exactly(request string) string {
	return claimOf("requests: [{name: r, exactly: {deviceClassName: c, " + request + "}}]")
}

// nested costs 399555, so that three of it are too much.
const (
	nested  = "device.attributes.all(a, device.attributes.all(b, device.attributes.all(c, a == b)))"
	derived = "DRADerivedAttributes=true"
	at0     = "spec.devices.requests[0]"
)

var claimExamples = []example{
	{name: "empty", text: claimOf("requests: []")},
	{name: "right", text: claimOf(`
requests:
- name: a
  exactly: {deviceClassName: c, count: 2, selectors: [{cel: {expression: 'device.driver == "a"'}}], tolerations: [{operator: Exists}, {key: k, value: v, effect: NoExecute}], capacity: {requests: {"%%": "-1"}}}
- name: b
  firstAvailable: [{name: x, deviceClassName: c, allocationMode: All}, {name: z, deviceClassName: c}]
constraints: [{requests: [a, b/x], matchAttribute: example.com/a}, {matchAttribute: a/b/c, distinctAttribute: example.com/b}]
config: [{requests: [b], opaque: {driver: Gpu.example.com, parameters: {a: 1}}}]`)},
	{name: "requests", text: claimOf(`
requests:
- {name: a, exactly: {deviceClassName: c}}
- {name: a, exactly: {deviceClassName: ""}}
- {name: A, exactly: {deviceClassName: C}}
- {name: b}
- {name: c, exactly: {deviceClassName: "", tolerations: [{operator: x}]}, firstAvailable: [{name: x, deviceClassName: ""}]}`), want: []string{
		"api/request-name-duplicate FieldValueDuplicate spec.devices.requests[1]",
		"api/device-class-name FieldValueRequired spec.devices.requests[1].exactly.deviceClassName",
		"api/request-name FieldValueInvalid spec.devices.requests[2].name",
		"api/device-class-name FieldValueInvalid spec.devices.requests[2].exactly.deviceClassName",
		"api/request-union FieldValueRequired spec.devices.requests[3]",
		"api/request-union FieldValueInvalid spec.devices.requests[4]",
		"api/toleration-operator FieldValueNotSupported spec.devices.requests[4].exactly.tolerations[0].operator",
		"api/device-class-name FieldValueRequired spec.devices.requests[4].firstAvailable[0].deviceClassName"}},
	{name: "too many requests", text: claimOf("requests: [" + strings.Repeat("{},", 33) + "]"), want: []string{
		"api/requests-max FieldValueTooMany spec.devices.requests"}},
	{name: "alternatives", text: claimOf("requests: [{name: r, firstAvailable: [{name: x, deviceClassName: c}, {name: x, deviceClassName: C}, {name: X}]}]"), want: []string{
		"api/request-name-duplicate FieldValueDuplicate spec.devices.requests[0].firstAvailable[1]",
		"api/device-class-name FieldValueInvalid spec.devices.requests[0].firstAvailable[1].deviceClassName",
		"api/request-name FieldValueInvalid spec.devices.requests[0].firstAvailable[2].name",
		"api/device-class-name FieldValueRequired spec.devices.requests[0].firstAvailable[2].deviceClassName"}},
	{name: "too many alternatives", text: claimOf("requests: [{name: r, firstAvailable: [" + strings.Repeat("{},", 9) + "]}]"), want: []string{
		"api/first-available-max FieldValueTooMany spec.devices.requests[0].firstAvailable"}},
	{name: "count", text: claimOf(`requests: [{name: a, exactly: {deviceClassName: c, allocationMode: All, count: 1}}, {name: b, exactly: {deviceClassName: c, count: -1}}, {name: c, exactly: {deviceClassName: c, allocationMode: all, count: -1}}]`), want: []string{
		"api/count FieldValueInvalid spec.devices.requests[0].exactly.count",
		"api/count FieldValueInvalid spec.devices.requests[1].exactly.count",
		"api/allocation-mode FieldValueNotSupported spec.devices.requests[2].exactly.allocationMode"}},
	{name: "tolerations", text: exactly(`tolerations: [{key: a/b/c, operator: Exists, value: v}, {key: k, value: "-", effect: x}, {operator: equal}]`), want: []string{
		"api/toleration-key FieldValueInvalid " + at0 + ".exactly.tolerations[0].key",
		"api/toleration-value FieldValueInvalid " + at0 + ".exactly.tolerations[0].value",
		"api/toleration-value FieldValueInvalid " + at0 + ".exactly.tolerations[1].value",
		"api/toleration-effect FieldValueNotSupported " + at0 + ".exactly.tolerations[1].effect",
		"api/toleration-operator FieldValueNotSupported " + at0 + ".exactly.tolerations[2].operator"}},
	{name: "expressions", text: exactly(`selectors: [{}, {cel: {expression: ""}}, {cel: {expression: device.driver}}, {cel: {expression: "` + nested + " || " + nested + " || " + nested + `"}}, {cel: {expression: "` + strings.Repeat(" ", 10237) + `true"}}, {cel: {expression: "` + strings.Repeat(" ", 10236) + `true"}}]`), want: []string{
		"api/selector-cel FieldValueRequired " + at0 + ".exactly.selectors[0].cel",
		"api/cel-expression FieldValueInvalid " + at0 + ".exactly.selectors[1].cel.expression",
		"api/cel-expression FieldValueInvalid " + at0 + ".exactly.selectors[2].cel.expression",
		"api/cel-cost FieldValueForbidden " + at0 + ".exactly.selectors[3].cel.expression",
		"api/cel-expression-length FieldValueTooLong " + at0 + ".exactly.selectors[4].cel.expression"}},
	{name: "too many selectors", text: exactly(`selectors: [` + strings.Repeat("{},", 33) + `]`), want: []string{
		"api/selectors-max FieldValueTooMany " + at0 + ".exactly.selectors"}},
	{name: "derived attributes", gates: derived, text: claimOf(`
requests:
- name: a
  exactly:
    deviceClassName: c
    derivedAttributes: [{name: example.com/a, expression: "1"}, {name: example.com/b, expression: "2"}, {name: example.com/a, expression: "["}, {name: "", expression: ""}, {name: Example.com/a, expression: "3"}]
- {name: b, firstAvailable: [{name: x, deviceClassName: c, derivedAttributes: [{name: example.com/b, expression: "1"}, {name: example.com/c, expression: "1"}, {name: example.com/d, expression: "1"}]}]}
constraints: [{requests: [a], matchAttribute: example.com/a}, {requests: [b], matchAttribute: example.com/b}, {requests: [b/x], distinctAttribute: example.com/c}]`), want: []string{
		"api/derived-attribute-unused FieldValueInvalid spec.devices.requests[0].exactly.derivedAttributes[1].name",
		"api/derived-attribute-duplicate FieldValueDuplicate spec.devices.requests[0].exactly.derivedAttributes[2]",
		"api/cel-expression FieldValueInvalid spec.devices.requests[0].exactly.derivedAttributes[2].expression",
		"api/derived-attribute-name FieldValueRequired spec.devices.requests[0].exactly.derivedAttributes[3].name",
		"api/derived-attribute-expression FieldValueRequired spec.devices.requests[0].exactly.derivedAttributes[3].expression",
		"api/derived-attribute-name FieldValueInvalid spec.devices.requests[0].exactly.derivedAttributes[4].name",
		"api/derived-attribute-unused FieldValueInvalid spec.devices.requests[0].exactly.derivedAttributes[4].name",
		"api/derived-attribute-unused FieldValueInvalid spec.devices.requests[1].firstAvailable[0].derivedAttributes[2].name"}},
	{name: "costly derived attributes", gates: derived, text: claimOf(`
requests: [{name: a, exactly: {deviceClassName: c, derivedAttributes: [{name: a/a, expression: "` + nested + `"}, {name: a/b, expression: "` + nested + `"}, {name: a/c, expression: "` + nested + `"}]}}]
constraints: [{matchAttribute: a/a}, {matchAttribute: a/b}, {matchAttribute: a/c}]`), want: []string{
		"api/derived-attributes-cost FieldValueForbidden spec.devices"}},
	{name: "too many derived attributes", gates: derived, text: claimOf(`
requests: [{name: a, exactly: {deviceClassName: c, derivedAttributes: [` + many(33, `{name: a/a%d, expression: ""},`) + `]}}]
constraints: [{requests: [a], matchAttribute: a/a0}]`), want: append(unused(1, 33),
		"api/derived-attributes-max FieldValueTooMany spec.devices.requests[0].exactly.derivedAttributes")},
	{name: "constraints", text: claimOf(`
requests: [{name: a, exactly: {deviceClassName: c}}, {name: b, firstAvailable: [{name: x, deviceClassName: c}]}]
constraints:
- {requests: [a, a, b, b/x, b/y, a/x, c, a/b/c, A]}
- {matchAttribute: a}
- {matchAttribute: Example.com/a}
- {distinctAttribute: a/b-c}
- {matchAttribute: example.com/a, distinctAttribute: b}`), want: []string{
		"api/constraint-union FieldValueRequired spec.devices.constraints[0]",
		"api/request-reference-duplicate FieldValueDuplicate spec.devices.constraints[0].requests[1]",
		"api/request-reference FieldValueInvalid spec.devices.constraints[0].requests[4]",
		"api/request-reference FieldValueInvalid spec.devices.constraints[0].requests[5]",
		"api/request-reference FieldValueInvalid spec.devices.constraints[0].requests[6]",
		"api/request-reference FieldValueInvalid spec.devices.constraints[0].requests[7]",
		"api/request-reference FieldValueInvalid spec.devices.constraints[0].requests[8]",
		"api/request-reference FieldValueInvalid spec.devices.constraints[0].requests[8]",
		"api/constraint-attribute FieldValueInvalid spec.devices.constraints[1].matchAttribute",
		"api/constraint-attribute FieldValueInvalid spec.devices.constraints[2].matchAttribute",
		"api/constraint-attribute FieldValueInvalid spec.devices.constraints[3].distinctAttribute",
		"api/constraint-attribute FieldValueInvalid spec.devices.constraints[4].distinctAttribute"}},
	{name: "one error for two equal parts", text: claimOf("requests: [{name: a, exactly: {deviceClassName: c}}]\nconstraints: [{requests: [/], matchAttribute: a/a}]"), want: []string{
		"api/request-reference FieldValueInvalid spec.devices.constraints[0].requests[0]",
		"api/request-reference FieldValueInvalid spec.devices.constraints[0].requests[0]"}},
	{name: "many constraints", text: claimOf("requests: []\nconstraints: [" + strings.Repeat("{},", 33) + "]"), want: []string{
		"api/constraints-max FieldValueTooMany spec.devices.constraints"}},
	{name: "many references", text: claimOf("requests: []\nconstraints: [{matchAttribute: a/a, requests: [" + strings.Repeat("a,", 33) + "]}]"), want: []string{
		"api/request-references-max FieldValueTooMany spec.devices.constraints[0].requests"}},
	{name: "configuration", text: claimOf(`
requests: []
config:
- {}
- {requests: [a], opaque: {driver: "", parameters: {}}}
- {opaque: {driver: a b, parameters: null}}
- {opaque: {driver: ` + strings.Repeat("d", 64) + `, parameters: [1]}}
- {opaque: {driver: ` + strings.Repeat("ä", 40) + `, parameters: {a: ` + strings.Repeat("x", 10*1024-7) + `}}}`), want: []string{
		"api/opaque-config FieldValueRequired spec.devices.config[0].opaque",
		"api/request-reference FieldValueInvalid spec.devices.config[1].requests[0]",
		"api/driver-name FieldValueRequired spec.devices.config[1].opaque.driver",
		"api/driver-name FieldValueInvalid spec.devices.config[2].opaque.driver",
		"api/opaque-parameters FieldValueRequired spec.devices.config[2].opaque.parameters",
		"api/driver-name FieldValueTooLong spec.devices.config[3].opaque.driver",
		"api/opaque-parameters FieldValueInvalid spec.devices.config[3].opaque.parameters",
		"api/driver-name FieldValueTooLong spec.devices.config[4].opaque.driver",
		"api/driver-name FieldValueInvalid spec.devices.config[4].opaque.driver",
		"api/opaque-parameters FieldValueTooLong spec.devices.config[4].opaque.parameters"}},
	{name: "much configuration", text: claimOf("requests: []\nconfig: [" + strings.Repeat("{},", 33) + "]"), want: []string{
		"api/config-max FieldValueTooMany spec.devices.config"}},
	{name: "admin access in any namespace", text: exactly("adminAccess: true"), want: []string{
		"api/admin-access FieldValueForbidden spec.devices.requests[0].adminAccess"}},
	{name: "admin access where it is allowed", text: strings.Replace(exactly("adminAccess: true"), "namespace: default", "namespace: admin", 1)},
	{name: "admin access in a namespace that nobody knows", text: strings.Replace(exactly("adminAccess: true"), "namespace: default", "namespace: other", 1), want: []string{
		"api/admin-access - spec.devices.requests[0].adminAccess"}},
	{name: "no admin access", text: exactly("adminAccess: false")},
	{name: "template", text: `
apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {name: t}
spec: {spec: {devices: {requests: [{name: r, exactly: {deviceClassName: c, adminAccess: true, count: -1}}]}}}
`, want: []string{
		"api/admin-access FieldValueForbidden spec.devices.requests[0].adminAccess",
		"api/count FieldValueInvalid spec.spec.devices.requests[0].exactly.count"}},
	{name: "v1beta1 has two kinds of paths", gates: derived, text: `
apiVersion: resource.k8s.io/v1beta1
kind: ResourceClaim
metadata: {name: c}
spec:
  devices:
    requests:
    - {name: a, deviceClassName: C, count: -1, selectors: [{cel: {expression: "["}}], tolerations: [{key: a b, operator: x}, {value: "-"}], derivedAttributes: [{name: a/a, expression: ""}]}
    - {name: b, count: 1, firstAvailable: [{name: x, deviceClassName: c}]}
    - {name: c, selectors: []}
`, want: []string{
		"api/device-class-name FieldValueInvalid spec.devices.requests[0].exactly.deviceClassName",
		"api/count FieldValueInvalid spec.devices.requests[0].exactly.count",
		"api/cel-expression FieldValueInvalid spec.devices.requests[0].exactly.selectors[0].cel.expression",
		"api/toleration-key FieldValueInvalid spec.devices.requests[0].tolerations[0].key",
		"api/toleration-operator FieldValueNotSupported spec.devices.requests[0].tolerations[0].operator",
		"api/toleration-value FieldValueInvalid spec.devices.requests[0].exactly.tolerations[1].value",
		"api/derived-attribute-unused FieldValueInvalid spec.devices.requests[0].exactly.derivedAttributes[0].name",
		"api/derived-attribute-expression FieldValueRequired spec.devices.requests[0].derivedAttributes[0].expression",
		"api/request-union FieldValueInvalid spec.devices.requests[1]",
		"api/device-class-name FieldValueRequired spec.devices.requests[2].exactly.deviceClassName",
		"api/allocation-mode FieldValueNotSupported spec.devices.requests[2].exactly.allocationMode"}},
	{name: "without the declared rules of beta", version: "1.35", text: claimOf(`
requests: [{name: a, exactly: {deviceClassName: c}}]
constraints: [{matchAttribute: Example.com/a}, {matchAttribute: b}]`), want: []string{
		"api/constraint-attribute FieldValueInvalid spec.devices.constraints[1].matchAttribute"}},
}

func unused(from, to int) []string {
	var out []string
	for _, i := range strings.Fields(many(to, "[%d] "))[from:] {
		out = append(out, "api/derived-attribute-unused FieldValueInvalid spec.devices.requests[0].exactly.derivedAttributes"+i+".name")
	}
	return out
}
