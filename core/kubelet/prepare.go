package kubelet

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"
)

// Claim is how the kubelet finds one of the claims of a pod.
type Claim struct {
	// Entry is its index in the pod; one behind the last for the claim for
	// extended resources.
	Entry int
	// Name is the name of the claim; empty if there is none for this entry,
	// because none is needed or because of the problem.
	Name    string
	Claim   *resourceapi.ResourceClaim
	Drivers []Driver
	// Done is set if it has been prepared already.
	Done bool
	// Problem is what stops the kubelet here; nil for nothing.
	Problem *Problem
}

// Preparation is what the kubelet does before it starts a pod.
type Preparation struct {
	Claims []Claim
	// Problem is the first one, which the kubelet reports; nil if the pod can
	// start.
	Problem *Problem
	// Calls are the calls of NodePrepareResources, by driver: the claims in each.
	Calls []Call
}

// Call is one call of a driver's plugin.
type Call struct {
	Driver string
	// Claims are the UIDs, in the order in which they are sent.
	Claims []types.UID
}

// Start does what the kubelet does before it starts a pod. It checks all
// claims before it remembers any, so that a pod that fails there can go again
// without a driver.
func (k *Kubelet) Start(pod *corev1.Pod) *Preparation {
	out := k.Look(pod)
	if out.Problem != nil {
		return out
	}
	var batch []*Claim
	for i := range out.Claims {
		c := &out.Claims[i]
		if c.Claim == nil {
			continue
		}
		if c.Problem = k.take(pod, c); c.Problem != nil {
			out.Problem = c.Problem
			return out
		}
		if !c.Done {
			batch = append(batch, c)
		}
	}
	for _, c := range batch {
		for i := range c.Drivers {
			if d := &c.Drivers[i]; !d.Skip(Prepare) {
				call(&out.Calls, d.Name, c.Claim.UID)
			}
		}
	}
	if out.Problem = twice(batch, out.Calls); out.Problem != nil {
		return out
	}
	for _, c := range batch {
		of := k.prepared[key(c.Claim)]
		of.done = true
		for i := range of.drivers {
			if d := &of.drivers[i]; !d.Skip(Prepare) {
				d.Devices = k.answer(d.Name, c.Claim)
			}
		}
	}
	return out
}

// Look is what Start finds, without doing anything: of every claim, although
// the kubelet stops at the first problem.
func (k *Kubelet) Look(pod *corev1.Pod) *Preparation {
	out := &Preparation{}
	for i, entry := range k.entries(pod) {
		c := k.find(pod, &entry)
		c.Entry = i
		if c.Problem == nil && c.Claim != nil {
			if of := k.prepared[key(c.Claim)]; of != nil {
				c.Done = of.uid == c.Claim.UID && of.done && !of.leaving
			}
		}
		if c.Problem != nil && out.Problem == nil {
			out.Problem = c.Problem
		}
		out.Claims = append(out.Claims, c)
	}
	return out
}

// find asks the API server for a claim and checks it, in the kubelet's order.
func (k *Kubelet) find(pod *corev1.Pod, entry *corev1.PodResourceClaim) Claim {
	name, generated, problem := nameOf(pod, entry)
	if problem != nil || name == "" {
		return Claim{Problem: problem}
	}
	c := Claim{Name: name}
	claim := k.Claim(pod.Namespace, name)
	if claim == nil {
		c.Problem = &Problem{Code: Missing, Claim: name, Words: fmt.Sprintf("fetch ResourceClaim %s: resourceclaims.resource.k8s.io %q not found", name, name)}
		return c
	}
	c.Claim = claim
	if generated {
		if c.Problem = k.foreign(pod, claim); c.Problem != nil {
			return c
		}
	}
	if !k.reserved(pod, claim) {
		c.Problem = &Problem{Code: NotReserved, Claim: name, Words: fmt.Sprintf("pod %s (%s) is not allowed to use ResourceClaim %s (%s)", pod.Name, pod.UID, name, claim.UID)}
		return c
	}
	if claim.Status.Allocation == nil {
		c.Problem = &Problem{Code: NotAllocated, Claim: name, Words: fmt.Sprintf("ResourceClaim %s: not allocated", name)}
		return c
	}
	c.Drivers = k.driversOf(claim)
	for i := range c.Drivers {
		if d := &c.Drivers[i]; len(d.Skips) > 0 && !k.Gates.OptionalNodeOperations {
			c.Problem = &Problem{Code: GateOff, Claim: name, Driver: d.Name, Words: fmt.Sprintf("ResourceClaim %s: DRAOptionalNodeOperations feature gate is disabled on kubelet", name)}
			return c
		}
	}
	for i := range c.Drivers {
		if d := &c.Drivers[i]; !d.Skip(Prepare) && !k.Registered(d.Name) {
			c.Problem = absent(name, d.Name)
			return c
		}
	}
	return c
}

// take notes that the pod uses the claim.
func (k *Kubelet) take(pod *corev1.Pod, c *Claim) *Problem {
	of := k.prepared[key(c.Claim)]
	switch {
	case of == nil:
		of = &prepared{uid: c.Claim.UID, drivers: slices.Clone(c.Drivers)}
	case of.uid != c.Claim.UID:
		return &Problem{Code: OtherUID, Claim: c.Name, Words: fmt.Sprintf("old ResourceClaim with same name %s and different UID %s still exists (previous pod force-deleted?!)", c.Name, of.uid)}
	case of.leaving:
		return &Problem{Code: Leaving, Claim: c.Name, Words: fmt.Sprintf("ResourceClaim %s is being unprepared", c.Name)}
	}
	k.use(pod.UID, key(c.Claim), of)
	c.Done = of.done
	c.Drivers = of.drivers // what was copied when the claim was first seen counts
	return nil
}

// twice looks for a claim that a pod lists more than once: the driver answers
// it once, and the kubelet misses an answer.
func twice(batch []*Claim, calls []Call) *Problem {
	for _, c := range calls {
		distinct := map[types.UID]bool{}
		for _, uid := range c.Claims {
			distinct[uid] = true
		}
		missing := len(c.Claims) - len(distinct)
		if missing == 0 {
			continue
		}
		seen := map[types.UID]bool{}
		for _, b := range batch {
			if seen[b.Claim.UID] {
				return &Problem{Code: ListedTwice, Claim: b.Name, Driver: c.Driver, Words: fmt.Sprintf("NodePrepareResources skipped %d ResourceClaims", missing)}
			}
			seen[b.Claim.UID] = true
		}
	}
	return nil
}

func call(list *[]Call, driver string, claim types.UID) {
	for i := range *list {
		if c := &(*list)[i]; c.Driver == driver {
			c.Claims = append(c.Claims, claim)
			return
		}
	}
	*list = append(*list, Call{Driver: driver, Claims: []types.UID{claim}})
}

func key(c *resourceapi.ResourceClaim) types.NamespacedName {
	return types.NamespacedName{Namespace: c.Namespace, Name: c.Name}
}
