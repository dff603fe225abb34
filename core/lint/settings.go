package lint

import (
	"fmt"
	"slices"
	"strconv"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/drawbridge-dra/drawbridge/core/diag"
)

// adminAccessFalse is about a field that says nothing and can do harm.
func adminAccessFalse(c *cluster, r *reporter) {
	if !c.on("DRAAdminAccess") {
		return
	}
	for _, s := range c.specs {
		for _, q := range s.requests {
			if q.AdminAccess == nil || *q.AdminAccess {
				continue
			}
			r.report(finding{
				at: s.under(q, "adminAccess"), value: "false",
				message: fmt.Sprintf("adminAccess: false in request %s is the same as leaving it out, save for a scheduler without DRAAdminAccess, which gives up on the pod because of it; leave it out", q.full),
			})
		}
	}
}

// configUnusedAlternative looks for configuration that is only for
// alternatives that are never chosen.
func configUnusedAlternative(c *cluster, r *reporter) {
	for _, s := range c.specs {
		never := s.shadowed()
		if len(never) == 0 {
			continue
		}
		for i, config := range s.spec.Devices.Config {
			if len(config.Requests) == 0 || slices.ContainsFunc(config.Requests, func(n string) bool { return never[n] == "" }) {
				continue
			}
			first := config.Requests[0]
			r.report(finding{
				at: s.at("devices.config", i, "requests"), value: first,
				message: fmt.Sprintf("this configuration is only for alternatives that are never chosen (%s), so it is dropped; name %s, which always fits as well", few(config.Requests), never[first]),
			})
		}
	}
}

// configOtherDriver looks for configuration whose driver none of the devices
// has that it is for.
func configOtherDriver(c *cluster, r *reporter) {
	report := func(at place, driver string, demanded []string) {
		slices.Sort(demanded)
		r.report(finding{
			at: at, value: driver,
			message: fmt.Sprintf("this configuration is for driver %s, and the devices that it applies to are of %s alone, whose driver ignores it; configure that driver, or other requests", driver, few(slices.Compact(demanded))),
		})
	}
	for _, s := range c.specs {
		for i, config := range s.spec.Devices.Config {
			if config.Opaque == nil || config.Opaque.Driver == "" {
				continue
			}
			var demanded []string
			for _, q := range s.refer(config.Requests) {
				d := c.demanded(q)
				if d == "" || d == config.Opaque.Driver {
					demanded = nil
					break
				}
				demanded = append(demanded, d)
			}
			if len(demanded) > 0 {
				report(s.at("devices.config", i, "opaque.driver"), config.Opaque.Driver, demanded)
			}
		}
	}
	for _, cl := range c.classes {
		d := c.driverIn(cl.value.Spec.Selectors)
		for i, config := range cl.value.Spec.Config {
			if config.Opaque != nil && config.Opaque.Driver != "" && d != "" && d != config.Opaque.Driver {
				report(cl.at("spec.config", i, "opaque.driver"), config.Opaque.Driver, []string{d})
			}
		}
	}
}

// taintWithoutEffect informs about taints of devices that do nothing.
func taintWithoutEffect(c *cluster, r *reporter) {
	if !c.on("DRADeviceTaints") {
		return
	}
	find := func(d device) int {
		return slices.IndexFunc(d.value().Taints, func(t resourceapi.DeviceTaint) bool { return t.Effect == resourceapi.DeviceTaintEffectNone })
	}
	perSlice(c, r, func(d device) bool { return find(d) >= 0 }, func(d device, more string) finding {
		i := find(d)
		return finding{
			at: d.at("taints", i, "effect"), value: string(resourceapi.DeviceTaintEffectNone),
			message: fmt.Sprintf("taint %s of device %s%s has effect None, so it keeps nothing away; use NoSchedule or NoExecute for it to count", d.value().Taints[i].Key, d.value().Name, more),
		}
	})
}

// bindingConditionsReorder informs about pools that move behind all others
// for the sake of some of their devices.
func bindingConditionsReorder(c *cluster, r *reporter) {
	if !c.on("DRADeviceBindingConditions") || !c.asks() || len(c.pools) < 2 {
		return
	}
	for _, p := range c.pools {
		var with group
		devices := 0
		p.devices(func(d device) {
			devices++
			if len(d.value().BindingConditions) > 0 {
				with.add(d, d)
			}
		})
		if with.n == 0 || with.n == devices {
			continue
		}
		r.report(finding{
			at: with.first.at("bindingConditions"),
			message: fmt.Sprintf("%d of %s of pool %s have binding conditions, and for their sake the scheduler tries the whole pool after all others; publish them in a pool of their own",
				with.n, count(devices, "device"), p),
		})
	}
}

func bindsToNodeAlone(c *cluster, r *reporter) {
	if !c.on("DRADeviceBindingConditions") {
		return
	}
	perSlice(c, r, func(d device) bool {
		return isTrue(d.value().BindsToNode) && len(d.value().BindingConditions) == 0
	}, func(d device, more string) finding {
		return finding{
			at: d.at("bindsToNode"), value: "true",
			message: fmt.Sprintf("device %s%s has bindsToNode without binding conditions: a claim that gets it is tied to its node, and nothing is waited for; remove it, or name the conditions", d.value().Name, more),
		}
	})
}

// tolerationDuplicate finds tolerations that say the same in one request.
func tolerationDuplicate(c *cluster, r *reporter) {
	type place struct {
		s    *claimSpec
		path string
		text string
	}
	seen := map[place]int{}
	c.tolerations(func(s *claimSpec, q request, i int, t resourceapi.DeviceToleration) {
		seconds := ""
		if t.TolerationSeconds != nil {
			seconds = strconv.FormatInt(*t.TolerationSeconds, 10)
		}
		k := place{s, q.path, strconv.Quote(t.Key) + strconv.Quote(string(t.Operator)) + strconv.Quote(t.Value) + strconv.Quote(string(t.Effect)) + seconds}
		if first, ok := seen[k]; ok {
			r.report(finding{
				at:      s.under(q, "tolerations", i),
				message: fmt.Sprintf("toleration %d of request %s says the same as toleration %d; remove one", i+1, q.full, first+1),
				related: related("the first", s.under(q, "tolerations", first)),
			})
			return
		}
		seen[k] = i
	})
}

func tolerationsMany(c *cluster, r *reporter) {
	const most = resourceapi.DeviceTolerationsMaxLength
	c.tolerations(func(s *claimSpec, q request, i int, _ resourceapi.DeviceToleration) {
		if i != most {
			return
		}
		r.report(finding{
			at: s.under(q, "tolerations"), severity: diag.Info,
			message: fmt.Sprintf("request %s has %d tolerations, and Kubernetes documents at most %d without enforcing it; tolerate with operator Exists, or with no key, instead of one by one",
				q.full, len(q.Tolerations), most),
		})
	})
}
