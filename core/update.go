package core

import (
	"cmp"
	"context"

	corev1 "k8s.io/api/core/v1"

	"github.com/drawbridge-dra/drawbridge/core/bundle"
	"github.com/drawbridge-dra/drawbridge/core/diag"
	"github.com/drawbridge-dra/drawbridge/core/feature"
	"github.com/drawbridge-dra/drawbridge/core/lint"
	"github.com/drawbridge-dra/drawbridge/core/validate"
)

// ValidateUpdate checks the objects of now as replacements for those of old:
// what may not change, and what is wrong that was not wrong before. An object
// that old does not have is checked as if it were created. If both texts have
// one object, these belong together; else kind, namespace and name decide.
// All findings are about now. The error is an *OptionError, or the context's
// own.
func ValidateUpdate(ctx context.Context, old, now []byte, opts Options) (*ValidateResult, error) {
	return replace(ctx, old, now, opts, false)
}

// ValidateStatus is ValidateUpdate for updates of the status alone. An object
// that old does not have, or that has no status to update, gets no findings
// but those of reading it.
func ValidateStatus(ctx context.Context, old, now []byte, opts Options) (*ValidateResult, error) {
	return replace(ctx, old, now, opts, true)
}

func replace(ctx context.Context, old, now []byte, opts Options, status bool) (*ValidateResult, error) {
	b, set, err := parse(now, opts)
	if err != nil {
		return nil, err
	}
	// How the old objects are written is nobody's business any more.
	before := bundle.Parse(old, bundle.Options{FieldValidation: bundle.Ignore, Features: set})
	env := surroundings(set, before, b)
	replaced := counterparts(before, b)
	found := append([]diag.Diagnostic{}, b.Diagnostics...)
	for i, o := range b.Objects {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		var result validate.Result
		switch was := replaced[i]; {
		case status:
			result = validate.UpdateStatus(was, o, env)
		case was == nil || was.Value == nil:
			result = validate.Create(o, env)
		default:
			result = validate.Update(was, o, env)
		}
		found = append(found, result.Diagnostics...)
	}
	if !status {
		found = append(found, lint.Check(b, set)...)
	}
	finish(found)
	return &ValidateResult{
		Valid:             !diag.HasErrors(found),
		KubernetesVersion: set.Version().String(),
		Objects:           objectResults(b, found),
		Diagnostics:       found,
	}, nil
}

// counterparts finds the old object for each new one, nil where there is none.
func counterparts(before, b *bundle.Bundle) []*bundle.Object {
	out := make([]*bundle.Object, len(b.Objects))
	if len(before.Objects) == 1 && len(b.Objects) == 1 && before.Objects[0].Ref.Kind == b.Objects[0].Ref.Kind {
		out[0] = before.Objects[0]
		return out
	}
	type name struct{ kind, namespace, name string }
	named := func(o *bundle.Object) name {
		return name{o.Ref.Kind, cmp.Or(o.Ref.Namespace, validate.DefaultNamespace), o.Ref.Name}
	}
	known := map[name]*bundle.Object{}
	for _, o := range before.Objects {
		known[named(o)] = o
	}
	for i, o := range b.Objects {
		out[i] = known[named(o)]
	}
	return out
}

// surroundings is the cluster that the bundles describe. Of two namespaces with
// one name the last counts.
func surroundings(set *feature.Set, bundles ...*bundle.Bundle) validate.Env {
	env := validate.Env{Features: set, Namespaces: map[string]*corev1.Namespace{}}
	for _, b := range bundles {
		for _, o := range b.Objects {
			if ns, ok := o.Value.(*corev1.Namespace); ok {
				env.Namespaces[ns.Name] = ns
			}
		}
	}
	return env
}
