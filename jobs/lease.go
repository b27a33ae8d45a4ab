package jobs

import (
	"context"
	"time"

	"github.com/weft-memory/weft/store"
)

// keep lets the beat of what the queue does rise, and takes back what others
// have left, until nothing is held any more.
func (q *Queue) keep() {
	defer q.keeper.Done()
	alive := time.Now() // the last time that the beats rose, by the monotonic clock
	seen := map[holding]sight{}
	q.watch(seen)
	for tick := time.NewTicker(max(q.opts.Lease/4, time.Millisecond)); ; {
		select {
		case <-tick.C:
		case <-q.ended:
			tick.Stop()
			return
		}
		if q.crashed.Load() {
			continue
		}
		began := time.Now()
		switch err := q.beat(); {
		case err == nil:
			alive = began
		case time.Since(alive) > q.opts.Lease:
			for _, j := range q.holds() { // another queue may take it over by now
				j.cancel(ErrLost)
			}
		}
		q.watch(seen)
	}
}

// holds returns what the queue does at the moment.
func (q *Queue) holds() map[holding]*Job {
	q.mu.Lock()
	defer q.mu.Unlock()
	out := make(map[holding]*Job, len(q.held))
	for k, j := range q.held {
		out[k] = j
	}
	return out
}

// beat lets the beats rise. With nothing to do it does not write.
func (q *Queue) beat() error {
	held := q.holds()
	if len(held) == 0 {
		return nil
	}
	list := make([]store.HeldWork, 0, len(held))
	for k := range held {
		list = append(list, store.HeldWork{ID: k.id, Token: k.token})
	}
	ctx, cancel := context.WithTimeout(q.ctx, q.opts.Lease)
	defer cancel()
	return q.db.BeatWork(ctx, list)
}

// sight is when a beat was first seen.
type sight struct {
	beat int64
	at   time.Time // of the monotonic clock
}

// watch looks at all work that somebody does. What stands still for a lease is
// taken back.
func (q *Queue) watch(seen map[holding]sight) {
	mine := q.holds()
	list, err := q.db.HeldWork(q.ctx, "")
	if err != nil {
		return // the next look will do; who looks for work tells of the error
	}
	q.compare(mine, list)
	now := time.Now()
	there := map[holding]bool{}
	for _, h := range list {
		k := holding{h.ID, h.Token}
		if mine[k] != nil {
			continue
		}
		there[k] = true
		s, known := seen[k]
		if !known || s.beat != h.Beat {
			s = sight{h.Beat, now}
			seen[k] = s
		}
		if !h.Dead && now.Sub(s.at) < q.opts.Lease {
			continue
		}
		err := q.db.UpdateWorld(q.ctx, h.World, func(tx *store.Tx) error { return tx.TakeBackWork(h) })
		if kind := store.KindOf(err); err != nil && kind != store.NotFound && kind != store.Conflict && q.ctx.Err() == nil {
			q.opts.Log.Error("work that was left could not be taken back", "work", h.ID, "error", err)
		}
	}
	for k := range seen {
		if !there[k] {
			delete(seen, k)
		}
	}
}

// obey ends the contexts of what was cancelled.
func (q *Queue) obey() {
	mine := q.holds()
	if len(mine) == 0 {
		return
	}
	list, err := q.db.HeldWork(q.ctx, q.owner)
	if err != nil {
		return // the next watch finds it
	}
	q.compare(mine, list)
}

// compare ends the contexts of what is being cancelled, and of what is no longer
// there. mine was held before the list was read.
func (q *Queue) compare(mine map[holding]*Job, list []store.HeldWork) {
	states := make(map[holding]store.WorkState, len(list))
	for _, h := range list {
		states[holding{h.ID, h.Token}] = h.State
	}
	for k, j := range mine {
		if states[k] == store.WorkRunning {
			continue
		}
		j.mu.Lock()
		finished := j.finished
		j.mu.Unlock()
		if !finished {
			j.cancel(ErrCancelled)
		}
	}
}

// giveBackAll queues again what the queue still holds in the database: that is
// work of which it does not know that it got it, or whose end it could not
// write.
func (q *Queue) giveBackAll() {
	if q.crashed.Load() {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), settleTime)
	defer cancel()
	list, err := q.db.HeldWork(ctx, q.owner)
	if err != nil {
		return // it is taken back by its lease
	}
	for _, h := range list {
		err := q.db.UpdateWorld(ctx, h.World, func(tx *store.Tx) error { return tx.GiveBackWork(h.ID, h.Token) })
		if kind := store.KindOf(err); err != nil && kind != store.NotFound && kind != store.Conflict {
			q.opts.Log.Error("work could not be given back", "work", h.ID, "error", err)
		}
	}
}
