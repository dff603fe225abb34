package openapi

import (
	"context"
	"net/url"
	"strings"
	"testing"

	"github.com/drawbridge-dra/drawbridge/core"
)

// TestRights gives over HTTP what the facade gives, with every option at work.
func TestRights(t *testing.T) {
	s := start(t, Config{})
	ctx := context.Background()
	change := core.Change{
		Before: "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: train, namespace: ml}\nspec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu.example.com}}]}}\n",
		After:  "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: train, namespace: ml}\nspec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu.example.com}}]}}\nstatus: {allocation: {}}\n",
	}
	opts := core.StatusOptions{Options: core.Options{KubernetesVersion: "1.36"}, ServiceAccount: "gpu/driver", Groups: []string{"a", "b"}, Node: "n1", Verb: "patch",
		Claim: "ml/train", Writes: []string{"allocation", "reservedFor"}, Drivers: []string{"gpu.example.com", "nic.example.com"}, AllocatedNode: "n1", WithoutBuiltIn: true}
	answer, err := core.StatusAuthorization(ctx, change, opts)
	want := rendered(t, answer, err)
	query := url.Values{"kubernetesVersion": {"1.36"}, "serviceAccount": {"gpu/driver"}, "groups": {"a,b"}, "node": {"n1"}, "verb": {"patch"}, "claim": {"ml/train"},
		"writes": {"allocation,reservedFor"}, "drivers": {"gpu.example.com,nic.example.com"}, "allocatedNode": {"n1"}, "withoutBuiltIn": {"true"}}
	if got := send(t, "POST", s.URL+"/v1/status-authorization?"+query.Encode(), encode(t, change), "Content-Type", "application/json"); got.body != want {
		t.Errorf("got  %s\nwant %s", got.body, want)
	}
	answer, err = core.StatusAuthorization(ctx, change, core.StatusOptions{User: "system:kube-scheduler"})
	want = rendered(t, answer, err)
	if got := send(t, "POST", s.URL+"/v1/status-authorization?user=system:kube-scheduler", encode(t, change), "Content-Type", "application/json"); got.body != want || !answer.Allowed {
		t.Errorf("got  %s\nwant %s", got.body, want)
	}
	send(t, "POST", s.URL+"/v1/status-authorization", encode(t, change), "Content-Type", "application/json").wantProblem(t, 400, "serviceAccount")

	roles := core.RolesOptions{KubernetesVersion: "1.36", FeatureGates: "AllBeta=true", For: "controller", Driver: "gpu.example.com", ServiceAccount: "gpu/driver", Name: "mine", Verbs: []string{"update"}}
	made, err := core.RolesFor(ctx, roles)
	want = rendered(t, made, err)
	query = url.Values{"kubernetesVersion": {"1.36"}, "featureGates": {"AllBeta=true"}, "for": {"controller"}, "driver": {"gpu.example.com"}, "serviceAccount": {"gpu/driver"}, "name": {"mine"}, "verbs": {"update"}}
	if got := send(t, "GET", s.URL+"/v1/roles?"+query.Encode(), ""); got.body != want {
		t.Errorf("got  %s\nwant %s", got.body, want)
	}
	send(t, "GET", s.URL+"/v1/roles?for=controller&serviceAccount=x", "").wantProblem(t, 400, "serviceAccount")
}

// What is wrong with a parameter is said in our words, whoever finds it.
func TestParameterWords(t *testing.T) {
	s := start(t, Config{})
	for query, want := range map[string]string{
		"device-metadata?generation=x":       "generation: must be a whole number",
		"device-metadata?generation=-1":      "generation: must be at least 0",
		"pod-resources?deviceMetadata=maybe": "deviceMetadata: must be true or false",
		"allocate?explain=all":               "explain: must be one of full, summary, none",
	} {
		if got := send(t, "POST", s.URL+"/v1/"+query, "a: b", "Content-Type", "application/yaml"); !strings.Contains(got.body, want+`"`) {
			t.Errorf("%s: got %s", query, got.body)
		}
	}
	if got := send(t, "GET", s.URL+"/v1/roles?serviceAccount=a/b", ""); !strings.Contains(got.body, `for: is missing; add it to the query"`) {
		t.Errorf("got %s", got.body)
	}
}
