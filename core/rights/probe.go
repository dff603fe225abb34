package rights

import "github.com/drawbridge-dra/drawbridge/core/role"

// The verbs with which a status is written.
var StatusVerbs = []string{"update", "patch"}

// MayStatus tells whether a rule allows a verb on the status of claims, for
// some names at least.
func MayStatus(r *role.Rule, verb string) bool { return may(r, statusPart, verb) }

// MayBind tells so for status.allocation and status.reservedFor.
func MayBind(r *role.Rule, verb string) bool { return may(r, bindingPart, verb) }

// MayDriver tells so for the entries of a driver in status.devices: on the
// subject's own node, or on any.
func MayDriver(r *role.Rule, verb string) (own, everywhere bool) {
	return may(r, driverPart, onOwnNode+verb), may(r, driverPart, onAnyNode+verb)
}

func may(r *role.Rule, subresource, verb string) bool {
	return operation{verb, resourceGroup, claims, subresource}.allows(r)
}

// Names of what is asked for beside resourceclaims/status, and of the verbs
// for entries of status.devices.
const (
	BindingResource = claims + "/" + bindingPart
	DriverResource  = claims + "/" + driverPart
	OwnNodeVerb     = onOwnNode
	AnyNodeVerb     = onAnyNode
	APIGroup        = resourceGroup
)
