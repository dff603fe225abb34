package core

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/drawbridge-dra/drawbridge/core/bundle"
	"github.com/drawbridge-dra/drawbridge/core/fit"
	"github.com/drawbridge-dra/drawbridge/core/schedule"
)

// pod is the one in question; nil for a claim that no pod uses.
func (p *probe) pod() *corev1.Pod {
	if p.at.pod == nil {
		return nil
	}
	return p.at.pod.Pod
}

// nodeNamed is a node of the bundle.
func (p *probe) nodeNamed(name string) *corev1.Node {
	for _, n := range p.cluster.input.Nodes {
		if n.Name == name {
			return n
		}
	}
	return nil
}

func uncordon(p *probe, node string, _ *schedule.Reason) {
	if n := p.nodeNamed(node); n != nil {
		p.set(nodeChange, "node "+node+" is uncordoned", n, "spec", "unschedulable", false)
	}
}

// toleratePod lets the pod tolerate what keeps it from the node, each taint
// alone and all together.
func toleratePod(p *probe, node string, _ *schedule.Reason) {
	n, pod := p.nodeNamed(node), p.pod()
	if n == nil || pod == nil {
		return
	}
	var all []corev1.Toleration
	var names []string
	taints := slices.Clone(n.Spec.Taints)
	if n.Spec.Unschedulable {
		taints = append(taints, corev1.Taint{Key: corev1.TaintNodeUnschedulable, Effect: corev1.TaintEffectNoSchedule})
	}
	for _, taint := range taints {
		if taint.Effect == corev1.TaintEffectPreferNoSchedule {
			continue
		}
		t := corev1.Toleration{Key: taint.Key, Operator: corev1.TolerationOpExists, Effect: taint.Effect}
		if taint.Value != "" {
			t.Operator, t.Value = corev1.TolerationOpEqual, taint.Value
		}
		all, names = append(all, t), append(names, taint.ToString())
		p.set(toleration, "the pod tolerates "+taint.ToString(), pod, "spec", "tolerations", append(slices.Clone(pod.Spec.Tolerations), t))
	}
	if len(all) > 1 {
		p.set(toleration, "the pod tolerates "+strings.Join(names, " and "), pod, "spec", "tolerations", append(slices.Clone(pod.Spec.Tolerations), all...))
	}
}

func untaintNode(p *probe, node string, _ *schedule.Reason) {
	if n := p.nodeNamed(node); n != nil && len(n.Spec.Taints) > 0 {
		p.set(nodeChange, "node "+node+" has no taints", n, "spec", "taints", []any{})
	}
}

func freePod(p *probe, _ string, _ *schedule.Reason) {
	pod := p.pod()
	if pod == nil {
		return
	}
	if len(pod.Spec.NodeSelector) > 0 {
		p.set(selectorOf, "the pod has no nodeSelector", pod, "spec", "nodeSelector", map[string]string{})
	}
	if pod.Spec.Affinity != nil && pod.Spec.Affinity.NodeAffinity != nil {
		p.set(selectorOf, "the pod has no node affinity", pod, "spec.affinity", "nodeAffinity", nil)
	}
}

// labelNode gives the node the labels that the pod selects.
func labelNode(p *probe, node string, _ *schedule.Reason) {
	n, pod := p.nodeNamed(node), p.pod()
	if n == nil || pod == nil {
		return
	}
	labels := map[string]string{}
	changed := false
	for k, v := range n.Labels {
		labels[k] = v
	}
	var names []string
	for k, v := range pod.Spec.NodeSelector {
		if k != corev1.LabelHostname && labels[k] != v {
			labels[k], changed = v, true
			names = append(names, k+"="+v)
		}
	}
	if slices.Sort(names); changed {
		p.set(nodeChange, fmt.Sprintf("node %s is labelled %s", node, strings.Join(names, ", ")), n, "metadata", "labels", labels)
	}
}

// containers are all of the pod, by their paths.
func (p *probe) containers(do func(path string, c *corev1.Container)) {
	pod := p.pod()
	if pod == nil {
		return
	}
	for i := range pod.Spec.InitContainers {
		do(fmt.Sprintf("spec.initContainers[%d]", i), &pod.Spec.InitContainers[i])
	}
	for i := range pod.Spec.Containers {
		do(fmt.Sprintf("spec.containers[%d]", i), &pod.Spec.Containers[i])
	}
}

func dropPorts(p *probe, _ string, _ *schedule.Reason) {
	p.containers(func(path string, c *corev1.Container) {
		for i := range c.Ports {
			if port := c.Ports[i].HostPort; port != 0 {
				p.set(selectorOf, fmt.Sprintf("container %s does not want port %d of the node", c.Name, port), p.pod(), fmt.Sprintf("%s.ports[%d]", path, i), "hostPort", 0)
			}
		}
	})
}

// resourceOf is what the code of a reason says is short.
func resourceOf(r *schedule.Reason) (corev1.ResourceName, bool) {
	switch r.Code {
	case fit.InsufficientCPU:
		return corev1.ResourceCPU, true
	case fit.InsufficientMemory:
		return corev1.ResourceMemory, true
	case fit.InsufficientStorage:
		return corev1.ResourceEphemeralStorage, true
	}
	return "", false
}

// requestLess lowers what one container requests, so that all together get
// along with what is left.
func requestLess(p *probe, _ string, r *schedule.Reason) {
	if r.Left == nil || r.Left.Sign() <= 0 {
		return
	}
	of := func(c *corev1.Container) map[corev1.ResourceName]resource.Quantity {
		all := map[corev1.ResourceName]resource.Quantity{}
		for _, list := range []corev1.ResourceList{c.Resources.Limits, c.Resources.Requests} {
			for n, q := range list {
				all[n] = q
			}
		}
		return all
	}
	for _, n := range p.short(r) {
		over := resource.Quantity{}
		p.containers(func(_ string, c *corev1.Container) { over.Add(of(c)[n]) })
		over.Sub(*r.Left)
		p.containers(func(path string, c *corev1.Container) {
			left := of(c)[n]
			left = left.DeepCopy()
			if left.Sub(over); over.Sign() <= 0 || left.Sign() <= 0 {
				return
			}
			if strings.ContainsRune(string(n), '/') {
				p.both(path, c, n, left)
				return
			}
			p.set(amount, fmt.Sprintf("container %s requests %s %s", c.Name, left.String(), n), p.pod(), path+".resources.requests", string(n), left.String())
		})
	}
}

// short are the resources of which a reason says that there is too little.
func (p *probe) short(r *schedule.Reason) []corev1.ResourceName {
	if name, known := resourceOf(r); known {
		return []corev1.ResourceName{name}
	}
	var out []corev1.ResourceName
	p.containers(func(_ string, c *corev1.Container) {
		for _, n := range sortedNames(c.Resources.Requests) {
			if strings.Contains(r.Message, string(n)) && !slices.Contains(out, n) {
				out = append(out, n)
			}
		}
	})
	return out
}

// both sets the request and the limit of an extended resource, which must be
// the same.
func (p *probe) both(path string, c *corev1.Container, n corev1.ResourceName, left resource.Quantity) {
	o := lookUp(p.cluster.objects, any(p.pod()))
	if o == nil {
		return
	}
	request, ok := o.Put(path+".resources.requests", string(n), left.String())
	limit, also := o.Put(path+".resources.limits", string(n), left.String())
	if ok && also {
		p.add(amount, "", fmt.Sprintf("container %s requests %s %s", c.Name, left.String(), n), o, path+".resources", []bundle.Edit{request, limit})
	}
}

func sortedNames(list corev1.ResourceList) []corev1.ResourceName {
	var out []corev1.ResourceName
	for n := range list {
		out = append(out, n)
	}
	slices.Sort(out)
	return out
}

// requestNone leaves a resource out of which a node has none.
func requestNone(p *probe, _ string, r *schedule.Reason) {
	o := lookUp(p.cluster.objects, any(p.pod()))
	if o == nil {
		return
	}
	p.containers(func(path string, c *corev1.Container) {
		for _, n := range sortedNames(c.Resources.Requests) {
			if !strings.Contains(r.Message, string(n)) {
				continue
			}
			var edits []bundle.Edit
			for _, key := range []string{"limits", "requests"} {
				list := c.Resources.Limits
				if key == "requests" {
					list = c.Resources.Requests
				}
				if _, has := list[n]; !has || o.At(path+".resources."+key) == nil {
					continue
				}
				rest := list.DeepCopy()
				delete(rest, n)
				if e, ok := o.Put(path+".resources", key, rest); ok {
					edits = append(edits, e)
				}
			}
			if len(edits) > 0 {
				p.add(amount, "", fmt.Sprintf("container %s requests no %s", c.Name, n), o, path+".resources", edits)
			}
		}
	})
}

func shareUsers(p *probe, _ string, _ *schedule.Reason) {
	if pod := p.pod(); pod != nil && pod.Spec.HostUsers != nil && !*pod.Spec.HostUsers {
		p.set(selectorOf, "the pod uses the node's users (hostUsers)", pod, "spec", "hostUsers", true)
	}
}

// endPods lets pods that run on the node end, one at a time.
func endPods(p *probe, node string, _ *schedule.Reason) {
	ended := 0
	for _, other := range p.cluster.input.Pods {
		if other.Spec.NodeName != node || node == "" || fit.Ended(other) || ended == othersNamed {
			continue
		}
		ended++
		p.set(release, fmt.Sprintf("pod %s on %s has ended", fullName(other.Namespace, other.Name), node), other, "status", "phase", "Succeeded")
	}
}

func fullName(namespace, name string) string {
	if namespace == "" {
		namespace = "default"
	}
	return namespace + "/" + name
}

func openGates(p *probe, _ string, _ *schedule.Reason) {
	p.set(recreate, "its scheduling gates are removed", p.pod(), "spec", "schedulingGates", []any{})
}

func createAnew(p *probe, _ string, _ *schedule.Reason) {
	pod := p.pod()
	if pod == nil {
		return
	}
	if pod.DeletionTimestamp != nil {
		p.set(recreate, "the pod is created anew", pod, "metadata", "deletionTimestamp", nil)
	}
	if fit.Ended(pod) {
		p.set(recreate, "the pod is created anew", pod, "status", "phase", "Pending")
	}
}

// forgetClaims creates the pod anew, so that claims are made for it again.
func forgetClaims(p *probe, _ string, _ *schedule.Reason) {
	p.set(recreate, "the pod is created anew", p.pod(), "status", "resourceClaimStatuses", []any{})
}

func dropPodLevel(p *probe, _ string, _ *schedule.Reason) {
	p.set(amount, "the pod as a whole has no resources of its own", p.pod(), "spec", "resources", nil)
}

// entry is the path of the entry of spec.resourceClaims that a reason is about.
func entryOf(r *schedule.Reason) string {
	at := strings.IndexByte(r.Field, ']')
	if !strings.HasPrefix(r.Field, "spec.resourceClaims[") || at < 0 {
		return ""
	}
	return r.Field[:at+1]
}

func nameClaim(p *probe, _ string, r *schedule.Reason) {
	path, pod := entryOf(r), p.pod()
	if path == "" || pod == nil {
		return
	}
	tried := 0
	for _, c := range p.cluster.input.Claims {
		if fullName(c.Namespace, "") == fullName(pod.Namespace, "") && tried < othersNamed {
			tried++
			p.set(reference, "the pod names ResourceClaim "+c.Name, pod, path, "resourceClaimName", c.Name)
		}
	}
}

func nameTemplate(p *probe, _ string, r *schedule.Reason) {
	path, pod := entryOf(r), p.pod()
	if path == "" || pod == nil {
		return
	}
	tried := 0
	for _, c := range p.cluster.input.Templates {
		if fullName(c.Namespace, "") == fullName(pod.Namespace, "") && tried < othersNamed {
			tried++
			p.set(reference, "the pod names ResourceClaimTemplate "+c.Name, pod, path, "resourceClaimTemplateName", c.Name)
		}
	}
}

func nameGroup(p *probe, _ string, _ *schedule.Reason) {
	pod := p.pod()
	if pod == nil {
		return
	}
	for i, g := range p.cluster.input.Groups {
		if fullName(g.Namespace, "") == fullName(pod.Namespace, "") && i < othersNamed {
			p.set(reference, "the pod names PodGroup "+g.Name, pod, "spec.schedulingGroup", "podGroupName", g.Name)
		}
	}
}
