package selector

import (
	"strings"
	"sync"
)

// A Shared keeps so many programs and verdicts, and so much text of either. A
// cluster has few that differ; when there are more, all are compiled anew.
// Programs take some 150 bytes for each of their text.
const (
	mostCached     = 1024
	mostCachedText = 128 << 10
)

// Shared keeps expressions that were compiled, for many answers, which are the
// same without it. Its zero value is ready for use, and safe for concurrent
// use; a nil one keeps nothing.
type Shared struct {
	mu       sync.Mutex
	programs kept[cached, *Program]
	verdicts kept[judged, Verdict]
}

type cached struct {
	text    string
	derived bool
}

type judged struct {
	text string
	opts Options
}

// Verdict is all of a compiled expression that the API server's rules ask for.
// The program itself takes a hundred times the memory.
type Verdict struct {
	Err  *Error
	Cost uint64
}

// Stored compiles a stored expression, unless that was done before.
func (c *Shared) Stored(text string, derived bool) *Program {
	compile := func(text string) *Program { return Compile(text, Options{Stored: true, Derived: derived}) }
	if c == nil {
		return compile(text)
	}
	return get(c, &c.programs, text, func(text string) cached { return cached{text, derived} }, compile)
}

// Judge says what is wrong with an expression, and what it may cost, unless
// that was asked before.
func (c *Shared) Judge(text string, opts Options) Verdict {
	judge := func(text string) Verdict {
		p := Compile(text, opts)
		return Verdict{p.Err, p.MaxCost}
	}
	if c == nil {
		return judge(text)
	}
	return get(c, &c.verdicts, text, func(text string) judged { return judged{text, opts} }, judge)
}

// kept are values and the length of the texts they were made of.
type kept[K comparable, V any] struct {
	values map[K]V
	text   int
}

// get makes a value of a text, unless that was done before. Two who ask for
// the same at once may both make it, so that nobody waits.
func get[K comparable, V any](c *Shared, k *kept[K, V], text string, key func(string) K, compile func(string) V) V {
	c.mu.Lock()
	v, known := k.values[key(text)]
	c.mu.Unlock()
	if known {
		return v
	}
	// The text may be a part of a large one, which need not be kept with it.
	text = strings.Clone(text)
	v = compile(text)
	if len(text) > mostCachedText {
		return v
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if k.values == nil || len(k.values) >= mostCached || k.text+len(text) > mostCachedText {
		k.values, k.text = map[K]V{}, 0
	}
	if _, known := k.values[key(text)]; !known {
		k.text += len(text)
	}
	k.values[key(text)] = v
	return v
}
