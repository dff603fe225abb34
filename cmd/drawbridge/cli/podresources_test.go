package cli

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	podresourcesv1 "k8s.io/kubelet/pkg/apis/podresources/v1"
)

const nodeExample = "../../../testdata/nodes/metadata.yaml"

// The command answers on its socket, and takes it away at the end.
func TestPodResources(t *testing.T) {
	dir, err := os.MkdirTemp("", "pr") // sockets have short paths
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	socket := filepath.Join(dir, "k.sock")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var out, errs bytes.Buffer
	cmd := New()
	cmd.SetArgs([]string{"podresources", "--socket", socket, "--node", "worker-0", nodeExample})
	cmd.SetOut(&out)
	cmd.SetErr(&errs)
	done := make(chan error, 1)
	go func() { done <- cmd.ExecuteContext(ctx) }()

	conn, err := grpc.NewClient("unix://"+socket, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	asked, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	answer, err := podresourcesv1.NewPodResourcesListerClient(conn).List(asked, &podresourcesv1.ListPodResourcesRequest{}, grpc.WaitForReady(true))
	if err != nil {
		t.Fatal(err)
	}
	if len(answer.PodResources) != 1 || answer.PodResources[0].Name != "pod0" {
		t.Errorf("got %v", answer)
	}
	cancel()
	select {
	case err := <-done:
		if err != nil {
			t.Errorf("%v: %s", err, errs.String())
		}
	case <-time.After(time.Minute):
		t.Fatal("the command does not end")
	}
	if !strings.Contains(out.String(), "answers for the kubelet of worker-0 on unix://"+socket) {
		t.Errorf("got %q", out.String())
	}
	if _, err := os.Lstat(socket); !os.IsNotExist(err) {
		t.Errorf("the socket is still there: %v", err)
	}
}

func TestPodResourcesMisuse(t *testing.T) {
	for want, args := range map[string][]string{
		`required flag(s) "socket" not set`: {"podresources", nodeExample},
		"name the files that describe":      {"podresources", "--socket", "x"},
		"node: must be a node":              {"podresources", "--socket", "x", "--node", "other", nodeExample},
		"no-such-file":                      {"podresources", "--socket", "x", "no-such-file"},
		"is no socket":                      {"podresources", "--socket", nodeExample, nodeExample},
	} {
		out, errs, err := execute(args...)
		if err == nil || !strings.Contains(errs, want) || out != "" {
			t.Errorf("%v: got %q %q %v", args, out, errs, err)
		}
	}
}
