package project

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/drawbridge-dra/drawbridge/check"
	"github.com/drawbridge-dra/drawbridge/input"
)

// fault is what is wrong with a part of a value.
type fault struct {
	at *yaml.Node
	error
}

// absent tells whether nothing stands there.
func absent(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.Tag == "!!null" }

// followed is what an alias stands for.
func followed(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}

func text(n *yaml.Node) (string, error) {
	if n = followed(n); n.Kind != yaml.ScalarNode || absent(n) {
		return "", &fault{n, errors.New("must be a text")}
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
			return nil, &fault{item, errors.New("must be a list of texts")}
		}
		out = append(out, one)
	}
	return out, nil
}

// patched is a version of Kubernetes with what does not matter around it.
var patched = regexp.MustCompile(`^v?([0-9]+\.[0-9]+)(\.[0-9]+.*)?$`)

// Version is a version of Kubernetes as answers name it: v1.37.2 is 1.37.
func Version(text string) string {
	text = strings.TrimSpace(text)
	if parts := patched.FindStringSubmatch(text); parts != nil {
		return parts[1]
	}
	return text
}

func versions(n *yaml.Node) ([]string, error) {
	list, err := texts(n)
	for i, v := range list {
		list[i] = Version(v)
		if slices.Contains(list[:i], list[i]) {
			return nil, &fault{itemOf(n, i), fmt.Errorf("%s is named twice; name it once", list[i])}
		}
	}
	return list, err
}

func patterns(n *yaml.Node) ([]string, error) {
	list, err := texts(n)
	for i, p := range list {
		if !input.ValidPattern(p) {
			return nil, &fault{itemOf(n, i), fmt.Errorf("%q is no pattern; write one such as testdata/**", p)}
		}
	}
	return list, err
}

// gates reads a map of gates, or what the flag takes.
func gates(n *yaml.Node) (string, error) {
	if n.Kind != yaml.MappingNode {
		if n.Kind != yaml.ScalarNode {
			return "", errors.New("must be gates with true or false, such as DRAConsumableCapacity: true")
		}
		return n.Value, nil
	}
	var out []string
	for i := 0; i+1 < len(n.Content); i += 2 {
		name, value := n.Content[i], followed(n.Content[i+1])
		if value.Value != "true" && value.Value != "false" {
			return "", &fault{n.Content[i+1], fmt.Errorf("%s must be true or false", name.Value)}
		}
		out = append(out, name.Value+"="+value.Value)
	}
	return strings.Join(out, ","), nil
}

func validation(n *yaml.Node) (string, error) {
	one, err := text(n)
	if err == nil && !slices.Contains([]string{"Strict", "Warn", "Ignore"}, one) {
		err = fmt.Errorf("%q is no way to look at fields; it can be Strict, Warn or Ignore", one)
	}
	return one, err
}

func level(n *yaml.Node) (out check.Level, err error) {
	one, err := text(n)
	if err == nil {
		err = out.UnmarshalText([]byte(one))
	}
	return out, err
}

func scope(n *yaml.Node) (input.Scope, error) {
	one, err := text(n)
	if err != nil {
		return "", err
	}
	return input.ScopeOf(one)
}

func link(n *yaml.Node) (string, error) {
	one, err := text(n)
	if err == nil {
		err = CheckURL(one)
	}
	return one, err
}

// CheckURL tells whether findings can link to what is below a URL.
func CheckURL(text string) error {
	if u, err := url.Parse(text); err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return fmt.Errorf("%q is no URL; write one such as https://drawbridge.example.test", text)
	}
	return nil
}

// ignores reads rule@files, or the same as a map of rule, files and a reason
// that only people read.
func ignores(n *yaml.Node) ([]string, error) {
	if n.Kind != yaml.SequenceNode {
		return nil, errors.New("must be a list, of texts such as bundle/*@overlays/**, or of rule, files and reason")
	}
	var out []string
	for _, item := range n.Content {
		one, err := ignore(followed(item))
		if err == nil {
			_, err = check.ParseIgnore(one)
		}
		var inner *fault
		switch {
		case errors.As(err, &inner):
			return nil, err
		case err != nil:
			return nil, &fault{item, err}
		}
		out = append(out, one)
	}
	return out, nil
}

func ignore(n *yaml.Node) (string, error) {
	if n.Kind != yaml.MappingNode {
		return text(n)
	}
	parts := map[string]string{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		if !slices.Contains([]string{"rule", "files", "reason"}, key.Value) {
			return "", &fault{key, fmt.Errorf("there is no %q here; there are rule, files and reason", key.Value)}
		}
		value, err := text(n.Content[i+1])
		if err != nil {
			return "", &fault{n.Content[i+1], fmt.Errorf("%s %w", key.Value, err)}
		}
		parts[key.Value] = value
	}
	if parts["rule"] == "" {
		return "", errors.New("there is no rule; write which, such as rule: bundle/missing-class")
	}
	if parts["files"] != "" {
		return parts["rule"] + "@" + parts["files"], nil
	}
	return parts["rule"], nil
}
