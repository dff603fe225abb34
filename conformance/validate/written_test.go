package validate

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/drawbridge-dra/drawbridge/core/diag"
	"github.com/drawbridge-dra/drawbridge/core/feature"
)

const (
	parityFile   = "../../docs/parity.md"
	coverageFile = "../../docs/coverage.md"
	tableStart   = "<!-- What was compared, written by the tests: start -->\n"
	tableEnd     = "<!-- What was compared, written by the tests: end -->\n"
)

// TestWritten keeps what docs/ says of this run true to the number. Runs with
// other numbers than the default ones have nothing to compare with.
func TestWritten(t *testing.T) {
	if len(compared.cells) == 0 {
		t.Fatal("run it together with TestCreate and TestUpdate")
	}
	if !asDocumented() {
		if *write {
			t.Fatal("only a run with the default numbers is written down")
		}
		return
	}
	have, err := os.ReadFile(parityFile)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := bytes.Cut(have, []byte(tableStart))
	_, behind, ended := bytes.Cut(rest, []byte(tableEnd))
	if !ok || !ended {
		t.Fatalf("%s has no marks around the table", parityFile)
	}
	current(t, parityFile, slices.Concat(before, []byte(tableStart), []byte(comparedTable()), []byte(tableEnd), behind))
	current(t, coverageFile, []byte(coverageTable()))
}

// current compares a file with what it should be, or writes it.
func current(t *testing.T, file string, want []byte) {
	t.Helper()
	if *write {
		if err := os.WriteFile(file, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if have, err := os.ReadFile(file); err != nil || !bytes.Equal(have, want) {
		t.Errorf("%s is not what this run says (%v); run: task generate:parity", file, err)
	}
}

// comparedTable shows kinds and operations by sets of gates.
func comparedTable() string {
	columns := []string{defaultGates, allOn, allOff, oldestOff}
	for minor := 34; minor < feature.Newest.Minor; minor++ {
		columns = append(columns, "defaults of "+feature.Version{Minor: minor}.String())
	}
	columns = append(columns, byLot)
	var b strings.Builder
	fmt.Fprintf(&b, "| kind, in versions | operation | %s | all | of these refused | differences |\n", strings.Join(columns, " | "))
	b.WriteString("|---|---|" + strings.Repeat("---:|", len(columns)+3) + "\n")
	row := func(kind, operation string, picked func(cell) bool) {
		all := compared.sum(picked)
		if all.total() == 0 {
			return
		}
		fmt.Fprintf(&b, "| %s | %s |", kind, operation)
		for _, gates := range columns {
			fmt.Fprintf(&b, " %s |", thousands(compared.sum(func(c cell) bool { return picked(c) && c.gates == gates }).total()))
		}
		fmt.Fprintf(&b, " %s | %s | %s |\n", thousands(all.total()), thousands(all.refused), thousands(all.differences))
	}
	for _, k := range kinds {
		for _, operation := range []string{create, update, status} {
			row(k.kind+": "+strings.Join(k.versions, ", "), operation, func(c cell) bool { return c.what == k.kind && c.operation == operation })
		}
	}
	for _, operation := range []string{create, update, status} {
		row("**all**", operation, func(c cell) bool { return c.operation == operation })
	}
	return b.String()
}

// coverageTable shows every rule with its counts.
func coverageTable() string {
	var b strings.Builder
	fmt.Fprintf(&b, `# How often each rule was compared

Written by `+"`task generate:parity`"+` from a run of `+"`conformance/validate`"+` with its default numbers: %s objects and %s updates, seed %d. Do not edit.

A rule is broken by at least %d of them. Decisive are those on which the comparison with Kubernetes would fail if the findings of this rule were left out; there is at least one for each rule, so that none can be removed unnoticed. An object that breaks a rule is not decisive where the rule is about a field that this cluster drops before it looks, or where Kubernetes warns only of objects that it accepts.

`, thousands(defaultObjects), thousands(defaultUpdates), defaultSeed, leastHits)
	for _, source := range []diag.Source{diag.API, diag.Gate} {
		fmt.Fprintf(&b, "## Source `%s`\n\n| rule | objects | decisive |\n|---|---:|---:|\n", source)
		for _, r := range diag.Rules() {
			if r.Source != source {
				continue
			}
			h := compared.of(string(r.Source) + "/" + r.ID)
			objects := thousands(h.objects)
			if why := outOfReach[string(r.Source)+"/"+r.ID]; why != "" {
				objects = why
			}
			fmt.Fprintf(&b, "| `%s` | %s | %s |\n", r.ID, objects, thousands(h.decisive))
		}
		b.WriteString("\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// thousands prints a number with commas.
func thousands(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
