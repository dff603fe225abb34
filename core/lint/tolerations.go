package lint

import (
	"fmt"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/drawbridge-dra/drawbridge/core/diag"
)

// tolerations calls f for every toleration, unless the API server drops them.
func (c *cluster) tolerations(f func(s *claimSpec, q request, i int, t resourceapi.DeviceToleration)) {
	if !c.on("DRADeviceTaints") {
		return
	}
	for _, s := range c.specs {
		for _, q := range s.requests {
			for i, t := range q.Tolerations {
				f(s, q, i, t)
			}
		}
	}
}

// tolerated is what a toleration, apart from its effect, says of a taint.
type tolerated struct {
	key, value string
	exists     bool
}

// evicting maps what tolerates one of the bundle's NoExecute taints to the
// first such taint.
func (c *cluster) evicting() map[tolerated]place {
	taints := map[tolerated]place{}
	add := func(t resourceapi.DeviceTaint, p place) {
		if t.Effect != resourceapi.DeviceTaintEffectNoExecute {
			return
		}
		for _, k := range []tolerated{{t.Key, t.Value, false}, {"", t.Value, false}, {t.Key, "", true}, {"", "", true}} {
			if _, ok := taints[k]; !ok {
				taints[k] = p
			}
		}
	}
	for _, s := range c.slices {
		for i, d := range s.value.Spec.Devices {
			for j, t := range d.Taints {
				add(t, s.at("spec.devices", i, "taints", j))
			}
		}
	}
	for _, rule := range c.taintRules {
		add(rule.value.Spec.Taint, rule.at("spec.taint"))
	}
	return taints
}

// tolerationEmptyEffect informs, because without a NoExecute taint an empty
// effect is as good as any. It warns where the bundle has such a taint: the
// scheduler places the pod, and the eviction controller, for which only
// effect NoExecute counts, removes it at once.
func tolerationEmptyEffect(c *cluster, r *reporter) {
	taints := c.evicting()
	c.tolerations(func(s *claimSpec, q request, i int, t resourceapi.DeviceToleration) {
		if t.Effect != "" {
			return
		}
		wanted := tolerated{t.Key, t.Value, false}
		if t.Operator == resourceapi.DeviceTolerationOpExists {
			wanted = tolerated{t.Key, "", true}
		}
		f := finding{
			at:       s.under(q, "tolerations", i),
			severity: diag.Info,
			message:  "a toleration without effect lets the pod be scheduled, and a NoExecute taint evicts it all the same; write effect NoExecute in a toleration of its own to stay",
		}
		if p, ok := taints[wanted]; ok {
			f.severity = diag.Warning
			f.message = fmt.Sprintf("request %s tolerates the taint without naming an effect: its pod is scheduled and at once evicted, because only effect NoExecute keeps it there; add a toleration with that effect", q.full)
			f.related = related("the taint", p)
		}
		r.report(f)
	})
}

func tolerationWithoutKey(c *cluster, r *reporter) {
	c.tolerations(func(s *claimSpec, q request, i int, t resourceapi.DeviceToleration) {
		if t.Key != "" || t.Operator == resourceapi.DeviceTolerationOpExists {
			return
		}
		r.report(finding{
			at: s.under(q, "tolerations", i),
			message: fmt.Sprintf("a toleration of request %s has no key and operator Equal, so it tolerates every taint with value %q, whatever its key; name the key, or use operator Exists to tolerate all",
				q.full, shorten(t.Value, 63)),
		})
	})
}

func tolerationSecondsIgnored(c *cluster, r *reporter) {
	c.tolerations(func(s *claimSpec, q request, i int, t resourceapi.DeviceToleration) {
		if t.TolerationSeconds == nil || t.Effect == resourceapi.DeviceTaintEffectNoExecute {
			return
		}
		r.report(finding{
			at:      s.under(q, "tolerations", i, "tolerationSeconds"),
			value:   fmt.Sprint(*t.TolerationSeconds),
			message: fmt.Sprintf("tolerationSeconds of request %s has a meaning only with effect NoExecute; set the effect, or remove it", q.full),
		})
	})
}
