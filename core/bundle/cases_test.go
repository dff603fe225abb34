package bundle

import (
	"os"
	"testing"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/equality"

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
		`9:13-37 unknown-version apiVersion: v1alpha2 is no served version of ResourceClaimTemplate; the shape is v1alpha3's; write apiVersion: resource.k8s.io/v1, where a request has its deviceClassName, count and selectors under "exactly" => write it in the shape of resource.k8s.io/v1 (9:1-18:46 "apiVersion: resource.k8s.io/v1\nkind: ResourceClaimTemplate\nmetadata:\n  name: large-black-cat-claim-template\nspec:\n  spec:\n    devices:\n      requests:\n        - name: req-0\n          exactly:\n            deviceClassName: resource.example.com")`,
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

// apply puts the mends of a text in place, the last one first.
func apply(text string, findings []diag.Diagnostic) string {
	runes := []rune(text)
	offset := func(line, column int) int {
		at := 0
		for ; line > 1; at++ {
			if runes[at] == '\n' {
				line--
			}
		}
		return at + column - 1
	}
	for i := len(findings) - 1; i >= 0; i-- {
		s := findings[i].Suggestion
		if s == nil || s.Location == nil {
			continue
		}
		from, to := offset(s.Location.Line, s.Location.Column), offset(s.Location.EndLine, s.Location.EndColumn)
		runes = append(runes[:from:from], append([]rune(s.Replacement), runes[to:]...)...)
	}
	return string(runes)
}

// A mend that is offered mends: with all of them in place nothing is left to
// say, whatever the form of the text.
func TestMendsMend(t *testing.T) {
	const older = "kind: ResourceSlice\nmetadata:\n  name: s # on\nspec:\n  driver: d\n  nodeName: \"on\"\n  devices:\n  - name: d\n    basic:\n      attributes: {a: {string: \"1.10\"}, b: {string: \"y\"}, c: {string: \"a\\nb\"}}\n      capacity:\n        m: "
	for name, text := range map[string]string{
		"block":       claimHead + "spec:\n  devices:\n    requests:\n    - name: r\n      deviceClassName: x\n      # why\n      selectors:\n      - cel:\n          expression: |\n            a ==\n              b\n      count: 2\n",
		"block first": claimHead + "spec:\n  devices:\n    requests:\n    - deviceClassName: x\n      count: 2\n      name: r\n",
		"flow":        claimHead + "spec: {devices: {requests: [{name: r, deviceClassName: x, count: 2}]}}\n",
		"json":        `{"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaim","spec":{"devices":{"requests":[{"name":"r","deviceClassName":"x","count":2}]}}}`,
		"renames":     claimHead + "Status: {}\nspec:\n  devices:\n    requets: []\n    constraints: [{matchAtribute: a/b}]\n",
		"quotes":      sliceHead + "spec: {driver: on, pool: {name: 1.10, generation: \"1\"}, allNodes: 'true', devices: [{name: 7, capacity: {m: 8Gi}, attributes: {a: x, b: 1, c: true}}]}\n",
		"separators":  node + "–--\n" + node + "----\n" + node,
		"kind":        "apiVersion: resource.k8s.io/v1\nkind: resourceclaims\n",
		"version":     "apiVersion: v1\nkind: ResourceClaim\n",
		"v1alpha3":    "apiVersion: resource.k8s.io/v1alpha3\n" + older + "8Gi\n",
		"v1alpha2":    "apiVersion: resource.k8s.io/v1alpha2\nkind: ResourceClaim\nmetadata: {name: c}\nspec:\n  devices:\n    requests: [{name: a, deviceClassName: x}]\n",
		"class":       "apiVersion: resource.k8s.io/v1alpha3\nkind: DeviceClass\nspec: {selectors: []}\n",
	} {
		b := Parse([]byte(text), Options{})
		if !diag.HasErrors(b.Diagnostics) {
			t.Errorf("%s: nothing to mend", name)
		}
		mended := apply(text, b.Diagnostics)
		again := Parse([]byte(mended), Options{})
		if len(again.Diagnostics) != 0 || len(again.Objects) != len(b.Objects) {
			t.Errorf("%s:\n%s\nis still wrong: %v", name, mended, again.Diagnostics)
		}
	}
	// What the new text means is what the old one meant.
	text := "apiVersion: resource.k8s.io/v1alpha3\n" + older + "8Gi\n"
	b := Parse([]byte(text), Options{})
	again := Parse([]byte(apply(text, b.Diagnostics)), Options{})
	if !equality.Semantic.DeepEqual(b.Objects[0].Value, again.Objects[0].Value) {
		t.Errorf("got %+v, want %+v", again.Objects[0].Value, b.Objects[0].Value)
	}
}
