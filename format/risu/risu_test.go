package risu_test

import (
	"path/filepath"
	"testing"

	"github.com/weft-memory/weft/format"
	"github.com/weft-memory/weft/format/internal/codectest"
	"github.com/weft-memory/weft/format/risu"
	"github.com/weft-memory/weft/internal/testenv"
	"github.com/weft-memory/weft/lore"
)

var codecs = risu.Codecs()

func TestFormatsSamples(t *testing.T) {
	t.Parallel()
	codectest.SameBytes(t, codecs, filepath.Join(testenv.Formats(t, "samples"), "risu_lorebook.json"), risu.Name)
}

func TestFormatsReal(t *testing.T) {
	t.Parallel()
	doc := codectest.SameBytes(t, codecs, filepath.Join(testenv.Formats(t, "real"), "risu_folders_8.json"), risu.RowsName)
	b := doc.Books[0]
	if len(b.Entries) != 6 || len(b.Folders) != 2 || b.Entries[0].Folder != b.Folders[0].ID {
		t.Errorf("%d entries, folders %+v", len(b.Entries), b.Folders)
	}
}

func TestRead(t *testing.T) {
	t.Parallel()
	doc := codectest.SameBytes(t, codecs, "testdata/export.json", risu.Name)
	b := doc.Books[0]
	if len(b.Entries) != 3 || len(b.Folders) != 1 || b.Folders[0].Name != "Valley" {
		t.Fatalf("%d entries, folders %+v", len(b.Entries), b.Folders)
	}
	mill, goats, season := b.Entries[0], b.Entries[1], b.Entries[2]
	if mill.Slot != lore.AtDepth(3) || mill.Role != lore.RoleAssistant || *mill.Probability != 40 || !*mill.CaseSensitive {
		t.Errorf("decorators are not read: %+v", mill)
	}
	if k := goats.Keys[0]; k.Kind != lore.KeyJS || k.Text != "goats?" || k.Flags != "i" || *goats.Probability != 25 {
		t.Errorf("read %+v", goats)
	}
	if !season.Constant || season.Priority != 900 || season.InsertionOrder != 5 {
		t.Errorf("the two ladders: %+v", season)
	}
	doc = codectest.SameBytes(t, codecs, "testdata/entries.json", risu.RowsName)
	if e := doc.Books[0].Entries; len(e) != 2 || e[0].InsertionOrder != 12 || !e[1].Disabled {
		t.Errorf("read %+v", e)
	}
}

func TestEdit(t *testing.T) {
	t.Parallel()
	codectest.Edited(t, codecs, "testdata/export.json", risu.Name, func(doc *format.Document) {
		e := doc.Books[0].Entries
		e[0].Slot = lore.AtDepth(5)
		e[0].Disabled = true
		e[1].Name = "Herd"
		percent := 50.0
		e[1].Probability = &percent
		e[2].InsertionOrder = 6
	}, `@@depth 3\n`, `@@depth 5\n`, `"@@`+"depth 5", `"@@dont_activate\n@@`+"depth 5", `"Goats"`, `"Herd"`,
		`"activationPercent": 25`, `"activationPercent": 50`,
		`"insertorder": 5, "comment": "Season"`, `"insertorder": 6, "comment": "Season"`)
}

// TestEnable takes the order out of the content that stands for "disabled".
func TestEnable(t *testing.T) {
	t.Parallel()
	codectest.Edited(t, codecs, "testdata/entries.json", risu.RowsName, func(doc *format.Document) {
		doc.Books[0].Entries[1].Disabled = false
	}, `@@dont_activate\n`, ``)
}

func TestBadInput(t *testing.T) {
	t.Parallel()
	codectest.BadInput(t, codecs, "testdata/export.json")
	codectest.BadInput(t, codecs, "testdata/entries.json")
}

func FuzzRead(f *testing.F) { codectest.Fuzz(f, codecs, "testdata/*.json") }
