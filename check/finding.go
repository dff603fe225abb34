// Package check asks the core about many files: unit by unit, for several
// versions of Kubernetes, on several processors, and in an order that is
// always the same. What it holds does not grow with the number of files.
package check

import (
	"fmt"
	"slices"
	"strings"

	"github.com/drawbridge-dra/drawbridge/core/diag"
	"github.com/drawbridge-dra/drawbridge/input"
)

// Level is how grave a finding is for who checks files: beside the severities
// there is one for fields that get lost.
type Level int

// The levels, gravest last. A finding at gate is a field that the API server
// drops without a word.
const (
	Fine Level = iota
	Info
	Warning
	Gate
	Error
	// Never is above all.
	Never
)

// levels are how they are written.
var levels = []string{"ok", "info", "warning", "gate", "error", "never"}

func (l Level) String() string { return levels[l] }

// MarshalText writes the level's name.
func (l Level) MarshalText() ([]byte, error) { return []byte(l.String()), nil }

// UnmarshalText reads the name of a level that can be chosen.
func (l *Level) UnmarshalText(text []byte) error {
	i := slices.Index(levels, string(text))
	if i <= int(Fine) {
		return fmt.Errorf("%q is no level; it can be error, gate, warning, info or never", text)
	}
	*l = Level(i)
	return nil
}

// LevelOf ranks a finding.
func LevelOf(d diag.Diagnostic) Level {
	switch {
	case d.Severity == diag.Error:
		return Error
	case d.Source == diag.Gate:
		return Gate
	case d.Severity == diag.Warning:
		return Warning
	}
	return Info
}

// Finding is a finding of the core at its place in a file.
type Finding struct {
	Level    Level         `json:"level"`
	Severity diag.Severity `json:"severity"`
	// Rule is source/id.
	Rule string `json:"rule"`
	URL  string `json:"url,omitempty"`
	// Versions are those of Kubernetes that have the finding; none where only
	// one was asked about.
	Versions []string    `json:"versions,omitempty"`
	Place    input.Place `json:"place"`
	Object   *Object     `json:"object,omitempty"`
	Type     string      `json:"type,omitempty"`
	Gate     string      `json:"gate,omitempty"`
	Field    string      `json:"field,omitempty"`
	Value    string      `json:"value,omitempty"`
	Message  string      `json:"message"`
	Related  []Related   `json:"related,omitempty"`
	// Suggestion is a change that mends it.
	Suggestion *Suggestion `json:"suggestion,omitempty"`
	// Line is the text of the line that Place begins on.
	Line string `json:"-"`
	// hidden is set for one that is only counted.
	hidden bool
}

// Object is an object of a file.
type Object struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Namespace  string `json:"namespace,omitempty"`
	Name       string `json:"name"`
}

// String names the object as people do.
func (o *Object) String() string {
	name := o.Name
	if o.Namespace != "" {
		name = o.Namespace + "/" + name
	}
	return strings.TrimSpace(strings.TrimSpace(o.Kind) + " " + name)
}

// Related is another place that has a part in a finding.
type Related struct {
	Message string      `json:"message"`
	Object  *Object     `json:"object,omitempty"`
	Place   input.Place `json:"place"`
	Line    string      `json:"-"`
}

// Suggestion is a change of a file. Without a place there is only the message;
// an empty replacement with a place means: delete that.
type Suggestion struct {
	Message     string       `json:"message"`
	Replacement string       `json:"replacement,omitempty"`
	Place       *input.Place `json:"place,omitempty"`
}

func objectOf(o *diag.Object) *Object {
	if o == nil || o.Kind == "" && o.Name == "" {
		return nil
	}
	return &Object{APIVersion: o.APIVersion, Kind: o.Kind, Namespace: o.Namespace, Name: o.Name}
}

// newFinding puts a finding about a text at its place in a file.
func newFinding(d diag.Diagnostic, text *input.Text) Finding {
	f := Finding{
		Level: LevelOf(d), Severity: d.Severity, Rule: string(d.Source) + "/" + d.Rule, URL: d.URL,
		Place: text.Place(d.Location), Object: objectOf(d.Object), Type: d.Type, Gate: d.Gate,
		Field: d.Field, Value: d.Value, Message: d.Message,
	}
	if d.Location != nil {
		f.Line = text.Line(d.Location.Line)
	}
	for _, r := range d.Related {
		related := Related{Message: r.Message, Object: objectOf(r.Object), Place: text.Place(r.Location)}
		if r.Location != nil {
			related.Line = text.Line(r.Location.Line)
		}
		f.Related = append(f.Related, related)
	}
	if s := d.Suggestion; s != nil {
		f.Suggestion = &Suggestion{Message: s.Message, Replacement: s.Replacement}
		if s.Location != nil {
			at := text.Place(s.Location)
			f.Suggestion.Place = &at
		}
	}
	return f
}
