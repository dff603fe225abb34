package rights

import (
	resourceapi "k8s.io/api/resource/v1"

	"github.com/drawbridge-dra/drawbridge/core/feature"
)

const (
	claims        = "resourceclaims"
	statusPart    = "status"
	bindingPart   = resourceapi.SubresourceBinding
	driverPart    = resourceapi.SubresourceDriver
	onOwnNode     = resourceapi.VerbPrefixAssociatedNode
	onAnyNode     = resourceapi.VerbPrefixArbitraryNode
	resourceGroup = resourceapi.GroupName
)

// Request is an update of the status of a claim.
type Request struct {
	Verb            string
	Namespace, Name string
	Changes         Changes
}

// Demand is something that a request must be allowed: one of some attributes,
// asked in this order until one is allowed.
type Demand struct {
	// Field is the part of the status that it is for; empty for the request
	// as such.
	Field string
	// Driver is the one whose entries are written.
	Driver string
	Any    []Attributes
	// Apart says why the subject does not count as being on the claim's node.
	Apart string
}

// Granular tells whether the API server looks at the parts of a status.
func Granular(set *feature.Set) bool {
	return set.Enabled(feature.DRAResourceClaimGranularStatusAuthorization)
}

// Demands lists what a request needs, in the order in which the API server
// asks. To create a claim is another request, which cannot write a status.
func Demands(r Request, s Subject, set *feature.Set) []Demand {
	at := Attributes{Verb: r.Verb, APIGroup: resourceGroup, Resource: claims}
	if r.Verb == "create" {
		at.Namespace = r.Namespace
		return []Demand{{Any: []Attributes{at}}}
	}
	with := func(verb, subresource, namespace, name string) Attributes {
		a := at
		a.Verb, a.Subresource, a.Namespace, a.Name = verb, subresource, namespace, name
		return a
	}
	out := []Demand{{Any: []Attributes{with(r.Verb, statusPart, r.Namespace, r.Name)}}}
	if !Granular(set) {
		return out
	}
	if r.Changes.Allocation || r.Changes.ReservedFor {
		field := "status.allocation"
		if !r.Changes.Allocation {
			field = "status.reservedFor"
		}
		out = append(out, Demand{Field: field, Any: []Attributes{with(r.Verb, bindingPart, "", "")}})
	}
	if !r.Changes.Allocated || !set.Enabled(feature.DRAResourceClaimDeviceStatus) {
		return out
	}
	near, apart := s.on(r.Changes.Node)
	for _, driver := range r.Changes.Drivers {
		d := Demand{Field: "status.devices", Driver: driver, Apart: apart}
		if near {
			d.Any = append(d.Any, with(onOwnNode+r.Verb, driverPart, r.Namespace, driver))
		}
		d.Any = append(d.Any, with(onAnyNode+r.Verb, driverPart, r.Namespace, driver))
		out = append(out, d)
	}
	return out
}
