package bundle

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"sync"
)

// structFields lists the JSON fields of a struct type, those of inlined
// structs among them.
type structFields struct {
	byName map[string]int
	list   []fieldInfo
}

type fieldInfo struct {
	name  string
	index []int
	typ   reflect.Type
	// lifetime is nil for the fields that all versions have.
	lifetime *lifetime
}

// fieldCache holds a *structFields for each reflect.Type. The types are few
// and fixed.
var fieldCache sync.Map

func fieldsOf(t reflect.Type) *structFields {
	if cached, ok := fieldCache.Load(t); ok {
		return cached.(*structFields)
	}
	f := &structFields{byName: map[string]int{}}
	f.collect(t, nil)
	cached, _ := fieldCache.LoadOrStore(t, f)
	return cached.(*structFields)
}

func (f *structFields) collect(t reflect.Type, prefix []int) {
	for i := range t.NumField() {
		field := t.Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		index := append(slices.Clone(prefix), i)
		switch {
		case name == "-":
		case field.Anonymous && name == "" && field.Type.Kind() == reflect.Struct:
			f.collect(field.Type, index)
		case field.IsExported() && name != "":
			// The outermost field of a name counts, as in encoding/json.
			if old, ok := f.byName[name]; ok && len(f.list[old].index) <= len(index) {
				continue
			}
			f.byName[name] = len(f.list)
			info := fieldInfo{name: name, index: index, typ: field.Type}
			if l, ok := lifetimeOf[fieldOf{t, name}]; ok {
				info.lifetime = &l
			}
			f.list = append(f.list, info)
		}
	}
}

func (f *structFields) find(name string) (fieldInfo, bool) {
	i, ok := f.byName[name]
	if !ok {
		return fieldInfo{}, false
	}
	return f.list[i], true
}

var unmarshalerType = reflect.TypeFor[json.Unmarshaler]()

// readsItself tells whether a type has its own reading of JSON.
func readsItself(t reflect.Type) bool {
	return t.Kind() != reflect.Pointer && reflect.PointerTo(t).Implements(unmarshalerType)
}
