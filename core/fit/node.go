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

	field    string // where the node says what it has
	rooms    []room
	pods     int64
	ports    map[number]map[string]bool // the addresses on which a port is taken
	declared nodedeclaredfeatures.FeatureSet
}

// room is what the node has of a resource, and what pods take of it. Rooms
// are sorted by name, as amounts are: looking for shortages is what is done
// most often of all.
type room struct {
	Amount
	used int64
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
		declared: nodedeclaredfeatures.DefaultFramework.TryMap(node.Status.DeclaredFeatures),
	}
	for _, a := range amounts(list) {
		n.rooms = append(n.rooms, room{Amount: a})
	}
	return n
}

// room finds the one of a resource, nil if the node does not list it.
func (n *Node) room(name corev1.ResourceName) *room {
	for i := range n.rooms {
		if n.rooms[i].Name == name {
			return &n.rooms[i]
		}
	}
	return nil
}

// Allocatable is how much of a resource the node has for pods; false if it
// does not list the resource.
func (n *Node) Allocatable(name corev1.ResourceName) (int64, bool) {
	if r := n.room(name); r != nil {
		return r.Value, true
	}
	return 0, false
}

// Open tells whether the node does not say how much it has of a resource that
// every kubelet reports, so that nothing can be missing.
func (n *Node) Open(name corev1.ResourceName) bool {
	return n.room(name) == nil && (n.Silent || slices.Contains(ordinary, name))
}

// Add puts a pod onto the node.
func (n *Node) Add(p *Pod) {
	for _, a := range p.Used() {
		if r := n.room(a.Name); r != nil {
			r.used += a.Value
		}
	}
	n.pods++
	for _, one := range p.ports {
		if n.ports == nil {
			n.ports = map[number]map[string]bool{}
		}
		if n.ports[one.number] == nil {
			n.ports[one.number] = map[string]bool{}
		}
		n.ports[one.number][one.ip] = true
	}
}

// taken tells whether a port is taken.
func (n *Node) taken(p port) bool {
	on := n.ports[p.number]
	return on[p.ip] || on[anyIP] || p.ip == anyIP && len(on) > 0
}
