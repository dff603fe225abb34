package validate

import (
	"strings"
	"testing"
)

func pastOf(version, kind, body string) string {
	return "apiVersion: resource.k8s.io/" + version + "\nkind: " + kind + "\nmetadata: {name: c}\n" + body + "\n"
}

const classic = "DynamicResourceAllocation=true,DRAControlPlaneController=true"

var pastExamples = []example{
	{name: "a context", version: "1.31", gates: classic, text: pastOf("v1alpha3", "PodSchedulingContext", "spec: {selectedNode: A, potentialNodes: [n1, n2]}")},
	{name: "nodes", version: "1.31", gates: classic, text: pastOf("v1alpha3", "PodSchedulingContext", "spec: {potentialNodes: [N1, n2, n2, "+strings.Repeat("n3, ", 128)+"N1]}"),
		want: append([]string{
			"api/node-name FieldValueInvalid spec.potentialNodes[0]",
			"api/past-scheduling-nodes FieldValueDuplicate spec.potentialNodes[2]",
			"api/node-name FieldValueInvalid spec.potentialNodes[131]",
			"api/past-scheduling-nodes FieldValueDuplicate spec.potentialNodes[131]",
			"api/past-scheduling-nodes FieldValueTooLong spec.potentialNodes",
		}, again(4, 131)...)},
	{name: "a node twice before 1.31", version: "1.30", text: pastOf("v1alpha2", "PodSchedulingContext", "spec: {potentialNodes: [N1, N1]}"), want: []string{
		"api/node-name FieldValueInvalid spec.potentialNodes[0]",
		"api/past-scheduling-nodes FieldValueDuplicate spec.potentialNodes[1]"}},
	{name: "the first name", version: "1.26", text: pastOf("v1alpha1", "PodScheduling", "spec: {potentialNodes: [n1]}")},

	{name: "a claim", version: "1.30", text: pastOf("v1alpha2", "ResourceClaim", "spec: {resourceClassName: gpu.example.com}")},
	{name: "a wrong claim", version: "1.29", text: pastOf("v1alpha2", "ResourceClaim", "spec: {resourceClassName: A, parametersRef: {}, allocationMode: Late}"), want: []string{
		"api/device-class-name FieldValueInvalid spec.resourceClassName",
		"api/past-parameters FieldValueRequired spec.parametersRef.kind",
		"api/past-parameters FieldValueRequired spec.parametersRef.name",
		"api/past-allocation-mode FieldValueNotSupported spec.allocationMode"}},
	{name: "a template", version: "1.30", text: pastOf("v1alpha2", "ResourceClaimTemplate", "spec: {metadata: {name: x}, spec: {resourceClassName: A}}"), want: []string{
		"api/template-metadata FieldValueForbidden spec.metadata.name",
		"api/device-class-name FieldValueInvalid spec.spec.resourceClassName"}},
	{name: "a class", version: "1.30", text: pastOf("v1alpha2", "ResourceClass", "driverName: A_b\nparametersRef: {kind: K, name: p, namespace: A}\nsuitableNodes: {}"), want: []string{
		"api/driver-name FieldValueInvalid driverName",
		"api/metadata-namespace FieldValueInvalid parametersRef.namespace",
		"api/node-selector FieldValueRequired suitableNodes.nodeSelectorTerms"}},

	{name: "a slice", version: "1.30", text: pastOf("v1alpha2", "ResourceSlice", "nodeName: n1\ndriverName: d\nnamedResources: {instances: [{name: i, attributes: [{name: a, string: x}, {name: b, intSlice: {ints: [1]}}, {name: c, version: 1.2.3}]}]}")},
	{name: "a wrong slice", version: "1.30", text: pastOf("v1alpha2", "ResourceSlice",
		"nodeName: N1\ndriverName: d\nnamedResources: {instances: [{name: I}, {name: i, attributes: [{name: a}, {name: a, bool: true, int: 1}, {name: v, version: \"1\"}]}, {name: i}]}"), want: []string{
		"api/node-name FieldValueInvalid nodeName",
		"api/device-name FieldValueInvalid namedResources.instances[0].name",
		"api/attribute-union FieldValueRequired namedResources.instances[1].attributes[0]",
		"api/attribute-union FieldValueInvalid namedResources.instances[1].attributes[1]",
		"api/past-named-resources FieldValueDuplicate namedResources.instances[1].attributes[1].name",
		"api/attribute-version FieldValueInvalid namedResources.instances[1].attributes[2].version",
		"api/past-named-resources FieldValueDuplicate namedResources.instances[2].name"}},
	{name: "a slice of nothing", version: "1.30", text: pastOf("v1alpha2", "ResourceSlice", "driverName: d"), want: []string{
		"api/past-named-resources FieldValueRequired "}},

	{name: "claim parameters", version: "1.30", text: pastOf("v1alpha2", "ResourceClaimParameters",
		`driverRequests: [{driverName: d, requests: [{namedResources: {selector: 'attributes.quantity["memory"].isGreaterThan(quantity("1Gi")) && attributes.string["model"] == "A" && attributes.stringslice["x"].exists(e, e == "b") && attributes.version["v"].isGreaterThan(semver("1.0.0"))'}}]}]`)},
	{name: "wrong claim parameters", version: "1.30", text: pastOf("v1alpha2", "ResourceClaimParameters",
		"generatedFrom: {kind: K}\n"+`driverRequests: [{driverName: d, requests: [{}, {namedResources: {selector: ""}}, {namedResources: {selector: 'device.driver == "d"'}}, {namedResources: {selector: '1'}}]}, {driverName: d}]`), want: []string{
		"api/past-parameters FieldValueRequired generatedFrom.name",
		"api/past-named-resources FieldValueRequired driverRequests[0].requests[0]",
		"api/past-named-resources FieldValueRequired driverRequests[0].requests[1].namedResources.selector",
		"api/cel-expression FieldValueInvalid driverRequests[0].requests[2].namedResources.selector",
		"api/cel-expression FieldValueInvalid driverRequests[0].requests[3].namedResources.selector",
		"api/past-drivers FieldValueRequired driverRequests[1].requests",
		"api/past-drivers FieldValueDuplicate driverRequests[1].driverName"}},
	{name: "class parameters", version: "1.30", text: pastOf("v1alpha2", "ResourceClassParameters",
		"generatedFrom: {kind: K, name: p}\nvendorParameters: [{driverName: d}, {driverName: d}]\n"+`filters: [{driverName: d, namedResources: {selector: "true"}}, {driverName: d}]`), want: []string{
		"api/past-drivers FieldValueDuplicate vendorParameters[1].driverName",
		"api/past-drivers FieldValueDuplicate filters[1].driverName",
		"api/past-named-resources FieldValueRequired filters[1]"}},

	{name: "a controller", version: "1.31", gates: classic, text: pastOf("v1alpha3", "ResourceClaim", "spec: {controller: A_b, devices: {}}"), want: []string{
		"api/driver-name FieldValueInvalid spec.controller"}},
	{name: "a controller that is dropped", version: "1.31", gates: "DynamicResourceAllocation=true", text: pastOf("v1alpha3", "ResourceClaim", "spec: {controller: A_b, devices: {}}"), want: []string{
		"gate/past-controller-dropped - spec.controller",
		"api/driver-name FieldValueInvalid spec.controller if DRAControlPlaneController"}},
	{name: "a controller of a template", version: "1.31", gates: "DynamicResourceAllocation=true", text: pastOf("v1alpha3", "ResourceClaimTemplate", "spec: {spec: {controller: A_b, devices: {}}}"), want: []string{
		"api/driver-name FieldValueInvalid spec.spec.controller"}},
	{name: "paths of 1.31", version: "1.31", text: pastOf("v1alpha3", "ResourceClaim", "spec: {devices: {requests: [{name: r, deviceClassName: A}, {name: s}, {name: t, deviceClassName: c, selectors: [{cel: {expression: '1'}}]}], constraints: [{matchAttribute: a}]}}"), want: []string{
		"api/device-class-name FieldValueInvalid spec.devices.requests[0].deviceClassName",
		"api/device-class-name FieldValueRequired spec.devices.requests[1].deviceClassName",
		"api/cel-expression FieldValueInvalid spec.devices.requests[2].selectors[0].cel.expression",
		"api/constraint-attribute FieldValueRequired spec.devices.constraints[0].matchAttribute.domain"}},
	{name: "devices of 1.31", version: "1.31", text: pastOf("v1alpha3", "ResourceSlice", "spec: {driver: d, nodeName: n1, pool: {name: p, generation: 1, resourceSliceCount: 1}, devices: [{name: d, basic: {attributes: {a: {}}, capacity: {1a: 1Gi}}}]}"), want: []string{
		"api/attribute-union FieldValueRequired spec.devices[0].basic.attributes[a]",
		"api/capacity-name FieldValueTypeInvalid spec.devices[0].basic.capacity"}},
	{name: "what 1.31 did not look at", version: "1.31", gates: classic, text: pastOf("v1alpha3", "DeviceClass", "spec: {suitableNodes: {nodeSelectorTerms: [{matchExpressions: [{key: a, operator: In, values: [a/b]}]}]}, selectors: [{cel: {expression: '"+strings.Repeat(" ", 10240)+"true'}}]}")},
	{name: "nodes of a class", version: "1.31", gates: classic, text: pastOf("v1alpha3", "DeviceClass", "spec: {suitableNodes: {nodeSelectorTerms: []}}"), want: []string{
		"api/node-selector FieldValueRequired suitableNodes.nodeSelectorTerms"}},
}

// again lists the findings about a node that is there more than once.
func again(from, to int) []string {
	var out []string
	for i := from; i < to; i++ {
		out = append(out, "api/past-scheduling-nodes FieldValueDuplicate spec.potentialNodes["+number(uint64(i))+"]")
	}
	return out
}

func TestPast(t *testing.T) { run(t, pastExamples) }
