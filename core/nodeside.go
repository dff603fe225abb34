package core

import (
	"context"

	"github.com/drawbridge-dra/drawbridge/core/diag"
)

// NodeOperationsResult answers NodeOperations.
type NodeOperationsResult struct {
	KubernetesVersion string            `json:"kubernetesVersion" doc:"The version whose rules were applied, such as 1.37."`
	Pods              []PodOperations   `json:"pods" doc:"Every pod that uses devices, or came with a node and never gets those that it asks for, in the bundle's order."`
	Undeclared        []UndeclaredNode  `json:"undeclared,omitempty" doc:"Nodes that do not declare DRAOptionalNodeOperations, if a slice or an allocation skips node operations."`
	Diagnostics       []diag.Diagnostic `json:"diagnostics"`
	Assumptions       []string          `json:"assumptions" doc:"What was taken for granted because the bundle does not say."`
}

// UndeclaredNode is a node whose kubelet cannot skip node operations.
type UndeclaredNode struct {
	Name     string         `json:"name"`
	Message  string         `json:"message" doc:"What that means, in a sentence."`
	Location *diag.Location `json:"location,omitempty" doc:"Where in the submitted text the name of the node stands."`
}

// PodOperationsState says how far a pod gets on its node.
type PodOperationsState string

// The states of a pod on its node.
const (
	PodStarts      PodOperationsState = "Starts"
	PodWaits       PodOperationsState = "Waits"
	PodRuns        PodOperationsState = "Runs"
	PodTerminating PodOperationsState = "Terminating"
	PodHasEnded    PodOperationsState = "Ended"
	PodHasNoNode   PodOperationsState = "NoNode"
	PodIsRefused   PodOperationsState = "Refused"
)

// PodOperations is what the kubelet does with the claims of a pod.
type PodOperations struct {
	Namespace string             `json:"namespace"`
	Name      string             `json:"name"`
	Node      string             `json:"node,omitempty" doc:"The node that the pod is on, or is placed on."`
	Outcome   PodOutcome         `json:"outcome" enum:"Scheduled,Unschedulable,AlreadyScheduled,Invalid,Undecided" doc:"What the plan makes of the pod."`
	State     PodOperationsState `json:"state" enum:"Starts,Waits,Refused,Runs,Terminating,Ended,NoNode" doc:"How far the pod gets: Waits if the kubelet cannot start it, Refused if it never will, Runs if it runs already, NoNode if no kubelet has it."`
	Bypassed  bool               `json:"bypassed,omitempty" doc:"True if the pod came with a node and without devices, so that no scheduler looks after it."`
	Message   string             `json:"message" doc:"All of it in one or two sentences."`
	Location  *diag.Location     `json:"location,omitempty" doc:"Where in the submitted text the name of the pod stands."`
	Start     *NodePhase         `json:"start,omitempty" doc:"Before its containers start."`
	Stop      *NodePhase         `json:"stop,omitempty" doc:"After its containers have ended, if it was the next to go."`
	Claims    []ClaimOperations  `json:"claims,omitempty" doc:"Its claims, in the pod's order, with what is asked of each driver."`
	Steps     []NodeStep         `json:"steps,omitempty" doc:"Who does what, in order, from the pod's creation to its end."`
	Omitted   bool               `json:"omitted,omitempty" doc:"True if claims and steps are left out, because there are more than one answer holds."`
	Remedies  []string           `json:"remedies,omitempty" doc:"What would free a pod that waits, or give devices to one that goes without, each in a sentence."`
	Patch     []PatchOperation   `json:"patch,omitempty" doc:"The JSON patch of a pod to be created anew, which leaves the choice of devices to the scheduler; for a pod that went past it."`
}

// NodePhase is the start or the end of a pod on its node.
type NodePhase struct {
	Outcome string     `json:"outcome" enum:"Goes,Waits,Refused,Past" doc:"Goes if nothing is in the way, Waits if the kubelet tries again and again, Refused if it does not try again, Past if that is behind the pod."`
	Code    string     `json:"code,omitempty" doc:"Stable code of what is in the way, or of what is missing."`
	Message string     `json:"message" doc:"What happens, or what is in the way, the rule, and what to do."`
	Reads   string     `json:"reads,omitempty" doc:"The words of the kubelet for what is in the way: in the event FailedPrepareDynamicResources of the pod at its start, in status.reason and status.message of one that it refuses, in the kubelet's log at its end."`
	Calls   []NodeCall `json:"calls,omitempty" doc:"The calls that are made, one for each driver; the kubelet makes them in any order, one after the other."`
}

// NodeCall is a gRPC call of a driver's plugin.
type NodeCall struct {
	Method string   `json:"method" enum:"NodePrepareResources,NodeUnprepareResources"`
	Driver string   `json:"driver"`
	Claims []string `json:"claims" doc:"The claims in the call, as namespace/name."`
}

// ClaimOperations is what is asked of the drivers of a claim.
type ClaimOperations struct {
	Entry    string             `json:"entry" doc:"Name of the claim in the pod; empty for the one that stands for extended resources."`
	Claim    string             `json:"claim,omitempty" doc:"Namespace and name of the claim; missing if there is none."`
	Code     string             `json:"code,omitempty" doc:"Stable code of what is in the way."`
	Message  string             `json:"message" doc:"What the kubelet makes of the claim, in a sentence."`
	Location *diag.Location     `json:"location,omitempty" doc:"Where in the submitted text the claim, its template, or its entry in the pod stands."`
	Shared   []string           `json:"shared,omitempty" doc:"Other pods on the node for which the claim is prepared, as namespace/name."`
	Drivers  []DriverOperations `json:"drivers,omitempty" doc:"The drivers of the claim's devices, by name."`
}

// DriverOperations is what is asked of a driver for a claim.
type DriverOperations struct {
	Driver    string            `json:"driver"`
	Prepare   string            `json:"prepare" enum:"Called,Skipped,Prepared,Waits,NotReached" doc:"NodePrepareResources: Prepared if that was done before, Waits if the plugin is absent, NotReached if something else is in the way."`
	Unprepare string            `json:"unprepare" enum:"Called,Skipped,Kept,Waits,NotReached" doc:"NodeUnprepareResources: Kept while other pods use the claim, Waits if the plugin is absent, NotReached if nothing was prepared."`
	Message   string            `json:"message" doc:"Why, in a sentence."`
	Devices   []OperationDevice `json:"devices"`
}

// OperationDevice is a device that a claim has.
type OperationDevice struct {
	Request            string         `json:"request"`
	Pool               string         `json:"pool"`
	Device             string         `json:"device"`
	SkipNodeOperations []string       `json:"skipNodeOperations,omitempty" doc:"What its allocation skips, which was copied from the slice at that time."`
	Location           *diag.Location `json:"location,omitempty" doc:"Where in the submitted text the result stands, or else the device."`
}

// NodeStep is something that somebody does for a pod.
type NodeStep struct {
	Actor    string         `json:"actor" enum:"API server,scheduler,resourceclaim controller,kubelet,driver"`
	Outcome  string         `json:"outcome" enum:"Done,Stops,Never,Next" doc:"Done if it happens, Stops if it cannot happen and all that follows waits, Never if nobody does it, Next if it comes when the pod has ended."`
	Message  string         `json:"message"`
	Location *diag.Location `json:"location,omitempty"`
}

// NodeOperations answers what kubelets do with the claims of the text's pods:
// which drivers they call and which they do not, and what makes a pod wait.
// The error is an *OptionError, or the context's own.
func NodeOperations(ctx context.Context, text []byte, opts Options) (*NodeOperationsResult, error) {
	side, err := planNodeSide(ctx, text, opts)
	if err != nil {
		return nil, err
	}
	out := &NodeOperationsResult{
		KubernetesVersion: side.set.Version().String(),
		Pods:              []PodOperations{},
		Undeclared:        side.undeclared(),
		Diagnostics:       side.findings(opts),
	}
	for _, p := range side.pods {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		out.Pods = append(out.Pods, *side.pod(p))
	}
	out.Assumptions = append(append(side.presumed(), side.assumed()...), side.assumedLists()...)
	return out, nil
}

// planNodeSide plans a text and hands the plan to the kubelets.
func planNodeSide(ctx context.Context, text []byte, opts Options) (*nodeSide, error) {
	absent, err := opts.absentDrivers()
	if err != nil {
		return nil, err
	}
	o, err := foresee(ctx, text, opts)
	if err != nil {
		return nil, err
	}
	return newNodeSide(ctx, o, absent)
}
