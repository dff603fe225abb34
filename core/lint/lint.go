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
	"github.com/drawbridge-dra/drawbridge/core/selector"
)

// rule is one entry of the table: an id that diag documents, and the function
// that looks for it.
type rule struct {
	id    string
	check func(*cluster, *reporter)
	// on are the objects of a cluster that it is asked for one by one; see
	// Among.
	on subjects
}

// rules run in this order; the findings are sorted by place afterwards.
var rules = []rule{
	{"duplicate-object", duplicateObject, onNone},

	{"pool-slice-count-disagrees", poolSliceCountDisagrees, onPool},
	{"pool-too-many-slices", poolTooManySlices, onPool},
	{"pool-incomplete", poolIncomplete, onNone},
	{"pool-old-generation", poolOldGeneration, onPool},
	{"pool-split-over-nodes", poolSplitOverNodes, onPool},
	{"duplicate-device", duplicateDevice, onPool},
	{"device-on-two-nodes", deviceOnTwoNodes, onPool},
	{"pool-generation-zero", poolGenerationZero, onNone},

	{"duplicate-counter-set", duplicateCounterSet, onPool},
	{"unknown-counter-set", unknownCounterSet, onPool},
	{"unknown-counter", unknownCounter, onPool},
	{"counter-demand-too-large", counterDemandTooLarge, onPool},
	{"negative-counter", negativeCounter, onPool},
	{"counter-overcommitted", counterOvercommitted, onPool},
	{"partition-type-costs", partitionTypeCosts, onPool},
	{"compatibility-groups-held", compatibilityGroupsHeld, onPool},
	{"compatibility-group-alone", compatibilityGroupAlone, onPool},

	{"attribute-published-twice", attributePublishedTwice, onSlice},
	{"attribute-not-referable", attributeNotReferable, onSlice},
	{"attribute-type-differs", attributeTypeDiffers, onPool},
	{"binds-to-node-alone", bindsToNodeAlone, onSlice},
	{"binding-conditions-reorder", bindingConditionsReorder, onNone},
	{"taint-without-effect", taintWithoutEffect, onSlice},
	{"shareable-without-capacity", shareableWithoutCapacity, onSlice},
	{"request-policy-default-too-large", requestPolicyDefaultTooLarge, onSlice},
	{"device-node-selector-terms", deviceNodeSelectorTerms, onSlice},
	{"node-allocatable-not-shareable", nodeAllocatableNotShareable, onSlice},

	{"slice-node-missing", sliceNodeMissing, onSlice},
	{"slice-selects-no-node", sliceSelectsNoNode, onSlice},
	{"skip-node-operations-undeclared", skipNodeOperationsUndeclared, onSlice},
	{"device-plugin-and-dra", devicePluginAndDRA, onNone},
	{"node-allocatable-undeclared", nodeAllocatableUndeclared, onSlice},
	{"extended-resource-shadowed", extendedResourceShadowed, onNone},
	{"extended-resource-duplicate", extendedResourceDuplicate, onClass},

	{"missing-class", missingClass, onClaim},
	{"selector-impossible-name", selectorImpossibleName, onClass | onClaim},
	{"selector-name-unpublished", selectorNameUnpublished, onClass | onClaim},
	{"selector-missing-guard", selectorMissingGuard, onClass | onClaim},
	{"selector-any-driver", selectorAnyDriver, onClass | onClaim},
	{"selector-invalid-constant", selectorInvalidConstant, onClass | onClaim},
	{"selector-type-mismatch", selectorTypeMismatch, onClass | onClaim},
	{"config-unknown-driver", configUnknownDriver, onClass | onClaim},
	{"admin-access-false", adminAccessFalse, onClaim},
	{"config-unused-alternative", configUnusedAlternative, onClaim},
	{"config-other-driver", configOtherDriver, onClass | onClaim},
	{"constraint-both-attributes", constraintBothAttributes, onClaim},
	{"constraint-attribute-unpublished", constraintAttributeUnpublished, onClaim},
	{"distinct-attribute-values", distinctAttributeValues, onClaim},
	{"all-mode-constraint", allModeConstraint, onClaim},
	{"all-mode-overlap", allModeOverlap, onClaim},
	{"all-mode-device-limit", allModeDeviceLimit, onClaim},
	{"claim-device-limit", claimDeviceLimit, onClaim},
	{"capacity-unpublished", capacityUnpublished, onClaim},
	{"capacity-too-large", capacityTooLarge, onClaim},
	{"capacity-negative", capacityNegative, onClaim},
	{"capacity-not-representable", capacityNotRepresentable, onClaim},
	{"alternative-shadowed", alternativeShadowed, onClaim},
	{"toleration-empty-effect", tolerationEmptyEffect, onClaim},
	{"toleration-without-key", tolerationWithoutKey, onClaim},
	{"toleration-seconds-ignored", tolerationSecondsIgnored, onClaim},
	{"tolerations-many", tolerationsMany, onClaim},
	{"toleration-duplicate", tolerationDuplicate, onClaim},
	{"device-allocated-twice", deviceAllocatedTwice, onClaim},
	{"claim-imitates-generated", claimImitatesGenerated, onClaim},
	{"claim-imitates-extended-resource", claimImitatesExtendedResource, onClaim},
	{"allocation-request-unknown", allocationRequestUnknown, onClaim},
	{"sharing-changed", sharingChanged, onClaim},
	{"skip-node-operations-changed", skipNodeOperationsChanged, onClaim},
	{"capacity-overdrawn", capacityOverdrawn, onClaim},

	{"taint-rule-selects-all", taintRuleSelectsAll, onTaintRule},
	{"taint-rule-selects-none", taintRuleSelectsNone, onTaintRule},
	{"taint-rule-unmatched", taintRuleUnmatched, onTaintRule},
	{"taint-rule-ignored", taintRuleIgnored, onTaintRule},

	{"missing-claim", missingClaim, onPod},
	{"missing-template", missingTemplate, onPod},
	{"container-claim-unknown", containerClaimUnknown, onPod},
	{"container-request-unknown", containerRequestUnknown, onPod},
	{"pod-bound-unallocated", podBoundUnallocated, onPod},
	{"generated-claim-not-owned", generatedClaimNotOwned, onPod},
	{"container-claim-whole", containerClaimWhole, onPod},
	{"claim-too-many-pods", claimTooManyPods, onNone},
	{"claim-listed-twice", claimListedTwice, onPod},

	{"device-health-invalid", deviceHealthInvalid, onNone},
	{"device-health-unmatched", deviceHealthUnmatched, onNone},

	{"status-right-alone", statusRightAlone, onNone},
	{"binding-right-useless", bindingRightUseless, onNone},
	{"part-verb-unknown", partVerbUnknown, onNone},
	{"driver-right-names", driverRightNames, onNone},
	{"driver-right-any-node", driverRightAnyNode, onNone},
	{"status-right-wide", statusRightWide, onNone},
}

// Check looks at the objects of the bundle as a whole. The work is bounded by
// n log n in the size of the bundle. Objects that could not be decoded count
// as being there, so that one broken object does not draw a second finding at
// everything that refers to it. Expressions are those that are known from other
// answers; nil where there are none.
func Check(b *bundle.Bundle, set *feature.Set, expressions *selector.Shared) []diag.Diagnostic {
	c := newCluster(b, set)
	c.shared = expressions
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
