package validate

import (
	"reflect"
	"strings"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// history is an object before and after an update. The declared pass does not
// look again at what has not changed, so that an old fault does not stand in
// the way of a change elsewhere; history tells what that is. A nil history has
// no before: everything is looked at.
type history struct {
	was, is reflect.Value
	// equal and items keep what was found out, by place.
	equal map[string]bool
	items map[string]map[any]int
}

func newHistory(was, is runtime.Object) *history {
	return &history{
		was: reflect.ValueOf(was).Elem(), is: reflect.ValueOf(is).Elem(),
		equal: map[string]bool{}, items: map[string]map[any]int{},
	}
}

// skips tells whether the declared pass leaves the problem at this place
// unreported.
func (h *history) skips(at *path, p *problem) bool {
	if h != nil && p.kind == field.ErrorTypeDuplicate {
		// Duplicates are a fault of the list.
		return h.unchanged(at.parent)
	}
	return h.unchanged(at)
}

// unchanged tells whether the place, or one that it lies in, is as it was. It
// goes there from the root, in what was and in what is, as long as the two
// correspond.
func (h *history) unchanged(at *path) bool {
	if h == nil {
		return false
	}
	was, is := h.was, h.is
	for _, e := range at.chain() {
		if e.kind == basicPath {
			continue
		}
		place := e.render(false)
		switch e.kind {
		case indexPath:
			was, is = h.item(was, is, e)
		case keyPath:
			return false // all maps with such entries are in devices, which have no names here
		default:
			was, is = jsonField(was, e.name), jsonField(is, e.name)
		}
		if !was.IsValid() || !is.IsValid() {
			return false
		}
		equal, known := h.equal[place]
		if !known {
			equal = equality.Semantic.DeepEqual(was.Interface(), is.Interface())
			h.equal[place] = equal
		}
		if equal {
			return true
		}
	}
	return false
}

// item finds the item that corresponds to one of a list: in lists whose items
// have a name it is the first with the same name, in others there is none.
func (h *history) item(was, is reflect.Value, e *path) (reflect.Value, reflect.Value) {
	var none reflect.Value
	was, is = pointed(was), pointed(is)
	if !was.IsValid() || !is.IsValid() || e.index >= is.Len() {
		return none, none
	}
	now := is.Index(e.index)
	name, named := identity(now.Interface())
	if !named {
		return none, none
	}
	list := e.parent.render(false)
	known, ok := h.items[list]
	if !ok {
		known = map[any]int{}
		for i := was.Len() - 1; i >= 0; i-- {
			name, _ := identity(was.Index(i).Interface())
			known[name] = i
		}
		h.items[list] = known
	}
	i, ok := known[name]
	if !ok {
		return none, none
	}
	return was.Index(i), now
}

// identity is what tells the items of a list apart, for the lists whose items
// the declared pass recognizes.
func identity(item any) (any, bool) {
	switch v := item.(type) {
	case resourceapi.DeviceRequest:
		return v.Name, true
	case resourceapi.DeviceSubRequest:
		return v.Name, true
	case resourceapi.CounterSet:
		return v.Name, true
	case resourceapi.SkipNodeOperation:
		return v, true
	case resourceapi.AllocatedDeviceStatus:
		// Here, other than by hand, an empty share is not the whole device.
		return struct {
			statusID
			shared bool
		}{statusDevice(&v), v.ShareID != nil}, true
	}
	return nil, false
}

func pointed(v reflect.Value) reflect.Value {
	if v.IsValid() && v.Kind() == reflect.Pointer {
		return v.Elem()
	}
	return v
}

func jsonField(v reflect.Value, name string) reflect.Value {
	v = pointed(v)
	if !v.IsValid() || v.Kind() != reflect.Struct {
		return reflect.Value{}
	}
	for i := range v.NumField() {
		if jsonName(v.Type().Field(i)) == name {
			return v.Field(i)
		}
	}
	return reflect.Value{}
}

// jsonName is the name of a field in JSON; empty for one whose own fields
// stand in its place.
func jsonName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name
}
