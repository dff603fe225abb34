package openapi

import (
	"context"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"github.com/drawbridge-dra/drawbridge/core"
)

// registerClassic declares what is about Kubernetes 1.26 to 1.31.
func (a *api) registerClassic() {
	huma.Register(a.huma, a.bundleOperation(huma.Operation{
		OperationID: "negotiation",
		Path:        "/v1/negotiation",
		Summary:     "Play how a driver's controller and the scheduler agree on a node",
		Description: "In Kubernetes 1.26 to 1.31 the controller of a driver could allocate, and agreed with the scheduler on a node over a PodSchedulingContext. Who writes what, and why, until each pod has a node or nothing moves any more? Without a version it is the last that has the objects of the text.",
	}, reflect.TypeFor[core.NegotiateResult]()), func(ctx context.Context, in *negotiationInput) (*answer, error) {
		if p := lostLines(in.contentType, in.RawBody); p != nil {
			return a.reply(nil, p), nil
		}
		return a.reply(compute(ctx, a, func(ctx context.Context) (*core.NegotiateResult, error) {
			return core.Negotiate(ctx, in.RawBody, core.NegotiateOptions{Options: in.options(), Fresh: in.Fresh})
		})), nil
	})
}
