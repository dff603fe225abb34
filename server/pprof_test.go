package server

import (
	"net/http"
	"strings"
	"testing"
)

func (r *running) pprof() string {
	for _, l := range r.listeners {
		if l.scheme == "pprof" {
			return "http://" + l.Addr().String()
		}
	}
	return ""
}

func TestProfilesAreOnLoopback(t *testing.T) {
	r := run(t, Config{HTTPSListen: "127.0.0.1:0", HTTPListen: "127.0.0.1:0", PprofListen: "127.0.0.1:0"})
	for path, want := range map[string]string{
		"/debug/pprof/": "goroutine", "/debug/pprof/heap?debug=1": "heap profile", "/debug/pprof/cmdline": "server.test",
	} {
		if got := r.send(t, "GET", r.pprof()+path, ""); got.status != 200 || !strings.Contains(got.body, want) {
			t.Errorf("%s: got %d", path, got.status)
		}
	}
	// A page that has its own name point at this machine is not let in.
	r.send(t, "GET", r.pprof()+"/debug/pprof/heap", "", "Host", "evil.example:80").wantProblem(t, 403, "loopback")
	for _, base := range []string{r.http, r.https} {
		if got := r.send(t, "GET", base+"/debug/pprof/", ""); got.status != 404 {
			t.Errorf("%s has profiles: %d", base, got.status)
		}
	}
	// Nothing else is there.
	if got := r.send(t, "GET", r.pprof()+"/metrics", ""); got.status != http.StatusNotFound {
		t.Errorf("got %d", got.status)
	}
	if !strings.Contains(r.log.String(), "/debug/pprof/") || len(r.URLs()) != 2 {
		t.Error("it is not said where, or it is said to everybody")
	}
}

func TestProfilesAreNotForOthers(t *testing.T) {
	for _, address := range []string{":6060", "0.0.0.0:6060", "[::]:6060", "10.0.0.1:6060", "example.com:6060", "6060", "127.0.0.1"} {
		_, err := New(t.Context(), Config{HTTPListen: "127.0.0.1:0", PprofListen: address})
		if err == nil || !strings.Contains(err.Error(), "loopback address") {
			t.Errorf("%s: got %v", address, err)
		}
	}
	r := run(t, Config{HTTPListen: "127.0.0.1:0"})
	if r.pprof() != "" {
		t.Error("profiles are served unasked")
	}
}
