package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// component is a schema of an OpenAPI document.
type component = map[string]any

const reference = "#/components/schemas/"

// openAPI reads what Kubernetes says of resource.k8s.io/v1 itself.
func openAPI() ([]byte, error) {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "k8s.io/kubernetes").Output()
	if err != nil {
		return nil, fmt.Errorf("the sources of Kubernetes are not found: %w", err)
	}
	return os.ReadFile(filepath.Join(strings.TrimSpace(string(out)), "api", "openapi-spec", "v3", "apis__resource.k8s.io__v1_openapi.json"))
}

// writeSchemas puts the document where kubectl-validate looks for it, and
// makes of it what kubeconform reads: one JSON schema for each kind.
func writeSchemas(document []byte, folder string) error {
	group := filepath.Join(folder, "openapi", "apis", "resource.k8s.io")
	if err := os.MkdirAll(group, 0o755); err != nil {
		return err
	}
	open, err := openParameters(document)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(group, "v1.json"), open, 0o644); err != nil {
		return err
	}
	for _, k := range kinds {
		schema, err := jsonSchema(document, "io.k8s.api.resource.v1."+k.name)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(folder, strings.ToLower(k.name)+".json"), schema, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// openParameters says of what only a driver knows that it may have any fields,
// without which kubectl-validate refuses all parameters that have some.
func openParameters(document []byte) ([]byte, error) {
	var in component
	if err := json.Unmarshal(document, &in); err != nil {
		return nil, err
	}
	components, _ := in["components"].(component)
	schemas, _ := components["schemas"].(component)
	raw, ok := schemas["io.k8s.apimachinery.pkg.runtime.RawExtension"].(component)
	if !ok {
		return nil, errors.New("there is no schema of what a driver knows")
	}
	raw["x-kubernetes-preserve-unknown-fields"] = true
	return json.Marshal(in)
}

// jsonSchema makes the schema of a kind, complete in itself, in the way of
// the strict ones that kubeconform's users download: no fields besides those
// that there are, and null for those that may be left out.
func jsonSchema(document []byte, name string) ([]byte, error) {
	var in struct {
		Components struct {
			Schemas map[string]component
		}
	}
	if err := json.Unmarshal(document, &in); err != nil {
		return nil, err
	}
	root := in.Components.Schemas[name]
	if root == nil {
		return nil, fmt.Errorf("there is no schema of %s", name)
	}
	out := complete(root, in.Components.Schemas)
	out["$schema"] = "http://json-schema.org/schema#"
	return json.Marshal(out)
}

// complete puts what is referred to in its place. The schemas of
// resource.k8s.io do not refer to themselves.
func complete(c component, all map[string]component) component {
	out := component{}
	for key, v := range c {
		if key != "description" && key != "default" && !strings.HasPrefix(key, "x-kubernetes-") {
			out[key] = v
		}
	}
	if name, ok := out["$ref"].(string); ok {
		return complete(all[strings.TrimPrefix(name, reference)], all)
	}
	if list, ok := out["allOf"].([]any); ok && len(list) == 1 {
		only, _ := list[0].(component)
		return complete(only, all)
	}
	if items, ok := out["items"].(component); ok {
		out["items"] = complete(items, all)
	}
	if values, ok := out["additionalProperties"].(component); ok {
		out["additionalProperties"] = complete(values, all)
	}
	if fields, ok := out["properties"].(component); ok {
		required := map[any]bool{}
		list, _ := out["required"].([]any)
		for _, field := range list {
			required[field] = true
		}
		inside := component{}
		for name, field := range fields {
			value, _ := field.(component)
			one := complete(value, all)
			if kind, ok := one["type"].(string); ok && !required[name] {
				one["type"] = []any{kind, "null"}
			}
			inside[name] = one
		}
		out["properties"], out["additionalProperties"] = inside, false
	}
	return out
}
