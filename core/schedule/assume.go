package schedule

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/drawbridge-dra/drawbridge/core/allocate"
	"github.com/drawbridge-dra/drawbridge/core/fit"
)

// draws counts where several nodes are as good as each other.
type draws struct {
	count int
	first string
	nodes int
}

func (d *draws) note(name string, ties int) {
	if ties < 2 {
		return
	}
	if d.count++; d.count == 1 {
		d.first, d.nodes = name, ties
	}
}

// notModelled are the parts of a pod that the scheduler looks at and this
// plan does not.
var notModelled = []struct {
	what string
	used func(*corev1.Pod) bool
}{
	{"affinity to other pods", func(pod *corev1.Pod) bool {
		a := pod.Spec.Affinity
		return a != nil && (a.PodAffinity != nil && len(a.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution) > 0 ||
			a.PodAntiAffinity != nil && len(a.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution) > 0)
	}},
	{"topology spread constraints", func(pod *corev1.Pod) bool {
		for i := range pod.Spec.TopologySpreadConstraints {
			if pod.Spec.TopologySpreadConstraints[i].WhenUnsatisfiable != corev1.ScheduleAnyway {
				return true
			}
		}
		return false
	}},
	{"volumes that only some nodes have", func(pod *corev1.Pod) bool {
		for i := range pod.Spec.Volumes {
			if v := &pod.Spec.Volumes[i].VolumeSource; v.PersistentVolumeClaim != nil || v.Ephemeral != nil {
				return true
			}
		}
		return false
	}},
	{"a scheduler of its own, which may decide otherwise", func(pod *corev1.Pod) bool {
		return pod.Spec.SchedulerName != "" && pod.Spec.SchedulerName != corev1.DefaultSchedulerName
	}},
	{"a runtime class, whose overhead and nodes the pod does not spell out", func(pod *corev1.Pod) bool {
		return pod.Spec.RuntimeClassName != nil && pod.Spec.Overhead == nil
	}},
}

// assumptions says what the plan did not look at, as far as it matters.
func (p *planner) assumptions() {
	for _, m := range notModelled {
		var names []string
		for _, out := range p.plan.Pods {
			if out.Pod.Spec.NodeName == "" && m.used(out.Pod) {
				names = append(names, podName(out.Pod))
			}
		}
		if len(names) > 0 {
			p.assume(fmt.Sprintf("not looked at: %s (%s)", m.what, some(names)))
		}
	}
	p.assumeGangs()
	p.assumeSilentNodes()
	p.assumeOthersWait()
	p.assumePreemption()
	p.assumeTimes()
	if d := p.draws; d.count > 0 {
		more := ""
		if d.count > 1 {
			more = fmt.Sprintf(" and %d more", d.count-1)
		}
		p.assume(fmt.Sprintf("where several nodes are equally good (%d for %s%s), the first is taken; the scheduler also weighs what is free on them, and draws if all is equal", d.nodes, d.first, more))
	}
}

func podName(pod *corev1.Pod) string { return namespace(pod.Namespace) + "/" + pod.Name }

func (p *planner) assumeGangs() {
	var names []string
	for _, out := range p.plan.Pods {
		if g := p.groups[namespace(out.Pod.Namespace)+"/"+groupName(out.Pod)]; g != nil && g.Spec.SchedulingPolicy.Gang != nil && out.Pod.Spec.NodeName == "" {
			names = append(names, podName(out.Pod))
		}
	}
	if len(names) > 0 {
		p.assume(fmt.Sprintf("pods of a gang are placed one by one, whether or not enough of them fit (%s)", some(names)))
	}
}

// assumeSilentNodes speaks of nodes that do not say what they have, if a pod
// asks for some of it.
func (p *planner) assumeSilentNodes() {
	asks := map[corev1.ResourceName]bool{}
	var order []corev1.ResourceName
	for _, out := range p.plan.Pods {
		if out.Pod.Spec.NodeName != "" {
			continue
		}
		for i := range out.fit.Requests {
			if a := &out.fit.Requests[i]; a.Value > 0 && p.extended[a.Name] == nil && !asks[a.Name] {
				asks[a.Name] = true
				order = append(order, a.Name)
			}
		}
	}
	for _, name := range order {
		var silent []string
		for _, n := range p.nodes {
			if n.Open(name) {
				silent = append(silent, n.Name)
			}
		}
		if len(silent) > 0 && len(p.Nodes) > 0 {
			p.assume(fmt.Sprintf("nodes that do not list %s in status.allocatable are taken to have enough of it (%s)", name, some(silent)))
		}
	}
}

// assumeOthersWait speaks of pods that wait for a node and use no devices:
// they are not part of the plan.
func (p *planner) assumeOthersWait() {
	var names []string
	for i, pod := range p.Pods {
		if pod.Spec.NodeName == "" && !over(pod) && pod.DeletionTimestamp == nil && !p.usesDevices(p.ready[i]) {
			names = append(names, podName(pod))
		}
	}
	if len(names) > 0 && len(p.plan.Pods) > 0 {
		p.assume(fmt.Sprintf("pods that use no devices and wait for a node are not placed and take nothing (%s)", some(names)))
	}
}

// assumePreemption speaks of pods that could push others off a node.
func (p *planner) assumePreemption() {
	var names []string
	for _, out := range p.plan.Pods {
		if out.Outcome != Unfit || out.Pod.Spec.Priority == nil || *out.Pod.Spec.Priority <= 0 ||
			out.Pod.Spec.PreemptionPolicy != nil && *out.Pod.Spec.PreemptionPolicy == corev1.PreemptNever {
			continue
		}
		for _, n := range out.Nodes {
			if len(n.Reasons) > 0 && preemptable[n.Reasons[0].Code] {
				names = append(names, podName(out.Pod))
				break
			}
		}
	}
	if len(names) > 0 {
		p.assume(fmt.Sprintf("no pod makes room for one of higher priority (%s); devices are never taken from others that way", some(names)))
	}
}

// preemptable are the reasons that go away when a pod of lower priority does.
var preemptable = map[allocate.Code]bool{
	fit.HostPort: true, fit.TooManyPods: true, fit.InsufficientCPU: true, fit.InsufficientMemory: true, fit.InsufficientStorage: true, fit.Insufficient: true,
}

// assumeTimes speaks of allocations without the time that a scheduler with
// binding conditions writes. It adds the time when another pod joins, the API
// server refuses that as a change of the allocation, and the pod never starts.
// People leave the time out where they write an allocation by hand, so it is
// not taken for a cause.
func (p *planner) assumeTimes() {
	if !p.Features.BindingConditions {
		return
	}
	var names []string
	for _, out := range p.plan.Pods {
		for _, c := range out.Claims {
			origin, ok := c.Origin.(*resourceapi.ResourceClaim)
			if out.Outcome == Done && ok && origin.Status.Allocation != nil && origin.Status.Allocation.AllocationTimestamp == nil &&
				c.Outcome == Before && !p.reserved(origin, out.Pod) {
				names = append(names, fmt.Sprintf("%s joins %s", podName(out.Pod), c.Name()))
			}
		}
	}
	if len(names) > 0 {
		p.assume(fmt.Sprintf("allocations are taken to have an allocationTimestamp (%s); one that really has none was made before binding conditions were on, and no further pod can join it: the scheduler adds the time, which the API server refuses; release such a claim and let it be allocated anew", some(names)))
	}
}
