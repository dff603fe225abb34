// Package lint finds what no API server looks for: objects of a bundle that
// are right one by one and do not fit each other, or that are accepted and
// then do nothing.
//
// A bundle is rarely the whole cluster. What a rule says about something that
// is missing therefore depends on what is there: an author who checks one
// claim must not be scolded for the DeviceClass that lives in another file,
// while somebody who brings classes along wants to know that none of them has
// the name. Each such rule states its reasoning.
package lint

import (
	"strconv"
	"unicode/utf8"

	"github.com/drawbridge-dra/drawbridge/core/bundle"
	"github.com/drawbridge-dra/drawbridge/core/diag"
	"github.com/drawbridge-dra/drawbridge/core/feature"
)

// rule is one entry of the table: an id that diag documents, and the function
// that looks for it.
type rule struct {
	id    string
	check func(*cluster, *reporter)
}

// rules run in this order; the findings are sorted by place afterwards.
var rules = []rule{
	{"duplicate-object", duplicateObject},

	{"pool-slice-count-disagrees", poolSliceCountDisagrees},
	{"pool-too-many-slices", poolTooManySlices},
	{"pool-incomplete", poolIncomplete},
	{"pool-old-generation", poolOldGeneration},
	{"pool-split-over-nodes", poolSplitOverNodes},
	{"duplicate-device", duplicateDevice},
	{"device-on-two-nodes", deviceOnTwoNodes},
	{"pool-generation-zero", poolGenerationZero},

	{"duplicate-counter-set", duplicateCounterSet},
	{"unknown-counter-set", unknownCounterSet},
	{"unknown-counter", unknownCounter},
	{"counter-demand-too-large", counterDemandTooLarge},
	{"negative-counter", negativeCounter},
	{"counter-overcommitted", counterOvercommitted},
	{"partition-type-costs", partitionTypeCosts},
	{"compatibility-groups-held", compatibilityGroupsHeld},
	{"compatibility-group-alone", compatibilityGroupAlone},

	{"attribute-published-twice", attributePublishedTwice},
	{"attribute-not-referable", attributeNotReferable},
	{"attribute-type-differs", attributeTypeDiffers},
	{"binds-to-node-alone", bindsToNodeAlone},
	{"binding-conditions-reorder", bindingConditionsReorder},
	{"taint-without-effect", taintWithoutEffect},
	{"shareable-without-capacity", shareableWithoutCapacity},
	{"request-policy-default-too-large", requestPolicyDefaultTooLarge},
	{"device-node-selector-terms", deviceNodeSelectorTerms},
	{"node-allocatable-not-shareable", nodeAllocatableNotShareable},

	{"slice-node-missing", sliceNodeMissing},
	{"slice-selects-no-node", sliceSelectsNoNode},
	{"skip-node-operations-undeclared", skipNodeOperationsUndeclared},
	{"device-plugin-and-dra", devicePluginAndDRA},
	{"node-allocatable-undeclared", nodeAllocatableUndeclared},
	{"extended-resource-shadowed", extendedResourceShadowed},
	{"extended-resource-duplicate", extendedResourceDuplicate},

	{"missing-class", missingClass},
	{"selector-impossible-name", selectorImpossibleName},
	{"selector-name-unpublished", selectorNameUnpublished},
	{"selector-missing-guard", selectorMissingGuard},
	{"selector-any-driver", selectorAnyDriver},
	{"selector-invalid-constant", selectorInvalidConstant},
	{"selector-type-mismatch", selectorTypeMismatch},
	{"config-unknown-driver", configUnknownDriver},
	{"admin-access-false", adminAccessFalse},
	{"config-unused-alternative", configUnusedAlternative},
	{"config-other-driver", configOtherDriver},
	{"constraint-both-attributes", constraintBothAttributes},
	{"constraint-attribute-unpublished", constraintAttributeUnpublished},
	{"distinct-attribute-values", distinctAttributeValues},
	{"all-mode-constraint", allModeConstraint},
	{"all-mode-overlap", allModeOverlap},
	{"all-mode-device-limit", allModeDeviceLimit},
	{"claim-device-limit", claimDeviceLimit},
	{"capacity-unpublished", capacityUnpublished},
	{"capacity-too-large", capacityTooLarge},
	{"capacity-negative", capacityNegative},
	{"capacity-not-representable", capacityNotRepresentable},
	{"alternative-shadowed", alternativeShadowed},
	{"toleration-empty-effect", tolerationEmptyEffect},
	{"toleration-without-key", tolerationWithoutKey},
	{"toleration-seconds-ignored", tolerationSecondsIgnored},
	{"tolerations-many", tolerationsMany},
	{"toleration-duplicate", tolerationDuplicate},
	{"device-allocated-twice", deviceAllocatedTwice},
	{"claim-imitates-generated", claimImitatesGenerated},
	{"claim-imitates-extended-resource", claimImitatesExtendedResource},
	{"allocation-request-unknown", allocationRequestUnknown},
	{"sharing-changed", sharingChanged},
	{"capacity-overdrawn", capacityOverdrawn},

	{"taint-rule-selects-all", taintRuleSelectsAll},
	{"taint-rule-selects-none", taintRuleSelectsNone},
	{"taint-rule-unmatched", taintRuleUnmatched},
	{"taint-rule-ignored", taintRuleIgnored},

	{"missing-claim", missingClaim},
	{"missing-template", missingTemplate},
	{"container-claim-unknown", containerClaimUnknown},
	{"container-request-unknown", containerRequestUnknown},
	{"pod-bound-unallocated", podBoundUnallocated},
	{"generated-claim-not-owned", generatedClaimNotOwned},
	{"container-claim-whole", containerClaimWhole},
	{"claim-too-many-pods", claimTooManyPods},
}

// Check looks at the objects of the bundle as a whole. The work is bounded by
// n log n in the size of the bundle. Objects that could not be decoded count
// as being there, so that one broken object does not draw a second finding at
// everything that refers to it.
func Check(b *bundle.Bundle, set *feature.Set) []diag.Diagnostic {
	c := newCluster(b, set)
	var found []diag.Diagnostic
	for _, r := range rules {
		doc, _ := diag.Lookup(diag.Bundle, r.id)
		rep := &reporter{rule: r.id, severity: doc.Severity}
		r.check(c, rep)
		found = append(found, rep.found...)
	}
	diag.Sort(found)
	return found
}

// place is a field of an object, with its path in v1.
type place struct {
	object *bundle.Object
	path   string
}

func (p place) location() *diag.Location {
	return p.object.Locate(writtenPath(p.object, p.path))
}

// finding is what a rule reports. Severity is only set where it differs from
// the one in the registry.
type finding struct {
	at       place
	severity diag.Severity
	value    string
	message  string
	related  []diag.Related
	fix      *diag.Suggestion
}

type reporter struct {
	rule     string
	severity diag.Severity
	found    []diag.Diagnostic
}

// longestMessage bounds a finding about objects with absurd names.
const longestMessage = 1000

func (r *reporter) report(f finding) {
	ref := f.at.object.Ref
	severity := f.severity
	if severity == "" {
		severity = r.severity
	}
	r.found = append(r.found, diag.Diagnostic{
		Severity: severity, Source: diag.Bundle, Rule: r.rule,
		Object: &ref, Field: writtenPath(f.at.object, f.at.path), Value: shorten(f.value, 100),
		Message: shorten(f.message, longestMessage), Location: f.at.location(),
		Related: f.related, Suggestion: f.fix,
	})
}

// mostRelated is how many other places a finding lists; the rest is counted
// in its message.
const mostRelated = 5

// related points at other places, with one message for all of them.
func related(message string, places ...place) []diag.Related {
	var list []diag.Related
	for _, p := range places[:min(len(places), mostRelated)] {
		ref := p.object.Ref
		list = append(list, diag.Related{Message: message, Object: &ref, Location: p.location()})
	}
	return list
}

// replace suggests a new text for the scalar at a place.
func replace(p place, with, message string) *diag.Suggestion {
	s := &diag.Suggestion{Message: message}
	if n := p.object.At(writtenPath(p.object, p.path)); n != nil && n.Kind() < bundle.List && n.Location() != nil {
		s.Replacement, s.Location = with, n.Location()
	}
	return s
}

// shorten cuts a text in its middle.
func shorten(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	head, tail := limit/2, len(s)-limit/2
	for head > 0 && !utf8.RuneStart(s[head]) {
		head--
	}
	for tail < len(s) && !utf8.RuneStart(s[tail]) {
		tail++
	}
	return s[:head] + "…" + s[tail:]
}

// count renders "1 slice", "2 slices".
func count(n int, thing string) string {
	switch {
	case n == 1:
		return "1 " + thing
	case thing[len(thing)-1] == 's':
		return strconv.Itoa(n) + " " + thing + "es"
	}
	return strconv.Itoa(n) + " " + thing + "s"
}

// andMore renders " and 3 more devices", or nothing for none.
func andMore(n int, thing string) string {
	if n <= 0 {
		return ""
	}
	if n == 1 {
		return " and 1 more " + thing
	}
	return " and " + strconv.Itoa(n) + " more " + thing + "s"
}
