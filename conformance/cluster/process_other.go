//go:build !linux

package cluster

import "syscall"

// attributes put a process into a group of its own. Only Linux can end it
// together with this one; elsewhere it stays if a test is killed.
func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

func keepThread() (release func()) { return func() {} }
