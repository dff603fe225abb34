// Package project reads .drawbridge.yaml: what a project has settled for all
// who check it, at a terminal, in an editor or on a build server.
package project

import (
	"bytes"
	"context"
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
	"github.com/drawbridge-dra/drawbridge/core"
	"github.com/drawbridge-dra/drawbridge/input"
)

// Name is how the file is called. It is looked for in a folder and upwards.
const Name = ".drawbridge.yaml"

// Settings are what the file says; empty is what it does not speak of.
type Settings struct {
	// Folder is where the file lies; names of files in it are relative to that.
	Folder string
	// File leads to it.
	File string

	Versions        []string
	FeatureGates    string
	FieldValidation string
	FailOn, Show    check.Level
	Scope           input.Scope
	RulesURL        string
	Paths           []string

	exclude, ignore []string
}

// Problem is what keeps a file from being used, and where it stands.
type Problem struct {
	// Path leads to the file. Line and Column count from 1; Line is 0 where
	// the whole file is meant, Column where the whole line is.
	Path         string
	Line, Column int
	Message      string
}

// Error has the place before the message, as compilers write it.
func (p *Problem) Error() string {
	at := input.Name(p.Path)
	switch {
	case p.Line > 0 && p.Column > 0:
		return fmt.Sprintf("%s:%d:%d: %s", at, p.Line, p.Column, p.Message)
	case p.Line > 0:
		return fmt.Sprintf("%s: line %d: %s", at, p.Line, p.Message)
	}
	return at + ": " + p.Message
}

// Find reads the file of a folder, or of the nearest one above it that has
// one; nil where there is none.
func Find(folder string) (*Settings, error) {
	for _, path := range Candidates(folder) {
		text, err := os.ReadFile(path)
		if err == nil {
			return Read(path, text)
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return nil, input.Unreadable(path, err)
		}
	}
	return nil, nil
}

// Candidates are where the file of a folder may lie, nearest first.
func Candidates(folder string) []string {
	var out []string
	for {
		out = append(out, filepath.Join(folder, Name))
		up := filepath.Dir(folder)
		if up == folder {
			return out
		}
		folder = up
	}
}

// setting reads one key of the file.
type setting struct {
	key  string
	read func(*Settings, *yaml.Node) error
}

// settings are the keys that there are.
var settings = []setting{
	{"kubernetesVersions", func(s *Settings, n *yaml.Node) (err error) { s.Versions, err = versions(n); return err }},
	{"featureGates", func(s *Settings, n *yaml.Node) (err error) { s.FeatureGates, err = gates(n); return err }},
	{"fieldValidation", func(s *Settings, n *yaml.Node) (err error) { s.FieldValidation, err = validation(n); return err }},
	{"failOn", func(s *Settings, n *yaml.Node) (err error) { s.FailOn, err = level(n); return err }},
	{"show", func(s *Settings, n *yaml.Node) (err error) { s.Show, err = level(n); return err }},
	{"scope", func(s *Settings, n *yaml.Node) (err error) { s.Scope, err = scope(n); return err }},
	{"rulesURL", func(s *Settings, n *yaml.Node) (err error) { s.RulesURL, err = link(n); return err }},
	{"paths", func(s *Settings, n *yaml.Node) (err error) { s.Paths, err = texts(n); return err }},
	{"exclude", func(s *Settings, n *yaml.Node) (err error) { s.exclude, err = patterns(n); return err }},
	{"ignore", func(s *Settings, n *yaml.Node) (err error) { s.ignore, err = ignores(n); return err }},
}

// Read reads the file. What is wrong with it is a *Problem, with its line and
// column.
func Read(path string, content []byte) (*Settings, error) {
	s := &Settings{Folder: filepath.Dir(path), File: path}
	fail := func(n *yaml.Node, message string) error { return &Problem{path, n.Line, n.Column, message} }
	var root, second yaml.Node
	decoder := yaml.NewDecoder(bytes.NewReader(content))
	if err := decoder.Decode(&root); errors.Is(err, io.EOF) {
		return s, nil
	} else if err != nil {
		return nil, unreadable(path, content, err)
	}
	if err := decoder.Decode(&second); err == nil {
		return nil, fail(&second, "the file holds more than one document; it has one, with settings")
	} else if !errors.Is(err, io.EOF) {
		return nil, unreadable(path, content, err)
	}
	top := root.Content[0]
	if absent(top) {
		return s, nil
	}
	if top.Kind != yaml.MappingNode {
		return nil, fail(top, "the file holds no settings; write them as key: value, such as failOn: gate")
	}
	at := map[string]*yaml.Node{}
	for i := 0; i+1 < len(top.Content); i += 2 {
		key, value := top.Content[i], followed(top.Content[i+1])
		known := slices.IndexFunc(settings, func(s setting) bool { return s.key == key.Value })
		if known < 0 {
			return nil, fail(key, fmt.Sprintf("there is no setting %q; there are %s", key.Value, keys()))
		}
		if at[key.Value] != nil {
			return nil, fail(key, key.Value+" is set twice; keep one")
		}
		at[key.Value] = value
		if absent(value) {
			continue // as if it were left out
		}
		if err := settings[known].read(s, value); err != nil {
			var fault *fault
			if errors.As(err, &fault) {
				value = fault.at
			}
			return nil, fail(value, fmt.Sprintf("%s: %v", key.Value, err))
		}
	}
	return s, s.feasible(at, fail)
}

// unreadable is what is wrong with a file that is not YAML. The core knows the
// place of that better than the library.
func unreadable(path string, content []byte, err error) error {
	if result, e := core.Validate(context.Background(), content, core.Options{}); e == nil {
		for _, d := range result.Diagnostics {
			if d.Location != nil && (d.Rule == "yaml-syntax" || d.Rule == "encoding") {
				return &Problem{path, d.Location.Line, d.Location.Column, d.Message}
			}
		}
	}
	return &Problem{Path: path, Message: strings.TrimPrefix(err.Error(), "yaml: ")}
}

// feasible asks the core about versions and gates. Gates without a version
// belong to whichever is chosen elsewhere, and must be of one that there is.
func (s *Settings) feasible(at map[string]*yaml.Node, fail func(*yaml.Node, string) error) error {
	var first error
	ask := s.Versions
	if len(ask) == 0 {
		for _, v := range core.Versions().Versions {
			ask = append(ask, v.Version)
		}
	}
	for i, v := range ask {
		var wrong *core.OptionError
		err := core.Options{KubernetesVersion: v, FeatureGates: s.FeatureGates}.CheckFeatures()
		switch {
		case err == nil && len(s.Versions) == 0:
			return nil
		case err == nil:
			continue
		case !errors.As(err, &wrong):
			return err
		case wrong.Option == "featureGates":
			err = fail(gateOf(at["featureGates"], v), "featureGates: "+wrong.Message)
		default:
			err = fail(itemOf(at["kubernetesVersions"], i), "kubernetesVersions: "+wrong.Message)
		}
		if len(s.Versions) > 0 {
			return err
		}
		if first == nil {
			first = err
		}
	}
	return first
}

// gateOf is the first of the gates that is wrong by itself in a version, or
// all of them.
func gateOf(n *yaml.Node, version string) *yaml.Node {
	if n.Kind == yaml.MappingNode {
		for i := 0; i+1 < len(n.Content); i += 2 {
			one := core.Options{KubernetesVersion: version, FeatureGates: n.Content[i].Value + "=" + n.Content[i+1].Value}
			if one.CheckFeatures() != nil {
				return n.Content[i]
			}
		}
	}
	return n
}

// itemOf is an item of a list, or what stands for a list of one.
func itemOf(n *yaml.Node, i int) *yaml.Node {
	if n.Kind == yaml.SequenceNode {
		return n.Content[i]
	}
	return n
}

// Excluded are patterns of whole paths that are passed over.
func (s *Settings) Excluded() []string {
	var out []string
	for _, p := range s.exclude {
		out = append(out, input.Below(s.Folder, p))
	}
	return out
}

// Ignored are the findings to leave out, with patterns of whole paths.
func (s *Settings) Ignored() []check.Ignore {
	var out []check.Ignore
	for _, one := range s.ignore {
		if rule, files, ok := strings.Cut(one, "@"); ok {
			one = rule + "@" + input.Below(s.Folder, files)
		}
		// Whether it can be read was asked when the file was.
		if i, err := check.ParseIgnore(one); err == nil {
			out = append(out, i)
		}
	}
	return out
}

// Path is where a path of the file leads.
func (s *Settings) Path(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(s.Folder, path)
}

func keys() string {
	var out []string
	for _, s := range settings {
		out = append(out, s.key)
	}
	return strings.Join(out, ", ")
}
