package jobs_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/weft-memory/weft/internal/pgtest"
	"github.com/weft-memory/weft/jobs"
	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/store"
)

// crashEnv makes the test program a child that does work and is killed.
const crashEnv = "WEFT_JOBS_CRASH"

func TestMain(m *testing.M) {
	if os.Getenv(crashEnv) != "" {
		crashChild()
		return
	}
	code := m.Run()
	pgtest.Stop()
	if err := goleak.Find(); err != nil && code == 0 {
		os.Stderr.WriteString(err.Error() + "\n")
		code = 1
	}
	os.Exit(code)
}

// clock is a clock that goes on by a millisecond whenever it is looked at, and
// jumps.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func newClock() *clock { return &clock{at: time.UnixMilli(1_800_000_000_000)} }

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(time.Millisecond)
	return c.at
}

func (c *clock) move(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

// backend is a kind of database.
type backend struct {
	url    func(t testing.TB) string
	shared bool // several handles may have it open
}

var backends = map[string]backend{
	"SQLite": {url: func(t testing.TB) string { return filepath.Join(t.TempDir(), "weft.db") }},
	"Postgres": {shared: true, url: func(t testing.TB) string {
		return pgtest.DatabaseFrom(t, "jobs", func(url string) error {
			db, err := store.Open(context.Background(), url, store.Options{})
			if err != nil {
				return err
			}
			return db.Close()
		})
	}},
}

// onBoth runs a test on both databases.
func onBoth(t *testing.T, run func(t *testing.T, f *fixture)) {
	t.Parallel()
	for name, b := range backends {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			run(t, setup(t, b))
		})
	}
}

// fixture is an open database with a world and conversations, in which queues
// work.
type fixture struct {
	*store.DB
	t       testing.TB
	ctx     context.Context
	b       backend
	url     string
	clock   *clock
	log     *slog.Logger
	world   string
	convs   []string
	replies []string // one of each conversation
}

func setup(t testing.TB, b backend) *fixture {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute) // a test that hangs says where
	t.Cleanup(cancel)
	f := &fixture{t: t, ctx: ctx, b: b, url: b.url(t), clock: newClock(), world: "north"}
	f.log = slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelDebug}))
	f.DB = f.open()
	t.Cleanup(func() {
		if err := f.DB.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	err := f.Update(ctx, func(tx *store.Tx) error {
		_, err := tx.CreateWorld(store.World{ID: f.world, Name: "Northmark"})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		f.write(func(tx *store.Tx) error {
			c, err := tx.CreateConversation(store.Conversation{World: f.world})
			if err != nil {
				return err
			}
			n, err := tx.AppendNode(store.Node{Conversation: c.ID, Role: lore.RoleAssistant, Content: "Below the mill."})
			f.convs, f.replies = append(f.convs, c.ID), append(f.replies, n.ID)
			return err
		})
	}
	return f
}

func (f *fixture) open() *store.DB {
	f.t.Helper()
	db, err := store.Open(f.ctx, f.url, store.Options{Now: f.clock.now, Log: f.log})
	if err != nil {
		f.t.Fatal(err)
	}
	return db
}

func (f *fixture) write(fn func(tx *store.Tx) error) {
	f.t.Helper()
	if err := f.UpdateWorld(f.ctx, f.world, fn); err != nil {
		f.t.Fatal(err)
	}
}

// quick are options with which tests need not wait long for what is lost.
func (f *fixture) quick() jobs.Options {
	return jobs.Options{Lease: 400 * time.Millisecond, Poll: 50 * time.Millisecond, Grace: time.Second, Log: f.log}
}

// patient are options with which nothing happens but what was told of.
func (f *fixture) patient() jobs.Options {
	return jobs.Options{Lease: time.Hour, Poll: time.Hour, Grace: time.Second, Log: f.log}
}

// queue returns a queue that is closed when the test ends.
func (f *fixture) queue(o jobs.Options, kinds ...jobs.Kind) *jobs.Queue {
	f.t.Helper()
	return f.queueOn(f.DB, o, kinds...)
}

func (f *fixture) queueOn(db *store.DB, o jobs.Options, kinds ...jobs.Kind) *jobs.Queue {
	f.t.Helper()
	q, err := jobs.Open(db, o)
	if err != nil {
		f.t.Fatal(err)
	}
	if err := q.Register(kinds...); err != nil {
		f.t.Fatal(err)
	}
	f.t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		defer cancel()
		if err := q.Close(ctx); err != nil {
			f.t.Errorf("close: %v", err)
		}
	})
	return q
}

func (f *fixture) add(q *jobs.Queue, s jobs.Spec) store.Work {
	f.t.Helper()
	if s.World == "" {
		s.World = f.world
	}
	var w store.Work
	f.write(func(tx *store.Tx) (err error) {
		w, _, err = q.Enqueue(tx, s)
		return err
	})
	return w
}

func (f *fixture) work(id string) (w store.Work) {
	f.t.Helper()
	err := f.View(f.ctx, func(tx *store.Tx) (err error) {
		w, err = tx.Work(id)
		return err
	})
	if err != nil {
		f.t.Fatal(err)
	}
	return w
}

func (f *fixture) list() (list []store.Work) {
	f.t.Helper()
	err := f.View(f.ctx, func(tx *store.Tx) (err error) {
		list, _, err = tx.WorkList(f.world, store.WorkFilter{}, store.Page{Limit: 1000})
		return err
	})
	if err != nil {
		f.t.Fatal(err)
	}
	return list
}

// until waits until something is so, looking whenever an event tells of a
// change.
func (f *fixture) until(what string, so func() bool) {
	f.t.Helper()
	s := f.Subscribe(f.world)
	defer s.Close()
	for !so() {
		select {
		case <-s.C():
		case <-f.ctx.Done():
			f.t.Fatalf("%s: not so in time: %+v", what, f.list())
		}
	}
}

// ends waits until work is over.
func (f *fixture) ends(id string) (w store.Work) {
	f.t.Helper()
	f.until("work is over", func() bool {
		w = f.work(id)
		return w.Finished != 0
	})
	return w
}

// did adds a word to what was done, kept as a setting: the effect of work.
func did(tx *store.Tx, world, name, word string) error {
	list, err := doings(tx, world, name)
	if err != nil {
		return err
	}
	raw, err := json.Marshal(append(list, word))
	if err != nil {
		return err
	}
	return tx.SetSetting("world:"+world, name, raw)
}

func doings(tx *store.Tx, world, name string) (list []string, err error) {
	raw, err := tx.Setting("world:"+world, name)
	if store.KindOf(err) == store.NotFound {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return list, json.Unmarshal(raw, &list)
}

// done returns what was done.
func (f *fixture) done(name string) (list []string) {
	f.t.Helper()
	err := f.View(f.ctx, func(tx *store.Tx) (err error) {
		list, err = doings(tx, f.world, name)
		return err
	})
	if err != nil {
		f.t.Fatal(err)
	}
	return list
}
