package webhook

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// The fields behind the gates DRADeviceCompatibilityGroups and
// DRAControllerOnlyDrivers, which are off in 1.37.
const (
	devicesHead = `apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: gated}
spec:
  driver: gpu.example.com
  nodeName: n1
  pool: {name: n1, generation: 1, resourceSliceCount: 1}
  devices:
  - name: gpu-0
`
	groupsOf = devicesHead + `    consumesCounters:
    - counterSet: memory
      counters: {bytes: {value: 10Gi}}
      compatibilityGroups: [GROUPS]
`
	bareSkip = devicesHead + `  skipNodeOperations: [NodePrepareResources]
`
)

// TestGatesOff is about what an API server silently loses: fields behind gates
// that are off. Alone it takes both wrong slices; with the webhook they are
// refused, and a right one is stored with a word on what is missing then.
func TestGatesOff(t *testing.T) {
	control(t)
	wrong := []struct{ name, text, lost, field, rule string }{
		{"three groups", strings.Replace(groupsOf, "GROUPS", "mig, vgpu, whole", 1), "compatibilityGroups",
			"spec.devices[0].consumesCounters[0].compatibilityGroups", "api/compatibility-groups-max"},
		{"bare NodePrepareResources", bareSkip, "skipNodeOperations", "spec.skipNodeOperations", "api/skip-node-operations"},
	}
	slices := plane.client.ResourceV1().ResourceSlices()
	for _, w := range wrong {
		said := kubectl(t, w.text, "create", "-f", "-").must(t)
		if strings.Contains(said.err, "Warning") {
			t.Errorf("%s: without the webhook there is a warning: %s", w.name, said.err)
		}
		if stored := kubectl(t, "", "get", "resourceslice", "gated", "-o", "json").must(t); strings.Contains(stored.out, w.lost) {
			t.Errorf("%s: the API server keeps it: %s", w.name, stored.out)
		}
		if err := slices.Delete(t.Context(), "gated", metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
	}

	one(t)
	for _, w := range wrong {
		said := kubectl(t, w.text, "create", "-f", "-")
		if !said.failed {
			t.Errorf("%s: the webhook lets it through", w.name)
		}
		said.says(t, "is invalid", w.field, w.rule)
	}

	said := kubectl(t, strings.Replace(groupsOf, "GROUPS", "mig, vgpu", 1), "create", "-f", "-").must(t)
	t.Cleanup(func() { forget(t, "resourceslice", "gated") })
	said.says(t, "Warning: ", "compatibilityGroups", "DRADeviceCompatibilityGroups")
	if n := strings.Count(said.err, "DRADeviceCompatibilityGroups is off"); n > 1 {
		t.Errorf("the same is said %d times: %s", n, said.err)
	}
	if stored := kubectl(t, "", "get", "resourceslice", "gated", "-o", "json").must(t); strings.Contains(stored.out, "compatibilityGroups") {
		t.Errorf("the gate is on after all: %s", stored.out)
	}
}
