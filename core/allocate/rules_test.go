package allocate

import (
	"testing"

	resourceapi "k8s.io/api/resource/v1"
)

// TestLimitAmongAlternatives has two lists of which the first choices together
// are more than a claim can get.
func TestLimitAmongAlternatives(t *testing.T) {
	answer := run(t, problem(t, []*resourceapi.ResourceSlice{slice(50, nil)}, alternatives("c", 2, 20, 10)))
	if !answer.Fits || len(answer.Allocations[0].Devices.Results) != 30 {
		t.Errorf("got %+v, want 20 devices and 10", answer)
	}
}

// TestGroupsNarrow has three devices of which each two share a group, but not
// all.
func TestGroupsNarrow(t *testing.T) {
	slices := countersFor(3)
	slices[1].Spec.Devices = slices[1].Spec.Devices[:3]
	for i, groups := range [][]string{{"mig", "vgpu"}, {"mig"}, {"vgpu"}} {
		slices[1].Spec.Devices[i].ConsumesCounters[0].CompatibilityGroups = groups
	}
	wantFailure(t, run(t, problem(t, slices, claimFor("c", "any", 3))), NotHere, Groups)
	if answer := run(t, problem(t, slices, claimFor("c", "any", 2))); !answer.Fits {
		t.Errorf("two of them share mig: %+v", answer.Failure)
	}
}
