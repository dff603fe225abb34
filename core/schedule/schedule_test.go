package schedule

import (
	"context"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	schedulingapi "k8s.io/api/scheduling/v1beta1"
	"sigs.k8s.io/yaml"

	"github.com/drawbridge-dra/drawbridge/core/allocate"
	"github.com/drawbridge-dra/drawbridge/core/fit"
	"github.com/drawbridge-dra/drawbridge/core/inventory"
)

// cluster reads objects that are written as YAML documents.
func cluster(t *testing.T, text string) Input {
	t.Helper()
	in := Input{Invalid: map[any]bool{}, Features: inventory.Features{PrioritizedList: true, PartitionableDevices: true, ConsumableCapacity: true, BindingConditions: true, DeviceTaints: true, DeviceTaintRules: true}}
	for _, document := range strings.Split(text, "\n---\n") {
		var kind struct{ Kind string }
		if err := yaml.Unmarshal([]byte(document), &kind); err != nil {
			t.Fatal(err)
		}
		read := func(into any) {
			if err := yaml.UnmarshalStrict([]byte(document), into); err != nil {
				t.Fatal(err)
			}
		}
		switch kind.Kind {
		case "Node":
			in.Nodes = append(in.Nodes, new(corev1.Node))
			read(in.Nodes[len(in.Nodes)-1])
		case "Pod":
			in.Pods = append(in.Pods, new(corev1.Pod))
			read(in.Pods[len(in.Pods)-1])
		case "ResourceClaim":
			in.Claims = append(in.Claims, new(resourceapi.ResourceClaim))
			read(in.Claims[len(in.Claims)-1])
		case "ResourceClaimTemplate":
			in.Templates = append(in.Templates, new(resourceapi.ResourceClaimTemplate))
			read(in.Templates[len(in.Templates)-1])
		case "DeviceClass":
			in.Classes = append(in.Classes, new(resourceapi.DeviceClass))
			read(in.Classes[len(in.Classes)-1])
		case "ResourceSlice":
			in.Slices = append(in.Slices, new(resourceapi.ResourceSlice))
			read(in.Slices[len(in.Slices)-1])
		case "PodGroup":
			in.Groups = append(in.Groups, new(schedulingapi.PodGroup))
			read(in.Groups[len(in.Groups)-1])
		case "DeviceTaintRule":
			in.Rules = append(in.Rules, new(resourceapi.DeviceTaintRule))
			read(in.Rules[len(in.Rules)-1])
		default:
			t.Fatalf("kind %q", kind.Kind)
		}
	}
	return in
}

func plan(t *testing.T, in Input) *Plan {
	t.Helper()
	p, err := Run(context.Background(), in)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// base is a class and two nodes: n1 has device d0, n2 has d0 and d1.
const base = `kind: DeviceClass
metadata: {name: acc}
---
kind: Node
metadata: {name: n1, labels: {kubernetes.io/hostname: n1}}
---
kind: Node
metadata: {name: n2, labels: {kubernetes.io/hostname: n2}}
---
kind: ResourceSlice
metadata: {name: n1-acc}
spec: {driver: acc.example.test, nodeName: n1, pool: {name: n1, generation: 1, resourceSliceCount: 1}, devices: [{name: d0}]}
---
kind: ResourceSlice
metadata: {name: n2-acc}
spec: {driver: acc.example.test, nodeName: n2, pool: {name: n2, generation: 1, resourceSliceCount: 1}, devices: [{name: d0}, {name: d1}]}
---
`

const template = `kind: ResourceClaimTemplate
metadata: {name: one, namespace: default}
spec:
  metadata: {labels: {team: a}, annotations: {note: b}}
  spec: {devices: {requests: [{name: r, exactly: {deviceClassName: acc, allocationMode: ExactCount, count: 1}}]}}
---
`

func TestPodsTakeTurns(t *testing.T) {
	var text strings.Builder
	text.WriteString(base + template)
	for _, name := range []string{"p0", "p1", "p2", "p3"} {
		text.WriteString("kind: Pod\nmetadata: {name: " + name + ", namespace: default}\nspec: {resourceClaims: [{name: a, resourceClaimTemplateName: one}], containers: []}\n---\n")
	}
	p := plan(t, cluster(t, strings.TrimSuffix(text.String(), "\n---\n")))
	var nodes []string
	for _, pod := range p.Pods {
		nodes = append(nodes, pod.Node)
	}
	if got := strings.Join(nodes, ","); got != "n1,n2,n2," {
		t.Errorf("nodes %s", got)
	}
	last := p.Pods[3]
	if last.Outcome != Unfit || len(last.Nodes) != 2 || last.Nodes[0].Reasons[0].Code != allocate.InUse {
		t.Errorf("last pod: %+v", last)
	}
	if !strings.Contains(last.Message, "held by default/p0-a-") {
		t.Errorf("the message does not name the holder: %s", last.Message)
	}
	claim := p.Pods[0].Claims[0].Claim
	if claim.Labels["team"] != "a" || claim.Annotations["note"] != "b" || claim.Annotations[resourceapi.PodResourceClaimAnnotation] != "a" ||
		claim.GenerateName != "p0-a-" || len(claim.Name) != len("p0-a-")+5 || len(claim.OwnerReferences) != 1 || *claim.OwnerReferences[0].Controller != true {
		t.Errorf("generated claim: %+v", claim.ObjectMeta)
	}
	if len(claim.Finalizers) != 1 || len(claim.Status.ReservedFor) != 1 || claim.Status.ReservedFor[0].UID != claim.OwnerReferences[0].UID {
		t.Errorf("finalizers %v, reserved for %v", claim.Finalizers, claim.Status.ReservedFor)
	}
}

func TestSharedClaim(t *testing.T) {
	p := plan(t, cluster(t, base+`kind: ResourceClaim
metadata: {name: shared, namespace: default}
spec: {devices: {requests: [{name: r, exactly: {deviceClassName: acc, allocationMode: ExactCount, count: 2}}]}}
---
kind: Pod
metadata: {name: p0, namespace: default}
spec: {resourceClaims: [{name: a, resourceClaimName: shared}], containers: []}
---
kind: Pod
metadata: {name: p1, namespace: default}
spec: {resourceClaims: [{name: a, resourceClaimName: shared}], containers: []}
---
kind: Pod
metadata: {name: p2, namespace: default}
spec: {nodeSelector: {kubernetes.io/hostname: n1}, resourceClaims: [{name: a, resourceClaimName: shared}], containers: []}`))
	if len(p.Claims) != 1 || p.Claims[0].Outcome != Done || p.Claims[0].Node != "n2" || len(p.Claims[0].Claim.Status.ReservedFor) != 2 {
		t.Errorf("claim: %+v", p.Claims[0])
	}
	if p.Pods[1].Outcome != Done || p.Pods[1].Node != "n2" || p.Pods[1].Nodes[0].Reasons[0].Code != AllocatedAway {
		t.Errorf("second pod: %+v", p.Pods[1])
	}
	if p.Pods[2].Outcome != Unfit || p.Pods[2].Nodes[0].Reasons[0].Code != AllocatedAway || p.Pods[2].Nodes[1].Reasons[0].Code != fit.NodeAffinity {
		t.Errorf("third pod: %+v", p.Pods[2])
	}
}

func TestPodsThatCannotBeTried(t *testing.T) {
	for _, tc := range []struct {
		name, pod string
		outcome   Outcome
		code      allocate.Code
		words     string
	}{
		{"missing template", "resourceClaims: [{name: a, resourceClaimTemplateName: onne}]", Unfit, TemplateMissing, "did you mean one?"},
		{"missing claim", "resourceClaims: [{name: a, resourceClaimName: nope}]", Unfit, ClaimMissing, "default/nope does not exist"},
		{"neither", "resourceClaims: [{name: a}]", Unfit, PodEntry, "exactly one"},
		{"bound", "nodeName: n1, resourceClaims: [{name: a, resourceClaimTemplateName: one}]", Before, "", "went past the scheduler"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p := plan(t, cluster(t, base+template+"kind: Pod\nmetadata: {name: p, namespace: default}\nspec: {containers: [], "+tc.pod+"}"))
			pod := p.Pods[0]
			if pod.Outcome != tc.outcome || !strings.Contains(pod.Message, tc.words) {
				t.Errorf("outcome %d, message %s", pod.Outcome, pod.Message)
			}
			if tc.code != "" && pod.Nodes[0].Reasons[0].Code != tc.code {
				t.Errorf("reasons %+v", pod.Nodes[0].Reasons)
			}
		})
	}
}

func TestEarlierAlternativesWin(t *testing.T) {
	p := plan(t, cluster(t, base+`kind: ResourceClaim
metadata: {name: c, namespace: default}
spec: {devices: {requests: [{name: r, firstAvailable: [
  {name: two, deviceClassName: acc, allocationMode: ExactCount, count: 2},
  {name: one, deviceClassName: acc, allocationMode: ExactCount, count: 1}]}]}}
---
kind: Pod
metadata: {name: p, namespace: default}
spec: {resourceClaims: [{name: a, resourceClaimName: c}], containers: []}`))
	if p.Pods[0].Node != "n2" || p.Claims[0].Claim.Status.Allocation.Devices.Results[0].Request != "r/two" {
		t.Errorf("pod %+v", p.Pods[0])
	}
	// On n1 the second alternative fits, and the note says why not the first.
	if n1 := p.Pods[0].Nodes[0]; !n1.Fits || len(n1.Reasons) != 1 || n1.Reasons[0].Request != "r/two" {
		t.Errorf("n1: %+v", n1)
	}
}

func TestTaintRule(t *testing.T) {
	p := plan(t, cluster(t, base+`kind: DeviceTaintRule
metadata: {name: rule}
spec: {deviceSelector: {pool: n2}, taint: {key: worn, effect: NoSchedule}}
---
kind: ResourceClaim
metadata: {name: c, namespace: default}
spec: {devices: {requests: [{name: r, exactly: {deviceClassName: acc, allocationMode: ExactCount, count: 2}}]}}`))
	c := p.Claims[0]
	if c.Outcome != Unfit || c.Nodes[1].Reasons[0].Code != allocate.Taint {
		t.Errorf("claim %+v", c)
	}
}

func TestGenerateName(t *testing.T) {
	for _, tc := range []struct{ pod, entry, want string }{
		{"p", "a", "p-a-"},
		{strings.Repeat("p", 54), "a", strings.Repeat("p", 54) + "-a-"},
		{strings.Repeat("p", 60), "claim", strings.Repeat("p", 51) + "-clai"},
	} {
		if got := generateName(tc.pod, tc.entry); got != tc.want {
			t.Errorf("%s and %s: got %s (%d bytes), want %s", tc.pod, tc.entry, got, len(got), tc.want)
		}
	}
}
