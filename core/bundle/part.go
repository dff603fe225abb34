package bundle

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/drawbridge-dra/drawbridge/core/diag"
)

// Part finds the place of a piece of a string: the bytes from start to end of
// Text, say of an identifier in an expression. Escapes in quotes, and the
// line breaks and indentation of block scalars, are seen through. It is the
// place of the whole value where the piece cannot be told.
func (n *Node) Part(start, end int) *diag.Location {
	if n.Kind() != String || n.start < 0 || start < 0 || end < start || end > len(n.text) {
		return n.Location()
	}
	m := matcher{text: n.doc.src.text[n.start:n.end]}
	m.open(n.style)
	from, to := -1, -1
	for i := 0; i < len(n.text); {
		c, size := utf8.DecodeRuneInString(n.text[i:])
		before, after, ok := m.next(c)
		if !ok {
			return n.Location()
		}
		if i <= start && start < i+size {
			from = before
		}
		if i < end && end <= i+size {
			to = after
		}
		i += size
	}
	if start == end && from >= 0 {
		to = from
	}
	if from < 0 || to < from {
		return n.Location()
	}
	return n.doc.location(n.start+from, n.start+to)
}

// matcher walks over a scalar as written, character by character of its
// value. Characters other than white space are the same in both.
type matcher struct {
	text  []byte
	pos   int
	quote byte // the quote around the value; 0 if there is none
	// The last white space that was stepped over, so that a long run of it
	// is not read again for each of its characters.
	blankFrom, blankTo int
}

// open steps over the opening quote, or the header of a block scalar.
func (m *matcher) open(s style) {
	switch {
	case s == quotedStyle && len(m.text) > 0:
		m.quote = m.text[0]
		m.pos = 1
	case s == blockStyle:
		m.pos = lineEndAt(m.text, 0)
	}
}

// next matches one character of the value. It returns where that stands.
func (m *matcher) next(c rune) (start, end int, ok bool) {
	at := m.skipBlank()
	got, size := m.decode(at)
	switch {
	case got == c && size > 0:
		m.pos = at + size
		return at, m.pos, true
	case isBlank(c):
		// Written as white space, perhaps folded into another amount of it.
		return m.pos, m.pos, true
	}
	return 0, 0, false
}

// skipBlank steps over white space as written, and over escaped line breaks.
func (m *matcher) skipBlank() int {
	if m.blankTo > 0 && m.blankFrom == m.pos {
		return m.blankTo
	}
	at := m.pos
	for at < len(m.text) {
		c, size := utf8.DecodeRune(m.text[at:])
		if c == '\\' && m.quote == '"' && at+1 < len(m.text) && (m.text[at+1] == '\n' || m.text[at+1] == '\r') {
			at += 2
			continue
		}
		if !isBlank(c) {
			break
		}
		at += size
	}
	m.blankFrom, m.blankTo = m.pos, at
	return at
}

// escapes are those of YAML with a single character; JSON has a part of them.
var escapes = map[byte]rune{
	'0': 0, 'a': '\a', 'b': '\b', 't': '\t', '\t': '\t', 'n': '\n', 'v': '\v', 'f': '\f', 'r': '\r', 'e': 0x1B,
	' ': ' ', '"': '"', '/': '/', '\\': '\\', 'N': 0x85, '_': 0xA0, 'L': 0x2028, 'P': 0x2029,
}

// decode reads the character that stands at a place; its size in the text is
// 0 if there is none.
func (m *matcher) decode(at int) (rune, int) {
	if at >= len(m.text) {
		return 0, 0
	}
	c, size := utf8.DecodeRune(m.text[at:])
	switch {
	case c == '\'' && m.quote == '\'':
		if !strings.HasPrefix(string(m.text[at:min(at+2, len(m.text))]), "''") {
			return 0, 0
		}
		return '\'', 2
	case c == '\\' && m.quote == '"':
		return m.escape(at)
	}
	return c, size
}

func (m *matcher) escape(at int) (rune, int) {
	if at+1 >= len(m.text) {
		return 0, 0
	}
	digits := map[byte]int{'x': 2, 'u': 4, 'U': 8}[m.text[at+1]]
	if digits == 0 {
		c, ok := escapes[m.text[at+1]]
		if !ok {
			return 0, 0
		}
		return c, 2
	}
	code, size := m.hex(at+2, digits)
	if size == 0 {
		return 0, 0
	}
	// Characters beyond 16 bits are two escapes in JSON.
	if code >= 0xD800 && code < 0xDC00 && at+8 <= len(m.text) && string(m.text[at+6:at+8]) == "\\u" {
		if low, n := m.hex(at+8, 4); n > 0 && low >= 0xDC00 && low < 0xE000 {
			return 0x10000 + (code-0xD800)<<10 + (low - 0xDC00), 12
		}
	}
	return code, 2 + digits
}

func (m *matcher) hex(at, digits int) (rune, int) {
	if at+digits > len(m.text) {
		return 0, 0
	}
	code, err := strconv.ParseUint(string(m.text[at:at+digits]), 16, 32)
	if err != nil {
		return 0, 0
	}
	return rune(code), digits
}
