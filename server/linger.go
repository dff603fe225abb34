package server

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"sync"
	"time"
)

// connections are those of HTTP/1.1 that are open. Who ends one of them while
// it is idle may do so at the moment in which its client sends the next
// request, which is then lost: a POST is not sent again. HTTP/2 has a word for
// it and needs no counting.
type connections struct {
	mu   sync.Mutex
	open map[net.Conn]struct{}
}

// track is told of every change by the HTTP server.
func (c *connections) track(conn net.Conn, state http.ConnState) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch state {
	case http.StateClosed, http.StateHijacked:
		delete(c.open, conn)
	case http.StateActive:
		if t, ok := conn.(*tls.Conn); ok && t.ConnectionState().NegotiatedProtocol == "h2" {
			return
		}
		if c.open == nil {
			c.open = map[net.Conn]struct{}{}
		}
		c.open[conn] = struct{}{}
	}
}

func (c *connections) none() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.open) == 0
}

// idleDelays is for how many delays connections are waited for that nobody
// uses.
const idleDelays = 4

// linger gives clients the time to use their connections once more: the answer
// ends the connection, and both sides know it. What nobody has used for so
// long is hardly used at the very moment in which it is closed. At most half of
// the time that is left goes by with it.
func (c *connections) linger(ctx context.Context, delay time.Duration) {
	most := idleDelays * delay
	if end, ok := ctx.Deadline(); ok {
		most = min(most, time.Until(end)/2)
	}
	late := time.NewTimer(most)
	defer late.Stop()
	look := time.NewTicker(10 * time.Millisecond)
	defer look.Stop()
	for !c.none() {
		select {
		case <-look.C:
		case <-late.C:
			return
		case <-ctx.Done():
			return
		}
	}
}
