package schedule

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/drawbridge-dra/drawbridge/core/allocate"
	"github.com/drawbridge-dra/drawbridge/core/extended"
	"github.com/drawbridge-dra/drawbridge/core/fit"
)

// variants are what a pod wants allocated, which differs between nodes: an
// extended resource that a device plugin of the node offers is not requested
// in a claim there.
type variants struct {
	p      *planner
	out    *Pod
	user   []*Claim // those of the pod that are not allocated
	wanted []fit.Amount
	made   map[string]*variant
	// ranked is set if nodes differ in how good they are for the claims.
	ranked bool
}

// variant is what a pod wants allocated on nodes alike.
type variant struct {
	pod    *corev1.Pod
	open   []*Claim
	claims *allocate.Claims
	// special is the claim for extended resources, nil for none, and mappings
	// say which container gets which of its requests.
	special  *Claim
	mappings []corev1.ContainerExtendedResourceRequest
	// stuck is set where the special claim would be empty: then binding fails.
	// names are the resources that a device plugin offers there.
	stuck bool
	names string
}

func (p *planner) variants(out *Pod) *variants {
	v := &variants{p: p, out: out, made: map[string]*variant{}, wanted: p.extended.Wanted(out.fit.Requests)}
	for _, c := range out.Claims {
		if c.Claim.Status.Allocation == nil {
			v.user = append(v.user, c)
			v.ranked = v.ranked || slices.ContainsFunc(c.Claim.Spec.Devices.Requests, func(r resourceapi.DeviceRequest) bool { return len(r.FirstAvailable) > 0 })
		}
	}
	return v
}

// byDevices tells which resources the node gives out as devices.
func (v *variants) byDevices(node *fit.Node) func(corev1.ResourceName) bool {
	return func(name corev1.ResourceName) bool {
		if v.p.extended[name] == nil {
			return false
		}
		has, _ := node.Allocatable(name)
		return has <= 0
	}
}

// on is the variant for a node.
func (v *variants) on(node *fit.Node) *variant {
	backed := v.byDevices(node)
	var names []corev1.ResourceName
	key := ""
	for i := range v.wanted {
		if name := v.wanted[i].Name; backed(name) {
			names = append(names, name)
			key += string(name) + " "
		}
	}
	made := v.made[key]
	if made == nil {
		made = v.make(names)
		v.made[key] = made
	}
	return made
}

func (v *variants) make(names []corev1.ResourceName) *variant {
	out := &variant{pod: v.out.Pod, open: slices.Clone(v.user)}
	switch {
	case len(names) > 0:
		out.special = &Claim{Claim: specialClaim(v.out.Pod), Outcome: Unfit}
		out.special.Origin = out.special.Claim
		out.special.Claim.Spec.Devices.Requests, out.mappings = extended.Requests(v.out.fit.Pod, names, v.p.extended)
		out.open = append(out.open, out.special)
	case len(v.wanted) > 0 && len(v.out.Claims) > 0:
		out.stuck = true
		var list []string
		for i := range v.wanted {
			list = append(list, string(v.wanted[i].Name))
		}
		out.names = strings.Join(list, ", ")
	}
	out.claims = v.p.prepare(out.open)
	return out
}

// reasons turns those of an attempt, which count claims, into ours. Nobody
// wrote the special claim, so what is said of it lies in the pod.
func (v *variant) reasons(list []allocate.Reason, podWide bool) []Reason {
	out := reasons(list, v.open, podWide)
	for i := range out {
		if r := &out[i]; r.Claim != nil && r.Claim == v.special {
			r.InPod, r.Field = true, containerField(v.pod, r.Request)
		}
	}
	return out
}

// containerField is where the pod asks for what a request of its special claim
// is for: the name of the request counts init containers first.
func containerField(pod *corev1.Pod, request string) string {
	var i, position int
	if _, err := fmt.Sscanf(request, "container-%d-request-%d", &i, &position); err != nil {
		return ""
	}
	if inits := len(pod.Spec.InitContainers); i >= inits {
		return fmt.Sprintf("spec.containers[%d].resources", i-inits)
	}
	return fmt.Sprintf("spec.initContainers[%d].resources", i)
}

// maxGeneratedName is how much of a prefix the API server keeps.
const maxGeneratedName = 58

// specialClaim is the claim that the scheduler makes for extended resources,
// still without requests.
func specialClaim(pod *corev1.Pod) *resourceapi.ResourceClaim {
	c := &resourceapi.ResourceClaim{}
	c.Namespace = namespace(pod.Namespace)
	c.GenerateName = pod.Name + "-extended-resources-"
	c.Name = c.GenerateName[:min(len(c.GenerateName), maxGeneratedName)] + suffix(c.Namespace+"/"+pod.Name+"/extended-resources")
	c.Annotations = map[string]string{resourceapi.ExtendedResourceClaimAnnotation: "true"}
	yes := true
	c.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "Pod", Name: pod.Name, UID: uidOf(pod), Controller: &yes}}
	return c
}
