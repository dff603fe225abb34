package openapi

import (
	"context"
	"encoding/json"
	"net/url"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/drawbridge-dra/drawbridge/core"
	"github.com/drawbridge-dra/drawbridge/core/diag"
)

func encode(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestValidateUpdate gives over HTTP what the facade gives, for the example of
// every rule about updates.
func TestValidateUpdate(t *testing.T) {
	s := start(t, Config{})
	asked := map[string]int{}
	for _, r := range core.Rules(core.RuleFilter{}).Rules {
		e := r.Example
		if e.Operation == string(diag.Create) {
			continue
		}
		asked[e.Operation]++
		opts := core.ChangeOptions{Options: core.Options{KubernetesVersion: e.Options.KubernetesVersion, FeatureGates: e.Options.FeatureGates}}
		query := url.Values{}
		if e.Operation == string(diag.UpdateStatus) {
			opts.Subresource = "status"
			query.Set("subresource", "status")
		}
		for name, value := range map[string]string{"kubernetesVersion": e.Options.KubernetesVersion, "featureGates": e.Options.FeatureGates} {
			if value != "" {
				query.Set(name, value)
			}
		}
		change := core.Change{Before: e.Before, After: e.Wrong}
		got := send(t, "POST", s.URL+"/v1/validate-update?"+query.Encode(), encode(t, change), "Content-Type", "application/json")
		result, err := core.ValidateChange(context.Background(), change, opts)
		if err != nil {
			t.Fatal(err)
		}
		want, err := core.JSON(result)
		if err != nil {
			t.Fatal(err)
		}
		if got.status != 200 || got.body != string(want) {
			t.Errorf("%s/%s: got %d %s\nwant %s", r.Source, r.ID, got.status, got.body, want)
		}
		if !strings.Contains(got.body, `"rule":"`+r.ID+`"`) || !strings.Contains(got.body, `"operation":"`+e.Operation+`"`) {
			t.Errorf("%s/%s is not found: %s", r.Source, r.ID, got.body)
		}
	}
	if asked["update"] < 5 || asked["status"] < 30 {
		t.Errorf("only %v examples", asked)
	}
}

func TestValidateUpdateRefuses(t *testing.T) {
	s := start(t, Config{BodyLimit: 4096})
	post := func(query, body string, headers ...string) reply {
		t.Helper()
		return send(t, "POST", s.URL+"/v1/validate-update"+query, body, headers...)
	}
	body := encode(t, core.Change{Before: class, After: class})
	for _, media := range []string{"application/json", "text/plain", mediaForm} {
		if r := post("", body, "Content-Type", media); r.status != 200 {
			t.Errorf("%s: got %d %s", media, r.status, r.body)
		}
	}
	for _, media := range []string{"application/yaml", "application/x-yaml", "text/yaml"} {
		post("", body, "Content-Type", media).wantProblem(t, 415, "Content-Type: application/json")
	}
	post("", body, "Content-Type", "application/xml").wantProblem(t, 415, "")
	post("", class).wantProblem(t, 400, "JSON object with two texts")
	post("", `{"before": "secret"}`).wantProblem(t, 400, "lacks")
	if r := post("", `{"before": "", "after": "", "secret": 1}`); strings.Contains(r.body, "secret") {
		t.Errorf("the input is echoed: %s", r.body)
	}
	post("", encode(t, core.Change{Before: strings.Repeat("#", 5000)})).wantProblem(t, 413, "4096")
	post("?subresource=scale", body).wantProblem(t, 400, "subresource")
	post("?kubernetesVersion=1.1", body).wantProblem(t, 400, "kubernetesVersion")
	post("?skipValidation=true", body).wantProblem(t, 400, "it knows")
	r := post("", body, "Accept", "application/yaml")
	var answer core.ValidateResult
	if err := yaml.Unmarshal([]byte(r.body), &answer); err != nil || !answer.Valid || len(answer.Objects) != 1 || answer.Objects[0].Operation != "update" {
		t.Errorf("%v: got %s", err, r.body)
	}
}

// TestExampleChange keeps the example in the document true.
func TestExampleChange(t *testing.T) {
	s := start(t, Config{})
	r := send(t, "POST", s.URL+"/v1/validate-update", encode(t, exampleChange), "Content-Type", "application/json")
	if !strings.Contains(r.body, `"rule":"spec-immutable"`) {
		t.Errorf("got %d %s", r.status, r.body)
	}
}
