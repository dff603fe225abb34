package negotiation

import (
	"bytes"
	"debug/buildinfo"
	"encoding/json"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/drawbridge-dra/drawbridge/conformance/recording"
)

const (
	module = "../older/v1.31"
	file   = "testdata/kubernetes-1.31.json.gz"
	task   = "generate:negotiation"
	stale  = "; run: task " + task
)

// record is what Kubernetes made of the cases.
type record struct {
	Kubernetes string    `json:"kubernetes"`
	Cases      []verdict `json:"cases"`
}

// build builds the program that plays with Kubernetes' own code.
func build(t *testing.T) string {
	t.Helper()
	program, err := filepath.Abs(filepath.Join(t.TempDir(), "negotiation"))
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", "build", "-o", program, "./negotiation")
	cmd.Dir = module
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("the judge cannot be built: %v\n%s", err, out)
	}
	return program
}

// kubernetes is the version that a program was made of.
func kubernetes(t *testing.T, program string) string {
	t.Helper()
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range info.Deps {
		if m.Path == "k8s.io/kubernetes" {
			return m.Version
		}
	}
	t.Fatal("the judge is not made of Kubernetes")
	return ""
}

var judge string

// ask lets Kubernetes play the cases.
func ask(t *testing.T, list []negotiationCase) []verdict {
	t.Helper()
	judge = build(t)
	var requests bytes.Buffer
	encoder := json.NewEncoder(&requests)
	for _, c := range list {
		if err := encoder.Encode(map[string]any{"text": c.Text, "gates": both(c.Gates), "fresh": c.Fresh, "turns": 64, "runs": 16, "shuffles": 8}); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(judge)
	var complaints bytes.Buffer
	cmd.Stdin, cmd.Stderr = &requests, &complaints
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("the judge: %v\n%s", err, complaints.Bytes())
	}
	answers := json.NewDecoder(bytes.NewReader(out))
	verdicts := make([]verdict, len(list))
	for i := range verdicts {
		if err := answers.Decode(&verdicts[i]); err != nil {
			t.Fatal(err)
		}
		verdicts[i].Case = list[i].digest()
	}
	return verdicts
}

// both names both gates, since the judge keeps what the case before has set.
func both(gates string) string {
	if strings.Contains(gates, "DRAControlPlaneController") {
		return gates
	}
	return gates + ",DRAControlPlaneController=false"
}

func keep(t *testing.T, list []negotiationCase, verdicts []verdict) {
	t.Helper()
	size := recording.Write(t, file, record{kubernetes(t, judge), verdicts})
	t.Logf("%d cases, %d bytes", len(list), size)
}

// recorded reads what was recorded of the cases, of the version that the
// judge's module names.
func recorded(t *testing.T, list []negotiationCase) []verdict {
	t.Helper()
	var from record
	recording.Read(t, file, &from)
	recording.Current(t, module, from.Kubernetes, task)
	if len(from.Cases) < len(list) {
		t.Fatalf("the recording has %d cases of %d%s", len(from.Cases), len(list), stale)
	}
	for i, c := range list {
		if from.Cases[i].Case != c.digest() {
			t.Fatalf("the recording is of another text for case %d, %s%s", i, c.name, stale)
		}
	}
	return from.Cases
}
