package store

import (
	"context"
	"database/sql"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

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

// DB is an open database. It is safe for concurrent use.
type DB struct {
	opts    Options
	dialect dialect
	writer  *sql.DB
	reader  *sql.DB
	pool    *pgxpool.Pool // PostgreSQL only
	path    string        // SQLite only
}

// Open opens the database at a URL and brings its schema up to date.
//
//   - A path, or "file:path": a SQLite file, made if it is not there. Its folder
//     has to exist. One process may have it open, see [LockedError].
//   - "postgres://user:password@host/name": a PostgreSQL database, version 15 or
//     newer, encoding UTF-8. Any number of processes may have it open.
//
// Errors have the kinds Locked, TooNew, ReadOnly, Full, Corrupt, Unavailable
// and Invalid (of the URL). A database that is refused is not changed.
func Open(ctx context.Context, url string, opts Options) (*DB, error) { return nil, errPending }

// Close ends the use of the database. It waits for transactions under way.
func (db *DB) Close() error { return errPending }

// Update runs fn in a transaction that writes. If fn returns an error nothing
// is written, and the error is returned.
//
// Where the database asks for it (two servers that wrote the same rows), fn is
// run again from the start: it must have no effects outside the transaction.
// Effects of success, such as a message to others, go into [Tx.OnCommit].
//
// Use [DB.UpdateWorld] for everything that concerns one world.
func (db *DB) Update(ctx context.Context, fn func(*Tx) error) error { return errPending }

// UpdateWorld is Update for changes to one world. Such transactions of a world
// run one after the other, on all servers: what fn reads of the world is the
// newest state and stays so. A world that is not there is NotFound.
func (db *DB) UpdateWorld(ctx context.Context, world string, fn func(*Tx) error) error {
	return errPending
}

// View runs fn in a transaction that only reads. Everything it reads is of one
// moment, the newest one at its first read.
func (db *DB) View(ctx context.Context, fn func(*Tx) error) error { return errPending }

// Writer returns the handle that writes; on SQLite it has one connection. It
// is for components that bring their own statements.
func (db *DB) Writer() *sql.DB { return db.writer }

// Reader returns the handle that only reads. On PostgreSQL it is the writer.
func (db *DB) Reader() *sql.DB { return db.reader }

// Pool returns the pool of connections to PostgreSQL; nil on SQLite.
func (db *DB) Pool() *pgxpool.Pool { return db.pool }

// Postgres reports whether the database is PostgreSQL.
func (db *DB) Postgres() bool { return db.dialect.postgres }

// Path returns the path of the SQLite file; "" on PostgreSQL.
func (db *DB) Path() string { return db.path }

// SetAddress tells a second process that opens the same SQLite file where this
// one can be reached.
func (db *DB) SetAddress(address string) error { return errPending }

// HolderOf returns the process that has a SQLite file open. It is false if
// there is none: no file, or a process that is no more.
func HolderOf(url string) (Holder, bool) { return Holder{}, false }

// Tx is a transaction. It ends with the function that it was given to; it must
// not be used by two goroutines at once. Its methods use the context of the
// [DB.Update] or [DB.View] that opened it.
type Tx struct {
	db  *DB
	ctx context.Context
	tx  *sql.Tx
}

// Context returns the context of the transaction.
func (tx *Tx) Context() context.Context { return tx.ctx }

// SQL returns the transaction for a component's own statements. In a View they
// must only read.
func (tx *Tx) SQL() *sql.Tx { return tx.tx }

// OnCommit runs fn after the transaction was committed, once, in the goroutine
// of the caller.
func (tx *Tx) OnCommit(fn func()) {}

// Now returns the time of the transaction in microseconds since 1970 UTC. It is
// the same all through one. Within a world it never runs back, also when the
// clock does.
func (tx *Tx) Now() int64 { return 0 }

// NewID returns a new id.
func (tx *Tx) NewID() string { return "" }
