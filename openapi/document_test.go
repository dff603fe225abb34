package openapi

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"strings"
	"sync"
	"testing"

	"sigs.k8s.io/yaml"
)

var update = flag.Bool("update", false, "write openapi.yaml")

func TestDocumentIsCheckedIn(t *testing.T) {
	got, err := YAML()
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile("openapi.yaml", got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile("openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("openapi.yaml is not what the server serves; run: go test ./openapi -run TestDocumentIsCheckedIn -update")
	}
}

func TestDocument(t *testing.T) {
	s := start(t, Config{})
	text := send(t, "GET", s.URL+"/openapi.json", "")
	if text.status != 200 || text.header.Get("Content-Type") != "application/json" || text.header.Get("Etag") == "" {
		t.Errorf("got %d %v", text.status, text.header)
	}
	var doc struct {
		OpenAPI    string
		Paths      map[string]map[string]any
		Components struct{ Schemas map[string]any }
	}
	if err := json.Unmarshal([]byte(text.body), &doc); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(doc.OpenAPI, "3.1") {
		t.Errorf("got OpenAPI %s", doc.OpenAPI)
	}
	for path, method := range map[string]string{"/v1/validate": "post", "/v1/validate-update": "post", "/v1/allocate": "post", "/v1/explain": "post", "/v1/capacity": "post", "/v1/diff": "post", "/v1/node-operations": "post", "/v1/resource-health": "post", "/v1/versions": "get", "/v1/rules": "get", "/v1/status-authorization": "post", "/v1/roles": "get"} {
		if doc.Paths[path][method] == nil {
			t.Errorf("%s %s is missing", method, path)
		}
	}
	for _, leaked := range []string{"ResourceClaim", "ObjectMeta", "DeviceRequest", "Quantity", "PodExtendedResourceClaimStatus"} {
		if doc.Components.Schemas[leaked] != nil {
			t.Errorf("the Kubernetes type %s leaks into the document", leaked)
		}
	}
	for _, want := range []string{"kubernetesVersion", "featureGates", "fieldValidation", "skipValidation", "now", "explain", "pod", "claim", "subresource"} {
		if !strings.Contains(text.body, `"name": "`+want+`"`) {
			t.Errorf("the parameter %s is missing", want)
		}
	}
	if strings.Contains(text.body, `"null"`) || strings.Contains(text.body, "$schema") {
		t.Error("the document has nullable lists or $schema")
	}
	y := send(t, "GET", s.URL+"/openapi.yaml", "")
	asJSON, err := yaml.YAMLToJSON([]byte(y.body))
	if err != nil || y.header.Get("Content-Type") != "application/yaml" {
		t.Fatalf("%v %v", err, y.header)
	}
	var a, b any
	_ = json.Unmarshal(asJSON, &a)
	_ = json.Unmarshal([]byte(text.body), &b)
	x, _ := json.Marshal(a)
	z, _ := json.Marshal(b)
	if !bytes.Equal(x, z) {
		t.Error("the two forms differ")
	}
	for _, path := range []string{"/openapi.json", "/openapi.yaml", "/v1/versions", "/v1/rules", "/docs/"} {
		if r := send(t, "HEAD", s.URL+path, ""); r.status != 200 || r.body != "" || r.header.Get("Content-Length") == "" {
			t.Errorf("HEAD %s: got %d %q", path, r.status, r.body)
		}
	}
	if r := send(t, "GET", s.URL+"/openapi.json", "", "If-None-Match", text.header.Get("Etag")); r.status != 304 || r.body != "" {
		t.Errorf("got %d", r.status)
	}
	send(t, "GET", s.URL+"/openapi.json", "", "Range", "bytes=9999999-").wantProblem(t, 416, "range")
}

// huma renders its document on the first request, without a lock; ours must
// not, which shows under -race.
func TestConcurrentReads(t *testing.T) {
	s := start(t, Config{})
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for _, path := range []string{"/openapi.json", "/openapi.yaml", "/docs/", "/docs/swagger-ui.css", "/v1/versions"} {
				encoding := "identity"
				if i%2 == 0 {
					encoding = "gzip"
				}
				if r := send(t, "GET", s.URL+path, "", "Accept-Encoding", encoding); r.status != 200 {
					t.Errorf("%s: got %d", path, r.status)
				}
			}
		}()
	}
	wg.Wait()
}

func TestDocsPageNeedsNobodyElse(t *testing.T) {
	s := start(t, Config{})
	if r := send(t, "GET", s.URL+"/docs", ""); r.status != 308 || r.header.Get("Location") != "docs/" {
		t.Errorf("got %d %v", r.status, r.header)
	}
	page := send(t, "GET", s.URL+"/docs/", "")
	if page.status != 200 || !strings.HasPrefix(page.header.Get("Content-Type"), "text/html") {
		t.Fatalf("got %d %v", page.status, page.header)
	}
	if strings.Contains(page.body, "//") && strings.Contains(page.body, "http") {
		t.Errorf("the page names a host: %s", page.body)
	}
	for _, name := range []string{"start.js", "swagger-ui.css", "swagger-ui-bundle.js", "favicon-32x32.png"} {
		if !strings.Contains(page.body, name) {
			t.Errorf("the page does not use %s", name)
		}
		if r := send(t, "GET", s.URL+"/docs/"+name, "", "Accept-Encoding", "identity"); r.status != 200 || r.header.Get("Content-Encoding") != "" || len(r.body) < 100 {
			t.Errorf("%s: got %d, %d bytes", name, r.status, len(r.body))
		}
	}
	if r := send(t, "GET", s.URL+"/docs/swagger-ui-bundle.js", "", "Accept-Encoding", "gzip"); r.header.Get("Content-Encoding") != "gzip" {
		t.Errorf("got %v", r.header)
	}
	send(t, "GET", s.URL+"/docs/nothing.js", "").wantProblem(t, 404, "nothing")
}
