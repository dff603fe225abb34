package schedule

import (
	"slices"

	"github.com/drawbridge-dra/drawbridge/core/allocate"
	"github.com/drawbridge-dra/drawbridge/core/fit"
)

// Codes of reasons that no single allocation has.
const (
	AllocatedAway    allocate.Code = "allocated-elsewhere"
	GivenUp          allocate.Code = "given-up"
	ClaimMissing     allocate.Code = "claim-missing"
	TemplateMissing  allocate.Code = "template-missing"
	ClaimInvalid     allocate.Code = "claim-invalid"
	PodEntry         allocate.Code = "pod-claim-entry"
	SchedulingGate   allocate.Code = "scheduling-gate"
	PodEnded         allocate.Code = "pod-ended"
	ReservationLimit allocate.Code = "reservation-limit"
	ClaimForeign     allocate.Code = "claim-of-another-pod"
	GroupMissing     allocate.Code = "pod-group-missing"
	NodeOperations   allocate.Code = "allocated-node-operations"
	BindingWait      allocate.Code = "binding-wait"
	BindingFailed    allocate.Code = "binding-failed"
	BindingTimeout   allocate.Code = "binding-timeout"
	PluginAndClaims  allocate.Code = "device-plugin-and-claims"
	NodeShare        allocate.Code = "node-resources-shared"
	NodeMapping      allocate.Code = "node-resources-mapping"
	PodLevel         allocate.Code = "pod-level-resources"
)

// Codes documents the codes of this package and of what nodes have against
// pods.
func Codes() []allocate.CodeDoc {
	return slices.Concat(fit.Codes(), []allocate.CodeDoc{
		{Code: SchedulingGate, Scope: "pod", Doc: "a scheduling gate holds the pod back"},
		{Code: PodEnded, Scope: "pod", Doc: "the pod has ended or is being deleted without ever having had a node"},
		{Code: ClaimMissing, Scope: "pod", Doc: "the ResourceClaim that the pod names does not exist"},
		{Code: TemplateMissing, Scope: "pod", Doc: "the ResourceClaimTemplate that the pod names does not exist"},
		{Code: ClaimInvalid, Scope: "pod", Doc: "an object that the pod depends on is refused by the API server"},
		{Code: ClaimForeign, Scope: "pod", Doc: "the generated claim that the status of the pod names belongs to another pod"},
		{Code: PodEntry, Scope: "pod", Doc: "an entry of spec.resourceClaims names neither a claim nor a template, or both"},
		{Code: GroupMissing, Scope: "pod", Doc: "the PodGroup that the pod belongs to does not exist"},
		{Code: ReservationLimit, Scope: "pod", Doc: "the claim is reserved for as many pods as it can be"},
		{Code: AllocatedAway, Scope: "pod", Doc: "a claim of the pod is already allocated for other nodes"},
		{Code: NodeOperations, Scope: "pod", Doc: "the allocation of a claim skips node operations, which the node does not support"},
		{Code: BindingFailed, Scope: "pod", Doc: "a device of an allocated claim reports that it cannot be bound"},
		{Code: BindingTimeout, Scope: "pod", Doc: "a device of an allocated claim has not become ready in time"},
		{Code: BindingWait, Scope: "pod", Doc: "the node fits, and the pod is bound to it once conditions of its devices are met"},
		{Code: PluginAndClaims, Scope: "pod", Doc: "a device plugin serves all extended resources of the pod, which also has claims; Kubernetes fails to bind it"},
		{Code: NodeShare, Scope: "pod", Doc: "a device of the claim stands for resources of the node, so no second pod can use the claim"},
		{Code: NodeMapping, Scope: "pod", Doc: "what a device takes of the node cannot be worked out; the scheduler gives up on the pod"},
		{Code: PodLevel, Scope: "pod", Doc: "containers and devices together exceed the resources of the pod as a whole"},
		{Code: GivenUp, Scope: "pod", Doc: "the node would fit, but an error on another node makes Kubernetes give up on the pod"},
	})
}
