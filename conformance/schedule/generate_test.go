package schedule

import (
	"fmt"
	"math/rand/v2"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

// source draws objects; the same seed draws the same ones.
type source struct{ *rand.Rand }

func newSource(seed uint64) source { return source{rand.New(rand.NewPCG(seed, 37))} }

func (g source) chance(percent int) bool { return g.IntN(100) < percent }

func (g source) pick(of ...string) string { return of[g.IntN(len(of))] }

var extendedNames = []string{"example.com/gpu", "example.com/nic", "a.example.com/z", "deviceclass.resource.kubernetes.io/c0", "deviceclass.resource.kubernetes.io/c1", "requests.example.com/x", "example.com/none"}

// list draws amounts of resources.
func (g source) list(percent int, extended bool) corev1.ResourceList {
	out := corev1.ResourceList{}
	draw := func(name string, values ...string) {
		if g.chance(percent) {
			out[corev1.ResourceName(name)] = resource.MustParse(g.pick(values...))
		}
	}
	draw("cpu", "100m", "1", "1500m", "3", "0")
	draw("memory", "64Mi", "1Gi", "3Gi", "1500M")
	draw("ephemeral-storage", "1Gi", "5Gi")
	draw("hugepages-2Mi", "2Mi", "8Mi")
	if extended {
		for _, name := range extendedNames {
			draw(name, "0", "1", "2", "3", "4", "1500m")
		}
	}
	return out
}

func (g source) container(name string, extended bool) corev1.Container {
	c := corev1.Container{Name: name, Image: "app"}
	c.Resources.Requests = g.list(35, extended)
	if g.chance(30) {
		c.Resources.Limits = g.list(30, extended)
	}
	for range g.IntN(2) {
		c.Ports = append(c.Ports, corev1.ContainerPort{
			ContainerPort: int32(8080 + g.IntN(2)), HostPort: int32(g.IntN(2) * (8080 + g.IntN(2))),
			HostIP: g.pick("", "0.0.0.0", "10.0.0.1", "10.0.0.2"), Protocol: corev1.Protocol(g.pick("", "TCP", "UDP")),
		})
	}
	for range g.IntN(3) {
		c.Resources.Claims = append(c.Resources.Claims, corev1.ResourceClaim{Name: g.pick("a", "b", "other")})
	}
	return c
}

// pod draws a pod. Its limits and ports are completed as the API server does.
func (g source) pod(name string, extended bool) *corev1.Pod {
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default"}}
	for i := range g.IntN(4) {
		c := g.container(fmt.Sprintf("init-%d", i), extended)
		if g.chance(40) {
			c.RestartPolicy = ptr.To(corev1.ContainerRestartPolicyAlways)
		}
		pod.Spec.InitContainers = append(pod.Spec.InitContainers, c)
	}
	// Beyond ten the names of requests sort in another order than numbers do.
	n := 1 + g.IntN(3)
	if g.chance(10) {
		n += 10
	}
	for i := range n {
		pod.Spec.Containers = append(pod.Spec.Containers, g.container(fmt.Sprintf("c-%d", i), extended))
	}
	pod.Spec.HostNetwork = g.chance(10)
	if g.chance(20) {
		pod.Spec.Overhead = g.list(30, false)
	}
	if g.chance(25) {
		pod.Spec.Resources = &corev1.ResourceRequirements{Requests: g.podLevel(), Limits: g.podLevel()}
	}
	return pod
}

func (g source) podLevel() corev1.ResourceList {
	out := g.list(50, false)
	delete(out, "ephemeral-storage")
	return out
}

// classes draws DeviceClasses, in the order in which they were created.
func (g source) classes() []*resourceapi.DeviceClass {
	var out []*resourceapi.DeviceClass
	second := int64(0)
	for _, i := range g.Perm(4) {
		c := &resourceapi.DeviceClass{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("c%d", i)}}
		second += int64(g.IntN(2))
		c.CreationTimestamp = metav1.Unix(second, 0)
		if g.chance(80) {
			c.Spec.ExtendedResourceName = ptr.To(g.pick(extendedNames[:3]...))
		}
		out = append(out, c)
	}
	return out
}
