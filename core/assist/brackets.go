package assist

import "bytes"

// brackets reads what stands in brackets, JSON included. What is not closed
// ends before a line that is not deeper than its owner and is no bracket. It
// returns the next line.
func (s *sketcher) brackets(n *node, at, i int) int {
	r := &bracketReader{s: s, pos: at, stop: s.reach(n, i)}
	r.push(n)
	for r.pos < r.stop && len(r.stack) > 0 {
		r.step()
	}
	for len(r.stack) > 0 {
		r.pop(r.stop)
	}
	return max(i+1, lineOf(s.lines, max(0, min(r.pos, r.stop)-1))+1)
}

// reach is how far an open bracket may reach.
func (s *sketcher) reach(n *node, i int) int {
	for j := i + 1; j < s.last && n.col >= 0; j++ {
		begin, end := s.lines[j], s.lineEnd(j)
		text := s.skip(begin, end)
		if text < end && text-begin <= n.col && !bytes.ContainsRune([]byte("]},#"), rune(s.text[text])) {
			return begin
		}
	}
	return s.doc.end
}

type bracketReader struct {
	s         *sketcher
	pos, stop int
	stack     []*node
	// entry is the one of the innermost bracket that is being read.
	entry []*node
	// colon is set when the entry's colon has been read.
	colon []bool
}

// push opens a bracket that is the value of a node.
func (r *bracketReader) push(n *node) {
	n.bracket, n.start = r.s.text[r.pos], r.pos
	r.stack, r.entry, r.colon = append(r.stack, n), append(r.entry, nil), append(r.colon, false)
	r.pos++
}

func (r *bracketReader) pop(end int) {
	last := len(r.stack) - 1
	r.finish(end)
	r.stack[last].end = end
	r.stack, r.entry, r.colon = r.stack[:last], r.entry[:last], r.colon[:last]
}

// finish ends the entry that is being read.
func (r *bracketReader) finish(at int) {
	last := len(r.stack) - 1
	if e := r.entry[last]; e != nil {
		e.till = at
		e.loose = !e.item && !r.colon[last]
	}
	r.entry[last], r.colon[last] = nil, false
}

func (r *bracketReader) step() {
	last := len(r.stack) - 1
	switch c := r.s.text[r.pos]; c {
	case ' ', '\t', '\r', '\n':
		r.pos++
	case '#':
		if r.pos > 0 && (r.s.text[r.pos-1] == ' ' || r.s.text[r.pos-1] == '\n') {
			for r.pos < r.stop && r.s.text[r.pos] != '\n' {
				r.pos++
			}
			return
		}
		r.token()
	case ',':
		r.finish(r.pos)
		r.pos++
	case ':':
		r.colon[last] = r.entry[last] != nil
		r.pos++
	case '{', '[':
		if len(r.stack) >= maxDepth {
			r.pos++
			return
		}
		r.push(r.holder())
	case '}', ']':
		r.pos++
		r.pop(r.pos)
	default:
		r.token()
	}
}

// holder is the node whose value comes next.
func (r *bracketReader) holder() *node {
	last := len(r.stack) - 1
	if e := r.entry[last]; e != nil && r.colon[last] && e.start < 0 {
		return e
	}
	r.finish(r.pos)
	parent := r.stack[last]
	n := &node{parent: parent, item: parent.bracket == '[', col: parent.col, start: -1, from: r.pos, till: r.stop, keyStart: r.pos, keyEnd: r.pos}
	parent.kids = append(parent.kids, n)
	r.entry[last] = n
	return n
}

// token reads a key or a scalar.
func (r *bracketReader) token() {
	begin := r.pos
	end, value, quote := r.word()
	r.pos = max(end, begin+1)
	n := r.holder()
	if n.item || r.colon[len(r.stack)-1] {
		n.start, n.end, n.value, n.quote = begin, end, value, quote
		return
	}
	n.key, n.keyStart, n.keyEnd, n.from = value, begin, end, begin
}

func (r *bracketReader) word() (end int, value string, quote byte) {
	s, begin := r.s, r.pos
	if c := s.text[begin]; c == '"' || c == '\'' {
		if close := s.closing(begin, r.stop); close >= 0 && (bytes.IndexByte(s.text[begin:close], '\n') < 0) {
			return close, unquote(s.text[begin:close]), c
		}
		line := min(s.lineEnd(lineOf(s.lines, begin)), r.stop)
		return max(line, begin+1), string(s.text[begin+1 : max(line, begin+1)]), c
	}
	p := begin + 1
scan:
	for ; p < r.stop; p++ {
		switch s.text[p] {
		case ',', '{', '}', '[', ']', '\n', '\r':
			break scan
		case ':':
			if p+1 >= r.stop || bytes.IndexByte([]byte(" \t\r\n,{}[]"), s.text[p+1]) >= 0 {
				break scan
			}
		case '#':
			if s.text[p-1] == ' ' {
				break scan
			}
		}
	}
	text := bytes.TrimRight(s.text[begin:p], " \t")
	return begin + len(text), string(text), 0
}
