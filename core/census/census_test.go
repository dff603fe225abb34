package census

import (
	"fmt"
	"maps"
	"math/rand"
	"reflect"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// draw makes a random object; few names, so that objects meet.
func draw(r *rand.Rand) any {
	meta := func(prefix string) metav1.ObjectMeta {
		return metav1.ObjectMeta{Name: fmt.Sprintf("%s%d", prefix, r.Intn(6))}
	}
	namespaced := func(prefix string) metav1.ObjectMeta {
		m := meta(prefix)
		m.Namespace = fmt.Sprintf("ns%d", r.Intn(2))
		return m
	}
	class := func() string { return fmt.Sprintf("class%d", r.Intn(6)) }
	spec := func() resourceapi.ResourceClaimSpec {
		return resourceapi.ResourceClaimSpec{Devices: resourceapi.DeviceClaim{Requests: []resourceapi.DeviceRequest{
			{Name: "a", Exactly: &resourceapi.ExactDeviceRequest{DeviceClassName: class()}},
			{Name: "b", FirstAvailable: []resourceapi.DeviceSubRequest{{Name: "c", DeviceClassName: class()}}},
		}}}
	}
	switch r.Intn(10) {
	case 0:
		o := &resourceapi.DeviceClass{ObjectMeta: meta("class")}
		if r.Intn(2) == 0 {
			n := fmt.Sprintf("example.test/r%d", r.Intn(3))
			o.Spec.ExtendedResourceName = &n
		}
		return o
	case 1:
		o := &resourceapi.ResourceClaim{ObjectMeta: namespaced("claim"), Spec: spec()}
		if r.Intn(2) == 0 {
			o.Status.Allocation = &resourceapi.AllocationResult{Devices: resourceapi.DeviceAllocationResult{
				Results: []resourceapi.DeviceRequestAllocationResult{{Driver: "d0", Pool: fmt.Sprintf("p%d", r.Intn(3))}},
			}}
		}
		return o
	case 2:
		return &resourceapi.ResourceClaimTemplate{ObjectMeta: namespaced("template"), Spec: resourceapi.ResourceClaimTemplateSpec{Spec: spec()}}
	case 3:
		return &corev1.Node{ObjectMeta: meta("node")}
	case 4:
		return &corev1.Namespace{ObjectMeta: meta("ns")}
	case 5:
		n := fmt.Sprintf("template%d", r.Intn(6))
		o := &corev1.Pod{ObjectMeta: namespaced("pod"), Spec: corev1.PodSpec{ResourceClaims: []corev1.PodResourceClaim{{Name: "a", ResourceClaimTemplateName: &n}}}}
		if r.Intn(4) == 0 {
			o.Status.Phase = corev1.PodSucceeded
		}
		return o
	}
	o := &resourceapi.ResourceSlice{ObjectMeta: meta("slice")}
	o.Spec.Driver = fmt.Sprintf("d%d", r.Intn(2))
	o.Spec.Pool = resourceapi.ResourcePool{Name: fmt.Sprintf("p%d", r.Intn(3)), Generation: int64(r.Intn(3)), ResourceSliceCount: 1}
	if r.Intn(8) == 0 {
		o.Spec.SharedCounters = []resourceapi.CounterSet{{Name: "a"}}
		return o
	}
	for i := range r.Intn(4) {
		text, number, shared := fmt.Sprint(r.Intn(3)), int64(r.Intn(3)), r.Intn(3) == 0
		d := resourceapi.Device{Name: fmt.Sprintf("gpu%d", i), Attributes: map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{}}
		if r.Intn(2) == 0 {
			d.Attributes["a"] = resourceapi.DeviceAttribute{StringValue: &text}
		}
		if r.Intn(2) == 0 {
			d.Attributes["d0/a"] = resourceapi.DeviceAttribute{IntValue: &number}
		}
		if shared {
			d.AllowMultipleAllocations = &shared
			d.Capacity = map[resourceapi.QualifiedName]resourceapi.DeviceCapacity{"m": {Value: resource.MustParse("1Gi")}}
		}
		o.Spec.Devices = append(o.Spec.Devices, d)
	}
	return o
}

// key tells the objects of a census apart.
func key(o any) string {
	m := o.(metav1.Object)
	return fmt.Sprintf("%T %s/%s", o, m.GetNamespace(), m.GetName())
}

// TestSameHoweverItCame puts and removes objects at random. What is known then
// must be what is known of a census that has the same objects from the start,
// in any order.
func TestSameHoweverItCame(t *testing.T) {
	for seed := range int64(60) {
		r := rand.New(rand.NewSource(seed))
		c, have := New(), map[string]any{}
		for range 150 {
			o := draw(r)
			if r.Intn(3) == 0 {
				c.Remove(o)
				delete(have, key(o))
				continue
			}
			c.Put(o)
			have[key(o)] = o
		}
		fresh := New()
		for _, k := range slices.Sorted(maps.Keys(have)) {
			fresh.Put(have[k])
		}
		compareCensus(t, seed, c, fresh)
		for _, k := range slices.Sorted(maps.Keys(have)) {
			c.Remove(have[k])
		}
		compareCensus(t, seed, c, New())
		if t.Failed() {
			return
		}
	}
}

func compareCensus(t *testing.T, seed int64, got, want *Census) {
	t.Helper()
	if !reflect.DeepEqual(got.Count(), want.Count()) {
		t.Errorf("seed %d: counts %v, want %v", seed, got.Count(), want.Count())
	}
	if !slices.Equal(got.driverNames, want.driverNames) || !slices.Equal(got.classNames, want.classNames) || !slices.Equal(got.nodeNames, want.nodeNames) {
		t.Errorf("seed %d: names %q %q %q, want %q %q %q", seed, got.driverNames, got.classNames, got.nodeNames, want.driverNames, want.classNames, want.nodeNames)
	}
	for _, pair := range [][2]any{
		{got.claimNames, want.claimNames}, {got.templateNames, want.templateNames},
		{got.claimNamespaces, want.claimNamespaces}, {got.templateNamespaces, want.templateNamespaces},
		{got.claimsOf, want.claimsOf}, {got.templatesOf, want.templatesOf}, {got.holders, want.holders},
		{got.podsOf, want.podsOf}, {got.resources, want.resources}, {len(got.pools), len(want.pools)},
	} {
		if !reflect.DeepEqual(pair[0], pair[1]) {
			t.Errorf("seed %d: %v, want %v", seed, pair[0], pair[1])
		}
	}
	for id, p := range want.pools {
		if q := got.pools[id]; q == nil || !reflect.DeepEqual(p, q) {
			t.Errorf("seed %d: pool %v is %v, want %v", seed, id, q, p)
		}
	}
	// What was open once stays so, and what is largest; the rest is equal.
	for n, o := range want.drivers {
		sameDriver(t, seed, got.drivers[n].driver, o.driver)
	}
	sameDriver(t, seed, got.all.driver, want.all.driver)
}

func sameDriver(t *testing.T, seed int64, got, want *Driver) {
	t.Helper()
	summary := func(d *Driver) string {
		out := fmt.Sprint(d.Devices, d.Pools, d.DeviceNames, d.shareable)
		for _, list := range []map[string]*Published{d.Attributes, d.Capacities, d.QualifiedCapacities} {
			for _, n := range slices.Sorted(maps.Keys(list)) {
				out += fmt.Sprint(" ", n, list[n].Devices, list[n].Kinds, list[n].Values, list[n].Texts)
			}
		}
		return out
	}
	if summary(got) != summary(want) {
		t.Errorf("seed %d: driver %q publishes\n%s\nwant\n%s", seed, want.Name, summary(got), summary(want))
	}
}

func TestAsk(t *testing.T) {
	c := New()
	name, old, young := "example.test/acc", metav1.Unix(1, 0), metav1.Unix(2, 0)
	c.Put(&resourceapi.DeviceClass{ObjectMeta: metav1.ObjectMeta{Name: "b", CreationTimestamp: old}, Spec: resourceapi.DeviceClassSpec{ExtendedResourceName: &name}})
	c.Put(&resourceapi.DeviceClass{ObjectMeta: metav1.ObjectMeta{Name: "c", CreationTimestamp: young}, Spec: resourceapi.DeviceClassSpec{ExtendedResourceName: &name}})
	c.Put(&resourceapi.DeviceClass{ObjectMeta: metav1.ObjectMeta{Name: "d", CreationTimestamp: young}, Spec: resourceapi.DeviceClassSpec{ExtendedResourceName: &name}})
	c.Put(&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n1", Labels: map[string]string{"kubernetes.io/hostname": "host-1"}}})
	for i := range 5 {
		c.Put(&resourceapi.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: fmt.Sprintf("claim-%d", i)}, Spec: resourceapi.ResourceClaimSpec{
			Devices: resourceapi.DeviceClaim{Requests: []resourceapi.DeviceRequest{{Name: "a", Exactly: &resourceapi.ExactDeviceRequest{DeviceClassName: "c"}}}},
		}})
	}
	for resource, want := range map[string]string{name: "c", "deviceclass.resource.kubernetes.io/b": "b", "deviceclass.resource.kubernetes.io/x": "", "example.test/none": ""} {
		if got, ok := c.ClassFor(resource); ok != (want != "") || ok && got != want {
			t.Errorf("%s is served by %q (%t), want %q", resource, got, ok, want)
		}
	}
	if labels, ok := c.NodeLabels("n1"); !ok || labels["kubernetes.io/hostname"] != "host-1" {
		t.Errorf("n1 has labels %v", labels)
	}
	if _, ok := c.NodeLabels("n2"); ok {
		t.Error("n2 is known")
	}
	u := c.UsersOfClass("c")
	if u.ClaimCount != 5 || fmt.Sprint(u.Claims) != "[ns/claim-0 ns/claim-1 ns/claim-2]" || u.None() || !c.UsersOfClass("b").None() {
		t.Errorf("users of c: %+v", u)
	}
}

// TestSamplesTheRare looks for a slice that is unlike the others among very
// many of them.
func TestSamplesTheRare(t *testing.T) {
	c := New()
	text := "x"
	for i := range 5000 {
		s := &resourceapi.ResourceSlice{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("s%04d", i)}}
		s.Spec.Driver, s.Spec.Pool = "d", resourceapi.ResourcePool{Name: s.Name, Generation: 1, ResourceSliceCount: 1}
		for j := range 16 {
			d := resourceapi.Device{Name: fmt.Sprint("gpu", j), Attributes: map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{"model": {StringValue: &text}}}
			if i == 4321 && j == 7 {
				d.Attributes["odd"] = d.Attributes["model"]
			}
			s.Spec.Devices = append(s.Spec.Devices, d)
		}
		c.Put(s)
	}
	a := c.Around(&resourceapi.DeviceClass{ObjectMeta: metav1.ObjectMeta{Name: "c"}})
	list := a.Samples["d"]
	if len(list) > mostSamples || !a.Sampled["d"] {
		t.Errorf("%d slices are looked at, and said to be all: %t", len(list), !a.Sampled["d"])
	}
	if !slices.ContainsFunc(list, func(s *resourceapi.ResourceSlice) bool { return s.Name == "s4321" }) {
		t.Error("the one slice with another attribute is not among the samples")
	}
	if d := a.Drivers["d"]; d.Devices != 80000 || d.Attributes["d/odd"].Devices != 1 {
		t.Errorf("%d devices, %d of them odd", d.Devices, d.Attributes["d/odd"].Devices)
	}
	again := c.Around(&resourceapi.DeviceClass{ObjectMeta: metav1.ObjectMeta{Name: "c"}})
	if again.Drivers["d"] != a.Drivers["d"] {
		t.Error("what nobody changed was copied again")
	}
}
