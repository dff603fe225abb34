package lint

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/drawbridge-dra/drawbridge/core/bundle"
)

// skipNodeOperationsChanged compares what an allocation has copied from a
// slice with what the slice says now. The kubelet goes by the copy.
func skipNodeOperationsChanged(c *cluster, r *reporter) {
	if !c.on(optionalNodeOperations) {
		return
	}
	wanted := map[deviceID]bool{}
	c.results(func(held result) { wanted[held.id()] = true })
	if len(wanted) == 0 {
		return
	}
	published := map[deviceID]device{}
	for _, p := range c.pools {
		p.devices(func(d device) {
			id := deviceID{p.driver, p.pool, d.value().Name}
			if _, seen := published[id]; wanted[id] && !seen {
				published[id] = d
			}
		})
	}
	c.results(func(held result) {
		d, ok := published[held.id()]
		if !ok {
			return
		}
		copied, now := skipText(held.SkipNodeOperations), skipText(d.slice.value.Spec.SkipNodeOperations)
		if copied == now {
			return
		}
		f := finding{at: held.at("device"), value: held.Device, related: related("the device", d.at("name"))}
		if len(held.SkipNodeOperations) > 0 {
			f.at = held.at("skipNodeOperations")
		}
		f.message = fmt.Sprintf("%s holds device %s with skipNodeOperations %s, copied when it was allocated, and ResourceSlice %s now says %s: kubelets go by the copy until the claim is allocated anew; drain the device before changing what its slice skips",
			held.spec, held.id(), copied, d.slice.object.Ref.Name, now)
		r.report(f)
	})
}

// skipText writes operations in one order.
func skipText(list []resourceapi.SkipNodeOperation) string {
	if len(list) == 0 {
		return "none"
	}
	var names []string
	for _, op := range list {
		names = append(names, string(op))
	}
	slices.Sort(names)
	return "[" + strings.Join(slices.Compact(names), ", ") + "]"
}

// claimListedTwice is about pods that no kubelet starts: it asks the driver for
// the claim twice in one call, gets one answer for both, and takes one for
// missing.
func claimListedTwice(c *cluster, r *reporter) {
	for _, p := range c.pods {
		first := map[string]int{}
		for i := range p.value.Spec.ResourceClaims {
			entry := &p.value.Spec.ResourceClaims[i]
			if entry.ResourceClaimName == nil {
				continue
			}
			at, twice := first[*entry.ResourceClaimName]
			if !twice {
				first[*entry.ResourceClaimName] = i
				continue
			}
			r.report(finding{
				at: p.at("spec.resourceClaims", i, "resourceClaimName"), value: *entry.ResourceClaimName,
				message: fmt.Sprintf("Pod %s lists claim %s twice, and the kubelet never starts such a pod: it asks the driver for both in one call and misses an answer; list it once, and let containers name entry %s",
					p.object.Ref.Name, *entry.ResourceClaimName, p.value.Spec.ResourceClaims[at].Name),
				related: related("the first", p.at("spec.resourceClaims", at, "resourceClaimName")),
			})
		}
	}
}

// reported calls f for every device in a report of a driver.
func (c *cluster) reported(f func(o *bundle.Object, report *bundle.DeviceHealth, i int)) {
	for _, o := range c.objects {
		report, ok := o.Value.(*bundle.DeviceHealth)
		if !ok || o.Invalid {
			continue
		}
		for i := range report.Spec.Devices {
			f(o, report, i)
		}
	}
}

// deviceHealthInvalid looks at reports, which no API server sees.
func deviceHealthInvalid(c *cluster, r *reporter) {
	known := []string{string(corev1.ResourceHealthStatusHealthy), string(corev1.ResourceHealthStatusUnhealthy), string(corev1.ResourceHealthStatusUnknown)}
	for _, o := range c.objects {
		report, ok := o.Value.(*bundle.DeviceHealth)
		if ok && !o.Invalid && report.Spec.Driver == "" {
			r.report(finding{at: place{o, "spec.driver"}, message: fmt.Sprintf("DeviceHealth %s does not say whose report it is; write spec.driver", o.Ref.Name)})
		}
	}
	c.reported(func(o *bundle.Object, report *bundle.DeviceHealth, i int) {
		d := &report.Spec.Devices[i]
		switch {
		case d.Pool == "" || d.Device == "":
			r.report(finding{at: place{o, at("spec.devices", i)}, message: "a report is about a device, named by pool and device; write both"})
		case !slices.Contains(known, d.Health):
			r.report(finding{
				at: place{o, at("spec.devices", i, "health")}, value: d.Health,
				message: fmt.Sprintf("health of %s is %s, Unhealthy or %s, not %q, which counts as Unknown; write one of them", d.Device, known[0], known[2], shorten(d.Health, 40)),
			})
		case d.AgeSeconds < 0:
			r.report(finding{
				at: place{o, at("spec.devices", i, "ageSeconds")}, value: fmt.Sprint(d.AgeSeconds),
				message: fmt.Sprintf("the report about %s is %d s old, and none comes from the future; write how many seconds ago it came", d.Device, d.AgeSeconds),
			})
		}
	})
}

// deviceHealthUnmatched is about reports of devices that nobody knows. It
// speaks only where the bundle has slices of the driver, because claims alone
// do not tell what there is.
func deviceHealthUnmatched(c *cluster, r *reporter) {
	known, drivers := map[deviceID]bool{}, map[string]bool{}
	for _, p := range c.pools {
		drivers[p.driver] = true
		p.devices(func(d device) { known[deviceID{p.driver, p.pool, d.value().Name}] = true })
	}
	c.results(func(held result) { known[held.id()] = true })
	c.reported(func(o *bundle.Object, report *bundle.DeviceHealth, i int) {
		d := &report.Spec.Devices[i]
		id := deviceID{report.Spec.Driver, d.Pool, d.Device}
		if known[id] || !drivers[id.driver] || d.Pool == "" || d.Device == "" {
			return
		}
		r.report(finding{
			at: place{o, at("spec.devices", i, "device")}, value: d.Device,
			message: fmt.Sprintf("no slice of %s has device %s in pool %s, and no claim holds it, so nobody hears of its health; name a device that the driver publishes", id.driver, id.device, id.pool),
		})
	})
}
