package docs

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/drawbridge-dra/drawbridge/cmd/drawbridge/cli"
	"github.com/drawbridge-dra/drawbridge/core"
	"github.com/drawbridge-dra/drawbridge/core/admission"
	"github.com/drawbridge-dra/drawbridge/core/diag"
)

func admissionDoc(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("admission.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// The policy that the document shows is one, and does what the comments say.
func TestPolicyExample(t *testing.T) {
	block := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindStringSubmatch(admissionDoc(t))
	if block == nil {
		t.Fatal("there is no example")
	}
	policy, err := core.ParsePolicy([]byte(block[1]))
	if err != nil {
		t.Fatal(err)
	}
	if got := policy.Profiles(); !slices.Equal(got, []string{"lenient"}) {
		t.Errorf("got %q", got)
	}
	for _, tt := range []struct {
		profile, source, rule string
		severity              diag.Severity
		want                  core.AdmissionAction
	}{
		{"", "gate", "shared-counters-dropped", diag.Warning, core.Deny},
		{"", "bundle", "missing-class", diag.Error, core.Deny},
		{"", "bundle", "missing-claim", diag.Error, core.Warn},
		{"", "bundle", "tolerations-many", diag.Info, core.Audit},
		{"", "api", "driver-name", diag.Error, core.Off},
		{"lenient", "bundle", "missing-class", diag.Error, core.Audit},
		{"sandbox", "bundle", "missing-class", diag.Error, core.Deny},
	} {
		ruling := policy.In(map[string]string{admission.ProfileLabel: tt.profile})
		if got := ruling.Action(diag.Diagnostic{Source: diag.Source(tt.source), Rule: tt.rule, Severity: tt.severity}); got != tt.want {
			t.Errorf("%s %s/%s: got %s", tt.profile, tt.source, tt.rule, got)
		}
	}
}

// The table of defaults is that of the code.
func TestPolicyDefaults(t *testing.T) {
	text := admissionDoc(t)
	for _, source := range []diag.Source{diag.Decode, diag.API, diag.Gate, diag.Bundle} {
		row := fmt.Sprintf("| `%s/*` |", source)
		for _, severity := range []diag.Severity{diag.Error, diag.Warning, diag.Info} {
			row += fmt.Sprintf(" %s |", admission.Default(source, severity))
		}
		if !strings.Contains(text, row+"\n") {
			t.Errorf("there is no row %s", row)
		}
	}
	if !strings.Contains(text, "`"+admission.ProfileLabel+": lenient`") {
		t.Error("the label has another name")
	}
}

// The flags that the document names are there.
func TestAdmissionFlags(t *testing.T) {
	serve, _, err := cli.New().Find([]string{"serve"})
	if err != nil {
		t.Fatal(err)
	}
	for _, flag := range regexp.MustCompile(`--[a-z]+(-[a-z]+)+`).FindAllString(admissionDoc(t), -1) {
		if serve.Flags().Lookup(strings.TrimPrefix(flag, "--")) == nil {
			t.Errorf("there is no %s", flag)
		}
	}
}
