package storetest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/store"
)

func testEvents(t *testing.T, b Backend) {
	f := setup(t, b)
	c := f.conversation()
	f.write(func(tx *store.Tx) error {
		for i := range 3 {
			id, err := tx.AppendEvent(store.Event{World: f.world, Kind: "node.created", Ref: fmt.Sprint(i), Conversation: c.ID, Payload: json.RawMessage(`{"x":1}`)})
			if err != nil || id != int64(i)+1 {
				t.Errorf("event %d has the id %d (%v)", i, id, err)
			}
		}
		return nil
	})
	f.view(func(tx *store.Tx) error {
		list, err := tx.Events(f.world, 1, 10)
		if len(list) != 2 || list[0].ID != 2 || list[0].Conversation != c.ID || string(list[0].Payload) != `{"x":1}` || list[0].World != f.world || list[0].Time == 0 {
			t.Errorf("events behind 1: %+v", list)
		}
		if list, err := tx.Events(f.world, 0, 2); len(list) != 2 || err != nil {
			t.Errorf("%d events, want 2 (%v)", len(list), err)
		}
		first, err2 := tx.FirstEvent(f.world)
		last, err3 := tx.LastEvent(f.world)
		if first != 1 || last != 3 || err2 != nil || err3 != nil {
			t.Errorf("first %d, last %d (%v, %v)", first, last, err2, err3)
		}
		if first, err := tx.FirstEvent(store.System); first != 1 || err != nil {
			t.Errorf("the first event to come is %d (%v), want 1", first, err)
		}
		return err
	})
	f.refused(store.Invalid, "a payload that is no JSON", func(tx *store.Tx) error {
		_, err := tx.AppendEvent(store.Event{World: f.world, Kind: "x", Payload: json.RawMessage("{")})
		return err
	})

	// A reader that waits is woken by the commit, and by nothing before.
	got := make(chan []store.Event, 1)
	go func() {
		list, err := f.WaitEvents(f.ctx, f.world, 3, 10)
		if err != nil {
			t.Error(err)
		}
		got <- list
	}()
	f.write(func(tx *store.Tx) error {
		_, err := tx.AppendEvent(store.Event{World: f.world, Kind: "late"})
		return err
	})
	if list := <-got; len(list) != 1 || list[0].Kind != "late" {
		t.Errorf("waited for %+v", list)
	}
	ctx, cancel := context.WithCancel(f.ctx)
	cancel()
	if _, err := f.WaitEvents(ctx, f.world, 99, 10); !errors.Is(err, context.Canceled) {
		t.Errorf("a wait that was given up: %v", err)
	}
	if b.Shared { // a commit of another server wakes too
		other := open(t, f.url, options(t, f.clock))
		go func() {
			list, err := other.WaitEvents(f.ctx, f.world, 4, 10)
			if err != nil {
				t.Error(err)
			}
			got <- list
		}()
		f.write(func(tx *store.Tx) error {
			_, err := tx.AppendEvent(store.Event{World: f.world, Kind: "far"})
			return err
		})
		if list := <-got; len(list) != 1 || list[0].Kind != "far" {
			t.Errorf("waited for %+v", list)
		}
	}
}

// handles returns several handles of one database, or the one there can be.
func (f *fixture) handles(b Backend, n int) []*store.DB {
	list := []*store.DB{f.DB}
	for b.Shared && len(list) < n {
		list = append(list, open(f.t, f.url, options(f.t, f.clock)))
	}
	for len(list) < n {
		list = append(list, f.DB)
	}
	return list
}

// Who has seen an event has seen all before it, however many write.
func testEventsFollowCommits(t *testing.T, b Backend) {
	f := setup(t, b)
	const writers, each = 6, 30
	dbs := f.handles(b, 2)
	var done sync.WaitGroup
	for w := range writers {
		done.Add(1)
		go func() {
			defer done.Done()
			for i := range each {
				run := dbs[w%2].UpdateWorld
				if i%5 == 0 { // the slow way, that runs again
					run = func(ctx context.Context, _ string, fn func(*store.Tx) error) error { return dbs[w%2].Update(ctx, fn) }
				}
				err := run(f.ctx, f.world, func(tx *store.Tx) error {
					_, err := tx.AppendEvent(store.Event{World: f.world, Kind: "x", Ref: fmt.Sprintf("%d/%d", w, i)})
					return err
				})
				if err != nil {
					t.Errorf("writer %d: %v", w, err)
					return
				}
			}
		}()
	}
	last := int64(0)
	seen := map[string]bool{}
	for len(seen) < writers*each && !t.Failed() {
		ctx, cancel := context.WithTimeout(f.ctx, 20*time.Second)
		list, err := dbs[1].WaitEvents(ctx, f.world, last, 7)
		cancel()
		if err != nil {
			t.Fatalf("%d events seen: %v", len(seen), err)
		}
		for _, e := range list {
			if e.ID != last+1 {
				t.Fatalf("event %d came behind %d", e.ID, last)
			}
			last = e.ID
			seen[e.Ref] = true
		}
	}
	done.Wait()
}

// Many writers of one world and of several: nothing is lost, nothing twice, and
// the counters are right.
func testConcurrentWriters(t *testing.T, b Backend) {
	f := setup(t, b)
	f.update(func(tx *store.Tx) error {
		_, err := tx.CreateWorld(store.World{ID: "second", Name: "Second"})
		return err
	})
	worlds := []string{f.world, "second"}
	conversations := map[string]string{}
	for _, w := range worlds {
		f.update(func(tx *store.Tx) error {
			c, err := tx.CreateConversation(store.Conversation{World: w})
			conversations[w] = c.ID
			return err
		})
	}
	dbs := f.handles(b, 2)
	const writers, each = 8, 20
	var done sync.WaitGroup
	for w := range writers {
		done.Add(1)
		go func() {
			defer done.Done()
			world := worlds[w%2]
			for i := range each {
				err := dbs[(w/2)%2].UpdateWorld(f.ctx, world, func(tx *store.Tx) error {
					c, err := tx.Conversation(conversations[world])
					if err != nil {
						return err
					}
					n, err := tx.AppendNode(store.Node{Conversation: c.ID, Parent: c.Head, Role: lore.RoleUser, Content: fmt.Sprintf("%d/%d", w, i)})
					if err != nil {
						return err
					}
					return tx.SetHead(c.ID, n.ID)
				})
				if err != nil {
					t.Errorf("writer %d: %v", w, err)
					return
				}
			}
		}()
	}
	done.Wait()
	for _, world := range worlds {
		var c store.Conversation
		f.view(func(tx *store.Tx) (err error) {
			c, err = tx.Conversation(conversations[world])
			return err
		})
		path := f.path(c.Head, store.PathOptions{})
		if len(path) != writers/2*each {
			t.Errorf("the path has %d messages, want %d: some were lost or forked", len(path), writers/2*each)
		}
		next := map[string]int{}
		for _, n := range path {
			var w, i int
			if _, err := fmt.Sscanf(n.Content, "%d/%d", &w, &i); err != nil {
				t.Fatal(err)
			}
			if key := fmt.Sprint(w); next[key] != i {
				t.Errorf("writer %d: message %d came when %d was due", w, i, next[key])
			}
			next[fmt.Sprint(w)] = i + 1
		}
	}
	problems, err := f.Check(f.ctx, true)
	if d := cmp.Diff([]store.Problem(nil), problems); d != "" || err != nil {
		t.Errorf("check (%v):\n%s", err, d)
	}
}
