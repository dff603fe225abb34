package lint

import (
	"fmt"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/drawbridge-dra/drawbridge/core/diag"
	"github.com/drawbridge-dra/drawbridge/core/feature"
)

// taintRuleSelectsAll is about a selector that is there and empty, which
// somebody may have meant as "none".
func taintRuleSelectsAll(c *cluster, r *reporter) {
	effects := map[resourceapi.DeviceTaintEffect]string{
		resourceapi.DeviceTaintEffectNoExecute:  "effect NoExecute evicts every pod that uses one",
		resourceapi.DeviceTaintEffectNoSchedule: "effect NoSchedule keeps all of them from new claims",
		resourceapi.DeviceTaintEffectNone:       "effect None has no consequence yet",
	}
	for _, rule := range c.taintRules {
		s := rule.value.Spec.DeviceSelector
		if s == nil || s.Driver != nil || s.Pool != nil || s.Device != nil {
			continue
		}
		f := finding{
			at:      rule.at("spec.deviceSelector"),
			message: "an empty deviceSelector matches every device of every driver (a missing one would match none)",
		}
		if effect := effects[rule.value.Spec.Taint.Effect]; effect != "" {
			f.message += ", and " + effect
		}
		f.message += "; name a driver, pool or device"
		if rule.value.Spec.Taint.Effect == resourceapi.DeviceTaintEffectNone {
			f.severity = diag.Info
		}
		r.report(f)
	}
}

// taintRuleIgnored is about a kind that an API server stores whatever the
// gates say. Before there was a gate for rules, the one for taints decided.
func taintRuleIgnored(c *cluster, r *reporter) {
	gate := feature.DRADeviceTaintRules
	if c.set.Stage(gate) == feature.Absent {
		gate = feature.DRADeviceTaints
	}
	if c.set.Enabled(gate) && c.set.Enabled(feature.DRADeviceTaints) {
		return
	}
	if !c.set.Enabled(feature.DRADeviceTaints) {
		gate = feature.DRADeviceTaints
	}
	for _, rule := range c.taintRules {
		r.report(finding{
			at: rule.at("spec.taint"),
			message: fmt.Sprintf("DeviceTaintRule %s is stored, and nobody looks at it: %s is off, so no device gets its taint and no pod is evicted; enable the gate in the scheduler and the controller manager, or have the driver publish the taint",
				rule.object.Ref.Name, gate),
		})
	}
}

func taintRuleSelectsNone(c *cluster, r *reporter) {
	for _, rule := range c.taintRules {
		if rule.value.Spec.DeviceSelector == nil {
			r.report(finding{
				at:      rule.at("spec"),
				message: "a DeviceTaintRule without deviceSelector matches no device (an empty one, {}, would match all); name a driver, pool or device",
			})
		}
	}
}

// taintRuleUnmatched compares with the slices of the bundle. A name that
// nearly matches is a likely slip; any other may name what is elsewhere, or
// not there yet.
func taintRuleUnmatched(c *cluster, r *reporter) {
	if len(c.drivers) == 0 || !c.knows("ResourceSlice") {
		return
	}
	for _, rule := range c.taintRules {
		s := rule.value.Spec.DeviceSelector
		if s == nil {
			continue
		}
		part, wrote, known := c.unmatched(s)
		if part == "" {
			continue
		}
		f := finding{
			at:       rule.at("spec.deviceSelector", part),
			severity: c.remark(),
			value:    wrote,
			message:  fmt.Sprintf("no device of the %s has the %s %s, so the rule matches none of them", c.where(), part, wrote),
		}
		if meant := c.guess(wrote, known); meant != "" {
			f.severity = diag.Warning
			f.message += "; did you mean " + meant + "?"
			f.fix = replace(f.at, meant, "write "+meant)
		}
		r.report(f)
	}
}

// unmatched returns the first part of the selector that nothing in the bundle
// has, given the driver, and what it could have been.
func (c *cluster) unmatched(s *resourceapi.DeviceTaintSelector) (part, wrote string, known []string) {
	var d *driver
	if s.Driver == nil {
		d = c.allDrivers()
	} else if d = c.drivers[*s.Driver]; d == nil {
		return "driver", *s.Driver, c.driverList
	}
	var have map[string]int
	switch {
	case s.Pool != nil && d.Pools[*s.Pool] == 0:
		part, wrote, have = "pool", *s.Pool, d.Pools
	case s.Device != nil && d.DeviceNames[*s.Device] == 0:
		part, wrote, have = "device", *s.Device, d.DeviceNames
	}
	if c.visits.spend(len(have)) {
		known = sortedKeys(have)
	}
	return part, wrote, known
}
