package validate

import "strings"

func claimStatus(status string) string {
	return "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: c, namespace: default}\nspec: {devices: {requests: [{name: r, exactly: {deviceClassName: c}}]}}\nstatus: " + status + "\n"
}

func allocated(rest string) string {
	return claimStatus("{allocation: {devices: {results: [{request: r, driver: d, pool: p, device: a" + rest + "}]}}}")
}

func reported(rest string) string {
	return claimStatus("{allocation: {devices: {results: [{request: r, driver: d, pool: p, device: a}]}}, devices: [{driver: d, pool: p, device: a" + rest + "}]}")
}

func ruleStatus(conditions string) string {
	return "apiVersion: resource.k8s.io/v1beta2\nkind: DeviceTaintRule\nmetadata: {name: r}\nspec: {taint: {key: k, effect: None}}\nstatus: {conditions: [" + conditions + "]}\n"
}

func answer(status string) string { return requestOf("1", "driver: d", "status: {"+status+"}\n") }

const (
	inResult    = "status.allocation.devices.results[0]"
	inDevice    = "status.devices[0]"
	inCondition = "status.conditions[0]"
	inPool      = "status.pools[0]"
	goodPool    = "driver: d, poolName: p, generation: 1"
	goodShare   = "0a1b2c3d-0000-4000-8000-0123456789ab"
)

var statusExamples = []change{
	{name: "allocate", status: true, old: claimStatus("{}"), now: allocated("")},
	{name: "deallocate", status: true, old: allocated(""), now: claimStatus("{}")},
	{name: "report", status: true, old: allocated(""), now: reported(", data: {a: 1}, networkData: {interfaceName: eth0, ips: [10.0.0.1/24, '2001:db8::1/64']}, conditions: [{type: Ready, status: 'True', reason: Up, lastTransitionTime: '2026-01-01T00:00:00Z'}]")},
	{name: "metadata and spec are not part of it", status: true, old: claimStatus("{}"), now: strings.Replace(allocated(""), "{name: c, namespace: default}", "{name: c, namespace: default, labels: {'-': x}}", 1)},
	{name: "another device", status: true, old: allocated(""), now: strings.Replace(allocated(""), "device: a", "device: b", 1), want: []string{
		"api/allocation-immutable FieldValueInvalid status.allocation"}},
	{name: "an old allocation with faults", status: true, old: allocated(", shareID: X"), now: strings.Replace(allocated(", shareID: X"), "status: {", "status: {reservedFor: [{resource: pods, name: p, uid: u}], ", 1)},
	{name: "faults of a result", status: true, gates: "DRAOptionalNodeOperations=true", old: claimStatus("{}"), now: claimStatus(`{allocation: {devices: {results: [{request: x, driver: "", pool: "", device: A, adminAccess: true, shareID: X,
  bindingConditions: [a, a], tolerations: [{operator: x}, {key: k}], skipNodeOperations: [NodePrepareResources]}]}, nodeSelector: {nodeSelectorTerms: []}}}`), want: []string{
		"api/request-reference FieldValueInvalid " + inResult + ".request",
		"api/driver-name FieldValueRequired " + inResult + ".driver",
		"api/pool-name FieldValueRequired " + inResult + ".pool",
		"api/device-name FieldValueInvalid " + inResult + ".device",
		"api/admin-access FieldValueForbidden " + inResult + ".adminAccess",
		"api/share-id FieldValueInvalid " + inResult + ".shareID",
		"api/binding-conditions-duplicate FieldValueDuplicate " + inResult + ".bindingConditions[1]",
		"api/binding-conditions-pair FieldValueInvalid " + inResult + ".bindingFailureConditions",
		"api/toleration-operator FieldValueNotSupported " + inResult + ".tolerations[0].operator",
		"api/skip-node-operations FieldValueInvalid " + inResult + ".skipNodeOperations",
		"api/node-selector FieldValueRequired status.allocation.nodeSelector.nodeSelectorTerms"}},
	{name: "admin access that was there", status: true, old: allocated(", adminAccess: true"), now: allocated(", adminAccess: true")},
	{name: "configuration", status: true, old: claimStatus("{}"), now: claimStatus(`{allocation: {devices: {config: [{opaque: {driver: d, parameters: {}}}, {source: Class, requests: [x], opaque: {driver: d, parameters: {}}}, {source: FromClaim}]}}}`), want: []string{
		"api/allocation-config-source FieldValueRequired status.allocation.devices.config[0].source",
		"api/allocation-config-source FieldValueNotSupported status.allocation.devices.config[1].source",
		"api/request-reference FieldValueInvalid status.allocation.devices.config[1].requests[0]",
		"api/opaque-config FieldValueRequired status.allocation.devices.config[2].opaque"}},
	{name: "too much", status: true, old: claimStatus("{}"), now: claimStatus(`{reservedFor: [` + strings.Repeat("{},", 257) + `], allocation: {devices: {results: [` + strings.Repeat("{},", 33) + `], config: [` + strings.Repeat("{},", 65) + `]}}}`), want: []string{
		"api/reserved-for-max FieldValueTooMany status.reservedFor",
		"api/allocation-results-max FieldValueTooMany status.allocation.devices.results",
		"api/allocation-config-max FieldValueTooMany status.allocation.devices.config"}},
	{name: "consumers", status: true, old: allocated(""), now: strings.Replace(allocated(""), "status: {", "status: {reservedFor: [{resource: pods, name: p, uid: u}, {uid: u}, {resource: pods, name: p}], ", 1), want: []string{
		"api/reserved-for-duplicate FieldValueDuplicate status.reservedFor[1]",
		"api/reserved-for-entry FieldValueRequired status.reservedFor[1].resource",
		"api/reserved-for-entry FieldValueRequired status.reservedFor[1].name",
		"api/reserved-for-entry FieldValueRequired status.reservedFor[2].uid"}},
	{name: "reserved without an allocation", status: true, old: claimStatus("{}"), now: claimStatus("{reservedFor: [{resource: pods, name: p, uid: u}]}"), want: []string{
		"api/reserved-for-unallocated FieldValueForbidden status.reservedFor"}},
	{name: "reserved while it is being deleted", status: true,
		old: strings.Replace(allocated(""), "namespace: default", `namespace: default, deletionTimestamp: "2026-01-01T00:00:00Z"`, 1),
		now: strings.Replace(allocated(""), "status: {", "status: {reservedFor: [{resource: pods, name: p, uid: u}], ", 1), want: []string{
			"api/reserved-for-deleted FieldValueForbidden status.reservedFor"}},
	{name: "a device that is not allocated", status: true, old: allocated(""), now: strings.Replace(reported(""), "device: a}]}\n", "device: b}]}\n", 1), want: []string{
		"api/device-status-unallocated FieldValueInvalid " + inDevice}},
	{name: "a device twice", status: true, old: allocated(""), now: reported("}, {driver: d, pool: p, device: a"), want: []string{
		"api/device-status-duplicate FieldValueDuplicate status.devices[1]"}},
	{name: "faults of a device", status: true, old: allocated(""), now: reported(", shareID: X, data: [], networkData: {interfaceName: " + strings.Repeat("i", 257) + ", hardwareAddress: " + strings.Repeat("h", 129) +
		", ips: [10.0.0.1, 010.0.0.1/24, '::ffff:10.0.0.1/120', '::/0', '::/0']}"), want: []string{
		"api/device-status-unallocated FieldValueInvalid " + inDevice,
		"api/share-id FieldValueInvalid " + inDevice + ".shareID",
		"api/device-status-data FieldValueInvalid " + inDevice + ".data",
		"api/network-interface-name FieldValueTooLong " + inDevice + ".networkData.interfaceName",
		"api/network-hardware-address FieldValueTooLong " + inDevice + ".networkData.hardwareAddress",
		"api/network-ip FieldValueInvalid " + inDevice + ".networkData.ips[0]",
		"api/network-ip FieldValueInvalid " + inDevice + ".networkData.ips[1]",
		"api/network-ip FieldValueInvalid " + inDevice + ".networkData.ips[2]",
		"api/network-ip-duplicate FieldValueDuplicate " + inDevice + ".networkData.ips[4]"}},
	{name: "many addresses", status: true, old: allocated(""), now: reported(", networkData: {ips: [" + strings.Repeat("a,", 17) + "]}"), want: []string{
		"api/network-ips-max FieldValueTooMany " + inDevice + ".networkData.ips"}},
	{name: "without gates", status: true, version: "1.34", gates: "DRAAdminAccess=false,DRAResourceClaimDeviceStatus=false", old: claimStatus("{}"),
		now: strings.Replace(reported(", shareID: "+goodShare), "device: a}", "device: a, adminAccess: true, shareID: "+goodShare+", consumedCapacity: {m: 1}, bindingConditions: [a], bindingFailureConditions: [b], skipNodeOperations: ['*']}", 1), want: []string{
			"gate/device-status-dropped - status.devices",
			"gate/admin-access-dropped - " + inResult + ".adminAccess",
			"gate/share-id-dropped - " + inResult + ".shareID",
			"gate/consumed-capacity-dropped - " + inResult + ".consumedCapacity",
			"gate/binding-conditions-dropped - " + inResult + ".bindingConditions",
			"gate/binding-conditions-dropped - " + inResult + ".bindingFailureConditions",
			"gate/skip-node-operations-dropped - " + inResult + ".skipNodeOperations"}},
	{name: "a share in 1.34", status: true, version: "1.34", old: allocated(""), now: reported(", shareID: " + goodShare), want: []string{
		"gate/share-id-dropped - " + inDevice + ".shareID"}},
	{name: "conditions", status: true, old: ruleStatus(""), now: ruleStatus(`{type: "", status: "", observedGeneration: -1, lastTransitionTime: null, reason: "", message: ` + strings.Repeat("m", 32769) + `},
  {type: a b, status: yes please, lastTransitionTime: "2026-01-01T00:00:00Z", reason: "a:", message: ""}, {type: a b, status: "True", lastTransitionTime: "2026-01-01T00:00:00Z", reason: ` + strings.Repeat("r", 1025) + `, message: ""}`), want: []string{
		"api/condition-type FieldValueRequired " + inCondition + ".type",
		"api/condition-status FieldValueRequired " + inCondition + ".status",
		"api/condition-generation FieldValueInvalid " + inCondition + ".observedGeneration",
		"api/condition-time FieldValueRequired " + inCondition + ".lastTransitionTime",
		"api/condition-reason FieldValueRequired " + inCondition + ".reason",
		"api/condition-message FieldValueTooLong " + inCondition + ".message",
		"api/condition-type FieldValueInvalid status.conditions[1].type",
		"api/condition-status FieldValueNotSupported status.conditions[1].status",
		"api/condition-reason FieldValueInvalid status.conditions[1].reason",
		"api/condition-duplicate FieldValueDuplicate status.conditions[2]",
		"api/condition-type FieldValueInvalid status.conditions[2].type",
		"api/condition-reason FieldValueTooLong status.conditions[2].reason"}},
	{name: "many conditions", status: true, old: ruleStatus(""), now: ruleStatus(conditions(9)), want: []string{"api/conditions-max FieldValueTooMany status.conditions"}},
	{name: "an answer", status: true, old: requestOf("1", "driver: d", ""), now: answer("poolCount: 0, pools: [{" + goodPool + "}]")},
	{name: "a second answer", status: true, old: answer("poolCount: 0"), now: answer("poolCount: -1"), want: []string{
		"api/pool-status-immutable FieldValueInvalid status",
		"api/pool-status-count FieldValueInvalid status.poolCount"}},
	{name: "no answer after all", status: true, old: answer("poolCount: 0"), now: requestOf("1", "driver: d", ""), want: []string{
		"api/pool-status-immutable FieldValueInvalid status"}},
	{name: "faults of an answer", status: true, old: requestOf("1", "driver: d", ""), now: answer(`conditions: [` + conditions(11) + `], pools: [{driver: "", poolName: "", resourceSliceCount: 0, totalDevices: -1, nodeName: "", validationError: ` + strings.Repeat("e", 257) + `,
  partitionSummary: [{}, {attribute: "", type: "", total: -1, allocatable: 0}], shareableSummary: {fullyAvailableDevices: 1, capacity: [{}]}}]`), want: []string{
		"api/conditions-max FieldValueTooMany status.conditions",
		"api/pool-status-count FieldValueRequired status.poolCount",
		"api/driver-name FieldValueRequired " + inPool + ".driver",
		"api/pool-name FieldValueRequired " + inPool + ".poolName",
		"api/pool-status-generation FieldValueRequired " + inPool + ".generation",
		"api/pool-status-number FieldValueInvalid " + inPool + ".resourceSliceCount",
		"api/pool-status-number FieldValueInvalid " + inPool + ".totalDevices",
		"api/node-name FieldValueInvalid " + inPool + ".nodeName",
		"api/pool-status-error FieldValueTooLong " + inPool + ".validationError",
		"api/pool-status-partitions FieldValueRequired " + inPool + ".partitionSummary[0].attribute",
		"api/pool-status-partitions FieldValueRequired " + inPool + ".partitionSummary[0].type",
		"api/pool-status-partitions FieldValueRequired " + inPool + ".partitionSummary[0].total",
		"api/pool-status-partitions FieldValueRequired " + inPool + ".partitionSummary[0].allocatable",
		"api/pool-status-partitions FieldValueDuplicate " + inPool + ".partitionSummary[1]",
		"api/pool-status-partitions FieldValueRequired " + inPool + ".partitionSummary[1].attribute",
		"api/pool-status-partitions FieldValueRequired " + inPool + ".partitionSummary[1].type",
		"api/pool-status-partitions FieldValueInvalid " + inPool + ".partitionSummary[1].total",
		"api/pool-status-shares FieldValueRequired " + inPool + ".shareableSummary.partiallyAvailableDevices",
		"api/pool-status-shares FieldValueRequired " + inPool + ".shareableSummary.capacity[0].name",
		"api/pool-status-shares FieldValueRequired " + inPool + ".shareableSummary.capacity[0].total",
		"api/pool-status-shares FieldValueRequired " + inPool + ".shareableSummary.capacity[0].consumed",
		"api/pool-status-shares FieldValueRequired " + inPool + ".shareableSummary.capacity[0].available"}},
	{name: "many pools", status: true, old: requestOf("1", "driver: d", ""), now: answer("poolCount: 1, pools: [" + strings.Repeat("{"+goodPool+"},", 1001) + "]"), want: []string{
		"api/pool-status-pools-max FieldValueTooMany status.pools"}},
	{name: "many summaries", status: true, old: requestOf("1", "driver: d", ""), now: answer("poolCount: 1, pools: [{driver: d, poolName: p, generation: -1, partitionSummary: [" + strings.Repeat("{},", 33) +
		"], shareableSummary: {fullyAvailableDevices: 1, partiallyAvailableDevices: 1, capacity: [" + strings.Repeat("{},", 33) + "]}}]"), want: []string{
		"api/pool-status-generation FieldValueInvalid " + inPool + ".generation",
		"api/pool-status-partitions FieldValueTooMany " + inPool + ".partitionSummary",
		"api/pool-status-shares FieldValueTooMany " + inPool + ".shareableSummary.capacity"}},
}

func conditions(n int) string {
	var out []string
	for i := range n {
		out = append(out, "{type: T"+string(rune('a'+i))+", status: 'True', reason: R, message: '', lastTransitionTime: '2026-01-01T00:00:00Z'}")
	}
	return strings.Join(out, ", ")
}
