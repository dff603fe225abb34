package allocate

import (
	"fmt"
	"math/rand/v2"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/drawbridge-dra/drawbridge/core/inventory"
)

const driver = "acc.example.test"

// world is one generated input for both allocators.
type world struct {
	node     *corev1.Node
	slices   []*resourceapi.ResourceSlice
	classes  map[string]*resourceapi.DeviceClass
	held     []*resourceapi.ResourceClaim
	claims   []*resourceapi.ResourceClaim
	features inventory.Features
}

// generator makes worlds that are small enough for an exhaustive search and
// still reach every feature.
type generator struct {
	*rand.Rand
	w world
	// devices are the names that slices publish, as driver/pool/device.
	devices []inventory.DeviceID
	shared  map[inventory.DeviceID]bool
	// grouped is in percent how many devices of the present pool that draw
	// from counters name groups.
	grouped int
}

func (g *generator) chance(percent int) bool { return g.IntN(100) < percent }

func pickOne[T any](g *generator, list ...T) T { return list[g.IntN(len(list))] }

// gateChoice says which gates the worlds have.
type gateChoice int

const (
	allGates gateChoice = iota
	otherGates
)

func generate(seed uint64, gates gateChoice) world {
	g := &generator{Rand: rand.New(rand.NewPCG(seed, 37)), shared: map[inventory.DeviceID]bool{}}
	g.w.node = &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n1", Labels: map[string]string{"zone": "a", "kubernetes.io/hostname": "n1"}}}
	if g.chance(60) {
		g.w.node.Status.DeclaredFeatures = []string{"DRAOptionalNodeOperations"}
	}
	g.features(gates)
	pools := 1 + g.IntN(4)
	if g.w.features.Implementation() == inventory.Stable {
		// It walks pools in random order, so it can only be compared where
		// there is one.
		pools = 1
	}
	for range pools {
		g.pool()
	}
	g.Shuffle(len(g.w.slices), func(i, j int) { g.w.slices[i], g.w.slices[j] = g.w.slices[j], g.w.slices[i] })
	g.makeClasses()
	for i := range g.IntN(1 + g.IntN(3)) {
		g.holder(i)
	}
	for i := range 1 + g.IntN(1+g.IntN(3)) {
		g.w.claims = append(g.w.claims, g.claim(fmt.Sprintf("c%d", i)))
	}
	return g.w
}

func (g *generator) features(gates gateChoice) {
	f := &g.w.features
	*f = inventory.Features{
		AdminAccess: true, PrioritizedList: true, PartitionableDevices: true, DeviceTaints: true, BindingConditions: true,
		ConsumableCapacity: true, FractionalCapacityRange: true, ListTypeAttributes: true, OptionalNodeOperations: true,
		DerivedAttributes: true, CompatibilityGroups: true,
	}
	if gates == allGates {
		return
	}
	switch g.IntN(4) {
	case 0:
		// The defaults of 1.37, that is the incubating allocator.
		f.FractionalCapacityRange, f.ListTypeAttributes, f.OptionalNodeOperations, f.DerivedAttributes, f.CompatibilityGroups = false, false, false, false, false
	case 1:
		// The defaults of 1.34 and 1.35, that is the stable allocator.
		*f = inventory.Features{AdminAccess: true, PrioritizedList: true, PartitionableDevices: g.chance(50), DeviceTaints: g.chance(50)}
	default:
		for _, b := range []*bool{&f.AdminAccess, &f.PrioritizedList, &f.PartitionableDevices, &f.DeviceTaints, &f.BindingConditions,
			&f.ConsumableCapacity, &f.FractionalCapacityRange, &f.ListTypeAttributes, &f.OptionalNodeOperations, &f.DerivedAttributes, &f.CompatibilityGroups} {
			*b = g.chance(75)
		}
	}
}

func (g *generator) pool() {
	n := len(g.w.slices)
	d := pickOne(g, driver, driver, "net.example.test")
	name := fmt.Sprintf("pool%d-%d", n, g.IntN(2))
	if g.chance(6) {
		name = "pool0-0" // two drafts of one pool
	}
	counters := g.chance(40)
	g.grouped = pickOne(g, 25, 25, 90)
	deviceSlices := 1 + g.IntN(2)
	count := int64(deviceSlices)
	if counters {
		count++
	}
	if g.chance(3) {
		count += int64(g.IntN(3)) - 1
	}
	generation := int64(1)
	if g.chance(3) {
		generation = 2
	}
	slice := func() *resourceapi.ResourceSlice {
		s := &resourceapi.ResourceSlice{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("slice%02d", 50-len(g.w.slices)+10*g.IntN(3))}}
		s.Name = fmt.Sprintf("%s-%d", s.Name, len(g.w.slices))
		s.Spec.Driver = d
		s.Spec.Pool = resourceapi.ResourcePool{Name: name, Generation: generation, ResourceSliceCount: count}
		g.w.slices = append(g.w.slices, s)
		return s
	}
	if counters {
		s := slice()
		s.Spec.NodeName = ptr.To("n1")
		for i := range 1 + g.IntN(2) {
			s.Spec.SharedCounters = append(s.Spec.SharedCounters, resourceapi.CounterSet{
				Name:     fmt.Sprintf("set%d", i),
				Counters: map[string]resourceapi.Counter{"mem": {Value: resource.MustParse(pickOne(g, "4Gi", "8Gi", "16Gi"))}, "slots": {Value: resource.MustParse(pickOne(g, "2", "3", "4"))}},
			})
		}
	}
	for i := range deviceSlices {
		s := slice()
		g.selectNodes(s)
		if g.chance(8) {
			s.Spec.SkipNodeOperations = []resourceapi.SkipNodeOperation{"*"}
		}
		for j := range 1 + g.IntN(5) {
			g.device(s, fmt.Sprintf("d%d", 10*i+j+n%2), counters)
		}
	}
}

func (g *generator) selectNodes(s *resourceapi.ResourceSlice) {
	switch g.IntN(12) {
	case 0:
		s.Spec.AllNodes = ptr.To(true)
	case 1:
		s.Spec.NodeSelector = zone(pickOne(g, "a", "a", "b"))
	case 2:
		s.Spec.NodeName = ptr.To("n2")
	case 3:
		s.Spec.PerDeviceNodeSelection = ptr.To(true)
	default:
		s.Spec.NodeName = ptr.To("n1")
	}
}

func zone(name string) *corev1.NodeSelector {
	return &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{
		MatchExpressions: []corev1.NodeSelectorRequirement{{Key: "zone", Operator: corev1.NodeSelectorOpIn, Values: []string{name}}}}}}
}

func (g *generator) device(s *resourceapi.ResourceSlice, name string, counters bool) {
	if g.chance(1) {
		name = "d0"
	}
	d := resourceapi.Device{Name: name, Attributes: map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{}}
	if g.chance(90) {
		d.Attributes["model"] = resourceapi.DeviceAttribute{StringValue: ptr.To(pickOne(g, "a", "a", "b"))}
	}
	if g.chance(85) {
		d.Attributes["numa"] = resourceapi.DeviceAttribute{IntValue: ptr.To(int64(g.IntN(2)))}
	}
	if g.chance(70) {
		d.Attributes["resource.kubernetes.io/root"] = resourceapi.DeviceAttribute{StringValue: ptr.To(pickOne(g, "r0", "r1"))}
	}
	if g.chance(20) {
		d.Attributes["numa"] = resourceapi.DeviceAttribute{IntValues: []int64{int64(g.IntN(2)), int64(g.IntN(3))}}
	}
	switch g.IntN(60) {
	case 0:
		d.Attributes["odd"] = resourceapi.DeviceAttribute{}
	case 1:
		d.Attributes["odd"] = resourceapi.DeviceAttribute{StringValues: []string{}}
	case 2:
		d.Attributes["numa"] = resourceapi.DeviceAttribute{IntValues: []int64{}}
	}
	if g.chance(40) {
		d.Capacity = map[resourceapi.QualifiedName]resourceapi.DeviceCapacity{"mem": {Value: resource.MustParse(pickOne(g, "4Gi", "8Gi", "10"))}}
		if g.chance(50) {
			d.AllowMultipleAllocations = ptr.To(true)
			if g.chance(60) {
				d.Capacity["bw"] = resourceapi.DeviceCapacity{Value: resource.MustParse("10"), RequestPolicy: g.policy()}
			}
		}
	}
	if g.chance(5) {
		d.Taints = []resourceapi.DeviceTaint{{Key: "worn", Value: pickOne(g, "", "x"), Effect: pickOne(g, resourceapi.DeviceTaintEffectNoSchedule, resourceapi.DeviceTaintEffectNoExecute, resourceapi.DeviceTaintEffectNone)}}
	}
	if counters && g.chance(75) {
		set := pickOne(g, "set0", "set0", "set0", "set0", "set0", "set1")
		c := resourceapi.DeviceCounterConsumption{CounterSet: set, Counters: map[string]resourceapi.Counter{"mem": {Value: resource.MustParse(pickOne(g, "2Gi", "4Gi", "6Gi"))}}}
		if g.chance(40) {
			c.Counters["slots"] = resourceapi.Counter{Value: resource.MustParse("1")}
		}
		if g.chance(g.grouped) {
			c.CompatibilityGroups = pickOne(g, []string{"mig"}, []string{"vgpu"}, []string{"mig", "vgpu"})
		}
		d.ConsumesCounters = append(d.ConsumesCounters, c)
	}
	if g.chance(6) {
		d.BindingConditions, d.BindingFailureConditions = []string{"ready"}, []string{"broken"}
		d.BindsToNode = ptr.To(g.chance(50))
	}
	if s.Spec.PerDeviceNodeSelection != nil {
		switch g.IntN(4) {
		case 0:
			d.NodeName = ptr.To("n2")
		case 1:
			d.AllNodes = ptr.To(true)
		case 2:
			d.NodeSelector = zone("a")
			if g.chance(10) {
				d.NodeSelector.NodeSelectorTerms = append(d.NodeSelector.NodeSelectorTerms, zone("b").NodeSelectorTerms...)
			}
		default:
			d.NodeName = ptr.To("n1")
		}
	}
	s.Spec.Devices = append(s.Spec.Devices, d)
	id := inventory.DeviceID{Driver: s.Spec.Driver, Pool: s.Spec.Pool.Name, Device: d.Name}
	g.devices = append(g.devices, id)
	g.shared[id] = d.AllowMultipleAllocations != nil
}

func (g *generator) policy() *resourceapi.CapacityRequestPolicy {
	q := func(s string) *resource.Quantity { return ptr.To(resource.MustParse(s)) }
	switch g.IntN(5) {
	case 0:
		return nil
	case 1:
		return &resourceapi.CapacityRequestPolicy{Default: q("1"), ValidValues: []resource.Quantity{*q("1"), *q("4"), *q("8")}}
	case 2:
		return &resourceapi.CapacityRequestPolicy{Default: q("500m"), ValidRange: &resourceapi.CapacityRequestPolicyRange{Min: q("500m"), Step: q("250m")}}
	case 3:
		return &resourceapi.CapacityRequestPolicy{Default: q("2"), ValidRange: &resourceapi.CapacityRequestPolicyRange{Min: q("1"), Max: q("6")}}
	}
	return &resourceapi.CapacityRequestPolicy{Default: q("1"), ValidRange: &resourceapi.CapacityRequestPolicyRange{Min: q("1"), Step: q("3")}}
}

func expr(expression string) resourceapi.DeviceSelector {
	return resourceapi.DeviceSelector{CEL: &resourceapi.CELDeviceSelector{Expression: expression}}
}

func (g *generator) makeClasses() {
	config := func(d string) []resourceapi.DeviceClassConfiguration {
		return []resourceapi.DeviceClassConfiguration{{DeviceConfiguration: resourceapi.DeviceConfiguration{Opaque: &resourceapi.OpaqueDeviceConfiguration{Driver: d}}}}
	}
	g.w.classes = map[string]*resourceapi.DeviceClass{
		"acc": {ObjectMeta: metav1.ObjectMeta{Name: "acc"}, Spec: resourceapi.DeviceClassSpec{
			Selectors: []resourceapi.DeviceSelector{expr(`device.driver == "` + driver + `"`)}, Config: config(driver)}},
		"any": {ObjectMeta: metav1.ObjectMeta{Name: "any"}},
		"net": {ObjectMeta: metav1.ObjectMeta{Name: "net"}, Spec: resourceapi.DeviceClassSpec{
			Selectors: []resourceapi.DeviceSelector{expr(`device.driver == "net.example.test"`)}, Config: append(config("net.example.test"), config(driver)...)}},
	}
}

// selectors are sometimes such that they fail on some devices.
func (g *generator) selectors() []resourceapi.DeviceSelector {
	switch g.IntN(12) {
	case 0:
		return []resourceapi.DeviceSelector{expr(`device.attributes["acc.example.test"].?model.orValue("") == "a"`)}
	case 1:
		return []resourceapi.DeviceSelector{expr(`"numa" in device.attributes["acc.example.test"]`)}
	case 2:
		if g.chance(40) {
			return []resourceapi.DeviceSelector{expr(`device.attributes["acc.example.test"].model == "a"`)}
		}
	case 3:
		return []resourceapi.DeviceSelector{expr(`device.allowMultipleAllocations == true`)}
	}
	return nil
}

func (g *generator) amounts() *resourceapi.CapacityRequirements {
	if !g.w.features.ConsumableCapacity && !g.chance(5) || !g.chance(20) {
		return nil
	}
	r := &resourceapi.CapacityRequirements{Requests: map[resourceapi.QualifiedName]resource.Quantity{}}
	r.Requests[pickOne(g, resourceapi.QualifiedName("mem"), "bw")] = resource.MustParse(pickOne(g, "1", "1", "1", "3", "3", "600m", "600m", "2Gi", "2Gi", "2Gi", "0", "0", "12", "9223372036854775800"))
	return r
}

func (g *generator) tolerations() []resourceapi.DeviceToleration {
	if !g.chance(25) {
		return nil
	}
	return []resourceapi.DeviceToleration{{Key: pickOne(g, "worn", ""), Operator: pickOne(g, resourceapi.DeviceTolerationOpExists, resourceapi.DeviceTolerationOpEqual),
		Effect: pickOne(g, resourceapi.DeviceTaintEffect(""), resourceapi.DeviceTaintEffectNoSchedule)}}
}

func (g *generator) mode() (resourceapi.DeviceAllocationMode, int64) {
	if g.chance(8) {
		return resourceapi.DeviceAllocationModeAll, 0
	}
	return resourceapi.DeviceAllocationModeExactCount, pickOne[int64](g, 1, 1, 1, 1, 2, 2, 3)
}

func (g *generator) derived(constraints []resourceapi.DeviceConstraint) []resourceapi.DeviceDerivedAttribute {
	if len(constraints) == 0 || !g.w.features.DerivedAttributes && !g.chance(3) || !g.chance(15) {
		return nil
	}
	name := constraints[0].MatchAttribute
	if name == nil {
		name = constraints[0].DistinctAttribute
	}
	return []resourceapi.DeviceDerivedAttribute{{Name: *name, Expression: pickOne(g,
		`device.driver`, `device.attributes["acc.example.test"].?model.orValue("none")`, `device.attributes["acc.example.test"].numa == 1`)}}
}

func (g *generator) claim(name string) *resourceapi.ResourceClaim {
	c := &resourceapi.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default", UID: types.UID(name)}}
	spec := &c.Spec.Devices
	if g.chance(30) {
		attribute := ptr.To(pickOne(g, resourceapi.FullyQualifiedName("acc.example.test/numa"), "resource.kubernetes.io/root", "acc.example.test/model"))
		con := resourceapi.DeviceConstraint{MatchAttribute: attribute}
		if g.chance(40) {
			con = resourceapi.DeviceConstraint{DistinctAttribute: attribute}
		}
		if g.chance(40) {
			con.Requests = []string{"r0"}
		}
		spec.Constraints = append(spec.Constraints, con)
	}
	for i := range 1 + g.IntN(1+g.IntN(2)) {
		r := resourceapi.DeviceRequest{Name: fmt.Sprintf("r%d", i)}
		if g.w.features.PrioritizedList && g.chance(20) {
			for j := range 1 + g.IntN(3) {
				mode, count := g.mode()
				r.FirstAvailable = append(r.FirstAvailable, resourceapi.DeviceSubRequest{
					Name: fmt.Sprintf("s%d", j), DeviceClassName: pickOne(g, "acc", "acc", "any", "any", "net"), AllocationMode: mode, Count: count,
					Selectors: g.selectors(), Tolerations: g.tolerations(), Capacity: g.amounts(), DerivedAttributes: g.derived(spec.Constraints),
				})
			}
		} else {
			mode, count := g.mode()
			r.Exactly = &resourceapi.ExactDeviceRequest{
				DeviceClassName: pickOne(g, "acc", "acc", "any", "any", "net"), AllocationMode: mode, Count: count,
				Selectors: g.selectors(), Tolerations: g.tolerations(), Capacity: g.amounts(), DerivedAttributes: g.derived(spec.Constraints),
			}
			if g.chance(2) {
				r.Exactly.DeviceClassName = "missing"
			}
			if g.w.features.AdminAccess && g.chance(10) {
				r.Exactly.AdminAccess = ptr.To(g.chance(80))
			}
			if g.chance(2) {
				r.Exactly.Count = 40
			}
		}
		spec.Requests = append(spec.Requests, r)
	}
	if g.chance(30) {
		spec.Config = append(spec.Config, resourceapi.DeviceClaimConfiguration{
			Requests:            pickOne(g, nil, []string{"r0"}, []string{"r0/s0"}, []string{"r0", "r1"}, []string{"r0/s1", "r1"}),
			DeviceConfiguration: resourceapi.DeviceConfiguration{Opaque: &resourceapi.OpaqueDeviceConfiguration{Driver: driver}},
		})
	}
	return c
}

// holder is an allocated claim that holds some of the devices.
func (g *generator) holder(i int) {
	c := &resourceapi.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("held%d", i), Namespace: "default"}}
	c.Status.Allocation = &resourceapi.AllocationResult{}
	for range 1 + g.IntN(2) {
		id := g.devices[g.IntN(len(g.devices))]
		r := resourceapi.DeviceRequestAllocationResult{Request: "r", Driver: id.Driver, Pool: id.Pool, Device: id.Device}
		if g.shared[id] && g.chance(80) {
			r.ShareID = ptr.To(types.UID(fmt.Sprintf("00000000-0000-4000-8000-%012d", g.IntN(1000))))
			if g.chance(80) {
				r.ConsumedCapacity = map[resourceapi.QualifiedName]resource.Quantity{"mem": resource.MustParse("1Gi"), "bw": resource.MustParse(pickOne(g, "1", "4"))}
			}
		} else if g.chance(15) {
			r.AdminAccess = ptr.To(true)
		}
		c.Status.Allocation.Devices.Results = append(c.Status.Allocation.Devices.Results, r)
	}
	g.w.held = append(g.w.held, c)
}
