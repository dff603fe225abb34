package selector

import "sync"

// mostCached is how many expressions a Shared keeps. A cluster has few that
// differ; when there are more, all are compiled anew.
const mostCached = 1024

// Shared keeps stored expressions that were compiled, for many answers. It is
// safe for concurrent use; a nil one keeps nothing.
type Shared struct {
	mu       sync.Mutex
	programs map[cached]*Program
}

type cached struct {
	text    string
	derived bool
}

// Stored compiles a stored expression, unless that was done before.
func (c *Shared) Stored(text string, derived bool) *Program {
	compile := func() *Program { return Compile(text, Options{Stored: true, Derived: derived}) }
	if c == nil {
		return compile()
	}
	k := cached{text, derived}
	c.mu.Lock()
	p := c.programs[k]
	c.mu.Unlock()
	if p != nil {
		return p
	}
	p = compile()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.programs == nil || len(c.programs) >= mostCached {
		c.programs = map[cached]*Program{}
	}
	c.programs[k] = p
	return p
}
