package validate

import (
	"strconv"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/drawbridge-dra/drawbridge/core/nearest"
)

func (c *checker) requests(claim *claimContext, at *path) {
	list := claim.devices.Requests
	if n := len(list); n > resourceapi.DeviceRequestsMaxSize {
		if c.stops(byBoth, at, tooMany("requests-max", n, resourceapi.DeviceRequestsMaxSize, "request", "use count for several devices of one kind, or several claims")) {
			return
		}
	}
	for i := range list {
		c.about(named("request", list[i].Name, "requests", i), func() { c.request(claim, &list[i], at.at(i)) })
	}
	unique(list, func(r resourceapi.DeviceRequest) string { return r.Name }, func(i int) {
		p := duplicate("request-name-duplicate", list[i].Name, "request")
		p.focus = at.at(i).child("name")
		c.both(c.duplicateOf(at.at(i), "name"), p)
	})
}

func (c *checker) request(claim *claimContext, r *resourceapi.DeviceRequest, at *path) {
	const rule = "request-union"
	c.hand(at.child("name"), label("request-name", "request name", r.Name)...)
	body := func() {
		if r.Exactly != nil {
			c.exactly(claim, r, at.exactly())
		}
		c.firstAvailable(claim, r, at.child("firstAvailable"))
	}
	switch first := len(r.FirstAvailable) > 0; {
	case !first && r.Exactly == nil && !c.does(insideAsV1):
		c.className(byHand, "", at.exactly().child("deviceClassName"))
	case !first && r.Exactly == nil:
		message := "asks for nothing; set exactly, or firstAvailable for a list of alternatives"
		if gate := c.dropped.gateOf(at.child("firstAvailable")); gate != "" {
			message = "has only firstAvailable, which is dropped because " + string(gate) + " is off, so that nothing is left of it; use exactly on such clusters"
		} else if c.beta1 {
			message = "asks for nothing; set deviceClassName, or firstAvailable for a list of alternatives"
		}
		c.hand(at, required(rule, message))
	case first && r.Exactly != nil:
		message := "has both exactly and firstAvailable, only one of them is allowed; move what is in exactly into the list, or remove one"
		if c.beta1 {
			message = "has firstAvailable and fields of a single request such as deviceClassName or count, only one of the two is allowed; move the fields into the list, or remove them"
		}
		p := invalid(rule, "", message)
		p.focus = at.child("firstAvailable")
		c.hand(at, p)
		if c.does(unionStops) {
			c.declaredOnly(body)
		} else {
			body()
		}
	default:
		body()
	}
}

// single is what an exact request and an alternative have in common.
type single struct {
	reference   string
	class       string
	selectors   []resourceapi.DeviceSelector
	mode        resourceapi.DeviceAllocationMode
	count       int64
	tolerations []resourceapi.DeviceToleration
	derived     []resourceapi.DeviceDerivedAttribute
}

func (c *checker) exactly(claim *claimContext, r *resourceapi.DeviceRequest, at *path) {
	e := r.Exactly
	c.className(byHand, e.DeviceClassName, at.child("deviceClassName"))
	c.single(claim, &single{r.Name, e.DeviceClassName, e.Selectors, e.AllocationMode, e.Count, e.Tolerations, e.DerivedAttributes}, at)
}

func (c *checker) firstAvailable(claim *claimContext, r *resourceapi.DeviceRequest, at *path) {
	list := r.FirstAvailable
	if n := len(list); n > resourceapi.FirstAvailableDeviceRequestMaxSize {
		if c.stops(byBoth, at, tooMany("first-available-max", n, resourceapi.FirstAvailableDeviceRequestMaxSize, "alternative", "keep the best")) {
			return
		}
	}
	for i := range list {
		s, sub := &list[i], at.at(i)
		c.about(named("request", r.Name+"/"+s.Name, "firstAvailable", i), func() {
			c.hand(sub.child("name"), label("request-name", "alternative name", s.Name)...)
			c.className(byBoth, s.DeviceClassName, sub.child("deviceClassName"))
			c.single(claim, &single{r.Name + "/" + s.Name, s.DeviceClassName, s.Selectors, s.AllocationMode, s.Count, s.Tolerations, s.DerivedAttributes}, sub)
		})
	}
	unique(list, func(s resourceapi.DeviceSubRequest) string { return s.Name }, func(i int) {
		p := duplicate("request-name-duplicate", list[i].Name, "alternative")
		p.focus = at.at(i).child("name")
		c.both(c.duplicateOf(at.at(i), "name"), p)
	})
}

func (c *checker) className(who passes, name string, at *path) {
	const rule = "device-class-name"
	if name == "" {
		c.add(who, at, required(rule, "deviceClassName is missing; name a DeviceClass"))
		return
	}
	c.add(who, at, subdomain(rule, "deviceClassName", name)...)
}

func (c *checker) single(claim *claimContext, s *single, at *path) {
	c.selectors(s.selectors, at.child("selectors"))
	c.derivedAttributes(claim, s, at.child("derivedAttributes"))
	switch s.mode {
	case resourceapi.DeviceAllocationModeAll:
		if s.count != 0 {
			c.hand(at.child("count"), invalid("count", strconv.FormatInt(s.count, 10), "count is "+strconv.FormatInt(s.count, 10)+", but allocationMode All takes every device that matches; remove count, or use ExactCount"))
		}
	case resourceapi.DeviceAllocationModeExactCount:
		if s.count <= 0 {
			c.hand(at.child("count"), invalid("count", strconv.FormatInt(s.count, 10), "count is "+strconv.FormatInt(s.count, 10)+", it must be 1 or more"))
		}
	default:
		who := byBoth
		if s.mode == "" {
			// v1beta1 without a class: the declared pass takes it for absent.
			who = byHand
		}
		c.add(who, at.child("allocationMode"), oneOf("allocation-mode", string(s.mode), "allocationMode", string(resourceapi.DeviceAllocationModeExactCount), string(resourceapi.DeviceAllocationModeAll)))
	}
	c.tolerations(s.tolerations, at.child("tolerations"))
}

// meant adds the name that somebody most likely wanted to write.
func (p *problem) meant(written string, names []string) {
	if name := nearest.Name(written, names); name != "" {
		p.message += "; did you mean " + short(name) + "?"
		p.hint, p.replacement = "write "+short(name), name
	}
}
