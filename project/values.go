package project

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/drawbridge-dra/drawbridge/check"
	"github.com/drawbridge-dra/drawbridge/input"
)

func text(n *yaml.Node) (string, error) {
	if n.Kind != yaml.ScalarNode {
		return "", errors.New("must be a text")
	}
	return n.Value, nil
}

func texts(n *yaml.Node) ([]string, error) {
	if n.Kind == yaml.ScalarNode {
		return []string{n.Value}, nil
	}
	if n.Kind != yaml.SequenceNode {
		return nil, errors.New("must be a list of texts")
	}
	var out []string
	for _, item := range n.Content {
		one, err := text(item)
		if err != nil {
			return nil, errors.New("must be a list of texts")
		}
		out = append(out, one)
	}
	return out, nil
}

func patterns(n *yaml.Node) ([]string, error) {
	list, err := texts(n)
	for _, p := range list {
		if !input.ValidPattern(p) {
			return nil, fmt.Errorf("%q is no pattern; write one such as testdata/**", p)
		}
	}
	return list, err
}

// gates reads a map of gates, or what the flag takes.
func gates(n *yaml.Node) (string, error) {
	if n.Kind != yaml.MappingNode {
		return text(n)
	}
	var out []string
	for i := 0; i+1 < len(n.Content); i += 2 {
		out = append(out, n.Content[i].Value+"="+n.Content[i+1].Value)
	}
	return strings.Join(out, ","), nil
}

// ignores reads rule@files, or the same as a map of rule, files and a reason
// that only people read.
func ignores(n *yaml.Node) ([]string, error) {
	if n.Kind != yaml.SequenceNode {
		return nil, errors.New("must be a list, of texts such as bundle/*@overlays/**, or of rule, files and reason")
	}
	var out []string
	for _, item := range n.Content {
		if item.Kind != yaml.MappingNode {
			out = append(out, item.Value)
			continue
		}
		parts := map[string]string{}
		for i := 0; i+1 < len(item.Content); i += 2 {
			key := item.Content[i].Value
			if !slices.Contains([]string{"rule", "files", "reason"}, key) {
				return nil, fmt.Errorf("line %d: there is no %q here; there are rule, files and reason", item.Content[i].Line, key)
			}
			parts[key] = item.Content[i+1].Value
		}
		one := parts["rule"]
		if parts["files"] != "" {
			one += "@" + parts["files"]
		}
		out = append(out, one)
	}
	for _, one := range out {
		if _, err := check.ParseIgnore(one); err != nil {
			return nil, err
		}
	}
	return out, nil
}
