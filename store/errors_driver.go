package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io"
	"net"
	"strings"
	"syscall"

	"github.com/jackc/pgx/v5/pgconn"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// wrap gives an error of a driver its kind. Errors that have one, and those of
// a context, stay as they are.
func (db *DB) wrap(err error) error {
	if err == nil || KindOf(err) != "" || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	where := "the database"
	if db.path != "" {
		where = "the database " + db.path
	}
	kind, message := classify(err)
	if kind == "" {
		return &Error{Message: where + " refused a statement", Err: err}
	}
	return &Error{Kind: kind, Message: where + " " + message, Err: err}
}

// classify returns the kind of a driver's error and what it says of the
// database, in words.
func classify(err error) (Kind, string) {
	var lite *sqlite.Error
	if errors.As(err, &lite) {
		return classifySQLite(lite.Code())
	}
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		return classifyPostgres(pg)
	}
	var connect *pgconn.ConnectError
	var network net.Error
	switch { // the file system before the network, as which its errors count too
	case errors.As(err, &connect):
		return Unavailable, "cannot be reached"
	case errors.Is(err, syscall.ENOSPC):
		return Full, fullMessage
	case errors.Is(err, syscall.EROFS), errors.Is(err, syscall.EACCES), errors.Is(err, syscall.EPERM):
		return ReadOnly, readOnlyMessage
	case errors.As(err, &network), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF),
		errors.Is(err, syscall.ECONNREFUSED), errors.Is(err, driver.ErrBadConn), errors.Is(err, net.ErrClosed):
		return Unavailable, "cannot be reached"
	case errors.Is(err, sql.ErrConnDone), strings.Contains(err.Error(), "database is closed"), strings.Contains(err.Error(), "closed pool"),
		strings.Contains(err.Error(), "conn closed"):
		return Unavailable, "is closed"
	}
	return "", ""
}

const (
	fullMessage     = "has no room to grow: free some space on its disk; what was committed is safe"
	readOnlyMessage = "cannot be written: check the rights of the file and its folder, and that its disk is not mounted read-only"
	corruptMessage  = "is damaged: stop, keep a copy of its files, and restore a backup"
)

func classifySQLite(code int) (Kind, string) {
	switch code & 0xff {
	case sqlite3.SQLITE_FULL:
		return Full, fullMessage
	case sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM:
		return ReadOnly, readOnlyMessage
	case sqlite3.SQLITE_CANTOPEN:
		return Unavailable, "cannot be opened: check that its folder is there and may be read and written"
	case sqlite3.SQLITE_CORRUPT:
		return Corrupt, corruptMessage
	case sqlite3.SQLITE_NOTADB:
		return Corrupt, "is no SQLite database, or a damaged one: name another file, or restore a backup"
	case sqlite3.SQLITE_IOERR:
		return Unavailable, "met an error of its disk; what was committed before is safe"
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
		return Unavailable, "is busy: another program holds it; try again"
	}
	switch code {
	case sqlite3.SQLITE_CONSTRAINT_UNIQUE, sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY:
		return Exists, "has another row with this id"
	case sqlite3.SQLITE_CONSTRAINT_FOREIGNKEY:
		return Invalid, "lacks what the row refers to, or still refers to what was to be deleted"
	case sqlite3.SQLITE_TOOBIG:
		return Invalid, "cannot hold a text this long"
	}
	return "", ""
}

func classifyPostgres(err *pgconn.PgError) (Kind, string) {
	switch err.Code {
	case "23505":
		return Exists, "has another row with this id"
	case "23503":
		return Invalid, "lacks what the row refers to, or still refers to what was to be deleted"
	case "53100":
		return Full, fullMessage
	case "25006":
		return ReadOnly, "cannot be written: the server is in recovery, or its transactions are read-only"
	case "42501":
		return ReadOnly, "does not give this user the right to do that"
	case "XX001", "XX002":
		return Corrupt, corruptMessage
	case "3D000":
		return Unavailable, "is not there: create it first, with the encoding UTF-8"
	case "28P01", "28000":
		return Unavailable, "refused the user's name or password"
	case "22021", "22P05":
		return Invalid, "cannot hold a text with zero bytes or that is not UTF-8"
	case "54000", "54001":
		return Invalid, "cannot hold a row this large"
	}
	switch {
	case strings.HasPrefix(err.Code, "08"), strings.HasPrefix(err.Code, "53"), strings.HasPrefix(err.Code, "57P"):
		return Unavailable, "cannot be reached now: " + err.Message
	case repeatable(err):
		return Unavailable, "is too busy with the same rows: try again"
	}
	return "", ""
}

// repeatable reports whether a transaction that failed so may succeed when it
// is run again.
func repeatable(err error) bool {
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		return pg.Code == "40001" || pg.Code == "40P01"
	}
	var lite *sqlite.Error
	return errors.As(err, &lite) && lite.Code()&0xff == sqlite3.SQLITE_BUSY
}
