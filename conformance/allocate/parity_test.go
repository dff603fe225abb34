package allocate

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"reflect"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
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
	allOn  = flag.Int("worlds", 200_000, "how many generated worlds to compare with all gates on")
	random = flag.Int("random", 50_000, "how many to compare with other gates: defaults of 1.37 and 1.34, and drawn by lot")
	asIs   = flag.Bool("as-is", false, "end at the first difference and do not make it small")
	first  = flag.Uint64("first", 1, "seed of the first world")
)

func TestMain(m *testing.M) {
	flag.Parse()
	// Worlds are thrown away one after the other, and there is memory for many.
	debug.SetGCPercent(400)
	os.Exit(m.Run())
}

// compiled keeps the scheduler's expressions over all worlds.
var compiled = cel.NewCache(1000, cel.Features{EnableConsumableCapacity: true, EnableListTypeAttributes: true})

// memory keeps ours. It serves one worker.
type memory map[bool]*allocate.Programs

func (m memory) programs(f inventory.Features) *allocate.Programs {
	stable := f.Implementation() == inventory.Stable
	if m[stable] == nil {
		m[stable] = allocate.NewPrograms(f)
	}
	return m[stable]
}

// upstreamTime is what the scheduler's search may take; where it runs out,
// there is nothing to compare with.
const upstreamTime = 2 * time.Second

// patientSteps is as far as ours may go. It is more than the default: what the
// scheduler decides in its time shall be compared, and not given up.
const patientSteps = 50_000_000

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
		t.Error(err)
		return verdict{}
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

func (m memory) ours(t *testing.T, w world, pruneAtOnce bool) verdict {
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
	programs := m.programs(w.features)
	answer, err := allocate.Allocate(context.Background(), allocate.Problem{
		View:   allocate.NewView(w.node, pools, held, w.features, programs),
		Claims: allocate.Prepare(w.claims, w.classes, w.features, programs), PruneAtOnce: pruneAtOnce, Explain: true, Steps: patientSteps,
	})
	if err != nil {
		t.Error(err)
		return verdict{}
	}
	if answer.Fits {
		return verdict{Kind: fits, Allocations: answer.Allocations}
	}
	v := verdict{Kind: map[allocate.Kind]string{allocate.NotHere: notHere, allocate.PodWide: podWide, allocate.Undecided: undecided}[answer.Failure.Kind]}
	for _, r := range answer.Failure.Reasons {
		v.Detail += string(r.Code) + ": " + r.Message + "\n"
		if r.Message == "" || r.Code == "" || strings.Contains(r.Message, "\x00") {
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
func (m memory) differ(t *testing.T, w world, pruneAtOnce bool) (want, got verdict, differs bool) {
	t.Helper()
	want = upstream(t, w)
	if want.Kind == undecided {
		return want, got, false
	}
	got = m.ours(t, w, pruneAtOnce)
	return want, got, got.Kind != want.Kind || !equality.Semantic.DeepEqual(comparable(got.Allocations), comparable(want.Allocations))
}

// TestAllGates and TestOtherGates demand the same allocation, or the same
// kind of failure, from both allocators.
func TestAllGates(t *testing.T) { compare(t, *allOn, allGates) }

func TestOtherGates(t *testing.T) { compare(t, *random, otherGates) }

// compare shares the worlds out among as many workers as there are CPUs.
func compare(t *testing.T, worlds int, gates gateChoice) {
	workers := runtime.GOMAXPROCS(0)
	tallies := make([]map[string]int, workers)
	var wait sync.WaitGroup
	var shown atomic.Int32
	for n := range workers {
		tallies[n] = map[string]int{}
		wait.Go(func() {
			m := memory{}
			for i := n; i < worlds && shown.Load() < 3; i += workers {
				tallies[n][m.compareOne(t, *first+uint64(i), gates, &shown)]++
				if len(m) > 0 && i%20_000 < workers {
					clear(m) // what is remembered grows with the worlds
				}
			}
		})
	}
	wait.Wait()
	counts := map[string]int{}
	for _, tally := range tallies {
		for kind, n := range tally {
			counts[kind] += n
		}
	}
	t.Logf("%d worlds: %v", worlds, counts)
	if worlds < 1000 || t.Failed() {
		return
	}
	for kind, least := range map[string]int{fits: worlds / 4, notHere: worlds / 20, podWide: worlds / 20} {
		if counts[kind] < least {
			t.Errorf("only %d worlds end with %q, want %d: the generator has gone blind", counts[kind], kind, least)
		}
	}
	if counts[undecided] > worlds/100 {
		t.Errorf("upstream ran out of time in %d worlds: too large to compare", counts[undecided])
	}
}

// compareOne compares one world, and makes it small if the allocators differ.
func (m memory) compareOne(t *testing.T, seed uint64, gates gateChoice, shown *atomic.Int32) string {
	w := generate(seed, gates)
	want, got, differs := m.differ(t, w, seed%2 == 0)
	if seed%16 == 0 && !reflect.DeepEqual(generate(seed, gates), w) {
		t.Errorf("seed %d: our allocator changed its input", seed)
		shown.Add(1)
	}
	if differs && *asIs {
		shown.Add(3)
		t.Errorf("seed %d differs", seed)
		return want.Kind
	}
	if differs {
		shown.Add(1)
		w = shrink(w, func(w world) bool { _, _, differs := m.differ(t, w, seed%2 == 0); return differs })
		want, got, _ = m.differ(t, w, seed%2 == 0)
		t.Errorf("seed %d differs; made small, it is\nupstream: %s\nours: %s\n%s", seed, show(t, want), show(t, got), show(t, w.print()))
	}
	return want.Kind
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
		t.Error(err)
	}
	return string(text)
}
