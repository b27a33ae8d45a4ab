package server

import (
	"context"
	"encoding/json"
	"net/http"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/weft-memory/weft/client/api"
	"github.com/weft-memory/weft/server/internal/params"
	"github.com/weft-memory/weft/store"
	"github.com/weft-memory/weft/world"
)

func workBody(w store.Work) api.Work {
	null := func(raw json.RawMessage) json.RawMessage {
		if string(raw) == "null" {
			return nil
		}
		return raw
	}
	return api.Work{
		ID: w.ID, Kind: w.Kind, State: string(w.State), Conversation: w.Conversation, Node: w.Node, Seq: w.Seq, Priority: w.Priority,
		Attempt: w.Attempt, Attempts: w.Attempts, Lost: w.Lost, Due: w.Due, Done: w.Done, Total: w.Total, Message: w.Message, Error: w.Error,
		Payload: null(w.Payload), Result: null(w.Result), Created: w.Created, Started: w.Started, Finished: w.Finished,
	}
}

func renderWork(w store.Work) (rendered[api.Work], error) {
	return rendered[api.Work]{body: workBody(w)}, nil
}

func (s *Server) registerWork() {
	const tag, one = "work", worldPath + "/work/{work}"
	add(s, route{method: "GET", path: worldPath + "/work", id: "list-work", summary: "List what is done in the background, the newest first", tag: tag}, s.listWork)
	add(s, route{method: "GET", path: one, id: "get-work", summary: "Read a piece of work", tag: tag}, s.getWork)
	add(s, route{method: "POST", path: one + "/cancel", id: "cancel-work", summary: "Cancel work that is not over: nothing that it does counts any more", tag: tag}, s.cancelWork)
	add(s, route{method: "POST", path: one + "/retry", id: "retry-work", summary: "Queue work again that failed or was cancelled, or end its wait", tag: tag}, s.retryWork)
}

func (s *Server) listWork(ctx context.Context, in *struct {
	params.InWorld
	params.Paging
	State        string `query:"state" enum:"queued,running,cancelling,done,failed,cancelled"`
	Kind         string `query:"kind" maxLength:"100"`
	Conversation string `query:"conversation" maxLength:"1000"`
	Node         string `query:"node" maxLength:"1000"`
},
) (*reply[api.Page[api.Work]], error) {
	f := store.WorkFilter{State: store.WorkState(in.State), Kind: in.Kind, Conversation: in.Conversation, Node: in.Node}
	list, next, err := s.worlds.WorkList(ctx, in.World, f, in.Page())
	return pageOf(list, next, err, sure(workBody))
}

func (s *Server) getWork(ctx context.Context, in *params.InWork) (*reply[api.Work], error) {
	w, err := s.worlds.Work(ctx, in.World, in.Work)
	if err != nil {
		return nil, err
	}
	return get(ctx, workBody(w), ""), nil
}

func (s *Server) cancelWork(ctx context.Context, in *params.InWork) (*reply[api.Work], error) {
	return write(ctx, http.StatusOK, func(ctx context.Context) (store.Work, error) {
		return s.worlds.CancelWork(ctx, in.World, in.Work)
	}, renderWork)
}

func (s *Server) retryWork(ctx context.Context, in *params.InWork) (*reply[api.Work], error) {
	return write(ctx, http.StatusOK, func(ctx context.Context) (store.Work, error) {
		return s.worlds.RetryWork(ctx, in.World, in.Work)
	}, renderWork)
}

// lateWork is how long work may wait before /readyz calls it late.
const lateWork = time.Minute

// workHealth says how the work does. It is no reason not to serve.
func (s *Server) workHealth(ctx context.Context) *api.WorkHealth {
	stats, err := s.worlds.WorkStats(ctx)
	h := &api.WorkHealth{Status: "ok"}
	if !s.opts.Auth { // who need not sign in may know how it does, and no more
		h.Queued, h.Running, h.Failed, h.Oldest = stats.Queued, stats.Running, stats.Failed, stats.Oldest
	}
	switch {
	case err != nil:
		h.Status = "failing"
	case s.opts.Work == nil || !s.opts.Work.Status().Started:
		h.Status = "stopped"
	case s.opts.Work.Status().Err != nil:
		h.Status = "failing"
	case stats.Oldest > lateWork.Microseconds():
		h.Status = "late"
	}
	return h
}

// workMetrics counts work when it is asked: one look at the database for all.
type workMetrics struct {
	worlds                          *world.Service
	queued, running, failed, oldest *prometheus.Desc

	mu sync.Mutex // one look at a time
}

func newWorkMetrics(worlds *world.Service) *workMetrics {
	desc := func(name, help string) *prometheus.Desc { return prometheus.NewDesc(name, help, nil, nil) }
	return &workMetrics{
		worlds:  worlds,
		queued:  desc("weft_work_queued", "Work of all worlds that waits."),
		running: desc("weft_work_running", "Work that is being done, on all servers."),
		failed:  desc("weft_work_failed", "Work that failed for good and is still kept."),
		oldest:  desc("weft_work_oldest_seconds", "How long the oldest work waits that could begin."),
	}
}

// Describe implements prometheus.Collector.
func (m *workMetrics) Describe(out chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{m.queued, m.running, m.failed, m.oldest} {
		out <- d
	}
}

// Collect implements prometheus.Collector. Without the database it tells
// nothing.
func (m *workMetrics) Collect(out chan<- prometheus.Metric) {
	m.mu.Lock()
	defer m.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	s, err := m.worlds.WorkStats(ctx)
	if err != nil {
		return
	}
	gauge := func(d *prometheus.Desc, v float64) { out <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v) }
	gauge(m.queued, float64(s.Queued))
	gauge(m.running, float64(s.Running))
	gauge(m.failed, float64(s.Failed))
	gauge(m.oldest, float64(s.Oldest)/1e6)
}
