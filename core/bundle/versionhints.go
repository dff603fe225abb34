package bundle

import (
	"bytes"
	"fmt"
	"reflect"
	"strings"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/drawbridge-dra/drawbridge/core/diag"
	"github.com/drawbridge-dra/drawbridge/core/past"
)

// wrapper is a difference between API versions: what stands directly in one
// shape stands under a field in another.
type wrapper struct {
	// in is the type that lacks the field, under the field that wraps it in
	// the other shape, and inner the type behind that field.
	in    reflect.Type
	under string
	inner reflect.Type
	// advice for a field that must go under the wrapper.
	advice string
}

var wrappers = []wrapper{
	{reflect.TypeFor[resourceapi.DeviceRequest](), "exactly", reflect.TypeFor[resourceapi.ExactDeviceRequest](),
		`v1 and v1beta2 put it under "exactly"; this is v1beta1's shape`},
	{reflect.TypeFor[betaDevice](), "basic", reflect.TypeFor[basicDevice[int]](),
		`v1beta1 puts it under "basic"; this is the shape of v1 and v1beta2`},
	{reflect.TypeFor[alphaDevice](), "basic", reflect.TypeFor[basicDevice[int]](),
		`v1alpha3 puts it under "basic"; this is the shape of v1 and v1beta2`},
}

// unwrapped are the fields that other versions wrap things in.
var unwrapped = []struct {
	in     reflect.Type
	key    string
	advice string
}{
	{reflect.TypeFor[resourceapi.Device](), "basic", `v1 and v1beta2 have no "basic": put its fields directly into the device; this is v1beta1's shape`},
	{reflect.TypeFor[betaRequest](), "exactly", `v1beta1 and v1alpha3 have no "exactly": put its fields directly into the request; this is the shape of v1 and v1beta2`},
}

// versionHint recognizes the shape of another API version.
func (d *decoder) versionHint(n *Node, e Entry, _ *structFields) (string, *diag.Suggestion) {
	here := d.outer[len(d.outer)-1].typ
	for _, u := range unwrapped {
		if u.in == here && u.key == e.Key {
			return "; " + u.advice, nil
		}
	}
	for _, w := range wrappers {
		if w.in != here {
			continue
		}
		if _, ok := fieldsOf(w.inner).find(e.Key); ok {
			return "; " + w.advice, d.wrap(n, w)
		}
	}
	if note := controllerNote(d.object.Ref.Kind, d.fieldWith(e.Key)); note != nil && strings.HasPrefix(d.object.Ref.APIVersion, "resource.k8s.io/") {
		return fmt.Sprintf("; only v1alpha3 of Kubernetes 1.31 had it, for %s, which Kubernetes 1.32 removed; leave it out", strings.TrimPrefix(note.Was, "is for ")), nil
	}
	if d.object.Ref.APIVersion != v1alpha2 && d.object.Ref.APIVersion != v1alpha1 {
		for _, note := range past.FieldsOf(v1alpha2, d.object.Ref.Kind) {
			if note.Field == d.fieldWith(e.Key) {
				return fmt.Sprintf("; in v1alpha2 it %s; instead: %s", note.Was, note.Instead), nil
			}
		}
	}
	return "", nil
}

func (d *decoder) fieldWith(key string) string {
	return pathString(append(append([]segment(nil), d.path...), segment{key: key}))
}

// wrap writes the mend that moves the entries under the wrapper. It is
// offered once per map, and only where the entries stand side by side.
func (d *decoder) wrap(n *Node, w wrapper) *diag.Suggestion {
	if d.moved[n] || n.start < 0 || n.entry(w.under) != nil {
		return nil
	}
	if d.moved == nil {
		d.moved = map[*Node]bool{}
	}
	d.moved[n] = true
	first, last := -1, -1
	inner := fieldsOf(w.inner)
	for i, e := range n.entries {
		_, moves := inner.find(e.Key)
		switch {
		case !moves:
			continue
		case e.start < 0 || e.Value.start < 0 || e.Value.end < e.end:
			return nil
		case first < 0:
			first = i
		case last != i-1:
			return nil // something else stands between them
		}
		last = i
	}
	if first < 0 {
		return nil
	}
	start, end := n.entries[first].start, n.entries[last].Value.end
	text := n.doc.src.text[start:end]
	key := w.under
	var replacement string
	switch {
	case n.style == flowStyle && (n.doc.json || n.doc.src.text[n.entries[first].start] == '"'):
		replacement = fmt.Sprintf("%q: {%s}", key, text)
	case n.style == flowStyle:
		replacement = key + ": {" + string(text) + "}"
	default:
		// The entries of a block map start in one column, wherever a dash
		// stands before the first.
		indent := start - (bytes.LastIndexByte(n.doc.src.text[:start], '\n') + 1)
		replacement = key + ":\n" + strings.Repeat(" ", indent+2) + strings.ReplaceAll(string(text), "\n", "\n  ")
	}
	return &diag.Suggestion{
		Message:     fmt.Sprintf("move it under %s", key),
		Replacement: replacement,
		Location:    n.doc.location(start, end),
	}
}

// wrapped reports a scalar that should stand in a map: a capacity or counter
// as v1alpha3 wrote it, or an attribute without its type.
func (d *decoder) wrapped(n *Node, t reflect.Type) bool {
	if n.kind == List || n.kind == Map || n.Location() == nil {
		return false
	}
	key := ""
	switch t {
	case reflect.TypeFor[resourceapi.DeviceCapacity](), reflect.TypeFor[resourceapi.Counter]():
		key = "value"
	case reflect.TypeFor[resourceapi.DeviceAttribute]():
		key = attributeKey(n)
	}
	if key == "" {
		return false
	}
	written := n.Written()
	replacement := fmt.Sprintf("{%s: %s}", key, written)
	if n.doc.json {
		replacement = fmt.Sprintf("{%q: %s}", key, written)
	}
	mend := &diag.Suggestion{Message: "write " + replacement, Replacement: replacement, Location: n.Location()}
	if n.style == blockStyle || cut(replacement) == "" {
		mend = nil
	}
	d.wrongType(n, fmt.Sprintf("must be a map of fields; %s is %s, write it under %s", written, n.kind, key), mend)
	return true
}

// attributeKey is the field of an attribute that takes such a value.
func attributeKey(n *Node) string {
	switch n.kind {
	case Bool:
		return "bool"
	case String:
		return "string"
	case Number:
		if _, whole := n.Int(); whole {
			return "int"
		}
	}
	return ""
}
