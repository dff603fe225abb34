package view

import (
	"encoding/json"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/drawbridge-dra/drawbridge/core"
)

// trim makes of an object what is kept of it: in the version that the core
// works with, without what nobody asks. It does nothing to what it made.
func trim(in any, kind, groupVersion string) (any, error) {
	switch o := in.(type) {
	case *resourcev1.ResourceSlice:
		o.ObjectMeta = bare(&o.ObjectMeta)
		return o, nil
	case *resourcev1.DeviceClass:
		o.ObjectMeta = bare(&o.ObjectMeta)
		return o, nil
	case *resourcev1.ResourceClaim:
		// The reports of drivers can be large. Annotations and owners tell
		// generated claims.
		owners, annotations := o.OwnerReferences, o.Annotations
		o.ObjectMeta = bare(&o.ObjectMeta)
		o.OwnerReferences = owners
		if v := annotations[resourcev1.PodResourceClaimAnnotation]; v != "" {
			o.Annotations = map[string]string{resourcev1.PodResourceClaimAnnotation: v}
		}
		o.Status.Devices, o.Status.ReservedFor = nil, nil
		return o, nil
	case *resourcev1.ResourceClaimTemplate:
		o.ObjectMeta = bare(&o.ObjectMeta)
		return o, nil
	case *corev1.Node:
		return trimNode(o), nil
	case *corev1.Namespace:
		out := &corev1.Namespace{ObjectMeta: bare(&o.ObjectMeta)}
		out.Labels = o.Labels
		return out, nil
	case *corev1.Pod:
		return trimPod(o), nil
	case runtime.Object:
		return convert(o, kind, groupVersion)
	}
	return nil, fmt.Errorf("an object of type %T among the %ss", in, kind)
}

// bare keeps what tells objects and their versions apart.
func bare(m *metav1.ObjectMeta) metav1.ObjectMeta {
	return metav1.ObjectMeta{
		Namespace: m.Namespace, Name: m.Name, UID: m.UID, ResourceVersion: m.ResourceVersion, CreationTimestamp: m.CreationTimestamp,
	}
}

// trimNode keeps what slices and pods are judged by.
func trimNode(o *corev1.Node) *corev1.Node {
	out := &corev1.Node{ObjectMeta: bare(&o.ObjectMeta)}
	out.Labels = o.Labels
	out.Spec.Taints = o.Spec.Taints
	out.Status.DeclaredFeatures = o.Status.DeclaredFeatures
	for name, amount := range o.Status.Allocatable {
		if !strings.Contains(string(name), "/") {
			continue
		}
		if out.Status.Allocatable == nil {
			out.Status.Allocatable = corev1.ResourceList{}
		}
		out.Status.Allocatable[name] = amount
	}
	return out
}

// trimPod keeps which templates a pod names while it is not done. What names
// none is kept as no more than its name.
func trimPod(o *corev1.Pod) *corev1.Pod {
	out := &corev1.Pod{ObjectMeta: bare(&o.ObjectMeta)}
	out.Status.Phase = o.Status.Phase
	for _, entry := range o.Spec.ResourceClaims {
		if entry.ResourceClaimTemplateName != nil {
			out.Spec.ResourceClaims = append(out.Spec.ResourceClaims, entry)
		}
	}
	return out
}

// convert reads an object of an older version as the core does.
func convert(o runtime.Object, kind, groupVersion string) (any, error) {
	text, err := json.Marshal(o)
	if err != nil {
		return nil, err
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(text, &fields); err != nil {
		return nil, err
	}
	// What comes in a list does not say what it is.
	fields["apiVersion"], _ = json.Marshal(groupVersion)
	fields["kind"], _ = json.Marshal(kind)
	if text, err = json.Marshal(fields); err != nil {
		return nil, err
	}
	value := core.Read(text)
	if _, err := meta.Accessor(value); value == nil || err != nil {
		return nil, fmt.Errorf("a %s of %s cannot be read", kind, groupVersion)
	}
	return trim(value, kind, groupVersion)
}
