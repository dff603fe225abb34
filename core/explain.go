package core

import (
	"context"
	"strings"

	"github.com/drawbridge-dra/drawbridge/core/diag"
	"github.com/drawbridge-dra/drawbridge/core/schedule"
)

// Target names the pod or the claim that a question is about, as
// namespace/name.
type Target struct {
	Pod   string `json:"pod,omitempty"`
	Claim string `json:"claim,omitempty"`
}

// ExplainOptions are the options of Explain.
type ExplainOptions struct {
	Options
	Target
}

// ExplainResult answers Explain.
type ExplainResult struct {
	KubernetesVersion string            `json:"kubernetesVersion" doc:"The version whose rules were applied, such as 1.37."`
	Pod               *PodResult        `json:"pod,omitempty" doc:"What becomes of the pod, if the question is about one."`
	Claim             *ClaimResult      `json:"claim,omitempty" doc:"What becomes of the claim, if the question is about one."`
	FitsIf            []Counterfactual  `json:"fitsIf" doc:"Changes with which it would fit, smallest first; the plan was run with each."`
	Tried             int               `json:"tried" doc:"How many changes the plan was run with."`
	Limit             int               `json:"limit" doc:"With how many it would have been run at most; fewer for larger bundles."`
	Diagnostics       []diag.Diagnostic `json:"diagnostics"`
	Assumptions       []string          `json:"assumptions" doc:"What was taken for granted because the bundle does not say."`
}

// Counterfactual is a change of the bundle, or of the cluster's settings, with
// which the plan was run, and with which the pod or claim fits.
type Counterfactual struct {
	Message string         `json:"message" doc:"The change, and what it leads to, in one sentence."`
	Node    string         `json:"node,omitempty" doc:"The node that it then goes to."`
	Steps   []Modification `json:"steps" doc:"What to change; all of it together."`
}

// Modification is one thing to change. It is in the text, or in the options.
type Modification struct {
	Kind    string       `json:"kind" enum:"amount,selector,constraint,toleration,reference,gate,release,wait,node,slice,class,recreate,suggestion" doc:"What kind of change this is."`
	Message string       `json:"message" doc:"The change in a few words, as they follow on \"if\"."`
	Object  *diag.Object `json:"object,omitempty" doc:"The object to change."`
	Field   string       `json:"field,omitempty" doc:"The field to change."`
	Edits   []TextEdit   `json:"edits,omitempty" doc:"Changes of the text as it was submitted; they do not overlap."`
	// FeatureGates are all those to ask with.
	FeatureGates      string `json:"featureGates,omitempty" doc:"The option featureGates to ask with instead."`
	KubernetesVersion string `json:"kubernetesVersion,omitempty" doc:"The option kubernetesVersion to ask with instead."`
}

// TextEdit is a range of the text and what stands there instead.
type TextEdit struct {
	Location    *diag.Location `json:"location"`
	Replacement string         `json:"replacement"`
}

// Explain says what becomes of one pod or claim, and for one that does not fit
// what would have to change. Every change that it shows has been tried. The
// error is an *OptionError, or the context's own.
func Explain(ctx context.Context, text []byte, opts ExplainOptions) (*ExplainResult, error) {
	if err := opts.Target.check(); err != nil {
		return nil, err
	}
	explain := ExplainSummary
	if opts.Explain != "" {
		var err error
		if explain, err = opts.explanation(); err != nil {
			return nil, err
		}
	}
	o, err := foresee(ctx, text, opts.Options)
	if err != nil {
		return nil, err
	}
	at, err := opts.Target.find(o.plan)
	if err != nil {
		return nil, err
	}
	out := &ExplainResult{
		KubernetesVersion: o.set.Version().String(), FitsIf: []Counterfactual{},
		Diagnostics: o.findings(opts.Options), Assumptions: o.presumed(),
	}
	if opts.Claim != "" {
		result := claimResult(at.claim, o.where, explain)
		out.Claim = &result
	}
	if at.pod != nil {
		result := podResult(at.pod, o.where, explain)
		out.Pod = &result
	}
	if at.fits() {
		return out, nil
	}
	s := newWhatIf(ctx, text, opts)
	if err := s.explore(o, at, out.Diagnostics); err != nil {
		return nil, err
	}
	out.FitsIf, out.Tried, out.Limit = s.confirmed, s.tried, s.limit
	return out, nil
}

// check makes sure that there is one question.
func (t Target) check() error {
	name := t.Pod + t.Claim
	switch namespace, rest, ok := strings.Cut(name, "/"); {
	case t.Pod != "" && t.Claim != "":
		return &OptionError{"claim", "cannot be given together with pod; ask about one of them"}
	case name == "":
		return &OptionError{"pod", "must name a pod of the bundle as namespace/name, or claim a claim"}
	case !ok || namespace == "" || rest == "" || strings.Contains(rest, "/"):
		option := "pod"
		if t.Claim != "" {
			option = "claim"
		}
		return &OptionError{option, "must be namespace/name, such as default/train"}
	}
	return nil
}

// found is a target in a plan.
type found struct {
	pod   *schedule.Pod   // or the pod of the claim
	claim *schedule.Claim // nil for a question about a pod
}

// find looks the target up.
func (t Target) find(plan *schedule.Plan) (found, error) {
	for _, p := range plan.Pods {
		if t.Pod != "" && podName(p) == t.Pod {
			return found{pod: p}, nil
		}
		for _, c := range p.Claims {
			if t.Claim != "" && c.Name() == t.Claim {
				return found{pod: p, claim: c}, nil
			}
		}
	}
	for _, c := range plan.Claims {
		if t.Claim != "" && c.Name() == t.Claim {
			return found{claim: c}, nil
		}
	}
	if t.Pod != "" {
		return found{}, &OptionError{"pod", "is no pod of the bundle that uses devices; name one as namespace/name"}
	}
	return found{}, &OptionError{"claim", "is no claim of the bundle, nor one that is made from a template; name one as namespace/name"}
}

func podName(p *schedule.Pod) string {
	if p.Pod.Namespace == "" {
		return "default/" + p.Pod.Name
	}
	return p.Pod.Namespace + "/" + p.Pod.Name
}

// fits tells whether nothing has to change.
func (f found) fits() bool {
	if f.claim != nil && f.pod == nil || f.claim != nil && f.claim.Claim.Status.Allocation != nil {
		return f.claim.Claim.Status.Allocation != nil
	}
	return f.pod.Outcome == schedule.Done || f.pod.Outcome == schedule.Before
}

// nodes are those that were tried.
func (f found) nodes() []schedule.Node {
	if f.pod != nil {
		return f.pod.Nodes
	}
	return f.claim.Nodes
}

// node is the one that it goes to.
func (f found) node() string {
	if f.pod != nil {
		return f.pod.Node
	}
	return f.claim.Node
}
