package openapi

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/drawbridge-dra/drawbridge/core"
	"github.com/drawbridge-dra/drawbridge/fixture/fleet"
)

func cluster(t *testing.T, size fleet.Size) string {
	t.Helper()
	var text bytes.Buffer
	if err := fleet.Write(&text, size); err != nil {
		t.Fatal(err)
	}
	return text.String()
}

// events splits a stream into the data of its events, by name.
func events(t *testing.T, body string) (names []string, data map[string][]string) {
	t.Helper()
	data = map[string][]string{}
	for _, block := range strings.Split(strings.TrimSpace(body), "\n\n") {
		if strings.HasPrefix(block, ":") {
			continue
		}
		name, rest, ok := strings.Cut(strings.TrimPrefix(block, "event: "), "\ndata: ")
		if !ok || strings.Contains(rest, "\n") {
			t.Fatalf("no event: %q", block)
		}
		names = append(names, name)
		data[name] = append(data[name], rest)
	}
	return names, data
}

func TestEvents(t *testing.T) {
	s := start(t, Config{})
	text := cluster(t, fleet.Size{Nodes: 20, Devices: 4, Pods: 60})
	for path, what := range map[string]string{"/v1/allocate?explain=summary": "pods", "/v1/explain?pod=ml/job-0018": "tries"} {
		plain := send(t, "POST", s.URL+path, text)
		if plain.status != 200 {
			t.Fatalf("%s: %d %s", path, plain.status, plain.body)
		}
		got := send(t, "POST", s.URL+path, text, "Accept", "text/event-stream")
		if got.status != 200 || got.header.Get("Content-Type") != "text/event-stream" {
			t.Fatalf("%s: %d %v %s", path, got.status, got.header, got.body)
		}
		names, data := events(t, got.body)
		if names[len(names)-1] != "result" || len(data["result"]) != 1 || data["result"][0] != strings.TrimSpace(plain.body) {
			t.Errorf("%s: the events are %v, and the result is not what JSON says", path, names)
		}
		found := false
		for _, d := range data["progress"] {
			var p core.Progress
			if err := json.Unmarshal([]byte(d), &p); err != nil || p.Done > p.Total || p.Total == 0 {
				t.Errorf("%s: %q is no progress: %v", path, d, err)
			}
			found = found || p.What == what
		}
		if !found {
			t.Errorf("%s: no progress of %s in %v", path, what, data["progress"])
		}
	}
}

// TestEventsRefused gives a request that fails at once its status.
func TestEventsRefused(t *testing.T) {
	s := start(t, Config{})
	send(t, "POST", s.URL+"/v1/explain", class, "Accept", "text/event-stream").wantProblem(t, 400, "pod")
	send(t, "POST", s.URL+"/v1/allocate?kubernetesVersion=9", class, "Accept", "text/event-stream").wantProblem(t, 400, "kubernetesVersion")
	send(t, "POST", s.URL+"/v1/validate", class, "Accept", "text/event-stream").wantProblem(t, 406, "application/json")
	if got := send(t, "POST", s.URL+"/v1/allocate", class, "Accept", "text/event-stream;q=0.5, application/json"); got.header.Get("Content-Type") != "application/json" {
		t.Errorf("got %s for what prefers JSON", got.header.Get("Content-Type"))
	}
	if got := send(t, "POST", s.URL+"/v1/allocate", class, "Accept", "*/*"); got.header.Get("Content-Type") != "application/json" {
		t.Errorf("got %s for what takes anything", got.header.Get("Content-Type"))
	}
}

// TestEventsTooLate ends a stream that has begun with the problem.
func TestEventsTooLate(t *testing.T) {
	s := start(t, Config{ComputeTimeout: 30 * time.Millisecond})
	got := send(t, "POST", s.URL+"/v1/explain?pod=ml/job-0000", cluster(t, fleet.Size{Nodes: 4, Devices: 1, Pods: 3000}), "Accept", "text/event-stream")
	if got.status != 200 {
		got.wantProblem(t, 503, "no answer within")
		return
	}
	names, data := events(t, got.body)
	if names[len(names)-1] != "problem" || !strings.Contains(data["problem"][0], "no answer within") {
		t.Errorf("the events are %v", names)
	}
}

// TestEventsGone stops the work of a client that does not wait, so that its
// place is free for another.
func TestEventsGone(t *testing.T) {
	s := start(t, Config{Concurrency: 1, ComputeTimeout: time.Minute, QueueTimeout: 20 * time.Second})
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	text := cluster(t, fleet.Size{Nodes: 200, Devices: 8, Pods: 2000})
	req, err := http.NewRequestWithContext(ctx, "POST", s.URL+"/v1/explain?pod=ml/job-1998", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Accept", "text/event-stream")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	lines := bufio.NewScanner(res.Body)
	if !lines.Scan() || lines.Text() != "event: progress" {
		t.Fatalf("got %q", lines.Text())
	}
	cancel()
	if got := send(t, "POST", s.URL+"/v1/allocate", class); got.status != 200 {
		t.Errorf("the place is still taken: %d %s", got.status, got.body)
	}
}
