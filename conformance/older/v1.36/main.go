// Judges objects as Kubernetes 1.36 does.
package main

import (
	"context"

	"k8s.io/apiserver/pkg/authorization/authorizer"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/kubernetes/pkg/registry/resource/deviceclass"
	"k8s.io/kubernetes/pkg/registry/resource/devicetaintrule"
	"k8s.io/kubernetes/pkg/registry/resource/resourceclaim"
	"k8s.io/kubernetes/pkg/registry/resource/resourceclaimtemplate"
	"k8s.io/kubernetes/pkg/registry/resource/resourcepoolstatusrequest"
	"k8s.io/kubernetes/pkg/registry/resource/resourceslice"

	"github.com/drawbridge-dra/drawbridge/conformance/older/judge"
)

func main() { judge.Main(kinds) }

func kinds(namespaces typedcorev1.NamespaceInterface) map[string]judge.Kind {
	claims := resourceclaim.NewStrategy(namespaces, allowed{})
	templates := resourceclaimtemplate.NewStrategy(namespaces)
	slices, classes, rules := resourceslice.Strategy, deviceclass.Strategy, devicetaintrule.Strategy
	pools := resourcepoolstatusrequest.Strategy
	return map[string]judge.Kind{
		"ResourceSlice":             {Resource: "resourceslices", Create: slices, Update: slices, Stored: "v1"},
		"ResourceClaim":             {Resource: "resourceclaims", Namespaced: true, Create: claims, Update: claims, Status: resourceclaim.NewStatusStrategy(claims), Stored: "v1"},
		"ResourceClaimTemplate":     {Resource: "resourceclaimtemplates", Namespaced: true, Create: templates, Update: templates, Stored: "v1"},
		"DeviceClass":               {Resource: "deviceclasses", Create: classes, Update: classes, Stored: "v1"},
		"DeviceTaintRule":           {Resource: "devicetaintrules", Create: rules, Update: rules, Status: devicetaintrule.StatusStrategy, Stored: "v1alpha3"},
		"ResourcePoolStatusRequest": {Resource: "resourcepoolstatusrequests", Create: pools, Update: pools, Status: resourcepoolstatusrequest.StatusStrategy, Stored: "v1alpha3"},
	}
}

// allowed lets everybody change every status: who may do what is not compared.
type allowed struct{}

func (allowed) Authorize(context.Context, authorizer.Attributes) (authorizer.Decision, string, error) {
	return authorizer.DecisionAllow, "", nil
}
