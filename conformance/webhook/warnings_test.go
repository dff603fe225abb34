package webhook

import (
	"strings"
	"testing"
)

// TestWarnings shows what kubectl prints of what only the cluster's other
// objects tell: when something is created, changed, and deleted while others
// still use it. All of it passes.
func TestWarnings(t *testing.T) {
	r := viewing(t)
	claim := strings.Split(podOn("needy", "n1"), "---\n")[1]
	awaitView(t, r, "cluster DeviceClass: known, 0 objects")
	kubectl(t, claim, "create", "-f", "-").must(t).says(t, "Warning: ", "spec.devices.requests[0].exactly.deviceClassName", "bundle/missing-class")
	t.Cleanup(func() { forget(t, "resourceclaim", "needy") })

	kubectl(t, devices, "create", "-f", "-").must(t)
	t.Cleanup(func() {
		forget(t, "deviceclass", "gpu.example.com")
		forget(t, "resourceslice", "n1-gpus", "n2-gpus")
	})
	awaitView(t, r, "cluster DeviceClass: known, 1 objects", "cluster ResourceClaim: known, 1 objects", "cluster ResourceSlice: known, 2 objects")
	if said := kubectl(t, strings.ReplaceAll(claim, "needy", "content"), "create", "--dry-run=server", "-f", "-").must(t); said.err != "" {
		t.Errorf("with its class there, the claim gets: %s", said.err)
	}

	// No device in the cluster has such an attribute.
	changed := strings.ReplaceAll(strings.Split(devices, "---\n")[0], `device.driver == "gpu.example.com"`, `'device.attributes["gpu.example.com"].colour == "red"'`)
	kubectl(t, changed, "replace", "--dry-run=server", "-f", "-").must(t).says(t, "Warning: ", "colour", "(bundle/selector-")

	kubectl(t, "", "delete", "--dry-run=server", "deviceclass", "gpu.example.com").must(t).says(t, "Warning: ", "needy")
}
