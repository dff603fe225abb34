package bundle

import (
	"os"
	"testing"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/drawbridge-dra/drawbridge/core/diag"
)

func parseFile(t *testing.T, name string) *Bundle {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return Parse(text, Options{})
}

// The shape of one version under the name of another, as people paste it.
func TestBetaShapeUnderV1(t *testing.T) {
	b := parseFile(t, "beta-shape-under-v1.yaml")
	checkFindings(t, b.Diagnostics, []string{
		`4:39-54 unknown-field spec.devices.requests[0].deviceClassName: spec.devices.requests[0] in resource.k8s.io/v1 has no field deviceClassName; v1 and v1beta2 put it under "exactly"; this is v1beta1's shape => move it under exactly (4:39-59 "exactly: {deviceClassName: acc}")`,
	})
}

// Samples copied by hand: a field in the wrong place, an API version that was
// never served with this shape, and a separator with an en dash.
func TestTypos(t *testing.T) {
	b := parseFile(t, "typos.yaml")
	checkFindings(t, b.Diagnostics, []string{
		`1:13-37 unknown-version apiVersion: Kubernetes 1.37 does not have DeviceClass in resource.k8s.io/v1alpha3; only 1.31 to 1.33 had it; write apiVersion: resource.k8s.io/v1 => write apiVersion: resource.k8s.io/v1 (1:13-37 "resource.k8s.io/v1")`,
		`3:1-5 unknown-field name: a DeviceClass of resource.k8s.io/v1alpha3 has no field name; did you mean metadata.name?`,
		`9:13-37 unknown-version apiVersion: v1alpha2 is no served version of ResourceClaimTemplate; the shape is v1alpha3's; write apiVersion: resource.k8s.io/v1, where a request has its deviceClassName, count and selectors under "exactly" => write it in the shape of resource.k8s.io/v1`,
		`19:1-4 document-separator: the document separator is written with an en dash (U+2013), so that the two documents run together; write three hyphens: --- => write --- (19:1-4 "---")`,
	})
	if got := names(b); got != "0:DeviceClass/ 1:ResourceClaimTemplate/large-black-cat-claim-template 2:Pod/pod-with-cats" {
		t.Error(got)
	}
}

func TestCompatibilityGroups(t *testing.T) {
	b := parseFile(t, "compatibility-groups.yaml")
	checkFindings(t, b.Diagnostics, nil)
	devices := b.Objects[1].Value.(*resourceapi.ResourceSlice).Spec.Devices
	if got := devices[1].ConsumesCounters[0].CompatibilityGroups; len(got) != 1 || got[0] != "vgpu" {
		t.Errorf("got %v", got)
	}
	if got := devices[0].ConsumesCounters[0].Counters["memory"].Value; got.String() != "4Gi" {
		t.Errorf("got %s", got.String())
	}
	if got := b.Objects[1].Locate("spec.devices[1].consumesCounters[0].compatibilityGroups"); *got != (diag.Location{Document: 1, Line: 44, Column: 7, EndLine: 44, EndColumn: 26}) {
		t.Errorf("got %v", got)
	}
}
