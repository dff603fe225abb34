package core

import (
	"context"

	"github.com/drawbridge-dra/drawbridge/core/bundle"
	"github.com/drawbridge-dra/drawbridge/core/diag"
	"github.com/drawbridge-dra/drawbridge/core/feature"
	"github.com/drawbridge-dra/drawbridge/core/validate"
)

// Validate checks every object of the text. The error is an *OptionError, or
// the context's own.
func Validate(ctx context.Context, text []byte, opts Options) (*ValidateResult, error) {
	b, set, err := parse(text, opts)
	if err != nil {
		return nil, err
	}
	stored, err := create(ctx, b, set, opts)
	if err != nil {
		return nil, err
	}
	found := append(append([]diag.Diagnostic{}, b.Diagnostics...), stored.findings...)
	across, notes := checkAcross(b, set, opts)
	found = append(found, across...)
	finish(found)
	return &ValidateResult{
		Valid:             !diag.HasErrors(found),
		KubernetesVersion: set.Version().String(),
		Objects:           objectResults(b, found),
		Diagnostics:       found,
		Notes:             notes,
	}, nil
}

// finish puts findings in order and links each to its rule.
func finish(found []diag.Diagnostic) {
	diag.Sort(found)
	for i := range found {
		found[i].URL = diag.URL(found[i].Source, found[i].Rule)
	}
}

// storage is what the API server keeps of a bundle.
type storage struct {
	// objects are what is kept of each object of the bundle, by its index;
	// nil where nothing could be decoded.
	objects  []any
	findings []diag.Diagnostic
}

// create passes every object through the rules of the API server.
func create(ctx context.Context, b *bundle.Bundle, set *feature.Set, opts Options) (*storage, error) {
	env := surroundings(set, opts, b)
	out := &storage{objects: make([]any, len(b.Objects))}
	var found gathering
	for i, o := range b.Objects {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		result := validate.Create(o, env)
		if out.objects[i] = result.Stored; result.Stored == nil {
			out.objects[i] = o.Value
		}
		found.add(result.Diagnostics)
	}
	out.findings = found.all()
	return out, nil
}

func objectResults(b *bundle.Bundle, found []diag.Diagnostic) []ObjectResult {
	invalid := map[int]bool{}
	for _, d := range found {
		if d.Object != nil && d.Severity == diag.Error {
			invalid[d.Object.Index] = true
		}
	}
	out := make([]ObjectResult, 0, len(b.Objects))
	for _, o := range b.Objects {
		out = append(out, ObjectResult{
			Index: o.Ref.Index, APIVersion: o.Ref.APIVersion, Kind: o.Ref.Kind,
			Namespace: o.Ref.Namespace, Name: o.Ref.Name, Valid: !invalid[o.Ref.Index],
			Location: o.Raw.Location(),
		})
	}
	return out
}
