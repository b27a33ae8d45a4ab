package agnai_test

import (
	"path/filepath"
	"testing"

	"github.com/weft-memory/weft/format"
	"github.com/weft-memory/weft/format/agnai"
	"github.com/weft-memory/weft/format/internal/codectest"
	"github.com/weft-memory/weft/internal/testenv"
	"github.com/weft-memory/weft/lore"
)

var codecs = []format.Codec{agnai.Codec()}

func TestFormatsSamples(t *testing.T) {
	t.Parallel()
	codectest.SameBytes(t, codecs, filepath.Join(testenv.Formats(t, "samples"), "agnai_book.json"), agnai.Name)
}

func TestRead(t *testing.T) {
	t.Parallel()
	doc := codectest.SameBytes(t, codecs, "testdata/book.json", agnai.Name)
	b := doc.Books[0]
	if len(b.Entries) != 2 {
		t.Fatalf("%d entries, want 2: the empty object is none", len(b.Entries))
	}
	mill, goats := b.Entries[0], b.Entries[1]
	if mill.Priority != 30 || mill.InsertionOrder != 5 {
		t.Errorf("priority %d and order %d, want 30 and 5", mill.Priority, mill.InsertionOrder)
	}
	if k := mill.Keys[1]; k.Kind != lore.KeyGlob || k.Text != "mill r?ce" {
		t.Errorf("key is %+v", k)
	}
	if goats.Constant || !goats.Disabled || !goats.Clauses[0].Inactive {
		t.Errorf("members that Agnai does not use are in force: %+v", goats)
	}
	if b.ScanDepth.N != 12 || b.Budget.N != 300 {
		t.Errorf("scan depth %v, budget %v", b.ScanDepth, b.Budget)
	}
}

func TestEdit(t *testing.T) {
	t.Parallel()
	codectest.Edited(t, codecs, "testdata/book.json", agnai.Name, func(doc *format.Document) {
		b := doc.Books[0]
		b.Name = "The valley"
		b.Entries[0].Content = "The mill turns."
		b.Entries[0].Priority = 31
		b.Entries[1].Disabled = false
	}, `"name": "Valley"`, `"name": "The valley"`, "The mill stands idle.", "The mill turns.",
		`"priority": 30`, `"priority": 31`, `"enabled": false`, `"enabled": true`)
}

func TestBadInput(t *testing.T) {
	t.Parallel()
	codectest.BadInput(t, codecs, "testdata/book.json")
}

func FuzzRead(f *testing.F) { codectest.Fuzz(f, codecs, "testdata/*.json") }
