package render

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	certmanagerv1 "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1"
	monitoringv1 "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"
)

// Object is one rendered object, as plain values and as its type, which has
// taken every field.
type Object struct {
	Plain map[string]any
	Typed runtime.Object
}

// Kind is the object's kind.
func (o Object) Kind() string { return text(o.Plain["kind"]) }

// Name is kind, namespace and name, by which two renderings are matched.
func (o Object) Name() string {
	m, _ := o.Plain["metadata"].(map[string]any)
	return fmt.Sprintf("%s %s/%s", o.Kind(), text(m["namespace"]), text(m["name"]))
}

func text(v any) string {
	s, _ := v.(string)
	return s
}

// decoder reads every kind that is deployed, and refuses fields that the kind
// does not have.
var decoder = func() runtime.Decoder {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		corev1.AddToScheme, appsv1.AddToScheme, policyv1.AddToScheme, networkingv1.AddToScheme, rbacv1.AddToScheme,
		admissionregistrationv1.AddToScheme, certmanagerv1.AddToScheme, monitoringv1.AddToScheme,
	} {
		if err := add(scheme); err != nil {
			panic(err)
		}
	}
	return serializer.NewCodecFactory(scheme, serializer.EnableStrict).UniversalDeserializer()
}()

// read takes one object from its text.
func read(manifest []byte) (Object, error) {
	var o Object
	if err := yaml.UnmarshalStrict(manifest, &o.Plain); err != nil {
		return o, err
	}
	var err error
	if o.Typed, _, err = decoder.Decode(manifest, nil, nil); err != nil {
		return o, fmt.Errorf("%s: %w", o.Name(), err)
	}
	return o, nil
}

// collect reads a text of many documents, and sorts what is in it by name.
func collect(manifests string) ([]Object, error) {
	var out []Object
	reader := utilyaml.NewYAMLReader(bufio.NewReader(strings.NewReader(manifests)))
	for {
		document, err := reader.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		if len(bytes.TrimSpace(document)) == 0 {
			continue
		}
		o, err := read(document)
		if err != nil {
			return nil, err
		}
		out = append(out, o)
	}
	slices.SortFunc(out, func(a, b Object) int { return strings.Compare(a.Name(), b.Name()) })
	return out, nil
}

// Of gives the objects of one type.
func Of[T runtime.Object](objects []Object) []T {
	var out []T
	for _, o := range objects {
		if typed, ok := o.Typed.(T); ok {
			out = append(out, typed)
		}
	}
	return out
}
