package core

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/drawbridge-dra/drawbridge/core/bundle"
	"github.com/drawbridge-dra/drawbridge/core/diag"
	"github.com/drawbridge-dra/drawbridge/core/feature"
	"github.com/drawbridge-dra/drawbridge/core/inventory"
	"github.com/drawbridge-dra/drawbridge/core/schedule"
)

// TaintRule is a DeviceTaintRule that takes a device out of service.
type TaintRule struct {
	Device   string         `json:"device" doc:"The device, as driver/pool/device."`
	Message  string         `json:"message" doc:"What is wrong with the device, and what the rule would do."`
	YAML     string         `json:"yaml" doc:"The rule, to be applied as it is. It has passed the API server's rules."`
	Pods     []EvictedPod   `json:"pods" doc:"The pods that would go."`
	Location *diag.Location `json:"location,omitempty" doc:"Where in the submitted text the device is reported."`
}

// mostTaintRules is how many rules an answer holds.
const mostTaintRules = 100

// unhealthyTaint is the key of the taints that are offered.
const unhealthyTaint = "drawbridge-dra.github.io/unhealthy"

// taintRules offers a rule for each unhealthy device, and tells which pods
// would go because of it.
func (s *nodeSide) taintRules(ctx context.Context, reports *healthReports, out *ResourceHealthResult) error {
	var ids []inventory.DeviceID
	for _, id := range reports.order {
		if reports.unhealthy[id] != "" {
			ids = append(ids, id)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	served := feature.ServedVersions(s.set.Version(), "DeviceTaintRule")
	if len(served) == 0 {
		out.Assumptions = append(out.Assumptions, fmt.Sprintf("Kubernetes %s has no DeviceTaintRule; have the driver taint unhealthy devices", s.set.Version()))
		return nil
	}
	if len(ids) > mostTaintRules {
		out.OmittedRules, ids = len(ids)-mostTaintRules, ids[:mostTaintRules]
	}
	var rules []*resourceapi.DeviceTaintRule
	names := map[string]bool{}
	for _, id := range ids {
		rule := TaintRule{Device: id.String(), YAML: taintRuleText(served[0], id, names), Pods: []EvictedPod{}, Location: s.where.locate(reports.place("", id))}
		value, err := s.checkedRule(ctx, rule.YAML)
		if err != nil {
			return err
		}
		if value == nil {
			out.Assumptions = append(out.Assumptions, fmt.Sprintf("no rule can select %s: its driver, pool or device has a name that no slice can have", id))
			continue
		}
		rule.Message = fmt.Sprintf("%s %s", id.Device, brief(reports.unhealthy[id]))
		rules = append(rules, value)
		out.TaintRules = append(out.TaintRules, rule)
	}
	evictions, off, err := s.evictedBy(ctx, rules)
	if err != nil {
		return err
	}
	for i := range out.TaintRules {
		r := &out.TaintRules[i]
		for _, e := range evictions {
			if e.Rule != rules[i] {
				continue
			}
			for j := range e.Pods {
				r.Pods = append(r.Pods, evictedPod(&e.Pods[j]))
			}
		}
		r.Message += "; the rule keeps new pods from it and evicts " + count(len(r.Pods), "pod", "pods")
		if len(r.Pods) == 0 {
			r.Message = strings.Replace(r.Message, "evicts 0 pods", "evicts no pod", 1)
		}
	}
	if off != "" {
		out.Assumptions = append(out.Assumptions, fmt.Sprintf("%s is off in %s, so nobody looks at a DeviceTaintRule there; what the rules would do is told as if it was on", off, s.set.Version()))
	}
	return nil
}

// taintRuleText writes a rule. Names that YAML could take for something else
// stand in quotes.
func taintRuleText(apiVersion string, id inventory.DeviceID, names map[string]bool) string {
	name := "unhealthy-" + id.Device
	for n := 2; names[name]; n++ {
		name = "unhealthy-" + id.Device + "-" + strconv.Itoa(n)
	}
	names[name] = true
	return fmt.Sprintf(`apiVersion: %s
kind: DeviceTaintRule
metadata:
  name: %s
spec:
  deviceSelector:
    driver: %q
    pool: %q
    device: %q
  taint:
    key: %s
    effect: NoExecute
`, apiVersion, name, id.Driver, id.Pool, id.Device, unhealthyTaint)
}

// checkedRule reads a rule that the API server would take; nil for one that it
// would not.
func (s *nodeSide) checkedRule(ctx context.Context, text string) (*resourceapi.DeviceTaintRule, error) {
	b := bundle.Parse([]byte(text), bundle.Options{FieldValidation: bundle.Strict, Features: s.set})
	stored, err := create(ctx, b, s.set, Options{})
	if err != nil {
		return nil, err
	}
	if len(b.Objects) != 1 || diag.HasErrors(b.Diagnostics) || diag.HasErrors(stored.findings) {
		return nil, nil
	}
	rule, _ := stored.objects[0].(*resourceapi.DeviceTaintRule)
	return rule, nil
}

// evictedBy plans the cluster anew in which every pod is on its node and the
// rules are there. It names a gate that is off and was taken as on.
func (s *nodeSide) evictedBy(ctx context.Context, rules []*resourceapi.DeviceTaintRule) (list []*schedule.Eviction, off feature.Gate, err error) {
	set := s.set
	for _, gate := range []feature.Gate{feature.DRADeviceTaints, feature.DRADeviceTaintRules} {
		if set.Enabled(gate) || !set.Exists(gate) {
			continue
		}
		with, err := set.With(gate)
		if err != nil {
			continue
		}
		set, off = with, gate
	}
	in := schedule.Input{
		Nodes: s.input.Nodes, Classes: s.input.Classes, Slices: s.input.Slices, Rules: rules, Groups: s.input.Groups,
		Invalid: s.input.Invalid, Features: inventory.FeaturesOf(set), Gates: schedule.GatesOf(set),
	}
	for _, p := range s.plan.Pods {
		if pod := s.handed.Pods[p]; pod != nil && pod.Spec.NodeName != "" {
			in.Pods = append(in.Pods, pod)
		}
	}
	var claims []string
	for name, c := range s.handed.Claims {
		if c.Status.Allocation != nil {
			claims = append(claims, name)
		}
	}
	slices.Sort(claims)
	for _, name := range claims {
		in.Claims = append(in.Claims, s.handed.Claims[name])
	}
	plan, err := schedule.Run(ctx, in)
	if err != nil {
		return nil, "", err
	}
	return plan.Evictions, off, nil
}
