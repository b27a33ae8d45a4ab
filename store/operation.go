package store

import (
	"database/sql"
	"encoding/json"
	"slices"
	"strconv"

	"github.com/weft-memory/weft/memory"
)

// operationKey names an operation for the cache. An id may come again after an
// erasure, with a number of its own then.
type operationKey struct {
	world, conversation, id string
	seq                     int64
}

type operationCache = lru[operationKey, memory.Operation]

// cachedOperations bounds the bytes of what is remembered, as stored; decoded
// they take several times as much.
const cachedOperations = 24 << 20

func newOperationCache() *operationCache {
	return newLRU[operationKey, memory.Operation](cachedOperations)
}

func decodeOperation(body []byte) (op memory.Operation, err error) {
	text, err := unpack(body)
	if err == nil {
		err = op.UnmarshalJSON(text)
	}
	if err != nil {
		return op, &Error{Kind: Corrupt, Message: "an operation is damaged in the database: restore a backup", Err: err}
	}
	return op, nil
}

// AppendOperations commits operations in order. ID, Time, Book, Entry and
// Digest are filled in where they are empty, Seq always. An operation whose
// digest the world has already is not added again: the result has the one that
// is there, and fresh is false at its place.
//
// Conversation and Node have to exist in the world. Operations that do not
// validate are Invalid, and none is committed then.
func (tx *Tx) AppendOperations(ops ...memory.Operation) (out []memory.Operation, fresh []bool, err error) {
	for _, op := range ops {
		op, isNew, err := tx.appendOperation(op)
		if err != nil {
			return nil, nil, err
		}
		out, fresh = append(out, op), append(fresh, isNew)
	}
	return out, fresh, nil
}

func (tx *Tx) appendOperation(op memory.Operation) (memory.Operation, bool, error) {
	if op.ID == "" {
		op.ID = tx.NewID()
	}
	op.Seq, op.Retracted = 0, false
	op.Normalize()
	if err := op.Validate(); err != nil {
		return op, false, &Error{Kind: Invalid, Message: err.Error(), Err: err}
	}
	if op.World == System {
		return op, false, noWorld(op.World)
	}
	if _, err := tx.world(op.World); err != nil {
		return op, false, err
	}
	old, err := tx.OperationByDigest(op.World, op.Digest)
	if err == nil {
		return old, false, nil
	}
	if KindOf(err) != NotFound {
		return op, false, err
	}
	if op.Conversation != "" {
		c, err := tx.Conversation(op.Conversation)
		if err != nil {
			return op, false, err
		}
		if c.World != op.World {
			return op, false, Errorf(Invalid, "the conversation %s belongs to another world", op.Conversation)
		}
	}
	if op.Node != "" {
		n, err := tx.node(op.Node)
		if err != nil {
			return op, false, err
		}
		if n.conversation != op.Conversation {
			return op, false, Errorf(Invalid, "the message %s is not of the operation's conversation", op.Node)
		}
	}
	w, err := tx.touch(op.World)
	if err != nil {
		return op, false, err
	}
	op.Seq = w.nextSeq()
	if op.Time == 0 {
		op.Time = tx.now
	}
	text, err := json.Marshal(op)
	if err != nil {
		return op, false, &Error{Kind: Invalid, Message: "the operation cannot be kept: " + err.Error(), Err: err}
	}
	added, err := tx.exec(`INSERT INTO operations (id, world, seq, layer, conversation, node, book, entry, kind, author, digest, retracted, time, body)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, FALSE, $12, $13) ON CONFLICT DO NOTHING`,
		op.ID, op.World, op.Seq, string(op.Layer), op.Conversation, op.Node, op.Book, op.Entry, string(op.Kind), string(op.Author.Kind),
		op.Digest, op.Time, packFrom(manySmallest, text))
	if err == nil && added == 0 {
		err = Errorf(Exists, "there is an operation %q already", op.ID)
	}
	return op, true, err
}

// operationsWhere returns operations. Their bodies never change: most are
// remembered, and only the others are read.
func (tx *Tx) operationsWhere(rest string, args ...any) (list []memory.Operation, err error) {
	var missing []int
	var keys []operationKey
	err = tx.rows("SELECT id, world, conversation, seq, time, retracted FROM operations WHERE "+rest, args, func(r *sql.Rows) error {
		var k operationKey
		var time int64
		var retracted bool
		if err := r.Scan(&k.id, &k.world, &k.conversation, &k.seq, &time, &retracted); err != nil {
			return err
		}
		op, ok := tx.db.ops.get(k)
		if !ok {
			missing = append(missing, len(list))
		}
		op.ID, op.Seq, op.Time, op.Retracted = k.id, k.seq, time, retracted
		list, keys = append(list, op), append(keys, k)
		return nil
	})
	if err != nil {
		return nil, err
	}
	for part := range slices.Chunk(missing, maxInList) {
		ids := make([]string, len(part))
		at := make(map[string]int, len(part))
		for i, m := range part {
			ids[i], at[list[m].ID] = list[m].ID, m
		}
		where, args := inList(1, ids)
		err := tx.rows("SELECT id, body FROM operations WHERE id IN "+where, args, func(r *sql.Rows) error {
			var id string
			var body sql.RawBytes
			if err := r.Scan(&id, &body); err != nil {
				return err
			}
			op, err := decodeOperation(body)
			m := at[id]
			known := &list[m]
			op.ID, op.Seq, op.Time, op.Retracted = known.ID, known.Seq, known.Time, known.Retracted
			list[m] = op
			if err == nil && !tx.write { // in a transaction that writes it may not be committed
				tx.db.ops.put(keys[m], op, len(body)+200)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return list, nil
}

func (tx *Tx) oneOperation(missing error, rest string, args ...any) (memory.Operation, error) {
	list, err := tx.operationsWhere(rest, args...)
	if err != nil {
		return memory.Operation{}, err
	}
	if len(list) == 0 {
		return memory.Operation{}, missing
	}
	return list[0], nil
}

// Operation returns an operation.
func (tx *Tx) Operation(operation string) (memory.Operation, error) {
	return tx.oneOperation(Errorf(NotFound, "there is no operation %q", operation), "id = $1", operation)
}

// OperationByDigest returns the operation of a world with a digest.
func (tx *Tx) OperationByDigest(world, digest string) (memory.Operation, error) {
	return tx.oneOperation(Errorf(NotFound, "the world has no operation with this digest"), "world = $1 AND digest = $2", world, digest)
}

// OperationFilter chooses operations; empty fields do not restrict.
type OperationFilter struct {
	Layer        memory.Layer
	Conversation string
	Node         string
	Book, Entry  string
	Kind         memory.Kind
	Author       memory.AuthorKind
	// AsOf takes the log as it was at this number of the world, retractions
	// included; 0 means now.
	AsOf int64
	// After and Before bound Seq, exclusively; 0 means no bound.
	After, Before int64
}

// where returns the filter as a condition.
func (f OperationFilter) where(world string) (string, []any) {
	text, args := "world = $1", []any{world}
	add := func(condition string, value any) {
		args = append(args, value)
		text += " AND " + condition + " $" + strconv.Itoa(len(args))
	}
	for _, c := range []struct{ column, value string }{
		{"layer", string(f.Layer)},
		{"conversation", f.Conversation},
		{"node", f.Node},
		{"book", f.Book},
		{"entry", f.Entry},
		{"kind", string(f.Kind)},
		{"author", string(f.Author)},
	} {
		if c.value != "" {
			add(c.column+" =", c.value)
		}
	}
	if f.AsOf != 0 {
		add("seq <=", f.AsOf)
	}
	if f.After != 0 {
		add("seq >", f.After)
	}
	if f.Before != 0 {
		add("seq <", f.Before)
	}
	return text, args
}

// Operations returns the operations of a world that a filter chooses, by Seq.
// Retracted ones are among them, and say so. What they point to is shared: it
// must not be changed.
func (tx *Tx) Operations(world string, f OperationFilter) ([]memory.Operation, error) {
	where, args := f.where(world)
	list, err := tx.operationsWhere(where+" ORDER BY seq", args...)
	if err != nil {
		return nil, err
	}
	return list, tx.retractedAsOf(world, f.AsOf, list)
}

// OperationLog is Operations by page, the newest first.
func (tx *Tx) OperationLog(world string, f OperationFilter, p Page) (list []memory.Operation, next string, err error) {
	before := int64(1) << 62
	if err := p.after(&before); err != nil {
		return nil, "", err
	}
	where, args := f.where(world)
	args = append(args, before, p.limit()+1)
	list, err = tx.operationsWhere(where+" AND seq < $"+strconv.Itoa(len(args)-1)+" ORDER BY seq DESC LIMIT $"+strconv.Itoa(len(args)), args...)
	if err != nil {
		return nil, "", err
	}
	if err := tx.retractedAsOf(world, f.AsOf, list); err != nil {
		return nil, "", err
	}
	list, next = cut(p, list, func(op memory.Operation) []any { return []any{op.Seq} })
	return list, next, nil
}

// ViewOperations returns what a view of a conversation may take: the operations
// of canon and world layer and those of the conversation's story layer, by Seq,
// as of a number of the world (0 means now). Which of them count on a path says
// memory.Active. An empty conversation gives canon and world alone.
func (tx *Tx) ViewOperations(world, conversation string, asOf int64) ([]memory.Operation, error) {
	last := asOf
	if last == 0 {
		last = 1 << 62
	}
	list, err := tx.operationsWhere("world = $1 AND seq <= $3 AND (layer IN ('canon', 'world') OR layer = 'story' AND conversation = $2) ORDER BY seq",
		world, conversation, last)
	if err != nil {
		return nil, err
	}
	return list, tx.retractedAsOf(world, asOf, list)
}

// retractedAsOf sets Retracted to what it was at a number of the world.
func (tx *Tx) retractedAsOf(world string, asOf int64, list []memory.Operation) error {
	if asOf == 0 || len(list) == 0 {
		return nil
	}
	changed := map[string]bool{}
	// The newest first: the last one that is written is the earliest change.
	err := tx.rows("SELECT operation, retracted FROM operation_marks WHERE world = $1 AND seq > $2 ORDER BY seq DESC", []any{world, asOf},
		func(r *sql.Rows) error {
			var id string
			var retracted bool
			err := r.Scan(&id, &retracted)
			changed[id] = !retracted // before the mark it was the other way
			return err
		})
	if err != nil {
		return err
	}
	for i := range list {
		if before, ok := changed[list[i].ID]; ok {
			list[i].Retracted = before
		}
	}
	return nil
}

// Retract marks operations as not counting, Return as counting again. Those
// that are so already stay, and count for nothing. It returns how many changed.
func (tx *Tx) Retract(operations ...string) (int, error) { return tx.markOperations(operations, true) }

// Return undoes [Tx.Retract].
func (tx *Tx) Return(operations ...string) (int, error) { return tx.markOperations(operations, false) }

func (tx *Tx) markOperations(operations []string, retracted bool) (int, error) {
	changed := 0
	for _, id := range operations {
		var world string
		found, err := tx.row("SELECT world FROM operations WHERE id = $1", []any{id}, &world)
		if err != nil {
			return changed, err
		}
		if !found {
			return changed, Errorf(NotFound, "there is no operation %q", id)
		}
		if _, err := tx.world(world); err != nil {
			return changed, err
		}
		n, err := tx.exec("UPDATE operations SET retracted = $2 WHERE id = $1 AND retracted <> $2", id, retracted)
		if err != nil {
			return changed, err
		}
		if n == 0 {
			continue
		}
		w, err := tx.touch(world)
		if err != nil {
			return changed, err
		}
		_, err = tx.exec("INSERT INTO operation_marks (world, seq, operation, retracted, time) VALUES ($1, $2, $3, $4, $5)", world, w.nextSeq(), id, retracted, tx.now)
		if err != nil {
			return changed, err
		}
		changed++
	}
	return changed, nil
}
