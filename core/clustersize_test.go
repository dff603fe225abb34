//go:build !js

// Memory and work are measured once; they are the same as WebAssembly.

package core

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// devicesOfSlice are devices as a driver for GPUs publishes them.
func devicesOfSlice(slice, n int) []resourcev1.Device {
	text := func(format string, args ...any) resourcev1.DeviceAttribute {
		s := fmt.Sprintf(format, args...)
		return resourcev1.DeviceAttribute{StringValue: &s}
	}
	devices := make([]resourcev1.Device, n)
	for i := range devices {
		version, numa := "570.86.15", int64(i%2)
		devices[i] = resourcev1.Device{
			Name: fmt.Sprintf("gpu-%d", i),
			Attributes: map[resourcev1.QualifiedName]resourcev1.DeviceAttribute{
				"type": text("gpu"), "uuid": text("GPU-%032x", slice*1000+i), "productName": text("Accelerator X1 80GB"),
				"brand": text("Acc"), "architecture": text("one"), "driverVersion": {VersionValue: &version},
				"numa": {IntValue: &numa}, "resource.kubernetes.io/pcieRoot": text("pci0000:%02x", i),
			},
			Capacity: map[resourcev1.QualifiedName]resourcev1.DeviceCapacity{"memory": {Value: resource.MustParse("80Gi")}},
		}
	}
	return devices
}

// fleet is a cluster of so many nodes with a slice of 16 devices each.
func fleet(nodes int) *Census {
	c := NewCensus()
	c.Put(&resourcev1.DeviceClass{ObjectMeta: metav1.ObjectMeta{Name: "acc"}, Spec: resourcev1.DeviceClassSpec{Selectors: []resourcev1.DeviceSelector{
		{CEL: &resourcev1.CELDeviceSelector{Expression: `device.driver == "acc.example.test"`}},
	}}})
	for i := range nodes {
		c.Put(&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("n%d", i)}})
		c.Put(fleetSlice(i))
		c.Put(&resourcev1.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: fmt.Sprintf("c%d", i)}})
	}
	return c
}

// largeFleet has 5,000 nodes.
var largeFleet = sync.OnceValue(func() *Census { return fleet(5000) })

func fleetSlice(i int) *resourcev1.ResourceSlice {
	n := fmt.Sprintf("n%d", i)
	return &resourcev1.ResourceSlice{ObjectMeta: metav1.ObjectMeta{Name: "slice-" + n}, Spec: resourcev1.ResourceSliceSpec{
		Driver: "acc.example.test", NodeName: &n, Pool: resourcev1.ResourcePool{Name: n, Generation: 1, ResourceSliceCount: 1}, Devices: devicesOfSlice(i, 16),
	}}
}

// asked are objects that make a look at all devices necessary, if there were
// no bounds: nothing matches, or something is missing on all.
func asked() map[string]string {
	selector := `, selectors: [{cel: {expression: 'device.attributes["acc.example.test"].productName == "none" && device.attributes["acc.example.test"].colour == "red"'}}]`
	return map[string]string{
		"claim":           claimOf("acc", selector),
		"claim for all":   claimOf("acc", ", allocationMode: All, selectors: [{cel: {expression: 'device.attributes[\"acc.example.test\"].numa == 7'}}]"),
		"unknown class":   claimOf("ack", ""),
		"slice":           published("slice-x", "n1", 1, 2, "n1", "gpu-0", "gpu-1"),
		"taint rule":      "apiVersion: resource.k8s.io/v1\nkind: DeviceTaintRule\nmetadata: {name: r}\nspec: {deviceSelector: {driver: acc.example.test, device: gpu-x}, taint: {key: a, effect: NoSchedule}}\n",
		"pod":             podOf("resourceClaimName: c1x"),
		"two constraints": claimOf("acc", "") + "    constraints:\n    - {matchAttribute: resource.kubernetes.io/pcieRoot}\n    - {matchAttribute: acc.example.test/colour}\n",
	}
}

// TestWorkDoesNotGrow counts what a review allocates, which is the same on
// every machine: among 5,000 slices with 80,000 devices it may not be much
// more than among 200.
func TestWorkDoesNotGrow(t *testing.T) {
	small, large := fleet(200), largeFleet()
	for name, object := range asked() {
		if name == "claim for all" {
			object = strings.ReplaceAll(object, `\"`, `"`)
		}
		work := func(c *Census) float64 {
			return testing.AllocsPerRun(3, func() {
				if _, err := Validate(context.Background(), []byte(object), Options{Cluster: c}); err != nil {
					t.Fatal(err)
				}
			})
		}
		few, many := work(small), work(large)
		t.Logf("%s: %.0f allocations among 200 slices, %.0f among 5,000", name, few, many)
		if many > 1.5*few+2000 {
			t.Errorf("%s: %.0f allocations among 200 slices, %.0f among 5,000", name, few, many)
		}
	}
}

// TestFindsAmongMany asks whether the bounds leave what matters.
func TestFindsAmongMany(t *testing.T) {
	result, err := Validate(context.Background(), []byte(asked()["claim"]), Options{Cluster: largeFleet()})
	if err != nil {
		t.Fatal(err)
	}
	var said []string
	for _, d := range result.Diagnostics {
		said = append(said, d.Message)
	}
	if text := strings.Join(said, "\n"); !strings.Contains(text, "0 of 80000 devices") {
		t.Errorf("found\n%s", text)
	}
}

// mostSliceBytes is what a slice of 16 devices, 8 attributes each, may take of
// the memory of a view, as docs/benchmarks.md states it, its own objects and
// the index together.
const mostSliceBytes = 48 << 10

func TestMemoryOfSlices(t *testing.T) {
	const n = 1000
	live := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := live()
	objects := make([]*resourcev1.ResourceSlice, n)
	for i := range objects {
		objects[i] = fleetSlice(i)
	}
	own := live()
	c := NewCensus()
	for _, s := range objects {
		c.Put(s)
	}
	after := live()
	t.Logf("a slice takes %d bytes, and the index %d more", (int64(own)-int64(before))/n, (int64(after)-int64(own))/n)
	if took := (int64(after) - int64(before)) / n; took > mostSliceBytes {
		t.Errorf("a slice takes %d bytes, more than %d", took, mostSliceBytes)
	}
	runtime.KeepAlive(objects)
	runtime.KeepAlive(c)
}
