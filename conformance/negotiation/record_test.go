package negotiation

import (
	"bytes"
	"compress/gzip"
	"debug/buildinfo"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const (
	module = "../older/v1.31"
	file   = "testdata/kubernetes-1.31.json.gz"
	stale  = "; run: task generate:negotiation"
)

// recording is what Kubernetes made of the cases.
type recording struct {
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

func record(t *testing.T, list []negotiationCase, verdicts []verdict) {
	t.Helper()
	text, err := json.Marshal(recording{kubernetes(t, judge), verdicts})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, out.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d cases, %d bytes", len(list), out.Len())
}

// recorded reads what was recorded of the cases, of the version that the
// judge's module names.
func recorded(t *testing.T, list []negotiationCase) []verdict {
	t.Helper()
	packed, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer packed.Close()
	r, err := gzip.NewReader(packed)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	var from recording
	if err := json.Unmarshal(text, &from); err != nil {
		t.Fatal(err)
	}
	sum, err := os.ReadFile(filepath.Join(module, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	if from.Kubernetes == "" || !strings.Contains(string(sum), "\tk8s.io/kubernetes "+from.Kubernetes+"\n") {
		t.Fatalf("the recording is of Kubernetes %q, and the judge of another version%s", from.Kubernetes, stale)
	}
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
