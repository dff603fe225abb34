package core

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/drawbridge-dra/drawbridge/core/diag"
)

func TestParseChange(t *testing.T) {
	got, err := ParseChange([]byte(`{"after": "b", "before": "a\n"}`))
	if err != nil || got != (Change{"a\n", "b"}) {
		t.Errorf("got %+v, %v", got, err)
	}
	for body, says := range map[string]string{
		``: "JSON object", `[]`: "JSON object", `before: secret`: "JSON object", `{"before": {}, "after": ""}`: "JSON object",
		`{"before": "", "after": ""} {}`:        "JSON object",
		`{"before": "", "after": "", "old": 1}`: "neither", `{"before": "", "after": "", "after": "secret"}`: "twice",
		`{"Before": "", "after": ""}`: "neither", `{"before": "secret"}`: "lacks", `{"before": null, "after": ""}`: "lacks", `null`: "lacks",
	} {
		if _, err := ParseChange([]byte(body)); err == nil || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: got %v, want %q", body, err, says)
		}
	}
}

func TestValidateChange(t *testing.T) {
	ctx := context.Background()
	class := func(name, rest string) string {
		return "---\napiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: " + name + "}\nspec: {" + rest + "}\n"
	}
	claim := func(namespace, rest string) string {
		return "---\napiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: c, namespace: " + namespace + "}\nspec: {devices: {requests: [{name: r, exactly: {deviceClassName: a" + rest + "}}]}}\n"
	}
	allocation := "status: {allocation: {devices: {results: [{request: x, driver: d, pool: p, device: x}]}}}\n"
	deployment := "---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {name: w}\n"
	for _, e := range []struct {
		name          string
		before, after string
		subresource   string
		valid         bool
		objects       []string // kind/name operation
		rules         []string
	}{
		{name: "nothing", valid: true, rules: []string{"decode/empty"}},
		{name: "each of the three", valid: true,
			before: class("a", "") + class("b", ""), after: class("c", "") + class("a", ""),
			objects: []string{"DeviceClass/c create 0", "DeviceClass/a update 1", "DeviceClass/b delete 1"}},
		{name: "all go", before: class("a", ""), after: "# none is left\n", valid: true, objects: []string{"DeviceClass/a delete 0"}},
		{name: "one that goes although it is there twice", before: class("a", "") + class("a", ""), valid: true, objects: []string{"DeviceClass/a delete 0"}},
		{name: "another name is another object", before: class("a", ""), after: class("b", ""), valid: true,
			objects: []string{"DeviceClass/b create 0", "DeviceClass/a delete 0"}},
		{name: "an old fault stays, a new one does not", before: class("a", "selectors: [{cel: {expression: '('}}]"),
			after:   class("a", "selectors: [{cel: {expression: '('}}]") + class("b", "selectors: [{cel: {expression: '('}}]"),
			objects: []string{"DeviceClass/a update 0", "DeviceClass/b create 1"}, rules: []string{"api/cel-expression"}},
		{name: "namespaces tell objects apart", before: class("a", "") + claim("one", "") + claim("two", ""), after: class("a", "") + claim("two", ", count: 2") + claim("default", ""),
			objects: []string{"DeviceClass/a update 0", "ResourceClaim/c update 1", "ResourceClaim/c create 2", "ResourceClaim/c delete 1"}, rules: []string{"api/spec-immutable"}},
		{name: "no namespace is the default one", before: class("a", "") + claim("default", ""), after: class("a", "") + strings.Replace(claim("default", ", count: 2"), ", namespace: default", "", 1),
			objects: []string{"DeviceClass/a update 0", "ResourceClaim/c update 1"}, rules: []string{"api/spec-immutable"}},
		{name: "rules across objects are about what is left", before: class("a", "") + claim("default", ""), after: class("b", "") + claim("default", ""),
			objects: []string{"DeviceClass/b create 0", "ResourceClaim/c update 1", "DeviceClass/a delete 0"}, rules: []string{"bundle/missing-class"}},
		{name: "status", before: claim("default", ""), after: class("a", "selectors: [{}]") + claim("default", "") + allocation + claim("other", ", count: -1"), subresource: "status",
			objects: []string{"DeviceClass/a  0", "ResourceClaim/c status 1", "ResourceClaim/c  2"}, rules: []string{"api/request-reference"}},
		{name: "nobody knows what the rest of a text is", before: class("a", "") + class("b", ""), after: class("a", "") + "---\n{", rules: []string{"decode/json-syntax"},
			objects: []string{"DeviceClass/a update 0"}},
		{name: "a text before that cannot be read", before: class("b", "") + "---\nkind: DeviceClass\n", after: class("a", ""), rules: []string{"before: decode/api-version-required"},
			objects: []string{"DeviceClass/a create 0", "DeviceClass/b delete 0", "DeviceClass/ delete 1"}},
		{name: "unknown fields of what is stored", before: class("a", "selector: []"), after: class("a", ""), valid: true, objects: []string{"DeviceClass/a update 0"}},
		{name: "other kinds", before: deployment, after: deployment, valid: true, objects: []string{"Deployment/w update 0"}, rules: []string{"decode/ignored-kind"}},
	} {
		t.Run(e.name, func(t *testing.T) {
			got, err := ValidateChange(ctx, Change{e.before, e.after}, ChangeOptions{Subresource: e.subresource})
			if err != nil {
				t.Fatal(err)
			}
			var objects, rules []string
			for _, o := range got.Objects {
				objects = append(objects, fmt.Sprintf("%s/%s %s %d", o.Kind, o.Name, o.Operation, o.Index))
			}
			for _, d := range got.Diagnostics {
				rule := string(d.Source) + "/" + d.Rule
				if d.Text != "" {
					rule = d.Text + ": " + rule
				}
				if d.URL != diag.URL(d.Source, d.Rule) {
					t.Errorf("%s leads to %q", rule, d.URL)
				}
				rules = append(rules, rule)
			}
			if got.Valid != e.valid || !slices.Equal(objects, e.objects) || !slices.Equal(rules, e.rules) {
				t.Errorf("got  %v %q %q\nwant %v %q %q", got.Valid, objects, rules, e.valid, e.objects, e.rules)
			}
		})
	}
	var option *OptionError
	if _, err := ValidateChange(ctx, Change{}, ChangeOptions{Subresource: "scale"}); !errors.As(err, &option) || option.Option != "subresource" {
		t.Errorf("got %v", err)
	}
	if _, err := ValidateChange(ctx, Change{}, ChangeOptions{Options: Options{KubernetesVersion: "1.1"}}); !errors.As(err, &option) || option.Option != "kubernetesVersion" {
		t.Errorf("got %v", err)
	}
	gone, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := ValidateChange(gone, Change{"", storedClass}, ChangeOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// FuzzChange gives changes that nobody would send: anything for a body, and
// any two texts.
func FuzzChange(f *testing.F) {
	for _, r := range diag.Rules() {
		if e, err := r.Example(); err == nil && e.Operation != diag.Create {
			body, err := json.Marshal(Change{e.Before, e.Wrong})
			if err != nil {
				f.Fatal(err)
			}
			f.Add(body, e.Before, e.Wrong, e.Operation == diag.UpdateStatus)
		}
	}
	f.Fuzz(func(t *testing.T, body []byte, before, after string, status bool) {
		if len(body)+len(before)+len(after) > 64<<10 {
			return
		}
		opts := ChangeOptions{Options: Options{FeatureGates: "AllAlpha=true,AllBeta=true"}}
		if status {
			opts.Subresource = "status"
		}
		changes := []Change{{before, after}}
		if change, err := ParseChange(body); err == nil {
			changes = append(changes, change)
		}
		for _, change := range changes {
			first, err := ValidateChange(context.Background(), change, opts)
			if err != nil {
				t.Fatal(err)
			}
			second, err := ValidateChange(context.Background(), change, opts)
			if err != nil {
				t.Fatal(err)
			}
			a, _ := JSON(first)
			if b, _ := JSON(second); string(a) != string(b) {
				t.Fatalf("two answers:\n%s\n%s", a, b)
			}
		}
	})
}
