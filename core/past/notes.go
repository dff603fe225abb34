package past

// Note says of a kind, or of a field of it, what it was for and what replaces
// it.
type Note struct {
	// Kind has the field, in the API versions named.
	Kind     string
	Versions []string
	// Field is its path; empty for the kind itself.
	Field string
	// Was says what it was for, Gone since which Kubernetes it is no longer
	// there, Instead what replaces it.
	Was, Gone, Instead string
}

var (
	first  = []string{V1alpha1, V1alpha2}
	second = []string{V1alpha2}
	third  = []string{V1alpha3}
	all    = []string{V1alpha1, V1alpha2, V1alpha3}
)

const (
	ownController = "allocation by a driver's own controller"
	scheduler     = "the scheduler allocates by itself, from the driver's ResourceSlices"
)

// Notes lists them, kinds before their fields.
func Notes() []Note { return notes }

var notes = []Note{
	{"PodScheduling", all, "", "carried the talk between the scheduler and the drivers' controllers about a node for a pod", "1.27, which called it PodSchedulingContext", "nothing: " + scheduler + "; delete it"},
	{"PodSchedulingContext", all, "", "carried the talk between the scheduler and the drivers' controllers about a node for a pod", "1.32", "nothing: " + scheduler + "; delete it"},
	{"PodSchedulingContext", all, "spec.potentialNodes", "was the scheduler's list of nodes for the controllers to judge", "1.32", "nothing: ResourceSlices say what each node has"},
	{"PodSchedulingContext", all, "spec.selectedNode", "was the scheduler's order to the controllers to allocate for a node", "1.32", "nothing: the scheduler writes status.allocation of the claim"},
	{"PodSchedulingContext", all, "status.resourceClaims", "was the controllers' answer: on which nodes a claim cannot be allocated", "1.32", "the devices and taints in ResourceSlices"},

	{"ResourceClass", first, "", "named the driver for claims, with parameters and nodes", "1.31", "a DeviceClass with a selector on device.driver and the parameters under spec.config"},
	{"ResourceClass", first, "driverName", "chose the driver whose controller allocates", "1.31", `a selector of the DeviceClass: device.driver == "…"`},
	{"ResourceClass", first, "parametersRef", "named an object with the class's parameters", "1.31", "spec.config of the DeviceClass, which holds the parameters themselves"},
	{"ResourceClass", first, "suitableNodes", "limited the nodes that the scheduler asks the driver about", "1.31", "nodeName, nodeSelector or allNodes of the driver's ResourceSlices"},
	{"ResourceClass", second, "structuredParameters", "made the scheduler allocate instead of the driver's controller", "1.31", "nothing: the scheduler always allocates"},

	{"ResourceClassParameters", second, "", "held the filters and vendor parameters of a class", "1.31", "spec.selectors and spec.config of the DeviceClass"},
	{"ResourceClassParameters", second, "generatedFrom", "named the driver's own object that this one was made from", "1.31", "nothing: write the parameters into the DeviceClass"},
	{"ResourceClassParameters", second, "filters", "limited which instances claims of the class get", "1.31", "spec.selectors of the DeviceClass"},
	{"ResourceClassParameters", second, "vendorParameters", "passed parameters to a driver", "1.31", "spec.config[].opaque of the DeviceClass"},

	{"ResourceClaimParameters", second, "", "held the requests and vendor parameters of a claim", "1.31", "spec.devices.requests and spec.devices.config of the claim"},
	{"ResourceClaimParameters", second, "generatedFrom", "named the driver's own object that this one was made from", "1.31", "nothing: write the requests into the claim"},
	{"ResourceClaimParameters", second, "shareable", "let several pods use the claim", "1.31", "nothing: every claim can be shared by pods, up to 256 of them"},
	{"ResourceClaimParameters", second, "driverRequests", "asked each driver for instances", "1.31", "spec.devices.requests of the claim"},

	{"ResourceClaim", first, "", "asked one ResourceClass for a whole claim", "1.31", "spec.devices.requests, each with a DeviceClass"},
	{"ResourceClaim", first, "spec.resourceClassName", "chose the class, and with it the driver", "1.31", "deviceClassName of each request"},
	{"ResourceClaim", first, "spec.parametersRef", "named an object with the claim's parameters", "1.31", "selectors and count of the requests, and spec.devices.config"},
	{"ResourceClaim", first, "spec.allocationMode", "said whether to allocate at once or for the first pod", "1.31", "nothing: a claim is allocated for the first pod that needs it"},
	{"ResourceClaim", first, "status.driverName", "was the driver that allocated", "1.31", "driver in each of status.allocation.devices.results"},
	{"ResourceClaim", first, "status.allocation.resourceHandle", "was the allocation in the driver's own words", "1.27, which had resourceHandles", "status.allocation.devices"},
	{"ResourceClaim", second, "status.allocation.resourceHandles", "was the allocation in the drivers' own words", "1.31", "status.allocation.devices"},
	{"ResourceClaim", first, "status.allocation.availableOnNodes", "limited the pods of the claim to nodes", "1.31", "status.allocation.nodeSelector"},
	{"ResourceClaim", first, "status.allocation.shareable", "let several pods use the claim", "1.31", "nothing: every claim can be shared by pods, up to 256 of them"},
	{"ResourceClaim", first, "status.deallocationRequested", "asked the driver's controller to give the devices back", "1.32", "nothing: the allocation is removed once nobody has the claim reserved"},

	{"ResourceClaimTemplate", first, "", "made claims that ask one ResourceClass", "1.31", "spec.spec.devices.requests, each with a DeviceClass"},
	{"ResourceClaimTemplate", first, "spec.spec.resourceClassName", "chose the class, and with it the driver", "1.31", "deviceClassName of each request"},
	{"ResourceClaimTemplate", first, "spec.spec.parametersRef", "named an object with the claim's parameters", "1.31", "selectors and count of the requests, and spec.spec.devices.config"},
	{"ResourceClaimTemplate", first, "spec.spec.allocationMode", "said whether to allocate at once or for the first pod", "1.31", "nothing: a claim is allocated for the first pod that needs it"},

	{"ResourceSlice", second, "", "listed the instances that a node has", "1.31", "a ResourceSlice with spec.driver, spec.pool and spec.devices"},
	{"ResourceSlice", second, "nodeName", "was the node", "1.31", "spec.nodeName"},
	{"ResourceSlice", second, "driverName", "was the driver", "1.31", "spec.driver"},
	{"ResourceSlice", second, "namedResources", "listed the instances", "1.31", "spec.devices"},

	{"ResourceClaim", third, "spec.controller", "is for " + ownController, "1.32", scheduler + "; leave it out"},
	{"ResourceClaim", third, "status.allocation.controller", "is for " + ownController, "1.32", "driver in each of status.allocation.devices.results"},
	{"ResourceClaim", third, "status.deallocationRequested", "is for " + ownController, "1.32", "nothing: the allocation is removed once nobody has the claim reserved"},
	{"ResourceClaimTemplate", third, "spec.spec.controller", "is for " + ownController, "1.32", scheduler + "; leave it out"},
	{"DeviceClass", third, "spec.suitableNodes", "is for " + ownController, "1.32", "nodeName, nodeSelector or allNodes of the driver's ResourceSlices"},
}

// Kinds lists the kinds that no known version of Kubernetes has under any API
// version that is left.
func Kinds() []string {
	return []string{"PodScheduling", "PodSchedulingContext", "ResourceClaimParameters", "ResourceClass", "ResourceClassParameters"}
}

// Of finds the note on a kind itself, in an API version; nil if it is one that
// is there still.
func Of(apiVersion, kind string) *Note {
	for i := range notes {
		if n := &notes[i]; n.Field == "" && n.Kind == kind && n.in(apiVersion) {
			return n
		}
	}
	return nil
}

// FieldsOf lists the notes on fields of a kind in an API version.
func FieldsOf(apiVersion, kind string) []Note {
	var out []Note
	for _, n := range notes {
		if n.Field != "" && n.Kind == kind && n.in(apiVersion) {
			out = append(out, n)
		}
	}
	return out
}

func (n Note) in(apiVersion string) bool {
	for _, v := range n.Versions {
		if v == apiVersion {
			return true
		}
	}
	return false
}
