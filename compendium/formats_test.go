package compendium_test

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-memory/weft/compendium"
	"github.com/weft-memory/weft/format"
	"github.com/weft-memory/weft/format/all"
	"github.com/weft-memory/weft/lore"
)

func saltmere(t testing.TB) *compendium.World {
	t.Helper()
	src, err := os.ReadFile(filepath.Join("testdata", "saltmere.json"))
	if err != nil {
		t.Fatal(err)
	}
	var entries []*compendium.Entry
	if err := json.Unmarshal(src, &entries); err != nil {
		t.Fatal(err)
	}
	return compendium.NewWorld(entries, compendium.Options{Turn: 30})
}

// folder returns the files of an output.
func folder(out *format.Output) fs.FS {
	m := fstest.MapFS{}
	for _, f := range out.Files {
		m[f.Path] = &fstest.MapFile{Data: f.Data}
	}
	return m
}

// Typed entries go through the formats of others and come back whole, whether
// they are written with their description or with everything in the text.
func TestBooksOfOthers(t *testing.T) {
	t.Parallel()
	w := saltmere(t)
	table := all.Table()
	r := &compendium.Renderer{World: w}
	for _, name := range []string{"sillytavern", "agnai", "risu", "novelai", "chub", "suzune", "character_book_v3"} {
		for how, write := range map[string]func(*compendium.Entry) *lore.Entry{
			"typed": (*compendium.Entry).ToLore,
			"plain": func(e *compendium.Entry) *lore.Entry { return e.Plain(r) },
		} {
			t.Run(name+" "+how, func(t *testing.T) {
				t.Parallel()
				b := &lore.Book{ID: "saltmere", Name: "saltmere", Policy: lore.PolicyWeaver()}
				for _, e := range w.Entries() {
					b.Entries = append(b.Entries, write(e))
				}
				native, _, err := format.Write(t.Context(), table, &format.Document{Books: []*lore.Book{b}}, "weaver")
				if err != nil {
					t.Fatal(err)
				}
				foreign, _, err := format.Convert(t.Context(), table, format.FS("saltmere", folder(native)), name)
				if err != nil {
					t.Fatal(err)
				}
				home, _, err := format.Convert(t.Context(), table, format.Bytes("saltmere.json", foreign.Bytes()), "weaver")
				if err != nil {
					t.Fatal(err)
				}
				doc, _, err := format.Read(t.Context(), table, format.FS("saltmere", folder(home)))
				if err != nil {
					t.Fatal(err)
				}
				for _, e := range w.Entries() {
					le := doc.Books[0].Entry(e.ID)
					if le == nil {
						t.Errorf("%s is gone", e.ID)
						continue
					}
					got, ok, err := compendium.FromLore(le)
					if err != nil || !ok {
						t.Errorf("%s: %v %v", e.ID, ok, err)
						continue
					}
					if diff := cmp.Diff(e.Data, got.Data); diff != "" {
						t.Errorf("%s (-want +got):\n%s", e.ID, diff)
					}
				}
			})
		}
	}
}

// The timeline is a book as package format/suzune writes and reads it.
func TestTimelineIsSuzunes(t *testing.T) {
	t.Parallel()
	w := saltmere(t)
	table := all.Table()
	out, _, err := format.Write(t.Context(), table, &format.Document{Books: []*lore.Book{w.TimelineBook()}}, "suzune")
	if err != nil {
		t.Fatal(err)
	}
	var a, b []map[string]any
	if err := errors.Join(json.Unmarshal(out.Bytes(), &a), json.Unmarshal(w.TimelineJSON(), &b)); err != nil {
		t.Fatal(err)
	}
	for _, e := range a {
		delete(e, "weft") // what Suzune has no word for is carried along
	}
	if diff := cmp.Diff(a, b); diff != "" {
		t.Errorf("the two writers differ:\n%s", diff)
	}
	doc, _, err := format.Read(t.Context(), table, format.Bytes("timeline.json", w.TimelineJSON()))
	if err != nil || doc.Format != "suzune" {
		t.Fatalf("read as %q: %v", doc.Format, err)
	}
	want := w.TimelineBook()
	for i, e := range doc.Books[0].Entries {
		x := want.Entries[i]
		if e.Content != x.Content || !cmp.Equal(e.Keys, x.Keys) || e.Priority != x.Priority || e.InsertionOrder != x.InsertionOrder {
			t.Errorf("entry %d: %+v, want %+v", i, e, x)
		}
	}
	if len(doc.Books[0].Entries) != len(want.Entries) || len(want.Entries) == 0 {
		t.Errorf("%d entries", len(want.Entries))
	}
}
