package main

import (
	"encoding/json"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1alpha3"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
	_ "k8s.io/kubernetes/pkg/apis/resource/install"
	"sigs.k8s.io/yaml"
)

// bundle is what a text has.
type bundle struct {
	pods     []*corev1.Pod
	nodes    []*corev1.Node
	contexts []*resourceapi.PodSchedulingContext
	others   []runtime.Object
}

func parse(text string) (*bundle, error) {
	b := &bundle{}
	for _, part := range strings.Split(text, "\n---\n") {
		raw, err := yaml.YAMLToJSON([]byte(part))
		if err != nil {
			return nil, err
		}
		var about metav1.TypeMeta
		if err := json.Unmarshal(raw, &about); err != nil {
			return nil, err
		}
		obj, err := legacyscheme.Scheme.New(about.GroupVersionKind())
		if err != nil {
			return nil, err
		}
		if err := json.Unmarshal(raw, obj); err != nil {
			return nil, err
		}
		legacyscheme.Scheme.Default(obj)
		m := obj.(metav1.Object)
		if _, cluster := clusterKinds[about.Kind]; !cluster && m.GetNamespace() == "" {
			m.SetNamespace(metav1.NamespaceDefault)
		}
		if m.GetUID() == "" {
			m.SetUID(types.UID("uid-of-" + m.GetName()))
		}
		switch v := obj.(type) {
		case *corev1.Pod:
			b.pods = append(b.pods, v)
		case *corev1.Node:
			if len(v.Status.Allocatable) == 0 {
				v.Status.Allocatable = plenty // the text says nothing
			}
			b.nodes = append(b.nodes, v)
		case *resourceapi.PodSchedulingContext:
			b.contexts = append(b.contexts, v)
		case *resourceapi.ResourceClaim, *resourceapi.ResourceClaimTemplate, *resourceapi.ResourceSlice, *resourceapi.DeviceClass:
			b.others = append(b.others, v)
		default:
			return nil, fmt.Errorf("nobody expects a %s", about.Kind)
		}
	}
	b.own()
	b.equip()
	return b, nil
}

// equip gives all nodes devices if the text has none: then the claims that the
// scheduler allocates are to fit everywhere.
func (b *bundle) equip() {
	for _, o := range b.others {
		if _, ok := o.(*resourceapi.ResourceSlice); ok {
			return
		}
	}
	for _, n := range b.nodes {
		s := &resourceapi.ResourceSlice{Spec: resourceapi.ResourceSliceSpec{
			Driver: "core.example.com", NodeName: n.Name, Pool: resourceapi.ResourcePool{Name: n.Name, ResourceSliceCount: 1},
		}}
		s.Name = n.Name + "-devices"
		for i := range 16 {
			s.Spec.Devices = append(s.Spec.Devices, resourceapi.Device{Name: fmt.Sprintf("d%d", i), Basic: &resourceapi.BasicDevice{}})
		}
		b.others = append(b.others, s)
	}
}

var plenty = corev1.ResourceList{"cpu": resource.MustParse("1000"), "memory": resource.MustParse("1000Gi"), "pods": resource.MustParse("1000")}

var clusterKinds = map[string]bool{"Node": true, "DeviceClass": true, "ResourceSlice": true}

// own gives contexts without an owner to the pods of their names.
func (b *bundle) own() {
	for _, c := range b.contexts {
		for _, p := range b.pods {
			if len(c.OwnerReferences) == 0 && c.Name == p.Name && c.Namespace == p.Namespace {
				c.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(p, corev1.SchemeGroupVersion.WithKind("Pod"))}
			}
		}
	}
}

// strangers are the pods that have reserved claims and are not in the text:
// they run.
func (b *bundle) strangers() []*corev1.Pod {
	known := map[string]bool{}
	for _, p := range b.pods {
		known[p.Namespace+"/"+p.Name] = true
	}
	var out []*corev1.Pod
	for _, o := range b.others {
		c, ok := o.(*resourceapi.ResourceClaim)
		if !ok {
			continue
		}
		for _, r := range c.Status.ReservedFor {
			if key := c.Namespace + "/" + r.Name; !known[key] {
				known[key] = true
				p := &corev1.Pod{}
				p.Name, p.Namespace, p.UID = r.Name, c.Namespace, r.UID
				p.Spec.NodeName, p.Status.Phase = "elsewhere", corev1.PodRunning
				out = append(out, p)
			}
		}
	}
	return out
}
