package validate

import (
	"slices"
	"strings"
	"testing"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/drawbridge-dra/drawbridge/core/bundle"
	"github.com/drawbridge-dra/drawbridge/core/diag"
)

// change is an update and the findings expected for it.
type change struct {
	name     string
	version  string // of Kubernetes; empty for the newest
	gates    string
	old, now string
	status   bool
	want     []string
}

func (e change) check(t *testing.T) Result {
	t.Helper()
	env := environment(t, e.version, e.gates)
	old, now := e.object(t, e.old, env), e.object(t, e.now, env)
	if e.status {
		return UpdateStatus(old, now, env)
	}
	return Update(old, now, env)
}

// object reads one of the two, as the version knows its fields if it is one of
// those that had others.
func (e change) object(t *testing.T, text string, env Env) *bundle.Object {
	t.Helper()
	if env.Features.Version().Minor > 31 {
		return parse(t, text)
	}
	return parseAt(t, text, env.Features)
}

func runChanges(t *testing.T, changes []change) {
	t.Helper()
	for _, e := range changes {
		t.Run(e.name, func(t *testing.T) {
			var got []string
			for _, d := range e.check(t).Diagnostics {
				got = append(got, line(d))
				checkForm(t, d)
			}
			want := slices.Clone(e.want)
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Errorf("got\n  %s\nwant\n  %s", strings.Join(got, "\n  "), strings.Join(want, "\n  "))
			}
		})
	}
}

func TestUpdates(t *testing.T)       { runChanges(t, updateExamples) }
func TestStatusUpdates(t *testing.T) { runChanges(t, statusExamples) }

const (
	twoBadDevices = `devices: [{name: A, capacity: {c-: {value: 1}}, taints: [{key: k, effect: off-road}]}, {name: b, attributes: {v: {version: "1"}}}]`
	gpuClaim      = "{devices: {requests: [{name: r, exactly: {deviceClassName: c}}]}}"
)

func claimSpec(spec string) string {
	return "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: c}\nspec: " + spec + "\n"
}

func templateSpec(labels, spec string) string {
	return "apiVersion: resource.k8s.io/v1\nkind: ResourceClaimTemplate\nmetadata: {name: c, labels: {" + labels + "}}\nspec: {spec: " + spec + "}\n"
}

func sliceSpec(rest string) string {
	return "apiVersion: resource.k8s.io/v1\nkind: ResourceSlice\nmetadata: {name: s}\nspec: {driver: d, nodeName: n1, pool: {name: p, generation: 1, resourceSliceCount: 1}, " + rest + "}\n"
}

func requestOf(version, spec, status string) string {
	return "apiVersion: resource.k8s.io/v1alpha3\nkind: ResourcePoolStatusRequest\nmetadata: {name: q, resourceVersion: \"" + version + "\"}\nspec: {" + spec + "}\n" + status
}

var updateExamples = []change{
	{name: "nothing", old: claimSpec(gpuClaim), now: claimSpec(gpuClaim)},
	{name: "labels of a claim", old: claimWith("{name: c}"), now: claimWith("{name: c, labels: {a: b}, finalizers: [example.com/f]}")},
	{name: "count of a claim", old: claimSpec(gpuClaim), now: claimSpec(strings.Replace(gpuClaim, "c}", "c, count: 2}", 1)), want: []string{
		"api/spec-immutable FieldValueInvalid spec"}},
	{name: "a field that is off is no change of a claim", version: "1.34", old: claimSpec(gpuClaim),
		now: claimSpec(strings.Replace(gpuClaim, "c}", "c, capacity: {requests: {m: 1}}}", 1)), want: []string{
			"gate/capacity-requests-dropped - spec.devices.requests[0].exactly.capacity"}},
	{name: "metadata that stays", old: claimWith(`{name: c, namespace: default, uid: u, creationTimestamp: "2026-01-01T00:00:00Z"}`),
		now: claimWith(`{name: d, namespace: admin, uid: v, creationTimestamp: "2026-01-02T00:00:00Z", deletionTimestamp: "2026-01-02T00:00:00Z", deletionGracePeriodSeconds: 0}`), want: []string{
			"api/metadata-immutable FieldValueInvalid metadata.name",
			"api/metadata-immutable FieldValueInvalid metadata.namespace",
			"api/metadata-immutable FieldValueInvalid metadata.uid",
			"api/metadata-immutable FieldValueInvalid metadata.deletionTimestamp",
			"api/metadata-immutable FieldValueInvalid metadata.deletionGracePeriodSeconds"}},
	{name: "a time of creation where none was", old: claimWith(`{name: c}`), now: claimWith(`{name: c, creationTimestamp: "2026-01-02T00:00:00Z"}`), want: []string{
		"api/metadata-immutable FieldValueInvalid metadata.creationTimestamp"}},
	{name: "finalizer while it is being deleted", old: claimWith(`{name: c, finalizers: [a.b/c, d.e/f], deletionTimestamp: "2026-01-01T00:00:00Z"}`),
		now: claimWith(`{name: c, finalizers: [a.b/c, g.h/i]}`), want: []string{
			"api/metadata-finalizer-added FieldValueForbidden metadata.finalizers"}},
	{name: "label of a template with an old fault", old: templateSpec("", "{devices: {requests: [{name: r}]}}"), now: templateSpec("a: b", "{devices: {requests: [{name: r}]}}"), want: []string{
		"api/request-union FieldValueRequired spec.spec.devices.requests[0]"}},
	{name: "spec of a template", old: templateSpec("", gpuClaim), now: templateSpec("", strings.Replace(gpuClaim, "name: r", "name: s", 1)), want: []string{
		"api/spec-immutable FieldValueInvalid spec"}},
	{name: "an expression that was there", old: classOf(`selectors: [{cel: {expression: "("}}]`), now: classOf(`selectors: [{cel: {expression: "("}}], extendedResourceName: a/b`)},
	{name: "an expression beside one that was there", old: classOf(`selectors: [{cel: {expression: "("}}]`), now: classOf(`selectors: [{cel: {expression: "("}}, {cel: {expression: "true"}}]`), want: []string{
		"api/cel-expression FieldValueInvalid spec.selectors[0].cel.expression"}},
	{name: "large parameters that were there", old: classOf(`config: [{opaque: {driver: d, parameters: {a: ` + strings.Repeat("x", 10240) + `}}}]`),
		now: classOf(`selectors: [], config: [{opaque: {driver: d, parameters: {a: ` + strings.Repeat("x", 10240) + `}}}]`)},
	{name: "an extended resource name that was there", old: classOf("extendedResourceName: gpu"), now: classOf("extendedResourceName: gpu, selectors: []"), want: []string{atName}},
	{name: "what a slice is known by", old: sliceSpec(""), now: "apiVersion: resource.k8s.io/v1\nkind: ResourceSlice\nmetadata: {name: s}\nspec: {driver: e, allNodes: true, pool: {name: q, generation: 1, resourceSliceCount: 1}}\n", want: []string{
		"api/slice-immutable FieldValueInvalid spec.driver",
		"api/slice-immutable FieldValueInvalid spec.pool.name",
		"api/slice-immutable FieldValueInvalid spec.nodeName"}},
	{name: "old faults of devices", old: sliceSpec(twoBadDevices), now: sliceSpec(twoBadDevices + `, skipNodeOperations: ["*"]`), gates: "DRAOptionalNodeOperations=true", want: []string{
		// Capacity and taints are the same, names and attributes are
		// checked whenever.
		"api/device-name FieldValueInvalid spec.devices[0].name",
		"api/attribute-version FieldValueInvalid spec.devices[1].attributes[v].version"}},
	{name: "a fault that is new", old: sliceSpec("devices: [{name: a}]"), now: sliceSpec("devices: [{name: a, taints: [{key: k, effect: off-road}]}]"), want: []string{
		"api/taint-effect FieldValueNotSupported spec.devices[0].taints[0].effect"}},
	{name: "one more use of a feature that is off", version: "1.34",
		old: sliceSpec("devices: [{name: a, allowMultipleAllocations: true}]"), now: sliceSpec("devices: [{name: a, allowMultipleAllocations: true}, {name: b, allowMultipleAllocations: false}]")},
	{name: "the first use of a feature that is off", version: "1.34", old: sliceSpec("devices: [{name: a}]"), now: sliceSpec("devices: [{name: a, allowMultipleAllocations: true}]"), want: []string{
		"gate/allow-multiple-allocations-dropped - spec.devices[0].allowMultipleAllocations"}},
	{name: "a fault in what goes away", version: "1.35", old: sliceSpec("devices: [{name: a}]"), now: sliceSpec("devices: [{name: a, taints: [{key: k, effect: None}, {key: '', effect: None}]}]"), want: []string{
		"gate/taints-dropped - spec.devices[0].taints",
		"api/taint-key FieldValueInvalid spec.devices[0].taints[1].key if DRADeviceTaints",
		"api/taint-key FieldValueInvalid spec.devices[0].taints[1].key if DRADeviceTaints"}},
	{name: "an effect that was there", old: ruleOf("taint: {key: k, effect: Old}"), now: strings.Replace(ruleOf("taint: {key: k, value: v, effect: Old}"), "{name: r}", "{name: r, resourceVersion: '1'}", 1)},
	{name: "a rule without its version", old: ruleOf("taint: {key: k, effect: None}"), now: ruleOf("taint: {key: k, effect: Some}"), want: []string{
		"api/metadata-resource-version FieldValueInvalid metadata.resourceVersion",
		"api/taint-effect FieldValueNotSupported spec.taint.effect"}},
	{name: "an older version of a rule needs none", old: strings.Replace(ruleOf("taint: {key: k, effect: None}"), "/v1", "/v1beta2", 1), now: strings.Replace(ruleOf("taint: {key: k, effect: NoExecute}"), "/v1", "/v1beta2", 1)},
	{name: "a request", old: requestOf("1", "driver: d", ""), now: requestOf("1", "driver: d, limit: 100", "")},
	{name: "another request", old: requestOf("1", "driver: d", ""), now: requestOf("1", "driver: e, limit: 0", ""), want: []string{
		"api/spec-immutable FieldValueInvalid spec"}},
}

var poolRequestExamples = []example{
	{name: "right", text: requestOf("", "driver: Gpu.example.com, poolName: a/b, limit: 1000", "")},
	{name: "wrong", gates: "DRAPartitionableDevicesType=true,DRAResourcePoolStatus=true", text: requestOf("", `driver: "", poolName: "", limit: 1001, defaultPartitionTypeAttribute: a`, ""), want: []string{
		"api/driver-name FieldValueRequired spec.driver",
		"api/pool-name FieldValueInvalid spec.poolName",
		"api/pool-request-limit FieldValueInvalid spec.limit",
		"api/default-partition-type-attribute FieldValueInvalid spec.defaultPartitionTypeAttribute"}},
	{name: "without its gate", gates: "DRAPartitionableDevicesType=false", text: requestOf("", `driver: d, defaultPartitionTypeAttribute: a`, ""), want: []string{
		"gate/default-partition-type-attribute-dropped - spec.defaultPartitionTypeAttribute",
		"api/default-partition-type-attribute FieldValueInvalid spec.defaultPartitionTypeAttribute if DRAPartitionableDevicesType"}},
}

func TestPoolRequests(t *testing.T) { run(t, poolRequestExamples) }

// TestNewStored looks at what is left of an object after an update.
func TestNewStored(t *testing.T) {
	old := strings.Replace(sliceSpec("devices: [{name: a}]"), "{name: s}", "{name: s, uid: u, generation: 4}", 1)
	for name, e := range map[string]struct {
		now        string
		generation int64
	}{
		"the same":               {sliceSpec("devices: [{name: a}]"), 4},
		"another device":         {sliceSpec("devices: [{name: b}]"), 5},
		"a field that goes away": {sliceSpec("devices: [{name: a, allowMultipleAllocations: true}]"), 5},
	} {
		got := Update(parse(t, old), parse(t, e.now), environment(t, "1.34", "")).Stored.(*resourceapi.ResourceSlice)
		if got.Generation != e.generation || got.UID != "u" || got.Spec.Devices[0].AllowMultipleAllocations != nil {
			t.Errorf("%s: got %+v", name, got)
		}
	}
	was, is := parse(t, claimStatus("{}")), parse(t, claimStatus("{}"))
	if r := Update(was, parse(t, sliceSpec("")), environment(t, "", "")); r.Stored != nil || r.Diagnostics != nil {
		t.Errorf("two kinds: got %+v", r)
	}
	if r := UpdateStatus(parse(t, sliceSpec("")), parse(t, sliceSpec("")), environment(t, "", "")); r.Stored != nil {
		t.Errorf("a kind without status: got %+v", r)
	}
	if r := Update(nil, is, Env{}); r.Stored != nil {
		t.Errorf("no old object: got %+v", r)
	}
	// What is said of a device that the update takes away goes with it.
	was = parse(t, claimStatus("{allocation: {devices: {results: [{request: r, driver: d, pool: p, device: a}]}}, devices: [{driver: d, pool: p, device: a}]}"))
	is = parse(t, claimStatus("{devices: [{driver: d, pool: p, device: a}]}"))
	r := UpdateStatus(was, is, environment(t, "", ""))
	if claim := r.Stored.(*resourceapi.ResourceClaim); claim.Status.Devices != nil || diag.HasErrors(r.Diagnostics) {
		t.Errorf("got %+v", r)
	}
	if is.Value.(*resourceapi.ResourceClaim).Status.Devices == nil {
		t.Error("the object that was passed in has changed")
	}
}

// TestDifferences demands that a refused change names what has changed.
func TestDifferences(t *testing.T) {
	for _, e := range []struct{ name, old, now, says, place string }{
		{"a number", claimSpec("\n  devices:\n    requests:\n    - name: r\n      exactly:\n        deviceClassName: c\n        count: 1\n"), claimSpec("\n  devices:\n    requests:\n    - name: r\n      exactly:\n        deviceClassName: c\n        count: 2\n"),
			"the spec of a claim may not change, but spec.devices.requests[0].exactly.count was 1 and is now 2; create another one instead", "10:16-10:17"},
		{"v1beta1", strings.Replace(claimSpec("{devices: {requests: [{name: r, deviceClassName: c}]}}"), "/v1", "/v1beta1", 1), strings.Replace(claimSpec("{devices: {requests: [{name: r, deviceClassName: d}]}}"), "/v1", "/v1beta1", 1),
			`spec.devices.requests[0].deviceClassName was "c" and is now "d"`, "4:56-4:57"},
		{"a list", claimSpec(gpuClaim), claimSpec("{devices: {requests: []}}"), "spec.devices.requests was a list of 1 and is now empty", "4:18-4:30"},
		{"a quantity", claimSpec("{devices: {requests: [{name: r, exactly: {deviceClassName: c, capacity: {requests: {m: 1Gi}}}}]}}"), claimSpec("{devices: {requests: [{name: r, exactly: {deviceClassName: c, capacity: {requests: {m: 2Gi}}}}]}}"),
			"spec.devices.requests[0].exactly.capacity.requests[m] was 1Gi and is now 2Gi", "4:91-4:92"},
		{"a pointer", sliceSpec(""), strings.Replace(sliceSpec(""), "nodeName: n1", "allNodes: true", 1), `the node of a slice may not change, but was "n1" and is now not set; delete the slice and create another`, "4:1-4:91"},
		{"parameters", claimSpec("{devices: {config: [{opaque: {driver: d, parameters: {a: 1}}}]}}"), claimSpec("{devices: {config: [{opaque: {driver: d, parameters: {a: 2}}}]}}"),
			`spec.devices.config[0].opaque.parameters was "{\"a\":1}" and is now "{\"a\":2}"`, "4:48-4:66"},
	} {
		t.Run(e.name, func(t *testing.T) {
			found := Update(parse(t, e.old), parse(t, e.now), environment(t, "", "")).Diagnostics
			if len(found) == 0 || !strings.Contains(found[0].Message, e.says) || place(found[0].Location) != e.place {
				t.Errorf("got %+v, want %s at %s", found, e.says, e.place)
				for _, d := range found {
					t.Log(place(d.Location))
				}
			}
		})
	}
}
