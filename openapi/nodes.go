package openapi

import (
	"context"
	"net/http"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"github.com/drawbridge-dra/drawbridge/core"
	"github.com/drawbridge-dra/drawbridge/server/problem"
)

type metadataInput struct {
	PlanOptions
	MetadataVersions string `query:"metadataVersions" doc:"Versions that drivers write, in their order, with commas between. Default: all, newest first." example:"v1beta1,v1alpha1"`
	Generation       int64  `query:"generation" minimum:"0" doc:"Generation of the files. Default: 1, as when a claim is prepared."`
	PluginsDir       string `query:"pluginsDir" doc:"Directory of the nodes with one for each driver. Default: /var/lib/kubelet/plugins."`
	CDIDir           string `query:"cdiDir" doc:"Directory of the nodes for specifications of devices. Default: /var/run/cdi."`
	RawBody          []byte
}

type checkInput struct {
	BodyForm
	RawBody []byte
}

type podResourcesInput struct {
	PlanOptions
	Node           string `query:"node" doc:"The node whose kubelet is asked. It can be left out if all pods are on one node." example:"worker-1"`
	Pod            string `query:"pod" doc:"A pod to ask Get for too, as namespace/name." example:"default/train"`
	CDI            string `query:"cdi" doc:"Form of the names that drivers give to devices for the container runtime, which can hold {driver}, {pool}, {device}, {request}, {namespace}, {claim}, {uid} and {share}. Default: {driver}/device={device}." example:"{driver}/gpu={device}"`
	DeviceMetadata bool   `query:"deviceMetadata" doc:"Drivers write files for containers, whose names are listed with the devices."`
	RawBody        []byte
}

// BodyForm keeps how the body of an operation without options was sent.
type BodyForm struct{ contentType string }

// Resolve implements huma.Resolver.
func (f *BodyForm) Resolve(ctx huma.Context) []error {
	f.contentType = ctx.Header("Content-Type")
	return nil
}

// exampleFiles are two files of which the second has changed.
var exampleFiles = core.MetadataFiles{
	Current:  `{"apiVersion":"metadata.resource.k8s.io/v1beta1","kind":"DeviceMetadata","metadata":{"name":"train","namespace":"default","generation":2},"requests":[{"name":"gpu","devices":[{"driver":"gpu.example.com","pool":"worker-1","name":"gpu-1"}]}]}`,
	Previous: `{"apiVersion":"metadata.resource.k8s.io/v1beta1","kind":"DeviceMetadata","metadata":{"name":"train","namespace":"default","generation":1},"requests":[{"name":"gpu","devices":[{"driver":"gpu.example.com","pool":"worker-1","name":"gpu-0"}]}]}`,
}

// registerNodes adds the operations about what happens on the nodes.
func (a *api) registerNodes() {
	huma.Register(a.huma, a.bundleOperation(huma.Operation{
		OperationID: "device-metadata",
		Path:        "/v1/device-metadata",
		Summary:     "Show the files through which containers learn about their devices",
		Description: "Which files do drivers write for the allocated claims (KEP-5304), to the byte, where do they lie, and which of them does each container see? What is not allocated is planned first.",
	}, reflect.TypeFor[core.DeviceMetadataResult]()), func(ctx context.Context, in *metadataInput) (*answer, error) {
		if p := lostLines(in.contentType, in.RawBody); p != nil {
			return a.reply(nil, p), nil
		}
		opts := core.MetadataOptions{Options: in.options(), MetadataVersions: in.MetadataVersions, Generation: in.Generation, PluginsDir: in.PluginsDir, CDIDir: in.CDIDir}
		return a.reply(compute(ctx, a, func(ctx context.Context) (*core.DeviceMetadataResult, error) {
			return core.DeviceMetadata(ctx, in.RawBody, opts)
		})), nil
	})
	huma.Register(a.huma, a.fileOperation(huma.Operation{
		OperationID: "device-metadata-check",
		Path:        "/v1/device-metadata/check",
		Summary:     "Check a file of device metadata",
		Description: "Can readers take this file that a driver wrote for containers, does it keep to the rules of its API, and to the protocol?",
	}), func(ctx context.Context, in *checkInput) (*answer, error) {
		return a.reply(compute(ctx, a, func(ctx context.Context) (*core.CheckMetadataResult, error) {
			return core.CheckMetadata(ctx, core.MetadataFiles{Current: string(in.RawBody)}, core.CheckMetadataOptions{})
		})), nil
	})
	pair := a.fileOperation(huma.Operation{
		OperationID: "device-metadata-check-update",
		Path:        "/v1/device-metadata/check-update",
		Summary:     "Check a file of device metadata that follows another",
		Description: "The same for a file that takes the place of another: has the generation risen, if anything has changed?",
	})
	schemas := a.huma.OpenAPI().Components.Schemas
	schema := schemas.Schema(reflect.TypeFor[core.MetadataFiles](), true, "")
	schemas.SchemaFromRef(schema.Ref).AdditionalProperties = false // a misspelt text would be an empty one
	pair.RequestBody = &huma.RequestBody{
		Description: "Two files, each as the text that the check of one has for a body.", Required: true,
		Content: map[string]*huma.MediaType{mediaJSON: {Schema: schema, Example: exampleFiles}},
	}
	huma.Register(a.huma, pair, func(ctx context.Context, in *checkInput) (*answer, error) {
		switch media, _ := requestType(in.contentType, ""); media {
		case mediaYAML, "application/x-yaml", "text/yaml":
			return a.reply(nil, problem.New(http.StatusUnsupportedMediaType, `the body is JSON, with the texts in it: send {"current": "…", "previous": "…"} with the header 'Content-Type: application/json'`)), nil
		}
		files, err := core.ParseMetadataFiles(in.RawBody)
		if err != nil {
			return a.reply(nil, problem.New(http.StatusBadRequest, err.Error())), nil
		}
		return a.reply(compute(ctx, a, func(ctx context.Context) (*core.CheckMetadataResult, error) {
			return core.CheckMetadata(ctx, files, core.CheckMetadataOptions{})
		})), nil
	})
	huma.Register(a.huma, a.bundleOperation(huma.Operation{
		OperationID: "pod-resources",
		Path:        "/v1/pod-resources",
		Summary:     "Show what monitoring reads from a kubelet",
		Description: "What does the kubelet of a node answer over its PodResources API (v1): List, Get and GetAllocatableResources? What is not allocated is planned first. `drawbridge podresources` serves the same answers over the API itself.",
	}, reflect.TypeFor[core.PodResourcesResult]()), func(ctx context.Context, in *podResourcesInput) (*answer, error) {
		if p := lostLines(in.contentType, in.RawBody); p != nil {
			return a.reply(nil, p), nil
		}
		opts := core.PodResourcesOptions{Options: in.options(), Node: in.Node, Pod: in.Pod, CDI: in.CDI, DeviceMetadata: in.DeviceMetadata}
		return a.reply(compute(ctx, a, func(ctx context.Context) (*core.PodResourcesResult, error) {
			return core.PodResources(ctx, in.RawBody, opts)
		})), nil
	})
}

// fileOperation completes an operation that reads a file which a driver wrote.
func (a *api) fileOperation(op huma.Operation) huma.Operation {
	op = a.bundleOperation(op, reflect.TypeFor[core.CheckMetadataResult]())
	op.RequestBody = &huma.RequestBody{
		Description: "The file: a stream of JSON objects, one for each version of its API.", Required: true,
		Content: map[string]*huma.MediaType{mediaJSON: {Schema: &huma.Schema{Type: huma.TypeObject, AdditionalProperties: true}}},
	}
	return op
}
