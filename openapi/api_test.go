package openapi

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"
	"sigs.k8s.io/yaml"

	"github.com/drawbridge-dra/drawbridge/core"
	"github.com/drawbridge-dra/drawbridge/server/problem"
)

var update = flag.Bool("update", false, "write openapi.yaml")

const class = "apiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: gpu}\nspec: {}\n"

func start(t *testing.T, cfg Config) *httptest.Server {
	t.Helper()
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.NewTextHandler(io.Discard, nil))
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
	for path, method := range map[string]string{"/v1/validate": "post", "/v1/allocate": "post", "/v1/versions": "get", "/v1/rules": "get"} {
		if doc.Paths[path][method] == nil {
			t.Errorf("%s %s is missing", method, path)
		}
	}
	for _, leaked := range []string{"ResourceClaim", "ObjectMeta", "DeviceRequest", "Quantity"} {
		if doc.Components.Schemas[leaked] != nil {
			t.Errorf("the Kubernetes type %s leaks into the document", leaked)
		}
	}
	for _, want := range []string{"kubernetesVersion", "featureGates", "fieldValidation", "skipValidation"} {
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
	send(t, "GET", s.URL+"/v1/rules?x=1", "").wantProblem(t, 400, "no query parameters")
	for _, fine := range []string{"", "skipValidation", "skipValidation=true", "skipValidation=false", "skipValidation&kubernetesVersion=1.36", "kubernetesVersion=", "fieldValidation="} {
		if r := post(fine); r.status != 200 {
			t.Errorf("%q: got %d %s", fine, r.status, r.body)
		}
	}
	if r := post("skipValidation&kubernetesVersion=1.36"); !strings.Contains(r.body, `"kubernetesVersion":"1.36"`) {
		t.Errorf("a parameter behind one without a value is lost: %s", r.body)
	}
}

func TestBodyLimit(t *testing.T) {
	s := start(t, Config{BodyLimit: int64(len(class))})
	if r := send(t, "POST", s.URL+"/v1/validate", class); r.status != 200 {
		t.Errorf("at the limit: got %d %s", r.status, r.body)
	}
	send(t, "POST", s.URL+"/v1/validate", class+"#").wantProblem(t, 413, "--max-body-bytes")
	// Without a Content-Length.
	req, err := http.NewRequest("POST", s.URL+"/v1/validate", io.MultiReader(strings.NewReader(class), strings.NewReader("# secret")))
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, _ := io.ReadAll(res.Body)
	reply{res.StatusCode, res.Header, string(body)}.wantProblem(t, 413, "--max-body-bytes")
	send(t, "POST", s.URL+"/v1/validate", "").wantProblem(t, 400, "empty")
}

func TestErrorsDoNotEcho(t *testing.T) {
	s := start(t, Config{BodyLimit: 64})
	for _, r := range []reply{
		send(t, "POST", s.URL+"/v1/validate", strings.Repeat("hunter2 ", 100)),
		send(t, "POST", s.URL+"/v1/validate?hunter2=1", class),
		send(t, "POST", s.URL+"/v1/validate?fieldValidation=hunter2", "a: b"),
		send(t, "POST", s.URL+"/v1/validate", "a: b", "Content-Type", "hunter2/hunter2"),
		send(t, "POST", s.URL+"/v1/validate", "a: b", "Accept", "hunter2/hunter2"),
	} {
		if r.status < 400 || strings.Contains(r.body, "hunter2") {
			t.Errorf("got %d %s", r.status, r.body)
		}
	}
}

func TestSlowBody(t *testing.T) {
	s := start(t, Config{BodyTimeout: 50 * time.Millisecond})
	body, feed := io.Pipe()
	defer feed.Close()
	go func() { _, _ = feed.Write([]byte("a: ")) }()
	req, err := http.NewRequest("POST", s.URL+"/v1/validate", body)
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	text, _ := io.ReadAll(res.Body)
	reply{res.StatusCode, res.Header, string(text)}.wantProblem(t, 408, "in time")
}

func TestGate(t *testing.T) {
	g := newGate(1, time.Hour)
	if !g.enter(context.Background()) {
		t.Fatal("the gate is closed")
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if g.enter(ctx) {
		t.Error("one too many")
	}
	entered := make(chan bool)
	go func() { entered <- g.enter(context.Background()) }()
	g.leave()
	if !<-entered {
		t.Error("the one that waited did not get in")
	}
}

func TestTooMany(t *testing.T) {
	s := start(t, Config{Concurrency: 1, QueueTimeout: 20 * time.Millisecond})
	body, feed := io.Pipe()
	done := make(chan reply)
	go func() {
		req, _ := http.NewRequest("POST", s.URL+"/v1/validate", body)
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Error(err)
			close(done)
			return
		}
		defer res.Body.Close()
		b, _ := io.ReadAll(res.Body)
		done <- reply{res.StatusCode, res.Header, string(b)}
	}()
	if _, err := feed.Write([]byte(class)); err != nil { // the request is being read: it has the only slot
		t.Fatal(err)
	}
	deadline := time.Now().Add(5 * time.Second)
	for {
		r := send(t, "POST", s.URL+"/v1/allocate", class)
		if r.status == http.StatusTooManyRequests {
			r.wantProblem(t, 429, "try again")
			if r.header.Get("Retry-After") != "1" {
				t.Errorf("got %v", r.header)
			}
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("got %d", r.status)
		}
	}
	if r := send(t, "GET", s.URL+"/v1/versions", ""); r.status != 200 {
		t.Errorf("what needs no slot is refused: %d", r.status)
	}
	feed.Close()
	if r := <-done; r.status != 200 {
		t.Errorf("the first one got %d %s", r.status, r.body)
	}
	if r := send(t, "POST", s.URL+"/v1/validate", class); r.status != 200 {
		t.Errorf("the slot was not given back: %d", r.status)
	}
}

func TestComputeErrors(t *testing.T) {
	var log bytes.Buffer
	a := &api{cfg: Config{ComputeTimeout: time.Millisecond, Logger: slog.New(slog.NewTextHandler(&log, nil))}}
	fail := func(err error) *problem.Problem {
		_, p := compute(context.Background(), a, func(ctx context.Context) (int, error) {
			if err == nil {
				<-ctx.Done()
				return 0, ctx.Err()
			}
			return 0, err
		})
		return p
	}
	if p := fail(nil); p.Status != 503 || !strings.Contains(p.Detail, "--compute-timeout") {
		t.Errorf("got %+v", p)
	}
	if p := fail(&core.OptionError{Option: "featureGates", Message: "is wrong"}); p.Status != 400 || p.Parameter != "featureGates" || p.Detail != "featureGates: is wrong" {
		t.Errorf("got %+v", p)
	}
	if p := fail(context.Canceled); p.Status != statusClientGone {
		t.Errorf("got %+v", p)
	}
	if p := fail(io.ErrUnexpectedEOF); p.Status != 500 || strings.Contains(p.Detail, "EOF") || !strings.Contains(log.String(), "EOF") {
		t.Errorf("got %+v", p)
	}
}

// A client that goes away in the middle leaves nothing behind: no panic, and
// its slot is free again.
func TestClientGone(t *testing.T) {
	s := start(t, Config{Concurrency: 1, QueueTimeout: 5 * time.Second})
	for range 20 {
		ctx, cancel := context.WithCancel(context.Background())
		body, feed := io.Pipe()
		req, err := http.NewRequestWithContext(ctx, "POST", s.URL+"/v1/allocate", body)
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			_, _ = feed.Write([]byte(class))
			cancel()
			feed.CloseWithError(io.ErrUnexpectedEOF)
		}()
		if res, err := http.DefaultClient.Do(req); err == nil {
			res.Body.Close()
		}
	}
	if r := send(t, "POST", s.URL+"/v1/validate", class); r.status != 200 {
		t.Errorf("got %d %s", r.status, r.body)
	}
}
