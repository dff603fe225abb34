package validate

import (
	"reflect"

	resourceapi "k8s.io/api/resource/v1"
	alphaapi "k8s.io/api/resource/v1alpha3"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/drawbridge-dra/drawbridge/core/bundle"
	"github.com/drawbridge-dra/drawbridge/core/feature"
	"github.com/drawbridge-dra/drawbridge/core/past"
)

// Update checks a change of an object, other than of its status, as if old
// were stored and now sent to replace it. Findings are about now. It changes
// neither. Objects of different kinds give an empty result.
func Update(old, now *bundle.Object, env Env) Result { return replaced(old, now, env, false) }

// UpdateStatus checks a change of the status of an object, as if it were sent
// to the status subresource. Kinds without a status give an empty result.
func UpdateStatus(old, now *bundle.Object, env Env) Result { return replaced(old, now, env, true) }

func replaced(old, now *bundle.Object, env Env, status bool) Result {
	features := env.Features
	if features == nil {
		features = feature.Default(feature.Newest)
	}
	if !status {
		if result, of := ofRole(old, now, features, env); of {
			return result
		}
	}
	was, is := filledIn(old), filledIn(now)
	if was == nil || is == nil || reflect.TypeOf(was) != reflect.TypeOf(is) || status && !hasStatus(is) {
		return Result{}
	}
	beta1, minor := now.Ref.APIVersion == v1beta1, env.code(features)
	walk := func(is runtime.Object, on func(feature.Gate) bool, dropped *droppedFields) *checker {
		c := newChecker(is, features, env, beta1, dropped)
		c.on, c.history = on, newHistory(was, is)
		x, before := controlledOf(now, minor), controlledOf(old, minor)
		x.prepare(is, was, before, status, on(feature.DRAControlPlaneController), dropped)
		c.closing = closing(metadataOf(is).DeletionTimestamp != nil, x != nil && x.deallocate)
		c.change(is, was, status, now.Ref.APIVersion)
		c.controllerChange(x, before, is, was, status)
		if !status {
			c.deviceShapes(now)
		}
		c.once()
		return c
	}
	used := uses(was, status, minor)
	dropped := prepare(is, was, status, func(g feature.Gate) bool { return features.Enabled(g) || used[g] }, minor)
	r := reporter{obj: now, features: features, beta1: beta1, flat: minor < int(insideAsV1)}
	countNodes(is, was, controlledOf(now, minor), controlledOf(old, minor), features.Enabled(feature.DRAControlPlaneController))
	told := walk(is, features.Enabled, dropped)
	r.api(told.found, told.more)
	if len(dropped.list) > 0 && !status {
		// What is dropped is looked at too, as on a cluster that keeps it. A
		// status is written by programs, which know what they may write.
		written := filledIn(now)
		prepare(written, was, status, func(feature.Gate) bool { return true }, minor)
		all := func(g feature.Gate) bool { return features.Enabled(g) || dropped.has(g) }
		r.inDropped(walk(written, all, &droppedFields{}).found, told.found, dropped)
	}
	r.gates(dropped)
	return Result{Stored: is, Diagnostics: r.out}
}

// filledIn returns a copy of an object with the defaults of its version; nil if
// it was not decoded.
func filledIn(o *bundle.Object) runtime.Object {
	out := copied(o)
	if out != nil {
		fillIn(out, o.Ref.APIVersion == v1beta1)
		fillInStatus(out)
		leaveNamespace(out)
	}
	return out
}

// copied returns a copy of an object that was decoded; nil if it was not.
func copied(o *bundle.Object) runtime.Object {
	if o == nil {
		return nil
	}
	value, ok := o.Value.(runtime.Object)
	if !ok || reflect.ValueOf(value).IsNil() {
		return nil
	}
	return value.DeepCopyObject()
}

// hasStatus tells whether objects of the kind have a status of their own to
// update.
func hasStatus(o runtime.Object) bool {
	switch o.(type) {
	case *resourceapi.ResourceClaim, *resourceapi.DeviceTaintRule, *alphaapi.ResourcePoolStatusRequest, *past.ResourceClaim, *past.PodSchedulingContext:
		return true
	}
	return false
}

// fillInStatus applies the defaults of a status.
func fillInStatus(o runtime.Object) {
	if claim, ok := o.(*resourceapi.ResourceClaim); ok {
		list := results(&claim.Status)
		for i := range list {
			defaultTolerations(list[i].Tolerations)
		}
	}
}

// prepare makes the new object what the API server looks at: with what the
// request cannot change taken from the old one, without the fields of features
// that are off, and with its generation counted.
func prepare(is, was runtime.Object, status bool, on func(feature.Gate) bool, minor int) *droppedFields {
	prepareMetadata(metadataOf(is), metadataOf(was), status)
	takeOver(is, was, status, minor)
	// The generation of a slice counts what was sent, that of others what is
	// left of it.
	counted := changed(is, was)
	var dropped *droppedFields
	if status {
		d := &dropper{on: on, minor: minor, bound: uses(was, true, minor)[feature.DRADeviceBindingConditions]}
		if claim, ok := is.(*resourceapi.ResourceClaim); ok {
			d.claimStatus(&claim.Status, (*path)(nil).child("status"))
			dropDeallocated(&claim.Status, &was.(*resourceapi.ResourceClaim).Status)
		}
		dropped = &d.dropped
	} else {
		dropped = dropDisabled(is, on, minor)
	}
	if _, slice := is.(*resourceapi.ResourceSlice); !slice {
		counted = changed(is, was)
	}
	if counted && !status {
		metadataOf(is).Generation++
	}
	return dropped
}

func metadataOf(o runtime.Object) *metav1.ObjectMeta {
	if accessor, ok := o.(metav1.ObjectMetaAccessor); ok {
		if m, ok := accessor.GetObjectMeta().(*metav1.ObjectMeta); ok {
			return m
		}
	}
	return &metav1.ObjectMeta{}
}

// takeOver keeps the part that the request is not about.
func takeOver(is, was runtime.Object, status bool, minor int) {
	switch v := is.(type) {
	case *resourceapi.ResourceClaim:
		old := was.(*resourceapi.ResourceClaim)
		restore(status, &v.Spec, &v.Status, old.Spec, old.Status)
	case *resourceapi.DeviceTaintRule:
		old := was.(*resourceapi.DeviceTaintRule)
		restore(status, &v.Spec, &v.Status, old.Spec, old.Status)
		if t, before := &v.Spec.Taint, &old.Spec.Taint; !status && minor >= int(effectMovesTime) && t.Effect != before.Effect && t.TimeAdded.Equal(before.TimeAdded) {
			t.TimeAdded = nil // now, for the API server
		}
	case *alphaapi.ResourcePoolStatusRequest:
		old := was.(*alphaapi.ResourcePoolStatusRequest)
		restore(status, &v.Spec, &v.Status, old.Spec, old.Status)
	case *past.ResourceClaim:
		old := was.(*past.ResourceClaim)
		restore(status, &v.Spec, &v.Status, old.Spec, old.Status)
	case *past.PodSchedulingContext:
		old := was.(*past.PodSchedulingContext)
		restore(status, &v.Spec, &v.Status, old.Spec, old.Status)
	}
}

// restore puts the old spec back where the status is written, and the old status
// where it is not.
func restore[Spec, Status any](status bool, spec *Spec, stat *Status, oldSpec Spec, oldStatus Status) {
	if status {
		*spec = oldSpec
	} else {
		*stat = oldStatus
	}
}

// changed tells whether the spec differs, for the kinds that count their
// generations.
func changed(is, was runtime.Object) bool {
	differ := func(a, b any) bool { return !equality.Semantic.DeepEqual(a, b) }
	switch v := is.(type) {
	case *resourceapi.ResourceSlice:
		return differ(v.Spec, was.(*resourceapi.ResourceSlice).Spec)
	case *resourceapi.DeviceClass:
		return differ(v.Spec, was.(*resourceapi.DeviceClass).Spec)
	case *resourceapi.DeviceTaintRule:
		return differ(v.Spec, was.(*resourceapi.DeviceTaintRule).Spec)
	}
	return false
}

// change applies the rules for updates. What is checked again of metadata, and
// how, is different from kind to kind.
func (c *checker) change(is, was runtime.Object, status bool, apiVersion string) {
	spec := (*path)(nil).child("spec")
	const rule, advice = "spec-immutable", "create another one instead"
	switch v := is.(type) {
	case *resourceapi.ResourceSlice:
		old := was.(*resourceapi.ResourceSlice)
		c.updatedMetadata(&v.ObjectMeta, &old.ObjectMeta, clusterScoped, anyName, true)
		c.sliceSpec(&v.Spec, &old.Spec, spec)
	case *resourceapi.DeviceClass:
		old := was.(*resourceapi.DeviceClass)
		names := classNameOnly
		if !c.does(classesApart) {
			names = wholeName
		}
		c.updatedMetadata(&v.ObjectMeta, &old.ObjectMeta, clusterScoped, names, true)
		if c.does(oldClassesStay) {
			c.storedSelectors = equality.Semantic.DeepEqual(v.Spec.Selectors, old.Spec.Selectors)
			c.storedConfig = equality.Semantic.DeepEqual(v.Spec.Config, old.Spec.Config)
		}
		c.classSpec(v, spec)
	case *resourceapi.ResourceClaimTemplate:
		old := was.(*resourceapi.ResourceClaimTemplate)
		c.updatedMetadata(&v.ObjectMeta, &old.ObjectMeta, namespaced, wholeName, true)
		c.templateSpec(v, spec)
		c.fixed(byHand, rule, "the spec of a template", old.Spec, v.Spec, spec, advice)
	case *resourceapi.ResourceClaim:
		old := was.(*resourceapi.ResourceClaim)
		if status {
			c.updatedMetadata(&v.ObjectMeta, &old.ObjectMeta, namespaced, anyName, true)
			c.claimStatus(v, old)
			return
		}
		c.updatedMetadata(&v.ObjectMeta, &old.ObjectMeta, namespaced, wholeName, true)
		if !c.does(specOnlyCompared) {
			c.claimSpec(&v.Spec, spec)
		}
		c.fixed(byBoth, rule, "the spec of a claim", old.Spec, v.Spec, spec, advice)
	case *resourceapi.DeviceTaintRule:
		old := was.(*resourceapi.DeviceTaintRule)
		c.updatedMetadata(&v.ObjectMeta, &old.ObjectMeta, clusterScoped, anyName, apiVersion != "resource.k8s.io/v1")
		if status {
			c.taintRuleStatus(&v.Status, (*path)(nil).child("status"))
			return
		}
		c.taintRuleSpec(&v.Spec, &old.Spec, spec)
	case *alphaapi.ResourcePoolStatusRequest:
		old := was.(*alphaapi.ResourcePoolStatusRequest)
		c.updatedMetadata(&v.ObjectMeta, &old.ObjectMeta, clusterScoped, anyName, false)
		if status {
			c.poolRequestStatus(v.Status, old.Status, (*path)(nil).child("status"))
			return
		}
		c.fixed(standard, rule, "the spec of a request", old.Spec, v.Spec, spec, advice)
	default:
		c.pastChange(is, was, status)
	}
}
