package core

import (
	"fmt"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/drawbridge-dra/drawbridge/core/schedule"
)

// eviction puts into words what a taint does to pods.
func eviction(e *schedule.Eviction, in *positions) Eviction {
	out := Eviction{Taint: taintText(&e.Taint), Simulated: e.Simulated, Location: in.locate(e.At), Pods: []EvictedPod{}}
	what := ""
	if e.Rule != nil {
		out.Rule = e.Rule.Name
		what = fmt.Sprintf("DeviceTaintRule %s (%s)", out.Rule, out.Taint)
	} else {
		out.Slice = e.Slice.Name
		out.Device = fmt.Sprintf("%s/%s/%s", e.Slice.Spec.Driver, e.Slice.Spec.Pool.Name, e.Device)
		what = fmt.Sprintf("taint %s of %s", out.Taint, e.Device)
	}
	atOnce := 0
	for i := range e.Pods {
		pod := evictedPod(&e.Pods[i])
		if out.Pods = append(out.Pods, pod); pod.Seconds == 0 {
			atOnce++
		}
	}
	verb := "evicts"
	if e.Simulated {
		verb = "would evict, with effect NoExecute,"
	}
	switch n := len(out.Pods); {
	case n == 0:
		out.Message = fmt.Sprintf("%s %s no pod", what, verb)
	case atOnce == n:
		out.Message = fmt.Sprintf("%s %s %s at once", what, verb, count(n, "pod", "pods"))
	default:
		out.Message = fmt.Sprintf("%s %s %s, %d of them at once", what, verb, count(n, "pod", "pods"), atOnce)
	}
	return out
}

func taintText(t *resourceapi.DeviceTaint) string {
	if t.Value == "" {
		return fmt.Sprintf("%s:%s", t.Key, t.Effect)
	}
	return fmt.Sprintf("%s=%s:%s", t.Key, t.Value, t.Effect)
}

func evictedPod(e *schedule.Evicted) EvictedPod {
	out := EvictedPod{Pod: podName(e.Pod), Node: e.Pod.Node, Claim: e.Claim.Name(), Device: e.Device.String(), Seconds: e.Seconds}
	switch {
	case e.Ignored:
		out.Message = fmt.Sprintf("goes at once: the toleration of %s has no effect, which counts for the scheduler and not for evictions; write effect NoExecute", out.Claim)
	case out.Seconds == 0:
		out.Message = fmt.Sprintf("goes at once: %s has %s and does not tolerate the taint", out.Claim, e.Device.Device)
	default:
		out.Message = fmt.Sprintf("goes after %d seconds, for which %s tolerates the taint of %s", out.Seconds, out.Claim, e.Device.Device)
	}
	return out
}
