package engine_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"go.uber.org/goleak"

	"github.com/weft-memory/weft/engine"
	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/match"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.Cleanup(func(int) { match.StopClock() }))
}

// readBook makes a book of .weaver sources, without their first and last fence:
// "id: mill\nkeywords: [mill]\n---\nThe mill." A source that begins with
// "config" is the lorebook.yaml.
func readBook(t testing.TB, id string, sources ...string) *lore.Book {
	t.Helper()
	files := fstest.MapFS{}
	for i, src := range sources {
		if config, ok := strings.CutPrefix(src, "config\n"); ok {
			files["lorebook.yaml"] = &fstest.MapFile{Data: []byte(config)}
			continue
		}
		files[fmt.Sprintf("entries/%03d.weaver", i)] = &fstest.MapFile{Data: []byte("---\n" + src)}
	}
	dir, list, err := lore.LoadFS(t.Context(), files, id)
	if err != nil {
		t.Fatal(err)
	}
	if err := list.Err(); err != nil {
		t.Fatal(err)
	}
	book := dir.Book()
	book.ID = id
	return book
}

func readIndex(t testing.TB, sources ...string) *engine.Index {
	t.Helper()
	return engine.NewIndex(mustBuild(t, readBook(t, "book", sources...)))
}

func says(texts ...string) []lore.Message {
	out := make([]lore.Message, len(texts))
	for i, s := range texts {
		out[i] = lore.UserMessage(s)
	}
	return out
}

func assemble(t testing.TB, e *engine.Engine, ix *engine.Index, in engine.Input) *engine.Result {
	t.Helper()
	r, err := e.Assemble(t.Context(), ix, in)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// summary writes blocks one a line: "slot entry: content".
func summary(r *engine.Result) string {
	var b strings.Builder
	for _, x := range r.Blocks {
		fmt.Fprintf(&b, "%s %s: %s\n", x.Slot, x.Entry, strings.TrimSpace(x.Content))
	}
	return b.String()
}

func advance(t testing.TB, e *engine.Engine, ix *engine.Index, s engine.State) engine.State {
	t.Helper()
	next, err := e.Advance(t.Context(), ix, s)
	if err != nil {
		t.Fatal(err)
	}
	return next
}
