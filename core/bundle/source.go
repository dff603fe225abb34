package bundle

import (
	"slices"
	"unicode/utf8"

	"github.com/drawbridge-dra/drawbridge/core/diag"
)

// source is the submitted text with an index from byte offsets to lines and
// columns. Everything else in this package speaks in byte offsets.
type source struct {
	text []byte
	// str is the same as a string, of which values are parts.
	str string
	// lines holds the offset at which each line starts. A line ends with LF,
	// CRLF or CR, as in editors.
	lines []int
	// runes holds, for every runeStep bytes of the text, the number of code
	// points before that place. It bounds the work for columns in long lines.
	runes []int
}

const runeStep = 1024

func newSource(text []byte) *source {
	s := &source{text: text, str: string(text), lines: []int{0}}
	count := 0
	for i, c := range text {
		if i%runeStep == 0 {
			s.runes = append(s.runes, count)
		}
		if utf8.RuneStart(c) {
			count++
		}
		if c == '\n' || (c == '\r' && (i+1 == len(text) || text[i+1] != '\n')) {
			s.lines = append(s.lines, i+1)
		}
	}
	s.runes = append(s.runes, count)
	return s
}

// runesBefore counts the code points that start before the offset.
func (s *source) runesBefore(offset int) int {
	block := offset / runeStep
	if block >= len(s.runes) {
		block = len(s.runes) - 1
	}
	count := s.runes[block]
	if block+1 < len(s.runes) && s.runes[block+1]-count == runeStep {
		return count + offset%runeStep // nothing but ASCII
	}
	for i := block * runeStep; i < offset && i < len(s.text); i++ {
		if utf8.RuneStart(s.text[i]) {
			count++
		}
	}
	return count
}

// line finds the line of an offset, from 0.
func (s *source) line(offset int) int {
	i, found := slices.BinarySearch(s.lines, offset)
	if !found {
		i--
	}
	return i
}

// lineEnd is the offset behind the last byte of a line, its break left out.
func (s *source) lineEnd(line int) int {
	end := len(s.text)
	if line+1 < len(s.lines) {
		end = s.lines[line+1]
	}
	for end > s.lines[line] && (s.text[end-1] == '\n' || s.text[end-1] == '\r') {
		end--
	}
	return end
}

func (s *source) position(offset int) (line, column int) {
	l := s.line(offset)
	return l + 1, s.runesBefore(offset) - s.runesBefore(s.lines[l]) + 1
}

// location turns a range of bytes into one of lines and columns.
func (s *source) location(document, start, end int) *diag.Location {
	if start < 0 || end < start || end > len(s.text) {
		return nil
	}
	l := &diag.Location{Document: document}
	l.Line, l.Column = s.position(start)
	l.EndLine, l.EndColumn = s.position(end)
	return l
}

// document is one YAML document or one JSON value of the text.
type document struct {
	src   *source
	index int
	start int
	end   int
	// json is set when the document follows JSON's rules rather than YAML's.
	json bool
	// build makes the nodes; the documents of a text share it.
	build *builder
	// duplicates holds the keys that stand more than once in a map.
	duplicates map[*Node][]duplicate
	problems   []problem
}

// duplicate is a key that stands in a map again.
type duplicate struct {
	key        string
	start, end int
	first      int // where the key stood before
	firstEnd   int
}

// problem is something wrong with the text, before it is known which object
// it belongs to.
type problem struct {
	rule       string
	start, end int
	message    string
	warning    bool
	suggestion *diag.Suggestion
}

func (d *document) location(start, end int) *diag.Location {
	return d.src.location(d.index, start, end)
}

func (d *document) problem(rule string, start, end int, message string) {
	d.problems = append(d.problems, problem{rule: rule, start: start, end: end, message: message})
}
