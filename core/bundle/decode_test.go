package bundle

import (
	"fmt"
	"strings"
	"testing"

	"github.com/drawbridge-dra/drawbridge/core/diag"
	"github.com/drawbridge-dra/drawbridge/core/feature"
)

// show gives a finding in one line: place, rule, field, message and mend.
func show(d diag.Diagnostic) string {
	out := place(d.Location) + " " + d.Rule
	if d.Severity != diag.Error {
		out += "/" + string(d.Severity)
	}
	if d.Field != "" {
		out += " " + d.Field
	}
	out += ": " + d.Message
	if s := d.Suggestion; s != nil {
		out += " => " + s.Message
		if s.Location != nil {
			out += fmt.Sprintf(" (%s %q)", place(s.Location), s.Replacement)
		}
	}
	return out
}

func place(l *diag.Location) string {
	switch {
	case l == nil:
		return "?"
	case l.Line == l.EndLine:
		return fmt.Sprintf("%d:%d-%d", l.Line, l.Column, l.EndColumn)
	}
	return fmt.Sprintf("%d:%d-%d:%d", l.Line, l.Column, l.EndLine, l.EndColumn)
}

func checkFindings(t *testing.T, got []diag.Diagnostic, want []string) {
	t.Helper()
	var lines []string
	for _, d := range got {
		if _, ok := diag.Lookup(d.Source, d.Rule); !ok {
			t.Errorf("the rule %s is not registered", d.Rule)
		}
		lines = append(lines, show(d))
	}
	if strings.Join(lines, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n\t%s\nwant\n\t%s", strings.Join(lines, "\n\t"), strings.Join(want, "\n\t"))
	}
}

const claimHead = "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: c}\n"

const sliceHead = "apiVersion: resource.k8s.io/v1\nkind: ResourceSlice\nmetadata: {name: s}\n"

func TestDecode(t *testing.T) {
	tests := []struct {
		name string
		text string
		want []string
	}{
		{"right", claimHead + "spec: {devices: {requests: [{name: r, exactly: {deviceClassName: x, count: 2}}]}}", nil},
		{"null is absent", claimHead + "spec:\n  devices:\n    requests:\n    config: null\n    constraints: ~\nstatus:", nil},
		{"other case", claimHead + "spec:\n  Devices: {}", []string{
			"5:3-10 unknown-field spec.Devices: spec in resource.k8s.io/v1 has no field Devices; did you mean devices? => rename it to devices (5:3-10 \"devices\")",
		}},
		{"swapped letters", claimHead + "spec:\n  devices:\n    requets: []", []string{
			"6:5-12 unknown-field spec.devices.requets: spec.devices in resource.k8s.io/v1 has no field requets; did you mean requests? => rename it to requests (6:5-12 \"requests\")",
		}},
		{"quoted key", claimHead + "\"speck\": {}", []string{
			"4:1-8 unknown-field speck: a ResourceClaim of resource.k8s.io/v1 has no field speck; did you mean spec? => rename it to \"spec\" (4:1-8 \"\\\"spec\\\"\")",
		}},
		{"one level too far out", "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nname: x", []string{
			"3:1-5 unknown-field name: a ResourceClaim of resource.k8s.io/v1 has no field name; did you mean metadata.name?",
		}},
		{"one level too far in", claimHead + "spec:\n  devices:\n    requests:\n    - name: r\n      exactly:\n        deviceClassName: x\n        firstAvailable: []", []string{
			"10:9-23 unknown-field spec.devices.requests[0].exactly.firstAvailable: spec.devices.requests[0].exactly in resource.k8s.io/v1 has no field firstAvailable; firstAvailable belongs one level further out",
		}},
		{"nothing like it", claimHead + "spec:\n  whatever: 1", []string{
			"5:3-11 unknown-field spec.whatever: spec in resource.k8s.io/v1 has no field whatever",
		}},
		{"request of v1beta1, block", claimHead + "spec:\n  devices:\n    requests:\n    - name: r\n      deviceClassName: x # which\n      selectors:\n      - cel: {expression: \"true\"}\n", []string{
			"8:7-22 unknown-field spec.devices.requests[0].deviceClassName: spec.devices.requests[0] in resource.k8s.io/v1 has no field deviceClassName; v1 and v1beta2 put it under \"exactly\"; this is v1beta1's shape => move it under exactly (8:7-10:34 \"exactly:\\n        deviceClassName: x # which\\n        selectors:\\n        - cel: {expression: \\\"true\\\"}\")",
			"9:7-16 unknown-field spec.devices.requests[0].selectors: spec.devices.requests[0] in resource.k8s.io/v1 has no field selectors; v1 and v1beta2 put it under \"exactly\"; this is v1beta1's shape",
		}},
		{"request of v1beta1, scattered", claimHead + "spec: {devices: {requests: [{deviceClassName: x, name: r, count: 1}]}}", []string{
			"4:30-45 unknown-field spec.devices.requests[0].deviceClassName: spec.devices.requests[0] in resource.k8s.io/v1 has no field deviceClassName; v1 and v1beta2 put it under \"exactly\"; this is v1beta1's shape",
			"4:59-64 unknown-field spec.devices.requests[0].count: spec.devices.requests[0] in resource.k8s.io/v1 has no field count; v1 and v1beta2 put it under \"exactly\"; this is v1beta1's shape",
		}},
		{"device of v1beta1", sliceHead + "spec:\n  devices:\n  - name: d\n    basic: {}", []string{
			"7:5-10 unknown-field spec.devices[0].basic: spec.devices[0] in resource.k8s.io/v1 has no field basic; v1 and v1beta2 have no \"basic\": put its fields directly into the device; this is v1beta1's shape",
		}},
		{"duplicate", claimHead + "spec: {}\nspec:\n  devices: {}", []string{
			"5:1-5 duplicate-field spec: spec stands here a second time, and only the last one would count; keep one of them",
		}},
		{"merged and overridden", "x: &m {name: a, namespace: b}\n" + "kind: ResourceClaim\napiVersion: resource.k8s.io/v1\nmetadata:\n  <<: *m\n  name: c\n  name: d", []string{
			"1:1-2 unknown-field x: a ResourceClaim of resource.k8s.io/v1 has no field x",
			"7:3-7 duplicate-field metadata.name: name stands here a second time, and only the last one would count; keep one of them",
		}},
		{"duplicate in parameters", claimHead + "spec: {devices: {config: [{opaque: {driver: d, parameters: {a: {b: 1, b: 2}}}}]}}", []string{
			"4:71-72 duplicate-field spec.devices.config[0].opaque.parameters.a.b: b stands here a second time, and only the last one would count; keep one of them",
		}},
		{"boolean for string", sliceHead + "spec:\n  driver: on", []string{
			`5:11-13 wrong-type spec.driver: must be a string; the unquoted on is a boolean in YAML 1.1, write "on" => write "on" (5:11-13 "\"on\"")`,
		}},
		{"number for string", sliceHead + "spec:\n  devices:\n  - attributes:\n      firmware: {version: 1.10}\n", []string{
			`7:27-31 wrong-type spec.devices[0].attributes.firmware.version: must be a string; 1.10 is a number, write "1.10" => write "1.10" (7:27-31 "\"1.10\"")`,
		}},
		{"string for number", sliceHead + "spec:\n  pool:\n    generation: \"1\"", []string{
			`6:17-20 wrong-type spec.pool.generation: must be a whole number, and "1" is a string; write 1 => write 1 (6:17-20 "1")`,
		}},
		{"string for boolean", sliceHead + "spec:\n  allNodes: 'true'", []string{
			`5:13-19 wrong-type spec.allNodes: must be true or false, and 'true' is a string; write true => write true (5:13-19 "true")`,
		}},
		{"word for boolean", sliceHead + "spec:\n  allNodes: maybe", []string{
			`5:13-18 wrong-type spec.allNodes: must be true or false; maybe is not`,
		}},
		{"fraction", sliceHead + "spec:\n  pool:\n    generation: 1.5", []string{
			`6:17-20 wrong-type spec.pool.generation: must be a whole number; 1.5 is not`,
		}},
		{"whole though written with a point", sliceHead + "spec:\n  pool:\n    generation: 2.0", nil},
		{"too large", sliceHead + "spec:\n  pool:\n    generation: 9223372036854775808", []string{
			`6:17-36 wrong-type spec.pool.generation: 9223372036854775808 is too large; the field holds at most 64 bits: from -9223372036854775808 to 9223372036854775807`,
		}},
		{"quantity", sliceHead + "spec:\n  devices:\n  - capacity:\n      memory: {value: 8 Gb}\n      more: {value: 1.5}\n      last: {value: [1]}", []string{
			`7:23-27 wrong-type spec.devices[0].capacity.memory.value: 8 Gb is not a quantity: a number with an optional unit, such as 4, 500m or 8Gi`,
			`9:14-24 wrong-type spec.devices[0].capacity.last.value: must be a quantity: a number with an optional unit, such as 4, 500m or 8Gi, not a list`,
		}},
		{"capacity without value", sliceHead + "spec:\n  devices:\n  - capacity: {memory: 8Gi}\n    attributes: {model: A100, slots: 2, ecc: true, firmware: 1.5}", []string{
			`6:24-27 wrong-type spec.devices[0].capacity.memory: must be a map of fields; 8Gi is a string, write it under value => write {value: 8Gi} (6:24-27 "{value: 8Gi}")`,
			`7:25-29 wrong-type spec.devices[0].attributes.model: must be a map of fields; A100 is a string, write it under string => write {string: A100} (7:25-29 "{string: A100}")`,
			`7:38-39 wrong-type spec.devices[0].attributes.slots: must be a map of fields; 2 is a number, write it under int => write {int: 2} (7:38-39 "{int: 2}")`,
			`7:46-50 wrong-type spec.devices[0].attributes.ecc: must be a map of fields; true is a boolean, write it under bool => write {bool: true} (7:46-50 "{bool: true}")`,
			`7:62-65 wrong-type spec.devices[0].attributes.firmware: must be a map of fields; 1.5 is a number`,
		}},
		{"time", "apiVersion: resource.k8s.io/v1\nkind: DeviceTaintRule\nspec: {taint: {timeAdded: yesterday}}", []string{
			`3:27-36 wrong-type spec.taint.timeAdded: yesterday is not a time such as 2026-01-31T12:00:00Z`,
		}},
		{"map for list", claimHead + "spec:\n  devices:\n    requests:\n      name: r\n", []string{
			`6:5-13 wrong-type spec.devices.requests: must be a list, not a map; put a dash before each item`,
		}},
		{"list for map", claimHead + "spec:\n- devices: {}\n", []string{
			`4:1-5 wrong-type spec: must be a map of fields, not a list; leave the dash out`,
		}},
		{"scalar for list", claimHead + "spec: {devices: {constraints: [{requests: r}]}}", []string{
			`4:43-44 wrong-type spec.devices.constraints[0].requests: must be a list, not a string; write [r], or each item on a line of its own after a dash => write [r] (4:43-44 "[r]")`,
		}},
		{"scalar for map", claimHead + "spec: x", []string{
			`4:7-8 wrong-type spec: must be a map of fields; x is a string`,
		}},
		{"anything in parameters", claimHead + "spec: {devices: {config: [{opaque: {driver: d, parameters: {x: [1, {z: on}]}}}]}}", nil},
		{"all of them", sliceHead + "spec:\n  driver: 1\n  devices:\n  - nam: d\n  - name: [x]\n", []string{
			`5:11-12 wrong-type spec.driver: must be a string; 1 is a number, write "1" => write "1" (5:11-12 "\"1\"")`,
			`7:5-8 unknown-field spec.devices[0].nam: spec.devices[0] in resource.k8s.io/v1 has no field nam; did you mean name? => rename it to name (7:5-8 "name")`,
			`8:5-14 wrong-type spec.devices[1].name: must be a string, not a list`,
		}},
		{"columns count code points", sliceHead + "spec: {driver: 日本, drivr: é, pool: 7}", []string{
			`4:20-25 unknown-field spec.drivr: spec in resource.k8s.io/v1 has no field drivr; did you mean driver? => rename it to driver (4:20-25 "driver")`,
			`4:36-37 wrong-type spec.pool: must be a map of fields; 7 is a number`,
		}},
		{"boolean key", sliceHead + "spec:\n  devices:\n  - attributes: {on: {bool: true}}", []string{
			`6:18-20 boolean-key/warning: the unquoted key on means true in YAML 1.1, and kubectl sends that; write "on"`,
		}},
		{"json", `{"apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice",` + "\n\t\"spec\": {\"driver\": 1, \"pool\": {\"generation\": \"1\"}, \"x\": 0}}", []string{
			`2:21-22 wrong-type spec.driver: must be a string; 1 is a number, write "1" => write "1" (2:21-22 "\"1\"")`,
			`2:47-50 wrong-type spec.pool.generation: must be a whole number, and "1" is a string; write 1 => write 1 (2:47-50 "1")`,
			`2:53-56 unknown-field spec.x: spec in resource.k8s.io/v1 has no field x`,
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := Parse([]byte(tt.text), Options{})
			checkFindings(t, b.Diagnostics, tt.want)
			if len(b.Objects) != 1 {
				t.Fatalf("%d objects", len(b.Objects))
			}
			if b.Objects[0].Invalid != diag.HasErrors(b.Diagnostics) {
				t.Errorf("Invalid is %t", b.Objects[0].Invalid)
			}
		})
	}
}

func TestFieldValidation(t *testing.T) {
	text := []byte(claimHead + "spec: {}\nspec: {}\nspeck: {}\n")
	for _, tt := range []struct {
		level FieldValidation
		count int
		bad   bool
	}{{Strict, 2, true}, {"", 2, true}, {Warn, 2, false}, {Ignore, 0, false}} {
		b := Parse(text, Options{FieldValidation: tt.level})
		if len(b.Diagnostics) != tt.count || diag.HasErrors(b.Diagnostics) != tt.bad || b.Objects[0].Invalid != tt.bad {
			t.Errorf("%s: got %v", tt.level, b.Diagnostics)
		}
		if b.Objects[0].Value == nil {
			t.Errorf("%s: an unknown field must not keep the object from being decoded", tt.level)
		}
	}
}

func at(t *testing.T, version string) *feature.Set {
	t.Helper()
	v, err := feature.ParseVersion(version)
	if err != nil {
		t.Fatal(err)
	}
	return feature.Default(v)
}

func TestIdentify(t *testing.T) {
	tests := []struct {
		version string
		text    string
		want    []string
	}{
		{"1.37", "kind: ResourceClaim", []string{"1:1-5 api-version-required apiVersion: the object has no apiVersion; write apiVersion: resource.k8s.io/v1"}},
		{"1.33", "kind: ResourceClaim", []string{"1:1-5 api-version-required apiVersion: the object has no apiVersion; write apiVersion: resource.k8s.io/v1beta2"}},
		{"1.37", "kind: Pod", []string{"1:1-5 api-version-required apiVersion: the object has no apiVersion; write apiVersion: v1"}},
		{"1.37", "apiVersion: v1\nmetadata: {}", []string{"1:1-11 kind-required kind: the object has no kind; write one, such as kind: ResourceClaim"}},
		{"1.37", "a: 1", []string{"1:1-2 api-version-required apiVersion: the object has neither apiVersion nor kind; write both, such as apiVersion: resource.k8s.io/v1 and kind: ResourceClaim"}},
		{"1.37", "apiVersion: resource.k8s.io/v1\nkind: ResourceSlices", []string{"2:7-21 unknown-kind kind: resource.k8s.io has no kind ResourceSlices; did you mean ResourceSlice? => write kind: ResourceSlice (2:7-21 \"ResourceSlice\")"}},
		{"1.37", "apiVersion: resource.k8s.io/v1\nkind: Gizmo", []string{"2:7-12 unknown-kind kind: resource.k8s.io has no kind Gizmo; its kinds are DeviceClass, DeviceTaintRule, PodSchedulingContext, ResourceClaim, ResourceClaimTemplate, ResourcePoolStatusRequest, ResourceSlice"}},
		{"1.37", "apiVersion: v1\nkind: ResourceClaim", []string{"1:13-15 unknown-version apiVersion: v1 has no kind ResourceClaim; write apiVersion: resource.k8s.io/v1 => write apiVersion: resource.k8s.io/v1 (1:13-15 \"resource.k8s.io/v1\")"}},
		{"1.37", "apiVersion: resource.k8s.io\nkind: ResourceClaim", []string{"1:13-28 unknown-version apiVersion: resource.k8s.io has no kind ResourceClaim; write apiVersion: resource.k8s.io/v1 => write apiVersion: resource.k8s.io/v1 (1:13-28 \"resource.k8s.io/v1\")"}},
		{"1.37", "apiVersion: core/v1\nkind: Pod", []string{`1:13-20 unknown-version apiVersion: core/v1 has no kind Pod; write apiVersion: v1 => write apiVersion: v1 (1:13-20 "v1")`}},
		{"1.37", "apiVersion: v1\nkind: pods", []string{"2:7-11 unknown-kind kind: v1 has no kind pods; did you mean Pod? => write kind: Pod (2:7-11 \"Pod\")"}},
		{"1.37", "apiVersion: resource.k8s.io/v1beta1\nkind: DeviceClass", []string{"1:13-36 version-not-served/warning apiVersion: Kubernetes 1.37 serves DeviceClass of resource.k8s.io/v1beta1 only when the API server runs with --runtime-config=resource.k8s.io/v1beta1=true; resource.k8s.io/v1 is on by default"}},
		{"1.32", "apiVersion: resource.k8s.io/v1beta1\nkind: DeviceClass", []string{"1:13-36 version-not-served/warning apiVersion: Kubernetes 1.32 serves DeviceClass of resource.k8s.io/v1beta1 only when the API server runs with --runtime-config=resource.k8s.io/v1beta1=true"}},
		{"1.33", "apiVersion: resource.k8s.io/v1\nkind: DeviceClass", []string{"1:13-31 unknown-version apiVersion: Kubernetes 1.33 does not have DeviceClass in resource.k8s.io/v1; it came with 1.34; write apiVersion: resource.k8s.io/v1beta2 => write apiVersion: resource.k8s.io/v1beta2 (1:13-31 \"resource.k8s.io/v1beta2\")"}},
		{"1.31", "apiVersion: resource.k8s.io/v1\nkind: DeviceTaintRule", []string{"1:13-31 unknown-version apiVersion: Kubernetes 1.31 does not have DeviceTaintRule in resource.k8s.io/v1; it came with 1.37; Kubernetes 1.31 does not have the kind, 1.37 does"}},
		{"1.37", "apiVersion: resource.k8s.io/v1beta1\nkind: DeviceTaintRule", []string{"1:13-36 unknown-version apiVersion: resource.k8s.io/v1beta1 has no DeviceTaintRule in any Kubernetes that Drawbridge knows; write apiVersion: resource.k8s.io/v1 => write apiVersion: resource.k8s.io/v1 (1:13-36 \"resource.k8s.io/v1\")"}},
		{"1.37", "apiVersion: [v1]\nkind: Pod", []string{"1:1-17 wrong-type apiVersion: apiVersion must be a string, not a list"}},
		{"1.37", "apiVersion: v1\nkind: ConfigMap\n---\napiVersion: apps/v1\nkind: Deployment\n---\napiVersion: v1\nkind: ConfigMap", []string{"2:7-16 ignored-kind/info: 3 objects of kinds that do not matter to DRA are not looked at: ConfigMap (2), Deployment (1)"}},
	}
	for _, tt := range tests {
		t.Run(tt.version+" "+tt.text, func(t *testing.T) {
			b := Parse([]byte(tt.text), Options{Features: at(t, tt.version)})
			checkFindings(t, b.Diagnostics, tt.want)
		})
	}
}
