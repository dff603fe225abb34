package bundle

import (
	"encoding/json"
	"slices"
	"strings"
)

// JSON renders the value as kubectl sends it: keys in order, numbers in Go's
// form. The same value gives the same bytes.
func (n *Node) JSON() []byte {
	return n.appendJSON(nil)
}

func (n *Node) appendJSON(out []byte) []byte {
	switch n.Kind() {
	case Bool, Number:
		return append(out, n.text...)
	case String:
		return appendString(out, n.text)
	case List:
		out = append(out, '[')
		for i, item := range n.list {
			if i > 0 {
				out = append(out, ',')
			}
			out = item.appendJSON(out)
		}
		return append(out, ']')
	case Map:
		entries := slices.Clone(n.entries)
		slices.SortFunc(entries, func(a, b Entry) int { return strings.Compare(a.Key, b.Key) })
		out = append(out, '{')
		for i, e := range entries {
			if i > 0 {
				out = append(out, ',')
			}
			out = append(appendString(out, e.Key), ':')
			out = e.Value.appendJSON(out)
		}
		return append(out, '}')
	}
	return append(out, "null"...)
}

func appendString(out []byte, text string) []byte {
	if isPlainText(text) {
		return append(append(append(out, '"'), text...), '"')
	}
	// A string can always be written as JSON.
	quoted, _ := json.Marshal(text)
	return append(out, quoted...)
}

// isPlainText tells whether no character of a text is written in another way in
// JSON.
func isPlainText(text string) bool {
	for i := range len(text) {
		switch c := text[i]; {
		case c < ' ' || c > '~', c == '"', c == '\\', c == '<', c == '>', c == '&':
			return false
		}
	}
	return true
}
