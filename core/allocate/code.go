package allocate

// Code names the rule that refused a device, or the reason of a failure. The
// codes are stable.
type Code string

// The codes.
const (
	ClassSelector      Code = "class-selector"
	RequestSelector    Code = "request-selector"
	NodeSelection      Code = "node-selection"
	BindingOff         Code = "binding-conditions-off"
	InUse              Code = "in-use"
	Picked             Code = "picked"
	CapacityMissing    Code = "capacity-missing"
	CapacityPolicy     Code = "capacity-policy"
	Capacity           Code = "capacity"
	SkipNodeOperations Code = "skip-node-operations"
	CountersOff        Code = "partitionable-devices-off"
	Groups             Code = "compatibility-groups"
	Counters           Code = "counters"
	Taint              Code = "taint"
	MatchAttribute     Code = "match-attribute"
	DistinctAttribute  Code = "distinct-attribute"

	NoSlices        Code = "no-slices"
	NoPools         Code = "no-pools"
	NoDevices       Code = "no-devices"
	PoolIncomplete  Code = "pool-incomplete"
	PoolInvalid     Code = "pool-invalid"
	TooFewDevices   Code = "too-few-devices"
	DeviceLimit     Code = "device-limit"
	Combination     Code = "combination"
	SelectorError   Code = "selector-error"
	DerivedError    Code = "derived-attribute-error"
	CapacityError   Code = "capacity-error"
	ConstraintOnAll Code = "constraint-on-all"
	ClassMissing    Code = "class-missing"
	GateOff         Code = "gate-off"
	Unsupported     Code = "unsupported-request"
	NodeSelector    Code = "node-selector"
	Budget          Code = "budget"
)

// CodeDoc documents one code.
type CodeDoc struct {
	Code Code
	// Scope is device, or claim where the code is about a request, a claim
	// or a node as a whole.
	Scope string
	Doc   string
}

// Codes lists every code, in the order in which the allocator checks.
func Codes() []CodeDoc { return codes }

var codes = []CodeDoc{
	{InUse, "device", "another claim holds the device"},
	{Picked, "device", "the device is already given to another request in the same attempt"},
	{BindingOff, "device", "the device has binding conditions, and the gates for them are off"},
	{ClassSelector, "device", "a selector of the DeviceClass does not match"},
	{RequestSelector, "device", "a selector of the request does not match"},
	{NodeSelection, "device", "the device is for other nodes"},
	{CapacityMissing, "device", "the device does not have a capacity that the request asks for"},
	{CapacityPolicy, "device", "the request policy of the device does not allow the amount"},
	{Capacity, "device", "too little of a capacity is left"},
	{SkipNodeOperations, "device", "the slice skips node operations, which the node or the scheduler does not support"},
	{CountersOff, "device", "the device consumes counters, and DRAPartitionableDevices is off"},
	{Groups, "device", "the device shares no compatibility group with those that draw from the same counter set"},
	{Counters, "device", "too little is left in a counter set"},
	{Taint, "device", "the device has a taint that the request does not tolerate"},
	{MatchAttribute, "device", "the device lacks the attribute of a matchAttribute constraint, or has another value"},
	{DistinctAttribute, "device", "the device lacks the attribute of a distinctAttribute constraint, or repeats a value"},

	{NoSlices, "claim", "there is no ResourceSlice at all"},
	{NoPools, "claim", "no ResourceSlice offers devices to the node"},
	{NoDevices, "claim", "the request asks for all devices and there is none that matches"},
	{PoolIncomplete, "claim", "slices of a pool are missing or in surplus, so none of its devices can be used"},
	{PoolInvalid, "claim", "slices of a pool contradict each other, so none of its devices can be used"},
	{TooFewDevices, "claim", "the requests together want more devices than are free"},
	{DeviceLimit, "claim", "a claim can get at most 32 devices"},
	{Combination, "claim", "each request could be satisfied alone, and no combination satisfies all"},
	{SelectorError, "claim", "a CEL selector failed on a device; the scheduler gives up on the pod"},
	{DerivedError, "claim", "a derived attribute failed on a device; the scheduler gives up on the pod"},
	{CapacityError, "claim", "an amount does not fit the arithmetic of a device; the scheduler gives up on the pod"},
	{ConstraintOnAll, "claim", "a constraint excludes one of all devices; the scheduler gives up on the pod"},
	{ClassMissing, "claim", "the DeviceClass does not exist"},
	{GateOff, "claim", "the claim uses a feature whose gate is off in the scheduler"},
	{Unsupported, "claim", "the request is of a kind that this version does not know"},
	{NodeSelector, "claim", "a node selector of a slice or device cannot be used"},
	{Budget, "claim", "the budget of steps ran out before the search was decided"},
}
