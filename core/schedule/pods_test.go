package schedule

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/drawbridge-dra/drawbridge/core/allocate"
)

func TestSpecialClaim(t *testing.T) {
	in := cluster(t, base+`kind: Pod
metadata: {name: with-a-name-that-is-as-long-as-that-of-a-pod-can-be, namespace: default, uid: u1}
spec:
  initContainers: [{name: i, resources: {limits: {deviceclass.resource.kubernetes.io/acc: "1"}}}]
  containers: [{name: c, resources: {limits: {cpu: "1", deviceclass.resource.kubernetes.io/acc: "2"}}}]`)
	in.Gates.ExtendedResource = true
	p := plan(t, in)
	pod := p.Pods[0]
	if pod.Outcome != Done || pod.Node != "n2" || len(pod.Claims) != 1 || len(p.Claims) != 1 {
		t.Fatalf("%+v", pod)
	}
	if r := pod.Nodes[0].Reasons[0]; r.Code != allocate.TooFewDevices || !r.InPod || r.Field != "spec.containers[0].resources" {
		t.Errorf("n1: %+v", r)
	}
	claim := pod.Claims[0].Claim
	if claim.GenerateName != "with-a-name-that-is-as-long-as-that-of-a-pod-can-be-extended-resources-" || len(claim.Name) != 63 || claim.Name[:58] != claim.GenerateName[:58] {
		t.Errorf("name %s of %s", claim.Name, claim.GenerateName)
	}
	owner := metav1.GetControllerOf(claim)
	if owner == nil || owner.UID != "u1" || claim.Annotations[resourceapi.ExtendedResourceClaimAnnotation] != "true" || len(claim.Finalizers) != 1 ||
		len(claim.Status.ReservedFor) != 1 || claim.Status.ReservedFor[0].UID != "u1" {
		t.Errorf("claim %+v %+v", claim.ObjectMeta, claim.Status)
	}
	var mappings []string
	for _, m := range pod.Extended.RequestMappings {
		mappings = append(mappings, m.ContainerName+" "+m.RequestName)
	}
	// The second of the container's two requests; the init container uses it too.
	if want := []string{"c container-1-request-1", "i container-1-request-1"}; !slices.Equal(mappings, want) || pod.Extended.ResourceClaimName != claim.Name {
		t.Errorf("%s: %v, want %v", pod.Extended.ResourceClaimName, mappings, want)
	}
}

func TestFootprintOfPod(t *testing.T) {
	in := cluster(t, `kind: DeviceClass
metadata: {name: acc}
---
kind: ResourceSlice
metadata: {name: s}
spec:
  driver: acc.example.test
  nodeName: n1
  pool: {name: n1, generation: 1, resourceSliceCount: 1}
  devices: [{name: d0, nodeAllocatableResources: {cpu: {mapping: {deviceMultiplier: "2"}}, memory: {overhead: {perPod: 1Gi}}}}]
---
kind: ResourceClaim
metadata: {name: c, namespace: default}
spec: {devices: {requests: [{name: r, exactly: {deviceClassName: acc, allocationMode: ExactCount, count: 1}}]}}
---
kind: Pod
metadata: {name: p, namespace: default}
spec: {resourceClaims: [{name: a, resourceClaimName: c}, {name: b, resourceClaimName: c}], containers: [{name: x, resources: {claims: [{name: b}]}}]}`)
	if got := plan(t, in).Pods[0].Footprint; got != nil {
		t.Errorf("with the gate off: %+v", got)
	}
	in.Gates.NodeAllocatable = true
	in.Slices[0].Spec.Devices = append(in.Slices[0].Spec.Devices, resourceapi.Device{Name: "d1"})
	pod := plan(t, in).Pods[0]
	if len(pod.Footprint) != 1 {
		t.Fatalf("%s: %+v", pod.Message, pod.Footprint)
	}
	f := pod.Footprint[0]
	if f.ResourceClaimName != "c" || !slices.Equal(f.Containers, []string{"x"}) || len(f.Mapping) != 1 || f.Mapping[0].Quantity.String() != "2" || f.Overhead[0].PerPod.String() != "1Gi" {
		t.Errorf("%+v", f)
	}
}

const twoOfAGroup = `kind: PodGroup
metadata: {name: g, namespace: default, uid: ug}
spec: {schedulingPolicy: {basic: {}}, resourceClaims: [{name: a, resourceClaimTemplateName: one}]}
---
kind: Pod
metadata: {name: p0, namespace: default}
spec: {schedulingGroup: {podGroupName: g}, resourceClaims: [{name: a, resourceClaimTemplateName: one}], containers: []}
---
kind: Pod
metadata: {name: p1, namespace: default}
spec: {schedulingGroup: {podGroupName: g}, resourceClaims: [{name: a, resourceClaimTemplateName: one}], containers: []}`

func TestClaimsOfGroups(t *testing.T) {
	in := cluster(t, base+template+twoOfAGroup)
	if p := plan(t, in); len(p.Claims) != 2 {
		t.Errorf("with the gate off there are %d claims, not one for each pod", len(p.Claims))
	}
	in.Gates.WorkloadClaims = true
	p := plan(t, in)
	if len(p.Claims) != 1 || p.Pods[1].Outcome != Done || p.Pods[1].Node != p.Pods[0].Node {
		t.Fatalf("claims %d, second pod %+v", len(p.Claims), p.Pods[1])
	}
	claim := p.Claims[0].Claim
	owner := metav1.GetControllerOf(claim)
	if claim.GenerateName != "g-a-" || owner.Kind != "PodGroup" || owner.APIVersion != "scheduling.k8s.io/v1beta1" || owner.UID != "ug" {
		t.Errorf("%+v", claim.ObjectMeta)
	}
	want := []resourceapi.ResourceClaimConsumerReference{{APIGroup: "scheduling.k8s.io", Resource: "podgroups", Name: "g", UID: "ug"}}
	if !slices.Equal(claim.Status.ReservedFor, want) {
		t.Errorf("reserved for %v", claim.Status.ReservedFor)
	}
}

// TestBoundPodsJoin puts pods onto nodes before and after the one that has the
// claim allocated, more of them than a claim can be reserved for.
func TestBoundPodsJoin(t *testing.T) {
	var text strings.Builder
	text.WriteString(base + "kind: ResourceClaim\nmetadata: {name: c, namespace: default}\nspec: {devices: {requests: [{name: r, exactly: {deviceClassName: acc, allocationMode: ExactCount, count: 1}}]}}\n")
	for i := range maxReserved + 2 {
		node := "nodeName: n1, "
		if i == 1 {
			node = ""
		}
		fmt.Fprintf(&text, "---\nkind: Pod\nmetadata: {name: p%d, namespace: default}\nspec: {%sresourceClaims: [{name: a, resourceClaimName: c}], containers: []}\n", i, node)
	}
	p := plan(t, cluster(t, strings.TrimSuffix(text.String(), "\n")))
	if n := len(p.Claims[0].Claim.Status.ReservedFor); n != maxReserved {
		t.Errorf("reserved for %d", n)
	}
	for i, want := range map[int]string{0: "is reserved for 256 others", 1: "goes to n1", 2: "runs on n1", maxReserved: "runs on n1", maxReserved + 1: "is reserved for 256 others"} {
		if !strings.Contains(p.Pods[i].Message, want) {
			t.Errorf("p%d: %s", i, p.Pods[i].Message)
		}
	}
}

func TestTiesAreToldOnce(t *testing.T) {
	in := cluster(t, base+template+`kind: Pod
metadata: {name: p0, namespace: default}
spec: {resourceClaims: [{name: a, resourceClaimTemplateName: one}], containers: []}
---
kind: ResourceClaim
metadata: {name: alone, namespace: default}
spec: {devices: {requests: [{name: r, exactly: {deviceClassName: acc, allocationMode: ExactCount, count: 1}}]}}`)
	var told []string
	for _, a := range plan(t, in).Assumptions {
		if strings.Contains(a, "equally good") {
			told = append(told, a)
		}
	}
	if len(told) != 1 || !strings.Contains(told[0], "2 for default/p0") {
		t.Errorf("%q", told)
	}
}
