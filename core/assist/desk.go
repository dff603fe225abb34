// Package assist helps the person who writes: it says what a field means,
// what may stand at a place, what the text is made of, and where a name comes
// from. It works on texts that cannot be parsed at the moment.
package assist

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/drawbridge-dra/drawbridge/core/bundle"
	"github.com/drawbridge-dra/drawbridge/core/diag"
	"github.com/drawbridge-dra/drawbridge/core/feature"
)

// maxText is the length of the texts that are helped with. Nobody writes
// longer ones by hand, and the answers come with every key.
const maxText = 4 << 20

// Desk is a text that is being written. It is immutable.
type Desk struct {
	text     []byte
	lines    []int
	docs     []*document
	objects  []*object
	roots    map[*node]*object
	features *feature.Set
	names    *names
	// byName finds objects by kind, namespace and name.
	byName map[string]*object
}

// object is an object of the text.
type object struct {
	index            int
	document         int
	root             *node
	apiVersion, kind string
	namespace, name  string
}

// New reads a text for a version and its gates.
func New(text []byte, features *feature.Set) *Desk {
	text = bytes.TrimPrefix(text, []byte("\uFEFF"))
	if len(text) > maxText {
		text = nil
	}
	d := &Desk{text: text, features: features, lines: linesOf(text), roots: map[*node]*object{}}
	d.docs = sketch(text, d.lines)
	for i, doc := range d.docs {
		for _, root := range doc.roots {
			d.collect(root, i, 0, "", "")
		}
	}
	d.names = d.findNames()
	return d
}

// collect finds the objects of a value: itself, or the items of a list.
func (d *Desk) collect(n *node, document, depth int, apiVersion, kind string) {
	items, isList := n.kid("items"), false
	if n.bracket == '[' || len(n.kids) > 0 && n.kids[0].item {
		items, isList = n, true
	} else if k := n.str("kind"); items != nil && strings.HasSuffix(k, "List") {
		isList = true
		if apiVersion, kind = n.str("apiVersion"), strings.TrimSuffix(k, "List"); kind == "" {
			apiVersion = ""
		}
	}
	if isList && depth < 3 {
		for _, item := range items.kids {
			if item.item {
				d.collect(item, document, depth+1, apiVersion, kind)
			}
		}
		return
	}
	o := &object{index: len(d.objects), document: document, root: n, apiVersion: n.str("apiVersion"), kind: n.str("kind")}
	if o.apiVersion == "" {
		o.apiVersion = apiVersion
	}
	if o.kind == "" {
		o.kind = kind
	}
	if m := n.kid("metadata"); m != nil {
		o.namespace, o.name = m.str("namespace"), m.str("name")
	}
	d.objects, d.roots[n] = append(d.objects, o), o
}

// kid returns the entry of a key; nil if there is none.
func (n *node) kid(key string) *node {
	for _, k := range n.kids {
		if !k.item && !k.loose && k.key == key {
			return k
		}
	}
	return nil
}

// str is the scalar of a key; empty if there is none.
func (n *node) str(key string) string {
	if k := n.kid(key); k != nil && k.bracket == 0 {
		return k.value
	}
	return ""
}

// items are the items of a list.
func (n *node) items() []*node {
	if n == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(n.kids), func(k *node) bool { return !k.item })
}

// object is the one that a node belongs to.
func (d *Desk) object(n *node) *object {
	for ; n != nil; n = n.parent {
		if o := d.roots[n]; o != nil {
			return o
		}
	}
	return nil
}

// version is the API version that counts for an object: where it says none,
// or one in which nobody knows its kind, the most stable that is served.
func (d *Desk) version(o *object) string {
	if _, ok := bundle.SchemaOf(o.apiVersion, o.kind); !ok {
		if served := feature.ServedVersions(d.features.Version(), o.kind); len(served) > 0 && o.apiVersion == "" {
			return served[0]
		}
	}
	return o.apiVersion
}

// place is what is known of a node.
type place struct {
	bundle.Schema
	// field is that whose value stands here; its name is empty in lists and
	// maps, whose holder and name are those of the field above.
	field bundle.Field
	key   string // of a map, not of an object
	item  bool
	path  string
	obj   *object
}

// placeOf finds out what a node stands for.
func (d *Desk) placeOf(n *node) (place, bool) {
	if n == nil {
		return place{}, false
	}
	if o := d.roots[n]; o != nil {
		return d.start(o)
	}
	above, ok := d.placeOf(n.parent)
	if !ok {
		return place{}, false
	}
	return above.under(n)
}

// start is the place of an object itself.
func (d *Desk) start(o *object) (place, bool) {
	s, ok := bundle.SchemaOf(d.version(o), o.kind)
	if !ok {
		s = bundle.AnyObject()
	}
	return place{Schema: s, obj: o}, true
}

// under steps from a node to one below.
func (p place) under(n *node) (place, bool) {
	switch form := p.Form(); {
	case n.item && form == bundle.FormList:
		p.Schema, p.item, p.key = p.Elem(), true, ""
		return p, true
	case n.item:
		return place{}, false
	case form == bundle.FormMap:
		p.Schema, p.key, p.item = p.Elem(), n.key, false
		p.path += "[" + n.key + "]"
		return p, true
	case form == bundle.FormObject:
		f, ok := p.Field(n.key)
		if !ok {
			return place{}, false
		}
		if p.path != "" {
			p.path += "."
		}
		return place{Schema: f.Schema, field: f, path: p.path + n.key, obj: p.obj}, true
	}
	return place{}, false
}

// id names the field that a place belongs to, such as Device.name.
func (p place) id() string { return p.field.Holder + "." + p.field.Name }

// offset is where a line and a column are, both from 1; columns count code
// points. What lies outside is moved inside.
func (d *Desk) offset(line, column int) int {
	line = max(0, min(line-1, len(d.lines)-2))
	at, end := d.lines[line], min(d.lines[line+1]-1, len(d.text))
	for i := 1; i < column && at < end; i++ {
		_, size := utf8.DecodeRune(d.text[at:end])
		at += size
	}
	return at
}

// location turns a range of bytes into one of lines and columns.
func (d *Desk) location(start, end int) *diag.Location {
	l := &diag.Location{}
	l.Line, l.Column = d.position(start)
	l.EndLine, l.EndColumn = d.position(end)
	l.Document = d.documentOf(start)
	return l
}

func (d *Desk) documentOf(offset int) int {
	i, found := slices.BinarySearchFunc(d.docs, offset, func(doc *document, offset int) int { return cmp.Compare(doc.start, offset) })
	if !found {
		i--
	}
	return max(i, 0)
}

func (d *Desk) position(offset int) (line, column int) {
	l := lineOf(d.lines, offset)
	return l + 1, utf8.RuneCount(d.text[d.lines[l]:offset]) + 1
}

// at finds the innermost node whose key or value an offset is in.
func (d *Desk) at(offset int) *node {
	var found *node
	for _, doc := range d.docs {
		if offset < doc.start || offset > doc.end {
			continue
		}
		var visit func(n *node)
		visit = func(n *node) {
			if !n.item && n.parent != nil && n.keyStart <= offset && offset <= n.keyEnd || n.start >= 0 && n.start <= offset && offset <= n.end {
				found = n
			}
			for _, k := range n.kids {
				visit(k)
			}
		}
		for _, r := range doc.roots {
			visit(r)
		}
	}
	return found
}
