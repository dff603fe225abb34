package validate

import (
	"reflect"
	"slices"
	"strings"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
)

// pair makes an object and what it is to be replaced by: the same with some
// parts changed. Both may have faults, and often they have the same.
func (r *random) pair(k kindOf) (old, now runtime.Object) {
	old = r.object(k.kind)
	return r.grafted(old, r.object(k.kind), k.namespaced, r.status)
}

// grafted makes a pair of two objects of a kind, whose status can be filled.
func (r *random) grafted(old, other runtime.Object, namespaced bool, status func(runtime.Object)) (_, now runtime.Object) {
	if r.chance(2) {
		status(old)
	}
	m := metadataOf(old)
	if m.Name == "" {
		m.Name = "object"
	}
	if !namespaced {
		m.Namespace = ""
	}
	// The time that a default fills in would be another one for each object.
	setTimes(old)
	m.UID, m.ResourceVersion, m.Generation = "u", "1", int64(r.IntN(3))
	if r.faulty() {
		m.Generation = -1
	}
	if !r.faulty() {
		m.CreationTimestamp = then(0)
	}
	if r.chance(6) {
		m.DeletionTimestamp, m.DeletionGracePeriodSeconds = ptr(then(1)), maybe(r, 2, int64(0))
	}
	now = old.DeepCopyObject()
	if r.chance(4) {
		status(now)
	} else {
		status(other)
	}
	metadata := *metadataOf(other)
	*metadataOf(other) = *m.DeepCopy()
	g := &graft{r, pick(r, 0, 0.02, 0.05, 0.2)}
	g.into(reflect.ValueOf(now).Elem(), reflect.ValueOf(other).Elem())
	r.newMetadata(metadataOf(now), &metadata)
	return old, now
}

func metadataOf(obj runtime.Object) *metav1.ObjectMeta {
	return obj.(metav1.ObjectMetaAccessor).GetObjectMeta().(*metav1.ObjectMeta)
}

func setTimes(obj runtime.Object) {
	switch o := obj.(type) {
	case *resourceapi.ResourceSlice:
		for i := range o.Spec.Devices {
			for j := range o.Spec.Devices[i].Taints {
				o.Spec.Devices[i].Taints[j].TimeAdded = ptr(then(j % 24))
			}
		}
	case *resourceapi.DeviceTaintRule:
		o.Spec.Taint.TimeAdded = ptr(then(2))
	}
}

// newMetadata changes what a client may change, and now and then the rest.
func (r *random) newMetadata(m, other *metav1.ObjectMeta) {
	if r.chance(5) {
		m.Labels, m.Annotations = other.Labels, other.Annotations
	}
	if r.chance(5) {
		m.Finalizers = append(m.Finalizers, other.Finalizers...)
		m.Finalizers = append(m.Finalizers, pick(r, "example.com/f", "example.com/g"))
	}
	if r.faulty() {
		m.OwnerReferences = other.OwnerReferences
	}
	if r.faulty() {
		m.GenerateName = r.text("prefix-")
	}
	if r.faulty() {
		m.Name = pick(r, ".", "..", "a/b", "a%b", "other", r.text("object"), m.Name)
		if m.Name == "" {
			m.GenerateName = "" // else DeviceClasses give an internal error
		}
	}
	if r.faulty() {
		m.Generation += 7
	}
	if r.chance(8) {
		m.UID = pick[types.UID](r, "", "u", "v")
	}
	if r.chance(8) {
		m.ResourceVersion = ""
	}
	if r.chance(8) {
		m.CreationTimestamp = pick(r, then(0), then(1), metav1.Time{})
	}
	if r.chance(8) {
		m.DeletionTimestamp, m.DeletionGracePeriodSeconds = pick(r, nil, ptr(then(1)), ptr(then(3))), pick(r, nil, ptr[int64](0), ptr[int64](30))
	}
}

// graft takes parts of one object over into another.
type graft struct {
	*random
	rate float64
}

func (g *graft) now() bool { return g.Float64() < g.rate }

func (g *graft) into(v, from reflect.Value) {
	switch v.Interface().(type) {
	case metav1.ObjectMeta, metav1.TypeMeta:
		return
	case resource.Quantity, metav1.Time, runtime.RawExtension:
		if g.now() {
			v.Set(from)
		}
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if g.now() {
				v.Field(i).Set(from.Field(i))
			} else {
				g.into(v.Field(i), from.Field(i))
			}
		}
	case reflect.Pointer:
		if v.IsNil() || from.IsNil() {
			if g.now() {
				v.Set(from)
			}
			return
		}
		g.into(v.Elem(), from.Elem())
	case reflect.Slice:
		g.list(v, from)
	case reflect.Map:
		for _, k := range sortedKeys(v) {
			switch {
			case g.now() && g.chance(2):
				v.SetMapIndex(k, reflect.Value{})
			case g.now() && from.Len() > 0:
				v.SetMapIndex(k, from.MapIndex(sortedKeys(from)[0]))
			}
		}
		if g.now() && !v.IsNil() && from.Len() > 0 {
			k := sortedKeys(from)[0]
			v.SetMapIndex(k, from.MapIndex(k))
		}
	}
}

// list changes items, and removes, repeats, moves and adds some.
func (g *graft) list(v, from reflect.Value) {
	for i := range v.Len() {
		if j := i; j < from.Len() {
			g.into(v.Index(i), from.Index(j))
		}
	}
	n := v.Len()
	if g.now() && n > 0 {
		i := g.IntN(n)
		switch g.IntN(4) {
		case 0:
			v.Set(reflect.AppendSlice(v.Slice3(0, i, i), v.Slice(i+1, n)))
		case 1:
			v.Set(reflect.Append(v.Slice3(0, n, n), v.Index(i)))
		case 2:
			a, b := v.Index(0).Interface(), v.Index(i).Interface()
			v.Index(0).Set(reflect.ValueOf(b))
			v.Index(i).Set(reflect.ValueOf(a))
		case 3:
			v.Set(v.Slice(0, 0))
		}
	}
	if g.now() && from.Len() > 0 {
		v.Set(reflect.Append(v.Slice3(0, v.Len(), v.Len()), from.Index(g.IntN(from.Len()))))
	}
}

// sortedKeys are the keys of a map of strings, so that the same seed makes the
// same choices.
func sortedKeys(m reflect.Value) []reflect.Value {
	keys := m.MapKeys()
	slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
	return keys
}
