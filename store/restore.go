package store

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
)

// Restore makes a database from a backup. The URL names a SQLite file that is
// not there yet or an empty PostgreSQL database; anything else is Exists and is
// left alone. A backup of an older version is brought up to date, one of a
// newer version is TooNew, a damaged or cut one Corrupt. If it fails, nothing
// of it stays.
func Restore(ctx context.Context, url string, r io.Reader, opts Options) error {
	b, head, err := newBackupReader(r)
	if err != nil {
		return err
	}
	if strings.HasPrefix(url, "postgres://") || strings.HasPrefix(url, "postgresql://") {
		return restorePostgres(ctx, url, head, b, opts)
	}
	return restoreSQLite(ctx, url, head, b, opts)
}

// restoreSQLite fills a file beside the one that is wanted and renames it when
// it is whole.
func restoreSQLite(ctx context.Context, url string, head backupHead, b *backupReader, opts Options) (err error) {
	path, err := sqlitePath(url)
	if err != nil {
		return err
	}
	if _, err := os.Stat(path); err == nil {
		return Errorf(Exists, "there is a database %s already: move it away first", path)
	} else if !errors.Is(err, fs.ErrNotExist) {
		return &Error{Kind: Unavailable, Message: "the database " + path + " cannot be made: " + err.Error(), Err: err}
	}
	// Nobody else shall make the database meanwhile.
	lock, err := lockFile(path, opts.Address)
	if err != nil {
		return (&DB{path: path}).wrap(err)
	}
	defer lock.release(true)
	part := path + ".restoring"
	clean := func() {
		for _, end := range []string{"", "-wal", "-shm", ".lock"} {
			_ = os.Remove(part + end)
		}
	}
	clean() // what a restore that was ended has left
	defer clean()
	db, err := open(ctx, part, opts)
	if err != nil {
		return err
	}
	if err = db.checkSchemas(head); err == nil {
		err = db.fill(ctx, head, b)
	}
	if e := db.Close(); err == nil {
		err = e
	}
	if err != nil {
		return err
	}
	if err := os.Rename(part, path); err != nil {
		return &Error{Kind: Unavailable, Message: "the database " + path + " cannot be made: " + err.Error(), Err: err}
	}
	return nil
}

func restorePostgres(ctx context.Context, url string, head backupHead, b *backupReader, opts Options) error {
	db, err := open(ctx, url, opts)
	if err != nil {
		return err
	}
	defer db.Close()
	if err := db.checkSchemas(head); err != nil {
		return err
	}
	used, err := db.used(ctx)
	if err != nil {
		return err
	}
	if used {
		return Errorf(Exists, "the database holds something already: restore into an empty one")
	}
	if err := db.dropAll(ctx); err != nil { // an empty schema, of whatever version
		return err
	}
	if err := db.fill(ctx, head, b); err != nil {
		if e := db.dropAll(context.WithoutCancel(ctx)); e != nil {
			db.opts.Log.Warn("tables of a restore that failed could not be dropped", "error", e)
		}
		return err
	}
	return nil
}

// dropAll drops our tables.
func (db *DB) dropAll(ctx context.Context) error {
	var names []string
	for _, t := range slices.Backward(db.tables()) {
		names = append(names, t.name)
	}
	for _, c := range db.opts.schemas() {
		names = append(names, schemaTable(c.Name))
	}
	_, err := db.writer.ExecContext(ctx, "DROP TABLE IF EXISTS "+strings.Join(names, ", "))
	return db.wrap(err)
}
