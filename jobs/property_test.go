package jobs_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/weft-memory/weft/jobs"
	"github.com/weft-memory/weft/store"
)

// Whatever happens to two queues on one database (work is added, cancelled with
// its message, retried; handlers fail, fall over, hang; queues are dropped as by
// the end of their process, or closed; clocks jump; leases run out under a
// handler that goes on): in the end all work is over, none is lost, what is done
// was done exactly once, what is not done left nothing, and in each conversation
// the order is that of the commits, one at a time.
func TestAnyInterleaving(t *testing.T) {
	t.Parallel()
	for name, b := range backends {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := 8
			if b.shared {
				n = 5
			}
			if s, err := strconv.Atoi(os.Getenv("WEFT_TEST_SEQUENCES")); err == nil {
				n = max(n, s/20)
			}
			if testing.Short() {
				n = 3
			}
			b.url(t) // skips, or fails, once
			start := rand.Uint64()
			for i := range n {
				seed := start + uint64(i)
				if !t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) { testInterleaving(t, b, seed) }) {
					break
				}
			}
		})
	}
}

type interleaving struct {
	*fixture
	r      *rand.Rand
	queues []*jobs.Queue
	dbs    []*store.DB

	mu      sync.Mutex
	doing   map[string]int  // how much of a conversation runs
	orders  map[string]bool // retried by hand: out of order
	later   map[string]bool // for a later time: what stands behind goes first
	handler *rand.Rand
}

func (x *interleaving) roll(n int) int {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.handler.IntN(n)
}

func (x *interleaving) handle(ctx context.Context, j *jobs.Job) error {
	if j.Conversation != "" {
		x.mu.Lock()
		x.doing[j.Conversation]++
		if n := x.doing[j.Conversation]; n > 1 {
			// Only a lease that ran out lets another begin: the first one's
			// token is no good then.
			x.t.Logf("%d handlers of %s at once", n, j.Conversation)
		}
		x.mu.Unlock()
		defer func() {
			x.mu.Lock()
			defer x.mu.Unlock()
			x.doing[j.Conversation]--
		}()
	}
	switch x.roll(8) {
	case 0:
		return errors.New("no answer")
	case 1:
		panic("over")
	case 2: // writes, and then fails: nothing of it may stay
		return j.InTx(ctx, func(tx *store.Tx) error {
			if err := did(tx, j.World, "did "+j.Conversation, "never"); err != nil {
				return err
			}
			return errors.New("after the write")
		})
	case 3:
		j.Progress(1, 2, "half")
		wait := time.NewTimer(time.Duration(x.roll(20)) * time.Millisecond)
		defer wait.Stop()
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-wait.C:
		}
	case 4: // goes on though its context has ended
		ctx = context.WithoutCancel(ctx)
	}
	err := j.Finish(ctx, func(tx *store.Tx) error { return did(tx, j.World, "did "+j.Conversation, j.ID) })
	if err != nil {
		return err
	}
	if x.roll(8) == 0 {
		return errors.New("an error after the end does not matter")
	}
	return nil
}

func (x *interleaving) start(i int) {
	o := x.quick()
	o.Workers = 1 + x.r.IntN(4)
	o.Lease = []time.Duration{5, 60, 400}[x.r.IntN(3)] * time.Millisecond // 5 ms: lost under a handler now and then
	o.Poll = 10 * time.Millisecond
	q, err := jobs.Open(x.dbs[i%len(x.dbs)], o)
	if err != nil {
		x.t.Fatal(err)
	}
	err = q.Register(jobs.Kind{Name: "write", Attempts: 1000, Handle: x.handle, Backoff: soon, Timeout: time.Second})
	if err != nil {
		x.t.Fatal(err)
	}
	q.Start()
	x.queues[i] = q
}

func (x *interleaving) closeOne(i int) {
	over, cancel := context.WithCancel(x.ctx)
	if x.r.IntN(2) == 0 {
		cancel()
	}
	if err := x.queues[i].Close(over); err != nil {
		x.t.Error(err)
	}
	cancel()
}

func testInterleaving(t *testing.T, b backend, seed uint64) {
	f := setup(t, b)
	x := &interleaving{
		fixture: f, r: rand.New(rand.NewPCG(seed, 1)), handler: rand.New(rand.NewPCG(seed, 2)),
		queues: make([]*jobs.Queue, 2), dbs: []*store.DB{f.DB}, doing: map[string]int{}, orders: map[string]bool{},
		later: map[string]bool{},
	}
	if b.shared {
		x.dbs = append(x.dbs, f.open())
		defer x.dbs[1].Close()
	}
	for i := range x.queues {
		x.start(i)
	}
	var ids []string
	pick := func() string { return ids[x.r.IntN(len(ids))] }
	for step := range 60 {
		switch action := x.r.IntN(20); {
		case action < 9 || len(ids) == 0:
			f.write(func(tx *store.Tx) error {
				for range 1 + x.r.IntN(3) {
					s := jobs.Spec{Kind: "write", World: f.world, Payload: step}
					if c := x.r.IntN(len(f.convs) + 1); c < len(f.convs) {
						s.Conversation = f.convs[c]
						if x.r.IntN(2) == 0 {
							s.Node = f.replies[c]
						}
					}
					if x.r.IntN(4) == 0 {
						s.Key = fmt.Sprint("key ", x.r.IntN(4))
						s.Again = x.r.IntN(2) == 0
					}
					if x.r.IntN(6) == 0 {
						s.After = time.Duration(x.r.IntN(50)) * time.Millisecond
					}
					w, fresh, err := x.queues[0].Enqueue(tx, s)
					if err != nil {
						return err
					}
					if fresh {
						tx.OnCommit(func() {
							ids = append(ids, w.ID)
							x.later[w.ID] = s.After > 0
						})
					}
				}
				return nil
			})
		case action < 11:
			id := pick()
			err := f.UpdateWorld(f.ctx, f.world, func(tx *store.Tx) error { _, err := tx.CancelWork(id); return err })
			if err != nil && store.KindOf(err) != store.Conflict {
				t.Fatal(err)
			}
		case action < 13: // a swipe
			c := x.r.IntN(len(f.convs))
			f.write(func(tx *store.Tx) error { _, err := tx.CancelWorkFor(f.convs[c], f.replies[c]); return err })
		case action < 14:
			id := pick()
			err := f.UpdateWorld(f.ctx, f.world, func(tx *store.Tx) error { _, err := tx.RetryWork(id); return err })
			if err == nil {
				x.orders[id] = true
			} else if store.KindOf(err) != store.Conflict {
				t.Fatal(err)
			}
		case action < 16:
			i := x.r.IntN(2)
			x.queues[i].Crash()
			x.start(i)
		case action < 17:
			i := x.r.IntN(2)
			x.closeOne(i)
			x.start(i)
		case action < 18:
			f.clock.move(time.Duration(x.r.IntN(7200)-3600) * time.Second)
		default: // let the queues come on
			s := f.Subscribe(f.world)
			select {
			case <-s.C():
			case <-time.After(5 * time.Millisecond):
			}
			s.Close()
		}
	}
	f.until("all is over", func() bool {
		return !slices.ContainsFunc(f.list(), func(w store.Work) bool { return w.Finished == 0 })
	})
	for i := range x.queues {
		if err := x.queues[i].Close(f.ctx); err != nil {
			t.Error(err)
		}
	}
	x.check(ids)
}

// check compares the work with what was done.
func (x *interleaving) check(ids []string) {
	times := map[string]int{}
	seqs := map[string]store.Work{}
	list := x.list()
	for _, w := range list {
		seqs[w.ID] = w
	}
	for _, c := range append([]string{""}, x.convs...) {
		last := int64(0)
		for _, id := range x.done("did " + c) {
			times[id]++
			w, ok := seqs[id]
			if !ok || w.Conversation != c {
				x.t.Errorf("%q was done in %q", id, c)
			}
			if c == "" || x.orders[id] || x.later[id] {
				continue
			}
			if w.Seq < last {
				x.t.Errorf("in %s, %d was done behind %d", c, w.Seq, last)
			}
			last = max(last, w.Seq)
		}
	}
	if len(list) != len(ids) {
		x.t.Errorf("%d pieces of work are there, %d were added", len(list), len(ids))
	}
	for _, w := range list {
		want := 0
		if w.State == store.WorkDone {
			want = 1
		}
		if times[w.ID] != want {
			x.t.Errorf("%s is %s and was done %d times: %s", w.ID, w.State, times[w.ID], w.Error)
		}
		if w.State == store.WorkFailed {
			x.t.Errorf("%s failed: %s", w.ID, w.Error)
		}
	}
	if problems, err := x.Check(x.ctx, true); len(problems) > 0 || err != nil {
		x.t.Errorf("check: %v (%v)", problems, err)
	}
}
