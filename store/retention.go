package store

import (
	"context"
	"time"
)

// Retention says how long things are kept that nobody needs for ever. 0 means
// the default, a negative time for ever.
type Retention struct {
	// Events defaults to 7 days.
	Events time.Duration
	// Responses to repeated requests: defaults to 24 hours.
	Responses time.Duration
	// Deleted conversations and branches: defaults to 30 days, then they are
	// erased for good.
	Deleted time.Duration
}

// Pruned is what [DB.Prune] took away.
type Pruned struct {
	Events, Responses, Conversations, Messages int64
}

// Prune deletes what is older than the retention allows, in small transactions.
func (db *DB) Prune(ctx context.Context, r Retention) (Pruned, error) {
	return Pruned{}, errPending
}

// Purge makes sure that what was erased is gone from the files, too: on SQLite
// it empties the write-ahead log, on PostgreSQL it vacuums the tables. It waits
// for readers that still see the erased rows.
func (db *DB) Purge(ctx context.Context) error { return errPending }
