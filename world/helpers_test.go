package world

import (
	"context"
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/weft-memory/weft/engine"
	"github.com/weft-memory/weft/internal/pgtest"
	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/memory"
	"github.com/weft-memory/weft/store"
)

// fixture is a service over a database of its own, with one world.
type fixture struct {
	*Service
	t     testing.TB
	ctx   context.Context
	url   string
	opts  Options
	world string
}

// both runs a test on SQLite and on PostgreSQL.
func both(t *testing.T, fn func(t *testing.T, f *fixture)) {
	t.Helper()
	t.Run("SQLite", func(t *testing.T) {
		t.Parallel()
		fn(t, newFixture(t, filepath.Join(t.TempDir(), "weft.db"), Options{}))
	})
	t.Run("PostgreSQL", func(t *testing.T) {
		t.Parallel()
		fn(t, newFixture(t, postgres(t), Options{}))
	})
}

func postgres(t testing.TB) string {
	return pgtest.DatabaseFrom(t, "world", func(url string) error {
		db, err := store.Open(context.Background(), url, store.Options{})
		if err != nil {
			return err
		}
		return db.Close()
	})
}

func newFixture(t testing.TB, url string, opts Options) *fixture {
	t.Helper()
	f := &fixture{t: t, ctx: t.Context(), url: url, opts: opts}
	f.open()
	t.Cleanup(func() { f.close() })
	w, err := f.CreateWorld(f.ctx, NewWorld{Name: "Northmark"})
	f.ok(err)
	f.world = w.ID
	return f
}

func (f *fixture) open() {
	f.t.Helper()
	db, err := store.Open(f.ctx, f.url, store.Options{})
	f.ok(err)
	s, err := Open(db, f.opts)
	f.ok(err)
	f.Service = s
}

func (f *fixture) close() {
	f.t.Helper()
	f.ok(f.Service.Close())
	f.ok(f.db.Close())
}

// reopen ends the service and begins another one over the same database.
func (f *fixture) reopen() {
	f.t.Helper()
	f.close()
	f.open()
}

func (f *fixture) ok(err error) {
	f.t.Helper()
	if err != nil {
		f.t.Fatal(err)
	}
}

func (f *fixture) fails(err error, kind store.Kind) {
	f.t.Helper()
	if KindOf(err) != kind || err == nil {
		f.t.Fatalf("error %v has the kind %q, want %q", err, KindOf(err), kind)
	}
}

// must returns a result or ends the test.
func must[T any](v T, err error) func(t testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// vale is a small book.
func vale() *lore.Book {
	b := &lore.Book{ID: "vale", Name: "The vale", Policy: lore.PolicyWeaver()}
	mill := lore.NewEntry("mill", "The mill burned down in spring. Nobody rebuilt it.")
	mill.Keys = lore.LiteralKeys("mill")
	ford := lore.NewEntry("ford", "The ford is shallow in summer.")
	ford.Keys = lore.LiteralKeys("ford")
	ford.Sticky, ford.Cooldown = 2, 3
	luck := lore.NewEntry("luck", "A raven follows.")
	luck.Constant = true
	half := 50.0
	luck.Probability = &half
	b.Entries = []*lore.Entry{mill, ford, luck}
	return b
}

func (f *fixture) book() {
	f.t.Helper()
	_, err := f.SaveBook(f.ctx, f.world, vale(), SaveBook{})
	f.ok(err)
}

func (f *fixture) chat() string {
	f.t.Helper()
	c, err := f.CreateConversation(f.ctx, f.world, NewConversation{Title: "The ford", Seed: 7})
	f.ok(err)
	return c.ID
}

// say adds messages of the user and returns the last one.
func (f *fixture) say(conversation string, texts ...string) string {
	f.t.Helper()
	var last string
	for _, text := range texts {
		nodes, err := f.Append(f.ctx, f.world, conversation, Append{Messages: []Message{{Content: text}}})
		f.ok(err)
		last = nodes[0].ID
	}
	return last
}

// turn runs a turn and returns it and its reply.
func (f *fixture) turn(conversation string, r TurnRequest, reply string) (*Turn, store.Node) {
	f.t.Helper()
	t, err := f.BeginTurn(f.ctx, f.world, conversation, r)
	f.ok(err)
	n, err := f.FinishTurn(f.ctx, f.world, t.ID, Reply{Content: reply})
	f.ok(err)
	return t, n
}

func user(text string) TurnRequest {
	return TurnRequest{Messages: []Message{{Content: text}}}
}

// writes are operations as a sidecar makes them.
func remember(conversation, node, entry, content string) Operation {
	e := lore.NewEntry(entry, content)
	e.Name = entry
	e.Keys = lore.LiteralKeys(entry)
	return Operation{
		Layer: memory.LayerStory, Conversation: conversation, Node: node, Kind: memory.KindCreate, Author: memory.Author{Kind: memory.BySidecar},
		Change: memory.Change{Entry: e},
	}
}

func addTo(conversation, node, book, entry, text string) Operation {
	return Operation{
		Layer: memory.LayerStory, Conversation: conversation, Node: node, Book: book, Entry: entry, Kind: memory.KindPatch,
		Author: memory.Author{Kind: memory.BySidecar}, Change: memory.Append(text),
	}
}

func (f *fixture) apply(ops ...Operation) []Applied {
	f.t.Helper()
	out, err := f.Apply(f.ctx, f.world, ops...)
	f.ok(err)
	return out
}

// text returns the content of an entry at the head; "" if it is not live.
func (f *fixture) text(conversation, book, entry string) string {
	f.t.Helper()
	l, err := f.Lore(f.ctx, f.world, Place{Conversation: conversation})
	f.ok(err)
	if e := l.View.Entry(book, entry); e != nil {
		return e.Content
	}
	return ""
}

// contents returns the texts of the path to the head.
func (f *fixture) contents(conversation string) []string {
	f.t.Helper()
	path, err := f.Path(f.ctx, f.world, conversation, PathOptions{})
	f.ok(err)
	out := make([]string, len(path))
	for i, n := range path {
		out[i] = n.Content
	}
	return out
}

// bytes are an assembly's prompt and trace, for comparing.
func bytesOf(t testing.TB, a *Assembly) string {
	t.Helper()
	raw, err := json.Marshal(struct {
		Prompt []lore.Message
		Blocks []engine.Block
		Trace  *engine.Trace
		State  engine.State
	}{a.Prompt, a.Blocks, a.Trace, a.State})
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

func blocks(a *Assembly) []string {
	var out []string
	for _, b := range a.Blocks {
		out = append(out, b.Entry)
	}
	return out
}
