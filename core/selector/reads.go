package selector

import (
	"fmt"
	"strings"

	celgo "github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
)

// Read is one place where an expression names an attribute or a capacity.
type Read struct {
	// Capacity is true for device.capacity, false for device.attributes.
	Capacity bool
	Domain   string
	// ID is empty where only the domain is named by a constant.
	ID string
	// Guarded is true where the read cannot fail: inside has(), behind
	// optional syntax, or beside such a test of the same name.
	Guarded bool
	// Compared is the operator, such as "==", when the value is compared
	// with a constant; Literal is that constant as CEL writes it.
	Compared string
	Literal  string
	// Line and Column count from 1 inside the expression.
	Line, Column int
}

// Name is the qualified name as a slice would publish it.
func (r Read) Name() string { return r.Domain + "/" + r.ID }

var comparisons = map[string]string{
	operators.Equals: "==", operators.NotEquals: "!=",
	operators.Less: "<", operators.LessEquals: "<=",
	operators.Greater: ">", operators.GreaterEquals: ">=",
}

// mirrored says how a comparison reads from its right side.
var mirrored = map[string]string{"==": "==", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}

// reads finds the constant names in an expression that compiles. It works on
// the parsed form, because the checked form no longer shows has().
func reads(env *celgo.Env, expression string) []Read {
	parsed, issues := env.Parse(expression)
	if issues.Err() != nil {
		return nil
	}
	native := parsed.NativeRep()
	w := &walker{info: native.SourceInfo()}
	w.visit(native.Expr(), comparison{})
	tested := map[string]bool{}
	for _, r := range w.found {
		if r.Guarded {
			tested[r.Name()] = true
		}
	}
	for i := range w.found {
		if tested[w.found[i].Name()] {
			w.found[i].Guarded = true
		}
	}
	return w.found
}

type comparison struct{ operator, literal string }

type walker struct {
	info  *ast.SourceInfo
	found []Read
}

func (w *walker) visit(e ast.Expr, c comparison) {
	if r, ok := w.read(e); ok {
		r.Compared, r.Literal = c.operator, c.literal
		w.found = append(w.found, r)
		return
	}
	switch e.Kind() {
	case ast.CallKind:
		w.call(e.AsCall())
	case ast.SelectKind:
		w.visit(e.AsSelect().Operand(), comparison{})
	case ast.ListKind:
		for _, el := range e.AsList().Elements() {
			w.visit(el, comparison{})
		}
	case ast.MapKind:
		for _, entry := range e.AsMap().Entries() {
			w.visit(entry.AsMapEntry().Key(), comparison{})
			w.visit(entry.AsMapEntry().Value(), comparison{})
		}
	case ast.ComprehensionKind:
		comp := e.AsComprehension()
		for _, part := range []ast.Expr{comp.IterRange(), comp.AccuInit(), comp.LoopCondition(), comp.LoopStep(), comp.Result()} {
			w.visit(part, comparison{})
		}
	}
}

func (w *walker) call(call ast.CallExpr) {
	args := call.Args()
	if call.IsMemberFunction() {
		w.visit(call.Target(), comparison{})
	}
	if op, ok := comparisons[call.FunctionName()]; ok && len(args) == 2 {
		if literal, ok := literalOf(args[1]); ok {
			w.visit(args[0], comparison{op, literal})
			return
		}
		if literal, ok := literalOf(args[0]); ok {
			w.visit(args[1], comparison{mirrored[op], literal})
			return
		}
	}
	if call.FunctionName() == operators.In && len(args) == 2 {
		// "id" in device.attributes["domain"] is a test of that name.
		if id, ok := stringOf(args[0]); ok {
			if r, ok := w.read(args[1]); ok && r.ID == "" {
				r.ID, r.Guarded = id, true
				w.found = append(w.found, r)
				return
			}
		}
	}
	for _, arg := range args {
		w.visit(arg, comparison{})
	}
}

// read recognises device.attributes["domain"].id and its other spellings.
func (w *walker) read(e ast.Expr) (Read, bool) {
	parent, id, guarded, ok := member(e)
	if !ok {
		return Read{}, false
	}
	capacity, isMap := domains(parent)
	domain := id
	if isMap {
		// e is the map of a domain, with no id.
		id, guarded = "", true
	} else {
		grandparent, name, optional, ok := member(parent)
		if !ok {
			return Read{}, false
		}
		if capacity, isMap = domains(grandparent); !isMap {
			return Read{}, false
		}
		domain, guarded = name, guarded || optional
	}
	loc := w.info.GetStartLocation(e.ID())
	return Read{
		Capacity: capacity, Domain: domain, ID: id, Guarded: guarded,
		Line: loc.Line(), Column: loc.Column() + 1,
	}, true
}

// domains recognises device.attributes and device.capacity.
func domains(e ast.Expr) (capacity, ok bool) {
	root, name, _, ok := member(e)
	if !ok || root.Kind() != ast.IdentKind || root.AsIdent() != "device" {
		return false, false
	}
	return name == "capacity", name == "capacity" || name == "attributes"
}

// member takes apart x.name, x["name"], x.?name, x[?"name"] and has(x.name).
func member(e ast.Expr) (operand ast.Expr, name string, guarded, ok bool) {
	switch e.Kind() {
	case ast.SelectKind:
		s := e.AsSelect()
		return s.Operand(), s.FieldName(), s.IsTestOnly(), true
	case ast.CallKind:
		c := e.AsCall()
		switch c.FunctionName() {
		case operators.Index, operators.OptIndex, operators.OptSelect:
			if len(c.Args()) == 2 {
				if key, isString := stringOf(c.Args()[1]); isString {
					return c.Args()[0], key, c.FunctionName() != operators.Index, true
				}
			}
		}
	}
	return nil, "", false, false
}

func stringOf(e ast.Expr) (string, bool) {
	if e.Kind() != ast.LiteralKind {
		return "", false
	}
	s, ok := e.AsLiteral().(types.String)
	return string(s), ok
}

// literalOf renders a constant, or a call of a constructor such as quantity()
// or semver() on one, as CEL writes it.
func literalOf(e ast.Expr) (string, bool) {
	switch e.Kind() {
	case ast.LiteralKind:
		return literal(e.AsLiteral()), true
	case ast.CallKind:
		c := e.AsCall()
		if !c.IsMemberFunction() && len(c.Args()) == 1 && (c.FunctionName() == "quantity" || c.FunctionName() == "semver") {
			if arg, ok := literalOf(c.Args()[0]); ok {
				return c.FunctionName() + "(" + arg + ")", true
			}
		}
	}
	return "", false
}

func literal(v ref.Val) string {
	if s, ok := v.(types.String); ok {
		return `"` + strings.ReplaceAll(string(s), `"`, `\"`) + `"`
	}
	return fmt.Sprint(v.Value())
}
