package validate

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
)

// losses are the places of an object whose content Kubernetes has removed
// before it looked at it: some that carried something, and empty lists.
type losses struct{ full, empty []string }

// section is the part of an object that a request is about.
func section(obj runtime.Object, status bool) reflect.Value {
	name := "Spec"
	if status {
		name = "Status"
	}
	return reflect.ValueOf(obj).Elem().FieldByName(name)
}

// lost compares an internal object as it was sent, and as it was prepared, in
// the version of the request.
func lost(sent, prepared runtime.Object, gv schema.GroupVersion, status bool) (losses, error) {
	var l losses
	if reflect.DeepEqual(section(sent, status).Interface(), section(prepared, status).Interface()) {
		return l, nil
	}
	before, err := legacyscheme.Scheme.ConvertToVersion(sent, gv)
	if err != nil {
		return l, err
	}
	after, err := legacyscheme.Scheme.ConvertToVersion(prepared, gv)
	if err != nil {
		return l, err
	}
	at := "spec"
	if status {
		at = "status"
	}
	l.compare(section(before, status), section(after, status), at)
	return l, nil
}

func (l *losses) compare(was, is reflect.Value, at string) {
	switch was.Interface().(type) {
	case resource.Quantity, metav1.Time, runtime.RawExtension:
		return
	case *metav1.Time:
		return // some are set to what is now
	}
	switch was.Kind() {
	case reflect.Struct:
		for i := range was.NumField() {
			name, _, _ := strings.Cut(was.Type().Field(i).Tag.Get("json"), ",")
			if name != "" {
				name = "." + name
			}
			l.compare(was.Field(i), is.Field(i), at+name)
		}
	case reflect.Pointer:
		switch {
		case was.IsNil():
		case is.IsNil():
			l.full = append(l.full, at)
		default:
			l.compare(was.Elem(), is.Elem(), at)
		}
	case reflect.Slice:
		switch {
		case was.Len() == 0 && !was.IsNil():
			l.empty = append(l.empty, at)
		case was.Len() != is.Len():
			l.full = append(l.full, at)
		default:
			for i := range was.Len() {
				l.compare(was.Index(i), is.Index(i), fmt.Sprintf("%s[%d]", at, i))
			}
		}
	case reflect.Map:
		for _, k := range sortedKeys(was) {
			inside := at + "[" + k.String() + "]"
			if now := is.MapIndex(k); now.IsValid() {
				l.compare(was.MapIndex(k), now, inside)
			} else {
				l.full = append(l.full, inside)
			}
		}
	}
}

// but leaves out what lies in one place.
func (l losses) but(place string) losses {
	out := func(p string) bool { return about(p, place) }
	return losses{slices.DeleteFunc(slices.Clone(l.full), out), slices.DeleteFunc(slices.Clone(l.empty), out)}
}

// differ tells which losses the warnings do not mention, and which they make
// up. Where warnings were cut short, only the latter counts.
func (l losses) differ(warned []string, cut bool) string {
	var out []string
	known := func(list []string, p string) bool {
		return slices.ContainsFunc(list, func(q string) bool { return about(p, q) || about(q, p) })
	}
	for _, p := range l.full {
		if !cut && !known(warned, p) {
			out = append(out, "removed without a warning: "+p)
		}
	}
	for _, p := range warned {
		if !known(l.full, p) && !known(l.empty, p) {
			out = append(out, "a warning, and not removed: "+p)
		}
	}
	return strings.Join(out, "\n  ")
}

// about tells whether a place is another one, or lies in it.
func about(place, outer string) bool {
	rest, ok := strings.CutPrefix(place, outer)
	return ok && (rest == "" || rest[0] == '.' || rest[0] == '[')
}
