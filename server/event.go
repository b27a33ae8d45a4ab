package server

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/weft-memory/weft/client/api"
	"github.com/weft-memory/weft/server/internal/params"
	"github.com/weft-memory/weft/store"
	"github.com/weft-memory/weft/world"
)

func eventBody(e store.Event) api.Event {
	return api.Event{ID: e.ID, Kind: e.Kind, Ref: e.Ref, Conversation: e.Conversation, Payload: e.Payload, Time: e.Time}
}

func (s *Server) registerEvents() {
	stream := func(path, id, summary string) huma.Operation {
		op := s.op(route{method: "GET", path: path, id: id, summary: summary, tag: "events"})
		op.Responses = map[string]*huma.Response{"200": {
			Description: "A stream of events: the field event is the kind, id the number, data the event as JSON. An event of the kind gap, with the data {\"first\": n} and no id, says that events before n were missed.",
			Content:     map[string]*huma.MediaType{"text/event-stream": {Schema: &huma.Schema{Type: huma.TypeString}}},
		}}
		return op
	}
	huma.Register(s.api, stream(worldPath+"/events", "stream-events", "Follow what changes in a world"),
		func(ctx context.Context, in *struct {
			params.InWorld
			params.Since
		},
		) (*huma.StreamResponse, error) {
			w, err := s.worlds.World(ctx, in.World)
			if err != nil {
				return nil, s.fail(ctx, err)
			}
			return s.stream(ctx, in.Since, w.Event, func(ctx context.Context, after int64) ([]store.Event, int64, error) {
				return s.worlds.Events(ctx, w.ID, after, store.MaxPage)
			}, func(ctx context.Context, after int64) ([]store.Event, error) {
				return s.worlds.WaitEvents(ctx, w.ID, after, store.MaxPage)
			})
		})
	huma.Register(s.api, stream(prefix+"/events", "stream-server-events", "Follow which worlds come and go; for admins"),
		func(ctx context.Context, in *params.Since) (*huma.StreamResponse, error) {
			if err := admin(ctx); err != nil {
				return nil, s.fail(ctx, err)
			}
			db := s.worlds.DB()
			var now int64
			err := db.View(ctx, func(tx *store.Tx) (err error) {
				now, err = tx.LastEvent(store.System)
				return err
			})
			if err != nil {
				return nil, s.fail(ctx, err)
			}
			return s.stream(ctx, *in, now, func(ctx context.Context, after int64) (list []store.Event, first int64, err error) {
				err = db.View(ctx, func(tx *store.Tx) error {
					if first, err = tx.FirstEvent(store.System); err == nil {
						list, err = tx.Events(store.System, after, store.MaxPage)
					}
					return err
				})
				return list, first, err
			}, func(ctx context.Context, after int64) ([]store.Event, error) {
				return db.WaitEvents(ctx, store.System, after, store.MaxPage)
			})
		})
	add(s, route{method: "GET", path: worldPath + "/events/list", id: "list-events", summary: "List events that are kept; next is the id to go on behind", tag: "events"},
		func(ctx context.Context, in *struct {
			params.InWorld
			After  int64 `query:"after" minimum:"0" doc:"The id behind which the list begins."`
			Cursor int64 `query:"cursor" minimum:"0" doc:"The same: what the page before returned as next."`
			Limit  int   `query:"limit" minimum:"1" maximum:"1000" default:"100"`
		},
		) (*reply[api.Page[api.Event]], error) {
			in.After = max(in.After, in.Cursor)
			list, _, err := s.worlds.Events(ctx, in.World, in.After, in.Limit)
			next := ""
			if len(list) == in.Limit {
				next = strconv.FormatInt(list[len(list)-1].ID, 10)
			}
			return pageOf(list, next, err, sure(eventBody))
		})
}

// stream answers with events: first those that are kept behind the reader's
// last one, then those that come.
func (s *Server) stream(ctx context.Context, from params.Since, now int64,
	kept func(ctx context.Context, after int64) ([]store.Event, int64, error),
	wait func(ctx context.Context, after int64) ([]store.Event, error),
) (*huma.StreamResponse, error) {
	after, err := from.After(now)
	if err != nil {
		return nil, s.fail(ctx, err)
	}
	list, first, err := kept(ctx, after)
	if err != nil {
		return nil, s.fail(ctx, err)
	}
	return &huma.StreamResponse{Body: func(hctx huma.Context) {
		r, w := humago.Unwrap(hctx)
		ctx, cancel := context.WithCancel(r.Context())
		defer cancel()
		go func() { // ends with the request
			select {
			case <-s.closing:
				cancel()
			case <-ctx.Done():
			}
		}()
		s.metrics.streams.Inc()
		defer s.metrics.streams.Dec()
		out := newEventWriter(w)
		if out.begin() != nil || after < first-1 && out.gap(first) != nil {
			return
		}
		for {
			for _, e := range list {
				if out.event(e) != nil {
					return
				}
				after = e.ID
			}
			if out.flush() != nil {
				return
			}
			if list, err = s.await(ctx, after, wait); err != nil {
				return // the reader comes back with its last id
			}
			if len(list) == 0 && out.ping() != nil {
				return
			}
		}
	}}, nil
}

// await waits for events, at most until the next ping is due.
func (s *Server) await(ctx context.Context, after int64, wait func(context.Context, int64) ([]store.Event, error)) ([]store.Event, error) {
	tick, cancel := context.WithTimeout(ctx, s.opts.Ping)
	defer cancel()
	list, err := wait(tick, after)
	if err == nil || ctx.Err() != nil {
		return list, err
	}
	if tick.Err() != nil {
		return nil, nil
	}
	if world.KindOf(err) != store.NotFound { // the world was erased: that is no fault
		s.opts.Log.Warn("a stream of events ended", "error", err)
	}
	return nil, err
}

// eventWriter writes server-sent events.
type eventWriter struct {
	w  http.ResponseWriter
	rc *http.ResponseController
}

func newEventWriter(w http.ResponseWriter) *eventWriter {
	return &eventWriter{w: w, rc: http.NewResponseController(w)}
}

func (e *eventWriter) begin() error {
	h := e.w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no") // or a proxy keeps events back
	_ = e.rc.SetWriteDeadline(time.Time{})
	e.w.WriteHeader(http.StatusOK)
	if _, err := fmt.Fprint(e.w, "retry: 1000\n\n"); err != nil {
		return err
	}
	return e.flush()
}

func (e *eventWriter) event(ev store.Event) error {
	data, err := json.Marshal(eventBody(ev)) // one line
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(e.w, "event: %s\nid: %d\ndata: %s\n\n", ev.Kind, ev.ID, data)
	return err
}

func (e *eventWriter) gap(first int64) error {
	_, err := fmt.Fprintf(e.w, "event: %s\ndata: {\"first\":%d}\n\n", api.EventGap, first)
	return err
}

func (e *eventWriter) ping() error {
	_, err := fmt.Fprint(e.w, ": ping\n\n")
	return err
}

func (e *eventWriter) flush() error { return e.rc.Flush() }
