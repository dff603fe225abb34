package inventory

import (
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// Held is what allocated claims hold of the devices. Allocations with admin
// access hold nothing.
type Held struct {
	// Exclusive are the devices that are given out as a whole, with the
	// claims, as namespace/name, that hold them.
	Exclusive map[DeviceID][]string
	// Shared are the devices of which shares are given out, with the claims
	// that hold one.
	Shared map[DeviceID][]string
	// Capacity is the sum of what the shares of a device consume.
	Capacity map[DeviceID]map[resourceapi.QualifiedName]resource.Quantity

	changed []DeviceID
}

// NewHeld returns a Held with nothing in it.
func NewHeld() *Held {
	return &Held{
		Exclusive: map[DeviceID][]string{},
		Shared:    map[DeviceID][]string{},
		Capacity:  map[DeviceID]map[resourceapi.QualifiedName]resource.Quantity{},
	}
}

// Add notes what a claim holds, if it is allocated.
func (h *Held) Add(claim *resourceapi.ResourceClaim, features Features) {
	if claim.Status.Allocation == nil {
		return
	}
	holder := claim.Namespace + "/" + claim.Name
	for i := range claim.Status.Allocation.Devices.Results {
		result := &claim.Status.Allocation.Devices.Results[i]
		if isTrue(result.AdminAccess) {
			continue
		}
		id := DeviceID{result.Driver, result.Pool, result.Device}
		h.changed = append(h.changed, id)
		if !features.ConsumableCapacity || result.ShareID == nil {
			h.Exclusive[id] = append(h.Exclusive[id], holder)
			continue
		}
		h.Shared[id] = append(h.Shared[id], holder)
		if result.ConsumedCapacity == nil {
			continue
		}
		sum := h.Capacity[id]
		if sum == nil {
			sum = map[resourceapi.QualifiedName]resource.Quantity{}
			h.Capacity[id] = sum
		}
		for name, q := range result.ConsumedCapacity {
			total := sum[name].DeepCopy()
			total.Add(q)
			sum[name] = total
		}
	}
}

// Changes are the devices of which something was given out, in order. Who
// has seen the first n of them need only look at the rest.
func (h *Held) Changes() []DeviceID { return h.changed }

// Any tells whether a claim holds the device or a share of it.
func (h *Held) Any(id DeviceID) bool {
	return len(h.Exclusive[id]) > 0 || len(h.Shared[id]) > 0
}

// Holders lists the claims that hold the device or a share of it.
func (h *Held) Holders(id DeviceID) []string {
	if list := h.Exclusive[id]; len(list) > 0 {
		return list
	}
	return h.Shared[id]
}
