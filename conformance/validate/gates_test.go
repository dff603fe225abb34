package validate

import (
	"math/rand/v2"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/version"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/component-base/featuregate"
	featuregatetesting "k8s.io/component-base/featuregate/testing"
	_ "k8s.io/kubernetes/pkg/features"

	"github.com/drawbridge-dra/drawbridge/core/feature"
)

// decisive are the gates that rules depend on.
var decisive = []feature.Gate{
	feature.DRAAdminAccess, feature.DRAPrioritizedList, feature.DRAResourceClaimDeviceStatus, feature.DRAExtendedResource,
	feature.DRADeviceTaints, feature.DRAPartitionableDevices, feature.DRAPartitionableDevicesType, feature.DRAConsumableCapacity,
	feature.DRAFractionalCapacityRange, feature.DRADeviceBindingConditions, feature.DRADeviceCompatibilityGroups,
	feature.DRADerivedAttributes, feature.DRAListTypeAttributes, feature.DRANodeAllocatableResources,
	feature.DRAOptionalNodeOperations, feature.DRAResourcePoolStatus, feature.DeclarativeValidationBeta,
}

// gateSet is one state of all gates, on both sides.
type gateSet struct {
	name string
	set  *feature.Set
	// column names it, or the sets that it belongs to, in tables.
	column string
}

// The columns of the sets of gates. The first three get most of the objects.
const (
	defaultGates = "defaults"
	allOn        = "all on"
	allOff       = "all off"
	oldestOff    = "all off in 1.34"
	byLot        = "by lot"
)

// The chief sets get most of the comparisons: the first three 5 of 6 of them,
// and the fourth, in which fields go that no newer version can drop, half of the
// rest.
const chief = 3

// share is how many of n comparisons the set with this number gets, of so many
// sets.
func share(n, sets, number int) int {
	switch {
	case sets <= chief+1:
		return n / sets
	case number < chief:
		return n * 5 / 6 / chief
	case number == chief:
		return n / 12
	}
	return n / 12 / (sets - chief - 1)
}

// gateSets returns n states: the defaults, all gates on, all off, the defaults of
// every version that Kubernetes can emulate, and random ones.
func gateSets(t *testing.T, r *rand.Rand, n int) []gateSet {
	t.Helper()
	all, err := feature.NewSet(feature.Newest, "AllAlpha=true,AllBeta=true")
	if err != nil {
		t.Fatal(err)
	}
	none, err := feature.NewSet(feature.Newest, "AllAlpha=false,AllBeta=false")
	if err != nil {
		t.Fatal(err)
	}
	sets := []gateSet{{"defaults", feature.Default(feature.Newest), defaultGates}, {"all", all, allOn}, {"none", none, allOff}}
	// All that can be off, which is most in the oldest version.
	off, err := feature.NewSet(feature.Version{Minor: 34}, "DRAAdminAccess=false,DRAPrioritizedList=false,DRAResourceClaimDeviceStatus=false")
	if err != nil {
		t.Fatal(err)
	}
	sets = append(sets, gateSet{"off", off, oldestOff})
	for minor := 34; minor < feature.Newest.Minor; minor++ {
		v := feature.Version{Minor: minor}
		sets = append(sets, gateSet{"defaults of " + v.String(), feature.Default(v), "defaults of " + v.String()})
	}
	for len(sets) < n {
		v := feature.Version{Minor: feature.Newest.Minor - max(0, r.IntN(8)-4)}
		var flags []string
		for _, g := range decisive {
			if feature.Default(v).Stage(g) == feature.Absent {
				continue
			}
			switch r.IntN(3) {
			case 0:
				flags = append(flags, string(g)+"=true")
			case 1:
				flags = append(flags, string(g)+"=false")
			}
		}
		text := strings.Join(flags, ",")
		// Locked gates and unmet needs make many of them impossible.
		if set, err := feature.NewSet(v, text); err == nil {
			sets = append(sets, gateSet{v.String() + " " + text, set, byLot})
		}
	}
	return sets[:n]
}

// quiet keeps the chatter about gates out of failures.
type quiet struct{ *testing.T }

func (quiet) Logf(string, ...any) {}

// apply gives Kubernetes the same gates for the rest of the test.
func (g gateSet) apply(t *testing.T) {
	t.Helper()
	emulated := version.MajorMinor(1, uint(g.set.Version().Minor))
	featuregatetesting.SetFeatureGateVersionsDuringTest(quiet{t}, utilfeature.DefaultFeatureGate, emulated, emulated.SubtractMinor(1))
	overrides := featuregatetesting.FeatureOverrides{}
	known := utilfeature.DefaultMutableFeatureGate.GetAll()
	for _, gate := range decisive {
		if _, ok := known[featuregate.Feature(gate)]; !ok {
			continue
		}
		if utilfeature.DefaultFeatureGate.Enabled(featuregate.Feature(gate)) != g.set.Enabled(gate) {
			overrides[featuregate.Feature(gate)] = g.set.Enabled(gate)
		}
	}
	if len(overrides) > 0 {
		if strings.HasPrefix(g.name, "defaults") {
			t.Errorf("the defaults of Kubernetes and Drawbridge differ: %v", overrides)
		}
		featuregatetesting.SetFeatureGatesDuringTest(quiet{t}, utilfeature.DefaultFeatureGate, overrides)
	}
	for _, gate := range decisive {
		if got := utilfeature.DefaultFeatureGate.Enabled(featuregate.Feature(gate)); got != g.set.Enabled(gate) {
			t.Fatalf("gate %s is %t in Kubernetes and %t in Drawbridge", gate, got, g.set.Enabled(gate))
		}
	}
}
