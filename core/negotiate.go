package core

import (
	"context"

	"github.com/drawbridge-dra/drawbridge/core/bundle"
	"github.com/drawbridge-dra/drawbridge/core/classic"
	"github.com/drawbridge-dra/drawbridge/core/diag"
	"github.com/drawbridge-dra/drawbridge/core/feature"
	"github.com/drawbridge-dra/drawbridge/core/past"
)

// NegotiateOptions are the options of Negotiate.
type NegotiateOptions struct {
	Options
	// Fresh takes the PodSchedulingContexts of the text for the answers that
	// the controllers will give, rather than for what is in the cluster.
	Fresh bool `json:"fresh,omitempty"`
}

// NegotiateResult answers Negotiate.
type NegotiateResult struct {
	KubernetesVersion string            `json:"kubernetesVersion" doc:"The version whose scheduler is played, 1.26 to 1.31."`
	Pods              []Negotiation     `json:"pods" doc:"Each pod that uses a claim which a driver's controller allocates, in the order of the text."`
	Diagnostics       []diag.Diagnostic `json:"diagnostics" doc:"What is wrong with the objects."`
	Assumptions       []string          `json:"assumptions" doc:"What the text leaves open and was taken for granted."`
}

// NegotiationOutcome says how a negotiation ends.
type NegotiationOutcome string

// The outcomes of a negotiation.
const (
	NegotiationScheduled        NegotiationOutcome = "Scheduled"
	NegotiationStuck            NegotiationOutcome = "Stuck"
	NegotiationAlreadyScheduled NegotiationOutcome = "AlreadyScheduled"
	NegotiationUndecided        NegotiationOutcome = "Undecided"
)

// Negotiation is what becomes of a pod, step by step.
type Negotiation struct {
	Namespace string             `json:"namespace"`
	Name      string             `json:"name"`
	Outcome   NegotiationOutcome `json:"outcome" enum:"Scheduled,Stuck,AlreadyScheduled,Undecided" doc:"Scheduled: it gets a node. Stuck: nobody writes anything any more, and it waits. AlreadyScheduled: it was created with a node and can start there. Undecided: a budget ran out."`
	Node      string             `json:"node,omitempty" doc:"The node of the pod."`
	Reason    string             `json:"reason,omitempty" doc:"Why the pod is stuck, or undecided."`
	Location  *diag.Location     `json:"location,omitempty" doc:"Where the pod is in the text."`
	Steps     []NegotiationStep  `json:"steps" doc:"Every write, in order, and how it ends."`
}

// NegotiationStep is one write of one actor.
type NegotiationStep struct {
	Step     int            `json:"step" doc:"Number of the step, from 1."`
	Actor    string         `json:"actor" doc:"Who acts: kube-scheduler, kube-controller-manager, kubelet, or the controller of a driver."`
	Reads    []string       `json:"reads" doc:"The objects that it goes by."`
	Writes   string         `json:"writes,omitempty" doc:"The object that it writes and the part of it; missing where it writes nothing."`
	Why      string         `json:"why" doc:"Why it does so."`
	Object   string         `json:"object,omitempty" doc:"The object after the write, as YAML; missing where it is deleted or not known in full."`
	Location *diag.Location `json:"location,omitempty" doc:"Where the object is in the text; missing where it was made."`
}

// Negotiate plays how the scheduler and the controllers of drivers agreed on
// nodes for pods in Kubernetes 1.26 to 1.31, over PodSchedulingContexts: who
// wrote what, and why, until each pod has a node or nothing moves any more.
// Without a version it is the last that has the objects of the text. The error
// is an *OptionError, or the context's own.
func Negotiate(ctx context.Context, text []byte, opts NegotiateOptions) (*NegotiateResult, error) {
	var assumptions []string
	asked := opts.Options
	if asked.KubernetesVersion == "" {
		asked.KubernetesVersion = lastOf(bundle.Parse(text, bundle.Options{FieldValidation: bundle.Ignore})).String()
		assumptions = append(assumptions, "Kubernetes "+asked.KubernetesVersion+", because it is the last version with the objects of the text")
	}
	minor := 0
	if v, err := feature.ParsePast(asked.KubernetesVersion); err == nil {
		minor = v.Minor
	}
	if minor > 31 {
		return nil, &OptionError{"kubernetesVersion", "must be 1.26 to 1.31: Kubernetes 1.32 removed allocation by controllers of drivers"}
	}
	if asked.FeatureGates == "" {
		asked.FeatureGates = "DynamicResourceAllocation=true"
		if minor == 31 {
			asked.FeatureGates += ",DRAControlPlaneController=true"
		}
		assumptions = append(assumptions, "the feature gates are on: "+asked.FeatureGates)
	}
	b, set, err := parse(text, asked)
	if err != nil {
		return nil, err
	}
	stored, err := create(ctx, b, set, asked.alone())
	if err != nil {
		return nil, err
	}
	found := append(append([]diag.Diagnostic{}, b.Diagnostics...), stored.findings...)
	invalid := map[int]bool{}
	for _, d := range found {
		if d.Object != nil && d.Severity == diag.Error && d.Gate == "" && d.Rule != "unknown-version" {
			invalid[d.Object.Index] = true
		}
	}
	plays, more, err := classic.Negotiate(ctx, b, invalid, classic.Options{Minor: minor, Controllers: set.Enabled(feature.DRAControlPlaneController), Fresh: opts.Fresh})
	if err != nil {
		return nil, err
	}
	finish(found)
	out := &NegotiateResult{KubernetesVersion: set.Version().String(), Pods: []Negotiation{}, Diagnostics: found, Assumptions: append(assumptions, more...)}
	for _, p := range plays {
		out.Pods = append(out.Pods, negotiation(p))
	}
	return out, nil
}

// lastOf is the last version that has all the objects of a text, among those
// with controllers.
func lastOf(b *bundle.Bundle) feature.Version {
	last := feature.Oldest
	for _, o := range b.Objects {
		switch o.Value.(type) {
		case *past.PodSchedulingContext, *past.ResourceClaim, *past.ResourceClaimTemplate, *past.ResourceClass, *past.ResourceSlice, *past.ResourceClaimParameters, *past.ResourceClassParameters:
			if known := feature.KnownIn(o.Ref.APIVersion, o.Ref.Kind); len(known) > 0 && known[len(known)-1].Minor < last.Minor {
				last = known[len(known)-1]
			}
		}
	}
	return last
}

func negotiation(p classic.Play) Negotiation {
	out := Negotiation{
		Namespace: p.Pod.Ref.Namespace, Name: p.Pod.Ref.Name, Outcome: NegotiationOutcome(p.Outcome), Node: p.Node, Reason: p.Reason,
		Location: p.Pod.Locate("metadata.name"), Steps: []NegotiationStep{},
	}
	if out.Namespace == "" {
		out.Namespace = "default"
	}
	for i, s := range p.Steps {
		step := NegotiationStep{Step: i + 1, Actor: s.Actor, Reads: append([]string{}, s.Reads...), Writes: s.Writes, Why: s.Why}
		if s.Object != nil {
			var like *bundle.Node
			if s.Like != nil {
				like, step.Location = s.Like.Raw, s.Like.Locate("metadata.name")
			}
			if text, err := bundle.Render(s.Object, like); err == nil {
				step.Object = string(text)
			}
		}
		out.Steps = append(out.Steps, step)
	}
	return out
}
