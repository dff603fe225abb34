package allocate

import (
	"fmt"
	"math"
	"slices"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// quantities is an amount for each capacity of a device.
type quantities = map[resourceapi.QualifiedName]resource.Quantity

// capacityError is a request that the arithmetic of a device cannot hold. It
// ends the whole attempt, as in Kubernetes, instead of just ruling the device
// out.
type capacityError struct {
	name   resourceapi.QualifiedName
	reason string
}

func (e *capacityError) Error() string { return fmt.Sprintf("%s %s", e.name, e.reason) }

// sortedNames gives the capacities of a device in an order that does not
// depend on that of a map.
func sortedNames[V any](m map[resourceapi.QualifiedName]V) []resourceapi.QualifiedName {
	if len(m) == 0 {
		return nil
	}
	return appendSorted(make([]resourceapi.QualifiedName, 0, len(m)), m)
}

// appendSorted is sortedNames in memory of the caller's.
func appendSorted[V any](names []resourceapi.QualifiedName, m map[resourceapi.QualifiedName]V) []resourceapi.QualifiedName {
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// consumption works out what a request takes of each capacity of a device:
// what it asks for, rounded up by the policy, or the default, or everything.
func consumption(asked quantities, capacity map[resourceapi.QualifiedName]resourceapi.DeviceCapacity, fractional bool) (quantities, *capacityError) {
	taken := make(quantities, len(capacity))
	for _, name := range sortedNames(capacity) {
		amount := capacity[name].Value.DeepCopy()
		policy := capacity[name].RequestPolicy
		if request, ok := asked[name]; ok {
			var reason string
			if amount, reason = round(request, policy, fractional); reason != "" {
				return nil, &capacityError{name, reason}
			}
		} else if policy != nil && policy.Default != nil {
			amount = policy.Default.DeepCopy()
		}
		if amount.Sign() < 0 {
			return nil, &capacityError{name, fmt.Sprintf("%s is negative", amount.String())}
		}
		taken[name] = amount
	}
	return taken, nil
}

// round lifts a request to the next amount that the policy allows. A reason
// is given where the result does not fit into an int64 of units or
// thousandths.
func round(request resource.Quantity, policy *resourceapi.CapacityRequestPolicy, fractional bool) (resource.Quantity, string) {
	switch {
	case policy == nil:
		return request.DeepCopy(), ""
	case policy.ValidRange != nil && policy.ValidRange.Min != nil:
		return roundToStep(request, policy.ValidRange, fractional)
	case policy.ValidValues != nil:
		for _, v := range policy.ValidValues {
			if request.Cmp(v) <= 0 {
				return v.DeepCopy(), ""
			}
		}
	}
	return request, ""
}

func roundToStep(request resource.Quantity, valid *resourceapi.CapacityRequestPolicyRange, fractional bool) (resource.Quantity, string) {
	if request.Cmp(*valid.Min) < 0 {
		return valid.Min.DeepCopy(), ""
	}
	if valid.Step == nil {
		return request, ""
	}
	if inMilli(valid, fractional) {
		asked, ok := milli(request)
		low, step := valid.Min.MilliValue(), valid.Step.MilliValue()
		if !ok {
			return request, fmt.Sprintf("%s cannot be counted in thousandths", request.String())
		}
		n := ceilDiv(asked-low, step)
		if n > (math.MaxInt64-low)/step {
			return request, fmt.Sprintf("%s rounded up to the next step of %s is too large", request.String(), text(*valid.Step))
		}
		total := low + n*step
		if total%1000 == 0 {
			return *resource.NewQuantity(total/1000, valid.Step.Format), ""
		}
		return *resource.NewMilliQuantity(total, valid.Step.Format), ""
	}
	if request.CmpInt64(math.MaxInt64) > 0 {
		return request, fmt.Sprintf("%s is larger than 9223372036854775807", request.String())
	}
	// Value rounds fractions up: that is what the scheduler sees while
	// DRAFractionalCapacityRange is off.
	asked, low, step := request.Value(), valid.Min.Value(), valid.Step.Value()
	n := ceilDiv(asked-low, step)
	if low >= 0 && n > (math.MaxInt64-low)/step {
		return request, fmt.Sprintf("%s rounded up to the next step of %s is too large", request.String(), text(*valid.Step))
	}
	return *resource.NewQuantity(low+n*step, valid.Step.Format), ""
}

// ceilDiv divides and rounds toward the next step; a step of zero can only
// come from data that no API server has checked.
func ceilDiv(a, step int64) int64 {
	if step == 0 {
		return 0
	}
	n := a / step
	if a%step != 0 {
		n++
	}
	return n
}

// inMilli tells whether a range is counted in thousandths.
func inMilli(valid *resourceapi.CapacityRequestPolicyRange, fractional bool) bool {
	if !fractional {
		return false
	}
	for _, q := range []*resource.Quantity{valid.Min, valid.Max, valid.Step} {
		if q == nil {
			continue
		}
		if _, ok := milli(*q); !ok {
			return false
		}
	}
	return valid.Step == nil || valid.Step.MilliValue() >= 1
}

// milli converts to thousandths if that loses nothing.
func milli(q resource.Quantity) (int64, bool) {
	v := q.MilliValue()
	return v, q.Cmp(*resource.NewMilliQuantity(v, q.Format)) == 0
}

// refusedByPolicy tells whether a policy forbids an amount, after rounding.
func refusedByPolicy(amount resource.Quantity, policy *resourceapi.CapacityRequestPolicy, fractional bool) bool {
	if policy == nil {
		return false
	}
	// The default passes unchecked if it is the very same quantity, spelling
	// included: Kubernetes compares the structs.
	if policy.Default != nil && amount == *policy.Default {
		return false
	}
	switch {
	case policy.ValidRange != nil:
		return outsideRange(amount, policy.ValidRange, fractional)
	case len(policy.ValidValues) > 0:
		return !slices.ContainsFunc(policy.ValidValues, func(v resource.Quantity) bool { return amount.Cmp(v) == 0 })
	}
	return false
}

func outsideRange(amount resource.Quantity, valid *resourceapi.CapacityRequestPolicyRange, fractional bool) bool {
	if valid.Max != nil && amount.Cmp(*valid.Max) > 0 {
		return true
	}
	if valid.Step == nil || valid.Min == nil {
		return false
	}
	asked, low, step := amount.Value(), valid.Min.Value(), valid.Step.Value()
	if inMilli(valid, fractional) {
		var ok bool
		if asked, ok = milli(amount); !ok {
			return true
		}
		low, step = valid.Min.MilliValue(), valid.Step.MilliValue()
	}
	return step != 0 && (asked-low)%step != 0
}

// text prints a quantity. It takes a copy because printing a quantity changes
// it: the text is kept inside, and what belongs to a caller must stay as it is.
func text(q resource.Quantity) string { return q.String() }
