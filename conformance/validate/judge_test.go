// Package validate compares Drawbridge's rules for creations, updates and
// updates of a status with Kubernetes' own, on generated objects of every
// kind, in every API version and with many sets of feature gates.
package validate

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

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

// verdict is what a judge says of an object.
type verdict struct {
	// errors are "type path", sorted; warnings are paths, which count if
	// there are no errors.
	errors, warnings []string
	// lost is what Kubernetes removes, warned where Drawbridge says so; cut
	// tells that it has not said all.
	lost   losses
	warned []string
	cut    bool
	// stored is what is kept if there are no errors.
	stored runtime.Object
	// said are the findings of Drawbridge that the above is made from.
	said []saying
}

// saying is a finding of a rule, named with its source, in the form in which it
// is compared; not all are.
type saying struct {
	rule, text string
	as         sayingKind
}

type sayingKind int

const (
	notCompared sayingKind = iota
	anError
	aWarning
	aLoss
)

func (v *verdict) say(s saying) {
	v.said = append(v.said, s)
	switch s.as {
	case anError:
		v.errors = append(v.errors, s.text)
	case aWarning:
		v.warnings = append(v.warnings, s.text)
	case aLoss:
		v.warned = append(v.warned, s.text)
	}
}

func (v *verdict) sort() {
	slices.Sort(v.errors)
	slices.Sort(v.warnings)
}

// differs says where a verdict of Drawbridge differs from this one of
// Kubernetes, save for what is stored; empty where it does not.
func (v verdict) differs(got verdict) string {
	if !slices.Equal(got.errors, v.errors) {
		return fmt.Sprintf("errors differ\nonly Kubernetes:\n  %s\nonly Drawbridge:\n  %s",
			strings.Join(without(v.errors, got.errors), "\n  "), strings.Join(without(got.errors, v.errors), "\n  "))
	}
	if len(v.errors) == 0 && !slices.Equal(got.warnings, v.warnings) {
		return fmt.Sprintf("warnings differ\nKubernetes: %q\nDrawbridge: %q", v.warnings, got.warnings)
	}
	if d := v.lost.differ(got.warned, got.cut); d != "" {
		return "removed fields differ\n  " + d
	}
	return ""
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
	sent, named := obj.DeepCopyObject(), accessor.GetNamespace() != ""
	rest.FillObjectMetaSystemFields(accessor)
	if accessor.GetGenerateName() != "" && accessor.GetName() == "" {
		accessor.SetName(s.GenerateName(accessor.GetGenerateName()))
	}
	refused := rest.BeforeCreate(s, ctx, obj)
	gone, err := lost(sent, obj, gvk.GroupVersion(), false)
	if err != nil {
		return verdict{}, err
	}
	if refused != nil {
		return refusal(refused, gone)
	}
	warnings := places(s.WarningsOnCreate(ctx, obj))
	if !namespaced && named && accessor.GetNamespace() == "" {
		warnings = append(warnings, "metadata.namespace")
		slices.Sort(warnings)
	}
	stored, err := legacyscheme.Scheme.ConvertToVersion(obj, schema.GroupVersion{Group: group, Version: hub(kind)})
	return verdict{stored: stored, warnings: warnings, lost: gone}, err
}

// places are the paths that warnings start with.
func places(warnings []string) []string {
	var out []string
	for _, w := range warnings {
		place, _, _ := strings.Cut(w, ":")
		out = append(out, place)
	}
	return out
}

// refusal lists what an object is refused for; other errors are no verdict.
func refusal(err error, gone losses) (verdict, error) {
	var status apierrors.APIStatus
	if !errors.As(err, &status) || !apierrors.IsInvalid(err) {
		return verdict{}, err
	}
	v := verdict{lost: gone}
	for _, cause := range status.Status().Details.Causes {
		v.errors = append(v.errors, string(cause.Type)+" "+cause.Field)
	}
	v.sort()
	return v, nil
}

// hub is the API version that Drawbridge works with.
func hub(kind string) string {
	if kind == "ResourcePoolStatusRequest" {
		return "v1alpha3"
	}
	return "v1"
}
