//go:build unix

package lsp

import (
	"errors"
	"syscall"
)

// parentGone returns a function that tells whether a process has ended; nil
// where it cannot be seen.
func parentGone(pid int) func() bool {
	if pid <= 0 || syscall.Kill(pid, 0) != nil {
		return nil
	}
	return func() bool { return errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) }
}
