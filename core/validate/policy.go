package validate

import (
	"math"
	"slices"

	"gopkg.in/inf.v0"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/drawbridge-dra/drawbridge/core/feature"
)

// capacity checks a capacity of a device and the policy that says how shares
// of it may be requested.
func (c *checker) capacity(d *resourceapi.Device, name string, v *resourceapi.DeviceCapacity, at *path) {
	if v.RequestPolicy == nil {
		return
	}
	policy := at.child("requestPolicy")
	subject := "capacity " + short(name)
	defer c.cutAlike(len(c.found), subject, at.name != name)
	if d.AllowMultipleAllocations == nil || !*d.AllowMultipleAllocations {
		p := forbidden("request-policy-exclusive", "", subject+" has a requestPolicy, but the device is not shared: a policy needs allowMultipleAllocations: true on the device; set that, or remove the policy")
		c.hand(policy, p)
		return
	}
	// Comparing quantities can change how they are represented, and Kubernetes
	// rounds some of them differently afterwards. So the comparisons below are
	// in its order, on a copy.
	c.requestPolicy(subject, v.Value, v.RequestPolicy.DeepCopy(), policy)
}

func (c *checker) requestPolicy(subject string, capacity resource.Quantity, p *resourceapi.CapacityRequestPolicy, at *path) {
	const missing = "request-policy-default"
	switch {
	case len(p.ValidValues) > 0 && p.ValidRange != nil:
		e := forbidden("request-policy-union", "", subject+" has validValues and validRange in its requestPolicy, only one of them is allowed; keep the one that is meant")
		e.focus = at.child("validRange")
		c.hand(at, e)
	case len(p.ValidValues) > 0 && p.Default == nil:
		c.hand(at.child("default"), required(missing, subject+" has validValues but no default; name the one that a claim gets when it asks for nothing"))
	case len(p.ValidValues) > 0:
		c.validValues(subject, capacity, p, at)
	case p.ValidRange != nil && p.Default == nil:
		c.hand(at.child("default"), required(missing, subject+" has validRange but no default; write what a claim gets when it asks for nothing"))
	case p.ValidRange != nil:
		c.validRange(subject, capacity, *p.Default, p.ValidRange, at)
	}
}

func (c *checker) validValues(subject string, capacity resource.Quantity, p *resourceapi.CapacityRequestPolicy, policy *path) {
	const limit = 10
	const rule = "request-policy-values"
	at, values := policy.child("validValues"), p.ValidValues
	for i := 1; i < len(values); i++ {
		if values[i-1].Cmp(values[i]) > 0 {
			c.hand(at.at(i), invalid(rule, values[i].String(), subject+": "+values[i].String()+" comes after "+values[i-1].String()+" in validValues; sort the values in ascending order"))
		}
	}
	found := false
	if len(values) > limit {
		e := tooMany("request-policy-values-max", len(values), limit, "value", "use validRange with a step for more")
		e.message = subject + " " + e.message
		c.hand(at, e)
	}
	if len(values) <= limit || !c.does(longListsStop) {
		for i := range values {
			option := values[i]
			if option.Cmp(capacity) > 0 {
				c.hand(at.at(i), invalid(rule, option.String(), subject+": "+option.String()+" in validValues is more than the whole capacity, "+capacity.String()+"; remove it, or raise the capacity"))
			}
			found = found || option.Cmp(*p.Default) == 0
		}
		fractions := c.on(feature.DRAFractionalCapacityRange)
		unique(values, func(q resource.Quantity) string {
			if fractions {
				return q.AsDec().String()
			}
			// Without the gate whole numbers are compared, so that 500m
			// and 1 are the same.
			return resource.NewQuantity(q.Value(), resource.DecimalSI).String()
		}, func(i int) {
			message := subject + ": " + values[i].String() + " is there more than once in validValues; remove it"
			if !fractions && !slices.ContainsFunc(values[:i], func(q resource.Quantity) bool { return q.Cmp(values[i]) == 0 }) {
				message = subject + ": " + values[i].String() + " is the same as another of the validValues once both are rounded up to whole numbers; remove one, or use whole numbers"
			}
			c.hand(at.at(i), problem{rule: "request-policy-values-duplicate", kind: field.ErrorTypeDuplicate, value: values[i].String(), message: message})
		})
	}
	if !found {
		e := invalid("request-policy-default", p.Default.String(), subject+": default "+p.Default.String()+" is not among the validValues; use one of them")
		if len(values) > limit && c.does(longListsStop) {
			e.message = subject + ": default " + p.Default.String() + " cannot be found in a list that is too long; shorten validValues first"
		}
		e.focus = policy.child("default")
		c.hand(at, e)
	}
}

// bound is one quantity of a range, with the name it has there.
type bound struct {
	name string
	q    *resource.Quantity
}

func (c *checker) validRange(subject string, capacity, byDefault resource.Quantity, r *resourceapi.CapacityRequestPolicyRange, policy *path) {
	const rule = "request-policy-range"
	at := policy.child("validRange")
	if r.Min == nil {
		c.hand(at.child("min"), required(rule, subject+": validRange has no min; write the smallest amount that may be requested"))
		return
	}
	// The API server reports the default below validRange, where it is not,
	// or at the bound that it breaks.
	atDefault := func(bound, message string) {
		e := invalid(rule, byDefault.String(), message)
		e.focus = policy.child("default")
		if c.does(defaultReported) {
			bound = "default"
		}
		c.hand(at.child(bound), e)
	}
	over := func(name string, q *resource.Quantity) {
		c.hand(at.child(name), invalid(rule, q.String(), subject+": "+name+" "+q.String()+" is more than the whole capacity, "+capacity.String()+"; lower it, or raise the capacity"))
	}
	if r.Min.Cmp(capacity) > 0 {
		over("min", r.Min)
	}
	if byDefault.Cmp(*r.Min) < 0 {
		atDefault("min", subject+": default "+byDefault.String()+" is less than min "+r.Min.String()+"; raise it")
	}
	if r.Max != nil {
		if r.Min.Cmp(*r.Max) > 0 {
			c.hand(at.child("max"), invalid(rule, r.Max.String(), subject+": max "+r.Max.String()+" is less than min "+r.Min.String()+"; swap or correct them"))
		}
		if r.Max.Cmp(capacity) > 0 {
			over("max", r.Max)
		}
		if byDefault.Cmp(*r.Max) > 0 {
			atDefault("max", subject+": default "+byDefault.String()+" is more than max "+r.Max.String()+"; lower it")
		}
	}
	bounds := []bound{{"default", &byDefault}, {"min", r.Min}, {"max", r.Max}, {"step", r.Step}}
	milli := false
	if c.on(feature.DRAFractionalCapacityRange) {
		for _, b := range bounds {
			milli = milli || b.q != nil && isFractional(*b.q)
		}
		if milli && !c.fitsMilli(subject, bounds, policy) {
			return
		}
	}
	if r.Step != nil {
		c.step(subject, capacity, r, bounds, milli, policy)
	}
}

// place is where a bound stands in the text: the default is beside the range,
// not in it.
func (b bound) place(policy *path) *path {
	if b.name == "default" {
		return policy.child("default")
	}
	return policy.child("validRange").child(b.name)
}

// fitsMilli checks that bounds, once one of them is fractional, are numbers of
// thousandths that Kubernetes can count with.
func (c *checker) fitsMilli(subject string, bounds []bound, policy *path) bool {
	fit := true
	for _, b := range bounds {
		if b.q == nil {
			continue
		}
		if b.q.Cmp(*resource.NewMilliQuantity(b.q.MilliValue(), b.q.Format)) == 0 {
			continue
		}
		fit = false
		e := invalid("request-policy-fraction", b.q.String(), subject+": "+b.name+" "+b.q.String()+" is not a whole number of thousandths up to 9223372036854775807m; round it")
		e.focus = b.place(policy)
		c.hand(policy.child("validRange").child(b.name), e)
	}
	return fit
}

const stepRule = "request-policy-step"

func (c *checker) step(subject string, capacity resource.Quantity, r *resourceapi.CapacityRequestPolicyRange, bounds []bound, milli bool, policy *path) {
	at := policy.child("validRange").child("step")
	if r.Step.Sign() <= 0 && c.does(stepsChecked) {
		c.hand(at, invalid(stepRule, r.Step.String(), subject+": step is "+r.Step.String()+", it must be more than 0; leave it out if any amount between min and max is fine"))
		return
	}
	first := r.Min.DeepCopy()
	first.Add(*r.Step)
	if first.Cmp(capacity) > 0 {
		c.hand(at, invalid(stepRule, r.Step.String(), subject+": min "+r.Min.String()+" plus one step of "+r.Step.String()+" is "+first.String()+", more than the whole capacity, "+capacity.String()+"; use a smaller step"))
	}
	if !c.does(stepsChecked) {
		if r.Step.Value() == 0 {
			e := invalid(stepRule, r.Step.String(), subject+": step "+r.Step.String()+" counts as 0, and this version of the API server breaks down on it; use a whole number of 1 or more")
			e.kind = field.ErrorTypeInternal
			c.hand(at, e)
			return
		}
	} else if !milli && !c.fitsInt64(subject, bounds, policy) {
		return
	}
	units := func(q *resource.Quantity) int64 {
		if milli {
			return q.MilliValue()
		}
		return q.Value()
	}
	for _, b := range bounds {
		if b.q == nil || b.name != "default" && b.name != "max" {
			continue
		}
		if n := units(r.Step); n == 0 || (units(b.q)-units(r.Min))%n != 0 {
			e := invalid(stepRule, b.q.String(), subject+": "+b.name+" "+b.q.String()+" cannot be reached from min "+r.Min.String()+" in steps of "+r.Step.String()+"; make the difference a multiple of the step").because(b.q.String(), "step")
			e.focus = b.place(policy)
			c.hand(at, e)
		}
	}
}

// fitsInt64 checks that whole numbers are in the range that Kubernetes counts
// with.
func (c *checker) fitsInt64(subject string, bounds []bound, policy *path) bool {
	fit := true
	for _, b := range bounds {
		var fault string
		switch {
		case b.q == nil:
			continue
		case b.q.Sign() < 0:
			fault = " is negative; use 0 or more"
		case b.q.CmpInt64(math.MaxInt64) > 0:
			fault = " is more than 9223372036854775807; use a larger unit for the whole policy"
		default:
			continue
		}
		fit = false
		e := invalid(stepRule, b.q.String(), subject+": "+b.name+" "+b.q.String()+fault)
		e.focus = b.place(policy)
		c.hand(policy.child("validRange").child(b.name), e)
	}
	return fit
}

func isFractional(q resource.Quantity) bool {
	exact := q.AsDec()
	return exact.Cmp(new(inf.Dec).Round(exact, 0, inf.RoundDown)) != 0
}
