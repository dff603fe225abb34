package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/drawbridge-dra/drawbridge/check"
	"github.com/drawbridge-dra/drawbridge/input"
)

// configName is looked for in the working directory and upwards.
const configName = ".drawbridge.yaml"

// config is what a project has settled for all who check it.
type config struct {
	// folder is where the file lies; names of files in it are relative to that.
	folder string

	versions               []string
	gates, fields          string
	failOn, show           check.Level
	scope                  input.Scope
	rulesURL               string
	paths, exclude, ignore []string
}

// findConfig looks upwards; nil where there is none.
func findConfig(folder string) (*config, error) {
	for {
		path := filepath.Join(folder, configName)
		text, err := os.ReadFile(path)
		if err == nil {
			return readConfig(path, text)
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("%s cannot be read: %w", path, err)
		}
		up := filepath.Dir(folder)
		if up == folder {
			return nil, nil
		}
		folder = up
	}
}

// setting reads one key of the file.
type setting struct {
	key  string
	read func(*config, *yaml.Node) error
}

// settings are the keys that there are.
var settings = []setting{
	{"kubernetesVersions", func(c *config, n *yaml.Node) (err error) { c.versions, err = texts(n); return err }},
	{"featureGates", func(c *config, n *yaml.Node) (err error) { c.gates, err = gates(n); return err }},
	{"fieldValidation", func(c *config, n *yaml.Node) (err error) { c.fields, err = text(n); return err }},
	{"failOn", func(c *config, n *yaml.Node) error { return c.failOn.UnmarshalText([]byte(n.Value)) }},
	{"show", func(c *config, n *yaml.Node) error { return c.show.UnmarshalText([]byte(n.Value)) }},
	{"scope", func(c *config, n *yaml.Node) (err error) { c.scope, err = scopeOf(n.Value); return err }},
	{"rulesURL", func(c *config, n *yaml.Node) (err error) { c.rulesURL, err = text(n); return err }},
	{"paths", func(c *config, n *yaml.Node) (err error) { c.paths, err = texts(n); return err }},
	{"exclude", func(c *config, n *yaml.Node) (err error) { c.exclude, err = patterns(n); return err }},
	{"ignore", func(c *config, n *yaml.Node) (err error) { c.ignore, err = ignores(n); return err }},
}

// readConfig reads the file. Every complaint has its line.
func readConfig(path string, content []byte) (*config, error) {
	c := &config{folder: filepath.Dir(path)}
	path = input.Name(path)
	fail := func(n *yaml.Node, err error) error {
		return fmt.Errorf("%s:%d:%d: %w", path, n.Line, n.Column, err)
	}
	var root yaml.Node
	decoder := yaml.NewDecoder(bytes.NewReader(content))
	if err := decoder.Decode(&root); errors.Is(err, io.EOF) {
		return c, nil
	} else if err != nil {
		return nil, fmt.Errorf("%s: %s", path, strings.TrimPrefix(err.Error(), "yaml: "))
	}
	if err := decoder.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s: the file holds more than one document; it has one, with settings", path)
	}
	top := root.Content[0]
	if top.Kind != yaml.MappingNode {
		return nil, fail(top, errors.New("the file holds no settings; write them as key: value, such as failOn: gate"))
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(top.Content); i += 2 {
		key, value := top.Content[i], top.Content[i+1]
		at := slices.IndexFunc(settings, func(s setting) bool { return s.key == key.Value })
		if at < 0 {
			return nil, fail(key, fmt.Errorf("there is no setting %q; there are %s", key.Value, keys()))
		}
		if seen[key.Value] {
			return nil, fail(key, fmt.Errorf("%s is set twice; keep one", key.Value))
		}
		seen[key.Value] = true
		if err := settings[at].read(c, value); err != nil {
			return nil, fail(value, fmt.Errorf("%s: %w", key.Value, err))
		}
	}
	return c, nil
}

func keys() string {
	var out []string
	for _, s := range settings {
		out = append(out, s.key)
	}
	return strings.Join(out, ", ")
}

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

func scopeOf(name string) (input.Scope, error) {
	if slices.Contains(input.Scopes, input.Scope(name)) {
		return input.Scope(name), nil
	}
	return "", fmt.Errorf("%q is no scope; it can be auto, all, folder or file", name)
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
