package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/drawbridge-dra/drawbridge/core"
)

// TestManifests holds the generated files against the core: those with a fault
// are wrong, and no others.
func TestManifests(t *testing.T) {
	known, seen := &core.Expressions{}, map[string]int{}
	for i := range 2 * 20 * len(faults) {
		text, err := manifest(i)
		if err != nil {
			t.Fatal(err)
		}
		if n := len(text); n < 1000 || n > 3000 {
			t.Errorf("%s has %d bytes", nameOf(i), n)
		}
		result, err := core.Validate(context.Background(), []byte(text), core.Options{Expressions: known})
		if err != nil {
			t.Fatal(err)
		}
		wrong := wrongOf(i)
		if result.Valid != (wrong == nil) {
			t.Errorf("%s, with %+v: valid is %t: %+v", nameOf(i), wrong, result.Valid, result.Diagnostics)
		}
		if wrong != nil {
			seen[wrong.name]++
		}
	}
	for _, f := range faults {
		if seen[f.name] != 2 {
			t.Errorf("%s is in %d files", f.name, seen[f.name])
		}
	}
}

func TestRead(t *testing.T) {
	for name, tt := range map[string]struct {
		read   func([]byte) (map[string]remark, error)
		output string
		want   map[string]remark
	}{
		"ours": {readOurs, `{"diagnostics":[
			{"level":"error","place":{"file":"x/m00067.yaml","line":17,"column":16},"message":"must be a whole number"},
			{"level":"warning","place":{"file":"x/m00068.yaml","line":1,"column":1},"message":"nobody has this class"}]}`,
			map[string]remark{"m00067.yaml": {true, true}}},
		"kubeconform": {readKubeconform, `{"resources": [
			{"filename": "x/m00007.yaml", "status": "statusError", "msg": "error unmarshalling resource: error converting YAML to JSON: yaml: line 12: did not find expected node content"},
			{"filename": "x/m00087.yaml", "status": "statusInvalid", "msg": "problem validating schema. Check JSON formatting: missing property 'driver'"}], "summary": {}}`,
			map[string]remark{"m00007.yaml": {line: true}, "m00087.yaml": {}}},
		"kubectl-validate": {readKubectlValidate, `{
			"x/m00000.yaml": [{"metadata": {}, "status": "Success"}],
			"x/m00007.yaml": [{"status": "Failure", "message": "Internal error occurred", "details": {"causes": [{"message": "yaml: line 12: did not find"}]}}],
			"x/m00127.yaml": [{"metadata": {}, "status": "Success"}, {"status": "Failure", "message": " \"\" is invalid: metadata.name"}]}`,
			map[string]remark{"m00007.yaml": {line: true}, "m00127.yaml": {}}},
	} {
		got, err := tt.read([]byte(tt.output))
		if err != nil || !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s: %v, %v; want %v", name, got, err, tt.want)
		}
		if _, err := tt.read([]byte("no JSON")); err == nil {
			t.Errorf("%s: reads what is no JSON", name)
		}
	}
}

func TestTally(t *testing.T) {
	var wrong, right string
	for i := range 20 {
		if wrongOf(i) != nil {
			wrong = nameOf(i)
		} else {
			right = nameOf(i)
		}
	}
	got := tally(20, []map[string]remark{{wrong: {line: true, column: true}}, {wrong: {line: true}, right: {}}, {}})
	rows := map[string]row{got.faults[0].name: got.faults[0], "right": got.right, "lines": got.lines, "columns": got.columns}
	for name, want := range map[string]row{
		faults[0].name: {files: 1, found: []int{1, 1, 0}}, "right": {files: 19, found: []int{0, 1, 0}},
		"lines": {files: 1, found: []int{1, 1, 0}}, "columns": {files: 1, found: []int{1, 0, 0}},
	} {
		if r := rows[name]; r.files != want.files || !reflect.DeepEqual(r.found, want.found) {
			t.Errorf("%s: %+v, want %+v", name, r, want)
		}
	}
	if got.faults[1].files != 0 {
		t.Errorf("%+v", got.faults[1])
	}
}

// TestSchemas makes the schemas of Kubernetes' own document.
func TestSchemas(t *testing.T) {
	document, err := openAPI()
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	if err := writeSchemas(document, folder); err != nil {
		t.Fatal(err)
	}
	for _, k := range kinds {
		text, err := os.ReadFile(filepath.Join(folder, strings.ToLower(k.name)+".json"))
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), "$ref") {
			t.Errorf("the schema of %s refers to others", k.name)
		}
		var schema struct {
			AdditionalProperties any
			Properties           map[string]struct {
				Type                 any
				AdditionalProperties any
				Properties           component
			}
		}
		if err := json.Unmarshal(text, &schema); err != nil {
			t.Fatal(err)
		}
		spec := schema.Properties["spec"]
		if schema.AdditionalProperties != false || spec.AdditionalProperties != false || len(spec.Properties) == 0 || !strings.Contains(string(text), `"required":[`) ||
			!reflect.DeepEqual(schema.Properties["kind"].Type, []any{"string", "null"}) {
			t.Errorf("the schema of %s is not strict: %s", k.name, text)
		}
	}
	if _, err := jsonSchema(document, "io.k8s.api.resource.v1.Nothing"); err == nil {
		t.Error("makes the schema of a kind that is not there")
	}
	open, err := os.ReadFile(filepath.Join(folder, "openapi", "apis", "resource.k8s.io", "v1.json"))
	if err != nil || bytes.Count(open, []byte(`"x-kubernetes-preserve-unknown-fields":true`)) != 1 {
		t.Errorf("parameters of drivers are not open: %v", err)
	}
}

func TestPrint(t *testing.T) {
	costs := make([][]cost, len(programs))
	for i := range programs {
		for n := range 3 {
			spent := time.Duration(i+1) * time.Duration(n+1) * time.Second
			costs[i] = append(costs[i], cost{2 * spent, spent, int64(n) << 20})
		}
	}
	var out bytes.Buffer
	printCosts(&out, 100, costs)
	if want := "| kubeconform | 2.0, 4.0, 6.0 | 25 | 2.00 | 4.0, 8.0, 12.0 | 2 |\n"; !strings.Contains(out.String(), want) {
		t.Errorf("prints\n%swithout\n%s", out.String(), want)
	}
	out.Reset()
	printFound(&out, tally(40, make([]map[string]remark, len(programs))))
	if want := "| a key twice | 1 | 0 | 0 | 0 |\n"; !strings.Contains(out.String(), want) {
		t.Errorf("prints\n%swithout\n%s", out.String(), want)
	}
}
