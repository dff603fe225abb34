package validate

import (
	"strings"
	"testing"
)

func pastClaimOf(status string) string {
	return pastOf("v1alpha2", "ResourceClaim", "spec: {resourceClassName: gpu.example.com}\nstatus: "+status)
}

func controlledClaim(spec, status string) string {
	return pastOf("v1alpha3", "ResourceClaim", "spec: {"+spec+"devices: {requests: [{name: r, deviceClassName: c}]}}\nstatus: "+status)
}

func suitable(zone string) string {
	if zone == "" {
		return pastOf("v1alpha3", "DeviceClass", "spec: {}")
	}
	return pastOf("v1alpha3", "DeviceClass", "spec: {suitableNodes: {nodeSelectorTerms: [{matchExpressions: [{key: zone, operator: In, values: ["+zone+"]}]}]}}")
}

const (
	old131  = "DynamicResourceAllocation=true"
	oneUser = "reservedFor: [{resource: pods, name: p, uid: u}]"
)

var pastChanges = []change{
	{name: "allocate", version: "1.30", status: true, old: pastClaimOf("{}"), now: pastClaimOf("{driverName: d, allocation: {resourceHandles: [{driverName: d, data: a}]}, " + oneUser + "}")},
	{name: "wrong allocation", version: "1.30", status: true, old: pastClaimOf("{}"), now: pastClaimOf(`{allocation: {availableOnNodes: {}, resourceHandles: [{driverName: A_b, data: ` + strings.Repeat("x", 16385) + `},
  {driverName: d, data: a, structuredData: {nodeName: N1, results: [{}, {namedResources: {name: I}}]}}]}, reservedFor: [{resource: pods, name: p, uid: u}, {uid: u}]}`), want: []string{
		"api/past-allocation FieldValueRequired status.driverName",
		"api/node-selector FieldValueRequired status.allocation.availableOnNodes.nodeSelectorTerms",
		"api/driver-name FieldValueInvalid status.allocation.resourceHandles[0].driverName",
		"api/past-allocation FieldValueTooLong status.allocation.resourceHandles[0].data",
		"api/past-allocation FieldValueInvalid status.allocation.resourceHandles[1]",
		"api/node-name FieldValueInvalid status.allocation.resourceHandles[1].structuredData.nodeName",
		"api/past-named-resources FieldValueRequired status.allocation.resourceHandles[1].structuredData.results[0]",
		"api/device-name FieldValueInvalid status.allocation.resourceHandles[1].structuredData.results[1].namedResources.name",
		"api/past-allocation FieldValueForbidden status.reservedFor",
		"api/reserved-for-duplicate FieldValueDuplicate status.reservedFor[1].uid"}},
	{name: "many handles and consumers", version: "1.30", status: true, old: pastClaimOf("{}"), now: pastClaimOf("{driverName: d, allocation: {shareable: true, resourceHandles: [" + strings.Repeat("{driverName: d},", 33) + "]}, reservedFor: [" + consumers(33) + "]}"), want: []string{
		"api/past-allocation FieldValueTooLong status.allocation.resourceHandles",
		"api/reserved-for-max FieldValueTooLong status.reservedFor"}},
	{name: "one handle of 1.26", version: "1.26", status: true, old: pastOf("v1alpha1", "ResourceClaim", "spec: {resourceClassName: c}"),
		now:  pastOf("v1alpha1", "ResourceClaim", "spec: {resourceClassName: c}\nstatus: {driverName: d, allocation: {resourceHandle: "+strings.Repeat("x", 16385)+"}}"),
		want: []string{"api/past-allocation FieldValueTooLong status.allocation.resourceHandle"}},
	{name: "another allocation", version: "1.30", status: true, old: pastClaimOf("{driverName: d, allocation: {shareable: true}}"), now: pastClaimOf("{driverName: d, allocation: {}}"), want: []string{
		"api/allocation-immutable FieldValueInvalid status.allocation"}},
	{name: "what is answered about a pod", version: "1.31", gates: classic, status: true, old: pastOf("v1alpha3", "PodSchedulingContext", "spec: {}"),
		now: pastOf("v1alpha3", "PodSchedulingContext", "spec: {}\nstatus: {resourceClaims: [{name: a, unsuitableNodes: [n1, n1]}, {name: a, unsuitableNodes: [N1]}]}"), want: []string{
			"api/past-scheduling-nodes FieldValueDuplicate status.claims[0].unsuitableNodes[1]",
			"api/node-name FieldValueInvalid status.claims[1].unsuitableNodes[0]",
			"api/past-scheduling-nodes FieldValueDuplicate status.claims[1]"}},

	{name: "spec of a claim then", version: "1.30", old: pastClaimOf("{}"), now: strings.Replace(pastClaimOf("{}"), "gpu.example.com}", "B}", 1), want: []string{
		"api/spec-immutable FieldValueInvalid spec", "api/device-class-name FieldValueInvalid spec.resourceClassName"}},
	{name: "spec of a template then", version: "1.30", old: pastOf("v1alpha2", "ResourceClaimTemplate", "spec: {spec: {resourceClassName: a}}"), now: pastOf("v1alpha2", "ResourceClaimTemplate", "spec: {spec: {resourceClassName: b}}"), want: []string{
		"api/spec-immutable FieldValueInvalid spec"}},
	{name: "whose a slice is", version: "1.30", old: pastOf("v1alpha2", "ResourceSlice", "nodeName: a\ndriverName: d\nnamedResources: {}"), now: pastOf("v1alpha2", "ResourceSlice", "nodeName: b\ndriverName: e\nnamedResources: {}"), want: []string{
		"api/slice-immutable FieldValueInvalid nodeName", "api/slice-immutable FieldValueInvalid driverName"}},
	{name: "a class changes", version: "1.30", old: pastOf("v1alpha2", "ResourceClass", "driverName: d"), now: pastOf("v1alpha2", "ResourceClass", "driverName: e")},
	{name: "an expression that was stored", version: "1.30", old: requestParameters("isIP(\"1.2.3.4\")", "false"), now: requestParameters("isIP(\"1.2.3.4\")", "true")},
	{name: "an expression that is new", version: "1.30", old: requestParameters("true", "false"), now: requestParameters("isIP(\"1.2.3.4\")", "false"), want: []string{
		"api/cel-expression FieldValueInvalid driverRequests[0].requests[0].namedResources.selector"}},

	{name: "deallocate", version: "1.31", gates: classic, status: true, old: controlledClaim("controller: d, ", "{allocation: {controller: d}}"), now: controlledClaim("controller: d, ", "{allocation: {controller: d}, deallocationRequested: true}")},
	{name: "deallocate what is in use", version: "1.31", gates: classic, status: true, old: controlledClaim("controller: d, ", "{allocation: {controller: d}}"), now: controlledClaim("controller: d, ", "{allocation: {controller: d}, deallocationRequested: true, "+oneUser+"}"), want: []string{
		"api/reserved-for-deleted FieldValueForbidden status.reservedFor", "api/past-deallocation FieldValueForbidden status.deallocationRequested"}},
	{name: "deallocate nothing", version: "1.31", gates: classic, status: true, old: controlledClaim("", "{}"), now: controlledClaim("", "{deallocationRequested: true}"), want: []string{
		"api/past-deallocation FieldValueForbidden status"}},
	{name: "call it off", version: "1.31", gates: classic, status: true, old: controlledClaim("", "{allocation: {controller: d}, deallocationRequested: true}"), now: controlledClaim("", "{allocation: {controller: d}}"), want: []string{
		"api/past-deallocation FieldValueForbidden status.deallocationRequested"}},
	{name: "deallocate where nobody may", version: "1.31", gates: old131, status: true, old: controlledClaim("", "{}"), now: controlledClaim("", "{deallocationRequested: true}")},
	{name: "another controller allocated", version: "1.31", gates: classic, status: true, old: controlledClaim("", "{allocation: {controller: d}}"), now: controlledClaim("", "{allocation: {controller: E_}}"), want: []string{
		"api/driver-name FieldValueInvalid status.allocation.controller", "api/allocation-immutable FieldValueInvalid status.allocation"}},
	{name: "more consumers than there could be", version: "1.31", gates: classic, status: true, old: controlledClaim("", "{allocation: {}}"), now: controlledClaim("", "{allocation: {}, reservedFor: ["+consumers(33)+"]}"), want: []string{
		"api/reserved-for-max FieldValueTooLong status.reservedFor"}},
	{name: "as many as there can be since", version: "1.32", status: true, old: claimStatus("{allocation: {}}"), now: claimStatus("{allocation: {}, reservedFor: [" + consumers(33) + "]}")},
	{name: "an old allocation is looked at", version: "1.31", gates: classic, status: true, old: controlledClaim("", "{allocation: {devices: {results: [{}]}}}"), now: controlledClaim("", "{allocation: {devices: {results: [{}]}}}"), want: []string{
		"api/request-reference FieldValueInvalid status.allocation.devices.results[0].request",
		"api/request-reference FieldValueInvalid status.allocation.devices.results[0].request",
		"api/driver-name FieldValueRequired status.allocation.devices.results[0].driver",
		"api/driver-name FieldValueInvalid status.allocation.devices.results[0].driver",
		"api/pool-name FieldValueRequired status.allocation.devices.results[0].pool",
		"api/device-name FieldValueInvalid status.allocation.devices.results[0].device"}},

	{name: "another controller", version: "1.31", gates: classic, old: controlledClaim("controller: d, ", "{}"), now: controlledClaim("controller: e, ", "{}"), want: []string{
		"api/spec-immutable FieldValueInvalid spec"}},
	{name: "a controller that is dropped is no change", version: "1.31", gates: old131, old: controlledClaim("", "{}"), now: controlledClaim("controller: d, ", "{}"), want: []string{
		"gate/past-controller-dropped - spec.controller"}},
	{name: "a controller that stays while the gate is off", version: "1.31", gates: old131, old: controlledClaim("controller: d, ", "{}"), now: controlledClaim("controller: d, ", "{}")},
	{name: "another controller of a template", version: "1.31", gates: old131, old: pastOf("v1alpha3", "ResourceClaimTemplate", "spec: {spec: {controller: d, devices: {}}}"),
		now: pastOf("v1alpha3", "ResourceClaimTemplate", "spec: {spec: {controller: e, devices: {}}}"), want: []string{
			"api/spec-immutable FieldValueInvalid spec"}},
	{name: "nodes that are new", version: "1.31", gates: old131, old: suitable(""), now: suitable("a"), want: []string{
		"gate/past-controller-dropped - spec.suitableNodes"}},
	{name: "nodes that were there", version: "1.31", gates: old131, old: suitable("a"), now: suitable("b")},
	{name: "a device of no kind", version: "1.31", old: pastOf("v1alpha3", "ResourceSlice", "spec: {driver: d, nodeName: n1, pool: {name: p, generation: 1, resourceSliceCount: 1}}"),
		now: pastOf("v1alpha3", "ResourceSlice", "spec: {driver: d, nodeName: n1, pool: {name: p, generation: 1, resourceSliceCount: 1}, devices: [{name: a}, {name: b, basic: {}}]}"), want: []string{
			"api/past-basic FieldValueRequired spec.devices[0].basic"}},
}

func consumers(n int) string {
	var out []string
	for i := range n {
		out = append(out, "{resource: pods, name: p, uid: u"+number(uint64(i))+"}")
	}
	return strings.Join(out, ", ")
}

func requestParameters(expression, shareable string) string {
	return pastOf("v1alpha2", "ResourceClaimParameters", "shareable: "+shareable+"\ndriverRequests: [{driverName: d, requests: [{namedResources: {selector: '"+expression+"'}}]}]")
}

func TestPastChanges(t *testing.T) { runChanges(t, pastChanges) }

// TestCountNodes counts a change of nodes that the types of today do not know.
func TestCountNodes(t *testing.T) {
	for _, c := range []struct {
		gates, was, is string
		want           int64
	}{{classic, "a", "b", 1}, {classic, "a", "a", 0}, {classic, "", "a", 1}, {old131, "", "a", 0}, {old131, "a", "", 1}} {
		env := environment(t, "1.31", c.gates)
		result := Update(parseAt(t, suitable(c.was), env.Features), parseAt(t, suitable(c.is), env.Features), env)
		if got := result.Stored.(interface{ GetGeneration() int64 }).GetGeneration(); got != c.want {
			t.Errorf("from %q to %q with %s: generation %d, not %d", c.was, c.is, c.gates, got, c.want)
		}
	}
}
