package allocate

import (
	"maps"

	resourceapi "k8s.io/api/resource/v1"
)

// maxTries bounds how long a world is made smaller.
const maxTries = 1000

// shrink takes away from a world what it can while the fault stays, so that a
// person can look at what is left.
func shrink(w world, faulty func(world) bool) world {
	tries := 0
	for again := true; again && tries < maxTries; {
		again = false
		for _, smaller := range w.smaller() {
			if tries++; faulty(smaller) {
				w, again = smaller, true
				break
			}
		}
	}
	return w
}

// smaller lists worlds that lack one thing.
func (w world) smaller() []world {
	var out []world
	for i := range w.slices {
		v := w.copy()
		v.slices = append(v.slices[:i], v.slices[i+1:]...)
		out = append(out, v)
	}
	for i := range w.held {
		v := w.copy()
		v.held = append(v.held[:i], v.held[i+1:]...)
		out = append(out, v)
	}
	for i := range w.claims {
		v := w.copy()
		v.claims = append(v.claims[:i], v.claims[i+1:]...)
		out = append(out, v)
	}
	for i, s := range w.slices {
		for j := range s.Spec.Devices {
			v := w.copy()
			v.slices[i].Spec.Devices = append(v.slices[i].Spec.Devices[:j], v.slices[i].Spec.Devices[j+1:]...)
			out = append(out, v)
			for _, change := range lesser {
				v := w.copy()
				if change(&v.slices[i].Spec.Devices[j]) {
					out = append(out, v)
				}
			}
		}
	}
	for i, c := range w.claims {
		for j := range c.Spec.Devices.Requests {
			v := w.copy()
			v.claims[i].Spec.Devices.Requests = append(v.claims[i].Spec.Devices.Requests[:j], v.claims[i].Spec.Devices.Requests[j+1:]...)
			out = append(out, v)
		}
		if len(c.Spec.Devices.Constraints)+len(c.Spec.Devices.Config) > 0 {
			v := w.copy()
			v.claims[i].Spec.Devices.Constraints, v.claims[i].Spec.Devices.Config = nil, nil
			out = append(out, v)
		}
	}
	return out
}

// lesser take one thing away from a device, if it has it.
var lesser = []func(d *resourceapi.Device) bool{
	func(d *resourceapi.Device) bool { had := len(d.Attributes) > 0; d.Attributes = nil; return had },
	func(d *resourceapi.Device) bool { had := len(d.Capacity) > 0; d.Capacity = nil; return had },
	func(d *resourceapi.Device) bool { had := len(d.Taints) > 0; d.Taints = nil; return had },
	func(d *resourceapi.Device) bool {
		had := len(d.ConsumesCounters) > 0
		d.ConsumesCounters = nil
		return had
	},
	func(d *resourceapi.Device) bool {
		had := d.BindingConditions != nil
		d.BindingConditions, d.BindingFailureConditions, d.BindsToNode = nil, nil, nil
		return had
	},
}

func (w world) copy() world {
	v := w
	v.node = w.node.DeepCopy()
	v.classes = maps.Clone(w.classes)
	v.slices, v.held, v.claims = nil, nil, nil
	for _, s := range w.slices {
		v.slices = append(v.slices, s.DeepCopy())
	}
	for _, c := range w.held {
		v.held = append(v.held, c.DeepCopy())
	}
	for _, c := range w.claims {
		v.claims = append(v.claims, c.DeepCopy())
	}
	return v
}
