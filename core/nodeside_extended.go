package core

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/drawbridge-dra/drawbridge/core/extended"
	"github.com/drawbridge-dra/drawbridge/core/feature"
	"github.com/drawbridge-dra/drawbridge/core/fit"
	"github.com/drawbridge-dra/drawbridge/core/kubelet"
	"github.com/drawbridge-dra/drawbridge/core/schedule"
)

// deviceless is a pod that came with a node and asks for extended resources
// that DeviceClasses stand behind. Only a scheduler makes a claim of that.
type deviceless struct {
	pod     *corev1.Pod
	classes extended.Classes
	room    *kubelet.Room
	// missing are those that the node does not list: the pod starts without.
	missing []fit.Amount
	// refusals are why the kubelet does not take the pod in.
	refusals []kubelet.Refusal
}

// refused tells whether the kubelet refuses the pod.
func (d *deviceless) refused() bool { return d != nil && len(d.refusals) > 0 }

// backed tells whether a class stands behind a resource.
func (d *deviceless) backed(name string) bool { return d.classes[corev1.ResourceName(name)] != nil }

// admit lets the kubelets take in the pods that came with a node: first those
// that run, which were taken in before, then the others in their order.
func (s *nodeSide) admit() {
	s.pods = s.plan.Pods
	var classes []*resourceapi.DeviceClass
	for _, c := range s.input.Classes {
		if !s.input.Invalid[c] {
			classes = append(classes, c)
		}
	}
	if len(classes) == 0 || !s.set.Enabled(feature.DRAExtendedResource) {
		return
	}
	known, rooms := extended.NewClasses(classes), map[string]*kubelet.Room{}
	for _, running := range []bool{true, false} {
		for _, pod := range s.input.Pods {
			if (pod.Status.Phase == corev1.PodRunning) != running || pod.Spec.NodeName == "" || fit.Ended(pod) || s.input.Invalid[pod] {
				continue
			}
			room := rooms[pod.Spec.NodeName]
			if room == nil {
				node := s.nodes[pod.Spec.NodeName]
				if node == nil {
					node = &corev1.Node{}
				}
				room = kubelet.NewRoom(node)
				rooms[pod.Spec.NodeName] = room
			}
			of := fit.NewPod(pod, fit.Options{})
			d := s.arrive(of, known, room, running)
			if d != nil {
				s.deviceless[pod] = d
			}
			if !d.refused() {
				room.Add(of)
			}
		}
	}
	s.join()
}

// arrive looks at one pod; nil if it is not one of those that go without.
func (s *nodeSide) arrive(pod *fit.Pod, classes extended.Classes, room *kubelet.Room, running bool) *deviceless {
	wanted := classes.Wanted(pod.Requests)
	if len(wanted) == 0 || pod.Status.ExtendedResourceClaimStatus != nil || pod.DeletionTimestamp != nil {
		return nil
	}
	d := &deviceless{pod: pod.Pod, classes: classes, room: room}
	for _, a := range wanted {
		if _, listed := room.Lists(a.Name); !listed && classes[a.Name] != nil && fit.IsExtended(a.Name) {
			d.missing = append(d.missing, a)
		}
	}
	if !running {
		d.refusals = s.kubelet(pod.Spec.NodeName).Gates.Admit(pod, room)
	}
	if len(d.missing)+len(d.refusals) == 0 {
		return nil
	}
	return d
}

// join lists these pods among those of the plan.
func (s *nodeSide) join() {
	if len(s.deviceless) == 0 {
		return
	}
	planned := map[*corev1.Pod]*schedule.Pod{}
	for _, p := range s.plan.Pods {
		planned[p.Pod] = p
	}
	s.pods = nil
	for _, pod := range s.input.Pods {
		switch p := planned[pod]; {
		case p != nil:
			s.pods = append(s.pods, p)
		case s.deviceless[pod] != nil:
			s.pods = append(s.pods, s.handed.Join(pod))
		}
	}
}

// names lists the resources that the pod goes without, with their amounts.
func (d *deviceless) names() string {
	var out []string
	for _, a := range d.missing {
		out = append(out, fmt.Sprintf("%d %s", a.Value, a.Name))
	}
	return some(out)
}

// devices lists the devices that the pod would have got.
func (d *deviceless) devices() string {
	var out []string
	for _, a := range d.missing {
		out = append(out, count(int(a.Value), "device", "devices")+" of DeviceClass "+d.classes[a.Name].Name)
	}
	return some(out)
}

// field is that of the first container that asks for what is not there.
func (d *deviceless) field() string {
	asks := func(c *corev1.Container) bool {
		for name := range c.Resources.Requests {
			if slices.ContainsFunc(d.missing, func(a fit.Amount) bool { return a.Name == name }) ||
				slices.ContainsFunc(d.refusals, func(r kubelet.Refusal) bool { return r.Resource == name }) {
				return true
			}
		}
		return false
	}
	for _, list := range []struct {
		name       string
		containers []corev1.Container
	}{{"initContainers", d.pod.Spec.InitContainers}, {"containers", d.pod.Spec.Containers}} {
		for i := range list.containers {
			if asks(&list.containers[i]) {
				return fmt.Sprintf("spec.%s[%d].resources", list.name, i)
			}
		}
	}
	return "spec.nodeName"
}

// goesWithout says that the pod goes without what it asks for.
func (n *onNode) goesWithout() string {
	return fmt.Sprintf("the pod goes without %s: %s does not list that, so its kubelet leaves it out of the comparison, and only a scheduler makes the claim behind it; create the pod anew without nodeName", n.without.names(), n.node())
}

// refused is the start of a pod that the kubelet refuses.
func (n *onNode) refused() *NodePhase {
	r := &n.without.refusals[0]
	left := fmt.Sprintf("%s has %d of %d left", n.node(), max(r.Capacity-r.Used, 0), r.Capacity)
	if _, listed := n.without.room.Lists(r.Resource); !listed {
		left = n.node() + " lists none"
	}
	mend := "end a pod there, or use another node"
	if n.without.backed(string(r.Resource)) {
		mend = "only a scheduler makes a claim of it, so create the pod anew without nodeName"
	}
	return &NodePhase{
		Outcome: phaseRefused, Code: string(kubelet.OutOf), Reads: r.Reason() + ": Pod was rejected: " + r.Words(),
		Message: fmt.Sprintf("the kubelet refuses the pod for good, because it asks for %d %s, and %s; %s", r.Requested, r.Resource, left, mend),
	}
}

// unmade says that nobody makes a claim of extended resources.
func (w *stepWriter) unmade() {
	if w.without == nil {
		return
	}
	w.add(byController, stepNever, w.without.field(), "makes a claim of extended resources: it makes those of templates, and the scheduler this one, which it would name in status.extendedResourceClaimStatus")
}

// assumedLists names the nodes of which the bundle does not say what they list.
func (s *nodeSide) assumedLists() []string {
	var silent []string
	for _, d := range s.deviceless {
		name := d.pod.Spec.NodeName
		if n := s.nodes[name]; (n == nil || len(n.Status.Allocatable)+len(n.Status.Capacity) == 0) && !slices.Contains(silent, name) {
			silent = append(silent, name)
		}
	}
	if len(silent) == 0 {
		return nil
	}
	slices.Sort(silent)
	return []string{fmt.Sprintf("the bundle does not say what %s offers, so no device plugin is taken to run there (status.allocatable of the Node)", some(silent))}
}
