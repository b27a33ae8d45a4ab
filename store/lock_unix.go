//go:build unix && !aix && !solaris

package store

import (
	"errors"
	"os"
	"syscall"
)

func tryLock(f *os.File) error {
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		switch {
		case err == nil:
			return nil
		case errors.Is(err, syscall.EINTR):
		case errors.Is(err, syscall.EWOULDBLOCK):
			return errHeld
		default:
			return &os.PathError{Op: "lock", Path: f.Name(), Err: err}
		}
	}
}

// unlock ends the lock. To close the file is not enough: a process that is being
// started by another goroutine has it open too, for a moment, and with it the
// lock.
func unlock(f *os.File) {
	for errors.Is(syscall.Flock(int(f.Fd()), syscall.LOCK_UN), syscall.EINTR) {
	}
}
