package bundle

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// jsonReader reads one JSON value after another and keeps their places. The
// standard decoder does not tell where a value stands.
type jsonReader struct {
	doc    *document
	build  *builder
	text   string
	pos    int
	budget *budget
	depth  int
}

func newJSONReader(doc *document, b *budget) *jsonReader {
	doc.build.items, doc.build.entries = doc.build.items[:0], doc.build.entries[:0]
	return &jsonReader{doc: doc, build: doc.build, text: doc.src.str, pos: doc.start, budget: b}
}

// syntaxError stops the reading of one document.
type syntaxError struct {
	rule       string
	start, end int
	message    string
}

func (e *syntaxError) Error() string { return e.message }

// read reads the value at the place.
func (r *jsonReader) read() (*Node, *syntaxError) {
	r.space()
	if r.pos >= r.doc.end {
		return nil, r.fail("the JSON text ends where a value is expected; it was cut off, or a bracket is missing")
	}
	if err := r.budget.node(r.doc, r.pos); err != nil {
		return nil, err
	}
	n := r.build.node(r.doc)
	n.start = r.pos
	var err *syntaxError
	switch c := r.text[r.pos]; {
	case c == '{' || c == '[':
		if r.depth++; r.depth > r.budget.depth {
			return nil, r.budget.tooDeep(r.pos)
		}
		if n.style = flowStyle; c == '{' {
			err = r.object(n)
		} else {
			err = r.array(n)
		}
		r.depth--
	case c == '"':
		n.kind, n.style = String, quotedStyle
		n.text, err = r.str()
	case c == '-' || (c >= '0' && c <= '9'):
		n.kind = Number
		n.text, err = r.number()
	default:
		err = r.literal(n)
	}
	n.end = r.pos
	return n, err
}

func (r *jsonReader) object(n *Node) *syntaxError {
	n.kind = Map
	r.pos++
	seen := index{base: len(r.build.entries)}
	for first := true; ; first = false {
		done, err := r.next('}', first)
		if done {
			r.build.collection(n, nil, r.build.takeEntries(seen.base))
		}
		if done || err != nil {
			return err
		}
		start := r.pos
		if r.text[r.pos] != '"' {
			return r.fail("a key must be a string in double quotes")
		}
		key, err := r.str()
		if err != nil {
			return err
		}
		end := r.pos
		if r.space(); r.pos >= r.doc.end || r.text[r.pos] != ':' {
			return r.fail("a colon must follow the key " + strconv.Quote(shorten(key)))
		}
		r.pos++
		value, err := r.read()
		if err != nil {
			return err
		}
		r.build.put(n, &seen, Entry{Key: key, Value: value, start: start, end: end}, true)
	}
}

func (r *jsonReader) array(n *Node) *syntaxError {
	n.kind = List
	r.pos++
	base := len(r.build.items)
	for first := true; ; first = false {
		done, err := r.next(']', first)
		if done {
			r.build.collection(n, r.build.takeItems(base), nil)
		}
		if done || err != nil {
			return err
		}
		item, err := r.read()
		if err != nil {
			return err
		}
		r.build.items = append(r.build.items, item)
	}
}

// next goes to the next item of an object or array, or over its end.
func (r *jsonReader) next(closing byte, first bool) (done bool, err *syntaxError) {
	r.space()
	if r.pos >= r.doc.end {
		return false, r.fail(fmt.Sprintf("the JSON text ends before the closing %c; it was cut off, or a bracket is missing", closing))
	}
	if r.text[r.pos] == closing {
		r.pos++
		return true, nil
	}
	if first {
		return false, nil
	}
	if r.text[r.pos] != ',' {
		return false, r.fail(fmt.Sprintf("a comma or the closing %c is expected here", closing))
	}
	comma := r.pos
	r.pos++
	if r.space(); r.pos >= r.doc.end {
		return r.next(closing, true)
	}
	if r.text[r.pos] == closing {
		r.pos = comma
		return false, r.fail(fmt.Sprintf("JSON allows no comma before the closing %c; remove it", closing))
	}
	return false, nil
}

func (r *jsonReader) space() {
	for r.pos < r.doc.end {
		switch r.text[r.pos] {
		case ' ', '\t', '\r', '\n':
			r.pos++
		default:
			return
		}
	}
}

func (r *jsonReader) str() (string, *syntaxError) {
	start := r.pos
	escaped := false
	for r.pos++; r.pos < r.doc.end; r.pos++ {
		switch c := r.text[r.pos]; {
		case c == '\\':
			escaped = true
			r.pos++
		case c == '"':
			r.pos++
			if !escaped {
				return r.text[start+1 : r.pos-1], nil
			}
			var value string
			if json.Unmarshal([]byte(r.text[start:r.pos]), &value) != nil {
				return "", r.failAt(start, r.pos, "the string holds an escape that JSON does not have; a backslash is written \\\\")
			}
			return value, nil
		case c < ' ':
			return "", r.failAt(start, r.pos, "the string is not closed on its line; a line break inside a string is written \\n")
		}
	}
	r.pos = r.doc.end
	return "", r.failAt(start, r.pos, "the string is not closed; a double quote is missing")
}

func (r *jsonReader) number() (string, *syntaxError) {
	start := r.pos
	for r.pos < r.doc.end && strings.IndexByte("+-.eE0123456789", r.text[r.pos]) >= 0 {
		r.pos++
	}
	written := r.text[start:r.pos]
	if isShortInteger(written) {
		return written, nil
	}
	if !json.Valid([]byte(written)) {
		return "", r.failAt(start, r.pos, fmt.Sprintf("%s is not a number in JSON; if it is text, put it in double quotes", shorten(written)))
	}
	if i, err := strconv.ParseInt(written, 10, 64); err == nil {
		return strconv.FormatInt(i, 10), nil
	}
	f, err := strconv.ParseFloat(written, 64)
	if err != nil {
		return "", r.failAt(start, r.pos, fmt.Sprintf("%s is too large a number; if it is text, put it in double quotes", shorten(written)))
	}
	got, _ := floatScalar(f)
	return got.text, nil
}

// isShortInteger recognizes what nearly all numbers are: a whole one that is
// its own canonical form.
func isShortInteger(text string) bool {
	digits := strings.TrimPrefix(text, "-")
	if len(digits) == 0 || len(digits) > 18 || digits[0] == '0' && len(text) > 1 {
		return false
	}
	for i := range len(digits) {
		if digits[i] < '0' || digits[i] > '9' {
			return false
		}
	}
	return true
}

func (r *jsonReader) literal(n *Node) *syntaxError {
	start := r.pos
	for r.pos < r.doc.end && strings.IndexByte(" \t\r\n,:{}[]\"", r.text[r.pos]) < 0 {
		r.pos++
	}
	if r.pos == start {
		_, size := utf8.DecodeRuneInString(r.text[r.pos:])
		return r.failAt(start, start+size, fmt.Sprintf("a value is expected here, not %s", r.text[start:start+size]))
	}
	switch word := r.text[start:r.pos]; word {
	case "true", "false":
		n.kind, n.text = Bool, word
	case "null":
		n.kind = Null
	default:
		return r.failAt(start, r.pos, fmt.Sprintf("%s is not a value in JSON; text must stand in double quotes", shorten(word)))
	}
	return nil
}

// fail reports the character at the place, or the last one of the text.
func (r *jsonReader) fail(message string) *syntaxError {
	if r.pos >= r.doc.end {
		end := r.pos
		for end > r.doc.start && strings.IndexByte(" \t\r\n", r.text[end-1]) >= 0 {
			end--
		}
		return r.failAt(end, end, message)
	}
	_, size := utf8.DecodeRuneInString(r.text[r.pos:])
	return r.failAt(r.pos, r.pos+size, message)
}

func (r *jsonReader) failAt(start, end int, message string) *syntaxError {
	return &syntaxError{"json-syntax", start, end, message}
}
