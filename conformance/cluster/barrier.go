package cluster

import (
	"context"
	"errors"
	"fmt"
	"maps"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// The scheduler and the controllers learn of objects by watching, each kind
// on its own, so a pod can be looked at before the slices that were written
// first. A barrier makes sure that they have seen all that was written before
// it: it writes one more object of each kind and a pod that can only be
// scheduled as it should be if all of these are known. What is seen of a kind
// is seen in order.
//
// Its node has a taint that no other pod tolerates, so it changes nothing for
// these but the number of nodes in the scheduler's messages.

const (
	barrierName   = "drawbridge-barrier"
	barrierDriver = "barrier.drawbridge.example"
	barrierLabel  = barrierDriver + "/number"
)

var barrierTaint = corev1.Taint{Key: barrierDriver, Effect: corev1.TaintEffectNoSchedule}

var taintRules = schema.GroupKind{Group: "resource.k8s.io", Kind: "DeviceTaintRule"}

// prepareBarrier makes what every barrier uses.
func (r *Runner) prepareBarrier(ctx context.Context) error {
	if _, err := r.client.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: barrierName}}, metav1.CreateOptions{}); err != nil {
		return err
	}
	node := &Object{Written: toUnstructured(&corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: barrierName}, Spec: corev1.NodeSpec{Taints: []corev1.Taint{barrierTaint}},
	}, "v1", "Node")}
	if err := r.node(ctx, node); err != nil {
		return err
	}
	slice := &resourceapi.ResourceSlice{ObjectMeta: metav1.ObjectMeta{Name: barrierName}, Spec: resourceapi.ResourceSliceSpec{
		Driver: barrierDriver, NodeName: ptr(barrierName), Pool: resourceapi.ResourcePool{Name: barrierName, Generation: 1, ResourceSliceCount: 1},
	}}
	if _, err := r.client.ResourceV1().ResourceSlices().Create(ctx, slice, metav1.CreateOptions{}); err != nil {
		return err
	}
	// The namespace comes from elsewhere and may take a moment.
	for {
		_, err := r.client.CoreV1().Namespaces().Get(ctx, metav1.NamespaceDefault, metav1.GetOptions{})
		if !apierrors.IsNotFound(err) {
			return errors.Join(err, r.barrier(ctx))
		}
	}
}

// barrier returns once everything written so far has been seen.
func (r *Runner) barrier(ctx context.Context) error {
	const attempts = 20
	for range attempts {
		device, wanted, err := r.tryBarrier(ctx)
		if err != nil {
			return fmt.Errorf("barrier: %w", err)
		}
		if device == wanted {
			return nil
		}
		// The rule that forbids the device was not seen yet.
	}
	return errors.New("the scheduler does not notice DeviceTaintRules")
}

func (r *Runner) tryBarrier(ctx context.Context) (device, wanted string, err error) {
	r.barriers++
	number := fmt.Sprint(r.barriers)
	name := barrierName + "-" + number
	if err := r.writeBarrier(ctx, number, name); err != nil {
		return "", "", err
	}
	wanted = "a-" + number
	if _, err := r.mapper.RESTMapping(taintRules); err == nil {
		wanted = "b-" + number
	} else if !meta.IsNoMatchError(err) {
		return "", "", err
	}
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: corev1.PodSpec{
			NodeSelector:   map[string]string{barrierLabel: number},
			Tolerations:    []corev1.Toleration{{Key: barrierDriver, Operator: corev1.TolerationOpExists}},
			Containers:     []corev1.Container{{Name: "c", Image: "none"}},
			ResourceClaims: []corev1.PodResourceClaim{{Name: "c", ResourceClaimTemplateName: &name}},
		},
	}
	if _, err := r.client.CoreV1().Pods(barrierName).Create(ctx, pod, metav1.CreateOptions{}); err != nil {
		return "", "", err
	}
	var claim string
	err = r.untilPod(ctx, "the pod of a barrier", barrierName+"/"+name, func(p *corev1.Pod) bool {
		for _, status := range p.Status.ResourceClaimStatuses {
			claim = *status.ResourceClaimName
		}
		return p.Spec.NodeName != ""
	})
	if err != nil {
		return "", "", err
	}
	got, err := r.client.ResourceV1().ResourceClaims(barrierName).Get(ctx, claim, metav1.GetOptions{})
	if err != nil {
		return "", "", err
	}
	return got.Status.Allocation.Devices.Results[0].Device, wanted, r.clearBarrier(ctx, name)
}

// writeBarrier writes one object of each kind. The slice holds a device that
// the rule forbids before one that it does not.
func (r *Runner) writeBarrier(ctx context.Context, number, name string) error {
	node, err := r.client.CoreV1().Nodes().Get(ctx, barrierName, metav1.GetOptions{})
	if err != nil {
		return err
	}
	node.Labels = maps.Clone(node.Labels)
	if node.Labels == nil {
		node.Labels = map[string]string{}
	}
	node.Labels[barrierLabel] = number
	if _, err := r.client.CoreV1().Nodes().Update(ctx, node, metav1.UpdateOptions{}); err != nil {
		return err
	}
	slice, err := r.client.ResourceV1().ResourceSlices().Get(ctx, barrierName, metav1.GetOptions{})
	if err != nil {
		return err
	}
	slice.Spec.Pool.Generation = int64(r.barriers + 1)
	slice.Spec.Devices = []resourceapi.Device{{Name: "a-" + number}, {Name: "b-" + number}}
	if _, err := r.client.ResourceV1().ResourceSlices().Update(ctx, slice, metav1.UpdateOptions{}); err != nil {
		return err
	}
	class := &resourceapi.DeviceClass{ObjectMeta: metav1.ObjectMeta{Name: name}}
	if _, err := r.client.ResourceV1().DeviceClasses().Create(ctx, class, metav1.CreateOptions{}); err != nil {
		return err
	}
	template := &resourceapi.ResourceClaimTemplate{ObjectMeta: metav1.ObjectMeta{Name: name}}
	tolerations, err := r.tolerations(ctx)
	if err != nil {
		return err
	}
	template.Spec.Spec.Devices.Requests = []resourceapi.DeviceRequest{{Name: "r", Exactly: &resourceapi.ExactDeviceRequest{
		DeviceClassName: name,
		Tolerations:     tolerations,
		Selectors:       []resourceapi.DeviceSelector{{CEL: &resourceapi.CELDeviceSelector{Expression: fmt.Sprintf("device.driver == %q", barrierDriver)}}},
	}}}
	if _, err := r.client.ResourceV1().ResourceClaimTemplates(barrierName).Create(ctx, template, metav1.CreateOptions{}); err != nil {
		return err
	}
	return r.writeBarrierRule(ctx, number, name)
}

// tolerations are for the rules of the scenario, one of which may be about all
// devices there are.
func (r *Runner) tolerations(ctx context.Context) ([]resourceapi.DeviceToleration, error) {
	mapping, err := r.mapper.RESTMapping(taintRules)
	if meta.IsNoMatchError(err) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	rules, err := r.dynamic.Resource(mapping.Resource).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	var out []resourceapi.DeviceToleration
	for i := range rules.Items {
		key, _, err := unstructured.NestedString(rules.Items[i].Object, "spec", "taint", "key")
		if err != nil {
			return nil, err
		}
		if key != barrierDriver {
			out = append(out, resourceapi.DeviceToleration{Key: key, Operator: resourceapi.DeviceTolerationOpExists})
		}
	}
	return out, nil
}

func (r *Runner) writeBarrierRule(ctx context.Context, number, name string) error {
	mapping, err := r.mapper.RESTMapping(taintRules)
	if meta.IsNoMatchError(err) {
		return nil
	} else if err != nil {
		return err
	}
	rule := toUnstructured(map[string]any{
		"metadata": map[string]any{"name": name},
		"spec": map[string]any{
			"deviceSelector": map[string]any{"driver": barrierDriver, "pool": barrierName, "device": "a-" + number},
			"taint":          map[string]any{"key": barrierDriver, "effect": "NoSchedule"},
		},
	}, mapping.GroupVersionKind.GroupVersion().String(), taintRules.Kind)
	_, err = r.dynamic.Resource(mapping.Resource).Create(ctx, rule, metav1.CreateOptions{})
	return err
}

// clearBarrier removes what only one barrier uses.
func (r *Runner) clearBarrier(ctx context.Context, name string) error {
	if err := r.clearNamespace(ctx, barrierName); err != nil {
		return err
	}
	if err := r.client.ResourceV1().DeviceClasses().Delete(ctx, name, metav1.DeleteOptions{}); err != nil {
		return err
	}
	mapping, err := r.mapper.RESTMapping(taintRules)
	if meta.IsNoMatchError(err) {
		return nil
	} else if err != nil {
		return err
	}
	return r.dynamic.Resource(mapping.Resource).Delete(ctx, name, metav1.DeleteOptions{})
}

func ptr[T any](v T) *T { return &v }
