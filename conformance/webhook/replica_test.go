package webhook

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"sync"
	"syscall"
	"testing"
	"time"
)

// binary is built once, for all tests.
var binary = sync.OnceValues(func() (string, error) {
	path := filepath.Join(plane.home, "drawbridge")
	build := exec.Command("go", "build", "-o", path, "./cmd/drawbridge")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w\n%s", err, out)
	}
	return path, nil
})

// replica is one process of ours, in the place of a pod of the Deployment.
type replica struct {
	cmd *exec.Cmd
	// address is host:port of the HTTPS listener.
	address string
	log     *lockedBuffer
	ended   chan struct{}
	err     error
}

// lockedBuffer is a log that is read while it is written.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

var listening = regexp.MustCompile(`listens on https://\S+:(\d+)`)

// startReplica runs the binary with the arguments of the Deployment, as far as
// they make sense outside of a pod, and more.
func startReplica(t testing.TB, flags ...string) *replica {
	t.Helper()
	path, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	args := append(deployedArgs(t), "--https-listen=127.0.0.1:0", "--http-listen=", "--log-level=WARN")
	return launch(t, exec.Command(path, append(args, flags...)...))
}

// launch runs a server until the test ends.
func launch(t testing.TB, cmd *exec.Cmd) *replica {
	t.Helper()
	r := &replica{cmd: cmd, log: &lockedBuffer{}, ended: make(chan struct{})}
	r.cmd.Stderr = r.log
	r.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	out, err := r.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	started := make(chan error)
	go func() {
		// The kernel ends the child with the thread that started it.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := r.cmd.Start()
		started <- err
		if err != nil {
			return
		}
		<-r.ended
	}()
	if err := <-started; err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		r.kill()
		if t.Failed() {
			t.Logf("--- replica %s\n%s", r.address, lastLines(r.log.String()))
		}
	})
	port := make(chan string, 1)
	go func() {
		for lines := bufio.NewScanner(out); lines.Scan(); {
			if m := listening.FindStringSubmatch(lines.Text()); m != nil {
				port <- m[1]
			}
		}
		_, _ = io.Copy(io.Discard, out)
		r.err = r.cmd.Wait()
		close(r.ended)
	}()
	select {
	case p := <-port:
		r.address = "127.0.0.1:" + p
	case <-r.ended:
		t.Fatalf("the server ended with %v: %s", r.err, r.log.String())
	case <-time.After(patience):
		t.Fatalf("the server does not say where it listens: %s", r.log.String())
	}
	return r
}

// terminate asks as a kubelet does; it does not wait.
func (r *replica) terminate() { _ = r.cmd.Process.Signal(syscall.SIGTERM) }

// kill does not ask.
func (r *replica) kill() {
	select {
	case <-r.ended:
		return
	default:
	}
	_ = syscall.Kill(-r.cmd.Process.Pid, syscall.SIGKILL)
	<-r.ended
}

// gone waits for the end, which must be a good one.
func (r *replica) gone(t *testing.T) {
	t.Helper()
	select {
	case <-r.ended:
		if r.err != nil {
			t.Errorf("the server ended with %v", r.err)
		}
	case <-time.After(patience):
		t.Errorf("the server has not ended %s after it was asked to", patience)
	}
}

func lastLines(s string) string {
	const most = 4000
	if len(s) > most {
		return "…" + s[len(s)-most:]
	}
	return s
}
