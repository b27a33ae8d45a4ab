package store

import (
	"log/slog"
	"time"

	"github.com/weft-memory/weft/internal/id"
)

// Options configure a database. The zero value is fit for use.
type Options struct {
	// Address is where this process can be reached; a second process that opens
	// the same SQLite file is told. It can be set later, see [DB.SetAddress].
	Address string
	// FullCheck has Open check the whole file before it returns. Otherwise it
	// does so only if the last process did not close the database, and else
	// looks through it quickly in the background. SQLite only.
	FullCheck bool
	// Readers bounds the connections that read, and on PostgreSQL those that
	// write too. Defaults to 8 on SQLite and 16 on PostgreSQL.
	Readers int
	// Now is the clock. Defaults to time.Now.
	Now func() time.Time
	// IDs makes ids. Defaults to the clock and the system's randomness.
	IDs *id.Maker
	// Log takes what has no caller to go to, such as the outcome of a check in
	// the background. Defaults to slog.Default().
	Log *slog.Logger
	// Components are parts of the program that keep tables of their own in the
	// database.
	Components []Component
	// FailPoint, where set, is called before and after every step that writes,
	// with the step's name. Tests use it to end the process there.
	FailPoint func(name string)
}

// Component is a part of the program with tables of its own in the database.
type Component struct {
	// Name is a word; the component's schema has its own version under it.
	Name string
	// Migrations bring the component's tables up to date, in order. They run
	// after the store's own.
	Migrations []Migration
	// Tables are those that a backup holds.
	Tables []string
	// Erase deletes what the component's tables hold of a conversation, or of
	// a whole world if the conversation is empty. It runs in the transaction of
	// the erasure. Nil means nothing.
	Erase func(tx *Tx, world, conversation string) error
}

// Migration is one step of a schema: SQL statements, each ended by a semicolon
// at the end of a line. They are written with the types TEXT, INTEGER, REAL,
// BLOB and BOOL and STRICT tables; on PostgreSQL these become TEXT COLLATE "C",
// BIGINT, DOUBLE PRECISION, BYTEA and BOOLEAN, on SQLite BOOL is INTEGER. A line
// that begins with "--sqlite " or "--postgres " counts for that database only.
type Migration struct {
	Version int64
	SQL     string
}
