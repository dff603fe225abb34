package schedule

import (
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
	"k8s.io/utils/ptr"

	"github.com/drawbridge-dra/drawbridge/core/footprint"
	"github.com/drawbridge-dra/drawbridge/core/inventory"
)

// devices finds the device of an allocation, which may be one that no pool
// offers any more.
type devices struct {
	byID map[inventory.DeviceID][]published
}

type published struct {
	slice  *resourceapi.ResourceSlice
	device *resourceapi.Device
}

// newDevices indexes the slices. If it is not wanted, no device is found.
func newDevices(slices []*resourceapi.ResourceSlice, wanted bool) *devices {
	d := &devices{byID: map[inventory.DeviceID][]published{}}
	if !wanted {
		return d
	}
	for _, s := range slices {
		for i := range s.Spec.Devices {
			id := inventory.DeviceID{Driver: s.Spec.Driver, Pool: s.Spec.Pool.Name, Device: s.Spec.Devices[i].Name}
			d.byID[id] = append(d.byID[id], published{s, &s.Spec.Devices[i]})
		}
	}
	return d
}

// on looks for devices that a node sees, or anywhere if it is nil. Of several
// with one name the first slice counts.
func (d *devices) on(node *corev1.Node) footprint.Lookup {
	return func(r *resourceapi.DeviceRequestAllocationResult) *resourceapi.Device {
		for _, p := range d.byID[inventory.DeviceID{Driver: r.Driver, Pool: r.Pool, Device: r.Device}] {
			spec := &p.slice.Spec
			perDevice := ptr.Deref(spec.PerDeviceNodeSelection, false)
			switch {
			case node == nil:
				return p.device
			case !perDevice && !isFor(spec.NodeName, spec.AllNodes, spec.NodeSelector, node):
				continue
			case perDevice && !isFor(p.device.NodeName, p.device.AllNodes, p.device.NodeSelector, node):
				return nil
			}
			return p.device
		}
		return nil
	}
}

func isFor(name *string, all *bool, selector *corev1.NodeSelector, node *corev1.Node) bool {
	return name != nil && *name == node.Name || ptr.Deref(all, false) || selector != nil && matches(selector, node)
}

// matches tells whether a node selector matches; one that cannot be read does
// not.
func matches(selector *corev1.NodeSelector, node *corev1.Node) bool {
	s, err := nodeaffinity.NewNodeSelector(selector)
	return err == nil && s.Match(node)
}
