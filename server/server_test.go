package server

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"
)

const class = "apiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: gpu}\nspec: {}\n"

// logBuffer is a log that tests read while the server writes it.
type logBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *logBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *logBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

type running struct {
	*Server
	https, http string
	log         *logBuffer
	served      chan error
	client      *http.Client
}

// run starts a server on free ports and ends it with the test.
func run(t *testing.T, cfg Config) *running {
	t.Helper()
	log := &logBuffer{}
	if cfg.HTTPSListen == "" && cfg.HTTPListen == "" {
		cfg.HTTPSListen, cfg.HTTPListen = "127.0.0.1:0", "127.0.0.1:0"
	}
	cfg.Logger = slog.New(slog.NewJSONHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	s, err := New(context.Background(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	r := &running{Server: s, log: log, served: make(chan error, 1), client: &http.Client{
		Transport:     &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, DisableCompression: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
	for _, url := range s.URLs() {
		if strings.HasPrefix(url, "https:") {
			r.https = url
		} else {
			r.http = url
		}
	}
	go func() { r.served <- s.Serve() }()
	t.Cleanup(func() {
		r.client.CloseIdleConnections()
		r.stop(t, 0)
	})
	return r
}

// holdDelay lets the delay of the shutdown to come end when the function is
// called that it returns, and not before.
func (r *running) holdDelay() (over func()) {
	end := make(chan time.Time)
	r.after = func(time.Duration) <-chan time.Time { return end }
	return func() { close(end) }
}

// stop ends the server, once.
func (r *running) stop(t *testing.T, delay time.Duration) {
	t.Helper()
	if r.draining.Load() {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := r.Shutdown(ctx, delay); err != nil {
		t.Errorf("shutdown: %v", err)
	}
	if err := <-r.served; err != nil {
		t.Errorf("serve: %v", err)
	}
}

type reply struct {
	status int
	header http.Header
	body   string
	close  bool // the server asked for the connection to be closed
}

func (r *running) send(t *testing.T, method, url, body string, headers ...string) reply {
	t.Helper()
	req, err := http.NewRequest(method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		if headers[i] == "Host" {
			req.Host = headers[i+1]
		}
		req.Header.Set(headers[i], headers[i+1])
	}
	res, err := r.client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return reply{res.StatusCode, res.Header, string(b), res.Close}
}

func (r reply) wantProblem(t *testing.T, status int, detail string) {
	t.Helper()
	if r.status != status || r.header.Get("Content-Type") != "application/problem+json" || !strings.Contains(r.body, detail) || !json.Valid([]byte(r.body)) {
		t.Errorf("got %d %s %s; want %d %s", r.status, r.header.Get("Content-Type"), r.body, status, detail)
	}
}

var page = fstest.MapFS{
	"index.html":                {Data: []byte("<html>")},
	"assets/app-12345678.js":    {Data: []byte("js")},
	"assets/app-12345678.js.br": {Data: []byte("br")},
}

func TestBothListeners(t *testing.T) {
	r := run(t, Config{Web: page})
	for _, base := range []string{r.https, r.http} {
		for path, contentType := range map[string]string{
			"/": "text/html; charset=utf-8", "/livez": "text/plain; charset=utf-8", "/readyz": "text/plain; charset=utf-8",
			"/openapi.json": "application/json", "/docs/": "text/html; charset=utf-8", "/v1/versions": "application/json",
		} {
			if got := r.send(t, "GET", base+path, ""); got.status != 200 || got.header.Get("Content-Type") != contentType || got.close {
				t.Errorf("%s%s: got %d %v", base, path, got.status, got.header)
			}
			if got := r.send(t, "HEAD", base+path, ""); got.status != 200 || got.body != "" {
				t.Errorf("HEAD %s%s: got %d %q", base, path, got.status, got.body)
			}
		}
		if got := r.send(t, "POST", base+"/v1/validate", class); got.status != 200 {
			t.Errorf("%s: got %d %s", base, got.status, got.body)
		}
	}
	review := `{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"u-1","operation":"DELETE"}}`
	for _, path := range []string{"/admission/validate", "/admission/mutate"} {
		got := r.send(t, "POST", r.https+path, review, "Content-Type", "application/json")
		if got.status != 200 || !strings.Contains(got.body, `"uid":"u-1","allowed":true`) {
			t.Errorf("got %d %s", got.status, got.body)
		}
		r.send(t, "POST", r.http+path, review, "Content-Type", "application/json").wantProblem(t, 404, "HTTPS")
	}
}

func TestOneListener(t *testing.T) {
	if r := run(t, Config{HTTPListen: "127.0.0.1:0"}); r.https != "" || r.send(t, "GET", r.http+"/livez", "").status != 200 {
		t.Errorf("got %v", r.URLs())
	}
	if r := run(t, Config{HTTPSListen: "127.0.0.1:0"}); r.http != "" || r.send(t, "GET", r.https+"/livez", "").status != 200 {
		t.Errorf("got %v", r.URLs())
	}
}

func TestBadConfigurations(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	for name, cfg := range map[string]Config{
		"nothing to listen on": {},
		"belong together":      {HTTPSListen: "127.0.0.1:0", TLSCertFile: "x"},
		"no such file":         {HTTPSListen: "127.0.0.1:0", TLSCertFile: "nowhere", TLSKeyFile: "nowhere"},
		"address already in":   {HTTPSListen: "127.0.0.1:0", HTTPListen: taken.Addr().String()},
		"kubernetesVersion":    {HTTPListen: "127.0.0.1:0", KubernetesVersion: "1.2"},
		"featureGates":         {HTTPListen: "127.0.0.1:0", FeatureGates: "NoSuchGate=true"},
	} {
		if _, err := New(context.Background(), cfg); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestProblems(t *testing.T) {
	r := run(t, Config{Web: page})
	r.send(t, "GET", r.http+"/hunter2", "").wantProblem(t, 404, "/docs")
	r.send(t, "POST", r.http+"/hunter2", "").wantProblem(t, 404, "/docs")
	r.send(t, "GET", r.http+"/v1/hunter2", "").wantProblem(t, 404, "/docs")
	for _, c := range []struct{ method, path, allow string }{
		{"GET", "/v1/validate", "POST"}, {"HEAD", "/v1/validate", "POST"}, {"OPTIONS", "/v1/allocate", "POST"}, {"PUT", "/v1/allocate", "POST"},
		{"POST", "/v1/versions", "GET, HEAD"}, {"DELETE", "/openapi.json", "GET, HEAD"}, {"POST", "/metrics", "GET, HEAD"},
		{"POST", "/docs/x", "GET, HEAD"}, {"POST", "/", "GET, HEAD"}, {"GET", "/admission/validate", "POST"},
	} {
		got := r.send(t, c.method, r.https+c.path, "")
		if c.method != "HEAD" {
			got.wantProblem(t, 405, "")
		}
		if got.status != 405 || got.header.Get("Allow") != c.allow {
			t.Errorf("%v: got %d, Allow %q", c, got.status, got.header.Get("Allow"))
		}
	}
}

func TestWithoutPlayground(t *testing.T) {
	r := run(t, Config{})
	r.send(t, "GET", r.http+"/", "").wantProblem(t, 404, "without the playground")
}

// TestRules follows the link of a finding, without a playground.
func TestRules(t *testing.T) {
	r := run(t, Config{})
	var answer struct{ Diagnostics []struct{ URL string } }
	if err := json.Unmarshal([]byte(r.send(t, "POST", r.http+"/v1/validate", "kind: DeviceClass\n").body), &answer); err != nil || len(answer.Diagnostics) == 0 {
		t.Fatalf("%v %+v", err, answer)
	}
	file, anchor, _ := strings.Cut(answer.Diagnostics[0].URL, "#")
	got := r.send(t, "GET", r.http+file, "")
	if got.status != 200 || got.header.Get("Content-Type") != "text/html; charset=utf-8" || !strings.Contains(got.body, `<article id="`+anchor+`"`) {
		t.Errorf("%s: got %d %v", answer.Diagnostics[0].URL, got.status, got.header)
	}
	if got := r.send(t, "GET", r.https+"/rules.css", ""); got.status != 200 || got.header.Get("Content-Type") != "text/css; charset=utf-8" {
		t.Errorf("got %d %v", got.status, got.header)
	}
}

func TestSecurityHeaders(t *testing.T) {
	r := run(t, Config{Web: page})
	for path, want := range map[string]string{
		"/rules.html": rulesPolicy, "/rules.css": rulesPolicy,
		"/": pagePolicy, "/assets/app-12345678.js": pagePolicy, "/docs/": docsPolicy, "/v1/versions": apiPolicy, "/nothing": apiPolicy, "/livez": apiPolicy,
	} {
		h := r.send(t, "GET", r.http+path, "").header
		if h.Get("Content-Security-Policy") != want || h.Get("X-Content-Type-Options") != "nosniff" || h.Get("Referrer-Policy") != "no-referrer" {
			t.Errorf("%s: got %v", path, h)
		}
		if !regexp.MustCompile(`^[0-9a-f]{16}$`).MatchString(h.Get("X-Request-Id")) {
			t.Errorf("%s: got request id %q", path, h.Get("X-Request-Id"))
		}
		if h.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s: open to other origins", path)
		}
	}
	h := r.send(t, "GET", r.http+"/?embed#1.x", "").header
	if got := h.Get("Content-Security-Policy"); got != strings.TrimSuffix(pagePolicy, "'none'")+"*" || !strings.HasSuffix(got, "frame-ancestors *") {
		t.Errorf("as a part of another page: %s", got)
	}
	for _, policy := range []string{pagePolicy, docsPolicy, rulesPolicy} {
		if strings.Contains(policy, "http") || strings.Contains(policy, "'unsafe-eval'") || !strings.Contains(policy, "default-src 'none'") || strings.Contains(policy, "script-src 'self' 'unsafe-inline'") {
			t.Errorf("not strict: %s", policy)
		}
	}
}

func TestTooManyReviews(t *testing.T) {
	r := run(t, Config{MaxConcurrentReviews: 1})
	body, feed := io.Pipe()
	done := make(chan int, 1)
	go func() {
		req, _ := http.NewRequest("POST", r.https+"/admission/validate", body)
		req.Header.Set("Content-Type", "application/json")
		res, err := r.client.Do(req)
		if err != nil {
			done <- 0
			return
		}
		res.Body.Close()
		done <- res.StatusCode
	}()
	if _, err := feed.Write([]byte("{")); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(time.Minute); ; {
		got := r.send(t, "POST", r.https+"/admission/validate?timeout=100ms", "{}", "Content-Type", "application/json")
		if got.status == 429 {
			got.wantProblem(t, 429, "reviews")
			if got.header.Get("Retry-After") == "" {
				t.Error("no Retry-After")
			}
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("got %d", got.status)
		}
	}
	// Who waits longer gets a turn when the first one has ended.
	waits := make(chan int, 1)
	go func() {
		res, err := r.client.Post(r.https+"/admission/validate?timeout=60s", "application/json", strings.NewReader("{}"))
		if err != nil {
			waits <- 0
			return
		}
		res.Body.Close()
		waits <- res.StatusCode
	}()
	select {
	case status := <-waits:
		t.Errorf("the second one got %d while the first was at work", status)
	case <-time.After(100 * time.Millisecond):
	}
	feed.Close()
	if status := <-done; status != 400 {
		t.Errorf("the first one got %d", status)
	}
	if status := <-waits; status != 400 {
		t.Errorf("the second one got %d", status)
	}
}

func TestSlowBodiesEnd(t *testing.T) {
	r := run(t, Config{MaxConcurrentReviews: 1})
	body, feed := io.Pipe()
	defer feed.Close()
	request, err := http.NewRequest("POST", r.https+"/admission/validate?timeout=1s", body)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if res, err := r.client.Do(request); err == nil {
			res.Body.Close()
		}
	}()
	select {
	case <-ended:
	case <-time.After(time.Minute):
		t.Error("a body that never ends keeps its place for longer than its API server waits")
	}
}

func TestServerTimeouts(t *testing.T) {
	r := run(t, Config{BodyTimeout: time.Minute, ComputeTimeout: time.Minute})
	for _, l := range r.listeners {
		s := l.http
		if s.ReadHeaderTimeout <= 0 || s.ReadTimeout <= time.Minute || s.WriteTimeout <= 2*time.Minute || s.IdleTimeout <= 90*time.Second || s.MaxHeaderBytes <= 0 || s.ErrorLog == nil {
			t.Errorf("%s: got %+v", l.scheme, s)
		}
	}
}

func TestSelfSigned(t *testing.T) {
	r := run(t, Config{})
	conn, err := tls.Dial("tcp", strings.TrimPrefix(r.https, "https://"), &tls.Config{InsecureSkipVerify: true})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	state := conn.ConnectionState()
	leaf := state.PeerCertificates[0]
	if state.Version != tls.VersionTLS13 || leaf.PublicKeyAlgorithm != x509.ECDSA {
		t.Errorf("got %x, %v", state.Version, leaf.PublicKeyAlgorithm)
	}
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AddCert(leaf)
	for _, name := range []string{"localhost", "127.0.0.1", "::1", host} {
		if _, err := leaf.Verify(x509.VerifyOptions{DNSName: name, Roots: pool}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := tls.Dial("tcp", strings.TrimPrefix(r.https, "https://"), &tls.Config{InsecureSkipVerify: true, MaxVersion: tls.VersionTLS12}); err == nil {
		t.Error("TLS 1.2 is accepted")
	}
}
