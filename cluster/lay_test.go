package cluster

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/drawbridge-dra/drawbridge/cluster/clustertest"
	"github.com/drawbridge-dra/drawbridge/core"
	"github.com/drawbridge-dra/drawbridge/core/diag"
	"github.com/drawbridge-dra/drawbridge/input"
)

func snapshot(t *testing.T) *Snapshot {
	t.Helper()
	_, cfg := serve(t, clustertest.Options{Objects: pending(t), Gates: "DRADeviceTaints=true"})
	s, err := Read(t.Context(), cfg, Options{Use: Plan, Within: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// ways are ways to write the claim that notebook holds, with another request.
var ways = map[string]string{
	"block":    "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata:\n  # of notebook\n  name: one\nspec:\n  devices:\n    requests:\n    - name: gpu\n      exactly:\n        deviceClassName: other\n",
	"marked":   "---\n# one\napiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: one, namespace: ml}\nspec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: other}}]}}\n...\n",
	"flow":     `{apiVersion: resource.k8s.io/v1, kind: ResourceClaim, metadata: {name: one}, spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: other}}]}}}`,
	"json":     "{\n\t\"apiVersion\": \"resource.k8s.io/v1\", \"kind\": \"ResourceClaim\",\n\t\"metadata\": {\n\t\t\"name\": \"one\"\n\t},\n\t\"spec\": {\"devices\": {\"requests\": [{\"name\": \"gpu\", \"exactly\": {\"deviceClassName\": \"other\"}}]}}\n}\n",
	"list":     "apiVersion: v1\nkind: List\nitems:\n- apiVersion: resource.k8s.io/v1\n  kind: ResourceClaim\n  metadata:\n    name: one\n  spec:\n    devices:\n      requests:\n      - {name: gpu, exactly: {deviceClassName: other}}\n",
	"indented": "  apiVersion: resource.k8s.io/v1\n  kind: ResourceClaim\n  metadata:\n        name: one\n  spec:\n    devices: {requests: [{name: gpu, exactly: {deviceClassName: other}}]}\n",
	"crlf":     "apiVersion: resource.k8s.io/v1\r\nkind: ResourceClaim\r\nmetadata:\r\n  name: one\r\nspec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: other}}]}}\r\n",
	"bom":      "\uFEFFapiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: one}\nspec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: other}}]}}\n",
	"behind":   "# nothing here\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: one}\ndata: {é: \"--- x\"}\n--- # the claim\napiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: one}\nspec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: other}}]}}\n",
	"says all": "apiVersion: resource.k8s.io/v1beta1\nkind: ResourceClaim\nmetadata: {name: one, namespace: ml, uid: u}\nspec: {devices: {requests: [{name: gpu, deviceClassName: other}]}}\nstatus: {}\n",
}

// TestLay lays a claim over the live one, in every way to write it: it keeps
// what the cluster wrote, and what is found is at its place in the file.
func TestLay(t *testing.T) {
	s := snapshot(t)
	for name, way := range ways {
		t.Run(name, func(t *testing.T) {
			laid := s.Lay([]File{{"claim.yaml", []byte(way)}}, "ml")
			if laid.Replaced != 1 || len(laid.Notes) != 0 || laid.Beside["resourceclaim/ml/one"] || !laid.Beside["resourceclaim/prod/both"] {
				t.Errorf("%+v", laid)
			}
			text := &input.Text{}
			at := -1
			for i, f := range laid.Files {
				if f.Name == "claim.yaml" && at < 0 {
					at = i
				}
				content, err := f.Read()
				if err != nil {
					t.Fatal(err)
				}
				f.AddTo(text, content)
			}
			if before := laid.Files[at-1].Name; before != "resourceclaimtemplate/ml/two" && name != "behind" {
				t.Errorf("it stands behind %s", before)
			}
			result, err := core.Validate(t.Context(), text.Bytes, core.Options{})
			if err != nil {
				t.Fatal(err)
			}
			missing := 0
			for _, d := range result.Diagnostics {
				if d.Severity == diag.Error && d.Rule != "missing-class" {
					t.Errorf("%s %s: %s", d.Rule, d.Field, d.Message)
				}
				if d.Rule != "missing-class" {
					continue
				}
				missing++
				place := text.Place(d.Location)
				all := strings.Split(strings.ReplaceAll(strings.TrimPrefix(way, "\uFEFF"), "\r\n", "\n"), "\n")
				if place.File != "claim.yaml" || place.Line < 1 || place.Line > len(all) {
					t.Fatalf("%+v", place)
				}
				line := []rune(all[place.Line-1])
				if got := string(line[place.Column-1 : place.EndColumn-1]); strings.Trim(got, `"`) != "other" {
					t.Errorf("%+v is %q", place, got)
				}
				if text.Line(d.Location.Line) != string(line) {
					t.Errorf("the line is shown as %q", text.Line(d.Location.Line))
				}
			}
			if missing != 1 {
				t.Errorf("%d findings of %d", missing, len(result.Diagnostics))
			}
			// What the cluster knows of the claim is still there: it is held.
			plan, err := core.Allocate(t.Context(), text.Bytes, core.Options{SkipValidation: true})
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range plan.Claims {
				if c.Claim.Name != "one" {
					continue
				}
				kept := c.Claim.Status.Allocation != nil && c.Claim.UID == "00000000-0000-4000-8000-000000000052"
				if kept == (name == "says all") {
					t.Errorf("%+v", c.Claim)
				}
			}
		})
	}
}

// TestLayPod keeps the node of a pod that runs.
func TestLayPod(t *testing.T) {
	s := snapshot(t)
	laid := s.Lay([]File{
		{"pod.yaml", []byte("apiVersion: v1\nkind: Pod\nmetadata:\n  name: notebook\nspec:\n  containers: []\n")},
		{"new.yaml", []byte("apiVersion: v1\nkind: Pod\nmetadata:\n  name: another\nspec:\n  containers: []\n---\napiVersion: v1\nkind: Node\nmetadata: {name: n1}\n")},
	}, "ml")
	if laid.Replaced != 2 {
		t.Errorf("%+v", laid)
	}
	for _, f := range laid.Files {
		content, err := f.Read()
		if err != nil {
			t.Fatal(err)
		}
		one := &input.Text{}
		f.AddTo(one, content)
		var got struct {
			Metadata struct{ Name, Namespace, UID string }
			Spec     struct {
				NodeName string `yaml:"nodeName"`
			}
			Status map[string]any
		}
		if err := yaml.Unmarshal(one.Bytes, &got); err != nil {
			t.Fatalf("%v\n%s", err, one.Bytes)
		}
		switch fmt.Sprint(f.Name, " ", got.Metadata.Name) {
		case "pod.yaml notebook":
			if got.Metadata.Namespace != "ml" || got.Metadata.UID == "" || got.Spec.NodeName != "n2" || got.Status["phase"] != "Running" {
				t.Errorf("%+v", got)
			}
		case "new.yaml another":
			if got.Metadata.Namespace != "ml" || got.Metadata.UID != "" || got.Spec.NodeName != "" || got.Status != nil {
				t.Errorf("%+v", got)
			}
		case "new.yaml n1":
			if got.Metadata.Namespace != "" || got.Status["allocatable"] == nil {
				t.Errorf("%+v", got)
			}
		}
	}
}

// TestLayOdd leaves alone what it does not understand, and says so.
func TestLayOdd(t *testing.T) {
	s := snapshot(t)
	for text, want := range map[string]string{
		"a: [": "odd.yaml:1: this document cannot be read as YAML",
		"apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: &m {name: one}\nspec: {}\n": "odd.yaml:1: what the cluster writes",
		"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: one}\n":                                  "",
		"":        "",
		"just":    "",
		"- [1]\n": "",
		"%YAML 1.1\n---\napiVersion: v1\nkind: Pod\nmetadata: {name: x, namespace: y}\n": "",
	} {
		laid := s.Lay([]File{{"odd.yaml", []byte(text)}}, "ml")
		if notes := strings.Join(laid.Notes, "\n"); !strings.Contains(notes, want) || want == "" && notes != "" {
			t.Errorf("%q: %q", text, laid.Notes)
		}
		joined := &input.Text{}
		for _, f := range laid.Files {
			content, err := f.Read()
			if err != nil {
				t.Fatal(err)
			}
			f.AddTo(joined, content)
		}
		if !strings.Contains(string(joined.Bytes), strings.TrimSpace(text)) {
			t.Errorf("%q is lost", text)
		}
	}
}

func TestFind(t *testing.T) {
	s := snapshot(t)
	if s.Find("Pod", "ml", "train") == nil || s.Find("Pod", "prod", "train") != nil {
		t.Error("Find finds what is not asked for")
	}
	if got := s.Holders("prod", "both"); len(got) != 1 || got[0] != "pod/prod/serve" {
		t.Errorf("%q", got)
	}
	if got := s.Holders("prod", "none"); len(got) != 0 {
		t.Errorf("%q", got)
	}
	if got := s.Waiting("ml/train"); !strings.HasPrefix(got, "0/2 nodes are available: ") {
		t.Errorf("%q", got)
	}
	if got := s.Waiting("ml/web") + s.Waiting("ml/none") + s.Waiting(""); got != "" {
		t.Errorf("%q", got)
	}
}
