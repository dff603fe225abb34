package core

import (
	"context"
	"strings"

	"github.com/drawbridge-dra/drawbridge/core/bundle"
	"github.com/drawbridge-dra/drawbridge/core/diag"
)

// FixesResult answers Fixes.
type FixesResult struct {
	Fixes []Fix `json:"fixes" doc:"Changes of the text that mend a finding, in the order of the findings."`
	Tried int   `json:"tried" doc:"How many changes were tried."`
	Limit int   `json:"limit" doc:"How many would have been tried at most; fewer for larger texts."`
}

// Fix is a change of the text with which a finding is gone and no error came.
type Fix struct {
	Finding int        `json:"finding" doc:"Which of the diagnostics of validate it mends, from 0."`
	Rule    string     `json:"rule" doc:"The rule of the finding, as source/id."`
	Message string     `json:"message" doc:"What to change."`
	Edits   []TextEdit `json:"edits" doc:"Changes of the text as it was submitted; they do not overlap."`
}

// The text of all tries together is bounded: fixes are asked for while one
// types.
const (
	maxFixTries = 40
	maxFixText  = 2 << 20
)

// Fixes offers changes of the text that mend what Validate finds. Each was
// made and validated: the finding is gone then, and there is no error that was
// not there before. The error is an *OptionError, or the context's own.
func Fixes(ctx context.Context, text []byte, opts Options) (*FixesResult, error) {
	now, err := Validate(ctx, text, opts)
	if err != nil {
		return nil, err
	}
	b, _, err := parse(text, opts)
	if err != nil {
		return nil, err
	}
	out := &FixesResult{Fixes: []Fix{}, Limit: min(maxFixTries, max(1, maxFixText/max(1, len(text))))}
	for i, d := range now.Diagnostics {
		for _, m := range mends(b, d) {
			if out.Tried == out.Limit {
				return out, nil
			}
			out.Tried++
			ok, err := m.helps(ctx, text, now, d, opts)
			if err != nil {
				return nil, err
			}
			if !ok {
				continue
			}
			fix := Fix{Finding: i, Rule: string(d.Source) + "/" + d.Rule, Message: m.message}
			for _, e := range m.edits {
				fix.Edits = append(fix.Edits, TextEdit{Location: b.Objects[m.object].Place(e), Replacement: e.Text})
			}
			out.Fixes = append(out.Fixes, fix)
			break
		}
	}
	return out, nil
}

// mend is a change that may help against a finding.
type mend struct {
	message string
	object  int
	edits   []bundle.Edit
}

// removable are the rules, besides those for duplicates and for fields that are
// dropped anyway, whose findings go with the field that they are about.
var removable = map[string]bool{
	"decode/unknown-field": true, "decode/obsolete-field": true, "api/metadata-namespace-ignored": true, "api/toleration-value": true,
	"api/all-nodes": true, "api/per-device-node-selection": true, "api/count": true, "api/request-reference": true,
	"api/metadata-finalizer": true, "bundle/toleration-duplicate": true,
	"bundle/toleration-seconds-ignored": true, "bundle/admin-access-false": true, "api/derived-attribute-unused": true,
	"api/binding-conditions-overlap": true, "api/request-policy-exclusive": true, "api/attribute-list-empty": true, "api/template-metadata": true,
}

// mends proposes changes against a finding, the best first.
func mends(b *bundle.Bundle, d diag.Diagnostic) []mend {
	if d.Object == nil && len(b.Objects) == 0 {
		return nil
	}
	index := 0
	if d.Object != nil {
		index = d.Object.Index
	}
	if index >= len(b.Objects) {
		return nil
	}
	o := b.Objects[index]
	var out []mend
	if s := d.Suggestion; s != nil && s.Location != nil {
		if e, ok := o.Offsets(s.Location); ok {
			e.Text = s.Replacement
			out = append(out, mend{s.Message, index, []bundle.Edit{e}})
		}
	}
	if d.Object == nil || d.Field == "" {
		return out
	}
	id := string(d.Source) + "/" + d.Rule
	if id == "api/skip-node-operations" {
		if e, ok := o.Append(d.Field, "NodeUnprepareResources"); ok {
			out = append(out, mend{"add NodeUnprepareResources", index, []bundle.Edit{e}})
		}
	}
	if removable[id] || d.Source == diag.Gate || strings.HasSuffix(d.Rule, "-duplicate") && d.Source == diag.API {
		if e, ok := o.Remove(d.Field); ok {
			name := d.Field[strings.LastIndexByte(d.Field, '.')+1:]
			out = append(out, mend{"remove " + name, index, []bundle.Edit{e}})
		}
	}
	return out
}

// helps makes the change and validates what comes of it.
func (m mend) helps(ctx context.Context, text []byte, before *ValidateResult, d diag.Diagnostic, opts Options) (bool, error) {
	changed, ok := bundle.Apply(text, m.edits)
	if !ok {
		return false, nil
	}
	after, err := Validate(ctx, changed, opts)
	if err != nil {
		return false, err
	}
	same := func(other diag.Diagnostic) bool { return other.Source == d.Source && other.Rule == d.Rule }
	if number(after.Diagnostics, same) >= number(before.Diagnostics, same) || len(after.Objects) != len(before.Objects) {
		return false, nil
	}
	old := map[string]int{}
	for _, other := range before.Diagnostics {
		if other.Severity == diag.Error {
			old[string(other.Source)+"/"+other.Rule]++
		}
	}
	for _, other := range after.Diagnostics {
		if other.Severity != diag.Error {
			continue
		}
		id := string(other.Source) + "/" + other.Rule
		if old[id]--; old[id] < 0 {
			return false, nil
		}
	}
	return true, nil
}

func number(list []diag.Diagnostic, counts func(diag.Diagnostic) bool) int {
	n := 0
	for _, d := range list {
		if counts(d) {
			n++
		}
	}
	return n
}
