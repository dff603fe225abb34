package bundle

import (
	"slices"
	"strconv"
	"strings"

	"github.com/drawbridge-dra/drawbridge/core/diag"
)

// Locate finds the place of a field, given its path as the API server prints
// it, such as spec.devices[0].attributes[memory].string. Keys of maps may
// stand in brackets or after a dot, and may be shortened in the middle. Where
// the text does not have the field, the nearest value that holds it is
// meant. The path of the type that Kubernetes validates is understood as
// well: in v1beta1 that is one with exactly, and without basic.
//
// The range is that of a scalar; of a list or map it is the key, up to the
// closing bracket if that is on the same line; of a map in a list its first
// key. It is nil if the path cannot be read or the place is not known.
func (o *Object) Locate(path string) *diag.Location {
	f, ok := o.find(path)
	if !ok {
		return nil
	}
	return f.location()
}

// LocateKey finds the place of a key itself, in the map that the path leads
// to. It is nil if the map or the key is not there.
func (o *Object) LocateKey(path, key string) *diag.Location {
	f, ok := o.find(path)
	if !ok || !f.complete || f.node.Kind() != Map {
		return nil
	}
	if e := f.node.entry(key); e != nil {
		return e.KeyLocation()
	}
	if e := shortened(f.node, key); e != nil {
		return e.KeyLocation()
	}
	return nil
}

// At returns the value that the path leads to; nil if there is none.
func (o *Object) At(path string) *Node {
	if f, ok := o.find(path); ok && f.complete {
		return f.node
	}
	return nil
}

// found is a value with the entry that holds it.
type found struct {
	node     *Node
	entry    *Entry // nil for the object itself and for items of lists
	parent   *found
	complete bool // the whole path is there
}

// maxPath bounds the work for one path.
const maxPath = 10_000

func (o *Object) find(path string) (found, bool) {
	if o == nil || o.Raw == nil || len(path) > maxPath || strings.HasPrefix(path, "<") {
		return found{}, false
	}
	w := walker{older: slices.Contains([]string{v1beta1, v1alpha3, v1alpha2}, o.Ref.APIVersion)}
	return w.walk(found{node: o.Raw}, path), true
}

// walker follows a path through a value.
type walker struct {
	older bool // the object has the shape of v1beta1
}

func (w walker) walk(at found, path string) found {
	for path != "" {
		next, rest, ok := w.step(at, path)
		if !ok {
			return at
		}
		at, path = next, rest
	}
	at.complete = true
	return at
}

// step follows the first part of a path, which is [index], [key] or .key.
func (w walker) step(at found, path string) (next found, rest string, ok bool) {
	bracket := path[0] == '['
	path = strings.TrimPrefix(path, ".")
	if bracket {
		path = path[1:]
	}
	if bracket && at.node.Kind() == List {
		index, rest, ok := strings.Cut(path, "]")
		i, err := strconv.Atoi(index)
		if item := at.node.Index(i); ok && err == nil && item != nil {
			return found{node: item, parent: &at}, rest, true
		}
		return at, "", false
	}
	if at.node.Kind() != Map {
		return at, "", false
	}
	if e, rest := matchKey(at.node, path, bracket); e != nil {
		return found{node: e.Value, entry: e, parent: &at}, rest, true
	}
	if w.older {
		return w.otherShape(at, path, bracket)
	}
	return at, "", false
}

// otherShape steps over exactly, which the text does not have, and into
// basic, which the path does not have.
func (w walker) otherShape(at found, path string, bracket bool) (found, string, bool) {
	if !bracket {
		if rest, ok := strings.CutPrefix(path, "exactly"); ok && (rest == "" || rest[0] == '.') {
			return at, rest, true
		}
	}
	if basic := at.node.entry("basic"); basic != nil && basic.Value.Kind() == Map {
		if e, rest := matchKey(basic.Value, path, bracket); e != nil {
			inside := found{node: basic.Value, entry: basic, parent: &at}
			return found{node: e.Value, entry: e, parent: &inside}, rest, true
		}
	}
	return at, "", false
}

// matchKey finds the entry whose key the path starts with: the longest, since
// keys may hold dots and brackets themselves.
func matchKey(n *Node, path string, bracket bool) (*Entry, string) {
	var best *Entry
	for i := range n.entries {
		e := &n.entries[i]
		if (best == nil || len(e.Key) > len(best.Key)) && strings.HasPrefix(path, e.Key) && endsKey(path[len(e.Key):], bracket) {
			best = e
		}
	}
	if best != nil {
		return best, afterKey(path[len(best.Key):], bracket)
	}
	if !bracket {
		return nil, ""
	}
	key, rest, ok := cutKey(path)
	if !ok {
		return nil, ""
	}
	return shortened(n, key), rest
}

func endsKey(rest string, bracket bool) bool {
	if bracket {
		return strings.HasPrefix(rest, "]")
	}
	return rest == "" || rest[0] == '.' || rest[0] == '['
}

func afterKey(rest string, bracket bool) string {
	if bracket {
		return rest[1:]
	}
	return rest
}

// cutKey cuts a path behind the bracket that closes the key.
func cutKey(path string) (key, rest string, ok bool) {
	for i := range len(path) {
		if path[i] == ']' && (i+1 == len(path) || path[i+1] == '.' || path[i+1] == '[') {
			return path[:i], path[i+1:], true
		}
	}
	return "", "", false
}

// shortened finds the one key that reads like that when its middle is left
// out.
func shortened(n *Node, key string) *Entry {
	var match *Entry
	for at := 0; ; at++ {
		i := strings.Index(key[at:], "...")
		if i < 0 {
			return match
		}
		at += i
		head, tail := key[:at], key[at+3:]
		for i := range n.entries {
			e := &n.entries[i]
			if len(e.Key) <= len(key) || !strings.HasPrefix(e.Key, head) || !strings.HasSuffix(e.Key, tail) {
				continue
			}
			if match != nil && match != e {
				return nil // two keys read the same
			}
			match = e
		}
	}
}

// location is the range that stands for the value.
func (f found) location() *diag.Location {
	n := f.node
	if n == nil || n.doc == nil {
		return nil
	}
	if n.Kind() == Null && (n.start < 0 || n.start == n.end) {
		return f.keyOrParent()
	}
	if n.Kind() != List && n.Kind() != Map {
		return n.Location()
	}
	oneLine := n.style == flowStyle && n.start >= 0 && n.doc.src.line(n.start) == n.doc.src.line(n.end)
	switch {
	case f.entry != nil && oneLine && f.entry.start >= 0 && f.entry.start <= n.start && n.doc.src.line(f.entry.start) == n.doc.src.line(n.start):
		return n.doc.location(f.entry.start, n.end)
	case f.entry != nil:
		return f.entry.KeyLocation()
	case oneLine:
		return n.Location()
	case n.Kind() == Map && len(n.entries) > 0:
		return n.entries[0].KeyLocation()
	case n.Kind() == List && len(n.list) > 0:
		return found{node: n.list[0]}.location()
	case n.start >= 0:
		return n.doc.location(n.start, n.start+1)
	}
	return nil
}

// keyOrParent is the key of a value that itself takes no place in the text.
func (f found) keyOrParent() *diag.Location {
	if f.entry != nil {
		return f.entry.KeyLocation()
	}
	if f.parent != nil {
		return f.parent.location()
	}
	return nil
}
