package engine_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-memory/weft/engine"
	"github.com/weft-memory/weft/format"
	"github.com/weft-memory/weft/format/all"
	"github.com/weft-memory/weft/lore"
)

// The tests of dialects read files as their programs write them, with texts of
// our own, and look at what reaches the prompt.

// readFile reads a file of some format and returns its first book.
func readFile(t testing.TB, name, text string) *lore.Book {
	t.Helper()
	doc, _, err := format.Read(context.Background(), all.Table(), format.Bytes(name, []byte(text)))
	if err != nil {
		t.Fatal(err)
	}
	if len(doc.Books) == 0 {
		t.Fatalf("%s holds no book", name)
	}
	b := doc.Books[0]
	b.ID = strings.TrimSuffix(name, ".json")
	return b
}

// blocks writes the blocks one a line, without their slots: "name: content".
func blocks(r *engine.Result) string {
	var b strings.Builder
	for _, x := range r.Blocks {
		name := x.Name
		if name == "" {
			name = x.Entry
		}
		fmt.Fprintf(&b, "%s: %s\n", name, strings.TrimSpace(x.Content))
	}
	return b.String()
}

// codes lists the codes of problems.
func codes(r *engine.Result) []string {
	var out []string
	for _, p := range r.Problems {
		out = append(out, p.Code)
	}
	return out
}

// dialectCase is one assembly of one book.
type dialectCase struct {
	name string
	in   engine.Input
	want string
}

func runDialect(t *testing.T, book *lore.Book, cases []dialectCase) {
	t.Helper()
	ix := engine.NewIndex(mustBuild(t, book))
	e := newEngine(t, engine.Options{Tokenizer: engine.BytesPerToken(4)})
	for _, c := range cases {
		r := assemble(t, e, ix, c.in)
		if diff := cmp.Diff(c.want, blocks(r)); diff != "" {
			t.Errorf("%s (-want +got):\n%s%v", c.name, diff, r.Problems)
		}
	}
}

// chat makes messages of lines: "user: text" or "char: text".
func chat(lines ...string) []lore.Message {
	var out []lore.Message
	for _, l := range lines {
		who, text, _ := strings.Cut(l, ": ")
		if who == "char" {
			out = append(out, lore.AssistantMessage(text))
		} else {
			out = append(out, lore.UserMessage(text))
		}
	}
	return out
}
