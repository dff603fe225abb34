package bundle

import (
	"bytes"
	"encoding/json"
	"reflect"

	"go.yaml.in/yaml/v3"

	"github.com/drawbridge-dra/drawbridge/core/diag"
)

// maxRenditions bounds how many objects of one text are written anew. Who has
// more of them needs a tool rather than a message.
const maxRenditions = 10

// rendition offers the object in the shape of v1, where all of it can be
// read. The text in its place is only offered where it would fit: for an
// object that is a YAML document by itself.
func (c *collector) rendition(o *Object, s *shape) *diag.Suggestion {
	if s == nil || c.renditions == maxRenditions || c.best(o.Ref.Kind) != v1 {
		return nil
	}
	c.renditions++
	trial := *o
	d := &decoder{object: &trial, sink: newSink(Strict)}
	value := s.fresh()
	d.value(o.Raw, reflect.ValueOf(value).Elem())
	if d.failed || len(d.sink.list) > 0 {
		return nil
	}
	text, err := asYAML(s.convert(value))
	if err != nil {
		return nil
	}
	mend := &diag.Suggestion{Message: "in " + v1 + " it reads:\n" + string(text)}
	n := o.Raw
	if n.start >= 0 && n.style == blockStyle && n.doc.src.text[n.start] != '-' && n.start == n.doc.src.lines[n.doc.src.line(n.start)] {
		mend.Message = "write it in the shape of " + v1
		mend.Replacement = string(bytes.TrimSpace(text))
		mend.Location = n.Location()
	}
	return mend
}

// asYAML writes an object as people do: apiVersion first, no empty parts, no
// quotes that are not needed.
func asYAML(object any) ([]byte, error) {
	text, err := json.Marshal(object)
	if err != nil {
		return nil, err
	}
	var root yaml.Node
	if err := yaml.Unmarshal(text, &root); err != nil {
		return nil, err
	}
	plain(&root)
	for _, top := range root.Content {
		if len(top.Content) >= 4 && top.Content[2].Value == "apiVersion" {
			c := top.Content
			c[0], c[1], c[2], c[3] = c[2], c[3], c[0], c[1]
		}
	}
	var out bytes.Buffer
	e := yaml.NewEncoder(&out)
	e.SetIndent(2)
	if err := e.Encode(&root); err != nil {
		return nil, err
	}
	return out.Bytes(), e.Close()
}

// plain takes the brackets of JSON away, the quotes where kubectl reads the
// same without them, and the parts that hold nothing.
func plain(n *yaml.Node) {
	if n.Kind != yaml.ScalarNode {
		n.Style = 0
	} else if got, ok := resolvePlain(n.Value); ok && got.kind == String {
		n.Style = 0
	}
	var kept []*yaml.Node
	for i, child := range n.Content {
		plain(child)
		if n.Kind == yaml.MappingNode && i%2 == 1 {
			if key := n.Content[i-1]; !holdsNothing(key.Value, child) {
				kept = append(kept, key, child)
			}
		}
	}
	if n.Kind == yaml.MappingNode {
		n.Content = kept
	}
}

// holdsNothing recognizes what Go's types write and nobody meant.
func holdsNothing(key string, n *yaml.Node) bool {
	switch key {
	case "creationTimestamp":
		return n.Tag == "!!null"
	case "status", "metadata":
		return n.Kind == yaml.MappingNode && len(n.Content) == 0
	}
	return false
}
