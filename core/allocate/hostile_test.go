package allocate

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// hostile are problems that are made to hurt: no two devices are alike, no
// bound sees that too little is left, and there is no solution, or hardly one.
var hostile = []struct {
	name string
	make func(t testing.TB) Problem
}{
	{"three counters", func(t testing.TB) Problem {
		return problem(t, manyCounters(26, 3), claimFor("c", "any", 10))
	}},
	{"three counters, one by one", func(t testing.TB) Problem {
		var claims []*resourceapi.ResourceClaim
		for i := range 10 {
			claims = append(claims, claimFor(fmt.Sprintf("c%d", i), "any", 1))
		}
		return problem(t, manyCounters(26, 3), claims...)
	}},
	{"three counters, requests and lists", func(t testing.TB) Problem {
		c := alternatives("c", 5, 2, 1)
		return problem(t, manyCounters(26, 3), c, claimFor("d", "any", 5))
	}},
	{"lists of values under eight constraints", func(t testing.TB) Problem {
		slices := manyCounters(24, 2)
		var claims []*resourceapi.ResourceClaim
		for i := range slices[1].Spec.Devices {
			attributes := map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{}
			for j := range 8 {
				value := int64((i * (j + 3)) % 7)
				attributes[resourceapi.QualifiedName(fmt.Sprintf("a%d", j))] = resourceapi.DeviceAttribute{IntValues: []int64{value, value + 1, value + 2, value + 5}}
			}
			slices[1].Spec.Devices[i].Attributes = attributes
		}
		for i := range 5 {
			c := claimFor(fmt.Sprintf("c%d", i), "any", 2)
			for j := range 8 {
				attribute := resourceapi.FullyQualifiedName(fmt.Sprintf("%s/a%d", testDriver, j))
				c.Spec.Devices.Constraints = append(c.Spec.Devices.Constraints, resourceapi.DeviceConstraint{MatchAttribute: &attribute})
			}
			claims = append(claims, c)
		}
		return problem(t, slices, claims...)
	}},
	{"shares of odd sizes", func(t testing.TB) Problem {
		// Twelve devices of 100 hold two shares of 34 each and never three.
		yes := true
		s := slice(12, func(i int, d *resourceapi.Device) {
			d.AllowMultipleAllocations = &yes
			d.Capacity = map[resourceapi.QualifiedName]resourceapi.DeviceCapacity{"bw": {Value: *resource.NewQuantity(int64(90+i), resource.DecimalSI)}}
		})
		var claims []*resourceapi.ResourceClaim
		for i := range 25 {
			c := claimFor(fmt.Sprintf("c%d", i), "any", 1)
			c.Spec.Devices.Requests[0].Exactly.Capacity = &resourceapi.CapacityRequirements{Requests: map[resourceapi.QualifiedName]resource.Quantity{"bw": *resource.NewQuantity(int64(34+i%3), resource.DecimalSI)}}
			claims = append(claims, c)
		}
		return problem(t, []*resourceapi.ResourceSlice{s}, claims...)
	}},
}

// manyCounters makes n devices that take unequal parts of several counters,
// together always the same, so that each counter alone seems to suffice.
func manyCounters(n, counters int) []*resourceapi.ResourceSlice {
	slices := countersFor(1)
	total := map[string]resourceapi.Counter{}
	for k := range counters {
		total[fmt.Sprintf("k%d", k)] = resourceapi.Counter{Value: *resource.NewQuantity(int64(1000*10/counters-1), resource.DecimalSI)}
	}
	slices[0].Spec.SharedCounters[0].Counters = total
	slices[1].Spec.Devices = nil
	for i := range n {
		d := resourceapi.Device{Name: fmt.Sprintf("d%02d", i)}
		rest, taken := int64(1000), map[string]resourceapi.Counter{}
		for k := range counters {
			part := rest
			if k < counters-1 {
				part = int64(1000/counters) + int64(i*(37+16*k))%211 - 105
			}
			rest -= part
			taken[fmt.Sprintf("k%d", k)] = resourceapi.Counter{Value: *resource.NewQuantity(part, resource.DecimalSI)}
		}
		d.ConsumesCounters = []resourceapi.DeviceCounterConsumption{{CounterSet: "set", Counters: taken}}
		slices[1].Spec.Devices = append(slices[1].Spec.Devices, d)
	}
	return slices
}

// TestHostile demands that what cannot be decided ends at the budget, after as
// many steps as that has, says so with the number, and is never taken for a
// proof.
func TestHostile(t *testing.T) {
	for _, h := range hostile {
		t.Run(h.name, func(t *testing.T) {
			p := h.make(t)
			p.Steps = 60_000
			r := wantFailure(t, run(t, p), Undecided, Budget)
			if !strings.Contains(r.Message, "60000 devices were tried") {
				t.Errorf("does not name the budget: %s", r.Message)
			}
			p = h.make(t)
			p.Steps = 60_000
			s := newSearch(context.Background(), p)
			if s.prepare() != nil || !s.undecided() {
				t.Fatal("decided")
			}
			if s.used < p.Steps || s.used > p.Steps+quickSteps+2 {
				t.Errorf("took %d steps of %d", s.used, p.Steps)
			}
		})
	}
}

func (s *search) undecided() bool {
	_, failure := s.solve()
	return failure != nil && failure.Kind == Undecided
}

// TestHostileMemory fills the memory for failed states and demands that it
// takes no more than was counted, and that the search goes on without.
func TestHostileMemory(t *testing.T) {
	const limit = 768 << 10
	for _, h := range hostile {
		// The others spend their steps inside a request, and states are those
		// between requests.
		if h.name != "three counters, one by one" && h.name != "shares of odd sizes" {
			continue
		}
		t.Run(h.name, func(t *testing.T) {
			p := h.make(t)
			p.Steps, p.PruneAtOnce = 400_000, true
			s := newSearch(context.Background(), p)
			s.memory = limit
			if failure := s.prepare(); failure != nil {
				t.Fatal(failure)
			}
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			undecided := s.undecided()
			runtime.GC()
			runtime.ReadMemStats(&after)
			grown := int64(after.HeapAlloc) - int64(before.HeapAlloc)
			t.Logf("%d states, %d bytes counted, %d grown", len(s.prune.failed), s.prune.remembered, grown)
			if s.prune.remembered > limit {
				t.Errorf("%d bytes remembered, more than %d", s.prune.remembered, limit)
			}
			if !undecided || s.prune.remembered < limit*9/10 {
				t.Errorf("the memory was not filled: undecided %v, %d bytes", undecided, s.prune.remembered)
			}
			if grown > limit*5/4 {
				t.Errorf("%d bytes taken, %d counted", grown, s.prune.remembered)
			}
			runtime.KeepAlive(s)
		})
	}
}
