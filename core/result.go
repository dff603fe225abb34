package core

import (
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/drawbridge-dra/drawbridge/core/diag"
)

// ObjectResult says of one object of the bundle whether it is valid.
type ObjectResult struct {
	Index      int    `json:"index" doc:"Position of the object in the bundle, from 0; in the one before a change for an object that is deleted."`
	APIVersion string `json:"apiVersion" doc:"API version as written."`
	Kind       string `json:"kind" doc:"Kind as written."`
	Namespace  string `json:"namespace" doc:"Namespace as written; empty where there is none."`
	Name       string `json:"name" doc:"metadata.name, or metadata.generateName with a trailing * where there is no name."`
	Operation  string `json:"operation,omitempty" enum:"create,update,status,delete" doc:"For a change: what it does to the object. Missing for an object that has no status to update."`
	Valid      bool   `json:"valid" doc:"False if any finding with severity error is about this object."`
	// Location is where the object stands; only for fronts that gather a text
	// from files, and only from Validate.
	Location *diag.Location `json:"-"`
}

// ValidateResult answers Validate.
type ValidateResult struct {
	Valid             bool              `json:"valid" doc:"True if no finding has severity error."`
	KubernetesVersion string            `json:"kubernetesVersion" doc:"The version whose rules were applied, such as 1.37."`
	Objects           []ObjectResult    `json:"objects" doc:"Every object of the bundle, in its order; for a change, those that it deletes behind them."`
	Diagnostics       []diag.Diagnostic `json:"diagnostics" doc:"All findings, by position and then by rule."`
	// Notes say, for an answer with Options.Cluster, what of the cluster was
	// not known or not looked at, each in a sentence.
	Notes []string `json:"-"`
}

// PodOutcome says what became of a pod.
type PodOutcome string

// The outcomes of a pod.
const (
	PodScheduled        PodOutcome = "Scheduled"
	PodUnschedulable    PodOutcome = "Unschedulable"
	PodAlreadyScheduled PodOutcome = "AlreadyScheduled"
	PodInvalid          PodOutcome = "Invalid"
	PodUndecided        PodOutcome = "Undecided"
)

// ClaimOutcome says what became of a claim.
type ClaimOutcome string

// The outcomes of a claim.
const (
	ClaimAllocated        ClaimOutcome = "Allocated"
	ClaimAlreadyAllocated ClaimOutcome = "AlreadyAllocated"
	ClaimUnallocated      ClaimOutcome = "Unallocated"
	ClaimInvalid          ClaimOutcome = "Invalid"
	ClaimUndecided        ClaimOutcome = "Undecided"
)

// DeviceReason says why one device was not given to a request.
type DeviceReason struct {
	Driver  string `json:"driver"`
	Pool    string `json:"pool"`
	Device  string `json:"device"`
	Code    string `json:"code" doc:"Stable code of the rule that refused the device."`
	Message string `json:"message"`
	// Location is the cause; what lies in the claim is located by the reason.
	Location *diag.Location `json:"location,omitempty" doc:"Where in the submitted text the cause lies, if that is in a slice, a taint rule, a class or a node."`
}

// Reason says why a pod or claim does not fit on a node.
type Reason struct {
	Code     string         `json:"code" doc:"Stable code of the reason."`
	Message  string         `json:"message" doc:"What is wrong, the limit or rule, and what to do."`
	Claim    string         `json:"claim,omitempty" doc:"Namespace and name of the claim."`
	Request  string         `json:"request,omitempty" doc:"The request of the claim, or request/subrequest."`
	PodWide  bool           `json:"podWide,omitempty" doc:"True if Kubernetes gives up on the whole pod for this, whatever other nodes offer."`
	Location *diag.Location `json:"location,omitempty" doc:"Where in the submitted text the reason lies."`
	Devices  []DeviceReason `json:"devices,omitempty" doc:"Every device that was considered, with the rule that refused it."`
}

// NodeResult says whether a pod or claim fits on a node.
type NodeResult struct {
	Name    string   `json:"name" doc:"Name of the node; empty for the nameless node that stands in when the bundle names none."`
	Fits    bool     `json:"fits"`
	Reasons []Reason `json:"reasons,omitempty"`
}

// PodResult says what becomes of a pod.
type PodResult struct {
	Namespace string       `json:"namespace"`
	Name      string       `json:"name"`
	Outcome   PodOutcome   `json:"outcome" enum:"Scheduled,Unschedulable,AlreadyScheduled,Invalid,Undecided"`
	Node      string       `json:"node,omitempty" doc:"The node that the pod is placed on."`
	Message   string       `json:"message,omitempty" doc:"The outcome in one or two sentences."`
	Claims    []string     `json:"claims" doc:"The claims that the pod uses, as namespace/name, in the pod's order."`
	Nodes     []NodeResult `json:"nodes" doc:"Every node that was tried; empty with explain=summary or none."`
	Groups    []NodeGroup  `json:"groups,omitempty" doc:"The nodes that were tried, those alike together, with explain=summary."`
	// Location is only for who draws: the pod is known by its name.
	Location *diag.Location `json:"location,omitempty" doc:"Where in the submitted text the pod's name stands, with picture=true."`

	ExtendedResourceClaimStatus          *corev1.PodExtendedResourceClaimStatus      `json:"extendedResourceClaimStatus,omitempty" doc:"Which container gets which request of the claim that stands for the pod's extended resources, as the scheduler writes it into the status of the pod."`
	NodeAllocatableResourceClaimStatuses []corev1.NodeAllocatableResourceClaimStatus `json:"nodeAllocatableResourceClaimStatuses,omitempty" doc:"What the devices of the pod take of the node's own resources, as the scheduler writes it into the status of the pod."`

	NodeOperations *PodOperations `json:"nodeOperations,omitempty" doc:"What the kubelet does with the claims of the pod, with nodeOperations=true."`
}

// ClaimResult says what becomes of a claim.
type ClaimResult struct {
	Outcome ClaimOutcome               `json:"outcome" enum:"Allocated,AlreadyAllocated,Unallocated,Invalid,Undecided"`
	Pod     string                     `json:"pod,omitempty" doc:"The pod, as namespace/name, for which the claim was allocated."`
	Node    string                     `json:"node,omitempty" doc:"The node for which the claim was allocated."`
	Message string                     `json:"message,omitempty" doc:"The outcome in one or two sentences."`
	Claim   *resourceapi.ResourceClaim `json:"claim" doc:"The whole claim in resource.k8s.io/v1, as the scheduler would write it."`
	Nodes   []NodeResult               `json:"nodes,omitempty" doc:"Every node that was tried, for a claim that no pod of the bundle uses; missing with explain=summary or none."`
	Groups  []NodeGroup                `json:"groups,omitempty" doc:"The nodes that were tried, those alike together, for a claim that no pod of the bundle uses, with explain=summary."`
	// Location is only for who draws: the claim is known by its name.
	Location *diag.Location `json:"location,omitempty" doc:"Where in the submitted text the name of the claim stands, or of the template that it is made from, with picture=true."`
}

// AllocateResult answers Allocate.
type AllocateResult struct {
	KubernetesVersion string            `json:"kubernetesVersion" doc:"The version whose rules were applied, such as 1.37."`
	Allocator         string            `json:"allocator" enum:"stable,incubating,experimental" doc:"Which of the scheduler's three allocators these gates make it run, and this answer follows."`
	Pods              []PodResult       `json:"pods" doc:"Every pod that uses devices, by claims or by extended resources that a DeviceClass stands behind, in the bundle's order. Other pods are not listed and not placed; those that have a node count for what they take of it."`
	Claims            []ClaimResult     `json:"claims" doc:"Every claim, generated ones included: first those of pods, then the rest."`
	Evictions         []Eviction        `json:"evictions,omitempty" doc:"Which pods that have a node would go because of taints with effect NoExecute: one entry for each DeviceTaintRule with that effect, or with None as if it had it, and for each taint of a slice that makes a pod go."`
	Diagnostics       []diag.Diagnostic `json:"diagnostics"`
	Assumptions       []string          `json:"assumptions" doc:"What was taken for granted because the bundle does not say."`
	Picture           *Picture          `json:"picture,omitempty" doc:"What there is in the cluster, who holds it and where it stands in the text, with picture=true."`
}

// Eviction is what a taint of devices does to pods that have a node.
type Eviction struct {
	Rule      string         `json:"rule,omitempty" doc:"The DeviceTaintRule that has the taint."`
	Slice     string         `json:"slice,omitempty" doc:"The ResourceSlice that has the taint, on the device."`
	Device    string         `json:"device,omitempty" doc:"The device of the slice, as driver/pool/device."`
	Taint     string         `json:"taint" doc:"The taint, as key=value:effect."`
	Simulated bool           `json:"simulated,omitempty" doc:"True for a rule with effect None: this is what effect NoExecute would do."`
	Message   string         `json:"message" doc:"All of it in one sentence."`
	Location  *diag.Location `json:"location,omitempty" doc:"Where in the submitted text the taint is."`
	Pods      []EvictedPod   `json:"pods" doc:"The pods that go, in the bundle's order."`
}

// EvictedPod is a pod that goes.
type EvictedPod struct {
	Pod     string `json:"pod" doc:"Namespace and name of the pod."`
	Node    string `json:"node" doc:"The node that it is on."`
	Claim   string `json:"claim" doc:"Namespace and name of the claim for which it goes first."`
	Device  string `json:"device" doc:"The device for which it goes first, as driver/pool/device."`
	Seconds int64  `json:"seconds" doc:"How many seconds after the taint was added it goes; 0 for at once."`
	Message string `json:"message" doc:"When, and why."`
}
