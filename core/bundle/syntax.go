package bundle

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// The YAML library stops at the first error of a document, and the line in
// its message is often that of the surrounding value, or off by one. The
// place is therefore found by parsing again: the first line at which the text
// stops being YAML, and for a bracket or quote that is not closed the line
// that opens it.

// saying is what to tell for a problem of the library.
type saying struct {
	problem string
	message string
	// opens is set where the library's line is the one that opens something.
	opens bool
}

var sayings = []saying{
	{"mapping values are not allowed in this context", "a colon cannot stand here: the line is indented wrongly, or text that holds a colon and a space must be put in quotes", false},
	{"did not find expected key", "the line fits to no level above it: its indentation is wrong, or text before it is not in quotes", false},
	{"did not find expected '-' indicator", "a list ends here in the middle of its level: align the line with the dashes of the list, or with the key above them", false},
	{"block sequence entries are not allowed in this context", "a list item cannot start here; put it on a line of its own", false},
	{"could not find expected ':'", "a colon and a space must follow the key", false},
	{"did not find expected node content", "a value is missing here, or it must be put in quotes", false},
	{"did not find expected ',' or ']'", "the [ that opens here is not closed, or a comma between its items is missing", true},
	{"did not find expected ',' or '}'", "the { that opens here is not closed, or a comma between its entries is missing", true},
	{"found unexpected end of stream", "the quote that opens here is not closed", true},
	{"found unexpected document indicator", "the quote that opens here is not closed", true},
	{"found unknown escape character", "the text in double quotes holds a backslash that escapes nothing; write \\\\, or use single quotes", false},
	{"did not find expected <document start>", "the text goes on after its value has ended; a --- before the line or a dash is missing", false},
}

// explainSyntax says what is wrong, and where.
func explainSyntax(doc *document, text []byte, err error) *syntaxError {
	p := strings.TrimPrefix(err.Error(), "yaml: ")
	line := 0
	if m := libraryLine.FindStringSubmatch(p); m != nil {
		p = p[len(m[0]):]
	}
	said := saying{message: "this is not YAML: " + p}
	for _, s := range sayings {
		if p == s.problem {
			said = s
		}
	}
	rule := "yaml-syntax"
	if strings.HasPrefix(p, "exceeded max depth") {
		rule, said = "limit", saying{message: "values are nested thousands deep here; no Kubernetes object needs that"}
	}
	if name, ok := strings.CutPrefix(p, "unknown anchor '"); ok {
		name = strings.TrimSuffix(name, "' referenced")
		said = saying{message: fmt.Sprintf("*%s refers to an anchor that the document does not have; define &%s before it", shorten(name), shorten(name))}
	}
	if line = stopLine(text); line < 0 && said.opens {
		line = openingLine(text)
	}
	out := &syntaxError{rule: rule, start: noPlace, end: noPlace, message: said.message}
	if line < 0 {
		return out
	}
	start, end := contentOfLine(text, line)
	if tab := bytes.IndexByte(text[lineStart(text, line):start], '\t'); tab >= 0 {
		start = lineStart(text, line) + tab
		end = start + 1
		out.message = "the line is indented with a tab; YAML takes only spaces, replace the tab by spaces"
	} else if strings.HasPrefix(p, "found character that cannot start any token") {
		c, _ := utf8.DecodeRune(text[offender(text, start, end):])
		out.message = fmt.Sprintf("a value cannot start with %c; put it in quotes", c)
	}
	out.start, out.end = doc.start+start, doc.start+end
	return out
}

var libraryLine = regexp.MustCompile(`^line ([0-9]+): `)

// countingReader hands out one byte at a time, so that the library reads no
// further than it must.
type countingReader struct {
	text []byte
	pos  int
}

func (r *countingReader) Read(p []byte) (int, error) {
	if r.pos >= len(r.text) {
		return 0, io.EOF
	}
	p[0] = r.text[r.pos]
	r.pos++
	return 1, nil
}

// consumed counts the bytes that the library looks at until it gives up.
func consumed(text []byte) (n int) {
	r := &countingReader{text: text}
	defer func() {
		if recover() != nil {
			n = r.pos
		}
	}()
	d := yaml.NewDecoder(r)
	for {
		var root yaml.Node
		if err := d.Decode(&root); errors.Is(err, io.EOF) {
			return -1
		} else if err != nil {
			return r.pos
		}
	}
}

// stopLine finds the line, from 0, such that everything before it is YAML and
// with it is not; -1 if there is none near the place where the library gave
// up.
func stopLine(text []byte) int {
	pos := consumed(text)
	if pos <= 0 {
		return -1
	}
	const near = 3
	last := bytes.Count(text[:pos-1], []byte("\n"))
	for line := max(0, last-near); line <= last; line++ {
		start, end := lineStart(text, line), lineStart(text, line+1)
		if len(bytes.TrimSpace(text[start:end])) == 0 {
			continue
		}
		if _, err := parseYAML(text[:end]); err == nil {
			continue
		}
		if start == 0 {
			return line
		}
		if _, err := parseYAML(text[:start]); err == nil {
			return line
		}
	}
	return -1
}

// openingLine finds the line, from 0, on which stands what is not closed. A
// line before the text makes sure that the library names the opening line,
// which it does unless that is its first.
func openingLine(text []byte) int {
	_, err := parseYAML(append([]byte("#\n"), text...))
	if err == nil {
		return -1
	}
	m := libraryLine.FindStringSubmatch(strings.TrimPrefix(err.Error(), "yaml: "))
	if m == nil {
		return -1
	}
	n, convErr := strconv.Atoi(m[1])
	if convErr != nil {
		return -1
	}
	line := n - 1
	if strings.Contains(err.Error(), "found unexpected") {
		line-- // the library counts these from 1, the others from 0
	}
	if line < 0 || line > bytes.Count(text, []byte("\n")) {
		return -1
	}
	return line
}

// lineStart is the offset of a line, counted from 0; the end of the text when
// there is no such line.
func lineStart(text []byte, line int) int {
	at := 0
	for ; line > 0; line-- {
		i := bytes.IndexByte(text[at:], '\n')
		if i < 0 {
			return len(text)
		}
		at += i + 1
	}
	return at
}

// contentOfLine is the range of a line without the white space around it.
func contentOfLine(text []byte, line int) (start, end int) {
	start, end = lineStart(text, line), lineStart(text, line+1)
	for start < end && strings.IndexByte(" \t\r\n", text[start]) >= 0 {
		start++
	}
	for end > start && strings.IndexByte(" \t\r\n", text[end-1]) >= 0 {
		end--
	}
	return start, end
}

// offender finds the character of a line that no value can start with.
func offender(text []byte, start, end int) int {
	for at := start; at < end; at++ {
		if strings.IndexByte("@`%\t", text[at]) >= 0 && (at == start || strings.IndexByte(" [{,", text[at-1]) >= 0) {
			return at
		}
	}
	return start
}
