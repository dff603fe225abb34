package bundle

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	kjson "sigs.k8s.io/json"
	"sigs.k8s.io/yaml"

	"github.com/drawbridge-dra/drawbridge/core/diag"
)

// unknownFields picks the paths out of the API server's strict errors.
func unknownFields(errs []error) []string {
	var fields []string
	for _, err := range errs {
		if rest, ok := strings.CutPrefix(err.Error(), `unknown field "`); ok {
			field, err := strconv.Unquote(`"` + rest)
			if err != nil {
				field = strings.TrimSuffix(rest, `"`)
			}
			fields = append(fields, field)
		}
	}
	slices.Sort(fields)
	return slices.Compact(fields)
}

// compareWithAPIServer decodes one object as we do and as the API server's
// decoder does, after kubectl made JSON of it.
func compareWithAPIServer(t *testing.T, text string, s shape) {
	t.Helper()
	asJSON, err := yaml.YAMLToJSON([]byte(text))
	if err != nil {
		return
	}
	src := newSource([]byte(text))
	doc := &document{src: src, end: len(text)}
	n, syntax := readYAML(doc, newBudget(Limits{}.withDefaults()))
	if syntax != nil || n.Kind() != Map || len(doc.problems) > 0 {
		return
	}
	theirs := s.fresh()
	strict, err := kjson.UnmarshalStrict(asJSON, theirs)
	ours := s.fresh()
	o := &Object{Raw: n, Ref: diag.Object{APIVersion: s.apiVersion, Kind: s.kind}}
	d := &decoder{object: o, sink: newSink(Strict)}
	d.value(n, reflect.ValueOf(ours).Elem())
	if d.failed != (err != nil) {
		t.Errorf("%s\nwe fail: %t, the API server: %v\n%v", asJSON, d.failed, err, d.sink.list)
		return
	}
	if err != nil {
		return
	}
	if !reflect.DeepEqual(ours, theirs) {
		t.Errorf("%s\nours   %+v\ntheirs %+v", asJSON, ours, theirs)
	}
	var fields []string
	for _, f := range d.sink.list {
		if f.Rule == "unknown-field" {
			fields = append(fields, f.Field)
		}
	}
	slices.Sort(fields)
	if want := unknownFields(strict); len(strict) < 100 && !slices.Equal(slices.Compact(fields), want) {
		t.Errorf("%s\nunknown fields: ours %q, theirs %q", asJSON, fields, want)
	}
}

// oddities are objects that decoders get wrong.
var oddities = []string{
	"spec: null", "spec: {devices: [null, {}]}", "spec: {devices: {requests: [null]}}", "metadata: {labels: {a: null, b: x}}",
	"metadata: {creationTimestamp: null, name: null}", "metadata: {creationTimestamp: 2026-01-01T00:00:00Z}", "metadata: {creationTimestamp: 2026-01-01}",
	"spec: {devices: [{capacity: {m: null}, attributes: {a: {int: 1, bool: true, string: x, version: 1.0.0, ints: [1, 2]}}}]}",
	"spec: {devices: [{capacity: {m: {value: 1.5, x: 1}}, name: a, nam: b}], Pool: {}}", "spec: {devices: [{capacity: {m: {value: \"\"}}}]}",
	"spec: {pool: {generation: 1.0, resourceSliceCount: 1e2}}", "spec: {pool: {generation: 1.5}}", "spec: {pool: {generation: -9223372036854775808}}", "spec: {pool: {generation: 9223372036854775808}}",
	"spec: {pool: {generation: true}}", "spec: {nodeName: 1}", "spec: {allNodes: 1}", "spec: {devices: {}}", "spec: []", "spec: x",
	"spec: {devices: {config: [{opaque: {driver: d, parameters: {z: 1, a: [x, {b: 0x10}], t: <&>}}}]}}", "spec: {devices: {config: [{opaque: {parameters: null}}]}}",
	"spec: {limit: 3000000000}", "spec: {limit: 2147483647}", "spec: {limit: -1}", "spec: {driver: d, poolName: null}",
	"spec: {containers: [{ports: [{containerPort: 80, hostPort: x}], livenessProbe: {httpGet: {port: http}}}]}", "spec: {containers: [{livenessProbe: {httpGet: {port: 80}}}]}", "spec: {containers: [{livenessProbe: {httpGet: {port: 99999999999}}}]}",
	"spec: {containers: [{resources: {limits: {cpu: 1, memory: 1Gi, x: 1e3}, claims: [{name: a}]}}]}", "spec: {containers: [{resources: {limits: {cpu: [1]}}}]}", "spec: {containers: [{resources: {limits: {cpu: true}}}]}",
	"status: {allocatable: {cpu: \"4\"}, conditions: [{lastHeartbeatTime: x}]}", "metadata: {managedFields: [{fieldsV1: {f: {}}}]}", "metadata: {deletionGracePeriodSeconds: 1, annotations: {a: 1}}",
	"kind: 1", "apiVersion: {}", "status: {devices: [{data: [1], conditions: []}]}", "spec: {taint: {timeAdded: 1}}",
}

func TestDecodesAsTheAPIServer(t *testing.T) {
	texts := slices.Clone(oddities)
	files, err := filepath.Glob("testdata/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal("no test data", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for part := range strings.SplitSeq(string(text), "\n---\n") {
			texts = append(texts, part)
		}
	}
	for _, text := range texts {
		for _, s := range shapes {
			compareWithAPIServer(t, text, s)
		}
	}
}

func FuzzDecode(f *testing.F) {
	for _, text := range oddities {
		for i := range shapes {
			f.Add(text, uint8(i))
		}
	}
	f.Fuzz(func(t *testing.T, text string, which uint8) {
		if len(text) > 5000 || !readable(text) {
			return
		}
		compareWithAPIServer(t, text, shapes[int(which)%len(shapes)])
	})
}
