package world

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/memory"
	"github.com/weft-memory/weft/store"
)

// Operation is one change to what is remembered.
type Operation = memory.Operation

// Applied is what became of an operation.
type Applied struct {
	Operation Operation
	// Fresh is false if the world had the operation already.
	Fresh bool
	// Conflicts and Proposals are what of it does not take effect, at the place
	// where it was made.
	Conflicts []memory.Conflict
	Proposals []memory.Proposal
}

// Apply commits operations, all or none, in order. World, Layer, ID, Time,
// Author, On, Inverse and Digest are filled in where they are empty: the author
// is the caller, the layer is story in a conversation and world otherwise, a
// person's operation stands on the version that the conversation shows.
//
// An operation of a sidecar needs the message that caused it; one of the world
// layer counts once that message is settled. An operation whose digest the
// world has already is not added again.
func (s *Service) Apply(ctx context.Context, world string, ops ...Operation) ([]Applied, error) {
	return update(ctx, s, world, func(tx *txn) ([]Applied, error) { return tx.apply(ops) })
}

func (tx *txn) apply(ops []Operation) ([]Applied, error) {
	out := make([]Applied, len(ops))
	views := map[string]*memory.View{} // by conversation: with what was applied so far
	for i, op := range ops {
		v, err := tx.prepare(&op, views)
		if err != nil {
			return nil, fmt.Errorf("operation %d: %w", i+1, err)
		}
		added, fresh, err := tx.AppendOperations(op)
		if err != nil {
			return nil, fmt.Errorf("operation %d: %w", i+1, err)
		}
		out[i] = Applied{Operation: added[0], Fresh: fresh[0]}
		if !fresh[0] {
			continue
		}
		op = added[0]
		if err := tx.tellOperation(op); err != nil {
			return nil, err
		}
		if op.Layer == memory.LayerWorld && op.Author.Kind != memory.ByPerson && op.Node != "" {
			if out[i].Operation.Retracted, err = tx.waits(op); err != nil {
				return nil, err
			}
			op = out[i].Operation
		}
		views[op.Conversation] = v.With(op)
	}
	type place struct{ conversation, operation string }
	at := make(map[place][]int, len(out))
	for i := range out {
		p := place{out[i].Operation.Conversation, out[i].Operation.ID}
		at[p] = append(at[p], i)
	}
	for conversation, v := range views {
		for _, c := range v.Conflicts() {
			for _, i := range at[place{conversation, c.Operation}] {
				out[i].Conflicts = append(out[i].Conflicts, c)
			}
		}
		for _, p := range v.Proposals() {
			for _, i := range at[place{conversation, p.Operation}] {
				out[i].Proposals = append(out[i].Proposals, p)
			}
		}
	}
	return out, nil
}

// tellOperation adds the event of a new operation.
func (tx *txn) tellOperation(op Operation) error {
	return tx.event(EventOperation, op.ID, op.Conversation, "layer", op.Layer, "kind", op.Kind, "book", op.Book, "entry", op.Entry,
		"node", op.Node, "author", op.Author.Kind)
}

// waits retracts a new operation of the world layer until its message is
// settled, and reports whether it does.
func (tx *txn) waits(op Operation) (bool, error) {
	c, err := tx.Conversation(op.Conversation)
	if err != nil {
		return false, err
	}
	if err := tx.settleOne(c, op); err != nil {
		return false, err
	}
	now, err := tx.Operation(op.ID)
	return now.Retracted, err
}

func (tx *txn) settleOne(c store.Conversation, op Operation) error {
	p, err := tx.shown(c)
	if err != nil {
		return err
	}
	return tx.settleOps(c, p, []memory.Operation{op})
}

// prepare fills in what an operation leaves open, and returns the view to which
// it is added: that of its message if the head does not show it, else the
// head's.
func (tx *txn) prepare(op *Operation, views map[string]*memory.View) (*memory.View, error) {
	if op.World != "" && op.World != tx.id {
		return nil, store.Errorf(store.Invalid, "it is of the world %q, not of %q", op.World, tx.id)
	}
	op.World = tx.id
	if op.Conversation == "" && op.Node != "" {
		n, _, err := tx.node(op.Node)
		if err != nil {
			return nil, err
		}
		op.Conversation = n.Conversation
	}
	if op.Conversation != "" {
		c, err := tx.conversation(op.Conversation)
		if err != nil {
			return nil, err
		}
		op.Conversation = c.ID
		if op.Node != "" {
			n, err := tx.nodeOf(c, op.Node)
			if err != nil {
				return nil, err
			}
			if n.Deleted && op.Author.Kind == memory.BySidecar {
				return nil, store.Errorf(store.Conflict, "the message %q was deleted: nothing is to be remembered of it", op.Node)
			}
			if strings.HasPrefix(op.Node, ExternalPrefix) {
				op.Node = n.ID
			}
		}
	}
	if op.Author.Kind == "" {
		op.Author = person(tx.ctx)
	}
	if op.Layer == "" {
		op.Layer = memory.LayerWorld
		if op.Conversation != "" {
			op.Layer = memory.LayerStory
		}
	}
	if op.ID == "" {
		op.ID = tx.NewID()
	}
	v := views[op.Conversation]
	if v == nil {
		l, err := tx.lore(Place{Conversation: op.Conversation})
		if err != nil {
			return nil, err
		}
		v = l.View
		if op.Node != "" && op.Author.Kind != memory.ByPerson {
			on, err := tx.isOn(op.Conversation, op.Node)
			if err != nil {
				return nil, err
			}
			if !on {
				if l, err = tx.lore(Place{Conversation: op.Conversation, Node: op.Node}); err != nil {
					return nil, err
				}
				v = l.View
			}
		}
	}
	seq, err := tx.Seq(tx.id)
	if err != nil {
		return nil, err
	}
	op.Seq = seq + 1
	op.Normalize()
	if op.Author.Kind == memory.ByPerson && op.On == "" && op.Kind != memory.KindCreate {
		op.On = standing(v, op.Ref())
		op.Digest = op.Sum()
	}
	if err := op.Validate(); err != nil {
		return nil, &store.Error{Kind: store.Invalid, Message: err.Error(), Err: err}
	}
	if op.Inverse == nil {
		inverse := v.Inverse(*op)
		op.Inverse = &inverse
	}
	return v, nil
}

// isOn reports whether a message is part of what a conversation shows.
func (tx *txn) isOn(conversation, node string) (bool, error) {
	c, err := tx.Conversation(conversation)
	if err != nil {
		return false, err
	}
	p, err := tx.shown(c)
	if err != nil {
		return false, err
	}
	return slices.ContainsFunc(p.Steps, func(s memory.Step) bool { return s.Node == node || slices.Contains(s.Keeps, node) }), nil
}

// standing returns the last operation that made the version of an entry that a
// view shows; "" if it is as authored.
func standing(v *memory.View, r memory.Ref) string {
	to := v.Redirect(r.Book, r.Entry)
	last := ""
	for _, op := range v.Operations() {
		if ref := op.Ref(); v.Counts(op.ID) && (ref == r || ref == to) {
			last = op.ID
		}
	}
	return last
}

// EditEntry changes an entry as it stands at a place, by the caller: patch is a
// merge patch (RFC 7396) of the JSON of what was authored of it. An entry of a
// book becomes a new revision of the book; one that an operation made is patched
// by an operation that stands on the version seen: in the world for one of the
// world, unless the story has changed it, else in the story.
//
// ifVersion is the version that the caller saw ([EntryInfo].Version); another
// one is a Conflict. "" is no condition.
func (s *Service) EditEntry(ctx context.Context, world string, at Place, ref memory.Ref, patch json.RawMessage, ifVersion string) (EntryInfo, error) {
	return update(ctx, s, world, func(tx *txn) (EntryInfo, error) {
		l, err := tx.lore(at)
		if err != nil {
			return EntryInfo{}, err
		}
		now, err := l.entry(ref)
		if err != nil {
			return now, err
		}
		if ifVersion != "" && ifVersion != now.Version {
			return now, store.Errorf(store.Conflict, "the entry %s was changed since: read it again", now.Ref)
		}
		if now.Entry == nil {
			return now, store.Errorf(store.Conflict, "the entry %s is not there any more: restore it first", now.Ref)
		}
		if now.Layer == memory.LayerCanon && slices.ContainsFunc(l.Books, func(b store.BookRef) bool { return b.ID == now.Book }) {
			_, err := tx.editEntry(now.Book, now.Ref.Entry, SaveBook{}, func(old *lore.Entry) (*lore.Entry, error) {
				if old == nil {
					return nil, noEntry(now.Book, now.Ref.Entry)
				}
				return patchEntry(old, patch)
			})
			if err != nil {
				return now, err
			}
		} else {
			next, err := patchEntry(now.Authored, patch)
			if err != nil {
				return now, err
			}
			change := memory.Diff(now.Authored, next)
			if change.IsZero() {
				return now, nil
			}
			op := Operation{Layer: now.Layer, Book: now.Book, Entry: now.Ref.Entry, Kind: memory.KindPatch, Change: change, On: now.Version}
			last, _ := l.View.Operation(now.Version)
			if now.Layer == memory.LayerStory || last.Layer == memory.LayerStory {
				op.Layer, op.Conversation = memory.LayerStory, l.conversation
			}
			if _, err := tx.apply([]Operation{op}); err != nil {
				return now, err
			}
		}
		if l, err = tx.lore(at); err != nil {
			return now, err
		}
		return l.entry(now.Ref)
	})
}

// CreateEntry makes an entry in the layer of a place, by the caller: in the
// story of a conversation, or in the world. An empty id is made up.
func (s *Service) CreateEntry(ctx context.Context, world string, at Place, e *lore.Entry) (EntryInfo, error) {
	if e == nil {
		return EntryInfo{}, store.Errorf(store.Invalid, "there is no entry to make")
	}
	return update(ctx, s, world, func(tx *txn) (EntryInfo, error) {
		c, _, err := tx.place(at)
		if err != nil {
			return EntryInfo{}, err
		}
		entry := e.Clone()
		if entry.ID == "" {
			entry.ID = tx.NewID()
		}
		op := Operation{Conversation: c.ID, Kind: memory.KindCreate, Change: memory.Change{Entry: entry}}
		done, err := tx.apply([]Operation{op})
		if err != nil {
			return EntryInfo{}, err
		}
		if len(done[0].Conflicts) > 0 {
			return EntryInfo{}, store.Errorf(store.Exists, "there is an entry %q already", entry.ID)
		}
		l, err := tx.lore(Place{Conversation: c.ID, Node: at.Node})
		if err != nil {
			return EntryInfo{}, err
		}
		return l.entry(done[0].Operation.Ref())
	})
}

// Undo takes operations back, the newest first, by operations of the caller.
// What was taken back already stays so.
func (s *Service) Undo(ctx context.Context, world string, operations ...string) ([]Applied, error) {
	return update(ctx, s, world, func(tx *txn) ([]Applied, error) { return tx.undo(operations, true) })
}

// Redo makes operations count again that were undone.
func (s *Service) Redo(ctx context.Context, world string, operations ...string) ([]Applied, error) {
	return update(ctx, s, world, func(tx *txn) ([]Applied, error) { return tx.undo(operations, false) })
}

// undo takes operations back, or takes that back. An undo is an operation like
// others: to redo is to undo it, and so on.
func (tx *txn) undo(ids []string, back bool) ([]Applied, error) {
	ops := make([]Operation, len(ids))
	for i, id := range ids {
		op, err := tx.operation(id)
		if err != nil {
			return nil, err
		}
		ops[i] = op
	}
	slices.SortStableFunc(ops, func(a, b Operation) int {
		if back {
			return cmp.Compare(b.Seq, a.Seq)
		}
		return cmp.Compare(a.Seq, b.Seq)
	})
	var out []Applied
	for _, op := range ops {
		v, err := tx.viewOf(op)
		if err != nil {
			return nil, err
		}
		chain := undoChain(v, op.ID)
		if counts := len(chain)%2 == 1; counts != back {
			continue // it is so already
		}
		undo, conflicts, err := v.Undo(chain[len(chain)-1], person(tx.ctx))
		if err != nil {
			return nil, &store.Error{Kind: store.Conflict, Message: err.Error(), Err: err}
		}
		undo.ID = tx.NewID()
		added, fresh, err := tx.AppendOperations(undo)
		if err != nil {
			return nil, err
		}
		if fresh[0] {
			if err := tx.tellOperation(added[0]); err != nil {
				return nil, err
			}
		}
		out = append(out, Applied{Operation: added[0], Fresh: fresh[0], Conflicts: conflicts})
	}
	return out, nil
}

// undoChain returns an operation, the undo of it, the undo of that, and so on.
func undoChain(v *memory.View, id string) []string {
	chain := []string{id}
	ops := v.Operations()
	for {
		next := ""
		for _, op := range ops {
			if op.Undo == chain[len(chain)-1] && !op.Retracted && op.Author.Kind != memory.BySidecar {
				next = op.ID
			}
		}
		if next == "" || slices.Contains(chain, next) {
			return chain
		}
		chain = append(chain, next)
	}
}

// viewOf returns a view that holds an operation: what the conversation shows,
// or what its message shows.
func (tx *txn) viewOf(op Operation) (*memory.View, error) {
	places := []Place{{Conversation: op.Conversation}}
	if op.Node != "" {
		places = append(places, Place{Conversation: op.Conversation, Node: op.Node})
	}
	for _, p := range places {
		l, err := tx.lore(p)
		if err != nil {
			return nil, err
		}
		if _, ok := l.View.Operation(op.ID); ok {
			return l.View, nil
		}
	}
	return nil, store.Errorf(store.Conflict, "the operation %s does not count at present: its message was deleted, or left the path", op.ID)
}

func (tx *txn) operation(id string) (Operation, error) {
	op, err := tx.Operation(id)
	if err == nil && op.World != tx.id {
		err = store.Errorf(store.NotFound, "there is no operation %q in this world", id)
	}
	return op, err
}

// Operation returns an operation.
func (s *Service) Operation(ctx context.Context, world, operation string) (Operation, error) {
	return view(ctx, s, world, func(tx *txn) (Operation, error) { return tx.operation(operation) })
}

// Operations lists the operations of a world by page, the newest first.
func (s *Service) Operations(ctx context.Context, world string, f store.OperationFilter, p store.Page) (list []Operation, next string, err error) {
	return page(ctx, s, world, func(tx *txn) ([]Operation, string, error) {
		if f.Conversation != "" {
			c, err := tx.conversation(f.Conversation)
			if err != nil {
				return nil, "", err
			}
			f.Conversation = c.ID
		}
		return tx.OperationLog(world, f, p)
	})
}

// Promote carries an entry of a story into the world, or one of the story or the
// world into the book named; references to it follow. What was laid over an
// authored entry becomes part of the world's, or of its text.
func (s *Service) Promote(ctx context.Context, world string, at Place, ref memory.Ref, to memory.Layer, book string) (EntryInfo, error) {
	return update(ctx, s, world, func(tx *txn) (EntryInfo, error) {
		l, err := tx.lore(at)
		if err != nil {
			return EntryInfo{}, err
		}
		if to == memory.LayerCanon && book != "" {
			if _, err := tx.book(book); err != nil {
				return EntryInfo{}, err
			}
		}
		by := Operation{World: tx.id, Conversation: l.conversation, Author: person(tx.ctx)}
		ops, err := l.View.Promote(ref.Book, ref.Entry, to, book, by)
		if err != nil {
			return EntryInfo{}, &store.Error{Kind: store.Conflict, Message: err.Error(), Err: err}
		}
		target := ops[0].Ref()
		var rest []Operation
		for _, op := range ops {
			if op.Layer != memory.LayerCanon {
				rest = append(rest, op)
				continue
			}
			// Canon is what the books say: the change becomes a revision.
			_, err := tx.editEntry(op.Book, op.Entry, SaveBook{Note: "promoted"}, func(old *lore.Entry) (*lore.Entry, error) {
				switch {
				case op.Kind == memory.KindCreate && old == nil:
					return op.Change.Entry, nil
				case op.Kind == memory.KindPatch && old != nil:
					e, conflicts := op.Change.Apply(old)
					if len(conflicts) > 0 {
						return nil, store.Errorf(store.Conflict, "the entry %s cannot take what was laid over it: edit it by hand", op.Ref())
					}
					return e, nil
				default:
					return nil, store.Errorf(store.Conflict, "the book %q has another entry %q", op.Book, op.Entry)
				}
			})
			if err != nil {
				return EntryInfo{}, err
			}
		}
		if _, err := tx.apply(rest); err != nil {
			return EntryInfo{}, err
		}
		if l, err = tx.lore(at); err != nil {
			return EntryInfo{}, err
		}
		return l.entry(target)
	})
}
