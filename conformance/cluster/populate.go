package cluster

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Populate adds what a bundle needs to come to life and what its author did
// not have to write: the nodes that its slices name, a pod for every claim
// that no pod uses, and, where there are several nodes, something that runs on
// them, so that the scheduler prefers the first of them and draws no lots.
func (s *Scenario) Populate() {
	if len(s.of("Node")) == 0 {
		s.addNodes()
	}
	for i, node := range s.of("Node") {
		if i > 0 {
			s.addBallast(node.Written.GetName(), i)
		}
	}
	s.addPods()
	s.addTimes()
}

// Lone tells whether the bundle shows a part of a cluster that cannot stand
// alone: a claim that is reserved for, or was made for, a pod that is not there
// or has no node, which a controller would at once undo, or a pod whose storage
// is not shown, which the scheduler would not place.
func (s *Scenario) Lone() bool {
	bound := map[string]bool{}
	for _, pod := range s.of("Pod") {
		bound[pod.name()] = pod.forNode()
		volumes, _, _ := unstructured.NestedSlice(pod.Written.Object, "spec", "volumes")
		for _, v := range volumes {
			if volume, ok := v.(map[string]any); ok && volume["persistentVolumeClaim"] != nil {
				return true
			}
		}
	}
	for _, claim := range s.of("ResourceClaim") {
		if pod, _ := claim.entry(); pod != "" && !bound[pod] {
			return true
		}
		consumers, _, _ := unstructured.NestedSlice(claim.Written.Object, "status", "reservedFor")
		for _, c := range consumers {
			consumer, _ := c.(map[string]any)
			if consumer["resource"] == "pods" && !bound[fmt.Sprintf("%s/%v", claim.Written.GetNamespace(), consumer["name"])] {
				return true
			}
		}
	}
	return false
}

// addTimes says when claims were allocated. The scheduler of this version
// always writes that, and cannot add it later: the API server refuses to have
// an allocation changed, so a pod that joins such a claim fails for ever.
func (s *Scenario) addTimes() {
	for _, claim := range s.of("ResourceClaim") {
		allocation, ok, _ := unstructured.NestedMap(claim.Written.Object, "status", "allocation")
		if ok && allocation["allocationTimestamp"] == nil {
			_ = unstructured.SetNestedField(claim.Written.Object, time.Now().UTC().Format(time.RFC3339), "status", "allocation", "allocationTimestamp")
		}
	}
}

// addNodes makes the same nodes that Drawbridge assumes.
func (s *Scenario) addNodes() {
	seen := map[string]bool{}
	add := func(name string, ok bool, _ error) {
		if ok && name != "" && !seen[name] {
			seen[name] = true
			s.add(toUnstructured(&corev1.Node{
				ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{corev1.LabelHostname: name}},
				// As Drawbridge assumes of a node that is not in the bundle.
				Status: corev1.NodeStatus{DeclaredFeatures: []string{"DRAOptionalNodeOperations"}},
			}, "v1", "Node"))
		}
	}
	for _, slice := range s.of("ResourceSlice") {
		add(unstructured.NestedString(slice.Written.Object, "spec", "nodeName"))
		devices, _, _ := unstructured.NestedSlice(slice.Written.Object, "spec", "devices")
		for _, d := range devices {
			if device, ok := d.(map[string]any); ok {
				add(unstructured.NestedString(device, "nodeName"))
			}
		}
	}
	if len(seen) == 0 {
		add("some-node", true, nil)
	}
}

// addBallast lets the i-th node have less room than those before it. The
// difference is smaller than the one between two alternatives of a
// prioritized list.
func (s *Scenario) addBallast(node string, i int) {
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "ballast-" + node, Namespace: metav1.NamespaceDefault},
		Spec: corev1.PodSpec{NodeName: node, Containers: []corev1.Container{{Name: "c", Image: "none", Resources: corev1.ResourceRequirements{
			Requests: corev1.ResourceList{
				corev1.ResourceCPU:    *resource.NewQuantity(int64(i), resource.DecimalSI),
				corev1.ResourceMemory: *resource.NewQuantity(int64(i)<<32, resource.BinarySI),
			},
		}}}},
		Status: corev1.PodStatus{Phase: corev1.PodRunning},
	}
	s.add(toUnstructured(pod, "v1", "Pod"))
}

func (s *Scenario) addPods() {
	used := map[string]bool{}
	for _, pod := range s.of("Pod") {
		entries, _, _ := unstructured.NestedSlice(pod.Written.Object, "spec", "resourceClaims")
		for _, e := range entries {
			if entry, ok := e.(map[string]any); ok {
				used[fmt.Sprintf("%s/%v", pod.Written.GetNamespace(), entry["resourceClaimName"])] = true
			}
		}
	}
	for _, claim := range s.of("ResourceClaim") {
		_, allocated, _ := unstructured.NestedMap(claim.Written.Object, "status", "allocation")
		if used[claim.name()] || allocated {
			continue
		}
		name := claim.Written.GetName()
		s.add(toUnstructured(&corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{Name: "for-" + name, Namespace: claim.Written.GetNamespace()},
			Spec: corev1.PodSpec{
				Containers:     []corev1.Container{{Name: "c", Image: "none"}},
				ResourceClaims: []corev1.PodResourceClaim{{Name: "c", ResourceClaimName: &name}},
			},
		}, "v1", "Pod"))
	}
}
