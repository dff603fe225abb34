package core

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/drawbridge-dra/drawbridge/core/allocate"
	"github.com/drawbridge-dra/drawbridge/core/bundle"
	"github.com/drawbridge-dra/drawbridge/core/diag"
	"github.com/drawbridge-dra/drawbridge/core/fit"
	"github.com/drawbridge-dra/drawbridge/core/schedule"
)

// The kinds of changes, and how large each is held to be: what the author of
// the pod can do comes before what takes an administrator.
const (
	reference  = "reference"
	suggestion = "suggestion"
	amount     = "amount"
	toleration = "toleration"
	recreate   = "recreate"
	selectorOf = "selector"
	constraint = "constraint"
	gateChange = "gate"
	release    = "release"
	wait       = "wait"
	nodeChange = "node"
	sliceOf    = "slice"
	classOf    = "class"
)

var ranks = map[string]int{
	suggestion: 1, reference: 2, amount: 3, toleration: 4, recreate: 5, selectorOf: 6, constraint: 7,
	gateChange: 8, release: 9, wait: 10, nodeChange: 11, sliceOf: 12, classOf: 13,
}

// proposal suggests changes for a reason on a node.
type proposal func(p *probe, node string, r *schedule.Reason)

// proposals are what may help against a reason, by its code. What helps is
// found out by trying.
var proposals = map[allocate.Code][]proposal{
	fit.NodeUnschedulable:   {uncordon, toleratePod},
	fit.NodeTaint:           {toleratePod, untaintNode},
	fit.NodeAffinity:        {freePod, labelNode},
	fit.HostPort:            {dropPorts, endPods},
	fit.TooManyPods:         {endPods},
	fit.InsufficientCPU:     {requestLess, endPods},
	fit.InsufficientMemory:  {requestLess, endPods},
	fit.InsufficientStorage: {requestLess, endPods},
	fit.Insufficient:        {requestLess, requestNone, endPods},
	fit.NodeFeatures:        {shareUsers},

	schedule.SchedulingGate:   {openGates},
	schedule.PodEnded:         {createAnew},
	schedule.ClaimInvalid:     {validCount},
	schedule.ClaimMissing:     {nameClaim, keepClaim},
	schedule.TemplateMissing:  {nameTemplate},
	schedule.PodEntry:         {nameClaim},
	schedule.GroupMissing:     {nameGroup},
	schedule.ClaimForeign:     {forgetClaims},
	schedule.ReservationLimit: {unreserve, releaseClaim},
	schedule.AllocatedAway:    {releaseClaim},
	schedule.NodeOperations:   {declare, releaseClaim},
	schedule.BindingFailed:    {releaseClaim},
	schedule.BindingTimeout:   {releaseClaim},
	schedule.PluginAndClaims:  {requestNone},
	schedule.NodeShare:        {unreserve, endPods},
	schedule.PodLevel:         {dropPodLevel},

	allocate.NoDevices:       {dropSelectors, dropClassSelectors, otherClass},
	allocate.PoolIncomplete:  {completePool, notAll},
	allocate.PoolInvalid:     {notAll},
	allocate.TooFewDevices:   {fewer, notAll, dropRequest, releaseAll},
	allocate.DeviceLimit:     {fewer, notAll},
	allocate.Combination:     {dropConstraints, fewer, dropRequest, dropSelectors, lessCapacity, releaseAll},
	allocate.SelectorError:   {dropSelectors, dropClassSelectors},
	allocate.DerivedError:    {dropDerived, dropConstraints},
	allocate.CapacityError:   {noCapacity},
	allocate.ConstraintOnAll: {dropConstraints, notAll},
	allocate.ClassMissing:    {otherClass},
	allocate.GateOff:         {turnOn, newest},
	allocate.Unsupported:     {notAll, dropSelectors, dropConstraints},
	allocate.InUse:           {fewer, notAll, otherClass, turnOn},
	allocate.Picked:          {fewer, dropRequest, turnOn},
	allocate.ClassSelector:   {dropClassSelectors, otherClass},
	allocate.RequestSelector: {dropSelectors},

	allocate.BindingOff:         {turnOn, newest},
	allocate.CapacityMissing:    {noCapacity},
	allocate.CapacityPolicy:     {allowedCapacity, noCapacity, lessCapacity},
	allocate.Capacity:           {lessCapacity, noCapacity, fewer},
	allocate.SkipNodeOperations: {declare, turnOn},
	allocate.CountersOff:        {turnOn, newest},
	allocate.Groups:             {fewer, dropRequest, releaseAll, turnOn},
	allocate.Counters:           {fewer, dropRequest, releaseAll},
	allocate.MatchAttribute:     {dropConstraints, fewer},
	allocate.DistinctAttribute:  {dropConstraints, fewer},
	allocate.Taint:              {turnOff},
}

// deviceProposals are what may help against what refuses a device, besides
// the above.
var deviceProposals = map[allocate.Code][]func(p *probe, r *schedule.Reason, d *allocate.DeviceReason){
	allocate.InUse:    {releaseDevice},
	allocate.Groups:   {releaseDevice},
	allocate.Counters: {releaseDevice},
	allocate.Capacity: {releaseDevice},
	allocate.Taint:    {tolerateDevice, untaintDevice},
}

// probe collects candidates.
type probe struct {
	*state
	seen map[string]bool
	out  []candidate
}

// How much of an explanation is looked at.
const (
	nodesAlike   = 3
	devicesAlike = 4
	// othersNamed is how many objects are tried in place of another.
	othersNamed = 4
)

// propose lists what may help, smallest first.
func propose(s *state, findings []diag.Diagnostic) []candidate {
	p := &probe{state: s, seen: map[string]bool{}}
	p.mends(findings)
	alike := map[string]int{}
	for _, n := range s.at.nodes() {
		key := ""
		for i := range n.Reasons {
			key = string(keyOf([]byte(key), &n.Reasons[i], countDevices(n.Reasons[i].Devices)))
		}
		if alike[key]++; alike[key] > nodesAlike {
			continue
		}
		for i := range n.Reasons {
			p.reason(n.Name, &n.Reasons[i])
		}
	}
	slices.SortStableFunc(p.out, func(a, b candidate) int { return cmp.Compare(a.rank, b.rank) })
	return p.out
}

func (p *probe) reason(node string, r *schedule.Reason) {
	ask := func(code allocate.Code) {
		for _, f := range proposals[code] {
			f(p, node, r)
		}
	}
	ask(r.Code)
	counts := map[allocate.Code]int{}
	for i := range r.Devices {
		d := &r.Devices[i]
		if counts[d.Code]++; counts[d.Code] == 1 && d.Code != r.Code {
			ask(d.Code)
		}
		if counts[d.Code] <= devicesAlike {
			for _, f := range deviceProposals[d.Code] {
				f(p, r, d)
			}
		}
	}
}

// add notes a candidate, once.
func (p *probe) add(kind, series, message string, o *bundle.Object, field string, edits []bundle.Edit) {
	c := candidate{rank: ranks[kind], series: series, edits: edits}
	c.Kind, c.Message, c.Field = kind, message, field
	if o != nil {
		ref := o.Ref
		c.Object = &ref
	}
	p.keep(c)
}

func (p *probe) keep(c candidate) {
	key := fmt.Sprint(c.Message, c.edits, c.FeatureGates, c.KubernetesVersion)
	if !p.seen[key] {
		p.seen[key] = true
		p.out = append(p.out, c)
	}
}

// set proposes that a field of an object has another value.
func (p *probe) set(kind, message string, of any, path, key string, value any) {
	p.setIn("", kind, message, of, path, key, value)
}

// setIn is set for a change that is one of a series.
func (p *probe) setIn(series, kind, message string, of any, path, key string, value any) {
	o := lookUp(p.cluster.objects, of)
	if o == nil {
		return
	}
	if e, ok := o.Put(path, key, value); ok {
		field := key
		if path != "" {
			field = path + "." + key
		}
		p.add(kind, series, message, o, field, []bundle.Edit{e})
	}
}

// mends are the suggestions of findings. They are held to be what was meant.
func (p *probe) mends(findings []diag.Diagnostic) {
	const most = 8
	for _, d := range findings {
		if d.Suggestion == nil || d.Suggestion.Location == nil || d.Object == nil || len(p.out) == most {
			continue
		}
		o := p.cluster.bundle.Objects[d.Object.Index]
		e, ok := o.Offsets(d.Suggestion.Location)
		if !ok {
			continue
		}
		e.Text = d.Suggestion.Replacement
		p.add(suggestion, "", fmt.Sprintf("%s %s is mended: %s", o.Ref.Kind, o.Ref.Name, strings.ReplaceAll(d.Suggestion.Message, "\n", " ")), o, d.Field, []bundle.Edit{e})
	}
}

// demand is a request of a claim, or one of its alternatives, and where it is.
type demand struct {
	claim *schedule.Claim
	*resourceapi.DeviceSubRequest
	// path leads to it in the object that holds the claim.
	path string
}

// prefix is where the spec of a claim is in the object that holds it.
func prefix(c *schedule.Claim) string {
	if _, template := c.Origin.(*resourceapi.ResourceClaimTemplate); template {
		return "spec.spec.devices"
	}
	return "spec.devices"
}

// asks are the requests that a reason is about: the one that it names, those of
// its claim, or those of all claims.
func (p *probe) asks(r *schedule.Reason) []demand {
	var out []demand
	for _, c := range p.claims(r) {
		for j := range c.Claim.Spec.Devices.Requests {
			request := &c.Claim.Spec.Devices.Requests[j]
			path := fmt.Sprintf("%s.requests[%d]", prefix(c), j)
			if e := request.Exactly; e != nil && isNamed(r.Request, request.Name) {
				out = append(out, demand{c, &resourceapi.DeviceSubRequest{Name: request.Name, DeviceClassName: e.DeviceClassName, Selectors: e.Selectors,
					AllocationMode: e.AllocationMode, Count: e.Count, Tolerations: e.Tolerations, Capacity: e.Capacity}, path + ".exactly"})
			}
			for k := range request.FirstAvailable {
				sub := request.FirstAvailable[k]
				sub.Name = request.Name + "/" + sub.Name
				if isNamed(r.Request, sub.Name) || r.Request == request.Name {
					out = append(out, demand{c, &sub, fmt.Sprintf("%s.firstAvailable[%d]", path, k)})
				}
			}
		}
	}
	return out
}

func isNamed(wanted, name string) bool { return wanted == "" || wanted == name }

// claims are those that a reason is about.
func (p *probe) claims(r *schedule.Reason) []*schedule.Claim {
	switch {
	case r.Claim != nil:
		return []*schedule.Claim{r.Claim}
	case p.at.pod != nil:
		return p.at.pod.Claims
	}
	return []*schedule.Claim{p.at.claim}
}

// who names the request as its author did.
func (a demand) who() string { return fmt.Sprintf("request %s of %s", a.Name, written(a.claim)) }

// written names what holds the spec of a claim: the claim, or its template.
func written(c *schedule.Claim) string {
	if t, ok := c.Origin.(*resourceapi.ResourceClaimTemplate); ok {
		return "template " + fullName(t.Namespace, t.Name)
	}
	return c.Name()
}
