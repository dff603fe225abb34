package bundle

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/drawbridge-dra/drawbridge/core/diag"
)

// naming are the places where the source names a rule.
var naming = regexp.MustCompile(`(?:[Rr]ule(?::| :?=|, said =)|syntaxError\{|\.problem\(|diag\.(?:Error|Warning),) *"([a-z-]+)"`)

// Every rule that the source names is registered, and the other way round.
func TestRulesAreRegistered(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	named := map[string]bool{}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range naming.FindAllStringSubmatch(string(text), -1) {
			named[m[1]] = true
		}
	}
	var registered []string
	for _, r := range diag.Rules() {
		if r.Source == diag.Gate {
			registered = append(registered, r.ID)
		}
		if r.Source == diag.Decode {
			registered = append(registered, r.ID)
			if !named[r.ID] {
				t.Errorf("%s is registered, and nothing reports it", r.ID)
			}
		}
	}
	for rule := range named {
		if !slices.Contains(registered, rule) {
			t.Errorf("%s is reported, and not registered", rule)
		}
	}
}
