package all_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/weft-memory/weft/format"
	"github.com/weft-memory/weft/format/all"
	"github.com/weft-memory/weft/format/jsondoc"
	"github.com/weft-memory/weft/internal/testenv"
)

// TestConformanceReportsRoundTrip takes world files to a character_book and
// back, by the fields of the book alone too: as if a program in between had
// dropped the extension of ours.
func TestConformanceReportsRoundTrip(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join(testenv.Conformance(t, "reports"), "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		root := mustTree(t, data)
		cases := []*jsondoc.Tree{root}
		if list := root.Get("cases"); list != nil {
			cases = list.Items
		}
		for _, c := range cases {
			if kind := c.Get("kind"); kind == nil || kind.Text != "roundtrip" {
				continue
			}
			for _, as := range []string{"character_book", "character_book_v3", "lorebook_v3"} {
				for _, stripped := range []bool{false, true} {
					t.Run(c.Get("id").Text+"/"+as, func(t *testing.T) { roundTripCase(t, c, as, stripped) })
				}
			}
		}
	}
}

func roundTripCase(t *testing.T, c *jsondoc.Tree, as string, stripped bool) {
	doc, _ := read(t, c.Get("name").Text+".json", []byte(c.Get("input").String()))
	data, _ := write(t, doc, as)
	if stripped {
		tree := mustTree(t, data)
		stripWeft(tree)
		data = []byte(tree.String())
	}
	book, _, err := format.ReadAs(t.Context(), all.Table(), format.Bytes(c.Get("name").Text+".json", data), as)
	if err != nil {
		t.Fatal(err)
	}
	back, _ := write(t, book, "sillytavern")
	got := mustTree(t, back)
	for _, e := range c.At("expect", "entries").Members {
		for _, f := range e.Value.Members {
			if have := got.At("entries", e.Key, f.Key); !f.Value.Same(have) {
				t.Errorf("entry %s: %s is %s, want %s", e.Key, f.Key, have, f.Value)
			}
		}
	}
}

func stripWeft(t *jsondoc.Tree) {
	if t == nil {
		return
	}
	t.Delete("weft")
	for _, m := range t.Members {
		stripWeft(m.Value)
	}
	for _, i := range t.Items {
		stripWeft(i)
	}
}
