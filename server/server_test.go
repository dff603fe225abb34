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
	"reflect"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/drawbridge-dra/drawbridge/core"
	"github.com/drawbridge-dra/drawbridge/webhook"
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

// stop ends the server, once.
func (r *running) stop(t *testing.T, delay time.Duration) {
	t.Helper()
	if r.draining.Load() {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
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

func TestSecurityHeaders(t *testing.T) {
	r := run(t, Config{Web: page})
	for path, want := range map[string]string{
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
	for _, policy := range []string{pagePolicy, docsPolicy} {
		if strings.Contains(policy, "http") || strings.Contains(policy, "'unsafe-eval'") || !strings.Contains(policy, "default-src 'none'") || strings.Contains(policy, "script-src 'self' 'unsafe-inline'") {
			t.Errorf("not strict: %s", policy)
		}
	}
}

func TestAccessLog(t *testing.T) {
	r := run(t, Config{Web: page})
	r.send(t, "POST", r.http+"/v1/validate?featureGates=AllBeta=true", class+"# hunter2\n", "Authorization", "Bearer hunter2", "X-Request-Id", "hunter2")
	r.send(t, "GET", r.http+"/hunter2?hunter2=hunter2", "")
	r.send(t, "HUNTER2", r.http+"/v1/validate", "")
	r.send(t, "POST", r.https+"/admission/validate", "hunter2", "Content-Type", "application/json")
	r.stop(t, 0)
	text := r.log.String()
	if strings.Contains(strings.ToLower(text), "hunter2") || strings.Contains(text, "AllBeta") || strings.Contains(text, "DeviceClass") {
		t.Errorf("the log has what a client sent: %s", text)
	}
	type line struct {
		Msg, Method, Route, RequestID string
		Status, Bytes                 int
		Milliseconds                  float64
	}
	var got []line
	for _, text := range strings.Split(strings.TrimSpace(text), "\n") {
		var l line
		if err := json.Unmarshal([]byte(text), &l); err != nil {
			t.Fatal(err)
		}
		if l.Msg == "request" {
			if l.Milliseconds <= 0 || l.Bytes == 0 || len(l.RequestID) != 16 {
				t.Errorf("got %s", text)
			}
			l.Milliseconds, l.Bytes, l.RequestID = 0, 0, ""
			got = append(got, l)
		}
	}
	want := []line{
		{Msg: "request", Method: "POST", Route: "/v1/validate", Status: 200},
		{Msg: "request", Method: "GET", Route: "/*", Status: 404},
		{Msg: "request", Method: "_OTHER", Route: "/*", Status: 405},
		{Msg: "request", Method: "POST", Route: "/admission/validate", Status: 400},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v", got)
	}
}

// A Host header, a path and a method are whatever a client makes up; none of
// them may make a time series.
func TestMetricsAreBounded(t *testing.T) {
	r := run(t, Config{Web: page})
	for i := range 20 {
		name := strings.Repeat("x", i+1)
		r.send(t, "GET", r.http+"/"+name, "", "Host", name+".example")
		r.send(t, "M"+strings.ToUpper(name), r.http+"/v1/validate", "")
	}
	r.send(t, "POST", r.http+"/v1/validate", class)
	r.send(t, "POST", r.https+"/admission/mutate", `{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"u","operation":"DELETE"}}`, "Content-Type", "application/json")
	text := r.send(t, "GET", r.http+"/metrics", "").body
	for _, want := range []string{
		`http_server_request_duration_seconds_count{http_request_method="POST",http_response_status_code="200",http_route="/v1/validate"} 1`,
		`http_server_request_duration_seconds_count{http_request_method="GET",http_response_status_code="404",http_route="/*"} 20`,
		`http_server_request_duration_seconds_count{http_request_method="_OTHER",http_response_status_code="405",http_route="/*"} 20`,
		`drawbridge_admission_reviews_total{verdict="allowed",webhook="mutate"} 1`,
		"go_goroutines ", "process_start_time_seconds ", `service_version=`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("missing: %s", want)
		}
	}
	if strings.Contains(text, "xx") || strings.Contains(text, "XX") || strings.Contains(text, "server_address") || strings.Contains(text, "127.0.0.1") {
		t.Error("a client's invention is in the metrics")
	}
}

func TestPanic(t *testing.T) {
	log := &logBuffer{}
	s := &Server{cfg: Config{Logger: slog.New(slog.NewJSONHandler(log, nil))}.withDefaults()}
	var err error
	if s.telemetry, err = newTelemetry(context.Background(), "test"); err != nil {
		t.Fatal(err)
	}
	s.webhook = webhook.New(webhook.Config{Logger: s.cfg.Logger, Validate: func(context.Context, []byte, core.Options) (*core.ValidateResult, error) {
		panic("hunter2")
	}})
	routes, err := s.routes()
	if err != nil {
		t.Fatal(err)
	}
	conf, err := tlsConfig(s.cfg)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.open("https", "127.0.0.1:0", routes, conf); err != nil {
		t.Fatal(err)
	}
	r := &running{Server: s, log: log, served: make(chan error, 1), client: &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}}
	go func() { r.served <- s.Serve() }()
	defer r.stop(t, 0)
	review := `{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"u","operation":"CREATE","kind":{"group":"resource.k8s.io","kind":"DeviceClass"},"object":{}}}`
	for range 3 {
		r.send(t, "POST", s.URLs()[0]+"/admission/validate", review, "Content-Type", "application/json").wantProblem(t, 500, "went wrong")
	}
	text := log.String()
	if !strings.Contains(text, `"msg":"panic","what":"string"`) || !strings.Contains(text, "server_test.go") || strings.Contains(text, "hunter2") {
		t.Errorf("got %s", text)
	}
	metrics := r.send(t, "GET", s.URLs()[0]+"/metrics", "").body
	if !strings.Contains(metrics, `http_response_status_code="500",http_route="/admission/validate"`) {
		t.Error("the panic is not counted")
	}
}

// Half an answer must break off, not look whole.
func TestPanicAfterTheHeader(t *testing.T) {
	log := &logBuffer{}
	logger := slog.New(slog.NewJSONHandler(log, nil))
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	srv := &http.Server{ErrorLog: slog.NewLogLogger(logger.Handler(), slog.LevelWarn), Handler: requestID(observe(logger)(recoverer(logger)(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write(bytes.Repeat([]byte("x"), 100_000))
		panic("late")
	}))))}
	go func() { _ = srv.Serve(l) }()
	defer srv.Close()
	res, err := http.Get("http://" + l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if _, err := io.ReadAll(res.Body); err == nil {
		t.Error("the answer looks whole")
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
	for deadline := time.Now().Add(5 * time.Second); ; {
		got := r.send(t, "POST", r.https+"/admission/validate", "{}", "Content-Type", "application/json")
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
	feed.Close()
	if status := <-done; status != 400 {
		t.Errorf("the first one got %d", status)
	}
}

func TestDrain(t *testing.T) {
	r := run(t, Config{})
	body, feed := io.Pipe()
	done := make(chan reply, 1)
	go func() {
		req, _ := http.NewRequest("POST", r.http+"/v1/validate", body)
		res, err := r.client.Do(req)
		if err != nil {
			done <- reply{body: err.Error()}
			return
		}
		defer res.Body.Close()
		b, _ := io.ReadAll(res.Body)
		done <- reply{res.StatusCode, res.Header, string(b), res.Close}
	}()
	if _, err := feed.Write([]byte(class)); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		ended <- r.Shutdown(ctx, 400*time.Millisecond)
	}()
	for !r.draining.Load() {
		time.Sleep(time.Millisecond)
	}
	// During the delay: not ready, alive, and still answering, on connections
	// that are not kept.
	got := r.send(t, "GET", r.http+"/readyz", "")
	got.wantProblem(t, 503, "shutting down")
	if !got.close {
		t.Error("the connection is kept")
	}
	for _, base := range []string{r.http, r.https} {
		if got := r.send(t, "GET", base+"/livez", ""); got.status != 200 {
			t.Errorf("got %d", got.status)
		}
	}
	if got := r.send(t, "POST", r.https+"/v1/validate", class); got.status != 200 {
		t.Errorf("got %d", got.status)
	}
	// After it: nobody new, but the request at work is answered.
	address := strings.TrimPrefix(r.http, "http://")
	for deadline := time.Now().Add(5 * time.Second); ; {
		conn, err := net.Dial("tcp", address)
		if err != nil {
			break
		}
		conn.Close()
		if time.Now().After(deadline) {
			t.Fatal("the port stays open")
		}
		time.Sleep(10 * time.Millisecond)
	}
	select {
	case err := <-ended:
		t.Fatalf("the server did not wait: %v", err)
	default:
	}
	feed.Close()
	if got := <-done; got.status != 200 {
		t.Errorf("the request at work got %d %s", got.status, got.body)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if err := <-r.served; err != nil {
		t.Error(err)
	}
}

func TestDrainGivesUp(t *testing.T) {
	r := run(t, Config{})
	conn, err := net.Dial("tcp", strings.TrimPrefix(r.http, "http://localhost"))
	if err != nil {
		conn, err = net.Dial("tcp", "127.0.0.1"+strings.TrimPrefix(r.http, "http://localhost"))
	}
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, "POST /v1/validate HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nabc"); err != nil {
		t.Fatal(err)
	}
	time.Sleep(50 * time.Millisecond)
	ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
	defer cancel()
	start := time.Now()
	if err := r.Shutdown(ctx, 0); err == nil || !strings.Contains(err.Error(), "deadline") {
		t.Errorf("got %v", err)
	}
	if time.Since(start) > 5*time.Second {
		t.Error("it waited for ever")
	}
	<-r.served
}

func TestNothingIsLeftRunning(t *testing.T) {
	before := runtime.NumGoroutine()
	for range 3 {
		r := run(t, Config{Web: page})
		r.send(t, "POST", r.https+"/v1/validate", class)
		r.send(t, "GET", r.http+"/metrics", "")
		r.client.CloseIdleConnections()
		r.stop(t, 0)
	}
	for deadline := time.Now().Add(5 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		if runtime.NumGoroutine() <= before {
			return
		}
		if time.Now().After(deadline) {
			var b [1 << 16]byte
			t.Fatalf("%d goroutines, %d before:\n%s", runtime.NumGoroutine(), before, b[:runtime.Stack(b[:], true)])
		}
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

func TestTraces(t *testing.T) {
	var mu sync.Mutex
	var got bytes.Buffer
	collector, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	srv := &http.Server{Handler: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		mu.Lock()
		defer mu.Unlock()
		got.Write(b)
	})}
	go func() { _ = srv.Serve(collector) }()
	defer srv.Close()
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://"+collector.Addr().String())
	t.Setenv("OTEL_EXPORTER_OTLP_COMPRESSION", "none")
	r := run(t, Config{})
	r.send(t, "POST", r.http+"/v1/validate?featureGates=", class, "traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
	r.stop(t, 0) // flushes
	mu.Lock()
	defer mu.Unlock()
	for _, want := range []string{"POST /v1/validate", "http.route", "drawbridge"} {
		if !bytes.Contains(got.Bytes(), []byte(want)) {
			t.Errorf("no %q among the spans", want)
		}
	}
	if bytes.Contains(got.Bytes(), []byte("DeviceClass")) || bytes.Contains(got.Bytes(), []byte("featureGates")) {
		t.Error("a span has what the client sent")
	}
	if !strings.Contains(r.log.String(), `"traceId":"0af7651916cd43dd8448eb211c80319c"`) {
		t.Errorf("the log does not know the trace: %s", r.log.String())
	}
}

func TestNoTracesUnlessAsked(t *testing.T) {
	for _, name := range []string{"OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"} {
		if os.Getenv(name) != "" {
			t.Setenv(name, "")
		}
	}
	r := run(t, Config{})
	r.send(t, "GET", r.http+"/v1/versions", "")
	r.stop(t, 0)
	if len(r.telemetry.stop) != 1 || strings.Contains(r.log.String(), "traceId") {
		t.Errorf("got %s", r.log.String())
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

// Browsers and API servers may speak HTTP/2; draining must reach them too.
func TestHTTP2(t *testing.T) {
	r := run(t, Config{HTTPSListen: "127.0.0.1:0"})
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, ForceAttemptHTTP2: true}}
	get := func() *http.Response {
		t.Helper()
		res, err := client.Get(r.https + "/readyz")
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, res.Body)
		res.Body.Close()
		return res
	}
	if res := get(); res.ProtoMajor != 2 || res.StatusCode != 200 {
		t.Errorf("got %v", res)
	}
	r.draining.Store(true)
	if res := get(); res.ProtoMajor != 2 || res.StatusCode != 503 {
		t.Errorf("got %v", res)
	}
	r.draining.Store(false)
	r.stop(t, 0)
}
