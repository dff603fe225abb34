package footprint

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"sigs.k8s.io/yaml"
)

func read[T any](t *testing.T, text string) *T {
	t.Helper()
	out := new(T)
	if err := yaml.UnmarshalStrict([]byte(text), out); err != nil {
		t.Fatal(err)
	}
	return out
}

// lookup finds devices of one slice.
func lookup(t *testing.T, devices string) Lookup {
	list := *read[[]resourceapi.Device](t, devices)
	return func(r *resourceapi.DeviceRequestAllocationResult) *resourceapi.Device {
		for i := range list {
			if list[i].Name == r.Device {
				return &list[i]
			}
		}
		return nil
	}
}

const devices = `
- {name: cpus, nodeAllocatableResources: {cpu: {mapping: {deviceMultiplier: "2"}, overhead: {perPod: 100m, perContainer: 10m}}}}
- {name: share, nodeAllocatableResources: {memory: {mapping: {capacityKey: size, capacityMultiplier: 500m}}}}
- {name: overhead, nodeAllocatableResources: {cpu: {overhead: {perPod: 1}}}}
- {name: plain}
`

func TestStatuses(t *testing.T) {
	pod := read[corev1.Pod](t, "{spec: {initContainers: [{name: i, resources: {claims: [{name: x}]}}], containers: [{name: a, resources: {claims: [{name: x}, {name: second}]}}]}}")
	claims := []Claim{
		{Name: "z", Entries: []string{"x"}, Allocation: read[resourceapi.AllocationResult](t, "devices: {results: [{device: cpus}, {device: cpus}]}")},
		{Name: "b", Entries: []string{"second"}, Allocation: read[resourceapi.AllocationResult](t, "devices: {results: [{device: share, consumedCapacity: {size: 3Gi}}]}")},
		{Name: "nothing", Allocation: read[resourceapi.AllocationResult](t, "devices: {results: [{device: plain}]}")},
		{Name: "empty", Allocation: &resourceapi.AllocationResult{}},
	}
	got, problem := Statuses(pod, claims, lookup(t, devices))
	if problem != nil {
		t.Fatal(problem)
	}
	want := read[[]corev1.NodeAllocatableResourceClaimStatus](t, `
- {resourceClaimName: b, containers: [a], mapping: [{name: memory, quantity: 1536Mi}], overhead: []}
- {resourceClaimName: z, containers: [i, a], mapping: [{name: cpu, quantity: "4"}], overhead: [{name: cpu, perPod: 200m, perContainer: 20m}]}`)
	a, _ := yaml.Marshal(got)
	b, _ := yaml.Marshal(want)
	if string(a) != string(b) {
		t.Errorf("got\n%s, want\n%s", a, b)
	}
}

func TestProblems(t *testing.T) {
	for results, words := range map[string]string{
		"[{device: share}]":                  "maps its capacity size to memory",
		"[{device: cpus}, {device: nobody}]": "no slice offers it",
	} {
		claims := []Claim{{Name: "c", Allocation: read[resourceapi.AllocationResult](t, "devices: {results: "+results+"}")}}
		_, problem := Statuses(&corev1.Pod{}, claims, lookup(t, devices))
		if problem == nil || problem.Claim != 0 || !strings.Contains(problem.Message, words) {
			t.Errorf("%s: %+v", results, problem)
		}
	}
	// Nothing of a device that nobody knows is known to take anything.
	claims := []Claim{{Name: "c", Allocation: read[resourceapi.AllocationResult](t, "devices: {results: [{device: nobody}]}")}}
	if got, problem := Statuses(&corev1.Pod{}, claims, lookup(t, devices)); got != nil || problem != nil {
		t.Errorf("%+v %+v", got, problem)
	}
}

func TestMapped(t *testing.T) {
	for device, want := range map[string]bool{"cpus": true, "share": true, "overhead": false, "plain": false, "nobody": false} {
		a := read[resourceapi.AllocationResult](t, "devices: {results: [{device: "+device+"}]}")
		if Mapped(a, lookup(t, devices)) != want {
			t.Errorf("%s: %v", device, !want)
		}
	}
}

func TestExceeds(t *testing.T) {
	const status = "status: {nodeAllocatableResourceClaimStatuses: [{resourceClaimName: c, containers: [a], mapping: [{name: cpu, quantity: 2}, {name: hugepages-2Mi, quantity: 4Mi}]}]}"
	for _, tc := range []struct{ spec, words string }{
		{"containers: [{name: a, resources: {requests: {cpu: 1}}}], resources: {requests: {cpu: 2}}", "need 3 cpu, and the pod as a whole requests 2"},
		{"containers: [{name: a, resources: {requests: {cpu: 1}}}], resources: {requests: {cpu: 3}}", ""},
		{"containers: [{name: a, resources: {limits: {cpu: 1}}}], resources: {limits: {cpu: 2}}", "container a and its devices have a limit of 3 cpu"},
		{"containers: [{name: a, resources: {limits: {hugepages-2Mi: 2Mi}}}], resources: {limits: {hugepages-2Mi: 4Mi}}", "limit of 6Mi hugepages-2Mi"},
		{"containers: [{name: a, resources: {limits: {cpu: 1}}}]", ""},
	} {
		got := Exceeds(read[corev1.Pod](t, "spec: {"+tc.spec+"}\n"+status))
		if (got == "") != (tc.words == "") || !strings.Contains(got, tc.words) {
			t.Errorf("%s: %q", tc.spec, got)
		}
	}
}
