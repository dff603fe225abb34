package validate

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }

// device checks a device of a slice. Capacity and taints that are the same as
// those of the device before an update are not looked at again by hand.
func (c *checker) device(s *resourceapi.ResourceSliceSpec, index int, was *resourceapi.Device, at *path) {
	d := &s.Devices[index]
	body := at.basic()
	if problems := label("device-name", "device name", d.Name); len(problems) > 0 {
		c.hand(at.child("name"), problems...)
	}
	c.deviceSize(d, at)
	c.attributes(s, d, body.child("attributes"))
	if was == nil || !c.does(oldCapacitiesStay) || !equality.Semantic.DeepEqual(was.Capacity, d.Capacity) {
		c.capacities(d, body.child("capacity"))
	}
	if len(d.Taints) > 0 {
		taints := func() { c.taints(d.Taints, body.child("taints")) }
		if was == nil || !c.does(oldTaintsStay) || !equality.Semantic.DeepEqual(was.Taints, d.Taints) {
			taints()
		} else {
			c.declaredOnly(taints)
		}
	}
	if len(d.ConsumesCounters) > 0 {
		c.consumptions(d.ConsumesCounters, body.child("consumesCounters"))
		if !c.does(countersApart) {
			c.counterReferences(d, s.SharedCounters, at, body)
		}
	}
	c.deviceNodes(d, s.PerDeviceNodeSelection != nil && *s.PerDeviceNodeSelection, at)
	if len(d.BindingConditions)+len(d.BindingFailureConditions) > 0 {
		c.bindingConditions(d.BindingConditions, d.BindingFailureConditions, body)
	}
	if len(d.NodeAllocatableResources) > 0 {
		c.nodeAllocatable(d, body.child("nodeAllocatableResources"))
	}
}

func (c *checker) attributes(s *resourceapi.ResourceSliceSpec, d *resourceapi.Device, at *path) {
	if allOf(d.Attributes, func(k resourceapi.QualifiedName, a *resourceapi.DeviceAttribute) bool {
		return plainlyNamed(string(k)) && plainlyRight(a)
	}) {
		return
	}
	for _, k := range sortedKeys(d.Attributes) {
		a := d.Attributes[k]
		for _, p := range c.qualifiedName("attribute-name", "attribute name", string(k)) {
			p.focus = at.key(string(k))
			c.hand(c.keyAt(at, string(k), longAttributeKey), p)
		}
		c.attribute(s, string(k), &a, at)
	}
}

// allOf tells whether all entries of a map suit. It spares the sorting of maps
// in which there is nothing to find.
func allOf[K comparable, V any](m map[K]V, suits func(K, *V) bool) bool {
	for k, v := range m {
		if !suits(k, &v) {
			return false
		}
	}
	return true
}

func (c *checker) capacities(d *resourceapi.Device, at *path) {
	if allOf(d.Capacity, func(k resourceapi.QualifiedName, v *resourceapi.DeviceCapacity) bool {
		return plainlyNamed(string(k)) && v.RequestPolicy == nil
	}) {
		return
	}
	for _, k := range sortedKeys(d.Capacity) {
		v := d.Capacity[k]
		for _, p := range c.qualifiedName("capacity-name", "capacity name", string(k)) {
			p.focus = at.key(string(k))
			c.hand(c.keyAt(at, string(k), longAttributeKey), p)
		}
		c.capacity(d, string(k), &v, c.entry(at, string(k)))
	}
}

// deviceSize bounds what a device may carry.
func (c *checker) deviceSize(d *resourceapi.Device, at *path) {
	const entries, values = resourceapi.ResourceSliceMaxAttributesAndCapacitiesPerDevice, resourceapi.ResourceSliceMaxAttributeValuesPerDevice
	if n := len(d.Attributes) + len(d.Capacity); n > entries {
		p := invalid("device-entries-max", strconv.Itoa(n), "has "+plural(len(d.Attributes), "attribute")+" and "+
			capacities(len(d.Capacity))+", together at most "+strconv.Itoa(entries)+" are allowed; leave out what no selector reads")
		p.focus = at.basic().child("attributes")
		if !c.does(insideAsV1) {
			at = at.basic()
		}
		c.hand(at, p)
	}
	n := 0
	for _, a := range d.Attributes {
		n += max(1, len(a.BoolValues)+len(a.IntValues)+len(a.StringValues)+len(a.VersionValues))
	}
	if n > values && c.does(valuesCounted) {
		p := invalid("attribute-values-max", strconv.Itoa(n), "has "+strconv.Itoa(n)+" attribute values, every item of a list counted, at most "+
			strconv.Itoa(values)+" are allowed; shorten the lists")
		p.focus = at.basic().child("attributes")
		c.hand(at, p)
	}
}

func capacities(n int) string {
	if n == 1 {
		return "1 capacity"
	}
	return strconv.Itoa(n) + " capacities"
}

// attribute checks the value of an attribute.
func (c *checker) attribute(s *resourceapi.ResourceSliceSpec, name string, a *resourceapi.DeviceAttribute, attributes *path) {
	if plainlyRight(a) {
		return
	}
	// The hand-written checks cut long names in paths, the declared do not.
	at := c.entry(attributes, name)
	exact := attributes.key(name)
	var set, filled []string // as the two passes count: a list that is there, a list that has items
	count := func(name string, there bool, items int) {
		if there {
			set = append(set, name)
		}
		if items > 0 {
			filled = append(filled, name)
		}
	}
	count("int", a.IntValue != nil, one(a.IntValue))
	count("bool", a.BoolValue != nil, one(a.BoolValue))
	count("string", a.StringValue != nil, one(a.StringValue))
	count("version", a.VersionValue != nil, one(a.VersionValue))
	count("ints", a.IntValues != nil, len(a.IntValues))
	count("bools", a.BoolValues != nil, len(a.BoolValues))
	count("strings", a.StringValues != nil, len(a.StringValues))
	count("versions", a.VersionValues != nil, len(a.VersionValues))

	subject := "attribute " + short(name)
	defer c.cutAlike(len(c.found), subject, at.name != name)
	lost := whatIsLost(s)
	if a.StringValue != nil {
		c.hand(at.child("string"), attributeString(subject, *a.StringValue, lost)...)
	}
	if a.VersionValue != nil {
		c.hand(at.child("version"), attributeVersion(subject, *a.VersionValue, lost)...)
	}
	for i, v := range a.StringValues {
		c.hand(at.child("strings").at(i), attributeString(subject+", item "+strconv.Itoa(i+1), v, lost)...)
	}
	for i, v := range a.VersionValues {
		c.hand(at.child("versions").at(i), attributeVersion(subject+", item "+strconv.Itoa(i+1), v, lost)...)
	}
	for _, list := range []struct {
		name  string
		empty bool
	}{
		{"bools", a.BoolValues != nil && len(a.BoolValues) == 0},
		{"ints", a.IntValues != nil && len(a.IntValues) == 0},
		{"strings", a.StringValues != nil && len(a.StringValues) == 0},
		{"versions", a.VersionValues != nil && len(a.VersionValues) == 0},
	} {
		if list.empty {
			c.hand(at.child(list.name), invalid("attribute-list-empty", "[]", subject+" has an empty list; list at least one value, or leave the attribute out"))
		}
	}
	byHandProblem, declaredProblem := c.attributeUnion(subject, set, a, exact), c.attributeUnion(subject, filled, a, exact)
	if byHandProblem != nil && declaredProblem != nil && at.name == exact.name {
		c.both(at, *declaredProblem)
		return
	}
	if byHandProblem != nil {
		c.hand(at, *byHandProblem)
	}
	if declaredProblem != nil {
		c.decl(exact, *declaredProblem)
	}
}

// plainlyRight recognizes what nearly all attributes are: one valid scalar.
func plainlyRight(a *resourceapi.DeviceAttribute) bool {
	const limit = resourceapi.DeviceAttributeMaxValueLength
	scalars := one(a.IntValue) + one(a.BoolValue) + one(a.StringValue) + one(a.VersionValue)
	return scalars == 1 && a.IntValues == nil && a.BoolValues == nil && a.StringValues == nil && a.VersionValues == nil &&
		(a.StringValue == nil || len(*a.StringValue) <= limit) &&
		(a.VersionValue == nil || len(*a.VersionValue) <= limit && isSemver(*a.VersionValue))
}

func one[T any](p *T) int {
	if p == nil {
		return 0
	}
	return 1
}

func (c *checker) attributeUnion(subject string, set []string, a *resourceapi.DeviceAttribute, at *path) *problem {
	if len(set) == 1 {
		return nil
	}
	message := subject + " has no value; give it exactly one of int, bool, string, version, or a list of these"
	if len(set) > 1 {
		message = subject + " has values under " + strings.Join(set, " and ") + ", exactly one is allowed; keep the one that is meant"
	} else if gate := c.dropped.gateBelow(at); gate != "" {
		message = subject + " has only a list, which is dropped because " + string(gate) + " is off, so that no value is left; give it a single value, or leave it out on such clusters"
	}
	p := invalid("attribute-union", strings.Join(set, ", "), message).because("", "none")
	switch {
	case len(set) > 1:
		text, _ := json.Marshal(a) // all of it is plain values
		p = p.because(string(text), "several")
	case !c.does(unionInvalid):
		p = required("attribute-union", message)
	}
	p.focus = at
	return &p
}

// cutAlike is called behind the checks of a value with a long name. If its path
// was cut, that of another value may read the same, and then what is wrong
// with both is the same to Kubernetes, whatever they are called.
func (c *checker) cutAlike(from int, subject string, cut bool) {
	if !cut {
		return
	}
	for i := from; i < len(c.found); i++ {
		if f := &c.found[i]; f.reason == "" {
			f.reason = strings.TrimPrefix(f.message, subject)
		} else {
			f.reason = strings.TrimPrefix(f.reason, subject)
		}
	}
}

// whatIsLost says what a single bad attribute costs: driver authors keep
// being surprised that it is the whole slice.
func whatIsLost(s *resourceapi.ResourceSliceSpec) string {
	if n := len(s.Devices); n > 1 {
		return "the API server refuses the whole slice for it, so that all " + strconv.Itoa(n) + " devices are lost"
	}
	return "the API server refuses the whole slice for it"
}

func attributeString(subject, value, lost string) []problem {
	const limit = resourceapi.DeviceAttributeMaxValueLength
	if len(value) <= limit {
		return nil
	}
	p := problem{rule: "attribute-string-length", kind: field.ErrorTypeTooLong, value: short(value), reason: "length " + strconv.Itoa(limit),
		message: subject + ": the string is " + strconv.Itoa(len(value)) + " bytes long, at most " + strconv.Itoa(limit) + " are allowed (" + lost + "); shorten it"}
	cut := strings.TrimRight(strings.ToValidUTF8(value[:limit], ""), " ")
	p.hint, p.replacement = "cut it to "+strconv.Quote(cut), cut
	return []problem{p}
}

func attributeVersion(subject, value, lost string) []problem {
	const limit = resourceapi.DeviceAttributeMaxValueLength
	var out []problem
	if !isSemver(value) {
		p := invalid("attribute-version", value, subject+": version "+quote(value)+" "+semverFault(value)+
			", a semantic version has exactly three numbers without leading zeros, such as 1.2.3 ("+lost+"); use a string attribute, or three parts")
		if mended := mendSemver(value); mended != "" && len(mended) <= limit {
			p.hint, p.replacement = "write "+mended+" as the version, or publish "+short(value)+" under string instead", mended
		} else {
			p.hint = "publish it under string instead of version"
		}
		out = append(out, p)
	}
	if len(value) > limit {
		out = append(out, tooLong("attribute-version", value, subject+": the version", limit))
	}
	return out
}
