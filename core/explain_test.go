package core

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"
)

func TestExplainTarget(t *testing.T) {
	const claim = "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: c, namespace: default}\nspec: {devices: {requests: [{name: r, exactly: {deviceClassName: acc}}]}}\n"
	for want, target := range map[string]Target{
		"pod":   {},
		"claim": {Pod: "default/p", Claim: "default/c"},
	} {
		_, err := Explain(context.Background(), []byte(claim), ExplainOptions{Target: target})
		if problem, ok := err.(*OptionError); !ok || problem.Option != want {
			t.Errorf("%v: got %v, want a problem of %s", target, err, want)
		}
	}
	for _, name := range []string{"c", "default/", "/c", "a/b/c", "default/other"} {
		_, err := Explain(context.Background(), []byte(claim), ExplainOptions{Target: Target{Claim: name}})
		if problem, ok := err.(*OptionError); !ok || problem.Option != "claim" {
			t.Errorf("%q: got %v", name, err)
		}
		_, err = Explain(context.Background(), []byte(claim), ExplainOptions{Target: Target{Pod: name}})
		if problem, ok := err.(*OptionError); !ok || problem.Option != "pod" {
			t.Errorf("%q: got %v", name, err)
		}
	}
	result, err := Explain(context.Background(), []byte(claim), ExplainOptions{Target: Target{Claim: "default/c"}})
	if err != nil || result.Claim == nil || result.Pod != nil || result.FitsIf == nil || len(result.FitsIf) != 0 {
		t.Errorf("got %+v, %v", result, err)
	}
	if result.Claim.Outcome != ClaimUnallocated {
		t.Errorf("got %s: %s", result.Claim.Outcome, result.Claim.Message)
	}
}

func TestExplainTellsAsMuchAsAsked(t *testing.T) {
	text := []byte(example(t, "34-compatibility-groups.yaml"))
	for explain, want := range map[Explanation][2]int{"": {0, 1}, ExplainSummary: {0, 1}, ExplainFull: {1, 0}, ExplainNone: {0, 0}} {
		result, err := Explain(context.Background(), text, ExplainOptions{Options: Options{Explain: explain}, Target: Target{Pod: "default/two"}})
		if err != nil {
			t.Fatal(err)
		}
		if got := [2]int{len(result.Pod.Nodes), len(result.Pod.Groups)}; got != want || len(result.FitsIf) == 0 {
			t.Errorf("%q: got %d nodes and %d groups, want %v", explain, got[0], got[1], want)
		}
	}
	_, err := Explain(context.Background(), text, ExplainOptions{Options: Options{Explain: "long"}, Target: Target{Pod: "default/two"}})
	if problem, ok := err.(*OptionError); !ok || problem.Option != "explain" {
		t.Errorf("got %v", err)
	}
}

// FuzzExplain asks about whatever a text holds. It must end, within its
// bounds, and say the same when asked again; and a text differs in nothing from
// itself.
func FuzzExplain(f *testing.F) {
	names, err := filepath.Glob("../testdata/reasons/*.yaml")
	if err != nil || len(names) == 0 {
		f.Fatal("no seeds", err)
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		ctx := context.Background()
		all, err := Allocate(ctx, text, Options{})
		if err != nil {
			t.Fatal(err)
		}
		same, err := Diff(ctx, Change{Before: string(text), After: string(text)}, DiffOptions{})
		if err != nil || len(same.Pods)+len(same.Claims)+len(same.Evictions) > 0 {
			t.Fatalf("the same text differs: %+v, %v", same, err)
		}
		var target Target
		for _, p := range all.Pods {
			if p.Outcome == PodUnschedulable {
				target = Target{Pod: p.Namespace + "/" + p.Name}
			}
		}
		for _, c := range all.Claims {
			if c.Outcome == ClaimUnallocated && c.Pod == "" && target.Pod == "" {
				target = Target{Claim: c.Claim.Namespace + "/" + c.Claim.Name}
			}
		}
		if target == (Target{}) || target.check() != nil {
			return
		}
		if got, err := Capacity(ctx, text, CapacityOptions{Target: target}); err == nil && got.Copies > got.Limit {
			t.Fatalf("%d copies of at most %d", got.Copies, got.Limit)
		}
		var first []byte
		for range 2 {
			result, err := Explain(ctx, text, ExplainOptions{Target: target})
			if _, odd := err.(*OptionError); odd {
				return // two objects with one name, or names that no API server has
			}
			if err != nil {
				t.Fatal(err)
			}
			if result.Tried > result.Limit {
				t.Fatalf("%d tries of %d", result.Tried, result.Limit)
			}
			out, err := JSON(result)
			if err != nil {
				t.Fatal(err)
			}
			if first == nil {
				first = out
			}
			if !bytes.Equal(out, first) {
				t.Fatalf("asked twice:\n%s\n%s", first, out)
			}
		}
	})
}
