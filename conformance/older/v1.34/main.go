// Judges objects as Kubernetes 1.34 does.
package main

import (
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/kubernetes/pkg/registry/resource/deviceclass"
	"k8s.io/kubernetes/pkg/registry/resource/devicetaintrule"
	"k8s.io/kubernetes/pkg/registry/resource/resourceclaim"
	"k8s.io/kubernetes/pkg/registry/resource/resourceclaimtemplate"
	"k8s.io/kubernetes/pkg/registry/resource/resourceslice"

	"github.com/drawbridge-dra/drawbridge/conformance/older/judge"
)

func main() { judge.Main(kinds) }

func kinds(namespaces typedcorev1.NamespaceInterface) map[string]judge.Kind {
	claims := resourceclaim.NewStrategy(namespaces)
	templates := resourceclaimtemplate.NewStrategy(namespaces)
	slices, classes, rules := resourceslice.Strategy, deviceclass.Strategy, devicetaintrule.Strategy
	return map[string]judge.Kind{
		"ResourceSlice":         {Resource: "resourceslices", Create: slices, Update: slices, Stored: "v1"},
		"ResourceClaim":         {Resource: "resourceclaims", Namespaced: true, Create: claims, Update: claims, Status: resourceclaim.NewStatusStrategy(claims), Stored: "v1"},
		"ResourceClaimTemplate": {Resource: "resourceclaimtemplates", Namespaced: true, Create: templates, Update: templates, Stored: "v1"},
		"DeviceClass":           {Resource: "deviceclasses", Create: classes, Update: classes, Stored: "v1"},
		"DeviceTaintRule":       {Resource: "devicetaintrules", Create: rules, Update: rules, Stored: "v1alpha3"},
	}
}
