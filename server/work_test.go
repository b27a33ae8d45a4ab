package server

import (
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"

	"github.com/weft-memory/weft/client/api"
	"github.com/weft-memory/weft/jobs"
	"github.com/weft-memory/weft/store"
)

func (h *harness) addWork(w store.Work) {
	h.t.Helper()
	w.World, w.Kind = "north", "write"
	err := h.db.UpdateWorld(h.t.Context(), "north", func(tx *store.Tx) error {
		_, _, err := tx.AddWork(w, 0, false)
		return err
	})
	if err != nil {
		h.t.Fatal(err)
	}
}

// someWork adds work that waits, and returns its id.
func (h *harness) someWork() string {
	h.t.Helper()
	h.addWork(store.Work{ID: "j1", Payload: json.RawMessage(`{"note":"none of your business"}`)})
	return "j1"
}

func TestWork(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, on database) {
		h := setupOn(t, on, Options{})
		h.scene()
		h.addWork(store.Work{ID: "a", Conversation: "c1", Node: "n2", Attempts: 3, Payload: json.RawMessage(`{"window":20}`)})
		h.addWork(store.Work{ID: "b"})
		for _, c := range []scenario{
			{name: "list", method: "GET", path: north + "/work", status: 200, has: []string{`"id":"b"`, `"id":"a"`, `"state":"queued"`}},
			{name: "filter", method: "GET", path: north + "/work?conversation=external:chan%2F1&state=queued&kind=write&node=n2", status: 200, has: []string{`"id":"a"`}, hasNot: []string{`"id":"b"`}},
			{name: "page", method: "GET", path: north + "/work?limit=1", status: 200, has: []string{`"next":`}, hasNot: []string{`"id":"a"`}},
			{name: "unknown state", method: "GET", path: north + "/work?state=asleep", status: 422, has: []string{"query.state"}},
			{name: "of no conversation", method: "GET", path: north + "/work?conversation=none", status: 404},
			{name: "one", method: "GET", path: north + "/work/a", status: 200, has: []string{`"payload":{"window":20}`, `"attempts":3`}, hasNot: []string{"result"}},
			{name: "none", method: "GET", path: north + "/work/none", status: 404},
			{name: "of another world", method: "GET", path: "/api/v1/worlds/other/work/a", status: 404},
			{name: "cancel", method: "POST", path: north + "/work/a/cancel", status: 200, has: []string{`"state":"cancelled"`}, events: []string{"work.finished"}},
			{name: "cancel again", method: "POST", path: north + "/work/a/cancel", status: 200},
			{name: "cancel none", method: "POST", path: north + "/work/none/cancel", status: 404},
			{name: "retry", method: "POST", path: north + "/work/a/retry", status: 200, has: []string{`"state":"queued"`}, events: []string{"work.queued"}},
			{name: "move away", method: "PUT", path: north + "/conversations/c1/head", body: `{"node":"n1"}`, status: 200, events: []string{"head.moved", "work.finished"}},
			{name: "retry for what is not shown", method: "POST", path: north + "/work/a/retry", status: 409, has: []string{`"conflict"`, "show that first"}},
			{name: "metrics", method: "GET", path: "/metrics", status: 200, has: []string{"weft_work_queued 1", "weft_work_running 0", "weft_work_failed 0", "weft_work_oldest_seconds"}},
			{name: "ready", method: "GET", path: "/readyz", status: 200, has: []string{`"work":{"status":"stopped","queued":1`}},
		} {
			h.run(t, c)
		}
	})
}

// A server that does work says so, and tells how far it is.
func TestWorkIsDone(t *testing.T) {
	t.Parallel()
	log := slog.New(slog.NewTextHandler(t.Output(), nil))
	h := setup(t, Options{})
	q, err := jobs.Open(h.db, jobs.Options{Log: log})
	if err != nil {
		t.Fatal(err)
	}
	h.opts.Work = q
	t.Cleanup(func() {
		if err := q.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	h.scene()
	hold := make(chan struct{})
	err = q.Register(jobs.Kind{Name: "write", Handle: func(ctx context.Context, j *jobs.Job) error {
		<-hold
		return j.SetResult("well")
	}})
	if err != nil {
		t.Fatal(err)
	}
	q.Start()
	h.addWork(store.Work{ID: "a"})
	sub := h.db.Subscribe("north")
	defer sub.Close()
	wait := func(state string) api.Work {
		for {
			if w := must[api.Work](h, "GET", north+"/work/a", ""); w.State == state {
				return w
			}
			<-sub.C()
		}
	}
	wait("running")
	if a := h.do("GET", "/readyz", ""); !strings.Contains(a.body, `"work":{"status":"ok","running":1`) {
		t.Errorf("ready: %s", a.body)
	}
	close(hold)
	if w := wait("done"); string(w.Result) != `"well"` || w.Finished == 0 {
		t.Errorf("done: %+v", w)
	}
}
