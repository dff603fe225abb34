package cluster

import (
	"encoding/json"
	"testing"

	"github.com/drawbridge-dra/drawbridge/core"
)

// A comparison that notices nothing would be content with everything. So each
// answer that agrees with the cluster is spoilt in several ways, and every one
// has to be noticed.

// faults spoil an answer, and say whether they found something to spoil.
var faults = map[string]func(*core.AllocateResult) bool{
	"another device": func(a *core.AllocateResult) bool {
		return someClaim(a, func(c *core.ClaimResult) bool {
			results := c.Claim.Status.Allocation.Devices.Results
			if len(results) == 0 {
				return false
			}
			results[len(results)-1].Device += "-not"
			return true
		})
	},
	"allocation for all nodes": func(a *core.AllocateResult) bool {
		return someClaim(a, func(c *core.ClaimResult) bool {
			had := c.Claim.Status.Allocation.NodeSelector != nil
			c.Claim.Status.Allocation.NodeSelector = nil
			return had
		})
	},
	"lost reservation": func(a *core.AllocateResult) bool {
		return someClaim(a, func(c *core.ClaimResult) bool {
			had := len(c.Claim.Status.ReservedFor) > 0
			c.Claim.Status.ReservedFor = nil
			return had
		})
	},
	"another node": func(a *core.AllocateResult) bool {
		return somePod(a, core.PodScheduled, func(p *core.PodResult) { p.Node += "-not" })
	},
	"not scheduled": func(a *core.AllocateResult) bool {
		return somePod(a, core.PodScheduled, func(p *core.PodResult) { p.Outcome, p.Node = core.PodUnschedulable, "" })
	},
	"scheduled": func(a *core.AllocateResult) bool {
		return somePod(a, core.PodUnschedulable, func(p *core.PodResult) { p.Outcome, p.Node = core.PodScheduled, "n1" })
	},
	"lost pod": func(a *core.AllocateResult) bool {
		for i := range a.Pods {
			if len(a.Pods[i].Claims) > 0 {
				a.Pods = append(a.Pods[:i], a.Pods[i+1:]...)
				return true
			}
		}
		return false
	},
}

// wrongReason replaces the reasons of a pod that the scheduler has looked at.
// One that waits for its claim has none there.
func wrongReason(a *core.AllocateResult, seen *Observed) bool {
	for i := range seen.Pods {
		if s := seen.Pods[i].State; s != Unschedulable && s != Failed {
			continue
		}
		p := findPod(a, seen.Pods[i].Name)
		for j := range p.Nodes {
			p.Nodes[j].Reasons = []core.Reason{{Code: "no-such-reason"}}
		}
		return len(p.Nodes) > 0
	}
	return false
}

func someClaim(a *core.AllocateResult, spoil func(*core.ClaimResult) bool) bool {
	for i := range a.Claims {
		if c := &a.Claims[i]; c.Outcome == core.ClaimAllocated && c.Pod != "" && spoil(c) {
			return true
		}
	}
	return false
}

func somePod(a *core.AllocateResult, outcome core.PodOutcome, spoil func(*core.PodResult)) bool {
	for i := range a.Pods {
		if a.Pods[i].Outcome == outcome {
			spoil(&a.Pods[i])
			return true
		}
	}
	return false
}

// noticesFaults spoils an answer in which Compare finds nothing wrong.
func noticesFaults(t *testing.T, s *Scenario, seen *Observed, answer *core.AllocateResult) {
	t.Helper()
	all := map[string]func(*core.AllocateResult) bool{
		"wrong reason": func(a *core.AllocateResult) bool { return wrongReason(a, seen) },
	}
	for name, fault := range faults {
		all[name] = fault
	}
	text, err := core.JSON(answer)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range sorted(all) {
		var spoilt core.AllocateResult
		if err := json.Unmarshal(text, &spoilt); err != nil {
			t.Fatal(err)
		}
		if all[name](&spoilt) && len(Compare(s, seen, &spoilt)) == 0 {
			t.Errorf("the comparison does not notice this fault: %s", name)
		}
	}
}
