package openapi

import (
	"context"
	"time"
)

// gate bounds how many bundles are in memory and at work at once. Those that
// find it full wait a little, without their body having been read, and are
// then told to come back.
type gate struct {
	slots chan struct{}
	wait  time.Duration
}

func newGate(n int, wait time.Duration) *gate {
	return &gate{slots: make(chan struct{}, n), wait: wait}
}

// enter takes a slot, and tells whether there was one.
func (g *gate) enter(ctx context.Context) bool {
	select {
	case g.slots <- struct{}{}:
		return true
	default:
	}
	timer := time.NewTimer(g.wait)
	defer timer.Stop()
	select {
	case g.slots <- struct{}{}:
		return true
	case <-timer.C:
	case <-ctx.Done():
	}
	return false
}

func (g *gate) leave() { <-g.slots }
