package metadata

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
)

// source draws objects; the same seed draws the same ones.
type source struct{ *rand.Rand }

func newSource(seed uint64) source { return source{rand.New(rand.NewPCG(seed, 53))} }

func (g source) chance(percent int) bool { return g.IntN(100) < percent }

func (g source) pick(of ...string) string { return of[g.IntN(len(of))] }

func (g source) uid() types.UID {
	return types.UID(fmt.Sprintf("%08x-%04x-4%03x-8%03x-%012x", g.Uint32(), g.IntN(1<<16), g.IntN(1<<12), g.IntN(1<<12), g.Int64N(1<<48)))
}

var driverNames = []string{"gpu.example.com", "nic.example.com"}

const node = "n1"

// attribute draws a value as slices have them.
func (g source) attribute() resourceapi.DeviceAttribute {
	switch g.IntN(8) {
	case 0:
		return resourceapi.DeviceAttribute{IntValue: ptr.To(g.Int64() - g.Int64())}
	case 1:
		return resourceapi.DeviceAttribute{BoolValue: ptr.To(g.chance(50))}
	case 2:
		return resourceapi.DeviceAttribute{VersionValue: ptr.To(g.pick("1.0.0", "2.4.1-rc.1+x"))}
	case 3:
		return resourceapi.DeviceAttribute{IntValues: []int64{1, g.Int64()}}
	case 4:
		return resourceapi.DeviceAttribute{StringValues: []string{"a", g.text()}}
	}
	return resourceapi.DeviceAttribute{StringValue: ptr.To(g.text())}
}

// text is what JSON writes in more than one way.
func (g source) text() string {
	return g.pick("", "A100", "a<b>&c", "é 中 \u2028", `"quoted\`, "tab\tline\n", "0000:01:00.0")
}

// published draws slices of all drivers.
func (g source) published() ([]*resourceapi.ResourceSlice, map[string]map[string]map[resourceapi.QualifiedName]resourceapi.DeviceAttribute) {
	var list []*resourceapi.ResourceSlice
	index := map[string]map[string]map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{}
	for _, d := range driverNames {
		index[d] = map[string]map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{}
		for _, pool := range []string{node, "shared/rack-1"} {
			s := &resourceapi.ResourceSlice{TypeMeta: metav1.TypeMeta{APIVersion: "resource.k8s.io/v1", Kind: "ResourceSlice"}, ObjectMeta: metav1.ObjectMeta{Name: d + "-" + strings.ReplaceAll(pool, "/", "-")}}
			s.Spec = resourceapi.ResourceSliceSpec{Driver: d, NodeName: ptr.To(node), Pool: resourceapi.ResourcePool{Name: pool, Generation: 1, ResourceSliceCount: 1}}
			for i := range 4 {
				dev := resourceapi.Device{Name: fmt.Sprintf("d%d", i)}
				for range g.IntN(4) {
					if dev.Attributes == nil {
						dev.Attributes = map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{}
					}
					dev.Attributes[resourceapi.QualifiedName(g.pick("model", "index", "uuid", "resource.kubernetes.io/pciBusID", "other.example.com/x"))] = g.attribute()
				}
				index[d][pool+"/"+dev.Name] = dev.Attributes
				s.Spec.Devices = append(s.Spec.Devices, dev)
			}
			list = append(list, s)
		}
	}
	return list, index
}

// requests are those of every claim; the last has alternatives.
var requests = []string{"r0", "r1", "list/a"}

// claim draws one that is allocated and reserved for a pod.
func (g source) claim(name string, pod *corev1.Pod) *resourceapi.ResourceClaim {
	c := &resourceapi.ResourceClaim{TypeMeta: metav1.TypeMeta{APIVersion: "resource.k8s.io/v1", Kind: "ResourceClaim"}}
	c.Name, c.Namespace, c.UID = name, pod.Namespace, g.uid()
	for _, r := range requests {
		base, sub, list := strings.Cut(r, "/")
		request := resourceapi.DeviceRequest{Name: base}
		if list {
			request.FirstAvailable = []resourceapi.DeviceSubRequest{{Name: sub, DeviceClassName: "x"}, {Name: "b", DeviceClassName: "x"}}
		} else {
			request.Exactly = &resourceapi.ExactDeviceRequest{DeviceClassName: "x"}
		}
		c.Spec.Devices.Requests = append(c.Spec.Devices.Requests, request)
	}
	c.Status.Allocation = &resourceapi.AllocationResult{}
	skips := map[string]bool{}
	for _, d := range driverNames {
		skips[d] = g.chance(10)
	}
	for i := range 1 + g.IntN(5) {
		r := resourceapi.DeviceRequestAllocationResult{Request: g.pick(requests...), Driver: g.pick(driverNames...), Pool: g.pick(node, "shared/rack-1"), Device: fmt.Sprintf("d%d", i%4)}
		if g.chance(20) {
			r.ShareID = ptr.To(g.uid())
		}
		switch {
		case skips[r.Driver]:
			r.SkipNodeOperations = []resourceapi.SkipNodeOperation{resourceapi.SkipNodeOperation(g.pick("*", "*"))}
		case g.chance(5): // not all of them, perhaps
			r.SkipNodeOperations = []resourceapi.SkipNodeOperation{"NodePrepareResources", "NodeUnprepareResources"}
		}
		c.Status.Allocation.Devices.Results = append(c.Status.Allocation.Devices.Results, r)
		if g.chance(20) {
			s := resourceapi.AllocatedDeviceStatus{Driver: r.Driver, Pool: r.Pool, Device: r.Device, NetworkData: &resourceapi.NetworkDeviceData{InterfaceName: "net" + fmt.Sprint(i), IPs: []string{"10.9.8.7/24"}}}
			if r.ShareID != nil {
				s.ShareID = ptr.To(string(*r.ShareID))
			}
			// One device has one status, of which the last counts.
			c.Status.Devices = slices.DeleteFunc(c.Status.Devices, func(o resourceapi.AllocatedDeviceStatus) bool {
				return o.Driver == s.Driver && o.Pool == s.Pool && o.Device == s.Device && ptr.Equal(o.ShareID, s.ShareID)
			})
			c.Status.Devices = append(c.Status.Devices, s)
		}
	}
	c.Status.ReservedFor = []resourceapi.ResourceClaimConsumerReference{{Resource: "pods", Name: pod.Name, UID: pod.UID}}
	return c
}

// world is a pod with its claims.
type world struct {
	pod    *corev1.Pod
	claims []*resourceapi.ResourceClaim
}

const extendedName = "example.com/gpu"

// draw makes a pod with claims whose names nothing else has.
func (g source) draw(n int) world {
	pod := &corev1.Pod{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"}, ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("p%d", n), Namespace: g.pick("default", "team"), UID: g.uid()}}
	pod.Spec.NodeName = node
	w := world{pod: pod}
	owned := metav1.OwnerReference{APIVersion: "v1", Kind: "Pod", Name: pod.Name, UID: pod.UID, Controller: ptr.To(true)}
	var entries []string
	for i := range g.IntN(4) {
		entry := fmt.Sprintf("e%d", i)
		entries = append(entries, entry)
		c := g.claim(fmt.Sprintf("c%d-%d", n, i), pod)
		if g.chance(50) {
			c.Annotations = map[string]string{resourceapi.PodResourceClaimAnnotation: entry}
			c.OwnerReferences = []metav1.OwnerReference{owned}
			pod.Spec.ResourceClaims = append(pod.Spec.ResourceClaims, corev1.PodResourceClaim{Name: entry, ResourceClaimTemplateName: ptr.To("t")})
			pod.Status.ResourceClaimStatuses = append(pod.Status.ResourceClaimStatuses, corev1.PodResourceClaimStatus{Name: entry, ResourceClaimName: &c.Name})
		} else {
			if g.chance(20) { // somebody wrote it by hand
				c.Annotations = map[string]string{resourceapi.PodResourceClaimAnnotation: g.pick("", "mine")}
			}
			pod.Spec.ResourceClaims = append(pod.Spec.ResourceClaims, corev1.PodResourceClaim{Name: entry, ResourceClaimName: &c.Name})
		}
		w.claims = append(w.claims, c)
	}
	container := func(name string) corev1.Container {
		c := corev1.Container{Name: name, Image: "app"}
		for _, entry := range entries {
			switch g.IntN(4) {
			case 0:
				c.Resources.Claims = append(c.Resources.Claims, corev1.ResourceClaim{Name: entry})
			case 1:
				c.Resources.Claims = append(c.Resources.Claims, corev1.ResourceClaim{Name: entry, Request: g.pick("r0", "r1", "list")})
			case 2:
				c.Resources.Claims = append(c.Resources.Claims, corev1.ResourceClaim{Name: entry, Request: "r0"}, corev1.ResourceClaim{Name: entry, Request: "list"})
			}
		}
		g.Shuffle(len(c.Resources.Claims), func(i, j int) {
			c.Resources.Claims[i], c.Resources.Claims[j] = c.Resources.Claims[j], c.Resources.Claims[i]
		})
		if g.chance(40) {
			amount := corev1.ResourceList{extendedName: resource.MustParse(g.pick("0", "1", "2"))}
			c.Resources.Requests, c.Resources.Limits = amount, amount
		}
		return c
	}
	for i := range g.IntN(3) {
		c := container(fmt.Sprintf("init%d", i))
		if g.chance(50) {
			c.RestartPolicy = ptr.To(corev1.ContainerRestartPolicyAlways)
		}
		pod.Spec.InitContainers = append(pod.Spec.InitContainers, c)
	}
	for i := range 1 + g.IntN(3) {
		pod.Spec.Containers = append(pod.Spec.Containers, container(fmt.Sprintf("c%d", i)))
	}
	if g.chance(30) {
		c := g.claim(fmt.Sprintf("p%d-extended", n), pod)
		c.Annotations = map[string]string{resourceapi.ExtendedResourceClaimAnnotation: "true"}
		c.OwnerReferences = []metav1.OwnerReference{owned}
		w.claims = append(w.claims, c)
		status := &corev1.PodExtendedResourceClaimStatus{ResourceClaimName: c.Name}
		for _, of := range pod.Spec.Containers {
			if g.chance(60) {
				status.RequestMappings = append(status.RequestMappings, corev1.ContainerExtendedResourceRequest{ContainerName: of.Name, ResourceName: extendedName, RequestName: g.pick("r0", "r1")})
			}
		}
		pod.Status.ExtendedResourceClaimStatus = status
	}
	return w
}

// text is a world as kubectl would print it.
func (w world) text(slices []*resourceapi.ResourceSlice) ([]byte, error) {
	items := []any{w.pod}
	for _, c := range w.claims {
		items = append(items, c)
	}
	for _, s := range slices {
		items = append(items, s)
	}
	return json.Marshal(map[string]any{"apiVersion": "v1", "kind": "List", "items": items})
}
