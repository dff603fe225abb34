package core

import (
	"context"
	"os"
	"strconv"
	"strings"
	"testing"
)

// TestConvertPast converts what Kubernetes 1.30 had: all of it that has a
// successor is accepted by today's API server, and what gets lost is told at
// its line.
func TestConvertPast(t *testing.T) {
	text, err := os.ReadFile("../testdata/classic/parameters.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, to := range []string{"", "resource.k8s.io/v1", "resource.k8s.io/v1beta2", "resource.k8s.io/v1beta1"} {
		got, err := Convert(context.Background(), text, ConvertOptions{APIVersion: to})
		if err != nil {
			t.Fatal(err)
		}
		var all []string
		var lost []string
		for _, o := range got.Objects {
			if o.Text == "" {
				if !strings.HasSuffix(o.Kind, "Parameters") || o.Message == "" {
					t.Errorf("%s: nothing is given, %q", o.Kind, o.Message)
				}
				continue
			}
			all = append(all, o.Text)
			for _, c := range o.Changes {
				if c.Location == nil || c.What != "lost" {
					t.Errorf("%s %s: %+v", o.Kind, c.Field, c)
				}
				lost = append(lost, o.Kind+" "+c.Field)
			}
		}
		// In 1.33 the beta versions are served without more.
		version := ""
		if to == "resource.k8s.io/v1beta1" || to == "resource.k8s.io/v1beta2" {
			version = "1.37"
		}
		after, err := Validate(context.Background(), []byte(strings.Join(all, "---\n")), Options{KubernetesVersion: version, FeatureGates: "DRAListTypeAttributes=true"})
		if err != nil || !after.Valid || len(all) != 4 {
			t.Fatalf("%s: %v, %d objects\n%+v", to, err, len(all), after.Diagnostics)
		}
		want := `ResourceClass suitableNodes
ResourceClaim driverRequests[0].requests[1].namedResources.selector
ResourceClaimTemplate spec.spec.allocationMode
ResourceClaimTemplate spec.spec.parametersRef
ResourceSlice namedResources.instances[0].name
ResourceSlice namedResources.instances[0].attributes[1].name
ResourceSlice kind`
		if strings.Join(lost, "\n") != want {
			t.Errorf("%s: lost\n%s", to, strings.Join(lost, "\n"))
		}
		for _, part := range []string{`device.capacity["gpu.example.com"].memory.compareTo(quantity("40Gi")) >= 0`, `device.attributes["gpu.example.com"].driver_model == "A100"`, "clock: high", "mode: exclusive", "80Gi"} {
			if !strings.Contains(strings.Join(all, ""), part) {
				t.Errorf("%s: %s is missing in\n%s", to, part, strings.Join(all, "---\n"))
			}
		}
	}
	// Where the version has the kinds, they stay, with their defaults.
	got, err := Convert(context.Background(), text, ConvertOptions{Options: Options{KubernetesVersion: "1.30"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range got.Objects {
		if o.To != "resource.k8s.io/v1alpha2" || !strings.Contains(o.Text, "kind: "+o.Kind+"\n") {
			t.Errorf("%s in 1.30: %s %s\n%s", o.Kind, o.To, o.Message, o.Text)
		}
	}
	if c := got.Objects[2].Changes; len(c) == 0 || c[0].What != "default" {
		t.Errorf("the default of allocationMode is not told: %+v", c)
	}
}

// What the API server of today refuses is told, and nothing is left that nobody
// would take away.
func TestConvertRefused(t *testing.T) {
	text := `apiVersion: resource.k8s.io/v1alpha2
kind: ResourceSlice
metadata: {name: s}
nodeName: n1
driverName: gpu.example.com
namedResources:
  instances:
  - {name: gpu.0, attributes: [{name: a-name-with-more-characters-than-there-may-be, int: 3}]}
  - {name: gpu-0}
---
apiVersion: resource.k8s.io/v1alpha2
kind: ResourceClaim
metadata: {name: c, namespace: default, finalizers: [ours.example.com/keep, gpu.example.com/deletion-protection]}
spec: {resourceClassName: gpu}
`
	got, err := Convert(context.Background(), []byte(text), ConvertOptions{APIVersion: "resource.k8s.io/v1"})
	if err != nil {
		t.Fatal(err)
	}
	told := ""
	for _, o := range got.Objects {
		for _, c := range o.Changes {
			told += c.Field + ": " + c.Message + "\n"
			if c.Location == nil {
				t.Errorf("no place for %+v", c)
			}
		}
	}
	for _, part := range []string{
		"kind: ResourceSlice of resource.k8s.io/v1 is refused as it is given: spec.devices[1]: ",
		"kind: ResourceSlice of resource.k8s.io/v1 is refused as it is given: spec.devices[0].attributes: ",
		"metadata.finalizers[1]: the finalizer gpu.example.com/deletion-protection is lost: ",
	} {
		if !strings.Contains(told, part) {
			t.Errorf("%q is missing in\n%s", part, told)
		}
	}
	if claim := got.Objects[1].Text; !strings.Contains(claim, "finalizers: [ours.example.com/keep]") {
		t.Error(claim)
	}
}

// TestConvertController converts what only Kubernetes 1.31 had in v1alpha3.
func TestConvertController(t *testing.T) {
	text := `apiVersion: resource.k8s.io/v1alpha3
kind: ResourceClaim
metadata: {name: c}
spec:
  controller: gpu.example.com
  devices:
    requests: [{name: r, deviceClassName: g}]
---
apiVersion: resource.k8s.io/v1alpha3
kind: DeviceClass
metadata: {name: g}
spec:
  suitableNodes: {nodeSelectorTerms: [{matchExpressions: [{key: a, operator: Exists}]}]}
---
apiVersion: resource.k8s.io/v1alpha3
kind: ResourceSlice
metadata: {name: s}
spec:
  driver: gpu.example.com
  nodeName: n1
  pool: {name: n1, resourceSliceCount: 1}
  devices: [{name: d, basic: {capacity: {memory: 8Gi}, attributes: {a: {bool: true}}}}]
`
	tests := []struct{ version, gates, to, want, changes string }{
		{"1.37", "", "", "", "lost spec.controller, lost spec.suitableNodes"},
		{"1.31", "DynamicResourceAllocation=true,DRAControlPlaneController=true", "", "controller: gpu.example.com, suitableNodes:", ""},
		{"1.31", "DynamicResourceAllocation=true", "", "", "dropped spec.controller, dropped spec.suitableNodes"},
		{"1.33", "", "resource.k8s.io/v1alpha3", "memory: 8Gi, basic:", "lost spec.controller, lost spec.suitableNodes"},
	}
	for _, tt := range tests {
		got, err := Convert(context.Background(), []byte(text), ConvertOptions{Options: Options{KubernetesVersion: tt.version, FeatureGates: tt.gates}, APIVersion: tt.to})
		if err != nil {
			t.Fatal(err)
		}
		var changes, all string
		for _, o := range got.Objects {
			all += o.Text
			if o.Text == "" {
				t.Errorf("%+v: %s", tt, o.Message)
			}
			for _, c := range o.Changes {
				if c.What != "default" {
					changes += ", " + c.What + " " + c.Field
				}
			}
		}
		changes = strings.TrimPrefix(changes, ", ")
		if changes != tt.changes {
			t.Errorf("%+v: %s", tt, changes)
		}
		for part := range strings.SplitSeq(tt.want, ", ") {
			if !strings.Contains(all, part) {
				t.Errorf("%+v: %s is missing in\n%s", tt, part, all)
			}
		}
		if !strings.Contains(tt.want, "controller") && (strings.Contains(all, "controller") || strings.Contains(all, "suitableNodes")) {
			t.Errorf("%+v:\n%s", tt, all)
		}
	}
}

// TestConvertSteps goes through the API versions as Kubernetes did, from 1.26
// to today, and tells on each step what gets lost.
func TestConvertSteps(t *testing.T) {
	const classic = "DynamicResourceAllocation=true,DRAControlPlaneController=true"
	first := `apiVersion: resource.k8s.io/v1alpha1
kind: ResourceClass
metadata: {name: gpu}
driverName: gpu.example.com
suitableNodes: {nodeSelectorTerms: [{matchExpressions: [{key: zone, operator: In, values: [a]}]}]}
---
apiVersion: resource.k8s.io/v1alpha1
kind: ResourceClaim
metadata: {name: train, namespace: default}
spec: {resourceClassName: gpu, allocationMode: Immediate}
status: {driverName: gpu.example.com, allocation: {resourceHandle: gpu-0, shareable: true}}
---
apiVersion: resource.k8s.io/v1alpha1
kind: ResourceClaimTemplate
metadata: {name: train, namespace: default}
spec: {spec: {resourceClassName: other, allocationMode: WaitForFirstConsumer}}
---
apiVersion: resource.k8s.io/v1alpha1
kind: PodScheduling
metadata: {name: train, namespace: default}
spec: {potentialNodes: [n1], selectedNode: n1}
status: {resourceClaims: [{name: gpu, unsuitableNodes: [n2]}]}
`
	text := first
	step := func(version, gates, to string) (changes []string, messages string) {
		t.Helper()
		got, err := Convert(context.Background(), []byte(text), ConvertOptions{Options: Options{KubernetesVersion: version, FeatureGates: gates}, APIVersion: to})
		if err != nil {
			t.Fatal(err)
		}
		var all []string
		for _, o := range got.Objects {
			for _, c := range o.Changes {
				if c.What == "lost" && (c.Location == nil || c.Value == "" || c.Message == "") {
					t.Errorf("%s %s: %+v", o.Kind, c.Field, c)
				}
				if c.What != "default" {
					changes = append(changes, c.What+" "+o.Kind+" "+c.Field)
				}
			}
			messages += o.Message
			if o.Text != "" {
				all = append(all, o.Text)
			}
		}
		text = strings.Join(all, "---\n")
		return changes, messages
	}
	for _, s := range []struct{ version, gates, to, says, not, changes, message string }{
		{"1.30", "", "resource.k8s.io/v1alpha2", "kind: PodSchedulingContext, data: gpu-0, driverName: gpu.example.com, shareable: true, selectedNode: n1, unsuitableNodes", "resourceHandle:", "", ""},
		{"1.26", "", "resource.k8s.io/v1alpha1", "kind: PodScheduling\n, resourceHandle: gpu-0, shareable: true", "resourceHandles", "", ""},
		{"1.27", "", "resource.k8s.io/v1alpha2", "kind: PodSchedulingContext, data: gpu-0", "", "", ""},
		{"1.31", classic, "resource.k8s.io/v1alpha3", "kind: DeviceClass, controller: gpu.example.com, suitableNodes, deviceClassName: gpu, selectedNode: n1, unsuitableNodes", "ResourceClass",
			"lost ResourceClaim spec.allocationMode, lost ResourceClaim status.driverName, lost ResourceClaim status.allocation, lost ResourceClaimTemplate spec.spec.resourceClassName", ""},
		{"1.37", "", "resource.k8s.io/v1", "kind: DeviceClass, exactly", "controller, suitableNodes, PodScheduling",
			"lost DeviceClass spec.suitableNodes, lost ResourceClaim spec.controller, lost PodSchedulingContext spec.potentialNodes, lost PodSchedulingContext spec.selectedNode, lost PodSchedulingContext status.resourceClaims",
			"PodSchedulingContext has no successor"},
	} {
		changes, message := step(s.version, s.gates, s.to)
		if got := strings.Join(changes, ", "); got != s.changes {
			t.Errorf("to %s: %s", s.to, got)
		}
		if !strings.Contains(message, s.message) || s.message == "" && message != "" {
			t.Errorf("to %s: %s", s.to, message)
		}
		for part := range strings.SplitSeq(s.says, ", ") {
			if !strings.Contains(text, part) {
				t.Errorf("to %s: %q is missing in\n%s", s.to, part, text)
			}
		}
		for part := range strings.SplitSeq(s.not, ", ") {
			if part != "" && strings.Contains(text, part) {
				t.Errorf("to %s: %q is still in\n%s", s.to, part, text)
			}
		}
	}

	// Straight from the first version, all of it is lost at once.
	text = first
	changes, message := step("1.37", "", "resource.k8s.io/v1")
	want := "lost ResourceClass suitableNodes, lost ResourceClass driverName, lost ResourceClaim spec.allocationMode, lost ResourceClaim status.driverName, lost ResourceClaim status.allocation, " +
		"lost PodScheduling spec.potentialNodes, lost PodScheduling spec.selectedNode, lost PodScheduling status.resourceClaims"
	if got := strings.Join(changes, ", "); got != want || !strings.Contains(message, "PodScheduling has no successor") {
		t.Errorf("to v1: %s\n%s", got, message)
	}
}

// TestConvertBack tells what v1alpha1 could not say of v1alpha2.
func TestConvertBack(t *testing.T) {
	text := `apiVersion: resource.k8s.io/v1alpha2
kind: ResourceClass
metadata: {name: gpu}
driverName: gpu.example.com
structuredParameters: true
---
apiVersion: resource.k8s.io/v1alpha2
kind: ResourceClaim
metadata: {name: train, namespace: default}
spec: {resourceClassName: gpu, allocationMode: Immediate}
status: {driverName: gpu.example.com, allocation: {resourceHandles: [{driverName: gpu.example.com, data: a}, {driverName: nic.example.com, data: b}]}}
---
apiVersion: resource.k8s.io/v1alpha2
kind: ResourceClassParameters
metadata: {name: gpu, namespace: default}
`
	got, err := Convert(context.Background(), []byte(text), ConvertOptions{Options: Options{KubernetesVersion: "1.26"}, APIVersion: "resource.k8s.io/v1alpha1"})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"structuredParameters", "status.allocation.resourceHandles", "kind"} {
		o, lost := got.Objects[i], ""
		for _, c := range o.Changes {
			if c.What == "lost" {
				lost += c.Field
			}
		}
		if lost != want || strings.Contains(o.Text, "resourceHandles") || (o.Text == "") != (i == 2) {
			t.Errorf("%s: lost %q\n%s", o.Kind, lost, o.Text)
		}
	}
}

// TestManyParameters tells parameters that nothing refers to from those that
// claims of the text use.
func TestManyParameters(t *testing.T) {
	const many = 300
	var text strings.Builder
	for i := range many {
		name := strconv.Itoa(i)
		text.WriteString("---\napiVersion: resource.k8s.io/v1alpha2\nkind: ResourceClaimParameters\nmetadata: {name: p" + name + "}\nshareable: true\n")
		text.WriteString("---\napiVersion: resource.k8s.io/v1alpha2\nkind: ResourceClaim\nmetadata: {name: c" + name + "}\nspec: {resourceClassName: c, parametersRef: {kind: ResourceClaimParameters, name: p" + strconv.Itoa(i/2*2) + "}}\n")
	}
	got, err := Convert(context.Background(), []byte(text.String()), ConvertOptions{APIVersion: "resource.k8s.io/v1"})
	if err != nil {
		t.Fatal(err)
	}
	unused := 0
	for _, o := range got.Objects {
		for _, c := range o.Changes {
			if c.What == "lost" && c.Field == "kind" {
				unused++
			}
		}
	}
	if unused != many/2 {
		t.Errorf("%d parameters are said to be lost, not %d", unused, many/2)
	}
}
