package rights

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/drawbridge-dra/drawbridge/core/role"
)

// rulesOf are the rules of a role. A controller writes into an aggregate the
// rules of the roles that it selects, again and again, so that an aggregate of
// aggregates ends with the rules of them all; what was written into it by hand
// does not stay.
func (p *Policy) rulesOf(h *holder) []granted {
	if h.resolved {
		return h.rules
	}
	h.resolved = true
	if h.sum == nil {
		h.rules = written(h)
		return h.rules
	}
	seen := map[*holder]bool{h: true}
	for next := []*holder{h}; len(next) > 0; next = next[1:] {
		for _, other := range p.selected(next[0].sum) {
			if seen[other] {
				continue
			}
			seen[other] = true
			if other.sum != nil {
				next = append(next, other)
			} else {
				h.rules = append(h.rules, written(other)...)
			}
		}
	}
	return h.rules
}

func written(h *holder) []granted {
	out := make([]granted, len(h.own))
	for i := range h.own {
		out[i] = granted{&h.own[i], h.source, i}
	}
	return out
}

// selected are the roles that an aggregate asks for, in the order of the text.
func (p *Policy) selected(sum *role.Aggregation) []*holder {
	var out []*holder
	for i := range sum.ClusterRoleSelectors {
		selector, err := metav1.LabelSelectorAsSelector(&sum.ClusterRoleSelectors[i])
		if err != nil {
			continue // the API server does not store it
		}
		for _, n := range p.order {
			if n.namespace != "" {
				continue
			}
			if p.matches--; p.matches < 0 {
				p.Partial = true
				return out
			}
			if h := p.roles[n]; selector.Matches(labels.Set(h.labels)) {
				out = append(out, h)
			}
		}
	}
	return out
}
