package store

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"time"
)

// fileLock keeps other processes from a SQLite file. It is a lock of the
// operating system on a file beside it, so it ends with the process, however
// that ends. What is written in the file says who holds it; after a clean end
// it is empty. The file itself stays: to delete it would let two processes lock
// two files of one name.
type fileLock struct {
	f *os.File
	// unclean says that the last holder did not end cleanly.
	unclean bool
	// keep leaves the note that says so.
	keep bool
}

var errHeld = errors.New("the lock is held by another process")

func lockPath(path string) string { return path + ".lock" }

func lockFile(path, address string) (*fileLock, error) {
	f, err := os.OpenFile(lockPath(path), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := tryLock(f); err != nil {
		defer f.Close()
		if !errors.Is(err, errHeld) {
			return nil, err
		}
		return nil, &LockedError{Path: path, Holder: readHolder(f)}
	}
	l := &fileLock{f: f}
	if info, err := f.Stat(); err == nil && info.Size() > 0 {
		l.unclean = true
	}
	if err := l.write(address); err != nil {
		_ = f.Close()
		return nil, err
	}
	return l, nil
}

// write says who holds the lock.
func (l *fileLock) write(address string) error {
	text, err := json.Marshal(Holder{PID: os.Getpid(), Address: address})
	if err != nil {
		return err
	}
	if _, err := l.f.WriteAt(append(text, '\n'), 0); err != nil {
		return err
	}
	return l.f.Truncate(int64(len(text)) + 1)
}

// release ends the lock; after a clean end the next holder need not check the
// file.
func (l *fileLock) release(clean bool) error {
	var err error
	if clean && !l.keep {
		err = l.f.Truncate(0)
	}
	unlock(l.f)
	if e := l.f.Close(); err == nil {
		err = e
	}
	return err
}

// readHolder returns what a lock file says. A holder that has just begun may
// not have written it yet.
func readHolder(f *os.File) Holder {
	var h Holder
	for range 20 {
		text, err := io.ReadAll(io.NewSectionReader(f, 0, 4096))
		if err == nil && json.Unmarshal(text, &h) == nil && h.PID != 0 {
			break
		}
		time.Sleep(5 * time.Millisecond)
	}
	return h
}

// HolderOf returns the process that has a SQLite file open. It is false if
// there is none: no file, or a process that is no more.
func HolderOf(url string) (Holder, bool) {
	path, err := sqlitePath(url)
	if err != nil {
		return Holder{}, false
	}
	f, err := os.OpenFile(lockPath(path), os.O_RDWR, 0)
	if err != nil {
		return Holder{}, false
	}
	defer f.Close()
	switch err := tryLock(f); {
	case errors.Is(err, errHeld):
		return readHolder(f), true
	case err == nil:
		unlock(f)
	}
	return Holder{}, false
}
