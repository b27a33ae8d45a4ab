package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"strconv"
	"time"

	"github.com/weft-memory/weft/client/api"
	"github.com/weft-memory/weft/internal/sse"
)

// Now begins a stream of events with those to come.
const Now int64 = -1

// maxEvent bounds an event of a stream, in bytes.
const maxEvent = 1 << 20

// Events follows what changes in the world: the events behind an id, and then
// those that come, until the context ends, which is no error, or the server
// refuses. Where the connection breaks it is made again, and no event is missed
// or told twice; where the server keeps events no longer it tells one of the
// kind [api.EventGap] without an id.
//
// With [Now] events are followed from the moment the stream is open; what
// happens while the first connection breaks is not told.
func (w *World) Events(ctx context.Context, after int64) iter.Seq2[api.Event, error] {
	return func(yield func(api.Event, error) bool) {
		wait := w.c.opts.Wait
		for {
			more, err := w.follow(ctx, &after, func(e api.Event) bool {
				wait = w.c.opts.Wait
				return yield(e, nil)
			})
			switch {
			case !more || ctx.Err() != nil:
				return
			case err != nil && !again(err):
				yield(api.Event{}, err)
				return
			}
			timer := time.NewTimer(wait)
			select {
			case <-timer.C:
			case <-ctx.Done():
				timer.Stop()
				return
			}
			wait = min(2*wait, 10*time.Second)
		}
	}
}

// follow reads one connection. more is false if the reader wants no more.
func (w *World) follow(ctx context.Context, after *int64, yield func(api.Event) bool) (more bool, err error) {
	header := http.Header{"Accept": {"text/event-stream"}}
	if *after >= 0 {
		header.Set("Last-Event-ID", strconv.FormatInt(*after, 10))
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	resp, err := w.c.request(ctx, call{method: "GET", path: w.at("events")}, header)
	if err != nil {
		return true, err
	}
	defer resp.Body.Close()
	events := sse.NewReader(resp.Body, sse.Limits{Event: maxEvent})
	for {
		got, err := events.Next()
		switch {
		case errors.Is(err, io.EOF):
			return true, nil
		case err != nil:
			return true, err
		case got.Cut:
			continue // it is told again from its beginning
		}
		e := api.Event{}
		if err := json.Unmarshal(got.Data, &e); err != nil {
			return true, fmt.Errorf("an event of the stream cannot be read: %w", err)
		}
		if got.Name == api.EventGap {
			e = api.Event{Kind: got.Name, Payload: got.Data}
		} else {
			*after = e.ID
		}
		if !yield(e) {
			return false, nil
		}
	}
}
