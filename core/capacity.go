package core

import (
	"context"
	"fmt"
	"strings"

	"github.com/drawbridge-dra/drawbridge/core/diag"
	"github.com/drawbridge-dra/drawbridge/core/schedule"
)

// CapacityOptions are the options of Capacity.
type CapacityOptions struct {
	Options
	Target
	// Template is the claim template to count for, as namespace/name; instead
	// of a pod or a claim.
	Template string `json:"template,omitempty"`
}

// CapacityResult answers Capacity.
type CapacityResult struct {
	KubernetesVersion string            `json:"kubernetesVersion" doc:"The version whose rules were applied, such as 1.37."`
	Copies            int               `json:"copies" doc:"How many more find a place, one after the other, once all pods and claims of the bundle have theirs."`
	Complete          bool              `json:"complete" doc:"False if counting stopped at the limit: there is room for at least so many."`
	Limit             int               `json:"limit" doc:"How many copies are counted at most; fewer for clusters of many nodes."`
	Nodes             []NodeCopies      `json:"nodes" doc:"How many each node gets, in the bundle's order; nodes that get none are left out."`
	Message           string            `json:"message" doc:"The answer in one or two sentences: how many, and what runs out first."`
	Outcome           string            `json:"outcome,omitempty" enum:"Unschedulable,Unallocated,Invalid,Undecided" doc:"What becomes of the first copy that finds no place."`
	Groups            []NodeGroup       `json:"groups,omitempty" doc:"Why that copy fits nowhere, nodes that are alike together."`
	Diagnostics       []diag.Diagnostic `json:"diagnostics"`
	Assumptions       []string          `json:"assumptions" doc:"What was taken for granted because the bundle does not say."`
}

// NodeCopies is how many copies a node gets.
type NodeCopies struct {
	Name   string `json:"name" doc:"Name of the node; empty for the nameless node that stands in when the bundle names none."`
	Copies int    `json:"copies"`
}

// Capacity counts how many more copies of a pod, a claim or a template would
// find a place, as the plan would place them one after the other, and says
// what runs out first. The error is an *OptionError, or the context's own.
func Capacity(ctx context.Context, text []byte, opts CapacityOptions) (*CapacityResult, error) {
	if err := opts.check(); err != nil {
		return nil, err
	}
	c, err := read(ctx, text, opts.Options)
	if err != nil {
		return nil, err
	}
	copies := opts.of(c)
	if copies == nil {
		return nil, &OptionError{opts.option(), "is not in the bundle; name one of its objects as namespace/name"}
	}
	if opts.Progress != nil {
		copies.Progress = func(done, total int) {
			if done%max(1, total/100) == 0 {
				opts.tell("copies", done, total)
			}
		}
	}
	c.input.Copies, c.input.Progress = copies, opts.pods()
	o, err := c.foresee(ctx)
	if err != nil {
		return nil, err
	}
	out := &CapacityResult{
		KubernetesVersion: o.set.Version().String(), Copies: o.plan.Copied.Count, Nodes: []NodeCopies{}, Limit: schedule.CopyLimit(len(o.plan.NodeNames())),
		Diagnostics: o.findings(opts.Options), Assumptions: o.presumed(),
	}
	out.Assumptions = append(out.Assumptions, shares(copies)...)
	stopped := out.stop(o)
	out.spread(o.plan)
	out.Message = fmt.Sprintf("%s on %s", count(out.Copies, "copy more finds a place", "copies more find a place"), count(len(out.Nodes), "node", "nodes"))
	switch {
	case !out.Complete:
		out.Message = fmt.Sprintf("At least %s; counting stops there.", out.Message)
	case out.Copies == 0:
		out.Message = "No copy more finds a place: " + stopped
	default:
		out.Message += ". The next does not: " + stopped
	}
	return out, nil
}

func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// stop says why the first copy that finds no place does not.
func (out *CapacityResult) stop(o *outlook) string {
	copied := o.plan.Copied
	switch {
	case copied.Pod != nil:
		out.Complete, out.Outcome = copied.Pod.Outcome != schedule.Undecided, string(podOutcomes[copied.Pod.Outcome])
		out.Groups = groupNodes(copied.Pod.Nodes, o.objects[o.input.Copies.Pod], o.where)
		return copied.Pod.Message
	case copied.Claim != nil:
		out.Complete, out.Outcome = copied.Claim.Outcome != schedule.Undecided, string(claimOutcomes[copied.Claim.Outcome])
		out.Groups = groupNodes(copied.Claim.Nodes, nil, o.where)
		return copied.Claim.Message
	}
	return ""
}

// spread lists the nodes.
func (out *CapacityResult) spread(plan *schedule.Plan) {
	for _, name := range plan.NodeNames() {
		if n := plan.Copied.Nodes[name]; n > 0 {
			out.Nodes = append(out.Nodes, NodeCopies{Name: name, Copies: n})
		}
	}
}

// shares says which claims all copies of a pod use together.
func shares(copies *schedule.Copies) []string {
	if copies.Pod == nil {
		return nil
	}
	var names []string
	for _, entry := range copies.Pod.Spec.ResourceClaims {
		if entry.ResourceClaimName != nil {
			names = append(names, fullName(copies.Pod.Namespace, *entry.ResourceClaimName))
		}
	}
	if len(names) == 0 {
		return nil
	}
	return []string{"copies of the pod share the claims that it names: " + strings.Join(names, ", ")}
}

// option is the one that names what is copied.
func (o CapacityOptions) option() string {
	switch {
	case o.Template != "":
		return "template"
	case o.Claim != "":
		return "claim"
	}
	return "pod"
}

func (o CapacityOptions) check() error {
	if o.Template == "" {
		return o.Target.check()
	}
	if o.Pod+o.Claim != "" {
		return &OptionError{"template", "cannot be given together with pod or claim; ask about one of them"}
	}
	if err := (Target{Claim: o.Template}).check(); err != nil {
		return &OptionError{"template", "must be namespace/name, such as default/train"}
	}
	return nil
}

// of finds what is copied; nil if it is not there.
func (o CapacityOptions) of(c *cluster) *schedule.Copies {
	for _, pod := range c.input.Pods {
		if o.Pod != "" && fullName(pod.Namespace, pod.Name) == o.Pod {
			return &schedule.Copies{Pod: pod}
		}
	}
	for _, claim := range c.input.Claims {
		if o.Claim != "" && fullName(claim.Namespace, claim.Name) == o.Claim {
			return &schedule.Copies{Claim: claim}
		}
	}
	for _, template := range c.input.Templates {
		if o.Template != "" && fullName(template.Namespace, template.Name) == o.Template {
			return &schedule.Copies{Template: template}
		}
	}
	return nil
}
