package store

import (
	"context"
	"database/sql"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/weft-memory/weft/internal/failpoint"
	"github.com/weft-memory/weft/internal/id"
)

// DB is an open database. It is safe for concurrent use.
type DB struct {
	opts    Options
	dialect dialect
	writer  *sql.DB
	reader  *sql.DB
	pool    *pgxpool.Pool // PostgreSQL only
	path    string        // SQLite only
	lock    *fileLock     // SQLite only

	events *hub
	states *stateCache
	trees  *treeCache
	ops    *operationCache
	texts  *textCache

	writes, reads *statements // SQLite only

	// stop ends the goroutines, done waits for them.
	ctx    context.Context
	stop   context.CancelFunc
	done   sync.WaitGroup
	closed sync.Once

	mu     sync.Mutex
	damage []Problem
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
//
// On SQLite a commit is safe from the end of the process, however it comes; the
// last ones may be lost with the power of the machine, without damage to what
// was before.
func Open(ctx context.Context, url string, opts Options) (*DB, error) {
	db, err := open(ctx, url, opts)
	if err != nil {
		return nil, err
	}
	if err := db.migrateAll(ctx); err != nil {
		db.abandon()
		return nil, err
	}
	if err := db.start(ctx); err != nil {
		db.abandon()
		return nil, err
	}
	return db, nil
}

// open connects without a look at the schema.
func open(ctx context.Context, url string, opts Options) (*DB, error) {
	if opts.Now == nil {
		opts.Now = time.Now
	}
	if opts.IDs == nil {
		opts.IDs = &id.Maker{Now: opts.Now}
	}
	if opts.Log == nil {
		opts.Log = slog.Default()
	}
	if opts.FailPoint == nil {
		opts.FailPoint = failpoint.Hook()
	}
	db := &DB{opts: opts, states: newStateCache(), trees: newTreeCache(), ops: newOperationCache(), texts: newTextCache()}
	db.events = newHub()
	db.ctx, db.stop = context.WithCancel(context.Background())
	var err error
	switch {
	case strings.HasPrefix(url, "postgres://"), strings.HasPrefix(url, "postgresql://"):
		err = db.openPostgres(ctx, url)
	case url == "":
		err = Errorf(Invalid, "the URL of the database is empty: give a path or postgres://…")
	case strings.Contains(url, "://") && !strings.HasPrefix(url, "file:"):
		scheme, _, _ := strings.Cut(url, "://")
		err = Errorf(Invalid, "%s is no kind of database: give a path, file:path or postgres://…", scheme)
	default:
		err = db.openSQLite(ctx, url)
	}
	if err != nil {
		db.abandon()
		return nil, err
	}
	return db, nil
}

// start does what an opened database does beside its transactions.
func (db *DB) start(ctx context.Context) error {
	var newest int64
	if err := db.reader.QueryRowContext(ctx, "SELECT coalesce(max(changed), 0) FROM worlds").Scan(&newest); err != nil {
		return db.wrap(err)
	}
	if behind := time.Duration(newest-db.opts.Now().UnixMicro()) * time.Microsecond; behind > time.Minute {
		db.opts.Log.Warn("the clock is behind the newest change in the database: until it has caught up, changes get that change's time",
			"behind", behind.Round(time.Second).String())
	}
	if db.lock != nil && !db.lock.unclean && !db.opts.FullCheck {
		db.goCheck()
	}
	return nil
}

// Close ends the use of the database. It waits for transactions under way and
// may be called twice.
func (db *DB) Close() error {
	var err error
	db.closed.Do(func() {
		db.stop()
		db.done.Wait()
		db.events.close()
		for _, s := range []*statements{db.reads, db.writes} {
			if s != nil {
				s.close()
			}
		}
		if db.reader != nil && db.reader != db.writer {
			err = db.reader.Close()
		}
		if db.writer != nil {
			if e := db.writer.Close(); err == nil { // the last one empties the log of SQLite
				err = e
			}
		}
		if db.pool != nil {
			db.pool.Close()
		}
		if db.lock != nil {
			if e := db.lock.release(err == nil); err == nil {
				err = e
			}
		}
	})
	return db.wrap(err)
}

// abandon closes what an Open that failed had opened. The next one checks the
// file again if this one had to.
func (db *DB) abandon() {
	if db.lock != nil && db.lock.unclean {
		db.lock.keep = true
	}
	_ = db.Close()
}

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

// Ping reports whether the database can be reached.
func (db *DB) Ping(ctx context.Context) error {
	var one int
	return db.wrap(db.reader.QueryRowContext(ctx, "SELECT 1").Scan(&one))
}

// SetAddress tells a second process that opens the same SQLite file where this
// one can be reached.
func (db *DB) SetAddress(address string) error {
	if db.lock == nil {
		return nil
	}
	return db.wrap(db.lock.write(address))
}
