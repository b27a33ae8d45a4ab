package store

import (
	"context"
	"encoding/json"
)

// Event says that something in a world changed. Ids count from 1 in each world
// and follow the order of commits: who has seen event n has seen all before it.
type Event struct {
	World string
	ID    int64
	// Kind is a word such as "node.created", Ref the id of what it is about.
	Kind, Ref string
	// Conversation is the conversation that it belongs to; it is erased with
	// it. "" if it belongs to none.
	Conversation string
	// Payload is JSON; nil means null.
	Payload json.RawMessage
	Time    int64
}

// AppendEvent adds an event and returns its id.
func (tx *Tx) AppendEvent(e Event) (int64, error) { return 0, errPending }

// Events returns the events of a world behind an id, at most limit of them.
func (tx *Tx) Events(world string, after int64, limit int) ([]Event, error) { return nil, errPending }

// FirstEvent returns the id of the oldest event that is still kept, and
// LastEvent of the newest one; 0 if there is none. A reader that asks for
// events behind one that is older than FirstEvent - 1 has missed some.
func (tx *Tx) FirstEvent(world string) (int64, error) { return 0, errPending }

// LastEvent returns the id of the newest event of a world.
func (tx *Tx) LastEvent(world string) (int64, error) { return 0, errPending }

// Subscription wakes a reader of events.
type Subscription struct{ c chan struct{} }

// C receives a value after transactions with events of the world were
// committed, by this process or another; several may be one value. Now and then
// it receives one without cause. Read [Tx.Events] until it returns none, then
// wait for the next value.
func (s *Subscription) C() <-chan struct{} { return s.c }

// Close ends the subscription.
func (s *Subscription) Close() {}

// Subscribe begins to watch the events of a world. Subscribe first and read
// events then, so that none is missed.
func (db *DB) Subscribe(world string) *Subscription { return nil }

// WaitEvents returns the events of a world behind an id; if there are none it
// waits for them, until the context ends.
func (db *DB) WaitEvents(ctx context.Context, world string, after int64, limit int) ([]Event, error) {
	return nil, errPending
}
