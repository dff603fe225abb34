package validate

import (
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/go-logr/logr"
	resourceapi "k8s.io/api/resource/v1"
	alphaapi "k8s.io/api/resource/v1alpha3"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"sigs.k8s.io/yaml"

	"github.com/drawbridge-dra/drawbridge/core/bundle"
	"github.com/drawbridge-dra/drawbridge/core/diag"
	"github.com/drawbridge-dra/drawbridge/core/feature"
	ours "github.com/drawbridge-dra/drawbridge/core/validate"
)

var (
	objects = flag.Int("objects", 10000, "how many objects to compare, over all kinds, versions and gates")
	seed    = flag.Uint64("seed", 1, "seed of the generator")
	sets    = flag.Int("gates", 16, "how many sets of feature gates to use")
)

// seen counts the findings of each rule.
var seen = map[string]int{}

func TestMain(m *testing.M) {
	flag.Parse()
	// Kubernetes logs every place where its two passes disagree.
	klog.SetLogger(logr.Discard())
	os.Exit(m.Run())
}

// TestCreate compares error types and paths, and what is stored, for
// generated objects.
func TestCreate(t *testing.T) {
	r := rand.New(rand.NewPCG(*seed, 0))
	all := gateSets(t, r, *sets)
	for n, gates := range all {
		t.Run(strings.ReplaceAll(gates.name, ",", " "), func(t *testing.T) {
			gates.apply(t)
			t.Logf("%s %s", gates.set.Version(), gates.name)
			accepted, refused, failures := 0, 0, 0
			per := *objects / len(all)
			for i := range per {
				// A seed of its own for each object, so that one can be
				// looked at alone.
				g := &random{Rand: rand.New(rand.NewPCG(*seed, uint64(n*per+i+1)))}
				g.faults = pick(g, 0, 0.003, 0.01, 0.03, 0.1)
				k := kinds[pick(g, 0, 0, 0, 0, 1, 1, 1, 2, 2, 3, 4, 5)]
				version := pick(g, k.versions...)
				versioned := convert(t, g.object(k.kind), version, k.kind)
				ask := typed
				if g.chance(2) {
					ask, versioned = asText, written(t, versioned)
				}
				want, err := kubernetes(versioned, k.kind, k.resource, k.namespaced)
				if err != nil {
					t.Fatalf("object %d: Kubernetes cannot tell: %v\n%s", i, err, show(versioned))
				}
				if len(want.errors) > 0 {
					refused++
				} else {
					accepted++
				}
				if difference(t, want, ask(t, versioned, k.kind, version), gates) == "" {
					continue
				}
				small := shrink(versioned, func(o runtime.Object) bool {
					want, err := kubernetes(o, k.kind, k.resource, k.namespaced)
					return err == nil && difference(t, want, ask(t, o, k.kind, version), gates) != ""
				})
				want, err = kubernetes(small, k.kind, k.resource, k.namespaced)
				if err != nil {
					t.Fatal(err)
				}
				t.Errorf("object %d (%s %s): %s\n%s", i, version, k.kind, difference(t, want, ask(t, small, k.kind, version), gates), show(small))
				if failures++; failures == 5 {
					t.Fatal("enough")
				}
			}
			t.Logf("%d accepted, %d refused", accepted, refused)
			if accepted == 0 || refused == 0 {
				t.Error("the generator makes only objects of one sort")
			}
		})
	}
}

// difference says where the two verdicts differ; empty where they do not.
func difference(t *testing.T, want verdict, obj *bundle.Object, gates gateSet) string {
	got := drawbridge(t, ours.Create(obj, ours.Env{Features: gates.set, Code: feature.Newest, Namespaces: knownNamespaces}))
	if !slices.Equal(got.errors, want.errors) {
		return fmt.Sprintf("errors differ\nonly Kubernetes:\n  %s\nonly Drawbridge:\n  %s",
			strings.Join(without(want.errors, got.errors), "\n  "), strings.Join(without(got.errors, want.errors), "\n  "))
	}
	if len(want.errors) == 0 && !equality.Semantic.DeepEqual(spec(want.stored), spec(got.stored)) {
		return fmt.Sprintf("what is stored differs\nKubernetes:\n%s\nDrawbridge:\n%s", show(want.stored), show(got.stored))
	}
	return ""
}

// without returns the elements of a that b does not have as often.
func without(a, b []string) []string {
	left := map[string]int{}
	for _, s := range b {
		left[s]++
	}
	var out []string
	for _, s := range a {
		if left[s]--; left[s] < 0 {
			out = append(out, s)
		}
	}
	return out
}

func (r *random) object(kind string) runtime.Object {
	switch kind {
	case "ResourceSlice":
		return r.slice()
	case "ResourceClaim":
		return r.claim()
	case "ResourceClaimTemplate":
		return r.template()
	case "DeviceClass":
		return r.class()
	case "ResourcePoolStatusRequest":
		return r.poolRequest()
	}
	return r.taintRule()
}

// convert turns an object into another API version, by way of the internal
// one.
func convert(t *testing.T, obj runtime.Object, version, kind string) runtime.Object {
	t.Helper()
	in, err := legacyscheme.Scheme.ConvertToVersion(obj, internal)
	if err != nil {
		t.Fatal(err)
	}
	gv := schema.GroupVersion{Group: group, Version: version}
	out, err := legacyscheme.Scheme.ConvertToVersion(in, gv)
	if err != nil {
		t.Fatal(err)
	}
	out.GetObjectKind().SetGroupVersionKind(gv.WithKind(kind))
	return out
}

// written returns the object as it is after it was sent as JSON.
func written(t *testing.T, obj runtime.Object) runtime.Object {
	t.Helper()
	text, err := json.Marshal(obj)
	if err != nil {
		t.Fatal(err)
	}
	out := reflect.New(reflect.TypeOf(obj).Elem()).Interface().(runtime.Object)
	if err := json.Unmarshal(text, out); err != nil {
		t.Fatal(err)
	}
	return out
}

// typed passes on the object as Kubernetes decodes it. JSON would lose the
// difference between lists that are empty and lists that are not there.
func typed(t *testing.T, versioned runtime.Object, kind, version string) *bundle.Object {
	t.Helper()
	return &bundle.Object{
		Ref:   diag.Object{APIVersion: group + "/" + version, Kind: kind},
		Value: convert(t, versioned, hub(kind), kind),
	}
}

// asText passes on the object as people do, and compares what is read and
// converted with what Kubernetes makes of it.
func asText(t *testing.T, versioned runtime.Object, kind, version string) *bundle.Object {
	t.Helper()
	text, err := json.Marshal(versioned)
	if err != nil {
		t.Fatal(err)
	}
	parsed := bundle.Parse(text, bundle.Options{FieldValidation: bundle.Ignore})
	if len(parsed.Objects) != 1 || parsed.Objects[0].Value == nil {
		t.Fatalf("the object cannot be read: %+v\n%s", parsed.Diagnostics, text)
	}
	obj := parsed.Objects[0]
	if want := convert(t, versioned, hub(kind), kind); !equality.Semantic.DeepEqual(spec(want), spec(obj.Value.(runtime.Object))) {
		t.Errorf("%s %s is converted to\n%s\nnot to\n%s", version, kind, show(obj.Value.(runtime.Object)), show(want))
	}
	return obj
}

// drawbridge is the verdict of the code under test.
func drawbridge(t *testing.T, result ours.Result) verdict {
	t.Helper()
	v := verdict{stored: result.Stored.(runtime.Object)}
	for _, d := range result.Diagnostics {
		if _, ok := diag.Lookup(d.Source, d.Rule); !ok {
			t.Errorf("rule %s/%s is not registered", d.Source, d.Rule)
		}
		seen[string(d.Source)+"/"+d.Rule]++
		if d.Source == diag.API && d.Severity == diag.Error && d.Gate == "" {
			v.errors = append(v.errors, d.Type+" "+d.Field)
		}
		if d.Rule == "admin-access" && d.Severity == diag.Warning && d.Gate == "" {
			// Without the namespace Kubernetes cannot answer, Drawbridge
			// asks people to look.
			v.errors = append(v.errors, "InternalError "+d.Field)
		}
	}
	sort.Strings(v.errors)
	return v
}

// spec picks what is compared of stored objects, without times.
func spec(obj runtime.Object) any {
	switch o := obj.DeepCopyObject().(type) {
	case *resourceapi.ResourceSlice:
		for i := range o.Spec.Devices {
			for j := range o.Spec.Devices[i].Taints {
				o.Spec.Devices[i].Taints[j].TimeAdded = nil
			}
		}
		return []any{o.Namespace, o.Spec}
	case *resourceapi.ResourceClaim:
		return []any{o.Namespace, o.Spec}
	case *resourceapi.ResourceClaimTemplate:
		return []any{o.Namespace, o.Spec}
	case *resourceapi.DeviceClass:
		return []any{o.Namespace, o.Spec}
	case *resourceapi.DeviceTaintRule:
		o.Spec.Taint.TimeAdded = nil
		return []any{o.Namespace, o.Spec}
	case *alphaapi.ResourcePoolStatusRequest:
		return []any{o.Namespace, o.Spec}
	}
	panic(fmt.Sprintf("%T has no spec", obj))
}

// show prints an object, cut in the middle when it is very long.
func show(obj runtime.Object) string {
	text, err := yaml.Marshal(obj)
	if err != nil {
		return err.Error()
	}
	const most = 6000
	if len(text) > most {
		return string(text[:most/2]) + "\n# (cut)\n" + string(text[len(text)-most/2:])
	}
	return string(text)
}
