package validate

import (
	"net/netip"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/drawbridge-dra/drawbridge/core/past"
)

// statusID is what an allocated device, or a share of one, is known by. Share
// is empty for a whole device, as for a share with an empty name.
type statusID struct{ driver, pool, device, share string }

func statusDevice(d *resourceapi.AllocatedDeviceStatus) statusID {
	id := statusID{d.Driver, d.Pool, d.Device, ""}
	if d.ShareID != nil {
		id.share = *d.ShareID
	}
	return id
}

func allocatedDevice(r *resourceapi.DeviceRequestAllocationResult) statusID {
	id := statusID{r.Driver, r.Pool, r.Device, ""}
	if r.ShareID != nil {
		id.share = string(*r.ShareID)
	}
	return id
}

// results are what a claim has been given; nil without an allocation.
func results(s *resourceapi.ResourceClaimStatus) []resourceapi.DeviceRequestAllocationResult {
	if s.Allocation == nil {
		return nil
	}
	return s.Allocation.Devices.Results
}

// claimStatus checks a new status of a claim.
func (c *checker) claimStatus(r, was *resourceapi.ResourceClaim) {
	at := (*path)(nil).child("status")
	s := &r.Status
	c.adminResults(r, was, at.child("allocation"))
	c.consumers(s.ReservedFor, was.Status.ReservedFor, s.Allocation != nil, c.closing, at.child("reservedFor"))
	c.deviceStatuses(s, at.child("devices"))
	switch allocation := at.child("allocation"); {
	case s.Allocation == nil:
	case was.Status.Allocation != nil:
		c.fixed(byBoth, "allocation-immutable", "an allocation", was.Status.Allocation, s.Allocation, allocation,
			"deallocate the claim first, by a status without allocation, once nothing uses it")
		if !c.does(oldAllocationStays) {
			c.allocation(r, allocation)
		}
	default:
		c.allocation(r, allocation)
	}
}

// adminResults checks the namespace if the claim gets its first device with
// admin access.
func (c *checker) adminResults(r, was *resourceapi.ResourceClaim, at *path) {
	admin := func(list []resourceapi.DeviceRequestAllocationResult) int {
		for i := range list {
			if list[i].AdminAccess != nil && *list[i].AdminAccess {
				return i
			}
		}
		return -1
	}
	if i := admin(results(&r.Status)); i >= 0 && admin(results(&was.Status)) < 0 {
		p := at.child("devices").child("results").at(i).child("adminAccess")
		c.adminNamespace(r.Namespace, p, p)
	}
}

// closing says why a claim takes no further consumers; empty where it does.
func closing(deleted, deallocated bool) string {
	switch {
	case deleted:
		return "deleted"
	case deallocated:
		return "deallocated"
	}
	return ""
}

func (c *checker) consumers(list, was []resourceapi.ResourceClaimConsumerReference, allocated bool, closing string, at *path) {
	limit := resourceapi.ResourceClaimReservedForMaxSize
	if !c.does(moreConsumers) {
		limit = past.MostConsumers
	}
	if n := len(list); n <= limit || !c.stops(byBoth, at, tooMany("reserved-for-max", n, limit, "consumer", "let more pods wait, or use a claim for each group of them")) {
		again := map[int]bool{}
		unique(list, func(e resourceapi.ResourceClaimConsumerReference) types.UID { return e.UID }, func(i int) {
			p := duplicate("reserved-for-duplicate", string(list[i].UID), "consumer")
			p.focus = at.at(i).child("uid")
			c.both(c.duplicateOf(at.at(i), "uid"), p)
			again[i] = !c.does(duplicatesChecked)
		})
		for i, e := range list {
			for _, f := range []struct{ name, value string }{{"resource", e.Resource}, {"name", e.Name}, {"uid", string(e.UID)}} {
				if f.value == "" && !again[i] {
					c.hand(at.at(i).child(f.name), required("reserved-for-entry", "the consumer has no "+f.name+"; fill it in, such as resource pods with the pod's name and uid"))
				}
			}
		}
	}
	switch {
	case len(list) == 0:
	case !allocated:
		c.hand(at, forbidden("reserved-for-unallocated", "", "the claim is reserved but not allocated; write allocation in the same update, or remove reservedFor"))
	case closing != "":
		known := map[resourceapi.ResourceClaimConsumerReference]bool{}
		for _, e := range was {
			known[e] = true
		}
		for i, e := range list {
			if !known[e] {
				p := forbidden("reserved-for-deleted", e.Name, "the claim is being "+closing+" and cannot be reserved for "+quote(e.Name)+" any more; create another claim")
				p.focus = at.at(i)
				c.hand(at, p)
				return
			}
		}
	}
}

// allocation checks an allocation that was not there before.
func (c *checker) allocation(r *resourceapi.ResourceClaim, at *path) {
	a := r.Status.Allocation
	claim := &claimContext{devices: &r.Spec.Devices}
	devices := at.child("devices")
	const most = resourceapi.AllocationResultsMaxSize
	if n := len(a.Devices.Results); n <= most || !c.stops(byBoth, devices.child("results"), tooMany("allocation-results-max", n, most, "allocated device", "split the claim")) {
		for i := range a.Devices.Results {
			e := &a.Devices.Results[i]
			c.about(named("device", e.Device, "results", i), func() { c.result(claim, e, devices.child("results").at(i)) })
		}
	}
	const configs = 2 * resourceapi.DeviceConfigMaxSize // from the class and from the claim
	if n := len(a.Devices.Config); n <= configs || !c.stops(byBoth, devices.child("config"), tooMany("allocation-config-max", n, configs, "entry", "merge entries that are for the same driver")) {
		for i := range a.Devices.Config {
			c.allocatedConfig(claim, &a.Devices.Config[i], devices.child("config").at(i))
		}
	}
	if a.NodeSelector != nil {
		c.nodeSelector(a.NodeSelector, at.child("nodeSelector"))
	}
}

// result checks one allocated device.
func (c *checker) result(claim *claimContext, e *resourceapi.DeviceRequestAllocationResult, at *path) {
	c.hand(at.child("request"), claim.reference(e.Request)...)
	const noun = "driver name"
	c.merge(at.child("driver"), c.driverName("driver-name", noun, e.Driver), driverNameDeclared("driver-name", noun, e.Driver))
	c.both(at.child("pool"), poolName("pool-name", e.Pool)...)
	c.hand(at.child("device"), label("device-name", "device name", e.Device)...)
	c.bindingConditions(e.BindingConditions, e.BindingFailureConditions, at)
	if c.does(resultTolerations) {
		c.tolerations(e.Tolerations, at.child("tolerations"))
	}
	if e.ShareID != nil {
		c.shareID(string(*e.ShareID), at.child("shareID"))
	}
	c.skipNodeOperations(e.SkipNodeOperations, at.child("skipNodeOperations"))
}

func (c *checker) shareID(id string, at *path) {
	if !isUUID(id) {
		c.both(at, invalid("share-id", id, "shareID "+quote(id)+" is no UUID; write one in lower case, such as 0a1b2c3d-0000-4000-8000-0123456789ab"))
	}
}

func isUUID(s string) bool {
	if len(s) != 36 {
		return false
	}
	for i := range len(s) {
		switch b := s[i]; i {
		case 8, 13, 18, 23:
			if b != '-' {
				return false
			}
		default:
			if (b < '0' || b > '9') && (b < 'a' || b > 'f') {
				return false
			}
		}
	}
	return true
}

func (c *checker) allocatedConfig(claim *claimContext, e *resourceapi.DeviceAllocationConfiguration, at *path) {
	const rule = "allocation-config-source"
	switch e.Source {
	case resourceapi.AllocationConfigSourceClass, resourceapi.AllocationConfigSourceClaim:
	case "":
		c.both(at.child("source"), required(rule, "the entry does not say where the configuration is from; write FromClass or FromClaim"))
	default:
		c.both(at.child("source"), oneOf(rule, string(e.Source), "source", string(resourceapi.AllocationConfigSourceClass), string(resourceapi.AllocationConfigSourceClaim)))
	}
	c.requestReferences(claim, e.Requests, at.child("requests"))
	c.deviceConfig(&e.DeviceConfiguration, at)
}

// deviceStatuses checks what drivers say of the allocated devices.
func (c *checker) deviceStatuses(s *resourceapi.ResourceClaimStatus, at *path) {
	allocated := map[statusID]bool{}
	for i := range results(s) {
		allocated[allocatedDevice(&s.Allocation.Devices.Results[i])] = true
	}
	for i := range s.Devices {
		d := &s.Devices[i]
		c.about(named("device", d.Device, "devices", i), func() {
			if !allocated[statusDevice(d)] {
				c.hand(at.at(i), invalid("device-status-unallocated", d.Device,
					"the claim has no such device of driver "+quote(d.Driver)+" in pool "+quote(d.Pool)+"; report only devices that status.allocation lists, with the same shareID"))
			}
			c.deviceStatus(d, at.at(i))
		})
	}
	again := map[int]bool{}
	unique(s.Devices, func(d resourceapi.AllocatedDeviceStatus) any { id, _ := identity(d); return id }, func(i int) { again[i] = true })
	unique(s.Devices, func(d resourceapi.AllocatedDeviceStatus) statusID { return statusDevice(&d) }, func(i int) {
		p := duplicate("device-status-duplicate", s.Devices[i].Device, "device")
		p.focus = at.at(i).child("device")
		who := byHand
		if again[i] {
			who = byBoth
		}
		c.add(who, c.duplicateOf(at.at(i), "deviceID"), p)
	})
}

func (c *checker) deviceStatus(d *resourceapi.AllocatedDeviceStatus, at *path) {
	c.hand(at.child("driver"), c.driverName("driver-name", "driver name", d.Driver)...)
	c.hand(at.child("pool"), poolName("pool-name", d.Pool)...)
	c.hand(at.child("device"), label("device-name", "device name", d.Device)...)
	if d.ShareID != nil {
		c.shareID(*d.ShareID, at.child("shareID"))
	}
	c.manyConditions(byHand, d.Conditions, resourceapi.AllocatedDeviceStatusMaxConditions, at.child("conditions"))
	c.conditions(d.Conditions, at.child("conditions"))
	if d.Data != nil && len(d.Data.Raw) > 0 {
		c.rawObject(&rawObject{"device-status-data", "data", resourceapi.AllocatedDeviceStatusDataMaxLength,
			"write a JSON object, or leave data out", "keep what others need to know"}, d.Data.Raw, at.child("data"))
	}
	if d.NetworkData != nil {
		c.networkData(d.NetworkData, at.child("networkData"))
	}
}

func (c *checker) networkData(n *resourceapi.NetworkDeviceData, at *path) {
	if limit := resourceapi.NetworkDeviceDataInterfaceNameMaxLength; len(n.InterfaceName) > limit {
		c.both(at.child("interfaceName"), tooLong("network-interface-name", n.InterfaceName, "interfaceName", limit))
	}
	if limit := resourceapi.NetworkDeviceDataHardwareAddressMaxLength; len(n.HardwareAddress) > limit {
		c.both(at.child("hardwareAddress"), tooLong("network-hardware-address", n.HardwareAddress, "hardwareAddress", limit))
	}
	ips := at.child("ips")
	const limit = resourceapi.NetworkDeviceDataMaxIPs
	if len(n.IPs) > limit {
		if c.stops(byBoth, ips, tooMany("network-ips-max", len(n.IPs), limit, "address", "list those that others use")) {
			return
		}
	}
	for i, ip := range n.IPs {
		if p, ok := interfaceAddress(ip); !ok {
			c.hand(ips.at(i), p)
		}
	}
	unique(n.IPs, itself, func(i int) {
		c.both(ips.at(i), duplicate("network-ip-duplicate", n.IPs[i], "address"))
	})
}

// interfaceAddress checks an address with the length of its prefix, in the one
// form that it is always written in.
func interfaceAddress(text string) (problem, bool) {
	const rule, example = "network-ip", ", such as 10.9.8.7/24 or 2001:db8::1/64"
	prefix, err := netip.ParsePrefix(text)
	if err != nil {
		return invalid(rule, text, quote(text)+" is no address with the length of its prefix; write it as address/length"+example), false
	}
	canonical := prefix.String()
	if addr := prefix.Addr(); addr.Is4In6() {
		canonical = netip.PrefixFrom(addr.Unmap(), max(prefix.Bits()-96, 0)).String()
	}
	if canonical == text {
		return problem{}, true
	}
	p := invalid(rule, text, "address "+quote(text)+" is not written in its usual form; write "+canonical)
	p.hint, p.replacement = "write "+canonical, canonical
	return p, false
}
