package validate

import (
	"maps"
	"slices"
	"strings"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/drawbridge-dra/drawbridge/core/feature"
)

// droppedField is a field that the API server removes without a word, because
// the feature gate that it belongs to is off.
type droppedField struct {
	rule string
	gate feature.Gate
	at   *path
	// subject names the device or request, name the field, effect says what
	// becomes of the object without it.
	subject subject
	name    string
	effect  string
}

// droppedFields finds dropped fields by their place. The zero value has none.
type droppedFields struct {
	list []droppedField
	// at and below lead from a place to the field that was dropped there, and
	// to one that was dropped from inside of it.
	at, below map[string]int
}

func (d *droppedFields) add(f droppedField) {
	if d.at == nil {
		d.at, d.below = map[string]int{}, map[string]int{}
	}
	d.at[f.at.render(false)] = len(d.list)
	d.below[f.at.parent.render(false)] = len(d.list)
	d.list = append(d.list, f)
}

// gateOf returns the gate for which the field was dropped; empty if it was
// not.
func (d *droppedFields) gateOf(at *path) feature.Gate {
	if len(d.list) == 0 {
		return ""
	}
	if i, ok := d.at[at.render(false)]; ok {
		return d.list[i].gate
	}
	return ""
}

// gateBelow returns the gate for which a field directly inside was dropped;
// empty if none was.
func (d *droppedFields) gateBelow(at *path) feature.Gate {
	if len(d.list) == 0 {
		return ""
	}
	if i, ok := d.below[at.render(false)]; ok {
		return d.list[i].gate
	}
	return ""
}

// covering returns the dropped field that a place is in.
func (d *droppedFields) covering(at *path) (droppedField, bool) {
	for ; at != nil; at = at.parent {
		if i, ok := d.at[at.render(false)]; ok {
			return d.list[i], true
		}
	}
	return droppedField{}, false
}

// has tells whether anything was dropped for the gate.
func (d *droppedFields) has(g feature.Gate) bool {
	return slices.ContainsFunc(d.list, func(f droppedField) bool { return f.gate == g })
}

// dropper removes the fields of features that are off.
type dropper struct {
	on func(feature.Gate) bool
	// minor is the version of Kubernetes that drops.
	minor int
	// bound tells that the old status uses binding conditions.
	bound   bool
	dropped droppedFields
	subject subject
}

// drop notes a field that carried something. Empty lists go without a note:
// they said nothing.
func (d *dropper) drop(carried bool, rule string, gate feature.Gate, at *path, name, effect string) {
	if carried {
		d.dropped.add(droppedField{rule: rule, gate: gate, at: at, subject: d.subject, name: name, effect: effect})
	}
}

// does tells whether the version does as those after the change.
func (d *dropper) does(m milestone) bool { return d.minor >= int(m) }

// offGate returns the first of the gates that is off.
func (d *dropper) offGate(gates ...feature.Gate) (feature.Gate, bool) {
	i := slices.IndexFunc(gates, func(g feature.Gate) bool { return !d.on(g) })
	if i < 0 {
		return "", false
	}
	return gates[i], true
}

func (d *dropper) slice(s *resourceapi.ResourceSliceSpec, at *path) {
	if gate, off := d.offGate(feature.DRAPartitionableDevices); off {
		d.drop(len(s.SharedCounters) > 0, "shared-counters-dropped", gate, at.child("sharedCounters"), "sharedCounters",
			"the slice publishes no counters, and nothing keeps overlapping partitions apart")
		d.drop(s.PerDeviceNodeSelection != nil, "per-device-node-selection-dropped", gate, at.child("perDeviceNodeSelection"), "perDeviceNodeSelection",
			"the slice no longer says which nodes its devices are for")
		s.SharedCounters, s.PerDeviceNodeSelection = nil, nil
	}
	for i := range s.Devices {
		v := &s.Devices[i]
		d.subject = named("device", v.Name, "devices", i)
		d.device(v, s, at.child("devices").at(i).basic())
	}
	d.subject = subject{}
	if gate, off := d.offGate(feature.DRAPartitionableDevicesType); off {
		d.drop(s.PartitionTypeAttribute != nil, "partition-type-attribute-dropped", gate, at.child("partitionTypeAttribute"), "partitionTypeAttribute",
			"no pool status tells the partitions apart")
		s.PartitionTypeAttribute = nil
	}
	if gate, off := d.offGate(feature.DRAOptionalNodeOperations); off {
		d.drop(len(s.SkipNodeOperations) > 0, "skip-node-operations-dropped", gate, at.child("skipNodeOperations"), "skipNodeOperations",
			"the kubelet will wait for the driver's plugin on the node, and pods hang where there is none")
		s.SkipNodeOperations = nil
	}
}

func (d *dropper) device(v *resourceapi.Device, s *resourceapi.ResourceSliceSpec, at *path) {
	if gate, off := d.offGate(feature.DRADeviceTaints); off {
		d.drop(len(v.Taints) > 0, "taints-dropped", gate, at.child("taints"), "taints", "pods are placed on the device as if it had none")
		v.Taints = nil
	}
	if gate, off := d.offGate(feature.DRAPartitionableDevices); off {
		d.drop(len(v.ConsumesCounters) > 0, "consumes-counters-dropped", gate, at.child("consumesCounters"), "consumesCounters",
			"it can be allocated together with devices that overlap with it, and fail on the node")
		const effect = "it is then for the nodes of the whole slice"
		d.drop(v.NodeName != nil, "device-node-dropped", gate, at.child("nodeName"), "nodeName", effect)
		d.drop(v.NodeSelector != nil, "device-node-dropped", gate, at.child("nodeSelector"), "nodeSelector", effect)
		d.drop(v.AllNodes != nil, "device-node-dropped", gate, at.child("allNodes"), "allNodes", effect)
		v.ConsumesCounters, v.NodeName, v.NodeSelector, v.AllNodes = nil, nil, nil, nil
	}
	if gate, off := d.offGate(feature.DRADeviceBindingConditions, feature.DRAResourceClaimDeviceStatus); off {
		const rule, effect = "binding-conditions-dropped", "pods are bound without waiting for the device to become ready"
		d.drop(len(v.BindingConditions) > 0, rule, gate, at.child("bindingConditions"), "bindingConditions", effect)
		d.drop(len(v.BindingFailureConditions) > 0, rule, gate, at.child("bindingFailureConditions"), "bindingFailureConditions", effect)
		d.drop(v.BindsToNode != nil, "binds-to-node-dropped", gate, at.child("bindsToNode"), "bindsToNode", "the claim is not tied to the node that was chosen")
		v.BindingConditions, v.BindingFailureConditions, v.BindsToNode = nil, nil, nil
	}
	if gate, off := d.offGate(feature.DRAConsumableCapacity); off {
		d.consumableCapacity(v, gate, at)
	}
	if gate, off := d.offGate(feature.DRADeviceCompatibilityGroups); off {
		if len(v.ConsumesCounters) > 0 {
			v.ConsumesCounters = slices.Clone(v.ConsumesCounters)
		}
		for i := range v.ConsumesCounters {
			e := &v.ConsumesCounters[i]
			d.drop(len(e.CompatibilityGroups) > 0, "compatibility-groups-dropped", gate, at.child("consumesCounters").at(i).child("compatibilityGroups"),
				"compatibilityGroups", incompatible(v, e, s))
			e.CompatibilityGroups = nil
		}
	}
	if gate, off := d.offGate(feature.DRANodeAllocatableResources); off {
		d.drop(len(v.NodeAllocatableResources) > 0, "node-allocatable-resources-dropped", gate, at.child("nodeAllocatableResources"), "nodeAllocatableResources",
			"what it takes of the node's own resources is not counted, and the node can be overcommitted")
		v.NodeAllocatableResources = nil
	}
	if gate, off := d.offGate(feature.DRAListTypeAttributes); off {
		d.listAttributes(v, gate, at.child("attributes"))
	}
}

func (d *dropper) consumableCapacity(v *resourceapi.Device, gate feature.Gate, at *path) {
	d.drop(v.AllowMultipleAllocations != nil, "allow-multiple-allocations-dropped", gate, at.child("allowMultipleAllocations"), "allowMultipleAllocations",
		"the device becomes exclusive: one claim takes all of it")
	v.AllowMultipleAllocations = nil
	if allOf(v.Capacity, func(_ resourceapi.QualifiedName, entry *resourceapi.DeviceCapacity) bool {
		return entry.RequestPolicy == nil
	}) {
		return
	}
	v.Capacity = maps.Clone(v.Capacity)
	for _, name := range sortedKeys(v.Capacity) {
		entry := v.Capacity[name]
		d.drop(entry.RequestPolicy != nil, "request-policy-dropped", gate, at.child("capacity").key(string(name)).child("requestPolicy"), "requestPolicy",
			"the device becomes exclusive, and a request takes the whole capacity "+short(string(name)))
		entry.RequestPolicy = nil
		v.Capacity[name] = entry
	}
}

func (d *dropper) listAttributes(v *resourceapi.Device, gate feature.Gate, at *path) {
	if allOf(v.Attributes, isScalar) {
		return
	}
	v.Attributes = maps.Clone(v.Attributes)
	for _, name := range sortedKeys(v.Attributes) {
		a := v.Attributes[name]
		for _, l := range []struct {
			name string
			set  bool
		}{{"bools", a.BoolValues != nil}, {"ints", a.IntValues != nil}, {"strings", a.StringValues != nil}, {"versions", a.VersionValues != nil}} {
			d.drop(l.set, "list-attribute-dropped", gate, at.key(string(name)).child(l.name), "the list of attribute "+short(string(name)), "the attribute is left without a value")
		}
		a.BoolValues, a.IntValues, a.StringValues, a.VersionValues = nil, nil, nil, nil
		v.Attributes[name] = a
	}
}

// incompatible says which other device of the slice could now be allocated
// together with this one, although their groups exclude that.
func incompatible(v *resourceapi.Device, e *resourceapi.DeviceCounterConsumption, s *resourceapi.ResourceSliceSpec) string {
	for i := range min(len(s.Devices), resourceapi.ResourceSliceMaxDevices) {
		other := &s.Devices[i]
		if other.Name == v.Name {
			continue
		}
		for _, o := range other.ConsumesCounters {
			// The groups of devices before this one are gone already, so
			// the list is not complete; one example is enough.
			shared := slices.ContainsFunc(o.CompatibilityGroups, func(g string) bool { return slices.Contains(e.CompatibilityGroups, g) })
			if o.CounterSet == e.CounterSet && len(o.CompatibilityGroups) > 0 && !shared {
				return strings.Join([]string{short(v.Name), "and", short(other.Name), "could then be allocated together and fail on the node"}, " ")
			}
		}
	}
	return "it can be allocated together with devices of other groups, and fail on the node"
}

func (d *dropper) class(s *resourceapi.DeviceClassSpec, at *path) {
	if gate, off := d.offGate(feature.DRAExtendedResource); off {
		d.drop(s.ExtendedResourceName != nil, "extended-resource-name-dropped", gate, at.child("extendedResourceName"), "extendedResourceName",
			"pods cannot ask for the class through their resources")
		s.ExtendedResourceName = nil
	}
}
