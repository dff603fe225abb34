package validate

import (
	"encoding/json"
	"os/exec"
	"reflect"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/kubernetes/pkg/api/legacyscheme"

	"github.com/drawbridge-dra/drawbridge/core/bundle"
	"github.com/drawbridge-dra/drawbridge/core/feature"
)

// olderDescription is what a judge tells of its version.
type olderDescription struct {
	Gates []struct {
		Name, Stage     string
		Default, Locked bool
	}
	Kinds []struct {
		APIVersion, Kind string
		Fields           []string
	}
}

// compareTables compares the tables of gates, kinds and fields with those of a
// version's own code.
func compareTables(t *testing.T, v feature.Version, program string) {
	t.Helper()
	theirs := describedBy(t, program)
	compareGates(t, v, theirs)
	compareKinds(t, v, theirs)
}

func describedBy(t *testing.T, program string) (theirs olderDescription) {
	t.Helper()
	out, err := exec.Command(program, "-about").Output()
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(out, &theirs); err != nil {
		t.Fatal(err)
	}
	return theirs
}

func compareGates(t *testing.T, v feature.Version, theirs olderDescription) {
	t.Helper()
	ours := map[string]feature.GateState{}
	for _, g := range feature.Default(v).Gates() {
		ours[string(g.Name)] = g
	}
	stages := map[string]feature.Stage{"ALPHA": feature.Alpha, "BETA": feature.Beta, "": feature.GA, "DEPRECATED": feature.Deprecated}
	for _, g := range theirs.Gates {
		mine, known := ours[g.Name]
		delete(ours, g.Name)
		switch {
		case !known && (strings.HasPrefix(g.Name, "DRA") || strings.HasPrefix(g.Name, "DeclarativeValidation")):
			t.Errorf("gate %s is not known", g.Name)
		case known && (mine.Stage != stages[g.Stage] || mine.Default != g.Default || mine.Locked != g.Locked):
			t.Errorf("gate %s is %+v in Kubernetes, and %+v in Drawbridge", g.Name, g, mine)
		}
	}
	for name := range ours {
		t.Errorf("there is no gate %s", name)
	}
}

func compareKinds(t *testing.T, v feature.Version, theirs olderDescription) {
	t.Helper()
	features := feature.Default(v)
	known := map[string]bool{}
	tried := 0
	for _, k := range theirs.Kinds {
		known[k.APIVersion+" "+k.Kind] = true
		if feature.Served(v, k.APIVersion, k.Kind) == feature.NotKnown {
			t.Errorf("%s %s is not known", k.APIVersion, k.Kind)
			continue
		}
		gv, err := schema.ParseGroupVersion(k.APIVersion)
		if err != nil {
			t.Fatal(err)
		}
		all := slices.Clone(k.Fields)
		if typ, ok := legacyscheme.Scheme.AllKnownTypes()[gv.WithKind(k.Kind)]; ok {
			all = append(all, fieldPaths(typ, "")...)
		}
		slices.Sort(all)
		for _, field := range slices.Compact(all) {
			if tried++; slices.Contains(k.Fields, field) != takesField(t, features, k.APIVersion, k.Kind, field) {
				t.Errorf("%s %s: field %s is known to one of the two only: %t in Kubernetes", k.APIVersion, k.Kind, field, slices.Contains(k.Fields, field))
			}
		}
	}
	for _, kind := range feature.Kinds() {
		for _, apiVersion := range feature.ServedVersions(v, kind) {
			if !known[apiVersion+" "+kind] {
				t.Errorf("there is no %s %s", apiVersion, kind)
			}
		}
	}
	t.Logf("%d fields", tried)
}

// takesField tells whether an object may have the field, which the path leads
// to through lists and maps.
func takesField(t *testing.T, features *feature.Set, apiVersion, kind, path string) bool {
	t.Helper()
	var value any
	steps := strings.Split(path, ".")
	for _, step := range slices.Backward(steps) {
		name := strings.TrimRight(step, "[]{}")
		for range strings.Count(step, "[]") {
			value = []any{value}
		}
		for range strings.Count(step, "{}") {
			value = map[string]any{"k": value}
		}
		value = map[string]any{name: value}
	}
	obj := value.(map[string]any)
	obj["apiVersion"], obj["kind"] = apiVersion, kind
	text, err := json.Marshal(obj)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range bundle.Parse(text, bundle.Options{Features: features}).Diagnostics {
		if d.Rule == "unknown-field" {
			return false
		}
	}
	return true
}

var readsItself = reflect.TypeFor[json.Unmarshaler]()

// fieldPaths lists the fields of a type with those of all types in it.
func fieldPaths(t reflect.Type, path string) []string {
	switch {
	case t.Kind() == reflect.Pointer:
		return fieldPaths(t.Elem(), path)
	case reflect.PointerTo(t).Implements(readsItself):
		return nil
	case t.Kind() == reflect.Slice:
		return fieldPaths(t.Elem(), path+"[]")
	case t.Kind() == reflect.Map:
		return fieldPaths(t.Elem(), path+"{}")
	case t.Kind() != reflect.Struct:
		return nil
	}
	var list []string
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "" {
			list = append(list, fieldPaths(f.Type, path)...)
			continue
		}
		inner := strings.TrimPrefix(path+"."+name, ".")
		list = append(append(list, inner), fieldPaths(f.Type, inner)...)
	}
	return list
}
