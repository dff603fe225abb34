package mutate

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
)

const (
	nodeNameField = "metadata.name"
	required      = "requiredDuringSchedulingIgnoredDuringExecution"
)

// affinity asks for the node by its name. The terms of a node affinity are
// alternatives, so each of them must ask for the node; one that is empty
// matches no node, and must go on doing so.
func (p *pod) affinity(node string) (change, string) {
	byName := corev1.NodeSelectorRequirement{Key: nodeNameField, Operator: corev1.NodeSelectorOpIn, Values: []string{node}}
	requirements := []corev1.NodeSelectorRequirement{byName}
	only := map[string]any{"nodeSelectorTerms": []any{map[string]any{"matchFields": requirements}}}
	add := func(path string, value any) (change, string) {
		return change{
			patch: []Operation{{Op: "add", Path: path, Value: value}},
			what:  "a required node affinity for " + nodeNameField + " " + node,
		}, ""
	}
	switch a := p.Spec.Affinity; {
	case a == nil:
		return add("/spec/affinity", map[string]any{"nodeAffinity": map[string]any{required: only}})
	case a.NodeAffinity == nil:
		return add("/spec/affinity/nodeAffinity", map[string]any{required: only})
	case a.NodeAffinity.Required == nil:
		return add("/spec/affinity/nodeAffinity/"+required, only)
	}

	c := change{what: "a required node affinity for " + nodeNameField + " " + node + " in each of its terms"}
	possible := false
	for i, t := range p.Spec.Affinity.NodeAffinity.Required.Terms {
		if t == nil || len(t.Expressions)+len(t.Fields) == 0 {
			continue
		}
		possible = possible || !slices.ContainsFunc(t.Fields, func(f corev1.NodeSelectorRequirement) bool { return excludes(f, node) })
		if slices.ContainsFunc(t.Fields, func(f corev1.NodeSelectorRequirement) bool { return same(f, byName) }) {
			continue
		}
		// Also where the term is for other nodes only: once nodeName is gone
		// it would let the pod go there.
		path := fmt.Sprintf("/spec/affinity/nodeAffinity/%s/nodeSelectorTerms/%d/matchFields", required, i)
		if t.Fields == nil {
			c.patch = append(c.patch, Operation{Op: "add", Path: path, Value: requirements})
		} else {
			c.patch = append(c.patch, Operation{Op: "add", Path: path + "/-", Value: byName})
		}
	}
	if !possible {
		return change{}, fmt.Sprintf("spec.nodeName asks for node %q and no term of the required node affinity allows it, so the pod was left as it is; "+
			"keep the affinity for the node that is meant, and remove nodeName: a pod that sets it gets no devices allocated", node)
	}
	if len(c.patch) == 0 {
		c.what = "the node affinity asks for the same node"
	}
	return c, ""
}

// excludes tells whether a requirement on fields rules the node out.
func excludes(f corev1.NodeSelectorRequirement, node string) bool {
	if f.Key != nodeNameField {
		return false
	}
	switch f.Operator {
	case corev1.NodeSelectorOpIn:
		return !slices.Contains(f.Values, node)
	case corev1.NodeSelectorOpNotIn:
		return slices.Contains(f.Values, node)
	}
	return false
}

func same(a, b corev1.NodeSelectorRequirement) bool {
	return a.Key == b.Key && a.Operator == b.Operator && slices.Equal(a.Values, b.Values)
}
