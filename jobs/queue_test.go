package jobs_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-memory/weft/jobs"
	"github.com/weft-memory/weft/store"
)

// finishing is a handler that writes its work's payload down.
func finishing(ctx context.Context, j *jobs.Job) error {
	var word string
	if err := j.Decode(&word); err != nil {
		return jobs.Permanent(err)
	}
	return j.Finish(ctx, func(tx *store.Tx) error { return did(tx, j.World, "did", word) })
}

func soon(int) time.Duration { return time.Millisecond }

func TestWorkIsDone(t *testing.T) {
	onBoth(t, func(t *testing.T, f *fixture) {
		plain := func(_ context.Context, j *jobs.Job) error {
			j.Progress(2, 3, "two of three")
			return j.SetResult(map[string]int{"n": 7})
		}
		q := f.queue(f.patient(), jobs.Kind{Name: "write", Handle: finishing}, jobs.Kind{Name: "plain", Handle: plain})
		before := f.add(q, jobs.Spec{Kind: "write", Conversation: f.convs[0], Payload: "a"})
		q.Start()
		q.Start()
		after := f.add(q, jobs.Spec{Kind: "write", Conversation: f.convs[0], Payload: "b"})
		bare := f.add(q, jobs.Spec{Kind: "plain"})
		for _, w := range []store.Work{before, after, bare} {
			if w = f.ends(w.ID); w.State != store.WorkDone || w.Attempt != 1 {
				t.Errorf("%s is %s after %d attempts: %s", w.Kind, w.State, w.Attempt, w.Error)
			}
		}
		if w := f.work(bare.ID); string(w.Result) != `{"n":7}` || w.Done != 2 || w.Total != 3 || w.Message != "two of three" {
			t.Errorf("what came of it: %+v", w)
		}
		if d := cmp.Diff([]string{"a", "b"}, f.done("did")); d != "" {
			t.Errorf("did (-want +got):\n%s", d)
		}
		if s := q.Status(); !s.Started || s.Err != nil || s.Workers != 16 {
			t.Errorf("status: %+v", s)
		}
	})
}

func TestRefused(t *testing.T) {
	t.Parallel()
	f := setup(t, backends["SQLite"])
	handle := func(context.Context, *jobs.Job) error { return nil }
	q := f.queue(f.patient(), jobs.Kind{Name: "write", Handle: handle})
	for what, k := range map[string]jobs.Kind{
		"no name":          {Handle: handle},
		"a name with room": {Name: "a b", Handle: handle},
		"no handler":       {Name: "other"},
		"a name twice":     {Name: "write", Handle: handle},
	} {
		if q.Register(k) == nil {
			t.Errorf("%s: was taken", what)
		}
	}
	if _, err := jobs.Open(f.DB, jobs.Options{Workers: 1001}); err == nil {
		t.Error("1001 workers were taken")
	}
	for what, s := range map[string]jobs.Spec{
		"an unknown kind":            {Kind: "unknown", World: f.world},
		"an unknown world":           {Kind: "write", World: "none"},
		"a payload that is too long": {Kind: "write", World: f.world, Payload: strings.Repeat("x", store.MaxWorkPayload)},
		"a payload that is no JSON":  {Kind: "write", World: f.world, Payload: func() {}},
	} {
		err := f.UpdateWorld(f.ctx, f.world, func(tx *store.Tx) error { _, _, err := q.Enqueue(tx, s); return err })
		if err == nil {
			t.Errorf("%s: was taken", what)
		}
	}
	if list := f.list(); len(list) > 0 {
		t.Errorf("something was added: %+v", list)
	}
}

func TestAttempts(t *testing.T) {
	onBoth(t, func(t *testing.T, f *fixture) {
		oops := errors.New("oops")
		kind := func(name string, handle jobs.Handler) jobs.Kind {
			return jobs.Kind{Name: name, Attempts: 3, Backoff: soon, Handle: handle}
		}
		second := func(ctx context.Context, j *jobs.Job) error {
			switch j.Attempt {
			case 1:
				panic("over")
			case 2:
				return jobs.RetryAfter(oops, time.Millisecond)
			}
			return finishing(ctx, j)
		}
		slow := kind("slow", func(ctx context.Context, _ *jobs.Job) error {
			<-ctx.Done()
			return ctx.Err()
		})
		slow.Timeout, slow.Attempts = time.Millisecond, 1
		q := f.queue(f.patient(),
			kind("fails", func(context.Context, *jobs.Job) error { return oops }),
			kind("bad", func(context.Context, *jobs.Job) error { return jobs.Permanent(oops) }),
			kind("large", func(_ context.Context, j *jobs.Job) error {
				return j.SetResult(strings.Repeat("x", store.MaxWorkPayload))
			}),
			kind("third", second), slow)
		q.Start()
		for name, want := range map[string]string{
			"fails": "failed 3 oops", "bad": "failed 1 oops", "third": "done 3 ",
			"slow": "failed 1 the attempt took too long (1ms)", "large": "failed 1 the result of the work",
		} {
			w := f.ends(f.add(q, jobs.Spec{Kind: name, Payload: name}).ID)
			if got := fmt.Sprintf("%s %d %s", w.State, w.Attempt, w.Error); !strings.HasPrefix(got, want) || want == "done 3 " && got != want {
				t.Errorf("%s: %s, want %s", name, got, want)
			}
		}
		// Retried by hand, it has all its attempts again.
		w := f.ends(f.add(q, jobs.Spec{Kind: "fails"}).ID)
		f.write(func(tx *store.Tx) error { _, err := tx.RetryWork(w.ID); return err })
		if w = f.ends(w.ID); w.State != store.WorkFailed || w.Attempt != 3 || w.Token != 6 {
			t.Errorf("retried: %+v", w)
		}
	})
}

// Work that is cancelled while it runs leaves nothing, and what stands behind it
// waits until it has stopped.
func TestCancelRunning(t *testing.T) {
	onBoth(t, func(t *testing.T, f *fixture) {
		running, stopped := make(chan struct{}), make(chan struct{})
		q := f.queue(f.patient(), jobs.Kind{Name: "write", Handle: finishing}, jobs.Kind{Name: "hang", Handle: func(ctx context.Context, j *jobs.Job) error {
			close(running)
			<-ctx.Done()
			if !errors.Is(context.Cause(ctx), jobs.ErrCancelled) {
				t.Errorf("the cause is %v", context.Cause(ctx))
			}
			// A handler that writes all the same cannot.
			err := j.Finish(context.WithoutCancel(ctx), func(tx *store.Tx) error { return did(tx, j.World, "did", "late") })
			if !errors.Is(err, store.ErrWorkLost) {
				t.Errorf("finished: %v", err)
			}
			if w := f.list()[0]; w.State != store.WorkQueued {
				t.Errorf("what stands behind is %s", w.State)
			}
			close(stopped)
			return nil
		}})
		q.Start()
		w := f.add(q, jobs.Spec{Kind: "hang", Conversation: f.convs[0], Node: f.replies[0]})
		<-running
		next := f.add(q, jobs.Spec{Kind: "write", Conversation: f.convs[0], Payload: "next"})
		f.write(func(tx *store.Tx) error { _, err := tx.CancelWorkFor(f.convs[0], f.replies[0]); return err })
		<-stopped
		if w := f.ends(w.ID); w.State != store.WorkCancelled {
			t.Errorf("it is %s", w.State)
		}
		if w := f.ends(next.ID); w.State != store.WorkDone {
			t.Errorf("the next is %s", w.State)
		}
		if d := cmp.Diff([]string{"next"}, f.done("did")); d != "" {
			t.Errorf("did (-want +got):\n%s", d)
		}
	})
}

// A handler that does not stop is left behind.
func TestLeftBehind(t *testing.T) {
	onBoth(t, func(t *testing.T, f *fixture) {
		o := f.patient()
		o.Grace = time.Millisecond
		hold, late := make(chan struct{}), make(chan error, 1)
		q := f.queue(o, jobs.Kind{Name: "write", Handle: finishing}, jobs.Kind{Name: "deaf", Timeout: time.Millisecond, Attempts: 1, Handle: func(ctx context.Context, j *jobs.Job) error {
			<-hold
			late <- j.Finish(context.WithoutCancel(ctx), nil)
			return nil
		}})
		q.Start()
		w := f.add(q, jobs.Spec{Kind: "deaf", Conversation: f.convs[0]})
		next := f.add(q, jobs.Spec{Kind: "write", Conversation: f.convs[0], Payload: "next"})
		if w := f.ends(w.ID); w.State != store.WorkFailed || !strings.Contains(w.Error, "did not stop") {
			t.Errorf("it is %s: %s", w.State, w.Error)
		}
		if w := f.ends(next.ID); w.State != store.WorkDone {
			t.Errorf("the next is %s", w.State)
		}
		close(hold)
		if err := <-late; !errors.Is(err, store.ErrWorkLost) {
			t.Errorf("finished late: %v", err)
		}
	})
}

// Erased while it runs, it cannot write and is gone.
func TestErasedRunning(t *testing.T) {
	onBoth(t, func(t *testing.T, f *fixture) {
		running, ended := make(chan struct{}), make(chan error)
		q := f.queue(f.patient(), jobs.Kind{Name: "hang", Handle: func(ctx context.Context, j *jobs.Job) error {
			close(running)
			<-ctx.Done()
			ended <- j.Finish(context.WithoutCancel(ctx), func(tx *store.Tx) error { return did(tx, j.World, "did", "late") })
			return nil
		}})
		q.Start()
		f.add(q, jobs.Spec{Kind: "hang", Conversation: f.convs[0]})
		<-running
		f.write(func(tx *store.Tx) error { return tx.EraseConversation(f.convs[0]) })
		if err := <-ended; !errors.Is(err, store.ErrWorkLost) {
			t.Errorf("finished: %v", err)
		}
		if len(f.list()) != 0 || len(f.done("did")) != 0 {
			t.Error("something is left")
		}
	})
}

// Close waits for what runs, then ends it and gives it back.
func TestClose(t *testing.T) {
	onBoth(t, func(t *testing.T, f *fixture) {
		running, hold := make(chan struct{}, 2), make(chan struct{})
		kinds := []jobs.Kind{{Name: "write", Handle: finishing}, {Name: "held", Handle: func(ctx context.Context, j *jobs.Job) error {
			running <- struct{}{}
			<-hold
			return finishing(ctx, j)
		}}, {Name: "hang", Handle: func(ctx context.Context, j *jobs.Job) error {
			if j.Token > 1 {
				return finishing(ctx, j)
			}
			running <- struct{}{}
			<-ctx.Done()
			return ctx.Err()
		}}}
		q := f.queue(f.patient(), kinds...)
		closing := make(chan struct{})
		q.SetHook(func(step string) {
			if step == "closing" {
				close(closing)
			}
		})
		q.Start()
		held := f.add(q, jobs.Spec{Kind: "held", Payload: "held"})
		<-running
		closed := make(chan error)
		go func() { closed <- q.Close(f.ctx) }()
		<-closing
		queued := f.add(q, jobs.Spec{Kind: "write", Payload: "queued"})
		close(hold)
		if err := <-closed; err != nil {
			t.Errorf("close: %v", err)
		}
		if w := f.work(held.ID); w.State != store.WorkDone {
			t.Errorf("what ran is %s", w.State)
		}

		q = f.queue(f.patient(), kinds...)
		q.Start()
		if w := f.ends(queued.ID); w.State != store.WorkDone {
			t.Errorf("what was queued is %s", w.State)
		}
		hang := f.add(q, jobs.Spec{Kind: "hang", Payload: "hang"})
		<-running
		over, cancel := context.WithCancel(f.ctx)
		cancel()
		if err := q.Close(over); err != nil {
			t.Errorf("close at once: %v", err)
		}
		if w := f.work(hang.ID); w.State != store.WorkQueued || w.Attempt != 0 || w.Lost != 0 {
			t.Errorf("what was given back: %+v", w)
		}
		if err := q.Close(f.ctx); err != nil {
			t.Errorf("close twice: %v", err)
		}
		q.Start()

		q = f.queue(f.patient(), kinds...)
		q.Start()
		f.ends(hang.ID)
		got := f.done("did")
		slices.Sort(got)
		if d := cmp.Diff([]string{"hang", "held", "queued"}, got); d != "" {
			t.Errorf("did (-want +got):\n%s", d)
		}
		never := f.queue(f.patient(), kinds...)
		if err := never.Close(f.ctx); err != nil {
			t.Errorf("close what was not started: %v", err)
		}
	})
}

// Progress is visible while the work runs.
func TestProgress(t *testing.T) {
	onBoth(t, func(t *testing.T, f *fixture) {
		hold := make(chan struct{})
		q := f.queue(f.patient(), jobs.Kind{Name: "long", Handle: func(ctx context.Context, j *jobs.Job) error {
			for i := range int64(100) {
				j.Progress(i, 100, fmt.Sprint("part ", i))
			}
			select {
			case <-hold:
			case <-ctx.Done():
			}
			return nil
		}})
		q.Start()
		w := f.add(q, jobs.Spec{Kind: "long"})
		f.until("it tells how far it is", func() bool { return f.work(w.ID).Done == 99 })
		if w := f.work(w.ID); w.State != store.WorkRunning || w.Total != 100 || w.Message != "part 99" {
			t.Errorf("progress: %+v", w)
		}
		close(hold)
		f.ends(w.ID)
	})
}

// A wait for a later time ends at that time, also if the clock jumps.
func TestLater(t *testing.T) {
	onBoth(t, func(t *testing.T, f *fixture) {
		o := f.quick()
		q := f.queue(o, jobs.Kind{Name: "write", Handle: finishing})
		q.Start()
		at := f.add(q, jobs.Spec{Kind: "write", Payload: "at", At: f.clock.now().Add(time.Hour)})
		after := f.add(q, jobs.Spec{Kind: "write", Payload: "after", After: time.Hour})
		now := f.add(q, jobs.Spec{Kind: "write", Payload: "now"})
		f.ends(now.ID)
		f.clock.move(-time.Hour) // the wait was counted from a time that has not come
		f.ends(after.ID)
		if w := f.work(at.ID); w.State != store.WorkQueued {
			t.Errorf("work for a fixed time is %s", w.State)
		}
		f.clock.move(2*time.Hour + time.Minute)
		f.ends(at.ID)
		if d := cmp.Diff([]string{"now", "after", "at"}, f.done("did")); d != "" {
			t.Errorf("did (-want +got):\n%s", d)
		}
	})
}

// Work of a kind that this server does not know is left to others, and keeps its
// place.
func TestUnknownKind(t *testing.T) {
	onBoth(t, func(t *testing.T, f *fixture) {
		knows := f.queue(f.patient(), jobs.Kind{Name: "new", Handle: finishing}, jobs.Kind{Name: "write", Handle: finishing})
		q := f.queue(f.patient(), jobs.Kind{Name: "write", Handle: finishing})
		q.Start()
		f.add(knows, jobs.Spec{Kind: "new", Conversation: f.convs[0], Payload: "new"})
		behind := f.add(knows, jobs.Spec{Kind: "write", Conversation: f.convs[0], Payload: "behind"})
		f.ends(f.add(q, jobs.Spec{Kind: "write", Payload: "beside"}).ID)
		if err := q.Register(jobs.Kind{Name: "new", Handle: finishing}); err != nil {
			t.Fatal(err)
		}
		f.ends(behind.ID)
		if d := cmp.Diff([]string{"beside", "new", "behind"}, f.done("did")); d != "" {
			t.Errorf("did (-want +got):\n%s", d)
		}
	})
}
