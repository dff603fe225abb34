// Package schedule works out what becomes of pods and claims: it makes the
// claims that templates stand for, tries the nodes for each pod in turn, and
// lets every pod see what those before it took.
package schedule

import (
	"context"
	"errors"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	schedulingapi "k8s.io/api/scheduling/v1beta1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"

	"github.com/drawbridge-dra/drawbridge/core/allocate"
	"github.com/drawbridge-dra/drawbridge/core/extended"
	"github.com/drawbridge-dra/drawbridge/core/feature"
	"github.com/drawbridge-dra/drawbridge/core/fit"
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
	Groups    []*schedulingapi.PodGroup
	// Invalid objects, by pointer, are those that the API server refuses. A
	// pod that depends on one is not tried.
	Invalid  map[any]bool
	Features inventory.Features
	Gates    Gates
	// Now decides whether a wait for binding conditions has lasted too long;
	// zero leaves that open.
	Now metav1.Time
	// Copies are placed after all else; nil for none.
	Copies *Copies
	// Last ends the plan with the pod of this name, as namespace/name; empty
	// for none. What comes behind cannot change what becomes of that pod.
	Last string
	// Progress is told how many of the pods have been worked out; nil for
	// nobody.
	Progress func(done, total int)
}

// Gates are the parts of the scheduler and of the controllers, other than the
// allocator, that feature gates turn on and off.
type Gates struct {
	ExtendedResource bool
	NodeAllocatable  bool
	WorkloadClaims   bool
	DeclaredFeatures bool
	// Version is that of the control plane.
	Version string
}

// GatesOf reads the gates.
func GatesOf(set *feature.Set) Gates {
	return Gates{
		ExtendedResource: set.Enabled(feature.DRAExtendedResource),
		NodeAllocatable:  set.Enabled(feature.DRANodeAllocatableResources),
		WorkloadClaims:   set.Enabled(feature.DRAWorkloadResourceClaims),
		DeclaredFeatures: set.Enabled(feature.NodeDeclaredFeatures),
		Version:          set.Version().String(),
	}
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
	// Evictions are those that taints of devices bring about.
	Evictions []*Eviction
	// Copied is what became of the copies that were asked for.
	Copied *Copied

	known     []*Claim
	nodeNames []string
}

// Known are all claims that the plan knew at its end: those of the input, and
// those that were made.
func (p *Plan) Known() []*Claim { return p.known }

// NodeNames are the nodes of the plan, those that were assumed included.
func (p *Plan) NodeNames() []string { return p.nodeNames }

// Pod is what becomes of a pod that uses devices.
type Pod struct {
	Pod     *corev1.Pod
	Outcome Outcome
	Node    string
	Message string
	Claims  []*Claim
	Nodes   []Node
	// Extended says which container gets which devices for an extended
	// resource, and Footprint what devices take of the node; both are what the
	// scheduler writes into the status of the pod.
	Extended  *corev1.PodExtendedResourceClaimStatus
	Footprint []corev1.NodeAllocatableResourceClaimStatus

	// fit is what counts of the pod on a node, and consumers is for whom each
	// claim is reserved.
	fit       *fit.Pod
	consumers []resourceapi.ResourceClaimConsumerReference
	// entries are the names of the claims in the pod.
	entries []string
	// problem is what the kubelet meets if the pod has a node already.
	problem *Reason
	// reservable is how many of Claims the controller reserves for such a pod.
	reservable int
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

	// selector is the one of the allocation, read once.
	selector   *nodeaffinity.NodeSelector
	selectorOf *corev1.NodeSelector

	used bool
	// gone is why the claim will not exist for long; empty if it stays.
	gone string
}

// Name is namespace/name.
func (c *Claim) Name() string { return c.Claim.Namespace + "/" + c.Claim.Name }

// reaches tells whether the allocation of the claim can be used on the node.
func (c *Claim) reaches(node *corev1.Node) bool {
	of := c.Claim.Status.Allocation.NodeSelector
	if of == nil {
		return true
	}
	if of != c.selectorOf {
		c.selectorOf = of
		c.selector, _ = nodeaffinity.NewNodeSelector(of)
	}
	return c.selector != nil && c.selector.Match(node)
}

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
	// or inside the pod if there is no claim or InPod is set.
	Claim   *Claim
	Request string
	Field   string
	InPod   bool
	// At is where the reason lies if that is in neither.
	At      inventory.Place
	PodWide bool
	Devices []allocate.DeviceReason
	// Left is how much the node has left of a resource, if it has too little.
	Left *resource.Quantity
}

// planner is the state of one answer.
type planner struct {
	*Input
	ctx       context.Context
	nodes     []*fit.Node
	inventory *inventory.Inventory
	held      *inventory.Held
	programs  *allocate.Programs
	classes   map[string]*resourceapi.DeviceClass
	claims    []*Claim
	byName    map[string]*Claim
	templates map[string]*resourceapi.ResourceClaimTemplate
	// generated are the claims made from templates, by namespace, name of the
	// owner and name of the entry.
	generated  map[[3]string][]*Claim
	pods       map[string]*corev1.Pod
	ready      []*fit.Pod // of Input.Pods, in their order
	nodeByName map[string]*fit.Node
	groups     map[string]*schedulingapi.PodGroup
	extended   extended.Classes
	devices    *devices
	views      map[*fit.Node]nodeView
	plan       *Plan
	// effort bounds the searches of all explanations together.
	effort int
	draws  draws
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
		classes: map[string]*resourceapi.DeviceClass{}, byName: map[string]*Claim{}, generated: map[[3]string][]*Claim{},
		templates: map[string]*resourceapi.ResourceClaimTemplate{}, pods: map[string]*corev1.Pod{},
		groups: map[string]*schedulingapi.PodGroup{}, nodeByName: map[string]*fit.Node{},
		views: map[*fit.Node]nodeView{}, plan: &Plan{},
	}
	defer func() { p.plan.known = p.claims }()
	p.index()
	p.chooseNodes()
	for _, n := range p.nodes {
		p.plan.nodeNames = append(p.plan.nodeNames, n.Name)
	}
	p.settle()
	var bound []*Pod
	for i, pod := range in.Pods {
		if in.Progress != nil {
			in.Progress(i, len(in.Pods))
		}
		if !p.usesDevices(p.ready[i]) {
			continue
		}
		out := &Pod{Pod: pod, fit: p.ready[i], Outcome: Unfit}
		p.plan.Pods = append(p.plan.Pods, out)
		if err := p.pod(out); err != nil {
			return nil, err
		}
		if pod.Spec.NodeName != "" {
			bound = append(bound, out)
		}
		if in.Last == podName(pod) {
			return p.plan, nil
		}
	}
	if in.Progress != nil {
		in.Progress(len(in.Pods), len(in.Pods))
	}
	for _, out := range bound {
		p.bypassed(out)
	}
	p.evictions(bound)
	if err := p.rest(); err != nil {
		return nil, err
	}
	p.assumptions()
	if in.Copies != nil {
		copied, err := p.copies()
		if err != nil {
			return nil, err
		}
		p.plan.Copied = copied
	}
	return p.plan, nil
}

// prepare gets claims ready for any number of nodes.
func (p *planner) prepare(claims []*Claim) *allocate.Claims {
	list := make([]*resourceapi.ResourceClaim, len(claims))
	for i, c := range claims {
		list[i] = c.Claim
	}
	return allocate.Prepare(list, p.classes, p.Features, p.programs)
}

// allocate tries claims on a node. If it is enough to know that they fit, the
// answer may lack the allocations.
func (p *planner) allocate(node *fit.Node, claims *allocate.Claims, enough bool) (*allocate.Answer, error) {
	of, ok := p.views[node]
	if !ok {
		pools, err := p.inventory.Pools(node.Node)
		if of.err = err; err == nil {
			of.view = allocate.NewView(node.Node, pools, p.held, p.Features, p.programs)
		}
		p.views[node] = of
	}
	if of.err != nil {
		r := allocate.Reason{Code: allocate.NodeSelector, Claim: -1, Message: of.err.Error() + "; Kubernetes gives up on the pod"}
		if unreadable := (*inventory.UnreadableSelector)(nil); errors.As(of.err, &unreadable) {
			r.At = unreadable.At
		}
		return &allocate.Answer{Failure: &allocate.Failure{Kind: allocate.PodWide, Reasons: []allocate.Reason{r}}}, nil
	}
	answer, err := allocate.Allocate(p.ctx, allocate.Problem{View: of.view, Claims: claims, Explain: true, ExplainEffort: &p.effort, FitsIsEnough: enough})
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
		if c.Outcome != Unfit || c.gone != "" {
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
	var chosen *fit.Node
	ties := 0
	t := trial{}
	for _, node := range p.nodes {
		answer, err := p.allocate(node, prepared, best != nil)
		if err != nil {
			return err
		}
		if !answer.Fits {
			t.fail(node, answer.Failure, reasons(answer.Failure.Reasons, claims, answer.Failure.Kind == allocate.PodWide))
			continue
		}
		t.fits(node, reasons(answer.Notes, claims, false))
		if ties++; best == nil {
			best, chosen = answer, node
		}
	}
	c.Nodes = t.finish()
	switch {
	case t.podWide != nil:
		c.Message = summary(c.Name(), c.Nodes)
	case best != nil:
		p.draws.note(c.Name(), ties)
		p.commit(c, &best.Allocations[0], chosen.Name)
		c.Notes = reasons(best.Notes, claims, false)
		c.Message = devicesOf(c)
	case t.undecided:
		c.Outcome = Undecided
		c.Message = summary(c.Name(), c.Nodes)
	default:
		c.Message = summary(c.Name(), c.Nodes)
	}
	return nil
}
