package format_test

import (
	"testing"

	"github.com/weft-memory/weft/format"
	"github.com/weft-memory/weft/format/all"
)

// TestDistinctIDs reads a book with one id on two entries: both live, and the
// file comes back as it was.
func TestDistinctIDs(t *testing.T) {
	t.Parallel()
	for name, src := range map[string]string{
		"janitor":        `[{"id":1,"keysRaw":"a","content":"one"},{"id":1,"keysRaw":"b","content":"two"},{"id":"1","keysRaw":"c","content":"three"}]`,
		"novelai":        `{"lorebookVersion":4,"entries":[{"id":"x","text":"one","keys":["a"]},{"id":"x","text":"two","keys":["b"]}]}`,
		"character_book": `{"entries":[{"id":7,"keys":["a"],"content":"one","enabled":true,"insertion_order":1,"extensions":{}},{"id":7,"keys":["b"],"content":"two","enabled":true,"insertion_order":1,"extensions":{}}]}`,
	} {
		doc, report, err := format.Read(t.Context(), all.Table(), format.Bytes("book", []byte(src)))
		if err != nil {
			t.Fatal(err)
		}
		if doc.Format != name {
			t.Fatalf("read as %s, want %s", doc.Format, name)
		}
		seen := map[string]bool{}
		for _, e := range doc.Books[0].Entries {
			if seen[e.ID] {
				t.Errorf("%s: two entries have the id %q", name, e.ID)
			}
			seen[e.ID] = true
		}
		if len(report.IDs["book"]) == 0 {
			t.Errorf("%s: the new ids are not reported", name)
		}
		out, _, err := format.Write(t.Context(), all.Table(), doc, name)
		if err != nil || string(out.Bytes()) != src {
			t.Errorf("%s: came back as %s, %v", name, out.Bytes(), err)
		}
	}
}
