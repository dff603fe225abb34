package lint

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
)

func isTrue(b *bool) bool { return b != nil && *b }

// device is one device of a slice.
type device struct {
	slice *slice
	index int
}

func (d device) value() *resourceapi.Device { return &d.slice.value.Spec.Devices[d.index] }

func (d device) at(parts ...any) place {
	return d.slice.at(append([]any{"spec.devices", d.index}, parts...)...)
}

// node returns the one node that the device is for, or "".
func (d device) node() string {
	if n := d.slice.node(); n != "" {
		return n
	}
	if n := d.value().NodeName; n != nil {
		return *n
	}
	return ""
}

// String names the device as its author would look for it.
func (d device) String() string {
	return "ResourceSlice " + d.slice.object.Ref.Name + ", device " + d.value().Name
}

// devices calls f for every device that counts: those in slices of the newest
// generation. Devices beside counter sets are left out, as Kubernetes does.
func (p *pool) devices(f func(device)) {
	for _, s := range p.slices {
		if len(s.value.Spec.SharedCounters) > 0 {
			continue
		}
		for i := range s.value.Spec.Devices {
			f(device{s, i})
		}
	}
}

// group collects what is wrong in the same way, so that it is said once.
type group struct {
	first, with device
	n           int
}

func (g *group) add(d, with device) {
	if g.n == 0 {
		g.first, g.with = d, with
	}
	g.n++
}

// collisions are devices of one pool that share a name: together where one
// node may see both, apart where each is for a node of its own.
type collisions struct{ together, apart group }

// collisions looks for them among the devices of slices that matter.
func (c *cluster) collisions(p *pool) collisions {
	var found collisions
	if len(p.slices) < 2 {
		// Within one slice the API server looks.
		return found
	}
	first := map[string]device{}
	p.devices(func(d device) {
		n := d.value().Name
		other, seen := first[n]
		switch {
		case !seen:
			first[n] = d
		case n == "" || other.slice == d.slice || !c.mine(d.slice.object):
		case d.node() != "" && other.node() != "" && d.node() != other.node():
			found.apart.add(d, other)
		default:
			found.together.add(d, other)
		}
	})
	return found
}

func duplicateDevice(c *cluster, r *reporter) {
	for _, p := range c.pools {
		g := c.collisions(p).together
		if g.n == 0 {
			continue
		}
		r.report(finding{
			at:    g.first.at("name"),
			value: g.first.value().Name,
			message: fmt.Sprintf("device %s%s stands in two slices of pool %s (%s and %s), and a node that sees both uses no device of the pool; device names must be unique in a pool",
				g.first.value().Name, andMore(g.n-1, "device"), p, g.with.slice.object.Ref.Name, g.first.slice.object.Ref.Name),
			related: related("the other device of that name", g.with.at("name")),
		})
	}
}

func deviceOnTwoNodes(c *cluster, r *reporter) {
	for _, p := range c.pools {
		g := c.collisions(p).apart
		if g.n == 0 {
			continue
		}
		r.report(finding{
			at:    g.first.at("name"),
			value: g.first.value().Name,
			message: fmt.Sprintf("%s/%s%s is published by two slices for different nodes (%s for %s, %s for %s): a device is known by driver, pool and name, so it can be allocated once in the whole cluster; name each pool after its node",
				p, g.first.value().Name, andMore(g.n-1, "device"),
				g.with.slice.object.Ref.Name, g.with.node(), g.first.slice.object.Ref.Name, g.first.node()),
			related: related("the same device for node "+g.with.node(), g.with.at("name")),
			fix:     replace(g.first.slice.at("spec.pool.name"), g.first.node(), "name the pool after the node"),
		})
	}
}

// perSlice reports at most one finding for each slice: at the first bad
// device, with a count of the others.
func perSlice(c *cluster, r *reporter, bad func(device) bool, say func(d device, more string) finding) {
	for _, s := range c.slices {
		if !c.mine(s.object) {
			continue
		}
		var first device
		n := 0
		for i := range s.value.Spec.Devices {
			if d := (device{s, i}); bad(d) {
				if n == 0 {
					first = d
				}
				n++
			}
		}
		if n > 0 {
			r.report(say(first, andMore(n-1, "device")))
		}
	}
}

func shareableWithoutCapacity(c *cluster, r *reporter) {
	if !c.on("DRAConsumableCapacity") {
		return
	}
	perSlice(c, r, func(d device) bool {
		return isTrue(d.value().AllowMultipleAllocations) && len(d.value().Capacity) == 0
	}, func(d device, more string) finding {
		return finding{
			at:      d.at("allowMultipleAllocations"),
			message: fmt.Sprintf("device %s%s allows multiple allocations and has no capacity, so any number of claims can share it; publish a capacity if there is a limit", d.value().Name, more),
		}
	})
}

func requestPolicyDefaultTooLarge(c *cluster, r *reporter) {
	if !c.on("DRAConsumableCapacity") {
		return
	}
	find := func(d device) (resourceapi.QualifiedName, bool) {
		return smallest(d.value().Capacity, func(_ resourceapi.QualifiedName, capacity resourceapi.DeviceCapacity) bool {
			policy := capacity.RequestPolicy
			// With values or a range the API server compares them itself.
			return policy != nil && policy.Default != nil && len(policy.ValidValues) == 0 && policy.ValidRange == nil &&
				policy.Default.Cmp(capacity.Value) > 0
		})
	}
	perSlice(c, r, func(d device) bool {
		_, ok := find(d)
		return ok
	}, func(d device, more string) finding {
		k, _ := find(d)
		capacity := d.value().Capacity[k]
		return finding{
			at:    d.at("capacity", key(k), "requestPolicy.default"),
			value: capacity.RequestPolicy.Default.String(),
			message: fmt.Sprintf("device %s%s has %s of %s, and a request that names none takes the default of %s, which never fits; lower the default",
				d.value().Name, more, capacity.Value.String(), k, capacity.RequestPolicy.Default.String()),
		}
	})
}

func deviceNodeSelectorTerms(c *cluster, r *reporter) {
	if !c.on("DRAPartitionableDevices") {
		return
	}
	perSlice(c, r, func(d device) bool {
		selector := d.value().NodeSelector
		return selector != nil && len(selector.NodeSelectorTerms) > 1
	}, func(d device, more string) finding {
		return finding{
			at: d.at("nodeSelector.nodeSelectorTerms"),
			message: fmt.Sprintf("device %s%s has a node selector of %d terms: the API server accepts it, and the scheduler fails each time it picks the device; use one term",
				d.value().Name, more, len(d.value().NodeSelector.NodeSelectorTerms)),
		}
	})
}

func nodeAllocatableNotShareable(c *cluster, r *reporter) {
	if !c.on("DRANodeAllocatableResources") {
		return
	}
	find := func(d device) (corev1.ResourceName, bool) {
		if isTrue(d.value().AllowMultipleAllocations) {
			return "", false
		}
		return smallest(d.value().NodeAllocatableResources, func(_ corev1.ResourceName, r resourceapi.NodeAllocatableResource) bool {
			return r.Mapping != nil && r.Mapping.CapacityKey != nil
		})
	}
	perSlice(c, r, func(d device) bool {
		_, ok := find(d)
		return ok
	}, func(d device, more string) finding {
		k, _ := find(d)
		return finding{
			at: d.at("nodeAllocatableResources", key(k), "mapping.capacityKey"),
			message: fmt.Sprintf("device %s%s maps %s to a capacity without allowing multiple allocations, so nothing is ever consumed and the scheduler fails on every node; use deviceMultiplier, or set allowMultipleAllocations",
				d.value().Name, more, k),
		}
	})
}
