package world

import (
	"context"
	"slices"

	"github.com/weft-memory/weft/store"
)

// The kinds of event that tell of work, see package store. Ref is the work.
const (
	EventWorkQueued   = store.EventWorkQueued   // {"kind", "state"}
	EventWorkStarted  = store.EventWorkStarted  // {"kind", "state"}
	EventWorkProgress = store.EventWorkProgress // {"kind", "state", "done", "total"}
	EventWorkChanged  = store.EventWorkChanged  // {"kind", "state"}
	EventWorkFinished = store.EventWorkFinished // {"kind", "state"}
)

// Work returns a piece of work of a world.
func (s *Service) Work(ctx context.Context, world, id string) (store.Work, error) {
	return view(ctx, s, world, func(tx *txn) (store.Work, error) { return tx.workHere(id) })
}

// WorkList lists the work of a world, the newest first: what waits, runs, and
// what is over and still kept.
func (s *Service) WorkList(ctx context.Context, world string, f store.WorkFilter, p store.Page) (list []store.Work, next string, err error) {
	return page(ctx, s, world, func(tx *txn) ([]store.Work, string, error) {
		if f.Conversation != "" {
			c, err := tx.anyConversation(f.Conversation)
			if err != nil {
				return nil, "", err
			}
			f.Conversation = c.ID
		}
		if f.Node != "" {
			n, err := tx.bareNode(f.Node)
			if err != nil {
				return nil, "", err
			}
			f.Node = n.ID
		}
		return tx.WorkList(world, f, p)
	})
}

// CancelWork cancels work that is not over. If it runs, nothing that it does
// counts any more, and it ends soon. Work that is done or has failed is a
// Conflict.
func (s *Service) CancelWork(ctx context.Context, world, id string) (store.Work, error) {
	return update(ctx, s, world, func(tx *txn) (store.Work, error) {
		if _, err := tx.workHere(id); err != nil {
			return store.Work{}, err
		}
		if _, err := tx.CancelWork(id); err != nil {
			return store.Work{}, err
		}
		return tx.Work(id)
	})
}

// RetryWork queues work again that failed or was cancelled, and ends the wait of
// what waits for its next attempt. Work for a message that the conversation does
// not show is a Conflict, as is work that runs or is done.
func (s *Service) RetryWork(ctx context.Context, world, id string) (store.Work, error) {
	return update(ctx, s, world, func(tx *txn) (store.Work, error) {
		w, err := tx.workHere(id)
		if err != nil {
			return w, err
		}
		if w.Node != "" {
			c, err := tx.conversation(w.Conversation)
			if err != nil {
				return w, err
			}
			p, err := tx.shown(c)
			if err != nil {
				return w, err
			}
			if !slices.Contains(stepIDs(p.Steps), w.Node) {
				return w, store.Errorf(store.Conflict, "the work %s is for a message that the conversation does not show now: show that first", id)
			}
		}
		return tx.RetryWork(id)
	})
}

// WorkStats counts the work of all worlds.
func (s *Service) WorkStats(ctx context.Context) (stats store.WorkStats, err error) {
	err = s.db.View(ctx, func(tx *store.Tx) (err error) {
		stats, err = tx.WorkStats()
		return err
	})
	return stats, err
}

// workHere returns work of the world.
func (tx *txn) workHere(id string) (store.Work, error) {
	w, err := tx.Work(id)
	if err == nil && w.World != tx.id {
		err = store.Errorf(store.NotFound, "there is no work %q in this world", id)
	}
	return w, err
}

// cancelLeft cancels the work for messages that a conversation no longer shows,
// and all of a conversation that was deleted.
func (tx *txn) cancelLeft(m HeadMove) error {
	if len(m.Left) == 0 && m.New != "" {
		return nil
	}
	c, err := tx.Conversation(m.Conversation)
	if err != nil {
		return err
	}
	left := m.Left
	if c.Deleted != 0 {
		left = nil
	} else if len(left) == 0 {
		return nil
	}
	_, err = tx.CancelWorkFor(c.ID, left...)
	return err
}

// Within returns a context in which the methods of a [Service] that read or
// change one world take part in a transaction which is open: what they do is
// committed with it, or not at all. It is for what has to happen together with
// something else, such as the end of the work that causes it:
//
//	err := job.Finish(ctx, func(tx *store.Tx) error {
//		_, err := worlds.Apply(world.Within(ctx, tx), job.World, ops...)
//		return err
//	})
//
// The context is good within the transaction only. Methods that make or erase
// worlds and conversations are not for it.
func Within(ctx context.Context, tx *store.Tx) context.Context {
	return context.WithValue(ctx, withinKey{}, tx)
}

type withinKey struct{}

// within returns the transaction that a method is to take part in; nil if it has
// its own.
func within(ctx context.Context) *store.Tx {
	tx, _ := ctx.Value(withinKey{}).(*store.Tx)
	return tx
}
