package selector

import (
	"fmt"
	"sync"

	"github.com/blang/semver/v4"
	celgo "github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"
	"k8s.io/apimachinery/pkg/api/resource"
)

// Constant is a text that an expression turns into a version or a quantity
// and that is none: evaluating it is an error, whatever the device.
type Constant struct {
	// Function is semver or quantity.
	Function string
	Text     string
	// Line and Column count from 1 inside the expression.
	Line, Column int

	node int64
}

// tracking is the environment that expressions are taken apart in: that of
// stored expressions, with the macros kept, so that what was changed can be
// written down again.
var tracking struct {
	sync.Once
	env *celgo.Env
}

func trackingEnv(stored *celgo.Env) *celgo.Env {
	tracking.Do(func() {
		env, err := stored.Extend(celgo.EnableMacroCallTracking())
		if err != nil {
			panic("an option without conditions failed: " + err.Error())
		}
		tracking.env = env
	})
	return tracking.env
}

// analyse finds out what a stored expression that compiles reads. It works
// on the checked form, which knows the types of all parts.
func (p *Program) analyse() {
	checked, issues := trackingEnv(p.compiled.Environment).Compile(p.Expression)
	if issues.Err() != nil {
		return
	}
	w := &walker{native: checked.NativeRep(), bound: map[string]ast.Expr{}, known: map[condition]facts{}}
	root := w.native.Expr()
	w.visit(root, nil, use{})
	p.Reads, p.Invalid = w.found, w.invalid
	drivers := 0
	for f := range w.when(root, true) {
		if f.driver != "" {
			p.Driver = f.driver
			drivers++
		}
	}
	if root.Kind() == ast.CallKind && root.AsCall().FunctionName() == operators.Equals {
		p.plain = p.Driver != ""
	}
	if drivers > 1 {
		p.Driver = "" // It never matches.
	}
}

// use is what becomes of a value.
type use struct {
	wants             Kind
	list              bool
	compared, literal string
	call              int64
	constants         []int64
}

type walker struct {
	native  *ast.AST
	bound   map[string]ast.Expr
	known   map[condition]facts
	found   []Read
	invalid []Constant
}

func (w *walker) visit(e ast.Expr, s *scope, u use) {
	if r, ok := w.read(e); ok {
		r.Wants, r.List, r.Compared, r.Literal = u.wants, u.list, u.compared, u.literal
		r.call, r.constants = u.call, u.constants
		if e.Kind() == ast.IdentKind {
			r.node = 0 // It stands behind a variable, where it is not changed.
		}
		r.Driver = s.driver()
		r.Guarded = r.Guarded || s.has(fact{capacity: r.Capacity, domain: r.Domain, id: r.ID})
		w.found = append(w.found, r)
		return
	}
	switch e.Kind() {
	case ast.CallKind:
		w.call(e, s, u)
	case ast.SelectKind:
		w.visit(e.AsSelect().Operand(), s, use{})
	case ast.ListKind:
		for _, el := range e.AsList().Elements() {
			w.visit(el, s, use{})
		}
	case ast.MapKind:
		for _, entry := range e.AsMap().Entries() {
			w.visit(entry.AsMapEntry().Key(), s, use{})
			w.visit(entry.AsMapEntry().Value(), s, use{})
		}
	case ast.ComprehensionKind:
		w.comprehension(e.AsComprehension(), s)
	}
}

// comprehension visits what a macro stands for. One that never loops is
// cel.bind, whose variable is another name for its value.
func (w *walker) comprehension(c ast.ComprehensionExpr, s *scope) {
	cond := c.LoopCondition()
	if cond.Kind() == ast.LiteralKind && cond.AsLiteral() == types.False {
		if _, isRead := w.read(c.AccuInit()); !isRead {
			w.visit(c.AccuInit(), s, use{})
		}
		w.within(c.AccuVar(), c.AccuInit(), func() { w.visit(c.Result(), s, use{}) })
		return
	}
	w.visit(c.IterRange(), s, use{list: true})
	w.visit(c.AccuInit(), s, use{})
	w.within(c.IterVar(), nil, func() {
		w.within(c.IterVar2(), nil, func() {
			w.visit(cond, s, use{})
			w.visit(c.LoopStep(), s, use{})
		})
	})
	w.visit(c.Result(), s, use{})
}

// within binds a name for the time of f, or hides it.
func (w *walker) within(name string, value ast.Expr, f func()) {
	before, had := w.bound[name]
	delete(w.bound, name)
	if value != nil {
		w.bound[name] = value
	}
	f()
	delete(w.bound, name)
	if had {
		w.bound[name] = before
	}
}

func (w *walker) call(e ast.Expr, s *scope, u use) {
	call := e.AsCall()
	args, name := call.Args(), call.FunctionName()
	switch {
	case name == operators.LogicalAnd && len(args) == 2:
		// Either side hides an error of the other by being false.
		w.visit(args[0], s.with(w.when(args[1], true)), use{wants: Bool})
		w.visit(args[1], s.with(w.when(args[0], true)), use{wants: Bool})
	case name == operators.LogicalOr && len(args) == 2:
		w.visit(args[0], s.with(w.when(args[1], false)), use{wants: Bool})
		w.visit(args[1], s.with(w.when(args[0], false)), use{wants: Bool})
	case name == operators.Conditional && len(args) == 3:
		w.visit(args[0], s, use{wants: Bool})
		w.visit(args[1], s.with(w.when(args[0], true)), u)
		w.visit(args[2], s.with(w.when(args[0], false)), u)
	case name == operators.In && len(args) == 2:
		w.in(e, s)
	case pairs[name] && len(args) == 2:
		w.visit(args[0], s, w.against(e, args[1], name, false))
		w.visit(args[1], s, w.against(e, args[0], name, true))
	default:
		w.function(e, s)
	}
}

// in is a test of presence, or a comparison with one of several.
func (w *walker) in(e ast.Expr, s *scope) {
	args := e.AsCall().Args()
	if f, ok := w.presence(e); ok {
		r, _ := w.read(args[1])
		r.ID, r.Guarded = f.id, true
		w.found = append(w.found, r)
		return
	}
	left := use{call: e.ID()}
	if t := w.native.GetType(args[1].ID()); t != nil && t.Kind() == types.ListKind && len(t.Parameters()) == 1 {
		left.wants = kindOf(t.Parameters()[0])
	}
	if args[1].Kind() == ast.ListKind {
		for _, el := range args[1].AsList().Elements() {
			if el.Kind() == ast.LiteralKind {
				left.constants = append(left.constants, el.ID())
			}
		}
	}
	w.visit(args[0], s, left)
	right := use{call: e.ID(), list: true, wants: kindOf(w.native.GetType(args[0].ID()))}
	if args[0].Kind() == ast.LiteralKind {
		right.constants = []int64{args[0].ID()}
	}
	w.visit(args[1], s, right)
}

// against is what one side of an operator wants to be with the other.
func (w *walker) against(e, other ast.Expr, operator string, swapped bool) use {
	u := use{call: e.ID()}
	t := w.native.GetType(other.ID())
	u.wants = kindOf(t)
	if t != nil && t.Kind() == types.ListKind && len(t.Parameters()) == 1 {
		u.list, u.wants = true, kindOf(t.Parameters()[0])
	}
	text, constant := literalOf(other)
	if !constant {
		return u
	}
	if op := comparisons[operator]; op != "" {
		u.compared, u.literal = op, text
		if swapped {
			u.compared = mirrored[op]
		}
		if other.Kind() == ast.LiteralKind {
			u.constants = []int64{other.ID()}
		}
	}
	return u
}

func (w *walker) function(e ast.Expr, s *scope) {
	call := e.AsCall()
	args, name := call.Args(), call.FunctionName()
	if call.IsMemberFunction() {
		u := use{call: e.ID(), wants: targets[name], list: name == "sum" || name == "isSorted"}
		if ordered[name] && len(args) == 1 {
			u.wants = kindOf(w.native.GetType(args[0].ID()))
		}
		if name == "orValue" && len(args) == 1 {
			u = use{wants: kindOf(w.native.GetType(args[0].ID()))}
		}
		w.visit(call.Target(), s, u)
	}
	u := use{}
	switch {
	case name == operators.LogicalNot:
		u.wants = Bool
	case !call.IsMemberFunction() && (name == "semver" || name == "quantity"):
		u.wants = String
		w.constant(e)
	case call.IsMemberFunction() && ordered[name]:
		u = use{call: e.ID(), wants: kindOf(w.native.GetType(call.Target().ID()))}
	}
	for _, arg := range args {
		w.visit(arg, s, u)
	}
}

// constant checks the text of semver("1.2.3") and quantity("1Gi").
func (w *walker) constant(e ast.Expr) {
	name, arg, ok := constructor(e)
	if !ok {
		return
	}
	text, isString := stringOf(arg)
	if !isString {
		return
	}
	if parses(name, text) {
		return
	}
	loc := w.native.SourceInfo().GetStartLocation(arg.ID())
	w.invalid = append(w.invalid, Constant{Function: name, Text: text, Line: loc.Line(), Column: loc.Column() + 1, node: arg.ID()})
}

func parses(function, text string) bool {
	if function == "semver" {
		_, err := semver.Parse(text)
		return err == nil
	}
	_, err := resource.ParseQuantity(text)
	return err == nil
}

// kindOf tells which kind a type of CEL is; "" for those that stand for any.
func kindOf(t *types.Type) Kind {
	if t == nil {
		return ""
	}
	switch t.Kind() {
	case types.IntKind, types.UintKind, types.DoubleKind:
		return Int
	case types.BoolKind:
		return Bool
	case types.StringKind:
		return String
	}
	switch t.TypeName() {
	case "kubernetes.Semver":
		return Version
	case "kubernetes.Quantity":
		return Quantity
	}
	return ""
}

// pairs are the operators whose sides have one type.
var pairs = map[string]bool{
	operators.Equals: true, operators.NotEquals: true,
	operators.Less: true, operators.LessEquals: true, operators.Greater: true, operators.GreaterEquals: true,
	operators.Add: true, operators.Subtract: true, operators.Multiply: true, operators.Divide: true, operators.Modulo: true,
}

var comparisons = map[string]string{
	operators.Equals: "==", operators.NotEquals: "!=",
	operators.Less: "<", operators.LessEquals: "<=",
	operators.Greater: ">", operators.GreaterEquals: ">=",
}

// mirrored says how a comparison reads from its right side.
var mirrored = map[string]string{"==": "==", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}

// ordered are the functions that compare versions, and quantities.
var ordered = map[string]bool{"isLessThan": true, "isGreaterThan": true, "compareTo": true}

// targets says what functions are called on.
var targets = map[string]Kind{
	"startsWith": String, "endsWith": String, "contains": String, "matches": String, "lowerAscii": String, "upperAscii": String,
	"split": String, "replace": String, "substring": String, "trim": String, "charAt": String, "find": String, "findAll": String,
	"major": Version, "minor": Version, "patch": Version,
	"asInteger": Quantity, "asApproximateFloat": Quantity, "isInteger": Quantity, "sign": Quantity, "add": Quantity, "sub": Quantity,
}

// String places a constant for a message.
func (c Constant) String() string { return fmt.Sprintf("%s(%q)", c.Function, c.Text) }
