package kubelet

import (
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// ops are operations to skip, separated by commas.
func ops(text string) []resourceapi.SkipNodeOperation {
	var out []resourceapi.SkipNodeOperation
	for _, s := range strings.FieldsFunc(text, func(r rune) bool { return r == ',' }) {
		out = append(out, resourceapi.SkipNodeOperation(s))
	}
	return out
}

// claim makes an allocated claim whose results are driver=skips.
func claim(name string, pods []string, results ...string) *resourceapi.ResourceClaim {
	c := &resourceapi.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name, UID: types.UID("uid-" + name)}}
	for _, pod := range pods {
		c.Status.ReservedFor = append(c.Status.ReservedFor, resourceapi.ResourceClaimConsumerReference{Resource: "pods", Name: pod, UID: types.UID(pod)})
	}
	if len(results) > 0 {
		c.Status.Allocation = &resourceapi.AllocationResult{}
	}
	for _, r := range results {
		driver, skip, _ := strings.Cut(r, "=")
		c.Status.Allocation.Devices.Results = append(c.Status.Allocation.Devices.Results,
			resourceapi.DeviceRequestAllocationResult{Request: "r", Driver: driver, Pool: "p", Device: "d", SkipNodeOperations: ops(skip)})
	}
	return c
}

func pod(name string, claims ...string) *corev1.Pod {
	p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name, UID: types.UID(name)}}
	for _, c := range claims {
		p.Spec.ResourceClaims = append(p.Spec.ResourceClaims, corev1.PodResourceClaim{Name: c, ResourceClaimName: &c})
	}
	return p
}

func TestSkips(t *testing.T) {
	for _, tt := range []struct {
		name    string
		results []string
		want    string // of driver a
	}{
		{"none", []string{"a"}, ""},
		{"one device", []string{"a=NodeUnprepareResources"}, "NodeUnprepareResources"},
		{"sorted", []string{"a=NodeUnprepareResources,NodePrepareResources"}, "NodePrepareResources,NodeUnprepareResources"},
		{"mixed devices", []string{"a=*", "a"}, ""},
		{"what is common", []string{"a=NodePrepareResources,NodeUnprepareResources", "a=NodeUnprepareResources"}, "NodeUnprepareResources"},
		{"all stands for each", []string{"a=*", "a=NodeUnprepareResources"}, "NodeUnprepareResources"},
		{"all of all", []string{"a=*", "a=*,NodeUnprepareResources"}, "*"},
		{"another driver does not count", []string{"a=*", "b"}, "*"},
	} {
		d := Drivers(claim("c", nil, tt.results...).Status.Allocation)[0]
		if d.Name != "a" || !slices.Equal(d.Skips, ops(tt.want)) {
			t.Errorf("%s: got %s %v, want %s", tt.name, d.Name, d.Skips, tt.want)
		}
	}
}

// node is a kubelet with the claims, on which some drivers are absent.
func node(absent string, claims ...*resourceapi.ResourceClaim) *Kubelet {
	return &Kubelet{
		Gates: Gates{OptionalNodeOperations: true, Health: true, HealthMessage: true},
		Claim: func(namespace, name string) *resourceapi.ResourceClaim {
			for _, c := range claims {
				if c.Namespace == namespace && c.Name == name {
					return c
				}
			}
			return nil
		},
		Registered: func(driver string) bool { return driver != absent },
	}
}

// A shared claim is prepared once, and undone when the last pod has ended.
func TestShared(t *testing.T) {
	k := node("", claim("c", []string{"p", "q"}, "a", "b=*"))
	p, q := pod("p", "c"), pod("q", "c")
	if got := k.Start(p); got.Problem != nil || len(got.Calls) != 1 || got.Calls[0].Driver != "a" {
		t.Errorf("got %+v", got)
	}
	if got := k.Start(q); got.Problem != nil || len(got.Calls) != 0 || !got.Claims[0].Done {
		t.Errorf("got %+v", got)
	}
	if got := k.Stop(p); len(got.Calls) != 0 || !slices.Equal(got.Claims[0].Others, []types.UID{"q"}) {
		t.Errorf("got %+v", got)
	}
	if got := k.Stop(q); len(got.Calls) != 1 || got.Problem != nil {
		t.Errorf("got %+v", got)
	}
	if got := k.Stop(q); len(got.Calls)+len(got.Claims) != 0 || len(k.prepared)+len(k.uses) != 0 {
		t.Errorf("got %+v, and the kubelet remembers %v", got, k.prepared)
	}
}

// What cannot be undone stays, and nobody else can join it.
func TestHanging(t *testing.T) {
	k := node("", claim("c", []string{"p", "q"}, "a"))
	if got := k.Start(pod("p", "c")); got.Problem != nil {
		t.Fatal(got.Problem.Words)
	}
	k.Registered = func(string) bool { return false }
	if got := k.Stop(pod("p", "c")); got.Problem == nil || got.Problem.Code != Absent || got.Claims[0].Hangs != "a" {
		t.Errorf("got %+v", got)
	}
	k.Registered = func(string) bool { return true }
	if got := k.Start(pod("q", "c")); got.Problem == nil || got.Problem.Code != Leaving {
		t.Errorf("got %+v", got)
	}
	if got := k.Stop(pod("p", "c")); got.Problem != nil || len(got.Calls) != 1 {
		t.Errorf("got %+v", got)
	}
	if got := k.Start(pod("q", "c")); got.Problem != nil {
		t.Errorf("got %+v", got)
	}
}

// A pod that lists a claim twice is never started: the driver answers once.
func TestListedTwice(t *testing.T) {
	k := node("", claim("c", []string{"p"}, "a"))
	p := pod("p", "c", "c")
	for range 2 {
		if got := k.Start(p); got.Problem == nil || got.Problem.Code != ListedTwice {
			t.Errorf("got %+v", got)
		}
	}
	k = node("a", claim("c", []string{"p"}, "a=*"))
	if got := k.Start(p); got.Problem != nil {
		t.Errorf("no driver is asked, and still: %+v", got.Problem)
	}
}

// Every check has its code, in the kubelet's order.
func TestProblems(t *testing.T) {
	k := node("gone", claim("unallocated", []string{"p"}), claim("not-reserved", nil, "a"), claim("gate", []string{"p"}, "a=*"), claim("absent", []string{"p"}, "gone"))
	for name, want := range map[string]Code{"unallocated": NotAllocated, "not-reserved": NotReserved, "gate": GateOff, "absent": Absent, "nowhere": Missing} {
		k.Gates.OptionalNodeOperations = want != GateOff
		if got := k.Look(pod("p", name)).Problem; got == nil || got.Code != want {
			t.Errorf("%s: got %+v", name, got)
		}
	}
	template := "t"
	p := pod("p")
	p.Spec.ResourceClaims = []corev1.PodResourceClaim{{Name: "e", ResourceClaimTemplateName: &template}}
	if got := k.Look(p).Problem; got == nil || got.Code != NotCreated {
		t.Errorf("got %+v", got)
	}
	if got := k.Ending(p).Problem; got == nil || got.Code != NotCreated {
		t.Errorf("the end: got %+v", got)
	}
	name := "absent"
	p.Status.ResourceClaimStatuses = []corev1.PodResourceClaimStatus{{Name: "e", ResourceClaimName: &name}}
	if got := k.Look(p).Problem; got == nil || got.Code != Foreign {
		t.Errorf("got %+v", got)
	}
	p.Status.ResourceClaimStatuses[0].ResourceClaimName = nil
	if got := k.Look(p); got.Problem != nil || got.Claims[0].Claim != nil {
		t.Errorf("got %+v", got)
	}
	p.Spec.ResourceClaims[0].ResourceClaimTemplateName = nil
	if got := k.Look(p).Problem; got == nil || got.Code != EmptyEntry {
		t.Errorf("got %+v", got)
	}
}

// A report for one node counts before one for all.
func TestHealthByNode(t *testing.T) {
	all := &Health{}
	all.Report("a", Report{Pool: "p", Device: "d", Health: corev1.ResourceHealthStatusHealthy})
	one := &Health{Base: all}
	if got, _, _ := one.Of("a", "p", "d"); got != corev1.ResourceHealthStatusHealthy {
		t.Errorf("got %s", got)
	}
	one.Report("a", Report{Pool: "p", Device: "d", Health: corev1.ResourceHealthStatusUnhealthy, Age: 31})
	if got, _, reported := one.Of("a", "p", "d"); got != corev1.ResourceHealthStatusUnknown || reported {
		t.Errorf("a stale report: got %s", got)
	}
	if got := cut(strings.Repeat("ä", MostMessage)); len(got) != MostMessage || !strings.HasSuffix(got, "...") {
		t.Errorf("got %d bytes", len(got))
	}
}
