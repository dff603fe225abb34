package selector

import (
	celgo "github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/ast"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// unknownFunction refuses an expression that calls the function.
func unknownFunction(env *celgo.Env, expression string, function string) *Error {
	parsed, issues := env.Parse(expression)
	if issues.Err() != nil {
		return nil
	}
	native := parsed.NativeRep()
	var found *Error
	ast.PreOrderVisit(native.Expr(), ast.NewExprVisitor(func(e ast.Expr) {
		if found != nil || e.Kind() != ast.CallKind || e.AsCall().FunctionName() != function {
			return
		}
		at := native.SourceInfo().GetStartLocation(e.ID())
		found = &Error{Type: field.ErrorTypeInvalid, Line: at.Line(), Column: at.Column() + 1,
			Message: "undeclared reference to '" + function + "', a function that newer versions of Kubernetes have"}
	}))
	return found
}
