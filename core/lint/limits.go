package lint

import (
	"fmt"
	"slices"
	"strings"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/drawbridge-dra/drawbridge/core/bundle"
)

// allModeDeviceLimit counts the devices that a request for all of them would
// get on one node.
func allModeDeviceLimit(c *cluster, r *reporter) {
	const most = resourceapi.AllocationResultsMaxSize
	for _, s := range c.specs {
		for _, q := range s.requests {
			if !q.all() || q.alternative {
				continue
			}
			devices, ok := c.candidates(q)
			if !ok || len(devices) <= most {
				continue
			}
			perNode := map[string]int{}
			for _, d := range devices {
				if d.node() != "" || d.everywhere() {
					perNode[d.node()]++
				}
			}
			everywhere := perNode[""]
			for _, n := range sortedKeys(perNode) {
				total := perNode[n]
				if n != "" {
					total += everywhere
				}
				if total <= most {
					continue
				}
				where := "node " + n
				if n == "" {
					where = "each node"
				}
				r.report(finding{
					at: s.under(q, "allocationMode"), value: string(q.AllocationMode),
					message: fmt.Sprintf("request %s takes all devices, which are %d on %s, and no claim can hold more than %d: the scheduler gives up on the whole pod instead of trying other nodes; narrow the selectors, or ask for a count",
						q.full, total, where, most),
				})
				break
			}
		}
	}
}

// everywhere tells whether the device is for all nodes.
func (d device) everywhere() bool {
	return isTrue(d.slice.value.Spec.AllNodes) || isTrue(d.value().AllNodes)
}

// distinctAttributeValues compares how many devices must differ in an
// attribute with how many values it has.
func distinctAttributeValues(c *cluster, r *reporter) {
	for _, s := range c.specs {
		for i, constraint := range s.spec.Devices.Constraints {
			attribute, field := c.constraintAttribute(constraint)
			if field != "distinctAttribute" {
				continue
			}
			wanted, values := c.distinctValues(s, constraint.Requests, attribute)
			if len(values) == 0 || wanted <= int64(len(values)) {
				continue
			}
			r.report(finding{
				at: s.at("devices.constraints", i, field), value: attribute,
				message: fmt.Sprintf("%d devices must differ in %s, and the devices of the %s have %s of it (%s), so the claim never fits; ask for fewer devices, or name another attribute",
					wanted, attribute, c.where(), count(len(values), "value"), few(values)),
			})
		}
	}
}

// distinctValues returns how many devices a constraint is about at the least,
// and the values of its attribute; none where they are not all known.
func (c *cluster) distinctValues(s *claimSpec, names []string, attribute string) (int64, []string) {
	least := map[string]int64{}
	values := map[string]bool{}
	for _, q := range s.refer(names) {
		d := c.offered(q)
		derived := slices.ContainsFunc(q.DerivedAttributes, func(a resourceapi.DeviceDerivedAttribute) bool { return string(a.Name) == attribute })
		if q.all() || d == nil || derived || d.Attributes[attribute] == nil || d.Attributes[attribute].Open {
			return 0, nil
		}
		n := min(q.wants(), resourceapi.AllocationResultsMaxSize)
		if before, ok := least[q.parent]; !ok || n < before {
			least[q.parent] = n
		}
		for v := range d.Attributes[attribute].Values {
			values[v] = true
		}
	}
	var total int64
	for _, n := range least {
		total += n
	}
	var list []string
	for _, v := range sortedKeys(values) {
		_, text, _ := strings.Cut(v, " ") // The type stands in front.
		list = append(list, shorten(text, 64))
	}
	return total, list
}

// claimTooManyPods counts the pods that share a claim.
func claimTooManyPods(c *cluster, r *reporter) {
	const most = resourceapi.ResourceClaimReservedForMaxSize
	users := map[name]int{}
	last := map[name]*bundle.Object{}
	c.podClaims(func(p podClaim) {
		if p.entry.ResourceClaimName == nil || *p.entry.ResourceClaimName == "" {
			return
		}
		n := named(p.pod.object.Ref.Namespace, *p.entry.ResourceClaimName)
		if last[n] == p.pod.object {
			return
		}
		last[n] = p.pod.object
		if users[n]++; users[n] != most+1 {
			return
		}
		r.report(finding{
			at: p.at("resourceClaimName"), value: n.name,
			message: fmt.Sprintf("Pod %s is the %dth that uses claim %s, and a claim can be reserved for %d pods: the scheduler picks a node for it and fails each time it binds; use another claim, or a template",
				p.pod.object.Ref.Name, most+1, n, most),
		})
	})
}

// containerClaimWhole looks at containers that name no request of a claim of
// which others name one.
func containerClaimWhole(c *cluster, r *reporter) {
	for _, p := range c.pods {
		part, partOf := map[string]string{}, map[string]string{}
		partAt := map[string]place{}
		containers(p, func(container string, at place, use claimUse) {
			if use.Request != "" && part[use.Name] == "" {
				part[use.Name] = fmt.Sprintf("container %s names request %s", container, use.Request)
				partAt[use.Name], partOf[use.Name] = at, container
			}
		})
		if len(part) == 0 {
			continue
		}
		containers(p, func(container string, at place, use claimUse) {
			if use.Request != "" || part[use.Name] == "" || partOf[use.Name] == container {
				return
			}
			r.report(finding{
				at: place{at.object, at.path + ".name"}, value: use.Name,
				message: fmt.Sprintf("container %s names no request of claim %s and so gets the devices of all of them, while %s; name one if it is to get less",
					container, use.Name, part[use.Name]),
				related: related("only a part here", partAt[use.Name]),
			})
		})
	}
}

// poolGenerationZero is about pools whose status somebody asks for.
func poolGenerationZero(c *cluster, r *reporter) {
	asked := slices.ContainsFunc(c.objects, func(o *bundle.Object) bool { return o.Ref.Kind == "ResourcePoolStatusRequest" })
	if !asked {
		return
	}
	for _, p := range c.pools {
		if first := p.slices[0]; first.generation() == 0 {
			r.report(finding{
				at: first.at("spec.pool.name"), value: p.pool,
				message: fmt.Sprintf("pool %s has generation 0, and the answer to a ResourcePoolStatusRequest may only name generations from 1: the whole answer is refused; start at 1", p),
			})
		}
	}
}
