package world

import (
	"database/sql"

	"github.com/weft-memory/weft/memory"
	"github.com/weft-memory/weft/store"
)

// What the caches need to know of the store's counters, without texts.

// operationCounts returns how many operations came from each message of a
// conversation.
func (tx *txn) operationCounts(c store.Conversation) (map[string]int, error) {
	out := map[string]int{}
	return out, tx.each("SELECT node, count(*) FROM operations WHERE conversation = $1 AND node <> '' GROUP BY node", []any{c.ID}, func(r *sql.Rows) error {
		var node string
		var n int
		err := r.Scan(&node, &n)
		out[node] = n
		return err
	})
}

// worldOperations returns the operations by which the messages of a conversation
// wrote to the world: what [memory.Reconcile] looks at, without their changes.
func (tx *txn) worldOperations(c store.Conversation) (list []memory.Operation, err error) {
	err = tx.each("SELECT id, seq, node, author, retracted, book, entry FROM operations WHERE world = $1 AND layer = 'world' AND conversation = $2 AND node <> '' ORDER BY seq",
		[]any{tx.id, c.ID}, func(r *sql.Rows) error {
			op := memory.Operation{World: tx.id, Layer: memory.LayerWorld, Conversation: c.ID}
			err := r.Scan(&op.ID, &op.Seq, &op.Node, &op.Author.Kind, &op.Retracted, &op.Book, &op.Entry)
			list = append(list, op)
			return err
		})
	return list, err
}

// markSeq returns the number of the newest change to the marks of the messages
// of a conversation.
func (tx *txn) markSeq(conversation string) (seq int64, err error) {
	return seq, tx.each("SELECT coalesce(max(seq), 0) FROM node_marks WHERE conversation = $1", []any{conversation}, func(r *sql.Rows) error {
		return r.Scan(&seq)
	})
}

// bookHash returns the hash of a revision of a book.
func (tx *txn) bookHash(book string, revision int64) (hash string, err error) {
	err = tx.each("SELECT hash FROM book_revisions WHERE world = $1 AND book = $2 AND revision = $3", []any{tx.id, book, revision}, func(r *sql.Rows) error {
		return r.Scan(&hash)
	})
	if err == nil && hash == "" {
		err = store.Errorf(store.NotFound, "the book %q has no revision %d: it was erased, or never was", book, revision)
	}
	return hash, err
}

// retracted is a change to whether an operation counts.
type retracted struct {
	seq       int64
	operation string
}

// retractions returns the changes to whether operations of the world count,
// behind a number.
func (tx *txn) retractions(after int64) (list []retracted, err error) {
	return list, tx.each("SELECT seq, operation FROM operation_marks WHERE world = $1 AND seq > $2 ORDER BY seq", []any{tx.id, after}, func(r *sql.Rows) error {
		var x retracted
		err := r.Scan(&x.seq, &x.operation)
		list = append(list, x)
		return err
	})
}

func (tx *txn) each(query string, args []any, scan func(*sql.Rows) error) error {
	rows, err := tx.SQL().QueryContext(tx.Context(), query, args...)
	if err != nil {
		return &store.Error{Kind: store.Unavailable, Message: "the database cannot be read", Err: err}
	}
	defer rows.Close()
	for rows.Next() {
		if err := scan(rows); err != nil {
			return &store.Error{Kind: store.Unavailable, Message: "the database cannot be read", Err: err}
		}
	}
	if err := rows.Err(); err != nil {
		return &store.Error{Kind: store.Unavailable, Message: "the database cannot be read", Err: err}
	}
	return nil
}
