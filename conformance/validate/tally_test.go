package validate

import (
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// tally counts what the tests have compared. Its counts are sums over objects
// with a seed of their own, so that they are the same however the work is
// shared out.
type tally struct {
	mu    sync.Mutex
	cells map[cell]*outcomes
	rules map[string]*hits
}

// cell is one field of the table of what was compared.
type cell struct{ what, operation, gates string }

type outcomes struct{ accepted, refused, differences int }

// hits are the objects on which a rule has found something, and those of them
// on which the comparison would fail without these findings.
type hits struct{ objects, decisive int }

// compared are the counts of TestCreate and TestUpdate.
var compared = &tally{cells: map[cell]*outcomes{}, rules: map[string]*hits{}}

// add counts one comparison.
func (c *tally) add(at cell, want, got verdict, differs bool) {
	decisive := map[string]bool{}
	for _, rule := range got.rules() {
		decisive[rule] = want.differs(got.without(rule)) != ""
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cells[at] == nil {
		c.cells[at] = &outcomes{}
	}
	switch o := c.cells[at]; {
	case differs:
		o.differences++
		return // what it shows of rules is in doubt
	case len(want.errors) > 0:
		o.refused++
	default:
		o.accepted++
	}
	for rule, does := range decisive {
		if c.rules[rule] == nil {
			c.rules[rule] = &hits{}
		}
		c.rules[rule].objects++
		if does {
			c.rules[rule].decisive++
		}
	}
}

// of returns the counts of a rule, named with its source.
func (c *tally) of(rule string) hits {
	if h := c.rules[rule]; h != nil {
		return *h
	}
	return hits{}
}

// sum adds up the cells that are picked.
func (c *tally) sum(picked func(cell) bool) (all outcomes) {
	for at, o := range c.cells {
		if picked(at) {
			all.accepted += o.accepted
			all.refused += o.refused
			all.differences += o.differences
		}
	}
	return all
}

func (o outcomes) total() int { return o.accepted + o.refused + o.differences }

// rules lists the rules that have found something, with their source.
func (v verdict) rules() []string {
	var list []string
	for _, s := range v.said {
		list = append(list, s.rule)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// without is the verdict as it would be without the findings of a rule.
func (v verdict) without(rule string) verdict {
	out := verdict{stored: v.stored, cut: v.cut}
	for _, s := range v.said {
		if s.rule != rule {
			out.say(s)
		}
	}
	out.sort()
	return out
}

// enough is the number of failures behind which a test ends.
const enough = 5

// sharedOut runs a test for the numbers below n, on all processors. It stops
// after too many failures, which a test reports by returning false.
func sharedOut(t *testing.T, n int, each func(t *testing.T, i int) bool) {
	t.Helper()
	const parts = 4
	var failures atomic.Int32
	t.Run("compared", func(t *testing.T) {
		for part := range parts {
			t.Run(strings.Repeat("i", part+1), func(t *testing.T) {
				t.Parallel()
				for i := part; i < n && failures.Load() < enough; i += parts {
					if !each(t, i) {
						failures.Add(1)
					}
				}
			})
		}
	})
	if failures.Load() >= enough {
		t.Fatal("enough")
	}
}
