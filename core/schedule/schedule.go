// Package schedule works out what becomes of pods and claims: it makes the
// claims that templates stand for, tries the nodes for each pod in turn, and
// lets every pod see what those before it took.
package schedule

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/drawbridge-dra/drawbridge/core/allocate"
	"github.com/drawbridge-dra/drawbridge/core/inventory"
)

// Input is a cluster and what waits in it, in the order in which it waits.
type Input struct {
	Nodes     []*corev1.Node
	Pods      []*corev1.Pod
	Claims    []*resourceapi.ResourceClaim
	Templates []*resourceapi.ResourceClaimTemplate
	Classes   []*resourceapi.DeviceClass
	Slices    []*resourceapi.ResourceSlice
	Rules     []*resourceapi.DeviceTaintRule
	// Invalid objects, by pointer, are those that the API server refuses. A
	// pod that depends on one is not tried.
	Invalid  map[any]bool
	Features inventory.Features
}

// Outcome says what became of a pod or claim.
type Outcome int

// The outcomes. For a claim, Done means allocated and Before means that it
// was already.
const (
	Done Outcome = iota
	Before
	Unfit
	Invalid
	Undecided
)

// Plan is the answer.
type Plan struct {
	Pods        []*Pod
	Claims      []*Claim
	Assumptions []string
}

// Pod is what becomes of a pod that uses claims.
type Pod struct {
	Pod     *corev1.Pod
	Outcome Outcome
	Node    string
	Message string
	Claims  []*Claim
	Nodes   []Node
}

// Claim is what becomes of a claim.
type Claim struct {
	// Claim is the claim with its allocation and reservations.
	Claim *resourceapi.ResourceClaim
	// Origin is the claim, or the template, of the input.
	Origin  any
	Outcome Outcome
	Pod     *corev1.Pod
	Node    string
	Message string
	// Nodes are those that were tried for a claim without a pod.
	Nodes []Node
	// Notes tell what an allocation passed over or rounded up.
	Notes []Reason

	used bool
}

// Name is namespace/name.
func (c *Claim) Name() string { return c.Claim.Namespace + "/" + c.Claim.Name }

// Node is whether a pod or claim fits on a node.
type Node struct {
	Name    string
	Fits    bool
	Reasons []Reason
}

// Reason is one cause.
type Reason struct {
	Code    allocate.Code
	Message string
	// Claim is the claim that the reason is about, nil for none; Request is
	// its request, and Field the path inside the claim where the reason lies,
	// or inside the pod if there is no claim.
	Claim   *Claim
	Request string
	Field   string
	// At is where the reason lies if that is in neither.
	At      inventory.Place
	PodWide bool
	Devices []allocate.DeviceReason
}

// Codes of reasons that no single allocation has.
const (
	NodeAffinity      allocate.Code = "node-affinity"
	NodeTaint         allocate.Code = "node-taint"
	NodeUnschedulable allocate.Code = "node-unschedulable"
	AllocatedAway     allocate.Code = "allocated-elsewhere"
	GivenUp           allocate.Code = "given-up"
	ClaimMissing      allocate.Code = "claim-missing"
	TemplateMissing   allocate.Code = "template-missing"
	ClaimInvalid      allocate.Code = "claim-invalid"
	PodEntry          allocate.Code = "pod-claim-entry"
)

// Codes documents the codes of this package.
func Codes() []allocate.CodeDoc {
	return []allocate.CodeDoc{
		{Code: NodeAffinity, Scope: "pod", Doc: "the pod's node selector or affinity does not match the node"},
		{Code: NodeTaint, Scope: "pod", Doc: "the node has a taint that the pod does not tolerate"},
		{Code: NodeUnschedulable, Scope: "pod", Doc: "the node is marked unschedulable"},
		{Code: AllocatedAway, Scope: "pod", Doc: "a claim of the pod is already allocated for other nodes"},
		{Code: GivenUp, Scope: "pod", Doc: "the node would fit, but an error on another node makes Kubernetes give up on the pod"},
		{Code: ClaimMissing, Scope: "pod", Doc: "the ResourceClaim that the pod names does not exist"},
		{Code: TemplateMissing, Scope: "pod", Doc: "the ResourceClaimTemplate that the pod names does not exist"},
		{Code: ClaimInvalid, Scope: "pod", Doc: "an object that the pod depends on is refused by the API server"},
		{Code: PodEntry, Scope: "pod", Doc: "an entry of spec.resourceClaims names neither a claim nor a template, or both"},
	}
}

// planner is the state of one answer.
type planner struct {
	*Input
	ctx       context.Context
	nodes     []*corev1.Node
	inventory *inventory.Inventory
	held      *inventory.Held
	programs  *allocate.Programs
	classes   map[string]*resourceapi.DeviceClass
	claims    []*Claim
	byName    map[string]*Claim
	templates map[string]*resourceapi.ResourceClaimTemplate
	views     map[string]nodeView
	plan      *Plan
	// effort bounds the searches of all explanations together.
	effort int
}

// nodeView is what a node sees, or why that cannot be told.
type nodeView struct {
	view *allocate.View
	err  error
}

// explainEffort is how many steps all explanations of an answer may take.
const explainEffort = 2_000_000

// Run works out the plan. The error is the context's own.
func Run(ctx context.Context, in Input) (*Plan, error) {
	p := &planner{
		Input: &in, ctx: ctx, held: inventory.NewHeld(), programs: allocate.NewPrograms(in.Features), effort: explainEffort,
		classes: map[string]*resourceapi.DeviceClass{}, byName: map[string]*Claim{},
		templates: map[string]*resourceapi.ResourceClaimTemplate{}, views: map[string]nodeView{}, plan: &Plan{},
	}
	p.index()
	p.chooseNodes()
	for _, pod := range in.Pods {
		if len(pod.Spec.ResourceClaims) == 0 {
			continue
		}
		if err := p.pod(pod); err != nil {
			return nil, err
		}
	}
	if err := p.rest(); err != nil {
		return nil, err
	}
	return p.plan, nil
}

func (p *planner) index() {
	var slices []*resourceapi.ResourceSlice
	for _, s := range p.Slices {
		if !p.Invalid[s] {
			slices = append(slices, s)
		}
	}
	var rules []*resourceapi.DeviceTaintRule
	for _, r := range p.Rules {
		if !p.Invalid[r] {
			rules = append(rules, r)
		}
	}
	p.inventory = inventory.New(slices, rules, p.Features)
	for _, c := range p.Classes {
		if !p.Invalid[c] {
			p.classes[c.Name] = c
		}
	}
	for _, t := range p.Templates {
		p.templates[namespace(t.Namespace)+"/"+t.Name] = t
	}
	for _, origin := range p.Claims {
		c := &Claim{Claim: origin.DeepCopy(), Origin: origin, Outcome: Unfit}
		c.Claim.Namespace = namespace(origin.Namespace)
		switch {
		case p.Invalid[origin]:
			c.Outcome = Invalid
			c.Message = "the API server refuses the claim; see the findings"
		case origin.Status.Allocation != nil:
			c.Outcome = Before
			p.held.Add(c.Claim, p.Features)
		}
		p.claims = append(p.claims, c)
		if _, twice := p.byName[c.Name()]; !twice {
			p.byName[c.Name()] = c
		}
	}
}

func namespace(s string) string {
	if s == "" {
		return "default"
	}
	return s
}

// chooseNodes takes the nodes of the input, or else assumes those that the
// slices name, or else one without a name.
func (p *planner) chooseNodes() {
	if len(p.Nodes) > 0 {
		p.nodes = p.Nodes
		return
	}
	seen := map[string]bool{}
	add := func(name *string) {
		if name != nil && *name != "" && !seen[*name] {
			seen[*name] = true
			p.nodes = append(p.nodes, p.assumedNode(*name))
		}
	}
	for _, s := range p.Slices {
		if p.Invalid[s] {
			continue
		}
		add(s.Spec.NodeName)
		for i := range s.Spec.Devices {
			add(s.Spec.Devices[i].NodeName)
		}
	}
	switch len(p.nodes) {
	case 0:
		p.nodes = []*corev1.Node{p.assumedNode("")}
		p.assume("no Node in the bundle, and no slice names one: one node without name and labels assumed")
	case 1:
		p.assume(fmt.Sprintf("no Node in the bundle: %s assumed from the slices", p.nodes[0].Name))
	default:
		p.assume(fmt.Sprintf("no Node in the bundle: %d nodes assumed from the slices, with no label but kubernetes.io/hostname", len(p.nodes)))
	}
}

func (p *planner) assume(text string) { p.plan.Assumptions = append(p.plan.Assumptions, text) }

func (p *planner) assumedNode(name string) *corev1.Node {
	node := &corev1.Node{}
	node.Name = name
	if name != "" {
		node.Labels = map[string]string{corev1.LabelHostname: name}
	}
	if p.Features.OptionalNodeOperations {
		node.Status.DeclaredFeatures = []string{"DRAOptionalNodeOperations"}
	}
	return node
}

// prepare gets claims ready for any number of nodes.
func (p *planner) prepare(claims []*Claim) *allocate.Claims {
	list := make([]*resourceapi.ResourceClaim, len(claims))
	for i, c := range claims {
		list[i] = c.Claim
	}
	return allocate.Prepare(list, p.classes, p.Features, p.programs)
}

// allocate tries claims on a node.
func (p *planner) allocate(node *corev1.Node, claims *allocate.Claims) (*allocate.Answer, error) {
	of, ok := p.views[node.Name]
	if !ok {
		pools, err := p.inventory.Pools(node)
		if of.err = err; err == nil {
			of.view = allocate.NewView(node, pools, p.held, p.Features, p.programs)
		}
		p.views[node.Name] = of
	}
	if of.err != nil {
		r := allocate.Reason{Code: allocate.NodeSelector, Claim: -1, Message: of.err.Error() + "; Kubernetes gives up on the pod"}
		if unreadable := (*inventory.UnreadableSelector)(nil); errors.As(of.err, &unreadable) {
			r.At = unreadable.At
		}
		return &allocate.Answer{Failure: &allocate.Failure{Kind: allocate.PodWide, Reasons: []allocate.Reason{r}}}, nil
	}
	answer, err := allocate.Allocate(p.ctx, allocate.Problem{View: of.view, Claims: claims, Explain: true, ExplainEffort: &p.effort})
	if err == nil && p.inventory.Len() == 0 && answer.Failure != nil && answer.Failure.Kind == allocate.NotHere {
		answer.Failure.Reasons = []allocate.Reason{{Code: allocate.NoSlices, Claim: -1,
			Message: "there is no ResourceSlice at all, so no device could be evaluated"}}
	}
	return answer, err
}

// reasons turns those of an attempt, which count claims, into ours.
func reasons(list []allocate.Reason, claims []*Claim, podWide bool) []Reason {
	out := make([]Reason, 0, len(list))
	for _, r := range list {
		reason := Reason{Code: r.Code, Message: r.Message, Request: r.Request, Field: r.Field, At: r.At, PodWide: podWide, Devices: r.Devices}
		if r.Claim >= 0 {
			reason.Claim = claims[r.Claim]
		}
		out = append(out, reason)
	}
	return out
}

// commit writes an allocation into its claim.
func (p *planner) commit(c *Claim, allocation *resourceapi.AllocationResult, node string) {
	c.Claim.Status.Allocation = allocation
	c.Outcome, c.Node = Done, node
	c.Claim.Finalizers = withFinalizer(c.Claim.Finalizers)
	p.held.Add(c.Claim, p.Features)
}

func withFinalizer(list []string) []string {
	for _, f := range list {
		if f == resourceapi.Finalizer {
			return list
		}
	}
	return append(list, resourceapi.Finalizer)
}

// rest allocates what no pod uses, each claim on its own, on the first node
// that fits.
func (p *planner) rest() error {
	for _, c := range p.claims {
		if c.used {
			continue
		}
		c.used = true
		p.plan.Claims = append(p.plan.Claims, c)
		if c.Outcome != Unfit {
			continue
		}
		if err := p.alone(c); err != nil {
			return err
		}
	}
	return nil
}

func (p *planner) alone(c *Claim) error {
	claims := []*Claim{c}
	prepared := p.prepare(claims)
	var best *allocate.Answer
	var chosen *corev1.Node
	t := trial{}
	for _, node := range p.nodes {
		answer, err := p.allocate(node, prepared)
		if err != nil {
			return err
		}
		t.add(node, answer, claims)
		if answer.Fits && best == nil {
			best, chosen = answer, node
		}
	}
	c.Nodes = t.finish()
	switch {
	case t.podWide != nil:
		c.Message = summary(c.Name(), c.Nodes, p.inventory.Len())
	case best != nil:
		p.commit(c, &best.Allocations[0], chosen.Name)
		c.Notes = reasons(best.Notes, claims, false)
		c.Message = devicesOf(c)
	case t.undecided:
		c.Outcome = Undecided
		c.Message = summary(c.Name(), c.Nodes, p.inventory.Len())
	default:
		c.Message = summary(c.Name(), c.Nodes, p.inventory.Len())
	}
	return nil
}
