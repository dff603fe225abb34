package openapi

import (
	"reflect"

	"github.com/danielgtaylor/huma/v2"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/drawbridge-dra/drawbridge/core/diag"
)

// claimObject stands in for ResourceClaim in the document. Kubernetes has its
// own schemas; repeating 25 of them here would only grow old, and its
// quantities are strings that reflection takes for objects.
type claimObject struct{}

// Schema implements huma.SchemaProvider.
func (claimObject) Schema(huma.Registry) *huma.Schema {
	return kubernetesObject("A ResourceClaim of resource.k8s.io/v1, as Kubernetes documents it.")
}

// extendedStatus and footprintStatus stand in for parts of a pod's status.
type (
	extendedStatus  struct{}
	footprintStatus struct{}
)

// Schema implements huma.SchemaProvider.
func (extendedStatus) Schema(huma.Registry) *huma.Schema {
	return kubernetesObject("A PodExtendedResourceClaimStatus of v1, as Kubernetes documents it.")
}

// Schema implements huma.SchemaProvider.
func (footprintStatus) Schema(huma.Registry) *huma.Schema {
	return kubernetesObject("A NodeAllocatableResourceClaimStatus of v1, as Kubernetes documents it.")
}

// attribute and networkData stand in for what devices have.
type (
	attribute   struct{}
	networkData struct{}
)

// Schema implements huma.SchemaProvider.
func (attribute) Schema(huma.Registry) *huma.Schema {
	return kubernetesObject("A DeviceAttribute of resource.k8s.io/v1, as Kubernetes documents it.")
}

// Schema implements huma.SchemaProvider.
func (networkData) Schema(huma.Registry) *huma.Schema {
	return kubernetesObject("A NetworkDeviceData of resource.k8s.io/v1, as Kubernetes documents it.")
}

func kubernetesObject(description string) *huma.Schema {
	return &huma.Schema{Type: huma.TypeObject, Description: description, AdditionalProperties: true}
}

func newRegistry() huma.Registry {
	r := huma.NewMapRegistry("#/components/schemas/", huma.DefaultSchemaNamer)
	r.RegisterTypeAlias(reflect.TypeFor[corev1.PodExtendedResourceClaimStatus](), reflect.TypeFor[extendedStatus]())
	r.RegisterTypeAlias(reflect.TypeFor[corev1.NodeAllocatableResourceClaimStatus](), reflect.TypeFor[footprintStatus]())
	r.RegisterTypeAlias(reflect.TypeFor[resourceapi.ResourceClaim](), reflect.TypeFor[claimObject]())
	r.RegisterTypeAlias(reflect.TypeFor[resourceapi.DeviceAttribute](), reflect.TypeFor[attribute]())
	r.RegisterTypeAlias(reflect.TypeFor[resourceapi.NetworkDeviceData](), reflect.TypeFor[networkData]())
	return r
}

// vocabulary adds the closed sets of words, which Go types do not show.
func vocabulary(r huma.Registry) {
	words := map[string]map[string][]any{
		"Diagnostic": {
			"severity": {string(diag.Error), string(diag.Warning), string(diag.Info)},
			"source":   {string(diag.Decode), string(diag.API), string(diag.Gate), string(diag.Bundle)},
		},
	}
	for name, fields := range words {
		schema := r.Map()[name]
		if schema == nil {
			continue
		}
		for field, enum := range fields {
			if p := schema.Properties[field]; p != nil {
				p.Enum = enum
			}
		}
	}
}
