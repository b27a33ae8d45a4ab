package janitor_test

import (
	"path/filepath"
	"testing"

	"github.com/weft-memory/weft/format"
	"github.com/weft-memory/weft/format/internal/codectest"
	"github.com/weft-memory/weft/format/janitor"
	"github.com/weft-memory/weft/internal/testenv"
	"github.com/weft-memory/weft/lore"
)

var codecs = []format.Codec{janitor.Codec()}

func TestFormatsSamples(t *testing.T) {
	t.Parallel()
	codectest.SameBytes(t, codecs, filepath.Join(testenv.Formats(t, "samples"), "janitor_lorebook.json"), janitor.Name)
}

func TestFormatsReal(t *testing.T) {
	t.Parallel()
	for name, n := range map[string]int{"janitor_core_30.json": 30, "janitor_merged_596.json": 596} {
		doc := codectest.SameBytes(t, codecs, filepath.Join(testenv.Formats(t, "real"), name), janitor.Name)
		if got := len(doc.Books[0].Entries); got != n {
			t.Errorf("%s: %d entries, want %d", name, got, n)
		}
	}
}

func TestRead(t *testing.T) {
	t.Parallel()
	doc := codectest.SameBytes(t, codecs, "testdata/entries.json", janitor.Name)
	e, goat := doc.Books[0].Entries[0], doc.Books[0].Entries[1]
	if e.Clauses[0].Logic != lore.NoneOf || *e.WholeWords || !*e.CaseSensitive || e.Delay != 4 || *e.Probability != 60 {
		t.Errorf("read %+v", e)
	}
	if g := e.Inclusion; len(g.Names) != 2 || *g.Weight != 30 || !g.Override || !*g.Scoring {
		t.Errorf("group is %+v", g)
	}
	if e.Priority != 200 || e.InsertionOrder != 200 {
		t.Errorf("the label priority is no rank: %d, %d", e.Priority, e.InsertionOrder)
	}
	if goat.ID != "12" || goat.Foreign == nil || !*goat.WholeWords {
		t.Errorf("read %+v", goat)
	}
}

// TestEditKeys keeps the copies of the keys in step, where they stand.
func TestEditKeys(t *testing.T) {
	t.Parallel()
	codectest.Edited(t, codecs, "testdata/entries.json", janitor.Name, func(doc *format.Document) {
		e := doc.Books[0].Entries
		e[0].Keys = lore.LiteralKeys("mill", "weir")
		e[0].InsertionOrder = 210
		e[1].Keys = append(e[1].Keys, lore.Key{Text: "kid", Kind: lore.KeyLiteral})
	}, `"key": ["mill", "mill race"], "keysRaw": "mill, mill race", "keywordsRaw": "mill, mill race"`,
		`"key": ["mill", "weir"], "keysRaw": "mill, weir", "keywordsRaw": "mill, weir"`,
		`"insertion_order": 200`, `"insertion_order": 210`, `"key": ["goat"]`, `"key": ["goat", "kid"]`)
}

func TestBadInput(t *testing.T) {
	t.Parallel()
	codectest.BadInput(t, codecs, "testdata/entries.json")
}

func FuzzRead(f *testing.F) { codectest.Fuzz(f, codecs, "testdata/*.json") }
