package input

import (
	"bytes"
	"fmt"
	"sort"
	"strings"

	"github.com/drawbridge-dra/drawbridge/core/diag"
)

// Text is what several files hold, as one text.
type Text struct {
	Bytes []byte
	parts []part
}

// part is a file in a text.
type part struct {
	name string
	text []byte
	// starts are the offsets of its lines, first is the line of the whole text
	// on which it begins, from 0.
	starts []int
	first  int
	// origins are the files that Helm rendered parts of it from, by the line,
	// from 0, from which on that holds; an empty name ends one.
	origins []origin
	// whole is the file as it is, lines those of it that each line of text is
	// of, and from how many lines of the file come before; see MadePart.
	whole *part
	from  int
	lines []int
}

type origin struct {
	line int
	name string
}

// Place is a range of a file. Lines and columns count from 1, columns in
// Unicode code points; the end is exclusive. Line is 0 where only the file is
// known.
type Place struct {
	File      string `json:"file"`
	Line      int    `json:"line,omitempty"`
	Column    int    `json:"column,omitempty"`
	EndLine   int    `json:"endLine,omitempty"`
	EndColumn int    `json:"endColumn,omitempty"`
	// Rendered is set where the file is one that Helm rendered: the lines are
	// then those of standard input.
	Rendered bool `json:"rendered,omitempty"`
}

// String is the place as editors and terminals know to follow it.
func (p Place) String() string {
	switch {
	case p.Line == 0:
		return p.File
	case p.Rendered:
		return fmt.Sprintf("%s, rendered at %s:%d:%d", p.File, Stdin, p.Line, p.Column)
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column)
}

// separator ends a document whatever it holds, and lets the next one begin
// with directives.
const separator = "...\n"

// Add puts a file behind those that are there.
func (t *Text) Add(name string, text []byte) {
	text = bytes.TrimPrefix(text, []byte("\uFEFF"))
	p := part{name: name, text: text, starts: LineStarts(text)}
	if len(t.parts) > 0 {
		last := &t.parts[len(t.parts)-1]
		// A line break comes first even behind another, so that what is asked
		// about the end of a file is not asked about the separator.
		p.first = last.first + len(last.starts) + 1
		if bytes.HasSuffix(last.text, []byte("\r")) {
			t.Bytes = append(t.Bytes, '\n') // one line break, together
		}
		t.Bytes = append(t.Bytes, '\n')
		t.Bytes = append(t.Bytes, separator...)
	}
	if name == Stdin {
		p.origins = origins(text, p.starts)
	}
	t.parts = append(t.parts, p)
	if len(t.parts) == 1 {
		t.Bytes = text[:len(text):len(text)]
		return
	}
	t.Bytes = append(t.Bytes, text...)
}

// LineStarts are the offsets at which lines begin. A line ends with LF, CRLF
// or CR, as the core has it.
func LineStarts(text []byte) []int {
	starts := []int{0}
	for i, c := range text {
		if c == '\n' || c == '\r' && (i+1 == len(text) || text[i+1] != '\n') {
			starts = append(starts, i+1)
		}
	}
	return starts
}

// origins finds what Helm wrote about where documents come from.
func origins(text []byte, starts []int) []origin {
	const mark = "# Source: "
	var out []origin
	named := false
	for i, start := range starts {
		line := text[start:]
		switch {
		case bytes.HasPrefix(line, []byte("---")):
			if named {
				out = append(out, origin{i, ""})
			}
			named = false
		case bytes.HasPrefix(line, []byte(mark)) && !named:
			end := bytes.IndexAny(line, "\r\n")
			if end < 0 {
				end = len(line)
			}
			if name := strings.TrimSpace(string(line[len(mark):end])); name != "" {
				out, named = append(out, origin{i, name}), true
			}
		}
	}
	return out
}

// Files are the names of the files, in their order, each once.
func (t *Text) Files() []string {
	var out []string
	seen := map[string]bool{}
	for _, p := range t.parts {
		if !seen[p.name] {
			seen[p.name] = true
			out = append(out, p.name)
		}
	}
	return out
}

// at finds the part that a line of the text, from 1, belongs to; nil if there
// is none.
func (t *Text) at(line int) *part {
	i := sort.Search(len(t.parts), func(i int) bool { return t.parts[i].first >= line }) - 1
	if i < 0 || len(t.parts) == 0 {
		return nil
	}
	return &t.parts[i]
}

// Place leads from a range of the text to the file. Without a range, or for
// one that no file has, it is the only file, or none.
func (t *Text) Place(l *diag.Location) Place {
	if l == nil {
		if len(t.parts) == 1 {
			return Place{File: t.parts[0].name}
		}
		return Place{}
	}
	p := t.at(l.Line)
	if p == nil {
		return Place{}
	}
	out := Place{File: p.name, Line: l.Line - p.first, Column: l.Column, EndLine: l.EndLine - p.first, EndColumn: l.EndColumn}
	if last := len(p.starts); out.EndLine > last {
		// What is open at the end of a file ends there.
		out.EndLine, out.EndColumn = last, len([]rune(p.line(last)))+1
		if out.Line > last {
			out.Line, out.Column = last, out.EndColumn
		}
	}
	if name := p.origin(out.Line - 1); name != "" {
		out.File, out.Rendered = name, true
	}
	return p.outside(out)
}

// outside is a place in what the core reads as one in the file.
func (p *part) outside(at Place) Place {
	if p.whole == nil {
		return at
	}
	last := at.EndLine
	for ; last > at.Line && p.original(last) == 0; last-- {
		at.EndColumn = 1
	}
	at.Line, at.EndLine = p.original(at.Line), p.original(last)
	if at.Line == 0 {
		return Place{File: at.File}
	}
	return at
}

// origin is the file that a line, from 0, was rendered from; empty for none.
func (p *part) origin(line int) string {
	i := sort.Search(len(p.origins), func(i int) bool { return p.origins[i].line > line }) - 1
	if i < 0 {
		return ""
	}
	return p.origins[i].name
}

// Line is a line of the text, from 1, without its break.
func (t *Text) Line(n int) string {
	p := t.at(n)
	if p == nil {
		return ""
	}
	if n -= p.first; p.whole != nil {
		if n = p.original(n); n == 0 {
			return ""
		}
		return p.whole.line(n - p.from)
	}
	return p.line(n)
}

// line is a line of the file, from 1.
func (p *part) line(n int) string {
	if n < 1 || n > len(p.starts) {
		return ""
	}
	end := len(p.text)
	if n < len(p.starts) {
		end = p.starts[n]
	}
	return strings.TrimRight(string(p.text[p.starts[n-1]:end]), "\r\n")
}
