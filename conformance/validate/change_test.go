package validate

import (
	"context"
	"encoding/json"
	"flag"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"k8s.io/kubernetes/pkg/registry/resource/devicetaintrule"
	"k8s.io/kubernetes/pkg/registry/resource/resourceclaim"
	"k8s.io/kubernetes/pkg/registry/resource/resourcepoolstatusrequest"

	"github.com/drawbridge-dra/drawbridge/core/bundle"
	"github.com/drawbridge-dra/drawbridge/core/feature"
	ours "github.com/drawbridge-dra/drawbridge/core/validate"
)

var updates = flag.Int("updates", defaultUpdates, "how many updates and status updates to compare")

// allowed lets everybody change every status: who may do what is not compared.
type allowed struct{}

func (allowed) Authorize(context.Context, authorizer.Attributes) (authorizer.Decision, string, error) {
	return authorizer.DecisionAllow, "", nil
}

func updateStrategy(kind string, status bool) rest.RESTUpdateStrategy {
	claims := resourceclaim.NewStrategy(namespaceClient{}, allowed{})
	switch {
	case kind == "ResourceClaim" && status:
		return resourceclaim.NewStatusStrategy(claims)
	case kind == "ResourceClaim":
		return claims
	case kind == "DeviceTaintRule" && status:
		return devicetaintrule.StatusStrategy
	case kind == "ResourcePoolStatusRequest" && status:
		return resourcepoolstatusrequest.StatusStrategy
	}
	return strategy(kind).(rest.RESTUpdateStrategy)
}

// replacement is an update: the object that is stored, and the one sent.
type replacement struct {
	kind     kindOf
	version  string
	status   bool
	old, now runtime.Object
}

// kubernetesUpdate replaces the old object as the API server does and returns
// its verdict. Neither object is changed.
func kubernetesUpdate(u replacement) (verdict, error) {
	inside := func(versioned runtime.Object) (runtime.Object, error) {
		defaulted := versioned.DeepCopyObject()
		legacyscheme.Scheme.Default(defaulted)
		obj, err := legacyscheme.Scheme.ConvertToVersion(defaulted, internal)
		if m, ok := obj.(metav1.ObjectMetaAccessor); ok && u.kind.namespaced && m.GetObjectMeta().GetNamespace() == "" {
			m.GetObjectMeta().SetNamespace("default")
		}
		return obj, err
	}
	old, err := inside(u.old)
	if err != nil {
		return verdict{}, err
	}
	now, err := inside(u.now)
	if err != nil {
		return verdict{}, err
	}
	m := now.(metav1.ObjectMetaAccessor).GetObjectMeta()
	info := &genericapirequest.RequestInfo{APIGroup: group, APIVersion: u.version, Resource: u.kind.resource, Namespace: m.GetNamespace(), Name: m.GetName(), Verb: "update"}
	if u.status {
		info.Subresource = "status"
	}
	namespace := ""
	if u.kind.namespaced {
		namespace = m.GetNamespace()
	}
	ctx := genericapirequest.WithUser(genericapirequest.WithRequestInfo(genericapirequest.WithNamespace(context.Background(), namespace), info), &user.DefaultInfo{Name: "somebody"})
	s := updateStrategy(u.kind.kind, u.status)
	if m.GetResourceVersion() == "" && s.AllowUnconditionalUpdate(ctx) {
		m.SetResourceVersion("1") // as the store does
	}
	sent := now.DeepCopyObject()
	refused := rest.BeforeUpdate(s, ctx, now, old)
	gone, err := lost(sent, now, schema.GroupVersion{Group: group, Version: u.version}, u.status)
	if err != nil {
		return verdict{}, err
	}
	if u.deallocates() {
		gone = gone.but(deviceStatuses)
	}
	if refused != nil {
		return refusal(refused, gone)
	}
	stored, err := legacyscheme.Scheme.ConvertToVersion(now, schema.GroupVersion{Group: group, Version: hub(u.kind.kind)})
	return verdict{stored: stored, warnings: places(s.WarningsOnUpdate(ctx, now, old)), lost: gone}, err
}

// deviceStatuses is the list out of which the status of a device goes when the
// device is deallocated: not for a gate, so that nobody warns.
const deviceStatuses = "status.devices"

// deallocates tells whether devices of a claim may be deallocated.
func (u replacement) deallocates() bool {
	if !u.status || u.kind.kind != "ResourceClaim" {
		return false
	}
	was, is := section(u.old, true).FieldByName("Allocation"), section(u.now, true).FieldByName("Allocation")
	return !was.IsNil() && !equality.Semantic.DeepEqual(was.Interface(), is.Interface())
}

// TestUpdate compares error types and paths, warnings, removed fields, and what
// is stored, for generated updates of objects and of statuses.
func TestUpdate(t *testing.T) {
	all := gateSets(t, rand.New(rand.NewPCG(*seed, 1)), *sets)
	for n, gates := range all {
		t.Run(strings.ReplaceAll(gates.name, ",", " "), func(t *testing.T) {
			gates.apply(t)
			t.Logf("%s %s", gates.set.Version(), gates.name)
			sharedOut(t, share(*updates, len(all), n), func(t *testing.T, i int) bool {
				return updateOne(t, gates, uint64(n)<<32+uint64(i))
			})
		})
	}
}

// updateOne compares the update of a number, and tells whether all is right.
func updateOne(t *testing.T, gates gateSet, number uint64) bool {
	t.Helper()
	g := &random{Rand: rand.New(rand.NewPCG(*seed+1000, number+1))}
	g.faults = pick(g, 0, 0.003, 0.01, 0.03, 0.1)
	k := kinds[pick(g, 0, 0, 0, 1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5)]
	u := replacement{kind: k, version: pick(g, k.versions...)}
	operation := update
	if slices.Contains([]string{"ResourceClaim", "DeviceTaintRule", "ResourcePoolStatusRequest"}, k.kind) && !g.chance(4) {
		u.status, operation = true, status
	}
	old, now := g.pair(k)
	u.old, u.now = convert(t, old, u.version, k.kind), convert(t, now, u.version, k.kind)
	ask := typed
	if g.chance(2) {
		ask = asText
		u.old, u.now = written(t, u.old), written(t, u.now)
	}
	want, err := kubernetesUpdate(u)
	if err != nil {
		t.Fatalf("update %d: Kubernetes cannot tell: %v\n%s---\n%s", number, err, show(u.old), show(u.now))
	}
	got := updated(t, u, ask, gates)
	differs := want.differs(got) != "" || storedDiffers(want, got, whole) != ""
	compared.add(cell{k.kind, operation, gates.column}, want, got, differs)
	if !differs {
		return true
	}
	failing := func(u replacement) string {
		want, err := kubernetesUpdate(u)
		if err != nil {
			return ""
		}
		return updateDifference(t, want, u, ask, gates)
	}
	small := shrinkPair(u, func(u replacement) bool { return failing(u) != "" })
	t.Errorf("update %d (%s %s, %s): %s\nold:\n%s\nnew:\n%s", number, u.version, k.kind, operation, failing(small), show(small.old), show(small.now))
	return false
}

type asking func(t *testing.T, versioned runtime.Object, kind, version string) *bundle.Object

// updated is the verdict of Drawbridge on an update.
func updated(t *testing.T, u replacement, ask asking, gates gateSet) verdict {
	t.Helper()
	replace := ours.Update
	if u.status {
		replace = ours.UpdateStatus
	}
	v := drawbridge(t, replace(ask(t, u.old, u.kind.kind, u.version), ask(t, u.now, u.kind.kind, u.version), ours.Env{Features: gates.set, Code: feature.Newest, Namespaces: knownNamespaces, Expressions: ours.NewExpressions(expressions)}))
	if u.deallocates() {
		v.warned = slices.DeleteFunc(v.warned, func(place string) bool { return about(place, deviceStatuses) })
		for i, s := range v.said {
			if s.as == aLoss && about(s.text, deviceStatuses) {
				v.said[i].as = notCompared
			}
		}
	}
	return v
}

// updateDifference says where the two verdicts differ; empty where they do
// not.
func updateDifference(t *testing.T, want verdict, u replacement, ask asking, gates gateSet) string {
	t.Helper()
	got := updated(t, u, ask, gates)
	if d := want.differs(got); d != "" {
		return d
	}
	return storedDiffers(want, got, whole)
}

// whole is a stored object without the times that are now, and without what
// stands in for a version.
func whole(obj runtime.Object) runtime.Object {
	obj = obj.DeepCopyObject()
	switch o := obj.(type) {
	case *resourceapi.ResourceSlice:
		for i := range o.Spec.Devices {
			for j := range o.Spec.Devices[i].Taints {
				o.Spec.Devices[i].Taints[j].TimeAdded = nil
			}
		}
	case *resourceapi.DeviceTaintRule:
		o.Spec.Taint.TimeAdded = nil
	}
	obj.GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{})
	metadataOf(obj).ResourceVersion = ""
	return obj
}

// shrinkPair makes both objects smaller as long as they still fail.
func shrinkPair(u replacement, fails func(replacement) bool) replacement {
	tree := map[string]any{}
	for name, obj := range map[string]runtime.Object{"old": u.old, "now": u.now} {
		text, err := json.Marshal(obj)
		if err != nil {
			return u
		}
		var v map[string]any
		if err := json.Unmarshal(text, &v); err != nil {
			return u
		}
		tree[name] = v
	}
	build := func() (replacement, bool) {
		smaller := u
		for name, target := range map[string]*runtime.Object{"old": &smaller.old, "now": &smaller.now} {
			v, ok := tree[name].(map[string]any)
			if !ok {
				return u, false
			}
			obj, err := rebuild(*target, v)
			if err != nil {
				return u, false
			}
			*target = obj
		}
		return smaller, true
	}
	tries := shrinkTries
	still := func() bool {
		tries--
		smaller, ok := build()
		return ok && tries > 0 && fails(smaller)
	}
	if !still() {
		return u // JSON cannot say what is wrong with it
	}
	for again := true; again; {
		again = false
		// What both have goes from both first, so that they stay alike.
		again = cutBoth(tree["old"].(map[string]any), tree["now"].(map[string]any), still) || again
		for _, name := range []string{"now", "old"} {
			v := tree[name].(map[string]any)
			for _, key := range slices.Sorted(maps.Keys(v)) {
				if key != "apiVersion" && key != "kind" {
					again = cut(func() any { return v[key] }, func(x any) { v[key] = x }, func() { delete(v, key) }, still) || again
				}
			}
		}
	}
	smaller, _ := build()
	return smaller
}

func cutBoth(a, b map[string]any, still func() bool) bool {
	went := false
	for _, key := range slices.Sorted(maps.Keys(a)) {
		x, y := a[key], b[key]
		if key == "apiVersion" || key == "kind" || !reflect.DeepEqual(x, y) {
			inA, okA := x.(map[string]any)
			inB, okB := y.(map[string]any)
			if okA && okB {
				went = cutBoth(inA, inB, still) || went
			}
			continue
		}
		delete(a, key)
		delete(b, key)
		if still() {
			went = true
			continue
		}
		a[key], b[key] = x, y
	}
	return went
}
