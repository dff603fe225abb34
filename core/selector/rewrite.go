package selector

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/parser"
)

// rewriting is an expression that is being changed. Nothing is offered that
// does not compile in the end.
type rewriting struct {
	program *Program
	root    ast.Expr
	info    *ast.SourceInfo
	make    ast.ExprFactory
	next    int64
}

func (p *Program) rewrite() (*rewriting, bool) {
	if p.Err != nil || p.compiled.Environment == nil {
		return nil, false
	}
	return parse(p)
}

func parse(p *Program) (*rewriting, bool) {
	env := tracking.env
	if env == nil {
		return nil, false
	}
	parsed, issues := env.Parse(p.Expression)
	if issues.Err() != nil {
		return nil, false
	}
	native := parsed.NativeRep()
	r := &rewriting{program: p, root: native.Expr(), info: native.SourceInfo(), make: ast.NewExprFactory()}
	r.next = ast.MaxID(native) + 1
	return r, true
}

func (r *rewriting) id() int64 {
	r.next++
	return r.next
}

// text writes the expression down, if it still compiles.
func (r *rewriting) text() (string, bool) {
	text, err := parser.Unparse(r.root, r.info, parser.WrapOnOperators())
	if err != nil || text == r.program.Expression || len(text) > MaxLength {
		return "", false
	}
	return text, Compile(text, r.program.opts).Err == nil
}

// each calls f for every part of the expression with an id, be it in the
// expression itself or in what a macro was written as.
func (r *rewriting) each(id int64, f func(ast.Expr)) bool {
	var found []ast.Expr
	visit := ast.NewExprVisitor(func(e ast.Expr) {
		if e.ID() == id {
			found = append(found, e)
		}
	})
	ast.PreOrderVisit(r.root, visit)
	for _, macro := range sortedIDs(r.info.MacroCalls()) {
		ast.PreOrderVisit(r.info.MacroCalls()[macro], visit)
	}
	// What is changed may hold a copy of itself, and is not looked into.
	for _, e := range found {
		f(e)
	}
	return len(found) > 0
}

func sortedIDs(m map[int64]ast.Expr) []int64 {
	return slices.Sorted(maps.Keys(m))
}

// Guard lets the part of a selector that reads a name hold only for devices
// that have it.
func (p *Program) Guard(read Read) (string, bool) {
	r, ok := p.rewrite()
	if !ok || read.ID == "" {
		return "", false
	}
	device := r.make.NewIdent(r.id(), "device")
	field := "attributes"
	if read.Capacity {
		field = "capacity"
	}
	domain := r.make.NewLiteral(r.id(), types.String(read.Domain))
	names := r.make.NewCall(r.id(), operators.Index, r.make.NewSelect(r.id(), device, field), domain)
	test := r.make.NewPresenceTest(r.id(), names, read.ID)
	same := func(o Read) bool {
		return o.Name() == read.Name() && o.Capacity == read.Capacity && !o.Guarded
	}
	wanted := map[int64]bool{}
	for _, o := range p.Reads {
		if same(o) {
			wanted[o.node] = true
		}
	}
	// A read behind a variable guards the whole.
	whole := wanted[0]
	r.root = r.guard(r.root, test, func(e ast.Expr) bool { return whole || contains(e, wanted) })
	return r.text()
}

// guard goes down through and, or, not and the choice between two, to the
// smallest parts that are true or false.
func (r *rewriting) guard(e, test ast.Expr, reads func(ast.Expr) bool) ast.Expr {
	if !reads(e) {
		return e
	}
	if e.Kind() == ast.CallKind {
		call := e.AsCall()
		switch call.FunctionName() {
		case operators.LogicalAnd, operators.LogicalOr, operators.LogicalNot, operators.Conditional:
			args := make([]ast.Expr, 0, len(call.Args()))
			for _, arg := range call.Args() {
				args = append(args, r.guard(arg, test, reads))
			}
			return r.make.NewCall(e.ID(), call.FunctionName(), args...)
		}
	}
	return r.make.NewCall(r.id(), operators.LogicalAnd, r.make.CopyExpr(test), e)
}

func contains(e ast.Expr, ids map[int64]bool) bool {
	found := false
	ast.PreOrderVisit(e, ast.NewExprVisitor(func(e ast.Expr) { found = found || ids[e.ID()] }))
	return found
}

// ForDriver lets a selector hold only for devices of a driver.
func (p *Program) ForDriver(driver string) (string, bool) {
	r, ok := p.rewrite()
	if !ok {
		return "", false
	}
	name := r.make.NewSelect(r.id(), r.make.NewIdent(r.id(), "device"), "driver")
	test := r.make.NewCall(r.id(), operators.Equals, name, r.make.NewLiteral(r.id(), types.String(driver)))
	r.root = r.make.NewCall(r.id(), operators.LogicalAnd, test, r.root)
	return r.text()
}

// Rename lets an expression read another name, in all places where it reads
// this one.
func (p *Program) Rename(read Read, capacity bool, domain, id string) (string, bool) {
	r, ok := p.rewrite()
	if !ok {
		return "", false
	}
	for _, o := range p.Reads {
		if o.Capacity != read.Capacity || o.Domain != read.Domain || (o.ID != read.ID && read.ID != "") {
			continue
		}
		if o.ID == "" && read.ID != "" {
			continue
		}
		renamed := false
		r.each(o.node, func(e ast.Expr) { renamed = r.rename(e, read, capacity, domain, id) || renamed })
		if macro, ok := r.info.GetMacroCall(o.node); ok && len(macro.AsCall().Args()) == 1 {
			// has() is written as a call of its own.
			renamed = r.rename(macro.AsCall().Args()[0], read, capacity, domain, id) && renamed
		}
		if !renamed {
			return "", false
		}
	}
	return r.text()
}

// rename changes device.attributes["domain"].id part by part.
func (r *rewriting) rename(e ast.Expr, read Read, capacity bool, domain, id string) bool {
	operand, name, _, ok := member(e)
	if !ok {
		return false
	}
	if read.ID != "" && name == read.ID {
		r.setName(e, id)
		e = operand
		if operand, name, _, ok = member(e); !ok {
			return false
		}
	}
	if name != read.Domain {
		// e is device.attributes["domain"].id of another id.
		if operand, name, _, ok = member(operand); !ok || name != read.Domain {
			return false
		}
	}
	r.setName(e, domain)
	if capacity != read.Capacity {
		field := "attributes"
		if capacity {
			field = "capacity"
		}
		r.setName(operand, field)
	}
	return true
}

// setName changes the last name of x.name or x["name"].
func (r *rewriting) setName(e ast.Expr, name string) {
	if e.Kind() == ast.SelectKind {
		s := e.AsSelect()
		if s.IsTestOnly() {
			e.SetKindCase(r.make.NewPresenceTest(e.ID(), s.Operand(), name))
		} else {
			e.SetKindCase(r.make.NewSelect(e.ID(), s.Operand(), name))
		}
		return
	}
	e.AsCall().Args()[1].SetKindCase(r.make.NewLiteral(0, types.String(name)))
}

// Replace puts another text into a constant that cannot be read.
func (p *Program) Replace(c Constant, text string) (string, bool) {
	r, ok := p.rewrite()
	if !ok || !r.each(c.node, func(e ast.Expr) { e.SetKindCase(r.make.NewLiteral(0, types.String(text))) }) {
		return "", false
	}
	return r.text()
}

// Nearest turns a text that is no version, or no quantity, into the one that
// is likely meant; "" if there is none.
func Nearest(function, text string) string {
	text = strings.Join(strings.Fields(text), "")
	var candidates []string
	if function == "semver" {
		parts := strings.Split(strings.TrimLeft(text, "vV"), ".")
		for i, part := range parts {
			if trimmed := strings.TrimLeft(part, "0"); trimmed != part {
				parts[i] = trimmed
				if trimmed == "" {
					parts[i] = "0"
				}
			}
		}
		for len(parts) < 3 {
			parts = append(parts, "0")
		}
		candidates = []string{strings.Join(parts, ".")}
	} else {
		short := strings.TrimSuffix(strings.TrimSuffix(text, "B"), "b")
		candidates = []string{short, strings.Replace(short, "K", "k", 1), strings.Replace(short, "m", "M", 1),
			strings.Replace(strings.Replace(short, "g", "G", 1), "I", "i", 1), strings.Replace(short, "ki", "Ki", 1)}
	}
	for _, c := range candidates {
		if c != "" && parses(function, c) {
			return c
		}
	}
	return ""
}

// Convert lets a comparison fit values of the kind that devices publish. It
// knows the conversions that keep what was meant.
func (p *Program) Convert(read Read, published Kind, list bool) (string, bool) {
	r, ok := p.rewrite()
	if !ok || read.node == 0 {
		return "", false
	}
	switch {
	case list != read.List:
		ok = r.convertList(read, list)
	case published == String && read.Wants == Version:
		ok = r.wrap(read.node, "semver")
	case published == Version && (read.Compared == "" || read.Compared == "==" || read.Compared == "!="):
		ok = r.convertConstants(read, published)
	case published == Version:
		ok = r.order(read)
	default:
		ok = r.convertConstants(read, published)
	}
	if !ok {
		return "", false
	}
	return r.text()
}

func (r *rewriting) wrap(id int64, function string) bool {
	return r.each(id, func(e ast.Expr) { e.SetKindCase(r.make.NewCall(e.ID(), function, r.make.CopyExpr(e))) })
}

// convertConstants writes the constants in the kind that is published.
func (r *rewriting) convertConstants(read Read, published Kind) bool {
	if len(read.constants) == 0 {
		return false
	}
	for _, id := range read.constants {
		ok := false
		r.each(id, func(e ast.Expr) {
			if e.Kind() != ast.LiteralKind {
				return
			}
			value := r.constant(e.AsLiteral().Value(), published)
			if value != nil {
				e.SetKindCase(value)
				ok = true
			}
		})
		if !ok {
			return false
		}
	}
	return true
}

func (r *rewriting) constant(v any, published Kind) ast.Expr {
	text := ""
	switch v := v.(type) {
	case string:
		text = v
	case int64:
		text = strconv.FormatInt(v, 10)
	case bool:
		text = strconv.FormatBool(v)
	default:
		return nil
	}
	switch published {
	case String:
		return r.make.NewLiteral(0, types.String(text))
	case Int:
		if n, err := strconv.ParseInt(text, 10, 64); err == nil {
			return r.make.NewLiteral(0, types.Int(n))
		}
	case Bool:
		if b, err := strconv.ParseBool(text); err == nil {
			return r.make.NewLiteral(0, types.Bool(b))
		}
	case Version:
		if !parses("semver", text) {
			text = Nearest("semver", text)
		}
		if text != "" {
			return r.make.NewCall(r.id(), "semver", r.make.NewLiteral(r.id(), types.String(text)))
		}
	}
	return nil
}

// order turns x < "1.2.3" into a call that compares versions.
func (r *rewriting) order(read Read) bool {
	if len(read.constants) != 1 {
		return false
	}
	var arg ast.Expr
	r.each(read.constants[0], func(e ast.Expr) {
		if e.Kind() == ast.LiteralKind {
			arg = r.constant(e.AsLiteral().Value(), Version)
		}
	})
	if arg == nil {
		return false
	}
	return r.each(read.call, func(e ast.Expr) {
		value := e.AsCall().Args()[0]
		if value.ID() != read.node {
			value = e.AsCall().Args()[1]
		}
		e.SetKindCase(r.compare(value, read.Compared, arg))
	})
}

// compare writes a comparison with a function, for types without operators.
func (r *rewriting) compare(value ast.Expr, operator string, arg ast.Expr) ast.Expr {
	switch operator {
	case "<":
		return r.make.NewMemberCall(r.id(), "isLessThan", value, arg)
	case ">":
		return r.make.NewMemberCall(r.id(), "isGreaterThan", value, arg)
	}
	name := operators.Equals
	for op, text := range comparisons {
		if text == operator {
			name = op
		}
	}
	zero := r.make.NewLiteral(r.id(), types.Int(0))
	return r.make.NewCall(r.id(), name, r.make.NewMemberCall(r.id(), "compareTo", value, arg), zero)
}

// convertList turns x == "a" into "a" in x where lists are published, and
// back where they are not.
func (r *rewriting) convertList(read Read, list bool) bool {
	if len(read.constants) != 1 || read.call == 0 {
		return false
	}
	return r.each(read.call, func(e ast.Expr) {
		args := e.AsCall().Args()
		value, constant := args[0], args[1]
		if value.ID() != read.node {
			value, constant = constant, value
		}
		switch {
		case !list:
			e.SetKindCase(r.make.NewCall(e.ID(), operators.Equals, value, constant))
		case read.Compared == "==":
			e.SetKindCase(r.make.NewCall(e.ID(), operators.In, constant, value))
		case read.Compared == "!=":
			in := r.make.NewCall(r.id(), operators.In, constant, value)
			e.SetKindCase(r.make.NewCall(e.ID(), operators.LogicalNot, in))
		}
	})
}
