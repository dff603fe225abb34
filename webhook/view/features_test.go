package view

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// said are metrics as an API server prints them.
const said = `# HELP apiserver_request_total [STABLE] Counter
# TYPE apiserver_request_total counter
apiserver_request_total{code="200",verb="GET"} 12
# HELP kubernetes_feature_enabled [BETA] This metric records the data about the stage and enablement of a k8s feature.
# TYPE kubernetes_feature_enabled gauge
kubernetes_feature_enabled{name="AllAlpha",stage="ALPHA"} 0
kubernetes_feature_enabled{name="DRAConsumableCapacity",stage="BETA"} 0
kubernetes_feature_enabled{name="DRADeviceCompatibilityGroups",stage="ALPHA"} 1
kubernetes_feature_enabled{name="DynamicResourceAllocation",stage=""} 1
kubernetes_feature_enabled{name="SomethingElse",stage="ALPHA"} 1
# HELP process_cpu_seconds_total [ALPHA] Total
process_cpu_seconds_total 1
`

func TestParseGates(t *testing.T) {
	broken := &cut{strings.NewReader(said), 40}
	if _, err := ParseGates(broken); err == nil {
		t.Error("metrics that end in the middle are taken for all there are")
	}
	found, err := ParseGates(strings.NewReader(strings.Repeat("a_metric 1\n", 100_000) + said))
	if err != nil || len(found) != 5 || found["DRAConsumableCapacity"] || !found["DRADeviceCompatibilityGroups"] {
		t.Errorf("gates %v, %v", found, err)
	}
	if found, err = ParseGates(strings.NewReader(strings.Repeat("x", 1<<20))); err != nil || len(found) != 0 {
		t.Errorf("gates %v, %v of what has no lines", found, err)
	}
}

// cut is a reader that breaks off.
type cut struct {
	io.Reader
	left int
}

func (c *cut) Read(p []byte) (int, error) {
	if c.left <= 0 {
		return 0, io.ErrUnexpectedEOF
	}
	n, err := c.Reader.Read(p[:min(len(p), c.left)])
	c.left -= n
	return n, err
}

// speaking is an API server that tells its version and its gates, the latter
// only while it may.
func speaking(t *testing.T, minor *atomic.Int32, tells *atomic.Bool) kubernetes.Interface {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/version":
			w.Header().Set("Content-Type", "application/json")
			_, _ = fmt.Fprintf(w, `{"major":"1","minor":"%d+","gitVersion":"v1.%d.2-vendor.1"}`, minor.Load(), minor.Load())
		case "/metrics":
			if !tells.Load() {
				w.WriteHeader(http.StatusForbidden)
				return
			}
			_, _ = io.WriteString(w, said)
		default:
			w.WriteHeader(http.StatusNotFound)
		}
	}))
	t.Cleanup(s.Close)
	client, err := kubernetes.NewForConfig(&rest.Config{Host: s.URL, QPS: -1})
	if err != nil {
		t.Fatal(err)
	}
	return client
}

func TestFeatures(t *testing.T) {
	var minor atomic.Int32
	var tells atomic.Bool
	minor.Store(37)
	start := func(version, gates string) *Features {
		f := NewFeatures(FeaturesConfig{
			Client: speaking(t, &minor, &tells), Version: version, Gates: gates, VersionEvery: 5 * time.Millisecond,
			Logger: slog.New(slog.NewTextHandler(io.Discard, nil)),
		})
		ctx, cancel := context.WithCancel(context.Background())
		done := make(chan struct{})
		go func() { f.Run(ctx); close(done) }()
		t.Cleanup(func() { cancel(); <-done })
		return f
	}
	is := func(f *Features, version, gates string) func() bool {
		return func() bool {
			v, g := f.Kubernetes()
			return v == version && g == gates
		}
	}
	f := start("", "")
	eventually(t, "the version is known without the gates", is(f, "1.37", ""))
	tells.Store(true)
	const differ = "DRAConsumableCapacity=false,DRADeviceCompatibilityGroups=true"
	eventually(t, "the gates are known", is(f, "1.37", differ))
	var status strings.Builder
	if err := f.WriteStatus(&status); err != nil || !strings.Contains(status.String(), "kubernetes version 1.37, from the API server (v1.37.2-vendor.1)") ||
		!strings.Contains(status.String(), differ+", from the API server's metrics") {
		t.Errorf("status is\n%s", status.String())
	}
	minor.Store(99)
	eventually(t, "a version that is not known is the newest", is(f, "", differ))
	minor.Store(36)
	eventually(t, "the version has changed", func() bool { v, _ := f.Kubernetes(); return v == "1.36" })

	minor.Store(37)
	eventually(t, "what is given wins", is(start("", "DRAConsumableCapacity=true"), "1.37", "DRAConsumableCapacity=true,DRADeviceCompatibilityGroups=true"))
	eventually(t, "a version that is given wins", is(start("1.37", ""), "1.37", differ))

	alone := NewFeatures(FeaturesConfig{Version: "1.36", Gates: "DRADeviceTaints=true"})
	alone.Run(context.Background())
	if !is(alone, "1.36", "DRADeviceTaints=true")() {
		t.Error("what is given does not stand without an API server")
	}
}

// TestEndsWhileNobodyAnswers ends a view and features whose API server takes
// requests and never answers.
func TestEndsWhileNobodyAnswers(t *testing.T) {
	asked, end := make(chan struct{}, 100), make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		asked <- struct{}{}
		select {
		case <-r.Context().Done():
		case <-end:
		}
	}))
	defer s.Close()
	defer close(end)
	client, err := kubernetes.NewForConfig(&rest.Config{Host: s.URL, QPS: -1})
	if err != nil {
		t.Fatal(err)
	}
	silent := slog.New(slog.NewTextHandler(io.Discard, nil))
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{}, 2)
	go func() { NewFeatures(FeaturesConfig{Client: client, Logger: silent}).Run(ctx); done <- struct{}{} }()
	v := New(Config{Client: client, Pods: true, Logger: silent})
	go func() { v.Run(ctx); done <- struct{}{} }()
	for range 1 + len(v.kinds) {
		<-asked
	}
	cancel()
	for range 2 {
		select {
		case <-done:
		case <-time.After(time.Minute):
			t.Fatal("it waits for an answer that never comes")
		}
	}
	if f := v.Freshness(); len(f.Pending) != len(v.kinds) {
		t.Errorf("without an answer %+v is known", f)
	}
}
