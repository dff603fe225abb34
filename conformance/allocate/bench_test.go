package allocate

import (
	"context"
	"fmt"
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

// BenchmarkAgainstScheduler measures one attempt on one node by the
// scheduler's allocator and by ours, turn by turn in one run, both with warm
// caches of compiled expressions as they have in their programs. The metric
// upstream/ours says how many times longer the scheduler's takes.
func BenchmarkAgainstScheduler(b *testing.B) {
	for _, scenario := range []struct {
		name string
		w    world
	}{
		{"one of ten devices with a selector", plainWorld(10, 1, 1)},
		{"five requests over two roots, match", rootsWorld()},
		{"seven of eight partitions, counters", partitionsWorld()},
		{"six claims for five devices", plainWorld(5, 6, 1)},
	} {
		b.Run(scenario.name, func(b *testing.B) {
			w := scenario.w
			cache := cel.NewCache(50, cel.Features{EnableConsumableCapacity: true, EnableListTypeAttributes: true})
			programs := allocate.NewPrograms(w.features)
			inv := inventory.New(w.slices, nil, w.features)
			features := structured.Features{
				AdminAccess: true, PrioritizedList: true, PartitionableDevices: true, DeviceTaints: true, DeviceBindingAndStatus: true, ConsumableCapacity: true,
			}
			state := structured.AllocatedState{AllocatedDevices: sets.New[structured.DeviceID](), AllocatedSharedDeviceIDs: sets.New[structured.SharedDeviceID](), AggregatedCapacity: structured.ConsumedCapacityCollection{}}
			var theirs, mine time.Duration
			for b.Loop() {
				begun := time.Now()
				allocator, err := structured.NewAllocator(context.Background(), features, state, classes(w.classes), w.slices, cache)
				if err != nil {
					b.Fatal(err)
				}
				want, err := allocator.Allocate(context.Background(), w.node, w.claims)
				if err != nil {
					b.Fatal(err)
				}
				theirs += time.Since(begun)

				begun = time.Now()
				pools, err := inv.Pools(w.node)
				if err != nil {
					b.Fatal(err)
				}
				got, err := allocate.Allocate(context.Background(), allocate.Problem{
					View:   allocate.NewView(w.node, pools, inventory.NewHeld(), w.features, programs),
					Claims: allocate.Prepare(w.claims, w.classes, w.features, programs)})
				if err != nil {
					b.Fatal(err)
				}
				mine += time.Since(begun)
				if got.Fits != (want != nil) {
					b.Fatalf("fits: ours %v, upstream %v", got.Fits, want != nil)
				}
			}
			b.ReportMetric(float64(theirs)/float64(mine), "upstream/ours")
		})
	}
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
