package core

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
)

// What is played of a negotiation is bounded: of more pods than the budget
// suffices for, the rest is left open, and said to be.
func TestNegotiationEnds(t *testing.T) {
	text, err := os.ReadFile("../testdata/classic/delayed.yaml")
	if err != nil {
		t.Fatal(err)
	}
	base, pair, found := strings.Cut(string(text), "---\napiVersion: resource.k8s.io/v1alpha3 # want decode/version-not-served:warning\nkind: ResourceClaim\n")
	if !found {
		t.Fatal("the fixture is another one")
	}
	var all strings.Builder
	all.WriteString(base)
	const pods = 400
	for i := range pods {
		one := strings.NewReplacer("{name: gpu}", fmt.Sprintf("{name: gpu-%d}", i), "resourceClaimName: gpu", fmt.Sprintf("resourceClaimName: gpu-%d", i),
			"{name: train, uid: 11111111", fmt.Sprintf("{name: train-%d, uid: %08d", i, i)).Replace(pair)
		one = strings.Replace(one, fmt.Sprintf("claims: [{name: gpu-%d}]", i), "claims: [{name: gpu}]", 1)
		all.WriteString("---\napiVersion: resource.k8s.io/v1alpha3\nkind: ResourceClaim\n" + one)
	}
	got, err := Negotiate(context.Background(), []byte(all.String()), NegotiateOptions{Options: Options{
		KubernetesVersion: "1.31", FeatureGates: "DynamicResourceAllocation=true,DRAControlPlaneController=true"}})
	if err != nil {
		t.Fatal(err)
	}
	outcomes, told := map[NegotiationOutcome]int{}, 0
	for _, p := range got.Pods {
		outcomes[p.Outcome]++
		if strings.Contains(p.Reason, "ran out; ask about fewer pods") {
			told++
		}
	}
	if len(got.Pods) != pods || outcomes[NegotiationScheduled] == 0 || told == 0 || outcomes[NegotiationScheduled]+told != pods {
		t.Errorf("%d pods: %v, %d told of the budget", len(got.Pods), outcomes, told)
	}
}

// A claim that a pod names twice is one claim to the controller too: the
// finalizer that it adds for the first name is in the way of the second, which
// it comes to the next time, after the controllers of other drivers.
func TestNegotiationOfOneClaimTwice(t *testing.T) {
	const text = `apiVersion: v1
kind: Node
metadata: {name: n1}
---
apiVersion: resource.k8s.io/v1alpha3
kind: DeviceClass
metadata: {name: gpu}
spec: {}
---
apiVersion: resource.k8s.io/v1alpha3
kind: ResourceClaim
metadata: {name: gpu%s}
spec:
  controller: gpu.example.com
  devices: {requests: [{name: r, deviceClassName: gpu}]}
---
apiVersion: resource.k8s.io/v1alpha3
kind: ResourceClaim
metadata: {name: nic}
spec:
  controller: nic.example.com
  devices: {requests: [{name: r, deviceClassName: gpu}]}
---
apiVersion: v1
kind: Pod
metadata: {name: train, uid: 11111111-1111-4111-8111-111111111111}
spec:
  nodeName: n1
  containers: [{name: c, image: registry.example.com/train, resources: {claims: [{name: a}, {name: b}, {name: nic}]}}]
  resourceClaims: [{name: a, resourceClaimName: gpu}, {name: b, resourceClaimName: gpu}, {name: nic, resourceClaimName: nic}]
---
apiVersion: resource.k8s.io/v1alpha3
kind: PodSchedulingContext
metadata: {name: train}
spec: {selectedNode: n1}
status: {resourceClaims: [{name: a, unsuitableNodes: [n1]}, {name: b}]}
`
	for finalizers, want := range map[string]string{
		"": "nic gpu",
		", finalizers: [gpu.example.com/deletion-protection]": "gpu nic",
	} {
		got, err := Negotiate(context.Background(), fmt.Appendf(nil, text, finalizers), NegotiateOptions{Options: Options{
			KubernetesVersion: "1.31", FeatureGates: "DynamicResourceAllocation=true,DRAControlPlaneController=true"}})
		if err != nil {
			t.Fatal(err)
		}
		var allocated []string
		for _, s := range got.Pods[0].Steps {
			if name, found := strings.CutSuffix(s.Writes, ", status"); found && strings.HasPrefix(s.Writes, "ResourceClaim default/") {
				allocated = append(allocated, strings.TrimPrefix(name, "ResourceClaim default/"))
			}
		}
		if strings.Join(allocated, " ") != want || got.Pods[0].Outcome != NegotiationAlreadyScheduled {
			t.Errorf("with %q: %q, %s", finalizers, allocated, got.Pods[0].Outcome)
		}
	}
}
