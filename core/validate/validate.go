// Package validate applies the API server's own rules for objects of
// resource.k8s.io: what it refuses, and what it removes without a word.
//
// Kubernetes checks an object twice, by hand and by rules declared on its
// types, and merges what both find. The checks here are made in one walk that
// keeps the two passes apart where they differ, so that the set of error
// types and paths is the same as that of the API server.
package validate

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	alphaapi "k8s.io/api/resource/v1alpha3"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/drawbridge-dra/drawbridge/core/bundle"
	"github.com/drawbridge-dra/drawbridge/core/diag"
	"github.com/drawbridge-dra/drawbridge/core/feature"
)

// Env is the cluster that an object is created in.
type Env struct {
	// Features are the version and its feature gates; nil means the newest
	// version with its defaults.
	Features *feature.Set
	// Code is the version of the API server's own code where that emulates the
	// version of Features; the zero value means that it is of that version.
	Code feature.Version
	// Namespaces are those that are known, by name.
	Namespaces map[string]*corev1.Namespace
	// Expressions are shared by the objects of one run. Nil means that each
	// object compiles its own.
	Expressions *Expressions
}

// code is the minor version whose rules count.
func (env Env) code(features *feature.Set) int {
	if env.Code != (feature.Version{}) {
		return env.Code.Minor
	}
	return features.Version().Minor
}

// Result says what becomes of an object that is created or updated.
type Result struct {
	// Stored is the object as the API server would keep it: with defaults,
	// without the fields of features that are off. What is the same in both
	// may be shared with the object, so neither may be changed. Times that
	// the API server takes from its clock and names that it makes up are not
	// filled in, and a status is kept. It is nil for kinds that are not
	// known, and of no use if the findings have errors.
	Stored any
	// Diagnostics are the findings, in no particular order. Those with
	// source "api" and a Gate are about a field that this cluster would drop
	// before it looks: it accepts the object, a cluster with the gate on
	// would not.
	Diagnostics []diag.Diagnostic
}

// v1beta1 is the API version whose objects have another shape.
const v1beta1 = "resource.k8s.io/v1beta1"

// Create checks an object as if it were created. It never changes it.
func Create(obj *bundle.Object, env Env) Result {
	features := env.Features
	if features == nil {
		features = feature.Default(feature.Newest)
	}
	if result, of := ofRole(nil, obj, features, env); of {
		return result
	}
	stored := prepared(obj)
	if stored == nil {
		return Result{}
	}
	beta1 := obj.Ref.APIVersion == v1beta1
	fillIn(stored, beta1)
	dropped := dropDisabled(stored, features.Enabled, env.code(features))

	walk := func(o runtime.Object, on func(feature.Gate) bool, dropped *droppedFields) *checker {
		c := newChecker(o, features, env, beta1, dropped)
		c.on = on
		c.object(o)
		c.deviceShapes(obj)
		x := controlledOf(obj, c.minor)
		x.prepare(o, nil, nil, false, on(feature.DRAControlPlaneController), dropped)
		c.controllerFields(x, o)
		c.once()
		return c
	}
	r := reporter{obj: obj, features: features, beta1: beta1, flat: env.code(features) < int(insideAsV1)}
	told := walk(stored, features.Enabled, dropped)
	r.api(told.found, told.more)
	if len(dropped.list) > 0 {
		// What is dropped is looked at too, as on a cluster that keeps it.
		written := copied(obj)
		fillIn(written, beta1)
		all := func(g feature.Gate) bool { return features.Enabled(g) || dropped.has(g) }
		r.inDropped(walk(written, all, &droppedFields{}).found, told.found, dropped)
	}
	r.gates(dropped)
	leaveNamespace(stored)
	return Result{Stored: stored, Diagnostics: r.out}
}

// prepared returns a copy of an object that can be made what is stored. Of
// slices, which are large and rarely change, it is not a deep one: the dropper
// copies what it changes inside of devices.
func prepared(o *bundle.Object) runtime.Object {
	if o == nil {
		return nil
	}
	slice, ok := o.Value.(*resourceapi.ResourceSlice)
	if !ok || slice == nil {
		return copied(o)
	}
	out := *slice
	out.Spec.Devices = slices.Clone(slice.Spec.Devices)
	return &out
}

// newChecker makes a checker for one walk.
func newChecker(o runtime.Object, features *feature.Set, env Env, beta1 bool, dropped *droppedFields) *checker {
	expressions := env.Expressions
	if expressions == nil {
		expressions = NewExpressions(nil)
	}
	c := &checker{minor: env.code(features), on: features.Enabled, beta1: beta1, dropped: dropped, namespaces: env.Namespaces, expressions: expressions}
	c.running = c.passesOf(o, features.Enabled(feature.DeclarativeValidationBeta))
	return c
}

func (c *checker) object(o runtime.Object) {
	switch v := o.(type) {
	case *resourceapi.ResourceSlice:
		c.resourceSlice(v)
	case *resourceapi.ResourceClaim:
		c.resourceClaim(v)
	case *resourceapi.ResourceClaimTemplate:
		c.resourceClaimTemplate(v)
	case *resourceapi.DeviceClass:
		c.deviceClass(v)
	case *resourceapi.DeviceTaintRule:
		c.deviceTaintRule(v)
	case *alphaapi.ResourcePoolStatusRequest:
		c.poolRequest(v)
	default:
		c.pastObject(o)
	}
}

// fillIn applies defaults.
func fillIn(o runtime.Object, beta1 bool) {
	inNamespace := func(m *metav1.ObjectMeta) { m.Namespace = orDefault(m.Namespace) }
	switch v := o.(type) {
	case *resourceapi.ResourceClaim:
		inNamespace(&v.ObjectMeta)
		defaultClaim(&v.Spec, beta1)
	case *resourceapi.ResourceClaimTemplate:
		inNamespace(&v.ObjectMeta)
		defaultClaim(&v.Spec.Spec, beta1)
	case *alphaapi.ResourcePoolStatusRequest:
		if v.Spec.Limit == nil {
			limit := alphaapi.ResourcePoolStatusRequestLimitDefault
			v.Spec.Limit = &limit
		}
	default:
		pastDefaults(o)
	}
}

// leaveNamespace takes cluster-scoped objects out of the namespace that they
// may name, as the API server does for requests that name none.
func leaveNamespace(o runtime.Object) {
	switch v := o.(type) {
	case *resourceapi.ResourceSlice:
		v.Namespace = ""
	case *resourceapi.DeviceClass:
		v.Namespace = ""
	case *resourceapi.DeviceTaintRule:
		v.Namespace = ""
	case *alphaapi.ResourcePoolStatusRequest:
		v.Namespace = ""
	}
}

// dropDisabled removes what belongs to features that are off.
func dropDisabled(o runtime.Object, on func(feature.Gate) bool, minor int) *droppedFields {
	d := &dropper{on: on, minor: minor}
	spec := (*path)(nil).child("spec")
	switch v := o.(type) {
	case *resourceapi.ResourceSlice:
		d.slice(&v.Spec, spec)
	case *resourceapi.ResourceClaim:
		d.claim(&v.Spec, spec)
	case *resourceapi.ResourceClaimTemplate:
		d.claim(&v.Spec.Spec, spec.child("spec"))
	case *resourceapi.DeviceClass:
		d.class(&v.Spec, spec)
	case *alphaapi.ResourcePoolStatusRequest:
		d.poolRequest(&v.Spec, spec)
	}
	return &d.dropped
}
