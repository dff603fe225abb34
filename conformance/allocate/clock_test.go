package allocate

import (
	"syscall"
	"testing"
	"time"
)

// spent is the processor time that the process has had. On a machine that
// others use too, it says what the time of day does not: how much work
// something is.
func spent(t testing.TB) time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		t.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
