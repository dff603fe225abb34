package validate

import (
	"strings"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// bindingConditions checks the two lists of conditions that a pod waits for.
func (c *checker) bindingConditions(conditions, failures []string, body *path) {
	lists := []struct {
		name  string
		items []string
		limit int
	}{
		{"bindingConditions", conditions, resourceapi.BindingConditionsMaxSize},
		{"bindingFailureConditions", failures, resourceapi.BindingFailureConditionsMaxSize},
	}
	for _, l := range lists {
		at := body.child(l.name)
		if n := len(l.items); n <= l.limit || !c.stops(byBoth, at, tooMany("binding-conditions-max", n, l.limit, "condition", "let the driver sum up several steps in one condition")) {
			for i, item := range l.items {
				c.hand(at.at(i), labelKey("binding-condition-name", "condition name", item)...)
			}
		}
		unique(l.items, itself, func(i int) {
			c.hand(at.at(i), duplicate("binding-conditions-duplicate", l.items[i], "condition"))
		})
	}
	ready := make(map[string]bool, len(conditions))
	for _, item := range conditions {
		ready[item] = true
	}
	for i, f := range failures {
		if ready[f] {
			c.hand(body.child("bindingFailureConditions").at(i), invalid("binding-conditions-overlap", f,
				"condition "+quote(f)+" is in bindingConditions and in bindingFailureConditions; one condition cannot mean both that the device is ready and that it has failed"))
		}
	}
	for i, l := range lists {
		other := lists[1-i]
		if len(l.items) == 0 && len(other.items) > 0 {
			p := invalid("binding-conditions-pair", "", other.name+" is set without "+l.name+", they only work together; add "+l.name+", or remove "+other.name)
			p.focus = body.child(other.name)
			c.hand(body.child(l.name), p)
		}
	}
}

// nodeAllocatable checks how a device counts against the node's own resources.
func (c *checker) nodeAllocatable(d *resourceapi.Device, at *path) {
	for _, name := range sortedKeys(d.NodeAllocatableResources) {
		r := d.NodeAllocatableResources[name]
		p, subject := at.key(string(name)), "node allocatable resource "+short(string(name))
		if name != corev1.ResourceCPU && name != corev1.ResourceMemory && !strings.HasPrefix(string(name), corev1.ResourceHugePagesPrefix) {
			c.hand(p, invalid("node-allocatable-name", string(name), subject+" is not one that nodes account for; use cpu, memory or hugepages-<size>"))
		}
		if r.Mapping == nil && r.Overhead == nil {
			c.hand(p, required("node-allocatable-empty", subject+" has neither mapping nor overhead; set at least one"))
		}
		if r.Mapping != nil {
			c.nodeMapping(subject, r.Mapping, d, p.child("mapping"))
		}
		if r.Overhead != nil {
			c.nodeOverhead(subject, r.Overhead, p.child("overhead"))
		}
	}
}

func (c *checker) nodeMapping(subject string, m *resourceapi.NodeAllocatableMapping, d *resourceapi.Device, at *path) {
	const rule = "node-allocatable-mapping"
	if m.CapacityKey != nil {
		key := string(*m.CapacityKey)
		if _, there := d.Capacity[*m.CapacityKey]; key == "" {
			c.hand(at.child("capacityKey"), invalid(rule, "", subject+": capacityKey is empty; write the name of a capacity of the device, or use deviceMultiplier"))
		} else if !there {
			c.hand(at.child("capacityKey"), problem{rule: rule, kind: field.ErrorTypeNotFound, value: short(key),
				message: subject + ": capacityKey " + quote(key) + " names no capacity of the device; it has " + orNone(sortedKeys(d.Capacity))})
		}
		if m.CapacityMultiplier == nil {
			c.hand(at.child("capacityMultiplier"), required(rule, subject+": capacityKey is set without capacityMultiplier; write how much of the resource one unit of the capacity takes"))
		} else {
			c.positive(rule, subject, "capacityMultiplier", m.CapacityMultiplier, at)
		}
	} else if m.CapacityMultiplier != nil {
		c.hand(at.child("capacityKey"), required(rule, subject+": capacityMultiplier is set without capacityKey; name the capacity that is multiplied"))
	}
	if m.DeviceMultiplier != nil {
		c.positive(rule, subject, "deviceMultiplier", m.DeviceMultiplier, at)
	}
	if (m.CapacityKey == nil) == (m.DeviceMultiplier == nil) {
		fault := "has neither capacityKey nor deviceMultiplier"
		if m.CapacityKey != nil {
			fault = "has capacityKey and deviceMultiplier"
		}
		c.std(at, invalid("node-allocatable-mapping-union", "", subject+": the mapping "+fault+", exactly one of them is needed"))
	}
}

func (c *checker) positive(rule, subject, name string, q *resource.Quantity, at *path) {
	if q.Sign() <= 0 {
		c.hand(at.child(name), invalid(rule, q.String(), subject+": "+name+" is "+q.String()+", it must be more than 0"))
	}
}

func (c *checker) nodeOverhead(subject string, o *resourceapi.NodeAllocatableOverhead, at *path) {
	const rule = "node-allocatable-overhead"
	if o.PerPod == nil && o.PerContainer == nil {
		c.hand(at, invalid(rule, "", subject+": the overhead has neither perPod nor perContainer; set at least one"))
		return
	}
	for _, b := range []bound{{"perPod", o.PerPod}, {"perContainer", o.PerContainer}} {
		if b.q != nil && b.q.Sign() < 0 {
			c.hand(at.child(b.name), invalid(rule, b.q.String(), subject+": "+b.name+" is "+b.q.String()+", it may not be negative"))
		}
	}
}

func orNone[T ~string](names []T) string {
	if len(names) == 0 {
		return "none"
	}
	return short(joined(names))
}
