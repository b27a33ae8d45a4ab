package server

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/weft-memory/weft/client/api"
	"github.com/weft-memory/weft/internal/pgtest"
	"github.com/weft-memory/weft/store"
	"github.com/weft-memory/weft/world"
)

var update = flag.Bool("update", false, "write the golden files")

func TestMain(m *testing.M) {
	code := m.Run()
	pgtest.Stop()
	if code == 0 {
		if err := goleak.Find(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code)
}

// harness is a server on a socket of its own.
type harness struct {
	*Server
	t     testing.TB
	url   string
	db    *store.DB
	token string
}

// empty is a database without a world: to copy it is quicker than to make it.
var empty = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "weft")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "weft.db")
	db, err := store.Open(context.Background(), path, store.Options{})
	if err != nil {
		return nil, err
	}
	if err := db.Close(); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
})

// both runs a test on SQLite and on PostgreSQL.
func both(t *testing.T, fn func(t *testing.T, on database)) {
	t.Helper()
	t.Run("SQLite", func(t *testing.T) {
		t.Parallel()
		fn(t, sqlite)
	})
	t.Run("PostgreSQL", func(t *testing.T) {
		t.Parallel()
		fn(t, postgres)
	})
}

// database makes an empty database and returns its URL.
type database func(t testing.TB) string

func sqlite(t testing.TB) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "weft.db")
	data, err := empty()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func postgres(t testing.TB) string {
	t.Helper()
	return pgtest.DatabaseFrom(t, "server", func(url string) error {
		db, err := store.Open(context.Background(), url, store.Options{})
		if err != nil {
			return err
		}
		return db.Close()
	})
}

func setup(t testing.TB, opts Options) *harness {
	t.Helper()
	return setupOn(t, sqlite, opts)
}

func setupOn(t testing.TB, on database, opts Options) *harness {
	t.Helper()
	if opts.Log == nil {
		opts.Log = slog.New(slog.NewTextHandler(t.Output(), nil))
	}
	db, err := store.Open(t.Context(), on(t), store.Options{Log: opts.Log, Readers: 4})
	if err != nil {
		t.Fatal(err)
	}
	worlds, err := world.Open(db, world.Options{Log: opts.Log})
	if err != nil {
		t.Fatal(err)
	}
	s := New(worlds, opts)
	web := httptest.NewUnstartedServer(s)
	web.Config.RegisterOnShutdown(s.EndStreams)
	web.Start()
	t.Cleanup(func() {
		s.EndStreams()
		web.Close()
		if err := worlds.Close(); err != nil {
			t.Error(err)
		}
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return &harness{Server: s, t: t, url: web.URL, db: db}
}

// answer is what came back.
type answer struct {
	status int
	header http.Header
	body   string
}

// do sends a request. Headers are "Name: value" lines.
func (h *harness) do(method, path, body string, headers ...string) answer {
	h.t.Helper()
	r, err := http.NewRequestWithContext(h.t.Context(), method, h.url+path, strings.NewReader(body))
	if err != nil {
		h.t.Fatal(err)
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	if h.token != "" {
		r.Header.Set("Authorization", "Bearer "+h.token)
	}
	for _, line := range headers {
		name, value, _ := strings.Cut(line, ": ")
		if name == "Host" {
			r.Host = value
			continue
		}
		r.Header.Set(name, value)
	}
	resp, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		h.t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		h.t.Fatal(err)
	}
	return answer{resp.StatusCode, resp.Header, string(text)}
}

// must sends a request that has to succeed and reads its answer.
func must[T any](h *harness, method, path, body string, headers ...string) T {
	h.t.Helper()
	a := h.do(method, path, body, headers...)
	if a.status >= 300 {
		h.t.Fatalf("%s %s: status %d: %s", method, path, a.status, a.body)
	}
	var out T
	if a.body == "" {
		return out
	}
	if err := json.Unmarshal([]byte(a.body), &out); err != nil {
		h.t.Fatalf("%s %s: %v in %s", method, path, err, a.body)
	}
	return out
}

// kinds returns the kinds of the events of a world behind an id.
func (h *harness) kinds(world string, after int64) []string {
	h.t.Helper()
	out := []string{}
	err := h.db.View(h.t.Context(), func(tx *store.Tx) error {
		list, err := tx.Events(world, after, 1000)
		for _, e := range list {
			out = append(out, e.Kind)
		}
		return err
	})
	if err != nil {
		h.t.Fatal(err)
	}
	return out
}

// book is a small book for tests.
const book = `{"id":"vale","name":"The Vale","entries":[
{"id":"ford","name":"The Ford","keys":["ford"],"content":"The ford lies below the mill."},
{"id":"mill","name":"The Mill","keys":["mill"],"content":"The mill belongs to Ansa."}]}`

// scene makes a world with a book and a conversation.
func (h *harness) scene() {
	h.t.Helper()
	must[api.World](h, "POST", "/api/v1/worlds", `{"id":"north","name":"Northmark"}`)
	must[api.Book](h, "PUT", "/api/v1/worlds/north/books/vale", book)
	must[api.Conversation](h, "POST", "/api/v1/worlds/north/conversations", `{"id":"c1","title":"The ford","external":"chan/1"}`)
	must[any](h, "POST", "/api/v1/worlds/north/conversations/c1/nodes",
		`{"messages":[{"id":"n1","content":"Where is the ford?","external":"m 1"},{"id":"n2","role":"assistant","content":"Below the mill."}]}`)
}

// scenario is one request and what has to come of it.
type scenario struct {
	name, method, path, body string
	headers                  []string
	status                   int
	has, hasNot              []string
	header                   map[string]string
	// events are the kinds of events that the world north has to get.
	events []string
}

func (h *harness) run(t *testing.T, c scenario) {
	t.Helper()
	var before int64
	_ = h.db.View(t.Context(), func(tx *store.Tx) (err error) {
		before, err = tx.LastEvent("north")
		return err
	})
	a := h.do(c.method, c.path, c.body, c.headers...)
	if a.status != c.status {
		t.Errorf("%s %s: status %d, want %d\n%s", c.method, c.path, a.status, c.status, a.body)
	}
	for _, s := range c.has {
		if !strings.Contains(a.body, s) {
			t.Errorf("%s %s: the answer lacks %q\n%s", c.method, c.path, s, a.body)
		}
	}
	for _, s := range append(c.hasNot, "SELECT", "panic", "$schema") {
		if strings.Contains(a.body, s) {
			t.Errorf("%s %s: the answer holds %q\n%s", c.method, c.path, s, a.body)
		}
	}
	for name, want := range c.header {
		if got := a.header.Get(name); got != want {
			t.Errorf("%s %s: %s: %q, want %q", c.method, c.path, name, got, want)
		}
	}
	if a.status >= 400 {
		var p api.Problem
		if err := json.Unmarshal([]byte(a.body), &p); err != nil || p.Status != a.status || p.Kind == "" || p.Detail == "" || p.Title == "" {
			t.Errorf("%s %s: not a problem: %v %s", c.method, c.path, err, a.body)
		}
		if got := a.header.Get("Content-Type"); got != "application/problem+json" {
			t.Errorf("%s %s: a problem of type %q", c.method, c.path, got)
		}
	}
	want := c.events
	if want == nil {
		want = []string{}
	}
	if d := cmp.Diff(want, h.kinds("north", before)); d != "" {
		t.Errorf("%s %s: events (-want +got)\n%s", c.method, c.path, d)
	}
}

func TestOpenAPI(t *testing.T) {
	t.Parallel()
	h := setup(t, Options{Version: "test"})
	a := h.do("GET", "/openapi.json", "")
	if a.status != 200 {
		t.Fatalf("status %d", a.status)
	}
	var doc map[string]any
	if err := json.Unmarshal([]byte(a.body), &doc); err != nil {
		t.Fatal(err)
	}
	if doc["openapi"] != "3.1.0" {
		t.Errorf("openapi is %v", doc["openapi"])
	}
	got, err := h.OpenAPI()
	if err != nil {
		t.Fatal(err)
	}
	got = append(got, '\n')
	const path = "testdata/openapi.json"
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("the document differs from %s; look at it and run the test with -update\n%s", path, cmp.Diff(string(want), string(got)))
	}
	// Every operation has a name of its own, and no body carries $schema.
	ids := map[string]bool{}
	for path, item := range doc["paths"].(map[string]any) {
		for method, op := range item.(map[string]any) {
			id, _ := op.(map[string]any)["operationId"].(string)
			if id == "" || ids[id] {
				t.Errorf("%s %s: the id %q is empty or taken", method, path, id)
			}
			ids[id] = true
		}
	}
	if strings.Contains(a.body, "$schema") {
		t.Error("the document speaks of $schema")
	}
	if a := h.do("GET", "/docs", ""); a.status != 404 {
		t.Errorf("/docs: status %d", a.status)
	}
}

// readEvents reads n events of a stream.
func readEvents(t *testing.T, r io.Reader, n int) (ids, kinds []string) {
	t.Helper()
	in := bufio.NewScanner(r)
	for n > 0 && in.Scan() {
		line := in.Text()
		if id, ok := strings.CutPrefix(line, "id: "); ok {
			ids = append(ids, id)
		}
		if kind, ok := strings.CutPrefix(line, "event: "); ok {
			kinds = append(kinds, kind)
		}
		if strings.HasPrefix(line, "data: ") {
			if !json.Valid([]byte(line[len("data: "):])) {
				t.Errorf("not JSON: %s", line)
			}
			n--
		}
	}
	if n > 0 {
		t.Errorf("the stream ended %d events early: %v", n, in.Err())
	}
	return ids, kinds
}

// open begins a stream of events.
func (h *harness) open(ctx context.Context, path string, headers ...string) *http.Response {
	h.t.Helper()
	r, err := http.NewRequestWithContext(ctx, "GET", h.url+path, nil)
	if err != nil {
		h.t.Fatal(err)
	}
	for _, line := range headers {
		name, value, _ := strings.Cut(line, ": ")
		r.Header.Set(name, value)
	}
	resp, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		h.t.Fatal(err)
	}
	if resp.StatusCode != 200 || resp.Header.Get("Content-Type") != "text/event-stream" {
		h.t.Fatalf("GET %s: status %d, type %q", path, resp.StatusCode, resp.Header.Get("Content-Type"))
	}
	return resp
}
