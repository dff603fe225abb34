package allocate

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	resourceapi "k8s.io/api/resource/v1"
)

// attribute is the value of a device attribute in a form that compares
// quickly: its type and its values as text, sorted and without repetition.
type attribute struct {
	kind   byte // i, b, s or v; 0 where there is none
	list   bool
	values []string
}

func attributeOf(a *resourceapi.DeviceAttribute) attribute {
	var out attribute
	switch {
	case len(a.IntValues) > 0:
		out = attribute{'i', true, texts(a.IntValues, func(i int64) string { return strconv.FormatInt(i, 10) })}
	case len(a.BoolValues) > 0:
		out = attribute{'b', true, texts(a.BoolValues, strconv.FormatBool)}
	case len(a.StringValues) > 0:
		out = attribute{'s', true, slices.Clone(a.StringValues)}
	case len(a.VersionValues) > 0:
		out = attribute{'v', true, slices.Clone(a.VersionValues)}
	case a.IntValue != nil:
		return attribute{'i', false, []string{strconv.FormatInt(*a.IntValue, 10)}}
	case a.BoolValue != nil:
		return attribute{'b', false, []string{strconv.FormatBool(*a.BoolValue)}}
	case a.StringValue != nil:
		return attribute{'s', false, []string{*a.StringValue}}
	case a.VersionValue != nil:
		return attribute{'v', false, []string{*a.VersionValue}}
	default:
		return attribute{}
	}
	slices.Sort(out.values)
	out.values = slices.Compact(out.values)
	return out
}

func texts[T any](list []T, text func(T) string) []string {
	out := make([]string, len(list))
	for i, v := range list {
		out[i] = text(v)
	}
	return out
}

func (a attribute) String() string {
	if !a.list {
		return a.text()
	}
	return "[" + a.text() + "]"
}

func (a attribute) text() string {
	quoted := make([]string, len(a.values))
	for i, v := range a.values {
		if quoted[i] = v; a.kind == 's' {
			quoted[i] = strconv.Quote(v)
		}
	}
	return strings.Join(quoted, ", ")
}

// common returns the values that both have, nothing if their types differ.
// Values are sorted, so one walk over both does it.
func (a attribute) common(b attribute) attribute {
	out := attribute{a.kind, a.list, nil}
	if a.kind != b.kind {
		return out
	}
	if slices.Equal(a.values, b.values) {
		return a
	}
	for i, j := 0, 0; i < len(a.values) && j < len(b.values); {
		switch c := strings.Compare(a.values[i], b.values[j]); {
		case c < 0:
			i++
		case c > 0:
			j++
		default:
			out.values = append(out.values, a.values[i])
			i, j = i+1, j+1
		}
	}
	return out
}

// constraint is a matchAttribute or distinctAttribute of a claim.
type constraint struct {
	// id counts the constraints of all claims together.
	id       int
	distinct bool
	name     resourceapi.FullyQualifiedName
	requests []string
	// lists is true where attributes with several values compare as sets.
	lists bool
	// index is the position in the claim.
	index int
}

// field is the path inside the claim.
func (c *constraint) field() string {
	name := "matchAttribute"
	if c.distinct {
		name = "distinctAttribute"
	}
	return fmt.Sprintf("spec.devices.constraints[%d].%s", c.index, name)
}

// covers tells whether the constraint is about a request.
func (c *constraint) covers(a *ask) bool {
	return len(c.requests) == 0 || slices.Contains(c.requests, a.name) ||
		a.parent != "" && slices.Contains(c.requests, a.parent)
}

func (c *constraint) code() Code {
	if c.distinct {
		return DistinctAttribute
	}
	return MatchAttribute
}

// admits tells whether a device with the value may join those under the
// constraint, and what to push onto the stack if it does: for a match, the
// values still common; for a distinct constraint, the values of the device.
func (c *constraint) admits(stack []attribute, v attribute) (attribute, bool) {
	if c.lists {
		return c.admitsSet(stack, v)
	}
	if c.distinct {
		// A list counts as unknown as soon as there is something to compare
		// it with, whatever that is.
		if len(stack) > 0 && (v.list || v.kind == 0) {
			return v, false
		}
		for _, other := range stack {
			if !other.list && other.kind == v.kind && other.values[0] == v.values[0] {
				return v, false
			}
		}
		return v, true
	}
	if len(stack) == 0 {
		return v, true
	}
	first := stack[0]
	ok := v.kind != 0 && !v.list && !first.list && first.kind == v.kind && first.values[0] == v.values[0]
	return first, ok
}

func (c *constraint) admitsSet(stack []attribute, v attribute) (attribute, bool) {
	if v.kind == 0 {
		return v, false
	}
	if c.distinct {
		for _, other := range stack {
			if len(v.common(other).values) > 0 {
				return v, false
			}
		}
		return v, true
	}
	if len(stack) == 0 {
		return v, true
	}
	shared := stack[len(stack)-1].common(v)
	return shared, len(shared.values) > 0
}

// state spells out what a constraint remembers.
func (c *constraint) state(stack []attribute) string {
	if len(stack) == 0 {
		return ""
	}
	if !c.distinct {
		top := stack[len(stack)-1]
		return string(top.kind) + top.String()
	}
	values := make([]string, len(stack))
	for i, v := range stack {
		values[i] = string(v.kind) + v.String()
	}
	slices.Sort(values)
	return strings.Join(values, ",")
}

// AttributeText is what a device has for an attribute, as a message would say
// it; empty if it has nothing.
func AttributeText(driver string, device *resourceapi.Device, name resourceapi.FullyQualifiedName) string {
	a := find(driver, device, name)
	if a == nil {
		return ""
	}
	return attributeOf(a).String()
}

// find looks an attribute up on a device: by its qualified name, or by its
// bare name if the domain is the driver's own.
func find(driver string, device *resourceapi.Device, name resourceapi.FullyQualifiedName) *resourceapi.DeviceAttribute {
	if a, ok := device.Attributes[resourceapi.QualifiedName(name)]; ok {
		return &a
	}
	domain, id, ok := strings.Cut(string(name), "/")
	if !ok || domain != driver {
		return nil
	}
	if a, ok := device.Attributes[resourceapi.QualifiedName(id)]; ok {
		return &a
	}
	return nil
}
