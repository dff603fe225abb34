// Judges objects as Kubernetes 1.30 does.
package main

import (
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/kubernetes/pkg/registry/resource/podschedulingcontext"
	"k8s.io/kubernetes/pkg/registry/resource/resourceclaim"
	"k8s.io/kubernetes/pkg/registry/resource/resourceclaimparameters"
	"k8s.io/kubernetes/pkg/registry/resource/resourceclaimtemplate"
	"k8s.io/kubernetes/pkg/registry/resource/resourceclass"
	"k8s.io/kubernetes/pkg/registry/resource/resourceclassparameters"
	"k8s.io/kubernetes/pkg/registry/resource/resourceslice"

	"github.com/drawbridge-dra/drawbridge/conformance/older/judge"
)

func main() { judge.Main(kinds) }

func kinds(typedcorev1.NamespaceInterface) map[string]judge.Kind {
	const version = "v1alpha2"
	claims, templates, contexts := resourceclaim.Strategy, resourceclaimtemplate.Strategy, podschedulingcontext.Strategy
	slices, classes := resourceslice.Strategy, resourceclass.Strategy
	ofClaims, ofClasses := resourceclaimparameters.Strategy, resourceclassparameters.Strategy
	return map[string]judge.Kind{
		"ResourceSlice":           {Resource: "resourceslices", Create: slices, Update: slices, Stored: version},
		"ResourceClaim":           {Resource: "resourceclaims", Namespaced: true, Create: claims, Update: claims, Status: resourceclaim.StatusStrategy, Stored: version},
		"ResourceClaimTemplate":   {Resource: "resourceclaimtemplates", Namespaced: true, Create: templates, Update: templates, Stored: version},
		"ResourceClass":           {Resource: "resourceclasses", Create: classes, Update: classes, Stored: version},
		"ResourceClaimParameters": {Resource: "resourceclaimparameters", Namespaced: true, Create: ofClaims, Update: ofClaims, Stored: version},
		"ResourceClassParameters": {Resource: "resourceclassparameters", Namespaced: true, Create: ofClasses, Update: ofClasses, Stored: version},
		"PodSchedulingContext":    {Resource: "podschedulingcontexts", Namespaced: true, Create: contexts, Update: contexts, Status: podschedulingcontext.StatusStrategy, Stored: version},
	}
}
