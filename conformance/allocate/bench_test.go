package allocate

import (
	"context"
	"fmt"
	"runtime"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/dynamic-resource-allocation/cel"
	"k8s.io/dynamic-resource-allocation/structured"
	"k8s.io/utils/ptr"

	"github.com/drawbridge-dra/drawbridge/core/allocate"
	"github.com/drawbridge-dra/drawbridge/core/inventory"
)

// BenchmarkAttempt measures one attempt on one node by the scheduler's
// allocator and by ours, turn by turn in one run. Both start from slices and
// claims, as for a pod that nothing is prepared for, and have the expressions
// compiled. The metric upstream/ours says how many times longer the
// scheduler's takes.
func BenchmarkAttempt(b *testing.B) {
	for _, scenario := range []struct {
		name string
		w    world
	}{
		{"one claim, one node, 8 devices", plainWorld(8, 1, 1)},
		{"five requests over two roots, match", rootsWorld()},
		{"seven of eight partitions, counters", partitionsWorld()},
	} {
		b.Run(scenario.name, func(b *testing.B) {
			w := scenario.w
			programs := allocate.NewPrograms(w.features)
			inv := inventory.New(w.slices, nil, w.features)
			var theirs, mine time.Duration
			for b.Loop() {
				runtime.GC() // nobody pays for what the other has left
				begun := spent(b)
				fits := false
				for range turn {
					fits = w.upstreamFor(b, context.Background()) != nil
				}
				theirs += spent(b) - begun
				runtime.GC()
				begun = spent(b)
				for range turn {
					if got := w.attempt(b, inv, programs, false); got.Fits != fits {
						b.Fatalf("fits: ours %v, upstream %v", got.Fits, fits)
					}
				}
				mine += spent(b) - begun
			}
			b.ReportMetric(float64(theirs)/float64(mine), "upstream/ours")
		})
	}
}

// turn is how many attempts each allocator makes before it is the other's
// turn: a single one is too short for the clock.
const turn = 200

// attempt is one attempt of ours, with nothing held.
func (w world) attempt(b *testing.B, inv *inventory.Inventory, programs *allocate.Programs, explain bool) *allocate.Answer {
	pools, err := inv.Pools(w.node)
	if err != nil {
		b.Fatal(err)
	}
	got, err := allocate.Allocate(context.Background(), allocate.Problem{
		View:    allocate.NewView(w.node, pools, inventory.NewHeld(), w.features, programs),
		Claims:  allocate.Prepare(w.claims, w.classes, w.features, programs),
		Explain: explain})
	if err != nil {
		b.Fatal(err)
	}
	return got
}

var benchCache = cel.NewCache(50, cel.Features{EnableConsumableCapacity: true, EnableListTypeAttributes: true})

// upstreamFor is one attempt of the scheduler's allocator, with nothing held.
func (w world) upstreamFor(b *testing.B, ctx context.Context) []resourceapi.AllocationResult {
	features := structured.Features{
		AdminAccess: true, PrioritizedList: true, PartitionableDevices: true, DeviceTaints: true, DeviceBindingAndStatus: true, ConsumableCapacity: true,
	}
	state := structured.AllocatedState{AllocatedDevices: sets.New[structured.DeviceID](), AllocatedSharedDeviceIDs: sets.New[structured.SharedDeviceID](), AggregatedCapacity: structured.ConsumedCapacityCollection{}}
	allocator, err := structured.NewAllocator(ctx, features, state, classes(w.classes), w.slices, benchCache)
	if err != nil {
		b.Fatal(err)
	}
	out, err := allocator.Allocate(ctx, w.node, w.claims)
	if err != nil && ctx.Err() == nil {
		b.Fatal(err)
	}
	return out
}

// patience is how long the scheduler's allocator gets for what does not fit;
// it is the time that the scheduler's plugin grants by default.
const patience = 10 * time.Second

// BenchmarkHopeless measures what does not fit, at sizes at which the
// scheduler's allocator uses up its ten seconds. The metric ours-ms is our
// time until it is proven, explained and told; upstream-s, with -full, is the
// time after which the scheduler's gave up.
func BenchmarkHopeless(b *testing.B) {
	for _, scenario := range []struct {
		name string
		w    world
	}{
		{"7 claims on 20 devices, the last matches nothing", lastMatchesNothing()},
		{"12 claims on 11 devices", plainWorld(11, 12, 1)},
		{"32 of 31 devices", plainWorld(31, 1, 32)},
		{"match, every group one too small", valuesWorld(80, 10, 9, false)},
		{"distinct, one value short", valuesWorld(33, 11, 12, true)},
		{"counters, one slot too few", slotsWorld(26, 12, 13)},
		{"9 lists of alternatives over the limit", listsWorld(40, 9)},
	} {
		b.Run(scenario.name, func(b *testing.B) {
			w := scenario.w
			var mine time.Duration
			programs := allocate.NewPrograms(w.features)
			for b.Loop() {
				begun := spent(b)
				for range turn {
					got := w.attempt(b, inventory.New(w.slices, nil, w.features), programs, true)
					if got.Fits || got.Failure.Kind == allocate.Undecided {
						b.Fatal(got)
					}
				}
				mine += spent(b) - begun
			}
			b.ReportMetric(float64(mine.Microseconds())/1000/turn/float64(b.N), "ours-ms")
			if *full {
				ctx, cancel := context.WithTimeout(context.Background(), patience)
				defer cancel()
				begun := time.Now()
				if w.upstreamFor(b, ctx) == nil {
					b.ReportMetric(time.Since(begun).Seconds(), "upstream-s")
				}
			}
		})
	}
}

func lastMatchesNothing() world {
	w := plainWorld(20, 7, 1)
	w.claims[6].Spec.Devices.Requests[0].Exactly.Selectors = []resourceapi.DeviceSelector{expr("false")}
	return w
}

// valuesWorld asks for n devices one by one, by requests that are not alike,
// under a constraint over an attribute with so many values.
func valuesWorld(devices, values, n int, distinct bool) world {
	w := emptyWorld()
	var list []resourceapi.Device
	for i := range devices {
		list = append(list, resourceapi.Device{Name: fmt.Sprintf("d%02d", i), Attributes: map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{
			"root": {StringValue: ptr.To(fmt.Sprintf("root%d", i%values))}, "serial": {IntValue: ptr.To(int64(i))}}})
	}
	w.slice(list...)
	w.ask(1, n, 1)
	for i := range n {
		w.claims[0].Spec.Devices.Requests[i].Exactly.Selectors = []resourceapi.DeviceSelector{expr(fmt.Sprintf(`device.attributes["acc.example.test"].serial != 1%03d`, i))}
	}
	con := resourceapi.DeviceConstraint{MatchAttribute: ptr.To(resourceapi.FullyQualifiedName(driver + "/root"))}
	if distinct {
		con = resourceapi.DeviceConstraint{DistinctAttribute: con.MatchAttribute}
	}
	w.claims[0].Spec.Devices.Constraints = []resourceapi.DeviceConstraint{con}
	return w
}

// slotsWorld has devices that each take one of so many slots.
func slotsWorld(devices, slots int, n int64) world {
	w := emptyWorld()
	var list []resourceapi.Device
	for i := range devices {
		list = append(list, resourceapi.Device{Name: fmt.Sprintf("d%02d", i), ConsumesCounters: []resourceapi.DeviceCounterConsumption{{
			CounterSet: "set", Counters: map[string]resourceapi.Counter{"slots": {Value: resource.MustParse("1")}}}}})
	}
	w.slice(list...)
	w.slice().Spec.SharedCounters = []resourceapi.CounterSet{{Name: "set", Counters: map[string]resourceapi.Counter{"slots": {Value: *resource.NewQuantity(int64(slots), resource.DecimalSI)}}}}
	for _, s := range w.slices {
		s.Spec.Pool.ResourceSliceCount = 2
	}
	w.ask(1, 1, n)
	return w
}

// listsWorld asks so many times for four devices or three, and then once for
// a device that no selector matches.
func listsWorld(devices, lists int) world {
	w := plainWorld(devices, 0, 1)
	w.ask(1, 0, 0)
	for i := range lists {
		r := resourceapi.DeviceRequest{Name: fmt.Sprintf("r%d", i)}
		for _, count := range []int64{4, 3} {
			r.FirstAvailable = append(r.FirstAvailable, resourceapi.DeviceSubRequest{Name: fmt.Sprintf("s%d", count), DeviceClassName: "acc",
				AllocationMode: resourceapi.DeviceAllocationModeExactCount, Count: count})
		}
		w.claims[0].Spec.Devices.Requests = append(w.claims[0].Spec.Devices.Requests, r)
	}
	w.ask(1, 1, 1)
	w.claims[1].Spec.Devices.Requests[0].Exactly.Selectors = []resourceapi.DeviceSelector{expr("false")}
	return w
}

func emptyWorld() world {
	w := world{node: &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n1"}}, classes: map[string]*resourceapi.DeviceClass{
		"acc": {ObjectMeta: metav1.ObjectMeta{Name: "acc"}, Spec: resourceapi.DeviceClassSpec{Selectors: []resourceapi.DeviceSelector{expr(`device.driver == "` + driver + `"`)}}},
	}}
	w.features = inventory.Features{AdminAccess: true, PrioritizedList: true, PartitionableDevices: true, DeviceTaints: true, BindingConditions: true, ConsumableCapacity: true}
	return w
}

func (w *world) slice(devices ...resourceapi.Device) *resourceapi.ResourceSlice {
	s := &resourceapi.ResourceSlice{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("slice%d", len(w.slices))}, Spec: resourceapi.ResourceSliceSpec{
		Driver: driver, NodeName: ptr.To("n1"), Pool: resourceapi.ResourcePool{Name: "n1", Generation: 1, ResourceSliceCount: 1}, Devices: devices}}
	w.slices = append(w.slices, s)
	return s
}

func (w *world) ask(claims int, requests int, count int64) {
	for i := range claims {
		c := &resourceapi.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("c%d", i), Namespace: "default"}}
		for j := range requests {
			c.Spec.Devices.Requests = append(c.Spec.Devices.Requests, resourceapi.DeviceRequest{Name: fmt.Sprintf("r%d", j), Exactly: &resourceapi.ExactDeviceRequest{
				DeviceClassName: "acc", AllocationMode: resourceapi.DeviceAllocationModeExactCount, Count: count}})
		}
		w.claims = append(w.claims, c)
	}
}

func plainWorld(devices, claims int, count int64) world {
	w := emptyWorld()
	var list []resourceapi.Device
	for i := range devices {
		list = append(list, resourceapi.Device{Name: fmt.Sprintf("d%d", i), Attributes: map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{"model": {StringValue: ptr.To("a")}}})
	}
	w.slice(list...)
	w.ask(claims, 1, count)
	for _, c := range w.claims {
		c.Spec.Devices.Requests[0].Exactly.Selectors = []resourceapi.DeviceSelector{expr(`device.attributes["acc.example.test"].model == "a"`)}
	}
	return w
}

func rootsWorld() world {
	w := emptyWorld()
	var list []resourceapi.Device
	for i := range 10 {
		list = append(list, resourceapi.Device{Name: fmt.Sprintf("d%d", i), Attributes: map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{
			"resource.kubernetes.io/pcieRoot": {StringValue: ptr.To(fmt.Sprintf("root%d", i%2))}}})
	}
	w.slice(list...)
	w.ask(1, 5, 1)
	w.claims[0].Spec.Devices.Constraints = []resourceapi.DeviceConstraint{{MatchAttribute: ptr.To(resourceapi.FullyQualifiedName("resource.kubernetes.io/pcieRoot"))}}
	return w
}

// partitionsWorld is made so that the first choices are wrong: eight devices
// of 10 to 20 Gi on 70 Gi, of which seven are wanted.
func partitionsWorld() world {
	w := emptyWorld()
	var list []resourceapi.Device
	for i := range 8 {
		size := "10Gi"
		if i == 0 {
			size = "20Gi"
		}
		list = append(list, resourceapi.Device{Name: fmt.Sprintf("d%d", i), ConsumesCounters: []resourceapi.DeviceCounterConsumption{{
			CounterSet: "set", Counters: map[string]resourceapi.Counter{"memory": {Value: resource.MustParse(size)}}}}})
	}
	w.slice(list...)
	w.slice().Spec.SharedCounters = []resourceapi.CounterSet{{Name: "set", Counters: map[string]resourceapi.Counter{"memory": {Value: resource.MustParse("70Gi")}}}}
	for _, s := range w.slices {
		s.Spec.Pool.ResourceSliceCount = 2
	}
	w.ask(1, 1, 7)
	return w
}
