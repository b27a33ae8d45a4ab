//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package app

import (
	"os"
	"syscall"
	"unsafe"
)

// terminalWidth asks the terminal for its columns; terminal is false if the
// file is none. Zero columns mean that the terminal does not know.
func terminalWidth(f *os.File) (columns int, terminal bool) {
	var size struct{ rows, columns, x, y uint16 }
	conn, err := f.SyscallConn()
	if err != nil {
		return 0, false
	}
	ok := false
	// Control keeps the file in the poller's hands; f.Fd would make it block.
	err = conn.Control(func(fd uintptr) {
		_, _, errno := syscall.Syscall(syscall.SYS_IOCTL, fd, syscall.TIOCGWINSZ, uintptr(unsafe.Pointer(&size)))
		ok = errno == 0
	})
	if err != nil || !ok {
		return 0, false
	}
	return int(size.columns), true
}
