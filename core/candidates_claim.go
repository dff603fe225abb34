package core

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/drawbridge-dra/drawbridge/core/bundle"
	"github.com/drawbridge-dra/drawbridge/core/feature"
	"github.com/drawbridge-dra/drawbridge/core/schedule"
)

// fewer asks for less devices, as few less as possible.
func fewer(p *probe, _ string, r *schedule.Reason) {
	for _, a := range p.asks(r) {
		if a.AllocationMode == resourceapi.DeviceAllocationModeAll {
			continue
		}
		// One less each, and larger steps further down.
		for n, step := a.Count-1, int64(1); n >= 1; n -= step {
			p.setIn("count "+a.path+a.claim.Name(), amount, fmt.Sprintf("count of %s is %d", a.who(), n), a.claim.Origin, a.path, "count", n)
			if a.Count-n >= 4 {
				step = max(1, n/2)
			}
		}
	}
}

// validCount asks for one device where the API server refuses the number.
func validCount(p *probe, _ string, r *schedule.Reason) {
	for _, a := range p.asks(r) {
		if a.Count < 1 && a.AllocationMode != resourceapi.DeviceAllocationModeAll {
			p.set(amount, "count of "+a.who()+" is 1", a.claim.Origin, a.path, "count", 1)
		}
	}
}

// dropDerived does without derived attributes, and so without the constraints
// on them.
func dropDerived(p *probe, _ string, r *schedule.Reason) {
	for _, a := range p.asks(r) {
		p.set(constraint, a.who()+" derives no attributes", a.claim.Origin, a.path, "derivedAttributes", []any{})
	}
}

func notAll(p *probe, _ string, r *schedule.Reason) {
	for _, a := range p.asks(r) {
		if a.AllocationMode != resourceapi.DeviceAllocationModeExactCount {
			p.set(amount, a.who()+" wants one device and not all", a.claim.Origin, a.path, "allocationMode", resourceapi.DeviceAllocationModeExactCount)
		}
	}
}

func dropSelectors(p *probe, _ string, r *schedule.Reason) {
	for _, a := range p.asks(r) {
		o := lookUp(p.cluster.objects, a.claim.Origin)
		for k := range a.Selectors {
			if len(a.Selectors) > 1 && a.Selectors[k].CEL != nil {
				p.set(selectorOf, fmt.Sprintf("%s does without the selector %s", a.who(), shorten(a.Selectors[k].CEL.Expression)), a.claim.Origin, a.path, "selectors", without(o, a.path+".selectors", k))
			}
		}
		switch len(a.Selectors) {
		case 0:
		case 1:
			p.set(selectorOf, a.who()+" does without its selector", a.claim.Origin, a.path, "selectors", []any{})
		default:
			p.set(selectorOf, a.who()+" does without its selectors", a.claim.Origin, a.path, "selectors", []any{})
		}
	}
}

// shorten keeps long expressions out of sentences.
func shorten(text string) string {
	const most = 60
	runes := []rune(strings.Join(strings.Fields(text), " "))
	if len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return string(runes)
}

// list is a list of values of the text.
type list []*bundle.Node

// MarshalJSON implements json.Marshaler.
func (l list) MarshalJSON() ([]byte, error) {
	out := []byte{'['}
	for i, n := range l {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, n.JSON()...)
	}
	return append(out, ']'), nil
}

// without is a list of the text less one item.
func without(o *bundle.Object, path string, k int) list {
	if o == nil {
		return nil
	}
	items := slices.Clone(o.At(path).Items())
	if k < len(items) {
		items = slices.Delete(items, k, k+1)
	}
	return items
}

func dropClassSelectors(p *probe, _ string, r *schedule.Reason) {
	for _, a := range p.asks(r) {
		for _, class := range p.cluster.input.Classes {
			if class.Name == a.DeviceClassName && len(class.Spec.Selectors) > 0 {
				p.set(classOf, "DeviceClass "+class.Name+" has no selector", class, "spec", "selectors", []any{})
			}
		}
	}
}

func otherClass(p *probe, _ string, r *schedule.Reason) {
	for _, a := range p.asks(r) {
		tried := 0
		for _, class := range p.cluster.input.Classes {
			if class.Name != a.DeviceClassName && tried < othersNamed {
				tried++
				p.set(reference, fmt.Sprintf("%s names DeviceClass %s", a.who(), class.Name), a.claim.Origin, a.path, "deviceClassName", class.Name)
			}
		}
	}
}

// dropRequest leaves a request out of a claim that has others.
func dropRequest(p *probe, _ string, r *schedule.Reason) {
	for _, c := range p.claims(r) {
		requests := c.Claim.Spec.Devices.Requests
		for j := range requests {
			if len(requests) > 1 {
				p.set(constraint, fmt.Sprintf("%s does without request %s", written(c), requests[j].Name), c.Origin, prefix(c), "requests", without(lookUp(p.cluster.objects, c.Origin), prefix(c)+".requests", j))
			}
		}
	}
}

func dropConstraints(p *probe, _ string, r *schedule.Reason) {
	for _, c := range p.claims(r) {
		for i, con := range c.Claim.Spec.Devices.Constraints {
			what := "a constraint"
			switch {
			case con.MatchAttribute != nil:
				what = "matchAttribute " + string(*con.MatchAttribute)
			case con.DistinctAttribute != nil:
				what = "distinctAttribute " + string(*con.DistinctAttribute)
			}
			p.set(constraint, fmt.Sprintf("%s does without %s", written(c), what), c.Origin, prefix(c), "constraints", without(lookUp(p.cluster.objects, c.Origin), prefix(c)+".constraints", i))
		}
	}
}

func noCapacity(p *probe, _ string, r *schedule.Reason) {
	for _, a := range p.asks(r) {
		if a.Capacity == nil {
			continue
		}
		names := slices.Sorted(maps.Keys(a.Capacity.Requests))
		for _, name := range names {
			if len(names) > 1 {
				rest := maps.Clone(a.Capacity.Requests)
				delete(rest, name)
				p.set(selectorOf, fmt.Sprintf("%s asks for no amount of %s", a.who(), name), a.claim.Origin, a.path+".capacity", "requests", rest)
			}
		}
		p.set(selectorOf, a.who()+" asks for no capacity", a.claim.Origin, a.path, "capacity", nil)
	}
}

// lessCapacity asks for what is left on one of the devices.
func lessCapacity(p *probe, _ string, r *schedule.Reason) {
	for _, a := range p.asks(r) {
		if a.Capacity == nil {
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(a.Capacity.Requests)) {
			wanted := a.Capacity.Requests[name]
			for _, left := range p.left(r, name) {
				if left.Sign() > 0 && left.Cmp(wanted) < 0 {
					p.setIn("capacity "+string(name)+a.path+a.claim.Name(), amount, fmt.Sprintf("%s asks for %s of %s", a.who(), left.String(), name),
						a.claim.Origin, a.path+".capacity.requests", string(name), left.String())
				}
			}
		}
	}
}

// allowedCapacity asks for what the request policy of a device allows, the
// nearest first.
func allowedCapacity(p *probe, _ string, r *schedule.Reason) {
	for _, a := range p.asks(r) {
		if a.Capacity == nil {
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(a.Capacity.Requests)) {
			wanted := a.Capacity.Requests[name]
			values := p.allowed(r, name)
			slices.SortStableFunc(values, func(x, y resource.Quantity) int { return compareApart(x, y, wanted) })
			for _, value := range values {
				p.setIn("capacity "+string(name)+a.path+a.claim.Name(), amount, fmt.Sprintf("%s asks for %s of %s", a.who(), value.String(), name),
					a.claim.Origin, a.path+".capacity.requests", string(name), value.String())
			}
		}
	}
}

// compareApart tells which of two is nearer to what is wanted.
func compareApart(x, y, wanted resource.Quantity) int {
	near := apart(x, wanted)
	return near.Cmp(apart(y, wanted))
}

func apart(a, b resource.Quantity) resource.Quantity {
	if a.Cmp(b) < 0 {
		a, b = b, a
	}
	out := a.DeepCopy()
	out.Sub(b)
	return out
}

// allowed are the amounts that request policies name.
func (p *probe) allowed(r *schedule.Reason, name resourceapi.QualifiedName) []resource.Quantity {
	var out []resource.Quantity
	add := func(q *resource.Quantity) {
		if q != nil && !slices.ContainsFunc(out, func(o resource.Quantity) bool { return o.Cmp(*q) == 0 }) {
			out = append(out, *q)
		}
	}
	p.considered(r, func(d *resourceapi.Device) {
		capacity, has := d.Capacity[name]
		if !has || capacity.RequestPolicy == nil {
			return
		}
		policy := capacity.RequestPolicy
		add(policy.Default)
		for i := range policy.ValidValues {
			add(&policy.ValidValues[i])
		}
		if v := policy.ValidRange; v != nil {
			add(v.Min)
			add(v.Max)
		}
	})
	return out
}

// considered are the devices of a reason, as slices publish them.
func (p *probe) considered(r *schedule.Reason, do func(d *resourceapi.Device)) {
	for i := range r.Devices {
		id := r.Devices[i].ID
		for _, s := range p.cluster.input.Slices {
			if s.Spec.Driver != id.Driver || s.Spec.Pool.Name != id.Pool {
				continue
			}
			for j := range s.Spec.Devices {
				if s.Spec.Devices[j].Name == id.Device {
					do(&s.Spec.Devices[j])
				}
			}
		}
	}
}

// left is what claims leave of a capacity on the devices of a reason, most
// first.
func (p *probe) left(r *schedule.Reason, name resourceapi.QualifiedName) []resource.Quantity {
	var out []resource.Quantity
	for i := range r.Devices {
		id := r.Devices[i].ID
		one := &schedule.Reason{Devices: r.Devices[i : i+1]}
		p.considered(one, func(d *resourceapi.Device) {
			capacity, has := d.Capacity[name]
			if !has {
				return
			}
			left := capacity.Value.DeepCopy()
			p.results(func(_ *schedule.Claim, result *resourceapi.DeviceRequestAllocationResult) {
				if result.Driver == id.Driver && result.Pool == id.Pool && result.Device == id.Device {
					left.Sub(result.ConsumedCapacity[name])
				}
			})
			out = append(out, left)
		})
	}
	slices.SortStableFunc(out, func(a, b resource.Quantity) int { return b.Cmp(a) })
	return out
}

// results are those of all claims that were allocated before the target.
func (p *probe) results(do func(c *schedule.Claim, result *resourceapi.DeviceRequestAllocationResult)) {
	seen := map[*schedule.Claim]bool{}
	look := func(c *schedule.Claim) {
		if seen[c] || c.Claim.Status.Allocation == nil {
			return
		}
		seen[c] = true
		for i := range c.Claim.Status.Allocation.Devices.Results {
			do(c, &c.Claim.Status.Allocation.Devices.Results[i])
		}
	}
	for _, c := range p.plan.Known() {
		look(c)
	}
}

// turnOn proposes the gates that let the allocator or the API server do more,
// each with those that it needs.
func turnOn(p *probe, _ string, _ *schedule.Reason) {
	for _, g := range gatesFor {
		if p.cluster.set.Enabled(g) || !p.cluster.set.Exists(g) {
			continue
		}
		p.option(fmt.Sprintf("%s is on", g), p.withGate(p.opts.FeatureGates, g), "")
	}
}

// withGate adds a gate, and what it needs, to a list of gates.
func (p *probe) withGate(gates string, g feature.Gate) string {
	for _, state := range p.cluster.set.Gates() {
		if state.Name != g {
			continue
		}
		for _, need := range state.Needs {
			if !p.cluster.set.Enabled(need) {
				gates = p.withGate(gates, need)
			}
		}
	}
	return setGate(gates, g, true)
}

// setGate sets a gate in a list of gates.
func setGate(gates string, g feature.Gate, on bool) string {
	var kept []string
	for _, entry := range strings.Split(gates, ",") {
		name, _, _ := strings.Cut(entry, "=")
		if entry = strings.TrimSpace(entry); entry != "" && strings.TrimSpace(name) != string(g) {
			kept = append(kept, entry)
		}
	}
	return strings.Join(append(kept, fmt.Sprintf("%s=%t", g, on)), ",")
}

// option proposes to ask with other options.
func (p *probe) option(message, gates, version string) {
	c := candidate{rank: ranks[gateChange]}
	c.Kind, c.Message, c.FeatureGates, c.KubernetesVersion = gateChange, message, gates, version
	p.keep(c)
}

// turnOff proposes to do without device taints.
func turnOff(p *probe, _ string, _ *schedule.Reason) {
	if p.cluster.set.Enabled(feature.DRADeviceTaintRules) && len(p.cluster.input.Rules) > 0 {
		p.option(fmt.Sprintf("%s is off", feature.DRADeviceTaintRules), setGate(p.opts.FeatureGates, feature.DRADeviceTaintRules, false), "")
	}
}

// gatesFor are the gates that decide what can be allocated.
var gatesFor = []feature.Gate{
	feature.DRAPrioritizedList, feature.DRAAdminAccess, feature.DRAConsumableCapacity, feature.DRAPartitionableDevices, feature.DRADeviceCompatibilityGroups,
	feature.DRADeviceBindingConditions, feature.DRADerivedAttributes, feature.DRAListTypeAttributes, feature.DRAOptionalNodeOperations, feature.DRAExtendedResource,
}

// newest proposes the newest version.
func newest(p *probe, _ string, _ *schedule.Reason) {
	if p.cluster.set.Version() != feature.Newest {
		p.option("Kubernetes is "+feature.Newest.String(), "", feature.Newest.String())
	}
}
