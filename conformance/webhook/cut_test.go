package webhook

import (
	"io"
	"net"
	"net/url"
	"path/filepath"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/clientcmd"
)

// line is a way to the API server that can be cut.
type line struct {
	net.Listener
	to string

	mu   sync.Mutex
	cut  bool
	open map[net.Conn]bool
}

// newLine returns it with a kubeconfig that leads through it.
func newLine(t *testing.T) (l *line, kubeconfig string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	config, err := clientcmd.LoadFromFile(plane.Kubeconfig())
	if err != nil {
		t.Fatal(err)
	}
	l = &line{Listener: listener, open: map[net.Conn]bool{}}
	for _, c := range config.Clusters {
		server, err := url.Parse(c.Server)
		if err != nil {
			t.Fatal(err)
		}
		l.to = server.Host
		c.Server = "https://" + listener.Addr().String()
	}
	kubeconfig = filepath.Join(t.TempDir(), "kubeconfig")
	if err := clientcmd.WriteToFile(*config, kubeconfig); err != nil {
		t.Fatal(err)
	}
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go l.forward(conn)
		}
	}()
	t.Cleanup(func() {
		_ = l.Close()
		l.set(true)
	})
	return l, kubeconfig
}

// set cuts the line, with all that is on it, or mends it.
func (l *line) set(cut bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.cut = cut
	for conn := range l.open {
		if cut {
			_ = conn.Close()
		}
	}
}

func (l *line) forward(conn net.Conn) {
	defer conn.Close()
	l.mu.Lock()
	if l.cut {
		l.mu.Unlock()
		return
	}
	l.open[conn] = true
	l.mu.Unlock()
	defer func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.open, conn)
	}()
	to, err := net.Dial("tcp", l.to)
	if err != nil {
		return
	}
	defer to.Close()
	go func() {
		_, _ = io.Copy(conn, to)
		_ = conn.Close()
	}()
	_, _ = io.Copy(to, conn)
}

// TestCutOff takes from a replica its way to the API server, while the API
// server still asks it: what it has seen it keeps, what it has to say it says.
func TestCutOff(t *testing.T) {
	control(t)
	way, kubeconfig := newLine(t)
	addNode(t, "n2", "the-second")
	r := one(t, "--kubeconfig="+kubeconfig)
	awaitView(t, r, "cluster Node: known, 1 objects")
	works := func(when string) {
		t.Helper()
		kubectl(t, wrongSlice, "create", "--dry-run=server", "-f", "-").says(t, "api/compatibility-groups-max")
		if pod := dryRun(t, podOn("p", "n2")); pod.Spec.NodeName != "" || pod.Spec.NodeSelector[corev1.LabelHostname] != "the-second" {
			t.Errorf("%s, the node is not known: %+v", when, pod.Spec)
		}
	}
	works("before")

	way.set(true)
	works("without an API server to watch")

	way.set(false)
	addNode(t, "n3", "the-third")
	awaitView(t, r, "cluster Node: known, 2 objects")
	works("afterwards")
}

// TestStartedCutOff starts a replica that never gets to see the cluster. It
// must serve all the same, or a full restart would wait for itself.
func TestStartedCutOff(t *testing.T) {
	control(t)
	way, kubeconfig := newLine(t)
	way.set(true)
	r := one(t, "--kubeconfig="+kubeconfig)
	awaitView(t, r, "cluster Node: not read yet")
	kubectl(t, wrongSlice, "create", "--dry-run=server", "-f", "-").says(t, "api/compatibility-groups-max")
	if pod := dryRun(t, podOn("p", "n2")); pod.Spec.NodeName != "" {
		t.Errorf("the pod stays with its node: %+v", pod.Spec)
	}
	way.set(false)
	awaitView(t, r, "cluster Node: known")
}
