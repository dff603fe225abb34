package validate

import (
	resourceapi "k8s.io/api/resource/v1"

	"github.com/drawbridge-dra/drawbridge/core/feature"
)

// claim removes from the spec of a claim or a template what is off.
func (d *dropper) claim(s *resourceapi.ResourceClaimSpec, at *path) {
	devices := at.child("devices")
	for i := range s.Devices.Requests {
		r, request := &s.Devices.Requests[i], devices.child("requests").at(i)
		d.subject = named("request", r.Name, "requests", i)
		if gate, off := d.offGate(feature.DRAPrioritizedList); off {
			d.drop(len(r.FirstAvailable) > 0, "first-available-dropped", gate, request.child("firstAvailable"), "firstAvailable", "none of the alternatives is asked for")
			r.FirstAvailable = nil
		}
		if e := r.Exactly; e != nil {
			if gate, off := d.offGate(feature.DRAAdminAccess); off {
				d.drop(e.AdminAccess != nil, "admin-access-dropped", gate, request.exactly().child("adminAccess"), "adminAccess",
					"the claim takes the device away from others instead of watching it")
				e.AdminAccess = nil
			}
			d.request(&e.Tolerations, &e.Capacity, &e.DerivedAttributes, request.exactly())
		}
		for j := range r.FirstAvailable {
			sub := &r.FirstAvailable[j]
			d.subject = named("request", r.Name+"/"+sub.Name, "firstAvailable", j)
			d.request(&sub.Tolerations, &sub.Capacity, &sub.DerivedAttributes, request.child("firstAvailable").at(j))
		}
	}
	d.subject = subject{}
	for i := range s.Devices.Constraints {
		k := &s.Devices.Constraints[i]
		if gate, off := d.offGate(feature.DRAConsumableCapacity); off && d.does(distinctAttributeDropped) {
			d.drop(k.DistinctAttribute != nil, "distinct-attribute-dropped", gate, devices.child("constraints").at(i).child("distinctAttribute"), "distinctAttribute",
				"the devices need not differ in the attribute")
			k.DistinctAttribute = nil
		}
	}
}

// request removes what exact requests and alternatives have in common.
func (d *dropper) request(tolerations *[]resourceapi.DeviceToleration, capacity **resourceapi.CapacityRequirements, derived *[]resourceapi.DeviceDerivedAttribute, at *path) {
	if gate, off := d.offGate(feature.DRADeviceTaints); off && d.does(tolerationsDropped) {
		d.drop(len(*tolerations) > 0, "tolerations-dropped", gate, at.child("tolerations"), "tolerations", "taints have no effect there either")
		*tolerations = nil
	}
	if gate, off := d.offGate(feature.DRAConsumableCapacity); off {
		d.drop(*capacity != nil, "capacity-requests-dropped", gate, at.child("capacity"), "capacity", "the request takes a whole device, however small that is")
		*capacity = nil
	}
	if gate, off := d.offGate(feature.DRADerivedAttributes); off {
		d.drop(len(*derived) > 0, "derived-attributes-dropped", gate, at.child("derivedAttributes"), "derivedAttributes",
			"constraints on them look for an attribute that devices publish themselves, and find none")
		*derived = nil
	}
}
