package lint

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/drawbridge-dra/drawbridge/core/bundle"
	"github.com/drawbridge-dra/drawbridge/core/diag"
	"github.com/drawbridge-dra/drawbridge/core/feature"
	"github.com/drawbridge-dra/drawbridge/fixture"
)

// example shows a rule at work: bad has the rule's findings written on their
// lines, good is like it and has no finding at all unless one is written.
type example struct {
	rule      string
	gates     string
	bad, good string
}

// examples are collected from the files beside this one.
var examples = slices.Concat(poolExamples, deviceExamples, nodeExamples, claimExamples, podExamples, nodeSideExamples)

func TestExamples(t *testing.T) {
	for _, e := range examples {
		t.Run(e.rule, func(t *testing.T) {
			if !strings.Contains(e.bad, "bundle/"+e.rule) {
				t.Error("the bad example does not want its rule")
			}
			if strings.Contains(e.good, "bundle/"+e.rule) {
				t.Error("the good example wants the rule")
			}
			compare(t, "bad", e.bad, e.gates)
			compare(t, "good", e.good, e.gates)
		})
	}
}

// TestEveryRule keeps the table, the registry and the examples together.
func TestEveryRule(t *testing.T) {
	var table, registry, shown []string
	for _, r := range rules {
		table = append(table, r.id)
	}
	for _, r := range diag.Rules() {
		if r.Source != diag.Bundle {
			continue
		}
		registry = append(registry, r.ID)
		// The examples of the documentation are tested with the facade.
		if _, err := r.Example(); err == nil {
			shown = append(shown, r.ID)
		}
	}
	for _, e := range examples {
		shown = append(shown, e.rule)
	}
	for _, f := range fixtures(t) {
		for _, w := range f.Wants {
			shown = append(shown, strings.TrimPrefix(w.Rule, "bundle/"))
		}
	}
	slices.Sort(table)
	slices.Sort(registry)
	slices.Sort(shown)
	if !slices.Equal(table, registry) {
		t.Errorf("the rules are %v\nand the registry has %v", table, registry)
	}
	if shown = slices.Compact(shown); !slices.Equal(table, shown) {
		t.Errorf("the rules are %v\nand there are examples of %v", table, shown)
	}
}

// fixtures are those of the module that are about bundles, with what they
// expect of this package.
func fixtures(t *testing.T) []*fixture.Fixture {
	t.Helper()
	paths, err := filepath.Glob("../../testdata/bundle/*.yaml")
	if err != nil || len(paths) < 5 {
		t.Fatalf("fixtures: %v, %v", paths, err)
	}
	var list []*fixture.Fixture
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		f, err := fixture.Parse(filepath.Base(path), string(text))
		if err != nil {
			t.Fatal(err)
		}
		f.Wants = slices.DeleteFunc(f.Wants, func(w fixture.Want) bool { return !strings.HasPrefix(w.Rule, "bundle/") })
		f.Says = slices.DeleteFunc(f.Says, func(s fixture.Says) bool { return !strings.HasPrefix(s.Rule, "bundle/") })
		list = append(list, f)
	}
	return list
}

func TestFixtures(t *testing.T) {
	for _, f := range fixtures(t) {
		t.Run(f.Name, func(t *testing.T) {
			version := feature.Newest
			if text := f.Options["kubernetesVersion"]; text != "" {
				var err error
				if version, err = feature.ParseVersion(text); err != nil {
					t.Fatal(err)
				}
			}
			set, err := feature.NewSet(version, f.Options["featureGates"])
			if err != nil {
				t.Fatal(err)
			}
			b := bundle.Parse([]byte(f.Text), bundle.Options{Features: set})
			if problems := f.CompareFindings(Check(b, set, nil)); len(problems) > 0 {
				t.Error(strings.Join(problems, "\n"))
			}
		})
	}
}

func check(t *testing.T, text, gates string) []diag.Diagnostic {
	t.Helper()
	set, err := feature.NewSet(feature.Version{Minor: 37}, gates)
	if err != nil {
		t.Fatal(err)
	}
	b := bundle.Parse([]byte(text), bundle.Options{Features: set})
	if diag.HasErrors(b.Diagnostics) {
		t.Fatalf("the example cannot be read: %+v", b.Diagnostics)
	}
	return Check(b, set, nil)
}

func compare(t *testing.T, name, text, gates string) {
	t.Helper()
	text = strings.TrimPrefix(text, "\n")
	f, err := fixture.Parse(name, text)
	if err != nil {
		t.Fatal(err)
	}
	found := check(t, text, gates)
	if problems := f.CompareFindings(found); len(problems) > 0 {
		t.Errorf("%s:\n%s\n%s", name, strings.Join(problems, "\n"), numbered(text))
	}
	for _, d := range found {
		if d.Message == "" || strings.HasSuffix(d.Message, ".") || strings.Contains(d.Message, "%!") {
			t.Errorf("%s: message %q", name, d.Message)
		}
		if d.Object == nil || d.Field == "" {
			t.Errorf("%s: %s names no object or field", name, d.Rule)
		}
	}
}

func numbered(text string) string {
	var b strings.Builder
	for i, line := range strings.Split(text, "\n") {
		fmt.Fprintf(&b, "%3d  %s\n", i+1, line)
	}
	return b.String()
}

func TestMessages(t *testing.T) {
	for _, tt := range []struct {
		rule, text string
		words      []string
		suggestion string
	}{
		{"pool-slice-count-disagrees", disagreeing, []string{"a says 2", "b says 1", "the 2 slices"}, "2"},
		{"pool-too-many-slices", surplus, []string{"2 slices of generation 1 (a, b)", "each announces 1", "to 2"}, "2"},
		{"device-on-two-nodes", onTwoNodes, []string{"net.example.test/blue/eth9", "a for n1, b for n2", "after its node"}, "n2"},
		{"missing-class", classTypo, []string{"DeviceClass acc.example.test", "nearest name here is acc-daemon.example.test"}, "acc-daemon.example.test"},
		{"constraint-attribute-unpublished", foreignAttribute, []string{"request acc", "resource.kubernetes.io/pcieRoot", "acc.example.test/pciRoot with the same value (pci0000:16)"}, ""},
		{"device-plugin-and-dra", twoWays, []string{"node n1 advertises acc.example.test/gpu: 2", "driver acc.example.test publishes 2 devices", "handed out twice"}, ""},
		{"pod-bound-unallocated", bound, []string{"nodeSelector: {kubernetes.io/hostname: worker-1}", "template t"}, ""},
		{"unknown-counter-set", danglingSet, []string{"device d0 and 1 more device", "counter set ste", "did you mean set?"}, "set"},
	} {
		found := check(t, tt.text, "")
		i := slices.IndexFunc(found, func(d diag.Diagnostic) bool { return d.Rule == tt.rule })
		if i < 0 {
			t.Errorf("%s: not found", tt.rule)
			continue
		}
		for _, w := range tt.words {
			if !strings.Contains(found[i].Message, w) {
				t.Errorf("%s: %q does not say %q", tt.rule, found[i].Message, w)
			}
		}
		if s := found[i].Suggestion; tt.suggestion != "" && (s == nil || s.Replacement != tt.suggestion || s.Location == nil) {
			t.Errorf("%s: suggestion is %+v, want %q in its place", tt.rule, s, tt.suggestion)
		}
		if tt.rule != "pod-bound-unallocated" && (len(found[i].Related) == 0 || found[i].Related[0].Location == nil) {
			t.Errorf("%s: no related place: %+v", tt.rule, found[i].Related)
		}
	}
}

func TestShorten(t *testing.T) {
	for _, tt := range []struct {
		in    string
		limit int
		want  string
	}{
		{"abc", 3, "abc"},
		{"abcdef", 4, "ab…ef"},
		{"äöüäöü", 6, "ä…ü"},
	} {
		if got := shorten(tt.in, tt.limit); got != tt.want {
			t.Errorf("shorten(%q, %d) = %q, want %q", tt.in, tt.limit, got, tt.want)
		}
	}
}
