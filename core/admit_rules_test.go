package core

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/drawbridge-dra/drawbridge/core/bundle"
	"github.com/drawbridge-dra/drawbridge/core/diag"
	"github.com/drawbridge-dra/drawbridge/core/feature"
)

// TestAdmitRules sends the example of every rule of the API server and of
// every field that gates drop through both phases: the wrong one is refused or
// warned of, and the mended one is not.
func TestAdmitRules(t *testing.T) {
	for _, rule := range diag.Rules() {
		if rule.Source != diag.API && rule.Source != diag.Gate {
			continue
		}
		t.Run(string(rule.Source)+"/"+rule.ID, func(t *testing.T) {
			e, err := rule.Example()
			if err != nil {
				t.Fatal(err)
			}
			want := Deny
			if rule.Severity != diag.Error {
				want = Warn
			}
			if rule.ID == "metadata-finalizer-added" {
				t.Log("only objects that are being deleted break it, and those are let go of")
				want = ""
			}
			if strings.HasPrefix(rule.ID, "role-") {
				t.Log("no webhook of ours is asked about roles, and an API server judges them itself")
				want = ""
			}
			if got := admitExample(t, rule, e, diag.Expand(e.Wrong), e.Options); want != "" && !slices.Contains(got, want) || want == "" && len(got) > 0 {
				t.Errorf("wrong: got %q", got)
			}
			if got := admitExample(t, rule, e, diag.Expand(e.Right), e.RightOptions); len(got) > 0 {
				t.Errorf("right: got %q", got)
			}
		})
	}
}

// admitExample returns what came of the rule for any object of the text.
func admitExample(t *testing.T, rule diag.Rule, e diag.Example, text string, o diag.ExampleOptions) []AdmissionAction {
	t.Helper()
	opts := AdmitTextOptions{KubernetesVersion: o.KubernetesVersion, FeatureGates: o.FeatureGates}
	switch e.Operation {
	case diag.Update:
		opts.Operation, opts.OldObject = "UPDATE", diag.Expand(e.Before)
	case diag.UpdateStatus:
		opts.Operation, opts.Subresource, opts.OldObject = "UPDATE", "status", diag.Expand(e.Before)
	}
	var actions []AdmissionAction
	objects := bundle.Parse([]byte(text), bundle.Options{FieldValidation: bundle.Ignore, Features: feature.Default(feature.Newest)}).Objects
	for i := range objects {
		for _, phase := range []AdmissionPhase{Mutating, Validating} {
			opts.Object, opts.Phase = i, phase
			got, err := AdmitText(context.Background(), []byte(text), opts)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range got.Findings {
				if f.Source == rule.Source && f.Rule == rule.ID {
					actions = append(actions, f.Action)
				}
			}
		}
	}
	return actions
}
