package bundle

import (
	"reflect"
	"strings"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	alphaapi "k8s.io/api/resource/v1alpha3"
	schedulingapi "k8s.io/api/scheduling/v1beta1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/drawbridge-dra/drawbridge/core/past"
	"github.com/drawbridge-dra/drawbridge/core/role"
)

// shape is a kind in one API version.
type shape struct {
	apiVersion string
	kind       string
	// fresh makes an empty value to decode into.
	fresh func() any
	// asNewest is set when the shape is that of the newest API version, or
	// was but for fields without a meaning now.
	asNewest bool
	// convert makes a value of the type that the core works with.
	convert func(any) any
}

const (
	v1       = "resource.k8s.io/v1"
	v1beta2  = "resource.k8s.io/v1beta2"
	v1beta1  = "resource.k8s.io/v1beta1"
	v1alpha3 = "resource.k8s.io/v1alpha3"
	v1alpha2 = past.V1alpha2
	v1alpha1 = past.V1alpha1
)

// shapes holds everything that can be decoded. Where two versions have the
// same shape they share the type.
var shapes = []shape{
	same(v1, "DeviceClass", func() any { return &resourceapi.DeviceClass{} }),
	same(v1, "DeviceTaintRule", func() any { return &resourceapi.DeviceTaintRule{} }),
	same(v1, "ResourceClaim", func() any { return &resourceapi.ResourceClaim{} }),
	same(v1, "ResourceClaimTemplate", func() any { return &resourceapi.ResourceClaimTemplate{} }),
	same(v1, "ResourceSlice", func() any { return &resourceapi.ResourceSlice{} }),

	same(v1beta2, "DeviceClass", func() any { return &resourceapi.DeviceClass{} }),
	same(v1beta2, "DeviceTaintRule", func() any { return &resourceapi.DeviceTaintRule{} }),
	same(v1beta2, "ResourceClaim", func() any { return &resourceapi.ResourceClaim{} }),
	same(v1beta2, "ResourceClaimTemplate", func() any { return &resourceapi.ResourceClaimTemplate{} }),
	same(v1beta2, "ResourceSlice", func() any { return &resourceapi.ResourceSlice{} }),

	same(v1beta1, "DeviceClass", func() any { return &resourceapi.DeviceClass{} }),
	older(v1beta1, "ResourceClaim", convertBetaClaim),
	older(v1beta1, "ResourceClaimTemplate", convertBetaTemplate),
	older(v1beta1, "ResourceSlice", convertBetaSlice),

	{v1alpha3, "DeviceClass", func() any { return &alphaClass{} }, true, func(in any) any { return convertAlphaClass(in.(*alphaClass)) }},
	older(v1alpha3, "ResourceClaim", convertAlphaClaim),
	older(v1alpha3, "ResourceClaimTemplate", convertAlphaTemplate),
	older(v1alpha3, "ResourceSlice", convertAlphaSlice),
	same(v1alpha3, "DeviceTaintRule", func() any { return &resourceapi.DeviceTaintRule{} }),
	same(v1alpha3, "ResourcePoolStatusRequest", func() any { return &alphaapi.ResourcePoolStatusRequest{} }),

	gonePast(v1alpha1, "PodScheduling", &past.PodSchedulingContext{}),
	gonePast(v1alpha1, "ResourceClaim", &past.ResourceClaim{}),
	gonePast(v1alpha1, "ResourceClaimTemplate", &past.ResourceClaimTemplate{}),
	gonePast(v1alpha1, "ResourceClass", &past.ResourceClass{}),
	gonePast(v1alpha2, "PodSchedulingContext", &past.PodSchedulingContext{}),
	gonePast(v1alpha2, "ResourceClaim", &past.ResourceClaim{}),
	gonePast(v1alpha2, "ResourceClaimParameters", &past.ResourceClaimParameters{}),
	gonePast(v1alpha2, "ResourceClaimTemplate", &past.ResourceClaimTemplate{}),
	gonePast(v1alpha2, "ResourceClass", &past.ResourceClass{}),
	gonePast(v1alpha2, "ResourceClassParameters", &past.ResourceClassParameters{}),
	gonePast(v1alpha2, "ResourceSlice", &past.ResourceSlice{}),
	gonePast(v1alpha3, "PodSchedulingContext", &past.PodSchedulingContext{}),

	same("v1", "Node", func() any { return &corev1.Node{} }),
	same("v1", "Pod", func() any { return &corev1.Pod{} }),
	same("v1", "Namespace", func() any { return &corev1.Namespace{} }),

	same("scheduling.k8s.io/v1beta1", "PodGroup", func() any { return &schedulingapi.PodGroup{} }),
	same("scheduling.k8s.io/v1alpha3", "PodGroup", func() any { return &schedulingapi.PodGroup{} }),

	same(Own, "DeviceHealth", func() any { return &DeviceHealth{} }),

	same(role.APIVersion, "Role", func() any { return &role.Role{} }),
	same(role.APIVersion, "ClusterRole", func() any { return &role.ClusterRole{} }),
	same(role.APIVersion, "RoleBinding", func() any { return &role.RoleBinding{} }),
	same(role.APIVersion, "ClusterRoleBinding", func() any { return &role.ClusterRoleBinding{} }),
}

// same is a kind whose type the core works with as it is.
func same(apiVersion, kind string, fresh func() any) shape {
	return shape{apiVersion, kind, fresh, true, asNewest}
}

// gonePast is a kind that no later version has in this shape. It stays what it
// is.
func gonePast(apiVersion, kind string, example runtime.Object) shape {
	t := reflect.TypeOf(example).Elem()
	return shape{apiVersion, kind, func() any { return reflect.New(t).Interface() }, false, func(in any) any {
		in.(runtime.Object).GetObjectKind().SetGroupVersionKind(schema.FromAPIVersionAndKind(apiVersion, kind))
		return in
	}}
}

// older is a kind that must be converted.
func older[T any](apiVersion, kind string, convert func(*T) any) shape {
	return shape{apiVersion, kind, func() any { return new(T) }, false, func(in any) any { return convert(in.(*T)) }}
}

// asNewest writes the API version of the type into the object.
func asNewest(in any) any {
	switch o := in.(type) {
	case *resourceapi.DeviceClass:
		o.TypeMeta = v1Meta("DeviceClass")
	case *resourceapi.DeviceTaintRule:
		o.TypeMeta = v1Meta("DeviceTaintRule")
	case *resourceapi.ResourceClaim:
		o.TypeMeta = v1Meta("ResourceClaim")
	case *resourceapi.ResourceClaimTemplate:
		o.TypeMeta = v1Meta("ResourceClaimTemplate")
	case *resourceapi.ResourceSlice:
		o.TypeMeta = v1Meta("ResourceSlice")
	case *alphaapi.ResourcePoolStatusRequest:
		o.APIVersion, o.Kind = v1alpha3, "ResourcePoolStatusRequest"
	case *corev1.Node:
		o.APIVersion, o.Kind = "v1", "Node"
	case *corev1.Pod:
		o.APIVersion, o.Kind = "v1", "Pod"
	case *corev1.Namespace:
		o.APIVersion, o.Kind = "v1", "Namespace"
	case *schedulingapi.PodGroup:
		o.APIVersion, o.Kind = "scheduling.k8s.io/v1beta1", "PodGroup"
	}
	return in
}

func findShape(apiVersion, kind string) *shape {
	for i := range shapes {
		if shapes[i].apiVersion == apiVersion && shapes[i].kind == kind {
			return &shapes[i]
		}
	}
	return nil
}

// coreKinds are the kinds outside DRA that count.
var coreKinds = []string{"Node", "Pod", "Namespace"}

// group is the part of an API version before the slash; empty for v1.
func group(apiVersion string) string {
	before, _, found := strings.Cut(apiVersion, "/")
	if !found {
		return ""
	}
	return before
}
