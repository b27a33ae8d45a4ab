package store

import (
	"context"
	"strings"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
)

// oldestPostgres is the oldest version that is tested.
const oldestPostgres = 150000

func (db *DB) openPostgres(ctx context.Context, url string) error {
	db.dialect = postgresDialect
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return &Error{Kind: Invalid, Message: "the URL of the database cannot be read: expected postgres://user:password@host:port/name", Err: err}
	}
	config.MaxConns = 16
	if db.opts.Readers > 0 {
		config.MaxConns = int32(min(db.opts.Readers, 1000))
	}
	if config.ConnConfig.RuntimeParams["application_name"] == "" {
		config.ConnConfig.RuntimeParams["application_name"] = "weft"
	}
	if db.pool, err = pgxpool.NewWithConfig(ctx, config); err != nil {
		return db.wrap(err)
	}
	db.writer = stdlib.OpenDBFromPool(db.pool)
	db.reader = db.writer
	var version int
	var encoding string
	err = db.writer.QueryRowContext(ctx, "SELECT current_setting('server_version_num')::int, current_setting('server_encoding')").Scan(&version, &encoding)
	if err != nil {
		return db.wrap(err)
	}
	if version < oldestPostgres {
		return Errorf(Invalid, "the database runs on PostgreSQL %d.%d: version 15 or newer is needed", version/10000, version%10000)
	}
	if !strings.EqualFold(encoding, "UTF8") {
		return Errorf(Invalid, "the database has the encoding %s: create it with the encoding UTF-8", encoding)
	}
	return nil
}
