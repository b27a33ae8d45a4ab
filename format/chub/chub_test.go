package chub_test

import (
	"path/filepath"
	"testing"

	"github.com/weft-memory/weft/format"
	"github.com/weft-memory/weft/format/chub"
	"github.com/weft-memory/weft/format/internal/codectest"
	"github.com/weft-memory/weft/internal/testenv"
	"github.com/weft-memory/weft/lore"
)

var codecs = []format.Codec{chub.Codec()}

func TestFormatsSamples(t *testing.T) {
	t.Parallel()
	codectest.SameBytes(t, codecs, filepath.Join(testenv.Formats(t, "samples"), "chub_lorebook.json"), chub.Name)
}

func TestRead(t *testing.T) {
	t.Parallel()
	doc := codectest.SameBytes(t, codecs, "testdata/book.json", chub.Name)
	b := doc.Books[0]
	e := b.Entries[0]
	if e.Clauses[0].Logic != lore.AllOf || !e.Recursion.Excluded || e.Priority != 7 || e.InsertionOrder != 10 {
		t.Errorf("read %+v", e)
	}
	if b.Policy.Name != "chub" || !*b.WholeWords || b.ScanDepth.N != 3 {
		t.Errorf("book is %+v", b)
	}
}

func TestEdit(t *testing.T) {
	t.Parallel()
	codectest.Edited(t, codecs, "testdata/book.json", chub.Name, func(doc *format.Document) {
		e := doc.Books[0].Entries
		e[0].Content = "The mill turns."
		e[0].Recursion.Excluded = false
		e[1].Disabled = false
	}, "The mill stands idle.", "The mill turns.", `"excludeRecursion":true`, `"excludeRecursion":false`,
		`"enabled":false`, `"enabled":true`)
}

func TestBadInput(t *testing.T) {
	t.Parallel()
	codectest.BadInput(t, codecs, "testdata/book.json")
}

func FuzzRead(f *testing.F) { codectest.Fuzz(f, codecs, "testdata/*.json") }
