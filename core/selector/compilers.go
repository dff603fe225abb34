package selector

import (
	"sync"

	"k8s.io/apiserver/pkg/cel/environment"
	"k8s.io/dynamic-resource-allocation/cel"

	"github.com/drawbridge-dra/drawbridge/core/feature"
)

// compiler is what Kubernetes' package hands out without naming its type.
type compiler interface {
	CompileCELExpression(expression string, options cel.Options) cel.CompilationResult
}

// compilers keeps one compiler for each environment. Kubernetes' package
// keeps the last one only, and making one takes longer than using it.
var compilers = struct {
	sync.Mutex
	made map[compilerKey]compiler
}{made: map[compilerKey]compiler{}}

type compilerKey struct {
	minor int
	cel.Features
}

// compilerFor returns the compiler of the options' version and gates. Stored
// expressions know every feature, whatever the gates say.
func compilerFor(opts Options) compiler {
	key := compilerKey{minor: feature.Newest.Minor}
	if !opts.Stored {
		key.Features = cel.Features{
			EnableConsumableCapacity: opts.ConsumableCapacity,
			EnableListTypeAttributes: opts.ListAttributes,
		}
		// Derived attributes exist in the newest version alone.
		if opts.Version.Minor != 0 && !opts.Derived {
			key.minor = opts.Version.Minor
		}
	}
	compilers.Lock()
	defer compilers.Unlock()
	c, ok := compilers.made[key]
	if !ok {
		if key.minor == feature.Newest.Minor {
			c = cel.GetCompiler(key.Features)
		} else {
			c = newEarlier(key)
		}
		compilers.made[key] = c
	}
	return c
}

// environmentType says which expressions are meant.
func environmentType(opts Options) *environment.Type {
	t := environment.NewExpressions
	if opts.Stored {
		t = environment.StoredExpressions
	}
	return &t
}
