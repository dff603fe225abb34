package validate

import (
	"strings"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

func (r *random) claim() *resourceapi.ResourceClaim {
	return &resourceapi.ResourceClaim{ObjectMeta: r.metadata(true), Spec: r.claimSpec()}
}

func (r *random) template() *resourceapi.ResourceClaimTemplate {
	t := &resourceapi.ResourceClaimTemplate{ObjectMeta: r.metadata(true), Spec: resourceapi.ResourceClaimTemplateSpec{Spec: r.claimSpec()}}
	t.Spec.Labels = mapping(r, 2, r.labelKey, r.labelValue)
	if r.faulty() {
		t.Spec.ObjectMeta = r.metadata(true)
		t.Spec.ManagedFields = []metav1.ManagedFieldsEntry{}
		t.Spec.CreationTimestamp = metav1.Unix(int64(r.IntN(2)), 0)
	}
	return t
}

func (r *random) claimSpec() (s resourceapi.ResourceClaimSpec) {
	d := &s.Devices
	d.Requests = list(r, 32, r.request)
	if r.chance(2) {
		d.Constraints = list(r, 32, func(int) resourceapi.DeviceConstraint { return r.constraint(d) })
	}
	if r.chance(3) {
		d.Config = list(r, 32, func(int) resourceapi.DeviceClaimConfiguration {
			return resourceapi.DeviceClaimConfiguration{Requests: r.references(d), DeviceConfiguration: r.config()}
		})
	}
	return s
}

func (r *random) request(i int) resourceapi.DeviceRequest {
	q := resourceapi.DeviceRequest{Name: r.name(i)}
	if r.chance(3) {
		q.FirstAvailable = list(r, 8, func(j int) resourceapi.DeviceSubRequest {
			e := r.exactly()
			return resourceapi.DeviceSubRequest{Name: r.name(j), DeviceClassName: e.DeviceClassName, Selectors: e.Selectors, AllocationMode: e.AllocationMode,
				Count: e.Count, Tolerations: e.Tolerations, Capacity: e.Capacity, DerivedAttributes: e.DerivedAttributes}
		})
	} else if !r.faulty() {
		q.Exactly = r.exactly()
	}
	if r.faulty() {
		q.Exactly = r.exactly()
	}
	return q
}

func (r *random) exactly() *resourceapi.ExactDeviceRequest {
	e := &resourceapi.ExactDeviceRequest{DeviceClassName: r.text("class")}
	if r.chance(4) {
		e.Selectors = r.selectors() // compiling them is what takes most of the time
	}
	switch r.IntN(4) {
	case 0:
		e.AllocationMode = resourceapi.DeviceAllocationModeAll
	case 1:
		e.Count = int64(1 + r.IntN(3))
	}
	if r.faulty() {
		e.AllocationMode = pick[resourceapi.DeviceAllocationMode](r, "", "all", "ExactCount", "All")
	}
	if r.faulty() {
		e.Count = pick[int64](r, -1, 0, 1, 1<<40)
	}
	if r.chance(4) {
		e.AdminAccess = ptr(r.chance(2))
	}
	if r.chance(3) {
		e.Tolerations = list(r, 17, func(i int) resourceapi.DeviceToleration {
			t := resourceapi.DeviceToleration{Key: r.text(pick(r, "", r.labelKey(i))), Operator: pick(r, resourceapi.DeviceTolerationOpEqual, resourceapi.DeviceTolerationOpExists, ""), Effect: r.effect()}
			if t.Operator != resourceapi.DeviceTolerationOpExists || r.faulty() {
				t.Value = r.labelValue()
			}
			if r.faulty() {
				t.Operator = pick[resourceapi.DeviceTolerationOperator](r, "equal", "In")
			}
			return t
		})
	}
	if r.chance(4) {
		e.Capacity = &resourceapi.CapacityRequirements{Requests: mapping(r, 2, func(i int) resourceapi.QualifiedName { return resourceapi.QualifiedName(r.oddText()) }, func() resource.Quantity { return r.quantity() })}
	}
	if r := r.boost(); r.chance(4) {
		e.DerivedAttributes = list(r, 32, func(i int) resourceapi.DeviceDerivedAttribute {
			return resourceapi.DeviceDerivedAttribute{Name: resourceapi.FullyQualifiedName(r.attributeName()), Expression: r.derivedExpression()}
		})
	}
	return e
}

func (r *random) selectors() []resourceapi.DeviceSelector {
	return list(r, 32, func(int) resourceapi.DeviceSelector {
		if r.faulty() && r.chance(3) {
			return resourceapi.DeviceSelector{}
		}
		return resourceapi.DeviceSelector{CEL: &resourceapi.CELDeviceSelector{Expression: r.expression()}}
	})
}

func (r *random) expression() string {
	if r.faulty() {
		return pick(r, "", "true &&", "device.driver", "1", `device.attributes["a"].b`, `device.attributes["a"].b == 1 || unknown`, "expression: true", "device.nothing",
			`device.attributes.exists(a, device.attributes.exists(b, device.attributes.exists(c, device.attributes.exists(d, a == b))))`,
			`device.attributes["a"].all(a, device.attributes["a"].all(b, device.attributes["a"].all(c, a == b)))`,
			`"`+strings.Repeat("a", 10238)+`" == device.driver`, strings.Repeat(" ", 10241-4)+"true", strings.Repeat(" ", 10240-4)+"true",
			`device.attributes["a"].b.includes("x")`, `device.capacity["a"].b.isGreaterThan(quantity("1x"))`, `dyn(1) == "x"`, `cel.bind(x, device.driver, x == "a")`)
	}
	return pick(r, "true", `device.driver == "gpu.example.com"`, `device.attributes["gpu.example.com"].model == "a"`, "device.allowMultipleAllocations == true",
		`device.capacity["gpu.example.com"].memory.compareTo(quantity("1Gi")) >= 0`, `device.attributes["a"].v.isGreaterThan(semver("1.2.3"))`, `"x" in device.attributes["a"]`)
}

func (r *random) derivedExpression() string {
	if r.faulty() {
		return pick(r, "", "device", "[1, 2]", "1 +", `{"a": 1}`, `quantity("1")`, `[device.driver]`,
			`device.attributes.all(a, device.attributes.all(b, device.attributes.all(c, a == b)))`, `device.attributes["a"].map(x, x)`)
	}
	return pick(r, "1", "device.driver", costly, costly, `device.attributes["a"].b`, "true", `semver("1.2.3")`, `device.attributes.all(a, device.attributes.all(b, a == b))`)
}

// costly is just allowed once, and too much twice.
const costly = nested + " || " + nested

const nested = `device.attributes.all(a, device.attributes.all(b, device.attributes.all(c, a == b)))`

func (r *random) references(d *resourceapi.DeviceClaim) []string {
	return list(r, 32, func(int) string {
		if len(d.Requests) == 0 || r.faulty() {
			return pick(r, r.oddText(), "na", "na/na", "nb/x", "na/na/na")
		}
		q := d.Requests[r.IntN(len(d.Requests))]
		if n := len(q.FirstAvailable); n > 0 && r.chance(2) {
			return q.Name + "/" + q.FirstAvailable[r.IntN(n)].Name
		}
		return q.Name
	})
}

func (r *random) constraint(d *resourceapi.DeviceClaim) resourceapi.DeviceConstraint {
	k := resourceapi.DeviceConstraint{Requests: r.references(d)}
	if r.chance(3) {
		k.DistinctAttribute = ptr(resourceapi.FullyQualifiedName(r.attributeName()))
	} else {
		k.MatchAttribute = ptr(resourceapi.FullyQualifiedName(r.attributeName()))
	}
	if r.faulty() {
		k.MatchAttribute, k.DistinctAttribute = maybe(r, 2, resourceapi.FullyQualifiedName(r.attributeName())), maybe(r, 2, resourceapi.FullyQualifiedName(r.attributeName()))
	}
	return k
}

func (r *random) config() (c resourceapi.DeviceConfiguration) {
	if r.faulty() && r.chance(3) {
		return c
	}
	c.Opaque = &resourceapi.OpaqueDeviceConfiguration{Driver: r.driver(), Parameters: runtime.RawExtension{Raw: []byte(`{"kind":"Config"}`)}}
	if r.faulty() && r.chance(4) {
		c.Opaque.Parameters.Raw = nil
	} else if r.faulty() {
		c.Opaque.Parameters.Raw = []byte(pick(r, "{}", "[]", "1", `"text"`, `{"a":"`+strings.Repeat("x", 10*1024-8)+`"}`, `{"a":"`+strings.Repeat("x", 10*1024-7)+`"}`))
	}
	return c
}

func (r *random) class() *resourceapi.DeviceClass {
	c := &resourceapi.DeviceClass{ObjectMeta: r.metadata(false)}
	c.Spec.Selectors = r.selectors()
	if r.chance(2) {
		c.Spec.Config = list(r, 32, func(int) resourceapi.DeviceClassConfiguration {
			return resourceapi.DeviceClassConfiguration{DeviceConfiguration: r.config()}
		})
	}
	if r.chance(3) {
		c.Spec.ExtendedResourceName = ptr(r.text("example.com/gpu"))
	}
	return c
}
