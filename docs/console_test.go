package docs

import (
	"bufio"
	"bytes"
	"context"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/drawbridge-dra/drawbridge/cluster/clustertest"
)

// example is a command of a document and the output that is shown under it.
// A line of just "…" stands for any lines.
type example struct {
	file    string
	line    int
	command string
	output  []string
}

// examples reads the console blocks of a document.
func examples(t *testing.T, file string) []example {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var out []example
	inside, continued := false, false
	scanner := bufio.NewScanner(bytes.NewReader(text))
	for n := 1; scanner.Scan(); n++ {
		line := scanner.Text()
		switch {
		case line == "```console":
			inside = true
		case strings.HasPrefix(line, "```"):
			inside = false
		case !inside:
		case strings.HasPrefix(line, "$ "):
			out = append(out, example{file: file, line: n, command: strings.TrimPrefix(line, "$ ")})
			continued = strings.HasSuffix(line, `\`)
		case continued:
			out[len(out)-1].command += "\n" + line
			continued = strings.HasSuffix(line, `\`)
		case len(out) > 0:
			out[len(out)-1].output = append(out[len(out)-1].output, line)
		}
	}
	return out
}

// TestExamples runs every command of the documents against the real binary.
func TestExamples(t *testing.T) {
	files, err := filepath.Glob("*.md")
	if err != nil {
		t.Fatal(err)
	}
	files = append(files, "../README.md", "../CONTRIBUTING.md", "../SECURITY.md", "../ARCHITECTURE.md")
	var all []example
	for _, file := range files {
		all = append(all, examples(t, file)...)
	}
	if len(all) < 2 {
		t.Fatalf("only %d examples found", len(all))
	}
	https, http := serve(t)
	pendingCluster(t)
	for _, e := range all {
		command := strings.NewReplacer("localhost:8443", https, "localhost:8080", http, "127.0.0.1:8080", http).Replace(e.command)
		run := exec.Command("bash", "-c", command)
		run.Dir = ".."
		out, err := run.CombinedOutput()
		if err != nil {
			t.Errorf("%s:%d: %v\n%s", e.file, e.line, err, out)
			continue
		}
		got := strings.Split(strings.TrimRight(string(out), "\n"), "\n")
		if !matches(e.output, got) {
			t.Errorf("%s:%d: %s\nshows\n%s\nprints\n%s", e.file, e.line, e.command, strings.Join(e.output, "\n"), strings.Join(got, "\n"))
		}
	}
}

// pendingCluster is the cluster that docs/cluster.md asks about, and a kubectl
// that does with plugins what kubectl does.
func pendingCluster(t *testing.T) {
	t.Helper()
	objects, err := os.ReadFile("../cluster/testdata/pending.yaml")
	if err != nil {
		t.Fatal(err)
	}
	s, err := clustertest.Start(clustertest.Options{Objects: string(objects), Gates: "DRADeviceTaints=true"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "kubeconfig"), []byte(s.Kubeconfig()), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("KUBECONFIG", filepath.Join(folder, "kubeconfig"))
	program, err := exec.LookPath("drawbridge")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(program, filepath.Join(folder, "kubectl-drawbridge")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "kubectl"), []byte("#!/bin/sh\nplugin=$1\nshift\nexec kubectl-$plugin \"$@\"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", folder+string(os.PathListSeparator)+os.Getenv("PATH"))
}

func matches(shown, got []string) bool {
	for len(shown) > 0 && strings.TrimSpace(shown[len(shown)-1]) == "" {
		shown = shown[:len(shown)-1]
	}
	for i, line := range shown {
		if strings.TrimSpace(line) != "…" {
			if len(got) == 0 || got[0] != line {
				return false
			}
			got = got[1:]
			continue
		}
		for skip := 0; skip <= len(got); skip++ {
			if matches(shown[i+1:], got[skip:]) {
				return true
			}
		}
		return false
	}
	return len(got) == 0
}

// serve builds and starts the binary, and returns where it listens.
func serve(t *testing.T) (https, plain string) {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "drawbridge")
	build := exec.Command("go", "build", "-o", binary, "./cmd/drawbridge")
	build.Dir = ".."
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	https, plain = freeAddress(t), freeAddress(t)
	ctx, cancel := context.WithCancel(context.Background())
	// The examples call it by its name.
	t.Setenv("PATH", filepath.Dir(binary)+string(os.PathListSeparator)+os.Getenv("PATH"))
	server := exec.CommandContext(ctx, binary, "serve", "--https-listen", https, "--http-listen", plain)
	var log bytes.Buffer
	server.Stdout, server.Stderr = &log, &log
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cancel(); _ = server.Wait() })
	for range 1200 {
		if r, err := http.Get("http://" + plain + "/readyz"); err == nil {
			_ = r.Body.Close()
			if r.StatusCode == http.StatusOK {
				return https, plain
			}
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatalf("the server does not become ready:\n%s", log.String())
	return "", ""
}

func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	return l.Addr().String()
}
