package core

import (
	"context"
	"slices"

	resourceapi "k8s.io/api/resource/v1"
)

// DiffOptions are the options of Diff. Those of Options are for both sides.
type DiffOptions struct {
	Options
	// After are the options that are others afterwards; empty for the same.
	AfterKubernetesVersion string `json:"afterKubernetesVersion,omitempty"`
	AfterFeatureGates      string `json:"afterFeatureGates,omitempty"`
}

// DiffResult answers Diff.
type DiffResult struct {
	Before    DiffSide      `json:"before"`
	After     DiffSide      `json:"after"`
	Pods      []Difference  `json:"pods" doc:"The pods of which something else becomes, in the order of the bundle after; then those that are only in the one before."`
	Claims    []Difference  `json:"claims" doc:"The same for claims that no pod uses."`
	Evictions []Eviction    `json:"evictions" doc:"Taints with effect NoExecute of the bundle after that do something other than before."`
	Unchanged DiffUnchanged `json:"unchanged" doc:"How many stay what they were."`
}

// DiffSide is one of the two clusters.
type DiffSide struct {
	KubernetesVersion string   `json:"kubernetesVersion" doc:"The version whose rules were applied, such as 1.37."`
	Allocator         string   `json:"allocator" enum:"stable,incubating,experimental" doc:"Which of the scheduler's three allocators these gates make it run."`
	Pods              int      `json:"pods" doc:"How many pods use devices."`
	Placed            int      `json:"placed" doc:"How many of them have a node or get one."`
	Errors            int      `json:"errors" doc:"How many findings with severity error there are; /v1/validate-update names them."`
	Assumptions       []string `json:"assumptions" doc:"What was taken for granted because the bundle does not say."`
}

// DiffUnchanged counts.
type DiffUnchanged struct {
	Pods   int `json:"pods"`
	Claims int `json:"claims"`
}

// Difference is a pod or claim of which something else becomes.
type Difference struct {
	Namespace string       `json:"namespace"`
	Name      string       `json:"name"`
	Change    string       `json:"change" enum:"added,removed,outcome,node,devices" doc:"What differs, the gravest first: it is there on one side only, something else becomes of it, it gets another node, or other devices."`
	Before    *DiffOutcome `json:"before,omitempty" doc:"What became of it; missing if it was not there."`
	After     *DiffOutcome `json:"after,omitempty" doc:"What becomes of it; missing if it is not there any more."`
}

// DiffOutcome is what becomes of a pod or claim on one side.
type DiffOutcome struct {
	Outcome string   `json:"outcome" doc:"As in the answer of /v1/allocate."`
	Node    string   `json:"node,omitempty"`
	Devices []string `json:"devices" doc:"The devices of all claims, as request: driver/pool/device."`
	Message string   `json:"message" doc:"The outcome in one or two sentences, with the reason for a no."`
}

// Diff plans two bundles, each with its options, and says of which pods and
// claims something else becomes, and why. The error is an *OptionError, or the
// context's own.
func Diff(ctx context.Context, change Change, opts DiffOptions) (*DiffResult, error) {
	one := opts.Options
	one.Explain = ExplainNone
	two := one
	if opts.AfterKubernetesVersion != "" {
		two.KubernetesVersion = opts.AfterKubernetesVersion
	}
	if opts.AfterFeatureGates != "" {
		two.FeatureGates = opts.AfterFeatureGates
	}
	if _, err := two.features(); err != nil {
		return nil, opts.blame(err)
	}
	before, err := Allocate(ctx, []byte(change.Before), one)
	if err != nil {
		return nil, err
	}
	after, err := Allocate(ctx, []byte(change.After), two)
	if err != nil {
		return nil, err
	}
	out := &DiffResult{Before: side(before), After: side(after), Evictions: []Eviction{}}
	out.Pods, out.Unchanged.Pods = differences(podsOf(before), podsOf(after))
	out.Claims, out.Unchanged.Claims = differences(loneClaims(before), loneClaims(after))
	for _, e := range after.Evictions {
		if !slices.ContainsFunc(before.Evictions, func(was Eviction) bool { return sameEviction(was, e) }) {
			out.Evictions = append(out.Evictions, e)
		}
	}
	return out, nil
}

// blame names the option that cannot be used as its asker wrote it.
func (o DiffOptions) blame(err error) error {
	problem, ok := err.(*OptionError)
	if !ok {
		return err
	}
	switch {
	case problem.Option == "kubernetesVersion" && o.AfterKubernetesVersion != "":
		return &OptionError{"afterKubernetesVersion", problem.Message}
	case problem.Option == "featureGates" && o.AfterFeatureGates != "":
		return &OptionError{"afterFeatureGates", problem.Message}
	}
	return err
}

func side(r *AllocateResult) DiffSide {
	out := DiffSide{KubernetesVersion: r.KubernetesVersion, Allocator: r.Allocator, Pods: len(r.Pods), Assumptions: r.Assumptions}
	for _, p := range r.Pods {
		if p.Outcome == PodScheduled || p.Outcome == PodAlreadyScheduled {
			out.Placed++
		}
	}
	for _, d := range r.Diagnostics {
		if d.Severity == "error" {
			out.Errors++
		}
	}
	return out
}

// one is a pod or claim with what becomes of it.
type one struct {
	namespace, name string
	DiffOutcome
}

func podsOf(r *AllocateResult) []one {
	claims := map[string]*resourceapi.ResourceClaim{}
	for _, c := range r.Claims {
		claims[c.Claim.Namespace+"/"+c.Claim.Name] = c.Claim
	}
	var out []one
	for _, p := range r.Pods {
		o := one{p.Namespace, p.Name, DiffOutcome{Outcome: string(p.Outcome), Node: p.Node, Message: p.Message, Devices: []string{}}}
		for _, name := range p.Claims {
			o.Devices = append(o.Devices, devicesIn(claims[name])...)
		}
		out = append(out, o)
	}
	return out
}

func loneClaims(r *AllocateResult) []one {
	used := map[string]bool{}
	for _, p := range r.Pods {
		for _, name := range p.Claims {
			used[name] = true
		}
	}
	var out []one
	for _, c := range r.Claims {
		if !used[c.Claim.Namespace+"/"+c.Claim.Name] {
			out = append(out, one{c.Claim.Namespace, c.Claim.Name, DiffOutcome{Outcome: string(c.Outcome), Node: c.Node, Message: c.Message, Devices: devicesIn(c.Claim)}})
		}
	}
	return out
}

func devicesIn(c *resourceapi.ResourceClaim) []string {
	out := []string{}
	if c != nil && c.Status.Allocation != nil {
		for _, r := range c.Status.Allocation.Devices.Results {
			out = append(out, r.Request+": "+r.Driver+"/"+r.Pool+"/"+r.Device)
		}
	}
	return out
}

// differences compares what belongs together by namespace and name; of two
// with one name the first counts.
func differences(before, after []one) (changed []Difference, same int) {
	changed = []Difference{}
	type key struct{ namespace, name string }
	was, is := map[key]*one{}, map[key]bool{}
	for i := range before {
		k := key{before[i].namespace, before[i].name}
		if was[k] == nil {
			was[k] = &before[i]
		}
	}
	for i := range after {
		now := &after[i]
		k := key{now.namespace, now.name}
		if is[k] {
			continue
		}
		is[k] = true
		d := Difference{Namespace: now.namespace, Name: now.name, After: &now.DiffOutcome}
		if old := was[k]; old == nil {
			d.Change = "added"
		} else {
			d.Before, d.Change = &old.DiffOutcome, changeOf(&old.DiffOutcome, &now.DiffOutcome)
		}
		if d.Change == "" {
			same++
			continue
		}
		changed = append(changed, d)
	}
	for i := range before {
		k := key{before[i].namespace, before[i].name}
		if !is[k] {
			is[k] = true
			changed = append(changed, Difference{Namespace: k.namespace, Name: k.name, Change: "removed", Before: &before[i].DiffOutcome})
		}
	}
	return changed, same
}

// changeOf is the gravest difference, empty if there is none.
func changeOf(before, after *DiffOutcome) string {
	switch {
	case before.Outcome != after.Outcome:
		return "outcome"
	case before.Node != after.Node:
		return "node"
	case !slices.Equal(before.Devices, after.Devices):
		return "devices"
	}
	return ""
}

func sameEviction(a, b Eviction) bool {
	return a.Rule == b.Rule && a.Slice == b.Slice && a.Device == b.Device && a.Taint == b.Taint && slices.EqualFunc(a.Pods, b.Pods, func(x, y EvictedPod) bool {
		return x == y
	})
}
