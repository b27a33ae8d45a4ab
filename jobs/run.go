package jobs

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/weft-memory/weft/store"
)

// settleTime bounds the transaction that ends a piece of work when the queue
// closes.
const settleTime = 5 * time.Second

// run looks for work whenever there may be some, until the queue closes.
func (q *Queue) run() {
	defer q.runner.Done()
	for {
		wait := q.fill()
		q.hook("waiting")
		timer := time.NewTimer(wait)
		select {
		case <-q.sub.C():
			q.obey()
		case <-q.freed:
		case <-timer.C:
		case <-q.closing:
			timer.Stop()
			return
		}
		timer.Stop()
	}
}

// fill begins work while hands are free and some is waiting, and returns after
// what time to look again though nothing tells of any.
func (q *Queue) fill() time.Duration {
	const again = 20 * time.Millisecond // others were quicker
	for {
		select {
		case <-q.closing:
			return q.opts.Poll
		default:
		}
		q.mu.Lock()
		free, names := q.opts.Workers-len(q.held), q.names
		q.mu.Unlock()
		if free <= 0 {
			return q.opts.Poll // a hand that gets free wakes us
		}
		worlds, wait, err := q.db.WorkWaiting(q.ctx, names, free)
		if err != nil {
			q.note(err)
			return min(time.Second, q.opts.Poll)
		}
		if len(worlds) == 0 {
			q.note(nil)
			if wait > 0 {
				return min(wait, q.opts.Poll)
			}
			return q.opts.Poll
		}
		begun := 0
		for _, world := range worlds {
			if begun == free {
				break
			}
			list, err := q.claim(world, names, free-begun)
			if err != nil && store.KindOf(err) != store.NotFound {
				q.note(err)
				return min(time.Second, q.opts.Poll)
			}
			begun += len(list)
			for _, w := range list {
				q.begin(w)
			}
		}
		q.note(nil)
		if begun == 0 {
			return min(again, q.opts.Poll)
		}
	}
}

func (q *Queue) claim(world string, names []string, n int) (list []store.Work, err error) {
	q.hook("before claim")
	err = q.db.UpdateWorld(q.ctx, world, func(tx *store.Tx) (err error) {
		list, err = tx.ClaimWork(world, q.owner, names, n)
		return err
	})
	if err != nil {
		return nil, err // what was claimed all the same is taken back
	}
	return list, nil
}

// note logs the first error of a row of them.
func (q *Queue) note(err error) {
	if q.ctx.Err() != nil {
		return
	}
	q.mu.Lock()
	before := q.fault
	q.fault = err
	q.mu.Unlock()
	switch {
	case err != nil && before == nil:
		q.opts.Log.Error("the queue cannot look for work", "error", err, "cause", errors.Unwrap(err))
	case err == nil && before != nil:
		q.opts.Log.Info("the queue can look for work again")
	}
}

// begin begins a piece of work.
func (q *Queue) begin(w store.Work) {
	q.mu.Lock()
	j := &Job{Work: w, q: q, kind: q.kinds[w.Kind]}
	var ctx context.Context
	ctx, j.cancel = context.WithCancelCause(q.ctx)
	q.held[holding{w.ID, w.Token}] = j
	q.mu.Unlock()
	q.hands.Add(1)
	go q.do(ctx, j)
}

// do does a piece of work, and writes how it ended.
func (q *Queue) do(ctx context.Context, j *Job) {
	defer q.hands.Done()
	defer j.cancel(nil)
	if j.kind.Timeout > 0 {
		var stop context.CancelFunc
		ctx, stop = context.WithTimeoutCause(ctx, j.kind.Timeout, ErrTimeout)
		defer stop()
	}
	done := make(chan error, 1)
	q.hands.Add(1)
	go func() {
		defer q.hands.Done()
		done <- q.call(ctx, j)
	}()
	var err error
	select {
	case err = <-done:
	case <-ctx.Done():
		grace := time.NewTimer(q.opts.Grace)
		select {
		case err = <-done:
		case <-grace.C:
			err = fmt.Errorf("the handler did not stop: %w", context.Cause(ctx))
			q.opts.Log.Error("a handler of work does not stop, and is left behind", "kind", j.Kind, "work", j.ID, "cause", context.Cause(ctx))
		}
		grace.Stop()
	}
	q.settle(j, context.Cause(ctx), err)
	q.mu.Lock()
	delete(q.held, holding{j.ID, j.Token})
	q.mu.Unlock()
	q.free()
}

// call calls the handler.
func (q *Queue) call(ctx context.Context, j *Job) (err error) {
	defer func() {
		if v := recover(); v != nil {
			q.opts.Log.Error("a handler of work fell over", "kind", j.Kind, "work", j.ID, "panic", v, "stack", string(debug.Stack()))
			err = fmt.Errorf("the handler fell over: %v", v)
		}
	}()
	return j.kind.Handle(ctx, j)
}

// settle writes how an attempt ended, unless Finish has. It does not give up
// before the queue is closed: nobody else would take the work.
func (q *Queue) settle(j *Job, cause, err error) {
	j.stopProgress()
	j.mu.Lock()
	finished := j.finished
	j.mu.Unlock()
	if finished {
		return
	}
	for pause := 50 * time.Millisecond; ; pause = min(2*pause, 5*time.Second) {
		if q.crashed.Load() {
			return
		}
		q.hook("before settle")
		ctx, cancel := q.settleContext()
		failed := q.db.UpdateWorld(ctx, j.World, func(tx *store.Tx) error { return q.end(tx, j, cause, err) })
		cancel()
		switch store.KindOf(failed) {
		case "":
			if failed == nil {
				q.tell(j, cause, err)
				return
			}
		case store.NotFound, store.Conflict: // erased, or taken over
			return
		}
		q.opts.Log.Error("how work ended could not be written", "work", j.ID, "error", failed, "cause", errors.Unwrap(failed))
		timer := time.NewTimer(pause)
		select {
		case <-timer.C:
		case <-q.ctx.Done():
			timer.Stop()
			return // it was tried once more; the work is taken back
		}
	}
}

// settleContext lasts a little even if the queue is closed.
func (q *Queue) settleContext() (context.Context, context.CancelFunc) {
	if q.ctx.Err() != nil {
		return context.WithTimeout(context.WithoutCancel(q.ctx), settleTime)
	}
	return context.WithCancel(q.ctx)
}

// end writes how an attempt ended.
func (q *Queue) end(tx *store.Tx, j *Job, cause, err error) error {
	if err == nil {
		switch err = q.complete(tx, j); {
		case err == nil:
			return nil
		case errors.Is(err, store.ErrWorkLost): // cancelled meanwhile, or gone
			return tx.FailWork(j.ID, j.Token, "", false, 0)
		case store.KindOf(err) != store.Invalid:
			return err
		}
		err = Permanent(err)
	}
	if errors.Is(cause, ErrClosed) || errors.Is(cause, ErrLost) {
		return tx.GiveBackWork(j.ID, j.Token)
	}
	if errors.Is(cause, ErrTimeout) {
		err = fmt.Errorf("%w (%s): %w", ErrTimeout, j.kind.Timeout, err)
	}
	var f *failure
	last := j.Attempt >= j.Attempts || errors.As(err, &f) && f.permanent
	wait := time.Duration(0)
	switch {
	case last:
	case f != nil && f.timed:
		wait = f.wait
	default:
		wait = j.kind.Backoff(j.Attempt)
		q.mu.Lock()
		wait = jitter(wait, q.opts.Rand)
		q.mu.Unlock()
	}
	return tx.FailWork(j.ID, j.Token, err.Error(), !last, wait)
}

// complete ends work whose handler has succeeded without Finish.
func (q *Queue) complete(tx *store.Tx, j *Job) error {
	if _, err := tx.HoldWork(j.ID, j.Token); err != nil {
		return err
	}
	if err := j.flush(tx); err != nil {
		return err
	}
	j.mu.Lock()
	result := j.result
	j.mu.Unlock()
	return tx.CompleteWork(j.ID, j.Token, result)
}

// tell logs an attempt that has failed.
func (q *Queue) tell(j *Job, cause, err error) {
	if err == nil || cause != nil && !errors.Is(cause, ErrTimeout) {
		return
	}
	q.opts.Log.Warn("work failed", "kind", j.Kind, "work", j.ID, "attempt", j.Attempt, "of", j.Attempts, "error", err)
}
