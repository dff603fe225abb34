package selector

import (
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
)

// fact is something that an expression has made sure of: that a device has an
// attribute or capacity, or that it is of a driver.
type fact struct {
	capacity   bool
	domain, id string
	driver     string
}

type facts map[fact]bool

// condition is a part of an expression together with what it turned out.
type condition struct {
	node int64
	is   bool
}

// scope are the facts at one place of an expression, inner ones first.
type scope struct {
	outer *scope
	facts facts
}

func (s *scope) with(f facts) *scope {
	if len(f) == 0 {
		return s
	}
	return &scope{s, f}
}

func (s *scope) has(f fact) bool {
	for ; s != nil; s = s.outer {
		if s.facts[f] {
			return true
		}
	}
	return false
}

func (s *scope) driver() string {
	found := ""
	for ; s != nil; s = s.outer {
		for f := range s.facts {
			// Two of them cannot be: the place is never reached. The smaller
			// name is as good as the other then, and always the same.
			if f.driver != "" && (found == "" || f.driver < found) {
				found = f.driver
			}
		}
	}
	return found
}

// when returns what holds where e has become true, or false, without an
// error.
func (w *walker) when(e ast.Expr, is bool) facts {
	key := condition{e.ID(), is}
	f, ok := w.known[key]
	if !ok {
		f = w.follows(e, is)
		w.known[key] = f
	}
	return f
}

func (w *walker) follows(e ast.Expr, is bool) facts {
	if f, ok := w.presence(e); ok {
		if is {
			return facts{f: true}
		}
		return nil
	}
	if e.Kind() != ast.CallKind {
		return nil
	}
	call := e.AsCall()
	args := call.Args()
	switch name := call.FunctionName(); {
	case name == operators.LogicalNot && len(args) == 1:
		return w.when(args[0], !is)
	case (name == operators.LogicalAnd || name == operators.LogicalOr) && len(args) == 2:
		a, b := w.when(args[0], is), w.when(args[1], is)
		if (name == operators.LogicalAnd) == is {
			return union(a, b)
		}
		return intersection(a, b)
	case name == operators.Conditional && len(args) == 3:
		yes := union(w.when(args[0], true), w.when(args[1], is))
		no := union(w.when(args[0], false), w.when(args[2], is))
		return intersection(yes, no)
	case name == operators.Equals && is || name == operators.NotEquals && !is:
		for i := range args {
			if driver, ok := stringOf(args[i]); ok && w.isDriver(args[1-i]) {
				return facts{{driver: driver}: true}
			}
		}
	case name == operators.In && is && len(args) == 2 && w.isDriver(args[0]) && args[1].Kind() == ast.ListKind && args[1].AsList().Size() == 1:
		if driver, ok := stringOf(args[1].AsList().Elements()[0]); ok {
			return facts{{driver: driver}: true}
		}
	}
	return nil
}

// isDriver recognises device.driver.
func (w *walker) isDriver(e ast.Expr) bool {
	root, name, _, ok := member(w.resolve(e))
	if !ok || name != "driver" {
		return false
	}
	root = w.resolve(root)
	return root.Kind() == ast.IdentKind && root.AsIdent() == "device"
}

// presence recognises has(device.attributes["domain"].id), "id" in
// device.attributes["domain"] and device.attributes["domain"].?id.hasValue().
func (w *walker) presence(e ast.Expr) (fact, bool) {
	switch e.Kind() {
	case ast.SelectKind:
		if !e.AsSelect().IsTestOnly() {
			return fact{}, false
		}
		r, ok := w.read(e)
		return fact{capacity: r.Capacity, domain: r.Domain, id: r.ID}, ok && r.ID != ""
	case ast.CallKind:
		call := e.AsCall()
		args := call.Args()
		if call.FunctionName() == "hasValue" && call.IsMemberFunction() {
			r, ok := w.read(call.Target())
			return fact{capacity: r.Capacity, domain: r.Domain, id: r.ID}, ok && r.Guarded && r.ID != ""
		}
		if call.FunctionName() != operators.In || len(args) != 2 {
			return fact{}, false
		}
		id, isString := stringOf(args[0])
		r, ok := w.read(args[1])
		return fact{capacity: r.Capacity, domain: r.Domain, id: id}, isString && ok && r.ID == ""
	}
	return fact{}, false
}

func union(a, b facts) facts {
	if len(a) == 0 {
		return b
	}
	if len(b) == 0 {
		return a
	}
	out := make(facts, len(a)+len(b))
	for _, m := range []facts{a, b} {
		for f := range m {
			out[f] = true
		}
	}
	return out
}

func intersection(a, b facts) facts {
	var out facts
	for f := range a {
		if b[f] {
			if out == nil {
				out = facts{}
			}
			out[f] = true
		}
	}
	return out
}
