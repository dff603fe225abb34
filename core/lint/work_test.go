package lint

import (
	"fmt"
	"reflect"
	"testing"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/drawbridge-dra/drawbridge/core/bundle"
	"github.com/drawbridge-dra/drawbridge/core/diag"
	"github.com/drawbridge-dra/drawbridge/core/feature"
)

// made builds bundles without the text.
type made struct{ bundle.Bundle }

func (m *made) add(apiVersion, kind, namespace, name string, value any) {
	m.Objects = append(m.Objects, &bundle.Object{
		Ref:   diag.Object{Index: len(m.Objects), APIVersion: apiVersion, Kind: kind, Namespace: namespace, Name: name},
		Value: value,
	})
}

func (m *made) slice(node, pool string, count int64, devices ...resourceapi.Device) {
	name := fmt.Sprintf("slice-%d", len(m.Objects))
	m.add("resource.k8s.io/v1", "ResourceSlice", "", name, &resourceapi.ResourceSlice{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: resourceapi.ResourceSliceSpec{
			Driver: "acc.example.test", NodeName: &node, Devices: devices,
			Pool: resourceapi.ResourcePool{Name: pool, Generation: 1, ResourceSliceCount: count},
		},
	})
}

func (m *made) claim(name string, spec resourceapi.ResourceClaimSpec) {
	m.add("resource.k8s.io/v1", "ResourceClaim", "default", name, &resourceapi.ResourceClaim{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name}, Spec: spec,
	})
}

func (m *made) node(n node) {
	m.add("v1", "Node", "", n.value.Name, n.value)
}

func request1(class string) resourceapi.DeviceRequest {
	return resourceapi.DeviceRequest{Name: "r", Exactly: &resourceapi.ExactDeviceRequest{DeviceClassName: class}}
}

// bigCluster is a healthy cluster of 1000 nodes with 128 devices each.
func bigCluster() *made {
	m := &made{}
	for i := range 1000 {
		n := fmt.Sprintf("n%d", i)
		m.node(node{value: &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: n}}})
		devices := make([]resourceapi.Device, 128)
		for j := range devices {
			id := fmt.Sprintf("uuid-%d-%d", i, j)
			numa := int64(j % 2)
			devices[j] = resourceapi.Device{
				Name:       fmt.Sprintf("d%d", j),
				Attributes: map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{"uuid": {StringValue: &id}, "numa": {IntValue: &numa}},
				Capacity:   map[resourceapi.QualifiedName]resourceapi.DeviceCapacity{"memory": {Value: resource.MustParse("8Gi")}},
			}
		}
		m.slice(n, n, 1, devices...)
	}
	m.add("resource.k8s.io/v1", "DeviceClass", "", "acc", &resourceapi.DeviceClass{ObjectMeta: metav1.ObjectMeta{Name: "acc"}})
	for i := range 1000 {
		m.claim(fmt.Sprintf("c%d", i), resourceapi.ResourceClaimSpec{Devices: resourceapi.DeviceClaim{Requests: []resourceapi.DeviceRequest{request1("acc")}}})
	}
	return m
}

// hostile is made to multiply: everything refers to something that is nearly
// the name of one of many others.
func hostile() *made {
	const n = 5_000
	m := &made{}
	for i := range n {
		// One pool name on all nodes, and all devices collide.
		m.slice(fmt.Sprintf("n%d", i), "pool", 1, resourceapi.Device{
			Name:             "d",
			Attributes:       map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{resourceapi.QualifiedName(fmt.Sprintf("a%d", i)): {StringValue: new(string)}},
			Capacity:         map[resourceapi.QualifiedName]resourceapi.DeviceCapacity{resourceapi.QualifiedName(fmt.Sprintf("c%d", i)): {}},
			ConsumesCounters: []resourceapi.DeviceCounterConsumption{{CounterSet: fmt.Sprintf("set-%d", i)}},
			NodeSelector: &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchExpressions: []corev1.NodeSelectorRequirement{
				{Key: "zone", Operator: corev1.NodeSelectorOpIn, Values: []string{fmt.Sprintf("z%d", i)}},
			}}}},
		})
		m.node(node{value: &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("m%d", i)}}})
		name := fmt.Sprintf("class-%d", i)
		m.add("resource.k8s.io/v1", "DeviceClass", "", name, &resourceapi.DeviceClass{ObjectMeta: metav1.ObjectMeta{Name: name}})
		attribute := resourceapi.FullyQualifiedName(fmt.Sprintf("acc.example.test/b%d", i))
		r := request1(fmt.Sprintf("klass-%d", i))
		r.Exactly.AllocationMode = resourceapi.DeviceAllocationModeAll
		r.Exactly.Capacity = &resourceapi.CapacityRequirements{Requests: map[resourceapi.QualifiedName]resource.Quantity{resourceapi.QualifiedName(fmt.Sprintf("x%d", i)): {}}}
		m.claim(fmt.Sprintf("c%d", i), resourceapi.ResourceClaimSpec{Devices: resourceapi.DeviceClaim{
			Requests:    []resourceapi.DeviceRequest{r},
			Constraints: []resourceapi.DeviceConstraint{{MatchAttribute: &attribute}},
		}})
		device := fmt.Sprintf("e%d", i)
		m.add("resource.k8s.io/v1", "DeviceTaintRule", "", name, &resourceapi.DeviceTaintRule{
			Spec: resourceapi.DeviceTaintRuleSpec{DeviceSelector: &resourceapi.DeviceTaintSelector{Device: &device}},
		})
		missing := fmt.Sprintf("k%d", i)
		m.add("v1", "Pod", "default", name, &corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name},
			Spec:       corev1.PodSpec{ResourceClaims: []corev1.PodResourceClaim{{Name: "a", ResourceClaimName: &missing}}},
		})
	}
	return m
}

// costly has expressions that take as long as they may, each another, on
// devices of which each lacks something else.
func costly() *made {
	m := &made{}
	for i := range 500 {
		devices := make([]resourceapi.Device, 16)
		for j := range devices {
			attributes := map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{}
			for k := range 30 {
				attributes[resourceapi.QualifiedName(fmt.Sprintf("a%d", (i+j+k)%64))] = resourceapi.DeviceAttribute{StringValue: new(string)}
			}
			devices[j] = resourceapi.Device{Name: fmt.Sprintf("d%d", j), Attributes: attributes}
		}
		m.slice(fmt.Sprintf("n%d", i), fmt.Sprintf("n%d", i), 1, devices...)
	}
	const loops = `device.attributes["acc.example.test"].all(x, device.attributes["acc.example.test"].all(y, device.attributes["acc.example.test"].all(z, x + y + z != "%d")))`
	for i := range 2 * mostExpressions {
		name := fmt.Sprintf("class-%d", i)
		selectors := []resourceapi.DeviceSelector{
			{CEL: &resourceapi.CELDeviceSelector{Expression: fmt.Sprintf(loops, i)}},
			{CEL: &resourceapi.CELDeviceSelector{Expression: fmt.Sprintf(`device.attributes["acc.example.test"].a%d == %d`, i%64, i)}},
		}
		m.add("resource.k8s.io/v1", "DeviceClass", "", name, &resourceapi.DeviceClass{
			ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: resourceapi.DeviceClassSpec{Selectors: selectors},
		})
		r := request1(name)
		r.Exactly.AllocationMode = resourceapi.DeviceAllocationModeAll
		m.claim(name, resourceapi.ResourceClaimSpec{Devices: resourceapi.DeviceClaim{Requests: []resourceapi.DeviceRequest{r}}})
	}
	return m
}

func TestDeterministic(t *testing.T) {
	set := feature.Default(feature.Version{Minor: 37})
	m := &made{}
	for i := range 40 {
		devices := make([]resourceapi.Device, 3)
		for j := range devices {
			s := fmt.Sprint(i * j)
			devices[j] = resourceapi.Device{
				Name: fmt.Sprintf("d%d", j),
				Attributes: map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{
					"model": {StringValue: &s}, "acc.example.test/model": {BoolValue: new(bool)}, "x": {StringValue: &s}, "y": {IntValue: new(int64)}, "A.test/z": {StringValue: &s}, "B.test/z": {StringValue: &s},
				},
				Capacity: map[resourceapi.QualifiedName]resourceapi.DeviceCapacity{"c1": {}, "c2": {}, "c3": {}},
			}
		}
		m.slice(fmt.Sprintf("n%d", i%7), fmt.Sprintf("p%d", i%3), int64(i%2+1), devices...)
	}
	attribute := resourceapi.FullyQualifiedName("acc.example.test/modle")
	r := request1("acc")
	r.Exactly.Capacity = &resourceapi.CapacityRequirements{Requests: map[resourceapi.QualifiedName]resource.Quantity{"c4": {}, "c5": {}}}
	m.claim("c", resourceapi.ResourceClaimSpec{Devices: resourceapi.DeviceClaim{
		Requests: []resourceapi.DeviceRequest{r}, Constraints: []resourceapi.DeviceConstraint{{MatchAttribute: &attribute}},
	}})
	first := Check(&m.Bundle, set, nil)
	if len(first) < 5 {
		t.Fatalf("only %d findings", len(first))
	}
	for range 30 {
		if again := Check(&m.Bundle, set, nil); !reflect.DeepEqual(first, again) {
			t.Fatalf("first %+v\nthen  %+v", first, again)
		}
	}
}

func BenchmarkCheck(b *testing.B) {
	m := bigCluster()
	set := feature.Default(feature.Version{Minor: 37})
	for b.Loop() {
		Check(&m.Bundle, set, nil)
	}
}
