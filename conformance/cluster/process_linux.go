package cluster

import (
	"runtime"
	"syscall"
)

// attributes put a process into a group of its own, and let the kernel end it
// when this one is gone, whatever took it: a panic, a timeout, a kill.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

func keepThread() (release func()) {
	runtime.LockOSThread()
	return runtime.UnlockOSThread
}
