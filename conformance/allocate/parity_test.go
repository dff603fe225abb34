package allocate

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"reflect"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/dynamic-resource-allocation/cel"
	"k8s.io/dynamic-resource-allocation/structured"
	"k8s.io/dynamic-resource-allocation/structured/schedulerapi"
	"sigs.k8s.io/yaml"

	"github.com/drawbridge-dra/drawbridge/core/allocate"
	"github.com/drawbridge-dra/drawbridge/core/inventory"
)

var (
	worlds = flag.Int("worlds", 20000, "how many generated worlds to compare")
	first  = flag.Uint64("first", 1, "seed of the first world")
)

// compiled and programs keep expressions over all worlds, for either side.
var (
	compiled = cel.NewCache(1000, cel.Features{EnableConsumableCapacity: true, EnableListTypeAttributes: true})
	programs = map[bool]*allocate.Programs{}
)

func programsFor(f inventory.Features) *allocate.Programs {
	stable := f.Implementation() == inventory.Stable
	if programs[stable] == nil {
		programs[stable] = allocate.NewPrograms(f)
	}
	return programs[stable]
}

// upstreamTime is what the scheduler's search may take; where it runs out,
// there is nothing to compare with.
const upstreamTime = 2 * time.Second

type classes map[string]*resourceapi.DeviceClass

func (c classes) List() ([]*resourceapi.DeviceClass, error) { return nil, errors.New("not used") }

func (c classes) Get(name string) (*resourceapi.DeviceClass, error) {
	if class, ok := c[name]; ok {
		return class, nil
	}
	return nil, fmt.Errorf("no class %s", name)
}

// verdict is what can be compared of an answer.
type verdict struct {
	Kind        string
	Allocations []resourceapi.AllocationResult
	Detail      string
}

const (
	fits      = "fits"
	notHere   = "not here"
	podWide   = "pod-wide error"
	undecided = "undecided"
)

func upstream(t *testing.T, w world) verdict {
	t.Helper()
	state := structured.AllocatedState{
		AllocatedDevices:         sets.New[structured.DeviceID](),
		AllocatedSharedDeviceIDs: sets.New[structured.SharedDeviceID](),
		AggregatedCapacity:       structured.ConsumedCapacityCollection{},
	}
	for _, claim := range w.held {
		for _, r := range claim.Status.Allocation.Devices.Results {
			if r.AdminAccess != nil && *r.AdminAccess {
				continue
			}
			id := structured.MakeDeviceID(r.Driver, r.Pool, r.Device)
			if !w.features.ConsumableCapacity || r.ShareID == nil {
				state.AllocatedDevices.Insert(id)
				continue
			}
			state.AllocatedSharedDeviceIDs.Insert(structured.MakeSharedDeviceID(id, r.ShareID))
			if r.ConsumedCapacity != nil {
				state.AggregatedCapacity.Insert(schedulerapi.NewDeviceConsumedCapacity(id, r.ConsumedCapacity))
			}
		}
	}
	f := w.features
	features := structured.Features{
		AdminAccess: f.AdminAccess, PrioritizedList: f.PrioritizedList, PartitionableDevices: f.PartitionableDevices,
		DeviceTaints: f.DeviceTaints, DeviceBindingAndStatus: f.BindingConditions, ConsumableCapacity: f.ConsumableCapacity,
		FractionalCapacityRange: f.FractionalCapacityRange, ListTypeAttributes: f.ListTypeAttributes,
		OptionalNodeOperations: f.OptionalNodeOperations, DerivedAttributes: f.DerivedAttributes, CompatibilityGroups: f.CompatibilityGroups,
	}
	ctx, cancel := context.WithTimeout(context.Background(), upstreamTime)
	defer cancel()
	allocator, err := structured.NewAllocator(ctx, features, state, classes(w.classes), w.slices, compiled)
	if err != nil {
		t.Fatal(err)
	}
	allocations, err := allocator.Allocate(ctx, w.node, w.claims)
	switch {
	case ctx.Err() != nil:
		return verdict{Kind: undecided}
	case errors.Is(err, structured.ErrFailedAllocationOnNode):
		return verdict{Kind: notHere, Detail: err.Error()}
	case err != nil:
		return verdict{Kind: podWide, Detail: err.Error()}
	case allocations == nil:
		return verdict{Kind: notHere}
	}
	return verdict{Kind: fits, Allocations: allocations}
}

func ours(t *testing.T, w world, pruneAtOnce bool) verdict {
	t.Helper()
	inv := inventory.New(w.slices, nil, w.features)
	held := inventory.NewHeld()
	for _, claim := range w.held {
		held.Add(claim, w.features)
	}
	pools, err := inv.Pools(w.node)
	if err != nil {
		return verdict{Kind: podWide, Detail: err.Error()}
	}
	programs := programsFor(w.features)
	answer, err := allocate.Allocate(context.Background(), allocate.Problem{
		View:   allocate.NewView(w.node, pools, held, w.features, programs),
		Claims: allocate.Prepare(w.claims, w.classes, w.features, programs), PruneAtOnce: pruneAtOnce, Explain: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	if answer.Fits {
		return verdict{Kind: fits, Allocations: answer.Allocations}
	}
	v := verdict{Kind: map[allocate.Kind]string{allocate.NotHere: notHere, allocate.PodWide: podWide, allocate.Undecided: undecided}[answer.Failure.Kind]}
	for _, r := range answer.Failure.Reasons {
		v.Detail += string(r.Code) + ": " + r.Message + "\n"
		if r.Message == "" || r.Code == "" {
			t.Errorf("a reason without words: %+v", r)
		}
	}
	if v.Detail == "" {
		t.Error("a failure without a reason")
	}
	return v
}

// comparable takes out what is random upstream and derived here.
func comparable(list []resourceapi.AllocationResult) []resourceapi.AllocationResult {
	out := make([]resourceapi.AllocationResult, len(list))
	for i := range list {
		out[i] = *list[i].DeepCopy()
		for j := range out[i].Devices.Results {
			if id := out[i].Devices.Results[j].ShareID; id != nil {
				*id = "share"
			}
		}
	}
	return out
}

// differ tells whether the allocators disagree about a world. Where upstream
// runs out of time there is nothing to say.
func differ(t *testing.T, w world, pruneAtOnce bool) (want, got verdict, differs bool) {
	t.Helper()
	want = upstream(t, w)
	if want.Kind == undecided {
		return want, got, false
	}
	got = ours(t, w, pruneAtOnce)
	return want, got, got.Kind != want.Kind || !equality.Semantic.DeepEqual(comparable(got.Allocations), comparable(want.Allocations))
}

// TestParity demands the same allocation, or the same kind of failure, from
// both allocators.
func TestParity(t *testing.T) {
	counts := map[string]int{}
	shown := 0
	for i := range *worlds {
		seed := *first + uint64(i)
		w := generate(seed)
		want, got, differs := differ(t, w, seed%2 == 0)
		counts[want.Kind]++
		if seed%16 == 0 && !reflect.DeepEqual(generate(seed), w) {
			t.Fatalf("seed %d: our allocator changed its input", seed)
		}
		if !differs {
			continue
		}
		w = shrink(w, func(w world) bool { _, _, differs := differ(t, w, seed%2 == 0); return differs })
		want, got, _ = differ(t, w, seed%2 == 0)
		t.Errorf("seed %d differs; made small, it is\nupstream: %s\nours: %s\n%s", seed, show(t, want), show(t, got), show(t, w.print()))
		if shown++; shown == 3 {
			t.Fatal("enough differences")
		}
	}
	t.Logf("%d worlds: %v", *worlds, counts)
	if *worlds < 1000 {
		return
	}
	for kind, least := range map[string]int{fits: *worlds / 5, notHere: *worlds / 20, podWide: *worlds / 20} {
		if counts[kind] < least {
			t.Errorf("only %d worlds end with %q: the generator has gone blind", counts[kind], kind)
		}
	}
	if counts[undecided] > *worlds/100 {
		t.Errorf("upstream ran out of time in %d worlds: too large to compare", counts[undecided])
	}
}

type printable struct {
	Node     *corev1.Node
	Slices   []*resourceapi.ResourceSlice
	Held     []*resourceapi.ResourceClaim
	Claims   []*resourceapi.ResourceClaim
	Features inventory.Features
}

func (w world) print() printable { return printable{w.node, w.slices, w.held, w.claims, w.features} }

func show(t *testing.T, v any) string {
	t.Helper()
	if reflect.TypeOf(v).Kind() == reflect.String {
		return v.(string)
	}
	text, err := yaml.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
