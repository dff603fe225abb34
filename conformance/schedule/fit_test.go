package schedule

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	resourcehelpers "k8s.io/component-helpers/resource"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/nodeports"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/noderesources"

	"github.com/drawbridge-dra/drawbridge/core/allocate"
	"github.com/drawbridge-dra/drawbridge/core/fit"
)

func requests(pod *corev1.Pod) corev1.ResourceList {
	return resourcehelpers.PodRequests(pod, resourcehelpers.PodResourcesOptions{})
}

// inOrder sorts classes as they come to a scheduler that runs all the time.
func inOrder(classes []*resourceapi.DeviceClass) []*resourceapi.DeviceClass {
	sorted := slices.Clone(classes)
	slices.SortFunc(sorted, func(a, b *resourceapi.DeviceClass) int {
		return cmp.Or(a.CreationTimestamp.Compare(b.CreationTimestamp.Time), strings.Compare(a.Name, b.Name))
	})
	return sorted
}

// node draws a node that a kubelet has reported.
func (g source) node() *corev1.Node {
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n1"}}
	list := corev1.ResourceList{
		"cpu": resource.MustParse(g.pick("2", "8", "7500m")), "memory": resource.MustParse(g.pick("2Gi", "16Gi", "8000000Ki")),
		"ephemeral-storage": resource.MustParse(g.pick("10Gi", "40Gi")), "pods": resource.MustParse(g.pick("2", "3", "110")),
	}
	if g.chance(60) {
		list["hugepages-2Mi"] = resource.MustParse(g.pick("0", "16Mi", "64Mi"))
	}
	for _, name := range extendedNames {
		if g.chance(30) {
			list[corev1.ResourceName(name)] = resource.MustParse(g.pick("0", "4", "9"))
		}
	}
	node.Status.Allocatable, node.Status.Capacity = list, list
	return node
}

// status draws what a kubelet reports of a pod's containers while a resize is
// under way.
func (g source) status(pod *corev1.Pod) {
	for _, c := range pod.Spec.Containers {
		if !g.chance(40) {
			continue
		}
		s := corev1.ContainerStatus{Name: c.Name, AllocatedResources: g.list(60, false)}
		if g.chance(50) {
			s.Resources = &corev1.ResourceRequirements{Requests: g.list(60, false)}
		}
		pod.Status.ContainerStatuses = append(pod.Status.ContainerStatuses, s)
	}
	if g.chance(20) {
		pod.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodResizePending, Reason: g.pick(corev1.PodReasonInfeasible, corev1.PodReasonDeferred)}}
	}
	if pod.Spec.Resources != nil && g.chance(50) {
		pod.Status.Resources = &corev1.ResourceRequirements{Requests: g.podLevel()}
		pod.Status.AllocatedResources = g.podLevel()
	}
}

// TestRoomOnNodes compares which resources a node has too little of, and which
// host ports are taken.
func TestRoomOnNodes(t *testing.T) {
	each(t, func(t *testing.T, g source) bool {
		node := g.node()
		ours, judge := fit.NewNode(node), framework.NewNodeInfo()
		judge.SetNode(node)
		var there []*corev1.Pod
		for i := range g.IntN(4) {
			pod := g.pod(fmt.Sprintf("there-%d", i), true)
			pod.UID = types.UID(pod.Name)
			g.status(pod)
			there = append(there, pod)
			ours.Add(fit.NewPod(pod, fit.Options{}))
			judge.AddPod(stored(pod))
		}
		pod := g.pod("p", true)
		ready, judged := fit.NewPod(pod, fit.Options{}), stored(pod)
		none := func(corev1.ResourceName) bool { return false }

		var want []string
		for _, r := range noderesources.Fits(judged, judge, nil, noderesources.ResourceRequestsOptions{EnablePodLevelResources: true}) {
			code, known := codes[r.ResourceName]
			if !known {
				code = fit.Insufficient
			}
			want = append(want, string(code))
		}
		var got []string
		for _, r := range ours.Short(ready, none) {
			got = append(got, string(r.Code))
		}
		slices.Sort(want)
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("got %v, the scheduler %v\n%s---\n%s---\n%s", got, want, text(t, node), text(t, pod), text(t, there))
		}
		refused := slices.ContainsFunc(ours.Refuse(ready, none), func(r fit.Refusal) bool { return r.Code == fit.HostPort })
		if refused == nodeports.Fits(judged, judge) {
			t.Errorf("ports: got %v, the scheduler %v\n%s---\n%s", refused, !refused, text(t, pod), text(t, there))
		}
		return len(want) > 0
	})
}

var codes = map[corev1.ResourceName]allocate.Code{
	"cpu": fit.InsufficientCPU, "memory": fit.InsufficientMemory, "ephemeral-storage": fit.InsufficientStorage, "pods": fit.TooManyPods,
}
