package webhook

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/drawbridge-dra/drawbridge/core"
	"github.com/drawbridge-dra/drawbridge/core/diag"
)

// object is the object of a review, as it stands in it.
func object(t testing.TB, review []byte) []byte {
	t.Helper()
	var in struct {
		Request struct{ Object json.RawMessage }
	}
	if err := json.Unmarshal(review, &in); err != nil {
		t.Fatal(err)
	}
	return in.Request.Object
}

// The whole way, with the core itself: what the REST API calls an error of
// the API server is what the webhook denies, with the same rule and line.
func TestSameVerdictAsValidate(t *testing.T) {
	slice := file(t, "slice-create.json")
	skip := func(list string) []byte {
		return bytes.Replace(slice, []byte(`"driver": "gpu.example.com",`), []byte(`"driver": "gpu.example.com", "skipNodeOperations": `+list+`,`), 1)
	}
	two := func(review []byte) []byte { return bytes.Replace(review, []byte(`, "whole"]`), []byte(`]`), 1) }
	tests := []struct {
		name   string
		review []byte
		rules  []string
	}{
		{"three groups", slice, []string{"compatibility-groups-max"}},
		{"two groups", two(slice), nil},
		{"prepare without unprepare", two(skip(`["NodePrepareResources"]`)), []string{"skip-node-operations"}},
		{"skip everything", two(skip(`["*"]`)), nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, review := range [][]byte{tt.review, wire(t, tt.review)} {
				raw := object(t, review)
				result, err := core.Validate(context.Background(), raw, core.Options{})
				if err != nil {
					t.Fatal(err)
				}
				var want []string
				var first *diag.Diagnostic
				for i, d := range result.Diagnostics {
					if d.Severity == diag.Error && (d.Source == diag.API || d.Source == diag.Decode) {
						want = append(want, d.Message+" ("+string(d.Source)+"/"+d.Rule+")")
						if first == nil {
							first = &result.Diagnostics[i]
						}
					}
				}
				if (len(want) > 0) != (len(tt.rules) > 0) {
					t.Fatalf("the core found %q", want)
				}
				got := answer(t, New(Config{Logger: quiet()}).Validate(), review)
				if got.Allowed != (len(want) == 0) {
					t.Fatalf("got %+v; the core found %q", got, want)
				}
				if first == nil {
					continue
				}
				if first.Rule != tt.rules[0] {
					t.Errorf("the core found %s", first.Rule)
				}
				var causes []string
				for _, c := range got.Result.Details.Causes {
					causes = append(causes, c.Message)
				}
				if !slices.Equal(causes, want) {
					t.Errorf("got  %q\nwant %q", causes, want)
				}
				line := fmt.Sprintf(", line %d)", first.Location.Line)
				if many := bytes.ContainsRune(raw, '\n'); strings.Contains(got.Result.Message, line) != many {
					t.Errorf("line %d, many lines %v: got %q", first.Location.Line, many, got.Result.Message)
				}
			}
		})
	}
}

// A gate that is off drops the field: nothing to deny, much to warn of.
func TestGateWarns(t *testing.T) {
	review := bytes.Replace(file(t, "slice-create.json"), []byte(`, "whole"]`), []byte(`]`), 1)
	got := answer(t, New(Config{Logger: quiet(), KubernetesVersion: "1.37"}).Validate(), review)
	if !got.Allowed || len(got.Warnings) == 0 || !strings.Contains(strings.Join(got.Warnings, "\n"), "DRADeviceCompatibilityGroups") {
		t.Errorf("got %+v", got)
	}
	for _, w := range got.Warnings {
		if strings.Contains(w, "pool-incomplete") || strings.Contains(w, "unknown-counter-set") {
			t.Errorf("a slice alone is told what lies beside it: %s", w)
		}
	}
	got = answer(t, New(Config{Logger: quiet(), KubernetesVersion: "1.37", FeatureGates: "DRADeviceCompatibilityGroups=true"}).Validate(), review)
	if !got.Allowed || len(got.Warnings) != 0 {
		t.Errorf("with the gate: got %+v", got)
	}
}

func TestPodWarns(t *testing.T) {
	got := answer(t, New(Config{Logger: quiet()}).Validate(), wire(t, file(t, "pod-create.json")))
	if !got.Allowed || len(got.Warnings) != 1 || !strings.Contains(got.Warnings[0], "spec.nodeName") {
		t.Errorf("got %+v", got)
	}
}

// A cluster that is newer than we are must not be kept from its own kinds.
func TestUnknownKindsAndVersionsAreAllowed(t *testing.T) {
	review := file(t, "slice-create.json")
	for name, changed := range map[string][]byte{
		"version": bytes.ReplaceAll(review, []byte(`"apiVersion": "resource.k8s.io/v1"`), []byte(`"apiVersion": "resource.k8s.io/v7"`)),
		"kind":    bytes.ReplaceAll(review, []byte(`"kind": "ResourceSlice"`), []byte(`"kind": "ResourceCube"`)),
	} {
		got := answer(t, New(Config{Logger: quiet()}).Validate(), changed)
		if !got.Allowed || len(got.Warnings) != 1 || !strings.Contains(got.Warnings[0], "unknown-"+name) {
			t.Errorf("%s: got %+v", name, got)
		}
	}
}
