package fit

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/component-helpers/nodedeclaredfeatures"
)

// Node is a node with what pods take of it.
type Node struct {
	*corev1.Node
	// Silent is set if the node does not say what it has: then everything is
	// there without end.
	Silent bool

	field       string // where the node says what it has
	allocatable map[corev1.ResourceName]Amount
	used        map[corev1.ResourceName]int64
	pods        int64
	ports       []port
	declared    nodedeclaredfeatures.FeatureSet
}

// NewNode is a node without pods.
func NewNode(node *corev1.Node) *Node {
	list, field := node.Status.Allocatable, "status.allocatable"
	if len(list) == 0 {
		// The API server fills one in from the other.
		list, field = node.Status.Capacity, "status.capacity"
	}
	n := &Node{
		Node: node, Silent: len(list) == 0, field: field,
		allocatable: map[corev1.ResourceName]Amount{}, used: map[corev1.ResourceName]int64{},
		declared: nodedeclaredfeatures.DefaultFramework.TryMap(node.Status.DeclaredFeatures),
	}
	for _, a := range amounts(list) {
		n.allocatable[a.Name] = a
	}
	return n
}

// Allocatable is how much of a resource the node has for pods; false if it
// does not list the resource.
func (n *Node) Allocatable(name corev1.ResourceName) (int64, bool) {
	a, ok := n.allocatable[name]
	return a.Value, ok
}

// Open tells whether the node does not say how much it has of a resource that
// every kubelet reports, so that nothing can be missing.
func (n *Node) Open(name corev1.ResourceName) bool {
	_, listed := n.allocatable[name]
	return !listed && (n.Silent || slices.Contains(ordinary, name))
}

// Add puts a pod onto the node.
func (n *Node) Add(p *Pod) {
	for _, a := range p.used() {
		n.used[a.Name] += a.Value
	}
	n.pods++
	n.ports = append(n.ports, p.ports...)
}
