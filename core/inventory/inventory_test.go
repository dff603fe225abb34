package inventory

import (
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/types"
)

var beta = Features{PartitionableDevices: true, BindingConditions: true, ConsumableCapacity: true, DeviceTaintRules: true}

type change func(s *resourceapi.ResourceSlice)

// slice is one of a pool on node n1 with the devices named; changes alter it.
func slice(name, pool string, count int64, devices string, changes ...change) *resourceapi.ResourceSlice {
	s := &resourceapi.ResourceSlice{}
	s.Name = name
	node := "n1"
	s.Spec = resourceapi.ResourceSliceSpec{Driver: "acc.example.test", NodeName: &node, Pool: resourceapi.ResourcePool{Name: pool, Generation: 1, ResourceSliceCount: count}}
	for _, d := range strings.Fields(devices) {
		s.Spec.Devices = append(s.Spec.Devices, resourceapi.Device{Name: d})
	}
	for _, c := range changes {
		c(s)
	}
	return s
}

func generation(g int64) change {
	return func(s *resourceapi.ResourceSlice) { s.Spec.Pool.Generation = g }
}

func onNodeNamed(name string) change {
	return func(s *resourceapi.ResourceSlice) { s.Spec.NodeName = &name }
}

func everywhere(s *resourceapi.ResourceSlice) {
	yes := true
	s.Spec.NodeName, s.Spec.AllNodes = nil, &yes
}

func binding(s *resourceapi.ResourceSlice) {
	s.Spec.Devices[0].BindingConditions = []string{"ready"}
}

func counters(sets ...string) change {
	return func(s *resourceapi.ResourceSlice) {
		for _, set := range sets {
			s.Spec.SharedCounters = append(s.Spec.SharedCounters, resourceapi.CounterSet{Name: set, Counters: map[string]resourceapi.Counter{"slots": {Value: resource.MustParse("2")}}})
		}
	}
}

func consumes(set, counter string, groups ...string) change {
	return func(s *resourceapi.ResourceSlice) {
		s.Spec.Devices[0].ConsumesCounters = []resourceapi.DeviceCounterConsumption{{CounterSet: set, CompatibilityGroups: groups,
			Counters: map[string]resourceapi.Counter{counter: {Value: resource.MustParse("1")}}}}
	}
}

// describe writes the pools of node n1 as one line.
func describe(t *testing.T, slices []*resourceapi.ResourceSlice, features Features) string {
	t.Helper()
	node := &corev1.Node{}
	node.Name = "n1"
	pools, err := New(slices, nil, features).Pools(node)
	if err != nil {
		return "error: " + err.Error()
	}
	var out []string
	for _, p := range pools {
		text := p.ID.Pool
		if !p.Usable() {
			text += " unusable: " + p.Reason
		}
		for _, s := range p.Slices {
			for i := range s.Spec.Devices {
				text += " " + s.Spec.Devices[i].Name
			}
		}
		if n := len(p.Elsewhere); n > 0 {
			text += fmt.Sprintf(" (%d slices elsewhere)", n)
		}
		out = append(out, text)
	}
	return strings.Join(out, "; ")
}

func TestPools(t *testing.T) {
	for _, tc := range []struct {
		name   string
		slices []*resourceapi.ResourceSlice
		want   string
	}{
		{"pools by name, slices by name", []*resourceapi.ResourceSlice{slice("b", "p2", 1, "d0"), slice("z", "p1", 2, "d2 d3"), slice("a", "p1", 2, "d1")}, "p1 d1 d2 d3; p2 d0"},
		{"binding conditions last", []*resourceapi.ResourceSlice{slice("a", "p1", 1, "d0", binding), slice("b", "p2", 1, "d0")}, "p2 d0; p1 d0"},
		{"newest generation", []*resourceapi.ResourceSlice{slice("a", "p", 1, "old"), slice("b", "p", 1, "new", generation(2))}, "p new"},
		{"half of a generation", []*resourceapi.ResourceSlice{slice("a", "p", 1, "old"), slice("b", "p", 2, "new", generation(2))}, "p unusable: 1 of 2 slices of generation 2 seen"},
		{"more than announced", []*resourceapi.ResourceSlice{slice("a", "p", 1, "d0"), slice("b", "p", 1, "d1")}, "p unusable: 2 slices of generation 1 seen, and they announce 1"},
		{"the rest is on another node", []*resourceapi.ResourceSlice{slice("a", "p", 2, "d0"), slice("b", "p", 2, "d1", onNodeNamed("n2"))}, "p d0 (1 slices elsewhere)"},
		{"a newer generation elsewhere hides an incomplete pool", []*resourceapi.ResourceSlice{slice("a", "p", 2, "d0"), slice("b", "p", 2, "d1", onNodeNamed("n2"), generation(2))}, ""},
		{"and goes unnoticed by a complete one", []*resourceapi.ResourceSlice{slice("a", "p", 1, "d0"), slice("b", "p", 1, "d1", onNodeNamed("n2"), generation(2))}, "p d0"},
		{"all nodes", []*resourceapi.ResourceSlice{slice("a", "p", 1, "d0", everywhere)}, "p d0"},
		{"other node", []*resourceapi.ResourceSlice{slice("a", "p", 1, "d0", onNodeNamed("n2"))}, ""},
		{"a device twice", []*resourceapi.ResourceSlice{slice("a", "p", 2, "d0"), slice("b", "p", 2, "d0")}, "p unusable: device d0 is published by slices a and b"},
		{"counters apart", []*resourceapi.ResourceSlice{slice("a", "p", 2, "", counters("set")), slice("b", "p", 2, "d0", consumes("set", "slots"))}, "p d0"},
		{"a counter set twice", []*resourceapi.ResourceSlice{slice("a", "p", 2, "", counters("set")), slice("b", "p", 2, "", counters("set"))}, "p unusable: counter set set is published by slices a and b"},
		{"no such counter set", []*resourceapi.ResourceSlice{slice("a", "p", 1, "d0", consumes("set", "slots"))}, "p unusable: device d0 consumes counter set set, which no slice of the pool publishes"},
		{"no such counter", []*resourceapi.ResourceSlice{slice("a", "p", 2, "", counters("set")), slice("b", "p", 2, "d0", consumes("set", "memory"))}, "p unusable: device d0 consumes counter memory, which counter set set does not have"},
		{"groups while their gate is off", []*resourceapi.ResourceSlice{slice("a", "p", 2, "", counters("set")), slice("b", "p", 2, "d0", consumes("set", "slots", "mig"))},
			"p unusable: 1 of 2 slices of generation 1 seen; 1 more use compatibilityGroups, which hides them while DRADeviceCompatibilityGroups is off"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := describe(t, tc.slices, beta); got != tc.want {
				t.Errorf("got  %s\nwant %s", got, tc.want)
			}
		})
	}
}

// TestStablePools covers the order of slices, which the stable allocator takes
// as it comes, and counters, which are every node's to it.
func TestStablePools(t *testing.T) {
	slices := []*resourceapi.ResourceSlice{slice("z", "p", 3, "d2"), slice("a", "p", 3, "d1"), slice("c", "p", 3, "", counters("set"), onNodeNamed("n2"))}
	if got := describe(t, slices, Features{PartitionableDevices: true}); got != "p d2 d1" {
		t.Errorf("got %s", got)
	}
}

func TestUnreadableSelector(t *testing.T) {
	s := slice("a", "p", 1, "d0", func(s *resourceapi.ResourceSlice) {
		s.Spec.NodeName = nil
		s.Spec.NodeSelector = &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchExpressions: []corev1.NodeSelectorRequirement{{Key: "zone", Operator: "Near"}}}}}
	})
	if got := describe(t, []*resourceapi.ResourceSlice{s}, beta); !strings.Contains(got, "node selector of ResourceSlice a") {
		t.Errorf("got %s", got)
	}
}

func TestTaintRules(t *testing.T) {
	rule := func(selector *resourceapi.DeviceTaintSelector) *resourceapi.DeviceTaintRule {
		return &resourceapi.DeviceTaintRule{Spec: resourceapi.DeviceTaintRuleSpec{DeviceSelector: selector, Taint: resourceapi.DeviceTaint{Key: "worn", Effect: resourceapi.DeviceTaintEffectNoSchedule}}}
	}
	device := "d1"
	for _, tc := range []struct {
		name     string
		selector *resourceapi.DeviceTaintSelector
		want     []int
	}{
		{"no selector matches nothing", nil, []int{0, 0}},
		{"an empty one matches everything", &resourceapi.DeviceTaintSelector{}, []int{1, 1}},
		{"one device", &resourceapi.DeviceTaintSelector{Device: &device}, []int{0, 1}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := slice("a", "p", 1, "d0 d1")
			node := &corev1.Node{}
			node.Name = "n1"
			pools, err := New([]*resourceapi.ResourceSlice{s}, []*resourceapi.DeviceTaintRule{rule(tc.selector)}, beta).Pools(node)
			if err != nil {
				t.Fatal(err)
			}
			for i, want := range tc.want {
				if got := len(pools[0].Slices[0].Spec.Devices[i].Taints); got != want {
					t.Errorf("device %d has %d taints, want %d", i, got, want)
				}
				if len(s.Spec.Devices[i].Taints) > 0 {
					t.Error("the slice itself was changed")
				}
			}
		})
	}
}

func TestHeld(t *testing.T) {
	share := types.UID("share")
	yes := true
	result := func(device string, change func(r *resourceapi.DeviceRequestAllocationResult)) resourceapi.DeviceRequestAllocationResult {
		r := resourceapi.DeviceRequestAllocationResult{Driver: "acc.example.test", Pool: "p", Device: device}
		if change != nil {
			change(&r)
		}
		return r
	}
	shared := func(r *resourceapi.DeviceRequestAllocationResult) {
		r.ShareID, r.ConsumedCapacity = &share, map[resourceapi.QualifiedName]resource.Quantity{"bw": resource.MustParse("1G")}
	}
	c := &resourceapi.ResourceClaim{}
	c.Name, c.Namespace = "c", "default"
	c.Status.Allocation = &resourceapi.AllocationResult{Devices: resourceapi.DeviceAllocationResult{Results: []resourceapi.DeviceRequestAllocationResult{
		result("whole", nil), result("shared", shared), result("shared", shared),
		result("admin", func(r *resourceapi.DeviceRequestAllocationResult) { r.AdminAccess = &yes }),
	}}}
	id := func(device string) DeviceID { return DeviceID{"acc.example.test", "p", device} }

	h := NewHeld()
	h.Add(c, beta)
	sum := h.Capacity[id("shared")]["bw"]
	if len(h.Exclusive) != 1 || len(h.Shared[id("shared")]) != 2 || sum.String() != "2G" || h.Any(id("admin")) || len(h.Changes(PoolID{"acc.example.test", "p"}).Devices) != 3 {
		t.Errorf("got %+v", h)
	}
	if got := h.Holders(id("whole")); len(got) != 1 || got[0] != "default/c" {
		t.Errorf("holders %v", got)
	}
	// Without the gate a share is as good as the whole device.
	h = NewHeld()
	h.Add(c, Features{})
	if len(h.Exclusive[id("shared")]) != 2 || len(h.Capacity) != 0 {
		t.Errorf("gate off: %+v", h)
	}
}

func TestImplementation(t *testing.T) {
	for want, f := range map[Implementation]Features{
		Stable:       {AdminAccess: true, PrioritizedList: true, PartitionableDevices: true, DeviceTaints: true},
		Incubating:   {ConsumableCapacity: true},
		Experimental: {ConsumableCapacity: true, CompatibilityGroups: true},
	} {
		if got := f.Implementation(); got != want {
			t.Errorf("%+v: got %s, want %s", f, got, want)
		}
	}
	if got := (Features{CompatibilityGroups: true, Only: Incubating}).Implementation(); got != Incubating {
		t.Errorf("told to follow one: got %s", got)
	}
}
