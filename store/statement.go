package store

import (
	"context"
	"database/sql"
	"sync"
)

// statements keeps prepared statements of one handle: SQLite's parser takes
// longer than most of what the statements do. (The driver of PostgreSQL keeps
// its own.) A statement that is not there yet is prepared in the background for
// the next time: the transaction that wants it holds the connection.
type statements struct {
	db    *sql.DB
	queue chan string

	mu   sync.Mutex
	kept map[string]*sql.Stmt // nil while it is queued
}

// maxStatements bounds what is kept; the texts of the store are fewer.
const maxStatements = 400

// newStatements returns an empty cache; run has to be started.
func newStatements(db *sql.DB) *statements {
	return &statements{db: db, queue: make(chan string, maxStatements), kept: map[string]*sql.Stmt{}}
}

// get returns a prepared statement, or nil.
func (s *statements) get(query string) *sql.Stmt {
	s.mu.Lock()
	defer s.mu.Unlock()
	stmt, known := s.kept[query]
	if !known && len(s.kept) < maxStatements {
		s.kept[query] = nil
		s.queue <- query // has room for all
	}
	return stmt
}

// run prepares what is queued until the context ends.
func (s *statements) run(ctx context.Context) {
	for {
		select {
		case query := <-s.queue:
			stmt, err := s.db.PrepareContext(ctx, query)
			if err != nil {
				continue // it is run as a text, and its error is seen there
			}
			s.mu.Lock()
			s.kept[query] = stmt
			s.mu.Unlock()
		case <-ctx.Done():
			return
		}
	}
}

func (s *statements) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for query, stmt := range s.kept {
		if stmt != nil {
			_ = stmt.Close()
		}
		s.kept[query] = nil
	}
}

// statement returns a prepared statement, or nil: then the text has to do.
func (tx *Tx) statement(query string) *sql.Stmt {
	if tx.kept == nil {
		return nil
	}
	if s := tx.kept.get(query); s != nil {
		return tx.tx.StmtContext(tx.each(), s)
	}
	return nil
}

// each returns the context of one statement. On SQLite it is none that can end:
// the driver would start a goroutine for every statement to wait for that, and
// most take less time than this. Between statements the end is seen, see
// [Tx.ended].
func (tx *Tx) each() context.Context {
	if tx.db.dialect.postgres {
		return tx.ctx
	}
	return context.WithoutCancel(tx.ctx)
}

// ended returns an error if the context has ended.
func (tx *Tx) ended() error {
	if err := tx.ctx.Err(); err != nil {
		return context.Cause(tx.ctx)
	}
	return nil
}

func (tx *Tx) execute(query string, args []any) (sql.Result, error) {
	if err := tx.ended(); err != nil {
		return nil, err
	}
	if s := tx.statement(query); s != nil {
		return s.ExecContext(tx.each(), args...)
	}
	return tx.tx.ExecContext(tx.each(), query, args...)
}

func (tx *Tx) query(query string, args []any) (*sql.Rows, error) {
	if err := tx.ended(); err != nil {
		return nil, err
	}
	if s := tx.statement(query); s != nil {
		return s.QueryContext(tx.each(), args...)
	}
	return tx.tx.QueryContext(tx.each(), query, args...)
}

func (tx *Tx) queryRow(query string, args []any) *sql.Row {
	if s := tx.statement(query); s != nil {
		return s.QueryRowContext(tx.each(), args...)
	}
	return tx.tx.QueryRowContext(tx.each(), query, args...)
}
