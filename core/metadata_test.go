package core

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
)

func testdata(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile("../testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func deviceMetadata(t *testing.T, text string, opts MetadataOptions) *DeviceMetadataResult {
	t.Helper()
	result, err := DeviceMetadata(context.Background(), []byte(text), opts)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// The documentation's example is what we make of the objects behind it, and
// right.
func TestDocumentedMetadata(t *testing.T) {
	want := testdata(t, "seeds/device-metadata.json")
	result := deviceMetadata(t, testdata(t, "nodes/metadata.yaml"), MetadataOptions{MetadataVersions: "v1alpha1"})
	if len(result.Files) != 1 {
		t.Fatalf("got %d files", len(result.Files))
	}
	f := result.Files[0]
	if got := compacted(t, f.Content); got != compacted(t, want) {
		t.Errorf("got\n%s\nwant\n%s", f.Content, want)
	}
	if f.ContainerPath != "/var/run/kubernetes.io/dra-device-attributes/resourceclaimtemplates/gpu/gpu/gpu.example.com-metadata.json" {
		t.Errorf("got %s", f.ContainerPath)
	}
	checked, err := CheckMetadata(context.Background(), MetadataFiles{Current: want}, CheckMetadataOptions{})
	if err != nil || !checked.Valid || len(checked.Findings) > 0 || checked.Current.Name != "pod0-gpu-2kqrd" {
		t.Errorf("got %v, %v", checked, err)
	}
}

// compacted is JSON without white space.
func compacted(t *testing.T, text string) string {
	t.Helper()
	var out bytes.Buffer
	if err := json.Compact(&out, []byte(text)); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// Every note has a change of the example that brings it about.
func TestMetadataNotes(t *testing.T) {
	example := testdata(t, "nodes/metadata.yaml")
	const result = "- {request: gpu, driver: gpu.example.com, pool: worker-0, device: gpu-0}"
	const owner = `  ownerReferences:
  - {apiVersion: v1, kind: Pod, name: pod0, uid: 0b6f2d67-6c1f-4d0c-9a0e-5d4f7c8f2a11, controller: true}
`
	const annotation = "  annotations: {resource.kubernetes.io/pod-claim-name: gpu}\n"
	const byName = "resourceClaimName: pod0-gpu-2kqrd}\n"
	direct := []string{"resourceClaimTemplateName: single-gpu", byName[:len(byName)-2], owner, ""}
	for code, tt := range map[string]struct {
		edits []string // pairs of old and new
		opts  MetadataOptions
	}{
		"newest-missing":      {nil, MetadataOptions{MetadataVersions: "v1alpha1"}},
		"versions-order":      {nil, MetadataOptions{MetadataVersions: "v1alpha1,v1beta1"}},
		"generation-restarts": {nil, MetadataOptions{Generation: 3}},
		"driver-skipped":      {[]string{result, strings.Replace(result, "}", `, skipNodeOperations: ["*"]}`, 1)}, MetadataOptions{Options: Options{FeatureGates: "DRAOptionalNodeOperations=true"}}},
		"device-unpublished":  {[]string{result, strings.Replace(result, "gpu-0", "gpu-9", 1)}, MetadataOptions{}},
		"shares-alike":        {[]string{result, strings.Replace(result, "}", ", shareID: 0a1b2c3d-0000-4000-8000-0123456789ab}", 1) + "\n      " + strings.Replace(result, "}", ", shareID: 0a1b2c3d-0000-4000-8000-0123456789ac}", 1)}, MetadataOptions{}},
		"same-path":           {[]string{result, strings.Replace(result, "request: gpu", "request: gpu/a", 1) + "\n      " + strings.Replace(result, "request: gpu", "request: gpu/b", 1)}, MetadataOptions{}},
		"directory-reused":    {append(slices.Clone(direct), annotation, ""), MetadataOptions{}},
		"annotation-by-hand":  {direct, MetadataOptions{}},
		"annotation-empty":    {append(slices.Clone(direct), annotation, strings.Replace(annotation, "gpu", `""`, 1)), MetadataOptions{}},
		"name-unknown":        {append(slices.Clone(direct), annotation, "  annotations: {resource.kubernetes.io/extended-resource-claim: \"true\"}\n"), MetadataOptions{}},
	} {
		text := example
		for i := 0; i < len(tt.edits); i += 2 {
			if !strings.Contains(text, tt.edits[i]) {
				t.Fatalf("%s: there is no %q", code, tt.edits[i])
			}
			text = strings.Replace(text, tt.edits[i], tt.edits[i+1], 1)
		}
		var codes []string
		for _, n := range deviceMetadata(t, text, tt.opts).Notes {
			codes = append(codes, n.Code)
			if n.Claim != "" && n.Location == nil {
				t.Errorf("%s: no place for %s", code, n.Message)
			}
		}
		if !slices.Equal(codes, []string{code}) {
			t.Errorf("got %q, want %s", codes, code)
		}
	}
	if notes := deviceMetadata(t, example, MetadataOptions{}).Notes; len(notes) > 0 {
		t.Errorf("the example: %v", notes)
	}
}

func TestMetadataOptions(t *testing.T) {
	for want, opts := range map[string]MetadataOptions{
		"metadataVersions: must be v1beta1 or v1alpha1": {MetadataVersions: "v1"},
		"metadataVersions: has a version twice":         {MetadataVersions: "v1beta1,v1beta1"},
		"generation: must be 1 or more":                 {Generation: -1},
		"pluginsDir: must be an absolute path":          {PluginsDir: "plugins"},
		"cdiDir: must be an absolute path":              {CDIDir: "cdi"},
	} {
		if _, err := DeviceMetadata(context.Background(), nil, opts); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// Objects of one answer are bounded however many claims name one large device.
func TestMetadataIsBounded(t *testing.T) {
	var b strings.Builder
	b.WriteString("{apiVersion: resource.k8s.io/v1, kind: ResourceSlice, metadata: {name: s}, spec: {driver: d.example.com, nodeName: n1, pool: {name: n1, generation: 1, resourceSliceCount: 1}, devices: [{name: d, attributes: {a: {string: " + strings.Repeat("x", 1<<20) + "}}}]}}\n")
	for i := range 100 {
		name := strings.Repeat("c", i+1)
		b.WriteString("---\n{apiVersion: resource.k8s.io/v1, kind: ResourceClaim, metadata: {name: " + name + "}, status: {allocation: {devices: {results: [{request: r, driver: d.example.com, pool: n1, device: d}]}}}}\n")
	}
	result := deviceMetadata(t, b.String(), MetadataOptions{Options: Options{SkipValidation: true}})
	size := 0
	for _, f := range result.Files {
		size += len(f.Content)
	}
	if size > 2*mostFileBytes || result.Omitted == 0 || len(result.Files)+result.Omitted != 100 {
		t.Errorf("%d files with %d bytes, and %d left out", len(result.Files), size, result.Omitted)
	}
}

// metadataFile is a file that is right.
const metadataFile = `{"apiVersion": "metadata.resource.k8s.io/v1beta1", "kind": "DeviceMetadata", "metadata": {"name": "c", "generation": 2},
"requests": [{"name": "r", "devices": [{"driver": "d.example.com", "pool": "p", "name": "d0"}]}]}
`

func alpha(text string) string { return strings.Replace(text, "v1beta1", "v1alpha1", 1) }

// Every code has a file that gets it, where it is to be mended.
func TestCheckMetadata(t *testing.T) {
	changed := strings.Replace(metadataFile, "d0", "d1", 1)
	generation := func(text, n string) string { return strings.Replace(text, `"generation": 2`, `"generation": `+n, 1) }
	for code, tt := range map[string]struct {
		current, previous string
		line              int
		valid             bool
	}{
		"empty":                {" \n", "", 0, false},
		"not-json":             {metadataFile + "{\n", "", 4, false},
		"not-an-object":        {metadataFile + "[]", "", 3, false},
		"api-version-required": {"\n" + `{"kind": "DeviceMetadata"}`, "", 2, false},
		"kind-required":        {`{"apiVersion": "metadata.resource.k8s.io/v1beta1"}`, "", 1, false},
		"wrong-kind":           {strings.Replace(metadataFile, "DeviceMetadata", "Device", 1), "", 1, false},
		"wrong-version":        {strings.Replace(metadataFile, "metadata.resource.k8s.io/v1beta1", "v1", 1), "", 1, false},
		"unknown-version":      {strings.Replace(metadataFile, "v1beta1", "v1", 1) + metadataFile, "", 1, true},
		"unknown-field":        {strings.Replace(metadataFile, `"pool"`, `"size": 1, "pool"`, 1), "", 2, true},
		"duplicate-field":      {strings.Replace(metadataFile, `"pool"`, `"name": "d1", "pool"`, 1), "", 2, true},
		"wrong-type":           {strings.Replace(metadataFile, `"d0"`, `0`, 1), "", 2, false},
		"driver-name":          {strings.Replace(metadataFile, "d.example", "d_.example", 1), "", 2, false},
		"request-name":         {strings.Replace(metadataFile, `"r"`, `""`, 1), "", 2, false},
		"version-twice":        {metadataFile + metadataFile, "", 3, true},
		"version-order":        {alpha(metadataFile) + metadataFile, "", 3, true},
		"objects-differ":       {metadataFile + alpha(changed), "", 4, false},
		"generation-missing":   {generation(metadataFile, "0"), "", 1, true},
		"generation-not-risen": {changed, metadataFile, 1, false},
		"generation-restarted": {generation(changed, "1"), metadataFile, 1, true},
		"another-claim":        {strings.Replace(metadataFile, `"c"`, `"other"`, 1), metadataFile, 1, true},
	} {
		result, err := CheckMetadata(context.Background(), MetadataFiles{tt.current, tt.previous}, CheckMetadataOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if len(result.Findings) != 1 || result.Findings[0].Code != code || result.Valid != tt.valid {
			t.Errorf("%s: got %v, valid %v", code, result.Findings, result.Valid)
			continue
		}
		if at := result.Findings[0].Location; (at == nil) != (tt.line == 0) || at != nil && at.Line != tt.line {
			t.Errorf("%s: got %v, want line %d", code, at, tt.line)
		}
	}
	for what, files := range map[string]MetadataFiles{
		"right":                {metadataFile + alpha(metadataFile), ""},
		"the same again":       {metadataFile, metadataFile},
		"the next generation":  {generation(changed, "3"), metadataFile},
		"a version was added":  {metadataFile + alpha(metadataFile), metadataFile},
		"a later generation":   {generation(metadataFile, "9"), metadataFile},
		"another order inside": {strings.Replace(metadataFile, `"pool": "p", "name": "d0"`, `"name": "d0", "pool": "p"`, 1), metadataFile},
	} {
		if result, err := CheckMetadata(context.Background(), files, CheckMetadataOptions{}); err != nil || !result.Valid || len(result.Findings) > 0 {
			t.Errorf("%s: got %v, %v", what, result.Findings, err)
		}
	}
	// Only the unknown: readers fail.
	result, _ := CheckMetadata(context.Background(), MetadataFiles{Current: strings.Replace(metadataFile, "v1beta1", "v1", 1)}, CheckMetadataOptions{})
	if n := len(result.Findings); n != 2 || result.Findings[1].Code != "no-known-version" || result.Valid {
		t.Errorf("got %v", result.Findings)
	}
}

func TestParseMetadataFiles(t *testing.T) {
	body, err := json.Marshal(MetadataFiles{Current: "a", Previous: "b"})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := ParseMetadataFiles(body); err != nil || got != (MetadataFiles{"a", "b"}) {
		t.Errorf("got %v, %v", got, err)
	}
	for want, body := range map[string]string{
		"must be a JSON object": `["a"]`, "lacks current": `{"previous": "a"}`, "neither current": `{"current": "a", "before": ""}`,
	} {
		if _, err := ParseMetadataFiles([]byte(body)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
