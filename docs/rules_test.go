package docs

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/drawbridge-dra/drawbridge/core/allocate"
	"github.com/drawbridge-dra/drawbridge/core/diag"
	"github.com/drawbridge-dra/drawbridge/core/schedule"
)

var update = flag.Bool("update", false, "write the generated documents")

var sources = []struct {
	source diag.Source
	title  string
	words  string
}{
	{diag.Decode, "decode", "The text cannot be read as an object of its kind."},
	{diag.API, "api", "The API server refuses the object. The type of a finding is the `field.ErrorType` that the API server gives."},
	{diag.Gate, "gate", "The API server accepts the object and silently drops a field at this version with these feature gates."},
	{diag.Bundle, "bundle", "The objects do not fit each other. No API server checks that."},
}

// TestRules keeps docs/rules.md equal to the registry of rules.
func TestRules(t *testing.T) {
	var b bytes.Buffer
	b.WriteString("# Rules and reasons\n\nGenerated from the registry by `task generate`; do not edit.\n\nThe id of a rule and the code of a reason are stable.\n")
	for _, s := range sources {
		fmt.Fprintf(&b, "\n## Source `%s`\n\n%s\n\n| rule | severity | demands | Kubernetes |\n|---|---|---|---|\n", s.title, s.words)
		for _, r := range diag.Rules() {
			if r.Source == s.source {
				fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", r.ID, r.Severity, cell(r.Doc), cell(r.Reference))
			}
		}
	}
	b.WriteString("\n## Reasons of allocation\n\nWhy a pod or claim does not fit on a node (`reasons[].code`), and why a request cannot have a device (`reasons[].devices[].code`).\n\n| code | about | means |\n|---|---|---|\n")
	for _, c := range append(allocate.Codes(), schedule.Codes()...) {
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", c.Code, c.Scope, cell(c.Doc))
	}
	if *update {
		if err := os.WriteFile("rules.md", b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile("rules.md")
	if err != nil || !bytes.Equal(have, b.Bytes()) {
		t.Errorf("rules.md is not what the registry says (%v); run: task generate", err)
	}
}

func cell(s string) string { return strings.ReplaceAll(s, "|", `\|`) }
