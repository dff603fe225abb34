// Package mutate rewrites pods that could never start as they are written. A
// pod that uses claims and names its node itself passes no scheduler, so
// nothing allocates its claims and the kubelet waits for ever; asking for the
// same node through a node selector lets the scheduler do it.
package mutate

import (
	"errors"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/validation"
	kjson "sigs.k8s.io/json"
)

// hostnameLabel is the label by which kubelets make their nodes selectable.
const hostnameLabel = "kubernetes.io/hostname"

// classResource prefixes the extended resources that every DeviceClass offers.
// Those that a class names itself cannot be told from a device plugin's.
const classResource = "deviceclass.resource.kubernetes.io/"

// Outcome says what became of a pod.
type Outcome string

// The outcomes.
const (
	Unchanged Outcome = "Unchanged"
	Patched   Outcome = "Patched"
	Refused   Outcome = "Refused"
)

// Operation is one step of a JSON patch (RFC 6902).
type Operation struct {
	Op    string
	Path  string
	Value any // nil for remove
}

// Request says how a pod is looked at.
type Request struct {
	// Operation as the API server names it. Only CREATE changes anything:
	// both fields are immutable afterwards.
	Operation string
	// Hostname gives the hostname label of a node; nil takes the node's
	// name, which is what kubelets set unless a cloud provider differs.
	Hostname func(node string) string
}

// Result says what to do with the pod.
type Result struct {
	Outcome  Outcome
	Message  string
	Patch    []Operation
	Warnings []string
}

// pod is the little of a pod that decides. The patch is made of paths only,
// so whatever else the pod holds, known to us or not, stays as it is.
type pod struct {
	Kind     string `json:"kind"`
	Metadata struct {
		Annotations     map[string]string `json:"annotations"`
		OwnerReferences []struct {
			Kind string `json:"kind"`
		} `json:"ownerReferences"`
	} `json:"metadata"`
	Spec struct {
		NodeName       string            `json:"nodeName"`
		NodeSelector   map[string]string `json:"nodeSelector"`
		SchedulerName  string            `json:"schedulerName"`
		ResourceClaims []any             `json:"resourceClaims"`
		Containers     []container       `json:"containers"`
		InitContainers []container       `json:"initContainers"`
	} `json:"spec"`
}

type container struct {
	Resources struct {
		Requests map[string]any `json:"requests"`
		Limits   map[string]any `json:"limits"`
	} `json:"resources"`
}

// errNoPod leaves the decoder's own words out: they name Go types.
var errNoPod = errors.New("the object cannot be read as a pod")

// Pod decides about one pod. The error means that raw is not a pod.
func Pod(raw []byte, req Request) (Result, error) {
	var p pod
	// As the API server reads it: names are case-sensitive.
	if err := kjson.UnmarshalCaseSensitivePreserveInts(raw, &p); err != nil {
		return Result{}, errNoPod
	}
	if why := leaveAlone(&p, req.Operation); why != "" {
		return Result{Outcome: Unchanged, Message: why}, nil
	}
	node := p.Spec.NodeName
	hostname := node
	if req.Hostname != nil {
		hostname = req.Hostname(node)
	}
	if len(validation.IsValidLabelValue(hostname)) > 0 {
		return Result{Outcome: Refused, Message: fmt.Sprintf(
			"spec.nodeName %q leaves the pod's claims unallocated, and a node selector cannot ask for that name, because it is not a label value; "+
				"remove nodeName and use a required node affinity with matchFields metadata.name", shorten(node))}, nil
	}
	selected, has := p.Spec.NodeSelector[hostnameLabel]
	if has && selected != hostname {
		return Result{Outcome: Refused, Message: fmt.Sprintf(
			"spec.nodeName asks for node %q and spec.nodeSelector for %s %q; keep the selector for the node that is meant, and remove nodeName: "+
				"a pod that sets it gets no devices allocated", node, hostnameLabel, shorten(selected))}, nil
	}

	out := Result{Outcome: Patched, Patch: []Operation{{Op: "test", Path: "/spec/nodeName", Value: node}}}
	switch {
	case has:
		out.Message = fmt.Sprintf("spec.nodeName %s was removed; the node selector asks for the same node", node)
	case p.Spec.NodeSelector == nil:
		out.Patch = append(out.Patch, Operation{Op: "add", Path: "/spec/nodeSelector", Value: map[string]string{hostnameLabel: hostname}})
	default:
		out.Patch = append(out.Patch, Operation{Op: "add", Path: "/spec/nodeSelector/" + escape(hostnameLabel), Value: hostname})
	}
	if !has {
		out.Message = fmt.Sprintf("spec.nodeName %s was replaced by the node selector %s=%s", node, hostnameLabel, hostname)
	}
	out.Patch = append(out.Patch, Operation{Op: "remove", Path: "/spec/nodeName"})
	out.Warnings = append(out.Warnings, out.Message+", so that the scheduler allocates the pod's claims; with nodeName nothing does")
	if s := p.Spec.SchedulerName; s != "" && s != "default-scheduler" {
		out.Warnings = append(out.Warnings, fmt.Sprintf("the pod is now scheduled by %q, which must support dynamic resource allocation", shorten(s)))
	}
	return out, nil
}

// leaveAlone says why a pod is none of our business; empty if it is.
func leaveAlone(p *pod, operation string) string {
	_, mirror := p.Metadata.Annotations["kubernetes.io/config.mirror"]
	source, hasSource := p.Metadata.Annotations["kubernetes.io/config.source"]
	ofNode := false
	for _, owner := range p.Metadata.OwnerReferences {
		ofNode = ofNode || owner.Kind == "Node"
	}
	switch {
	case operation != "CREATE":
		return "only pods that are being created can change"
	case p.Kind != "" && p.Kind != "Pod":
		return "not a pod"
	case p.Spec.NodeName == "":
		return "spec.nodeName is not set"
	case mirror, hasSource && source != "api", ofNode:
		return "the pod belongs to the kubelet"
	case !usesClaims(p):
		return "the pod uses no claims"
	}
	return ""
}

// usesClaims tells whether anything must be allocated for the pod.
func usesClaims(p *pod) bool {
	if len(p.Spec.ResourceClaims) > 0 {
		return true
	}
	for _, list := range [][]container{p.Spec.InitContainers, p.Spec.Containers} {
		for _, c := range list {
			if asksForClass(c.Resources.Requests) || asksForClass(c.Resources.Limits) {
				return true
			}
		}
	}
	return false
}

func asksForClass(resources map[string]any) bool {
	for name, quantity := range resources {
		if !strings.HasPrefix(name, classResource) {
			continue
		}
		q, err := resource.ParseQuantity(fmt.Sprint(quantity))
		if err != nil || !q.IsZero() { // the API server refuses what cannot be parsed
			return true
		}
	}
	return false
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
