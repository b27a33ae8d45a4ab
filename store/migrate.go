package store

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"io"
	"log/slog"
	"strconv"
	"strings"

	"github.com/pressly/goose/v3"
)

//go:embed migrations/*.sql
var migrationFiles embed.FS

// migrations returns the store's own, in order.
func migrations() []Migration {
	files, err := migrationFiles.ReadDir("migrations")
	if err != nil {
		panic("store: " + err.Error())
	}
	var out []Migration
	for _, f := range files {
		number, _, _ := strings.Cut(f.Name(), "_")
		version, err := strconv.ParseInt(number, 10, 64)
		if err != nil {
			panic("store: migration " + f.Name() + " has no number")
		}
		src, err := migrationFiles.ReadFile("migrations/" + f.Name())
		if err != nil {
			panic("store: " + err.Error())
		}
		out = append(out, Migration{Version: version, SQL: string(src)})
	}
	return out
}

// schemaTable is where the version of a schema is noted; of the store's own for
// an empty component.
func schemaTable(component string) string {
	if component == "" {
		return "weft_schema"
	}
	return "weft_schema_" + component
}

func newest(list []Migration) int64 {
	var n int64
	for _, m := range list {
		n = max(n, m.Version)
	}
	return n
}

// schemas lists all schemas in the order in which they are brought up to date.
func (o *Options) schemas() []Component {
	return append([]Component{{Migrations: migrations()}}, o.Components...)
}

// migrationLock is the key of the advisory lock under which one server at a time
// brings a PostgreSQL database up to date.
const migrationLock = 0x77656674 // "weft"

// migrateAll brings every schema up to date. Versions that this program does
// not know are refused before anything is changed.
func (db *DB) migrateAll(ctx context.Context) error {
	due := false
	for _, c := range db.opts.schemas() {
		version, err := db.schemaVersion(ctx, c.Name)
		if err != nil {
			return err
		}
		if err := tooNew(c, version); err != nil {
			return err
		}
		due = due || version < newest(c.Migrations)
	}
	if !due {
		return nil
	}
	if db.dialect.postgres {
		conn, err := db.writer.Conn(ctx)
		if err != nil {
			return db.wrap(err)
		}
		defer conn.Close()
		if _, err := conn.ExecContext(ctx, "SELECT pg_advisory_lock($1)", int64(migrationLock)); err != nil {
			return db.wrap(err)
		}
		defer conn.ExecContext(context.WithoutCancel(ctx), "SELECT pg_advisory_unlock($1)", int64(migrationLock))
	}
	for _, c := range db.opts.schemas() {
		if err := db.migrateTo(ctx, c, newest(c.Migrations)); err != nil {
			return err
		}
	}
	return nil
}

func tooNew(c Component, version int64) error {
	if known := newest(c.Migrations); version > known {
		what := "the database"
		if c.Name != "" {
			what = "the part " + c.Name + " of the database"
		}
		return Errorf(TooNew, "%s has version %d and this program knows versions up to %d: use a newer program, or restore a backup that this one wrote", what, version, known)
	}
	return nil
}

// schemaVersion returns the version of a schema; 0 if it is not there.
func (db *DB) schemaVersion(ctx context.Context, component string) (int64, error) {
	exists, err := db.hasTable(ctx, schemaTable(component))
	if err != nil || !exists {
		return 0, err
	}
	var version sql.NullInt64
	err = db.writer.QueryRowContext(ctx, "SELECT max(version_id) FROM "+schemaTable(component)).Scan(&version)
	return version.Int64, db.wrap(err)
}

func (db *DB) hasTable(ctx context.Context, name string) (bool, error) {
	q := "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = $1"
	if db.dialect.postgres {
		q = "SELECT count(*) FROM pg_catalog.pg_class WHERE oid = to_regclass($1)"
	}
	var n int
	err := db.writer.QueryRowContext(ctx, q, name).Scan(&n)
	return n > 0, db.wrap(err)
}

// migrateTo brings one schema to a version. Each step is a transaction.
func (db *DB) migrateTo(ctx context.Context, c Component, version int64) error {
	if version == 0 {
		return nil
	}
	var steps []*goose.Migration
	for _, m := range c.Migrations {
		statements := db.dialect.statements(m.SQL)
		steps = append(steps, goose.NewGoMigration(m.Version, &goose.GoFunc{
			RunTx: func(ctx context.Context, tx *sql.Tx) error {
				for _, s := range statements {
					if _, err := tx.ExecContext(ctx, s); err != nil {
						return err
					}
				}
				return nil
			},
		}, nil))
	}
	kind := goose.DialectSQLite3
	if db.dialect.postgres {
		kind = goose.DialectPostgres
	}
	p, err := goose.NewProvider(kind, db.writer, nil,
		goose.WithGoMigrations(steps...), goose.WithDisableGlobalRegistry(true), goose.WithTableName(schemaTable(c.Name)),
		goose.WithSlog(slog.New(slog.NewTextHandler(io.Discard, nil))))
	if err != nil {
		return fmt.Errorf("schema %q: %w", c.Name, err)
	}
	if _, err := p.UpTo(ctx, version); err != nil {
		err = db.wrap(err)
		if KindOf(err) != "" {
			return err
		}
		return fmt.Errorf("bringing the database to version %d: %w", version, err)
	}
	return nil
}
