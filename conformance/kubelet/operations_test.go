package kubelet

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/component-base/featuregate"
	featuregatetesting "k8s.io/component-base/featuregate/testing"
	"k8s.io/kubernetes/pkg/features"

	ours "github.com/drawbridge-dra/drawbridge/core/kubelet"
)

// gateSets are the gates of kubelets that are compared.
var gateSets = []ours.Gates{
	{ExtendedResource: true, OptionalNodeOperations: true, Health: true, HealthMessage: true},
	{ExtendedResource: true, OptionalNodeOperations: true, WorkloadClaims: true, Health: true},
	{ExtendedResource: true, Health: true, HealthMessage: true},
}

func setGates(t *testing.T, g ours.Gates) {
	t.Helper()
	featuregatetesting.SetFeatureGatesDuringTest(t, utilfeature.DefaultFeatureGate, featuregatetesting.FeatureOverrides{
		features.DRAOptionalNodeOperations:   g.OptionalNodeOperations,
		features.GenericWorkload:             g.WorkloadClaims,
		features.DRAWorkloadResourceClaims:   g.WorkloadClaims,
		features.ResourceHealthStatus:        g.Health,
		features.ResourceHealthStatusMessage: g.HealthMessage,
	})
	for gate, want := range map[featuregate.Feature]bool{features.DRAExtendedResource: g.ExtendedResource, features.DRAOptionalNodeOperations: g.OptionalNodeOperations} {
		if utilfeature.DefaultFeatureGate.Enabled(gate) != want {
			t.Fatalf("%s is not %v", gate, want)
		}
	}
}

const (
	worlds = 400
	turns  = 12
)

// TestOperations lets pods start and end in many worlds while plugins come and
// go and claims are replaced.
func TestOperations(t *testing.T) {
	all := startDrivers(t, driverNames...)
	seen := map[string]int{}
	for n, gates := range gateSets {
		t.Run(fmt.Sprintf("gates-%d", n), func(t *testing.T) {
			setGates(t, gates)
			for seed := range worlds / len(gateSets) {
				t.Run("", func(t *testing.T) { play(t, all, gates, uint64(n*worlds+seed), seen) })
			}
		})
	}
	t.Log(seen)
	for _, code := range ours.Codes {
		if seen["start "+string(code)] == 0 {
			t.Errorf("no start met %s", code)
		}
	}
	for _, what := range []string{"start well", "stop well", "stop kept", "stop " + string(ours.Absent), "stop " + string(ours.NotCreated), "prepare", "unprepare", "skip"} {
		if seen[what] < 10 {
			t.Errorf("%s was met %d times", what, seen[what])
		}
	}
}

func play(t *testing.T, all *drivers, gates ours.Gates, seed uint64, seen map[string]int) {
	s := newScene(t, all, gates, rand.NewPCG(seed, 8), 85)
	g, w, j, k, pods := s.generator, s.world, s.judge, s.ours, s.pods
	for range turns {
		pod := pods[g.IntN(len(pods))]
		switch {
		case g.chance(10):
			driver := pick(g, driverNames...)
			j.register(driver, !j.on[driver])
		case g.chance(10):
			number := g.IntN(mostClaims)
			w.Lock()
			w.claims[fmt.Sprintf("ns/claim-%d", number)] = g.claim(number, pods)
			w.Unlock()
		case g.chance(60):
			before := k.Look(pod)
			got := k.Start(pod)
			err := j.PrepareResources(j.ctx, pod)
			compareStart(t, before, got, err, all.taken(), j.on, seen)
		default:
			got := k.Stop(pod)
			err := j.UnprepareResources(j.ctx, pod)
			compareStop(t, got, err, all.taken(), j.on, seen)
		}
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

func compareStart(t *testing.T, before, got *ours.Preparation, err error, calls []string, on map[string]bool, seen map[string]int) {
	t.Helper()
	var want []string
	for _, c := range got.Calls {
		want = append(want, spelled("prepare", c.Driver, uids(c.Claims)))
	}
	slices.Sort(want)
	var words []string
	switch p := got.Problem; {
	case p == nil:
		seen["start well"]++
	case p.Code == ours.Absent:
		// Which of several absent drivers is named is a matter of chance.
		for _, c := range before.Claims {
			for i := range c.Drivers {
				if d := &c.Drivers[i]; c.Problem == before.Problem && !d.Skip(ours.Prepare) && !on[d.Name] {
					words = append(words, "DRA driver "+d.Name+" is not registered")
				}
			}
		}
	case p.Code == ours.ListedTwice:
		// Some calls go well before the one that does not.
		for _, c := range got.Calls {
			distinct := slices.Compact(slices.Sorted(slices.Values(uids(c.Claims))))
			if missing := len(c.Claims) - len(distinct); missing > 0 {
				words = append(words, fmt.Sprintf("NodePrepareResources skipped %d ResourceClaims", missing))
			}
		}
		want = slices.DeleteFunc(want, func(c string) bool { return !slices.Contains(calls, c) })
	default:
		words = []string{p.Words}
	}
	if got.Problem != nil {
		seen["start "+string(got.Problem.Code)]++
	}
	compare(t, "start", "prepare dynamic resources: ", words, err, want, calls)
	seen["prepare"] += len(calls)
	for _, c := range got.Claims {
		for i := range c.Drivers {
			if got.Problem == nil && !c.Done && c.Drivers[i].Skip(ours.Prepare) {
				seen["skip"]++
			}
		}
	}
}

func compareStop(t *testing.T, got *ours.Ending, err error, calls []string, on map[string]bool, seen map[string]int) {
	t.Helper()
	var want, words []string
	for _, c := range got.Calls {
		want = append(want, spelled("unprepare", c.Driver, uids(c.Claims)))
	}
	slices.Sort(want)
	switch p := got.Problem; {
	case p == nil:
		seen["stop well"]++
	case p.Code == ours.Absent:
		// The drivers are asked in any order, up to one that is absent.
		for _, c := range got.Calls {
			if !on[c.Driver] {
				words = append(words, "DRA driver "+c.Driver+" is not registered")
			}
		}
		want = slices.DeleteFunc(want, func(c string) bool { return !slices.Contains(calls, c) })
	default:
		words = []string{p.Words}
	}
	if got.Problem != nil {
		seen["stop "+string(got.Problem.Code)]++
	}
	for _, c := range got.Claims {
		if len(c.Others) > 0 {
			seen["stop kept"]++
		}
	}
	compare(t, "stop", "unprepare dynamic resources: ", words, err, want, calls)
	seen["unprepare"] += len(calls)
}

// compare wants one of the words, or no error if there are none, and the
// calls.
func compare(t *testing.T, what, prefix string, words []string, err error, want, calls []string) {
	t.Helper()
	said := ""
	if err != nil {
		said = strings.TrimPrefix(err.Error(), prefix)
	}
	if len(words) == 0 && err != nil || len(words) > 0 && !slices.Contains(words, said) {
		t.Errorf("%s: the kubelet says %q, we say %q", what, said, words)
	}
	if !slices.Equal(want, calls) {
		t.Errorf("%s: the kubelet calls\n%s\nwe expect\n%s", what, strings.Join(calls, "\n"), strings.Join(want, "\n"))
	}
}
