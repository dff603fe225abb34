// Package diag holds the one type in which every part of Drawbridge says what
// is wrong with an object, and the registry of the rules that can say it.
package diag

import (
	"cmp"
	"slices"
)

// Severity tells how bad a finding is.
type Severity string

// The severities, worst first.
const (
	// Error marks what the API server rejects, or what can never work.
	Error Severity = "error"
	// Warning marks what is accepted and does not do what its author meant.
	Warning Severity = "warning"
	// Info marks what is worth knowing and needs no change.
	Info Severity = "info"
)

// Source tells which part of a cluster, or of Drawbridge, objects.
type Source string

// The sources of findings.
const (
	// Decode findings: the text cannot be read as an object of its kind.
	Decode Source = "decode"
	// API findings: the API server rejects the object.
	API Source = "api"
	// Gate findings: the object is accepted, and a field of it is silently
	// dropped at this version with these feature gates.
	Gate Source = "gate"
	// Bundle findings: objects that do not fit each other; no API server
	// checks them.
	Bundle Source = "bundle"
)

// Location is a range in the submitted text. Lines and columns count from 1;
// columns count Unicode code points; the end is exclusive.
type Location struct {
	// Document counts the documents of the text from 0.
	Document  int `json:"document" doc:"Document of the text, from 0."`
	Line      int `json:"line" doc:"First line, from 1."`
	Column    int `json:"column" doc:"First column, from 1, in Unicode code points."`
	EndLine   int `json:"endLine" doc:"Line of the end."`
	EndColumn int `json:"endColumn" doc:"Column behind the end."`
}

// Object names the object that a finding is about.
type Object struct {
	// Index is the position of the object in the bundle, from 0.
	Index      int    `json:"index" doc:"Position of the object in the bundle, from 0."`
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Namespace  string `json:"namespace,omitempty"`
	Name       string `json:"name"`
}

// Related points at another place that has a part in a finding.
type Related struct {
	Message  string    `json:"message" doc:"What this place has to do with it."`
	Object   *Object   `json:"object,omitempty"`
	Location *Location `json:"location,omitempty"`
}

// Suggestion is a change that mends the finding.
type Suggestion struct {
	Message string `json:"message" doc:"What to change."`
	// Replacement is the text to put in place of Location; empty with a
	// Location means: delete that range. Without a Location there is only
	// the message.
	Replacement string    `json:"replacement,omitempty" doc:"Text to put in place of the location; empty with a location means: delete that range."`
	Location    *Location `json:"location,omitempty" doc:"The range to replace."`
}

// Diagnostic is one finding.
type Diagnostic struct {
	Severity Severity `json:"severity" doc:"How bad it is."`
	Source   Source   `json:"source" doc:"Who objects: decode (it cannot be read as its kind), api (the API server rejects it), gate (accepted, but the field is dropped at this version with these gates), bundle (objects that do not fit each other)."`
	// Rule is the stable id of the rule that failed; see Rules.
	Rule string `json:"rule" doc:"Stable id of the rule, unique within its source; see /v1/rules."`
	// URL is empty until the facade answers.
	URL string `json:"url" doc:"Where the rule is explained, relative to the server."`
	// Type is the field.ErrorType that the API server gives, such as
	// FieldValueInvalid; empty for findings that it does not have.
	Type string `json:"type,omitempty" doc:"The type of error that the API server gives, such as FieldValueInvalid."`
	// Gate is the feature gate that decides, for gate findings.
	Gate string `json:"gate,omitempty" doc:"The feature gate that decides."`
	// Text is "before" for a finding in the text before a change; its Object
	// and Location are of that text.
	Text string `json:"text,omitempty" doc:"For a change: before, if the finding is about the text before it, as object and location then are."`
	// Object is missing when the text could not be read as an object.
	Object *Object `json:"object,omitempty" doc:"The object that the finding is about; missing when the text could not be read as one."`
	// Field is the path as the API server prints it for that API version.
	Field string `json:"field,omitempty" doc:"Path of the field as the API server prints it for that API version."`
	// Value is the offending value as written, shortened when long.
	Value   string `json:"value,omitempty" doc:"The offending value as written, shortened when long."`
	Message string `json:"message" doc:"What is wrong, the limit or rule, and what to do."`
	// Location is missing where the place in the text is not known: a wrong
	// line is worse than none.
	Location   *Location   `json:"location,omitempty" doc:"Where in the text; missing where the place is not known."`
	Related    []Related   `json:"related,omitempty" doc:"Other places that have a part in it."`
	Suggestion *Suggestion `json:"suggestion,omitempty" doc:"A change that mends it."`
}

// Sort orders findings by position, then object, rule, field and message, so that equal
// input gives equal output. Findings without a location come last.
func Sort(list []Diagnostic) {
	slices.SortStableFunc(list, compare)
}

func compare(a, b Diagnostic) int {
	if c := compareLocation(a.Location, b.Location); c != 0 {
		return c
	}
	return cmp.Or(
		cmp.Compare(index(a), index(b)),
		cmp.Compare(a.Rule, b.Rule),
		cmp.Compare(a.Field, b.Field),
		cmp.Compare(a.Message, b.Message),
	)
}

func index(d Diagnostic) int {
	if d.Object == nil {
		return -1
	}
	return d.Object.Index
}

func compareLocation(a, b *Location) int {
	switch {
	case a == nil && b == nil:
		return 0
	case a == nil:
		return 1
	case b == nil:
		return -1
	}
	return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
}

// HasErrors tells whether any finding is an error.
func HasErrors(list []Diagnostic) bool {
	return slices.ContainsFunc(list, func(d Diagnostic) bool { return d.Severity == Error })
}
