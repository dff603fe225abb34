package validate

import (
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

func (r *random) metadata(namespaced bool) metav1.ObjectMeta {
	m := metav1.ObjectMeta{Name: r.text("object"), Labels: mapping(r, 3, r.labelKey, r.labelValue)}
	if r.chance(4) {
		m.Name, m.GenerateName = "", r.text(pick(r, "object-", "prefix", "a.b-", strings.Repeat("p", 70)))
	} else if r.faulty() {
		m.GenerateName = r.text("prefix-")
	}
	if r.chance(4) {
		m.Annotations = mapping(r, 3, r.labelKey, func() string { return r.oddText() })
		if r.faulty() {
			m.Annotations = map[string]string{"big": strings.Repeat("x", 256<<10-3+r.IntN(2)), "Upper/a": ""}
		}
	}
	if namespaced {
		m.Namespace = pick(r, "", "default", "admin", "admin", "false")
		if r.faulty() {
			m.Namespace = pick(r, "a.b", "Default", strings.Repeat("n", 64), "")
		}
	} else if r.faulty() {
		m.Namespace = "default"
	}
	if r.faulty() {
		m.Generation = pick[int64](r, -1, 0, 5)
	}
	if r.faulty() {
		m.Finalizers = list(r, 3, func(i int) string {
			return pick(r, "example.com/f", "kubernetes", "orphan", "foregroundDeletion", "bare", r.oddText())
		})
	}
	if r.faulty() {
		m.OwnerReferences = list(r, 3, func(i int) metav1.OwnerReference {
			return metav1.OwnerReference{APIVersion: pick(r, "v1", "apps/v1", "", "a/b/c", "/v1", "apps/"), Kind: pick(r, "Pod", "Event", ""), Name: pick(r, "a", ""), UID: pick[types.UID](r, "u", "", "v"), Controller: maybe(r, 2, r.chance(2))}
		})
	}
	return m
}

func (r *random) slice() *resourceapi.ResourceSlice {
	s := &resourceapi.ResourceSlice{ObjectMeta: r.metadata(false)}
	spec := &s.Spec
	spec.Driver = r.driver()
	spec.Pool = resourceapi.ResourcePool{Name: r.poolName(), Generation: 1, ResourceSliceCount: 1}
	if r.faulty() {
		spec.Pool.Generation = pick[int64](r, -1, 0, 1<<62)
	}
	if r.faulty() {
		spec.Pool.ResourceSliceCount = pick[int64](r, -1, 0)
	}
	perDevice := false
	switch r.IntN(4) {
	case 0, 1:
		spec.NodeName = ptr(r.text("node-1"))
	case 2:
		if r.chance(2) {
			spec.AllNodes = ptr(!r.faulty())
		} else {
			spec.NodeSelector = r.nodeSelector()
		}
	case 3:
		perDevice = !r.faulty()
		spec.PerDeviceNodeSelection = &perDevice
	}
	if r.faulty() {
		spec.NodeName, spec.AllNodes = maybe(r, 2, r.text("node-1")), maybe(r, 2, r.chance(2))
	}
	switch r.IntN(4) {
	case 0:
		r := r.boost()
		spec.SharedCounters = list(r, 8, r.counterSet)
	default:
		spec.Devices = r.devices(perDevice)
		if r.faulty() {
			spec.SharedCounters = list(r, 8, r.counterSet)
		}
	}
	if r.chance(6) {
		spec.PartitionTypeAttribute = ptr(resourceapi.FullyQualifiedName(r.attributeName()))
	}
	if r.chance(3) {
		spec.SkipNodeOperations = list(r, 3, func(int) resourceapi.SkipNodeOperation {
			if r.faulty() {
				return resourceapi.SkipNodeOperation(r.oddText())
			}
			return pick(r, resourceapi.SkipNodeOperationAll, resourceapi.SkipNodeOperationNodePrepareResources, resourceapi.SkipNodeOperationNodeUnprepareResources)
		})
	}
	return s
}

func (r *random) devices(perDevice bool) []resourceapi.Device {
	devices := list(r, 3, func(i int) resourceapi.Device { return r.device(i, perDevice) })
	if r.faulty() && len(devices) > 0 {
		// A long list of plain devices, with one that may lower the limit.
		for i := range pick(r, 63, 64, 65, 126, 127, 128, 129) {
			plain := resourceapi.Device{Name: "plain" + digits(i)}
			if perDevice {
				plain.AllNodes = ptr(true)
			}
			devices = append(devices, plain)
		}
	}
	return devices
}

func (r *random) counterSet(i int) resourceapi.CounterSet {
	return resourceapi.CounterSet{Name: r.name(i), Counters: r.counters()}
}

func (r *random) counters() map[string]resourceapi.Counter {
	if r.chance(60) {
		counters := map[string]resourceapi.Counter{}
		for i := range 31 + r.IntN(4) {
			counters["c"+digits(i)] = resourceapi.Counter{Value: r.quantity()}
		}
		return counters
	}
	if !r.faulty() {
		return map[string]resourceapi.Counter{"memory": {Value: r.quantity()}}
	}
	return mapping(r.boost(), 32, r.name, func() resourceapi.Counter { return resourceapi.Counter{Value: r.quantity()} })
}

func (r *random) device(i int, perDevice bool) resourceapi.Device {
	d := resourceapi.Device{Name: r.name(i)}
	d.Attributes = mapping(r, 32, func(i int) resourceapi.QualifiedName { return resourceapi.QualifiedName(r.qualifiedName(i)) }, r.attribute)
	if r.chance(3) {
		d.AllowMultipleAllocations = ptr(!r.chance(4))
	}
	d.Capacity = mapping(r, 4, func(i int) resourceapi.QualifiedName { return resourceapi.QualifiedName(r.qualifiedName(i)) }, r.capacity)
	if r := r.boost(); r.chance(3) {
		d.Taints = list(r, 16, func(i int) resourceapi.DeviceTaint { return r.taint(i) })
	}
	if r := r.boost(); r.chance(2) {
		d.ConsumesCounters = list(r, 2, func(i int) resourceapi.DeviceCounterConsumption {
			c := resourceapi.DeviceCounterConsumption{CounterSet: r.name(i), Counters: r.counters()}
			if r.chance(2) {
				c.CompatibilityGroups = list(r, 2, r.name)
				if n := len(c.CompatibilityGroups); n > 0 && r.chance(8) {
					c.CompatibilityGroups[n-1] = c.CompatibilityGroups[0]
				}
			}
			return c
		})
	}
	if perDevice || r.faulty() {
		switch r.IntN(3) {
		case 0:
			d.NodeName = ptr(r.text("node-1"))
		case 1:
			d.NodeSelector = r.nodeSelector()
		case 2:
			d.AllNodes = ptr(!r.faulty())
		}
		if r.faulty() {
			d.NodeName, d.AllNodes = maybe(r, 2, r.text("node-1")), maybe(r, 2, r.chance(2))
		}
	}
	if r := r.boost(); r.chance(3) {
		d.BindsToNode = maybe(r, 2, r.chance(2))
		d.BindingConditions = []string{r.labelKey(0)}
		d.BindingFailureConditions = []string{r.labelKey(1)}
		if r.faulty() {
			d.BindingConditions, d.BindingFailureConditions = list(r, 4, r.condition), list(r, 4, r.condition)
		}
	}
	if r := r.boost(); r.chance(4) {
		d.NodeAllocatableResources = mapping(r, 3, func(int) corev1.ResourceName {
			if r.faulty() {
				return corev1.ResourceName(pick(r, "hugepages-", "ephemeral-storage", "", r.oddText()))
			}
			return pick(r, corev1.ResourceCPU, corev1.ResourceMemory, "hugepages-2Mi")
		}, func() resourceapi.NodeAllocatableResource { return r.nodeAllocatable(&d) })
	}
	return d
}

// condition repeats more often than other names do.
func (r *random) condition(i int) string { return r.labelKey(r.IntN(i + 1)) }

func (r *random) nodeAllocatable(d *resourceapi.Device) (n resourceapi.NodeAllocatableResource) {
	if !r.chance(3) {
		n.Mapping = &resourceapi.NodeAllocatableMapping{}
		if r.chance(2) {
			n.Mapping.DeviceMultiplier = ptr(r.quantity())
		}
		if n.Mapping.DeviceMultiplier == nil || r.faulty() {
			key := resourceapi.QualifiedName(r.qualifiedName(0))
			if len(d.Capacity) > 0 && !r.faulty() {
				key = pick(r, slices.Sorted(maps.Keys(d.Capacity))...)
			}
			n.Mapping.CapacityKey, n.Mapping.CapacityMultiplier = &key, ptr(r.quantity())
		}
		if r.faulty() {
			n.Mapping.CapacityMultiplier = maybe(r, 2, r.quantity())
		}
		if r.faulty() {
			n.Mapping.CapacityKey = nil
		}
	}
	if n.Mapping == nil && !r.faulty() || r.faulty() {
		n.Overhead = &resourceapi.NodeAllocatableOverhead{PerPod: ptr(r.quantity())}
		if r.faulty() {
			n.Overhead.PerPod, n.Overhead.PerContainer = maybe(r, 2, r.quantity()), maybe(r, 2, r.quantity())
		}
	}
	return n
}

func (r *random) attribute() (a resourceapi.DeviceAttribute) {
	for {
		switch r.IntN(9) {
		case 0:
			a.IntValue = ptr(int64(r.IntN(5)))
		case 1:
			a.BoolValue = ptr(true)
		case 2, 3:
			a.StringValue = ptr(r.text("model"))
		case 4:
			a.VersionValue = ptr(r.version())
		case 5:
			a.IntValues = list(r, 49, func(i int) int64 { return int64(i) })
		case 6:
			a.BoolValues = list(r, 3, func(int) bool { return true })
		case 7:
			a.StringValues = list(r, 10, func(i int) string { return r.text("s") })
		case 8:
			a.VersionValues = list(r, 3, func(i int) string { return r.version() })
		}
		if !r.faulty() {
			break
		}
	}
	if r.faulty() && r.chance(3) {
		return resourceapi.DeviceAttribute{}
	}
	return a
}

func (r *random) capacity() resourceapi.DeviceCapacity {
	r = r.boost()
	c := resourceapi.DeviceCapacity{Value: r.quantity()}
	if r.chance(3) {
		return c
	}
	p := &resourceapi.CapacityRequestPolicy{}
	c.RequestPolicy = p
	if !r.chance(5) || !r.faulty() {
		p.Default = ptr(r.quantity())
	}
	if r.chance(2) {
		v := &resourceapi.CapacityRequestPolicyRange{}
		if !r.faulty() {
			v.Min = ptr(r.quantity())
		}
		v.Max, v.Step = maybe(r, 2, r.quantity()), maybe(r, 2, r.quantity())
		if r.chance(10) {
			// Whether it is too fine depends on a gate.
			v.Step = ptr(resource.MustParse(pick(r, "1u", "1n", "500u", "500m", "1500m")))
		}
		p.ValidRange = v
	}
	if p.ValidRange == nil || r.faulty() {
		for range r.count(10) {
			p.ValidValues = append(p.ValidValues, r.quantity())
		}
	}
	return c
}

func (r *random) taint(i int) resourceapi.DeviceTaint {
	return resourceapi.DeviceTaint{Key: r.labelKey(i), Value: r.labelValue(), Effect: r.effect()}
}

func (r *random) effect() resourceapi.DeviceTaintEffect {
	if r.faulty() {
		return pick[resourceapi.DeviceTaintEffect](r, "", "noschedule", "PreferNoSchedule")
	}
	return pick(r, resourceapi.DeviceTaintEffectNoExecute, resourceapi.DeviceTaintEffectNoSchedule, resourceapi.DeviceTaintEffectNone)
}

func (r *random) nodeSelector() *corev1.NodeSelector {
	r = r.boost()
	terms := 1
	if r.faulty() {
		terms = r.IntN(3)
	}
	s := &corev1.NodeSelector{}
	for range terms {
		s.NodeSelectorTerms = append(s.NodeSelectorTerms, corev1.NodeSelectorTerm{
			MatchExpressions: list(r, 2, func(i int) corev1.NodeSelectorRequirement {
				q := corev1.NodeSelectorRequirement{Key: r.labelKey(i), Operator: corev1.NodeSelectorOpIn, Values: []string{r.labelValue()}}
				if r.faulty() {
					q.Operator = pick(r, corev1.NodeSelectorOpExists, corev1.NodeSelectorOpGt, corev1.NodeSelectorOpNotIn, "", "in")
					q.Values = list(r, 2, func(int) string { return r.labelValue() })
				}
				return q
			}),
			MatchFields: list(r, 1, func(i int) corev1.NodeSelectorRequirement {
				q := corev1.NodeSelectorRequirement{Key: "metadata.name", Operator: corev1.NodeSelectorOpIn, Values: []string{r.text("node-1")}}
				if r.faulty() {
					q.Key = pick(r, "metadata.name", "metadata.namespace", "")
					q.Operator = pick(r, corev1.NodeSelectorOpExists, corev1.NodeSelectorOpNotIn, "")
					q.Values = list(r, 2, func(int) string { return r.text("node-1") })
				}
				return q
			}),
		})
	}
	return s
}

func (r *random) taintRule() *resourceapi.DeviceTaintRule {
	t := &resourceapi.DeviceTaintRule{ObjectMeta: r.metadata(false), Spec: resourceapi.DeviceTaintRuleSpec{Taint: r.taint(0)}}
	if !r.chance(4) {
		t.Spec.DeviceSelector = &resourceapi.DeviceTaintSelector{Driver: maybe(r, 2, r.driver()), Pool: maybe(r, 2, r.poolName()), Device: maybe(r, 2, r.name(0))}
	}
	return t
}
