package bundle

import (
	"strconv"

	"github.com/drawbridge-dra/drawbridge/core/diag"
)

// Kind tells what a value is, after the rules by which kubectl reads it.
type Kind uint8

// The kinds of values.
const (
	Null Kind = iota
	Bool
	Number
	String
	List
	Map
)

// String names the kind in words, with an article.
func (k Kind) String() string {
	return [...]string{"null", "a boolean", "a number", "a string", "a list", "a map"}[k]
}

// style tells how a value is written.
type style uint8

const (
	plainStyle style = iota
	quotedStyle
	blockStyle // a YAML block scalar, or a block list or map
	flowStyle  // in brackets
)

// Node is a value of the text: a scalar, a list or a map, with its place.
// Values that YAML shares through an alias share one Node, which stands where
// the anchor does. A nil Node is null and knows no place.
type Node struct {
	doc        *document
	start, end int // offsets; start is -1 where the place is not known
	kind       Kind
	style      style
	text       string // of scalars
	*children
}

// children are what a list or a map holds. They stand apart because most nodes
// are scalars.
type children struct {
	list    []*Node
	entries []Entry
}

// noChildren are those of scalars and of what is empty. Nobody writes to them.
var noChildren children

// Entry is one key of a map with its value.
type Entry struct {
	Key        string
	Value      *Node
	start, end int  // of the key
	merged     bool // taken over by "<<"; a key of the map's own overrides it
}

// KeyLocation is the place of the key; nil where it is not known.
func (e Entry) KeyLocation() *diag.Location {
	return e.Value.doc.location(e.start, e.end)
}

// Kind tells what the value is.
func (n *Node) Kind() Kind {
	if n == nil {
		return Null
	}
	return n.kind
}

// Text is the value of a scalar as JSON would hold it, without quotes: the
// characters of a string, the digits of a number, true or false. It is empty
// for null, lists and maps.
func (n *Node) Text() string {
	if n == nil {
		return ""
	}
	return n.text
}

// Str returns the value if it is a string.
func (n *Node) Str() (string, bool) {
	if n.Kind() != String {
		return "", false
	}
	return n.text, true
}

// Int returns the value if it is a whole number that fits.
func (n *Node) Int() (int64, bool) {
	if n.Kind() != Number {
		return 0, false
	}
	i, err := strconv.ParseInt(n.text, 10, 64)
	return i, err == nil
}

// Bool returns the value if it is a boolean.
func (n *Node) Bool() (value, ok bool) {
	return n.Text() == "true", n.Kind() == Bool
}

// Len counts the items of a list or the entries of a map.
func (n *Node) Len() int {
	if n == nil {
		return 0
	}
	return max(len(n.list), len(n.entries))
}

// Index returns an item of a list; nil if there is none.
func (n *Node) Index(i int) *Node {
	if n == nil || i < 0 || i >= len(n.list) {
		return nil
	}
	return n.list[i]
}

// Items returns the items of a list. They must not be changed.
func (n *Node) Items() []*Node {
	if n == nil {
		return nil
	}
	return n.list
}

// Entries returns the entries of a map in their order. They must not be
// changed.
func (n *Node) Entries() []Entry {
	if n == nil {
		return nil
	}
	return n.entries
}

// Get returns the value of a key of a map; nil if there is none.
func (n *Node) Get(key string) *Node {
	if e := n.entry(key); e != nil {
		return e.Value
	}
	return nil
}

func (n *Node) entry(key string) *Entry {
	if n == nil {
		return nil
	}
	for i := range n.entries {
		if n.entries[i].Key == key {
			return &n.entries[i]
		}
	}
	return nil
}

// Location is the place of the whole value; nil where it is not known.
func (n *Node) Location() *diag.Location {
	if n == nil {
		return nil
	}
	return n.doc.location(n.start, n.end)
}

// KeyLocation is the place of a key of a map; nil if there is none.
func (n *Node) KeyLocation(key string) *diag.Location {
	if e := n.entry(key); e != nil {
		return e.KeyLocation()
	}
	return nil
}

// Written is the text of the value as it stands in the source, cut when it
// is long; empty where the place is not known.
func (n *Node) Written() string {
	if n == nil || n.start < 0 {
		return ""
	}
	return shorten(string(n.doc.src.text[n.start:min(n.end, n.start+4*maxShown)]))
}

// maxShown is how many characters of a value findings show.
const maxShown = 80

func shorten(text string) string {
	count := 0
	for i := range text {
		if count == maxShown {
			return text[:i] + "…"
		}
		count++
	}
	return text
}
