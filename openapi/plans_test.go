package openapi

import (
	"context"
	"net/url"
	"strings"
	"testing"

	"github.com/drawbridge-dra/drawbridge/core"
	"github.com/drawbridge-dra/drawbridge/fixture/fleet"
)

func rendered(t *testing.T, result any, err error) string {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	text, err := core.JSON(result)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestPlans gives over HTTP what the facade gives, with every option at work.
func TestPlans(t *testing.T) {
	s := start(t, Config{})
	text := cluster(t, fleet.Size{Nodes: 12, Devices: 4, Pods: 30})
	ctx := context.Background()
	opts := core.Options{FeatureGates: "DRADeviceTaintRules=false", KubernetesVersion: "1.37", FieldValidation: "Warn", SkipValidation: true, Now: "2026-11-29T12:00:00Z"}
	query := url.Values{"featureGates": {opts.FeatureGates}, "kubernetesVersion": {opts.KubernetesVersion}, "fieldValidation": {opts.FieldValidation},
		"skipValidation": {"true"}, "now": {opts.Now}}
	with := func(more ...string) string {
		q := url.Values{}
		for k, v := range query {
			q[k] = v
		}
		for i := 0; i < len(more); i += 2 {
			q.Set(more[i], more[i+1])
		}
		return q.Encode()
	}
	short := opts
	short.Explain, short.Picture = core.ExplainSummary, true
	allocated, err := core.Allocate(ctx, []byte(text), short)
	full := opts
	full.Explain = core.ExplainFull
	explained, err2 := core.Explain(ctx, []byte(text), core.ExplainOptions{Options: full, Target: core.Target{Pod: "ml/job-0014"}})
	counted, err3 := core.Capacity(ctx, []byte(text), core.CapacityOptions{Options: opts, Template: "ml/pair"})
	claims, err4 := core.Capacity(ctx, []byte(text), core.CapacityOptions{Options: opts, Target: core.Target{Claim: "ml/train-0000"}})
	change := core.Change{Before: text, After: strings.ReplaceAll(text, `"H100"`, `"B200"`)}
	differs, err5 := core.Diff(ctx, change, core.DiffOptions{Options: opts, AfterKubernetesVersion: "1.36", AfterFeatureGates: "DRADeviceTaintRules=true"})
	absent := opts
	absent.AbsentDrivers = "gpu.example.com"
	operations, err6 := core.NodeOperations(ctx, []byte(text), absent)
	health, err7 := core.ResourceHealth(ctx, []byte(text), absent)
	both := absent
	both.Explain, both.NodeOperations = core.ExplainNone, true
	allocatedBoth, err8 := core.Allocate(ctx, []byte(text), both)
	for path, want := range map[string]string{
		"/v1/node-operations?" + with("absentDrivers", "gpu.example.com"):                                       rendered(t, operations, err6),
		"/v1/resource-health?" + with("absentDrivers", "gpu.example.com"):                                       rendered(t, health, err7),
		"/v1/allocate?" + with("explain", "none", "nodeOperations", "true", "absentDrivers", "gpu.example.com"): rendered(t, allocatedBoth, err8),
		"/v1/allocate?" + with("explain", "summary", "picture", "true"):                                         rendered(t, allocated, err),
		"/v1/explain?" + with("pod", "ml/job-0014", "explain", "full"):                                          rendered(t, explained, err2),
		"/v1/capacity?" + with("template", "ml/pair"):                                                           rendered(t, counted, err3),
		"/v1/capacity?" + with("claim", "ml/train-0000"):                                                        rendered(t, claims, err4),
	} {
		if got := send(t, "POST", s.URL+path, text); got.status != 200 || got.body != want {
			t.Errorf("%s: got %d %s\nwant %s", path, got.status, got.body, want)
		}
	}
	want := rendered(t, differs, err5)
	if len(differs.Pods) == 0 {
		t.Error("the change changes nothing")
	}
	got := send(t, "POST", s.URL+"/v1/diff?"+with("afterKubernetesVersion", "1.36", "afterFeatureGates", "DRADeviceTaintRules=true"), encode(t, change), "Content-Type", "application/json")
	if got.status != 200 || got.body != want {
		t.Errorf("got %d %s\nwant %s", got.status, got.body, want)
	}
	send(t, "POST", s.URL+"/v1/diff", text, "Content-Type", "application/yaml").wantProblem(t, 415, "before")
	send(t, "POST", s.URL+"/v1/capacity", text).wantProblem(t, 400, "pod")
	send(t, "POST", s.URL+"/v1/allocate?explain=short", text).wantProblem(t, 400, "explain")
	send(t, "POST", s.URL+"/v1/explain?pod=ml/none", text).wantProblem(t, 400, "pod")
}
