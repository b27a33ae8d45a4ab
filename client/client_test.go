package client_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/weft-memory/weft/client"
	"github.com/weft-memory/weft/client/api"
	"github.com/weft-memory/weft/server"
	"github.com/weft-memory/weft/store"
	"github.com/weft-memory/weft/world"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const book = `{"id":"vale","name":"The Vale","entries":[
{"id":"ford","name":"The Ford","keys":["ford"],"content":"The ford lies below the mill."},
{"id":"mill","name":"The Mill","keys":["mill"],"content":"The mill belongs to Ansa."}]}`

// start runs a server in front of which a test may stand.
func start(dir string, front func(http.Handler) http.Handler) (address string, stop func(), err error) {
	quiet := slog.New(slog.DiscardHandler)
	db, err := store.Open(context.Background(), filepath.Join(dir, "weft.db"), store.Options{Log: quiet})
	if err != nil {
		return "", nil, err
	}
	worlds, err := world.Open(db, world.Options{Log: quiet})
	if err != nil {
		return "", nil, errors.Join(err, db.Close())
	}
	s := server.New(worlds, server.Options{Log: quiet})
	web := httptest.NewServer(front(s))
	return web.URL, func() {
		s.EndStreams()
		web.Close()
		_ = worlds.Close()
		_ = db.Close()
	}, nil
}

func setup(t *testing.T, front func(http.Handler) http.Handler) *client.World {
	t.Helper()
	w, _ := setup2(t, "", front)
	return w
}

// setup2 is setup with a second world, which is not made.
func setup2(t *testing.T, other string, front func(http.Handler) http.Handler) (*client.World, *client.World) {
	t.Helper()
	if front == nil {
		front = func(h http.Handler) http.Handler { return h }
	}
	address, stop, err := start(t.TempDir(), front)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stop)
	c := client.New(address+"/", client.Options{Wait: time.Millisecond, HTTP: &http.Client{Transport: &http.Transport{}}})
	t.Cleanup(c.Close)
	if _, err := c.CreateWorld(t.Context(), api.NewWorld{ID: "north/mark", Name: "Northmark"}); err != nil {
		t.Fatal(err)
	}
	w := c.World("north/mark")
	if _, err := w.SaveBook(t.Context(), "vale", json.RawMessage(book)); err != nil {
		t.Fatal(err)
	}
	return w, c.World(other)
}

// ok stops the test on an error.
func ok[T any](v T, err error) func(t *testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func TestConversation(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	w := setup(t, nil)
	c := ok(w.CreateConversation(ctx, api.NewConversation{Title: "T", External: "chan 1/2"}))(t)
	chat := client.External("chan 1/2")
	if same := ok(w.Conversation(ctx, chat))(t); same.ID != c.ID {
		t.Errorf("by its external id it is %s, not %s", same.ID, c.ID)
	}
	first := ok(w.Append(ctx, chat, api.Append{Messages: []api.Message{{Content: "Hello."}, {Role: "assistant", Content: "Well met."}}}))(t)
	turn := ok(w.BeginTurn(ctx, c.ID, api.NewTurn{Messages: []api.Message{{Content: "To the mill."}}}))(t)
	if len(turn.Blocks) != 1 || turn.Blocks[0].Entry != "mill" {
		t.Errorf("the blocks are %+v", turn.Blocks)
	}
	reply := ok(w.FinishTurn(ctx, turn.ID, api.Reply{Content: "It turns."}))(t)
	if got := ok(w.Assembly(ctx, reply.ID))(t); cmp.Diff(got.Prompt, turn.Prompt) != "" {
		t.Errorf("the prompt was another one\n%s", cmp.Diff(got.Prompt, turn.Prompt))
	}
	swipe := ok(w.Swipe(ctx, reply.ID, api.Message{Content: "It stands still."}))(t)
	ok(w.SwitchSwipe(ctx, reply.ID))(t)
	ok(w.Edit(ctx, first[0].ID, api.Edit{Content: "Good day."}))(t)
	path := ok(w.Path(ctx, c.ID, "", 0))(t)
	var said []string
	for _, n := range path {
		said = append(said, n.Content)
	}
	if d := cmp.Diff([]string{"Good day.", "Well met.", "To the mill.", "It turns."}, said); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
	if d := cmp.Diff([]string{reply.ID, swipe.ID}, path[3].Swipes); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
	ok(w.Branch(ctx, first[1].ID))(t)
	if n := ok(w.Delete(ctx, turn.Added[0].ID, true))(t); n != 3 {
		t.Errorf("%d messages were deleted, want 3", n)
	}
	if tree := ok(w.Tree(ctx, c.ID))(t); len(tree.Path) != 2 {
		t.Errorf("the path is %v", tree.Path)
	}
	if hits := ok(w.Search(ctx, client.Place{Conversation: c.ID}, "mill", true))(t); len(hits) == 0 {
		t.Error("nothing is found")
	}
	if data := ok(w.Export(ctx, "book", "vale", "sillytavern"))(t); !strings.Contains(string(data), "below the mill") {
		t.Errorf("the export is %s", data)
	}
	if err := w.DeleteConversation(ctx, c.ID, true); err != nil {
		t.Error(err)
	}
	all := ok(client.All(func(p client.Page) (api.Page[api.Conversation], error) { return w.Conversations(ctx, p) }))(t)
	if len(all) != 0 {
		t.Errorf("there are %+v", all)
	}
}

func TestProblems(t *testing.T) {
	t.Parallel()
	w := setup(t, nil)
	var p *api.Problem
	if _, err := w.Node(t.Context(), "n9"); !errors.As(err, &p) || p.Kind != api.NotFound || p.Status != 404 {
		t.Errorf("the error is %v", err)
	}
	if _, err := w.SaveBook(t.Context(), "vale", json.RawMessage(book), client.IfMatch(9)); !errors.As(err, &p) || p.Kind != api.Conflict || p.Status != 412 {
		t.Errorf("the error is %v", err)
	}
	if _, err := w.Append(t.Context(), "c", api.Append{}); !errors.As(err, &p) || len(p.Errors) == 0 || !strings.Contains(p.Error(), "body.messages") {
		t.Errorf("the error is %v", err)
	}
}

// A request whose answer is lost is sent again, and happens once.
func TestLostAnswers(t *testing.T) {
	t.Parallel()
	var lose atomic.Int32
	w := setup(t, func(h http.Handler) http.Handler {
		return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			if lose.Add(-1) < 0 {
				h.ServeHTTP(rw, r)
				return
			}
			h.ServeHTTP(httptest.NewRecorder(), r) // done, but nobody hears of it
			panic(http.ErrAbortHandler)
		})
	})
	c := ok(w.CreateConversation(t.Context(), api.NewConversation{}))(t)
	lose.Store(2)
	made := ok(w.Append(t.Context(), c.ID, api.Append{Messages: []api.Message{{Content: "Once."}}}))(t)
	path := ok(w.Path(t.Context(), c.ID, "", 0))(t)
	if len(path) != 1 || path[0].ID != made[0].ID {
		t.Errorf("the messages are %+v", path)
	}
	lose.Store(100) // the transport, too, sends a GET again
	if _, err := w.Get(t.Context()); err == nil {
		t.Error("three lost answers are no error")
	}
}

// Events go on over lost connections, each told once.
func TestEvents(t *testing.T) {
	t.Parallel()
	var streams atomic.Int32
	w, other := setup2(t, "south", func(h http.Handler) http.Handler {
		return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			if strings.HasSuffix(r.URL.Path, "/events") && streams.Add(1) <= 2 {
				// The connection breaks in the middle of what is told.
				h.ServeHTTP(&breaking{ResponseWriter: rw, left: 300}, r)
				panic(http.ErrAbortHandler)
			}
			h.ServeHTTP(rw, r)
		})
	})
	c := ok(w.CreateConversation(t.Context(), api.NewConversation{}))(t)
	for range 5 {
		ok(w.Append(t.Context(), c.ID, api.Append{Messages: []api.Message{{Content: "x"}}}))(t)
	}
	last := ok(w.Get(t.Context()))(t).Event
	want := int64(1)
	for e, err := range w.Events(t.Context(), 0) {
		if err != nil {
			t.Fatal(err)
		}
		if e.ID != want {
			t.Fatalf("after event %d comes %d", want-1, e.ID)
		}
		if want++; e.ID == last {
			break
		}
	}
	if streams.Load() < 3 {
		t.Errorf("there were %d connections", streams.Load())
	}
	// What the server refuses is told, and ends the stream.
	n := 0
	for _, err := range other.Events(t.Context(), 0) {
		var p *api.Problem
		if n++; !errors.As(err, &p) || p.Kind != api.NotFound {
			t.Errorf("of a world that is none, the stream tells %v", err)
		}
	}
	if n != 1 {
		t.Errorf("it tells that %d times", n)
	}
}

// breaking is a connection that breaks after some bytes.
type breaking struct {
	http.ResponseWriter
	left int
}

func (b *breaking) Write(p []byte) (int, error) {
	if b.left -= len(p); b.left < 0 {
		return 0, net.ErrClosed
	}
	return b.ResponseWriter.Write(p)
}

func (b *breaking) Unwrap() http.ResponseWriter { return b.ResponseWriter }

// A bot tells a channel's messages to the server, asks for the prompt, and gives
// back what its model writes.
func Example() {
	dir, err := os.MkdirTemp("", "weft")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	address, stop, err := start(dir, func(h http.Handler) http.Handler { return h })
	if err != nil {
		log.Fatal(err)
	}
	defer stop()

	ctx := context.Background()
	weft := client.New(address, client.Options{HTTP: &http.Client{Transport: &http.Transport{}}})
	defer weft.Close()
	if _, err := weft.CreateWorld(ctx, api.NewWorld{ID: "vale", Name: "The Vale"}); err != nil {
		log.Fatal(err)
	}
	w := weft.World("vale")
	if _, err := w.SaveBook(ctx, "vale", json.RawMessage(book)); err != nil {
		log.Fatal(err)
	}
	c, err := w.CreateConversation(ctx, api.NewConversation{External: "channel/7", IfNew: true})
	if err != nil {
		log.Fatal(err)
	}
	turn, err := w.BeginTurn(ctx, c.ID, api.NewTurn{Messages: []api.Message{{Name: "Bo", Content: "I ride to the mill."}}})
	if err != nil {
		log.Fatal(err)
	}
	for _, m := range turn.Prompt {
		fmt.Printf("%s: %s\n", m.Role, m.Content)
	}
	// Here a model would write.
	reply, err := w.FinishTurn(ctx, turn.ID, api.Reply{Content: "The wheel stands still."})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s: %s\n", reply.Role, reply.Content)
	// Output:
	// system: The mill belongs to Ansa.
	// user: I ride to the mill.
	// assistant: The wheel stands still.
}
