// Package prepared knows what a kubelet has at hand once the drivers of its
// node have prepared the claims of a pod: which claims there are, and what of
// them each container is given.
package prepared

import (
	"slices"

	"github.com/google/uuid"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/drawbridge-dra/drawbridge/core/fit"
	"github.com/drawbridge-dra/drawbridge/core/schedule"
)

// Pod is a pod on a node, as the kubelet there sees it.
type Pod struct {
	Pod  *corev1.Pod
	Node string
	// Claims are those that the pod lists, in its order, and behind them the
	// one for its extended resources.
	Claims []Claim
	// Extended says which container gets which request of the last claim.
	Extended *corev1.PodExtendedResourceClaimStatus
	// Waits is why the kubelet does not start the pod; empty if it does. Called
	// is set if it has called the drivers nevertheless. Both are told by those
	// who know what the kubelet finds.
	Waits  string
	Called bool

	entries  map[string]int
	mappings map[string][]corev1.ContainerExtendedResourceRequest
}

// Claim is a claim of a pod.
type Claim struct {
	// Entry is the name under which the pod lists it; empty for the claim of
	// extended resources.
	Entry string
	// Claim is nil where there is none yet.
	Claim *resourceapi.ResourceClaim
	// Origin is the claim or the template of the input.
	Origin any
}

// Name is namespace/name of the pod.
func (p *Pod) Name() string { return namespace(p.Pod.Namespace) + "/" + p.Pod.Name }

func namespace(s string) string {
	if s == "" {
		return corev1.NamespaceDefault
	}
	return s
}

// Pods lists the pods that have a node once a plan is carried out, in the
// order of the input; those that have ended are left out.
func Pods(all []*corev1.Pod, plan *schedule.Plan) []*Pod {
	planned := map[*corev1.Pod]*schedule.Pod{}
	for _, p := range plan.Pods {
		planned[p.Pod] = p
	}
	var out []*Pod
	for _, pod := range all {
		p := planned[pod]
		switch {
		case fit.Ended(pod):
		case p == nil && pod.Spec.NodeName != "":
			out = append(out, &Pod{Pod: pod, Node: pod.Spec.NodeName})
		case p != nil && (p.Outcome == schedule.Done || p.Outcome == schedule.Before):
			out = append(out, fromPlan(p))
		}
	}
	return out
}

func fromPlan(p *schedule.Pod) *Pod {
	out := &Pod{Pod: p.Pod, Node: p.Node, Extended: p.Extended}
	// Of entries with one name, which the API server refuses, the first counts.
	at := map[string]int{}
	for i := len(p.Claims) - 1; i >= 0; i-- {
		at[p.Entry(i)] = i
	}
	out.entries = map[string]int{}
	add := func(entry string, i int, found bool) {
		if _, twice := out.entries[entry]; twice {
			return
		}
		out.entries[entry] = len(out.Claims)
		claim := Claim{Entry: entry}
		if found {
			c := p.Claims[i]
			claim.Claim, claim.Origin = c.Claim, c.Origin
		}
		out.Claims = append(out.Claims, claim)
	}
	for i := range p.Pod.Spec.ResourceClaims {
		entry := p.Pod.Spec.ResourceClaims[i].Name
		k, found := at[entry]
		if found || !needsNone(p.Pod, entry) {
			add(entry, k, found)
		}
	}
	if p.Extended != nil { // an entry of the pod cannot be without a name
		k, found := at[""]
		add("", k, found)
		out.mappings = map[string][]corev1.ContainerExtendedResourceRequest{}
		for _, m := range p.Extended.RequestMappings {
			out.mappings[m.ContainerName] = append(out.mappings[m.ContainerName], m)
		}
	}
	return out
}

// needsNone tells whether the status of the pod says that no claim was made
// for an entry.
func needsNone(pod *corev1.Pod, entry string) bool {
	return slices.ContainsFunc(pod.Status.ResourceClaimStatuses, func(s corev1.PodResourceClaimStatus) bool {
		return s.Name == entry && s.ResourceClaimName == nil
	})
}

// OnNode are the claims for which the drivers of a node have been called: those
// of all pods there that wait for nothing. A pod that waits has some of its
// claims there only if another pod uses them.
func OnNode(pods []*Pod, node string) map[*resourceapi.ResourceClaim]bool {
	out := map[*resourceapi.ResourceClaim]bool{}
	for _, p := range pods {
		if p.Node != node || p.Waits != "" && !p.Called {
			continue
		}
		for _, c := range p.Claims {
			if c.Claim != nil {
				out[c.Claim] = true
			}
		}
	}
	return out
}

// Driver is a driver that has devices in a claim.
type Driver struct {
	Name string
	// Skipped tells that the kubelet does not call it to prepare the claim:
	// all devices that the claim has of it say so.
	Skipped bool
	// Results are the places of its devices in the allocation.
	Results []int
}

// Drivers are those of an allocation, in its order.
func Drivers(claim *resourceapi.ResourceClaim) []*Driver {
	var out []*Driver
	if claim.Status.Allocation == nil {
		return nil
	}
	known := map[string]*Driver{}
	for i := range claim.Status.Allocation.Devices.Results {
		r := &claim.Status.Allocation.Devices.Results[i]
		d := known[r.Driver]
		if d == nil {
			d = &Driver{Name: r.Driver, Skipped: true}
			known[r.Driver] = d
			out = append(out, d)
		}
		d.Results = append(d.Results, i)
		d.Skipped = d.Skipped && (slices.Contains(r.SkipNodeOperations, resourceapi.SkipNodeOperationAll) ||
			slices.Contains(r.SkipNodeOperations, resourceapi.SkipNodeOperationNodePrepareResources))
	}
	return out
}

// AssumedUID stands for the UID of a claim that nobody has created yet.
func AssumedUID(claim *resourceapi.ResourceClaim) types.UID {
	return types.UID(uuid.NewSHA1(uuid.NameSpaceURL, []byte("claim/"+namespace(claim.Namespace)+"/"+claim.Name)).String())
}
