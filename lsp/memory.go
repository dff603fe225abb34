package lsp

import (
	"context"
	"slices"
	"sync"
)

// remembered is how many answers are kept.
const remembered = 24

// memory keeps the last answers, so that editors that ask the same again, for
// each of several documents or at each move of the cursor, cost nothing.
type memory[T any] struct {
	mu      sync.Mutex
	entries []*entry[T] // the one used last comes last
}

type entry[T any] struct {
	key   string
	done  chan struct{}
	value T
	err   error
}

// get returns the answer for a key. Who asks while it is worked out waits for
// that.
func (m *memory[T]) get(ctx context.Context, key string, work func(context.Context) (T, error)) (T, error) {
	for {
		m.mu.Lock()
		i := slices.IndexFunc(m.entries, func(e *entry[T]) bool { return e.key == key })
		if i < 0 {
			break
		}
		e := m.entries[i]
		m.entries = append(slices.Delete(m.entries, i, i+1), e)
		m.mu.Unlock()
		select {
		case <-e.done:
		case <-ctx.Done():
			return *new(T), ctx.Err()
		}
		if e.err == nil {
			return e.value, nil
		}
		// It failed for whoever asked, who may have lost interest; it has left
		// the list by now.
		if err := ctx.Err(); err != nil {
			return *new(T), err
		}
	}
	e := &entry[T]{key: key, done: make(chan struct{})}
	if m.entries = append(m.entries, e); len(m.entries) > remembered {
		m.entries = slices.Delete(m.entries, 0, 1)
	}
	m.mu.Unlock()
	finished := false
	defer func() {
		if !finished || e.err != nil {
			m.mu.Lock()
			m.entries = slices.DeleteFunc(m.entries, func(other *entry[T]) bool { return other == e })
			m.mu.Unlock()
		}
		if !finished {
			e.err = context.Canceled // it panicked
		}
		close(e.done)
	}()
	e.value, e.err = work(ctx)
	finished = true
	return e.value, e.err
}
