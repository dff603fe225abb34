package report

import (
	"bytes"
	"encoding/json"

	"sigs.k8s.io/yaml"

	"github.com/drawbridge-dra/drawbridge/core"
	"github.com/drawbridge-dra/drawbridge/core/diag"
	"github.com/drawbridge-dra/drawbridge/input"
)

// Answer writes an answer of the core about a text as JSON, or as YAML. It is
// what the REST API answers, but that each place names the file and its line.
func Answer(form string, result any, text *input.Text) ([]byte, error) {
	raw, err := core.JSON(result)
	if err != nil {
		return nil, err
	}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var tree any
	if err := decoder.Decode(&tree); err != nil {
		return nil, err
	}
	if raw, err = core.JSON(relocate(tree, text)); err != nil {
		return nil, err
	}
	if form == "yaml" {
		return yaml.JSONToYAML(raw)
	}
	return raw, nil
}

// relocate puts places in files for those in the text.
func relocate(tree any, text *input.Text) any {
	switch tree := tree.(type) {
	case []any:
		for i := range tree {
			tree[i] = relocate(tree[i], text)
		}
	case map[string]any:
		if l := location(tree); l != nil {
			return text.Place(l)
		}
		for key := range tree {
			tree[key] = relocate(tree[key], text)
		}
	}
	return tree
}

// location reads a tree that is one; nil for any other.
func location(tree map[string]any) *diag.Location {
	number := func(key string) int {
		n, _ := tree[key].(json.Number)
		out, _ := n.Int64()
		return int(out)
	}
	l := diag.Location{Document: number("document"), Line: number("line"), Column: number("column"), EndLine: number("endLine"), EndColumn: number("endColumn")}
	if len(tree) != 5 || l.Line == 0 || l.Column == 0 || l.EndLine == 0 || l.EndColumn == 0 {
		return nil
	}
	return &l
}
