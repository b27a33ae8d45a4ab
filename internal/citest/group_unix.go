//go:build unix

package main

import (
	"os/exec"
	"syscall"
)

// ownGroup puts a command and what it starts into a process group of their
// own, all of which ends with its context.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
