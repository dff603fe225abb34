package schedule

import (
	"fmt"
	"slices"
	"strings"

	"github.com/drawbridge-dra/drawbridge/core/allocate"
	"github.com/drawbridge-dra/drawbridge/core/fit"
)

// trial collects what came of trying nodes.
type trial struct {
	nodes []Node
	// podWide is the first error that ends the whole attempt.
	podWide   *Reason
	where     string
	undecided bool
	// enough is set while it does not matter which devices a node would give.
	enough bool
	// unavailable are the allocated claims that alone stand in the way of some
	// node.
	unavailable map[*Claim]bool
}

// withheld notes why a node that fits otherwise cannot be had.
func (t *trial) withheld(reasons []Reason) {
	if t.unavailable == nil {
		t.unavailable = map[*Claim]bool{}
	}
	for i := range reasons {
		t.unavailable[reasons[i].Claim] = true
	}
}

// fits notes a node that fits, and what is worth to know about it.
func (t *trial) fits(node *fit.Node, notes []Reason) {
	t.nodes = append(t.nodes, Node{Name: node.Name, Fits: true, Reasons: notes})
}

// fail notes a node for which a search found nothing.
func (t *trial) fail(node *fit.Node, failure *allocate.Failure, reasons []Reason) {
	t.undecided = t.undecided || failure.Kind == allocate.Undecided
	t.refuse(node, reasons...)
}

// refuse notes a node that does not fit.
func (t *trial) refuse(node *fit.Node, reasons ...Reason) {
	if len(reasons) > 0 && reasons[0].PodWide && t.podWide == nil {
		t.podWide, t.where = &reasons[0], node.Name
	}
	t.nodes = append(t.nodes, Node{Name: node.Name, Reasons: reasons})
}

// finish applies an error that ends the attempt to the nodes that would fit.
func (t *trial) finish() []Node {
	if t.podWide == nil {
		return t.nodes
	}
	for i := range t.nodes {
		if t.nodes[i].Fits {
			t.nodes[i].Fits = false
			t.nodes[i].Reasons = []Reason{{Code: GivenUp, Claim: t.podWide.Claim, Request: t.podWide.Request, Field: t.podWide.Field, InPod: t.podWide.InPod, At: t.podWide.At, PodWide: true,
				Message: fmt.Sprintf("would fit, but Kubernetes gives up on all nodes because of the error on %s", t.where)}}
		}
	}
	return t.nodes
}

// group are nodes that fail alike.
type group struct {
	// reason is that of the first; differ is set if others word it otherwise,
	// with numbers and devices of their own.
	reason Reason
	differ bool
	nodes  []string
}

// where says which of all nodes the reason is about; nothing needs to be said
// of all of them together.
func (g *group) where(groups, nodes int) string {
	switch {
	case groups == 1 && g.differ:
		return fmt.Sprintf("for example on %s: ", g.nodes[0])
	case groups == 1:
		return ""
	case len(g.nodes) == 1 && g.nodes[0] != "":
		return "on " + g.nodes[0] + ": "
	case g.differ:
		return fmt.Sprintf("on %d of %d nodes, for example %s: ", len(g.nodes), nodes, g.nodes[0])
	}
	return fmt.Sprintf("on %d of %d nodes: ", len(g.nodes), nodes)
}

// summary says in one or two sentences why something fits nowhere. Nodes that
// fail alike are counted together.
func summary(name string, nodes []Node) string {
	if len(nodes) > 0 && !slices.ContainsFunc(nodes, func(n Node) bool { return len(n.Reasons) == 0 || n.Reasons[0].Code != allocate.NoSlices }) {
		return fmt.Sprintf("%s does not fit: no ResourceSlice is known, so there is no device that could be evaluated.", name)
	}
	var groups []*group
	byKey := map[string]*group{}
	for _, n := range nodes {
		if n.Fits || len(n.Reasons) == 0 {
			continue
		}
		r := n.Reasons[0]
		key := string(r.Code) + " " + r.Request
		g, ok := byKey[key]
		if !ok {
			g = &group{reason: r}
			byKey[key] = g
			groups = append(groups, g)
		}
		g.nodes = append(g.nodes, n.Name)
		g.differ = g.differ || g.reason.Message != r.Message
	}
	const most = 3
	var parts []string
	for i, g := range groups {
		if i == most {
			parts = append(parts, fmt.Sprintf("and %d more reasons", len(groups)-most))
			break
		}
		parts = append(parts, g.where(len(groups), len(nodes))+g.reason.Message)
	}
	return fmt.Sprintf("%s does not fit on %s: %s.", name, nodeCount(nodes), strings.Join(parts, "; "))
}

func nodeCount(nodes []Node) string {
	if len(nodes) != 1 {
		return fmt.Sprintf("any of %d nodes", len(nodes))
	}
	if nodes[0].Name == "" {
		return "the assumed node"
	}
	return "node " + nodes[0].Name
}

// devicesOf says what an allocated claim got.
func devicesOf(c *Claim) string {
	results := c.Claim.Status.Allocation.Devices.Results
	names := make([]string, 0, len(results))
	for i := range results {
		names = append(names, results[i].Device)
	}
	const most = 8
	more := ""
	if len(names) > most {
		names, more = names[:most], fmt.Sprintf(" and %d more", len(names)-most)
	}
	got := strings.Join(names, ", ") + more
	if got == "" {
		got = "no device, because it asks for none"
	}
	text := fmt.Sprintf("%s gets %s", c.Name(), got)
	if c.Node != "" {
		text += " on " + c.Node
	}
	for _, n := range c.Notes {
		text += "; " + n.Message
	}
	return text + "."
}
