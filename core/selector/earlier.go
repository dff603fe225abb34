package selector

import (
	"fmt"
	"math"

	celgo "github.com/google/cel-go/cel"
	"github.com/google/cel-go/checker"
	"github.com/google/cel-go/ext"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/util/version"
	apiservercel "k8s.io/apiserver/pkg/cel"
	"k8s.io/apiserver/pkg/cel/environment"
	"k8s.io/apiserver/pkg/cel/library"
	"k8s.io/dynamic-resource-allocation/cel"
)

// earlier compiles new expressions as the API server of an earlier version
// does. An API server grants new expressions only what the version before it
// knows as well, so that going back stays possible, and what a gate adds.
type earlier struct {
	env    *celgo.Env
	device *apiservercel.DeclType
	value  *apiservercel.DeclType
	// limited is false for 1.31, which estimates no cost.
	limited bool
}

// newEarlier declares what a device looks like in that version.
func newEarlier(key compilerKey) *earlier {
	c := &earlier{limited: key.minor > 31, value: sized(apiservercel.AnyType, resourceapi.DeviceAttributeMaxValueLength)}
	lists := key.minor >= 36 && key.EnableListTypeAttributes
	if lists {
		c.value = sized(apiservercel.DynType, max(resourceapi.DeviceAttributeMaxValueLength, resourceapi.ResourceSliceMaxAttributeValuesPerDevice))
	}
	const most = resourceapi.ResourceSliceMaxAttributesAndCapacitiesPerDevice
	domain := sized(apiservercel.StringType, resourceapi.DeviceMaxDomainLength)
	id := sized(apiservercel.StringType, resourceapi.DeviceMaxIDLength)
	maps := func(value *apiservercel.DeclType) *apiservercel.DeclType {
		return apiservercel.NewMapType(domain, apiservercel.NewMapType(id, value, most), most)
	}
	fields := map[string]*apiservercel.DeclField{}
	field := func(name string, t *apiservercel.DeclType) {
		fields[name] = apiservercel.NewDeclField(name, t, true, nil, nil)
	}
	field("driver", sized(apiservercel.StringType, resourceapi.DriverNameMaxLength))
	field("attributes", maps(c.value))
	field("capacity", maps(apiservercel.QuantityDeclType))
	if key.EnableConsumableCapacity {
		field("allowMultipleAllocations", sized(apiservercel.BoolType, 1))
	}
	c.device = apiservercel.NewObjectType("kubernetes.DRADevice", fields)

	options := environment.VersionedOptions{
		IntroducedVersion: version.MajorMinor(1, 0),
		EnvOptions:        []celgo.EnvOption{ext.Bindings(ext.BindingsVersion(0)), celgo.Variable("device", c.device.CelType())},
		DeclTypes:         []*apiservercel.DeclType{c.device},
	}
	if key.minor <= 33 {
		// Later it is part of what all of Kubernetes' expressions know.
		options.EnvOptions = append(options.EnvOptions, library.SemverLib(library.SemverVersion(0)))
	}
	if lists {
		options.EnvOptions = append(options.EnvOptions, library.IncludesOption())
	}
	base := environment.MustBaseEnvSet(version.MajorMinor(1, uint(key.minor-1)))
	set, err := base.Extend(options)
	if err == nil {
		c.env, err = set.Env(environment.NewExpressions)
	}
	if err != nil {
		// The declarations above are constant.
		panic(fmt.Sprintf("the environment of 1.%d: %v", key.minor, err))
	}
	return c
}

func sized(t *apiservercel.DeclType, size int) *apiservercel.DeclType {
	out := *t
	out.MaxElements = int64(size)
	return &out
}

// CompileCELExpression does what Kubernetes' function of that name does.
func (c *earlier) CompileCELExpression(expression string, options cel.Options) cel.CompilationResult {
	result := cel.CompilationResult{Expression: expression, MaxCost: math.MaxUint64}
	refuse := func(kind apiservercel.ErrorType, detail string) cel.CompilationResult {
		result.Error = &apiservercel.Error{Type: kind, Detail: detail}
		return result
	}
	checked, issues := c.env.Compile(expression)
	if issues != nil {
		return refuse(apiservercel.ErrorTypeInvalid, "compilation failed: "+issues.String())
	}
	if t := checked.OutputType(); !t.IsExactType(celgo.BoolType) && !t.IsExactType(c.value.CelType()) {
		return refuse(apiservercel.ErrorTypeInvalid, fmt.Sprintf("must evaluate to bool or the unknown type, not %v", t))
	}
	if _, err := c.env.Program(checked, celgo.CostLimit(resourceapi.CELSelectorExpressionMaxCost)); err != nil {
		return refuse(apiservercel.ErrorTypeInternal, "program instantiation failed: "+err.Error())
	}
	result.OutputType, result.Environment = checked.OutputType(), c.env
	if !c.limited {
		result.MaxCost = 0
		return result
	}
	estimate, err := c.env.EstimateCost(checked, estimator{&library.CostEstimator{SizeEstimator: c}})
	if err != nil {
		return refuse(apiservercel.ErrorTypeInternal, "cost estimation failed: "+err.Error())
	}
	result.MaxCost = estimate.Max
	return result
}

// estimator knows what includes costs in 1.36; later versions count the
// argument too.
type estimator struct{ *library.CostEstimator }

func (e estimator) EstimateCallCost(function, overload string, target *checker.AstNode, args []checker.AstNode) *checker.CallEstimate {
	if function == "includes" && target != nil {
		return &checker.CallEstimate{CostEstimate: checker.CostEstimate{Max: resourceapi.ResourceSliceMaxAttributeValuesPerDevice}}
	}
	return e.CostEstimator.EstimateCallCost(function, overload, target, args)
}

// EstimateSize tells how large what an expression reads of a device can be.
func (c *earlier) EstimateSize(element checker.AstNode) *checker.SizeEstimate {
	path := element.Path()
	if len(path) == 0 || path[0] != "device" {
		return nil
	}
	t := c.device
	for _, name := range path[1:] {
		next := t.ElemType
		switch name {
		case "@items", "@values":
		case "@keys":
			next = t.KeyType
		default:
			if f, ok := t.Fields[name]; ok {
				next = f.Type
			} else if next != c.value {
				// Values of attributes have one size, whatever their name.
				next = nil
			}
		}
		if next == nil {
			return nil
		}
		t = next
	}
	return &checker.SizeEstimate{Min: 0, Max: uint64(t.MaxElements)}
}

// EstimateCallCost leaves calls to the libraries.
func (c *earlier) EstimateCallCost(string, string, *checker.AstNode, []checker.AstNode) *checker.CallEstimate {
	return nil
}
