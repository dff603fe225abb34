package core

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/drawbridge-dra/drawbridge/core/inventory"
	"github.com/drawbridge-dra/drawbridge/core/kubelet"
	"github.com/drawbridge-dra/drawbridge/core/mutate"
	"github.com/drawbridge-dra/drawbridge/core/schedule"
)

const (
	phaseGoes    = "Goes"
	phaseWaits   = "Waits"
	phasePast    = "Past"
	phaseRefused = "Refused"
)

// onNode is a pod on its node, while its answer is put together.
type onNode struct {
	*nodeSide
	plan    *schedule.Pod
	pod     *corev1.Pod
	kubelet *kubelet.Kubelet
	start   *kubelet.Preparation
	stop    *kubelet.Ending
	out     *PodOperations
	// without is what the pod goes without; nil for nothing.
	without *deviceless
}

// pod tells what becomes of a pod on its node.
func (s *nodeSide) pod(p *schedule.Pod) *PodOperations {
	out := &PodOperations{
		Namespace: p.Pod.Namespace, Name: p.Pod.Name, Node: p.Node, Outcome: podOutcomes[p.Outcome],
		Location: s.where.locate(inventory.Place{Object: p.Pod, Field: "metadata.name"}),
	}
	if out.Namespace == "" {
		out.Namespace = "default"
	}
	pod := s.handed.Pods[p]
	if pod == nil {
		out.State = PodHasNoNode
		out.Message = podName(p) + " has no node, so no kubelet does anything for it. " + p.Message
		return out
	}
	if turnOf(p) < 0 && p.Pod.DeletionTimestamp == nil {
		out.State = PodHasEnded
		out.Message = fmt.Sprintf("%s has ended on %s, where its claims have been given up.", podName(p), p.Node)
		return out
	}
	n := &onNode{nodeSide: s, plan: p, pod: pod, kubelet: s.kubelet(pod.Spec.NodeName), out: out, without: s.deviceless[p.Pod]}
	n.start = s.started[p]
	if n.start == nil { // a pod that is being deleted is not started any more
		n.start = n.kubelet.Look(pod)
	}
	n.stop = n.kubelet.Ending(pod)
	if n.without.refused() {
		n.stop = &kubelet.Ending{} // it never came to prepare anything
	}
	out.Bypassed = n.without != nil || n.bypassed()
	n.state()
	out.Start, out.Stop = n.starting(), n.stopping()
	n.remedies()
	if out.Omitted = !s.hold(n.weight()); !out.Omitted {
		for i := range n.start.Claims {
			out.Claims = append(out.Claims, n.claim(&n.start.Claims[i]))
		}
		out.Steps = n.steps()
	}
	out.Message = n.message()
	return out
}

// weight is how many claims and devices the answer lists for the pod.
func (n *onNode) weight() int {
	weight := 0
	for i := range n.start.Claims {
		weight++
		for j := range n.start.Claims[i].Drivers {
			weight += len(n.start.Claims[i].Drivers[j].Results)
		}
	}
	return weight
}

// bypassed tells whether the pod came with a node and without all of its
// devices, which is what a scheduler would have seen to.
func (n *onNode) bypassed() bool {
	if n.plan.Outcome != schedule.Before || len(n.plan.Pod.Spec.ResourceClaims) == 0 {
		return false
	}
	if len(n.plan.Claims) < len(n.plan.Pod.Spec.ResourceClaims) && n.start.Problem != nil {
		return true
	}
	for _, c := range n.plan.Claims {
		if !c.ReservedAtFirst(n.plan.Pod) {
			return true
		}
	}
	return false
}

func (n *onNode) state() {
	switch {
	case n.pod.DeletionTimestamp != nil:
		n.out.State = PodTerminating
	case turnOf(n.plan) == 0:
		n.out.State = PodRuns
	case n.without.refused():
		n.out.State = PodIsRefused
	case n.start.Problem != nil:
		n.out.State = PodWaits
	default:
		n.out.State = PodStarts
	}
}

func (n *onNode) starting() *NodePhase {
	switch n.out.State {
	case PodTerminating:
		return &NodePhase{Outcome: phasePast, Message: "the pod is being deleted, so nothing is prepared for it any more"}
	case PodRuns:
		switch {
		case n.without == nil:
			return &NodePhase{Outcome: phasePast, Message: "the pod runs, so its devices were prepared" + n.onceMore()}
		case len(n.pod.Spec.ResourceClaims) == 0:
			return &NodePhase{Outcome: phasePast, Code: string(kubelet.Unlisted), Message: "the pod runs; " + n.goesWithout()}
		}
		return &NodePhase{Outcome: phasePast, Code: string(kubelet.Unlisted), Message: "the pod runs, so the devices of its claims were prepared" + n.onceMore() + "; " + n.goesWithout()}
	case PodIsRefused:
		return n.refused()
	}
	if p := n.start.Problem; p != nil {
		return &NodePhase{Outcome: phaseWaits, Code: string(p.Code), Message: n.explain(p), Reads: "Failed to prepare dynamic resources: prepare dynamic resources: " + p.Words}
	}
	out := &NodePhase{Outcome: phaseGoes, Calls: n.calls("NodePrepareResources", n.start.Calls)}
	switch len(out.Calls) {
	case 0:
		out.Message = "no driver is asked to prepare anything"
		if n.onlySkips() {
			out.Message += ": all devices skip it, so the pod starts with no plugin on the node"
		}
	default:
		out.Message = "the kubelet asks " + driversOf(out.Calls) + " to prepare the devices, then starts the containers"
	}
	if n.without != nil {
		out.Code, out.Message = string(kubelet.Unlisted), out.Message+"; "+n.goesWithout()
	}
	return out
}

// waits says what keeps the kubelet from starting a pod, empty for nothing, and
// whether it has called the drivers of the pod's claims nevertheless.
func (s *nodeSide) waits(p *schedule.Pod) (why string, called bool) {
	pod, start := s.handed.Pods[p], s.started[p]
	switch {
	case pod == nil || s.deviceless[p.Pod].refused():
		return "", false
	case start == nil:
		return "the pod is being deleted, so nothing is prepared for it any more", false
	case start.Problem == nil:
		return "", false
	}
	n := &onNode{nodeSide: s, plan: p, pod: pod}
	return n.explain(start.Problem), start.Problem.Code == kubelet.ListedTwice
}

// onceMore says what would be in the way if the pod's sandbox had to be made
// again.
func (n *onNode) onceMore() string {
	if p := n.kubelet.Look(n.pod).Problem; p != nil {
		return "; if its sandbox has to be made again, it waits: " + n.explain(p)
	}
	return ""
}

// onlySkips tells whether the pod has devices, and every driver skips.
func (n *onNode) onlySkips() bool {
	any := false
	for i := range n.start.Claims {
		for j := range n.start.Claims[i].Drivers {
			if !n.start.Claims[i].Drivers[j].Skip(kubelet.Prepare) {
				return false
			}
			any = true
		}
	}
	return any
}

func (n *onNode) stopping() *NodePhase {
	out := &NodePhase{Outcome: phaseGoes, Calls: n.calls("NodeUnprepareResources", n.stop.Calls)}
	if p := n.stop.Problem; p != nil {
		out.Outcome, out.Code, out.Reads = phaseWaits, string(p.Code), "unprepare dynamic resources: "+p.Words
		if p.Code == kubelet.Absent {
			out.Message = fmt.Sprintf("the pod stays in Terminating: %s was asked to prepare %s/%s, so it must be asked to undo that, and its plugin is not registered with the kubelet of %s; start the plugin, and the kubelet tries again by itself", p.Driver, n.pod.Namespace, p.Claim, n.node())
			return out
		}
		out.Message = "the pod stays in Terminating: " + n.explain(p) + ". Nothing makes it for a pod that is being deleted, so only a forced deletion ends it"
		if p.Code == kubelet.EmptyEntry {
			out.Message = "the pod stays in Terminating: " + n.explain(p)
		}
		return out
	}
	kept := 0
	for _, c := range n.stop.Claims {
		if len(c.Others) > 0 {
			kept++
		}
	}
	switch {
	case len(out.Calls) > 0:
		out.Message = "the kubelet asks " + driversOf(out.Calls) + " to undo it, and only then reports the pod as ended"
	case len(n.stop.Claims) == 0:
		out.Message = "nothing was prepared for the pod, so it can go with no driver on the node"
	case kept == len(n.stop.Claims):
		out.Message = "other pods on the node use the claims, so nothing is undone before the last of them has ended"
	default:
		out.Message = "no driver is asked to undo anything, so the pod can go with no plugin on the node"
	}
	return out
}

// calls puts calls into words.
func (n *onNode) calls(method string, list []kubelet.Call) []NodeCall {
	names := map[string]string{}
	for _, c := range n.start.Claims {
		if c.Claim != nil {
			names[string(c.Claim.UID)] = n.pod.Namespace + "/" + c.Name
		}
	}
	for _, c := range n.stop.Claims {
		names[string(c.UID)] = n.pod.Namespace + "/" + c.Name
	}
	var out []NodeCall
	for _, c := range list {
		one := NodeCall{Method: method, Driver: c.Driver}
		for _, uid := range c.Claims {
			one.Claims = append(one.Claims, names[string(uid)])
		}
		out = append(out, one)
	}
	return out
}

func driversOf(calls []NodeCall) string {
	var names []string
	for _, c := range calls {
		names = append(names, c.Driver)
	}
	return strings.Join(names, ", ")
}

// node is the name of the node, in words.
func (n *onNode) node() string {
	if n.pod.Spec.NodeName == "" {
		return "the assumed node"
	}
	return n.pod.Spec.NodeName
}

// explain says what is in the kubelet's way, and what to do.
func (n *onNode) explain(p *kubelet.Problem) string {
	claim := n.pod.Namespace + "/" + p.Claim
	switch p.Code {
	case kubelet.EmptyEntry:
		return "an entry of spec.resourceClaims names neither a claim nor a template; name one"
	case kubelet.NotCreated:
		return "a claim that is made from a template does not exist yet; create the ResourceClaimTemplate, or mend what the findings say of it"
	case kubelet.Missing:
		return fmt.Sprintf("ResourceClaim %s does not exist; create it", claim)
	case kubelet.Foreign:
		return fmt.Sprintf("ResourceClaim %s was not made for this pod; delete it, so that one is made that was", claim)
	case kubelet.NotReserved:
		if c := n.handed.Claims[claim]; c != nil && c.Status.Allocation != nil {
			return fmt.Sprintf("ResourceClaim %s is allocated and not reserved for the pod: %s", claim, n.unreserved(c))
		}
		return fmt.Sprintf("ResourceClaim %s is neither allocated nor reserved for the pod, which only a scheduler does; create the pod without nodeName", claim)
	case kubelet.NotAllocated:
		return fmt.Sprintf("ResourceClaim %s is reserved for the pod, and nothing is allocated for it, which only a scheduler does; create the pod anew without nodeName", claim)
	case kubelet.GateOff:
		return fmt.Sprintf("all devices of %s in %s skip node operations, and the kubelet of %s has DRAOptionalNodeOperations off; turn that gate on in the kubelet", p.Driver, claim, n.node())
	case kubelet.Absent:
		return fmt.Sprintf("the plugin of %s, which must prepare %s, is not registered with the kubelet of %s; start it there, and the kubelet tries again by itself", p.Driver, claim, n.node())
	case kubelet.Leaving:
		return fmt.Sprintf("ResourceClaim %s is being unprepared for a pod that has ended; when that is over, the kubelet tries again by itself", claim)
	case kubelet.OtherUID:
		return fmt.Sprintf("an older ResourceClaim %s is still prepared for a pod that was deleted by force; it goes once the kubelet notices that the pod is gone, within a minute or so", claim)
	case kubelet.ListedTwice:
		return fmt.Sprintf("the pod lists ResourceClaim %s twice: the kubelet asks %s for it twice in one call, gets one answer and takes the other for missing; list it once, containers can share the entry", claim, p.Driver)
	}
	return p.Words
}

// unreserved says why the controller does not reserve an allocated claim for
// the pod, and what to do.
func (n *onNode) unreserved(c *resourceapi.ResourceClaim) string {
	switch why := n.plan.Waits(); {
	case len(c.Status.ReservedFor) >= resourceapi.ResourceClaimReservedForMaxSize:
		return fmt.Sprintf("it is for %d others, which is as many as it can be; let some of them end, or give the pod a claim of its own", len(c.Status.ReservedFor))
	case n.pod.DeletionTimestamp != nil:
		return "the controller reserves nothing for a pod that is being deleted"
	case why != nil:
		return fmt.Sprintf("the controller gets to that only when it finds or can make the claims that the pod lists, and %s; mend that", why.Message)
	}
	return "only a scheduler reserves a claim of extended resources; create the pod anew without nodeName"
}

// remedies says what would free a pod that waits.
func (n *onNode) remedies() {
	if n.out.State != PodWaits && n.without == nil || !n.out.Bypassed {
		return
	}
	raw := lookUp(n.where.objects, n.plan.Pod)
	if raw != nil {
		labels := func(node string) (map[string]string, bool) {
			if of := n.nodes[node]; of != nil {
				return of.Labels, true
			}
			return nil, false
		}
		req := mutate.Request{Operation: "CREATE", NodeLabels: labels}
		if n.without != nil {
			req.Backed = n.without.backed
		}
		if len(n.nodes) == 0 {
			req.NodeLabels = nil
		}
		if r, err := mutate.Pod(raw.Raw.JSON(), req); err == nil && r.Outcome == mutate.Patched {
			n.out.Patch = patchOperations(r.Patch)
			n.out.Remedies = append(n.out.Remedies, "delete the pod and create it anew, patched: "+r.Message+", and the scheduler allocates its claims for that node")
		}
	}
	for _, c := range n.start.Claims {
		entry := n.pod.Spec.ResourceClaims
		if c.Problem == nil || c.Claim == nil || c.Claim.Status.Allocation != nil || c.Entry >= len(entry) || entry[c.Entry].ResourceClaimName == nil {
			continue
		}
		n.out.Remedies = append(n.out.Remedies, fmt.Sprintf("let another pod use %s/%s that the scheduler places: it allocates the claim for the node of that pod, and the controller then reserves it for this one, whether or not that is %s", n.pod.Namespace, c.Name, n.node()))
	}
}

func (n *onNode) message() string {
	name, node := podName(n.plan), n.node()
	if n.plan.Node == "" {
		node = "the assumed node"
	}
	var text string
	switch n.out.State {
	case PodWaits:
		text = fmt.Sprintf("%s waits on %s: %s.", name, node, n.out.Start.Message)
	case PodIsRefused:
		text = fmt.Sprintf("%s never starts on %s: %s.", name, node, n.out.Start.Message)
	case PodRuns:
		text = fmt.Sprintf("%s runs on %s.", name, node)
	case PodTerminating:
		text = fmt.Sprintf("%s is ending on %s.", name, node)
	default:
		text = fmt.Sprintf("%s starts on %s: %s.", name, node, n.out.Start.Message)
	}
	if n.out.Stop.Outcome == phaseWaits {
		if n.out.State != PodTerminating {
			return text + " When it ends, " + n.out.Stop.Message + "."
		}
		return text + " And " + n.out.Stop.Message + "."
	}
	return text
}
