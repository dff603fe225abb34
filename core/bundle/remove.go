package bundle

import (
	"bytes"
	"strings"
)

// Remove takes away what the path leads to, with its key, or with its dash. A
// map or list that would be left with nothing goes as well. It fails where
// that is more than a cut: where the place in the text is not known, for the
// object itself, and for what is merged or shared.
func (o *Object) Remove(path string) (Edit, bool) {
	f, ok := o.find(path)
	if !ok || !f.complete {
		return Edit{}, false
	}
	for f.parent != nil && f.parent.node.Len() == 1 {
		f = *f.parent
	}
	if f.parent == nil || f.node.start < 0 || f.entry != nil && (f.entry.merged || f.entry.start < 0) {
		return Edit{}, false
	}
	doc := f.parent.node.doc
	start, end := f.node.start, f.node.end
	if f.entry != nil {
		start, end = f.entry.start, max(f.entry.end, f.node.end)
		if colon := bytes.IndexByte(doc.src.text[f.entry.end:], ':'); end == f.entry.end && colon >= 0 {
			end += colon + 1
		}
	}
	if f.parent.node.style == flowStyle {
		return cutFlow(doc, start, end)
	}
	return cutBlock(doc, start, end, f.entry == nil)
}

// cutFlow cuts an entry out of brackets, with the comma before or behind.
func cutFlow(doc *document, start, end int) (Edit, bool) {
	text := doc.src.text
	behind := end
	for behind < doc.end && isBlank(rune(text[behind])) {
		behind++
	}
	if behind < doc.end && text[behind] == ',' {
		for behind++; behind < doc.end && text[behind] == ' '; behind++ {
		}
		return Edit{start, behind, "", doc.index}, true
	}
	before := start
	for before > doc.start && isBlank(rune(text[before-1])) {
		before--
	}
	if before > doc.start && text[before-1] == ',' {
		return Edit{before - 1, end, "", doc.index}, true
	}
	return Edit{}, false
}

// cutBlock cuts whole lines: from the key, or the dash, to the end of the
// value. An entry that stands behind a dash leaves that to the one below.
func cutBlock(doc *document, start, end int, item bool) (Edit, bool) {
	src := doc.src
	first, last := src.line(start), src.line(max(start, end-1))
	begin := src.lines[first]
	if item {
		// The dash stands before, on this line.
		dash := bytes.LastIndexByte(src.text[begin:start], '-')
		if dash < 0 || len(bytes.TrimLeft(src.text[begin:begin+dash], " ")) > 0 {
			return Edit{}, false
		}
	}
	next := len(src.text)
	if last+1 < len(src.lines) {
		next = src.lines[last+1]
	}
	rest := bytes.TrimSpace(src.text[end:src.lineEnd(last)])
	if len(rest) > 0 && rest[0] != '#' {
		return Edit{}, false
	}
	before := string(src.text[begin:start])
	switch {
	case item || strings.TrimLeft(before, " ") == "":
		return Edit{begin, next, "", doc.index}, true
	case strings.Trim(before, " -") == "" && last+1 < len(src.lines):
		// The next entry moves up behind the dash.
		below := src.text[next:src.lineEnd(last+1)]
		if indent := len(below) - len(bytes.TrimLeft(below, " ")); indent == start-begin && len(below) > indent && below[indent] != '-' && below[indent] != '#' {
			return Edit{start, next + indent, "", doc.index}, true
		}
	}
	return Edit{}, false
}

// Append adds an item at the end of the list that the path leads to. It fails
// where the list is not there or is empty.
func (o *Object) Append(path string, value any) (Edit, bool) {
	f, ok := o.find(path)
	n := f.node
	if !ok || !f.complete || n.Kind() != List || n.Len() == 0 || n.start < 0 {
		return Edit{}, false
	}
	text, err := inline(value)
	last := n.list[n.Len()-1]
	if err != nil || last.start < 0 {
		return Edit{}, false
	}
	text = n.unquoted(text)
	src := n.doc.src
	if n.style == flowStyle {
		return Edit{last.end, last.end, ", " + text, n.doc.index}, true
	}
	line := src.line(last.start)
	begin := src.lines[line]
	dash := bytes.IndexByte(src.text[begin:last.start], '-')
	if dash < 0 || src.line(max(last.start, last.end-1)) != line || len(bytes.TrimLeft(src.text[begin:begin+dash], " ")) > 0 {
		return Edit{}, false
	}
	end := src.lineEnd(line)
	return Edit{end, end, "\n" + strings.Repeat(" ", dash) + "- " + text, n.doc.index}, true
}
