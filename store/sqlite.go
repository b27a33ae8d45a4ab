package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	_ "modernc.org/sqlite" // the driver "sqlite"
)

// sqlitePath returns the path that a URL of a SQLite file means.
func sqlitePath(url string) (string, error) {
	path := strings.TrimPrefix(url, "file:")
	if strings.HasPrefix(path, "///") {
		path = path[2:] // file:///path
	}
	if path == "" || path == ":memory:" || strings.ContainsRune(path, 0) {
		return "", Errorf(Invalid, "%q names no file", url)
	}
	if strings.HasPrefix(url, "file:") && strings.ContainsAny(path, "?#") {
		return "", Errorf(Invalid, "the URL of a SQLite file takes no parameters: give the path alone")
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return "", Errorf(Invalid, "%q names no file: %v", url, err)
	}
	return path, nil
}

// sqliteURI returns the name of a file as SQLite takes it, with parameters.
func sqliteURI(path, parameters string) string {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // C:/…
	}
	return "file://" + strings.NewReplacer("%", "%25", "?", "%3f", "#", "%23").Replace(path) + "?" + parameters
}

// sqlitePragmas are those of every connection.
//
// secure_delete writes zeros over what is deleted; the cache is 16 MB.
const sqlitePragmas = "_pragma=busy_timeout(5000)&_pragma=foreign_keys(1)&_pragma=secure_delete(1)&_pragma=cache_size(-16000)" +
	"&_pragma=synchronous(NORMAL)&_dqs=0&_defensive=1"

// applicationID marks a file as Weft's: "weft" as a number.
const applicationID = 0x77656674

func (db *DB) openSQLite(ctx context.Context, url string) error {
	path, err := sqlitePath(url)
	if err != nil {
		return err
	}
	db.dialect, db.path = sqliteDialect, path
	if info, err := os.Stat(filepath.Dir(path)); err != nil || !info.IsDir() {
		return Errorf(Unavailable, "the database %s cannot be opened: its folder is not there", path)
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return Errorf(Invalid, "the database %s cannot be opened: it is a folder", path)
	}
	if db.lock, err = lockFile(path, db.opts.Address); err != nil {
		return db.wrap(err)
	}
	if err := writable(path); err != nil {
		return db.wrap(err)
	}
	if err := sqliteHeader(path); err != nil {
		return err
	}
	if log, err := os.Stat(path + "-wal"); err == nil && log.Size() > 0 {
		db.lock.unclean = true // a clean end empties it
	}
	if db.writer, err = sql.Open("sqlite", sqliteURI(path, sqlitePragmas+"&_txlock=immediate")); err != nil {
		return db.wrap(err)
	}
	db.writer.SetMaxOpenConns(1)
	if err := db.prepareSQLite(ctx); err != nil {
		return err
	}
	if db.reader, err = sql.Open("sqlite", sqliteURI(path, "mode=ro&"+sqlitePragmas+"&_query_only=1")); err != nil {
		return db.wrap(err)
	}
	readers := db.opts.Readers
	if readers <= 0 {
		readers = 8
	}
	db.reader.SetMaxOpenConns(readers)
	db.reader.SetMaxIdleConns(readers)
	db.writes, db.reads = newStatements(db.writer), newStatements(db.reader)
	for _, s := range []*statements{db.writes, db.reads} {
		db.done.Add(1)
		go func() {
			defer db.done.Done()
			s.run(db.ctx)
		}()
	}
	return nil
}

// prepareSQLite looks whose file it is, checks it where that is due, and turns
// the write-ahead log on.
func (db *DB) prepareSQLite(ctx context.Context) error {
	var app, tables int
	if err := db.writer.QueryRowContext(ctx, "PRAGMA application_id").Scan(&app); err != nil {
		return db.wrap(err)
	}
	if err := db.writer.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_master").Scan(&tables); err != nil {
		return db.wrap(err)
	}
	if app != applicationID && (app != 0 || tables > 0) {
		return Errorf(Invalid, "the database %s belongs to another program: name another file", db.path)
	}
	if tables > 0 && (db.lock.unclean || db.opts.FullCheck) {
		problems, err := db.checkFile(ctx, db.writer, true)
		if err != nil {
			return err
		}
		if len(problems) > 0 {
			db.lock.unclean = true // and stays so
			return &Error{Kind: Corrupt, Message: "the database " + db.path + " " + corruptMessage + " (" + problems[0].Message + ")"}
		}
	}
	var mode string
	if err := db.writer.QueryRowContext(ctx, "PRAGMA journal_mode=WAL").Scan(&mode); err != nil {
		return db.wrap(err)
	}
	if mode != "wal" {
		return Errorf(Invalid, "the database %s cannot have a write-ahead log where it is (its mode is %s): put it on a local disk", db.path, mode)
	}
	if tables > 0 && db.lock.unclean {
		// The last process may have ended between an erasure and its purge.
		if err := db.Purge(ctx); err != nil {
			return err
		}
	}
	if app == applicationID {
		return nil
	}
	_, err := db.writer.ExecContext(ctx, fmt.Sprintf("PRAGMA application_id=%d", applicationID))
	return db.wrap(err)
}

// writable makes sure that a file can be written, and makes it if it is not
// there.
func writable(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	return f.Close()
}

// sqliteHeader refuses a file that is no SQLite database before SQLite looks at
// it: the error is clearer, and the file is left alone.
func sqliteHeader(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return Errorf(Unavailable, "the database %s cannot be read: %v", path, errors.Unwrap(err))
	}
	defer f.Close()
	const magic = "SQLite format 3\x00"
	head := make([]byte, len(magic))
	n, _ := f.Read(head)
	if n > 0 && string(head[:n]) != magic {
		kind, message := classifySQLite(26)
		return &Error{Kind: kind, Message: "the database " + path + " " + message, Err: fs.ErrInvalid}
	}
	return nil
}
