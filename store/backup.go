package store

import (
	"context"
	"io"
)

// Backup writes everything in the database, as it is at one moment, while
// others go on to use it. The format is the same for both databases, so that a
// backup of one can be restored into the other: lines of JSON, compressed with
// gzip, with a checksum at the end.
func (db *DB) Backup(ctx context.Context, w io.Writer) error { return errPending }

// Restore makes a database from a backup. The URL names a SQLite file that is
// not there yet or an empty PostgreSQL database; anything else is Exists and is
// left alone. A backup of an older version is brought up to date, one of a
// newer version is TooNew, a damaged or cut one Corrupt. If it fails, nothing
// of it stays.
func Restore(ctx context.Context, url string, r io.Reader, opts Options) error { return errPending }
