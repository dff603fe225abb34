// Package validate compares Drawbridge's rules for creations, updates and
// updates of a status with Kubernetes' own, on generated objects of every
// kind, in every API version and with many sets of feature gates.
package validate

import (
	"context"
	"errors"
	"fmt"
	"sort"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	_ "k8s.io/kubernetes/pkg/apis/resource/install"
	"k8s.io/kubernetes/pkg/registry/resource/deviceclass"
	"k8s.io/kubernetes/pkg/registry/resource/devicetaintrule"
	"k8s.io/kubernetes/pkg/registry/resource/resourceclaim"
	"k8s.io/kubernetes/pkg/registry/resource/resourceclaimtemplate"
	"k8s.io/kubernetes/pkg/registry/resource/resourcepoolstatusrequest"
	"k8s.io/kubernetes/pkg/registry/resource/resourceslice"
)

const group = "resource.k8s.io"

var internal = schema.GroupVersion{Group: group, Version: runtime.APIVersionInternal}

// kindOf is a kind with its resource and the API versions that serve it.
type kindOf struct {
	kind, resource string
	namespaced     bool
	versions       []string
}

var kinds = []kindOf{
	{"ResourceSlice", "resourceslices", false, []string{"v1", "v1beta2", "v1beta1"}},
	{"ResourceClaim", "resourceclaims", true, []string{"v1", "v1beta2", "v1beta1"}},
	{"ResourceClaimTemplate", "resourceclaimtemplates", true, []string{"v1", "v1beta2", "v1beta1"}},
	{"DeviceClass", "deviceclasses", false, []string{"v1", "v1beta2", "v1beta1"}},
	{"DeviceTaintRule", "devicetaintrules", false, []string{"v1", "v1beta2", "v1alpha3"}},
	{"ResourcePoolStatusRequest", "resourcepoolstatusrequests", false, []string{"v1alpha3"}},
}

// knownNamespaces are what both sides know.
var knownNamespaces = map[string]*corev1.Namespace{
	"default": {ObjectMeta: metav1.ObjectMeta{Name: "default"}},
	"false":   {ObjectMeta: metav1.ObjectMeta{Name: "false", Labels: map[string]string{resourceapi.DRAAdminNamespaceLabelKey: "True"}}},
	"admin":   {ObjectMeta: metav1.ObjectMeta{Name: "admin", Labels: map[string]string{resourceapi.DRAAdminNamespaceLabelKey: "true"}}},
}

// namespaceClient answers Get from knownNamespaces; nothing else is called.
type namespaceClient struct {
	typedcorev1.NamespaceInterface
}

func (namespaceClient) Get(_ context.Context, name string, _ metav1.GetOptions) (*corev1.Namespace, error) {
	if ns, ok := knownNamespaces[name]; ok {
		return ns, nil
	}
	return nil, fmt.Errorf("namespace %q is not known", name)
}

func strategy(kind string) rest.RESTCreateStrategy {
	switch kind {
	case "ResourceSlice":
		return resourceslice.Strategy
	case "ResourceClaim":
		return resourceclaim.NewStrategy(namespaceClient{}, nil)
	case "ResourceClaimTemplate":
		return resourceclaimtemplate.NewStrategy(namespaceClient{})
	case "DeviceClass":
		return deviceclass.Strategy
	case "DeviceTaintRule":
		return devicetaintrule.Strategy
	case "ResourcePoolStatusRequest":
		return resourcepoolstatusrequest.Strategy
	}
	panic("no strategy for " + kind)
}

// verdict is what a judge says of an object: its errors as "type path",
// sorted, and what is stored when there are none.
type verdict struct {
	errors []string
	stored runtime.Object
}

// kubernetes creates a versioned object as the API server does and returns its
// verdict. The object is not changed.
func kubernetes(versioned runtime.Object, kind, resource string, namespaced bool) (verdict, error) {
	gvk := versioned.GetObjectKind().GroupVersionKind()
	defaulted := versioned.DeepCopyObject()
	legacyscheme.Scheme.Default(defaulted)
	obj, err := legacyscheme.Scheme.ConvertToVersion(defaulted, internal)
	if err != nil {
		return verdict{}, err
	}
	accessor, err := meta.Accessor(obj)
	if err != nil {
		return verdict{}, err
	}
	namespace := ""
	if namespaced {
		namespace = accessor.GetNamespace()
		if namespace == "" {
			namespace = "default"
		}
	}
	ctx := genericapirequest.WithRequestInfo(
		genericapirequest.WithNamespace(context.Background(), namespace),
		&genericapirequest.RequestInfo{APIGroup: group, APIVersion: gvk.Version, Resource: resource, Namespace: namespace, Verb: "create"})
	s := strategy(kind)
	rest.FillObjectMetaSystemFields(accessor)
	if accessor.GetGenerateName() != "" && accessor.GetName() == "" {
		accessor.SetName(s.GenerateName(accessor.GetGenerateName()))
	}
	if err := rest.BeforeCreate(s, ctx, obj); err != nil {
		return refusal(err)
	}
	stored, err := legacyscheme.Scheme.ConvertToVersion(obj, schema.GroupVersion{Group: group, Version: hub(kind)})
	return verdict{stored: stored}, err
}

// refusal lists what an object is refused for; other errors are no verdict.
func refusal(err error) (verdict, error) {
	var status apierrors.APIStatus
	if !errors.As(err, &status) || !apierrors.IsInvalid(err) {
		return verdict{}, err
	}
	var v verdict
	for _, cause := range status.Status().Details.Causes {
		v.errors = append(v.errors, string(cause.Type)+" "+cause.Field)
	}
	sort.Strings(v.errors)
	return v, nil
}

// hub is the API version that Drawbridge works with.
func hub(kind string) string {
	if kind == "ResourcePoolStatusRequest" {
		return "v1alpha3"
	}
	return "v1"
}
