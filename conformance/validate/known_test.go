package validate

import (
	"math/rand/v2"
	"strings"
	"testing"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TestKnown compares objects that the generator makes too rarely to rely on.
func TestKnown(t *testing.T) {
	for name, device := range map[string]func() resourceapi.Device{
		// The paths of both are cut to the same one.
		"attributes without values": func() resourceapi.Device {
			return resourceapi.Device{Attributes: map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{
				longName("b"): {}, longName("c"): {IntValues: []int64{1}}}}
		},
		"attributes with two values": func() resourceapi.Device {
			two := resourceapi.DeviceAttribute{IntValue: ptr[int64](1), BoolValue: ptr(true)}
			return resourceapi.Device{Attributes: map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{
				longName("b"): two, longName("c"): two, longName("d"): {IntValue: ptr[int64](2), BoolValue: ptr(true)}}}
		},
		"attributes with versions": func() resourceapi.Device {
			return resourceapi.Device{Attributes: map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{
				longName("b"): {VersionValue: ptr("1")}, longName("c"): {VersionValue: ptr("1")}, longName("d"): {VersionValue: ptr("2")}}}
		},
		"attributes with long texts": func() resourceapi.Device {
			text := strings.Repeat("x", 65)
			return resourceapi.Device{Attributes: map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{
				longName("b"): {StringValue: &text}, longName("c"): {StringValue: &text}, longName("d"): {StringValue: ptr(text + "x")}}}
		},
		"policies without defaults": func() resourceapi.Device {
			return sharedDevice(func() *resourceapi.CapacityRequestPolicy {
				return &resourceapi.CapacityRequestPolicy{ValidValues: []resource.Quantity{resource.MustParse("1")}}
			})
		},
		"policies with values in no order": func() resourceapi.Device {
			return sharedDevice(func() *resourceapi.CapacityRequestPolicy {
				return &resourceapi.CapacityRequestPolicy{Default: ptr(resource.MustParse("1")), ValidValues: []resource.Quantity{resource.MustParse("3"), resource.MustParse("2"), resource.MustParse("9"), resource.MustParse("2")}}
			})
		},
		"policies with wrong ranges": func() resourceapi.Device {
			return sharedDevice(func() *resourceapi.CapacityRequestPolicy {
				return &resourceapi.CapacityRequestPolicy{Default: ptr(resource.MustParse("9")), ValidRange: &resourceapi.CapacityRequestPolicyRange{
					Min: ptr(resource.MustParse("7")), Max: ptr(resource.MustParse("6")), Step: ptr(resource.MustParse("0"))}}
			})
		},
		"policies of exclusive devices": func() resourceapi.Device {
			d := sharedDevice(func() *resourceapi.CapacityRequestPolicy { return &resourceapi.CapacityRequestPolicy{} })
			d.AllowMultipleAllocations = nil
			return d
		},
	} {
		for _, gates := range gateSets(t, rand.New(rand.NewPCG(*seed, 0)), chief) {
			t.Run(name+" "+gates.name, func(t *testing.T) {
				gates.apply(t)
				d := device()
				d.Name = "d"
				s := &resourceapi.ResourceSlice{ObjectMeta: metav1.ObjectMeta{Name: "s"}, Spec: resourceapi.ResourceSliceSpec{
					Driver: "gpu.example.com", NodeName: ptr("n"), Pool: resourceapi.ResourcePool{Name: "p", Generation: 1, ResourceSliceCount: 1}, Devices: []resourceapi.Device{d}}}
				for _, version := range kinds[0].versions {
					obj := convert(t, s, version, "ResourceSlice")
					want, err := kubernetes(obj, "ResourceSlice", "resourceslices", false)
					if err != nil {
						t.Fatal(err)
					}
					if d := difference(t, want, typed(t, obj, "ResourceSlice", version), gates); d != "" {
						t.Errorf("%s: %s", version, d)
					}
				}
			})
		}
	}
}

// longName is a name that differs from others where paths leave it out.
func longName(middle string) resourceapi.QualifiedName {
	return resourceapi.QualifiedName(strings.Repeat("a", 50) + middle + strings.Repeat("a", 50))
}

// sharedDevice has two capacities with the same policy.
func sharedDevice(policy func() *resourceapi.CapacityRequestPolicy) resourceapi.Device {
	d := resourceapi.Device{AllowMultipleAllocations: ptr(true), Capacity: map[resourceapi.QualifiedName]resourceapi.DeviceCapacity{}}
	for _, middle := range []string{"b", "c"} {
		d.Capacity[longName(middle)] = resourceapi.DeviceCapacity{Value: resource.MustParse("8"), RequestPolicy: policy()}
	}
	return d
}
