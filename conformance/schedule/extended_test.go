package schedule

import (
	"flag"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	schedutil "k8s.io/kubernetes/pkg/scheduler/util"
	"sigs.k8s.io/yaml"

	"github.com/drawbridge-dra/drawbridge/core/extended"
	"github.com/drawbridge-dra/drawbridge/core/fit"
)

var (
	rounds = flag.Int("pods", 20_000, "how many generated pods each test compares")
	first  = flag.Uint64("first", 1, "seed of the first pod")
)

// each runs a comparison for every seed.
func each(t *testing.T, compare func(t *testing.T, g source) bool) {
	t.Helper()
	telling := 0
	for i := range *rounds {
		seed := *first + uint64(i)
		if compare(t, newSource(seed)) {
			telling++
		}
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
	if telling*20 < *rounds {
		t.Errorf("only %d of %d pods had something to compare", telling, *rounds)
	}
}

func text(t *testing.T, of any) string {
	t.Helper()
	out, err := yaml.Marshal(of)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// TestRequestsOfExtendedResources compares the requests that the scheduler
// makes of what containers ask for, and which container gets which.
func TestRequestsOfExtendedResources(t *testing.T) {
	each(t, func(t *testing.T, g source) bool {
		classes := g.classes()
		pod := g.pod("p", true)
		ready := fit.NewPod(pod, fit.Options{})
		judged := stored(pod)
		judge, ours := resolver(inOrder(classes)), extended.NewClasses(classes)

		// What the pod asks for in all, which the scheduler works out first.
		scalars := framework.NewResource(requests(judged)).ScalarResources
		theirs := map[corev1.ResourceName]int64{}
		backed := false
		for name, n := range scalars {
			if schedutil.IsDRAExtendedResourceName(name) && n != 0 {
				theirs[name] = n
				backed = backed || judge.GetDeviceClass(name) != nil
			}
		}
		if !backed {
			theirs = nil
		}
		wanted := ours.Wanted(ready.Requests)
		if len(wanted) != len(theirs) {
			t.Errorf("wanted %v, the scheduler %v\n%s", wanted, theirs, text(t, pod))
			return false
		}
		var names []corev1.ResourceName
		of := map[corev1.ResourceName]int64{}
		for _, w := range wanted {
			if w.Value != theirs[w.Name] {
				t.Errorf("%s: %d, the scheduler %d\n%s", w.Name, w.Value, theirs[w.Name], text(t, pod))
			}
			// A node whose plugin offers some of them leaves those out.
			if g.chance(80) {
				names = append(names, w.Name)
				of[w.Name] = w.Value
			}
		}
		gotRequests, gotMappings := extended.Requests(ready.Pod, names, ours)
		wantRequests, wantMappings := createRequestsAndMappings(judged, of, klog.Logger{}, judge)
		if !equality.Semantic.DeepEqual(gotRequests, wantRequests) || !slices.Equal(gotMappings, wantMappings) {
			t.Errorf("got\n%s%s, the scheduler\n%s%s\n%s", text(t, gotRequests), text(t, gotMappings), text(t, wantRequests), text(t, wantMappings), text(t, pod))
		}
		return len(wantRequests) > 0
	})
}

// TestClassesOfExtendedResources compares which class stands behind a name.
func TestClassesOfExtendedResources(t *testing.T) {
	each(t, func(t *testing.T, g source) bool {
		classes := g.classes()
		judge, ours := resolver(inOrder(classes)), extended.NewClasses(classes)
		found := false
		for _, name := range slices.Concat(extendedNames, []string{"deviceclass.resource.kubernetes.io/c2", "deviceclass.resource.kubernetes.io/c3"}) {
			want, got := judge.GetDeviceClass(corev1.ResourceName(name)), ours[corev1.ResourceName(name)]
			if want != got {
				t.Errorf("%s: got %v, the scheduler %v\n%s", name, got, want, text(t, classes))
			}
			found = found || want != nil
		}
		return found
	})
}
