package allocate

import (
	"context"
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/drawbridge-dra/drawbridge/core/inventory"
)

// TestSteps bounds what a decision takes, in steps, which are the same on
// every machine. Who makes one of these larger has made the search worse.
func TestSteps(t *testing.T) {
	for _, tc := range []struct {
		name   string
		slices []*resourceapi.ResourceSlice
		claims []*resourceapi.ResourceClaim
		most   int
	}{
		{"one of eight", []*resourceapi.ResourceSlice{slice(8, nil)}, []*resourceapi.ResourceClaim{claimFor("c", "driver", 1)}, 1},
		{"eight of eight", []*resourceapi.ResourceSlice{slice(8, nil)}, []*resourceapi.ResourceClaim{claimFor("c", "driver", 8)}, 8},
		{"nine of eight", []*resourceapi.ResourceSlice{slice(8, nil)}, []*resourceapi.ResourceClaim{claimFor("c", "driver", 9)}, 255},
		{"half of those with one root", []*resourceapi.ResourceSlice{slice(24, valueOf(2))}, []*resourceapi.ResourceClaim{severally("c", 12, false)}, 144},
		{"every group of a match one too small", []*resourceapi.ResourceSlice{slice(60, valueOf(10))}, []*resourceapi.ResourceClaim{severally("c", 7, false)}, quickSteps + 1},
		{"distinct values one short", []*resourceapi.ResourceSlice{slice(32, valueOf(11))}, []*resourceapi.ResourceClaim{severally("c", 12, true)}, quickSteps + 1},
		{"counters one slot short", countersFor(9), []*resourceapi.ResourceClaim{claimFor("c", "any", 10)}, quickSteps + 1},
		{"unequal counters for nine of ten", unequal(), []*resourceapi.ResourceClaim{claimFor("c", "any", 10)}, quickSteps + 1},
		{"two counters that only together are too few", twoCounters(), []*resourceapi.ResourceClaim{claimFor("c", "any", 10)}, 558_000},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := newSearch(context.Background(), problem(t, tc.slices, tc.claims...))
			if failure := s.prepare(); failure != nil {
				t.Fatal(failure)
			}
			if _, failure := s.solve(); failure != nil {
				t.Fatal(failure)
			}
			if t.Logf("%d steps", s.used); s.used > tc.most {
				t.Errorf("%d steps, want at most %d", s.used, tc.most)
			}
		})
	}
}

// TestMemory bounds how often memory is taken, which is what ordinary attempts
// cost most.
func TestMemory(t *testing.T) {
	node := &corev1.Node{}
	node.Name = "n1"
	slices := []*resourceapi.ResourceSlice{slice(8, valueOf(2))}
	inv := inventory.New(slices, nil, allFeatures)
	programs := NewPrograms(allFeatures)
	classes := map[string]*resourceapi.DeviceClass{"driver": class("driver", `device.driver == "`+testDriver+`"`)}
	view := func(held *inventory.Held) *View {
		pools, err := inv.Pools(node)
		if err != nil {
			t.Fatal(err)
		}
		return NewView(node, pools, held, allFeatures, programs)
	}
	full := inventory.NewHeld()
	for i := range slices[0].Spec.Devices {
		full.Hold(inventory.DeviceID{Driver: testDriver, Pool: "n1", Device: fmt.Sprintf("d%d", i)}, "default/other")
	}
	try := func(v *View, c *Claims) *Answer {
		answer, err := Allocate(context.Background(), Problem{View: v, Claims: c})
		if err != nil {
			t.Fatal(err)
		}
		return answer
	}
	claims := []*resourceapi.ResourceClaim{claimFor("c", "driver", 2)}
	prepare := func() *Claims { return Prepare(claims, classes, allFeatures, programs) }
	prepared, free, taken, none := prepare(), view(inventory.NewHeld()), view(full), inventory.NewHeld()
	for _, tc := range []struct {
		name string
		most float64
		do   func()
	}{
		{"preparing a claim", 8, func() { prepare() }},
		{"preparing a node", 12, func() { view(none) }},
		{"a whole attempt with nothing prepared", 40, func() { try(view(none), prepare()) }},
		{"an attempt on a prepared node", 12, func() { try(free, prepared) }},
		{"an attempt that fails", 0, func() { clear(taken.failed); try(taken, prepared) }},
		{"the same once more", 0, func() { try(taken, prepared) }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := testing.AllocsPerRun(100, tc.do)
			if t.Logf("%.0f times", got); got > tc.most {
				t.Errorf("takes memory %.0f times, want at most %.0f", got, tc.most)
			}
		})
	}
}
