// Package selector compiles and evaluates the CEL expressions of device
// selectors and derived attributes, in Kubernetes' own environment for them,
// and tells which attributes and capacities an expression reads.
package selector

import (
	"context"
	"regexp"
	"strconv"
	"strings"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	apiservercel "k8s.io/apiserver/pkg/cel"
	"k8s.io/dynamic-resource-allocation/cel"

	"github.com/drawbridge-dra/drawbridge/core/feature"
)

// MaxCost is the highest cost, estimated or real, in CEL's units, that
// Kubernetes grants an expression.
const MaxCost = resourceapi.CELSelectorExpressionMaxCost

// MaxLength is the highest length of an expression in bytes.
const MaxLength = resourceapi.CELSelectorExpressionMaxLength

// Options choose the environment that an expression is compiled in.
type Options struct {
	// Version is the API server's; the newest if it is zero. It does not
	// matter for stored expressions.
	Version feature.Version
	// ConsumableCapacity adds device.allowMultipleAllocations, ListAttributes
	// the lists among attribute values; both follow the feature gates of the
	// API server and do not matter for stored expressions.
	ConsumableCapacity bool
	ListAttributes     bool
	// Stored selects what the scheduler uses for expressions that the API
	// server has accepted already: every feature is known, and no cost is
	// estimated.
	Stored bool
	// Costs estimates the cost of a stored expression nevertheless.
	Costs bool
	// NoIncludes leaves out the function of that name, which came with 1.36.
	NoIncludes bool
	// Derived compiles a derived attribute instead of a selector.
	Derived bool
}

// Error says why an expression does not compile.
type Error struct {
	// Type is the error type that the API server reports.
	Type    field.ErrorType
	Message string
	// Line and Column count from 1 inside the expression; 0 where unknown.
	Line, Column int
}

func (e *Error) Error() string { return e.Message }

// Program is a compiled expression. It is safe for concurrent use.
type Program struct {
	Expression string
	// Err is set when the expression does not compile.
	Err *Error
	// MaxCost is the estimated worst case, in CEL's units; it is only known
	// for new expressions that compile.
	MaxCost uint64
	// Reads lists the attributes and capacities that the expression names
	// with constants, in the order of the text. It is empty for new
	// expressions.
	Reads []Read
	// Driver is the driver that a device must have to match, where the
	// expression is plain about it. Like Reads it is for stored expressions.
	Driver string
	// Invalid are the constants on which each evaluation fails.
	Invalid []Constant

	opts     Options
	plain    bool
	compiled cel.CompilationResult
}

// Compile compiles an expression.
func Compile(expression string, opts Options) *Program {
	result := compilerFor(opts).CompileCELExpression(expression, cel.Options{
		EnvType:               environmentType(opts),
		DisableCostEstimation: opts.Stored && !opts.Costs,
		DerivedAttribute:      opts.Derived,
	})
	p := &Program{Expression: expression, MaxCost: result.MaxCost, opts: opts, compiled: result}
	if result.Error != nil {
		p.Err = compileError(result.Error)
		return p
	}
	if opts.NoIncludes {
		if p.Err = unknownFunction(result.Environment, expression, "includes"); p.Err != nil {
			return p
		}
	}
	if opts.Stored {
		p.analyse()
	}
	return p
}

// OnlyDriver tells whether the expression asks for a driver and nothing else.
func (p *Program) OnlyDriver() bool { return p.plain }

// firstIssue takes apart what cel-go prints for the first of its issues.
var firstIssue = regexp.MustCompile(`^compilation failed: ERROR: <input>:(\d+):(\d+): ([^\n]*)`)

func compileError(err *apiservercel.Error) *Error {
	e := &Error{Type: field.ErrorTypeInvalid, Message: err.Detail}
	if err.Type == apiservercel.ErrorTypeInternal {
		e.Type = field.ErrorTypeInternal
	}
	if m := firstIssue.FindStringSubmatch(err.Detail); m != nil {
		e.Line, _ = strconv.Atoi(m[1])
		e.Column, _ = strconv.Atoi(m[2])
		e.Message = m[3]
	} else if head, _, found := strings.Cut(err.Detail, "\n"); found {
		e.Message = head
	}
	return e
}

// Device is what an expression is evaluated on.
type Device struct {
	Driver string
	*resourceapi.Device
}

// Matches evaluates a selector on a device. The error is a CEL runtime error,
// or the cause of the context's end.
func (p *Program) Matches(ctx context.Context, d Device) (bool, error) {
	ok, _, err := p.Try(ctx, d)
	return ok, err
}

// Try is Matches that also tells what it cost, in CEL's units; the limit
// where that is not known.
func (p *Program) Try(ctx context.Context, d Device) (matches bool, cost uint64, err error) {
	if p.Err != nil {
		return false, 0, p.Err
	}
	ok, details, err := p.compiled.DeviceMatches(ctx, input(d))
	cost = MaxCost
	if details != nil && details.ActualCost() != nil {
		cost = *details.ActualCost()
	}
	return ok, cost, err
}

// Derive evaluates a derived attribute on a device.
func (p *Program) Derive(ctx context.Context, d Device) (*resourceapi.DeviceAttribute, error) {
	if p.Err != nil {
		return nil, p.Err
	}
	attribute, _, err := p.compiled.EvaluateDerivedAttribute(ctx, input(d))
	return attribute, err
}

// input drops an unqualified attribute or capacity whose qualified twin is
// there too: Kubernetes lets the order of a Go map decide which of the two an
// expression sees, and ours must not depend on that.
func input(d Device) cel.Device {
	return cel.Device{
		Driver:                   d.Driver,
		AllowMultipleAllocations: d.AllowMultipleAllocations,
		Attributes:               withoutTwins(d.Driver, d.Attributes),
		Capacity:                 withoutTwins(d.Driver, d.Capacity),
	}
}

func withoutTwins[V any](driver string, m map[resourceapi.QualifiedName]V) map[resourceapi.QualifiedName]V {
	prefix := driver + "/"
	clean := true
	for name := range m {
		id, qualified := strings.CutPrefix(string(name), prefix)
		if _, twin := m[resourceapi.QualifiedName(id)]; qualified && twin {
			clean = false
			break
		}
	}
	if clean {
		return m
	}
	out := make(map[resourceapi.QualifiedName]V, len(m))
	for name, v := range m {
		if _, twin := m[resourceapi.QualifiedName(prefix+string(name))]; !twin {
			out[name] = v
		}
	}
	return out
}

// Cache compiles each expression once. It is meant for one answer and not
// safe for concurrent use.
type Cache struct {
	opts     Options
	programs map[string]*Program
}

// NewCache returns an empty cache whose programs are compiled with opts.
func NewCache(opts Options) *Cache {
	return &Cache{opts: opts, programs: map[string]*Program{}}
}

// Get returns the program of an expression.
func (c *Cache) Get(expression string) *Program {
	p, ok := c.programs[expression]
	if !ok {
		p = Compile(expression, c.opts)
		c.programs[expression] = p
	}
	return p
}
