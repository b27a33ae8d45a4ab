package jobs_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-memory/weft/jobs"
	"github.com/weft-memory/weft/store"
)

// Work that is added at any step of a queue that runs dry is done, though the
// queue never looks unless it is told. Each step is forced: the queue stands
// still in it while the work is added and committed.
func TestNothingIsStranded(t *testing.T) {
	for _, step := range []string{"before claim", "before finish", "after finish", "before settle", "waiting"} {
		for _, conversation := range []int{-1, 0} {
			for _, workers := range []int{1, 4} {
				t.Run(fmt.Sprintf("%s/%d/%d", step, conversation, workers), func(t *testing.T) {
					onBoth(t, func(t *testing.T, f *fixture) { testStranded(t, f, step, conversation, workers) })
				})
			}
		}
	}
}

func testStranded(t *testing.T, f *fixture, step string, conversation, workers int) {
	o := f.patient()
	o.Workers = workers
	q := f.queue(o, jobs.Kind{Name: "write", Handle: func(ctx context.Context, j *jobs.Job) error {
		if j.Attempt == 1 && step == "before settle" {
			return fmt.Errorf("once") // an attempt that fails is settled by the queue
		}
		return finishing(ctx, j)
	}, Backoff: func(int) time.Duration { return 0 }})
	spec := func(word string) jobs.Spec {
		s := jobs.Spec{Kind: "write", Payload: word}
		if conversation >= 0 {
			s.Conversation = f.convs[conversation]
		}
		return s
	}
	var mu sync.Mutex
	armed, added := false, 0
	var want []string
	q.SetHook(func(at string) {
		mu.Lock()
		defer mu.Unlock()
		if !armed || at != step || added == 3 {
			return
		}
		added++
		word := fmt.Sprint("in between ", added)
		want = append(want, word)
		f.add(q, spec(word))
	})
	q.Start()
	mu.Lock()
	armed = true
	want = append(want, "first")
	mu.Unlock()
	f.add(q, spec("first"))
	f.until("all is done", func() bool {
		mu.Lock()
		defer mu.Unlock()
		over := added > 0 && len(f.done("did")) == 1+added
		armed = armed && !over
		return over
	})
	if err := q.Close(f.ctx); err != nil {
		t.Error(err)
	}
	got := f.done("did")
	if conversation < 0 {
		slices.Sort(got)
		slices.Sort(want)
	} else if step == "waiting" && got[0] != "first" {
		slices.Sort(got) // the queue may have waited before the first was added
		slices.Sort(want)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("did (-want +got):\n%s", d)
	}
}

// A wait for another attempt ends though nothing tells of it.
func TestRetriesWakeThemselves(t *testing.T) {
	onBoth(t, func(t *testing.T, f *fixture) {
		q := f.queue(f.patient(), jobs.Kind{Name: "write", Backoff: func(int) time.Duration { return 20 * time.Millisecond }, Handle: func(ctx context.Context, j *jobs.Job) error {
			if j.Attempt < 3 {
				return fmt.Errorf("attempt %d", j.Attempt)
			}
			return finishing(ctx, j)
		}})
		q.Start()
		if w := f.ends(f.add(q, jobs.Spec{Kind: "write", Payload: "x"}).ID); w.State != store.WorkDone || w.Attempt != 3 {
			t.Errorf("it is %s after %d attempts", w.State, w.Attempt)
		}
	})
}

// A queue that has nothing to do writes nothing, however often it looks.
func TestIdleWritesNothing(t *testing.T) { // not parallel: the count of PostgreSQL is that of the server
	for name, b := range backends {
		t.Run(name, func(t *testing.T) {
			f := setup(t, b)
			const looks = 40
			looked := make(chan struct{}, 1)
			hook := func(step string) {
				if step == "waiting" {
					select {
					case looked <- struct{}{}:
					default:
					}
				}
			}
			o := f.quick()
			o.Poll, o.Lease = 5*time.Millisecond, 20*time.Millisecond
			for range 2 {
				q := f.queue(o, jobs.Kind{Name: "write", Handle: finishing})
				q.SetHook(hook)
				q.Start()
				f.ends(f.add(q, jobs.Spec{Kind: "write", Payload: "x"}).ID)
				f.add(q, jobs.Spec{Kind: "write", At: f.clock.now().Add(1000 * time.Hour)})
			}
			f.until("nothing is held", func() bool {
				list, err := f.HeldWork(f.ctx, "")
				return len(list) == 0 && err == nil
			})
			before := f.writes()
			for range looks {
				<-looked
			}
			if n := f.writes() - before; n != 0 {
				t.Errorf("%d writes while the queues looked %d times for nothing", n, looks)
			}
		})
	}
}

// writes counts what was written: rows on SQLite, transactions on PostgreSQL.
func (f *fixture) writes() (n int64) {
	f.t.Helper()
	q := "SELECT total_changes()"
	if f.Postgres() { // a transaction gets a number when it first writes
		q = "SELECT CAST(CAST(pg_snapshot_xmax(pg_current_snapshot()) AS TEXT) AS BIGINT)"
	}
	if err := f.Writer().QueryRowContext(f.ctx, q).Scan(&n); err != nil {
		f.t.Fatal(err)
	}
	return n
}
