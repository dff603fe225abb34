package core

import (
	"context"
	"errors"

	kjson "sigs.k8s.io/json"

	"github.com/drawbridge-dra/drawbridge/core/bundle"
	"github.com/drawbridge-dra/drawbridge/core/diag"
)

// Change is a bundle as it is stored and as it is to be. Objects belong
// together by kind, namespace and name: those only in After are created, those
// only in Before deleted.
type Change struct {
	Before string `json:"before" doc:"The objects as they are stored: YAML or JSON, empty for none."`
	After  string `json:"after" doc:"The objects as they are to be: YAML or JSON, empty for none."`
}

// ParseChange reads a change as JSON. What is wrong is said without a word of
// the input, so that fronts can pass it on.
func ParseChange(body []byte) (Change, error) {
	var read struct {
		Before *string `json:"before"`
		After  *string `json:"after"`
	}
	strict, err := kjson.UnmarshalStrict(body, &read)
	switch {
	case err != nil:
		return Change{}, errors.New(`the body must be a JSON object with two texts: {"before": "…", "after": "…"}`)
	case len(strict) > 0:
		return Change{}, errors.New("the body has a field twice, or one that is neither before nor after")
	case read.Before == nil || read.After == nil:
		return Change{}, errors.New("the body lacks before or after; both are texts, and can be empty")
	}
	return Change{Before: *read.Before, After: *read.After}, nil
}

// ChangeOptions are the options of a change.
type ChangeOptions struct {
	Options
	// Subresource is "status" for updates of the status alone.
	Subresource string `json:"subresource,omitempty"`
}

// textBefore marks findings in the text before a change.
const textBefore = "before"

// ValidateChange checks the objects after a change: each as a creation or as an
// update of the one before, and all of them together. What makes the text
// before unreadable is found too. The error is an *OptionError, or the
// context's own.
func ValidateChange(ctx context.Context, change Change, opts ChangeOptions) (*ValidateResult, error) {
	if opts.Subresource != "" && opts.Subresource != "status" {
		return nil, &OptionError{"subresource", "must be status, or be left out"}
	}
	b, set, err := parse([]byte(change.After), opts.Options)
	if err != nil {
		return nil, err
	}
	before := bundle.Parse([]byte(change.Before), bundle.Options{FieldValidation: bundle.Ignore, Features: set})
	c := replacement{set: set, opts: opts.alone(), before: before, b: b, replaced: namesakes(before, b), status: opts.Subresource == "status"}
	found, operations, _, err := c.check(ctx)
	if err != nil {
		return nil, err
	}
	for _, d := range b.Diagnostics {
		// Without objects is how a text is that leaves none.
		if d.Rule != "empty" || len(before.Objects) == 0 {
			found = append(found, d)
		}
	}
	out := c.result(found, operations)
	out.Objects = append(out.Objects, c.deleted()...)
	if unread := unreadable(before); len(unread) > 0 {
		out.Valid = false
		out.Diagnostics = append(unread, out.Diagnostics...)
	}
	return out, nil
}

// unreadable are the errors for which parts of the text before a change are
// not known.
func unreadable(before *bundle.Bundle) []diag.Diagnostic {
	var out []diag.Diagnostic
	for _, d := range before.Diagnostics {
		if d.Severity == diag.Error {
			d.Text = textBefore
			out = append(out, d)
		}
	}
	finish(out)
	return out
}

// deleted are the objects that are there only before. Where a part of the
// text after cannot be read, nobody knows whether they are there.
func (c replacement) deleted() []ObjectResult {
	if c.status {
		return nil
	}
	for _, d := range c.b.Diagnostics {
		if d.Object == nil && d.Severity == diag.Error {
			return nil
		}
	}
	seen := map[name]bool{}
	for _, o := range c.b.Objects {
		seen[named(o)] = true
	}
	var out []ObjectResult
	for i, result := range objectResults(c.before, nil) {
		if key := named(c.before.Objects[i]); !seen[key] {
			seen[key] = true // an object that is there twice goes once
			result.Operation = string(diag.Delete)
			out = append(out, result)
		}
	}
	return out
}
