package allocate

import (
	"context"
	"flag"
	"fmt"
	"runtime"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/dynamic-resource-allocation/cel"
	"k8s.io/dynamic-resource-allocation/structured"
	"k8s.io/dynamic-resource-allocation/structured/schedulerapi"
	"k8s.io/utils/ptr"

	"github.com/drawbridge-dra/drawbridge/core/allocate"
	"github.com/drawbridge-dra/drawbridge/core/inventory"
)

var full = flag.Bool("full", false, "measure fleets at their full size; takes minutes")

// fleet is a cluster and pods that come one after the other. Each pod tries
// the nodes in their order until one fits.
type fleet struct {
	nodes   []*corev1.Node
	slices  []*resourceapi.ResourceSlice
	classes map[string]*resourceapi.DeviceClass
	pods    [][]*resourceapi.ResourceClaim
}

var fleetFeatures = inventory.Features{
	AdminAccess: true, PrioritizedList: true, PartitionableDevices: true, DeviceTaints: true, BindingConditions: true,
	ConsumableCapacity: true, ListTypeAttributes: true, CompatibilityGroups: true,
}

// byScheduler does what the scheduler's plugin does: an allocator for each
// pod over the state as it is then.
func (f fleet) byScheduler(t testing.TB) ([][]resourceapi.AllocationResult, time.Duration) {
	begun := spent(t)
	features := structured.Features{AdminAccess: true, PrioritizedList: true, PartitionableDevices: true, DeviceTaints: true, DeviceBindingAndStatus: true,
		ConsumableCapacity: true, ListTypeAttributes: true, CompatibilityGroups: true}
	state := structured.AllocatedState{AllocatedDevices: sets.New[structured.DeviceID](), AllocatedSharedDeviceIDs: sets.New[structured.SharedDeviceID](), AggregatedCapacity: structured.ConsumedCapacityCollection{}}
	cache := cel.NewCache(50, cel.Features{EnableConsumableCapacity: true, EnableListTypeAttributes: true})
	out := make([][]resourceapi.AllocationResult, len(f.pods))
	for i, claims := range f.pods {
		allocator, err := structured.NewAllocator(context.Background(), features, state, classes(f.classes), f.slices, cache)
		if err != nil {
			t.Fatal(err)
		}
		for _, node := range f.nodes {
			if out[i], err = allocator.Allocate(context.Background(), node, claims); err != nil {
				t.Fatal(err)
			}
			if out[i] != nil {
				break
			}
		}
		for _, a := range out[i] {
			for _, r := range a.Devices.Results {
				id := structured.MakeDeviceID(r.Driver, r.Pool, r.Device)
				if r.ShareID == nil {
					state.AllocatedDevices.Insert(id)
					continue
				}
				state.AllocatedSharedDeviceIDs.Insert(structured.MakeSharedDeviceID(id, r.ShareID))
				state.AggregatedCapacity.Insert(schedulerapi.NewDeviceConsumedCapacity(id, r.ConsumedCapacity))
			}
		}
	}
	return out, spent(t) - begun
}

// byUs does what core/schedule does, but that it stops at the first node that
// fits; with explanations, every node before that says why it does not.
func (f fleet) byUs(t testing.TB, explain bool) ([][]resourceapi.AllocationResult, time.Duration) {
	begun := spent(t)
	inv := inventory.New(f.slices, nil, fleetFeatures)
	held := inventory.NewHeld()
	programs := allocate.NewPrograms(fleetFeatures)
	views := make([]*allocate.View, len(f.nodes))
	out := make([][]resourceapi.AllocationResult, len(f.pods))
	for i, claims := range f.pods {
		prepared := allocate.Prepare(claims, f.classes, fleetFeatures, programs)
		for n, node := range f.nodes {
			if views[n] == nil {
				pools, err := inv.Pools(node)
				if err != nil {
					t.Fatal(err)
				}
				views[n] = allocate.NewView(node, pools, held, fleetFeatures, programs)
			}
			answer, err := allocate.Allocate(context.Background(), allocate.Problem{View: views[n], Claims: prepared, Explain: explain})
			if err != nil || answer.Failure != nil && answer.Failure.Kind != allocate.NotHere {
				t.Fatal(answer, err)
			}
			if answer.Fits {
				out[i] = answer.Allocations
				break
			}
		}
		for j := range out[i] {
			taken := *claims[j]
			taken.Status.Allocation = &out[i][j]
			held.Add(&taken, fleetFeatures)
		}
	}
	return out, spent(t) - begun
}

// BenchmarkFleet fills clusters by both allocators, one after the other in
// one run, and demands equal results. The metric upstream/ours says how many
// times longer the scheduler's takes, and upstream/explained the same where
// ours says for each node that does not fit why.
func BenchmarkFleet(b *testing.B) {
	scale := func(small, large int) int {
		if *full {
			return large
		}
		return small
	}
	for _, c := range []struct {
		name  string
		fleet func() fleet
	}{
		{"100 nodes of 8 devices, 800 claims", func() fleet { return plainFleet(100, 8, scale(400, 800), 1) }},
		{"100 nodes of 8 devices, 800 claims, no two alike", func() fleet { return unlike(plainFleet(100, 8, scale(400, 800), 1)) }},
		{"mixed shapes", func() fleet { return mixedFleet(scale(100, 1000), scale(200, 1000)) }},
		{"mixed shapes, no two alike", func() fleet { return unlike(mixedFleet(scale(100, 1000), scale(200, 1000))) }},
		{"one NIC with 200 claims", func() fleet { return nicFleet(200) }},
		{"scheduler_perf: claim template", func() fleet { return plainFleet(scale(60, 500), 10, scale(500, 5000), 1) }},
		{"scheduler_perf: match over two roots", func() fleet { return rootsFleet(scale(60, 500), scale(80, 500)) }},
		{"scheduler_perf: partitions with backtracking", func() fleet { return partitionsFleet(scale(40, 500), scale(40, 500)) }},
		{"scheduler_perf: consumable capacity", func() fleet { return sharesFleet(scale(40, 500), scale(200, 4000)) }},
		{"scheduler_perf: list attributes", func() fleet { return listsFleet(scale(20, 500), scale(20, 500)) }},
		{"scheduler_perf: compatibility groups", func() fleet { return groupsFleet(scale(60, 500), scale(120, 1000)) }},
	} {
		b.Run(c.name, func(b *testing.B) {
			var theirs, mine, told time.Duration
			for b.Loop() {
				f := c.fleet()
				runtime.GC()
				want, their := f.byScheduler(b)
				runtime.GC()
				got, my := f.byUs(b, false)
				runtime.GC()
				_, explained := f.byUs(b, true)
				theirs, mine, told = theirs+their, mine+my, told+explained
				for i := range want {
					if (want[i] == nil) != (got[i] == nil) || !equality.Semantic.DeepEqual(comparable(want[i]), comparable(got[i])) {
						b.Fatalf("pod %d: upstream %v\nours %v", i, want[i], got[i])
					}
				}
			}
			b.ReportMetric(float64(theirs)/float64(mine), "upstream/ours")
			b.ReportMetric(float64(theirs)/float64(told), "upstream/explained")
		})
	}
}

// BenchmarkShares measures how time for a claim grows with the claims that
// share one NIC.
func BenchmarkShares(b *testing.B) {
	for _, claims := range []int{200, 400, 800, 1600} {
		b.Run(fmt.Sprintf("%d claims", claims), func(b *testing.B) {
			var took time.Duration
			for b.Loop() {
				f := nicFleet(claims)
				_, d := f.byUs(b, false)
				took += d
			}
			b.ReportMetric(float64(took.Nanoseconds())/float64(b.N)/float64(claims), "ns/claim")
		})
	}
}

// BenchmarkNodes measures how time for a pod and memory grow with the nodes,
// which are alike: the pods are spread so that each tries half of them.
func BenchmarkNodes(b *testing.B) {
	sizes := []int{10, 100, 1000}
	if *full {
		sizes = append(sizes, 10_000)
	}
	for _, nodes := range sizes {
		b.Run(fmt.Sprintf("%d nodes", nodes), func(b *testing.B) {
			var took time.Duration
			var grown uint64
			pods := nodes
			for b.Loop() {
				f := plainFleet(nodes, 8, pods, 8)
				var before, after runtime.MemStats
				runtime.GC()
				runtime.ReadMemStats(&before)
				_, d := f.byUs(b, false)
				runtime.ReadMemStats(&after)
				took += d
				grown += after.TotalAlloc - before.TotalAlloc
			}
			b.ReportMetric(float64(took.Nanoseconds())/float64(b.N)/float64(pods)/float64(nodes), "ns/pod/node")
			b.ReportMetric(float64(grown)/float64(b.N)/float64(nodes), "B/node")
		})
	}
}

func newFleet(nodes int) fleet {
	f := fleet{classes: map[string]*resourceapi.DeviceClass{"acc": {ObjectMeta: metav1.ObjectMeta{Name: "acc"}, Spec: resourceapi.DeviceClassSpec{
		Selectors: []resourceapi.DeviceSelector{expr(`device.driver == "` + driver + `"`)}}}}}
	for i := range nodes {
		f.nodes = append(f.nodes, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("node%04d", i)}})
	}
	return f
}

// publish gives every node a slice of devices, or one of counters.
func (f *fleet) publish(count int64, fill func(s *resourceapi.ResourceSlice)) {
	for _, node := range f.nodes {
		s := &resourceapi.ResourceSlice{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("%s-%d", node.Name, len(f.slices))}, Spec: resourceapi.ResourceSliceSpec{
			Driver: driver, NodeName: ptr.To(node.Name), Pool: resourceapi.ResourcePool{Name: node.Name, Generation: 1, ResourceSliceCount: count}}}
		fill(s)
		f.slices = append(f.slices, s)
	}
}

func (f *fleet) pod(requests int, count int64, change func(c *resourceapi.ResourceClaim)) {
	w := emptyWorld()
	w.ask(1, requests, count)
	w.claims[0].Name = fmt.Sprintf("c%d", len(f.pods))
	if change != nil {
		change(w.claims[0])
	}
	f.pods = append(f.pods, w.claims)
}

func devices(n int, change func(i int, d *resourceapi.Device)) []resourceapi.Device {
	var list []resourceapi.Device
	for i := range n {
		d := resourceapi.Device{Name: fmt.Sprintf("d%02d", i), Attributes: map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{
			"model": {StringValue: ptr.To("a")}, "resource.kubernetes.io/pcieRoot": {StringValue: ptr.To(fmt.Sprintf("root%d", i%2))}}}
		if change != nil {
			change(i, &d)
		}
		list = append(list, d)
	}
	return list
}

func withModel(c *resourceapi.ResourceClaim) {
	for i := range c.Spec.Devices.Requests {
		c.Spec.Devices.Requests[i].Exactly.Selectors = []resourceapi.DeviceSelector{expr(`device.attributes["acc.example.test"].model == "a"`)}
	}
}

func plainFleet(nodes, each, pods int, count int64) fleet {
	f := newFleet(nodes)
	f.publish(1, func(s *resourceapi.ResourceSlice) { s.Spec.Devices = devices(each, nil) })
	for range pods {
		f.pod(1, count, withModel)
	}
	return f
}

// unlike gives each pod a toleration of its own, so that nothing that is known
// of one pod can serve another.
func unlike(f fleet) fleet {
	for i, claims := range f.pods {
		for _, c := range claims {
			for j := range c.Spec.Devices.Requests {
				c.Spec.Devices.Requests[j].Exactly.Tolerations = []resourceapi.DeviceToleration{{Key: fmt.Sprintf("pod-%d", i), Operator: resourceapi.DeviceTolerationOpExists}}
			}
		}
	}
	return f
}

func sameRoot(c *resourceapi.ResourceClaim) {
	c.Spec.Devices.Constraints = []resourceapi.DeviceConstraint{{MatchAttribute: ptr.To(resourceapi.FullyQualifiedName("resource.kubernetes.io/pcieRoot"))}}
}

func counted(amount func(i int) string, groups func(i int) []string) func(i int, d *resourceapi.Device) {
	return func(i int, d *resourceapi.Device) {
		d.ConsumesCounters = []resourceapi.DeviceCounterConsumption{{CounterSet: "set", Counters: map[string]resourceapi.Counter{"memory": {Value: resource.MustParse(amount(i))}}}}
		if groups != nil {
			d.ConsumesCounters[0].CompatibilityGroups = groups(i)
		}
	}
}

func (f *fleet) counters(total string) {
	f.publish(2, func(s *resourceapi.ResourceSlice) {
		s.Spec.SharedCounters = []resourceapi.CounterSet{{Name: "set", Counters: map[string]resourceapi.Counter{"memory": {Value: resource.MustParse(total)}}}}
	})
}

// mixedFleet has pods of 1, 2, 4 and 8 devices, with match constraints, and
// partitions with counters on every fourth of them.
func mixedFleet(nodes, pods int) fleet {
	f := newFleet(nodes)
	f.counters("80Gi")
	f.publish(2, func(s *resourceapi.ResourceSlice) {
		s.Spec.Devices = devices(8, counted(func(int) string { return "10Gi" }, nil))
	})
	for i := range pods {
		switch i % 5 {
		case 0:
			f.pod(1, 1, withModel)
		case 1:
			f.pod(1, 2, sameRoot)
		case 2:
			f.pod(2, 2, withModel)
		case 3:
			f.pod(1, 4, sameRoot)
		case 4:
			f.pod(1, 8, withModel)
		}
	}
	return f
}

// nicFleet is one node with one device that 200 claims share.
func nicFleet(claims int) fleet {
	f := newFleet(1)
	f.publish(1, func(s *resourceapi.ResourceSlice) {
		s.Spec.Devices = devices(1, func(_ int, d *resourceapi.Device) { shareable(d, "100G", "1M", "8") })
	})
	for range claims {
		f.pod(1, 1, func(c *resourceapi.ResourceClaim) {
			c.Spec.Devices.Requests[0].Exactly.Capacity = &resourceapi.CapacityRequirements{Requests: map[resourceapi.QualifiedName]resource.Quantity{"bandwidth": resource.MustParse("300M")}}
		})
	}
	return f
}

func shareable(d *resourceapi.Device, total, least, step string) {
	d.AllowMultipleAllocations = ptr.To(true)
	d.Capacity = map[resourceapi.QualifiedName]resourceapi.DeviceCapacity{"bandwidth": {Value: resource.MustParse(total), RequestPolicy: &resourceapi.CapacityRequestPolicy{
		Default: ptr.To(resource.MustParse(least)), ValidRange: &resourceapi.CapacityRequestPolicyRange{Min: ptr.To(resource.MustParse(least)), Step: ptr.To(resource.MustParse(step))}}}}
}

func rootsFleet(nodes, pods int) fleet {
	f := newFleet(nodes)
	f.publish(1, func(s *resourceapi.ResourceSlice) { s.Spec.Devices = devices(10, nil) })
	for range pods {
		f.pod(5, 1, sameRoot)
	}
	return f
}

// partitionsFleet wants seven of eight devices of 10 to 20 Gi on 70 Gi.
func partitionsFleet(nodes, pods int) fleet {
	f := newFleet(nodes)
	f.counters("70Gi")
	f.publish(2, func(s *resourceapi.ResourceSlice) {
		s.Spec.Devices = devices(8, counted(func(i int) string {
			if i == 0 {
				return "20Gi"
			}
			return "10Gi"
		}, nil))
	})
	for range pods {
		f.pod(1, 7, nil)
	}
	return f
}

func sharesFleet(nodes, pods int) fleet {
	f := newFleet(nodes)
	f.publish(1, func(s *resourceapi.ResourceSlice) {
		s.Spec.Devices = devices(4, func(_ int, d *resourceapi.Device) { shareable(d, "10", "1", "1") })
	})
	for range pods {
		f.pod(1, 2, func(c *resourceapi.ResourceClaim) {
			c.Spec.Devices.Requests[0].Exactly.Capacity = &resourceapi.CapacityRequirements{Requests: map[resourceapi.QualifiedName]resource.Quantity{"bandwidth": resource.MustParse("4")}}
		})
	}
	return f
}

func groupsFleet(nodes, pods int) fleet {
	f := newFleet(nodes)
	f.counters("80Gi")
	f.publish(2, func(s *resourceapi.ResourceSlice) {
		s.Spec.Devices = devices(8, counted(func(int) string { return "10Gi" }, func(i int) []string { return []string{[]string{"mig", "vgpu"}[i%2]} }))
	})
	for range pods {
		f.pod(1, 2, nil)
	}
	return f
}

// listsFleet has 64 devices a node, the first half of which never match, and
// pods with 32 requests for devices that share one of 47 values.
func listsFleet(nodes, pods int) fleet {
	f := newFleet(nodes)
	f.publish(1, func(s *resourceapi.ResourceSlice) {
		s.Spec.Devices = devices(64, func(i int, d *resourceapi.Device) {
			values := []string{fmt.Sprintf("other%d", i)}
			if i >= 32 {
				values = nil
				for v := range 47 {
					values = append(values, fmt.Sprintf("v%d", v))
				}
			}
			d.Attributes["acc.example.test/ring"] = resourceapi.DeviceAttribute{StringValues: values}
		})
	})
	for range pods {
		f.pod(32, 1, func(c *resourceapi.ResourceClaim) {
			c.Spec.Devices.Constraints = []resourceapi.DeviceConstraint{{MatchAttribute: ptr.To(resourceapi.FullyQualifiedName("acc.example.test/ring"))}}
			for i := range c.Spec.Devices.Requests {
				c.Spec.Devices.Requests[i].Exactly.Selectors = []resourceapi.DeviceSelector{expr(`device.attributes["acc.example.test"].ring.exists(v, v.startsWith("v"))`)}
			}
		})
	}
	return f
}
