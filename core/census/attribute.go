package census

import (
	"strconv"
	"strings"

	resourceapi "k8s.io/api/resource/v1"
)

// KindOf names the type of an attribute's value; "" where it has none or
// several, which the API server rejects.
func KindOf(a *resourceapi.DeviceAttribute) string {
	kind, n := "", 0
	is := func(set bool, name string) {
		if set {
			kind, n = name, n+1
		}
	}
	is(a.IntValue != nil, "int")
	is(a.BoolValue != nil, "bool")
	is(a.StringValue != nil, "string")
	is(a.VersionValue != nil, "version")
	is(a.IntValues != nil, "ints")
	is(a.BoolValues != nil, "bools")
	is(a.StringValues != nil, "strings")
	is(a.VersionValues != nil, "versions")
	if n != 1 {
		return ""
	}
	return kind
}

// TextOf renders the value of an attribute, to compare and to show it.
func TextOf(a resourceapi.DeviceAttribute) string {
	switch {
	case a.IntValue != nil:
		return strconv.FormatInt(*a.IntValue, 10)
	case a.BoolValue != nil:
		return strconv.FormatBool(*a.BoolValue)
	case a.StringValue != nil:
		return *a.StringValue
	case a.VersionValue != nil:
		return *a.VersionValue
	}
	return ""
}

// Qualified gives a name without a domain the driver's.
func Qualified(driver string, k resourceapi.QualifiedName) string {
	if strings.Contains(string(k), "/") {
		return string(k)
	}
	return driver + "/" + string(k)
}

// Counts tells whether an attribute counts: where a device has a name with its
// domain as well, only that does, as for constraints.
func Counts(driver string, k resourceapi.QualifiedName, d *resourceapi.Device) bool {
	if strings.Contains(string(k), "/") {
		return true
	}
	_, both := d.Attributes[resourceapi.QualifiedName(Qualified(driver, k))]
	return !both
}

// HasTwins tells whether any attribute of a device is there with the driver's
// domain and without, which is rare.
func HasTwins(driver string, d *resourceapi.Device) bool {
	for k := range d.Attributes {
		domain, id, found := strings.Cut(string(k), "/")
		if !found || domain != driver {
			continue
		}
		if _, both := d.Attributes[resourceapi.QualifiedName(id)]; both && !strings.Contains(id, "/") {
			return true
		}
	}
	return false
}

// FullNames remembers the full names of what a driver publishes, which are the
// same in most of its devices.
type FullNames struct {
	Driver string
	known  map[resourceapi.QualifiedName]string
}

func (f *FullNames) Of(k resourceapi.QualifiedName) string {
	if full, ok := f.known[k]; ok {
		return full
	}
	if f.known == nil {
		f.known = map[resourceapi.QualifiedName]string{}
	}
	full := Qualified(f.Driver, k)
	f.known[k] = full
	return full
}
