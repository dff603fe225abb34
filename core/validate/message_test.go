package validate

import (
	"fmt"
	"strings"
	"testing"

	"github.com/drawbridge-dra/drawbridge/core/bundle"
	"github.com/drawbridge-dra/drawbridge/core/diag"
)

// place prints a location as line:column-endLine:endColumn.
func place(l *diag.Location) string {
	if l == nil {
		return "nowhere"
	}
	return fmt.Sprintf("%d:%d-%d:%d", l.Line, l.Column, l.EndLine, l.EndColumn)
}

// TestMessages looks at whole findings: where they point, what they say and
// what they offer.
func TestMessages(t *testing.T) {
	for _, e := range []struct {
		name, version, text, rule string
		place, says, offers       string
	}{
		{name: "exclusive device", version: "1.34", text: deviceWith("allowMultipleAllocations: true"), rule: "allow-multiple-allocations-dropped",
			place: "10:31-10:35", says: "device d: allowMultipleAllocations will be dropped by this cluster: DRAConsumableCapacity is off in 1.34 by default; the device becomes exclusive"},
		{name: "gate that does not exist yet", version: "1.33", text: strings.Replace(deviceWith("allowMultipleAllocations: true"), "/v1", "/v1beta2", 1), rule: "allow-multiple-allocations-dropped",
			place: "10:31-10:35", says: "DRAConsumableCapacity does not exist in 1.33"},
		{name: "version of four parts", text: sliceWith("nodeName: n1\ndevices:\n- {name: d0, attributes: {drv: {version: 3.2.1.77}}}\n- {name: d1}"), rule: "attribute-version",
			place: "9:44-9:52", says: `version "3.2.1.77" has 4 parts, a semantic version has exactly three numbers without leading zeros, such as 1.2.3 (the API server refuses the whole slice for it, so that all 2 devices are lost)`, offers: "3.2.1+77"},
		{name: "version with a v", text: deviceWith("attributes: {a: {version: v1.2}}"), rule: "attribute-version",
			place: "10:31-10:35", says: "starts with v", offers: "1.2.0"},
		{name: "name with a dot", text: sliceWith("nodeName: n1\ndevices: [{name: eth0.100_X}]"), rule: "device-name",
			place: "8:20-8:30", says: `device name "eth0.100_X" may have only lower-case letters`, offers: "eth0-100-x"},
		{name: "name in quotes", text: sliceWith("nodeName: n1\ndevices: [{name: 'A'}]"), rule: "device-name", place: "8:20-8:23", offers: `"a"`},
		{name: "name that would be a boolean", text: sliceWith("nodeName: n1\ndevices: [{name: 'n_'}, {name: _n}]"), rule: "device-name", place: "8:20-8:24", offers: `"n"`},
		{name: "attribute with a dash", text: deviceWith("attributes:\n  link-speed: {int: 5}"), rule: "attribute-name",
			place: "11:7-11:17", says: `attribute name "link-speed" may have only letters, digits and "_"`, offers: "link_speed"},
		{name: "attribute in quotes", text: deviceWith("attributes:\n  \"link-speed\": {int: 5}"), rule: "attribute-name", place: "11:7-11:19", offers: `"link_speed"`},
		{name: "long string", text: deviceWith("attributes: {product: {string: " + strings.Repeat("x", 75) + "}}"), rule: "attribute-string-length",
			place: "10:36-10:111", says: "the string is 75 bytes long, at most 64 are allowed", offers: strings.Repeat("x", 64)},
		{name: "lowered limit", text: sliceWith(devices(65, taint)), rule: "devices-max",
			place: "8:3-8:10", says: "the slice has 65 devices, at most 64 are allowed; the limit is 64 and not 128 because device d0 has taints"},
		{name: "full limit", text: sliceWith(devices(129, "")), rule: "devices-max", place: "8:3-8:10", says: "the slice has 129 devices, at most 128 are allowed; spread the pool over 2 slices"},
		{name: "YAML in an expression", text: "apiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: c}\nspec:\n  selectors:\n  - cel:\n      expression: |-\n        expression: device.driver == \"a\"\n", rule: "cel-expression",
			place: "8:19-8:41", says: "its text looks like YAML: there is a key named expression inside the expression"},
		{name: "YAML in an expression on one line", text: "apiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: c}\nspec: {selectors: [{cel: {expression: 'expression: true'}}]}\n", rule: "cel-expression",
			place: "4:50-4:56", says: "looks like YAML", offers: `"true"`},
		{name: "second line of an expression", text: "apiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: c}\nspec:\n  selectors:\n  - cel:\n      expression: |\n        true &&\n        devise.driver == \"a\"\n", rule: "cel-expression",
			place: "9:9-9:29", says: "undeclared reference to 'devise'"},
		{name: "skipped operation", text: sliceWith("nodeName: n1\nskipNodeOperations: [NodePrepareResources]"), rule: "skip-node-operations",
			place: "8:3-8:45", says: `NodePrepareResources is skipped but NodeUnprepareResources is not: without the driver's plugin on the node the pod would hang in Terminating; add NodeUnprepareResources, or use "*"; this cluster would drop skipNodeOperations instead of refusing it, because DRAOptionalNodeOperations is off`},
		{name: "three groups", text: deviceWith("consumesCounters: [{counterSet: s, counters: {m: {value: 1}}, compatibilityGroups: [a, b, c]}]"), rule: "compatibility-groups-max",
			place: "10:67-10:97", says: "device d: has 3 compatibility groups (a, b, c) for counter set s, at most 2 are allowed"},
		{name: "groups that keep devices apart", text: sliceWith("nodeName: n1\ndevices:\n- {name: mig, consumesCounters: [{counterSet: s, counters: {m: {value: 1}}, compatibilityGroups: [mig]}]}\n- {name: vgpu, consumesCounters: [{counterSet: s, counters: {m: {value: 1}}, compatibilityGroups: [vgpu]}]}"), rule: "compatibility-groups-dropped",
			place: "9:79-9:105", says: "compatibilityGroups will be dropped by this cluster: DRADeviceCompatibilityGroups is off in 1.37 by default; mig and vgpu could then be allocated together and fail on the node"},
		{name: "misspelt effect", text: deviceWith("taints: [{key: k, effect: NoShedule}]"), rule: "taint-effect", place: "10:31-10:40", says: "did you mean NoSchedule?", offers: "NoSchedule"},
		{name: "misspelt request", text: claimOf("requests: [{name: gpu, exactly: {deviceClassName: c}}]\nconstraints: [{requests: [gpo], matchAttribute: a/a}]"), rule: "request-reference",
			place: "7:31-7:34", says: `the claim has no request "gpo"; it has gpu; did you mean gpu?`, offers: "gpu"},
		{name: "list without its gate", text: deviceWith("attributes: {a: {strings: [x]}}"), rule: "attribute-union", place: "10:18-10:19", says: "which is dropped because DRAListTypeAttributes is off, so that no value is left"},
		{name: "flat request", text: "apiVersion: resource.k8s.io/v1beta1\nkind: ResourceClaim\nmetadata: {name: c}\nspec:\n  devices:\n    requests:\n    - name: r\n      deviceClassName: c\n      count: -1\n", rule: "count", place: "9:14-9:16", says: "request r: count is -1, it must be 1 or more"},
	} {
		t.Run(e.name, func(t *testing.T) {
			for _, d := range create(t, example{version: e.version, text: e.text}).Diagnostics {
				if d.Rule != e.rule {
					continue
				}
				if got := place(d.Location); got != e.place {
					t.Errorf("place is %s, want %s", got, e.place)
				}
				if !strings.Contains(d.Message, e.says) {
					t.Errorf("message is\n  %s\nwant\n  %s", d.Message, e.says)
				}
				offers := ""
				if d.Suggestion != nil {
					offers = d.Suggestion.Replacement
				}
				if offers != e.offers {
					t.Errorf("offers %q, want %q", offers, e.offers)
				}
				return
			}
			t.Fatalf("no finding of %s", e.rule)
		})
	}
}

// TestMends applies every replacement that is offered and demands that the
// finding is gone.
func TestMends(t *testing.T) {
	mended := 0
	for _, examples := range [][]example{metadataExamples, sliceExamples, deviceExamples, policyExamples, claimExamples, classExamples, gateExamples} {
		for _, e := range examples {
			for _, d := range create(t, e).Diagnostics {
				s := d.Suggestion
				if s == nil || s.Location == nil {
					continue
				}
				lines := strings.Split(e.text, "\n")
				runes := []rune(lines[s.Location.Line-1])
				lines[s.Location.Line-1] = string(runes[:s.Location.Column-1]) + s.Replacement + string(runes[s.Location.EndColumn-1:])
				b := bundle.Parse([]byte(strings.Join(lines, "\n")), bundle.Options{})
				if len(b.Objects) != 1 || diag.HasErrors(b.Diagnostics) {
					t.Errorf("%s: %s at %s: with %s it cannot be read", e.name, d.Rule, d.Field, s.Replacement)
					continue
				}
				mended++
				for _, again := range Create(b.Objects[0], environment(t, e.version, e.gates)).Diagnostics {
					if again.Rule == d.Rule && again.Field == d.Field && again.Type == d.Type && again.Location != nil &&
						again.Location.Line == s.Location.Line && again.Location.Column == s.Location.Column {
						t.Errorf("%s: %s at %s: %s does not mend it", e.name, d.Rule, d.Field, s.Replacement)
					}
				}
			}
		}
	}
	if mended < 20 {
		t.Errorf("only %d mends were tried", mended)
	}
}

// TestManyFindings makes sure that no object can ask for endless work.
func TestManyFindings(t *testing.T) {
	text := deviceWith("attributes: {" + many(5000, "a-%d: {}, ") + "}")
	found := create(t, example{text: text}).Diagnostics
	if len(found) != maxFindings {
		t.Errorf("%d findings", len(found))
	}
	if last := found[len(found)-1].Message; !strings.Contains(last, "more findings about this object are left out") {
		t.Errorf("the last finding does not sum up: %s", last)
	}
}
