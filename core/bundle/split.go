package bundle

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/drawbridge-dra/drawbridge/core/diag"
)

// chunk is one document of the text.
type chunk struct {
	start, end int
}

// splitter cuts a text into its documents, line by line. A document marker at
// the start of a line ends whatever stands before it, also inside quotes, so
// that a broken document does not take others with it.
type splitter struct {
	src      *source
	chunks   []chunk
	problems []problem
	start    int
	content  bool // the chunk holds more than comments and directives
	marked   bool // the chunk has its marker already
	// directives is set when the chunk starts with lines such as %YAML 1.1,
	// which its marker ends.
	directives bool
}

func split(src *source) ([]chunk, []problem) {
	s := &splitter{src: src}
	for i, start := range src.lines {
		end := src.lineEnd(i)
		next := len(src.text)
		if i+1 < len(src.lines) {
			next = src.lines[i+1]
		}
		s.line(start, end, next)
	}
	s.cut(len(src.text), len(src.text))
	return s.chunks, s.problems
}

func (s *splitter) line(start, end, next int) {
	line := s.src.text[start:end]
	trimmed := bytes.TrimSpace(line)
	switch {
	case isMarker(line, "---"):
		if s.content || s.marked {
			s.cut(start, start)
		}
		s.marked = true
		if s.content = !isComment(bytes.TrimSpace(line[3:])); !s.content && !s.directives {
			s.start = next
		}
	case isMarker(line, "..."):
		s.cut(start, next)
	case wrongSeparator(line) != "":
		s.problems = append(s.problems, s.separatorProblem(start, start+len(bytes.TrimRight(line, " \t")), wrongSeparator(line)))
		s.cut(start, next)
	case bytes.HasPrefix(line, []byte("```")) || bytes.HasPrefix(line, []byte("~~~")):
		s.problems = append(s.problems, problem{
			rule: "not-yaml", start: start, end: start + len(bytes.TrimRight(line, " \t")),
			message: fmt.Sprintf("%s marks code in Markdown and is no YAML; remove the line", shorten(string(trimmed))),
		})
		s.cut(start, next)
	case isComment(trimmed):
	case line[0] == '%' && !s.content && !s.marked:
		s.directives = true
	default:
		s.content = true
	}
}

func isComment(trimmed []byte) bool {
	return len(trimmed) == 0 || trimmed[0] == '#'
}

func isMarker(line []byte, marker string) bool {
	return bytes.HasPrefix(line, []byte(marker)) && (len(line) == len(marker) || line[len(marker)] == ' ' || line[len(marker)] == '\t')
}

// cut ends the chunk and starts a new one.
func (s *splitter) cut(end, next int) {
	if s.content {
		s.chunks = append(s.chunks, chunk{s.start, end})
	}
	s.start, s.content, s.marked, s.directives = next, false, false, false
}

// dashes names the characters that are taken for hyphens.
var dashes = map[rune]string{
	'\u2010': "a hyphen that is not ASCII's (U+2010)",
	'\u2011': "a non-breaking hyphen (U+2011)",
	'\u2012': "a figure dash (U+2012)",
	'\u2013': "an en dash (U+2013)",
	'\u2014': "an em dash (U+2014)",
	'\u2015': "a horizontal bar (U+2015)",
	'\u2212': "a minus sign (U+2212)",
	'\uFE63': "a small hyphen (U+FE63)",
	'\uFF0D': "a full-width hyphen (U+FF0D)",
}

// wrongSeparator says how a line that is meant as a separator is written;
// empty for any other line.
func wrongSeparator(line []byte) string {
	line = bytes.TrimRight(line, " \t")
	if len(line) < 2 || len(line) > 40 {
		return ""
	}
	found := ""
	for rest := line; len(rest) > 0; {
		c, size := utf8.DecodeRune(rest)
		rest = rest[size:]
		name := dashes[c]
		if c != '-' && name == "" {
			return ""
		}
		if found == "" {
			found = name
		}
	}
	if found == "" && len(line) != 3 {
		return fmt.Sprintf("%d hyphens", len(line))
	}
	return found
}

func (s *splitter) separatorProblem(start, end int, how string) problem {
	p := problem{rule: "document-separator", start: start, end: end}
	p.suggestion = &diag.Suggestion{Message: "write ---", Replacement: "---", Location: s.src.location(0, start, end)}
	if strings.HasSuffix(how, "hyphens") {
		p.message = fmt.Sprintf("the document separator is written with %s; write exactly three: ---", how)
	} else {
		p.message = fmt.Sprintf("the document separator is written with %s, so that the two documents run together; write three hyphens: ---", how)
	}
	return p
}
