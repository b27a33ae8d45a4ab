package storetest

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-memory/weft/store"
)

// add adds work that has to be accepted.
func (f *fixture) add(w store.Work) store.Work {
	f.t.Helper()
	if w.World == "" {
		w.World = f.world
	}
	if w.Kind == "" {
		w.Kind = "write"
	}
	f.write(func(tx *store.Tx) (err error) {
		var fresh bool
		w, fresh, err = tx.AddWork(w, 0, false)
		if !fresh {
			f.t.Errorf("%s was there already", w.ID)
		}
		return err
	})
	return w
}

var writing = []string{"write", "other"}

// claim claims work by an owner and returns the ids.
func (f *fixture) claim(owner string, n int) (list []store.Work, ids []string) {
	f.t.Helper()
	f.write(func(tx *store.Tx) (err error) {
		list, err = tx.ClaimWork(f.world, owner, writing, n)
		return err
	})
	for _, w := range list {
		ids = append(ids, w.ID)
	}
	return list, ids
}

func (f *fixture) work(id string) store.Work {
	f.t.Helper()
	var w store.Work
	f.view(func(tx *store.Tx) (err error) {
		w, err = tx.Work(id)
		return err
	})
	return w
}

// states returns the states of all work, the oldest first.
func (f *fixture) states() (out []string) {
	f.t.Helper()
	f.view(func(tx *store.Tx) error {
		list, _, err := tx.WorkList(f.world, store.WorkFilter{}, store.Page{Limit: 1000})
		for i := len(list) - 1; i >= 0; i-- {
			out = append(out, list[i].ID+" "+string(list[i].State))
		}
		return err
	})
	return out
}

func (f *fixture) wantStates(what string, want ...string) {
	f.t.Helper()
	if d := cmp.Diff(want, f.states()); d != "" {
		f.t.Errorf("%s (-want +got):\n%s", what, d)
	}
	problems, err := f.Check(f.ctx, false)
	if len(problems) > 0 || err != nil {
		f.t.Errorf("%s: check: %v (%v)", what, problems, err)
	}
}

func testWork(t *testing.T, b Backend) {
	f := setup(t, b)
	c := f.conversation()
	n := f.chain(c, "", 2)
	payload := json.RawMessage(`{"window":20}`)
	w := f.add(store.Work{ID: "a", Conversation: c.ID, Node: n[1].ID, Key: "write:1", Attempts: 3, Priority: 2, Payload: payload})
	want := store.Work{
		ID: "a", World: f.world, Conversation: c.ID, Node: n[1].ID, Kind: "write", Key: "write:1", Seq: 1, State: store.WorkQueued,
		Priority: 2, Attempts: 3, Payload: payload, Result: json.RawMessage("null"), Created: w.Created,
	}
	if d := cmp.Diff(want, w); d != "" || w.Created == 0 {
		t.Errorf("added (-want +got):\n%s", d)
	}
	list, ids := f.claim("me", 5)
	if len(list) != 1 || list[0].State != store.WorkRunning || list[0].Attempt != 1 || list[0].Owner != "me" || list[0].Token == 0 || list[0].Started == 0 {
		t.Fatalf("claimed %v: %+v", ids, list)
	}
	if _, ids := f.claim("you", 5); len(ids) != 0 {
		t.Errorf("%v was claimed twice", ids)
	}
	token := list[0].Token
	f.write(func(tx *store.Tx) error {
		if err := tx.ProgressWork("a", token, 3, 7, "three of seven"); err != nil {
			return err
		}
		return nil
	})
	if w := f.work("a"); w.Done != 3 || w.Total != 7 || w.Message != "three of seven" {
		t.Errorf("progress: %+v", w)
	}
	f.write(func(tx *store.Tx) error {
		return tx.FailWork("a", token, "no answer\x00\xff"+strings.Repeat("x", 9000), true, time.Hour)
	})
	if w := f.work("a"); w.State != store.WorkQueued || !strings.HasPrefix(w.Error, "no answer\ufffd") || len(w.Error) > store.MaxWorkText+8 || w.Owner != "" || w.Due == 0 {
		t.Errorf("failed once: %+v", w)
	}
	if _, ids := f.claim("me", 5); len(ids) != 0 {
		t.Errorf("%v was claimed before it was due", ids)
	}
	worlds, wait, err := f.WorkWaiting(f.ctx, writing, 5)
	if len(worlds) != 0 || wait < 59*time.Minute || wait > time.Hour || err != nil {
		t.Errorf("waiting: %v, %v (%v)", worlds, wait, err)
	}
	f.clock.move(time.Hour)
	if worlds, _, err := f.WorkWaiting(f.ctx, writing, 5); len(worlds) != 1 || worlds[0] != f.world || err != nil {
		t.Errorf("waiting: %v (%v)", worlds, err)
	}
	if worlds, _, _ := f.WorkWaiting(f.ctx, []string{"unknown"}, 5); len(worlds) != 0 {
		t.Errorf("work of a kind that nobody asked for waits: %v", worlds)
	}
	list, _ = f.claim("me", 5)
	if len(list) != 1 || list[0].Token == token || list[0].Attempt != 2 {
		t.Fatalf("claimed again: %+v", list)
	}
	f.refused(store.Conflict, "an old token", func(tx *store.Tx) error { return tx.CompleteWork("a", token, nil) })
	f.refused(store.Conflict, "an old token", func(tx *store.Tx) error { _, err := tx.HoldWork("a", token); return err })
	f.write(func(tx *store.Tx) error { return tx.CompleteWork("a", list[0].Token, json.RawMessage(`{"n":1}`)) })
	w = f.work("a")
	if w.State != store.WorkDone || string(w.Result) != `{"n":1}` || w.Error != "" || w.Finished == 0 || w.Owner != "" {
		t.Errorf("done: %+v", w)
	}
	f.refused(store.Conflict, "to end it twice", func(tx *store.Tx) error { return tx.CompleteWork("a", list[0].Token, nil) })
	f.refused(store.Conflict, "to cancel what is done", func(tx *store.Tx) error { _, err := tx.CancelWork("a"); return err })
	f.refused(store.Conflict, "to retry what is done", func(tx *store.Tx) error { _, err := tx.RetryWork("a"); return err })

	var kinds []string
	f.view(func(tx *store.Tx) error {
		list, err := tx.Events(f.world, 0, 100)
		for _, e := range list {
			if e.Ref != "a" || e.Conversation != c.ID {
				t.Errorf("an event of %q in %q", e.Ref, e.Conversation)
			}
			kinds = append(kinds, e.Kind+string(e.Payload))
		}
		return err
	})
	if d := cmp.Diff([]string{
		`work.queued{"kind":"write","state":"queued"}`, `work.started{"kind":"write","state":"running"}`,
		`work.progress{"done":3,"kind":"write","state":"running","total":7}`, `work.changed{"kind":"write","state":"queued"}`,
		`work.started{"kind":"write","state":"running"}`, `work.finished{"kind":"write","state":"done"}`,
	}, kinds); d != "" {
		t.Errorf("events (-want +got):\n%s", d)
	}
}

func testWorkRefused(t *testing.T, b Backend) {
	f := setup(t, b)
	c, d := f.conversation(), f.conversation()
	n := f.chain(c, "", 1)
	f.add(store.Work{ID: "a"})
	big := json.RawMessage(`"` + strings.Repeat("x", store.MaxWorkPayload) + `"`)
	for what, x := range map[string]struct {
		kind store.Kind
		w    store.Work
	}{
		"no kind":                   {store.Invalid, store.Work{World: f.world}},
		"a payload too large":       {store.Invalid, store.Work{World: f.world, Kind: "x", Payload: big}},
		"a payload that is no JSON": {store.Invalid, store.Work{World: f.world, Kind: "x", Payload: json.RawMessage("{")}},
		"no such world":             {store.NotFound, store.Work{World: "none", Kind: "x"}},
		"no such conversation":      {store.NotFound, store.Work{World: f.world, Kind: "x", Conversation: "none"}},
		"a message alone":           {store.Invalid, store.Work{World: f.world, Kind: "x", Node: n[0].ID}},
		"no such message":           {store.NotFound, store.Work{World: f.world, Kind: "x", Conversation: c.ID, Node: "none"}},
		"a message of another":      {store.Invalid, store.Work{World: f.world, Kind: "x", Conversation: d.ID, Node: n[0].ID}},
		"an id twice":               {store.Exists, store.Work{World: f.world, Kind: "x", ID: "a"}},
		"a kind with a zero byte":   {store.Invalid, store.Work{World: f.world, Kind: "x\x00"}},
	} {
		f.refused(x.kind, what, func(tx *store.Tx) error { _, _, err := tx.AddWork(x.w, 0, false); return err })
	}
	f.refused(store.NotFound, "no such work", func(tx *store.Tx) error { _, err := tx.CancelWork("none"); return err })
	f.refused(store.NotFound, "no such work", func(tx *store.Tx) error { _, err := tx.RetryWork("none"); return err })
	f.refused(store.Invalid, "nobody claims", func(tx *store.Tx) error { _, err := tx.ClaimWork(f.world, "", writing, 1); return err })
	list, _ := f.claim("me", 1)
	f.refused(store.Invalid, "a result too large", func(tx *store.Tx) error { return tx.CompleteWork("a", list[0].Token, big) })
	f.wantStates("nothing came of it", "a running")
}

// Keys keep the same work from being added twice.
func testWorkKeys(t *testing.T, b Backend) {
	f := setup(t, b)
	add := func(again bool, want string) {
		t.Helper()
		f.write(func(tx *store.Tx) error {
			w, got, err := tx.AddWork(store.Work{ID: want, World: f.world, Kind: "write", Key: "k"}, 0, again)
			if w.ID != want || !got {
				t.Errorf("again %v: got %s, fresh %v; want %s", again, w.ID, got, want)
			}
			return err
		})
	}
	same := func(again bool, want string) {
		t.Helper()
		f.write(func(tx *store.Tx) error {
			w, fresh, err := tx.AddWork(store.Work{World: f.world, Kind: "write", Key: "k"}, 0, again)
			if w.ID != want || fresh {
				t.Errorf("again %v: got %s, fresh %v; want %s as it is", again, w.ID, fresh, want)
			}
			return err
		})
	}
	add(false, "a")
	same(false, "a")
	same(true, "a")
	list, _ := f.claim("me", 1)
	same(false, "a")
	add(true, "b") // a has begun and may have missed it
	same(true, "b")
	f.write(func(tx *store.Tx) error { return tx.CompleteWork("a", list[0].Token, nil) })
	list, _ = f.claim("me", 1)
	f.write(func(tx *store.Tx) error { return tx.CompleteWork("b", list[0].Token, nil) })
	same(false, "b")
	add(true, "c")
	f.write(func(tx *store.Tx) error { _, err := tx.CancelWork("c"); return err })
	add(false, "d") // what was cancelled may be asked for again
	list, _ = f.claim("me", 1)
	f.write(func(tx *store.Tx) error { return tx.FailWork("d", list[0].Token, "x", false, 0) })
	add(false, "e")
	f.wantStates("in the end", "a done", "b done", "c cancelled", "d failed", "e queued")
}

// In a conversation one runs at a time, in the order of commits.
func testWorkOrder(t *testing.T, b Backend) {
	f := setup(t, b)
	c, d := f.conversation(), f.conversation()
	for i, w := range []store.Work{
		{Conversation: c.ID}, {Conversation: d.ID}, {Conversation: c.ID, Priority: 9}, {}, {Priority: 5}, {Conversation: d.ID},
	} {
		w.ID = fmt.Sprint("w", i)
		f.add(w)
	}
	list, ids := f.claim("me", 10)
	if d := cmp.Diff([]string{"w4", "w0", "w1", "w3"}, ids); d != "" {
		t.Errorf("claimed first (-want +got):\n%s", d)
	}
	token := map[string]int64{}
	for _, w := range list {
		token[w.ID] = w.Token
	}
	// What waits for another attempt holds up what is behind it.
	f.write(func(tx *store.Tx) error { return tx.FailWork("w0", token["w0"], "x", true, time.Minute) })
	f.write(func(tx *store.Tx) error { return tx.CompleteWork("w1", token["w1"], nil) })
	if _, ids := f.claim("me", 10); cmp.Diff([]string{"w5"}, ids) != "" {
		t.Errorf("claimed %v, want w5 only", ids)
	}
	f.write(func(tx *store.Tx) error { _, err := tx.CancelWork("w0"); return err })
	if _, ids := f.claim("me", 10); cmp.Diff([]string{"w2"}, ids) != "" {
		t.Errorf("claimed %v, want w2", ids)
	}
	// Retried, it waits for what runs.
	f.write(func(tx *store.Tx) error { _, err := tx.RetryWork("w0"); return err })
	if _, ids := f.claim("me", 10); len(ids) != 0 {
		t.Errorf("claimed %v beside w2", ids)
	}
	// Work for a later time does not hold up what is behind it.
	e := f.conversation()
	f.add(store.Work{ID: "later", Conversation: e.ID, Due: 1 << 60})
	f.add(store.Work{ID: "now", Conversation: e.ID})
	if _, ids := f.claim("me", 10); cmp.Diff([]string{"now"}, ids) != "" {
		t.Errorf("claimed %v, want now", ids)
	}
}

func testWorkCancel(t *testing.T, b Backend) {
	f := setup(t, b)
	c := f.conversation()
	n := f.chain(c, "", 4)
	f.add(store.Work{ID: "a", Conversation: c.ID, Node: n[1].ID})
	f.add(store.Work{ID: "b", Conversation: c.ID, Node: n[3].ID})
	f.add(store.Work{ID: "c", Conversation: c.ID})
	f.add(store.Work{ID: "d"})
	list, _ := f.claim("me", 1)
	cancel := func(want int, nodes ...string) {
		t.Helper()
		f.write(func(tx *store.Tx) error {
			got, err := tx.CancelWorkFor(c.ID, nodes...)
			if got != want {
				t.Errorf("cancelled %d, want %d", got, want)
			}
			return err
		})
	}
	// A cancellation that is rolled back has not been.
	oops := errors.New("oops")
	err := f.UpdateWorld(f.ctx, f.world, func(tx *store.Tx) error {
		if _, err := tx.CancelWorkFor(c.ID); err != nil {
			return err
		}
		return oops
	})
	if !errors.Is(err, oops) {
		t.Error(err)
	}
	cancel(0, n[0].ID)
	cancel(1, n[1].ID, n[2].ID)
	f.wantStates("one is told to stop", "a cancelling", "b queued", "c queued", "d queued")
	cancel(0, n[1].ID)
	f.refused(store.Conflict, "to write for it", func(tx *store.Tx) error { _, err := tx.HoldWork("a", list[0].Token); return err })
	f.refused(store.Conflict, "to retry it before it has stopped", func(tx *store.Tx) error { _, err := tx.RetryWork("a"); return err })
	if _, ids := f.claim("me", 5); cmp.Diff([]string{"d"}, ids) != "" {
		t.Errorf("claimed %v beside what has not stopped", ids)
	}
	f.write(func(tx *store.Tx) error { return tx.FailWork("a", list[0].Token, "x", true, 0) })
	f.wantStates("it has stopped", "a cancelled", "b queued", "c queued", "d running")
	if w := f.work("a"); w.Error != "" || w.Finished == 0 {
		t.Errorf("cancelled: %+v", w)
	}
	cancel(2)
	f.wantStates("all of the conversation", "a cancelled", "b cancelled", "c cancelled", "d running")
	f.update(func(tx *store.Tx) error { _, err := tx.RetryWork("b"); return err })
	f.wantStates("one is retried", "a cancelled", "b queued", "c cancelled", "d running")
	f.update(func(tx *store.Tx) error { _, err := tx.CancelWorkFor(c.ID, n[3].ID); return err })
	f.wantStates("and cancelled, by the slow way", "a cancelled", "b cancelled", "c cancelled", "d running")

	// What ran when its owner vanished is cancelled when that is seen.
	f.add(store.Work{ID: "e"})
	f.claim("me", 1)
	f.write(func(tx *store.Tx) error { _, err := tx.CancelWork("e"); return err })
	f.takeBack(2)
	f.wantStates("taken back", "a cancelled", "b cancelled", "c cancelled", "d queued", "e cancelled")
}

// takeBack takes all work back that somebody holds.
func (f *fixture) takeBack(want int) {
	f.t.Helper()
	list, err := f.HeldWork(f.ctx, "")
	if len(list) != want || err != nil {
		f.t.Errorf("%d are held, want %d (%v)", len(list), want, err)
	}
	for _, h := range list {
		f.write(func(tx *store.Tx) error { return tx.TakeBackWork(h) })
	}
}

func testWorkLost(t *testing.T, b Backend) {
	f := setup(t, b)
	c := f.conversation()
	owner := f.WorkOwner()
	f.add(store.Work{ID: "a", Conversation: c.ID})
	f.add(store.Work{ID: "b", Conversation: c.ID})
	list, _ := f.claim(owner, 1)
	old, err := f.HeldWork(f.ctx, owner)
	if len(old) != 1 || old[0].Dead || err != nil {
		t.Fatalf("held: %+v (%v)", old, err)
	}
	if err := f.BeatWork(f.ctx, old); err != nil {
		t.Fatal(err)
	}
	f.write(func(tx *store.Tx) error { return tx.TakeBackWork(old[0]) })
	f.wantStates("its beat has risen", "a running", "b queued")
	f.takeBack(1)
	f.wantStates("its beat stands still", "a queued", "b queued")
	if w := f.work("a"); w.Attempt != 0 || w.Lost != 1 {
		t.Errorf("taken back: %+v", w)
	}
	f.refused(store.Conflict, "the old owner", func(tx *store.Tx) error { return tx.CompleteWork("a", list[0].Token, nil) })
	if err := f.BeatWork(f.ctx, old); err != nil {
		t.Error(err)
	}
	// Given back in order, it was not lost.
	list, ids := f.claim("somebody", 5)
	if cmp.Diff([]string{"a"}, ids) != "" {
		t.Errorf("claimed %v", ids)
	}
	if held, err := f.HeldWork(f.ctx, ""); len(held) != 1 || held[0].Dead == f.Postgres() || err != nil {
		t.Errorf("only on SQLite an owner from elsewhere is dead: %+v (%v)", held, err)
	}
	f.write(func(tx *store.Tx) error { return tx.GiveBackWork("a", list[0].Token) })
	if w := f.work("a"); w.Attempt != 0 || w.Lost != 1 || w.State != store.WorkQueued {
		t.Errorf("given back: %+v", w)
	}
	// Work that ends every process is no longer tried.
	for range 20 {
		f.claim("me", 1)
		f.takeBack(1)
	}
	f.wantStates("it was lost too often", "a failed", "b queued")
	if w := f.work("a"); !strings.Contains(w.Error, "21 times") {
		t.Errorf("the error is %q", w.Error)
	}
}

// A clock that runs back strands nothing.
func testWorkClock(t *testing.T, b Backend) {
	f := setup(t, b)
	f.add(store.Work{ID: "a"})
	f.clock.move(-48 * time.Hour)
	f.add(store.Work{ID: "b"})
	list, ids := f.claim("me", 5)
	if cmp.Diff([]string{"a", "b"}, ids) != "" {
		t.Fatalf("claimed %v, want a and b", ids)
	}
	f.write(func(tx *store.Tx) error { return tx.FailWork("a", list[0].Token, "x", true, time.Hour) })
	f.clock.move(-48 * time.Hour)
	if _, ids := f.claim("me", 5); cmp.Diff([]string{"a"}, ids) != "" {
		t.Errorf("claimed %v: the wait of a would be 49 hours", ids)
	}
	var stats store.WorkStats
	f.add(store.Work{ID: "c"})
	f.clock.move(-time.Hour)
	f.view(func(tx *store.Tx) (err error) { stats, err = tx.WorkStats(); return err })
	if stats != (store.WorkStats{Queued: 1, Running: 2}) {
		t.Errorf("stats: %+v", stats)
	}
	f.clock.move(100 * time.Hour)
	f.write(func(tx *store.Tx) error { return tx.FailWork("b", list[1].Token, "x", false, 0) })
	f.view(func(tx *store.Tx) (err error) { stats, err = tx.WorkStats(); return err })
	if stats.Failed != 1 || stats.Running != 1 || stats.Oldest < time.Minute.Microseconds() {
		t.Errorf("stats: %+v", stats)
	}
}

func testWorkList(t *testing.T, b Backend) {
	f := setup(t, b)
	c := f.conversation()
	n := f.chain(c, "", 2)
	for i := range 7 {
		w := store.Work{ID: fmt.Sprint("w", i), Kind: "write"}
		if i%2 == 1 {
			w.Kind, w.Conversation, w.Node = "other", c.ID, n[1].ID
		}
		f.add(w)
	}
	f.claim("me", 2)
	for what, x := range map[string]struct {
		filter store.WorkFilter
		want   string
	}{
		"all":          {store.WorkFilter{}, "w6 w5 w4 w3 w2 w1 w0"},
		"running":      {store.WorkFilter{State: store.WorkRunning}, "w1 w0"},
		"kind":         {store.WorkFilter{Kind: "other"}, "w5 w3 w1"},
		"conversation": {store.WorkFilter{Conversation: c.ID, State: store.WorkQueued}, "w5 w3"},
		"message":      {store.WorkFilter{Node: n[1].ID}, "w5 w3 w1"},
		"none":         {store.WorkFilter{Node: n[0].ID}, ""},
	} {
		var got []string
		page := store.Page{Limit: 2}
		for range 10 {
			f.view(func(tx *store.Tx) error {
				list, next, err := tx.WorkList(f.world, x.filter, page)
				for _, w := range list {
					got = append(got, w.ID)
				}
				page.Cursor = next
				return err
			})
			if page.Cursor == "" {
				break
			}
		}
		if strings.Join(got, " ") != x.want {
			t.Errorf("%s: got %v, want %s", what, got, x.want)
		}
	}
	f.view(func(tx *store.Tx) error {
		if _, _, err := tx.WorkList(f.world, store.WorkFilter{}, store.Page{Cursor: "x"}); store.KindOf(err) != store.Invalid {
			t.Errorf("a foreign cursor: %v", err)
		}
		return nil
	})
}

// A transaction that adds or cancels work wakes, on all servers, and one that
// is undone does not.
func testWorkWakes(t *testing.T, b Backend) {
	f := setup(t, b)
	for i, db := range f.handles(b, 2) {
		s := db.SubscribeWork()
		defer s.Close()
		if db != f.DB { // when it listens it wakes once
			<-s.C()
		}
		_ = f.UpdateWorld(f.ctx, f.world, func(tx *store.Tx) error {
			if _, _, err := tx.AddWork(store.Work{World: f.world, Kind: "x"}, 0, false); err != nil {
				return err
			}
			return errors.New("oops")
		})
		f.write(func(tx *store.Tx) error { return tx.Touch(f.world) })
		if db == f.DB {
			select {
			case <-s.C():
				if !f.Postgres() { // there, it may have begun to listen just now
					t.Error("woken for nothing")
				}
			default:
			}
		}
		id := fmt.Sprint("w", i)
		f.add(store.Work{ID: id})
		<-s.C()
		f.write(func(tx *store.Tx) error { _, err := tx.CancelWork(id); return err })
		<-s.C()
	}
}
