package store

import (
	"database/sql"
	"encoding/json"
	"strconv"
	"strings"
)

// WorkState says how far a piece of work is.
type WorkState string

// The states of work. The last three are final, unless it is retried by hand.
const (
	// WorkQueued waits for its time, its turn, or a free hand.
	WorkQueued WorkState = "queued"
	// WorkRunning is being done by its owner.
	WorkRunning WorkState = "running"
	// WorkCancelling was cancelled while it ran: what it does is discarded, and
	// it is over as soon as its owner has stopped.
	WorkCancelling WorkState = "cancelling"
	WorkDone       WorkState = "done"
	WorkFailed     WorkState = "failed"
	WorkCancelled  WorkState = "cancelled"
)

// The kinds of event that tell of work. Ref is its id; the payload is
// {"kind", "state"}, of progress {"kind", "state", "done", "total"}.
const (
	EventWorkQueued   = "work.queued"  // it was added, retried, or given back
	EventWorkStarted  = "work.started" // it runs
	EventWorkProgress = "work.progress"
	EventWorkChanged  = "work.changed"  // it waits for another attempt, or is being cancelled
	EventWorkFinished = "work.finished" // the state is done, failed or cancelled
)

// Bounds of work.
const (
	// MaxWorkPayload bounds a payload and a result, in bytes.
	MaxWorkPayload = 1 << 20
	// MaxWorkText bounds an error and a message; longer ones are cut.
	MaxWorkText = 4 << 10
	// maxWorkLost is how often the owner of a piece of work may vanish before
	// the work is taken for the cause.
	maxWorkLost = 20
)

// Work is something to be done later, written in the transaction that caused
// it. Package jobs does it.
//
// Work of one conversation is done strictly one at a time, in the order of Seq;
// work without one is done whenever there is a free hand. Work that was tried
// and waits for its next attempt holds up what stands behind it; work for a
// later time, not yet begun, does not.
type Work struct {
	ID, World string
	// Conversation is the conversation that it belongs to; it is erased with it.
	// "" is none.
	Conversation string
	// Node is the message that it is done for; "" is none. See
	// [Tx.CancelWorkFor].
	Node string
	// Kind says who can do it.
	Kind string
	// Key is what a second piece of the same work would have too: it is not
	// added again, see [Tx.AddWork]. It is unique in the world; "" is none.
	Key string
	// Seq follows the order of commits in the world.
	Seq   int64
	State WorkState
	// Priority: higher is done first, except within a conversation.
	Priority int
	// Attempt is how often it was begun, Attempts how often that may be.
	Attempt, Attempts int
	// Lost is how often the process that did it ended meanwhile.
	Lost int
	// Due is when it may begin, in microseconds since 1970 UTC; 0 is at once.
	Due int64
	// Owner does it, while it runs; Token is different whenever it is begun.
	Owner string
	Token int64
	// Done of Total parts are done, as far as it says; Message is for people.
	Done, Total int64
	Message     string
	// Error is why the last attempt failed.
	Error string
	// Payload says what to do and Result what came of it, as JSON.
	Payload, Result json.RawMessage
	// Created, Started and Finished are in microseconds since 1970 UTC, 0 if
	// that has not happened.
	Created, Started, Finished int64
}

const workColumns = `id, world, conversation, node, kind, coalesce(unique_key, ''), seq, state, priority, attempt, attempts, lost, due,
	owner, token, done, total, message, error, payload, result, created, started, finished`

func (w *Work) dest() []any {
	return []any{
		&w.ID, &w.World, &w.Conversation, &w.Node, &w.Kind, &w.Key, &w.Seq, &w.State, &w.Priority, &w.Attempt, &w.Attempts, &w.Lost, &w.Due,
		&w.Owner, &w.Token, &w.Done, &w.Total, &w.Message, &w.Error, (*[]byte)(&w.Payload), (*[]byte)(&w.Result), &w.Created, &w.Started, &w.Finished,
	}
}

// AddWork adds work to be done after the commit, and wakes those who do it.
// Attempts below 1 mean 1. wait is how long it waits, in microseconds; it is
// counted from now, and Due is not looked at. With 0 it may begin at Due.
//
// If there is work with the same key that is queued, runs or is done, that is
// returned, and fresh is false. With again only queued work counts: what has
// begun may have missed what the new one is for. A key whose work failed or was
// cancelled is free.
func (tx *Tx) AddWork(w Work, wait int64, again bool) (added Work, fresh bool, err error) {
	if w.Kind == "" {
		return Work{}, false, Errorf(Invalid, "work needs a kind")
	}
	payload, err := workJSON("payload", w.Payload)
	if err != nil {
		return Work{}, false, err
	}
	if _, err := tx.world(w.World); err != nil {
		return Work{}, false, err
	}
	if w.Node, err = tx.workNode(w); err != nil {
		return Work{}, false, err
	}
	if w.Key != "" {
		old, free, err := tx.workWithKey(w, again)
		if err != nil || !free {
			return old, false, err
		}
	}
	if w.ID == "" {
		w.ID = tx.NewID()
	} else if _, found, err := tx.workWhere("id = $1", w.ID); err != nil || found {
		if found {
			err = Errorf(Exists, "there is work %q already", clip(w.ID))
		}
		return Work{}, false, err
	}
	w.Attempts = max(w.Attempts, 1)
	since := int64(0)
	if wait > 0 {
		since = tx.clock()
		w.Due = since + wait
	}
	behind, err := tx.workBehind(w)
	if err != nil {
		return Work{}, false, err
	}
	w.State = WorkQueued
	if w.Seq, err = tx.tellWork(EventWorkQueued, w, false); err != nil {
		return Work{}, false, err
	}
	_, err = tx.exec(`INSERT INTO work (id, world, seq, conversation, node, kind, unique_key, state, priority, attempt, attempts, lost, due, since,
		owner, token, beat, behind, done, total, created, started, finished, message, error, payload, result)
		VALUES ($1, $2, $3, $4, $5, $6, $7, 'queued', $8, 0, $9, 0, $10, $11, '', 0, 0, $12, 0, 0, $13, 0, 0, '', '', $14, $15)`,
		w.ID, w.World, w.Seq, w.Conversation, w.Node, w.Kind, orNull(w.Key), w.Priority, w.Attempts, max(w.Due, 0), since, behind, tx.now, payload, []byte("null"))
	if err != nil {
		return Work{}, false, err
	}
	tx.work = true
	added, err = tx.Work(w.ID)
	return added, true, err
}

// workNode makes sure that the conversation and the message of work are there,
// and returns the message; of another wording that which it stands for.
func (tx *Tx) workNode(w Work) (string, error) {
	if w.Conversation == "" {
		if w.Node != "" {
			return "", Errorf(Invalid, "work for a message needs its conversation")
		}
		return "", nil
	}
	c, err := tx.Conversation(w.Conversation)
	switch {
	case err != nil:
		return "", err
	case c.World != w.World:
		return "", Errorf(Invalid, "the conversation %s belongs to another world", w.Conversation)
	case c.Deleted != 0:
		return "", Errorf(Conflict, "the conversation %q was deleted: restore it first", w.Conversation)
	case w.Node == "":
		return "", nil
	}
	n, err := tx.anchor(w.Node)
	if err == nil && n.conversation != c.ID {
		err = Errorf(Invalid, "the message %s belongs to another conversation", w.Node)
	}
	return n.id, err
}

// workBehind reports whether something in the conversation of new work is sure to
// be done before it: then nobody need look at it until that has ended.
func (tx *Tx) workBehind(w Work) (bool, error) {
	if w.Conversation == "" || w.Due > 0 {
		return false, nil
	}
	var one int
	return tx.row("SELECT 1 FROM work WHERE conversation = $1 AND finished = 0 AND NOT behind AND (due = 0 OR attempt > 0) LIMIT 1", []any{w.Conversation}, &one)
}

// nextWork lets the next work of a conversation be looked at when something
// before it has ended. It reports whether any is open.
func (tx *Tx) nextWork(conversation string) (open bool, err error) {
	if conversation == "" {
		return false, nil
	}
	var id string
	found, err := tx.row("SELECT id FROM work WHERE conversation = $1 AND finished = 0 AND behind ORDER BY seq LIMIT 1", []any{conversation}, &id)
	if err != nil {
		return false, err
	}
	if found {
		_, err := tx.exec("UPDATE work SET behind = FALSE WHERE id = $1", id)
		return true, err
	}
	var one int
	return tx.row("SELECT 1 FROM work WHERE conversation = $1 AND finished = 0 LIMIT 1", []any{conversation}, &one)
}

// workWithKey returns the work that has a key; free if there is none, or none
// that counts: then the key is taken from it.
func (tx *Tx) workWithKey(w Work, again bool) (old Work, free bool, err error) {
	old, found, err := tx.workWhere("world = $1 AND unique_key = $2", w.World, w.Key)
	if err != nil || !found {
		return old, err == nil, err
	}
	switch old.State {
	case WorkQueued:
		return old, false, nil
	case WorkRunning, WorkDone:
		if !again {
			return old, false, nil
		}
	}
	_, err = tx.exec("UPDATE work SET unique_key = NULL WHERE id = $1", old.ID)
	return old, true, err
}

func (tx *Tx) workWhere(where string, args ...any) (w Work, found bool, err error) {
	found, err = tx.row("SELECT "+workColumns+" FROM work WHERE "+where, args, w.dest()...)
	return w, found, err
}

// Work returns a piece of work.
func (tx *Tx) Work(id string) (Work, error) {
	w, found, err := tx.workWhere("id = $1", id)
	if err == nil && !found {
		err = Errorf(NotFound, "there is no work %q", clip(id))
	}
	return w, err
}

// WorkFilter chooses work; empty fields do not restrict.
type WorkFilter struct {
	State              WorkState
	Kind               string
	Conversation, Node string
}

// WorkList lists the work of a world, the newest first.
func (tx *Tx) WorkList(world string, f WorkFilter, p Page) (list []Work, next string, err error) {
	before := int64(1) << 62
	if err := p.after(&before); err != nil {
		return nil, "", err
	}
	where, args := []string{"world = $1", "seq < $2"}, []any{world, before, p.limit() + 1}
	for _, c := range []struct{ column, value string }{
		{"state", string(f.State)}, {"kind", f.Kind}, {"conversation", f.Conversation}, {"node", f.Node},
	} {
		if c.value != "" {
			args = append(args, c.value)
			where = append(where, c.column+" = $"+strconv.Itoa(len(args)))
		}
	}
	err = tx.rows("SELECT "+workColumns+" FROM work WHERE "+strings.Join(where, " AND ")+" ORDER BY seq DESC LIMIT $3", args, func(r *sql.Rows) error {
		var w Work
		err := r.Scan(w.dest()...)
		list = append(list, w)
		return err
	})
	if err != nil {
		return nil, "", err
	}
	list, next = cut(p, list, func(w Work) []any { return []any{w.Seq} })
	return list, next, nil
}

// WorkStats counts work.
type WorkStats struct {
	Queued, Running, Failed int64
	// Oldest is how long the oldest work waits that could begin, in
	// microseconds.
	Oldest int64
}

// WorkStats counts the work of all worlds.
func (tx *Tx) WorkStats() (s WorkStats, err error) {
	now := tx.clock()
	var oldest sql.NullInt64
	_, err = tx.row(`SELECT count(*), CAST(coalesce(sum(CASE WHEN owner = '' THEN 0 ELSE 1 END), 0) AS BIGINT),
		min(CASE WHEN owner = '' AND (due <= $1 OR since > $1) THEN (CASE WHEN due > created THEN due ELSE created END) END)
		FROM work WHERE finished = 0`, []any{now}, &s.Queued, &s.Running, &oldest)
	if err != nil {
		return s, err
	}
	s.Queued -= s.Running
	if oldest.Valid {
		s.Oldest = max(now-oldest.Int64, 0)
	}
	_, err = tx.row("SELECT count(*) FROM work WHERE state = 'failed'", nil, &s.Failed)
	return s, err
}

// clock is the time as the clock says it, which may run back.
func (tx *Tx) clock() int64 { return tx.db.opts.Now().UnixMicro() }

// tellWork adds the event of a change to work.
func (tx *Tx) tellWork(kind string, w Work, progress bool) (int64, error) {
	payload := map[string]any{"kind": w.Kind, "state": w.State}
	if progress {
		payload["done"], payload["total"] = w.Done, w.Total
	}
	raw, err := json.Marshal(payload)
	if err != nil {
		return 0, err
	}
	return tx.AppendEvent(Event{World: w.World, Kind: kind, Ref: w.ID, Conversation: w.Conversation, Payload: raw})
}

// workJSON checks a payload or a result.
func workJSON(what string, raw json.RawMessage) ([]byte, error) {
	if len(raw) == 0 {
		return []byte("null"), nil
	}
	if len(raw) > MaxWorkPayload {
		return nil, Errorf(Invalid, "the %s of the work has %d bytes; %d are allowed: keep ids in it and read the rest", what, len(raw), MaxWorkPayload)
	}
	if !json.Valid(raw) {
		return nil, Errorf(Invalid, "the %s of the work is no JSON", what)
	}
	return raw, nil
}

// workText makes a text fit for a column: no zero bytes, valid, not too long.
func workText(s string) string {
	if len(s) > MaxWorkText {
		s = s[:MaxWorkText] + "…"
	}
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\ufffd"), "\x00", "")
}
