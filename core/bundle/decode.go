package bundle

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/drawbridge-dra/drawbridge/core/diag"
)

// decoder walks a value of the text beside a Go type, as the API server's
// JSON decoder would, and reports everything that does not fit rather than
// the first of it.
type decoder struct {
	object *Object
	sink   *sink
	// path leads to the value, types to the structs that hold it.
	path  []segment
	outer []level
	// failed is set when the API server could not decode the object at all,
	// whatever its field validation.
	failed bool
	// minor is the version of Kubernetes whose fields count; 0 for all.
	minor int
	// moved holds the maps for which a mend by moving entries was offered.
	moved map[*Node]bool
}

// segment is one step of a path: a key, or the index of an item.
type segment struct {
	key   string
	index int
	item  bool
}

// level is a struct on the way to a value, with the map that it comes from.
type level struct {
	typ  reflect.Type
	node *Node
}

func (d *decoder) field() string { return pathString(d.path) }

func pathString(path []segment) string {
	var b strings.Builder
	for _, s := range path {
		switch {
		case s.item:
			b.WriteString("[" + strconv.Itoa(s.index) + "]")
		case b.Len() == 0:
			b.WriteString(s.key)
		default:
			b.WriteString("." + s.key)
		}
	}
	return b.String()
}

// value decodes a node into a settable value.
func (d *decoder) value(n *Node, v reflect.Value) { d.read(n, v, planOf(v.Type())) }

func (d *decoder) read(n *Node, v reflect.Value, p *plan) {
	if n.Kind() == Null {
		return // leaves the zero value, as in JSON
	}
	switch p.how {
	case asPointer:
		v.Set(reflect.New(p.elem.typ))
		d.read(n, v.Elem(), p.elem)
	case asStruct:
		if !d.wrapped(n, p.typ) && d.want(n, Map, "a map of fields") {
			d.structure(n, v, p)
		}
	case asMap:
		if d.want(n, Map, "a map") {
			d.mapping(n, v, p)
		}
	case asList:
		if d.want(n, List, "a list") {
			d.list(n, v, p)
		}
	case asString:
		if d.want(n, String, "a string") {
			v.SetString(n.text)
		}
	case asBool:
		if d.want(n, Bool, "true or false") {
			v.SetBool(n.text == "true")
		}
	case asInteger:
		if d.want(n, Number, "a whole number") {
			d.integer(n, v)
		}
	default:
		d.leaf(n, v)
	}
}

func (d *decoder) structure(n *Node, v reflect.Value, p *plan) {
	d.duplicates(n)
	d.outer = append(d.outer, level{p.typ, n})
	for i := range n.entries {
		e := &n.entries[i]
		field, ok := p.fields[e.Key]
		if !ok {
			if !d.past(*e) {
				d.unknownField(n, *e, fieldsOf(p.typ))
			}
			continue
		}
		if field.lifetime != nil && d.minor != 0 && !field.lifetime.has(d.minor) {
			d.otherVersions(*e, *field.lifetime, d.pastHint(*e))
			continue
		}
		d.path = append(d.path, segment{key: e.Key})
		d.read(e.Value, v.FieldByIndex(field.index), field.plan)
		d.path = d.path[:len(d.path)-1]
	}
	d.outer = d.outer[:len(d.outer)-1]
}

func (d *decoder) mapping(n *Node, v reflect.Value, p *plan) {
	d.duplicates(n)
	v.Set(reflect.MakeMapWithSize(p.typ, len(n.entries)))
	// One key and one item serve for all entries: the map copies them.
	key, item := reflect.New(p.typ.Key()).Elem(), reflect.New(p.elem.typ).Elem()
	for i := range n.entries {
		e := &n.entries[i]
		d.path = append(d.path, segment{key: e.Key})
		item.SetZero()
		d.read(e.Value, item, p.elem)
		key.SetString(e.Key)
		v.SetMapIndex(key, item)
		d.path = d.path[:len(d.path)-1]
	}
}

func (d *decoder) list(n *Node, v reflect.Value, p *plan) {
	v.Set(reflect.MakeSlice(p.typ, len(n.list), len(n.list)))
	for i, item := range n.list {
		d.path = append(d.path, segment{index: i, item: true})
		d.read(item, v.Index(i), p.elem)
		d.path = d.path[:len(d.path)-1]
	}
}

func (d *decoder) integer(n *Node, v reflect.Value) {
	i, err := strconv.ParseInt(n.text, 10, 64)
	switch {
	case strings.ContainsAny(n.text, ".eE") && err != nil:
		d.wrongType(n, fmt.Sprintf("must be a whole number; %s is not", n.Written()), nil)
	case err != nil || v.OverflowInt(i):
		limit := uint64(1)<<(v.Type().Bits()-1) - 1
		d.wrongType(n, fmt.Sprintf("%s is too large; the field holds at most %d bits: from -%d to %d", n.Written(), v.Type().Bits(), limit+1, limit), nil)
	default:
		v.SetInt(i)
	}
}

// leafWords says what the types that read themselves take.
var leafWords = map[reflect.Type]string{
	reflect.TypeFor[resource.Quantity]():  "a quantity: a number with an optional unit, such as 4, 500m or 8Gi",
	reflect.TypeFor[metav1.Time]():        "a time such as 2026-01-31T12:00:00Z",
	reflect.TypeFor[metav1.MicroTime]():   "a time such as 2026-01-31T12:00:00.000000Z",
	reflect.TypeFor[metav1.Duration]():    "a duration such as 30s or 5m",
	reflect.TypeFor[intstr.IntOrString](): "a whole number or a string",
}

// leaf decodes a value that reads its JSON itself.
func (d *decoder) leaf(n *Node, v reflect.Value) {
	if _, anything := v.Addr().Interface().(*runtime.RawExtension); anything {
		d.opaque(n)
	}
	if readJSON(n.JSON(), v.Addr().Interface()) == nil {
		return
	}
	want := leafWords[v.Type()]
	if want == "" {
		want = "of another form"
	}
	v.SetZero()
	written := n.Written()
	if n.kind == List || n.kind == Map {
		d.wrongType(n, fmt.Sprintf("must be %s, not %s", want, n.kind), nil)
		return
	}
	if written == "" {
		written = strconv.Quote(shorten(n.text))
	}
	d.wrongType(n, fmt.Sprintf("%s is not %s", written, want), nil)
}

// readJSON spares the types that read themselves a second look at the text.
func readJSON(text []byte, into any) error {
	if u, ok := into.(json.Unmarshaler); ok {
		return u.UnmarshalJSON(text)
	}
	return json.Unmarshal(text, into)
}

// opaque looks for duplicate keys in a value that may hold anything.
func (d *decoder) opaque(n *Node) {
	if len(n.doc.duplicates) == 0 {
		return
	}
	d.duplicates(n)
	for _, e := range n.entries {
		d.path = append(d.path, segment{key: e.Key})
		d.opaque(e.Value)
		d.path = d.path[:len(d.path)-1]
	}
	for i, item := range n.list {
		d.path = append(d.path, segment{index: i, item: true})
		d.opaque(item)
		d.path = d.path[:len(d.path)-1]
	}
}

// duplicates reports the keys that stand in the map more than once.
func (d *decoder) duplicates(n *Node) {
	if len(n.doc.duplicates) == 0 {
		return
	}
	for _, again := range n.doc.duplicates[n] {
		path := append(append([]segment(nil), d.path...), segment{key: again.key})
		d.strict(diag.Diagnostic{
			Rule:     "duplicate-field",
			Field:    pathString(path),
			Value:    shorten(again.key),
			Message:  fmt.Sprintf("%s stands here a second time, and only the last one would count; keep one of them", shorten(again.key)),
			Location: n.doc.location(again.start, again.end),
			Related:  []diag.Related{{Message: "the first one", Location: n.doc.location(again.first, again.firstEnd)}},
		})
	}
}

// strict reports what the API server's field validation decides over.
func (d *decoder) strict(finding diag.Diagnostic) {
	finding.Severity = d.sink.strictSeverity
	if finding.Severity != "" {
		d.report(finding)
	}
}

func (d *decoder) report(finding diag.Diagnostic) {
	finding.Source = diag.Decode
	d.sink.add(d.object, finding)
}

// wrongType reports a value that cannot be decoded.
func (d *decoder) wrongType(n *Node, message string, mend *diag.Suggestion) {
	d.failed = true
	finding := diag.Diagnostic{
		Severity:   diag.Error,
		Rule:       "wrong-type",
		Field:      d.field(),
		Message:    message,
		Location:   d.place(n),
		Suggestion: mend,
	}
	if n.kind != List && n.kind != Map {
		finding.Value = n.Written()
	}
	d.report(finding)
}

// place is where a finding about a value points: the value of a scalar, the
// key before anything else.
func (d *decoder) place(n *Node) *diag.Location {
	if n.kind != List && n.kind != Map {
		return n.Location()
	}
	return d.object.Locate(d.field())
}
