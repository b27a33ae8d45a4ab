package store

import "database/sql"

// CancelWork cancels work that is not over. What is queued is cancelled at
// once. What runs is told to stop: nothing that it does is committed any more,
// and it is [WorkCancelling] until it has stopped. Work that is over is a
// Conflict, unless it was cancelled.
func (tx *Tx) CancelWork(id string) (Work, error) {
	w, err := tx.workForWrite(id)
	if err != nil {
		return w, err
	}
	switch w.State {
	case WorkDone, WorkFailed:
		return w, Errorf(Conflict, "the work %s is over: it is %s", id, w.State)
	}
	return w, tx.cancelWork(&w)
}

// CancelWorkFor cancels the work that is not over of some messages of a
// conversation; without messages, all of the conversation. It returns how much
// that was.
func (tx *Tx) CancelWorkFor(conversation string, nodes ...string) (int, error) {
	if conversation == "" {
		return 0, nil
	}
	wanted := make(map[string]bool, len(nodes))
	for _, n := range nodes {
		wanted[n] = true
	}
	var list []Work
	err := tx.rows("SELECT "+workColumns+" FROM work WHERE conversation = $1 AND finished = 0 ORDER BY seq", []any{conversation}, func(r *sql.Rows) error {
		var w Work
		err := r.Scan(w.dest()...)
		if w.State != WorkCancelling && (len(nodes) == 0 || wanted[w.Node]) {
			list = append(list, w)
		}
		return err
	})
	if err != nil || len(list) == 0 {
		return 0, err
	}
	if tx.worlds[list[0].World] == nil { // the list may be old by the time the lock is there
		if _, err := tx.world(list[0].World); err != nil {
			return 0, err
		}
		return tx.CancelWorkFor(conversation, nodes...)
	}
	for i := range list {
		if err := tx.cancelWork(&list[i]); err != nil {
			return i, err
		}
	}
	return len(list), nil
}

// cancelWork cancels work that is not over.
func (tx *Tx) cancelWork(w *Work) (err error) {
	kind := EventWorkChanged
	switch w.State {
	case WorkQueued:
		kind, w.State, w.Finished = EventWorkFinished, WorkCancelled, tx.now
	case WorkRunning:
		w.State = WorkCancelling
	default:
		return nil
	}
	var behind bool
	if _, err := tx.row("SELECT behind FROM work WHERE id = $1", []any{w.ID}, &behind); err != nil {
		return err
	}
	if _, err := tx.exec("UPDATE work SET state = $2, finished = $3 WHERE id = $1", w.ID, string(w.State), w.Finished); err != nil {
		return err
	}
	if w.State == WorkCancelled && !behind {
		if _, err := tx.nextWork(w.Conversation); err != nil {
			return err
		}
	}
	tx.work = true
	_, err = tx.tellWork(kind, *w, false)
	return err
}

// RetryWork queues work again that failed or was cancelled, at its old place and
// with all its attempts; of work that waits for its next attempt or its time it
// ends the wait. Work that runs or is done is a Conflict.
func (tx *Tx) RetryWork(id string) (Work, error) {
	w, err := tx.workForWrite(id)
	if err != nil {
		return w, err
	}
	switch w.State {
	case WorkRunning, WorkCancelling:
		return w, Errorf(Conflict, "the work %s has not stopped yet: try again when it has", id)
	case WorkDone:
		return w, Errorf(Conflict, "the work %s is done", id)
	case WorkQueued:
		if w.Due == 0 {
			return w, nil
		}
		_, err = tx.exec("UPDATE work SET due = 0, since = 0 WHERE id = $1", id)
	default:
		if _, err := tx.workNode(w); err != nil {
			return w, err
		}
		_, err = tx.exec("UPDATE work SET state = 'queued', attempt = 0, lost = 0, due = 0, since = 0, finished = 0, started = 0, behind = FALSE, done = 0, total = 0, message = '' WHERE id = $1", id)
	}
	if err != nil {
		return w, err
	}
	tx.work = true
	w.State = WorkQueued
	if _, err := tx.tellWork(EventWorkQueued, w, false); err != nil {
		return w, err
	}
	return tx.Work(id)
}

// workForWrite returns work as it is under the lock of its world.
func (tx *Tx) workForWrite(id string) (Work, error) {
	w, err := tx.Work(id)
	if err != nil || tx.worlds[w.World] != nil {
		return w, err
	}
	if _, err := tx.world(w.World); err != nil {
		return w, err
	}
	return tx.Work(id) // it may have changed before the lock was there
}
