package server

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// protocols are the two that an API server or a proxy before us may speak.
var protocols = map[string]bool{"HTTP/1.1": false, "HTTP/2.0": true}

func newClient(two bool, dial func(ctx context.Context, network, address string) (net.Conn, error)) *http.Client {
	return &http.Client{Timeout: 30 * time.Second, Transport: &http.Transport{
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, ForceAttemptHTTP2: two, DialContext: dial, MaxIdleConnsPerHost: 8,
	}}
}

// review sends one and says whether the connection had been there before.
func review(client *http.Client, base string) (reused bool, res *http.Response, err error) {
	ctx := httptrace.WithClientTrace(context.Background(), &httptrace.ClientTrace{GotConn: func(i httptrace.GotConnInfo) { reused = i.Reused }})
	req, err := http.NewRequestWithContext(ctx, "POST", base+"/admission/validate", strings.NewReader(connectReview))
	if err != nil {
		return false, nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	res, err = client.Do(req)
	if err != nil {
		return false, nil, err
	}
	defer res.Body.Close()
	if _, err = io.Copy(io.Discard, res.Body); err == nil && res.StatusCode != 200 {
		err = fmt.Errorf("status %d", res.StatusCode)
	}
	return reused, res, err
}

// While draining every connection, old or new, is good for one more request
// and then to be left: an API server goes elsewhere with the next.
func TestDrainingConnections(t *testing.T) {
	for protocol, two := range protocols {
		t.Run(protocol, func(t *testing.T) {
			r := run(t, Config{HTTPSListen: "127.0.0.1:0"})
			client := newClient(two, nil)
			defer client.CloseIdleConnections()
			send := func() bool {
				t.Helper()
				reused, res, err := review(client, r.https)
				if err != nil || res.Proto != protocol {
					t.Fatalf("got %v, %v", res, err)
				}
				return reused
			}
			send()
			if !send() {
				t.Error("connections are not kept while all is well")
			}
			r.draining.Store(true)
			send() // by the connection that is there
			// With HTTP/2 the word that it ends comes after the answer.
			fresh := 0
			for end := time.Now().Add(time.Minute); fresh < 3; {
				if !send() {
					fresh++
				}
				if time.Now().After(end) {
					t.Fatal("the client goes on with one connection")
				}
			}
			r.draining.Store(false)
		})
	}
}

// Replicas are replaced one after the other under load, behind something that
// sends new connections to who is ready, and nothing is lost.
func TestRollingRestart(t *testing.T) {
	for protocol, two := range protocols {
		t.Run(protocol, func(t *testing.T) {
			var mu sync.RWMutex
			var replicas []*running // those that are ready
			var next atomic.Int64
			balanced := func(ctx context.Context, network, _ string) (net.Conn, error) {
				// Who is taken away gets no connection any more that was begun before.
				mu.RLock()
				defer mu.RUnlock()
				to := replicas[int(next.Add(1))%len(replicas)].listeners[0].Addr().String()
				return (&net.Dialer{}).DialContext(ctx, network, to)
			}
			set := func(change func([]*running) []*running) {
				mu.Lock()
				defer mu.Unlock()
				replicas = change(replicas)
			}
			join := func() {
				r := run(t, Config{HTTPSListen: "127.0.0.1:0"})
				set(func(all []*running) []*running { return append(all, r) })
			}
			join()
			join()
			client := newClient(two, balanced)
			defer client.CloseIdleConnections()
			var sent, lost atomic.Int64
			var turns [4]atomic.Int64
			stop := make(chan struct{})
			var workers sync.WaitGroup
			for i := range turns {
				workers.Go(func() {
					for {
						select {
						case <-stop:
							return
						case <-time.After(5 * time.Millisecond):
						}
						sent.Add(1)
						if _, _, err := review(client, "https://"+"drawbridge.drawbridge.svc"); err != nil {
							lost.Add(1)
							t.Error(err)
						}
						turns[i].Add(1)
					}
				})
			}
			// aWhile lets every worker begin and end some requests.
			aWhile := func() {
				t.Helper()
				for i := range turns {
					before := turns[i].Load()
					for end := time.Now().Add(time.Minute); turns[i].Load() < before+5; time.Sleep(time.Millisecond) {
						if time.Now().After(end) {
							t.Fatal("a worker is stuck")
						}
					}
				}
			}
			for range 3 {
				aWhile()
				join() // maxSurge
				mu.Lock()
				old := replicas[0]
				mu.Unlock()
				over := old.holdDelay()
				done := make(chan error, 1)
				go func() {
					ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
					defer cancel()
					done <- old.Shutdown(ctx, 3*time.Second)
				}()
				// Endpoints follow readiness after a while; until then new
				// connections come.
				probe := newClient(false, nil)
				for ready := true; ready; {
					res, err := probe.Get(old.https + "/readyz")
					if err != nil {
						t.Fatal(err)
					}
					res.Body.Close()
					ready = res.StatusCode == 200
				}
				probe.CloseIdleConnections()
				aWhile()
				set(func(all []*running) []*running { return all[1:] })
				aWhile()
				time.Sleep(time.Second) // for connections that nobody has asked anything on
				over()
				if err := <-done; err != nil {
					t.Error(err)
				}
				if err := <-old.served; err != nil {
					t.Error(err)
				}
			}
			close(stop)
			workers.Wait()
			if sent.Load() < 60 || lost.Load() > 0 {
				t.Errorf("%d of %d lost", lost.Load(), sent.Load())
			}
		})
	}
}
