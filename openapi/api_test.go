package openapi

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"
	"sigs.k8s.io/yaml"

	"github.com/drawbridge-dra/drawbridge/core"
	"github.com/drawbridge-dra/drawbridge/server/problem"
)

const class = "apiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: gpu}\nspec: {}\n"

func start(t *testing.T, cfg Config) *httptest.Server {
	t.Helper()
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.NewTextHandler(io.Discard, nil))
	}
	if cfg.ComputeTimeout == 0 {
		cfg.ComputeTimeout = 5 * time.Minute // the machine may be busy with other tests
	}
	router := chi.NewRouter()
	router.Use(middleware.GetHead)
	if err := Mount(router, cfg); err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(router)
	t.Cleanup(s.Close)
	return s
}

type reply struct {
	status int
	header http.Header
	body   string
}

// send makes a request; headers come as name, value.
func send(t *testing.T, method, url, body string, headers ...string) reply {
	t.Helper()
	req, err := http.NewRequest(method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	res, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return reply{res.StatusCode, res.Header, string(b)}
}

func (r reply) wantProblem(t *testing.T, status int, detail string) {
	t.Helper()
	var p problem.Problem
	if err := json.Unmarshal([]byte(r.body), &p); err != nil || r.header.Get("Content-Type") != "application/problem+json" {
		t.Fatalf("no problem: %d %s %q", r.status, r.header.Get("Content-Type"), r.body)
	}
	if r.status != status || p.Status != status || p.Title != http.StatusText(status) || !strings.Contains(p.Detail, detail) {
		t.Errorf("got %d %+v; want %d %s", r.status, p, status, detail)
	}
}

func TestContentTypes(t *testing.T) {
	s := start(t, Config{})
	accepted := []string{
		"", "application/json", "application/yaml", "application/x-yaml", "text/yaml", "text/plain", "application/octet-stream",
		"application/x-www-form-urlencoded", // what curl --data-binary says unasked
		"application/yaml; charset=utf-8", `application/json; profile="a+b"`, "TEXT/YAML",
	}
	for _, ct := range accepted {
		headers := []string{"Content-Type", ct}
		if ct == "" {
			headers = nil
		}
		for _, path := range []string{"/v1/validate", "/v1/allocate"} {
			if r := send(t, "POST", s.URL+path, class, headers...); r.status != 200 || r.header.Get("Content-Type") != "application/json" {
				t.Errorf("%q to %s: got %d %s", ct, path, r.status, r.body)
			}
		}
	}
	refused := map[string]string{
		"application/xml":                  "Content-Type: application/yaml",
		"multipart/form-data; boundary=x":  "--data-binary",
		"application/yaml; charset=utf-16": "UTF-8",
		"not a type":                       "cannot be read",
	}
	for ct, detail := range refused {
		send(t, "POST", s.URL+"/v1/validate", class, "Content-Type", ct).wantProblem(t, 415, detail)
	}
	send(t, "POST", s.URL+"/v1/validate", class, "Content-Encoding", "gzip").wantProblem(t, 415, "compressed")
	// curl -d @bundle.yaml
	send(t, "POST", s.URL+"/v1/validate", strings.ReplaceAll(class, "\n", ""), "Content-Type", mediaForm).wantProblem(t, 415, "--data-binary")
	if r := send(t, "POST", s.URL+"/v1/validate", `{"kind":"DeviceClass"}`, "Content-Type", mediaForm); r.status != 200 {
		t.Errorf("JSON on one line: got %d %s", r.status, r.body)
	}
}

func TestAccept(t *testing.T) {
	tests := map[string]string{
		"":                      "application/json",
		"*/*":                   "application/json",
		"application/*":         "application/json",
		"application/json":      "application/json",
		"application/yaml":      "application/yaml",
		"text/yaml":             "text/yaml",
		"application/x-yaml":    "application/x-yaml",
		"text/*":                "text/yaml",
		"application/yaml, */*": "application/yaml",
		"application/yaml;q=0.9, application/json;q=0.8":                     "application/yaml",
		"application/yaml;q=0.8, application/json;q=0.9":                     "application/json",
		"application/yaml, application/json":                                 "application/json",
		"application/json;q=0, */*":                                          "application/yaml",
		"Application/YAML":                                                   "application/yaml",
		"text/html, application/xhtml+xml, application/xml;q=0.9, */*;q=0.8": "application/json",
		"application/json;q=0, application/yaml;q=0":                         "",
		"*/*;q=0":   "",
		"text/html": "",
		"garbage":   "",
	}
	s := start(t, Config{})
	for accept, want := range tests {
		if got := negotiate(accept); got != want {
			t.Errorf("%q: got %q, want %q", accept, got, want)
		}
		for _, op := range [][2]string{{"POST", "/v1/validate"}, {"GET", "/v1/rules"}} {
			r := send(t, op[0], s.URL+op[1], class, "Accept", accept, "Content-Type", mediaYAML)
			if want == "" {
				r.wantProblem(t, 406, "application/yaml")
			} else if r.status != 200 || r.header.Get("Content-Type") != want || !strings.Contains(r.header.Get("Vary"), "Accept") {
				t.Errorf("%q: got %d %v", accept, r.status, r.header)
			}
		}
	}
}

// Every front gives the core's bytes.
func TestBytesAreTheCores(t *testing.T) {
	s := start(t, Config{})
	for _, opts := range []core.Options{{}, {KubernetesVersion: "1.36", FeatureGates: "AllBeta=true", FieldValidation: "Ignore"}} {
		query := "?kubernetesVersion=" + opts.KubernetesVersion + "&featureGates=" + opts.FeatureGates
		if opts.FieldValidation != "" {
			query += "&fieldValidation=" + opts.FieldValidation
		}
		v, err := core.Validate(context.Background(), []byte(class), opts)
		if err != nil {
			t.Fatal(err)
		}
		a, err := core.Allocate(context.Background(), []byte(class), opts)
		if err != nil {
			t.Fatal(err)
		}
		for path, result := range map[string]any{"/v1/validate": v, "/v1/allocate": a} {
			want, err := core.JSON(result)
			if err != nil {
				t.Fatal(err)
			}
			if r := send(t, "POST", s.URL+path+query, class); r.body != string(want) {
				t.Errorf("got  %s\nwant %s", r.body, want)
			}
			r := send(t, "POST", s.URL+path+query, class, "Accept", "application/yaml")
			back, err := yaml.YAMLToJSON([]byte(r.body))
			if err != nil {
				t.Fatal(err)
			}
			var x, y any
			_ = json.Unmarshal(back, &x)
			_ = json.Unmarshal(want, &y)
			xs, _ := json.Marshal(x)
			ys, _ := json.Marshal(y)
			if !bytes.Equal(xs, ys) {
				t.Errorf("YAML says otherwise: %s", r.body)
			}
		}
	}
}

func TestNoNulls(t *testing.T) {
	s := start(t, Config{})
	for _, body := range []string{class, "---\n", "[]", "kind: Pod\napiVersion: v1\nmetadata: {name: p}\n"} {
		for _, path := range []string{"/v1/validate", "/v1/allocate"} {
			if r := send(t, "POST", s.URL+path, body); r.status != 200 || strings.Contains(r.body, ":null") {
				t.Errorf("%s %q: got %d %s", path, body, r.status, r.body)
			}
		}
	}
	for _, path := range []string{"/v1/versions", "/v1/rules"} {
		if r := send(t, "GET", s.URL+path, ""); r.status != 200 || strings.Contains(r.body, ":null") || strings.Contains(r.body, "$schema") || r.header.Get("Link") != "" {
			t.Errorf("%s: got %d %s", path, r.status, r.body)
		}
	}
}

func TestBadQueries(t *testing.T) {
	s := start(t, Config{})
	post := func(query string) reply { return send(t, "POST", s.URL+"/v1/allocate?"+query, class) }
	tests := map[string]string{
		"fieldValidation=Sometimes":                     "fieldValidation",
		"skipValidation=perhaps":                        "skipValidation",
		"kubernetesVersion=1.36&kubernetesVersion=1.37": "kubernetesVersion",
		"kubernetesVersion=1.2":                         "kubernetesVersion",
		"featureGates=NoSuchGate=true":                  "featureGates",
	}
	for query, parameter := range tests {
		r := post(query)
		r.wantProblem(t, 400, parameter+": ")
		var p problem.Problem
		_ = json.Unmarshal([]byte(r.body), &p)
		if p.Parameter != parameter {
			t.Errorf("%s: got parameter %q", query, p.Parameter)
		}
	}
	for _, echoed := range []string{"fieldValidation=Sometimes", "skipValidation=perhaps"} {
		if r := post(echoed); strings.Contains(r.body, strings.SplitN(echoed, "=", 2)[1]) {
			t.Errorf("the value is echoed: %s", r.body)
		}
	}
	post("kubernetesversion=1.36").wantProblem(t, 400, "it knows kubernetesVersion, featureGates, fieldValidation, skipValidation")
	post("a=%zz").wantProblem(t, 400, "query")
	post("a;b").wantProblem(t, 400, "query")
	send(t, "GET", s.URL+"/v1/rules?x=1", "").wantProblem(t, 400, "it knows source, id")
	send(t, "GET", s.URL+"/v1/versions?x=1", "").wantProblem(t, 400, "no query parameters")
	for _, fine := range []string{"", "skipValidation", "skipValidation=true", "skipValidation=false", "skipValidation&kubernetesVersion=1.36", "kubernetesVersion=", "fieldValidation="} {
		if r := post(fine); r.status != 200 {
			t.Errorf("%q: got %d %s", fine, r.status, r.body)
		}
	}
	if r := post("skipValidation&kubernetesVersion=1.36"); !strings.Contains(r.body, `"kubernetesVersion":"1.36"`) {
		t.Errorf("a parameter behind one without a value is lost: %s", r.body)
	}
}

// TestExampleOverHTTP sends the example of a rule as it came, and its mend.
func TestExampleOverHTTP(t *testing.T) {
	s := start(t, Config{})
	var rules core.RulesResult
	if err := json.Unmarshal([]byte(send(t, "GET", s.URL+"/v1/rules?id=devices-max", "").body), &rules); err != nil || len(rules.Rules) != 1 {
		t.Fatalf("%v %+v", err, rules)
	}
	for text, want := range map[string]bool{rules.Rules[0].Example.Wrong: true, rules.Rules[0].Example.Mend: false} {
		if r := send(t, "POST", s.URL+"/v1/validate", text); strings.Contains(r.body, `"rule":"devices-max"`) != want {
			t.Errorf("got %s", r.body)
		}
	}
}

func TestCatalog(t *testing.T) {
	s := start(t, Config{})
	var versions core.VersionsResult
	if err := json.Unmarshal([]byte(send(t, "GET", s.URL+"/v1/versions", "").body), &versions); err != nil {
		t.Fatal(err)
	}
	if len(versions.Versions) < 2 || versions.Versions[0].Version != versions.Default {
		t.Fatalf("got %+v", versions)
	}
	stages := map[string]string{}
	for _, g := range versions.Versions[0].Gates {
		stages[g.Name] = g.Stage
	}
	if stages["DRADeviceCompatibilityGroups"] != "alpha" {
		t.Errorf("got %v", stages)
	}
	var rules core.RulesResult
	if err := json.Unmarshal([]byte(send(t, "GET", s.URL+"/v1/rules", "").body), &rules); err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, r := range rules.Rules {
		id := r.Source + "/" + r.ID
		if r.Doc == "" || r.Severity == "" || r.URL == "" || r.Example.Operation == "" || r.Example.Wrong == "" || r.Example.Mend == "" || seen[id] {
			t.Errorf("got %+v", r)
		}
		seen[id] = true
	}
	if !seen["api/compatibility-groups-max"] || !seen["decode/yaml-syntax"] {
		t.Errorf("got %v", seen)
	}
	for query, want := range map[string]int{"source=gate": 20, "source=api&id=count": 1, "id=count": 1, "source=gate&id=count": 0, "id=COUNT": 0} {
		var some core.RulesResult
		r := send(t, "GET", s.URL+"/v1/rules?"+query, "")
		if err := json.Unmarshal([]byte(r.body), &some); err != nil || r.status != 200 || some.Rules == nil {
			t.Fatalf("%s: got %d %s", query, r.status, r.body)
		}
		if got := len(some.Rules); got != want && (want < 2 || got < want || got >= len(rules.Rules)) {
			t.Errorf("%s: got %d rules", query, got)
		}
	}
	send(t, "GET", s.URL+"/v1/rules?source=kubelet", "").wantProblem(t, 400, "source")
}
