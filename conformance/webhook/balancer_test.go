package webhook

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// balancer stands where a Service stands: new connections go to one of the
// endpoints that are ready, in turn; connections that exist stay where they
// are, whatever becomes of the endpoint.
type balancer struct {
	net.Listener
	probe *http.Client
	// accepted counts connections.
	accepted atomic.Int64

	mu        sync.Mutex
	endpoints []string
	ready     map[string]bool
	next      int
	open      map[net.Conn]bool
}

// probePeriod is shorter than a kubelet's two seconds, as is all of these
// tests' time.
const probePeriod = 100 * time.Millisecond

func newBalancer(t *testing.T, replicas ...*replica) *balancer {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	b := &balancer{Listener: l, ready: map[string]bool{}, open: map[net.Conn]bool{}, probe: &http.Client{
		Timeout: 2 * time.Second,
		// A kubelet does not check certificates, and connects anew each time.
		Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, DisableKeepAlives: true},
	}}
	ctx, cancel := context.WithCancel(context.Background())
	var work sync.WaitGroup
	work.Go(b.accept)
	work.Go(func() { b.watch(ctx) })
	t.Cleanup(func() {
		cancel()
		_ = l.Close()
		b.cut()
		work.Wait()
	})
	for _, r := range replicas {
		b.add(t, r)
	}
	return b
}

// add waits until the replica is ready.
func (b *balancer) add(t *testing.T, r *replica) {
	t.Helper()
	b.mu.Lock()
	b.endpoints = append(b.endpoints, r.address)
	b.mu.Unlock()
	eventually(t, func(context.Context) error {
		b.mu.Lock()
		defer b.mu.Unlock()
		if !b.ready[r.address] {
			return fmt.Errorf("%s is not ready", r.address)
		}
		return nil
	})
}

// clear takes all endpoints away, and the connections to them.
func (b *balancer) clear() {
	b.mu.Lock()
	b.endpoints = nil
	b.mu.Unlock()
	b.cut()
}

// watch probes the endpoints. One that does not answer, or not well, gets no
// new connection.
func (b *balancer) watch(ctx context.Context) {
	for {
		b.mu.Lock()
		endpoints := slices.Clone(b.endpoints)
		b.mu.Unlock()
		for _, e := range endpoints {
			ready := b.isReady(ctx, e)
			b.mu.Lock()
			b.ready[e] = ready
			b.mu.Unlock()
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(probePeriod):
		}
	}
}

func (b *balancer) isReady(ctx context.Context, endpoint string) bool {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://"+endpoint+"/readyz", nil)
	if err != nil {
		return false
	}
	response, err := b.probe.Do(request)
	if err != nil {
		return false
	}
	_ = response.Body.Close()
	return response.StatusCode == http.StatusOK
}

// pick is the next endpoint that is ready; empty if none is.
func (b *balancer) pick() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	for range b.endpoints {
		b.next++
		if e := b.endpoints[b.next%len(b.endpoints)]; b.ready[e] {
			return e
		}
	}
	return ""
}

func (b *balancer) accept() {
	for {
		conn, err := b.Accept()
		if err != nil {
			return
		}
		b.accepted.Add(1)
		go b.forward(conn)
	}
}

// forward resets the connection if nobody is ready, as a Service without
// endpoints does.
func (b *balancer) forward(conn net.Conn) {
	defer conn.Close()
	endpoint := b.pick()
	if endpoint == "" {
		_ = conn.(*net.TCPConn).SetLinger(0)
		return
	}
	to, err := net.Dial("tcp", endpoint)
	if err != nil {
		_ = conn.(*net.TCPConn).SetLinger(0)
		return
	}
	defer to.Close()
	b.hold(conn, true)
	defer b.hold(conn, false)
	back := make(chan struct{})
	go func() {
		defer close(back)
		_, _ = io.Copy(conn, to)
		_ = conn.(*net.TCPConn).CloseWrite()
	}()
	_, _ = io.Copy(to, conn)
	_ = to.(*net.TCPConn).CloseWrite()
	<-back
}

func (b *balancer) hold(conn net.Conn, yes bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if yes {
		b.open[conn] = true
	} else {
		delete(b.open, conn)
	}
}

// cut closes the connections that there are.
func (b *balancer) cut() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for conn := range b.open {
		_ = conn.Close()
	}
}
