package selector

import (
	"fmt"
	"strings"

	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
)

// Kind is what an attribute or a capacity holds.
type Kind string

// The kinds of values that CEL tells apart here.
const (
	Int      Kind = "int"
	Bool     Kind = "bool"
	String   Kind = "string"
	Version  Kind = "version"
	Quantity Kind = "quantity"
)

// Read is one place where an expression names an attribute or a capacity.
type Read struct {
	// Capacity is true for device.capacity, false for device.attributes.
	Capacity bool
	Domain   string
	// ID is empty where only the domain is named by a constant.
	ID string
	// Guarded is true where the read cannot fail: inside has(), behind
	// optional syntax, or where such a test of the same name decides first.
	Guarded bool
	// Driver is the driver that the expression has made sure of where it
	// reads, or "".
	Driver string
	// Wants is the kind of value that the expression can do something with
	// at this place, or "" where it takes any; List tells that it wants
	// several of them.
	Wants Kind
	List  bool
	// Compared is the operator, such as "==", when the value is compared
	// with a constant; Literal is that constant as CEL writes it.
	Compared string
	Literal  string
	// Line and Column count from 1 inside the expression.
	Line, Column int

	// node is the read itself, call what it is compared in, and constants
	// are the literals that it is compared with.
	node, call int64
	constants  []int64
}

// Name is the qualified name as a slice would publish it.
func (r Read) Name() string { return r.Domain + "/" + r.ID }

// read recognises device.attributes["domain"].id and its other spellings.
func (w *walker) read(e ast.Expr) (Read, bool) {
	e = w.resolve(e)
	parent, id, guarded, ok := member(e)
	if !ok {
		return Read{}, false
	}
	capacity, isMap := w.domains(parent)
	domain := id
	if isMap {
		// e is the map of a domain, with no id.
		id, guarded = "", true
	} else {
		grandparent, name, optional, ok := member(w.resolve(parent))
		if !ok {
			return Read{}, false
		}
		if capacity, isMap = w.domains(grandparent); !isMap {
			return Read{}, false
		}
		domain, guarded = name, guarded || optional
	}
	loc := w.native.SourceInfo().GetStartLocation(e.ID())
	return Read{
		Capacity: capacity, Domain: domain, ID: id, Guarded: guarded,
		Line: loc.Line(), Column: loc.Column() + 1, node: e.ID(),
	}, true
}

// domains recognises device.attributes and device.capacity.
func (w *walker) domains(e ast.Expr) (capacity, ok bool) {
	root, name, _, ok := member(w.resolve(e))
	if !ok {
		return false, false
	}
	if root = w.resolve(root); root.Kind() != ast.IdentKind || root.AsIdent() != "device" {
		return false, false
	}
	return name == "capacity", name == "capacity" || name == "attributes"
}

// mostAliases is how many variables of cel.bind are followed, each bound to
// the next.
const mostAliases = 8

// resolve follows variables of cel.bind to what they stand for.
func (w *walker) resolve(e ast.Expr) ast.Expr {
	for range mostAliases {
		if e.Kind() != ast.IdentKind {
			return e
		}
		bound, ok := w.bound[e.AsIdent()]
		if !ok {
			return e
		}
		e = bound
	}
	return e
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
		if name, arg, ok := constructor(e); ok {
			return name + "(" + literal(arg.AsLiteral()) + ")", true
		}
	}
	return "", false
}

// constructor recognises quantity() and semver() with a constant alone.
func constructor(e ast.Expr) (name string, arg ast.Expr, ok bool) {
	if e.Kind() != ast.CallKind {
		return "", nil, false
	}
	c := e.AsCall()
	if c.IsMemberFunction() || len(c.Args()) != 1 || c.Args()[0].Kind() != ast.LiteralKind {
		return "", nil, false
	}
	return c.FunctionName(), c.Args()[0], c.FunctionName() == "quantity" || c.FunctionName() == "semver"
}

func literal(v ref.Val) string {
	if s, ok := v.(types.String); ok {
		return `"` + strings.ReplaceAll(string(s), `"`, `\"`) + `"`
	}
	return fmt.Sprint(v.Value())
}
