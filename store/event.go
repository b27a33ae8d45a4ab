package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"strings"
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
//
// The id is a number of the world's row, whose lock is held until the commit:
// so no event is ever seen before one with a lower id.
func (tx *Tx) AppendEvent(e Event) (int64, error) {
	payload := []byte(e.Payload)
	if len(payload) == 0 {
		payload = []byte("null")
	} else if !json.Valid(payload) {
		return 0, Errorf(Invalid, "the payload of the event %s is no JSON", e.Kind)
	}
	w, err := tx.touch(e.World)
	if err != nil {
		return 0, err
	}
	w.Event++
	w.events++
	e.ID, e.Payload, e.Time = w.Event, payload, tx.now
	tx.events = append(tx.events, e)
	return w.Event, nil
}

// eventBatch is how many events one statement writes at most.
const eventBatch = 8

var insertEvents = func() (texts [eventBatch + 1]string) {
	for n := 1; n <= eventBatch; n++ {
		var rows []string
		for i := range n {
			k := 7 * i
			rows = append(rows, fmt.Sprintf("($%d, $%d, $%d, $%d, $%d, $%d, $%d)", k+1, k+2, k+3, k+4, k+5, k+6, k+7))
		}
		texts[n] = "INSERT INTO events (world, id, kind, ref, conversation, payload, time) VALUES " + strings.Join(rows, ", ")
	}
	return texts
}()

// flushEvents writes the events that were appended: all at once, since a
// statement costs more than a row.
func (tx *Tx) flushEvents() error {
	for len(tx.events) > 0 {
		n := min(len(tx.events), eventBatch)
		args := make([]any, 0, 7*n)
		for _, e := range tx.events[:n] {
			args = append(args, e.World, e.ID, e.Kind, e.Ref, e.Conversation, []byte(e.Payload), e.Time)
		}
		tx.events = tx.events[n:]
		if _, err := tx.exec(insertEvents[n], args...); err != nil {
			return err
		}
	}
	return nil
}

// Events returns the events of a world behind an id, at most limit of them.
func (tx *Tx) Events(world string, after int64, limit int) (list []Event, err error) {
	if err := tx.flushEvents(); err != nil {
		return nil, err
	}
	err = tx.rows("SELECT id, kind, ref, conversation, payload, time FROM events WHERE world = $1 AND id > $2 ORDER BY id LIMIT $3",
		[]any{world, after, Page{Limit: limit}.limit()}, func(r *sql.Rows) error {
			e := Event{World: world}
			err := r.Scan(&e.ID, &e.Kind, &e.Ref, &e.Conversation, (*[]byte)(&e.Payload), &e.Time)
			list = append(list, e)
			return err
		})
	return list, err
}

// FirstEvent returns the id of the oldest event of a world that is still kept;
// if none is, the next one's. A reader that asks for events behind an id below
// FirstEvent - 1 may have missed some.
func (tx *Tx) FirstEvent(world string) (int64, error) {
	if err := tx.flushEvents(); err != nil {
		return 0, err
	}
	var first sql.NullInt64
	if _, err := tx.row("SELECT min(id) FROM events WHERE world = $1", []any{world}, &first); err != nil {
		return 0, err
	}
	if first.Valid {
		return first.Int64, nil
	}
	last, err := tx.LastEvent(world)
	return last + 1, err
}

// LastEvent returns the id of the newest event of a world, also if it is no
// longer kept; 0 if there was none.
func (tx *Tx) LastEvent(world string) (int64, error) {
	w, err := tx.World(world)
	return w.Event, err
}

// WaitEvents returns the events of a world behind an id; if there are none it
// waits for them, until the context ends. A world that is not there, or no
// longer, is NotFound.
func (db *DB) WaitEvents(ctx context.Context, world string, after int64, limit int) ([]Event, error) {
	s := db.Subscribe(world)
	defer s.Close()
	for {
		var list []Event
		err := db.View(ctx, func(tx *Tx) (err error) {
			if list, err = tx.Events(world, after, limit); err == nil && len(list) == 0 {
				_, err = tx.World(world) // nothing more comes of one that is gone
			}
			return err
		})
		if err != nil || len(list) > 0 {
			return list, err
		}
		select {
		case <-s.C():
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-db.ctx.Done():
			return nil, Errorf(Unavailable, "the database is closed")
		}
	}
}
