package selector

import (
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"
)

// Mend changes an expression that does not compile because it treats a
// capacity or a version like a number or a text. It returns what to know and
// the expression as it was likely meant.
func Mend(expression string, opts Options) (advice, mended string, ok bool) {
	// Parsing needs the macros, which any stored expression brings along.
	Compile("true", Options{Stored: true})
	r, ok := parse(&Program{Expression: expression, opts: opts})
	if !ok {
		return "", "", false
	}
	w := &walker{bound: map[string]ast.Expr{}}
	m := &mending{r, w, ""}
	visitor := ast.NewExprVisitor(m.call)
	ast.PostOrderVisit(r.root, visitor)
	for _, id := range sortedIDs(r.info.MacroCalls()) {
		ast.PostOrderVisit(r.info.MacroCalls()[id], visitor)
	}
	if c := r.root; c.Kind() == ast.CallKind && c.AsCall().FunctionName() == "compareTo" {
		m.advice = "compareTo gives -1, 0 or 1: compare it with 0"
		r.root = r.make.NewCall(r.id(), operators.GreaterEquals, c, r.make.NewLiteral(r.id(), types.Int(0)))
	}
	if m.advice == "" {
		return "", "", false
	}
	mended, ok = r.text()
	return m.advice, mended, ok
}

type mending struct {
	*rewriting
	walker *walker
	advice string
}

const (
	adviseQuantity = "a capacity is a quantity, which compares with isLessThan, isGreaterThan or compareTo, and only with another quantity"
	adviseVersion  = "versions compare with isLessThan, isGreaterThan or compareTo, and only with another version"
)

// call mends one comparison, by operator or by function.
func (m *mending) call(e ast.Expr) {
	if e.Kind() != ast.CallKind {
		return
	}
	call := e.AsCall()
	args := call.Args()
	operator, isComparison := comparisons[call.FunctionName()]
	switch {
	case isComparison && len(args) == 2:
		m.operator(e, operator)
	case call.IsMemberFunction() && ordered[call.FunctionName()] && len(args) == 1:
		kind := m.kind(call.Target())
		if kind == "" {
			// Attributes are never quantities.
			if _, isText := stringOf(args[0]); !isText {
				return
			}
			kind = Version
		}
		if arg := m.constructed(args[0], kind); arg != nil {
			m.advise(kind)
			e.SetKindCase(m.make.NewMemberCall(e.ID(), call.FunctionName(), call.Target(), arg))
		}
	}
}

func (m *mending) operator(e ast.Expr, operator string) {
	left, right := e.AsCall().Args()[0], e.AsCall().Args()[1]
	kind := m.kind(left)
	if kind == "" {
		kind = m.kind(right)
	}
	if kind == "" {
		return
	}
	if left.Kind() == ast.LiteralKind || isConstructor(left) && !isConstructor(right) {
		left, right, operator = right, left, mirrored[operator]
	}
	if left.Kind() == ast.LiteralKind {
		return
	}
	if arg := m.constructed(right, kind); arg != nil {
		right = arg
	} else if operator == "==" || operator == "!=" {
		return // Two of one kind compare so.
	}
	m.advise(kind)
	if operator == "==" || operator == "!=" {
		e.SetKindCase(m.make.NewCall(e.ID(), e.AsCall().FunctionName(), left, right))
		return
	}
	e.SetKindCase(m.compare(left, operator, right))
}

func (m *mending) advise(kind Kind) {
	if kind == Quantity {
		m.advice = adviseQuantity
	} else if m.advice == "" {
		m.advice = adviseVersion
	}
}

func isConstructor(e ast.Expr) bool {
	_, _, ok := constructor(e)
	return ok
}

// kind tells what is surely a quantity or a version.
func (m *mending) kind(e ast.Expr) Kind {
	if r, ok := m.walker.read(e); ok && r.Capacity && r.ID != "" {
		return Quantity
	}
	if e.Kind() != ast.CallKind || e.AsCall().IsMemberFunction() {
		return ""
	}
	switch e.AsCall().FunctionName() {
	case "quantity":
		return Quantity
	case "semver":
		return Version
	}
	return ""
}

// constructed wraps a constant, in the form that can be read; nil for what is
// no constant.
func (m *mending) constructed(e ast.Expr, kind Kind) ast.Expr {
	if e.Kind() != ast.LiteralKind {
		return nil
	}
	function := "semver"
	text := ""
	switch v := e.AsLiteral().Value().(type) {
	case string:
		text = v
	case int64:
		text = types.Int(v).ConvertToType(types.StringType).Value().(string)
	default:
		return nil
	}
	if kind == Quantity {
		function = "quantity"
	}
	if !parses(function, text) {
		if text = Nearest(function, text); text == "" {
			return nil
		}
	}
	return m.make.NewCall(m.id(), function, m.make.NewLiteral(m.id(), types.String(text)))
}
