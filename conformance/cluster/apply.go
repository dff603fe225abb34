package cluster

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
)

// apply writes everything but the pods that wait for a node, in the order in
// which a cluster comes to be.
func (r *Runner) apply(ctx context.Context, s *Scenario) error {
	if err := r.namespaces(ctx, s); err != nil {
		return err
	}
	for _, o := range s.of("Node") {
		if err := r.node(ctx, o); err != nil {
			return err
		}
	}
	for _, kind := range []string{"DeviceClass", "ResourceSlice", "DeviceTaintRule", "ResourceClaimTemplate"} {
		for _, o := range s.of(kind) {
			if err := r.create(ctx, o); err != nil {
				return err
			}
		}
	}
	for _, o := range s.of("ResourceClaim") {
		if pod, _ := o.entry(); pod == "" {
			if err := r.create(ctx, o); err != nil {
				return err
			}
		}
	}
	for _, o := range s.of("Pod") {
		if o.forNode() {
			if err := r.create(ctx, o); err != nil {
				return err
			}
		}
	}
	for _, o := range s.of("ResourceClaim") {
		if err := r.claimStatus(ctx, s, o); err != nil {
			return err
		}
	}
	for _, o := range s.of("Pod") {
		if o.forNode() {
			if err := r.podStatus(ctx, o); err != nil {
				return err
			}
		}
	}
	return r.freed(ctx, s)
}

// namespaces makes those that the scenario writes or mentions. They outlive
// it, because deleting one takes long, and then have the labels of the last.
func (r *Runner) namespaces(ctx context.Context, s *Scenario) error {
	labels := map[string]map[string]string{}
	for _, o := range s.Objects {
		switch {
		case o.Written.GetKind() == "Namespace":
			labels[o.Written.GetName()] = o.Written.GetLabels()
		case o.Written.GetNamespace() != "" && labels[o.Written.GetNamespace()] == nil:
			labels[o.Written.GetNamespace()] = map[string]string{}
		}
	}
	r.used = labels
	for name, labels := range labels {
		namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels}}
		stored, err := r.client.CoreV1().Namespaces().Create(ctx, namespace, metav1.CreateOptions{})
		if apierrors.IsAlreadyExists(err) {
			stored, err = r.client.CoreV1().Namespaces().Update(ctx, namespace, metav1.UpdateOptions{})
		}
		if err != nil {
			return err
		}
		for _, o := range s.of("Namespace") {
			if o.Written.GetName() == name {
				o.Stored = toUnstructured(stored, "v1", "Namespace")
			}
		}
	}
	return nil
}

func toUnstructured(obj any, apiVersion, kind string) *unstructured.Unstructured {
	text, err := json.Marshal(obj)
	if err != nil {
		panic(err)
	}
	u := &unstructured.Unstructured{}
	if err := json.Unmarshal(text, &u.Object); err != nil {
		panic(err)
	}
	u.SetAPIVersion(apiVersion)
	u.SetKind(kind)
	return u
}

// create writes an object without its status, which the API server would
// drop, and without what only the API server sets.
func (r *Runner) create(ctx context.Context, o *Object) error {
	u := o.Written.DeepCopy()
	unstructured.RemoveNestedField(u.Object, "status")
	for _, field := range []string{"uid", "resourceVersion", "creationTimestamp", "deletionTimestamp", "managedFields", "generation"} {
		unstructured.RemoveNestedField(u.Object, "metadata", field)
	}
	// Their UIDs are of another cluster, and would make the garbage collector
	// remove the object.
	u.SetOwnerReferences(nil)
	resource, err := r.resource(u.GroupVersionKind(), u.GetNamespace())
	var stored *unstructured.Unstructured
	if err == nil {
		stored, err = resource.Create(ctx, u, metav1.CreateOptions{FieldValidation: metav1.FieldValidationStrict})
	}
	if err != nil {
		if refusal(err) {
			o.Refused = err
			return nil
		}
		return fmt.Errorf("creating %s %s: %w", u.GetKind(), u.GetName(), err)
	}
	o.Stored, err = r.preferred(ctx, stored)
	return err
}

// patchStatus sets fields of a status and keeps what the API server answers.
func (r *Runner) patchStatus(ctx context.Context, o *Object, status any) error {
	text, err := json.Marshal(map[string]any{"status": status})
	if err != nil {
		return err
	}
	resource, err := r.resource(o.Stored.GroupVersionKind(), o.Stored.GetNamespace())
	if err != nil {
		return err
	}
	stored, err := resource.Patch(ctx, o.Stored.GetName(), types.MergePatchType, text, metav1.PatchOptions{}, "status")
	if err != nil {
		return fmt.Errorf("writing the status of %s %s: %w", o.Written.GetKind(), o.Written.GetName(), err)
	}
	o.Stored = stored
	return nil
}

// room is what a node has whose author did not say.
var room = map[string]any{"cpu": "32", "memory": "128Gi", "pods": "110"}

// node makes a node that is ready, although nothing runs it.
func (r *Runner) node(ctx context.Context, o *Object) error {
	if err := r.create(ctx, o); err != nil || o.Refused != nil {
		return err
	}
	status, _, err := unstructured.NestedMap(o.Written.Object, "status")
	if err != nil {
		return err
	}
	if status == nil {
		status = map[string]any{}
	}
	for _, field := range []string{"allocatable", "capacity"} {
		amounts, _ := status[field].(map[string]any)
		if amounts == nil {
			amounts = map[string]any{}
			status[field] = amounts
		}
		for name, amount := range room {
			if amounts[name] == nil {
				amounts[name] = amount
			}
		}
	}
	if status["conditions"] == nil {
		status["conditions"] = []any{map[string]any{"type": "Ready", "status": "True", "reason": "KubeletReady", "message": "kubelet is posting ready status"}}
	}
	if err := r.patchStatus(ctx, o, status); err != nil {
		return err
	}
	// An admission plugin has marked the node as not ready.
	taints, _, err := unstructured.NestedSlice(o.Written.Object, "spec", "taints")
	if err != nil {
		return err
	}
	text, err := json.Marshal(map[string]any{"spec": map[string]any{"taints": taints}})
	if err != nil {
		return err
	}
	resource, err := r.resource(o.Stored.GroupVersionKind(), "")
	if err != nil {
		return err
	}
	o.Stored, err = resource.Patch(ctx, o.Stored.GetName(), types.MergePatchType, text, metav1.PatchOptions{})
	return err
}

// claimStatus writes the allocation that a claim has in the scenario. The pods
// for which it is reserved get the UIDs that they have here. A claim that a
// controller makes for a pod is waited for.
func (r *Runner) claimStatus(ctx context.Context, s *Scenario, o *Object) error {
	if pod, entry := o.entry(); pod != "" {
		if err := r.generated(ctx, s, o, pod, entry); err != nil {
			return err
		}
	}
	status, _, err := unstructured.NestedMap(o.Written.Object, "status")
	if err != nil || len(status) == 0 || o.Stored == nil {
		return err
	}
	consumers, _ := status["reservedFor"].([]any)
	for _, c := range consumers {
		consumer, _ := c.(map[string]any)
		for _, pod := range s.of("Pod") {
			if consumer["resource"] == "pods" && pod.name() == o.Written.GetNamespace()+"/"+fmt.Sprint(consumer["name"]) && pod.Stored != nil {
				consumer["uid"] = string(pod.Stored.GetUID())
			}
		}
	}
	if o.Written.GroupVersionKind() != o.Stored.GroupVersionKind() {
		return fmt.Errorf("claim %s has a status and is written in %s: write it in %s", o.name(), o.Written.GetAPIVersion(), o.Stored.GetAPIVersion())
	}
	return r.patchStatus(ctx, o, status)
}

func (r *Runner) generated(ctx context.Context, s *Scenario, o *Object, pod, entry string) error {
	i := slices.IndexFunc(s.of("Pod"), func(p *Object) bool { return p.name() == pod && p.forNode() })
	if i < 0 {
		return fmt.Errorf("claim %s is of pod %s, which must be in the bundle and have a node", o.name(), pod)
	}
	var name string
	err := r.untilPod(ctx, "the claim "+entry+" of "+pod, pod, func(p *corev1.Pod) bool {
		for _, status := range p.Status.ResourceClaimStatuses {
			if status.Name == entry && status.ResourceClaimName != nil {
				name = *status.ResourceClaimName
			}
		}
		return name != ""
	})
	if err != nil {
		return err
	}
	resource, err := r.resource(resourceapi.SchemeGroupVersion.WithKind("ResourceClaim"), o.Written.GetNamespace())
	if err != nil {
		return err
	}
	o.Stored, err = resource.Get(ctx, name, metav1.GetOptions{})
	return err
}

// podStatus writes what became of a pod that was put onto a node.
func (r *Runner) podStatus(ctx context.Context, o *Object) error {
	status, _, err := unstructured.NestedMap(o.Written.Object, "status")
	if err != nil || len(status) == 0 || o.Stored == nil {
		return err
	}
	// The controller has named the claims that it made.
	delete(status, "resourceClaimStatuses")
	return r.patchStatus(ctx, o, status)
}

// freed waits until no claim is reserved any more for a pod that has ended or
// was never there: the controller takes care of these.
func (r *Runner) freed(ctx context.Context, s *Scenario) error {
	return r.wait(ctx, "claims of finished pods to be freed", func() bool {
		for _, o := range s.of("ResourceClaim") {
			if o.Stored == nil {
				continue
			}
			obj, ok, _ := r.claims.GetByKey(o.Stored.GetNamespace() + "/" + o.Stored.GetName())
			if !ok {
				// Gone with its pod, or not seen yet.
				if pod, _ := o.entry(); pod == "" {
					return false
				}
				continue
			}
			claim := obj.(*resourceapi.ResourceClaim)
			if !reached(claim.ResourceVersion, o.Stored.GetResourceVersion()) {
				return false
			}
			for _, c := range claim.Status.ReservedFor {
				if c.Resource == "pods" && c.APIGroup == "" && r.done(o.Stored.GetNamespace()+"/"+c.Name, c.UID) {
					return false
				}
			}
		}
		return true
	})
}

// reached compares resource versions, which are numbers that grow.
func reached(version, wanted string) bool {
	have, err := strconv.ParseUint(version, 10, 64)
	want, wrong := strconv.ParseUint(wanted, 10, 64)
	return err == nil && wrong == nil && have >= want
}

func (r *Runner) done(name string, uid types.UID) bool {
	obj, ok, _ := r.pods.GetByKey(name)
	if !ok {
		return true
	}
	pod := obj.(*corev1.Pod)
	return pod.UID != uid || pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed
}
