//go:build unix && !aix && !solaris

package store

import (
	"path/filepath"
	"syscall"
	"testing"
)

// A process that was started while the file was open, and has not got rid of it
// yet, does not keep the lock.
func TestReleaseEndsTheLock(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "weft.db")
	l, err := lockFile(path, "")
	if err != nil {
		t.Fatal(err)
	}
	// What a fork leaves: the same open file once more.
	other, err := syscall.Dup(int(l.f.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(other)
	if err := l.release(true); err != nil {
		t.Fatal(err)
	}
	again, err := lockFile(path, "")
	if err != nil {
		t.Fatalf("after its release: %v", err)
	}
	if err := again.release(true); err != nil {
		t.Fatal(err)
	}
}
