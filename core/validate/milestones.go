package validate

import (
	alphaapi "k8s.io/api/resource/v1alpha3"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// milestone is something that the API server of older versions did differently:
// the first minor version that does as all after it.
type milestone int

// What is said of 1.32 and 1.33 was read in their code, and is no more than what
// was found in comparing with 1.31; else they are taken to check as 1.34 does.
const (
	// Lists and maps that are too long are not looked into by hand. Before,
	// every item was checked nevertheless.
	longListsStop milestone = 35
	// A duplicate is reported at its item. Before, it was at the field that
	// tells the items apart.
	duplicateAtItem milestone = 35
	// Of a request with exactly and firstAvailable neither is looked into by
	// hand. Before, both were.
	unionStops milestone = 35
	// The spec of a claim is compared on an update, no more. Before, it was
	// checked again as well.
	specOnlyCompared milestone = 35
	// What an update leaves of a class as it was is not measured by today's
	// limits. Before, it was.
	oldClassesStay milestone = 35
	// Counter sets are in slices of their own, with a limit for each set and
	// entry. Before, they were beside the devices that refer to them, with
	// limits for the sums.
	countersApart milestone = 35
	// Taints, or counters, lower the limit on devices.
	advancedLowerLimit milestone = 35
	// The parts of a name that must not be empty are invalid. Before, they
	// were required.
	emptyNamesInvalid milestone = 35
	// Attributes without a value are invalid. Before, one was required.
	unionInvalid milestone = 35
	// A driver's name that is missing is that and no more. Before, it was
	// invalid as well.
	missingDriverStops milestone = 35
	// A device may have more than a few taints.
	moreTaints milestone = 35
	// The effect None exists.
	effectNone milestone = 35
	// Taints of devices and the effect of a rule that an update does not
	// change are not looked at again by hand.
	oldTaintsStay milestone = 35
	// The prefix for generated names of a class is looked at by a later step
	// only. Before, classes were like other kinds.
	classesApart milestone = 35
	// Tolerations and distinctAttribute go with the feature that they
	// belong to. Before, they were kept by mistake.
	tolerationsDropped, distinctAttributeDropped milestone = 35, 35
	// Binding conditions of allocated devices need one gate. Before, they
	// needed two, and the time of allocation needed them too.
	bindingNeedsOneGate milestone = 35

	// Requests and devices have the shape of v1 inside of the API server.
	// Before, they had that of v1alpha3 and v1beta1, and so had all paths.
	insideAsV1 milestone = 33
	// Names in maps are reported at the entry. Before, they were at the map.
	keysAtEntry milestone = 32
	// Names that are no identifiers are invalid. Before, they were of an
	// invalid type.
	identifiersInvalid milestone = 34
	// Expressions and the parameters of drivers have limits.
	textsLimited milestone = 32
	// Lists have too many items. Before, they were too long.
	listsTooMany milestone = 32
	// A full name without a domain is invalid. Before, the domain was
	// required, at a path of its own.
	domainsInvalid milestone = 32
	// A claim has up to 256 consumers. Before, it had 32.
	moreConsumers milestone = 32
	// An allocation that is there already is compared, no more. Before, it was
	// checked again as well.
	oldAllocationStays milestone = 32
	// Items that are duplicates are checked like others.
	duplicatesChecked milestone = 31
	// Values in node selectors must be fit for labels.
	nodeValuesChecked milestone = 32

	// Names in maps are reported at the map. Before, they were at the entry.
	keysAtMap milestone = 36
	// Expressions that are stored may use includes.
	includesFunction milestone = 36
	// There are lists among attributes, whose values are counted.
	valuesCounted milestone = 36
	// A taint rule whose effect changes gets a new time.
	effectMovesTime milestone = 36

	// Faults of owners are reported at each, as missing where something is.
	// Before, they were invalid, at the list.
	ownersApart milestone = 37
	// A condition without type or status lacks it, and a second one of a type
	// is a duplicate of the item. Before, the type was invalid and the status
	// not supported, and the type was the duplicate.
	conditionsRequired milestone = 37
	// Rules that are declared decide. Before, they were only tried out, but
	// for ResourcePoolStatusRequests.
	declaredDecides milestone = 37
	// Capacities that an update does not change are not looked at again.
	oldCapacitiesStay milestone = 37
	// Tolerations of allocated devices are checked.
	resultTolerations milestone = 37
	// A default outside of its range is reported as such. Before, the bound
	// that it breaks was.
	defaultReported milestone = 37
	// Steps are checked so that nothing is divided by zero.
	stepsChecked milestone = 37
	// Expressions of a class that stay as they are are not compiled again.
	oldExpressionsStay milestone = 37
)

// does tells whether the version does as those after the change.
func (c *checker) does(m milestone) bool { return c.minor >= int(m) }

// passesOf are the passes that decide over an object.
func (c *checker) passesOf(o runtime.Object, beta bool) passes {
	if !c.does(declaredDecides) {
		if _, ok := o.(*alphaapi.ResourcePoolStatusRequest); ok {
			return byHand | standard
		}
		return byHand
	}
	if !beta {
		return byHand | standard
	}
	return byBoth | standard
}

// stops reports a list that is too long, and tells whether that is all that
// is said of it.
func (c *checker) stops(who passes, at *path, p problem) bool {
	c.add(who, at, p)
	return c.does(longListsStop)
}

// duplicateOf is where a duplicate is reported, of an item that the named field
// tells apart from others.
func (c *checker) duplicateOf(item *path, name string) *path {
	if c.does(duplicateAtItem) {
		return item
	}
	return item.child(name)
}

// keyAt is where a wrong name in a map is reported.
func (c *checker) keyAt(at *path, key string, longest int) *path {
	if c.does(keysAtMap) || !c.does(keysAtEntry) {
		return at
	}
	return at.shortKey(key, longest)
}

// entry is the path of an attribute or a capacity.
func (c *checker) entry(at *path, name string) *path {
	if !c.does(keysAtEntry) {
		return at.key(name) // it was not cut
	}
	return at.shortKey(name, longAttributeKey)
}

// driverName checks the name of a driver as the version does.
func (c *checker) driverName(rule, noun, value string) []problem {
	out := driverName(rule, noun, value)
	if value == "" && !c.does(missingDriverStops) {
		out = append(out, invalid(rule, "", badName(noun, "", `lower-case letters, digits, "-" and "."`)))
	}
	return out
}

// emptyPart is the problem of a name with an empty part.
func (c *checker) emptyPart(rule, value, message string) problem {
	if c.does(emptyNamesInvalid) {
		return invalid(rule, value, message)
	}
	return required(rule, message)
}

// afterSlash checks the second part of a name as the version does.
func (c *checker) afterSlash(rule, noun, value string, parts []string) []problem {
	out := afterSlash(rule, noun, value, parts)
	if parts[1] == "" && !c.does(emptyNamesInvalid) {
		out[0].kind = field.ErrorTypeRequired
	}
	return out
}
