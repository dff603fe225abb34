package docs

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/drawbridge-dra/drawbridge/core"
	"github.com/drawbridge-dra/drawbridge/rulebook"
)

var update = flag.Bool("update", false, "write the generated documents")

// TestRules keeps docs/rules.md equal to the registry of rules.
func TestRules(t *testing.T) {
	want := rulebook.Markdown(mends(t))
	if *update {
		if err := os.WriteFile("rules.md", want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile("rules.md")
	if err != nil || !bytes.Equal(have, want) {
		t.Errorf("rules.md is not what the registry says (%v); run: task generate", err)
	}
}

var fits = regexp.MustCompile(`(?m)^# fits (if|with): (.*)$`)

// mends says of the codes of reasons what mended the fixtures of them, which
// package fixture tries.
func mends(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, r := range core.Reasons() {
		file := "../testdata/reasons/" + r.Code + ".yaml"
		text, err := os.ReadFile(file)
		if os.IsNotExist(err) {
			continue // fixture.unreachable says why
		}
		if err != nil {
			t.Fatal(err)
		}
		out[r.Code] = fmt.Sprintf("Example: [%s](%s).", filepath.Base(file), file)
		m := fits.FindStringSubmatch(string(text))
		if m == nil {
			continue
		}
		from, to, change := strings.Cut(strings.TrimSpace(m[2]), " => ")
		from, _, _ = strings.Cut(from, " #") // the fixture's own remarks
		to, _, _ = strings.Cut(to, " #")
		switch {
		case change && to == "":
			out[r.Code] += fmt.Sprintf(" Mend: leave out `%s`.", from)
		case change:
			out[r.Code] += fmt.Sprintf(" Mend: instead of `%s` write `%s`.", from, to)
		default:
			out[r.Code] += fmt.Sprintf(" Mend: ask with `%s`.", m[2])
		}
	}
	if len(out) < 20 {
		t.Fatalf("only %d reasons have a fixture", len(out))
	}
	return out
}
