package store

import (
	"database/sql"

	"github.com/weft-memory/weft/memory"
)

// What is asked of the log of operations without their changes.

// OperationCounts returns how many operations came from each message of a
// conversation, by its id. Messages without any are not in it.
func (tx *Tx) OperationCounts(conversation string) (map[string]int, error) {
	out := map[string]int{}
	err := tx.rows("SELECT node, count(*) FROM operations WHERE conversation = $1 AND conversation <> '' AND node <> '' GROUP BY node",
		[]any{conversation}, func(r *sql.Rows) error {
			var node string
			var n int
			err := r.Scan(&node, &n)
			out[node] = n
			return err
		})
	return out, err
}

// WorldOperations returns the operations by which the messages of a conversation
// wrote to the world layer, by Seq: what [memory.Reconcile] looks at. They are
// without their changes.
func (tx *Tx) WorldOperations(world, conversation string) (list []memory.Operation, err error) {
	err = tx.rows("SELECT id, seq, node, author, retracted, book, entry FROM operations WHERE world = $1 AND layer = 'world' AND conversation = $2 AND node <> '' ORDER BY seq",
		[]any{world, conversation}, func(r *sql.Rows) error {
			op := memory.Operation{World: world, Layer: memory.LayerWorld, Conversation: conversation}
			err := r.Scan(&op.ID, &op.Seq, &op.Node, &op.Author.Kind, &op.Retracted, &op.Book, &op.Entry)
			list = append(list, op)
			return err
		})
	return list, err
}

// Retraction is a change to whether an operation counts, made by [Tx.Retract] or
// [Tx.Return] under a number of the world.
type Retraction struct {
	Seq       int64
	Operation string
}

// Retractions returns the changes to whether operations of a world count that
// came behind a number, by Seq.
func (tx *Tx) Retractions(world string, after int64) (list []Retraction, err error) {
	err = tx.rows("SELECT seq, operation FROM operation_marks WHERE world = $1 AND seq > $2 ORDER BY seq", []any{world, after}, func(r *sql.Rows) error {
		var x Retraction
		err := r.Scan(&x.Seq, &x.Operation)
		list = append(list, x)
		return err
	})
	return list, err
}
