//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package app

import "os"

// terminalWidth knows only whether the file is a character device; the width
// comes from COLUMNS there.
func terminalWidth(f *os.File) (columns int, terminal bool) {
	info, err := f.Stat()
	return 0, err == nil && info.Mode()&os.ModeCharDevice != 0
}
