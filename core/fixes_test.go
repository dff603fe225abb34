package core

import (
	"context"
	"strings"
	"testing"

	"github.com/drawbridge-dra/drawbridge/core/bundle"
	"github.com/drawbridge-dra/drawbridge/core/diag"
)

// applied makes the edits of a fix by their lines and columns, as a front does.
func applied(t *testing.T, text string, edits []TextEdit) string {
	t.Helper()
	offset := func(line, column int) int {
		at := 0
		for range line - 1 {
			at += strings.IndexByte(text[at:], '\n') + 1
		}
		return at + len(string([]rune(text[at:])[:column-1]))
	}
	var list []bundle.Edit
	for _, e := range edits {
		if e.Location == nil {
			t.Fatal("nobody knows where the edit is")
		}
		list = append(list, bundle.Edit{Start: offset(e.Location.Line, e.Location.Column), End: offset(e.Location.EndLine, e.Location.EndColumn), Text: e.Replacement})
	}
	out, ok := bundle.Apply([]byte(text), list)
	if !ok {
		t.Fatal("the edits do not fit")
	}
	return string(out)
}

// TestFixesMendExamples asks for fixes of the wrong text of every rule, makes
// them, and looks for the finding in vain.
func TestFixesMendExamples(t *testing.T) {
	offered := map[string]bool{}
	for _, r := range diag.Rules() {
		e, err := r.Example()
		if err != nil || e.Operation != diag.Create {
			continue
		}
		wrong := diag.Expand(e.Wrong)
		opts := Options{KubernetesVersion: e.Options.KubernetesVersion, FeatureGates: e.Options.FeatureGates, FieldValidation: e.Options.FieldValidation}
		if len(wrong) > 20_000 {
			continue
		}
		result, err := Fixes(context.Background(), []byte(wrong), opts)
		if err != nil {
			t.Fatal(err)
		}
		for _, fix := range result.Fixes {
			name := string(r.Source) + "/" + r.ID
			if fix.Rule != name {
				continue
			}
			offered[name] = true
			now, err := Validate(context.Background(), []byte(applied(t, wrong, fix.Edits)), opts)
			if err != nil {
				t.Fatal(err)
			}
			left := number(now.Diagnostics, func(d diag.Diagnostic) bool { return d.Source == r.Source && d.Rule == r.ID })
			before, err := Validate(context.Background(), []byte(wrong), opts)
			if err != nil {
				t.Fatal(err)
			}
			if left >= number(before.Diagnostics, func(d diag.Diagnostic) bool { return d.Source == r.Source && d.Rule == r.ID }) {
				t.Errorf("%s: %q does not mend it", name, fix.Message)
			}
		}
	}
	t.Logf("fixes for %d rules", len(offered))
	for _, want := range []string{
		"api/skip-node-operations", "api/compatibility-groups-duplicate", "decode/unknown-field", "decode/document-separator",
		"gate/compatibility-groups-dropped", "gate/skip-node-operations-dropped", "api/count",
	} {
		if !offered[want] {
			t.Errorf("there is no fix for the example of %s", want)
		}
	}
	if len(offered) < 40 {
		t.Errorf("there are fixes for %d rules only", len(offered))
	}
}

func TestFixesAreBounded(t *testing.T) {
	text := strings.Repeat("apiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: a}\nspec: {nonsense: 1}\n---\n", 200)
	got, err := Fixes(context.Background(), []byte(text), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got.Limit > maxFixTries || got.Tried > got.Limit || got.Tried == 0 {
		t.Errorf("%d of %d", got.Tried, got.Limit)
	}
}
