package openapi

import (
	"net/http"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"github.com/drawbridge-dra/drawbridge/core"
	"github.com/drawbridge-dra/drawbridge/server/problem"
)

// exampleChange is an update that the API server refuses.
var exampleChange = core.Change{
	Before: "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: train}\nspec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu.example.com}}]}}\n",
	After:  "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: train}\nspec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu.example.com, count: 2}}]}}\n",
}

// changeOperation completes an operation that reads a bundle as it is and as
// it is to be.
func (a *api) changeOperation(op huma.Operation, result reflect.Type) huma.Operation {
	op = a.bundleOperation(op, result)
	schemas := a.huma.OpenAPI().Components.Schemas
	schema := schemas.Schema(reflect.TypeFor[core.Change](), true, "")
	schemas.SchemaFromRef(schema.Ref).AdditionalProperties = false // a misspelt text would be an empty one
	op.RequestBody = &huma.RequestBody{
		Description: "Two bundles, each as the text that other operations have for a body.",
		Required:    true,
		Content: map[string]*huma.MediaType{mediaJSON: {
			Schema:  schema,
			Example: exampleChange,
		}},
	}
	return op
}

// readChange reads the body of a change.
func readChange(contentType string, body []byte) (core.Change, *problem.Problem) {
	switch media, _ := requestType(contentType, ""); media {
	case mediaYAML, "application/x-yaml", "text/yaml":
		return core.Change{}, problem.New(http.StatusUnsupportedMediaType, `the body is JSON, with the texts in it: send {"before": "…", "after": "…"} with the header 'Content-Type: application/json'`)
	}
	change, err := core.ParseChange(body)
	if err != nil {
		return core.Change{}, problem.New(http.StatusBadRequest, err.Error())
	}
	return change, nil
}
