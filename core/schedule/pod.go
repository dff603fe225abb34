package schedule

import (
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
	"k8s.io/klog/v2"

	"github.com/drawbridge-dra/drawbridge/core/allocate"
	"github.com/drawbridge-dra/drawbridge/core/inventory"
)

// pod works out what becomes of one pod.
func (p *planner) pod(pod *corev1.Pod) error {
	out := &Pod{Pod: pod, Outcome: Unfit}
	p.plan.Pods = append(p.plan.Pods, out)
	name := namespace(pod.Namespace) + "/" + pod.Name

	var problem *Reason
	for i := range pod.Spec.ResourceClaims {
		claim, reason := p.claimOf(pod, &pod.Spec.ResourceClaims[i])
		if reason != nil && reason.Claim == nil {
			reason.Field = fmt.Sprintf("spec.resourceClaims[%d]%s", i, reason.Field)
		}
		if reason != nil && problem == nil {
			problem = reason
		}
		if claim != nil {
			out.Claims = append(out.Claims, claim)
			p.use(claim, pod)
		}
	}
	switch {
	case pod.Spec.NodeName != "":
		out.Outcome, out.Node = Before, pod.Spec.NodeName
		out.Message = p.bypassed(name, out, problem)
		return nil
	case p.Invalid[pod]:
		out.Outcome = Invalid
		out.Message = name + " is refused by the API server; see the findings."
		return nil
	case problem != nil:
		if problem.Code == ClaimInvalid {
			out.Outcome = Invalid
		}
		for _, node := range p.nodes {
			out.Nodes = append(out.Nodes, Node{Name: node.Name, Reasons: []Reason{*problem}})
		}
		out.Message = fmt.Sprintf("%s cannot be scheduled: %s.", name, problem.Message)
		return nil
	}
	return p.place(out, name)
}

// use lists a claim once, for the first pod that uses it.
func (p *planner) use(c *Claim, pod *corev1.Pod) {
	if c.used {
		return
	}
	c.used, c.Pod = true, pod
	p.plan.Claims = append(p.plan.Claims, c)
}

// bypassed says what the kubelet waits for on behalf of a pod that somebody
// put onto a node.
func (p *planner) bypassed(name string, out *Pod, problem *Reason) string {
	if out.Pod.Status.Phase == corev1.PodSucceeded || out.Pod.Status.Phase == corev1.PodFailed {
		return fmt.Sprintf("%s has ended on %s.", name, out.Node)
	}
	if problem != nil {
		return fmt.Sprintf("%s is bound to %s, and the kubelet waits: %s.", name, out.Node, problem.Message)
	}
	var waiting []string
	for _, c := range out.Claims {
		switch {
		case c.Claim.Status.Allocation == nil:
			waiting = append(waiting, c.Name()+" is not allocated")
		case !reservedFor(c.Claim, out.Pod):
			waiting = append(waiting, c.Name()+" is not reserved for it")
		}
	}
	if len(waiting) == 0 {
		return fmt.Sprintf("%s runs on %s.", name, out.Node)
	}
	return fmt.Sprintf("%s sets spec.nodeName, so it went past the scheduler, and %s: the kubelet on %s waits for ever. Use nodeSelector kubernetes.io/hostname instead.",
		name, strings.Join(waiting, ", "), out.Node)
}

// place tries every node and takes the best.
func (p *planner) place(out *Pod, name string) error {
	var open []*Claim
	for _, c := range out.Claims {
		if c.Claim.Status.Allocation == nil {
			open = append(open, c)
		}
	}
	prepared := p.prepare(open)
	var best *allocate.Answer
	var chosen *corev1.Node
	bestScore := -1
	t := trial{}
	for _, node := range p.nodes {
		if reason := p.refusedByNode(out, node); reason != nil {
			t.nodes = append(t.nodes, Node{Name: node.Name, Reasons: []Reason{*reason}})
			continue
		}
		answer, err := p.allocate(node, prepared)
		if err != nil {
			return err
		}
		t.add(node, answer, open)
		if !answer.Fits {
			continue
		}
		// Of nodes with equal scores the scheduler draws one; here the first
		// of the bundle wins.
		if s := score(open, answer.Allocations); s > bestScore {
			best, chosen, bestScore = answer, node, s
		}
	}
	out.Nodes = t.finish()
	switch {
	case t.podWide != nil || best == nil && !t.undecided:
		out.Message = summary(name, out.Nodes, p.inventory.Len())
	case best == nil:
		out.Outcome = Undecided
		out.Message = summary(name, out.Nodes, p.inventory.Len())
		for _, c := range open {
			c.Outcome = Undecided
		}
	default:
		p.bind(out, open, best, chosen)
		out.Message = p.success(name, out, open)
	}
	return nil
}

// bind writes what the scheduler would write.
func (p *planner) bind(out *Pod, open []*Claim, answer *allocate.Answer, node *corev1.Node) {
	out.Outcome, out.Node = Done, node.Name
	for i, c := range open {
		p.commit(c, &answer.Allocations[i], node.Name)
	}
	for _, note := range reasons(answer.Notes, open, false) {
		note.Claim.Notes = append(note.Claim.Notes, note)
	}
	for _, c := range out.Claims {
		reserve(c.Claim, out.Pod)
	}
	for _, c := range open {
		c.Message = devicesOf(c)
	}
}

func (p *planner) success(name string, out *Pod, open []*Claim) string {
	text := fmt.Sprintf("%s goes to %s.", name, out.Node)
	if out.Node == "" {
		text = name + " fits on the assumed node."
	}
	for _, c := range open {
		text += " " + c.Message
	}
	return text
}

// refusedByNode applies what rules a node out before devices are looked at.
func (p *planner) refusedByNode(out *Pod, node *corev1.Node) *Reason {
	pod := out.Pod
	if ok, err := nodeaffinity.GetRequiredNodeAffinity(pod).Match(node); err != nil || !ok {
		return &Reason{Code: NodeAffinity, Field: affinityField(pod), Message: fmt.Sprintf("the pod's node selector or affinity does not match node %s", node.Name)}
	}
	if node.Spec.Unschedulable && !corev1helpers.TolerationsTolerateTaint(klog.Logger{}, pod.Spec.Tolerations, unschedulable, false) {
		return &Reason{Code: NodeUnschedulable, At: inventory.Place{Object: node, Field: "spec.unschedulable"}, Message: fmt.Sprintf("node %s is marked unschedulable; uncordon it, or let the pod tolerate %s", node.Name, unschedulable.Key)}
	}
	blocking := func(t *corev1.Taint) bool {
		return t.Effect == corev1.TaintEffectNoSchedule || t.Effect == corev1.TaintEffectNoExecute
	}
	if taint, found := corev1helpers.FindMatchingUntoleratedTaint(klog.Logger{}, node.Spec.Taints, pod.Spec.Tolerations, blocking, false); found {
		i := slices.Index(node.Spec.Taints, taint)
		return &Reason{Code: NodeTaint, At: inventory.Place{Object: node, Field: fmt.Sprintf("spec.taints[%d]", i)}, Message: fmt.Sprintf("node %s has taint %s, which the pod does not tolerate", node.Name, taint.ToString())}
	}
	for _, c := range out.Claims {
		if c.Claim.Status.Allocation == nil || c.Claim.Status.Allocation.NodeSelector == nil {
			continue
		}
		selector, err := nodeaffinity.NewNodeSelector(c.Claim.Status.Allocation.NodeSelector)
		if err != nil || !selector.Match(node) {
			return &Reason{Code: AllocatedAway, Claim: c, Field: "status.allocation.nodeSelector",
				Message: fmt.Sprintf("%s is allocated already, for nodes that %s, and %s is none of them", c.Name(), selectorText(c.Claim.Status.Allocation.NodeSelector), node.Name)}
		}
	}
	return nil
}

// affinityField is the path in a pod that says on which nodes it may run,
// empty where two together do.
func affinityField(pod *corev1.Pod) string {
	switch affinity := pod.Spec.Affinity != nil && pod.Spec.Affinity.NodeAffinity != nil; {
	case affinity && len(pod.Spec.NodeSelector) > 0:
		return ""
	case affinity:
		return "spec.affinity.nodeAffinity"
	}
	return "spec.nodeSelector"
}

// selectorText puts a node selector into words.
func selectorText(selector *corev1.NodeSelector) string {
	var terms []string
	for _, term := range selector.NodeSelectorTerms {
		var parts []string
		for _, r := range slices.Concat(term.MatchFields, term.MatchExpressions) {
			part := "have " + r.Key + " " + string(r.Operator)
			if len(r.Values) > 0 {
				part += " [" + strings.Join(r.Values, ", ") + "]"
			}
			parts = append(parts, part)
		}
		terms = append(terms, strings.Join(parts, " and "))
	}
	return strings.Join(terms, " or ")
}

var unschedulable = &corev1.Taint{Key: corev1.TaintNodeUnschedulable, Effect: corev1.TaintEffectNoSchedule}

// score prefers nodes that give earlier alternatives of prioritized lists, as
// the scheduler's plugin does.
func score(claims []*Claim, allocations []resourceapi.AllocationResult) int {
	total := 0
	for i, c := range claims {
		for j := range c.Claim.Spec.Devices.Requests {
			r := &c.Claim.Spec.Devices.Requests[j]
			for k := range r.FirstAvailable {
				name := r.Name + "/" + r.FirstAvailable[k].Name
				if hasRequest(&allocations[i], name) {
					total += resourceapi.FirstAvailableDeviceRequestMaxSize - k
					break
				}
			}
		}
	}
	return total
}

func hasRequest(a *resourceapi.AllocationResult, name string) bool {
	for i := range a.Devices.Results {
		if a.Devices.Results[i].Request == name {
			return true
		}
	}
	return false
}

func reservedFor(c *resourceapi.ResourceClaim, pod *corev1.Pod) bool {
	for i := range c.Status.ReservedFor {
		r := &c.Status.ReservedFor[i]
		if r.APIGroup == "" && r.Resource == "pods" && r.Name == pod.Name && (pod.UID == "" || r.UID == pod.UID) {
			return true
		}
	}
	return false
}

func reserve(c *resourceapi.ResourceClaim, pod *corev1.Pod) {
	if !reservedFor(c, pod) {
		c.Status.ReservedFor = append(c.Status.ReservedFor, resourceapi.ResourceClaimConsumerReference{
			Resource: "pods", Name: pod.Name, UID: uidOf(pod),
		})
	}
}

// uidOf is the pod's UID, or one derived from its name for a pod that no API
// server has seen yet.
func uidOf(pod *corev1.Pod) types.UID {
	if pod.UID != "" {
		return pod.UID
	}
	return types.UID(uuid.NewSHA1(uuid.NameSpaceURL, []byte("pod/"+namespace(pod.Namespace)+"/"+pod.Name)).String())
}
