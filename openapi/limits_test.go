package openapi

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/drawbridge-dra/drawbridge/core"
	"github.com/drawbridge-dra/drawbridge/server/problem"
)

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
	deadline := time.Now().Add(time.Minute)
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
