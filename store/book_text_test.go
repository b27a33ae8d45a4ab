package store

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/weft-memory/weft/lore"
)

// drawEntry makes an entry whose text and fields look like the seams of a book.
func drawEntry(t *rapid.T, id string) *lore.Entry {
	e := lore.NewEntry(id, rapid.SampledFrom([]string{"", "The ford.", "\n    {\n", ",\n    {", "\n  ]\n}\n", "\xff", "}\n"}).Draw(t, "content"))
	e.Priority = rapid.SampledFrom([]int{e.Priority, 0, 7}).Draw(t, "priority")
	if rapid.Bool().Draw(t, "keys") {
		e.Keys = lore.LiteralKeys("ford", "[", "{")
	}
	if rapid.Bool().Draw(t, "ext") {
		e.Ext = map[string]json.RawMessage{"x_more": json.RawMessage(`[[{"entries": [{}]}], {}, []]`)}
	}
	return e
}

// TestRewriteIsMarshal changes books in every way and compares what is written
// by pieces with what is written as a whole.
func TestRewriteIsMarshal(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		b := &lore.Book{ID: "ford", Name: rapid.SampledFrom([]string{"", "\"entries\": ["}).Draw(t, "name"), Policy: lore.PolicyWeaver()}
		if rapid.Bool().Draw(t, "ext") {
			b.Ext = map[string]json.RawMessage{"x": json.RawMessage(`{"entries": [{"id": "a"}, {}]}`)}
		}
		if rapid.Bool().Draw(t, "default priority") {
			p := 7
			b.DefaultPriority = &p
		}
		for i := range rapid.IntRange(0, 4).Draw(t, "entries") {
			b.Entries = append(b.Entries, drawEntry(t, fmt.Sprint("e", i)))
		}
		text := mustMarshal(t, b)
		pieces := splitBook(string(text))
		for step := range rapid.IntRange(1, 5).Draw(t, "steps") {
			if string(pieces.bytes()) != string(text) || pieces.entries() != len(b.Entries) {
				t.Fatalf("%q was cut into %q", text, pieces)
			}
			next := *b
			next.Entries = slices.Clone(b.Entries)
			at := 0
			if len(next.Entries) > 0 {
				at = rapid.IntRange(0, len(next.Entries)-1).Draw(t, "at")
			}
			switch what := rapid.SampledFrom([]string{"add", "change", "remove", "none", "book"}).Draw(t, "what"); {
			case what == "add" || what == "change" && len(next.Entries) == 0:
				next.Entries = slices.Insert(next.Entries, at, drawEntry(t, fmt.Sprint("new", step)))
			case what == "change":
				next.Entries[at] = drawEntry(t, next.Entries[at].ID)
			case what == "remove" && len(next.Entries) > 0:
				next.Entries = slices.Delete(next.Entries, at, at+1)
			case what == "book":
				next.Name += "x"
			}
			want := mustMarshal(t, &next)
			got, ok := pieces.rewrite(b, &next)
			if ok == (next.Name != b.Name) {
				t.Fatalf("written by pieces: %v", ok)
			}
			if !ok {
				got = splitBook(string(want))
			}
			if string(got.bytes()) != string(want) || got.size() != len(want) {
				t.Fatalf("got %q, want %q", got.bytes(), want)
			}
			diff := got.splice(pieces)
			if back, err := unsplice(text, diff); err != nil || string(back) != string(want) {
				t.Fatalf("the difference gives %q (%v), want %q", back, err, want)
			}
			b, text, pieces = &next, want, got
		}
	})
}

func mustMarshal(t *rapid.T, b *lore.Book) []byte {
	text, err := lore.MarshalBook(b)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestSplitBookTakesAnything(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", "{}\n", "{\n  \"entries\": [", "{\n  \"entries\": []\n}", "{\n  \"entries\": [\n    {", "{\n  \"entries\": [\n  ]\n}\n",
		"{\n  \"entries\": [\n    {},\n    {}\n  ]\n}\n", "{\n  \"entries\": [{}]\n}\n",
	} {
		if got := splitBook(text); string(got.bytes()) != text {
			t.Errorf("%q was cut into %q", text, got)
		}
	}
}

// TestUnspliceMany compares a row of differences with one after the other.
func TestUnspliceMany(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		texts := rapid.SliceOfN(rapid.StringMatching("[ab]{0,12}"), 1, 8).Draw(t, "texts")
		var diffs [][]byte
		for i := range texts[1:] {
			diffs = append(diffs, splice([]byte(texts[i]), []byte(texts[i+1])))
		}
		got, err := unsplice([]byte(texts[0]), diffs...)
		if err != nil || string(got) != texts[len(texts)-1] {
			t.Fatalf("got %q (%v)", got, err)
		}
	})
}
