package slim

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const root = "../.."

// What was cut is gone, and the bytes are the same every time.
func TestBuild(t *testing.T) {
	out := filepath.Join(t.TempDir(), "a.wasm")
	again := filepath.Join(t.TempDir(), "b.wasm")
	for _, file := range []string{out, again} {
		if err := Build(root, file); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	other, err := os.ReadFile(again)
	if err != nil {
		t.Fatal(err)
	}
	if string(text) != string(other) {
		t.Error("two builds of the same source differ")
	}
	// Names of functions stand in the module for stack traces.
	for _, gone := range []string{
		"k8s.io/api/core/v1.(*PodSpec).Unmarshal", "k8s.io/api/resource/v1.(*ResourceSlice).MarshalTo",
		"net/http.(*Server).Serve", "crypto/tls.(*Conn).Handshake", "prometheus.NewRegistry",
		"github.com/fxamacker/cbor", "github.com/json-iterator/go.(*Stream).WriteString", "github.com/modern-go/reflect2",
	} {
		if strings.Contains(string(text), gone) {
			t.Errorf("%s is still there", gone)
		}
	}
	here, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(text), here) {
		t.Errorf("the module has %s in it", here)
	}
	for _, there := range []string{"k8s.io/api/core/v1.(*PodSpec).DeepCopyInto", "core/validate."} {
		if !strings.Contains(string(text), there) {
			t.Errorf("%s is not found, so looking for names proves nothing", there)
		}
	}
}

// A cut must find what it cuts: a new version of Kubernetes wants a look.
func TestCutsMustMatch(t *testing.T) {
	home := t.TempDir()
	file := filepath.Join(home, "m", "a.go")
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte("// Package a is one.\npackage a\n\nvar x = 1\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		cut  cut
		want string // of the file; empty: an error
	}{
		{cut{module: "m", files: "b.go"}, ""},
		{cut{module: "m", files: "a.go", keep: "a.go"}, ""},
		{cut{module: "m", files: "a.go", old: "var y"}, ""},
		{cut{module: "m", files: "a.go", old: "x = 1", new: "x = 2"}, "// Package a is one.\npackage a\n\nvar x = 2\n"},
		{cut{module: "m", files: "*.go", new: "var z int\n"}, "package a\n\nvar z int\n"},
	} {
		err := test.cut.make(home)
		if (err != nil) != (test.want == "") {
			t.Errorf("%+v: %v", test.cut, err)
		}
		if text, _ := os.ReadFile(file); test.want != "" && string(text) != test.want {
			t.Errorf("%+v: got %q, want %q", test.cut, text, test.want)
		}
	}
}
