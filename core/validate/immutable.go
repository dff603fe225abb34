package validate

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// fixed reports a part of an object that may not change but has. It names the
// first place that differs: a spec is long, and what changed in it is often
// not what somebody meant to change. Before and after are of the same type.
func (c *checker) fixed(who passes, rule, noun string, was, is any, at *path, advice string) {
	if equality.Semantic.DeepEqual(was, is) {
		return
	}
	d := differ{at, reflect.ValueOf(was), reflect.ValueOf(is)}
	d.narrow()
	before, now := shown(d.was), shown(d.is)
	where := ""
	if d.at != at {
		where = d.at.render(c.beta1) + " "
	}
	p := invalid(rule, now, noun+" may not change, but "+where+"was "+before+" and is now "+now+"; "+advice)
	p.focus = d.at
	c.add(who, at, p)
}

// differ is a place where two values are different.
type differ struct {
	at      *path
	was, is reflect.Value
}

// narrow goes down to the first place that is different. Types do not contain
// themselves, so that it ends.
func (d *differ) narrow() {
	for d.step() {
	}
}

func (d *differ) step() bool {
	if d.was.Kind() == reflect.Pointer {
		if d.was.IsNil() || d.is.IsNil() {
			return false
		}
		d.was, d.is = d.was.Elem(), d.is.Elem()
		return true
	}
	switch d.was.Interface().(type) {
	case resource.Quantity, metav1.Time, runtime.RawExtension:
		return false
	}
	switch d.was.Kind() {
	case reflect.Struct:
		for i := range d.was.NumField() {
			if at := d.at.field(jsonName(d.was.Type().Field(i))); d.into(at, d.was.Field(i), d.is.Field(i)) {
				return true
			}
		}
	case reflect.Slice:
		if d.was.Len() != d.is.Len() {
			return false
		}
		for i := range d.was.Len() {
			if d.into(d.at.at(i), d.was.Index(i), d.is.Index(i)) {
				return true
			}
		}
	case reflect.Map:
		keys := d.was.MapKeys()
		slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
		for _, k := range keys {
			if is := d.is.MapIndex(k); is.IsValid() && d.into(d.at.key(k.String()), d.was.MapIndex(k), is) {
				return true
			}
		}
	}
	return false
}

func (d *differ) into(at *path, was, is reflect.Value) bool {
	if equality.Semantic.DeepEqual(was.Interface(), is.Interface()) {
		return false
	}
	d.at, d.was, d.is = at, was, is
	return true
}

// field is child by the name in JSON, which is empty for a field whose own
// fields stand in its place.
func (p *path) field(name string) *path {
	switch name {
	case "":
		return p
	case "exactly":
		return p.exactly()
	}
	return p.child(name)
}

// shown is a value as a message shows it.
func shown(v reflect.Value) string {
	if v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return "not set"
		}
		v = v.Elem()
	}
	switch value := v.Interface().(type) {
	case resource.Quantity:
		return value.String()
	case runtime.RawExtension:
		return quote(string(value.Raw))
	case metav1.Time:
		if value.IsZero() {
			return "not set"
		}
		return value.UTC().Format("2006-01-02T15:04:05Z")
	}
	switch v.Kind() {
	case reflect.String:
		if v.Len() == 0 {
			return "empty"
		}
		return quote(v.String())
	case reflect.Bool, reflect.Int32, reflect.Int64:
		return fmt.Sprint(v.Interface())
	case reflect.Map:
		return entries(v.Len())
	case reflect.Slice:
		return entries(v.Len())
	}
	return "set"
}

func entries(n int) string {
	switch n {
	case 0:
		return "empty"
	case 1:
		return "a list of 1"
	}
	return "a list of " + strconv.Itoa(n)
}
