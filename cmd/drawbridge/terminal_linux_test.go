package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
	"unsafe"
)

// onTerminal runs a command whose output is a terminal, and returns what that
// got to see.
func onTerminal(t *testing.T, cmd *exec.Cmd) string {
	t.Helper()
	terminal, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer terminal.Close()
	control := func(request uintptr, value *uint32) {
		if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, terminal.Fd(), request, uintptr(unsafe.Pointer(value))); errno != 0 {
			t.Fatal(errno)
		}
	}
	var unlock, number uint32
	control(syscall.TIOCSPTLCK, &unlock)
	control(syscall.TIOCGPTN, &number)
	side, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdout, cmd.Stderr = side, side
	var screen bytes.Buffer
	var reading sync.WaitGroup
	reading.Go(func() {
		// It ends with an error once nobody has the other side open any more.
		_, _ = io.Copy(&screen, terminal)
	})
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_ = side.Close()
	_ = cmd.Wait() // that a pod finds no place is its answer
	reading.Wait()
	return screen.String()
}

// TestProgressFromCluster looks at what a terminal shows while an API server
// is slow.
func TestProgressFromCluster(t *testing.T) {
	var waited atomic.Bool
	cmd := slowly(t, "/api/v1/pods", func(r *http.Request) {
		if r.URL.Query().Has("continue") && !waited.Swap(true) {
			time.Sleep(1200 * time.Millisecond) // longer than a person is left in the dark
		}
	}, "allocate")
	screen := onTerminal(t, cmd)
	if !strings.Contains(screen, "\r\x1b[Kpods: 4 of 4\r\x1b[K") {
		t.Errorf("the terminal shows %q", screen)
	}
	if !strings.Contains(screen, "pod/ml/train") {
		t.Errorf("there is no answer: %q", screen)
	}
}
