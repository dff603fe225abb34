package cluster

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/drawbridge-dra/drawbridge/core"
)

// Compare says what differs between what a cluster made of a scenario and
// Drawbridge's answer to Observed.Before; nothing where they agree.
func Compare(s *Scenario, o *Observed, answer *core.AllocateResult) []string {
	c := comparison{scenario: s, observed: o, answer: answer, drawn: map[string]bool{}}
	for i := range o.Pods {
		c.pod(&o.Pods[i])
	}
	c.claims()
	return c.problems
}

// CompareAfter does so for the answer to Observed.After, where bound pods are
// on their nodes and the others still wait, for the same reasons.
func CompareAfter(s *Scenario, o *Observed, answer *core.AllocateResult) []string {
	c := comparison{scenario: s, observed: o, answer: answer, drawn: map[string]bool{}}
	for i := range o.Pods {
		pod := o.Pods[i]
		pod.Forced = pod.State == Bound
		c.pod(&pod)
	}
	return c.problems
}

type comparison struct {
	scenario *Scenario
	observed *Observed
	answer   *core.AllocateResult
	// drawn are pods that went to another node than ours, which is fine.
	drawn    map[string]bool
	problems []string
}

func (c *comparison) report(format string, args ...any) {
	c.problems = append(c.problems, fmt.Sprintf(format, args...))
}

func (c *comparison) pod(pod *ObservedPod) {
	ours := findPod(c.answer, pod.Name)
	if ours == nil {
		// A pod without devices need not be in the answer.
		if c.usesDevices(pod.Name) {
			c.report("pod %s: not in the answer", pod.Name)
		}
		return
	}
	real := fmt.Sprintf("pod %s: the cluster has it %s", pod.Name, pod.State)
	if pod.Node != "" {
		real += " to " + pod.Node
	}
	if pod.Message != "" {
		real += " (" + pod.Message + ")"
	}
	if accepted := outcomes[pod.State]; pod.Forced && ours.Outcome != core.PodAlreadyScheduled ||
		!pod.Forced && !slices.Contains(accepted, ours.Outcome) {
		c.report("%s, ours is %s (%s)", real, ours.Outcome, ours.Message)
		return
	}
	if ours.Node != pod.Node && pod.State == Bound {
		fits := slices.ContainsFunc(ours.Nodes, func(n core.NodeResult) bool { return n.Fits && n.Name == pod.Node })
		if c.drawn[pod.Name] = c.scenario.Draws[pod.Name] && fits; !c.drawn[pod.Name] {
			c.report("%s, ours chooses %s (%s)", real, ours.Node, ours.Message)
		}
	}
	if pod.State == Unschedulable || pod.State == Failed {
		c.problems = append(c.problems, compareReasons(pod, ours, c.observed.Nodes)...)
	}
}

// usesDevices tells whether a pod has claims, or got one for its extended
// resources.
func (c *comparison) usesDevices(pod string) bool {
	for _, claim := range c.observed.Claims {
		if owner := metav1.GetControllerOf(claim); owner != nil && claim.Namespace+"/"+owner.Name == pod {
			return true
		}
	}
	for _, o := range c.scenario.of("Pod") {
		if o.name() == pod {
			spec, _ := o.Written.Object["spec"].(map[string]any)
			claims, _ := spec["resourceClaims"].([]any)
			return len(claims) > 0
		}
	}
	return false
}

// outcomes are ours that mean what the cluster did.
var outcomes = map[State][]core.PodOutcome{
	Bound:         {core.PodScheduled},
	Unschedulable: {core.PodUnschedulable},
	Failed:        {core.PodUnschedulable},
	Gated:         {core.PodUnschedulable},
	// The answer has it placed, with what it waits for as a reason.
	Preparing: {core.PodScheduled},
	// A claim that the API server refuses does not exist there.
	Waiting: {core.PodUnschedulable, core.PodInvalid},
}

func findPod(answer *core.AllocateResult, name string) *core.PodResult {
	for i := range answer.Pods {
		if p := &answer.Pods[i]; p.Namespace+"/"+p.Name == name {
			return p
		}
	}
	return nil
}

// claims compares the allocations of all claims that pods use. Those that no
// pod uses are nothing to a scheduler.
func (c *comparison) claims() {
	seen := map[string]bool{}
	for i := range c.answer.Claims {
		ours := &c.answer.Claims[i]
		theirs := c.counterpart(ours.Claim)
		if theirs == nil {
			if ours.Claim.Status.Allocation != nil && ours.Pod != "" {
				c.report("claim %s/%s: allocated by ours, and the cluster has none", ours.Claim.Namespace, ours.Claim.Name)
			}
			continue
		}
		seen[theirs.Namespace+"/"+theirs.Name] = true
		if c.drawn[ours.Pod] || ours.Pod == "" && ours.Outcome == core.ClaimAllocated {
			continue
		}
		c.claim(ours.Claim, theirs)
	}
	for _, name := range sorted(c.observed.Claims) {
		if theirs := c.observed.Claims[name]; !seen[name] && theirs.Status.Allocation != nil {
			c.report("claim %s: allocated by the cluster, and not in the answer", name)
		}
	}
}

// counterpart is the cluster's claim. One that is generated has another end
// of its name there.
func (c *comparison) counterpart(ours *resourceapi.ResourceClaim) *resourceapi.ResourceClaim {
	if theirs := c.observed.Claims[ours.Namespace+"/"+ours.Name]; theirs != nil {
		return theirs
	}
	for _, name := range sorted(c.observed.Claims) {
		if theirs := c.observed.Claims[name]; generatedFor(theirs) != "" && generatedFor(theirs) == generatedFor(ours) {
			return theirs
		}
	}
	return nil
}

// generatedFor identifies a claim that was made for a pod, and is empty for
// one that a person wrote.
func generatedFor(c *resourceapi.ResourceClaim) string {
	owner := metav1.GetControllerOf(c)
	if owner == nil {
		return ""
	}
	return strings.Join([]string{c.Namespace, owner.Kind, owner.Name, c.GenerateName, c.Annotations[resourceapi.PodResourceClaimAnnotation]}, "/")
}

func (c *comparison) claim(ours, theirs *resourceapi.ResourceClaim) {
	for _, part := range []struct {
		name         string
		ours, theirs any
	}{
		{"spec", ours.Spec, theirs.Spec},
		{"allocation", plain(ours.Status.Allocation), plain(theirs.Status.Allocation)},
		{"reservedFor", consumers(ours), consumers(theirs)},
		{"finalizers", ours.Finalizers, theirs.Finalizers},
		{"labels", ours.Labels, theirs.Labels},
		{"annotations", ours.Annotations, theirs.Annotations},
	} {
		if a, b := inJSON(part.ours), inJSON(part.theirs); a != b {
			c.report("claim %s/%s: %s\n  cluster %s\n  ours    %s", theirs.Namespace, theirs.Name, part.name, b, a)
		}
	}
}

// plain is an allocation without what is random or the time of day.
func plain(a *resourceapi.AllocationResult) *resourceapi.AllocationResult {
	if a == nil {
		return nil
	}
	a = a.DeepCopy()
	a.AllocationTimestamp = nil
	for i := range a.Devices.Results {
		if r := &a.Devices.Results[i]; r.ShareID != nil {
			*r.ShareID = "shared"
		}
	}
	return a
}

func consumers(c *resourceapi.ResourceClaim) []string {
	var out []string
	for _, r := range c.Status.ReservedFor {
		out = append(out, r.APIGroup+"/"+r.Resource+"/"+r.Name)
	}
	slices.Sort(out)
	return out
}

// inJSON makes things comparable: quantities of one value can be written in
// several ways, and empty and absent are the same.
func inJSON(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	if s := string(text); s != "null" && s != "[]" && s != "{}" {
		return s
	}
	return ""
}

func sorted[V any](m map[string]V) []string {
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	slices.SortFunc(names, cmp.Compare[string])
	return names
}
