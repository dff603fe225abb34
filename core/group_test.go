package core_test

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/drawbridge-dra/drawbridge/core"
	"github.com/drawbridge-dra/drawbridge/fixture/fleet"
)

func explained(t *testing.T, text []byte, explain core.Explanation) *core.AllocateResult {
	t.Helper()
	result, err := core.Allocate(context.Background(), text, core.Options{Explain: explain})
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// TestGroups holds the groups against the nodes one by one, from which they
// must follow.
func TestGroups(t *testing.T) {
	var text bytes.Buffer
	if err := fleet.Write(&text, fleet.Size{Nodes: 24, Devices: 4, Pods: 60}); err != nil {
		t.Fatal(err)
	}
	full, summary, none := explained(t, text.Bytes(), core.ExplainFull), explained(t, text.Bytes(), core.ExplainSummary), explained(t, text.Bytes(), core.ExplainNone)
	failed := 0
	for i, p := range full.Pods {
		short, bare := summary.Pods[i], none.Pods[i]
		if p.Outcome != short.Outcome || p.Node != short.Node || p.Message != short.Message || bare.Outcome != p.Outcome || bare.Node != p.Node {
			t.Errorf("%s: %s on %s, in short %s on %s, without explanation %s on %s", p.Name, p.Outcome, p.Node, short.Outcome, short.Node, bare.Outcome, bare.Node)
		}
		if len(short.Nodes)+len(bare.Nodes)+len(bare.Groups)+len(p.Groups) > 0 {
			t.Errorf("%s: nodes or groups where none belong", p.Name)
		}
		want, got := countNodes(p.Nodes), map[string]int{}
		for _, g := range short.Groups {
			got["nodes"] += g.Nodes
			for _, r := range g.Reasons {
				got[r.Code] += g.Nodes
				for _, d := range r.Devices {
					got[r.Code+" "+d.Code] += d.Count
				}
			}
		}
		for k, n := range want {
			if got[k] != n {
				t.Errorf("%s: %s counted %d times, want %d", p.Name, k, got[k], n)
			}
		}
		if len(got) != len(want) {
			t.Errorf("%s: groups count %v, nodes %v", p.Name, got, want)
		}
		if p.Outcome == core.PodUnschedulable {
			failed++
			if len(short.Groups) >= len(p.Nodes) {
				t.Errorf("%s: %d groups for %d nodes", p.Name, len(short.Groups), len(p.Nodes))
			}
		}
	}
	if failed == 0 {
		t.Fatal("every pod fits; nothing is explained")
	}
}

func countNodes(nodes []core.NodeResult) map[string]int {
	out := map[string]int{}
	for _, n := range nodes {
		out["nodes"]++
		for _, r := range n.Reasons {
			out[r.Code]++
			for _, d := range r.Devices {
				out[r.Code+" "+d.Code]++
			}
		}
	}
	return out
}

// TestGroupMessage reads what is said of many nodes.
func TestGroupMessage(t *testing.T) {
	var text bytes.Buffer
	if err := fleet.Write(&text, fleet.Size{Nodes: 12, Devices: 4, Pods: 20}); err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, p := range explained(t, text.Bytes(), core.ExplainSummary).Pods {
		for _, g := range p.Groups {
			all = append(all, g.Message)
		}
	}
	for _, want := range []string{"on 9 of 12 nodes: 4 devices each do not serve: 4 refused by the claim's selector", " held, "} {
		if !strings.Contains(strings.Join(all, "\n"), want) {
			t.Errorf("nothing says %q:\n%s", want, strings.Join(all, "\n"))
		}
	}
}

func TestExplainOption(t *testing.T) {
	_, err := core.Allocate(context.Background(), nil, core.Options{Explain: "short"})
	if problem, ok := err.(*core.OptionError); !ok || problem.Option != "explain" {
		t.Errorf("got %v", err)
	}
}
