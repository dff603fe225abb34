package assist

import (
	"slices"
	"strings"
	"testing"

	"github.com/drawbridge-dra/drawbridge/core/bundle"
	"github.com/drawbridge-dra/drawbridge/core/diag"
	"github.com/drawbridge-dra/drawbridge/core/feature"
	"github.com/drawbridge-dra/drawbridge/core/past"
)

// draKinds are the kinds of DRA in every API version that is read.
func draKinds(visit func(apiVersion, kind string, s bundle.Schema)) {
	for _, kind := range slices.Concat(feature.Kinds(), past.Kinds()) {
		for _, version := range []string{"v1", "v1beta2", "v1beta1", "v1alpha3", "v1alpha2", "v1alpha1"} {
			if s, ok := bundle.SchemaOf("resource.k8s.io/"+version, kind); ok {
				visit("resource.k8s.io/"+version, kind, s)
			}
		}
	}
}

// podParts are the holders of podFields that are documented as a whole.
var podParts = []string{"resourceClaims", "resourceClaimStatuses", "extendedResourceClaimStatus", "nodeAllocatableResourceClaimStatuses"}

// TestEveryFieldIsDocumented walks through the types of the API: every field
// has an entry, and there is none for a field that does not exist.
func TestEveryFieldIsDocumented(t *testing.T) {
	exists, walked := map[string]bool{}, map[bundle.Schema]int{}
	var walk func(s bundle.Schema, demanded bool)
	walk = func(s bundle.Schema, demanded bool) {
		for form := s.Form(); form == bundle.FormList || form == bundle.FormMap; form = s.Form() {
			s = s.Elem()
		}
		if walked[s]++; walked[s] > 1 {
			return
		}
		for _, f := range s.Fields() {
			id := f.Holder + "." + f.Name
			exists[id] = true
			if demanded && entries[id] == nil {
				t.Errorf("%s has no entry", id)
			}
			walk(f.Schema, demanded)
		}
	}
	draKinds(func(_, _ string, s bundle.Schema) { walk(s, true) })
	for _, b := range besides {
		for _, kind := range b.kinds {
			s, ok := bundle.SchemaOf(b.apiVersion, kind)
			if !ok {
				t.Errorf("%s %s is not read", b.apiVersion, kind)
			}
			walk(s, true)
		}
	}
	pod, _ := bundle.SchemaOf("v1", "Pod")
	for _, part := range []string{"spec", "status"} {
		inside, _ := pod.Field(part)
		for _, name := range podParts {
			if f, ok := inside.Field(name); ok {
				walk(f.Schema, true)
				if entries[f.Holder+"."+name] == nil {
					t.Errorf("%s.%s has no entry", f.Holder, name)
				}
			}
		}
	}
	walk(pod, false)
	node, _ := bundle.SchemaOf("v1", "Node")
	walk(node, false)
	walk(bundle.AnyObject(), false)
	count := 0
	for _, table := range tables {
		for _, e := range table {
			count++
			if !exists[e.field] {
				t.Errorf("there is no field %s", e.field)
			}
		}
	}
	if count != len(entries) || count < 200 {
		t.Errorf("%d entries, %d of them with a field of their own", count, len(entries))
	}
	for id := range choices {
		if !exists[id] {
			t.Errorf("there is no field %s with choices", id)
		}
	}
	for id := range about {
		if !exists[strings.TrimSuffix(id, "*")] {
			t.Errorf("there is no field %s that names something", id)
		}
	}
}

// TestEntriesAreRight checks form, gates and rules.
func TestEntriesAreRight(t *testing.T) {
	gates := map[feature.Gate]bool{"": true}
	for _, v := range feature.Versions() {
		for _, g := range feature.Default(v).Gates() {
			gates[g.Name] = true
		}
	}
	for id, e := range entries {
		if !strings.HasSuffix(e.doc, ".") || e.doc == "" || strings.HasSuffix(e.limit, ".") || strings.HasSuffix(e.byDefault, ".") {
			t.Errorf("%s: the text is sentences, limit and default are none", id)
		}
		if !gates[e.gate] {
			t.Errorf("%s: there is no gate %s", id, e.gate)
		}
		for _, rule := range e.ruleIDs() {
			if _, ok := diag.Lookup(diag.API, rule); !ok {
				t.Errorf("%s: there is no rule api/%s", id, rule)
			}
		}
	}
}
