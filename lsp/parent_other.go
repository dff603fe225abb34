//go:build !unix

package lsp

import (
	"os"
	"sync/atomic"
)

// parentGone returns a function that tells whether a process has ended; nil
// where it cannot be seen.
func parentGone(pid int) func() bool {
	process, err := os.FindProcess(pid)
	if pid <= 0 || err != nil {
		return nil
	}
	var ended atomic.Bool
	go func() {
		// Windows lets one wait for processes of others.
		if _, err := process.Wait(); err == nil {
			ended.Store(true)
		}
	}()
	return ended.Load
}
