package input

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"
)

// Insert is a text that is put into a file for the core to read: what the
// author of the file did not write and a cluster would add. It stays out of
// answers.
type Insert struct {
	// Line of the file, from 1. Whole lines go before it.
	Line int
	// After is how many characters of that line stay before the text; 0 for
	// whole lines. What follows goes on in the next line, below where it was.
	After int
	// Text is one line, without its break.
	Text string
}

// Made is a file that holds a text of which no disk knows.
func Made(name string, text []byte) *File {
	return &File{Name: name, Size: int64(len(text)), Named: true, text: text}
}

// MadePart is a part of a file, from a line on, counted from 0, with texts
// put into it.
func MadePart(name string, text []byte, from int, inserts []Insert) *File {
	f := Made(name, text)
	f.from, f.inserts = from, inserts
	return f
}

// AddTo puts what is in the file behind what the text has.
func (f *File) AddTo(t *Text, content []byte) {
	if f.from == 0 && len(f.inserts) == 0 {
		t.Add(f.Name, content)
		return
	}
	content = bytes.TrimPrefix(content, []byte("\uFEFF"))
	whole := &part{name: f.Name, text: content, starts: LineStarts(content)}
	text, lines := derive(whole, f.inserts)
	t.Add(f.Name, text)
	p := &t.parts[len(t.parts)-1]
	p.whole, p.from, p.lines = whole, f.from, lines
}

// derive puts texts into a file. Lines are those of the file that each line of
// the result is of, from 1; 0 for what was put in.
func derive(whole *part, inserts []Insert) (text []byte, lines []int) {
	inserts = slices.Clone(inserts)
	slices.SortStableFunc(inserts, func(a, b Insert) int {
		if a.Line != b.Line {
			return a.Line - b.Line
		}
		return a.After - b.After
	})
	var out bytes.Buffer
	pad := func(n int) { out.WriteString(strings.Repeat(" ", n)) }
	for n := 1; n <= len(whole.starts); n++ {
		line, done := whole.raw(n), 0 // done are characters of the line
		for ; len(inserts) > 0 && inserts[0].Line == n; inserts = inserts[1:] {
			in := inserts[0]
			if in.After > done {
				head, rest := cut(line, in.After-done)
				pad(done)
				out.Write(head)
				out.WriteByte('\n')
				line, lines, done = rest, append(lines, n), in.After
			}
			pad(done)
			out.WriteString(in.Text + "\n")
			lines = append(lines, 0)
		}
		pad(done)
		out.Write(line)
		lines = append(lines, n)
	}
	return out.Bytes(), lines
}

// cut cuts a line behind some characters.
func cut(line []byte, characters int) (head, rest []byte) {
	at := 0
	for range characters {
		_, size := utf8.DecodeRune(line[at:])
		at += size
	}
	return line[:at], line[at:]
}

// raw is a line of the file, from 1, with its break.
func (p *part) raw(n int) []byte {
	end := len(p.text)
	if n < len(p.starts) {
		end = p.starts[n]
	}
	return p.text[p.starts[n-1]:end]
}

// original leads from a line of what the core reads to that of the file, from
// 1; 0 where the file has none.
func (p *part) original(line int) int {
	if p.whole == nil {
		return line
	}
	if line < 1 || line > len(p.lines) || p.lines[line-1] == 0 {
		return 0
	}
	return p.lines[line-1] + p.from
}
