package bundle

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/drawbridge-dra/drawbridge/core/diag"
	"github.com/drawbridge-dra/drawbridge/core/feature"
)

// collector turns the values of the documents into objects.
type collector struct {
	features *feature.Set
	limits   Limits
	sink     *sink
	objects  []*Object
	full     bool
	// renditions counts the objects that were written anew for a mend.
	renditions int
	// others counts the objects of kinds that do not matter to DRA.
	others     map[string]int
	firstOther *Object
}

// inherited is what a typed list says of its items, which need not say it
// themselves.
type inherited struct {
	apiVersion, kind string
}

// value takes a whole document, or an item of a list.
func (c *collector) value(n *Node, from inherited, depth int) {
	switch {
	case c.full:
	case n.Kind() == List && from == (inherited{}):
		for _, item := range n.list {
			c.value(item, inherited{}, depth+1)
		}
	case n.Kind() != Map:
		c.notObject(n)
	case isList(n) && depth < c.limits.Depth:
		c.list(n, depth)
	default:
		c.object(n, from)
	}
}

func isList(n *Node) bool {
	kind, _ := n.Get("kind").Str()
	if items := n.entry("items"); items == nil || (items.Value.Kind() != List && items.Value.Kind() != Null) {
		return false
	}
	return strings.HasSuffix(kind, "List")
}

func (c *collector) list(n *Node, depth int) {
	apiVersion, _ := n.Get("apiVersion").Str()
	kind, _ := n.Get("kind").Str()
	var from inherited
	if item := strings.TrimSuffix(kind, "List"); item != "" && apiVersion != "" {
		from = inherited{apiVersion, item}
	}
	for _, item := range n.Get("items").Items() {
		c.value(item, from, depth+1)
	}
}

func (c *collector) notObject(n *Node) {
	message := fmt.Sprintf("an object is a map with apiVersion, kind and metadata, not %s", n.Kind())
	if n.Kind() == String {
		message = "this is plain text, not an object: an object is a map with apiVersion, kind and metadata; kubectl prints it with -o yaml or -o json"
	}
	c.sink.add(nil, diag.Diagnostic{
		Severity: diag.Error, Source: diag.Decode, Rule: "not-an-object",
		Value: n.Written(), Message: message, Location: n.firstLine(),
	})
}

// firstLine is the place of the value as far as its first line goes.
func (n *Node) firstLine() *diag.Location {
	if n == nil || n.start < 0 {
		return nil
	}
	return n.doc.location(n.start, min(n.end, n.doc.src.lineEnd(n.doc.src.line(n.start))))
}

func (c *collector) object(n *Node, from inherited) {
	if len(c.objects) >= c.limits.Objects {
		c.full = true
		c.sink.add(nil, diag.Diagnostic{
			Severity: diag.Error, Source: diag.Decode, Rule: "limit",
			Message:  fmt.Sprintf("the text holds more than %d objects; split it", c.limits.Objects),
			Location: n.firstLine(),
		})
		return
	}
	o := &Object{Raw: n}
	o.Ref.Index = len(c.objects)
	apiVersion, _ := n.Get("apiVersion").Str()
	kind, _ := n.Get("kind").Str()
	o.Ref.APIVersion = cmp.Or(apiVersion, from.apiVersion)
	o.Ref.Kind = cmp.Or(kind, from.kind)
	metadata := n.Get("metadata")
	o.Ref.Namespace = metadata.Get("namespace").asName()
	o.Ref.Name = metadata.Get("name").asName()
	if prefix := metadata.Get("generateName").asName(); o.Ref.Name == "" && prefix != "" {
		o.Ref.Name = prefix + "*"
	}
	c.objects = append(c.objects, o)
	if c.identify(o) {
		c.decode(o)
	}
}

// asName is the text of a scalar that should be a string, as written if it is
// none.
func (n *Node) asName() string {
	switch n.Kind() {
	case String:
		return n.text
	case Bool, Number:
		return n.Written()
	}
	return ""
}

// decode fills in the object's value.
func (c *collector) decode(o *Object) {
	s := c.shapeOf(o)
	if s == nil {
		return
	}
	value := s.fresh()
	d := &decoder{object: o, sink: c.sink, minor: c.checkedMinor(o)}
	d.value(o.Raw, reflect.ValueOf(value).Elem())
	if d.failed {
		return
	}
	c.explainPast(o, s.apiVersion)
	o.Value = s.convert(value)
}

// finish says which objects were not looked at.
func (c *collector) finish() {
	if len(c.others) == 0 {
		return
	}
	var names []string
	total := 0
	for _, kind := range slices.Sorted(maps.Keys(c.others)) {
		total += c.others[kind]
		names = append(names, fmt.Sprintf("%s (%d)", shorten(kind), c.others[kind]))
	}
	const shown = 10
	if len(names) > shown {
		names = append(names[:shown], "…")
	}
	message := "an object of a kind that does not matter to DRA is not looked at: " + shorten(c.firstOther.Ref.Kind)
	if total > 1 {
		message = fmt.Sprintf("%d objects of kinds that do not matter to DRA are not looked at: %s", total, strings.Join(names, ", "))
	}
	c.sink.add(c.firstOther, diag.Diagnostic{
		Severity: diag.Info, Source: diag.Decode, Rule: "ignored-kind",
		Message:  message,
		Location: c.firstOther.Locate("kind"),
	})
}
