package lint

import (
	"strings"
	"testing"

	"github.com/drawbridge-dra/drawbridge/core/diag"
)

// silences are the ways in which objects that an API server accepts do
// nothing, or fail late, each with the rules that speak of it.
var silences = map[string]string{
	"slices of a pool announce different counts":                "bundle/pool-slice-count-disagrees",
	"fewer or more slices than announced":                       "bundle/pool-incomplete bundle/pool-too-many-slices",
	"slices of an older generation are left":                    "bundle/pool-old-generation",
	"a device stands twice in a pool, or on two nodes":          "bundle/duplicate-device bundle/device-on-two-nodes bundle/pool-split-over-nodes",
	"a counter set stands twice in a pool":                      "bundle/duplicate-counter-set",
	"a device consumes what is not there":                       "bundle/unknown-counter-set bundle/unknown-counter",
	"devices beside counter sets":                               "api/counter-sets-beside-devices",
	"a device consumes more than there is":                      "bundle/counter-demand-too-large",
	"counters below zero, or overdrawn":                         "bundle/negative-counter bundle/counter-overcommitted",
	"a device selects nodes with several terms":                 "bundle/device-node-selector-terms",
	"a slice is for no node":                                    "bundle/slice-node-missing bundle/slice-selects-no-node",
	"an attribute with and without the driver's domain":         "bundle/attribute-published-twice",
	"an attribute that nobody can name":                         "bundle/attribute-not-referable",
	"a driver's name in upper case":                             "api/driver-name-case",
	"an attribute with several types":                           "bundle/attribute-type-differs bundle/selector-type-mismatch",
	"a selector reads what a device lacks":                      "bundle/selector-missing-guard bundle/selector-name-unpublished bundle/selector-impossible-name",
	"a selector meets devices of another driver":                "bundle/selector-any-driver",
	"a constant that is no version or quantity":                 "bundle/selector-invalid-constant",
	"a constraint with both attributes":                         "bundle/constraint-both-attributes",
	"a request for all devices, of which some do not match":     "bundle/all-mode-constraint",
	"a request for all devices beside another":                  "bundle/all-mode-overlap",
	"a constraint on what no device publishes":                  "bundle/constraint-attribute-unpublished",
	"more devices must differ than there are values":            "bundle/distinct-attribute-values",
	"more than 32 devices":                                      "bundle/claim-device-limit bundle/all-mode-device-limit",
	"a capacity that no device has":                             "bundle/capacity-unpublished",
	"a capacity below zero":                                     "bundle/capacity-negative",
	"a capacity above what policies allow":                      "bundle/capacity-too-large",
	"a capacity that cannot be counted":                         "bundle/capacity-not-representable",
	"tolerations without a meaning":                             "bundle/tolerations-many bundle/toleration-duplicate bundle/toleration-seconds-ignored",
	"a toleration without effect":                               "bundle/toleration-empty-effect",
	"a toleration without a key":                                "bundle/toleration-without-key",
	"adminAccess: false":                                        "bundle/admin-access-false",
	"admin access without the namespace's label":                "api/admin-access",
	"configuration for alternatives that are never chosen":      "bundle/config-unused-alternative",
	"configuration for a driver that no device has":             "bundle/config-unknown-driver bundle/config-other-driver",
	"alternatives that are never chosen":                        "bundle/alternative-shadowed",
	"a class that does not exist":                               "bundle/missing-class",
	"an extended resource of two classes":                       "bundle/extended-resource-duplicate",
	"an extended resource that a device plugin has too":         "bundle/extended-resource-shadowed bundle/device-plugin-and-dra",
	"a taint rule that matches nothing, everything, or no name": "bundle/taint-rule-selects-none bundle/taint-rule-selects-all bundle/taint-rule-unmatched",
	"a taint rule that nobody looks at":                         "bundle/taint-rule-ignored",
	"a taint without effect":                                    "bundle/taint-without-effect",
	"binding conditions move a pool":                            "bundle/binding-conditions-reorder",
	"bindsToNode without conditions":                            "bundle/binds-to-node-alone",
	"node operations that are skipped, and by whom":             "gate/skip-node-operations-dropped bundle/skip-node-operations-undeclared",
	"compatibility groups without the gate":                     "gate/compatibility-groups-dropped",
	"compatibility groups that do not go together":              "bundle/compatibility-group-alone bundle/compatibility-groups-held",
	"sharing without a limit":                                   "bundle/shareable-without-capacity",
	"sharing that changed under a claim":                        "bundle/sharing-changed bundle/device-allocated-twice bundle/capacity-overdrawn",
	"node resources mapped to a capacity that nothing consumes": "bundle/node-allocatable-not-shareable",
	"node resources on a node that does not know them":          "bundle/node-allocatable-undeclared",
	"a default that does not fit":                               "bundle/request-policy-default-too-large",
	"a pool of generation 0":                                    "bundle/pool-generation-zero",
	"a pod that names its node":                                 "bundle/pod-bound-unallocated",
	"a slice that skips other operations than its claims":       "bundle/skip-node-operations-changed",
	"a claim that a pod lists twice":                            "bundle/claim-listed-twice",
	"reports of devices that nobody has":                        "bundle/device-health-invalid bundle/device-health-unmatched",
	"a claim of too many pods":                                  "bundle/claim-too-many-pods",
	"a container that gets the whole claim":                     "bundle/container-claim-whole",
	"partitions of one type with several costs":                 "bundle/partition-type-costs",
	"an allocation that names no request, or not which":         "bundle/allocation-request-unknown",
	"claims that look like the scheduler's or the controller's": "bundle/claim-imitates-extended-resource bundle/claim-imitates-generated bundle/generated-claim-not-owned",
	"references that lead nowhere":                              "bundle/missing-claim bundle/missing-template bundle/container-claim-unknown bundle/container-request-unknown",
	"constraints and configuration that name unknown requests":  "api/request-reference",
	"a right that is asked for in no such form":                 "bundle/status-right-alone bundle/binding-right-useless bundle/part-verb-unknown bundle/driver-right-names",
	"a right that is wider than what is done with it":           "bundle/driver-right-any-node bundle/status-right-wide",
}

// TestSilences keeps the rules for them from being lost.
func TestSilences(t *testing.T) {
	named := map[string]bool{"duplicate-object": true}
	for situation, list := range silences {
		for _, rule := range strings.Fields(list) {
			source, id, _ := strings.Cut(rule, "/")
			if _, ok := diag.Lookup(diag.Source(source), id); !ok {
				t.Errorf("%s: there is no rule %s", situation, rule)
			}
			named[id] = true
		}
	}
	for _, r := range rules {
		if !named[r.id] {
			t.Errorf("rule %s speaks of nothing in the list", r.id)
		}
	}
}
