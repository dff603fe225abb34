package cluster

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/drawbridge-dra/drawbridge/input"
)

// File is a file to lay over what was read.
type File struct {
	Name string
	Text []byte
}

// Laid is what there would be if files had been applied.
type Laid struct {
	// Files are the objects of the cluster, each as a file with the name that
	// kubectl gives it, and the documents of the files; one that replaces an
	// object stands where that was.
	Files []*input.File
	// Beside are the names of those that are of the cluster.
	Beside map[string]bool
	// Replaced is how many objects of the cluster gave way.
	Replaced int
	// Notes say which files could not be compared with the cluster.
	Notes []string
}

// fileName names an object as kubectl does.
func fileName(k *kind, namespace, name string) string {
	return strings.Trim(strings.ToLower(k.name)+"/"+namespace, "/") + "/" + name
}

// Lay puts files over what was read: an object of a file takes the place of
// that with the same kind, namespace and name. What the cluster writes and the
// file leaves out stays, as it would if the file were applied: the status, the
// UID, and the node of a pod. Objects without a namespace are of the one that
// is given.
func (s *Snapshot) Lay(files []File, namespace string) *Laid {
	l := &laying{out: &Laid{Beside: map[string]bool{}}, live: map[string]int{}, namespace: namespace, instead: map[int][]*input.File{}, gone: map[int]bool{}, s: s}
	for i := range s.objects {
		l.live[s.objects[i].file()] = i
	}
	var last []*input.File
	for _, f := range files {
		for _, d := range documents(f.Text) {
			made, at := l.document(f.Name, d)
			if at >= 0 {
				l.instead[at] = append(l.instead[at], made)
			} else {
				last = append(last, made)
			}
		}
	}
	for i := range s.objects {
		l.out.Files = append(l.out.Files, l.instead[i]...)
		if o := &s.objects[i]; !l.gone[i] {
			name := o.file()
			l.out.Files = append(l.out.Files, input.Made(name, o.text))
			l.out.Beside[name] = true
		}
	}
	l.out.Replaced = len(l.gone)
	l.out.Files = append(l.out.Files, last...)
	return l.out
}

// document is a part of a file, with the lines before it.
type document struct {
	text []byte
	from int
}

// documents splits a text where documents begin. One with directives stays
// whole: they belong to what follows them.
func documents(text []byte) []document {
	lines := bytes.SplitAfter(text, []byte("\n"))
	for _, line := range lines {
		if bytes.HasPrefix(line, []byte("%")) {
			return []document{{text, 0}}
		}
	}
	var out []document
	start, first := 0, 0
	at := 0
	for n, line := range lines {
		rest, begins := bytes.CutPrefix(line, []byte("---"))
		if begins && n > first && (len(rest) == 0 || bytes.IndexByte([]byte(" \t\r\n"), rest[0]) >= 0) {
			out = append(out, document{text[start:at], first})
			start, first = at, n
		}
		at += len(line)
	}
	return append(out, document{text[start:], first})
}

// laying is the work of Lay.
type laying struct {
	s         *Snapshot
	out       *Laid
	live      map[string]int // by name of the file
	namespace string
	instead   map[int][]*input.File
	gone      map[int]bool
}

// document makes a file of a document, and says whose place it takes first; -1
// for nobody's.
func (l *laying) document(name string, d document) (made *input.File, at int) {
	var root yaml.Node
	if err := yaml.Unmarshal(d.text, &root); err != nil {
		l.out.Notes = append(l.out.Notes, fmt.Sprintf("%s:%d: this document cannot be read as YAML, so what it holds takes no object's place", name, d.from+1))
		return input.MadePart(name, d.text, d.from, nil), -1
	}
	at = -1
	var inserts []input.Insert
	lines := strings.Split(string(d.text), "\n")
	for _, o := range objectsOf(&root) {
		more, i, ok := l.object(o, lines)
		if !ok {
			l.out.Notes = append(l.out.Notes, fmt.Sprintf("%s:%d: what the cluster writes into this object itself cannot be put into the way in which it is written here; write one key on each line", name, d.from+o.Line))
			continue
		}
		inserts = append(inserts, more...)
		if i >= 0 && at < 0 {
			at = i
		}
	}
	return input.MadePart(name, d.text, d.from, inserts), at
}

// objectsOf are the objects of a document: one, or those of a list.
func objectsOf(n *yaml.Node) (out []*yaml.Node) {
	switch {
	case n.Kind == yaml.DocumentNode, n.Kind == yaml.SequenceNode:
		for _, c := range n.Content {
			out = append(out, objectsOf(c)...)
		}
	case n.Kind != yaml.MappingNode:
	case value(n, "items") != nil && strings.HasSuffix(word(value(n, "kind")), "List"):
		return objectsOf(value(n, "items"))
	default:
		return []*yaml.Node{n}
	}
	return out
}

// value is what a mapping has for a key; nil for nothing.
func value(n *yaml.Node, key string) *yaml.Node {
	if n == nil || n.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return n.Content[i+1]
		}
	}
	return nil
}

func word(n *yaml.Node) string {
	if n == nil || n.Kind != yaml.ScalarNode {
		return ""
	}
	return n.Value
}

// object finds whose place an object of a file takes, and what has to be added
// to it. It is not ok if that cannot be.
func (l *laying) object(n *yaml.Node, lines []string) (inserts []input.Insert, at int, ok bool) {
	k := kindOf(word(value(n, "apiVersion")), word(value(n, "kind")))
	metadata := value(n, "metadata")
	name := word(value(metadata, "name"))
	if k == nil || name == "" {
		return nil, -1, true
	}
	namespace := ""
	var missing []addition
	if k.namespaced {
		if namespace = word(value(metadata, "namespace")); namespace == "" {
			namespace = l.namespace
			missing = append(missing, addition{metadata, "namespace", namespace})
		}
	}
	at, known := l.live[fileName(k, namespace, name)]
	if known && !l.gone[at] {
		l.gone[at] = true
		missing = append(missing, kept(&l.s.objects[at], n)...)
	} else {
		at = -1
	}
	for _, m := range missing {
		in, ok := m.insert(lines)
		if !ok {
			return nil, at, false
		}
		inserts = append(inserts, in)
	}
	return inserts, at, true
}

// kept is what a cluster has written into an object and a file does not say.
func kept(live *object, n *yaml.Node) (out []addition) {
	keep := func(parent *yaml.Node, from map[string]any, key string) {
		if from[key] != nil && parent != nil && value(parent, key) == nil {
			out = append(out, addition{parent, key, from[key]})
		}
	}
	metadata, _ := live.tree["metadata"].(map[string]any)
	for _, key := range []string{"uid", "creationTimestamp"} {
		keep(value(n, "metadata"), metadata, key)
	}
	if live.kind.name == "Pod" {
		spec, _ := live.tree["spec"].(map[string]any)
		for _, key := range []string{"nodeName", "priority"} {
			keep(value(n, "spec"), spec, key)
		}
	}
	keep(n, live.tree, "status")
	return out
}

// addition is a key that a mapping gets.
type addition struct {
	parent *yaml.Node
	key    string
	value  any
}

// insert says where a key can be put into the text of a mapping: before a key
// that begins its line, or behind the brace.
func (a addition) insert(lines []string) (input.Insert, bool) {
	raw, err := json.Marshal(a.value)
	if err != nil || len(a.parent.Content) == 0 {
		return input.Insert{}, false
	}
	before := func(n *yaml.Node) string { // the line that it stands on, up to it
		if n.Line > len(lines) {
			return "?"
		}
		line := []rune(strings.TrimPrefix(lines[n.Line-1], "\uFEFF"))
		return string(line[:min(n.Column-1, len(line))])
	}
	if a.parent.Style&yaml.FlowStyle != 0 {
		line := []rune(before(&yaml.Node{Line: a.parent.Line, Column: a.parent.Column + 1}))
		in := input.Insert{Line: a.parent.Line, After: a.parent.Column, Text: fmt.Sprintf("%q: %s,", a.key, raw)}
		return in, len(line) > 0 && line[len(line)-1] == '{'
	}
	// The first key may stand behind a dash.
	for i := 0; i < len(a.parent.Content) && i < 4; i += 2 {
		if key := a.parent.Content[i]; strings.Trim(before(key), " ") == "" {
			return input.Insert{Line: key.Line, Text: fmt.Sprintf("%s%s: %s", before(key), a.key, raw)}, true
		}
	}
	return input.Insert{}, false
}
