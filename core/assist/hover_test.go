package assist

import (
	"fmt"
	"strings"
	"testing"

	"github.com/drawbridge-dra/drawbridge/core/diag"
	"github.com/drawbridge-dra/drawbridge/core/feature"
	"github.com/drawbridge-dra/drawbridge/core/selector"
)

func deskFor(t *testing.T, marked, gates string, minor int) (d *Desk, line, column int) {
	t.Helper()
	set, err := feature.NewSet(feature.Version{Minor: minor}, gates)
	if err != nil {
		t.Fatal(err)
	}
	text, line, column := cursor(t, marked)
	return New(text, set), line, column
}

func TestHover(t *testing.T) {
	group := "apiVersion: resource.k8s.io/v1\nkind: ResourceSlice\nspec:\n  devices:\n  - name: a\n    consumesCounters:\n    - counterSet: x\n      compati‸bilityGroups: [a]\n"
	tests := []struct {
		name, text string
		gates      string
		minor      int
		want       []string // in title, text, facts or rules
	}{
		{"a field with its gate", group, "", 37, []string{"spec.devices.consumesCounters.compatibilityGroups", "one group in common", "limit 2 DNS labels",
			"gate DRADeviceCompatibilityGroups, alpha in Kubernetes 1.37, off: the field is dropped by default", "since Kubernetes 1.37", "/rules.html#api-compatibility-groups-max"}},
		{"a gate that is on", group, "DRADeviceCompatibilityGroups=true", 37, []string{"gate DRADeviceCompatibilityGroups, alpha in Kubernetes 1.37, on"}},
		{"a gate that the version does not have", group, "", 36, []string{"gate DRADeviceCompatibilityGroups, which Kubernetes 1.36 does not have"}},
		{"a default", claimHead + "        deviceClassName: x\n        co‸unt: 2\n", "", 37, []string{"default 1", "type integer"}},
		{"a choice", claimHead + "        allocationMode: A‸ll\n", "", 37, []string{"All: Every device that matches"}},
		{"the shape of v1beta1", "apiVersion: resource.k8s.io/v1beta1\nkind: ResourceClaim\nspec: {devices: {requests: [{name: a, deviceClass‸Name: b}]}}", "", 37, []string{"The DeviceClass that", "required yes"}},
		{"a report about devices", "apiVersion: drawbridge-dra.github.io/v1\nkind: DeviceHealth\nspec:\n  devices:\n  - timeout‸Seconds: 4\n", "", 37, []string{"spec.devices.timeoutSeconds", "For how long the report counts", "default 30"}},
		{"a rule of a role", "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nrules:\n- ver‸bs: [get]\n", "", 37, []string{"rules.verbs", "associated-node:update", "/rules.html#api-role-verbs"}},
		{"JSON", `{"apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice", "spec": {"dri‸ver": "x"}}`, "", 37, []string{"spec.driver"}},
		{"an attribute", strings.Replace(bundleText, "mod‸", "", 1)[:strings.Index(bundleText, "driverVersion")] + "‸" + bundleText[strings.Index(bundleText, "driverVersion"):], "", 37, []string{"published version, by 1 device"}},
		{"an attribute in an expression", bundleText + claimHead + "        selectors:\n        - cel:\n            expression: device.attributes[\"gpu.example.com\"].mod‸el == \"A100\"", "", 37, []string{"device.attributes[\"gpu.example.com\"].model", "published string, by 2 devices"}},
		{"an attribute that nobody has", bundleText + claimHead + "        selectors:\n        - cel:\n            expression: device.attributes[\"gpu.example.com\"].mo‸de == \"A100\"", "", 37, []string{"which no device of this text has"}},
		{"a function", claimHead + "        selectors:\n        - cel:\n            expression: device.driver.starts‸With(\"x\")", "", 37, []string{"Whether the string begins"}},
		{"a part of the device", claimHead + "        selectors:\n        - cel:\n            expression: dev‸ice.driver == \"x\"", "", 37, []string{"device.driver", "The driver of the device."}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d, line, column := deskFor(t, tt.text, tt.gates, tt.minor)
			h := d.Hover(line, column)
			if h.Location == nil {
				t.Fatal("there is nothing")
			}
			all := h.Title + "\n" + h.Text
			for _, f := range h.Facts {
				all += "\n" + f.Name + " " + f.Value
			}
			for _, r := range h.Rules {
				all += "\n" + r.URL
			}
			for _, want := range tt.want {
				if !strings.Contains(all, want) {
					t.Errorf("%q is not in\n%s", want, all)
				}
			}
		})
	}
	d, line, column := deskFor(t, "a: ‸ b", "", 37)
	if h := d.Hover(line, column); h.Location != nil || h.Facts == nil || h.Rules == nil {
		t.Errorf("nothing is %+v", h)
	}
}

func TestPlaces(t *testing.T) {
	tests := []struct {
		name, before, at string // the cursor is at the start of at, behind before
		symbol           string
		definition       string // lines
		references       string
	}{
		{"a class", "exactly: {deviceClassName: ", "gpu.example.com", "class gpu.example.com", "4", "4 48 51"},
		{"the class itself", "  name: ", "gpu.example.com", "class gpu.example.com", "4", "4 48 51"},
		{"a template", "resourceClaimTemplateName: ", "two", "template two", "42", "42 59"},
		{"a claim of the pod", "      - name: ", "gpus", "pod claim gpus", "58", "58 65"},
		{"a node", "  nodeName: ", "worker-1", "node worker-1", "", "11 33"},
		{"an attribute", "    attributes:\n      ", "model", "attribute gpu.example.com/model", "16 23", "16 23"},
		{"nothing", "", "image", "", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			i := strings.Index(bundleText, tt.before+tt.at)
			if i < 0 {
				t.Fatal("not in the text")
			}
			i += len(tt.before)
			d, line, column := deskFor(t, bundleText[:i]+"‸"+bundleText[i:], "", 37)
			definition, references := d.Definition(line, column), d.References(line, column)
			if definition.Symbol != tt.symbol || linesIn(definition.Places) != tt.definition || linesIn(references.Places) != tt.references {
				t.Errorf("%s: defined in %s, named in %s", definition.Symbol, linesIn(definition.Places), linesIn(references.Places))
			}
		})
	}
	text := strings.Replace(bundleText, "      - name: gpus\n---", "      - name: gpus\n        request: other/‸best\n---", 1)
	d, line, column := deskFor(t, text, "", 37)
	if got := d.Definition(line, column); linesIn(got.Places) != "51" {
		t.Errorf("the alternative of a template, from a container: %s in %s", got.Symbol, linesIn(got.Places))
	}
}

func linesIn(places []*diag.Location) string {
	var out []string
	for _, p := range places {
		out = append(out, fmt.Sprint(p.Line))
	}
	return strings.Join(out, " ")
}

func TestOutline(t *testing.T) {
	d, _, _ := deskFor(t, bundleText+"‸", "", 37)
	var got []string
	var list func(entries []Entry, depth int)
	list = func(entries []Entry, depth int) {
		for _, e := range entries {
			got = append(got, fmt.Sprintf("%s%s %s %d", strings.Repeat(" ", depth), e.Kind, e.Name, e.At.Line))
			list(e.Children, depth+1)
		}
	}
	list(d.Outline().Entries, 0)
	want := `DeviceClass gpu.example.com 4
ResourceSlice n1 8
 device gpu-0 14
 device gpu-1 21
ResourceSlice n1-counters 30
 counterSet gpu-1-counters 36
ResourceClaimTemplate two 42
 request big 47
 request other 49
  alternative best 51
Pod train 55
 claim gpus 58
 container main 61
  claim gpus 65`
	if strings.Join(got, "\n") != want {
		t.Errorf("got\n%s", strings.Join(got, "\n"))
	}
}

// TestWordsExist compiles a call of every word that is offered for expressions.
func TestWordsExist(t *testing.T) {
	set, err := feature.NewSet(feature.Newest, "DRAListTypeAttributes=true")
	if err != nil {
		t.Fatal(err)
	}
	values := map[string]string{"string": "device.driver", "semver": `semver("1.0.0")`, "quantity": `quantity("1")`, "list": "[1]"}
	arguments := map[string]string{
		"isGreaterThan": "", "isLessThan": "", "compareTo": "", "add": "", "sub": "", "exists": "x, x == 1", "all": "x, x == 1", "includes": "1",
		"startsWith": `"a"`, "endsWith": `"a"`, "contains": `"a"`, "matches": `"a"`, "split": `"a"`,
	}
	try := func(expression string) {
		t.Helper()
		p := selector.Compile("dyn("+expression+") != 1", selector.Options{Version: set.Version(), ConsumableCapacity: true, ListAttributes: true})
		if p.Err != nil {
			t.Errorf("%s: %s", expression, p.Err.Message)
		}
	}
	for kind, list := range methods {
		for _, w := range list {
			argument := ""
			if w.args {
				if argument = arguments[w.name]; argument == "" {
					argument = values[kind]
				}
			}
			try(values[kind] + "." + w.name + "(" + argument + ")")
		}
	}
	for _, w := range deviceFields {
		try("device." + w.name)
	}
	for _, call := range []string{`quantity("1")`, `isQuantity("1")`, `semver("1.0.0")`, `isSemver("1")`, `cel.bind(a, 1, a)`, `size("a")`, `int("1")`, `has(device.attributes["d"].x)`} {
		try(call)
	}
}
