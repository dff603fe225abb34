package lsp

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/drawbridge-dra/drawbridge/input"
)

// encoding is in which units a client counts the characters of a line.
type encoding string

const (
	utf8Units  encoding = "utf-8"
	utf16Units encoding = "utf-16"
	utf32Units encoding = "utf-32"
)

// units is how many units a character has.
func (e encoding) units(r rune, size int) int {
	switch {
	case e == utf8Units:
		return size
	case e == utf16Units && r > 0xFFFF:
		return 2
	}
	return 1
}

// choose takes the first encoding of the client's list that is known here.
func choose(offered []string) encoding {
	for _, o := range offered {
		if e := encoding(o); slices.Contains([]encoding{utf8Units, utf16Units, utf32Units}, e) {
			return e
		}
	}
	return utf16Units
}

// maxText is just above what the core reads.
const maxText = 32<<20 + 1

// document is a text at one moment. It is immutable.
type document struct {
	uri string
	// path is where it lies; empty for what was never stored.
	path string
	// language is what the editor says it is written in.
	language string
	// version counts the editor's changes; nil for a file that is not open.
	version *int32
	text    []byte
	// lines are the offsets at which lines begin.
	lines []int
	// serial tells documents apart, be they of one file or not.
	serial uint64
	// lost is set when the text became too long to go on with.
	lost bool
}

// read sets the text.
func (d *document) read(text []byte) {
	if len(text) > maxText {
		text, d.lost = nil, true
	}
	d.text, d.lines = text, input.LineStarts(text)
}

var bom = []byte("\uFEFF")

// plain is the text for the core: without a byte order mark, and with LF for a
// CR that stands alone, which the protocol and YAML take for a line's end and
// not every part of the core does. Lines and columns stay what they are.
func (d *document) plain() []byte {
	text := bytes.TrimPrefix(d.text, bom)
	cloned := false
	for at := 0; ; at++ {
		i := bytes.IndexByte(text[at:], '\r')
		if i < 0 {
			return text
		}
		at += i
		if at+1 < len(text) && text[at+1] == '\n' {
			continue
		}
		if !cloned {
			text, cloned = bytes.Clone(text), true
		}
		text[at] = '\n'
	}
}

// mark is how many columns of a line, from 0, the core does not see.
func (d *document) mark(line int) int {
	if line == 0 && bytes.HasPrefix(d.text, bom) {
		return 1
	}
	return 0
}

// line returns where a line begins, and where it ends without its break.
func (d *document) line(n int) (begin, end int) {
	begin, end = d.lines[n], len(d.text)
	if n+1 < len(d.lines) {
		end = d.lines[n+1] - 1
		if end > begin && d.text[end] == '\n' && d.text[end-1] == '\r' {
			end--
		}
	}
	return begin, end
}

// offset is where a position is. What lies outside is moved inside.
func (d *document) offset(p position, e encoding) int {
	if int64(p.Line) >= int64(len(d.lines)) {
		return len(d.text)
	}
	at, end := d.line(int(p.Line))
	for left := int64(p.Character); at < end; {
		r, size := utf8.DecodeRune(d.text[at:end])
		if left -= int64(e.units(r, size)); left < 0 {
			break
		}
		at += size
	}
	return at
}

// place turns a position into the core's line and column.
func (d *document) place(p position, e encoding) (line, column int) {
	at := d.offset(p, e)
	n, found := slices.BinarySearch(d.lines, at)
	if !found {
		n--
	}
	return n + 1, max(1, utf8.RuneCount(d.text[d.lines[n]:at])+1-d.mark(n))
}

// position turns a line and a column of the core into a position.
func (d *document) position(line, column int, e encoding) position {
	n := min(max(line-1, 0), len(d.lines)-1)
	if line-1 > n {
		column = len(d.text) + 1 // behind the end is the end
	}
	at, end := d.line(n)
	units := 0
	for left := column - 1 + d.mark(n); left > 0 && at < end; left-- {
		r, size := utf8.DecodeRune(d.text[at:end])
		units += e.units(r, size)
		at += size
	}
	return position{uint32(n), uint32(units)}
}

// replace makes the text that a change leads to.
func (d *document) replace(r textRange, text string, e encoding) []byte {
	start, end := d.offset(r.Start, e), d.offset(r.End, e)
	if start > end {
		start, end = end, start
	}
	out := make([]byte, 0, len(d.text)-(end-start)+len(text))
	return append(append(append(out, d.text[:start]...), text...), d.text[end:]...)
}

// manifest tells whether a document may hold objects of Kubernetes at all:
// editors send what they are told to, such as templates and other languages.
func (d *document) manifest() bool {
	switch language := strings.ToLower(d.language); language {
	case "yaml", "yml", "json", "jsonc", "json5", "kubernetes", "yaml.kubernetes":
		return !d.lost
	case "":
		return !d.lost && input.IsManifest(d.uri)
	}
	return false
}
