package terminal

import (
	"fmt"
	"io"
	"sync"
	"time"
)

// Progress shows how far long work is, on a terminal only.
type Progress struct {
	out     io.Writer
	on      bool
	mu      sync.Mutex
	started time.Time
	shown   time.Time
	drawn   bool
}

// The time before work counts as long, and between two looks at it.
const (
	patience = time.Second
	refresh  = 100 * time.Millisecond
)

// NewProgress begins. Where out is no terminal, or one that cannot take a line
// away again, nothing is ever shown.
func NewProgress(out io.Writer, getenv func(string) string) *Progress {
	return &Progress{out: out, on: Is(out) && getenv("TERM") != "dumb", started: time.Now()}
}

// Show says how far the work is.
func (p *Progress) Show(what string, done, total int) {
	if p == nil || !p.on {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	if now.Sub(p.started) < patience || now.Sub(p.shown) < refresh {
		return
	}
	p.shown, p.drawn = now, true
	_, _ = fmt.Fprintf(p.out, "\r\x1b[K%s: %d of %d", what, done, total)
}

// Clear takes the line away, so that something else can be written.
func (p *Progress) Clear() {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.drawn {
		p.drawn = false
		_, _ = io.WriteString(p.out, "\r\x1b[K")
	}
}
