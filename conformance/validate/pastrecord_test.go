package validate

import (
	"bytes"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/drawbridge-dra/drawbridge/conformance/recording"
	"github.com/drawbridge-dra/drawbridge/core"
	"github.com/drawbridge-dra/drawbridge/core/feature"
)

// pastVerdict is what Kubernetes makes of a case.
type pastVerdict struct {
	// Case is a digest of the case, which tells that the recording is of
	// another one.
	Case string `json:"c"`
	// Errors are error types and paths, Unknown the fields that the API version
	// does not have; both sorted, each once.
	Errors  []string `json:"e,omitempty"`
	Unknown []string `json:"u,omitempty"`
	// Stored is a digest of what is stored if there are no errors.
	Stored string `json:"s,omitempty"`
	// Unread is set if the object cannot be read.
	Unread bool `json:"r,omitempty"`

	kept []byte // what Stored is the digest of, while the judge runs
}

// pastRecording is what the code of one version says.
type pastRecording struct {
	// Kubernetes is the version of that code.
	Kubernetes string `json:"kubernetes"`
	// About are the kinds that it knows, with their fields.
	About olderDescription `json:"about"`
	// States are its verdicts, by the states of the gates.
	States [][]pastVerdict `json:"states"`
}

// recorded answers from a recording.
type recorded struct {
	state []pastVerdict
	next  int
}

func (r *recorded) verdict(t *testing.T, c pastCase) pastVerdict {
	t.Helper()
	if r.next >= len(r.state) || r.state[r.next].Case != c.digest(t) {
		t.Fatal("the recording is about other objects; run: task generate:past")
	}
	r.next++
	return r.state[r.next-1]
}

func (*recorded) again() bool { return false }

// digest tells cases apart.
func (c pastCase) digest(t *testing.T) string {
	t.Helper()
	text, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	return digest(t, text)
}

// digest is short: it is there to notice what is different by mistake.
func digest(t *testing.T, text []byte) string {
	t.Helper()
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:5])
}

// verdictOf puts an answer of a judge into the form that is compared.
func verdictOf(t *testing.T, operation string, v olderVerdict) pastVerdict {
	t.Helper()
	if v.Panic != "" {
		t.Fatalf("Kubernetes breaks down: %s", v.Panic)
	}
	out := pastVerdict{Unread: v.Failed != "", Unknown: sortedOnce(v.Unknown)}
	for _, e := range sortedOnce(v.Errors) {
		// Kubernetes 1.30 prints a path for the whole object as Go prints nothing.
		out.Errors = append(out.Errors, strings.Replace(e, "<nil>", "", 1))
	}
	if out.Errors = sortedOnce(out.Errors); len(out.Errors) == 0 && !out.Unread {
		out.kept = comparedForm(t, v.Stored, operation)
		out.Stored = digest(t, out.kept)
	}
	return out
}

// comparedForm leaves out of a stored object what says nothing, what the API
// server makes up, and what Drawbridge keeps in the text alone.
func comparedForm(t *testing.T, text []byte, operation string) []byte {
	t.Helper()
	var tree map[string]any
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&tree); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	leaveOut(tree, "metadata", "resourceVersion")
	if operation == "create" {
		delete(tree, "metadata")
		delete(tree, "status")
	} else if tree["apiVersion"] == "resource.k8s.io/v1alpha3" {
		leaveOut(tree, "spec", "controller")
		leaveOut(tree, "spec", "suitableNodes")
		leaveOut(tree, "spec", "spec", "controller")
		leaveOut(tree, "status", "deallocationRequested")
		leaveOut(tree, "status", "allocation", "controller")
	}
	out, err := json.Marshal(pruned(tree))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func leaveOut(tree map[string]any, path ...string) {
	for _, key := range path[:len(path)-1] {
		tree, _ = tree[key].(map[string]any)
	}
	delete(tree, path[len(path)-1])
}

// pruned takes entries of maps away that say nothing.
func pruned(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for key, inside := range v {
			inside = pruned(inside)
			switch x := inside.(type) {
			case map[string]any:
				if len(x) == 0 {
					inside = nil
				}
			case []any:
				if len(x) == 0 {
					inside = nil
				}
			}
			if inside == nil || inside == "" || inside == false || inside == json.Number("0") {
				delete(v, key)
			} else {
				v[key] = inside
			}
		}
	case []any:
		for i := range v {
			v[i] = pruned(v[i])
		}
	}
	return v
}

// converted is what core.Convert says that is stored of a new object.
func (c pastCase) converted(t *testing.T, set *feature.Set, gates string) []byte {
	t.Helper()
	result, err := core.Convert(t.Context(), c.text(t, c.Now), core.ConvertOptions{Options: core.Options{KubernetesVersion: set.Version().String(), FeatureGates: gates}})
	if err != nil {
		t.Fatal(err)
	}
	text, err := yaml.YAMLToJSON([]byte(result.Objects[0].Text))
	if err != nil || len(result.Objects[0].Text) == 0 {
		t.Fatalf("%v: %s", err, result.Objects[0].Message)
	}
	return comparedForm(t, text, c.Operation)
}

func pastFile(v feature.Version) string {
	return filepath.Join("testdata", "kubernetes-"+v.String()+".json.gz")
}

// recordPast builds the judge of a version and writes down what it says.
func recordPast(t *testing.T, v feature.Version) {
	t.Helper()
	program := olderProgram(t, v.Minor)
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	record := pastRecording{About: describedBy(t, program)}
	record.About.Gates = nil // most are not about devices
	for _, m := range info.Deps {
		if m.Path == "k8s.io/kubernetes" {
			record.Kubernetes = m.Version
		}
	}
	for n, state := range pastStates[v.Minor] {
		judge := live{startOlder(t, program, state.gates)}
		var list []pastVerdict
		for i := range state.objects {
			c := pastCaseOf(t, v, pastSeed, n, i)
			verdict := judge.verdict(t, c)
			verdict.Case = c.digest(t)
			list = append(list, verdict)
		}
		record.States = append(record.States, list)
	}
	recording.Write(t, pastFile(v), record)
}

// readPast reads a recording, which must be of the version that the judge's
// module names.
func readPast(t *testing.T, v feature.Version) pastRecording {
	t.Helper()
	var record pastRecording
	recording.Read(t, pastFile(v), &record)
	recording.Current(t, filepath.Join("..", "older", "v"+v.String()), record.Kubernetes, "generate:past")
	if len(record.States) != len(pastStates[v.Minor]) {
		t.Fatal("the recording is of other gates; run: task generate:past")
	}
	return record
}
