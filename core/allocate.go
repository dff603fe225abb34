package core

import (
	"context"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	schedulingapi "k8s.io/api/scheduling/v1beta1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/drawbridge-dra/drawbridge/core/bundle"
	"github.com/drawbridge-dra/drawbridge/core/diag"
	"github.com/drawbridge-dra/drawbridge/core/feature"
	"github.com/drawbridge-dra/drawbridge/core/inventory"
	"github.com/drawbridge-dra/drawbridge/core/past"
	"github.com/drawbridge-dra/drawbridge/core/schedule"
)

// Allocate answers which devices the scheduler would give to the claims and
// pods of the text, and why not. The error is an *OptionError, or the
// context's own.
func Allocate(ctx context.Context, text []byte, opts Options) (*AllocateResult, error) {
	explain, err := opts.explanation()
	if err != nil {
		return nil, err
	}
	absent, err := opts.absentDrivers()
	if err != nil {
		return nil, err
	}
	o, err := foresee(ctx, text, opts)
	if err != nil {
		return nil, err
	}
	out := &AllocateResult{
		KubernetesVersion: o.set.Version().String(),
		Allocator:         string(o.input.Features.Implementation()),
		Pods:              []PodResult{},
		Claims:            []ClaimResult{},
		Diagnostics:       o.findings(opts),
		Assumptions:       o.presumed(),
	}
	for _, p := range o.plan.Pods {
		out.Pods = append(out.Pods, podResult(p, o.where, explain))
	}
	for _, c := range o.plan.Claims {
		out.Claims = append(out.Claims, claimResult(c, o.where, explain))
	}
	if opts.NodeOperations {
		side, err := newNodeSide(ctx, o, absent)
		if err != nil {
			return nil, err
		}
		for i, p := range o.plan.Pods {
			out.Pods[i].NodeOperations = side.pod(p)
		}
		out.Assumptions = append(out.Assumptions, side.assumed()...)
	}
	for _, e := range o.plan.Evictions {
		out.Evictions = append(out.Evictions, eviction(e, o.where))
	}
	if opts.Picture {
		out.Picture = picture(o)
		for i, p := range o.plan.Pods {
			out.Pods[i].Location = o.where.locate(inventory.Place{Object: p.Pod, Field: "metadata.name"})
		}
		for i, claim := range o.plan.Claims {
			out.Claims[i].Location = o.where.locate(inventory.Place{Object: claim.Origin, Field: "metadata.name"})
		}
	}
	return out, nil
}

// assumeGates turns gates on that nobody has set and without which the API
// server would not have kept what the bundle holds: who sends what kubectl
// printed has a cluster where they are on.
func assumeGates(b *bundle.Bundle, set *feature.Set, opts Options) (*feature.Set, []string) {
	// Creating the objects tells which gates drop something; errors do not
	// matter here, and neither can it be cancelled.
	stored, _ := create(context.Background(), b, set, opts.alone())
	reasons := map[feature.Gate]string{}
	for _, d := range stored.findings {
		g := feature.Gate(d.Gate)
		if d.Source == diag.Gate && g != "" && reasons[g] == "" && d.Object != nil {
			reasons[g] = fmt.Sprintf("%s %s sets %s, which a cluster without it would have dropped", d.Object.Kind, d.Object.Name, d.Field)
		}
	}
	if name := fractionalRange(b); name != "" && !set.Enabled(feature.DRAFractionalCapacityRange) {
		reasons[feature.DRAFractionalCapacityRange] = fmt.Sprintf("ResourceSlice %s has a request policy in fractions, which a cluster without it rounds up to whole numbers", name)
	}
	if name := groupClaims(b); name != "" {
		reasons[feature.GenericWorkload] = fmt.Sprintf("no cluster without it has a PodGroup such as %s", name)
		reasons[feature.DRAWorkloadResourceClaims] = fmt.Sprintf("PodGroup %s sets spec.resourceClaims, which a cluster without it would have dropped", name)
	}
	var assumptions []string
	// Twice, because a gate can need one that comes later.
	for range 2 {
		for _, state := range set.Gates() {
			why := reasons[state.Name]
			if why == "" || state.Enabled || set.Explicit(state.Name) || !set.Exists(state.Name) {
				continue
			}
			with, err := set.With(state.Name)
			if err != nil {
				continue
			}
			set = with
			assumptions = append(assumptions, fmt.Sprintf("%s is off by default in %s; taken as on because %s (set featureGates=%s=false for that)",
				state.Name, set.Version(), why, state.Name))
		}
	}
	return set, assumptions
}

// groupClaims names a PodGroup that has claims.
func groupClaims(b *bundle.Bundle) string {
	for _, o := range b.Objects {
		if g, ok := o.Value.(*schedulingapi.PodGroup); ok && g != nil && len(g.Spec.ResourceClaims) > 0 {
			return g.Name
		}
	}
	return ""
}

// fractionalRange names a slice with a request policy that only makes sense
// in fractions.
func fractionalRange(b *bundle.Bundle) string {
	fraction := func(q *resource.Quantity) bool {
		return q != nil && q.Cmp(*resource.NewQuantity(q.Value(), q.Format)) != 0
	}
	for _, o := range b.Objects {
		s, ok := o.Value.(*resourceapi.ResourceSlice)
		if !ok || s == nil {
			continue
		}
		for i := range s.Spec.Devices {
			for _, c := range s.Spec.Devices[i].Capacity {
				if c.RequestPolicy == nil || c.RequestPolicy.ValidRange == nil {
					continue
				}
				if r := c.RequestPolicy.ValidRange; fraction(r.Min) || fraction(r.Step) || fraction(r.Max) {
					return s.Name
				}
			}
		}
	}
	return ""
}

// toCluster sorts the objects by kind. The map leads from each back to where
// it stands in the text.
func toCluster(b *bundle.Bundle, stored *storage, found []diag.Diagnostic, skipValidation bool) (schedule.Input, map[any]*bundle.Object) {
	refused := map[int]bool{}
	for _, d := range found {
		// An API finding with a gate is about a field that this cluster drops.
		if d.Object != nil && d.Severity == diag.Error && (d.Source == diag.Decode || d.Source == diag.API && d.Gate == "") {
			refused[d.Object.Index] = true
		}
	}
	in := schedule.Input{Invalid: map[any]bool{}}
	objects := map[any]*bundle.Object{}
	for i, o := range b.Objects {
		value := stored.objects[i]
		if skipValidation {
			value = o.Value
		}
		switch value.(type) {
		case nil, *past.ResourceClaim, *past.ResourceClaimTemplate:
			// No plan can be made with what only older versions have.
			value = undecoded(o)
			if o.Value != nil {
				in.Invalid[value] = true
			}
		}
		objects[value] = o
		if refused[o.Ref.Index] && value != nil {
			in.Invalid[value] = true
		}
		switch v := value.(type) {
		case *corev1.Node:
			in.Nodes = append(in.Nodes, v)
		case *corev1.Pod:
			in.Pods = append(in.Pods, v)
		case *resourceapi.ResourceClaim:
			in.Claims = append(in.Claims, v)
		case *resourceapi.ResourceClaimTemplate:
			in.Templates = append(in.Templates, v)
		case *resourceapi.DeviceClass:
			in.Classes = append(in.Classes, v)
		case *resourceapi.ResourceSlice:
			in.Slices = append(in.Slices, v)
		case *resourceapi.DeviceTaintRule:
			in.Rules = append(in.Rules, v)
		case *schedulingapi.PodGroup:
			in.Groups = append(in.Groups, v)
		}
	}
	return in, objects
}

// undecoded stands in for an object that could not be read, so that what
// refers to it hears that it is broken and not that it is missing.
func undecoded(o *bundle.Object) any {
	if !strings.HasPrefix(o.Ref.APIVersion, "resource.k8s.io/") {
		return nil
	}
	switch o.Ref.Kind {
	case "ResourceClaim":
		v := &resourceapi.ResourceClaim{}
		v.Name, v.Namespace = o.Ref.Name, o.Ref.Namespace
		return v
	case "ResourceClaimTemplate":
		v := &resourceapi.ResourceClaimTemplate{}
		v.Name, v.Namespace = o.Ref.Name, o.Ref.Namespace
		return v
	}
	return nil
}

var podOutcomes = map[schedule.Outcome]PodOutcome{
	schedule.Done: PodScheduled, schedule.Before: PodAlreadyScheduled, schedule.Unfit: PodUnschedulable,
	schedule.Invalid: PodInvalid, schedule.Undecided: PodUndecided,
}

var claimOutcomes = map[schedule.Outcome]ClaimOutcome{
	schedule.Done: ClaimAllocated, schedule.Before: ClaimAlreadyAllocated, schedule.Unfit: ClaimUnallocated,
	schedule.Invalid: ClaimInvalid, schedule.Undecided: ClaimUndecided,
}

func podResult(p *schedule.Pod, in *positions, explain Explanation) PodResult {
	out := PodResult{
		Namespace: p.Pod.Namespace, Name: p.Pod.Name, Outcome: podOutcomes[p.Outcome], Node: p.Node, Message: p.Message,
		Claims: []string{}, Nodes: []NodeResult{},
		ExtendedResourceClaimStatus: p.Extended, NodeAllocatableResourceClaimStatuses: p.Footprint,
	}
	if out.Namespace == "" {
		out.Namespace = "default"
	}
	for _, c := range p.Claims {
		out.Claims = append(out.Claims, c.Name())
	}
	switch explain {
	case ExplainFull:
		out.Nodes = nodeResults(p.Nodes, in.objects[p.Pod], in)
	case ExplainSummary:
		out.Groups = groupNodes(p.Nodes, in.objects[p.Pod], in)
	}
	return out
}

func claimResult(c *schedule.Claim, in *positions, explain Explanation) ClaimResult {
	out := ClaimResult{Outcome: claimOutcomes[c.Outcome], Node: c.Node, Message: c.Message, Claim: c.Claim}
	out.Claim.APIVersion, out.Claim.Kind = "resource.k8s.io/v1", "ResourceClaim"
	if c.Pod != nil {
		ns := c.Pod.Namespace
		if ns == "" {
			ns = "default"
		}
		out.Pod = ns + "/" + c.Pod.Name
	}
	switch {
	case len(c.Nodes) == 0:
	case explain == ExplainFull:
		out.Nodes = nodeResults(c.Nodes, nil, in)
	case explain == ExplainSummary:
		out.Groups = groupNodes(c.Nodes, nil, in)
	}
	return out
}

func nodeResults(nodes []schedule.Node, pod *bundle.Object, in *positions) []NodeResult {
	out := make([]NodeResult, 0, len(nodes))
	for _, n := range nodes {
		result := NodeResult{Name: n.Name, Fits: n.Fits}
		for _, r := range n.Reasons {
			result.Reasons = append(result.Reasons, reason(r, pod, in))
		}
		out = append(out, result)
	}
	return out
}

func reason(r schedule.Reason, pod *bundle.Object, in *positions) Reason {
	out := Reason{Code: string(r.Code), Message: r.Message, Request: r.Request, PodWide: r.PodWide}
	inPod := r.Claim == nil || r.InPod
	if inPod && pod != nil && r.Field != "" {
		out.Location = pod.Locate(r.Field)
	}
	if r.Claim != nil {
		out.Claim = r.Claim.Name()
		if o := lookUp(in.objects, r.Claim.Origin); o != nil && !inPod && r.Field != "" {
			field := r.Field
			if _, template := r.Claim.Origin.(*resourceapi.ResourceClaimTemplate); template {
				field = "spec." + field
			}
			out.Location = o.Locate(field)
		}
	}
	if out.Location == nil && r.Field == "" {
		out.Location = in.locate(r.At)
	}
	for _, d := range r.Devices {
		out.Devices = append(out.Devices, DeviceReason{
			Driver: d.ID.Driver, Pool: d.ID.Pool, Device: d.ID.Device, Code: string(d.Code), Message: d.Message,
			Location: in.locate(d.At),
		})
	}
	return out
}

// positions are where the objects of a bundle and what is in them stand.
type positions struct {
	objects map[any]*bundle.Object
	// places are those that have been found already: the same devices are in
	// the way of many pods.
	places map[inventory.Place]*diag.Location
}

// lookUp leads from an object of the cluster to where it stands in the text;
// nil for none. A map is not asked for a nil key here: as WebAssembly, Go 1.26
// then reads outside of the memory if the map is large.
func lookUp(objects map[any]*bundle.Object, of any) *bundle.Object {
	if of == nil {
		return nil
	}
	return objects[of]
}

// locate finds a place in the text; nil for what the bundle does not hold,
// such as a node that was assumed.
func (in *positions) locate(at inventory.Place) *diag.Location {
	o := lookUp(in.objects, at.Object)
	if o == nil {
		return nil
	}
	location, ok := in.places[at]
	if !ok {
		location = o.Locate(at.Field)
		in.places[at] = location
	}
	return location
}
