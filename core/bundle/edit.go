package bundle

import (
	"bytes"
	"cmp"
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/drawbridge-dra/drawbridge/core/diag"
)

// Edit is a change of the text: the bytes from Start to End give way to Text.
// A byte order mark does not count.
type Edit struct {
	Start, End int
	Text       string
	// document is the one that the edit is in.
	document int
}

// Put sets a key of the map that the path leads to, which is empty for the
// object itself, and adds the key if it is not there. Parts of the path that
// are missing are added, too. It fails where the place in the text is not
// known, or where something other than a map is in the way.
func (o *Object) Put(path, key string, value any) (Edit, bool) {
	f, ok := o.find(path)
	for ok && !f.complete {
		// The last part becomes a map around the value.
		i := strings.LastIndexByte(path, '.')
		last := path[i+1:]
		if strings.ContainsAny(last, "[]") || last == "" {
			return Edit{}, false
		}
		value, key, path = map[string]any{key: value}, last, path[:max(i, 0)]
		f, ok = o.find(path)
	}
	if !ok {
		return Edit{}, false
	}
	text, err := inline(value)
	if err != nil {
		return Edit{}, false
	}
	return f.put(key, text)
}

// Replace sets the value that the path leads to; it fails where there is none.
func (o *Object) Replace(path string, value any) (Edit, bool) {
	f, ok := o.find(path)
	text, err := inline(value)
	if !ok || !f.complete || err != nil {
		return Edit{}, false
	}
	return f.replace(text)
}

// inline writes a value as JSON on one line, which is YAML as well.
func inline(value any) (string, error) {
	if n, ok := value.(*Node); ok {
		return string(n.JSON()), nil
	}
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	err := e.Encode(value)
	return strings.TrimSpace(out.String()), err
}

// plainWord is what needs no quotes anywhere in YAML and stays a string.
var plainWord = regexp.MustCompile(`^"[a-zA-Z]([a-zA-Z0-9._/-]*[a-zA-Z0-9])?"$`)

// unquoted takes quotes away that a document in YAML does not need.
func (n *Node) unquoted(text string) string {
	if n.doc.json || !plainWord.MatchString(text) {
		return text
	}
	bare := text[1 : len(text)-1]
	if got, ok := resolvePlain(bare); ok && got.kind == String {
		return bare
	}
	return text
}

func (f found) put(key, text string) (Edit, bool) {
	n := f.node
	if e := n.entry(key); e != nil {
		if e.merged {
			return Edit{}, false
		}
		return found{node: e.Value, entry: e, parent: &f}.replace(text)
	}
	quoted, _ := inline(key)
	switch {
	case n.Kind() == Null || n.Kind() == Map && n.Len() == 0:
		return f.replace("{" + quoted + ": " + text + "}")
	case n.Kind() != Map || n.start < 0:
		return Edit{}, false
	case n.style == blockStyle:
		line := n.doc.src.lines[n.doc.src.line(n.start)]
		return Edit{n.start, n.start, n.unquoted(quoted) + ": " + text + "\n" + strings.Repeat(" ", n.start-line), n.doc.index}, true
	case n.doc.src.text[n.start] == '{':
		return Edit{n.start + 1, n.start + 1, quoted + ": " + text + ", ", n.doc.index}, true
	}
	return Edit{}, false
}

func (f found) replace(text string) (Edit, bool) {
	n := f.node
	if n == nil || n.start < 0 || n.end < n.start {
		return Edit{}, false
	}
	if n.Kind() != List && n.Kind() != Map && n.start < n.end {
		return Edit{n.start, n.end, n.unquoted(text), n.doc.index}, true
	}
	// What follows on lines of its own, or is not written at all, goes behind
	// its key.
	if n.style == blockStyle || n.start == n.end {
		if f.entry == nil || f.entry.end < 0 {
			return Edit{}, false
		}
		colon := bytes.IndexByte(n.doc.src.text[f.entry.end:max(n.end, f.entry.end+1)], ':')
		if colon < 0 {
			return Edit{}, false
		}
		at := f.entry.end + colon + 1
		return Edit{at, max(n.end, at), " " + text, n.doc.index}, true
	}
	return Edit{n.start, n.end, text, n.doc.index}, true
}

// Place is where an edit lies in the text that the object is from.
func (o *Object) Place(e Edit) *diag.Location {
	return o.Raw.doc.src.location(e.document, e.Start, e.End)
}

// Offsets turns a place in the text into an edit that removes it.
func (o *Object) Offsets(l *diag.Location) (Edit, bool) {
	src := o.Raw.doc.src
	start, ok := src.offset(l.Line, l.Column)
	end, known := src.offset(l.EndLine, l.EndColumn)
	return Edit{Start: start, End: end, document: l.Document}, ok && known && start <= end
}

// offset is where a line and a column are, both counted from 1.
func (s *source) offset(line, column int) (int, bool) {
	if line < 1 || line > len(s.lines) {
		return 0, false
	}
	at, end := s.lines[line-1], len(s.text)
	if line < len(s.lines) {
		end = s.lines[line]
	}
	for range column - 1 {
		if at >= end {
			return 0, false
		}
		for at++; at < end && s.text[at]&0xC0 == 0x80; at++ {
		}
	}
	return at, true
}

// Apply makes the edits, which must not overlap; false if they do.
func Apply(text []byte, edits []Edit) ([]byte, bool) {
	text = bytes.TrimPrefix(text, []byte("\uFEFF"))
	sorted := slices.Clone(edits)
	slices.SortStableFunc(sorted, func(a, b Edit) int { return cmp.Compare(a.Start, b.Start) })
	var out []byte
	at := 0
	for _, e := range sorted {
		if e.Start < at || e.End < e.Start || e.End > len(text) {
			return nil, false
		}
		out = append(append(out, text[at:e.Start]...), e.Text...)
		at = e.End
	}
	return append(out, text[at:]...), true
}
