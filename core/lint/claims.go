package lint

import (
	"fmt"
	"reflect"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/drawbridge-dra/drawbridge/core/bundle"
	"github.com/drawbridge-dra/drawbridge/core/diag"
)

// claimSpec is the spec of a claim or of a template: nearly every rule treats
// the two alike.
type claimSpec struct {
	object *bundle.Object
	name   name
	spec   *resourceapi.ResourceClaimSpec
	prefix string
	// claim is nil for a template.
	claim    *resourceapi.ResourceClaim
	requests []request
	// byName holds requests and "request/subrequest", and under the name of
	// a request with alternatives all of these.
	byName map[string][]int
	// parents are the names of the requests.
	parents map[string]bool
}

// request is one that devices can be allocated for: exactly one, or one of
// the alternatives of a prioritized list.
type request struct {
	// full is "request" or "request/subrequest", parent the first of them.
	full, parent string
	path         string
	alternative  bool
	resourceapi.ExactDeviceRequest
}

func (s *claimSpec) at(parts ...any) place {
	return place{s.object, at(append([]any{s.prefix}, parts...)...)}
}

// under is the place of a field of a request.
func (s *claimSpec) under(q request, parts ...any) place {
	return place{s.object, at(append([]any{q.path}, parts...)...)}
}

// String names the object as its author would look for it.
func (s *claimSpec) String() string { return s.object.Ref.Kind + " " + s.name.String() }

func newClaimSpec(o *bundle.Object, spec *resourceapi.ResourceClaimSpec, prefix string) *claimSpec {
	s := &claimSpec{
		object: o, name: named(o.Ref.Namespace, o.Ref.Name), spec: spec, prefix: prefix,
		byName: map[string][]int{}, parents: map[string]bool{},
	}
	for i, r := range spec.Devices.Requests {
		s.parents[r.Name] = true
		path := at(prefix, "devices.requests", i)
		if r.Exactly != nil && len(r.FirstAvailable) > 0 {
			continue // The API server rejects it, and what is meant is not known.
		}
		if r.Exactly != nil {
			s.add(request{full: r.Name, parent: r.Name, path: at(path, "exactly"), ExactDeviceRequest: *r.Exactly})
		}
		for j, sub := range r.FirstAvailable {
			s.add(request{
				full: r.Name + "/" + sub.Name, parent: r.Name, path: at(path, "firstAvailable", j), alternative: true,
				ExactDeviceRequest: resourceapi.ExactDeviceRequest{
					DeviceClassName: sub.DeviceClassName, Selectors: sub.Selectors, AllocationMode: sub.AllocationMode,
					Count: sub.Count, Tolerations: sub.Tolerations, Capacity: sub.Capacity, DerivedAttributes: sub.DerivedAttributes,
				},
			})
		}
	}
	return s
}

func (s *claimSpec) add(q request) {
	i := len(s.requests)
	s.requests = append(s.requests, q)
	s.byName[q.full] = append(s.byName[q.full], i)
	if q.parent != q.full {
		s.byName[q.parent] = append(s.byName[q.parent], i)
	}
}

// refer returns the requests that a constraint or a configuration is for.
func (s *claimSpec) refer(names []string) []request {
	if len(names) == 0 {
		return s.requests
	}
	var list []request
	taken := map[int]bool{}
	for _, n := range names {
		for _, i := range s.byName[n] {
			if !taken[i] {
				taken[i] = true
				list = append(list, s.requests[i])
			}
		}
	}
	return list
}

// all tells whether a request takes every device that suits.
func (q request) all() bool { return q.AllocationMode == resourceapi.DeviceAllocationModeAll }

// wants is how many devices an ExactCount request takes.
func (q request) wants() int64 {
	if q.Count == 0 {
		return 1
	}
	return q.Count
}

// driverIn returns the driver that one of the expressions demands, where it
// is plain about it. Anything cleverer counts as unknown, which makes the
// rules that ask more lenient and never wrong.
func (c *cluster) driverIn(selectors []resourceapi.DeviceSelector) string {
	for _, p := range c.selectorPrograms(selectors) {
		if p.Driver != "" {
			return p.Driver
		}
	}
	return ""
}

// demanded is the driver whose devices a request wants, where its selectors
// or its class are plain about it.
func (c *cluster) demanded(q request) string {
	if d := c.driverIn(q.Selectors); d != "" {
		return d
	}
	return c.driverIn(selectorsOf(c.classByID[q.DeviceClassName]))
}

// offered returns what a request can get as far as a look at the selectors
// tells: the devices of one driver, or of all; nil if the bundle holds none
// of them.
func (c *cluster) offered(q request) *driver {
	wanted := c.demanded(q)
	d := c.drivers[wanted]
	if wanted == "" {
		d = c.allDrivers()
	}
	if d == nil || d.Devices == 0 || d.Crowded {
		return nil
	}
	return d
}

// selectorsOf returns the selectors of a class, none for one that is not
// there.
func selectorsOf(cl class) []resourceapi.DeviceSelector {
	if cl.value == nil {
		return nil
	}
	return cl.value.Spec.Selectors
}

// missingClass is an error where the bundle brings classes along: then one
// that is missing is most likely a wrong name, or a class that nobody
// installed. With slices and no class at all it is a warning, because these
// objects come from a cluster and somebody left the classes out. A claim by
// itself is what an author checks while writing it; the class lives in the
// cluster, and a remark is enough.
func missingClass(c *cluster, r *reporter) {
	if c.namelessClass || !c.knows("DeviceClass") {
		return
	}
	severity := diag.Info
	switch {
	case c.around != nil:
		severity = diag.Warning // It may be about to come.
	case len(c.classNames) > 0:
		severity = diag.Error
	case len(c.slices) > 0:
		severity = diag.Warning
	}
	meant := map[string]string{}
	for _, s := range c.specs {
		for _, q := range s.requests {
			n := q.DeviceClassName
			if n == "" || c.has("DeviceClass", named("", n)) {
				continue
			}
			f := finding{
				at: s.under(q, "deviceClassName"), severity: severity, value: n,
				message: fmt.Sprintf("DeviceClass %s is not in the %s; pods that need the claim stay pending until it exists", n, c.where()),
			}
			near, known := meant[n]
			if !known {
				// Classes are few, and a name far away is still of use to
				// somebody who wonders which ones there are.
				near = c.guessWithin(n, c.classNames, len(n)/2)
				meant[n] = near
			}
			if near != "" {
				f.message += ", and the nearest name here is " + near
				f.fix = replace(f.at, near, "use DeviceClass "+near)
				if cl, ok := c.classByID[near]; ok {
					f.related = related("the nearest class", cl.at("metadata.name"))
				}
			}
			r.report(f)
		}
	}
}

// configUnknownDriver compares with the drivers of the slices. Only a name
// that is nearly one of them is worth a warning: the slices of a driver may
// be elsewhere.
func configUnknownDriver(c *cluster, r *reporter) {
	if len(c.driverList) == 0 || !c.knows("ResourceSlice") {
		return
	}
	check := func(at place, opaque *resourceapi.OpaqueDeviceConfiguration) {
		if opaque == nil || opaque.Driver == "" || c.drivers[opaque.Driver] != nil {
			return
		}
		f := finding{
			at: at, severity: diag.Info, value: opaque.Driver,
			message: fmt.Sprintf("no slice of the %s is published by driver %s, and every other driver ignores this configuration", c.where(), opaque.Driver),
		}
		if meant := c.guess(opaque.Driver, c.driverList); meant != "" {
			f.severity = diag.Warning
			f.message += "; did you mean " + meant + "?"
			f.fix = replace(at, meant, "write "+meant)
		}
		r.report(f)
	}
	for _, s := range c.specs {
		for i, config := range s.spec.Devices.Config {
			check(s.at("devices.config", i, "opaque.driver"), config.Opaque)
		}
	}
	for _, cl := range c.classes {
		for i, config := range cl.value.Spec.Config {
			check(cl.at("spec.config", i, "opaque.driver"), config.Opaque)
		}
	}
}

// claimDeviceLimit adds up what a claim asks for at the least.
func claimDeviceLimit(c *cluster, r *reporter) {
	for _, s := range c.specs {
		least := map[string]int64{}
		for _, q := range s.requests {
			n := q.wants()
			if q.all() {
				// All may turn out to be none, which merely does not fit.
				n = 1
			}
			if n > resourceapi.AllocationResultsMaxSize {
				n = resourceapi.AllocationResultsMaxSize + 1
			}
			if before, ok := least[q.parent]; !ok || n < before {
				least[q.parent] = n
			}
		}
		var total int64
		for _, n := range least {
			total += n
		}
		if total <= resourceapi.AllocationResultsMaxSize {
			continue
		}
		r.report(finding{
			at: s.at("devices.requests"),
			message: fmt.Sprintf("the requests of %s want more than %d devices together, and no claim can hold more, so it is never allocated; use several claims",
				s, resourceapi.AllocationResultsMaxSize),
		})
	}
}

// alternativeShadowed compares alternatives that differ in their count alone:
// where the larger number of devices is to be had, so is the smaller.
func alternativeShadowed(c *cluster, r *reporter) {
	for _, s := range c.specs {
		s.eachShadowed(func(later, earlier request) {
			r.report(finding{
				at:    s.under(later, "name"),
				value: later.full,
				message: fmt.Sprintf("alternative %s is never chosen: %s before it wants the same devices and no more of them; put the larger number first",
					later.full, earlier.full),
				related: related("the alternative that always fits as well", s.under(earlier, "name")),
			})
		})
	}
}

// shadowed maps each alternative that is never chosen to the one that is
// chosen instead.
func (s *claimSpec) shadowed() map[string]string {
	never := map[string]string{}
	s.eachShadowed(func(later, earlier request) { never[later.full] = earlier.full })
	return never
}

func (s *claimSpec) eachShadowed(f func(later, earlier request)) {
	if len(s.requests) > 8*resourceapi.DeviceRequestsMaxSize {
		return // The API server rejects it.
	}
	for i, later := range s.requests {
		if !later.alternative {
			continue
		}
		for _, j := range s.byName[later.parent] {
			earlier := s.requests[j]
			if j < i && earlier.full != later.full && earlier.wants() <= later.wants() && sameBut(earlier, later) {
				f(later, earlier)
				break
			}
		}
	}
}

// sameBut compares two alternatives in all but name and count.
func sameBut(a, b request) bool {
	return !a.all() && !b.all() && a.DeviceClassName == b.DeviceClassName && a.Capacity == nil && b.Capacity == nil &&
		len(a.DerivedAttributes)+len(b.DerivedAttributes) == 0 &&
		reflect.DeepEqual(a.Selectors, b.Selectors) && reflect.DeepEqual(a.Tolerations, b.Tolerations)
}
