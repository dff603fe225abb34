package core

import (
	"context"
	"slices"

	"github.com/drawbridge-dra/drawbridge/core/bundle"
	"github.com/drawbridge-dra/drawbridge/core/diag"
	"github.com/drawbridge-dra/drawbridge/core/feature"
	"github.com/drawbridge-dra/drawbridge/core/inventory"
	"github.com/drawbridge-dra/drawbridge/core/lint"
	"github.com/drawbridge-dra/drawbridge/core/schedule"
)

// cluster is what a text describes, ready to be planned.
type cluster struct {
	bundle *bundle.Bundle
	set    *feature.Set
	// stored is what the API server makes of the objects, found what is wrong
	// with them one by one.
	stored *storage
	found  []diag.Diagnostic
	input  schedule.Input
	// objects lead from each of the input back to where it stands in the text.
	objects     map[any]*bundle.Object
	assumptions []string
}

// read makes a cluster of a text.
func read(ctx context.Context, text []byte, opts Options) (*cluster, error) {
	b, set, err := parse(text, opts)
	if err != nil {
		return nil, err
	}
	if set.Version().Past() {
		return nil, &OptionError{"kubernetesVersion", "Kubernetes " + set.Version().String() + " is known for what validate, convert and negotiation say; choose " + feature.Oldest.String() + " or later for a plan"}
	}
	now, err := opts.now()
	if err != nil {
		return nil, err
	}
	if opts.Expressions == nil {
		opts.Expressions = &Expressions{} // the objects are created twice
	}
	c := &cluster{bundle: b}
	c.set, c.assumptions = assumeGates(b, set, opts)
	if c.stored, err = create(ctx, b, c.set, opts.alone()); err != nil {
		return nil, err
	}
	c.found = slices.Clone(b.Diagnostics)
	if !opts.SkipValidation {
		c.found = append(c.found, c.stored.findings...)
	}
	c.input, c.objects = toCluster(b, c.stored, c.found, opts.SkipValidation)
	c.input.Features, c.input.Gates, c.input.Now = inventory.FeaturesOf(c.set), schedule.GatesOf(c.set), now
	return c, nil
}

// outlook is a cluster and what becomes of it.
type outlook struct {
	*cluster
	plan *schedule.Plan
	// where finds objects in the text.
	where *positions
}

// foresee reads a text and plans it. What only plans, and changes nothing
// about the cluster before, begins with this.
func foresee(ctx context.Context, text []byte, opts Options) (*outlook, error) {
	c, err := read(ctx, text, opts)
	if err != nil {
		return nil, err
	}
	c.input.Progress = opts.pods()
	return c.foresee(ctx)
}

// foresee plans the cluster as it is.
func (c *cluster) foresee(ctx context.Context) (*outlook, error) {
	plan, err := schedule.Run(ctx, c.input)
	if err != nil {
		return nil, err
	}
	return &outlook{cluster: c, plan: plan, where: &positions{objects: c.objects, places: map[inventory.Place]*diag.Location{}}}, nil
}

// presumed is what was taken for granted.
func (o *outlook) presumed() []string {
	return append(append([]string{}, o.assumptions...), o.plan.Assumptions...)
}

// findings are those of the objects and of the bundle as a whole, in order.
func (c *cluster) findings(opts Options) []diag.Diagnostic {
	found := append([]diag.Diagnostic{}, c.found...)
	if !opts.SkipValidation {
		found = append(found, lint.Check(c.bundle, c.set, opts.Expressions)...)
	}
	finish(found)
	return found
}
