// Package mutate rewrites pods that could never start as they are written. A
// pod that uses claims and names its node itself passes no scheduler, so
// nothing allocates its claims and the kubelet waits for ever; asking for the
// same node through a node selector or node affinity lets the scheduler do it.
package mutate

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/api/validation"
	labels "k8s.io/apimachinery/pkg/util/validation"
)

// hostnameLabel is the label by which kubelets make their nodes selectable.
const hostnameLabel = "kubernetes.io/hostname"

// Outcome says what became of a pod.
type Outcome string

// The outcomes.
const (
	Unchanged Outcome = "Unchanged"
	Patched   Outcome = "Patched"
)

// Way is how a pod asks for its node instead.
type Way string

// The ways. Selector is the one that people read and write; where it cannot
// say which node is meant, Affinity takes its place, which is always exact.
const (
	Selector Way = "selector"
	Affinity Way = "affinity"
)

// Ways lists the ways.
var Ways = []Way{Selector, Affinity}

// Operation is one step of a JSON patch (RFC 6902).
type Operation struct {
	Op    string
	Path  string
	Value any // nil for remove
}

// Request says how a pod is looked at.
type Request struct {
	// Operation as the API server names it. Only CREATE changes anything:
	// what a pod asks of its node is immutable afterwards.
	Operation string
	// NodeNameTo is the way to ask for the node; empty means Selector.
	NodeNameTo Way
	// NodeLabels gives the labels of a node, and whether the node is known.
	// Nil means that no node is known, now or later; then the hostname label
	// is taken to be the node's name, as kubelets set it unless told otherwise.
	NodeLabels func(node string) (map[string]string, bool)
	// Backed tells whether a DeviceClass stands behind an extended resource
	// by naming it. Nil: only the resources that every class offers are known.
	Backed func(resource string) bool
}

// Result says what to do with the pod.
type Result struct {
	Outcome Outcome
	// Message says what was done, or why nothing was.
	Message  string
	Patch    []Operation
	Warnings []string
}

// Pod decides about one pod. The error means that raw is not a pod.
func Pod(raw []byte, req Request) (Result, error) {
	p, err := read(raw)
	if err != nil {
		return Result{}, err
	}
	for _, r := range reasons {
		if why := r(p, req); why != "" {
			return Result{Outcome: Unchanged, Message: why}, nil
		}
	}
	if s := p.Spec.SchedulerName; s != "" && s != "default-scheduler" {
		return left(fmt.Sprintf("spec.nodeName stays, because the pod names scheduler %q, which may have allocated the claims itself; "+
			"if it has not, remove nodeName and ask for the node through a node selector", shorten(s))), nil
	}
	change, why := rewrite(p, req)
	if why != "" {
		return left(why), nil
	}
	node := p.Spec.NodeName
	out := Result{Outcome: Patched, Message: fmt.Sprintf("spec.nodeName %s was replaced by %s", node, change.what)}
	if len(change.patch) == 0 {
		out.Message = fmt.Sprintf("spec.nodeName %s was removed; %s", node, change.what)
	}
	out.Patch = append([]Operation{{Op: "test", Path: "/spec/nodeName", Value: node}}, change.patch...)
	out.Patch = append(out.Patch, Operation{Op: "remove", Path: "/spec/nodeName"})
	out.Warnings = []string{out.Message + ", so that the scheduler allocates the pod's devices; with nodeName nothing does"}
	return out, nil
}

// left is the result for a pod that somebody must mend who knows what is meant.
func left(why string) Result {
	return Result{Outcome: Unchanged, Message: why, Warnings: []string{why}}
}

// reasons leave a pod alone without a word: it is none of our business, or the
// API server is about to say what is wrong with it.
var reasons = []func(*pod, Request) string{
	when("only pods that are being created can change", func(_ *pod, req Request) bool { return req.Operation != "CREATE" }),
	when("not a pod", func(p *pod, _ Request) bool { return p.Kind != "" && p.Kind != "Pod" }),
	when("spec.nodeName is not set", func(p *pod, _ Request) bool { return p.Spec.NodeName == "" }),
	when("the pod belongs to the kubelet", func(p *pod, _ Request) bool { return p.ofKubelet() }),
	when("the pod uses no claims", func(p *pod, req Request) bool { return !p.usesDevices(req.Backed) }),
	when("spec.nodeName and spec.schedulingGates exclude each other, which the API server says itself",
		func(p *pod, _ Request) bool { return len(p.Spec.SchedulingGates) > 0 }),
	when("spec.nodeName is no name of a node, which the API server says itself",
		func(p *pod, _ Request) bool { return len(validation.NameIsDNSSubdomain(p.Spec.NodeName, false)) > 0 }),
}

func when(why string, is func(*pod, Request) bool) func(*pod, Request) string {
	return func(p *pod, req Request) string {
		if is(p, req) {
			return why
		}
		return ""
	}
}

// change is what asks for the node instead of nodeName.
type change struct {
	patch []Operation // empty where the pod asks for the node already
	what  string
}

// rewrite chooses the way. It says why where the pod contradicts itself.
func rewrite(p *pod, req Request) (change, string) {
	node := p.Spec.NodeName
	hostname, known := hostnameOf(node, req.NodeLabels)
	if selected, has := p.Spec.NodeSelector[hostnameLabel]; has {
		switch {
		case known && selected == hostname:
			return change{what: "the node selector asks for the same node"}, ""
		case known:
			return change{}, fmt.Sprintf("spec.nodeName asks for node %q and spec.nodeSelector for %s %q, so the pod was left as it is; "+
				"keep the selector for the node that is meant, and remove nodeName: a pod that sets it gets no devices allocated",
				node, hostnameLabel, shorten(selected))
		}
	}
	if req.NodeNameTo == Affinity || !known {
		return p.affinity(node)
	}
	c := change{what: fmt.Sprintf("the node selector %s=%s", hostnameLabel, hostname)}
	if p.Spec.NodeSelector == nil {
		c.patch = []Operation{{Op: "add", Path: "/spec/nodeSelector", Value: map[string]string{hostnameLabel: hostname}}}
	} else {
		c.patch = []Operation{{Op: "add", Path: "/spec/nodeSelector/" + escape(hostnameLabel), Value: hostname}}
	}
	return c, ""
}

// hostnameOf is what a selector for the node asks for; false where it is not
// known that this label leads to the node.
func hostnameOf(node string, labelsOf func(string) (map[string]string, bool)) (string, bool) {
	if labelsOf == nil {
		return node, len(labels.IsValidLabelValue(node)) == 0
	}
	all, known := labelsOf(node)
	hostname := all[hostnameLabel]
	return hostname, known && hostname != "" && len(labels.IsValidLabelValue(hostname)) == 0
}

// escape writes a key as a part of a JSON pointer.
func escape(key string) string {
	return strings.NewReplacer("~", "~0", "/", "~1").Replace(key)
}

// shorten keeps messages readable, whatever the pod holds.
func shorten(s string) string {
	const most = 80
	runes := []rune(s)
	if len(runes) <= most {
		return s
	}
	return string(runes[:most]) + "…"
}
