package allocate

import (
	"fmt"
	"slices"

	"github.com/google/uuid"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/drawbridge-dra/drawbridge/core/inventory"
)

// results turns the picks into what the scheduler writes into the claims.
func (s *search) results() ([]resourceapi.AllocationResult, *Failure) {
	out := make([]resourceapi.AllocationResult, len(s.claims))
	for i := range s.claims {
		c := &s.claims[i]
		out[i].Devices.Results = make([]resourceapi.DeviceRequestAllocationResult, len(s.picks[i]))
		for j, p := range s.picks[i] {
			out[i].Devices.Results[j] = s.result(c, j, p)
		}
		out[i].Devices.Config = s.config(c)
		selector, failure := s.nodeSelector(i)
		if failure != nil {
			return nil, failure
		}
		out[i].NodeSelector = selector
	}
	return out, nil
}

func (s *search) result(c *claim, position int, p pick) resourceapi.DeviceRequestAllocationResult {
	d := &s.devices[p.device]
	r := resourceapi.DeviceRequestAllocationResult{
		Request: p.ask.name, Driver: d.id.Driver, Pool: d.id.Pool, Device: d.id.Device,
		Tolerations: slices.Clone(p.ask.tolerations),
	}
	if p.ask.admin() {
		yes := true
		r.AdminAccess = &yes
	}
	if p.shared {
		id := shareID(c.ResourceClaim, p.ask.name, d.id, position)
		r.ShareID = &id
		r.ConsumedCapacity = s.view.room(p.ask, p.device).consumed(d)
	}
	if s.view.features.BindingConditions {
		r.BindingConditions = slices.Clone(d.BindingConditions)
		r.BindingFailureConditions = slices.Clone(d.BindingFailureConditions)
	}
	// Only the experimental allocator knows the field; the others give the
	// device out and forget to copy it.
	if s.view.features.Implementation() == inventory.Experimental {
		r.SkipNodeOperations = slices.Clone(d.slice.Spec.SkipNodeOperations)
	}
	return r
}

// shareNamespace makes share IDs of ours differ from any other UUID that is
// derived from a name.
var shareNamespace = uuid.NewSHA1(uuid.NameSpaceDNS, []byte("share.drawbridge-dra.github.com"))

// shareID stands in for the random UUID of the scheduler: derived, so that
// equal input gives equal output.
func shareID(c *resourceapi.ResourceClaim, request string, id inventory.DeviceID, position int) types.UID {
	name := fmt.Sprintf("%s|%s|%s|%s|%d", claimName(c), c.UID, request, id, position)
	return types.UID(uuid.NewSHA1(shareNamespace, []byte(name)).String())
}

// names lists, for a request, the names by which configuration can mean it.
func (s *search) names(r *request) []string {
	chosen := r.asks[s.chosen[r.id]]
	if r.alternatives {
		return []string{chosen.parent, chosen.name}
	}
	return []string{chosen.name}
}

func overlap(a, b []string) bool {
	return slices.ContainsFunc(a, func(s string) bool { return slices.Contains(b, s) })
}

// config collects the configuration of the classes, each class once, and of
// the claim. An entry that covers every request loses its list of requests:
// empty means all.
func (s *search) config(c *claim) []resourceapi.DeviceAllocationConfiguration {
	var out []resourceapi.DeviceAllocationConfiguration
	first := map[string]int{}
	for _, r := range c.requests {
		chosen := r.asks[s.chosen[r.id]]
		start, seen := first[chosen.class.Name]
		if !seen {
			first[chosen.class.Name] = len(out)
			for _, config := range chosen.class.Spec.Config {
				out = append(out, resourceapi.DeviceAllocationConfiguration{
					Source: resourceapi.AllocationConfigSourceClass, Requests: []string{chosen.name}, DeviceConfiguration: config.DeviceConfiguration,
				})
			}
			continue
		}
		for i := range chosen.class.Spec.Config {
			out[start+i].Requests = append(out[start+i].Requests, chosen.name)
		}
	}
	for _, config := range c.Spec.Devices.Config {
		if len(config.Requests) == 0 || slices.ContainsFunc(c.requests, func(r *request) bool { return overlap(config.Requests, s.names(r)) }) {
			out = append(out, resourceapi.DeviceAllocationConfiguration{
				Source: resourceapi.AllocationConfigSourceClaim, Requests: slices.Clone(config.Requests), DeviceConfiguration: config.DeviceConfiguration,
			})
		}
	}
	for i := range out {
		all := !slices.ContainsFunc(c.requests, func(r *request) bool { return !overlap(out[i].Requests, s.names(r)) })
		if all {
			out[i].Requests = nil
		}
	}
	return out
}

// nodeSelector says on which nodes the allocation can be used: nil for all.
func (s *search) nodeSelector(i int) (*corev1.NodeSelector, *Failure) {
	var term corev1.NodeSelectorTerm
	for _, p := range s.picks[i] {
		d := &s.devices[p.device]
		name, selector := d.slice.Spec.NodeName, d.slice.Spec.NodeSelector
		if perDevice := d.slice.Spec.PerDeviceNodeSelection; perDevice != nil && *perDevice {
			name, selector = d.NodeName, d.NodeSelector
		}
		binds := d.BindsToNode != nil && *d.BindsToNode && s.view.features.Implementation() != inventory.Stable
		if name != nil || binds {
			return onlyNode(s.view.node.Name), nil
		}
		if selector == nil || len(selector.NodeSelectorTerms) == 0 {
			continue
		}
		if n := len(selector.NodeSelectorTerms); n > 1 {
			return nil, podWide(Reason{Code: NodeSelector, Claim: i, Request: p.ask.name, At: d.nodeAt(),
				Message: fmt.Sprintf("device %s has a node selector with %d terms, which Kubernetes cannot turn into an allocation: it gives up on the pod; publish one term", d.id, n)})
		}
		term.MatchFields = merge(term.MatchFields, selector.NodeSelectorTerms[0].MatchFields)
		term.MatchExpressions = merge(term.MatchExpressions, selector.NodeSelectorTerms[0].MatchExpressions)
	}
	if len(term.MatchFields)+len(term.MatchExpressions) == 0 {
		return nil, nil
	}
	return &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{term}}, nil
}

// merge adds the requirements that are not there yet.
func merge(list, more []corev1.NodeSelectorRequirement) []corev1.NodeSelectorRequirement {
	for _, r := range more {
		if !slices.ContainsFunc(list, func(o corev1.NodeSelectorRequirement) bool { return sameRequirement(o, r) }) {
			list = append(list, r)
		}
	}
	return list
}

func sameRequirement(a, b corev1.NodeSelectorRequirement) bool {
	return a.Key == b.Key && a.Operator == b.Operator &&
		!slices.ContainsFunc(a.Values, func(v string) bool { return !slices.Contains(b.Values, v) }) &&
		!slices.ContainsFunc(b.Values, func(v string) bool { return !slices.Contains(a.Values, v) })
}
