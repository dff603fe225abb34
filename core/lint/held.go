package lint

import (
	"fmt"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

type deviceID struct{ driver, pool, device string }

func (id deviceID) String() string { return id.driver + "/" + id.pool + "/" + id.device }

// result is one device that a claim holds.
type result struct {
	spec  *claimSpec
	index int
	*resourceapi.DeviceRequestAllocationResult
}

func (r result) id() deviceID { return deviceID{r.Driver, r.Pool, r.Device} }

func (r result) at(parts ...any) place {
	return place{r.spec.object, at(append([]any{"status.allocation.devices.results", r.index}, parts...)...)}
}

// results calls f for every device that a claim holds.
func (c *cluster) results(f func(result)) {
	for _, s := range c.specs {
		if s.claim == nil || s.claim.Status.Allocation == nil {
			continue
		}
		list := s.claim.Status.Allocation.Devices.Results
		for i := range list {
			f(result{s, i, &list[i]})
		}
	}
}

// held returns the devices that claims of the bundle hold, whole or in part.
// Claims by administrators do not count.
func (c *cluster) held() map[deviceID]bool {
	held := map[deviceID]bool{}
	c.results(func(r result) {
		if !isTrue(r.AdminAccess) {
			held[r.id()] = true
		}
	})
	return held
}

// heldDevices returns those of them that the slices publish.
func (c *cluster) heldDevices() map[deviceID]device {
	found := map[deviceID]device{}
	held := c.held()
	if len(held) == 0 {
		return found
	}
	for _, p := range c.pools {
		p.devices(func(d device) {
			id := deviceID{p.driver, p.pool, d.value().Name}
			if _, seen := found[id]; held[id] && !seen {
				found[id] = d
			}
		})
	}
	return found
}

// deviceAllocatedTwice looks at what claims hold already. Shares and
// administrative access may overlap.
func deviceAllocatedTwice(c *cluster, r *reporter) {
	holders := map[deviceID]result{}
	c.results(func(held result) {
		if isTrue(held.AdminAccess) || held.ShareID != nil {
			return
		}
		other, taken := holders[held.id()]
		if !taken {
			holders[held.id()] = held
			return
		}
		r.report(finding{
			at:    held.at("device"),
			value: held.Device,
			message: fmt.Sprintf("device %s of pool %s/%s is allocated to %s and to %s, and it cannot be shared; deallocate one of the claims",
				held.Device, held.Driver, held.Pool, other.spec.name, held.spec.name),
			related: related("the other allocation", other.at("device")),
		})
	})
}

// capacityOverdrawn adds up the shares of a device.
func capacityOverdrawn(c *cluster, r *reporter) {
	if !c.on("DRAConsumableCapacity") {
		return
	}
	type drawn struct {
		sum   resource.Quantity
		last  result
		n     int
		first result
	}
	type account struct {
		id   deviceID
		name resourceapi.QualifiedName
	}
	devices := c.heldDevices()
	accounts := map[account]*drawn{}
	var order []account
	c.results(func(held result) {
		if isTrue(held.AdminAccess) {
			return
		}
		for _, n := range sortedKeys(held.ConsumedCapacity) {
			k := account{held.id(), n}
			if accounts[k] == nil {
				accounts[k] = &drawn{first: held}
				order = append(order, k)
			}
			a := accounts[k]
			a.sum.Add(held.ConsumedCapacity[n])
			a.n++
			if d, ok := devices[k.id]; ok {
				if offer, ok := d.value().Capacity[n]; ok && a.last.spec == nil && a.sum.Cmp(offer.Value) > 0 {
					a.last = held
				}
			}
		}
	})
	for _, k := range order {
		a := accounts[k]
		if a.last.spec == nil {
			continue
		}
		offer := devices[k.id].value().Capacity[k.name].Value
		r.report(finding{
			at:    a.last.at("consumedCapacity", key(k.name)),
			value: a.sum.String(),
			message: fmt.Sprintf("%s of device %s hold %s of %s together, and it has %s; deallocate one of the claims",
				count(a.n, "share"), k.id, a.sum.String(), k.name, offer.String()),
			related: append(related("the first share", a.first.at("device")), related("has "+offer.String(), devices[k.id].at("capacity", key(k.name)))...),
		})
	}
}

// sharingChanged compares how a device is held with how it can be held now.
// Drivers change their minds while claims hold devices, and nobody reconciles
// the two.
func sharingChanged(c *cluster, r *reporter) {
	if !c.on("DRAConsumableCapacity") {
		return
	}
	devices := c.heldDevices()
	c.results(func(held result) {
		d, ok := devices[held.id()]
		shared := held.ShareID != nil
		if !ok || isTrue(held.AdminAccess) || shared == isTrue(d.value().AllowMultipleAllocations) {
			return
		}
		f := finding{at: held.at("device"), value: held.Device, related: related("the device", d.at("name"))}
		if shared {
			f.message = fmt.Sprintf("%s holds a share of device %s, which allows multiple allocations no more: it counts as free, and can be given away whole beside that share; drain it before changing allowMultipleAllocations",
				held.spec, held.id())
		} else {
			f.message = fmt.Sprintf("%s holds device %s whole, which now allows multiple allocations: until that claim is gone nobody gets a share of it; drain it before changing allowMultipleAllocations",
				held.spec, held.id())
		}
		r.report(f)
	})
}

// allocationRequestUnknown looks at allocations that somebody wrote by hand:
// the scheduler names the alternative that it chose.
func allocationRequestUnknown(c *cluster, r *reporter) {
	c.results(func(held result) {
		exact := held.spec.byName[held.Request]
		switch {
		case len(exact) == 1 && held.spec.requests[exact[0]].full == held.Request:
		case held.spec.parents[held.Request] && len(exact) > 0:
			r.report(finding{
				at: held.at("request"), value: held.Request,
				message: fmt.Sprintf("the result names request %s without its alternative, so nobody can tell which of %s was chosen; write request/alternative",
					held.Request, count(len(exact), "alternative")),
				related: related("the request", held.spec.at("devices.requests")),
			})
		case !held.spec.parents[held.Request] && len(held.spec.parents) > 0:
			r.report(finding{
				at: held.at("request"), value: held.Request,
				message: fmt.Sprintf("the result is for request %s, which %s does not have, so no container gets the device; name one of its requests",
					held.Request, held.spec),
				related: related("its requests", held.spec.at("devices.requests")),
			})
		}
	})
}
