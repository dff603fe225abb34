// Package judge asks one version of Kubernetes what becomes of objects. It
// reads requests from standard input, one JSON value each, and writes a verdict
// for each to standard output. Packages of Kubernetes can be there in one
// version only, so that every version is a program of its own; the code that
// they share is here.
package judge

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"sort"
	"strconv"
	"strings"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	serializer "k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/apiserver/pkg/authentication/user"
	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	_ "k8s.io/kubernetes/pkg/apis/resource/install"
	_ "k8s.io/kubernetes/pkg/features"
)

// Kind is a kind with what the API server does to its objects.
type Kind struct {
	Resource   string
	Namespaced bool
	Create     rest.RESTCreateStrategy
	Update     rest.RESTUpdateStrategy
	// Status is nil for kinds without a status of their own to update.
	Status rest.RESTUpdateStrategy
	// Stored is the API version to show stored objects in.
	Stored string
}

// request is an object that somebody sends. Old is what is stored, unless the
// object is created.
type request struct {
	Operation string          `json:"operation"` // create, update or status
	Old       json.RawMessage `json:"old,omitempty"`
	Object    json.RawMessage `json:"object"`
}

// verdict is what the API server answers.
type verdict struct {
	// Unknown are the fields that the API version does not have.
	Unknown []string `json:"unknown,omitempty"`
	// Errors are error types and paths, sorted.
	Errors []string `json:"errors,omitempty"`
	// Stored is the object if there are no errors.
	Stored runtime.Object `json:"stored,omitempty"`
	// Panic is set if the API server would not survive the request.
	Panic string `json:"panic,omitempty"`
	// Failed says why there is no verdict.
	Failed string `json:"failed,omitempty"`
}

type judge struct {
	kinds  map[string]Kind
	strict runtime.Decoder
}

// Main reads flags and judges until there are no more requests. The kinds are
// made once the gates are set, with the client that knows the namespaces.
func Main(kinds func(typedcorev1.NamespaceInterface) map[string]Kind) {
	gates := flag.String("feature-gates", "", "as the API server's flag")
	known := flag.String("namespaces", "{}", "the namespaces that there are, with their labels, as JSON")
	about := flag.Bool("about", false, "print the gates, kinds and fields of the version instead")
	flag.Parse()
	klog.SetLogger(logr.Discard())
	if err := utilfeature.DefaultMutableFeatureGate.Set(*gates); err != nil {
		fatal(err)
	}
	namespaces := namespaceClient{}
	if err := json.Unmarshal([]byte(*known), &namespaces.labels); err != nil {
		fatal(err)
	}
	j := &judge{
		kinds:  kinds(namespaces),
		strict: serializer.NewSerializerWithOptions(serializer.DefaultMetaFactory, legacyscheme.Scheme, legacyscheme.Scheme, serializer.SerializerOptions{Strict: true}),
	}
	if *about {
		if err := json.NewEncoder(os.Stdout).Encode(describe()); err != nil {
			fatal(err)
		}
		return
	}
	if err := j.serve(os.Stdin, os.Stdout); err != nil {
		fatal(err)
	}
}

func fatal(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

func (j *judge) serve(in io.Reader, out io.Writer) error {
	requests := json.NewDecoder(bufio.NewReaderSize(in, 1<<20))
	w := bufio.NewWriterSize(out, 1<<20)
	verdicts := json.NewEncoder(w)
	for {
		var r request
		if err := requests.Decode(&r); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		v, err := j.decide(r)
		if err != nil {
			v.Failed = err.Error()
		}
		if err := verdicts.Encode(v); err != nil {
			return err
		}
		if err := w.Flush(); err != nil {
			return err
		}
	}
}

func (j *judge) decide(r request) (v verdict, err error) {
	defer func() {
		if p := recover(); p != nil {
			v.Panic = fmt.Sprint(p)
		}
	}()
	var old runtime.Object
	if r.Operation != "create" {
		if old, _, _, err = j.read(r.Old); err != nil {
			return v, err
		}
	}
	now, gvk, unknown, err := j.read(r.Object)
	if err != nil {
		return v, err
	}
	v.Unknown = unknown
	kind, ok := j.kinds[gvk.Kind]
	if !ok {
		return v, fmt.Errorf("there is no kind %s", gvk.Kind)
	}
	if r.Operation == "create" {
		err = create(kind, now, *gvk)
	} else {
		err = update(kind, old, now, *gvk, r.Operation == "status")
	}
	if err != nil {
		v.Errors, err = refusal(err)
		return v, err
	}
	v.Stored, err = legacyscheme.Scheme.ConvertToVersion(now, schema.GroupVersion{Group: gvk.Group, Version: kind.Stored})
	return v, err
}

// read decodes an object as the API server does, with defaults, to its internal
// version, and lists the fields that it does not know.
func (j *judge) read(text []byte) (runtime.Object, *schema.GroupVersionKind, []string, error) {
	versioned, gvk, err := j.strict.Decode(text, nil, nil)
	var unknown []string
	if strict, ok := runtime.AsStrictDecodingError(err); ok && versioned != nil {
		for _, e := range strict.Errors() {
			path, err := strconv.Unquote(strings.TrimPrefix(e.Error(), "unknown field "))
			if err != nil {
				return nil, nil, nil, e
			}
			unknown = append(unknown, path)
		}
	} else if err != nil {
		return nil, nil, nil, err
	}
	legacyscheme.Scheme.Default(versioned)
	obj, err := legacyscheme.Scheme.ConvertToVersion(versioned, schema.GroupVersion{Group: gvk.Group, Version: runtime.APIVersionInternal})
	return obj, gvk, unknown, err
}

// around is the context of a request.
func around(kind Kind, gvk schema.GroupVersionKind, verb, namespace, name string, status bool) context.Context {
	info := &genericapirequest.RequestInfo{APIGroup: gvk.Group, APIVersion: gvk.Version, Resource: kind.Resource, Namespace: namespace, Name: name, Verb: verb}
	if status {
		info.Subresource = "status"
	}
	ctx := genericapirequest.WithRequestInfo(genericapirequest.WithNamespace(context.Background(), namespace), info)
	return genericapirequest.WithUser(ctx, &user.DefaultInfo{Name: "somebody"})
}

// namespaceOf is where a request for the object goes.
func namespaceOf(kind Kind, m metav1.Object) string {
	switch {
	case !kind.Namespaced:
		return ""
	case m.GetNamespace() == "":
		return metav1.NamespaceDefault
	}
	return m.GetNamespace()
}

func create(kind Kind, obj runtime.Object, gvk schema.GroupVersionKind) error {
	m, err := meta.Accessor(obj)
	if err != nil {
		return err
	}
	rest.FillObjectMetaSystemFields(m)
	if m.GetGenerateName() != "" && m.GetName() == "" {
		m.SetName(kind.Create.GenerateName(m.GetGenerateName()))
	}
	return rest.BeforeCreate(kind.Create, around(kind, gvk, "create", namespaceOf(kind, m), "", false), obj)
}

func update(kind Kind, old, now runtime.Object, gvk schema.GroupVersionKind, status bool) error {
	strategy := kind.Update
	if status {
		strategy = kind.Status
	}
	for _, obj := range []runtime.Object{old, now} {
		m, err := meta.Accessor(obj)
		if err != nil {
			return err
		}
		if kind.Namespaced {
			m.SetNamespace(namespaceOf(kind, m))
		}
	}
	m, err := meta.Accessor(now)
	if err != nil {
		return err
	}
	ctx := around(kind, gvk, "update", namespaceOf(kind, m), m.GetName(), status)
	if m.GetResourceVersion() == "" && unconditional(strategy, ctx) {
		m.SetResourceVersion("1") // as the store does
	}
	return rest.BeforeUpdate(strategy, ctx, now, old)
}

// unconditional tells whether an update may leave out resourceVersion. That
// depends on the request in newer versions only.
func unconditional(s rest.RESTUpdateStrategy, ctx context.Context) bool {
	switch s := any(s).(type) {
	case interface{ AllowUnconditionalUpdate() bool }:
		return s.AllowUnconditionalUpdate()
	case interface {
		AllowUnconditionalUpdate(context.Context) bool
	}:
		return s.AllowUnconditionalUpdate(ctx)
	}
	return false
}

// refusal lists what an object is refused for; other errors are no verdict.
func refusal(err error) ([]string, error) {
	var status apierrors.APIStatus
	if !errors.As(err, &status) || !apierrors.IsInvalid(err) {
		return nil, err
	}
	var list []string
	for _, cause := range status.Status().Details.Causes {
		list = append(list, string(cause.Type)+" "+cause.Field)
	}
	sort.Strings(list)
	return list, nil
}

// namespaceClient answers Get; nothing else is called.
type namespaceClient struct {
	typedcorev1.NamespaceInterface
	labels map[string]map[string]string
}

func (c namespaceClient) Get(_ context.Context, name string, _ metav1.GetOptions) (*corev1.Namespace, error) {
	if labels, ok := c.labels[name]; ok {
		return &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels}}, nil
	}
	return nil, fmt.Errorf("namespace %q is not known", name)
}
