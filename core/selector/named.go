package selector

import (
	"fmt"
	"sync"

	celgo "github.com/google/cel-go/cel"
	"k8s.io/apimachinery/pkg/util/version"
	apiservercel "k8s.io/apiserver/pkg/cel"
	"k8s.io/apiserver/pkg/cel/environment"
	"k8s.io/apiserver/pkg/cel/library"
)

// The environments of the selectors in parameters of v1alpha2, new ones and
// those that are stored already.
var (
	named       = sync.OnceValue(func() *celgo.Env { return namedOf(29) })
	namedStored = sync.OnceValue(func() *celgo.Env { return namedOf(30) })
)

// namedOf declares one map of attributes for each type of value, and what the
// language had in a version of Kubernetes.
func namedOf(minor uint) *celgo.Env {
	list := func(t *celgo.Type) *celgo.Type { return celgo.ListType(t) }
	var options []celgo.EnvOption
	for _, v := range []struct {
		name string
		of   *celgo.Type
	}{
		{"quantity", apiservercel.QuantityType}, {"bool", celgo.BoolType}, {"int", celgo.IntType}, {"intslice", list(celgo.IntType)},
		{"string", celgo.StringType}, {"stringslice", list(celgo.StringType)}, {"version", apiservercel.SemverType},
	} {
		options = append(options, celgo.Variable("attributes."+v.name, celgo.MapType(celgo.StringType, v.of)))
	}
	options = append(options, library.SemverLib(library.SemverVersion(0)))
	set, err := environment.MustBaseEnvSet(version.MajorMinor(1, minor)).Extend(environment.VersionedOptions{IntroducedVersion: version.MajorMinor(1, 0), EnvOptions: options})
	if err == nil {
		var env *celgo.Env
		if env, err = set.Env(environment.NewExpressions); err == nil {
			return env
		}
	}
	// The declarations above are constant.
	panic(fmt.Sprintf("the environment of named resources: %v", err))
}

// CompileNamed compiles a selector over the attributes of named resources, as
// the API server of Kubernetes 1.30 does; nil if it compiles. What is stored
// already may use more of the language.
func CompileNamed(expression string, stored bool) *Error {
	env := named()
	if stored {
		env = namedStored()
	}
	refuse := func(detail string) *Error {
		return compileError(&apiservercel.Error{Type: apiservercel.ErrorTypeInvalid, Detail: detail})
	}
	checked, issues := env.Compile(expression)
	if issues != nil {
		return refuse("compilation failed: " + issues.String())
	}
	if t := checked.OutputType(); !t.IsExactType(celgo.BoolType) {
		return refuse(fmt.Sprintf("must evaluate to bool, not %v", t))
	}
	if _, err := env.Program(checked); err != nil {
		return refuse("program instantiation failed: " + err.Error())
	}
	return nil
}
