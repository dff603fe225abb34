package validate

import (
	"slices"
	"strconv"
)

// path is a place inside an object, as a chain back to its start. Paths are
// built for every field that is looked at and rendered only for findings.
type path struct {
	parent *path
	name   string
	index  int
	kind   pathKind
}

type pathKind uint8

const (
	fieldPath pathKind = iota
	indexPath
	keyPath
	// exactlyPath is the field "exactly", which v1beta1 does not have: its
	// requests are flat.
	exactlyPath
	// basicPath is the field "basic", which only v1beta1 has.
	basicPath
)

func (p *path) child(name string) *path { return &path{parent: p, name: name} }
func (p *path) at(index int) *path      { return &path{parent: p, index: index, kind: indexPath} }
func (p *path) key(name string) *path   { return &path{parent: p, name: name, kind: keyPath} }
func (p *path) exactly() *path          { return &path{parent: p, name: "exactly", kind: exactlyPath} }
func (p *path) basic() *path            { return &path{parent: p, name: "basic", kind: basicPath} }

// longKey is the length above which a map key is cut in the middle when the
// API server prints it: attributes and capacities have longer keys than
// counters.
const (
	longAttributeKey = 63 + 1 + 32
	longCounterKey   = 63
)

// shortKey is key for a map whose hand-written checks cut long keys.
func (p *path) shortKey(name string, longest int) *path {
	if len(name) > longest {
		const dots = "..."
		rest := longest - len(dots)
		name = name[:(rest+1)/2] + dots + name[len(name)-rest/2:]
	}
	return p.key(name)
}

// render prints the path. The API server has two shapes for v1beta1 objects:
// its hand-written checks print the paths of the internal type, which are
// those of v1, its declared ones those of the version.
func (p *path) render(beta1 bool) string {
	if p == nil {
		return ""
	}
	return string(p.append(make([]byte, 0, 96), beta1))
}

func (p *path) append(out []byte, beta1 bool) []byte {
	if p == nil {
		return out
	}
	out = p.parent.append(out, beta1)
	switch {
	case p.kind == exactlyPath && beta1 || p.kind == basicPath && !beta1:
		return out
	case p.kind == indexPath:
		return append(strconv.AppendInt(append(out, '['), int64(p.index), 10), ']')
	case p.kind == keyPath:
		return append(append(append(out, '['), p.name...), ']')
	case len(out) > 0:
		out = append(out, '.')
	}
	return append(out, p.name...)
}

// chain lists the steps of the path from its root.
func (p *path) chain() []*path {
	var steps []*path
	for e := p; e != nil; e = e.parent {
		steps = append(steps, e)
	}
	slices.Reverse(steps)
	return steps
}
