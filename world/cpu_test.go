//go:build unix

package world

import (
	"syscall"
	"testing"
	"time"
)

// cpuTimer reports the processor time of a benchmark's iterations beside the
// wall clock, which other programs on the machine stretch. It is that of the
// whole process.
func cpuTimer(b *testing.B) func() {
	start := cpuTime()
	return func() { b.ReportMetric(float64(cpuTime()-start)/float64(b.N)/1e6, "cpu-ms/op") }
}

func cpuTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
