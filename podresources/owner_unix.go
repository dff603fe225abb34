//go:build unix

package podresources

import (
	"os"
	"syscall"
)

// mine tells whether a file belongs to this user.
func mine(info os.FileInfo) bool {
	s, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(s.Uid) == os.Geteuid()
}
