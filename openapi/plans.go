package openapi

import (
	"context"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"github.com/drawbridge-dra/drawbridge/core"
)

// registerPlans adds the operations that place pods.
func (a *api) registerPlans() {
	huma.Register(a.huma, a.streaming(a.bundleOperation(huma.Operation{
		OperationID: "allocate",
		Path:        "/v1/allocate",
		Summary:     "Allocate devices",
		Description: "Which devices would the scheduler give to the claims and pods of the bundle, on which node, and why not?",
	}, reflect.TypeFor[core.AllocateResult]())), func(ctx context.Context, in *allocateInput) (*answer, error) {
		if p := lostLines(in.contentType, in.RawBody); p != nil {
			return a.reply(nil, p), nil
		}
		opts := in.options()
		opts.Explain, opts.Picture = core.Explanation(in.Explain), in.Picture
		opts.NodeOperations, opts.AbsentDrivers = in.NodeOperations, in.AbsentDrivers
		return answerTo(ctx, a, in.BundleOptions, func(ctx context.Context, tell func(core.Progress)) (*core.AllocateResult, error) {
			opts.Progress = tell
			return core.Allocate(ctx, in.RawBody, opts)
		}), nil
	})
	a.registerNodeSide()
	huma.Register(a.huma, a.streaming(a.bundleOperation(huma.Operation{
		OperationID: "explain",
		Path:        "/v1/explain",
		Summary:     "Explain what becomes of a pod or claim",
		Description: "Why does this pod or claim not fit, and what would have to change? Every change that is shown has been made and planned, and with it the pod or claim fits; smallest first. Name one of pod and claim.",
	}, reflect.TypeFor[core.ExplainResult]())), func(ctx context.Context, in *targetInput) (*answer, error) {
		if p := lostLines(in.contentType, in.RawBody); p != nil {
			return a.reply(nil, p), nil
		}
		opts := core.ExplainOptions{Options: in.options(), Target: in.target()}
		opts.Explain = core.Explanation(in.Explain)
		return answerTo(ctx, a, in.BundleOptions, func(ctx context.Context, tell func(core.Progress)) (*core.ExplainResult, error) {
			opts.Progress = tell
			return core.Explain(ctx, in.RawBody, opts)
		}), nil
	})
	huma.Register(a.huma, a.streaming(a.bundleOperation(huma.Operation{
		OperationID: "capacity",
		Path:        "/v1/capacity",
		Summary:     "Count how many more fit",
		Description: "How many copies of this pod, this claim or this template still find a place, per node and in all, and what runs out first? They are placed one after the other, behind all pods and claims of the bundle. Name one of pod, claim and template.",
	}, reflect.TypeFor[core.CapacityResult]())), func(ctx context.Context, in *capacityInput) (*answer, error) {
		if p := lostLines(in.contentType, in.RawBody); p != nil {
			return a.reply(nil, p), nil
		}
		opts := core.CapacityOptions{Options: in.options(), Target: in.target(), Template: in.Template}
		return answerTo(ctx, a, in.BundleOptions, func(ctx context.Context, tell func(core.Progress)) (*core.CapacityResult, error) {
			opts.Progress = tell
			return core.Capacity(ctx, in.RawBody, opts)
		}), nil
	})
	huma.Register(a.huma, a.changeOperation(huma.Operation{
		OperationID: "diff",
		Path:        "/v1/diff",
		Summary:     "Compare what becomes of pods before and after a change",
		Description: "Two bundles, and options for each: of which pods and claims does something else become, and why? The text can be the same on both sides, if only a version or gates differ.",
	}, reflect.TypeFor[core.DiffResult]()), func(ctx context.Context, in *diffInput) (*answer, error) {
		change, p := readChange(in.contentType, in.RawBody)
		if p != nil {
			return a.reply(nil, p), nil
		}
		opts := core.DiffOptions{Options: in.options(), AfterKubernetesVersion: in.AfterKubernetesVersion, AfterFeatureGates: in.AfterFeatureGates}
		return a.reply(compute(ctx, a, func(ctx context.Context) (*core.DiffResult, error) {
			return core.Diff(ctx, change, opts)
		})), nil
	})
}
