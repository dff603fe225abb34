package assist

import (
	"slices"
	"strings"

	"github.com/drawbridge-dra/drawbridge/core/feature"
	"github.com/drawbridge-dra/drawbridge/core/role"
)

// entry is what there is to say of a field, in all API versions alike.
type entry struct {
	// field is its holder and name, as in Device.name.
	field string
	doc   string
	// limit says how much or which values are allowed; byDefault what counts
	// where the field is missing.
	limit, byDefault string
	// gate is the feature gate without which the field is dropped.
	gate feature.Gate
	// rules are those of the API server that judge it, by their ids.
	rules string
}

const (
	label      = "a DNS label: lower-case letters, digits and hyphens, at most 63 characters"
	subdomain  = "a DNS subdomain: labels with dots between, at most 253 characters"
	driverForm = "a DNS subdomain of at most 63 characters"
	qualified  = "a C identifier of at most 32 characters, or domain/identifier with a domain of at most 63"
	quantity   = "a quantity, such as 500m, 4 or 80Gi"
)

// tables are all the entries, one table for each part of the API.
var tables = [][]entry{sliceFields, claimFields, statusFields, otherFields, podFields, metaFields, pastFields, bundleFields}

// entries finds them by field.
var entries = func() map[string]*entry {
	all := map[string]*entry{}
	for _, table := range tables {
		for i := range table {
			all[table[i].field] = &table[i]
		}
	}
	return all
}()

// urls are where the rules of an entry are explained.
func (e *entry) ruleIDs() []string { return strings.Fields(e.rules) }

// choice is a value that a field may have.
type choice struct {
	value, doc string
	// since is the first minor version that knows it; 0 for all.
	since int
}

var (
	nothing = choice{value: ""}
	effects = []choice{
		{value: "NoSchedule", doc: "New pods are kept away, those that run stay."},
		{value: "NoExecute", doc: "New pods are kept away, and those that run are evicted."},
		{value: "None", doc: "Nothing happens; the taint is only seen.", since: 35},
	}
	modes = []choice{
		{value: "ExactCount", doc: "As many devices as count says."},
		{value: "All", doc: "Every device that matches, and at least one."},
	}
	skipped = []choice{
		{value: "NodeUnprepareResources", doc: "The kubelet does not ask the driver to clean up."},
		{value: "NodePrepareResources", doc: "The kubelet does not ask the driver to prepare; needs NodeUnprepareResources beside it."},
		{value: "*", doc: "The kubelet asks the driver for nothing, today and in later versions."},
	}
	statuses = []choice{{value: "True"}, {value: "False"}, {value: "Unknown"}}
	healths  = []choice{{value: "Healthy"}, {value: "Unhealthy"}, {value: "Unknown"}}
	truths   = []choice{{value: "true"}, {value: "false"}}
)

// choices are the values of fields that have a fixed set of them.
var choices = map[string][]choice{
	"DeviceTaint.effect":                               effects,
	"DeviceToleration.effect":                          effects,
	"DeviceToleration.operator":                        {{value: "Equal", doc: "Key and value are those of the taint."}, {value: "Exists", doc: "The key is that of the taint, whatever its value."}},
	"ExactDeviceRequest.allocationMode":                modes,
	"DeviceSubRequest.allocationMode":                  modes,
	"ResourceSliceSpec.skipNodeOperations":             skipped,
	"DeviceRequestAllocationResult.skipNodeOperations": skipped,
	"DeviceAllocationConfiguration.source":             {{value: "FromClass"}, {value: "FromClaim"}},
	"Condition.status":                                 statuses,
	"NodeSelectorRequirement.operator":                 {{value: "In"}, {value: "NotIn"}, {value: "Exists"}, {value: "DoesNotExist"}, {value: "Gt"}, {value: "Lt"}},
	"ResourceHealth.health":                            healths,
	"ReportedDevice.health":                            healths,
	"Subject.kind":                                     {{value: "ServiceAccount"}, {value: "User"}, {value: "Group"}},
	"Ref.kind":                                         {{value: "ClusterRole"}, {value: "Role"}},
	"Ref.apiGroup":                                     {{value: role.Group}},
	"LabelSelectorRequirement.operator":                {{value: "In"}, {value: "NotIn"}, {value: "Exists"}, {value: "DoesNotExist"}},
}

// choicesOf lists the values of a field at a version.
func choicesOf(id string, minor int) []choice {
	return slices.DeleteFunc(slices.Clone(choices[id]), func(c choice) bool { return c.since > minor || c == nothing })
}
