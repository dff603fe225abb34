// Package recording keeps what Kubernetes' own code of an older version said,
// where building that code takes longer than the tests may.
package recording

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Write puts a record into a file, as packed JSON, and returns the bytes that
// it takes there.
func Write(t testing.TB, file string, record any) int {
	t.Helper()
	text, err := json.Marshal(record)
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
	return out.Len()
}

// Read reads a record that Write has written.
func Read(t testing.TB, file string, record any) {
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
	if err := json.Unmarshal(text, record); err != nil {
		t.Fatal(err)
	}
}

// Current demands that a record is of the version of Kubernetes that the
// module of its judge requires; task is what records anew.
func Current(t testing.TB, module, kubernetes, task string) {
	t.Helper()
	requires, err := os.ReadFile(filepath.Join(module, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	if kubernetes == "" || !strings.Contains(string(requires), "\tk8s.io/kubernetes "+kubernetes+"\n") {
		t.Fatalf("the recording is of Kubernetes %q, and the judge of another version; run: task %s", kubernetes, task)
	}
}
