// Package docs tests that the documents tell the truth: that the generated
// ones are fresh, that what README shows is what happens, and that the house
// stands as ARCHITECTURE.md draws it.
package docs

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/drawbridge-dra/drawbridge/"

// layers are the packages of the core, lowest first: each may import only
// what stands before it.
var layers = []string{
	"core/diag", "core/nearest", "core/feature", "core/role", "core/past", "core/bundle", "core/selector", "core/census", "core/inventory",
	"core/allocate", "core/fit", "core/classic", "core/extended", "core/footprint", "core/schedule", "core/kubelet", "core/prepared", "core/metadata", "core/podresources",
	"core/validate", "core/metadata/check", "core/rights", "core/lint", "core/mutate", "core/admission", "core/assist", "core",
}

// outside is what would make the core depend on more than its input.
var outside = []string{"net", "net/http", "os", "os/exec", "time", "math/rand", "math/rand/v2", "crypto/rand"}

func imports(t *testing.T, pattern string) map[string][]string {
	t.Helper()
	command := exec.Command("go", "list", "-f", `{{.ImportPath}} {{join .Imports " "}}`, pattern)
	command.Dir = ".."
	out, err := command.Output()
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][]string{}
	for _, line := range strings.Split(strings.TrimSpace(string(out)), "\n") {
		fields := strings.Fields(line)
		all[strings.TrimPrefix(fields[0], module)] = fields[1:]
	}
	return all
}

func TestCoreIsPure(t *testing.T) {
	for name, list := range imports(t, "./core/...") {
		for _, path := range list {
			for _, forbidden := range outside {
				if path == forbidden {
					t.Errorf("%s imports %s: the core reads nothing but its input", name, path)
				}
			}
			if strings.HasPrefix(path, "k8s.io/client-go") || strings.HasPrefix(path, "k8s.io/kubernetes") {
				t.Errorf("%s imports %s: the core knows no cluster", name, path)
			}
		}
	}
}

func TestArrowsGoOneWay(t *testing.T) {
	level := map[string]int{}
	for i, name := range layers {
		level[name] = i
	}
	for name, list := range imports(t, "./core/...") {
		mine, known := level[name]
		if !known {
			t.Errorf("%s has no place in the layers; give it one here and in ARCHITECTURE.md", name)
			continue
		}
		for _, path := range list {
			other, ours := strings.CutPrefix(path, module)
			if !ours {
				continue
			}
			if theirs, ok := level[other]; !ok || theirs >= mine {
				t.Errorf("%s imports %s, which does not stand below it", name, other)
			}
		}
	}
}

// TestFrontsCallTheFacade keeps the fronts thin: of the core they may import
// the facade and the plain types that it speaks in.
func TestFrontsCallTheFacade(t *testing.T) {
	plain := map[string]bool{"core": true, "core/diag": true}
	for _, front := range []string{"./server/...", "./openapi/...", "./webhook/...", "./podresources/...", "./wasm/...", "./cmd/...", "./doctor/...", "./cluster/...", "./lsp/...", "./rulebook/...", "./input/...", "./check/...", "./project/...", "./report/...", "./terminal/..."} {
		for name, list := range imports(t, front) {
			for _, path := range list {
				if other, ours := strings.CutPrefix(path, module); ours && strings.HasPrefix(other, "core") && !plain[other] {
					t.Errorf("%s imports %s; let the facade offer what it needs", name, other)
				}
			}
		}
	}
}

// files are the packages that answer about files, lowest first: each may import
// only those before it, and none knows of flags.
var files = []string{"terminal", "input", "check", "project", "report"}

func TestFilesArrowsGoOneWay(t *testing.T) {
	for i, name := range files {
		for _, path := range imports(t, "./"+name)[name] {
			other, ours := strings.CutPrefix(path, module)
			if ours && !strings.HasPrefix(other, "core") && !slices.Contains(files[:i], other) {
				t.Errorf("%s imports %s, which does not stand below it", name, other)
			}
			if strings.HasPrefix(path, "github.com/spf13/") {
				t.Errorf("%s imports %s: flags are for cmd/drawbridge/cli", name, path)
			}
		}
	}
}

// TestClientStaysInTheServer keeps what talks to an API server out of what
// runs in a browser, through whichever package it might come.
func TestClientStaysInTheServer(t *testing.T) {
	for _, platform := range [][]string{nil, {"GOOS=js", "GOARCH=wasm"}} {
		command := exec.Command("go", "list", "-deps", "./core/...", "./wasm/...")
		command.Dir = ".."
		command.Env = append(os.Environ(), platform...)
		out, err := command.Output()
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(out), module+"core\n") {
			t.Fatalf("the core is not listed: %s", out)
		}
		for _, path := range strings.Fields(string(out)) {
			if strings.HasPrefix(path, "k8s.io/client-go") {
				t.Errorf("%v: %s is linked into the core or the browser's module", platform, path)
			}
		}
	}
}
