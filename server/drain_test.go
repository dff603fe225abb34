package server

import (
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"
)

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
	over := r.holdDelay()
	ended := make(chan error, 1)
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
		defer cancel()
		ended <- r.Shutdown(ctx, 5*time.Second)
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
	over()
	address := strings.TrimPrefix(r.http, "http://")
	for deadline := time.Now().Add(time.Minute); ; {
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
	if _, err := io.WriteString(conn, "POST /v1/validate HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\nExpect: 100-continue\r\n\r\nabc"); err != nil {
		t.Fatal(err)
	}
	// It says so once it waits for the body.
	const waits = "HTTP/1.1 100 "
	if b := make([]byte, len(waits)); true {
		if _, err := io.ReadFull(conn, b); err != nil || string(b) != waits {
			t.Fatalf("got %q, %v", b, err)
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
	defer cancel()
	start := time.Now()
	if err := r.Shutdown(ctx, 0); err == nil || !strings.Contains(err.Error(), "deadline") {
		t.Errorf("got %v", err)
	}
	if time.Since(start) > time.Minute {
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
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		if runtime.NumGoroutine() <= before {
			return
		}
		if time.Now().After(deadline) {
			var b [1 << 16]byte
			t.Fatalf("%d goroutines, %d before:\n%s", runtime.NumGoroutine(), before, b[:runtime.Stack(b[:], true)])
		}
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

// TestIdleConnectionsAreNotCut holds a connection of HTTP/1.1 idle through the
// delay of a shutdown and uses it then: the request is answered, and the answer
// ends the connection and with it the wait.
func TestIdleConnectionsAreNotCut(t *testing.T) {
	r := run(t, Config{})
	client := &http.Client{Timeout: 30 * time.Second, Transport: &http.Transport{
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, MaxConnsPerHost: 1,
	}}
	get := func() *http.Response {
		t.Helper()
		res, err := client.Get(r.https + "/livez")
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, res.Body)
		_ = res.Body.Close()
		return res
	}
	get()
	if r.reviewing.none() {
		t.Fatal("the connection is not counted")
	}
	ended := make(chan error, 1)
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	// Idle connections are waited for several times as long as this.
	over := r.holdDelay()
	go func() { ended <- r.Shutdown(ctx, 15*time.Second) }()
	over()
	for !r.draining.Load() {
		time.Sleep(time.Millisecond)
	}
	time.Sleep(200 * time.Millisecond)
	select {
	case err := <-ended:
		t.Fatalf("it has ended (%v) while a connection was idle", err)
	default:
	}
	if res := get(); !res.Close {
		t.Error("the answer does not end the connection")
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if !r.reviewing.none() {
		t.Error("the connection is still counted")
	}
}
