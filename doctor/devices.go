package doctor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/drawbridge-dra/drawbridge/cluster/client"
	"github.com/drawbridge-dra/drawbridge/core"
)

// drivers counts what each driver publishes, and looks for its plugins.
func (v *visit) drivers() {
	const area = "drivers"
	if v.unread["ResourceSlices"] != nil {
		return
	}
	type tally struct {
		slices, devices int
		pools           map[string]bool
		nodes           map[string]bool // with a slice that takes a plugin
	}
	found := map[string]*tally{}
	for _, s := range as[resourceapi.ResourceSlice](v.objects["ResourceSlices"]) {
		t := found[s.Spec.Driver]
		if t == nil {
			t = &tally{pools: map[string]bool{}, nodes: map[string]bool{}}
			found[s.Spec.Driver] = t
		}
		t.slices, t.devices = t.slices+1, t.devices+len(s.Spec.Devices)
		t.pools[s.Spec.Pool.Name] = true
		if s.Spec.NodeName != nil && *s.Spec.NodeName != "" && len(s.Spec.SkipNodeOperations) == 0 {
			t.nodes[*s.Spec.NodeName] = true
		}
	}
	if len(found) == 0 {
		v.report.say(area, Info, "no driver publishes devices: there are no ResourceSlices")
		return
	}
	plugins := pluginsOf(as[corev1.Pod](v.objects["Pods"]))
	total, lacking := 0, []string{}
	for _, name := range slices.Sorted(maps.Keys(found)) {
		t := found[name]
		d := Driver{Name: name, Slices: t.slices, Pools: len(t.pools), Devices: t.devices, Nodes: len(t.nodes)}
		total += t.slices
		for _, node := range slices.Sorted(maps.Keys(t.nodes)) {
			if plugins.serves(node, name) {
				d.Plugins++
			} else if len(d.Without) < most {
				d.Without = append(d.Without, node)
			}
		}
		v.report.Drivers = append(v.report.Drivers, d)
		if d.Plugins < d.Nodes {
			lacking = append(lacking, fmt.Sprintf("%s: on %d of %d nodes, such as %s", name, d.Nodes-d.Plugins, d.Nodes, some(d.Without)))
		}
	}
	v.report.say(area, OK, fmt.Sprintf("drivers that publish devices: %d, with %s", len(found), counted(total, "slice")))
	switch {
	case v.unread["Pods"] != nil:
		v.report.say(area, Unknown, "whether plugins of drivers run on the nodes is not known: pods cannot be read")
	case len(lacking) > 0:
		v.report.say(area, Problem, "there are devices on nodes where no ready pod uses the kubelet's plugin folders, so pods with claims for them would wait for a plugin; see whether the driver's DaemonSet runs there", lacking...)
	default:
		v.report.say(area, OK, "on every node with devices of its own a pod uses the kubelet's plugin folders")
	}
}

// plugins are, by node, the pods that may be plugins of drivers, each with
// the words of its containers.
type plugins map[string][]string

// pluginFolders are where plugins of drivers open their sockets.
var pluginFolders = []string{"/plugins_registry", "/plugins"}

// pluginsOf finds ready pods that use those folders of their node.
func pluginsOf(pods []corev1.Pod) plugins {
	out := plugins{}
	for _, pod := range pods {
		ready := slices.ContainsFunc(pod.Status.Conditions, func(c corev1.PodCondition) bool {
			return c.Type == corev1.PodReady && c.Status == corev1.ConditionTrue
		})
		var words []string
		for _, volume := range pod.Spec.Volumes {
			if volume.HostPath == nil {
				continue
			}
			for _, folder := range pluginFolders {
				if path := strings.TrimRight(volume.HostPath.Path, "/"); strings.HasSuffix(path, folder) || strings.Contains(path, folder+"/") {
					words = append(words, path)
				}
			}
		}
		if !ready || len(words) == 0 || pod.Spec.NodeName == "" {
			continue
		}
		for _, c := range pod.Spec.Containers {
			words = append(append(words, c.Command...), c.Args...)
			for _, e := range c.Env {
				words = append(words, e.Value)
			}
		}
		out[pod.Spec.NodeName] = append(out[pod.Spec.NodeName], strings.Join(words, " "))
	}
	return out
}

// serves tells whether a plugin of the driver may run on a node: a pod that
// names the driver, or one that names none at all, as most have their driver's
// name built in.
func (p plugins) serves(node, driver string) bool {
	return slices.ContainsFunc(p[node], func(words string) bool {
		return strings.Contains(words, driver) || !strings.Contains(words, "/plugins/")
	})
}

// mostText is how much the core reads at a time.
const mostText = 30 << 20

// bundle is what was read, as one text; without the pods that use no devices
// where it would be too long.
func (v *visit) bundle() (text []byte, cut bool, err error) {
	var all []map[string]any
	for _, k := range kinds {
		all = append(all, v.objects[k.name]...)
	}
	if text, err = json.Marshal(all); err != nil || len(text) <= mostText {
		return text, false, err
	}
	all = slices.DeleteFunc(all, func(o map[string]any) bool {
		spec, _ := o["spec"].(map[string]any)
		return o["kind"] == "Pod" && spec["resourceClaims"] == nil
	})
	text, err = json.Marshal(all)
	if err == nil && len(text) > mostText {
		err = fmt.Errorf("the cluster's objects are %d MiB of text, and at most %d are worked on", len(text)>>20, mostText>>20)
	}
	return text, true, err
}

// plan lets the core work out what becomes of pods, and what is wrong with
// pools.
func (v *visit) plan(ctx context.Context) {
	const area = "pods"
	text, cut, err := v.bundle()
	if err != nil {
		v.report.say(area, Unknown, fmt.Sprintf("pools and pods were not looked at: %v", err))
		return
	}
	opts := core.Options{KubernetesVersion: v.version, FeatureGates: v.gateFlag(), SkipValidation: true, FieldValidation: "Ignore", Explain: core.ExplainSummary, Picture: true}
	result, err := core.Allocate(ctx, text, opts)
	var option *core.OptionError
	if errors.As(err, &option) {
		opts.FeatureGates = ""
		v.report.say(area, Info, "the feature gates of the cluster cannot be followed here, so pods and pools are judged by the defaults of its version: "+option.Message)
		result, err = core.Allocate(ctx, text, opts)
	}
	if err != nil {
		v.report.say(area, Unknown, fmt.Sprintf("pools and pods were not looked at: %v", err))
		return
	}
	if cut {
		v.report.say(area, Info, "the cluster is large: pods that use no claims were left out, so nodes may look emptier than they are")
	}
	v.pools(result)
	v.pending(result)
}

// pools lists those of which no device can be had.
func (v *visit) pools(result *core.AllocateResult) {
	if result.Picture == nil || v.unread["ResourceSlices"] != nil {
		return
	}
	var wrong []string
	for _, p := range result.Picture.Pools {
		if p.Problem != "" {
			v.report.Pools = append(v.report.Pools, Pool{Driver: p.Driver, Name: p.Name, Problem: p.Problem})
			wrong = append(wrong, fmt.Sprintf("%s/%s: %s", p.Driver, p.Name, p.Problem))
		}
	}
	if len(wrong) > 0 {
		v.report.say("pools", Problem, fmt.Sprintf("pools of which no device can be had: %d of %d", len(wrong), len(result.Picture.Pools)), wrong...)
	} else if len(result.Picture.Pools) > 0 {
		v.report.say("pools", OK, fmt.Sprintf("pools: %d, all complete and valid", len(result.Picture.Pools)))
	}
}

// pending says which pods wait, and why.
func (v *visit) pending(result *core.AllocateResult) {
	if v.unread["Pods"] != nil {
		return
	}
	waiting := map[string]bool{}
	for _, pod := range as[corev1.Pod](v.objects["Pods"]) {
		if pod.Spec.NodeName == "" && pod.DeletionTimestamp == nil && (pod.Status.Phase == corev1.PodPending || pod.Status.Phase == "") {
			waiting[pod.Namespace+"/"+pod.Name] = true
		}
	}
	stuck, lines, fit := 0, []string{}, 0
	for _, p := range result.Pods {
		name := p.Namespace + "/" + p.Name
		if !waiting[name] {
			continue
		}
		v.report.Pending++
		one := Pod{Pod: name, Fits: p.Outcome == core.PodScheduled, Message: p.Message}
		if one.Fits {
			fit++
		} else {
			stuck++
			lines = append(lines, p.Message)
		}
		if len(v.report.Pods) < most {
			v.report.Pods = append(v.report.Pods, one)
		}
	}
	switch {
	case stuck > 0:
		v.report.say("pods", Problem, fmt.Sprintf("pods that wait for devices: %d, of which %d find no place", v.report.Pending, stuck), lines...)
	case fit > 0:
		v.report.say("pods", Info, fmt.Sprintf("pods that wait for devices: %d, and all of them would find a place", fit))
	default:
		v.report.say("pods", OK, "no pod waits for devices")
	}
}

// gateFlag are the gates of the scheduler, or else of the API server, as far
// as they differ from the defaults.
func (v *visit) gateFlag() string {
	var gates map[string]bool
	for _, c := range v.report.Components {
		if c.Gates != nil && (c.Kind == "kube-scheduler" || c.Kind == apiServer && gates == nil) {
			gates = c.Gates
		}
	}
	return client.GateFlag(gates, v.version)
}
