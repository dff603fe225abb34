package core

import (
	"fmt"
	"strings"

	"github.com/drawbridge-dra/drawbridge/core/inventory"
	"github.com/drawbridge-dra/drawbridge/core/kubelet"
	"github.com/drawbridge-dra/drawbridge/core/schedule"
)

// Who does something for a pod.
const (
	byServer     = "API server"
	byScheduler  = "scheduler"
	byController = "resourceclaim controller"
	byKubelet    = "kubelet"
	byDriver     = "driver"
)

// What becomes of a step.
const (
	stepDone  = "Done"
	stepStops = "Stops"
	stepNever = "Never"
	stepNext  = "Next"
)

// steps tells who does what for the pod, in order.
func (n *onNode) steps() []NodeStep {
	w := &stepWriter{onNode: n}
	if n.plan.Outcome == schedule.Before && n.out.Bypassed {
		w.add(byServer, stepDone, "spec.nodeName", "stores the pod with spec.nodeName %s", n.node())
		w.add(byScheduler, stepNever, "spec.nodeName", "does not see the pod, because it has a node: it allocates nothing for it, and reserves nothing, now or later")
	}
	w.generated()
	switch {
	case n.plan.Outcome != schedule.Before:
		w.add(byScheduler, stepDone, "", "allocates and reserves %s for the pod, and binds it to %s", w.claims(), n.node())
	case n.out.Bypassed:
		w.reservations()
		w.unmade()
	default:
		w.add(byScheduler, stepDone, "", "has allocated and reserved %s for the pod, and bound it to %s", w.claims(), n.node())
	}
	w.starts()
	w.ends()
	return w.list
}

type stepWriter struct {
	*onNode
	list []NodeStep
}

// add writes a step. The field is one of the pod, empty for none.
func (w *stepWriter) add(actor, outcome, field, format string, args ...any) {
	step := NodeStep{Actor: actor, Outcome: outcome, Message: fmt.Sprintf(format, args...)}
	if field != "" {
		step.Location = w.where.locate(inventory.Place{Object: w.onNode.plan.Pod, Field: field})
	}
	w.list = append(w.list, step)
}

// claims names the pod's claims.
func (w *stepWriter) claims() string {
	var names []string
	for _, c := range w.onNode.plan.Claims {
		names = append(names, c.Name())
	}
	if len(names) == 0 {
		return "no claims"
	}
	return some(names)
}

// generated tells which claims are made from templates.
func (w *stepWriter) generated() {
	for i := range w.start.Claims {
		c := &w.start.Claims[i]
		if c.Entry >= len(w.pod.Spec.ResourceClaims) {
			continue
		}
		entry := &w.pod.Spec.ResourceClaims[c.Entry]
		if entry.ResourceClaimTemplateName == nil || entry.ResourceClaimName != nil {
			continue
		}
		field := fmt.Sprintf("spec.resourceClaims[%d]", c.Entry)
		switch {
		case c.Claim != nil:
			w.add(byController, stepDone, field, "makes %s/%s from ResourceClaimTemplate %s for entry %s", w.pod.Namespace, c.Name, *entry.ResourceClaimTemplateName, entry.Name)
		case c.Problem != nil:
			w.add(byController, stepStops, field, "cannot make a claim for entry %s: %s", entry.Name, w.explain(c.Problem))
		}
	}
}

// reservations tells what the controller does for a pod that has a node.
func (w *stepWriter) reservations() {
	for i := range w.start.Claims {
		c := &w.start.Claims[i]
		if c.Claim == nil || c.Entry >= len(w.pod.Spec.ResourceClaims) {
			continue
		}
		field := fmt.Sprintf("spec.resourceClaims[%d]", c.Entry)
		name := w.pod.Namespace + "/" + c.Name
		of := w.planned(c.Claim)
		switch {
		case c.Problem != nil && c.Problem.Code == kubelet.Foreign:
			w.add(byController, stepStops, field, "does nothing for %s, which was not made for this pod", name)
		case c.Claim.Status.Allocation == nil:
			w.add(byController, stepStops, field, "reserves %s for the pod once it is allocated, and nothing allocates it", name)
		case c.Problem != nil && c.Problem.Code == kubelet.NotReserved:
			w.add(byController, stepStops, field, "does not reserve %s for the pod: %s", name, w.unreserved(c.Claim))
		case of != nil && of.ReservedAtFirst(w.onNode.plan.Pod):
			w.add(byController, stepDone, field, "has reserved %s for the pod", name)
		default:
			w.add(byController, stepDone, field, "reserves %s for the pod, because it is allocated", name)
		}
	}
}

// starts tells what the kubelet does at first.
func (w *stepWriter) starts() {
	if w.out.State == PodTerminating {
		return
	}
	if w.out.State == PodIsRefused {
		w.add(byKubelet, stepStops, "", "compares what the pod asks for with what its node has left: %s", w.out.Start.Message)
		return
	}
	if w.without != nil {
		w.add(byKubelet, stepNever, w.without.field(), "compares %s with what the node has, because the node does not list it", w.without.names())
	}
	if w.without != nil && len(w.pod.Spec.ResourceClaims) == 0 {
		w.add(byKubelet, stepDone, "", "starts the containers without %s; no event says so", w.without.devices())
		return
	}
	if w.out.Bypassed {
		w.unchecked()
	}
	if p := w.start.Problem; p != nil && w.out.State == PodWaits {
		w.add(byKubelet, stepStops, "", "tries again and again to prepare the claims: %s", w.explain(p))
		return
	}
	w.add(byKubelet, stepDone, "", "finds every claim in the API, allocated and reserved for the pod")
	for _, c := range w.calls("NodePrepareResources", w.start.Calls) {
		w.add(byDriver, stepDone, "", "%s prepares %s when the kubelet calls NodePrepareResources", c.Driver, strings.Join(c.Claims, ", "))
	}
	if w.onlySkips() {
		w.add(byKubelet, stepDone, "", "starts the containers; no driver has prepared anything, so no device file or variable comes from one")
		return
	}
	w.add(byKubelet, stepDone, "", "starts the containers with what the drivers have prepared")
}

// unchecked says what nobody looks at for a pod that went past the scheduler.
func (w *stepWriter) unchecked() {
	for _, c := range w.onNode.plan.Claims {
		if c.Claim.Status.Allocation == nil {
			continue
		}
		node := w.nodes[w.pod.Spec.NodeName]
		if node != nil && !c.ReachesNode(node) {
			w.add(byKubelet, stepNever, "spec.nodeName", "compares the node with the allocation: %s is allocated for nodes that %s, %s is none of them, and the driver there may not have the device", c.Name(), schedule.SelectorText(c.Claim.Status.Allocation.NodeSelector), w.node())
			return
		}
	}
	w.add(byKubelet, stepNever, "spec.nodeName", "compares the node with the selector of an allocation, or looks whether the devices are there: that is left to the driver")
}

// notReserved are the problems of claims that are not reserved for the pod.
var notReserved = map[kubelet.Code]bool{kubelet.Foreign: true, kubelet.NotReserved: true}

// ends tells what comes when the pod has ended.
func (w *stepWriter) ends() {
	if p := w.stop.Problem; p != nil {
		w.add(byKubelet, stepStops, "", "cannot end the pod: %s", w.out.Stop.Message)
		return
	}
	for _, c := range w.calls("NodeUnprepareResources", w.stop.Calls) {
		w.add(byDriver, stepNext, "", "%s undoes that for %s when the kubelet calls NodeUnprepareResources, after all containers have ended", c.Driver, strings.Join(c.Claims, ", "))
	}
	for _, c := range w.stop.Claims {
		if len(c.Others) > 0 {
			w.add(byKubelet, stepNext, "", "keeps %s/%s prepared, because %s uses it as well", w.pod.Namespace, c.Name, w.names[c.Others[0]])
		}
	}
	told := map[string]bool{}
	for i := range w.start.Claims {
		c := &w.start.Claims[i]
		if c.Claim == nil || c.Claim.Status.Allocation == nil || c.Problem != nil && notReserved[c.Problem.Code] || told[c.Name] {
			continue
		}
		told[c.Name] = true
		if len(c.Claim.Status.ReservedFor) > 1 {
			w.add(byController, stepNext, "", "takes the pod out of the consumers of %s/%s (%s)", w.pod.Namespace, c.Name, reservedFor(c.Claim))
			continue
		}
		w.add(byController, stepNext, "", "takes the pod, the last consumer, out of %s/%s, and with it the allocation: the devices are free", w.pod.Namespace, c.Name)
	}
}
