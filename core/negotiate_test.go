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
