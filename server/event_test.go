package server

import (
	"context"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-memory/weft/store"
	"github.com/weft-memory/weft/world"
)

func beforeTurn(c chan<- string) func(context.Context, string) error {
	return func(_ context.Context, world string) error {
		c <- world
		return nil
	}
}

func TestEventsAreResumed(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, on database) {
		h := setupOn(t, on, Options{})
		h.scene()
		all := h.kinds("north", 0)

		// From the beginning, and on into what comes.
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		first := h.open(ctx, north+"/events?after=0")
		defer first.Body.Close()
		ids, kinds := readEvents(t, first.Body, len(all))
		if d := cmp.Diff(all, kinds); d != "" {
			t.Errorf("(-want +got)\n%s", d)
		}
		must[any](h, "PATCH", north, `{"name":"N"}`)
		_, kinds = readEvents(t, first.Body, 1)
		if d := cmp.Diff([]string{"world.updated"}, kinds); d != "" {
			t.Errorf("(-want +got)\n%s", d)
		}
		first.Body.Close()

		// A reader that was away misses nothing.
		last := ids[len(ids)-1]
		must[any](h, "PATCH", north, `{"name":"O"}`)
		second := h.open(ctx, north+"/events", "Last-Event-ID: "+last)
		defer second.Body.Close()
		_, kinds = readEvents(t, second.Body, 2)
		if d := cmp.Diff([]string{"world.updated", "world.updated"}, kinds); d != "" {
			t.Errorf("(-want +got)\n%s", d)
		}

		// Without an id the stream begins now.
		third := h.open(ctx, north+"/events")
		defer third.Body.Close()
		must[any](h, "DELETE", north+"/books/vale", "")
		_, kinds = readEvents(t, third.Body, 1)
		if d := cmp.Diff([]string{"book.deleted"}, kinds); d != "" {
			t.Errorf("(-want +got)\n%s", d)
		}

		// The end of the server ends the streams.
		h.EndStreams()
		if _, err := io.ReadAll(third.Body); err != nil {
			t.Errorf("the stream did not end well: %v", err)
		}
		if a := h.do("GET", "/readyz", ""); a.status != 503 {
			t.Errorf("at its end, the server says that it is ready: %d", a.status)
		}
	})
}

func TestEventsThatAreGone(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, on database) {
		h := setupOn(t, on, Options{})
		h.scene()
		if err := h.worlds.SetRetention(t.Context(), store.Retention{Events: 1, Responses: time.Hour, Deleted: time.Hour}); err != nil {
			t.Fatal(err)
		}
		if _, err := h.worlds.Prune(t.Context()); err != nil {
			t.Fatal(err)
		}
		resp := h.open(t.Context(), north+"/events?after=1")
		defer resp.Body.Close()
		must[any](h, "PATCH", north, `{"name":"N"}`)
		ids, kinds := readEvents(t, resp.Body, 2)
		if kinds[0] != "gap" || kinds[1] == "gap" || len(ids) != 1 {
			t.Errorf("the events are %v with the ids %v", kinds, ids)
		}
	})
}

func TestPings(t *testing.T) {
	t.Parallel()
	h := setup(t, Options{Ping: time.Millisecond})
	h.scene()
	resp := h.open(t.Context(), north+"/events")
	defer resp.Body.Close()
	var got strings.Builder
	for buf := make([]byte, 64); !strings.Contains(got.String(), ": ping\n\n: ping\n\n"); {
		n, err := resp.Body.Read(buf)
		got.Write(buf[:n])
		if err != nil || got.Len() > 10_000 {
			t.Fatalf("%v after %q", err, got.String())
		}
	}
}

func TestServerEvents(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, on database) {
		h := setupOn(t, on, Options{})
		resp := h.open(t.Context(), "/api/v1/events?after=0")
		defer resp.Body.Close()
		h.scene()
		if _, kinds := readEvents(t, resp.Body, 1); len(kinds) != 1 || kinds[0] != world.EventWorldCreated {
			t.Errorf("the events are %v", kinds)
		}
		// The stream of a world ends with it.
		of := h.open(t.Context(), north+"/events")
		defer of.Body.Close()
		must[any](h, "DELETE", north, "")
		if _, err := io.ReadAll(of.Body); err != nil {
			t.Errorf("the stream did not end well: %v", err)
		}
	})
}
