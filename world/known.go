package world

import (
	"slices"
	"sort"
	"sync/atomic"

	"github.com/weft-memory/weft/memory"
	"github.com/weft-memory/weft/store"
)

// known are the operations that a conversation may see.
type known struct {
	seq    int64 // of the world, when the list was complete
	erased int64 // see [store.Tx.Erased]
	marked int64 // the newest retraction or return in it
	ops    []memory.Operation
	// line is the same for lists of which one is the beginning of the other.
	line *line
	// followed says that another list goes on where this one ends, in the room
	// behind it.
	followed atomic.Bool
}

// line tells lists apart; it has a size, so that no two are one.
type line struct{ _ byte }

// goesOn returns what a list has behind another one of its line; false if it is
// of another line, or shorter.
func (k *known) goesOn(from *known) ([]memory.Operation, bool) {
	if k.line != from.line || len(k.ops) < len(from.ops) {
		return nil, false
	}
	return k.ops[len(from.ops):], true
}

// knownOf returns the operations that a conversation may see, as of now. An
// empty conversation stands for the world by itself.
func (tx *txn) knownOf(conversation string) (*known, error) {
	seq, err := tx.Seq(tx.id)
	if err != nil {
		return nil, err
	}
	r, ok := tx.s.ready.get(readyKey(tx.id, conversation))
	if ok && r.known != nil && r.known.seq == seq {
		return r.known, nil
	}
	erased, err := tx.Erased(tx.id)
	if err != nil {
		return nil, err
	}
	if ok && r.known != nil && r.known.erased == erased && r.known.seq < seq {
		return tx.catchUp(r.known, conversation, seq)
	}
	k := &known{seq: seq, erased: erased, line: new(line)}
	if k.ops, err = tx.ViewOperations(tx.id, conversation, 0); err != nil {
		return nil, err
	}
	marks, err := tx.Retractions(tx.id, 0)
	if err != nil {
		return nil, err
	}
	if len(marks) > 0 {
		k.marked = marks[len(marks)-1].Seq
	}
	return k, nil
}

// catchUp returns the list with what came since.
func (tx *txn) catchUp(old *known, conversation string, seq int64) (*known, error) {
	k := &known{seq: seq, erased: old.erased, marked: old.marked, ops: old.ops, line: old.line}
	filters := []store.OperationFilter{{Layer: memory.LayerCanon, After: old.seq}, {Layer: memory.LayerWorld, After: old.seq}}
	if conversation != "" {
		filters = append(filters, store.OperationFilter{Layer: memory.LayerStory, Conversation: conversation, After: old.seq})
	}
	var fresh []memory.Operation
	for _, f := range filters {
		list, err := tx.Operations(tx.id, f)
		if err != nil {
			return nil, err
		}
		fresh = append(fresh, list...)
	}
	if len(fresh) > 0 {
		sort.Slice(fresh, func(i, j int) bool { return fresh[i].Seq < fresh[j].Seq })
		if !old.followed.CompareAndSwap(false, true) {
			k.ops = slices.Clip(k.ops)
		}
		k.ops = append(k.ops, fresh...)
	} else {
		k.followed.Store(true) // the room is the old list's
	}
	marks, err := tx.Retractions(tx.id, old.seq)
	if err != nil || len(marks) == 0 {
		return k, err
	}
	k.marked = marks[len(marks)-1].Seq
	k.ops, k.line = slices.Clone(k.ops), new(line)
	for i := range k.ops {
		if !slices.ContainsFunc(marks, func(m store.Retraction) bool { return m.Operation == k.ops[i].ID }) {
			continue
		}
		op, err := tx.Operation(k.ops[i].ID)
		if err != nil {
			return nil, err
		}
		k.ops[i] = op
	}
	return k, nil
}

// knownAsOf is knownOf for a number of the world.
func (tx *txn) knownAsOf(conversation string, seq int64) (*known, error) {
	k, err := tx.knownOf(conversation)
	if err != nil || seq == 0 || seq >= k.seq {
		return k, err
	}
	if k.marked > seq {
		ops, err := tx.ViewOperations(tx.id, conversation, seq)
		return &known{seq: seq, marked: seq, erased: k.erased, ops: ops, line: new(line)}, err // marked at most there
	}
	end := sort.Search(len(k.ops), func(i int) bool { return k.ops[i].Seq > seq })
	if end == len(k.ops) {
		return k, nil // nothing of the conversation came since
	}
	return &known{seq: seq, marked: k.marked, erased: k.erased, ops: k.ops[:end:end], line: k.line}, nil
}

// readyKey names what is kept of a conversation, or of a world by itself.
func readyKey(world, conversation string) string {
	if conversation == "" {
		return scopeWorld + world
	}
	return conversation
}
