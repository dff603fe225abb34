package validate

import (
	"strings"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/drawbridge-dra/drawbridge/core/feature"
)

func (c *checker) resourceClaim(r *resourceapi.ResourceClaim) {
	c.adminAccess(&r.Spec, r.Namespace, (*path)(nil).child("spec"))
	c.metadata(&r.ObjectMeta, namespaced, (*path)(nil).child("metadata"))
	c.claimSpec(&r.Spec, (*path)(nil).child("spec"))
}

func (c *checker) resourceClaimTemplate(t *resourceapi.ResourceClaimTemplate) {
	spec := (*path)(nil).child("spec")
	c.adminAccess(&t.Spec.Spec, t.Namespace, spec.child("spec"))
	c.metadata(&t.ObjectMeta, namespaced, (*path)(nil).child("metadata"))
	c.templateSpec(t, spec)
}

func (c *checker) templateSpec(t *resourceapi.ResourceClaimTemplate, spec *path) {
	c.templateMetadata(&t.Spec.ObjectMeta, spec.child("metadata"))
	c.claimSpec(&t.Spec.Spec, spec.child("spec"))
}

// adminAccess checks that the namespace may have claims with access to
// devices that others use.
func (c *checker) adminAccess(s *resourceapi.ResourceClaimSpec, namespace string, spec *path) {
	for i := range s.Devices.Requests {
		r := &s.Devices.Requests[i]
		if r.Exactly == nil || r.Exactly.AdminAccess == nil || !*r.Exactly.AdminAccess {
			continue
		}
		// The path that the API server gives has neither "exactly" nor, in
		// templates, the second "spec".
		at := (*path)(nil).child("spec").child("devices").child("requests").at(i).child("adminAccess")
		focus := spec.child("devices").child("requests").at(i).exactly().child("adminAccess")
		c.about(named("request", r.Name, "requests", i), func() { c.adminNamespace(namespace, at, focus) })
		return // the API server looks at the first one only
	}
}

// adminNamespace checks the namespace of an object with admin access.
func (c *checker) adminNamespace(namespace string, at, focus *path) {
	const rule, key = "admin-access", resourceapi.DRAAdminNamespaceLabelKey
	name := orDefault(namespace)
	ns := c.namespaces[name]
	p := problem{rule: rule, value: "true",
		message: "adminAccess is only allowed in a namespace with the label " + key + `: "true"; namespace ` + short(name) + " is not part of the input, so check that it has the label"}
	if ns != nil {
		if ns.Labels[key] == "true" {
			return
		}
		p = forbidden(rule, "true", "adminAccess is only allowed in a namespace with the label "+key+`: "true", which namespace `+short(name)+" does not have; label the namespace, or remove adminAccess")
	}
	p.focus = focus
	c.hand(at, p)
}

func (c *checker) claimSpec(s *resourceapi.ResourceClaimSpec, spec *path) {
	d, at := &s.Devices, spec.child("devices")
	claim := &claimContext{devices: d, constraints: at.child("constraints")}
	c.requests(claim, at.child("requests"))
	const most = resourceapi.DeviceConstraintsMaxSize
	if n := len(d.Constraints); n <= most || !c.stops(byBoth, at.child("constraints"), tooMany("constraints-max", n, most, "constraint", "split the claim")) {
		for i := range d.Constraints {
			c.constraint(claim, &d.Constraints[i], at.child("constraints").at(i))
		}
	}
	const configs = resourceapi.DeviceConfigMaxSize
	if n := len(d.Config); n <= configs || !c.stops(byBoth, at.child("config"), tooMany("config-max", n, configs, "entry", "merge entries that are for the same driver")) {
		for i := range d.Config {
			c.requestReferences(claim, d.Config[i].Requests, at.child("config").at(i).child("requests"))
			c.deviceConfig(&d.Config[i].DeviceConfiguration, at.child("config").at(i))
		}
	}
	if claim.derivedCost > resourceapi.DeviceClaimDerivedAttributeCELMaxCost {
		p := forbidden("derived-attributes-cost", "", "all derived attributes of the claim together may cost "+number(claim.derivedCost)+", at most "+
			number(resourceapi.DeviceClaimDerivedAttributeCELMaxCost)+" is allowed; simplify the expressions, or use fewer")
		p.focus = at.child("requests")
		c.hand(at, p)
	}
}

// claimContext is what the checks of a claim's parts must know of the whole.
type claimContext struct {
	devices     *resourceapi.DeviceClaim
	constraints *path
	// derivedCost sums up what derived attributes may cost.
	derivedCost uint64
	// covered is filled when it is first asked for.
	covered map[coverage]bool
}

// request finds a request by its name. The last of several requests
// with the same name counts, as for the API server.
func (claim *claimContext) request(name string) *resourceapi.DeviceRequest {
	requests := claim.devices.Requests
	for i := len(requests) - 1; i >= 0; i-- {
		if requests[i].Name == name {
			return &requests[i]
		}
	}
	return nil
}

// refers tells whether a reference names a request, or a subrequest of one.
func (claim *claimContext) refers(ref string) bool {
	name, sub, slash := strings.Cut(ref, "/")
	r := claim.request(name)
	if r == nil || !slash {
		return r != nil
	}
	for i := range r.FirstAvailable {
		if r.FirstAvailable[i].Name == sub {
			return true
		}
	}
	return false
}

// names lists what can be referred to, up to a number that is enough for
// messages.
func (claim *claimContext) names() []string {
	const enough = 100
	var out []string
	for _, r := range claim.devices.Requests {
		out = append(out, r.Name)
		for _, s := range r.FirstAvailable {
			out = append(out, r.Name+"/"+s.Name)
			if len(out) >= enough {
				return out
			}
		}
		if len(out) >= enough {
			return out
		}
	}
	return out
}

// constrains tells whether a constraint that covers the request names the
// attribute.
func (claim *claimContext) constrains(request, attribute string) bool {
	if claim.covered == nil {
		claim.covered = map[coverage]bool{}
		for i := range claim.devices.Constraints {
			claim.cover(&claim.devices.Constraints[i])
		}
	}
	parent, _, _ := strings.Cut(request, "/")
	return claim.covered[coverage{"", attribute}] || claim.covered[coverage{request, attribute}] || claim.covered[coverage{parent, attribute}]
}

// coverage says that a constraint on the attribute covers the request; an
// empty request stands for all.
type coverage struct{ request, attribute string }

func (claim *claimContext) cover(k *resourceapi.DeviceConstraint) {
	name := k.MatchAttribute
	if name == nil {
		name = k.DistinctAttribute
	}
	if name == nil {
		return
	}
	if len(k.Requests) == 0 {
		claim.covered[coverage{"", string(*name)}] = true
	}
	for _, r := range k.Requests {
		claim.covered[coverage{r, string(*name)}] = true
	}
}

func (c *checker) constraint(claim *claimContext, k *resourceapi.DeviceConstraint, at *path) {
	c.requestReferences(claim, k.Requests, at.child("requests"))
	const rule = "constraint-attribute"
	if k.MatchAttribute != nil {
		name := string(*k.MatchAttribute)
		if !c.does(domainsInvalid) && !strings.Contains(name, "/") {
			p := noDomain(rule, "matchAttribute", name)
			p.kind, p.focus = field.ErrorTypeRequired, at.child("matchAttribute")
			c.hand(p.focus.child("domain"), p)
		}
		c.merge(at.child("matchAttribute"), c.fullNameByHand(rule, "matchAttribute", name), fullName(rule, "matchAttribute", name))
	}
	if k.DistinctAttribute != nil {
		name, hand := string(*k.DistinctAttribute), []problem(nil)
		// By hand only one of the two is looked at.
		if k.MatchAttribute == nil {
			hand = c.fullNameByHand(rule, "distinctAttribute", name)
		}
		c.merge(at.child("distinctAttribute"), hand, fullName(rule, "distinctAttribute", name))
	}
	switch {
	case k.MatchAttribute != nil || k.DistinctAttribute != nil:
	case c.on(feature.DRAConsumableCapacity):
		c.hand(at, required("constraint-union", "the constraint names no attribute; set matchAttribute, or distinctAttribute"))
	default:
		message := "the constraint has no matchAttribute; name the attribute that all devices must have in common"
		if gate := c.dropped.gateOf(at.child("distinctAttribute")); gate != "" {
			message = "the constraint has only distinctAttribute, which is dropped because " + string(gate) + " is off, so that nothing is left of it; remove the constraint for such clusters"
		}
		c.hand(at.child("matchAttribute"), required("constraint-union", message))
	}
}

// requestReferences checks the names of requests that a constraint or a
// configuration is for.
func (c *checker) requestReferences(claim *claimContext, refs []string, at *path) {
	const limit = resourceapi.DeviceRequestsMaxSize
	if len(refs) > limit {
		p := tooMany("request-references-max", len(refs), limit, "name", "leave the list out if it is for all requests")
		p.message = "the list of requests " + p.message
		if c.stops(byBoth, at, p) {
			return
		}
	}
	for i, ref := range refs {
		c.hand(at.at(i), claim.reference(ref)...)
	}
	unique(refs, itself, func(i int) {
		c.both(at.at(i), duplicate("request-reference-duplicate", refs[i], "request"))
	})
}

func (claim *claimContext) reference(ref string) []problem {
	const rule = "request-reference"
	parts := strings.Split(ref, "/")
	if len(parts) > 2 {
		return []problem{invalid(rule, ref, quote(ref)+" has "+plural(len(parts)-1, "slash")+"; write the name of a request, or request/subrequest")}
	}
	var out []problem
	for _, part := range parts {
		for _, p := range label(rule, "request name", part) {
			p.hint, p.replacement, p.value = "", "", short(ref)
			out = append(out, p)
		}
	}
	if claim.refers(ref) {
		return out
	}
	p := invalid(rule, ref, "the claim has no request "+quote(ref)+"; it has "+orNone(claim.names()))
	p.meant(ref, claim.names())
	return append(out, p)
}
