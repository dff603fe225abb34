package assist

import (
	"bytes"
	"slices"
	"strings"
)

// A sketch is what a text seems to say. It is drawn from indentation, dashes
// and brackets alone, so that there is one of a text that nobody can parse at
// the moment, as every text is in which somebody writes. What it says of a
// correct text is what a parser says, but for anchors, which it does not
// follow.

// node is an entry of a map, an item of a list, or a whole document.
type node struct {
	parent *node
	kids   []*node
	item   bool
	// loose is set for a word without a colon where a key should be.
	loose bool
	key   string
	// keyStart and keyEnd are where the key stands, quotes included.
	keyStart, keyEnd int
	// col is the column, in bytes, of the key or the dash; -1 for documents.
	col int
	// from and till bound what belongs to an entry or item in brackets: up
	// to the comma, or to the bracket.
	from, till int
	// start and end are where a scalar stands, quotes included, or what is in
	// brackets, those included; start is -1 where there is neither.
	start, end int
	value      string // of a scalar, without quotes
	quote      byte   // around the scalar: ' or ", or | or > for a block
	bracket    byte   // { or [
}

// document is one document of the text.
type document struct {
	start, end int
	roots      []*node
}

type sketcher struct {
	text  []byte
	lines []int // where each starts; one more for the end of the text
	stack []*node
	doc   *document
	root  *node
	first int // of the document's lines, last the one behind it
	last  int
}

// maxDepth is how deep what is drawn may be nested.
const maxDepth = 100

// linesOf finds where lines start.
func linesOf(text []byte) []int {
	lines := []int{0}
	for i, c := range text {
		if c == '\n' {
			lines = append(lines, i+1)
		}
	}
	return append(lines, len(text)+1)
}

// sketch draws a text, whose lines are known.
func sketch(text []byte, lines []int) []*document {
	s := &sketcher{text: text, lines: lines}
	var docs []*document
	begin := 0
	for i := 0; i < len(lines)-1; i++ {
		if l := s.line(i); separates(l) {
			docs = append(docs, s.document(begin, i))
			begin = i + 1
		}
	}
	return append(docs, s.document(begin, len(lines)-1))
}

func separates(line []byte) bool {
	for _, marker := range []string{"---", "..."} {
		if rest, ok := bytes.CutPrefix(line, []byte(marker)); ok && (len(rest) == 0 || rest[0] == ' ' || rest[0] == '\t') {
			return true
		}
	}
	return false
}

func (s *sketcher) lineEnd(i int) int {
	end := min(s.lines[i+1]-1, len(s.text))
	if end > s.lines[i] && s.text[end-1] == '\r' {
		end--
	}
	return end
}

func (s *sketcher) line(i int) []byte { return s.text[s.lines[i]:s.lineEnd(i)] }

// lineOf is the line, from 0, that an offset is in.
func lineOf(lines []int, offset int) int {
	i, found := slices.BinarySearch(lines[:len(lines)-1], offset)
	if !found {
		i--
	}
	return i
}

func (s *sketcher) document(first, last int) *document {
	s.first, s.last = first, last
	s.doc = &document{start: s.lines[first], end: min(s.lines[last], len(s.text))}
	if last == first {
		s.doc.end = s.doc.start
	}
	s.open()
	for i := first; i < last; {
		i = s.read(i)
	}
	return s.doc
}

// open starts a root.
func (s *sketcher) open() {
	s.root = &node{col: -1, start: -1, from: s.doc.start, till: s.doc.end}
	s.doc.roots = append(s.doc.roots, s.root)
	s.stack = []*node{s.root}
}

func (s *sketcher) top() *node { return s.stack[len(s.stack)-1] }

// add puts a node under the one on top, and on top of it.
func (s *sketcher) add(n *node) *node {
	parent := s.top()
	n.parent, n.start = parent, -1
	parent.kids = append(parent.kids, n)
	s.stack = append(s.stack, n)
	return n
}

// read reads a line, and those that belong to a value that begins there. It
// returns the next line.
func (s *sketcher) read(i int) int {
	begin, end := s.lines[i], s.lineEnd(i)
	at := s.skip(begin, end)
	if at == end || s.text[at] == '#' {
		return i + 1
	}
	if s.text[at] == '{' || s.text[at] == '[' {
		if at == begin && (len(s.root.kids) > 0 || s.root.start >= 0) && s.root.bracket != 0 {
			s.open() // one JSON value behind the other
		}
		if len(s.stack) == 1 && s.root.start < 0 && len(s.root.kids) == 0 {
			return s.brackets(s.root, at, i)
		}
	}
	fresh := false // the node on top began on this line
	for {
		col := at - begin
		if len(s.stack) > maxDepth {
			return s.word(at, i)
		}
		if s.text[at] == '-' && (at+1 == end || s.text[at+1] == ' ') {
			for s.top().col > col || s.top().col == col && s.top().item {
				s.stack = s.stack[:len(s.stack)-1]
			}
			s.add(&node{item: true, col: col, from: at, till: end, keyStart: at, keyEnd: at + 1})
			fresh = true
			if at = s.skip(at+1, end); at == end || s.text[at] == '#' {
				return i + 1
			}
			continue
		}
		if key, keyEnd, after, ok := s.key(at, end); ok {
			for s.top().col >= col {
				s.stack = s.stack[:len(s.stack)-1]
			}
			n := s.add(&node{key: key, keyStart: at, keyEnd: keyEnd, col: col, from: at, till: end})
			return s.scalar(n, after, i)
		}
		if fresh {
			return s.scalar(s.top(), at, i)
		}
		return s.word(at, i)
	}
}

// word takes a line without a key: the rest of a long value, or a key that is
// being written.
func (s *sketcher) word(at, i int) int {
	col, end := at-s.lines[i], s.lineEnd(i)
	text := bytes.TrimRight(s.text[at:end], " \t")
	for s.top().col >= col {
		s.stack = s.stack[:len(s.stack)-1]
	}
	top := s.top()
	if top.start >= 0 && top.quote == 0 && top.bracket == 0 {
		top.end = at + len(text)
		return i + 1
	}
	n := s.add(&node{loose: true, key: string(text), keyStart: at, keyEnd: at + len(text), col: col, from: at, till: end})
	s.stack = s.stack[:len(s.stack)-1]
	if len(n.key) > 0 && (n.key[0] == '"' || n.key[0] == '\'') {
		n.key = n.key[1:]
	}
	return i + 1
}

func (s *sketcher) skip(at, end int) int {
	for at < end && (s.text[at] == ' ' || s.text[at] == '\t') {
		at++
	}
	return at
}

// key reads a key with its colon.
func (s *sketcher) key(at, end int) (key string, keyEnd, after int, ok bool) {
	if c := s.text[at]; c == '"' || c == '\'' {
		close := s.closing(at, end)
		if close < 0 {
			return "", 0, 0, false
		}
		colon := s.skip(close, end)
		if colon < end && s.text[colon] == ':' {
			return unquote(s.text[at:close]), close, colon + 1, true
		}
		return "", 0, 0, false
	}
	for p := at; p < end; p++ {
		switch s.text[p] {
		case ':':
			if p+1 == end || s.text[p+1] == ' ' || s.text[p+1] == '\t' {
				if p == at {
					return "", 0, 0, false
				}
				return string(bytes.TrimRight(s.text[at:p], " \t")), p, p + 1, true
			}
		case '#':
			if p > at && s.text[p-1] == ' ' {
				return "", 0, 0, false
			}
		case '{', '[':
			if p == at {
				return "", 0, 0, false
			}
		}
	}
	return "", 0, 0, false
}

// closing is the place behind the quote that ends a string; -1 if there is
// none before the end.
func (s *sketcher) closing(at, end int) int {
	quote := s.text[at]
	for p := at + 1; p < end; p++ {
		switch c := s.text[p]; {
		case c == '\\' && quote == '"':
			p++
		case c == quote && quote == '\'' && p+1 < end && s.text[p+1] == '\'':
			p++
		case c == quote:
			return p + 1
		}
	}
	return -1
}

// unquote takes the quotes from a string; what is escaped stays so, but for
// quotes.
func unquote(text []byte) string {
	if len(text) < 2 {
		return ""
	}
	inner := string(text[1 : len(text)-1])
	if text[0] == '\'' {
		return strings.ReplaceAll(inner, "''", "'")
	}
	return strings.NewReplacer(`\"`, `"`, `\\`, `\`, `\/`, `/`).Replace(inner)
}

// scalar reads the value of a node that begins on a line, behind at. It
// returns the next line.
func (s *sketcher) scalar(n *node, at, i int) int {
	end := s.lineEnd(i)
	for at = s.skip(at, end); at < end && (s.text[at] == '&' || s.text[at] == '!'); at = s.skip(at, end) {
		for at < end && s.text[at] != ' ' {
			at++
		}
	}
	if at == end || s.text[at] == '#' {
		return i + 1
	}
	switch c := s.text[at]; c {
	case '{', '[':
		return s.brackets(n, at, i)
	case '|', '>':
		return s.block(n, at, i)
	case '"', '\'':
		return s.quoted(n, at, i)
	}
	stop := end
	for p := at + 1; p < end; p++ {
		if s.text[p] == '#' && s.text[p-1] == ' ' {
			stop = p
			break
		}
	}
	text := bytes.TrimRight(s.text[at:stop], " \t")
	n.start, n.end, n.value = at, at+len(text), string(text)
	return i + 1
}

// block reads a block scalar: the lines that are deeper than its owner.
func (s *sketcher) block(n *node, at, i int) int {
	n.quote, n.start = s.text[at], at
	n.end = s.lineEnd(i)
	next := i + 1
	for j := i + 1; j < s.last; j++ {
		begin, end := s.lines[j], s.lineEnd(j)
		switch text := s.skip(begin, end); {
		case text == end:
			continue // blank: part of it if something follows
		case text-begin <= n.col && !(n.col < 0):
			n.value = string(s.text[min(s.lines[i+1], n.end):n.end])
			return next
		}
		n.end, next = end, j+1
	}
	n.value = string(s.text[min(s.lines[i+1], n.end):n.end])
	return next
}

// quoted reads a string in quotes. One that is not closed ends with its line,
// unless the lines below are deeper.
func (s *sketcher) quoted(n *node, at, i int) int {
	n.quote, n.start = s.text[at], at
	if close := s.closing(at, s.reach(n, i)); close >= 0 {
		n.end, n.value = close, unquote(s.text[at:close])
		return lineOf(s.lines, close-1) + 1
	}
	n.end = s.lineEnd(i)
	n.value = string(s.text[at+1 : n.end])
	return i + 1
}
