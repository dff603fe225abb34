package webhook

import (
	"context"
	"errors"
	"strings"
	"testing"
)

// TestWarnings shows what kubectl prints of what only the cluster's other
// objects tell: when something is created, changed, and deleted while others
// still use it. All of it passes. The names are its own, whatever other tests
// have left.
func TestWarnings(t *testing.T) {
	r := viewing(t)
	own := func(text string) string { return strings.ReplaceAll(text, "gpu.example.com", "warned.example.com") }
	claim, others := own(strings.Split(podOn("needy", "n1"), "---\n")[1]), own(devices)
	// until repeats a command until it prints what the view has to hear of first.
	until := func(right func(said string) bool, text string, args ...string) {
		t.Helper()
		eventually(t, func(context.Context) error {
			if said := kubectl(t, text, args...).must(t); !right(said.err) {
				return errors.New("kubectl says: " + said.err)
			}
			return nil
		})
	}
	awaitView(t, r, "cluster DeviceClass: known", "cluster ResourceClaim: known", "cluster ResourceSlice: known")
	kubectl(t, claim, "create", "-f", "-").must(t).says(t, "Warning: ", "spec.devices.requests[0].exactly.deviceClassName", "bundle/missing-class")
	t.Cleanup(func() { forget(t, "resourceclaim", "needy") })

	kubectl(t, others, "create", "-f", "-").must(t)
	t.Cleanup(func() {
		forget(t, "deviceclass", "warned.example.com")
		forget(t, "resourceslice", "n1-gpus", "n2-gpus")
	})
	until(func(said string) bool { return said == "" },
		strings.ReplaceAll(claim, "needy", "content"), "create", "--dry-run=server", "-f", "-")

	// No device in the cluster has such an attribute.
	changed := strings.ReplaceAll(strings.Split(others, "---\n")[0], `device.driver == "warned.example.com"`, `'device.attributes["warned.example.com"].colour == "red"'`)
	until(func(said string) bool {
		return strings.Contains(said, "Warning: ") && strings.Contains(said, "colour") && strings.Contains(said, "(bundle/selector-")
	}, changed, "replace", "--dry-run=server", "-f", "-")

	until(func(said string) bool { return strings.Contains(said, "Warning: ") && strings.Contains(said, "needy") },
		"", "delete", "--dry-run=server", "deviceclass", "warned.example.com")
}
