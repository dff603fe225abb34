// Package negotiation compares what core.Negotiate plays with what the code of
// Kubernetes 1.31 does: its scheduler's plugins, its library for controllers of
// drivers, and its controller of claims.
package negotiation

import (
	"encoding/json"
	"flag"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/drawbridge-dra/drawbridge/core"
	"github.com/drawbridge-dra/drawbridge/core/diag"
)

var (
	recordFlag = flag.Bool("record", false, "build Kubernetes 1.31 and write into testdata/ what it does")
	liveFlag   = flag.Int("live", 0, "build Kubernetes 1.31 and compare with it on so many cases, rather than with what is recorded")
	seedFlag   = flag.Uint64("seed", 1, "which cases -live takes")
)

// history is one play of a case.
type history struct {
	Writes []write `json:"writes"`
	Ends   []end   `json:"ends"`
}

// write is one change of one object.
type write struct {
	Pod    string `json:"pod"`
	Actor  string `json:"actor"`
	Object string `json:"object"`
	Part   string `json:"part,omitempty"`
	// After is what counts of the object then; nil where it is gone, or where
	// Drawbridge does not know all of it.
	After *state `json:"after,omitempty"`
}

type state struct {
	Selected     string              `json:"selected,omitempty"`
	Potential    []string            `json:"potential,omitempty"`
	Unsuitable   map[string][]string `json:"unsuitable,omitempty"`
	Allocated    bool                `json:"allocated,omitempty"`
	Controller   string              `json:"controller,omitempty"`
	Nodes        any                 `json:"nodes,omitempty"`
	Reserved     []string            `json:"reserved,omitempty"`
	Finalizers   []string            `json:"finalizers,omitempty"`
	Deallocation bool                `json:"deallocation,omitempty"`
	Node         string              `json:"node,omitempty"`
	Claims       map[string]string   `json:"claims,omitempty"`
}

type end struct {
	Pod     string `json:"pod"`
	Outcome string `json:"outcome"`
	Node    string `json:"node,omitempty"`
	Reason  string `json:"reason,omitempty"`
}

func (e end) String() string {
	return strings.TrimSpace(fmt.Sprintf("%s: %s %s %s", e.Pod, e.Outcome, e.Node, e.Reason))
}

// verdict is what Kubernetes makes of a case: every history that differs, since
// it draws lots, and every end of plays in which the actors come in any order.
type verdict struct {
	Case      string    `json:"case,omitempty"`
	Histories []history `json:"histories"`
	Ends      [][]end   `json:"ends"`
}

// TestNegotiation holds each play to one of those that the code of Kubernetes
// 1.31 gave for the same text: the writes in their order, with what counts of
// the object after each, and how it ends.
func TestNegotiation(t *testing.T) {
	var list []negotiationCase
	var answers []verdict
	switch {
	case *liveFlag > 0:
		list = cases(t, *seedFlag, *liveFlag)
		answers = ask(t, list)
	default:
		list = cases(t, recordedSeed, recordedMany)
		if *recordFlag {
			keep(t, list, ask(t, list))
		}
		answers = recorded(t, list)
	}
	outcomes, undecided, failed := map[string]int{}, 0, 0
	for i, c := range list {
		difference, got := compare(t, c, answers[i])
		for _, e := range got.Ends {
			outcomes[e.Outcome]++
		}
		if len(answers[i].Ends) > 1 {
			undecided++
		}
		if difference == "" {
			continue
		}
		t.Errorf("%s (gates %s, fresh %v): %s\n%s", c.name, c.Gates, c.Fresh, difference, c.Text)
		if failed++; failed == 8 {
			t.Fatal("…")
		}
	}
	t.Logf("%d texts, pods %v; the order in which all act decides the end of %d", len(list), outcomes, undecided)
	if outcomes["Scheduled"] < len(list)/4 || outcomes["Stuck"] < len(list)/5 || outcomes["AlreadyScheduled"] == 0 {
		t.Errorf("the cases are too much alike: %v", outcomes)
	}
}

// compare says where the play of a case differs from all of Kubernetes'.
func compare(t *testing.T, c negotiationCase, want verdict) (string, history) {
	t.Helper()
	got, problem := ours(t, c)
	if problem != "" {
		return problem, got
	}
	var nearest string
	for i, h := range want.Histories {
		difference := got.differs(h)
		if difference == "" {
			nearest = ""
			break
		}
		if i == 0 {
			nearest = difference
		}
	}
	if nearest != "" {
		return fmt.Sprintf("none of the %d plays of Kubernetes is like this one; the first: %s", len(want.Histories), nearest), got
	}
	return "", got
}

// differs says where two plays differ; empty where they do not.
func (h history) differs(theirs history) string {
	for i := range max(len(h.Writes), len(theirs.Writes)) {
		var a, b string
		if i < len(h.Writes) {
			a = shown(h.Writes[i])
		}
		if i < len(theirs.Writes) {
			b = shown(theirs.Writes[i])
			if i < len(h.Writes) && vague(h.Writes[i], theirs.Writes[i]) {
				w := theirs.Writes[i]
				w.After = nil
				b = shown(w)
			}
		}
		if a != b {
			return fmt.Sprintf("write %d\nDrawbridge: %s\nKubernetes: %s\nends: %v, %v", i+1, a, b, h.Ends, theirs.Ends)
		}
	}
	if len(h.Ends) != len(theirs.Ends) {
		return fmt.Sprintf("pods\nDrawbridge: %v\nKubernetes: %v", h.Ends, theirs.Ends)
	}
	for i, e := range h.Ends {
		o := theirs.Ends[i]
		if e.Pod != o.Pod || e.Outcome != o.Outcome || e.Node != o.Node || o.Outcome == "Stuck" && !sameReason(e.Reason, o.Reason) {
			return fmt.Sprintf("the end\nDrawbridge: %s\nKubernetes: %s", e, o)
		}
	}
	return ""
}

// vague tells whether Drawbridge leaves out a claim with devices that it does
// not choose here.
func vague(ours, theirs write) bool {
	return ours.After == nil && theirs.After != nil && theirs.After.Allocated && theirs.After.Controller == ""
}

func shown(w write) string {
	text, err := json.Marshal(w)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// reasons pairs what Kubernetes says of a pod that waits with what Drawbridge
// says, by parts of the sentences.
var reasons = []struct{ theirs, ours string }{
	{"is being deleted", "is being deleted"},
	{"not created yet", "has been made"},
	{"not created yet", "ResourceClaimTemplate"},
	{"could not find", "does not exist; create it"},
	{"was not created for pod", "was not made for pod"},
	{"must be reallocated", "is to be allocated anew"},
	{"device class", "DeviceClass"},
	{"is not owned by Pod", "belongs to another pod"},
	{"depends on disabled", "DRAControlPlaneController is off"},
	{"scheduling gates", "scheduling gate"},
	{"no nodes available", "there is no Node"},
	{"no node fits", "none of "},
	{"waiting for resource driver to provide information", "the controllers have not said"},
	{"waiting for resource driver to provide information", "never selects a node"},
	{"Too long", "refuses one more"},
	{"Duplicate value", "reserves it twice"},
	{"allocated elsewhere", "reserves it twice"},
}

func sameReason(ours, theirs string) bool {
	if theirs == "" {
		return ours != ""
	}
	return slices.ContainsFunc(reasons, func(r struct{ theirs, ours string }) bool {
		return strings.Contains(theirs, r.theirs) && strings.Contains(ours, r.ours)
	})
}

// ours is what Drawbridge plays.
func ours(t *testing.T, c negotiationCase) (history, string) {
	t.Helper()
	h := history{}
	result, err := core.Negotiate(t.Context(), []byte(c.Text), core.NegotiateOptions{Options: core.Options{KubernetesVersion: "1.31", FeatureGates: c.Gates}, Fresh: c.Fresh})
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range result.Diagnostics {
		if d.Severity == diag.Error && d.Source == diag.API {
			return h, fmt.Sprintf("the case is no good: %s %s", d.Field, d.Message)
		}
	}
	for _, p := range result.Pods {
		pod := p.Namespace + "/" + p.Name
		for _, s := range p.Steps {
			if s.Writes == "" {
				continue
			}
			w := write{Pod: pod, Actor: s.Actor}
			w.Object, w.Part, _ = strings.Cut(s.Writes, ", ")
			if s.Object != "" {
				w.After = stateOf(t, s.Object)
			}
			h.Writes = append(h.Writes, w)
		}
		h.Ends = append(h.Ends, end{pod, string(p.Outcome), p.Node, p.Reason})
	}
	return h, ""
}

// stored is what is read of an object.
type stored struct {
	Kind     string
	Metadata struct{ Finalizers []string }
	Spec     struct {
		SelectedNode, NodeName string
		PotentialNodes         []string
	}
	Status struct {
		ResourceClaims []struct {
			Name            string
			UnsuitableNodes []string
		}
		ResourceClaimStatuses []struct {
			Name              string
			ResourceClaimName *string
		}
		Allocation *struct {
			Controller   string
			NodeSelector any
		}
		ReservedFor           []struct{ UID string }
		DeallocationRequested bool
	}
}

func stateOf(t *testing.T, text string) *state {
	t.Helper()
	var o stored
	if err := yaml.Unmarshal([]byte(text), &o); err != nil {
		t.Fatal(err)
	}
	s := &state{
		Selected: o.Spec.SelectedNode, Node: o.Spec.NodeName, Potential: slices.Sorted(slices.Values(o.Spec.PotentialNodes)),
		Deallocation: o.Status.DeallocationRequested,
	}
	if o.Kind == "ResourceClaim" {
		s.Finalizers = o.Metadata.Finalizers
	}
	for _, r := range o.Status.ReservedFor {
		s.Reserved = append(s.Reserved, r.UID)
	}
	if a := o.Status.Allocation; a != nil {
		s.Allocated, s.Controller, s.Nodes = true, a.Controller, a.NodeSelector
	}
	for _, r := range o.Status.ResourceClaims {
		if s.Unsuitable == nil {
			s.Unsuitable = map[string][]string{}
		}
		s.Unsuitable[r.Name] = append([]string{}, r.UnsuitableNodes...)
	}
	for _, r := range o.Status.ResourceClaimStatuses {
		if r.ResourceClaimName == nil {
			continue
		}
		if s.Claims == nil {
			s.Claims = map[string]string{}
		}
		s.Claims[r.Name] = *r.ResourceClaimName
	}
	return s
}

// TestVerdictsCanFail holds that a play that differs in any way is noticed.
func TestVerdictsCanFail(t *testing.T) {
	list := cases(t, recordedSeed, 0)
	answers := recorded(t, list)
	var c negotiationCase
	var want verdict
	for i := range list {
		if list[i].name == "two-drivers.yaml" {
			c, want = list[i], answers[i]
		}
	}
	got, problem := ours(t, c)
	if problem != "" || len(want.Histories) == 0 || got.differs(want.Histories[0]) != "" {
		t.Fatal("there is nothing to start from")
	}
	theirs := want.Histories[0]
	for name, change := range map[string]func(h *history){
		"a write less":    func(h *history) { h.Writes = h.Writes[1:] },
		"another order":   func(h *history) { h.Writes[1], h.Writes[2] = h.Writes[2], h.Writes[1] },
		"another node":    func(h *history) { h.Writes[3].After = &state{Selected: "n1", Potential: h.Writes[3].After.Potential} },
		"another end":     func(h *history) { h.Ends[0].Outcome = "Stuck" },
		"one pod is left": func(h *history) { h.Ends = nil },
	} {
		changed := history{slices.Clone(theirs.Writes), slices.Clone(theirs.Ends)}
		change(&changed)
		if reflect.DeepEqual(changed, theirs) || got.differs(changed) == "" {
			t.Errorf("%s goes unnoticed", name)
		}
	}
}
