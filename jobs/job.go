package jobs

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"github.com/weft-memory/weft/store"
)

// Job is a piece of work in the hands of a handler.
type Job struct {
	// Work is the row as it was when the attempt began.
	store.Work

	q      *Queue
	kind   *Kind
	cancel context.CancelCauseFunc

	mu       sync.Mutex
	result   json.RawMessage
	progress progress
	finished bool // Finish has committed
}

type progress struct {
	done, total int64
	message     string
	pending     bool // not yet written
	timer       *time.Timer
}

// Decode reads the payload.
func (j *Job) Decode(v any) error {
	if err := json.Unmarshal(j.Payload, v); err != nil {
		return fmt.Errorf("the payload of %s cannot be read: %w", j.Kind, err)
	}
	return nil
}

// SetResult says what came of the work; it is written when the work ends well.
// At most [store.MaxWorkPayload] bytes of JSON.
func (j *Job) SetResult(v any) error {
	raw, err := json.Marshal(v)
	if err != nil {
		return err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.result = raw
	return nil
}

// InTx runs fn in a transaction of the work's world that is committed only if
// the work is still ours: neither cancelled, erased, nor taken over. Otherwise
// it is [store.ErrWorkLost]. The work goes on. See [store.DB.UpdateWorld].
func (j *Job) InTx(ctx context.Context, fn func(tx *store.Tx) error) error {
	return j.q.db.UpdateWorld(ctx, j.World, func(tx *store.Tx) error {
		if _, err := tx.HoldWork(j.ID, j.Token); err != nil {
			return err
		}
		if err := j.flush(tx); err != nil {
			return err
		}
		return fn(tx)
	})
}

// Finish is InTx with the end of the work in the same transaction: what fn
// writes is committed exactly if the work is done. fn may be nil. Return its
// error from the handler as it is.
func (j *Job) Finish(ctx context.Context, fn func(tx *store.Tx) error) error {
	j.mu.Lock()
	result := j.result
	j.mu.Unlock()
	j.q.hook("before finish")
	err := j.InTx(ctx, func(tx *store.Tx) error {
		if fn != nil {
			if err := fn(tx); err != nil {
				return err
			}
		}
		return tx.CompleteWork(j.ID, j.Token, result)
	})
	if err != nil {
		return err
	}
	j.mu.Lock()
	j.finished = true
	j.mu.Unlock()
	j.q.hook("after finish")
	return nil
}

// progressEvery is how often progress is written at most.
const progressEvery = 500 * time.Millisecond

// Progress says that done of total parts are done; a message is for people. It
// is written a little later, with what comes until then.
func (j *Job) Progress(done, total int64, message string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	p := &j.progress
	p.done, p.total, p.message, p.pending = done, total, message, true
	if p.timer != nil {
		return
	}
	j.q.hands.Add(1)
	p.timer = time.AfterFunc(progressEvery, func() {
		defer j.q.hands.Done()
		j.mu.Lock()
		p.timer = nil
		due := p.pending && !j.finished
		j.mu.Unlock()
		if due {
			// An error is met again by the end of the work.
			_ = j.InTx(j.q.ctx, func(*store.Tx) error { return nil })
		}
	})
}

// stopProgress ends the timer.
func (j *Job) stopProgress() {
	j.mu.Lock()
	defer j.mu.Unlock()
	if t := j.progress.timer; t != nil && t.Stop() {
		j.q.hands.Done()
	}
	j.progress.timer = nil
}

// flush writes progress.
func (j *Job) flush(tx *store.Tx) error {
	j.mu.Lock()
	p := j.progress
	j.mu.Unlock()
	if !p.pending {
		return nil
	}
	if err := tx.ProgressWork(j.ID, j.Token, p.done, p.total, p.message); err != nil {
		return err
	}
	tx.OnCommit(func() {
		j.mu.Lock()
		defer j.mu.Unlock()
		if now := j.progress; now.done == p.done && now.total == p.total && now.message == p.message {
			j.progress.pending = false
		}
	})
	return nil
}
