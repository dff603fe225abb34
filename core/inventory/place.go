package inventory

import (
	"fmt"
	"slices"

	resourceapi "k8s.io/api/resource/v1"
)

// Place is where in an object of the cluster something lies.
type Place struct {
	// Object is the object as it was given; nil for no place.
	Object any
	// Field is the path inside it.
	Field string
}

// At is a place in the slice as it was published.
func (s *Slice) At(field string) Place { return Place{s.origin, field} }

// DeviceAt is a place in the device at an index; rest continues the path.
func (s *Slice) DeviceAt(i int, rest string) Place {
	return s.At(fmt.Sprintf("spec.devices[%d]%s", i, rest))
}

// TaintAt is where a taint of the device at an index is set: in the slice, or
// in a rule.
func (s *Slice) TaintAt(i int, taint *resourceapi.DeviceTaint) Place {
	for t := range s.Spec.Devices[i].Taints {
		if &s.Spec.Devices[i].Taints[t] != taint {
			continue
		}
		if own := len(s.origin.Spec.Devices[i].Taints); t >= own {
			return Place{s.rules[i][t-own], "spec.taint"}
		}
		return s.DeviceAt(i, fmt.Sprintf(".taints[%d]", t))
	}
	return Place{}
}

// UnreadableSelector is the error of a slice whose node selector cannot be
// parsed.
type UnreadableSelector struct {
	Slice string
	At    Place
	Err   error
}

func (e *UnreadableSelector) Error() string {
	return fmt.Sprintf("the node selector of ResourceSlice %s cannot be read: %v", e.Slice, e.Err)
}

func (e *UnreadableSelector) Unwrap() error { return e.Err }

// unreadable finds the selector that cannot be parsed: the slice's own, or
// that of one of its devices.
func (s *Slice) unreadable(err error) error {
	out := &UnreadableSelector{Slice: s.Name, At: s.At("spec.nodeSelector"), Err: err}
	if s.selector == nil {
		i := slices.IndexFunc(s.perDevice, func(p *parsedSelector) bool { return p != nil && p.err != nil })
		out.At = s.DeviceAt(i, ".nodeSelector")
	}
	return out
}
