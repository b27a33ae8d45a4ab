package store

import (
	"errors"
	"fmt"
)

// Kind is the class of an error: what a caller can act on.
type Kind string

// The kinds of error.
const (
	// NotFound: there is no such thing.
	NotFound Kind = "not_found"
	// Exists: another thing has this id, name or external id.
	Exists Kind = "exists"
	// Conflict: the thing was changed since the version that the caller names.
	// Read it again.
	Conflict Kind = "conflict"
	// Invalid: the request cannot be right, whatever the database holds.
	Invalid Kind = "invalid"
	// Quota: the owner of the world may not have more.
	Quota Kind = "quota"
	// Locked: another process has the database, see [LockedError].
	Locked Kind = "locked"
	// TooNew: a newer version of the program wrote the database.
	TooNew Kind = "too_new"
	// Full: the disk, or what the database may use of it, is full.
	Full Kind = "full"
	// ReadOnly: the database or its folder cannot be written.
	ReadOnly Kind = "read_only"
	// Corrupt: the file is no database, or a damaged one.
	Corrupt Kind = "corrupt"
	// Unavailable: the database cannot be reached, or is closed. What was being
	// written may or may not have been committed.
	Unavailable Kind = "unavailable"
)

// Error is an error of the store. Its text is fit for people: it holds no SQL
// and no keys.
type Error struct {
	Kind    Kind
	Message string
	// Err is the cause, for logs. It may hold SQL.
	Err error
}

func (e *Error) Error() string { return e.Message }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Errorf returns an error of a kind.
func Errorf(kind Kind, format string, args ...any) error {
	return &Error{Kind: kind, Message: fmt.Sprintf(format, args...)}
}

// KindOf returns the kind of an error; "" for nil and for errors that are not
// the store's.
func KindOf(err error) Kind {
	var e *Error
	if errors.As(err, &e) {
		return e.Kind
	}
	var l *LockedError
	if errors.As(err, &l) {
		return Locked
	}
	return ""
}

// LockedError says who has a SQLite file open.
type LockedError struct {
	Path   string
	Holder Holder
}

func (e *LockedError) Error() string {
	switch h := e.Holder; {
	case h.Address != "":
		return fmt.Sprintf("the database %s is in use by the server at %s (process %d): use that server, or stop it first", e.Path, h.Address, h.PID)
	case h.PID != 0:
		return fmt.Sprintf("the database %s is in use by process %d: stop it first", e.Path, h.PID)
	default:
		return fmt.Sprintf("the database %s is in use by another process: stop it first", e.Path)
	}
}

// Holder is the process that has a SQLite file open.
type Holder struct {
	PID int `json:"pid"`
	// Address is where the process can be reached, if it said so, see
	// [Options].Address and [DB.SetAddress].
	Address string `json:"address,omitempty"`
}
