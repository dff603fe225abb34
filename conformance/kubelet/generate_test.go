package kubelet

import (
	"fmt"
	"math/rand/v2"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
)

var driverNames = []string{"a.example.com", "b.example.com", "c.example.com"}

const (
	mostClaims = 4
	mostPods   = 4
)

// generator makes pods and claims that mostly fit each other.
type generator struct {
	*rand.Rand
	made int
}

func (g *generator) chance(percent int) bool { return g.IntN(100) < percent }

func pick[T any](g *generator, list ...T) T { return list[g.IntN(len(list))] }

func (g *generator) uid(of string) types.UID {
	g.made++
	return types.UID(fmt.Sprintf("%s-%d", of, g.made))
}

// skips are operations that a slice may skip, and some that it may not.
func (g *generator) skips() []resourceapi.SkipNodeOperation {
	const (
		prepare   = resourceapi.SkipNodeOperationNodePrepareResources
		unprepare = resourceapi.SkipNodeOperationNodeUnprepareResources
		all       = resourceapi.SkipNodeOperationAll
	)
	return pick(g, nil, nil, nil, []resourceapi.SkipNodeOperation{all}, []resourceapi.SkipNodeOperation{unprepare}, []resourceapi.SkipNodeOperation{prepare, unprepare},
		[]resourceapi.SkipNodeOperation{unprepare, all}, []resourceapi.SkipNodeOperation{prepare})
}

// claim makes the claim of that number. Its owner may be a pod or a group.
func (g *generator) claim(number int, pods []*corev1.Pod) *resourceapi.ResourceClaim {
	c := &resourceapi.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: fmt.Sprintf("claim-%d", number), UID: g.uid("claim")}}
	owner := pods[g.IntN(len(pods))]
	switch {
	case g.chance(50):
		c.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "Pod", Name: owner.Name, UID: owner.UID, Controller: ptr.To(g.chance(90))}}
	case g.chance(50):
		c.OwnerReferences = []metav1.OwnerReference{{APIVersion: pick(g, "scheduling.k8s.io/v1beta1", "scheduling.k8s.io/v1alpha3", "other/v1"), Kind: pick(g, "PodGroup", "PodGroup", "Job"), Name: "group", UID: "group", Controller: ptr.To(true)}}
	}
	for _, pod := range pods {
		if g.chance(93) {
			c.Status.ReservedFor = append(c.Status.ReservedFor, resourceapi.ResourceClaimConsumerReference{Resource: "pods", Name: pod.Name, UID: pod.UID})
		}
	}
	if g.chance(15) {
		c.Status.ReservedFor = []resourceapi.ResourceClaimConsumerReference{{APIGroup: "scheduling.k8s.io", Resource: "podgroups", Name: pick(g, "group", "other"), UID: "group"}}
	}
	if g.chance(92) {
		c.Status.Allocation = g.allocation(number)
	}
	return c
}

func (g *generator) allocation(number int) *resourceapi.AllocationResult {
	out := &resourceapi.AllocationResult{}
	common := g.skips()
	for i := range 1 + g.IntN(4) {
		r := resourceapi.DeviceRequestAllocationResult{
			Request: pick(g, "r0", "r1", "r1/sub", "r2/other"), Driver: pick(g, driverNames...),
			Pool: pick(g, "p0", "p1"), Device: fmt.Sprintf("d%d-%d", number, i), SkipNodeOperations: common,
		}
		if g.chance(30) {
			r.SkipNodeOperations = g.skips()
		}
		if g.chance(10) {
			r.AdminAccess = ptr.To(true)
		}
		out.Devices.Results = append(out.Devices.Results, r)
	}
	return out
}

// pod makes the pod of that number, with entries that name claims.
func (g *generator) pod(number int) *corev1.Pod {
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: fmt.Sprintf("pod-%d", number), UID: g.uid("pod")}}
	if g.chance(25) {
		pod.Spec.SchedulingGroup = &corev1.PodSchedulingGroup{PodGroupName: ptr.To(pick(g, "group", "group", "other"))}
	}
	var names []string
	for i := range 1 + g.IntN(3) {
		entry := corev1.PodResourceClaim{Name: fmt.Sprintf("entry-%d", i)}
		name := fmt.Sprintf("claim-%d", g.IntN(mostClaims))
		switch {
		case g.chance(82):
			entry.ResourceClaimName = &name
		case g.chance(98):
			entry.ResourceClaimTemplateName = ptr.To("template")
			status := corev1.PodResourceClaimStatus{Name: entry.Name}
			if g.chance(90) {
				status.ResourceClaimName = &name
			}
			if g.chance(93) {
				pod.Status.ResourceClaimStatuses = append(pod.Status.ResourceClaimStatuses, status)
			}
		}
		pod.Spec.ResourceClaims = append(pod.Spec.ResourceClaims, entry)
		names = append(names, entry.Name)
	}
	if g.chance(15) {
		pod.Status.ExtendedResourceClaimStatus = &corev1.PodExtendedResourceClaimStatus{ResourceClaimName: fmt.Sprintf("claim-%d", g.IntN(mostClaims))}
	}
	for i := range 1 + g.IntN(2) {
		c := corev1.Container{Name: fmt.Sprintf("c%d", i)}
		for _, name := range names {
			if !g.chance(75) {
				continue
			}
			if g.chance(50) {
				c.Resources.Claims = append(c.Resources.Claims, corev1.ResourceClaim{Name: name})
			}
			for _, request := range []string{"r0", "r1", "r1/sub", "r3"} {
				if g.chance(30) {
					c.Resources.Claims = append(c.Resources.Claims, corev1.ResourceClaim{Name: name, Request: request})
				}
			}
		}
		pod.Spec.Containers = append(pod.Spec.Containers, c)
	}
	return pod
}

// world makes claims for the pods, and CDI devices for some of the devices.
func (g *generator) world(pods []*corev1.Pod) *world {
	w := &world{claims: map[string]*resourceapi.ResourceClaim{}, cdi: map[string][]string{}}
	for i := range mostClaims {
		if g.chance(93) {
			w.claims[fmt.Sprintf("ns/claim-%d", i)] = g.claim(i, pods)
		}
		for _, driver := range driverNames {
			for _, pool := range []string{"p0", "p1"} {
				for n := range 4 {
					if g.chance(60) {
						// Several devices may share a CDI device, of one driver.
						w.cdi[fmt.Sprintf("%s/%s/d%d-%d", driver, pool, i, n)] = []string{driver + "/gpu=" + pick(g, "x", "y", fmt.Sprintf("%d-%d", i, n)), "other"}
					}
				}
			}
		}
	}
	return w
}
