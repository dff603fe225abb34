package allocate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/drawbridge-dra/drawbridge/core/inventory"
)

// allFeatures is every gate on.
var allFeatures = inventory.Features{
	AdminAccess: true, PrioritizedList: true, PartitionableDevices: true, DeviceTaints: true, DeviceTaintRules: true,
	BindingConditions: true, ConsumableCapacity: true, FractionalCapacityRange: true, ListTypeAttributes: true,
	OptionalNodeOperations: true, DerivedAttributes: true, CompatibilityGroups: true,
}

const testDriver = "acc.example.test"

// slice publishes n devices for node n1; change may alter each.
func slice(n int, change func(i int, d *resourceapi.Device)) *resourceapi.ResourceSlice {
	s := &resourceapi.ResourceSlice{}
	s.Name = "n1-acc"
	node := "n1"
	s.Spec = resourceapi.ResourceSliceSpec{Driver: testDriver, NodeName: &node, Pool: resourceapi.ResourcePool{Name: "n1", Generation: 1, ResourceSliceCount: 1}}
	for i := range n {
		d := resourceapi.Device{Name: fmt.Sprintf("d%d", i)}
		if change != nil {
			change(i, &d)
		}
		s.Spec.Devices = append(s.Spec.Devices, d)
	}
	return s
}

func claimFor(name, class string, count int64) *resourceapi.ResourceClaim {
	c := &resourceapi.ResourceClaim{}
	c.Name, c.Namespace = name, "default"
	c.Spec.Devices.Requests = []resourceapi.DeviceRequest{{Name: "r", Exactly: &resourceapi.ExactDeviceRequest{
		DeviceClassName: class, AllocationMode: resourceapi.DeviceAllocationModeExactCount, Count: count}}}
	return c
}

func class(name, expression string) *resourceapi.DeviceClass {
	c := &resourceapi.DeviceClass{}
	c.Name = name
	if expression != "" {
		c.Spec.Selectors = []resourceapi.DeviceSelector{{CEL: &resourceapi.CELDeviceSelector{Expression: expression}}}
	}
	return c
}

func problem(t testing.TB, slices []*resourceapi.ResourceSlice, claims ...*resourceapi.ResourceClaim) Problem {
	t.Helper()
	node := &corev1.Node{}
	node.Name = "n1"
	pools, err := inventory.New(slices, nil, allFeatures).Pools(node)
	if err != nil {
		t.Fatal(err)
	}
	programs := NewPrograms(allFeatures)
	classes := map[string]*resourceapi.DeviceClass{"any": class("any", ""), "none": class("none", "false"),
		"driver": class("driver", `device.driver == "`+testDriver+`"`)}
	return Problem{
		View:    NewView(node, pools, inventory.NewHeld(), allFeatures, programs),
		Claims:  Prepare(claims, classes, allFeatures, programs),
		Explain: true,
	}
}

func run(t testing.TB, p Problem) *Answer {
	t.Helper()
	answer, err := Allocate(context.Background(), p)
	if err != nil {
		t.Fatal(err)
	}
	return answer
}

func wantFailure(t testing.TB, answer *Answer, kind Kind, code Code) Reason {
	t.Helper()
	if answer.Fits {
		t.Fatal("it fits")
	}
	if answer.Failure.Kind != kind || len(answer.Failure.Reasons) == 0 || answer.Failure.Reasons[0].Code != code {
		t.Fatalf("got %+v, want kind %d and code %s", answer.Failure, kind, code)
	}
	return answer.Failure.Reasons[0]
}

// TestHopelessSearches holds the searches that explode in the scheduler's
// allocator: each must be decided, not given up.
func TestHopelessSearches(t *testing.T) {
	many := func(n int, class string) []*resourceapi.ResourceClaim {
		var claims []*resourceapi.ResourceClaim
		for i := range n {
			claims = append(claims, claimFor(fmt.Sprintf("c%d", i), class, 1))
		}
		return claims
	}
	for _, tc := range []struct {
		name   string
		slices []*resourceapi.ResourceSlice
		claims []*resourceapi.ResourceClaim
		code   Code
	}{
		{"twelve claims and eleven devices", []*resourceapi.ResourceSlice{slice(11, nil)}, many(12, "any"), TooFewDevices},
		{"the last of seven claims matches nothing", []*resourceapi.ResourceSlice{slice(20, nil)}, append(many(6, "any"), claimFor("c6", "none", 1)), ClassSelector},
		{"counters for three of four", countersFor(3), many(4, "any"), Counters},
		{"thirty-two of thirty-one", []*resourceapi.ResourceSlice{slice(31, nil)}, []*resourceapi.ResourceClaim{claimFor("c", "any", 32)}, TooFewDevices},
		{"unequal counters for nine of ten", unequal(), []*resourceapi.ResourceClaim{claimFor("c", "any", 10)}, Counters},
		{"distinct values one short", []*resourceapi.ResourceSlice{slice(32, valueOf(11))}, []*resourceapi.ResourceClaim{constrained("c", 12, true)}, DistinctAttribute},
		{"distinct values one short over claims of several requests", []*resourceapi.ResourceSlice{slice(30, valueOf(6))}, []*resourceapi.ResourceClaim{severally("c", 7, true)}, DistinctAttribute},
		{"every group of a match one too small", []*resourceapi.ResourceSlice{slice(60, valueOf(10))}, []*resourceapi.ResourceClaim{severally("c", 7, false)}, MatchAttribute},
		{"alternatives over the limit", []*resourceapi.ResourceSlice{slice(40, nil)}, []*resourceapi.ResourceClaim{alternatives("c", 9, 4, 5)}, DeviceLimit},
		{"one device too many of one root", []*resourceapi.ResourceSlice{slice(24, func(i int, d *resourceapi.Device) {
			root := fmt.Sprintf("root%d", i%2)
			d.Attributes = map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{"root": {StringValue: &root}}
		})}, []*resourceapi.ResourceClaim{sameRoot("c", 13)}, MatchAttribute},
	} {
		t.Run(tc.name, func(t *testing.T) {
			begun := time.Now()
			p := problem(t, tc.slices, tc.claims...)
			p.Steps = 20_000
			kind := NotHere
			if tc.code == DeviceLimit {
				kind = PodWide
			}
			wantFailure(t, run(t, p), kind, tc.code)
			// Far above what it takes, far below what an exhaustive search
			// would: only an explosion can fail this.
			if took := time.Since(begun); took > 60*time.Second {
				t.Errorf("took %v", took)
			}
		})
	}
}

// unequal makes twenty devices that take 101, 102, … of a counter with 1000.
func unequal() []*resourceapi.ResourceSlice {
	slices := countersFor(1000)
	for i := range slices[1].Spec.Devices {
		slices[1].Spec.Devices[i].ConsumesCounters[0].Counters["slots"] = resourceapi.Counter{Value: *resource.NewQuantity(int64(101+i), resource.DecimalSI)}
	}
	return slices
}

// valueOf gives the devices n values of attribute root in turn, and each a
// name of its own, so that no two are alike.
func valueOf(n int) func(i int, d *resourceapi.Device) {
	return func(i int, d *resourceapi.Device) {
		root, serial := fmt.Sprintf("root%d", i%n), int64(i)
		d.Attributes = map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{"root": {StringValue: &root}, "serial": {IntValue: &serial}}
	}
}

func constrained(name string, count int64, distinct bool) *resourceapi.ResourceClaim {
	c := claimFor(name, "any", count)
	attribute := resourceapi.FullyQualifiedName(testDriver + "/root")
	con := resourceapi.DeviceConstraint{MatchAttribute: &attribute}
	if distinct {
		con = resourceapi.DeviceConstraint{DistinctAttribute: &attribute}
	}
	c.Spec.Devices.Constraints = []resourceapi.DeviceConstraint{con}
	return c
}

// severally asks for n devices in requests of one, each with a selector of
// its own that all devices pass.
func severally(name string, n int, distinct bool) *resourceapi.ResourceClaim {
	c := constrained(name, 1, distinct)
	r := c.Spec.Devices.Requests[0]
	c.Spec.Devices.Requests = nil
	for i := range n {
		one := *r.DeepCopy()
		one.Name = fmt.Sprintf("r%d", i)
		one.Exactly.Selectors = []resourceapi.DeviceSelector{{CEL: &resourceapi.CELDeviceSelector{Expression: fmt.Sprintf(`device.attributes[%q].serial != 1%03d`, testDriver, i)}}}
		c.Spec.Devices.Requests = append(c.Spec.Devices.Requests, one)
	}
	return c
}

// alternatives asks n times for either of two counts.
func alternatives(name string, n int, counts ...int64) *resourceapi.ResourceClaim {
	c := claimFor(name, "any", 1)
	c.Spec.Devices.Requests = nil
	for i := range n {
		r := resourceapi.DeviceRequest{Name: fmt.Sprintf("r%d", i)}
		for j, count := range counts {
			r.FirstAvailable = append(r.FirstAvailable, resourceapi.DeviceSubRequest{Name: fmt.Sprintf("s%d", j), DeviceClassName: "any", AllocationMode: resourceapi.DeviceAllocationModeExactCount, Count: count})
		}
		c.Spec.Devices.Requests = append(c.Spec.Devices.Requests, r)
	}
	return c
}

// countersFor makes many equal devices of which the counters allow n.
func countersFor(n int) []*resourceapi.ResourceSlice {
	counters := slice(0, nil)
	counters.Name = "n1-counters"
	counters.Spec.Devices = nil
	counters.Spec.SharedCounters = []resourceapi.CounterSet{{Name: "set", Counters: map[string]resourceapi.Counter{"slots": {Value: *resource.NewQuantity(int64(n), resource.DecimalSI)}}}}
	devices := slice(20, func(_ int, d *resourceapi.Device) {
		d.ConsumesCounters = []resourceapi.DeviceCounterConsumption{{CounterSet: "set", Counters: map[string]resourceapi.Counter{"slots": {Value: resource.MustParse("1")}}}}
	})
	counters.Spec.Pool.ResourceSliceCount, devices.Spec.Pool.ResourceSliceCount = 2, 2
	return []*resourceapi.ResourceSlice{counters, devices}
}

func sameRoot(name string, count int64) *resourceapi.ResourceClaim {
	c := claimFor(name, "any", count)
	attribute := resourceapi.FullyQualifiedName(testDriver + "/root")
	c.Spec.Devices.Constraints = []resourceapi.DeviceConstraint{{MatchAttribute: &attribute}}
	return c
}

func TestBudget(t *testing.T) {
	p := problem(t, twoCounters(), claimFor("c", "any", 10))
	p.Steps = 100
	r := wantFailure(t, run(t, p), Undecided, Budget)
	if r.Message == "" {
		t.Error("no words")
	}
	p.Steps = 0
	wantFailure(t, run(t, p), NotHere, Counters)
}

// twoCounters makes devices of which each takes 100 in all from two counters
// that have 499 each: ten never fit, and no counter alone shows it.
func twoCounters() []*resourceapi.ResourceSlice {
	slices := countersFor(499)
	slices[0].Spec.SharedCounters[0].Counters["more"] = slices[0].Spec.SharedCounters[0].Counters["slots"]
	for i := range slices[1].Spec.Devices {
		part := int64(13+i*37) % 71
		slices[1].Spec.Devices[i].ConsumesCounters[0].Counters = map[string]resourceapi.Counter{
			"slots": {Value: *resource.NewQuantity(part+15, resource.DecimalSI)},
			"more":  {Value: *resource.NewQuantity(85-part, resource.DecimalSI)},
		}
	}
	return slices
}

func TestContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := Allocate(ctx, problem(t, []*resourceapi.ResourceSlice{slice(5, nil)}, claimFor("c", "any", 1)))
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestNoClaims(t *testing.T) {
	if answer := run(t, problem(t, nil)); !answer.Fits || answer.Allocations == nil || len(answer.Allocations) != 0 {
		t.Errorf("got %+v", answer)
	}
}

// TestInputsStay makes sure that an attempt changes nothing that it was given.
func TestInputsStay(t *testing.T) {
	slices := countersFor(3)
	c := claimFor("c", "any", 3)
	text := func() string {
		out, err := json.Marshal([]any{slices, c})
		if err != nil {
			t.Fatal(err)
		}
		return string(out)
	}
	before := text()
	answer := run(t, problem(t, slices, c))
	if !answer.Fits {
		t.Fatal("does not fit")
	}
	answer.Allocations[0].Devices.Results[0].Request = "changed"
	if after := text(); after != before {
		t.Errorf("before %s\nafter %s", before, after)
	}
}

func TestShareIDs(t *testing.T) {
	yes := true
	s := slice(1, func(_ int, d *resourceapi.Device) {
		d.AllowMultipleAllocations = &yes
		d.Capacity = map[resourceapi.QualifiedName]resourceapi.DeviceCapacity{"bw": {Value: resource.MustParse("10G"), RequestPolicy: &resourceapi.CapacityRequestPolicy{
			Default: quantity("1M"), ValidRange: &resourceapi.CapacityRequestPolicyRange{Min: quantity("1M"), Step: quantity("8")}}}}
	})
	first, second := claimFor("a", "any", 1), claimFor("b", "any", 1)
	first.Spec.Devices.Requests[0].Exactly.Capacity = &resourceapi.CapacityRequirements{Requests: map[resourceapi.QualifiedName]resource.Quantity{"bw": resource.MustParse("1G")}}
	ids := map[string]bool{}
	for range 2 {
		answer := run(t, problem(t, []*resourceapi.ResourceSlice{s}, first, second))
		if !answer.Fits {
			t.Fatal("does not fit")
		}
		for i, want := range []string{"1G", "1M"} {
			r := answer.Allocations[i].Devices.Results[0]
			got := r.ConsumedCapacity["bw"]
			if r.ShareID == nil || got.String() != want {
				t.Errorf("claim %d: share %v, consumes %s, want %s", i, r.ShareID, got.String(), want)
				continue
			}
			ids[string(*r.ShareID)] = true
		}
	}
	if len(ids) != 2 {
		t.Errorf("share IDs %v, want two that do not change from run to run", ids)
	}
}

func quantity(s string) *resource.Quantity {
	q := resource.MustParse(s)
	return &q
}

// TestCodesAreDocumented keeps the list of codes complete for what tests see.
func TestCodesAreDocumented(t *testing.T) {
	documented := map[Code]bool{}
	for _, c := range Codes() {
		if documented[c.Code] || c.Doc == "" {
			t.Errorf("code %s is there twice or without words", c.Code)
		}
		documented[c.Code] = true
	}
	for _, code := range stages {
		if !documented[code] {
			t.Errorf("code %s is not documented", code)
		}
	}
}

// TestHeldGroupsContradict has held devices whose groups exclude each other,
// which slices that were edited can bring about. The first in the order of the
// slices decides, whatever the order in which they were given out.
func TestHeldGroupsContradict(t *testing.T) {
	slices := countersFor(100)
	groups := [][]string{nil, {"mig"}, {"mig"}, nil, {"mig"}}
	slices[1].Spec.Devices = slices[1].Spec.Devices[:len(groups)]
	for i := range groups {
		slices[1].Spec.Devices[i].ConsumesCounters[0].CompatibilityGroups = groups[i]
	}
	for range 30 { // often enough for the order of a map to show
		p := problem(t, slices, claimFor("c", "any", 1))
		for _, name := range []string{"d2", "d1", "d0"} {
			held := claimFor("held", "any", 1)
			held.Status.Allocation = &resourceapi.AllocationResult{Devices: resourceapi.DeviceAllocationResult{
				Results: []resourceapi.DeviceRequestAllocationResult{{Request: "r", Driver: testDriver, Pool: "n1", Device: name}}}}
			p.View.held.Add(held, allFeatures)
		}
		answer := run(t, p)
		if !answer.Fits || answer.Allocations[0].Devices.Results[0].Device != "d3" {
			t.Fatalf("got %+v, want d3, which has no groups like d0", answer.Allocations)
		}
	}
}

// TestLooks keeps apart what expressions can tell apart: an attribute that has
// no value makes every evaluation fail, one with an empty list does not.
func TestLooks(t *testing.T) {
	for _, first := range []bool{true, false} {
		s := slice(2, func(i int, d *resourceapi.Device) {
			a := resourceapi.DeviceAttribute{StringValues: []string{}}
			if (i == 0) == first {
				a = resourceapi.DeviceAttribute{}
			}
			d.Attributes = map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{"odd": a}
		})
		p := problem(t, []*resourceapi.ResourceSlice{s}, claimFor("c", "driver", 1))
		answer := run(t, p)
		if first {
			wantFailure(t, answer, PodWide, SelectorError)
		} else if !answer.Fits {
			t.Errorf("the device with an empty list does not fit: %+v", answer.Failure)
		}
	}
}

// TestStable covers what the stable allocator does in its own way.
func TestStable(t *testing.T) {
	stable := inventory.Features{AdminAccess: true, PrioritizedList: true, PartitionableDevices: true}
	if stable.Implementation() != inventory.Stable {
		t.Fatal(stable.Implementation())
	}
	with := func(c *resourceapi.ResourceClaim) *Answer {
		t.Helper()
		yes := true
		s := slice(2, func(_ int, d *resourceapi.Device) { d.BindsToNode = &yes })
		s.Spec.NodeName, s.Spec.AllNodes = nil, &yes
		node := &corev1.Node{}
		node.Name = "n1"
		pools, err := inventory.New([]*resourceapi.ResourceSlice{s}, nil, stable).Pools(node)
		if err != nil {
			t.Fatal(err)
		}
		programs := NewPrograms(stable)
		return run(t, Problem{View: NewView(node, pools, inventory.NewHeld(), stable, programs), Explain: true,
			Claims: Prepare([]*resourceapi.ResourceClaim{c}, map[string]*resourceapi.DeviceClass{"any": class("any", "")}, stable, programs)})
	}
	c := claimFor("c", "any", 1)
	c.Spec.Devices.Requests[0].Exactly.Capacity = &resourceapi.CapacityRequirements{Requests: map[resourceapi.QualifiedName]resource.Quantity{"none": resource.MustParse("1")}}
	if answer := with(c); !answer.Fits || answer.Allocations[0].NodeSelector != nil {
		t.Errorf("capacity and bindsToNode are not looked at: %+v", answer)
	}
	wantFailure(t, with(constrained("c", 2, true)), PodWide, Unsupported)
}
