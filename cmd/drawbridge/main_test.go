package main

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// build makes the command once for all tests, as it is released: static. By
// its other name it is a plugin of kubectl.
var build = sync.OnceValue(func() error {
	cmd := exec.Command("go", "build", "-o", filepath.Join(folder, "drawbridge"), ".")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	return os.Symlink("drawbridge", filepath.Join(folder, "kubectl-drawbridge"))
})

// binary is the command.
func binary(t *testing.T) string {
	t.Helper()
	if err := build(); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(folder, "drawbridge")
}

type process struct {
	cmd         *exec.Cmd
	https, http string
	log         bytes.Buffer
	exited      chan error
}

func launch(t *testing.T, path string, args ...string) *process {
	t.Helper()
	p := &process{exited: make(chan error, 1)}
	p.cmd = exec.Command(path, append([]string{"serve", "--https-listen=127.0.0.1:0", "--http-listen=127.0.0.1:0"}, args...)...)
	p.cmd.Stderr = &p.log
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for p.https == "" || p.http == "" {
		if !lines.Scan() {
			t.Fatalf("it did not say where it listens: %v", p.cmd.Wait())
		}
		_, url, _ := strings.Cut(lines.Text(), " listens on ")
		if strings.HasPrefix(url, "https:") {
			p.https = url
		} else {
			p.http = url
		}
	}
	go func() {
		_, _ = io.Copy(io.Discard, out)
		p.exited <- p.cmd.Wait()
	}()
	t.Cleanup(func() { _ = p.cmd.Process.Kill() })
	return p
}

func (p *process) wait(t *testing.T) error {
	t.Helper()
	select {
	case err := <-p.exited:
		return err
	case <-time.After(time.Minute):
		t.Fatal("the process does not end")
		return nil
	}
}

var client = &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}

func TestBinary(t *testing.T) {
	path := binary(t)
	out, err := exec.Command(path, "version").Output()
	if err != nil || !bytes.HasPrefix(out, []byte("drawbridge ")) {
		t.Errorf("version: %q, %v", out, err)
	}
	t.Run("serves and drains", func(t *testing.T) { serveAndDrain(t, path) })
	t.Run("ends at once from the keyboard", func(t *testing.T) {
		p := launch(t, path, "--shutdown-delay=1h")
		start := time.Now()
		if err := p.cmd.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
		if err := p.wait(t); err != nil || time.Since(start) > time.Minute {
			t.Errorf("got %v after %v", err, time.Since(start))
		}
	})
	t.Run("ends at the second signal", func(t *testing.T) {
		p := launch(t, path, "--shutdown-delay=1h")
		for i := 0; ; i++ {
			if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
				break
			}
			time.Sleep(100 * time.Millisecond)
			if i > 600 {
				t.Fatal("it ignores signals")
			}
		}
		if err := p.wait(t); err == nil {
			t.Error("it pretends to have drained")
		}
	})
}

func serveAndDrain(t *testing.T, path string) {
	p := launch(t, path, "--shutdown-delay=3s")

	review, err := os.ReadFile("../../webhook/testdata/pod-create.json")
	if err != nil {
		t.Fatal(err)
	}
	res, err := client.Post(p.https+"/admission/mutate?timeout=5s", "application/json", bytes.NewReader(review))
	if err != nil {
		t.Fatal(err)
	}
	var answer struct {
		Response struct {
			Allowed   bool
			PatchType string
			Patch     []byte
		}
	}
	err = json.NewDecoder(res.Body).Decode(&answer)
	res.Body.Close()
	if err != nil || !answer.Response.Allowed || answer.Response.PatchType != "JSONPatch" || !bytes.Contains(answer.Response.Patch, []byte("kubernetes.io/hostname")) {
		t.Errorf("admission: %+v, %v", answer, err)
	}
	if res.TLS == nil || res.TLS.Version != tls.VersionTLS13 {
		t.Errorf("TLS: %+v", res.TLS)
	}

	// A request is at work when the signal comes.
	body, feed := io.Pipe()
	done := make(chan int, 1)
	go func() {
		res, err := client.Post(p.http+"/v1/validate", "application/yaml", body)
		if err != nil {
			t.Error(err)
			done <- 0
			return
		}
		_, _ = io.Copy(io.Discard, res.Body)
		res.Body.Close()
		done <- res.StatusCode
	}()
	if _, err := io.WriteString(feed, "apiVersion: resource.k8s.io/v1\nkind: DeviceClass\n"); err != nil {
		t.Fatal(err)
	}
	ready := func() int {
		res, err := client.Get(p.http + "/readyz")
		if err != nil {
			return 0
		}
		res.Body.Close()
		return res.StatusCode
	}
	if got := ready(); got != 200 {
		t.Errorf("before the signal: readyz %d", got)
	}
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	sawNotReady := false
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
		got := ready()
		sawNotReady = sawNotReady || got == 503
		if got == 0 {
			break // the port is closed: the delay is over
		}
		if time.Now().After(deadline) {
			t.Fatal("it goes on listening")
		}
	}
	if !sawNotReady {
		t.Error("it closed its port before it was not ready")
	}
	if _, err := io.WriteString(feed, "metadata: {name: gpu}\nspec: {}\n"); err != nil {
		t.Fatal(err)
	}
	feed.Close()
	if status := <-done; status != 200 {
		t.Errorf("the request at work got %d", status)
	}
	if err := p.wait(t); err != nil {
		t.Errorf("%v\n%s", err, p.log.String())
	}
	if strings.Contains(p.log.String(), "worker-1") || strings.Contains(p.log.String(), "someFutureField") {
		t.Errorf("the log has a body: %s", p.log.String())
	}
}
