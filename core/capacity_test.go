package core_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/drawbridge-dra/drawbridge/core"
	"github.com/drawbridge-dra/drawbridge/fixture/fleet"
)

// object finds an object of a List, as fields.
func object(t *testing.T, text []byte, kind, name string) map[string]any {
	t.Helper()
	var list struct{ Items []map[string]any }
	if err := json.Unmarshal(text, &list); err != nil {
		t.Fatal(err)
	}
	for _, item := range list.Items {
		if item["kind"] == kind && item["metadata"].(map[string]any)["name"] == name {
			return item
		}
	}
	t.Fatalf("no %s %s", kind, name)
	return nil
}

// with writes so many copies of an object behind a text.
func with(t *testing.T, text []byte, object map[string]any, n int) []byte {
	t.Helper()
	out := bytes.Clone(text)
	object["metadata"] = map[string]any{"namespace": "ml"}
	object["status"] = map[string]any{}
	for i := range n {
		object["metadata"].(map[string]any)["name"] = fmt.Sprintf("copy-%d", i)
		one, err := json.Marshal(object)
		if err != nil {
			t.Fatal(err)
		}
		out = append(append(out, "\n---\n"...), one...)
	}
	return out
}

// TestCapacity counts copies, and then writes so many into the bundle, and one
// more: the plan must place exactly the others, node by node.
func TestCapacity(t *testing.T) {
	var text bytes.Buffer
	if err := fleet.Write(&text, fleet.Size{Nodes: 8, Devices: 4, Pods: 6}); err != nil {
		t.Fatal(err)
	}
	list := text.Bytes()
	claim := func(template string) map[string]any {
		spec := object(t, list, "ResourceClaimTemplate", template)["spec"].(map[string]any)["spec"]
		return map[string]any{"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim", "spec": spec}
	}
	tests := map[string]struct {
		opts core.CapacityOptions
		copy map[string]any
		says string
	}{
		"pod with one device":    {core.CapacityOptions{Target: core.Target{Pod: "ml/job-0000"}}, object(t, list, "Pod", "job-0000"), "wants 1 device"},
		"pod with a pair":        {core.CapacityOptions{Target: core.Target{Pod: "ml/job-0002"}}, object(t, list, "Pod", "job-0002"), ""},
		"pod without a claim":    {core.CapacityOptions{Target: core.Target{Pod: "ml/job-0004"}}, object(t, list, "Pod", "job-0004"), ""},
		"claim":                  {core.CapacityOptions{Target: core.Target{Claim: "ml/train-0004"}}, object(t, list, "ResourceClaim", "train-0004"), "wants 2 devices"},
		"template":               {core.CapacityOptions{Template: "ml/pair"}, claim("pair"), ""},
		"template for one model": {core.CapacityOptions{Template: "ml/four-h100"}, claim("four-h100"), ""},
		"template that never":    {core.CapacityOptions{Template: "ml/one-b200"}, claim("one-b200"), "No copy more"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := core.Capacity(context.Background(), list, tt.opts)
			if err != nil {
				t.Fatal(err)
			}
			if !got.Complete || !strings.Contains(got.Message, tt.says) || len(got.Groups) == 0 || got.Outcome == "" {
				t.Errorf("got %+v", got)
			}
			result, err := core.Allocate(context.Background(), with(t, list, tt.copy, got.Copies+1), core.Options{})
			if err != nil {
				t.Fatal(err)
			}
			placed, nodes := 0, map[string]int{}
			last := ""
			see := func(name, node string, fits bool) {
				if !strings.HasPrefix(name, "copy-") {
					return
				}
				if last = name; fits {
					placed++
					nodes[node]++
				}
			}
			for _, p := range result.Pods {
				see(p.Name, p.Node, p.Outcome == core.PodScheduled)
			}
			for _, c := range result.Claims {
				if c.Pod == "" {
					see(c.Claim.Name, c.Node, c.Outcome == core.ClaimAllocated)
				}
			}
			if placed != got.Copies || last != fmt.Sprintf("copy-%d", got.Copies) {
				t.Errorf("%d copies counted, %d placed, the last is %s", got.Copies, placed, last)
			}
			total := 0
			for _, n := range got.Nodes {
				if total += n.Copies; nodes[n.Name] != n.Copies {
					t.Errorf("%s gets %d copies, counted were %d", n.Name, nodes[n.Name], n.Copies)
				}
			}
			if total != got.Copies {
				t.Errorf("nodes get %d copies of %d", total, got.Copies)
			}
			t.Log(got.Message)
		})
	}
}

// TestCapacityLimit stops where devices never run out.
func TestCapacityLimit(t *testing.T) {
	const text = `
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: acc}
spec: {}
---
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: net}
spec:
  driver: acc.example.test
  allNodes: true
  pool: {name: net, generation: 1, resourceSliceCount: 1}
  devices: [{name: d0, allowMultipleAllocations: true}]
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: c, namespace: default}
spec: {devices: {requests: [{name: r, exactly: {deviceClassName: acc}}]}}
`
	told := 0
	opts := core.CapacityOptions{Target: core.Target{Claim: "default/c"}}
	opts.Progress = func(p core.Progress) {
		if p.What == "copies" {
			told++
		}
	}
	got, err := core.Capacity(context.Background(), []byte(text), opts)
	if err != nil {
		t.Fatal(err)
	}
	if got.Complete || got.Copies != got.Limit || got.Outcome != "" || !strings.HasPrefix(got.Message, "At least 10000 copies") {
		t.Errorf("got %+v", got)
	}
	if told != 100 {
		t.Errorf("progress was told %d times", told)
	}
}

func TestCapacityOptions(t *testing.T) {
	for option, opts := range map[string]core.CapacityOptions{
		"pod":      {},
		"claim":    {Target: core.Target{Claim: "default/gone"}},
		"template": {Target: core.Target{Claim: "default/c"}, Template: "default/t"},
	} {
		_, err := core.Capacity(context.Background(), nil, opts)
		if problem, ok := err.(*core.OptionError); !ok || problem.Option != option {
			t.Errorf("%s: got %v", option, err)
		}
	}
	_, err := core.Capacity(context.Background(), nil, core.CapacityOptions{Template: "t"})
	if problem, ok := err.(*core.OptionError); !ok || problem.Option != "template" {
		t.Errorf("got %v", err)
	}
}
