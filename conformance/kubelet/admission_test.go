package kubelet

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/kubernetes/pkg/kubelet/lifecycle"
	schedulerframework "k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/utils/ptr"

	"github.com/drawbridge-dra/drawbridge/core/fit"
	ours "github.com/drawbridge-dra/drawbridge/core/kubelet"
)

// resources are names that devices can stand behind, and one that nobody lists.
var resources = []corev1.ResourceName{"example.com/gpu", "example.com/nic", "example.com/none", "deviceclass.resource.kubernetes.io/acc"}

// arrival makes a pod that asks for resources. What its status maps to a claim
// is none of its node's business.
func (g *generator) arrival(number int) *corev1.Pod {
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: fmt.Sprintf("pod-%d", number), UID: g.uid("pod")}}
	pod.Spec.NodeName = "n1"
	var mappings []corev1.ContainerExtendedResourceRequest
	for i := range 1 + g.IntN(3) {
		c := corev1.Container{Name: fmt.Sprintf("c%d", i), Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{}}}
		for _, name := range resources {
			if !g.chance(30) {
				continue
			}
			c.Resources.Requests[name] = *resource.NewQuantity(int64(g.IntN(3)), resource.DecimalSI)
			if g.chance(40) {
				mappings = append(mappings, corev1.ContainerExtendedResourceRequest{ContainerName: c.Name, ResourceName: string(name), RequestName: "r"})
			}
		}
		c.Resources.Limits = c.Resources.Requests
		switch {
		case i == 0 || g.chance(60):
			pod.Spec.Containers = append(pod.Spec.Containers, c)
		case g.chance(40):
			c.RestartPolicy = ptr.To(corev1.ContainerRestartPolicyAlways)
			fallthrough
		default:
			pod.Spec.InitContainers = append(pod.Spec.InitContainers, c)
		}
	}
	if g.chance(30) {
		pod.Status.ExtendedResourceClaimStatus = &corev1.PodExtendedResourceClaimStatus{ResourceClaimName: "claim", RequestMappings: mappings}
	}
	return pod
}

// takesAll leaves the reasons of the kubelet as they are: no pod is critical.
type takesAll struct{}

func (takesAll) HandleAdmissionFailure(_ context.Context, _ *corev1.Pod, reasons []lifecycle.PredicateFailureReason, _ lifecycle.Operation) ([]lifecycle.PredicateFailureReason, error) {
	return reasons, nil
}

// TestAdmission lets pods arrive on nodes, and compares which of them the
// kubelet takes in, with what reason and in which words it refuses others, and
// that nobody is called for extended resources without a claim.
func TestAdmission(t *testing.T) {
	all := startDrivers(t, driverNames...)
	seen := map[string]int{}
	for n, gates := range []ours.Gates{{ExtendedResource: true}, gateSets[0]} {
		setGates(t, gates)
		for seed := range 150 {
			g := &generator{Rand: rand.New(rand.NewPCG(uint64(seed), uint64(n)))}
			node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n1"}, Status: corev1.NodeStatus{Allocatable: corev1.ResourceList{corev1.ResourcePods: resource.MustParse("110")}}}
			for _, name := range resources[:2] {
				if g.chance(60) {
					node.Status.Allocatable[name] = *resource.NewQuantity(int64(g.IntN(6)), resource.DecimalSI)
				}
			}
			handler := lifecycle.NewPredicateAdmitHandler(func(context.Context, bool) (*corev1.Node, error) { return node, nil }, takesAll{},
				func(*schedulerframework.NodeInfo, *lifecycle.PodAdmitAttributes) error { return nil })
			room, others := ours.NewRoom(node), []*corev1.Pod(nil)
			for i := range 4 {
				pod := g.arrival(i)
				judged := handler.Admit(context.Background(), &lifecycle.PodAdmitAttributes{Pod: pod, OtherPods: others})
				of := fit.NewPod(pod, fit.Options{})
				refusals := gates.Admit(of, room)
				told := slices.ContainsFunc(refusals, func(r ours.Refusal) bool { return r.Reason() == judged.Reason && r.Words() == judged.Message })
				if judged.Admit != (len(refusals) == 0) || !judged.Admit && !told {
					t.Fatalf("seed %d, pod %d: the kubelet says %+v, we say %+v", seed, i, judged, refusals)
				}
				seen[judged.Reason]++
				if judged.Admit {
					others = append(others, pod)
					room.Add(of)
					seen[unlisted(pod, node)]++
				}
			}
		}
		// What is taken in has no claim, and the manager of claims calls nobody.
		pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "pod", UID: "pod"}}
		pod.Spec.Containers = []corev1.Container{{Name: "c", Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{resources[0]: resource.MustParse("1")}}}}
		w := &world{}
		j := newJudge(t, w, all)
		compareStart(t, nil, j.ours(w, gates).Start(pod), j.PrepareResources(j.ctx, pod), all.taken(), j.on, seen)
		compareStop(t, j.ours(w, gates).Stop(pod), j.UnprepareResources(j.ctx, pod), all.taken(), j.on, seen)
	}
	t.Log(seen)
	for _, what := range []string{"", "goes without", "OutOfexample.com/gpu", "OutOfexample.com/nic", "OutOfdeviceclass.resource.kubernetes.io/acc"} {
		if seen[what] < 20 {
			t.Errorf("%q was met %d times", what, seen[what])
		}
	}
}

// unlisted tells whether a pod that was taken in asks for what its node does
// not list.
func unlisted(pod *corev1.Pod, node *corev1.Node) string {
	for _, c := range pod.Spec.Containers {
		for name := range c.Resources.Requests {
			if _, listed := node.Status.Allocatable[name]; !listed && pod.Status.ExtendedResourceClaimStatus == nil {
				return "goes without"
			}
		}
	}
	return "has all"
}
