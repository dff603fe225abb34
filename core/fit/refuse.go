package fit

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/component-helpers/nodedeclaredfeatures"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"
	"k8s.io/klog/v2"

	"github.com/drawbridge-dra/drawbridge/core/allocate"
)

// The codes of what a node can have against a pod.
const (
	NodeUnschedulable   allocate.Code = "node-unschedulable"
	NodeTaint           allocate.Code = "node-taint"
	NodeAffinity        allocate.Code = "node-affinity"
	HostPort            allocate.Code = "host-port"
	TooManyPods         allocate.Code = "too-many-pods"
	InsufficientCPU     allocate.Code = "insufficient-cpu"
	InsufficientMemory  allocate.Code = "insufficient-memory"
	InsufficientStorage allocate.Code = "insufficient-ephemeral-storage"
	Insufficient        allocate.Code = "insufficient-resource"
	NodeFeatures        allocate.Code = "node-features"
)

// Codes documents the codes, in the order in which the scheduler checks.
func Codes() []allocate.CodeDoc {
	return []allocate.CodeDoc{
		{Code: NodeUnschedulable, Scope: "pod", Doc: "the node is marked unschedulable"},
		{Code: NodeTaint, Scope: "pod", Doc: "the node has a taint that the pod does not tolerate"},
		{Code: NodeAffinity, Scope: "pod", Doc: "the pod's node selector or affinity does not match the node"},
		{Code: HostPort, Scope: "pod", Doc: "another pod on the node has the host port"},
		{Code: TooManyPods, Scope: "pod", Doc: "the node runs as many pods as it may"},
		{Code: InsufficientCPU, Scope: "pod", Doc: "too little cpu is left on the node"},
		{Code: InsufficientMemory, Scope: "pod", Doc: "too little memory is left on the node"},
		{Code: InsufficientStorage, Scope: "pod", Doc: "too little ephemeral storage is left on the node"},
		{Code: Insufficient, Scope: "pod", Doc: "too little is left on the node of huge pages or of an extended resource, or the node has none"},
		{Code: NodeFeatures, Scope: "pod", Doc: "the node does not declare a feature that the pod needs"},
	}
}

// Refusal is something that a node has against a pod. Field is a path in the
// pod, OnNode one in the node; either is empty where no place there is to
// blame.
type Refusal struct {
	Code          allocate.Code
	Field, OnNode string
	Message       string
	// Left is how much there is of a resource of which there is too little.
	Left *resource.Quantity
}

// Refuse tells what the node has against the pod; nil if nothing. Resources
// for which byDevices is true are given out as devices, not by the node.
func (n *Node) Refuse(p *Pod, byDevices func(corev1.ResourceName) bool) []Refusal {
	if r := n.unschedulable(p); r != nil {
		return []Refusal{*r}
	}
	if r := n.taint(p); r != nil {
		return []Refusal{*r}
	}
	if ok, err := p.affinity.Match(n.Node); err != nil || !ok {
		return []Refusal{{Code: NodeAffinity, Field: affinityField(p.Pod), Message: "the pod's node selector or affinity does not match node " + n.Name}}
	}
	for _, mine := range p.ports {
		if n.taken(mine) {
			return []Refusal{{Code: HostPort, Message: fmt.Sprintf("port %d/%s of node %s is taken by another pod; use another hostPort, or none", mine.number.number, mine.protocol, n.Name)}}
		}
	}
	return n.Short(p, byDevices)
}

// cordoned is the taint for which a cordoned node is tolerated.
var cordoned = &corev1.Taint{Key: corev1.TaintNodeUnschedulable, Effect: corev1.TaintEffectNoSchedule}

func (n *Node) unschedulable(p *Pod) *Refusal {
	if !n.Spec.Unschedulable || corev1helpers.TolerationsTolerateTaint(klog.Logger{}, p.Spec.Tolerations, cordoned, false) {
		return nil
	}
	return &Refusal{Code: NodeUnschedulable, OnNode: "spec.unschedulable", Message: fmt.Sprintf("node %s is marked unschedulable; uncordon it, or let the pod tolerate %s", n.Name, cordoned.Key)}
}

func (n *Node) taint(p *Pod) *Refusal {
	if len(n.Spec.Taints) == 0 {
		return nil
	}
	taint, found := corev1helpers.FindMatchingUntoleratedTaint(klog.Logger{}, n.Spec.Taints, p.Spec.Tolerations, func(t *corev1.Taint) bool {
		return t.Effect == corev1.TaintEffectNoSchedule || t.Effect == corev1.TaintEffectNoExecute
	}, false)
	if !found {
		return nil
	}
	return &Refusal{Code: NodeTaint, OnNode: fmt.Sprintf("spec.taints[%d]", slices.Index(n.Spec.Taints, taint)), Message: fmt.Sprintf("node %s has taint %s, which the pod does not tolerate", n.Name, taint.ToString())}
}

// affinityField is the path in a pod that says on which nodes it may run,
// empty where two together do.
func affinityField(pod *corev1.Pod) string {
	switch affinity := pod.Spec.Affinity != nil && pod.Spec.Affinity.NodeAffinity != nil; {
	case affinity && len(pod.Spec.NodeSelector) > 0:
		return ""
	case affinity:
		return "spec.affinity.nodeAffinity"
	}
	return "spec.nodeSelector"
}

// Short lists what the node has too little of for the pod.
func (n *Node) Short(p *Pod, byDevices func(corev1.ResourceName) bool) []Refusal {
	var out []Refusal
	if limit, listed := n.Allocatable(corev1.ResourcePods); listed && n.pods >= limit {
		out = append(out, Refusal{Code: TooManyPods, OnNode: n.field + "[pods]", Message: fmt.Sprintf("node %s runs %d of %d pods; let one end, or use another node", n.Name, n.pods, limit)})
	}
	at := 0
	for i := range p.Requests {
		want := &p.Requests[i]
		for at < len(n.rooms) && n.rooms[at].Name < want.Name {
			at++
		}
		if want.Value <= 0 || want.Name == corev1.ResourcePods {
			continue
		}
		if at < len(n.rooms) && n.rooms[at].Name == want.Name {
			if r := &n.rooms[at]; want.Value > r.Value-r.used && !byDevices(want.Name) {
				out = append(out, n.tooLittle(p, want, r))
			}
		} else if !n.Open(want.Name) && !byDevices(want.Name) {
			out = append(out, n.tooLittle(p, want, nil))
		}
	}
	return out
}

var insufficient = map[corev1.ResourceName]allocate.Code{
	corev1.ResourceCPU: InsufficientCPU, corev1.ResourceMemory: InsufficientMemory, corev1.ResourceEphemeralStorage: InsufficientStorage,
}

func (n *Node) tooLittle(p *Pod, want *Amount, has *room) Refusal {
	code, known := insufficient[want.Name]
	if !known {
		code = Insufficient
	}
	needs := fmt.Sprintf("the pod needs %s %s, and node %s ", text(want.Written), want.Name, n.Name)
	r := Refusal{Code: code, Field: requestField(p.Pod, want.Name)}
	if has == nil {
		r.Message = needs + "offers none; use a node that does, or do without"
		return r
	}
	r.OnNode = fmt.Sprintf("%s[%s]", n.field, want.Name)
	if want.Value > has.Value {
		all := quantity(want.Name, max(has.Value-has.used, 0), has.Written.Format)
		r.Left = all
		r.Message = needs + fmt.Sprintf("has %s in all; request less, or use a larger node", text(has.Written))
		return r
	}
	left := quantity(want.Name, max(has.Value-has.used, 0), has.Written.Format)
	r.Left = left
	r.Message = needs + fmt.Sprintf("has %s of %s left; request less, or end a pod there", left, text(has.Written))
	return r
}

func text(q resource.Quantity) string { return q.String() }

// requestField is the path of the one container that requests the resource,
// empty if there are several.
func requestField(pod *corev1.Pod, name corev1.ResourceName) string {
	var found []string
	look := func(at string, containers []corev1.Container) {
		for i := range containers {
			if _, ok := containers[i].Resources.Requests[name]; ok {
				found = append(found, fmt.Sprintf("spec.%s[%d].resources", at, i))
			}
		}
	}
	look("initContainers", pod.Spec.InitContainers)
	look("containers", pod.Spec.Containers)
	if len(found) != 1 {
		return ""
	}
	return found[0]
}

// Lacks tells which of the features that the pod needs the node does not
// declare. The scheduler asks last.
func (n *Node) Lacks(p *Pod) *Refusal {
	if !p.needs || n.Silent {
		return nil
	}
	match, err := nodedeclaredfeatures.DefaultFramework.MatchNodeFeatureSet(p.features, n.declared)
	if err != nil || match.IsMatch {
		return nil
	}
	return &Refusal{Code: NodeFeatures, Message: fmt.Sprintf("the pod needs %s, which node %s does not declare; use a node whose kubelet has it",
		strings.Join(match.UnsatisfiedRequirements, ", "), n.Name)}
}
