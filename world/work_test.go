package world

import (
	"context"
	"errors"
	"log/slog"
	"testing"

	"github.com/weft-memory/weft/jobs"
	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/store"
)

// queue returns a queue over the fixture's database; it ends with the test.
func (f *fixture) queue(kinds ...jobs.Kind) *jobs.Queue {
	f.t.Helper()
	q, err := jobs.Open(f.db, jobs.Options{Log: slog.New(slog.NewTextHandler(f.t.Output(), nil))})
	f.ok(err)
	f.ok(q.Register(kinds...))
	f.t.Cleanup(func() { f.ok(q.Close(context.Background())) })
	return q
}

func (f *fixture) enqueue(q *jobs.Queue, s jobs.Spec) store.Work {
	f.t.Helper()
	s.World = f.world
	var w store.Work
	f.ok(f.db.UpdateWorld(f.ctx, f.world, func(tx *store.Tx) (err error) {
		w, _, err = q.Enqueue(tx, s)
		return err
	}))
	return w
}

func (f *fixture) workState(id string, want store.WorkState) {
	f.t.Helper()
	if w := must(f.Work(f.ctx, f.world, id))(f.t); w.State != want {
		f.t.Errorf("the work is %s, want %s", w.State, want)
	}
}

func idle(context.Context, *jobs.Job) error { return nil }

// Whatever takes a reply from the path cancels the work for it, and nothing
// else.
func TestAReplyThatLeavesTakesItsWork(t *testing.T) {
	t.Parallel()
	for name, leave := range map[string]func(f *fixture, c, reply string) error{
		"swipe": func(f *fixture, c, _ string) error {
			_, err := f.Branch(f.ctx, f.world, f.firstOf(c))
			if err == nil {
				_, err = f.Append(f.ctx, f.world, c, Append{Messages: []Message{{Role: lore.RoleAssistant, Content: "Another."}}})
			}
			return err
		},
		"branch": func(f *fixture, c, _ string) error { _, err := f.Branch(f.ctx, f.world, f.firstOf(c)); return err },
		"delete": func(f *fixture, _, reply string) error { return f.Delete(f.ctx, f.world, reply) },
		"edit beside it": func(f *fixture, _, reply string) error {
			_, err := f.Edit(f.ctx, f.world, reply, Edit{Content: "Other.", Sibling: true, Reread: true})
			return err
		},
		"delete the branch":       func(f *fixture, _, reply string) error { _, err := f.DeleteBranch(f.ctx, f.world, reply); return err },
		"delete the conversation": func(f *fixture, c, _ string) error { return f.DeleteConversation(f.ctx, f.world, c, 0) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			both(t, func(t *testing.T, f *fixture) {
				q := f.queue(jobs.Kind{Name: "write", Handle: idle}) // not started
				c, other := f.chat(), f.chat()
				_, reply := f.turn(c, user("Go on."), "Yes.")
				_, beside := f.turn(other, user("Go on."), "Yes.")
				own := f.enqueue(q, jobs.Spec{Kind: "write", Conversation: c, Node: reply.ID, Key: "write:" + reply.ID})
				whole := f.enqueue(q, jobs.Spec{Kind: "write", Conversation: c})
				far := f.enqueue(q, jobs.Spec{Kind: "write", Conversation: other, Node: beside.ID})
				// An edit in place keeps the reply, and its work.
				_, err := f.Edit(f.ctx, f.world, reply.ID, Edit{Content: "Yes!"})
				f.ok(err)
				f.say(c, "And then?")
				f.workState(own.ID, store.WorkQueued)
				f.ok(leave(f, c, reply.ID))
				f.workState(own.ID, store.WorkCancelled)
				f.workState(far.ID, store.WorkQueued)
				if name == "delete the conversation" {
					f.workState(whole.ID, store.WorkCancelled)
					_, err := f.RetryWork(f.ctx, f.world, own.ID)
					f.fails(err, store.NotFound)
					return
				}
				f.workState(whole.ID, store.WorkQueued)
				_, err = f.RetryWork(f.ctx, f.world, own.ID)
				f.fails(err, store.Conflict)
				if name != "branch" && name != "edit beside it" {
					return
				}
				// The reply is shown again: its work may be asked for again.
				_, err = f.SwitchSwipe(f.ctx, f.world, reply.ID)
				f.ok(err)
				again := f.enqueue(q, jobs.Spec{Kind: "write", Conversation: c, Node: reply.ID, Key: "write:" + reply.ID})
				if again.ID == own.ID {
					t.Error("the cancelled work took the place of the new one")
				}
				_, err = f.RetryWork(f.ctx, f.world, own.ID)
				f.ok(err)
			})
		})
	}
}

// firstOf returns the first message of a conversation.
func (f *fixture) firstOf(c string) string {
	f.t.Helper()
	path, err := f.Path(f.ctx, f.world, c, PathOptions{})
	f.ok(err)
	return path[0].Node.ID
}

// What a handler applies is committed with the end of its work, or not at all;
// and what it saw meanwhile stays in no cache.
func TestWorkAppliesOnce(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, f *fixture) {
		f.book()
		c := f.chat()
		_, reply := f.turn(c, user("Who keeps the ford?"), "Ilka does.")
		oops := errors.New("oops")
		seen := make(chan string, 10)
		q := f.queue(jobs.Kind{Name: "write", Attempts: 2, Handle: func(ctx context.Context, j *jobs.Job) error {
			return j.Finish(ctx, func(tx *store.Tx) error {
				in := Within(ctx, tx)
				if _, err := f.Apply(in, j.World, remember(c, reply.ID, "Ilka", "Ilka keeps the ford.")); err != nil {
					return err
				}
				l, err := f.Lore(in, j.World, Place{Conversation: c})
				if err != nil {
					return err
				}
				e := l.View.Entry("~story", "Ilka")
				if e == nil {
					seen <- "nothing"
				} else {
					seen <- e.Content
				}
				if j.Attempt == 1 {
					return jobs.RetryAfter(oops, 0)
				}
				return nil
			})
		}})
		w := f.enqueue(q, jobs.Spec{Kind: "write", Conversation: c, Node: reply.ID})
		sub := f.db.Subscribe(f.world)
		defer sub.Close()
		q.Start()
		if got := <-seen; got != "Ilka keeps the ford." {
			t.Errorf("in its transaction, it saw %q", got)
		}
		<-seen
		for {
			got := must(f.Work(f.ctx, f.world, w.ID))(t)
			if got.Finished != 0 {
				if got.State != store.WorkDone || got.Attempt != 2 || got.Error != "" {
					t.Errorf("the work: %+v", got)
				}
				break
			}
			<-sub.C()
		}
		ops, _, err := f.Operations(f.ctx, f.world, store.OperationFilter{}, store.Page{})
		f.ok(err)
		if len(ops) != 1 {
			t.Errorf("%d operations, want 1", len(ops))
		}
		if got := f.text(c, "~story", "Ilka"); got != "Ilka keeps the ford." {
			t.Errorf("the entry is %q", got)
		}
		// A transaction that is undone after it was read leaves nothing behind.
		err = f.db.UpdateWorld(f.ctx, f.world, func(tx *store.Tx) error {
			in := Within(f.ctx, tx)
			if _, err := f.Apply(in, f.world, remember(c, reply.ID, "Brann", "Brann does.")); err != nil {
				return err
			}
			if _, err := f.Lore(in, f.world, Place{Conversation: c}); err != nil {
				return err
			}
			return oops
		})
		if !errors.Is(err, oops) {
			t.Error(err)
		}
		f.apply(remember(c, reply.ID, "Sunniva", "Sunniva does."))
		if f.text(c, "~story", "Brann") != "" || f.text(c, "~story", "Sunniva") == "" {
			t.Error("the view is that of a transaction that never was")
		}
	})
}

func TestWorkIsVisible(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, f *fixture) {
		q := f.queue(jobs.Kind{Name: "write", Handle: idle})
		c := must(f.CreateConversation(f.ctx, f.world, NewConversation{External: "chan/1"}))(t)
		a := f.enqueue(q, jobs.Spec{Kind: "write", Conversation: c.ID})
		b := f.enqueue(q, jobs.Spec{Kind: "write"})
		list, next, err := f.WorkList(f.ctx, f.world, store.WorkFilter{}, store.Page{Limit: 1})
		f.ok(err)
		if len(list) != 1 || list[0].ID != b.ID || next == "" {
			t.Errorf("the first page: %+v, %q", list, next)
		}
		list, _, err = f.WorkList(f.ctx, f.world, store.WorkFilter{Conversation: ExternalPrefix + "chan/1"}, store.Page{})
		f.ok(err)
		if len(list) != 1 || list[0].ID != a.ID {
			t.Errorf("of the conversation: %+v", list)
		}
		if s := must(f.WorkStats(f.ctx))(t); s.Queued != 2 {
			t.Errorf("stats: %+v", s)
		}
		if w := must(f.CancelWork(f.ctx, f.world, a.ID))(t); w.State != store.WorkCancelled {
			t.Errorf("cancelled: %+v", w)
		}
		if w := must(f.RetryWork(f.ctx, f.world, a.ID))(t); w.State != store.WorkQueued {
			t.Errorf("retried: %+v", w)
		}
		// Of another world, and for another user, it is not there.
		other := must(f.CreateWorld(f.ctx, NewWorld{Name: "Other"}))(t)
		stranger := As(f.ctx, Caller{User: "ida"})
		for _, err := range []error{
			second(f.Work(f.ctx, other.ID, a.ID)), second(f.CancelWork(f.ctx, other.ID, a.ID)), second(f.RetryWork(f.ctx, other.ID, a.ID)),
			second(f.Work(stranger, f.world, a.ID)), second(f.CancelWork(stranger, f.world, a.ID)), second(f.RetryWork(stranger, f.world, a.ID)),
			second(f.Work(f.ctx, f.world, "none")),
		} {
			f.fails(err, store.NotFound)
		}
		_, _, err = f.WorkList(stranger, f.world, store.WorkFilter{}, store.Page{})
		f.fails(err, store.NotFound)
	})
}

func second[T any](_ T, err error) error { return err }
