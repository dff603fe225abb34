package openapi

import (
	"context"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"github.com/drawbridge-dra/drawbridge/core"
)

// registerNodeSide adds the operations that tell what kubelets do.
func (a *api) registerNodeSide() {
	huma.Register(a.huma, a.streaming(a.bundleOperation(huma.Operation{
		OperationID: "node-operations",
		Path:        "/v1/node-operations",
		Summary:     "Tell what kubelets do with the claims of pods",
		Description: "Which drivers does the kubelet call before a pod starts and after it has ended, which calls does it skip, and what makes a pod wait on its node? Pods that came with a node are told who does what for them, and where that ends.",
	}, reflect.TypeFor[core.NodeOperationsResult]())), func(ctx context.Context, in *nodeOperationsInput) (*answer, error) {
		if p := lostLines(in.contentType, in.RawBody); p != nil {
			return a.reply(nil, p), nil
		}
		opts := in.options()
		opts.AbsentDrivers = in.AbsentDrivers
		return answerTo(ctx, a, in.BundleOptions, func(ctx context.Context, tell func(core.Progress)) (*core.NodeOperationsResult, error) {
			opts.Progress = tell
			return core.NodeOperations(ctx, in.RawBody, opts)
		}), nil
	})
	huma.Register(a.huma, a.streaming(a.bundleOperation(huma.Operation{
		OperationID: "resource-health",
		Path:        "/v1/resource-health",
		Summary:     "Tell the health of the devices of pods",
		Description: "What does the kubelet write into the status of pods about the health of their devices, which pods use an unhealthy one, and which DeviceTaintRule would take that out of service? What drivers report stands in the bundle as objects of kind DeviceHealth (drawbridge-dra.github.io/v1); for a device without a report, conditions in the status of its claim count.",
	}, reflect.TypeFor[core.ResourceHealthResult]())), func(ctx context.Context, in *nodeOperationsInput) (*answer, error) {
		if p := lostLines(in.contentType, in.RawBody); p != nil {
			return a.reply(nil, p), nil
		}
		opts := in.options()
		opts.AbsentDrivers = in.AbsentDrivers
		return answerTo(ctx, a, in.BundleOptions, func(ctx context.Context, tell func(core.Progress)) (*core.ResourceHealthResult, error) {
			opts.Progress = tell
			return core.ResourceHealth(ctx, in.RawBody, opts)
		}), nil
	})
}
