package podresources

import (
	"context"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	podresourcesv1 "k8s.io/kubelet/pkg/apis/podresources/v1"

	"github.com/drawbridge-dra/drawbridge/core"
)

const example = "../testdata/nodes/monitoring.yaml"

// start serves files and returns a client.
func start(t *testing.T, opts core.PodResourcesOptions, files ...string) podresourcesv1.PodResourcesListerClient {
	t.Helper()
	source, err := Open(t.Context(), files, opts, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	listener, err := Listen(socketPath(t))
	if err != nil {
		t.Fatal(err)
	}
	server := NewServer(source)
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	t.Cleanup(func() {
		server.Stop()
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
	return client(t, listener.Addr().String())
}

// socketPath is short enough for a socket wherever tests have their directory.
func socketPath(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "pr")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return filepath.Join(dir, "k.sock")
}

func client(t *testing.T, path string) podresourcesv1.PodResourcesListerClient {
	t.Helper()
	conn, err := grpc.NewClient("unix://"+path, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return podresourcesv1.NewPodResourcesListerClient(conn)
}

func list(t *testing.T, c podresourcesv1.PodResourcesListerClient) *podresourcesv1.ListPodResourcesResponse {
	t.Helper()
	out, err := c.List(t.Context(), &podresourcesv1.ListPodResourcesRequest{})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// What comes over the socket is what the core says.
func TestAnswers(t *testing.T) {
	text, err := os.ReadFile(example)
	if err != nil {
		t.Fatal(err)
	}
	opts := core.PodResourcesOptions{Node: "worker-1", CDI: "{driver}/gpu={device}", DeviceMetadata: true}
	result, err := core.PodResources(t.Context(), text, opts)
	if err != nil {
		t.Fatal(err)
	}
	c := start(t, opts, example)
	wanted, err := core.JSON(result.List)
	if err != nil {
		t.Fatal(err)
	}
	want := &podresourcesv1.ListPodResourcesResponse{}
	if err := protojson.Unmarshal(wanted, want); err != nil { // it refuses unknown names
		t.Fatal(err)
	}
	if got := list(t, c); len(want.PodResources) == 0 || !proto.Equal(got, want) {
		t.Errorf("got  %v\nwant %s", got, wanted)
	}
	for _, pod := range want.PodResources {
		answer, err := c.Get(t.Context(), &podresourcesv1.GetPodResourcesRequest{PodNamespace: pod.Namespace, PodName: pod.Name})
		if err != nil || !proto.Equal(answer.PodResources, pod) {
			t.Errorf("%s: got %v, %v", pod.Name, answer, err)
		}
	}
	for _, ended := range result.Ended {
		if answer, err := c.Get(t.Context(), &podresourcesv1.GetPodResourcesRequest{PodNamespace: ended.Namespace, PodName: ended.Name}); err != nil || answer.PodResources.Name != ended.Name {
			t.Errorf("%s: got %v, %v", ended.Name, answer, err)
		}
	}
	if len(result.Ended) == 0 {
		t.Error("the example has no pod that has ended")
	}
	if answer, err := c.GetAllocatableResources(t.Context(), &podresourcesv1.AllocatableResourcesRequest{}); err != nil || !proto.Equal(answer, &podresourcesv1.AllocatableResourcesResponse{}) {
		t.Errorf("got %v, %v", answer, err)
	}
	_, err = c.Get(t.Context(), &podresourcesv1.GetPodResourcesRequest{PodNamespace: "default", PodName: "nobody"})
	if s := status.Convert(err); s.Code() != codes.Unknown || s.Message() != "pod nobody in namespace default not found" {
		t.Errorf("got %v", err)
	}
}

// within waits for something to happen.
func within(t *testing.T, what string, happened func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if happened() {
			return
		}
	}
	t.Fatal("within a minute: no ", what)
}

// The answer follows the files, and stays what it was while they are broken.
func TestFilesChange(t *testing.T) {
	text, err := os.ReadFile(example)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "node.yaml")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(string(text))
	c := start(t, core.PodResourcesOptions{Node: "worker-1"}, file)
	before := list(t, c)
	same := func(when string) {
		t.Helper()
		if got := list(t, c); !proto.Equal(got, before) {
			t.Errorf("%s: got %v, want %v", when, got, before)
		}
	}
	same("nothing has changed")
	for when, broken := range map[string]string{"empty": "", "cut off": string(text) + "---\n{\"apiVersion\": ", "no YAML": "a: [\n"} {
		write(broken)
		same(when)
		// Also once the file has been left alone for as long as one likes.
		old := time.Now().Add(-time.Hour)
		if err := os.Chtimes(file, old, old); err != nil {
			t.Fatal(err)
		}
		same(when + ", for an hour")
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	same("the file is gone")
	write(strings.ReplaceAll(string(text), "name: train", "name: other"))
	within(t, "answer with the new name", func() bool {
		return strings.Contains(list(t, c).String(), `name:"other"`)
	})
	if strings.Contains(list(t, c).String(), `name:"train"`) {
		t.Error("the old pod is still there")
	}
}

func TestOpenRefuses(t *testing.T) {
	for want, tt := range map[string]struct {
		file string
		opts core.PodResourcesOptions
	}{
		"no such file":     {"no-such-file", core.PodResourcesOptions{}},
		"node: must be":    {example, core.PodResourcesOptions{Node: "nowhere"}},
		"cdi: can hold":    {example, core.PodResourcesOptions{Node: "worker-1", CDI: "{vendor}"}},
		"kubernetesVersio": {example, core.PodResourcesOptions{Options: core.Options{KubernetesVersion: "2"}}},
	} {
		if _, err := Open(context.Background(), []string{tt.file}, tt.opts, slog.New(slog.DiscardHandler)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

func TestSocket(t *testing.T) {
	path := socketPath(t)
	l, err := Listen(path)
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Lstat(path)
	if err != nil || info.Mode() != os.ModeSocket|0o600 {
		t.Errorf("got %v, %v", info.Mode(), err)
	}
	if entries, err := os.ReadDir(filepath.Dir(path)); err != nil || len(entries) != 1 {
		t.Errorf("got %v, %v", entries, err)
	}
	if _, err := Listen(path); err == nil || !strings.Contains(err.Error(), "somebody listens") {
		t.Errorf("got %v", err)
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	if _, err := os.Lstat(path); !os.IsNotExist(err) {
		t.Errorf("the socket is still there: %v", err)
	}

	// A file that has taken the place of the socket stays.
	if l, err = Listen(path); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != "mine" {
		t.Errorf("got %q, %v", text, err)
	}
	if _, err := Listen(path); err == nil || !strings.Contains(err.Error(), "is no socket") {
		t.Errorf("got %v", err)
	}
}

// A socket that nobody listens on is taken over only if an earlier run left it.
func TestSocketLeftBehind(t *testing.T) {
	path := socketPath(t)
	leave := func(mode os.FileMode) {
		t.Helper()
		l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
		if err != nil {
			t.Fatal(err)
		}
		l.SetUnlinkOnClose(false)
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
	leave(0o660)
	if _, err := Listen(path); err == nil || !strings.Contains(err.Error(), "somebody else") {
		t.Errorf("got %v", err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	leave(0o600)
	l, err := Listen(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
}

// A symbolic link is not followed, wherever it leads.
func TestSocketIsNoLink(t *testing.T) {
	path := socketPath(t)
	target := path + "2"
	l, err := Listen(target)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	for _, to := range []string{target, path + ".none"} {
		if err := os.Symlink(to, path); err != nil {
			t.Fatal(err)
		}
		if _, err := Listen(path); err == nil || !strings.Contains(err.Error(), "is no socket") {
			t.Errorf("a link to %s: got %v", to, err)
		}
		if got, err := os.Readlink(path); err != nil || got != to {
			t.Errorf("the link leads to %q, %v", got, err)
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
	if c, err := net.Dial("unix", target); err != nil {
		t.Errorf("what listened does not any more: %v", err)
	} else {
		_ = c.Close()
	}
}
