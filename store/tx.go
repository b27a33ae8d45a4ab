package store

import (
	"context"
	"database/sql"
	"errors"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// Tx is a transaction. It ends with the function that it was given to; it must
// not be used by two goroutines at once. Its methods use the context of the
// [DB.Update] or [DB.View] that opened it.
//
// After an error of the database (not one like NotFound or Conflict, which are
// answers) the transaction is over: further calls return the same error.
type Tx struct {
	db    *DB
	ctx   context.Context
	tx    *sql.Tx
	write bool
	now   int64
	err   error

	worlds map[string]*worldRow
	nodes  map[string]nodeRef
	trees  map[string]*skeleton
	known  knownRows
	events []Event // to be written
	commit []func()
	work   bool // work can be done that could not before, or is no longer wanted

	kept *statements // nil on PostgreSQL
}

// maxAttempts bounds how often a transaction is run that met others.
const maxAttempts = 50

// Update runs fn in a transaction that writes. If fn returns an error nothing
// is written, and the error is returned.
//
// Where the database asks for it (two servers that wrote the same rows), fn is
// run again from the start: it must have no effects outside the transaction.
// Effects of success, such as a message to others, go into [Tx.OnCommit].
// There must be no Update inside of another.
//
// Use [DB.UpdateWorld] for everything that concerns one world.
func (db *DB) Update(ctx context.Context, fn func(*Tx) error) error {
	// On PostgreSQL what fn reads may be changed by others before it writes:
	// repeatable read makes the write fail then, and all is done again.
	return db.update(ctx, sql.LevelRepeatableRead, fn)
}

// UpdateWorld is Update for changes to one world. Such transactions of a world
// run one after the other, on all servers: what fn reads of the world is the
// newest state and stays so. A world that is not there is NotFound.
func (db *DB) UpdateWorld(ctx context.Context, world string, fn func(*Tx) error) error {
	// The lock on the world comes first, and each statement behind it sees what
	// was committed before: nothing has to be done again.
	return db.update(ctx, sql.LevelReadCommitted, func(tx *Tx) error {
		if _, err := tx.world(world); err != nil {
			return err
		}
		return fn(tx)
	})
}

func (db *DB) update(ctx context.Context, level sql.IsolationLevel, fn func(*Tx) error) error {
	if !db.dialect.postgres {
		level = sql.LevelDefault
	}
	for attempt := 1; ; attempt++ {
		tx, err := db.attempt(ctx, level, fn)
		if err == nil {
			for _, done := range tx.commit {
				done()
			}
			return nil
		}
		if attempt == maxAttempts || !repeatable(err) {
			return err
		}
		select {
		case <-time.After(time.Duration(rand.Int64N(int64(min(attempt, 20)) * int64(time.Millisecond)))):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (db *DB) attempt(ctx context.Context, level sql.IsolationLevel, fn func(*Tx) error) (*Tx, error) {
	db.failPoint("before begin")
	t, err := db.writer.BeginTx(ctx, &sql.TxOptions{Isolation: level})
	if err != nil {
		return nil, db.wrap(err)
	}
	defer t.Rollback() // of no effect after a commit
	db.failPoint("after begin")
	tx := &Tx{db: db, ctx: ctx, tx: t, write: true, now: db.opts.Now().UnixMicro(), worlds: map[string]*worldRow{}, kept: db.writes}
	if err := fn(tx); err != nil {
		return nil, err
	}
	if tx.err != nil {
		return nil, tx.err
	}
	if err := tx.flush(); err != nil {
		return nil, err
	}
	db.failPoint("before commit")
	if err := t.Commit(); err != nil {
		return nil, db.wrap(err)
	}
	db.failPoint("after commit")
	for world, w := range tx.worlds {
		if w.events > 0 {
			db.events.wake(world)
		}
	}
	if tx.work {
		db.events.wakeWork()
	}
	return tx, nil
}

// View runs fn in a transaction that only reads. Everything it reads is of one
// moment, the newest one at its first read.
func (db *DB) View(ctx context.Context, fn func(*Tx) error) error {
	var options *sql.TxOptions
	if db.dialect.postgres {
		options = &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true}
	}
	t, err := db.reader.BeginTx(ctx, options)
	if err != nil {
		return db.wrap(err)
	}
	defer t.Rollback()
	tx := &Tx{db: db, ctx: ctx, tx: t, now: db.opts.Now().UnixMicro(), kept: db.reads}
	if err := fn(tx); err != nil {
		return err
	}
	return tx.err
}

func (db *DB) failPoint(name string) {
	if db.opts.FailPoint != nil {
		db.opts.FailPoint(name)
	}
}

// Context returns the context of the transaction.
func (tx *Tx) Context() context.Context { return tx.ctx }

// SQL returns the transaction for a component's own statements. In a View they
// must only read.
func (tx *Tx) SQL() *sql.Tx { return tx.tx }

// OnCommit runs fn after the transaction was committed, once, in the goroutine
// of the caller.
func (tx *Tx) OnCommit(fn func()) { tx.commit = append(tx.commit, fn) }

// Now returns the time of the transaction in microseconds since 1970 UTC. In a
// world that was written to it is never before the world's newest change, also
// when the clock runs back.
func (tx *Tx) Now() int64 { return tx.now }

// NewID returns a new id.
func (tx *Tx) NewID() string { return tx.db.opts.IDs.New() }

// fail ends the transaction with an error of the database.
func (tx *Tx) fail(err error) error {
	err = tx.db.wrap(err)
	if tx.err == nil {
		tx.err = err
	}
	return err
}

var errReading = Errorf(Invalid, "a View cannot write")

// exec runs a statement that writes and returns how many rows it changed.
func (tx *Tx) exec(query string, args ...any) (int64, error) {
	if tx.err != nil {
		return 0, tx.err
	}
	if !tx.write {
		return 0, errReading
	}
	if err := checkText(args); err != nil {
		return 0, err
	}
	if strings.HasPrefix(query, "DELETE") {
		if err := tx.flushEvents(); err != nil { // they may be among what goes
			return 0, err
		}
	}
	step := ""
	if tx.db.opts.FailPoint != nil {
		step = stepName(query)
		tx.db.failPoint("before " + step)
	}
	result, err := tx.execute(query, args)
	if err != nil {
		return 0, tx.fail(err)
	}
	tx.written(query)
	if step != "" {
		tx.db.failPoint("after " + step)
	}
	n, err := result.RowsAffected()
	if err != nil {
		return 0, tx.fail(err)
	}
	return n, nil
}

// row reads one row; false if there is none.
func (tx *Tx) row(query string, args []any, dest ...any) (bool, error) {
	if tx.err != nil {
		return false, tx.err
	}
	if err := checkText(args); err != nil {
		return false, nil //nolint:nilerr // nothing that is stored has such a text
	}
	if err := tx.ended(); err != nil {
		return false, tx.fail(err)
	}
	err := tx.queryRow(query, args).Scan(dest...)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	if err != nil {
		return false, tx.fail(err)
	}
	return true, nil
}

// rows reads rows. scan must not use the transaction.
func (tx *Tx) rows(query string, args []any, scan func(*sql.Rows) error) error {
	if tx.err != nil {
		return tx.err
	}
	if checkText(args) != nil {
		return nil
	}
	rows, err := tx.query(query, args)
	if err != nil {
		return tx.fail(err)
	}
	defer rows.Close()
	for rows.Next() {
		if err := scan(rows); err != nil {
			return tx.fail(err)
		}
	}
	if err := rows.Err(); err != nil {
		return tx.fail(err)
	}
	return nil
}

// checkText refuses texts that PostgreSQL cannot hold, on both databases.
// Contents and JSON are bytes and may hold anything.
func checkText(args []any) error {
	for _, a := range args {
		switch s := a.(type) {
		case string:
			if strings.IndexByte(s, 0) >= 0 || !utf8.ValidString(s) {
				return Errorf(Invalid, "%q holds a zero byte or is not UTF-8: ids, names and titles cannot", clip(s))
			}
		case *string:
			if s != nil {
				if err := checkText([]any{*s}); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func clip(s string) string {
	if len(s) > 60 {
		return s[:60] + "…"
	}
	return s
}

// stepName names a statement for fail points: "insert nodes".
func stepName(query string) string {
	words := strings.Fields(query)
	verb := strings.ToLower(words[0])
	for i, w := range words[:len(words)-1] {
		switch w {
		case "INTO", "FROM", "UPDATE":
			return verb + " " + words[i+1]
		}
	}
	return verb
}

// flush writes the counters of the worlds that were written to.
func (tx *Tx) flush() error {
	if err := tx.flushEvents(); err != nil {
		return err
	}
	for _, world := range slices.Sorted(maps.Keys(tx.worlds)) {
		w := tx.worlds[world]
		if !w.dirty || w.gone {
			continue
		}
		w.Changed = tx.now
		_, err := tx.exec(`UPDATE worlds SET revision = $2, seq = $3, event = $4, conversations = $5, messages = $6, bytes = $7, changed = $8 WHERE id = $1`,
			world, w.Revision, w.Seq, w.Event, w.Usage.Conversations, w.Usage.Messages, w.Usage.Bytes, w.Changed)
		if err != nil {
			return err
		}
		if w.events > 0 && tx.db.dialect.postgres {
			if _, err := tx.exec("SELECT pg_notify($1, $2)", eventChannel, world); err != nil {
				return err
			}
		}
	}
	if tx.work && tx.db.dialect.postgres {
		_, err := tx.exec("SELECT pg_notify($1, $2)", workChannel, tx.db.events.name)
		return err
	}
	return nil
}
