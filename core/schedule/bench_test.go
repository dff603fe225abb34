package schedule

import (
	"context"
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

// fleet is a cluster of nodes with eight devices each, and pods that want two
// of them, some cpu, and more of it than the last ones find.
func fleet(nodes, pods int) Input {
	in := Input{Invalid: map[any]bool{}, Gates: Gates{ExtendedResource: true, DeclaredFeatures: true, Version: "1.37"}}
	in.Features.PrioritizedList, in.Features.DeviceTaints, in.Features.ConsumableCapacity = true, true, true
	in.Classes = []*resourceapi.DeviceClass{{ObjectMeta: metav1.ObjectMeta{Name: "acc"}, Spec: resourceapi.DeviceClassSpec{ExtendedResourceName: ptr.To("example.com/acc")}}}
	for i := range nodes {
		name := fmt.Sprintf("n%04d", i)
		node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{corev1.LabelHostname: name}}}
		node.Status.Allocatable = corev1.ResourceList{"cpu": resource.MustParse("64"), "memory": resource.MustParse("512Gi"), "pods": resource.MustParse("110")}
		in.Nodes = append(in.Nodes, node)
		slice := &resourceapi.ResourceSlice{ObjectMeta: metav1.ObjectMeta{Name: name}}
		slice.Spec.Driver, slice.Spec.NodeName, slice.Spec.Pool = "acc.example.test", &name, resourceapi.ResourcePool{Name: name, Generation: 1, ResourceSliceCount: 1}
		for d := range 8 {
			slice.Spec.Devices = append(slice.Spec.Devices, resourceapi.Device{Name: fmt.Sprintf("d%d", d)})
		}
		in.Slices = append(in.Slices, slice)
	}
	in.Templates = []*resourceapi.ResourceClaimTemplate{{ObjectMeta: metav1.ObjectMeta{Name: "two", Namespace: "default"}}}
	in.Templates[0].Spec.Spec.Devices.Requests = []resourceapi.DeviceRequest{{Name: "r", Exactly: &resourceapi.ExactDeviceRequest{
		DeviceClassName: "acc", AllocationMode: resourceapi.DeviceAllocationModeExactCount, Count: 2}}}
	for i := range pods {
		pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("p%04d", i), Namespace: "default"}}
		c := corev1.Container{Name: "c", Image: "app"}
		c.Resources.Requests = corev1.ResourceList{"cpu": resource.MustParse("16"), "memory": resource.MustParse("8Gi")}
		if i%2 == 0 {
			c.Resources.Claims = []corev1.ResourceClaim{{Name: "a"}}
			pod.Spec.ResourceClaims = []corev1.PodResourceClaim{{Name: "a", ResourceClaimTemplateName: ptr.To("two")}}
		} else {
			c.Resources.Requests["example.com/acc"] = resource.MustParse("2")
		}
		pod.Spec.Containers = []corev1.Container{c}
		in.Pods = append(in.Pods, pod)
	}
	return in
}

func BenchmarkFleet(b *testing.B) {
	in := fleet(1000, 500)
	for b.Loop() {
		out, err := Run(context.Background(), in)
		if err != nil {
			b.Fatal(err)
		}
		for _, p := range out.Pods {
			if p.Outcome != Done {
				b.Fatalf("%s: %s", p.Pod.Name, p.Message)
			}
		}
	}
}
