package core

import (
	"context"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/drawbridge-dra/drawbridge/core/diag"
)

func ask(t *testing.T, e diag.Example, text string, o diag.ExampleOptions) []diag.Diagnostic {
	t.Helper()
	opts := Options{KubernetesVersion: o.KubernetesVersion, FeatureGates: o.FeatureGates, FieldValidation: o.FieldValidation}
	before, now := []byte(diag.Expand(e.Before)), []byte(diag.Expand(text))
	var result *ValidateResult
	var err error
	switch e.Operation {
	case diag.Update:
		result, err = ValidateUpdate(context.Background(), before, now, opts)
	case diag.UpdateStatus:
		result, err = ValidateStatus(context.Background(), before, now, opts)
	default:
		result, err = Validate(context.Background(), now, opts)
	}
	if err != nil {
		t.Fatal(err)
	}
	return result.Diagnostics
}

// TestExamples runs the example of every rule: the wrong text breaks this rule
// and no other, the right one breaks neither this one nor any that asks for a change.
func TestExamples(t *testing.T) {
	all := diag.Rules()
	if len(all) < 200 {
		t.Fatalf("only %d rules", len(all))
	}
	for _, r := range all {
		name := string(r.Source) + "/" + r.ID
		t.Run(name, func(t *testing.T) {
			e, err := r.Example()
			if err != nil {
				t.Fatal(err)
			}
			found := ask(t, e, e.Wrong, e.Options)
			if !slices.ContainsFunc(found, func(d diag.Diagnostic) bool { return d.Source == r.Source && d.Rule == r.ID }) {
				t.Error("the wrong text does not break the rule")
			}
			broken := map[string]bool{}
			for _, d := range found {
				other := string(d.Source) + "/" + d.Rule
				broken[other] = true
				if other != name && !slices.Contains(e.Also, other) {
					t.Errorf("the wrong text breaks %s too: %s: %s", other, d.Field, d.Message)
				}
			}
			for _, other := range e.Also {
				if !broken[other] {
					t.Errorf("the wrong text does not break %s", other)
				}
			}
			for _, d := range ask(t, e, e.Right, e.RightOptions) {
				also := slices.Contains(e.Also, string(d.Source)+"/"+d.Rule)
				if d.Severity == diag.Error || d.Severity == diag.Warning && !also || d.Source == r.Source && d.Rule == r.ID {
					t.Errorf("the right text breaks %s/%s: %s: %s", d.Source, d.Rule, d.Field, d.Message)
				}
			}
		})
	}
}

// TestExamplesHaveRules finds files that are named after no rule.
func TestExamplesHaveRules(t *testing.T) {
	err := filepath.WalkDir("diag/examples", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() == "README.md" {
			return err
		}
		id, ok := strings.CutSuffix(d.Name(), ".txtar")
		if _, known := diag.Lookup(diag.Source(filepath.Base(filepath.Dir(path))), id); !ok || !known {
			t.Errorf("%s is the example of no rule", path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
