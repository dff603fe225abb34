package judge

import (
	"encoding/json"
	"reflect"
	"sort"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
)

// description is what the version knows.
type description struct {
	Gates []gate     `json:"gates"`
	Kinds []kindInfo `json:"kinds"`
}

type gate struct {
	Name    string `json:"name"`
	Stage   string `json:"stage"`
	Default bool   `json:"default"`
	Locked  bool   `json:"locked"`
}

// kindInfo is a kind in one API version with all its fields, as paths.
type kindInfo struct {
	APIVersion string   `json:"apiVersion"`
	Kind       string   `json:"kind"`
	Fields     []string `json:"fields"`
}

func describe() description {
	var d description
	for name, spec := range utilfeature.DefaultMutableFeatureGate.GetAll() {
		d.Gates = append(d.Gates, gate{string(name), string(spec.PreRelease), spec.Default, spec.LockToDefault})
	}
	sort.Slice(d.Gates, func(a, b int) bool { return d.Gates[a].Name < d.Gates[b].Name })
	for gvk, typ := range legacyscheme.Scheme.AllKnownTypes() {
		_, isKind := typ.FieldByName("ObjectMeta")
		if gvk.Group == "resource.k8s.io" && gvk.Version != runtime.APIVersionInternal && isKind {
			d.Kinds = append(d.Kinds, kindInfo{gvk.GroupVersion().String(), gvk.Kind, fields(typ)})
		}
	}
	sort.Slice(d.Kinds, func(a, b int) bool {
		x, y := d.Kinds[a], d.Kinds[b]
		return x.APIVersion < y.APIVersion || x.APIVersion == y.APIVersion && x.Kind < y.Kind
	})
	return d
}

var readsItself = reflect.TypeOf((*json.Unmarshaler)(nil)).Elem()

// fields lists the fields of a type with those of all types in it.
func fields(t reflect.Type) []string {
	found := map[string]bool{}
	var walk func(t reflect.Type, path string)
	walk = func(t reflect.Type, path string) {
		switch {
		case t.Kind() == reflect.Pointer:
			walk(t.Elem(), path)
		case reflect.PointerTo(t).Implements(readsItself):
		case t.Kind() == reflect.Slice:
			walk(t.Elem(), path+"[]")
		case t.Kind() == reflect.Map:
			walk(t.Elem(), path+"{}")
		case t.Kind() == reflect.Struct:
			for i := range t.NumField() {
				f := t.Field(i)
				name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
				if name == "" {
					walk(f.Type, path)
					continue
				}
				inner := strings.TrimPrefix(path+"."+name, ".")
				found[inner] = true
				walk(f.Type, inner)
			}
		}
	}
	walk(t, "")
	list := make([]string, 0, len(found))
	for f := range found {
		list = append(list, f)
	}
	sort.Strings(list)
	return list
}
