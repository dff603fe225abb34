package main

import (
	"bytes"
	"errors"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/drawbridge-dra/drawbridge/cluster/clustertest"
)

// apiserver starts an API server with the objects of a file, and a kubeconfig
// that leads to it: apiserver FILE [minor=N] [gates=A=true] [serves=v1beta1]
// [page=N] [expired] [refuse=PATH:CODE]...
func apiserver(t *testing.T) func(*testscript.TestScript, bool, []string) {
	return func(ts *testscript.TestScript, neg bool, args []string) {
		if neg || len(args) == 0 {
			ts.Fatalf("usage: apiserver FILE [NAME=VALUE]...")
		}
		o := clustertest.Options{Objects: ts.ReadFile(args[0]), Refuses: map[string]int{}}
		for _, arg := range args[1:] {
			name, value, _ := strings.Cut(arg, "=")
			switch name {
			case "minor":
				o.Minor, _ = strconv.Atoi(value)
			case "page":
				o.Page, _ = strconv.Atoi(value)
			case "gates":
				o.Gates = value
			case "serves":
				o.Serves = strings.Split(value, ",")
			case "expired":
				o.Expired = true
			case "refuse":
				path, code, _ := strings.Cut(value, ":")
				o.Refuses[path], _ = strconv.Atoi(code)
			default:
				ts.Fatalf("there is no %s", name)
			}
		}
		s, err := clustertest.Start(o)
		ts.Check(err)
		ts.Defer(s.Close)
		path := ts.MkAbs("kubeconfig")
		ts.Check(os.WriteFile(path, []byte(s.Kubeconfig()), 0o600))
		ts.Setenv("KUBECONFIG", path)
	}
}

// slowly runs a command against a server that says when a path is asked for,
// and lets the test decide how long it waits.
func slowly(t *testing.T, path string, wait func(*http.Request), args ...string) *exec.Cmd {
	t.Helper()
	objects, err := os.ReadFile("../../cluster/testdata/pending.yaml")
	if err != nil {
		t.Fatal(err)
	}
	s, err := clustertest.Start(clustertest.Options{Objects: string(objects), Gates: "DRADeviceTaints=true", Page: 2, Before: func(r *http.Request) {
		if r.URL.Path == path {
			wait(r)
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	config := filepath.Join(t.TempDir(), "kubeconfig")
	if err := os.WriteFile(config, []byte(s.Kubeconfig()), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(binary(t), append(args, "--from-cluster", "--kubeconfig="+config)...)
	cmd.Dir = t.TempDir()
	return cmd
}

// TestInterruptFromCluster presses Ctrl-C while an API server does not answer.
func TestInterruptFromCluster(t *testing.T) {
	asked := make(chan struct{}, 8)
	cmd := slowly(t, "/api/v1/pods", func(r *http.Request) {
		asked <- struct{}{}
		<-r.Context().Done()
	}, "explain", "pod/train")
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case <-asked:
	case err := <-ended:
		t.Fatalf("%v: %s", err, out.String())
	case <-time.After(time.Minute):
		_ = cmd.Process.Kill()
		t.Fatal("it asks for nothing")
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-ended:
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.ExitCode() != 130 || out.Len() > 0 {
			t.Errorf("%v, %q", err, out.String())
		}
	case <-time.After(time.Minute):
		_ = cmd.Process.Kill()
		t.Fatal("it goes on")
	}
}
