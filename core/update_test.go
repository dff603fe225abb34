package core

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
)

const (
	storedClass = "apiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: a}\nspec: {selectors: [{cel: {expression: '('}}]}\n"
	storedClaim = "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: c, namespace: team}\nspec: {devices: {requests: [{name: r, exactly: {deviceClassName: a}}]}}\n"
)

func ruleNames(r *ValidateResult) []string {
	var out []string
	for _, d := range r.Diagnostics {
		out = append(out, string(d.Source)+"/"+d.Rule)
	}
	return out
}

func TestValidateUpdate(t *testing.T) {
	ctx := context.Background()
	named := func(text, name string) string { return strings.Replace(text, "name: a", "name: "+name, 1) }
	admin := "apiVersion: v1\nkind: Namespace\nmetadata: {name: team}\n---\n"
	allocation := "status: {allocation: {devices: {results: [{request: r, driver: d, pool: p, device: x, adminAccess: true}]}}}\n"
	for _, e := range []struct {
		name     string
		old, now string
		status   bool
		valid    bool
		rules    []string
	}{
		{name: "an old fault", old: storedClass, now: storedClass + "# again\n", valid: true},
		{name: "one object each belongs together", old: storedClass, now: named(storedClass, "b"), rules: []string{"api/metadata-immutable"}},
		{name: "many are told apart by name", old: storedClass + "---\n" + storedClaim, now: named(storedClass, "b") + "---\n" + strings.Replace(storedClaim, "name: r", "name: s", 1),
			rules: []string{"api/cel-expression", "api/spec-immutable", "bundle/missing-class"}},
		{name: "nothing before", old: "", now: storedClass, rules: []string{"api/cel-expression"}},
		{name: "other kinds", old: storedClaim, now: storedClass, rules: []string{"api/cel-expression"}},
		{name: "text that cannot be read", old: storedClass, now: "{", rules: []string{"decode/json-syntax"}},
		{name: "status", old: storedClaim, now: admin + storedClaim + allocation, status: true, rules: []string{"api/admin-access"}},
		{name: "status of nothing", old: "", now: storedClaim + allocation, status: true, valid: true},
	} {
		t.Run(e.name, func(t *testing.T) {
			ask := ValidateUpdate
			if e.status {
				ask = ValidateStatus
			}
			got, err := ask(ctx, []byte(e.old), []byte(e.now), Options{})
			if err != nil {
				t.Fatal(err)
			}
			if found := ruleNames(got); got.Valid != e.valid || !slices.Equal(found, e.rules) {
				t.Errorf("got %v %q, want %v %q", got.Valid, found, e.valid, e.rules)
			}
			if got.KubernetesVersion != "1.37" {
				t.Errorf("got %s", got.KubernetesVersion)
			}
		})
	}
	var option *OptionError
	if _, err := ValidateUpdate(ctx, nil, nil, Options{FeatureGates: "x"}); !errors.As(err, &option) || option.Option != "featureGates" {
		t.Errorf("got %v", err)
	}
	gone, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := ValidateStatus(gone, []byte(storedClass), []byte(storedClass), Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
