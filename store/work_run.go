package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"
)

// What follows is for those who do work: package jobs. Whoever claims a piece of
// work owns it until it has ended or was taken back; each time it is claimed it
// gets another token, and nothing is committed for an old one.

// ErrWorkLost is the error of work whose token is no longer good: it was
// cancelled, erased, or taken back by another owner.
var ErrWorkLost = Errorf(Conflict, "the work is no longer ours: it was cancelled, erased, or taken over")

// runnable is the condition on work w that could begin at the time $1: its time
// has come (or the clock has run back since it was set), and nothing of its
// conversation runs or stands before it.
const runnable = `w.finished = 0 AND w.owner = '' AND NOT w.behind AND (w.due <= $1 OR w.since > $1)
	AND (w.conversation = '' OR NOT EXISTS (SELECT 1 FROM work o WHERE o.conversation = w.conversation AND o.finished = 0
		AND (o.owner <> '' OR o.seq < w.seq AND (o.attempt > 0 OR o.due <= $1 OR o.since > $1))))`

// kindsIn returns the condition that work is of some kinds, whose parameters
// begin behind n.
func kindsIn(kinds []string, n int) (string, []any) {
	var b strings.Builder
	args := make([]any, len(kinds))
	for i, k := range kinds {
		b.WriteString(", $" + strconv.Itoa(n+i+1))
		args[i] = k
	}
	return " AND w.kind IN (" + strings.TrimPrefix(b.String(), ", ") + ")", args
}

// WorkWaiting returns the worlds with work of some kinds that could begin now,
// the most urgent first and at most limit, and how long it is until the next
// waiting work is due; 0 if none waits.
func (db *DB) WorkWaiting(ctx context.Context, kinds []string, limit int) (worlds []string, wait time.Duration, err error) {
	if len(kinds) == 0 {
		return nil, 0, nil
	}
	err = db.View(ctx, func(tx *Tx) error {
		worlds, wait = nil, 0
		now := tx.clock()
		in, args := kindsIn(kinds, 2)
		err := tx.rows("SELECT w.world FROM work w WHERE "+runnable+in+" ORDER BY w.priority DESC, w.created, w.id LIMIT $2",
			append([]any{now, limit}, args...), func(r *sql.Rows) error {
				var world string
				err := r.Scan(&world)
				if !slices.Contains(worlds, world) {
					worlds = append(worlds, world)
				}
				return err
			})
		if err != nil || len(worlds) > 0 {
			return err
		}
		var next sql.NullInt64
		_, err = tx.row("SELECT min(due) FROM work WHERE finished = 0 AND due > 0 AND due > $1 AND owner = ''", []any{now}, &next)
		if next.Valid {
			wait = max(time.Duration(next.Int64-now)*time.Microsecond, time.Microsecond)
		}
		return err
	})
	return worlds, wait, err
}

// ClaimWork gives an owner up to n pieces of work of a world that could begin
// now.
func (tx *Tx) ClaimWork(world, owner string, kinds []string, n int) ([]Work, error) {
	if _, err := tx.world(world); err != nil { // nobody else claims meanwhile
		return nil, err
	}
	if owner == "" || len(kinds) == 0 {
		return nil, Errorf(Invalid, "work is claimed by an owner, and by its kinds")
	}
	in, args := kindsIn(kinds, 3)
	var ids []string
	err := tx.rows("SELECT w.id FROM work w WHERE w.world = $3 AND "+runnable+in+" ORDER BY w.priority DESC, w.created, w.id LIMIT $2",
		append([]any{tx.clock(), n, world}, args...), func(r *sql.Rows) error {
			var id string
			err := r.Scan(&id)
			ids = append(ids, id)
			return err
		})
	if err != nil {
		return nil, err
	}
	list := make([]Work, len(ids))
	for i, id := range ids {
		_, err := tx.exec(`UPDATE work SET state = 'running', owner = $2, token = token + 1, beat = 0, attempt = attempt + 1, started = $3,
			done = 0, total = 0, message = '' WHERE id = $1`, id, owner, tx.now)
		if err != nil {
			return nil, err
		}
		if list[i], err = tx.Work(id); err != nil {
			return nil, err
		}
		if _, err := tx.tellWork(EventWorkStarted, list[i], false); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// HoldWork makes sure that what the transaction writes is written only if the
// token is still good when it is committed; else it is [ErrWorkLost].
func (tx *Tx) HoldWork(id string, token int64) (Work, error) {
	w, err := tx.ownWork(id, token)
	if err == nil && w.State != WorkRunning {
		err = ErrWorkLost
	}
	return w, err
}

// ownWork is HoldWork for work that may be being cancelled.
func (tx *Tx) ownWork(id string, token int64) (Work, error) {
	w, err := tx.workForWrite(id)
	if KindOf(err) == NotFound || err == nil && (w.Token != token || w.Owner == "") {
		err = ErrWorkLost
	}
	return w, err
}

// CompleteWork ends work that has succeeded.
func (tx *Tx) CompleteWork(id string, token int64, result json.RawMessage) error {
	w, err := tx.HoldWork(id, token)
	if err != nil {
		return err
	}
	raw, err := workJSON("result", result)
	if err != nil {
		return err
	}
	w.State = WorkDone
	return tx.endWork(w, "", raw)
}

// FailWork ends an attempt that has failed. With retry it is tried again after
// a wait. Work that is being cancelled is cancelled then.
func (tx *Tx) FailWork(id string, token int64, reason string, retry bool, wait time.Duration) error {
	w, err := tx.ownWork(id, token)
	if err != nil {
		return err
	}
	switch {
	case w.State == WorkCancelling:
		w.State, reason = WorkCancelled, w.Error
	case retry:
		now := tx.clock()
		_, err := tx.exec("UPDATE work SET state = 'queued', owner = '', due = $2, since = $3, error = $4 WHERE id = $1",
			id, now+max(wait, 0).Microseconds(), now, workText(reason))
		if err != nil {
			return err
		}
		w.State = WorkQueued
		_, err = tx.tellWork(EventWorkChanged, w, false)
		tx.work = true
		return err
	default:
		w.State = WorkFailed
	}
	return tx.endWork(w, workText(reason), w.Result)
}

// GiveBackWork queues work again that its owner does not end; the attempt does
// not count. Work that is being cancelled is cancelled then.
func (tx *Tx) GiveBackWork(id string, token int64) error {
	return tx.giveBack(id, token, 0)
}

// TakeBackWork is GiveBackWork for work whose owner seems to be gone, if its
// beat has not risen since.
func (tx *Tx) TakeBackWork(h HeldWork) error {
	w, err := tx.workForWrite(h.ID)
	if err != nil {
		return ignore(err, NotFound)
	}
	var beat int64
	if _, err := tx.row("SELECT beat FROM work WHERE id = $1", []any{w.ID}, &beat); err != nil {
		return err
	}
	if w.Token != h.Token || w.Owner == "" || beat != h.Beat {
		return nil
	}
	return tx.giveBack(h.ID, h.Token, 1)
}

func (tx *Tx) giveBack(id string, token int64, lost int) error {
	w, err := tx.ownWork(id, token)
	if err != nil {
		return err
	}
	if w.Lost += lost; w.State == WorkCancelling {
		w.State = WorkCancelled
		return tx.endWork(w, w.Error, w.Result)
	}
	if w.Lost > maxWorkLost {
		w.State = WorkFailed
		return tx.endWork(w, "the process that did it ended "+strconv.Itoa(w.Lost)+" times: the work may be the cause", w.Result)
	}
	_, err = tx.exec("UPDATE work SET state = 'queued', owner = '', attempt = $2, lost = $3 WHERE id = $1", id, w.Attempt-1, w.Lost)
	if err != nil {
		return err
	}
	tx.work = true
	w.State = WorkQueued
	_, err = tx.tellWork(EventWorkQueued, w, false)
	return err
}

// endWork writes that work is over.
func (tx *Tx) endWork(w Work, reason string, result []byte) error {
	_, err := tx.exec("UPDATE work SET state = $2, owner = '', error = $3, result = $4, lost = $5, finished = $6 WHERE id = $1",
		w.ID, string(w.State), reason, result, w.Lost, max(tx.now, 1))
	if err != nil {
		return err
	}
	open, err := tx.nextWork(w.Conversation)
	if err != nil {
		return err
	}
	tx.work = tx.work || open // another server may do it
	_, err = tx.tellWork(EventWorkFinished, w, false)
	return err
}

// ProgressWork says how far work is.
func (tx *Tx) ProgressWork(id string, token int64, done, total int64, message string) error {
	w, err := tx.HoldWork(id, token)
	if err != nil {
		return err
	}
	w.Done, w.Total = done, total
	if _, err := tx.exec("UPDATE work SET done = $2, total = $3, message = $4 WHERE id = $1", id, done, total, workText(message)); err != nil {
		return err
	}
	_, err = tx.tellWork(EventWorkProgress, w, true)
	return err
}

// HeldWork is work that somebody does.
type HeldWork struct {
	ID, World, Owner string
	Token, Beat      int64
	State            WorkState
	// Dead says that its owner cannot be alive: another process had the file
	// before. SQLite only.
	Dead bool
}

// HeldWork returns all work that somebody does; of one owner if it is not "".
func (db *DB) HeldWork(ctx context.Context, owner string) (list []HeldWork, err error) {
	where, args := "owner <> ''", []any(nil)
	if owner != "" {
		where, args = "owner <> '' AND owner = $1", []any{owner}
	}
	err = db.View(ctx, func(tx *Tx) error {
		list = nil
		return tx.rows("SELECT id, world, owner, token, beat, state FROM work WHERE "+where, args, func(r *sql.Rows) error {
			var h HeldWork
			err := r.Scan(&h.ID, &h.World, &h.Owner, &h.Token, &h.Beat, &h.State)
			h.Dead = !db.dialect.postgres && !strings.HasPrefix(h.Owner, db.events.name)
			list = append(list, h)
			return err
		})
	})
	return list, err
}

// WorkOwner returns a new owner of work.
func (db *DB) WorkOwner() string { return db.events.name + "." + db.opts.IDs.New() }

// BeatWork lets the beat of work rise: its owner lives. It waits for nobody.
func (db *DB) BeatWork(ctx context.Context, list []HeldWork) error {
	which := "id = $1 AND token = $2"
	if db.dialect.postgres { // a row that is being changed needs no beat
		which = "id IN (SELECT id FROM work WHERE id = $1 AND token = $2 FOR UPDATE SKIP LOCKED)"
	}
	return db.update(ctx, sql.LevelReadCommitted, func(tx *Tx) error {
		for _, h := range list {
			if _, err := tx.exec("UPDATE work SET beat = beat + 1 WHERE "+which+" AND owner <> ''", h.ID, h.Token); err != nil {
				return err
			}
		}
		return nil
	})
}
