//go:build unix

package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

// manifests writes files of about two kilobytes.
func manifests(t *testing.T, count int) string {
	t.Helper()
	folder := t.TempDir()
	for i := range count {
		var text strings.Builder
		fmt.Fprintf(&text, "apiVersion: resource.k8s.io/v1\nkind: ResourceSlice\nmetadata:\n  name: slice-%d\n  annotations: {example.com/note: %s}\nspec:\n  driver: gpu.example.com\n  nodeName: node-%d\n  pool: {name: pool-%d, generation: 1, resourceSliceCount: 1}\n", i, strings.Repeat("x", 2000), i, i)
		text.WriteString("  devices:\n  - name: gpu-0\n    attributes: {model: {string: A100}}\n")
		if i == count-1 {
			text.WriteString("  nonsense: 1\n")
		}
		if err := os.WriteFile(filepath.Join(folder, fmt.Sprintf("m%05d.yaml", i)), []byte(text.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// TestMemoryDoesNotGrow checks 10,000 manifests with hardly more memory than a
// thousand take, file by file in both cases.
func TestMemoryDoesNotGrow(t *testing.T) {
	unit := int64(1 << 10)
	if runtime.GOOS == "darwin" {
		unit = 1 // there, what a process had at most is counted in bytes
	}
	path := binary(t)
	peak := func(count int, args ...string) int64 {
		cmd := exec.Command(path, append(append([]string{"validate", "--no-config", "--workers=2"}, args...), manifests(t, count))...)
		var out, errs bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &errs
		err := cmd.Run()
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.ExitCode() != 1 {
			t.Fatalf("%v\n%s", err, errs.String())
		}
		// The last file has a mistake: all have been looked at.
		if want := fmt.Sprintf("1 error in %d files with %d objects", count, count); !strings.Contains(out.String(), want) || !strings.Contains(out.String(), fmt.Sprintf("m%05d.yaml:", count-1)) {
			t.Fatalf("prints %s", out.String())
		}
		if count > 1000 && !strings.Contains(errs.String(), "are not compared with each other") {
			t.Errorf("does not say what is left out: %q", errs.String())
		}
		return cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss * unit
	}
	few, many := peak(1000, "--scope=file"), peak(10_000)
	t.Logf("1,000 files take %d MiB, 10,000 files %d MiB", few>>20, many>>20)
	// Linear growth would be tenfold.
	if limit := few*3/2 + 48<<20; many > limit {
		t.Errorf("10,000 files take %d MiB; 1,000 take %d MiB", many>>20, few>>20)
	}
}

// TestInterrupt presses Ctrl-C while a command waits for its input.
func TestInterrupt(t *testing.T) {
	for _, args := range [][]string{{"validate", "-"}, {"explain", "pod/x", "-"}, {"convert", "--stored", "-"}} {
		cmd := exec.Command(binary(t), args...)
		var out bytes.Buffer
		cmd.Stdout = &out
		input, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		// More than a pipe holds is gone only once it is being read.
		if _, err := io.WriteString(input, strings.Repeat("# nothing\n", 100_000)); err != nil {
			t.Fatal(err)
		}
		if err := cmd.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		select {
		case err := <-ended:
			var exit *exec.ExitError
			if !errors.As(err, &exit) || exit.ExitCode() != 130 {
				t.Errorf("%v ends with %v", args, err)
			}
		case <-time.After(time.Minute):
			_ = cmd.Process.Kill()
			t.Fatalf("%v goes on", args)
		}
		if out.Len() > 0 {
			t.Errorf("%v prints %q", args, out.String())
		}
	}
}
