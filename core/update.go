package core

import (
	"cmp"
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/drawbridge-dra/drawbridge/core/bundle"
	"github.com/drawbridge-dra/drawbridge/core/diag"
	"github.com/drawbridge-dra/drawbridge/core/feature"
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
	c := replacement{set: set, opts: opts, before: before, b: b, replaced: counterparts(before, b), status: status}
	found, operations, notes, err := c.check(ctx)
	if err != nil {
		return nil, err
	}
	result := c.result(append(found, b.Diagnostics...), operations)
	result.Notes = notes
	return result, nil
}

// replacement is a bundle that takes the place of another.
type replacement struct {
	set       *feature.Set
	opts      Options
	before, b *bundle.Bundle
	// replaced are the old objects, by the index of the new ones; nil where
	// there is none.
	replaced []*bundle.Object
	// status tells that only the status is updated.
	status bool
}

// check passes every new object through the rules of what is done with it,
// and says what that is; nothing for objects that have no status to update.
func (c replacement) check(ctx context.Context) ([]diag.Diagnostic, []diag.Operation, []string, error) {
	env := surroundings(c.set, c.opts, c.before, c.b)
	operations := make([]diag.Operation, len(c.b.Objects))
	var told gathering
	for i, o := range c.b.Objects {
		if err := ctx.Err(); err != nil {
			return nil, nil, nil, err
		}
		var result validate.Result
		switch was := c.replaced[i]; {
		case c.status:
			result = validate.UpdateStatus(was, o, env)
			if result.Stored != nil {
				operations[i] = diag.UpdateStatus
			}
		case was == nil:
			result, operations[i] = validate.Create(o, env), diag.Create
		case was.Value == nil: // it could not be read, or does not matter here
			result, operations[i] = validate.Create(o, env), diag.Update
		default:
			result, operations[i] = validate.Update(was, o, env), diag.Update
		}
		told.add(result.Diagnostics)
	}
	found := append([]diag.Diagnostic{}, told.all()...)
	var notes []string
	if !c.status {
		var across []diag.Diagnostic
		across, notes = checkAcross(c.b, c.set, c.opts)
		found = append(found, across...)
	}
	return found, operations, notes, nil
}

func (c replacement) result(found []diag.Diagnostic, operations []diag.Operation) *ValidateResult {
	finish(found)
	out := &ValidateResult{
		Valid:             !diag.HasErrors(found),
		KubernetesVersion: c.set.Version().String(),
		Objects:           objectResults(c.b, found),
		Diagnostics:       found,
	}
	for i, operation := range operations {
		out.Objects[i].Operation = string(operation)
	}
	return out
}

// counterparts finds the old object for each new one, nil where there is none.
func counterparts(before, b *bundle.Bundle) []*bundle.Object {
	out := make([]*bundle.Object, len(b.Objects))
	if len(before.Objects) == 1 && len(b.Objects) == 1 && before.Objects[0].Ref.Kind == b.Objects[0].Ref.Kind {
		out[0] = before.Objects[0]
		return out
	}
	return namesakes(before, b)
}

// name is what objects are told apart by.
type name struct{ kind, namespace, name string }

func named(o *bundle.Object) name {
	return name{o.Ref.Kind, cmp.Or(o.Ref.Namespace, validate.DefaultNamespace), o.Ref.Name}
}

// namesakes finds the old object of the same kind, namespace and name for each
// new one, nil where there is none. Of two old ones the last counts.
func namesakes(before, b *bundle.Bundle) []*bundle.Object {
	known := map[name]*bundle.Object{}
	for _, o := range before.Objects {
		known[named(o)] = o
	}
	out := make([]*bundle.Object, len(b.Objects))
	for i, o := range b.Objects {
		out[i] = known[named(o)]
	}
	return out
}

// surroundings is the cluster that the bundles describe, with the namespaces
// that the cluster they are for has besides. Of two namespaces with one name
// the last counts.
func surroundings(set *feature.Set, opts Options, bundles ...*bundle.Bundle) validate.Env {
	env := validate.Env{Features: set, Namespaces: map[string]*corev1.Namespace{}, Expressions: validate.NewExpressions(opts.Expressions)}
	for _, b := range bundles {
		for _, o := range b.Objects {
			if ns, ok := o.Value.(*corev1.Namespace); ok {
				env.Namespaces[ns.Name] = ns
			}
			if n := o.Ref.Namespace; opts.Cluster != nil && n != "" && env.Namespaces[n] == nil {
				if labels, known := opts.Cluster.NamespaceLabels(n); known {
					env.Namespaces[n] = &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: n, Labels: labels}}
				}
			}
		}
	}
	return env
}
