package app

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/weft-memory/weft/store"
)

type restoreCmd struct {
	Input string `arg:"" name:"file" help:"The backup."`

	Force bool `short:"f" help:"Put it in the place of a SQLite database that is there, which is kept beside it under another name."`
	databaseFlag
}

// Help is shown by --help.
func (restoreCmd) Help() string {
	return `Makes a database from a backup: a new SQLite file, or what an empty PostgreSQL database holds. The whole backup is read and checked before anything is touched, and nothing stays of a restore that fails. A backup of an older version is brought up to date.

It refuses while a server holds the database. With --force a SQLite database that is there is moved to a name beside it first. A PostgreSQL database that holds something has to be emptied by its owner.

Examples:

    weft restore weft-20261130-0400.backup
    weft restore weft.backup --db /srv/weft/weft.db --force
    weft restore weft.backup --db postgres://weft@db/weft`
}

// Run restores a backup.
func (c *restoreCmd) Run(e *env) error {
	db, err := e.database(c.DB)
	if err != nil {
		return err
	}
	in, err := os.Open(c.Input)
	if err != nil {
		return fail(ExitInput, "", "cannot read the backup: %w", err)
	}
	defer in.Close()
	held := func() error {
		if holder, is := store.HolderOf(db); is && !isPostgres(db) {
			return fail(ExitRefused, "", "nothing was restored: %w", &store.LockedError{Path: db, Holder: holder})
		}
		return nil
	}
	if err := held(); err != nil {
		return err
	}
	info, err := verifyBackup(e, in, "checking")
	if err != nil {
		return c.unfit(e, err)
	}
	if _, err := in.Seek(0, io.SeekStart); err != nil {
		return fail(ExitInput, "", "cannot read the backup: %w", err)
	}
	kept, back := "", func() {}
	if !isPostgres(db) {
		path := sqliteFile(db)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return fail(ExitOutput, "", "cannot make the folder of the database: %w", err)
		}
		if err := held(); err != nil { // it took a while to check
			return err
		}
		if kept, back, err = c.makeRoom(path); err != nil {
			return err
		}
	}
	meter := &meter{e: e, verb: "restoring", r: in}
	err = store.Restore(e.ctx, db, bufio.NewReaderSize(meter, 1<<16), storeOptions(slog.New(slog.NewTextHandler(e.err.w, &slog.HandlerOptions{Level: slog.LevelWarn}))))
	meter.end()
	if err != nil {
		back()
		return c.unfit(e, err)
	}
	text := fmt.Sprintf("%s: %s from a backup of %s\n", redacted(db), plural(int(info.Rows), "row"), when(info.Time))
	if kept != "" {
		text += "what was there before is now " + kept + "\n"
	}
	return e.print(text)
}

// unfit says why a backup was not restored.
func (c *restoreCmd) unfit(e *env, err error) error {
	if e.ctx.Err() != nil {
		return e.ctx.Err()
	}
	var f *failure
	if errors.As(err, &f) {
		return err
	}
	switch store.KindOf(err) {
	case store.Corrupt, store.TooNew, store.Invalid:
		return fail(ExitInput, "nothing was changed", "cannot restore %s: %w", c.Input, err)
	case store.Exists, store.Locked:
		hint := ""
		if isPostgres(c.DB) {
			hint = "restore into an empty database: --force is for SQLite files"
		}
		return fail(ExitRefused, hint, "nothing was restored: %w", err)
	case store.Full, store.ReadOnly:
		return fail(ExitOutput, "", "cannot restore: %w", err)
	}
	return fail(ExitInput, "", "cannot restore %s: %w", c.Input, err)
}

// sqliteEnds are the ends of the files of a SQLite database.
var sqliteEnds = []string{"", "-wal", "-shm"}

// makeRoom moves a SQLite database that is there to a name beside it, which it
// returns, and how to take that back.
func (c *restoreCmd) makeRoom(path string) (kept string, back func(), err error) {
	if _, err := os.Lstat(path); errors.Is(err, os.ErrNotExist) {
		return "", func() {}, nil
	}
	if !c.Force {
		return "", nil, fail(ExitOutput, "give --force to put the backup in its place; the database is kept beside it", "there is a database %s already", path)
	}
	kept = path + ".replaced-" + time.Now().Format("20060102-150405")
	back = func() {
		if _, err := os.Lstat(path); err == nil {
			return // somebody made another one meanwhile
		}
		for _, end := range sqliteEnds {
			_ = os.Rename(kept+end, path+end)
		}
	}
	for _, end := range sqliteEnds {
		if err := os.Rename(path+end, kept+end); err != nil && !errors.Is(err, os.ErrNotExist) {
			back()
			return "", nil, cannotWrite(strings.TrimSuffix(path+end, end), err)
		}
	}
	return kept, back, nil
}
