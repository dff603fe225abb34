package bundle

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// yamlReader turns the tree of the YAML library into ours: it gives scalars
// the meaning that kubectl gives them, resolves aliases and merge keys, and
// finds where each value ends.
type yamlReader struct {
	doc    *document
	build  *builder
	text   []byte // of the document alone
	lines  []int  // offsets in text where the library's lines start
	budget *budget
	depth  int
	// shared holds what anchors stand for; nil while the anchored value is
	// being read, so that a value cannot hold itself.
	shared map[*yaml.Node]*sharedNode
	// The last place that was looked up. Nodes come in order, so that the
	// work for columns stays linear in long lines.
	lastLine, lastColumn, lastOffset int
}

type sharedNode struct {
	node         *Node
	nodes, bytes int
}

// readYAML reads one document. The node is nil when the document is empty.
func readYAML(doc *document, b *budget) (*Node, *syntaxError) {
	text := doc.src.text[doc.start:doc.end]
	if at := tooManyValues(text, b.nodes); at >= 0 {
		return nil, b.tooMany(doc.start + at)
	}
	root, err := parseYAML(text)
	if err != nil {
		return nil, explainSyntax(doc, text, err)
	}
	if root == nil || len(root.Content) == 0 {
		return nil, nil
	}
	if doc.build == nil {
		doc.build = &builder{}
	}
	doc.build.items, doc.build.entries = doc.build.items[:0], doc.build.entries[:0]
	r := &yamlReader{doc: doc, build: doc.build, text: text, lines: yamlLines(text), budget: b, shared: map[*yaml.Node]*sharedNode{}}
	n, _, syntax := r.read(root.Content[0])
	if syntax != nil {
		return nil, syntax
	}
	return n, nil
}

// parseYAML parses one document. The library promises errors, not panics;
// this does not rely on it.
func parseYAML(text []byte) (root *yaml.Node, err error) {
	defer func() {
		if p := recover(); p != nil {
			root, err = nil, fmt.Errorf("yaml: %v", p)
		}
	}()
	d := yaml.NewDecoder(bytes.NewReader(text))
	root = &yaml.Node{}
	if err := d.Decode(root); errors.Is(err, io.EOF) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	// A value may be followed by nothing: kubectl would not see it.
	if err := d.Decode(&yaml.Node{}); errors.Is(err, io.EOF) {
		return root, nil
	} else if err != nil {
		return nil, err
	}
	return nil, errors.New("yaml: did not find expected <document start>")
}

// yamlLines finds the lines as the YAML library counts them: it breaks lines
// at NEL, LS and PS as well.
func yamlLines(text []byte) []int {
	lines := []int{0}
	for i := 0; i < len(text); {
		c, size := rune(text[i]), 1
		if c >= utf8.RuneSelf {
			c, size = utf8.DecodeRune(text[i:])
		}
		i += size
		switch c {
		case '\r':
			if i < len(text) && text[i] == '\n' {
				continue
			}
			lines = append(lines, i)
		case '\n', '\u0085', '\u2028', '\u2029':
			lines = append(lines, i)
		}
	}
	return lines
}

// offset turns the library's line and column into an offset in the document;
// -1 if there is no such place.
func (r *yamlReader) offset(line, column int) int {
	if line < 1 || line > len(r.lines) || column < 1 {
		return -1
	}
	at, pos := 1, r.lines[line-1]
	if line == r.lastLine && column >= r.lastColumn {
		at, pos = r.lastColumn, r.lastOffset
	}
	for ; at < column; at++ {
		if pos >= len(r.text) {
			return -1
		}
		_, size := utf8.DecodeRune(r.text[pos:])
		pos += size
	}
	r.lastLine, r.lastColumn, r.lastOffset = line, column, pos
	return pos
}

// read converts a node. It returns the offset behind the node as written,
// which for an alias is not the end of what it stands for.
func (r *yamlReader) read(y *yaml.Node) (*Node, int, *syntaxError) {
	start := r.offset(y.Line, y.Column)
	if y.Kind == yaml.AliasNode {
		n, err := r.alias(y, start)
		if start >= 0 {
			start += 1 + len(y.Value)
		}
		return n, start, err
	}
	if err := r.budget.node(r.doc, r.absolute(start)); err != nil {
		return nil, 0, err
	}
	before := *r.budget
	n := r.build.node(r.doc)
	if y.Anchor != "" {
		r.shared[y] = nil
	}
	content := r.skipProperties(start, y)
	var err *syntaxError
	switch y.Kind {
	case yaml.ScalarNode:
		err = r.scalar(n, y, content)
	case yaml.SequenceNode, yaml.MappingNode:
		if r.depth++; r.depth > r.budget.depth {
			return nil, 0, r.budget.tooDeep(r.absolute(start))
		}
		err = r.collection(n, y, content)
		r.depth--
	}
	if err != nil {
		return nil, 0, err
	}
	if y.Anchor != "" {
		r.shared[y] = &sharedNode{n, before.nodes - r.budget.nodes + 1, before.bytes - r.budget.bytes}
	}
	end := n.end
	if n.start >= 0 {
		n.start += r.doc.start
		n.end += r.doc.start
	}
	return n, end, nil
}

func (r *yamlReader) absolute(offset int) int { return max(offset, 0) + r.doc.start }

func (r *yamlReader) alias(y *yaml.Node, start int) (*Node, *syntaxError) {
	target := r.shared[y.Alias]
	at := r.absolute(start)
	if target == nil {
		return nil, &syntaxError{"yaml-alias", at, at, fmt.Sprintf("*%s stands inside the value that it stands for; a value cannot hold itself", shorten(y.Value))}
	}
	if err := r.budget.expand(at, target.nodes, target.bytes); err != nil {
		return nil, err
	}
	return target.node, nil
}

func (r *yamlReader) scalar(n *Node, y *yaml.Node, content int) *syntaxError {
	n.start, n.end = scalarExtent(r.text, content, y)
	switch {
	case y.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) != 0:
		n.style = quotedStyle
	case y.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0:
		n.style = blockStyle
	}
	got, ok := r.resolve(y, n.style)
	if !ok {
		start, end := r.absolute(n.start), r.absolute(n.end)
		message := fmt.Sprintf("%s is no number that JSON can hold; if it is text, put it in quotes", shorten(y.Value))
		if y.Style&yaml.TaggedStyle != 0 {
			message = fmt.Sprintf("%s does not fit its tag %s; remove the tag", shorten(y.Value), shorten(y.Tag))
		}
		r.doc.problem("yaml-value", start, end, message)
	}
	n.kind, n.text = got.kind, r.written(n, got.text)
	if r.budget.bytes -= len(n.text); r.budget.bytes < 0 {
		return r.budget.tooMany(r.absolute(content))
	}
	return nil
}

// written returns the same text as a part of the source where it stands there
// as it is, so that the library's copy of it can go.
func (r *yamlReader) written(n *Node, text string) string {
	start := r.absolute(n.start)
	if n.style == quotedStyle {
		start++
	}
	if rest := r.doc.src.str[start:]; n.start >= 0 && strings.HasPrefix(rest, text) {
		return rest[:len(text)]
	}
	return text
}

func (r *yamlReader) resolve(y *yaml.Node, s style) (scalar, bool) {
	switch {
	case y.Style&yaml.TaggedStyle != 0:
		return resolveTagged(y.Tag, y.Value)
	case s != plainStyle || r.bareTag(y):
		return scalar{kind: String, text: y.Value}, true
	}
	return resolvePlain(y.Value)
}

// bareTag finds the tag "!", which makes a string of a plain scalar and which
// the library does not hand on.
func (r *yamlReader) bareTag(y *yaml.Node) bool {
	start := r.offset(y.Line, y.Column)
	if start >= 0 && start < len(r.text) && r.text[start] == '&' {
		start = skipSpace(r.text, start+1+len(y.Anchor))
	}
	if start < 0 || start >= len(r.text) || r.text[start] != '!' {
		return false
	}
	rest := bytes.TrimPrefix(r.text[start+1:], []byte("<!>")) // the same, written out
	return len(rest) == 0 || strings.IndexByte(" \t\r\n,", rest[0]) >= 0
}

func (r *yamlReader) collection(n *Node, y *yaml.Node, content int) *syntaxError {
	n.start, n.style = content, blockStyle
	if y.Style&yaml.FlowStyle != 0 {
		n.style = flowStyle
	}
	last := content
	var err *syntaxError
	if y.Kind == yaml.SequenceNode {
		n.kind = List
		base := len(r.build.items)
		for _, child := range y.Content {
			var item *Node
			if item, last, err = r.read(child); err != nil {
				return err
			}
			r.build.items = append(r.build.items, item)
		}
		r.build.collection(n, r.build.takeItems(base), nil)
	} else {
		n.kind = Map
		if last, err = r.entries(n, y, content); err != nil {
			return err
		}
	}
	n.end = last
	if n.style == flowStyle {
		n.end = flowEnd(r.text, n.start, last, len(y.Content) == 0)
	}
	if n.end < n.start || n.start < 0 {
		n.start, n.end = -1, -1
	}
	return nil
}

func (r *yamlReader) entries(n *Node, y *yaml.Node, content int) (last int, err *syntaxError) {
	seen := index{base: len(r.build.entries)}
	last = content
	for i := 0; i+1 < len(y.Content); i += 2 {
		keyNode, valueNode := y.Content[i], y.Content[i+1]
		key, err := r.key(keyNode)
		if err != nil {
			return 0, err
		}
		var value *Node
		if value, last, err = r.read(valueNode); err != nil {
			return 0, err
		}
		if isMerge(keyNode) {
			if err := r.merge(n, &seen, value, valueNode, key); err != nil {
				return 0, err
			}
			continue
		}
		key.Value = value
		r.build.put(n, &seen, key, true)
	}
	r.build.collection(n, nil, r.build.takeEntries(seen.base))
	return last, nil
}

func isMerge(y *yaml.Node) bool {
	return y.Kind == yaml.ScalarNode && y.Value == "<<" && (y.Tag == "!!merge" || y.Tag == "") && y.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) == 0
}

// key reads the key of an entry. Only scalars can be keys in JSON.
func (r *yamlReader) key(y *yaml.Node) (Entry, *syntaxError) {
	n, _, err := r.read(y)
	if err != nil {
		return Entry{}, err
	}
	e := Entry{start: n.start, end: n.end}
	at, end := max(n.start, r.doc.start), max(n.end, r.doc.start)
	if n.kind == List || n.kind == Map {
		message := "a key must be a scalar, not " + n.kind.String()
		if bytes.HasPrefix(r.doc.src.text[at:], []byte("{")) && n.style == flowStyle {
			message += "; if this is {{ a template }}, render it first"
		}
		return e, &syntaxError{"yaml-value", at, at, message}
	}
	scalarNode := y
	if y.Kind == yaml.AliasNode {
		scalarNode = y.Alias
	}
	got, _ := r.resolve(scalarNode, n.style)
	key, ok := got.keyText()
	if !ok {
		r.doc.problem("yaml-value", at, end, fmt.Sprintf("the key %q cannot be a key in JSON; put it in quotes", shorten(scalarNode.Value)))
		key = scalarNode.Value
	}
	if got.kind == Bool && got.text != scalarNode.Value {
		r.doc.problems = append(r.doc.problems, problem{
			rule: "boolean-key", start: at, end: end, warning: true,
			message: fmt.Sprintf("the unquoted key %s means %s in YAML 1.1, and kubectl sends that; write %q", scalarNode.Value, key, scalarNode.Value),
		})
	}
	if e.Key = key; key == n.text {
		e.Key = n.text // the same, without holding on to the library's copy
	}
	return e, nil
}

// merge takes over the entries of a map, or of each map of a list, for the
// key "<<".
func (r *yamlReader) merge(n *Node, seen *index, value *Node, y *yaml.Node, key Entry) *syntaxError {
	from := []*Node{value}
	if y.Kind == yaml.SequenceNode {
		from = value.list
	}
	for i := len(from) - 1; i >= 0; i-- {
		if from[i].kind != Map {
			at, end := max(key.start, r.doc.start), max(key.end, r.doc.start)
			return &syntaxError{"yaml-value", at, end, "<< takes a map, or a list of maps, to merge"}
		}
		for _, e := range from[i].entries {
			e.merged = true
			r.build.put(n, seen, e, false)
		}
	}
	return nil
}
