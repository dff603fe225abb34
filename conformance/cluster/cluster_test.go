package cluster

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/drawbridge-dra/drawbridge/core"
	"github.com/drawbridge-dra/drawbridge/core/diag"
	"github.com/drawbridge-dra/drawbridge/fixture"
)

// planes are the control planes that the scenarios run on.
var planes = []struct{ name, gates string }{
	{"all-gates", AllGates},
	{"default-gates", DefaultGates},
}

// TestScenarios applies every scenario below testdata/cluster to a real
// control plane and compares what became of its pods and claims with our
// answer to what kubectl prints.
func TestScenarios(t *testing.T) {
	scenarios := load(t, "cluster")
	for _, plane := range planes {
		t.Run(plane.name, func(t *testing.T) {
			t.Parallel()
			c, r := startRunner(t, plane.gates)
			if plane.gates == AllGates {
				t.Run("from-cluster", func(t *testing.T) { fromCluster(t, c, r) })
			}
			for _, f := range scenarios {
				t.Run(strings.TrimSuffix(f.Name, ".yaml"), func(t *testing.T) {
					s, err := ParseScenario(f.Name, f.Text)
					if err != nil {
						t.Fatal(err)
					}
					compare(t, r, s, plane.gates)
					compareVerdicts(t, s, f.Text, plane.gates)
					for _, o := range s.Objects {
						// With fewer gates, some objects cannot be written. Then the
						// cluster does not have them, and neither has the bundle.
						if o.Refused != nil && plane.gates == AllGates {
							t.Errorf("%s %s: %v", o.Written.GetKind(), o.Written.GetName(), o.Refused)
						}
					}
				})
			}
		})
	}
}

func startRunner(t *testing.T, gates string) (*Cluster, *Runner) {
	t.Helper()
	c := Start(t, Options{FeatureGates: gates})
	r, err := NewRunner(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	return c, r
}

func load(t *testing.T, dir string) []*fixture.Fixture {
	t.Helper()
	list, err := fixture.Load(filepath.Join("..", "..", "testdata", dir))
	if err != nil {
		t.Fatal(err)
	}
	if len(list) == 0 {
		t.Fatalf("no scenario in testdata/%s", dir)
	}
	return list
}

// compare runs a scenario and reports what differs.
func compare(t *testing.T, r *Runner, s *Scenario, gates string) {
	seen, err := r.Run(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	answer := allocate(t, seen.Before, gates)
	problems := Compare(s, seen, answer)
	if len(problems) == 0 && len(s.Draws) == 0 {
		noticesFaults(t, s, seen, answer)
	}
	for _, p := range CompareAfter(s, seen, allocate(t, seen.After, gates)) {
		problems = append(problems, "afterwards, "+p)
	}
	for _, p := range problems {
		t.Error(p)
	}
	if dir := os.Getenv("KEEP"); dir != "" && len(problems) > 0 {
		keep(t, dir, seen)
	}
}

// admissionRules are those of our own rules across objects that an admission
// plugin of the API server enforces.
var admissionRules = map[string]bool{"node-allocatable-undeclared": true}

// compareVerdicts compares what the API server refused with what we would. The
// objects that were added to the text come after its own.
func compareVerdicts(t *testing.T, s *Scenario, text, gates string) {
	t.Helper()
	result, err := core.Validate(t.Context(), []byte(text), core.Options{KubernetesVersion: "1.37", FeatureGates: gates})
	if err != nil {
		t.Fatal(err)
	}
	refused := map[int]string{}
	for _, d := range result.Diagnostics {
		if d.Object != nil && admissionRules[d.Rule] {
			refused[d.Object.Index] += fmt.Sprintf("%s %s: %s; ", d.Rule, d.Field, d.Message)
		}
		if d.Object != nil && d.Severity == diag.Error && (d.Source == diag.API || d.Source == diag.Decode) {
			refused[d.Object.Index] += fmt.Sprintf("%s %s: %s; ", d.Rule, d.Field, d.Message)
		}
	}
	for i, o := range s.Objects[:len(result.Objects)] {
		if !strings.HasPrefix(o.Written.GetAPIVersion(), "resource.k8s.io/") {
			// Of pods and nodes we read what matters to devices, and no more.
			continue
		}
		switch ours := refused[i]; {
		case o.Refused != nil && ours == "":
			t.Errorf("%s %s: refused by the API server (%v), and by us not", o.Written.GetKind(), o.Written.GetName(), o.Refused)
		case o.Stored != nil && ours != "":
			t.Errorf("%s %s: accepted by the API server, and not by us: %s", o.Written.GetKind(), o.Written.GetName(), ours)
		}
	}
}

func allocate(t *testing.T, bundle []byte, gates string) *core.AllocateResult {
	t.Helper()
	answer, err := core.Allocate(context.Background(), bundle, core.Options{
		KubernetesVersion: "1.37", FeatureGates: gates, Now: time.Now().UTC().Format(time.RFC3339),
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range answer.Diagnostics {
		if d.Severity == diag.Error && d.Source != diag.Bundle {
			t.Errorf("the cluster has stored what we find wrong: %s %s: %s", d.Rule, d.Field, d.Message)
		}
	}
	return answer
}

// keep writes what kubectl printed, for trying again without a cluster.
func keep(t *testing.T, dir string, seen *Observed) {
	name := filepath.Join(dir, strings.ReplaceAll(t.Name(), "/", "_"))
	for suffix, text := range map[string][]byte{"before": seen.Before, "after": seen.After} {
		if err := os.WriteFile(fmt.Sprintf("%s.%s.json", name, suffix), text, 0o644); err != nil {
			t.Error(err)
		}
	}
}

// TestFixtures does the same with every other fixture that an API server can
// read, after adding the nodes and pods that it does not need elsewhere.
func TestFixtures(t *testing.T) {
	t.Parallel()
	_, r := startRunner(t, AllGates)
	ran := 0
	for _, f := range load(t, "") {
		s, ok := candidate(f)
		if !ok {
			continue
		}
		ran++
		t.Run(strings.TrimSuffix(f.Name, ".yaml"), func(t *testing.T) {
			compare(t, r, s, AllGates)
			compareVerdicts(t, s, f.Text, AllGates)
		})
	}
	t.Logf("%d fixtures", ran)
	const fewest = 100
	if ran < fewest {
		t.Errorf("only %d fixtures can be compared, and there were more than %d", ran, fewest)
	}
}

// onlyWritten are fixtures with what no API server has ever stored.
var onlyWritten = map[string]string{
	"bundle/held.yaml":    "a claim is allocated for a request that it does not have",
	"nodes/metadata.yaml": "a claim of a template has the name and the owner's UID of a document, not those that a cluster would have chosen",
}

// candidate tells whether a fixture is about a cluster such as ours, and not
// about other versions, about updates, or about text that is no object.
func candidate(f *fixture.Fixture) (*Scenario, bool) {
	dir := filepath.Dir(f.Name)
	if dir == "cluster" || dir == "decode" || dir == "updates" || filepath.Ext(f.Name) != ".yaml" || onlyWritten[f.Name] != "" {
		return nil, false
	}
	if v := f.Options["kubernetesVersion"]; v != "" && v != "1.37" || f.Options["skipValidation"] != "" || f.Options["fieldValidation"] != "" {
		return nil, false
	}
	s, err := ParseScenario(f.Name, f.Text)
	if err != nil || s.Lone() {
		return nil, false
	}
	s.Populate()
	return s, true
}
