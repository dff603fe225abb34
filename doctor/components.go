package doctor

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/drawbridge-dra/drawbridge/core"
)

const apiServer, kubelet = "kube-apiserver", "kubelet"

// components looks at the control plane and at kubelets, and compares them.
func (v *visit) components(ctx context.Context) {
	server := Component{Kind: apiServer, Version: v.report.Version}
	v.gates(ctx, &server, "/metrics")
	v.report.Components = append(v.report.Components, server)
	v.controlPlane(ctx)
	v.kubelets(ctx)
	v.versionSkew()
	v.gateSkew()
}

// gates reads the metrics of a component.
func (v *visit) gates(ctx context.Context, c *Component, path string) {
	found, err := v.Gates(ctx, path)
	if err != nil {
		c.Unknown = err.Error()
		return
	}
	c.Gates, c.From = v.ofDRA(found), "metrics"
}

// ofDRA leaves those gates that matter here.
func (v *visit) ofDRA(found map[string]bool) map[string]bool {
	out := map[string]bool{}
	for name, on := range found {
		for _, k := range core.Versions().Versions {
			if slices.ContainsFunc(k.Gates, func(g core.GateInfo) bool { return g.Name == name }) {
				out[name] = on
				break
			}
		}
	}
	return out
}

// ports are those at which the parts of a control plane tell their metrics.
var ports = map[string]int{"kube-scheduler": 10259, "kube-controller-manager": 10257}

var imageVersion = regexp.MustCompile(`:(v[0-9]+\.[0-9]+\.[0-9]+[^@]*)`)

// controlPlane looks for the scheduler and the controller manager among the
// pods. Where they hide their metrics, which is how most are set up, their
// flags tell.
func (v *visit) controlPlane(ctx context.Context) {
	seen := map[string]bool{}
	for _, pod := range as[corev1.Pod](v.objects["Pods"]) {
		kind := pod.Labels["component"]
		port, ours := ports[kind]
		if !ours || pod.Namespace != "kube-system" || pod.Status.Phase != corev1.PodRunning {
			continue
		}
		c := Component{Kind: kind, Name: pod.Namespace + "/" + pod.Name}
		for _, container := range pod.Spec.Containers {
			if m := imageVersion.FindStringSubmatch(container.Image); m != nil && c.Version == "" {
				c.Version = m[1]
			}
		}
		v.gates(ctx, &c, fmt.Sprintf("/api/v1/namespaces/%s/pods/https:%s:%d/proxy/metrics", pod.Namespace, pod.Name, port))
		if c.Gates == nil {
			v.fromFlags(&c, pod.Spec.Containers)
		}
		v.report.Components = append(v.report.Components, c)
		seen[kind] = true
	}
	for _, kind := range slices.Sorted(maps.Keys(ports)) {
		if !seen[kind] {
			v.report.say("components", Unknown, kind+" is no pod of kube-system that could be seen, so its version and feature gates are not known; where somebody else runs the control plane, ask them")
		}
	}
}

// fromFlags works out the gates by the version and what the flags change.
func (v *visit) fromFlags(c *Component, containers []corev1.Container) {
	version := minorOf(c.Version)
	var defaults map[string]bool
	for _, k := range core.Versions().Versions {
		if k.Version == version {
			defaults = map[string]bool{}
			for _, g := range k.Gates {
				defaults[g.Name] = g.Default
			}
		}
	}
	if defaults == nil {
		return
	}
	for _, container := range containers {
		for _, word := range slices.Concat(container.Command, container.Args) {
			text, is := strings.CutPrefix(word, "--feature-gates=")
			if !is {
				continue
			}
			for _, pair := range strings.Split(text, ",") {
				name, value, _ := strings.Cut(pair, "=")
				on, err := strconv.ParseBool(value)
				if _, known := defaults[name]; err == nil && known {
					defaults[name] = on
				} else if err == nil && (name == "AllAlpha" || name == "AllBeta") {
					setAll(defaults, version, strings.ToLower(strings.TrimPrefix(name, "All")), on, text)
				}
			}
		}
	}
	c.Gates, c.From, c.Unknown = defaults, "flags", ""
}

// setAll does what AllAlpha and AllBeta do, for gates that are not named.
func setAll(gates map[string]bool, version, stage string, on bool, flag string) {
	for _, k := range core.Versions().Versions {
		if k.Version != version {
			continue
		}
		for _, g := range k.Gates {
			if g.Stage == stage && !strings.Contains(","+flag, ","+g.Name+"=") {
				gates[g.Name] = on
			}
		}
	}
}

// kubelets asks some of them.
func (v *visit) kubelets(ctx context.Context) {
	nodes := as[corev1.Node](v.objects["Nodes"])
	slices.SortFunc(nodes, func(a, b corev1.Node) int { return strings.Compare(a.Name, b.Name) })
	asked, dumb := 0, []string{}
	for _, node := range nodes {
		c := Component{Kind: kubelet, Name: node.Name, Version: node.Status.NodeInfo.KubeletVersion}
		if asked < v.opts.Kubelets {
			asked++
			proxy := "/api/v1/nodes/" + node.Name + "/proxy/"
			v.gates(ctx, &c, proxy+"metrics")
			if c.Gates == nil {
				v.configz(ctx, &c, proxy+"configz")
			}
			if c.Gates == nil {
				dumb = append(dumb, fmt.Sprintf("%s: %s", node.Name, c.Unknown))
			}
		}
		v.report.Components = append(v.report.Components, c)
	}
	if len(dumb) > 0 {
		v.report.say("components", Unknown, fmt.Sprintf("kubelets that were asked and do not tell their feature gates: %d of %d; it takes the right to get nodes/proxy", len(dumb), asked), dumb...)
	}
}

// configz reads what the configuration of a kubelet sets; the rest is as its
// version has it.
func (v *visit) configz(ctx context.Context, c *Component, path string) {
	var config struct {
		Kubeletconfig struct{ FeatureGates map[string]bool }
	}
	err := v.JSON(ctx, path, nil, &config)
	if err != nil {
		return // why the metrics did not answer is known
	}
	var words []string
	for _, name := range slices.Sorted(maps.Keys(config.Kubeletconfig.FeatureGates)) {
		words = append(words, fmt.Sprintf("%s=%t", name, config.Kubeletconfig.FeatureGates[name]))
	}
	v.fromFlags(c, []corev1.Container{{Args: []string{"--feature-gates=" + strings.Join(words, ",")}}})
	if c.Gates != nil {
		c.From = "configz"
	}
}

// minorOf is a version without what comes behind the minor one.
func minorOf(version string) string {
	parts := strings.SplitN(strings.TrimPrefix(version, "v"), ".", 3)
	if len(parts) < 2 {
		return ""
	}
	return parts[0] + "." + parts[1]
}

// versionSkew holds versions against what Kubernetes supports.
func (v *visit) versionSkew() {
	minor := func(version string) int {
		_, text, _ := strings.Cut(minorOf(version), ".")
		n, err := strconv.Atoi(text)
		if err != nil {
			return -1
		}
		return n
	}
	server := minor(v.report.Version)
	var wrong []string
	for _, c := range v.report.Components {
		n, oldest := minor(c.Version), 1
		if c.Kind == kubelet {
			oldest = 3
		}
		switch {
		case n < 0 || server < 0 || c.Kind == apiServer:
		case n > server:
			wrong = append(wrong, fmt.Sprintf("%s %s is %s, newer than the API server; upgrade that first", c.Kind, c.Name, c.Version))
		case n < server-oldest:
			wrong = append(wrong, fmt.Sprintf("%s %s is %s; it may be %d minor versions older than the API server at the most", c.Kind, c.Name, c.Version, oldest))
		}
	}
	if len(wrong) > 0 {
		v.report.say("versions", Problem, fmt.Sprintf("components of a version that does not go with the API server's, %s: %d", v.report.Version, len(wrong)), wrong...)
	} else {
		v.report.say("versions", OK, "the versions of all components that could be seen go together")
	}
}

// gateSkew finds the gates that are on in one component and off in another.
func (v *visit) gateSkew() {
	states := map[string]map[bool][]string{}
	known, unknown := 0, []string{}
	for _, c := range v.report.Components {
		called := strings.TrimSpace(c.Kind + " " + c.Name)
		if c.Gates == nil {
			if c.Unknown != "" && c.Kind != kubelet {
				unknown = append(unknown, called+": "+c.Unknown)
			}
			continue
		}
		known++
		for name, on := range c.Gates {
			if states[name] == nil {
				states[name] = map[bool][]string{}
			}
			states[name][on] = append(states[name][on], called)
		}
	}
	var skewed []string
	for _, name := range slices.Sorted(maps.Keys(states)) {
		if on, off := states[name][true], states[name][false]; len(on) > 0 && len(off) > 0 {
			skewed = append(skewed, fmt.Sprintf("%s is on in %s, and off in %s", name, some(on), some(off)))
		}
	}
	switch {
	case len(skewed) > 0:
		v.report.say("gates", Problem, fmt.Sprintf("feature gates that are on in one component and off in another: %d; set them alike in --feature-gates of all", len(skewed)), skewed...)
	case known > 1:
		v.report.say("gates", OK, fmt.Sprintf("the feature gates of DRA are the same in all %d components that tell them", known))
	}
	if len(unknown) > 0 {
		v.report.say("gates", Unknown, "the feature gates of some components are not known", unknown...)
	}
}

// some lists a few names.
func some(names []string) string {
	if n := len(names); n > 3 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:3], ", "), n-3)
	}
	return strings.Join(names, ", ")
}
