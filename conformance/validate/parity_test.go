package validate

import (
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"reflect"
	"runtime/debug"
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
	"github.com/drawbridge-dra/drawbridge/core/selector"
	ours "github.com/drawbridge-dra/drawbridge/core/validate"
)

var (
	objects = flag.Int("objects", defaultObjects, "how many objects to compare, over all kinds, versions and gates")
	seed    = flag.Uint64("seed", defaultSeed, "seed of the generator")
	sets    = flag.Int("gates", defaultSets, "how many sets of feature gates to use")
)

// The tables in docs/ are those of a run with these numbers.
const (
	defaultObjects = 120_600
	defaultUpdates = 24_120
	defaultSets    = 17
	defaultSeed    = 1
)

// expressions are compiled once for all objects that have them, as for the files
// of one command. Kubernetes compiles each anew.
var expressions = &selector.Shared{}

// The operations.
const (
	create = "create"
	update = "update"
	status = "status"
)

func TestMain(m *testing.M) {
	flag.Parse()
	// Kubernetes logs every place where its two passes disagree.
	klog.SetLogger(logr.Discard())
	// Most of what is made is thrown away at once, and there is memory for it.
	debug.SetGCPercent(400)
	os.Exit(m.Run())
}

// TestCreate compares error types and paths, warnings, removed fields, and what
// is stored, for generated objects.
func TestCreate(t *testing.T) {
	all := gateSets(t, rand.New(rand.NewPCG(*seed, 0)), *sets)
	for n, gates := range all {
		t.Run(strings.ReplaceAll(gates.name, ",", " "), func(t *testing.T) {
			gates.apply(t)
			t.Logf("%s %s", gates.set.Version(), gates.name)
			sharedOut(t, share(*objects, len(all), n), func(t *testing.T, i int) bool {
				return createOne(t, gates, uint64(n)<<32+uint64(i))
			})
			if sum := compared.sum(func(c cell) bool { return c.operation == create && c.gates == gates.column }); sum.accepted == 0 || sum.refused == 0 {
				t.Error("the generator makes only objects of one sort")
			}
		})
	}
}

// sample is an object that was made up, and how it is passed on.
type sample struct {
	kind    kindOf
	version string
	object  runtime.Object
	ask     asking
}

// makeSample makes the object of a number. Each has a seed of its own, so that
// one can be looked at alone.
func makeSample(t *testing.T, number uint64) sample {
	t.Helper()
	g := &random{Rand: rand.New(rand.NewPCG(*seed, number+1))}
	g.faults = pick(g, 0, 0.003, 0.01, 0.03, 0.1)
	k := kinds[pick(g, 0, 0, 0, 0, 1, 1, 1, 2, 2, 3, 4, 5)]
	version := pick(g, k.versions...)
	out := sample{kind: k, version: version, object: convert(t, g.object(k.kind), version, k.kind), ask: typed}
	if g.chance(2) {
		out.ask, out.object = asText, written(t, out.object)
	}
	return out
}

// createOne compares one object, and tells whether all is right.
func createOne(t *testing.T, gates gateSet, number uint64) bool {
	t.Helper()
	o := makeSample(t, number)
	k := o.kind
	want, err := kubernetes(o.object, k.kind, k.resource, k.namespaced)
	if err != nil {
		t.Fatalf("object %d: Kubernetes cannot tell: %v\n%s", number, err, show(o.object))
	}
	got := created(t, o.ask(t, o.object, k.kind, o.version), gates)
	differs := want.differs(got) != "" || storedDiffers(want, got, spec) != ""
	compared.add(cell{k.kind, create, gates.column}, want, got, differs)
	if !differs {
		return true
	}
	failing := func(obj runtime.Object) string {
		want, err := kubernetes(obj, k.kind, k.resource, k.namespaced)
		if err != nil {
			return ""
		}
		return difference(t, want, o.ask(t, obj, k.kind, o.version), gates)
	}
	small := shrink(o.object, func(obj runtime.Object) bool { return failing(obj) != "" })
	t.Errorf("object %d (%s %s): %s\n%s", number, o.version, k.kind, failing(small), show(small))
	return false
}

// created is the verdict of Drawbridge on a new object.
func created(t *testing.T, obj *bundle.Object, gates gateSet) verdict {
	t.Helper()
	return drawbridge(t, ours.Create(obj, ours.Env{Features: gates.set, Code: feature.Newest, Namespaces: knownNamespaces, Expressions: ours.NewExpressions(expressions)}))
}

// difference says where the two verdicts differ; empty where they do not.
func difference(t *testing.T, want verdict, obj *bundle.Object, gates gateSet) string {
	t.Helper()
	got := created(t, obj, gates)
	if d := want.differs(got); d != "" {
		return d
	}
	return storedDiffers(want, got, spec)
}

// storedDiffers says where what is kept differs, in the part that is picked.
func storedDiffers[T any](want, got verdict, part func(runtime.Object) T) string {
	if len(want.errors) > 0 || equality.Semantic.DeepEqual(part(want.stored), part(got.stored)) {
		return ""
	}
	return fmt.Sprintf("what is stored differs\nKubernetes:\n%s\nDrawbridge:\n%s", show(want.stored), show(got.stored))
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

// registered are the rules that findings may name, with their source.
var registered = func() map[string]bool {
	all := map[string]bool{}
	for _, r := range diag.Rules() {
		all[string(r.Source)+"/"+r.ID] = true
	}
	return all
}()

// drawbridge is the verdict of the code under test.
func drawbridge(t *testing.T, result ours.Result) verdict {
	t.Helper()
	v := verdict{stored: result.Stored.(runtime.Object)}
	for _, d := range result.Diagnostics {
		s := saying{rule: string(d.Source) + "/" + d.Rule}
		if !registered[s.rule] {
			t.Errorf("rule %s is not registered", s.rule)
		}
		switch {
		case d.Source == diag.Gate:
			s.as, s.text = aLoss, d.Field
			v.cut = v.cut || strings.HasSuffix(d.Message, "more fields of this object are dropped as well")
		case d.Gate != "":
			// A cluster that keeps the field would say so; this one does not.
		case d.Severity == diag.Error:
			s.as, s.text = anError, d.Type+" "+d.Field
		case d.Rule == "admin-access":
			// Without the namespace Kubernetes cannot answer, Drawbridge
			// asks people to look.
			s.as, s.text = anError, "InternalError "+d.Field
		default:
			s.as, s.text = aWarning, d.Field
		}
		v.say(s)
	}
	v.sort()
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
