package server

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	admissionv1 "k8s.io/api/admission/v1"

	"github.com/drawbridge-dra/drawbridge/core"
	"github.com/drawbridge-dra/drawbridge/webhook"
)

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
		`drawbridge_admission_reviews_total{kind="other",operation="DELETE",verdict="allowed",webhook="mutate"} 1`,
		`drawbridge_admission_duration_seconds_count{kind="other",webhook="mutate"} 1`,
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
	s := &Server{cfg: Config{Logger: slog.New(slog.NewJSONHandler(log, nil))}.withDefaults(), after: time.After}
	var err error
	if s.telemetry, err = newTelemetry(context.Background(), "test"); err != nil {
		t.Fatal(err)
	}
	if err := s.lookAround(); err != nil {
		t.Fatal(err)
	}
	s.webhook = webhook.New(webhook.Config{Logger: s.cfg.Logger, Admit: func(context.Context, core.AdmissionPhase, *admissionv1.AdmissionRequest, core.AdmitOptions) (*core.Admission, error) {
		panic("hunter2")
	}})
	routes, err := s.routes()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.trust(); err != nil {
		t.Fatal(err)
	}
	conf, err := tlsConfig(s.cfg, s.certificates, s.callers)
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
	if !strings.Contains(text, `"msg":"a review failed","uid":"u","kind":"DeviceClass"`) || !strings.Contains(text, "TestPanic") || strings.Contains(text, "hunter2") {
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
	r.send(t, "POST", r.https+"/admission/validate", `{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"hunter2","operation":"CREATE",`+
		`"name":"hunter2","namespace":"hunter2","userInfo":{"username":"hunter2"},"kind":{"group":"resource.k8s.io","version":"v1","kind":"ResourceClaim"},`+
		`"object":{"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaim","metadata":{"name":"hunter2","namespace":"hunter2"},"spec":{}}}}`, "Content-Type", "application/json")
	r.stop(t, 0) // flushes
	mu.Lock()
	defer mu.Unlock()
	for _, want := range []string{"POST /v1/validate", "http.route", "drawbridge", "POST /admission/validate", "verdict", "allowed", "operation", "CREATE", "kind", "ResourceClaim"} {
		if !bytes.Contains(got.Bytes(), []byte(want)) {
			t.Errorf("no %q among the spans", want)
		}
	}
	if bytes.Contains(got.Bytes(), []byte("DeviceClass")) || bytes.Contains(got.Bytes(), []byte("featureGates")) || bytes.Contains(got.Bytes(), []byte("hunter2")) {
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
