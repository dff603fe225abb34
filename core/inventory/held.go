package inventory

import (
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// Held is what allocated claims hold of the devices. Allocations with admin
// access hold nothing. Its maps are for reading; Add, Hold and Share note more.
type Held struct {
	// Exclusive are the devices that are given out as a whole, with the
	// claims, as namespace/name, that hold them.
	Exclusive map[DeviceID][]string
	// Shared are the devices of which shares are given out, with the claims
	// that hold one.
	Shared map[DeviceID][]string
	// Capacity is the sum of what the shares of a device consume.
	Capacity map[DeviceID]map[resourceapi.QualifiedName]resource.Quantity

	changes map[PoolID]*Changes
	count   int
}

// Changes are the devices of a pool of which something was given out, in
// order. Who has seen the first n of them need only look at the rest.
type Changes struct{ Devices []DeviceID }

// NewHeld returns a Held with nothing in it.
func NewHeld() *Held {
	return &Held{}
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
		if !features.ConsumableCapacity || result.ShareID == nil {
			h.Hold(id, holder)
		} else {
			h.Share(id, holder, result.ConsumedCapacity)
		}
	}
}

// Hold notes that a device is given out as a whole.
func (h *Held) Hold(id DeviceID, holder string) {
	h.change(id)
	if h.Exclusive == nil {
		h.Exclusive = map[DeviceID][]string{}
	}
	h.Exclusive[id] = append(h.Exclusive[id], holder)
}

// Share notes that a share of a device is given out that consumes so much.
func (h *Held) Share(id DeviceID, holder string, consumed map[resourceapi.QualifiedName]resource.Quantity) {
	h.change(id)
	if h.Shared == nil {
		h.Shared = map[DeviceID][]string{}
	}
	h.Shared[id] = append(h.Shared[id], holder)
	if consumed == nil {
		return
	}
	sum := h.Capacity[id]
	if sum == nil {
		if h.Capacity == nil {
			h.Capacity = map[DeviceID]map[resourceapi.QualifiedName]resource.Quantity{}
		}
		sum = make(map[resourceapi.QualifiedName]resource.Quantity, len(consumed))
		h.Capacity[id] = sum
	}
	for name, q := range consumed {
		total := sum[name].DeepCopy()
		total.Add(q)
		sum[name] = total
	}
}

func (h *Held) change(id DeviceID) {
	changes := h.Changes(PoolID{id.Driver, id.Pool})
	changes.Devices = append(changes.Devices, id)
	h.count++
}

// Changes are those of a pool. They grow as more is given out.
func (h *Held) Changes(pool PoolID) *Changes {
	changes := h.changes[pool]
	if changes == nil {
		if h.changes == nil {
			h.changes = map[PoolID]*Changes{}
		}
		changes = &Changes{}
		h.changes[pool] = changes
	}
	return changes
}

// Count is how much has been given out in all: while it stays, there is no
// change anywhere.
func (h *Held) Count() int { return h.count }

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
