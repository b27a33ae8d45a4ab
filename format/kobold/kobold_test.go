package kobold_test

import (
	"path/filepath"
	"testing"

	"github.com/weft-memory/weft/format"
	"github.com/weft-memory/weft/format/internal/codectest"
	"github.com/weft-memory/weft/format/kobold"
	"github.com/weft-memory/weft/internal/testenv"
	"github.com/weft-memory/weft/lore"
)

var codecs = kobold.Codecs()

func TestFormatsSamples(t *testing.T) {
	t.Parallel()
	samples := testenv.Formats(t, "samples")
	codectest.SameBytes(t, codecs, filepath.Join(samples, "kobold_lite_story.json"), kobold.Name)
	codectest.SameBytes(t, codecs, filepath.Join(samples, "koboldai_story_2021.json"), kobold.Name)
	codectest.SameBytes(t, codecs, filepath.Join(samples, "koboldai_worldinfo_v2.json"), kobold.UnitedName)
}

func TestFormatsReal(t *testing.T) {
	t.Parallel()
	doc := codectest.SameBytes(t, codecs, filepath.Join(testenv.Formats(t, "real"), "koboldai_story_25.json"), kobold.Name)
	if n := len(doc.Books[0].Entries); n != 25 {
		t.Errorf("%d entries, want 25", n)
	}
}

func TestRead(t *testing.T) {
	t.Parallel()
	doc := codectest.SameBytes(t, codecs, "testdata/lite.json", kobold.Name)
	b := doc.Books[0]
	mill, season := b.Entries[0], b.Entries[1]
	if len(mill.Clauses) != 2 || mill.Clauses[0].Logic != lore.AnyOf || mill.Clauses[1].Logic != lore.NoneOf || *mill.Probability != 80 {
		t.Errorf("read %+v", mill)
	}
	if mill.Folder != "Valley" || len(b.Folders) != 1 || b.ScanDepth.N != 2000 || b.ScanDepth.Unit != lore.UnitChars {
		t.Errorf("book %+v", b)
	}
	if !season.Disabled || !season.Constant || season.Priority >= mill.Priority || season.InsertionOrder <= mill.InsertionOrder {
		t.Errorf("list order decides: %+v", season)
	}
	doc = codectest.SameBytes(t, codecs, "testdata/united.json", kobold.UnitedName)
	if e := doc.Books[0].Entries[0]; e.ID != "3" || e.Name != "Mill" || len(e.Clauses) != 2 {
		t.Errorf("read %+v", e)
	}
	doc = codectest.SameBytes(t, codecs, "testdata/save_2021.json", kobold.Name)
	if len(doc.Chats) != 1 || len(doc.Chats[0].Messages) != 3 {
		t.Errorf("the story is no chat: %+v", doc.Chats)
	}
}

func TestEdit(t *testing.T) {
	t.Parallel()
	codectest.Edited(t, codecs, "testdata/lite.json", kobold.Name, func(doc *format.Document) {
		e := doc.Books[0].Entries
		e[0].Content = "The mill turns."
		percent := 75.0
		e[0].Probability = &percent
		e[1].Disabled = false
	}, "The mill stands idle.", "The mill turns.", `"probability":"80"`, `"probability":"75"`,
		`"widisabled":true`, `"widisabled":false`)
	codectest.Edited(t, codecs, "testdata/save_2021.json", kobold.Name, func(doc *format.Document) {
		doc.Chats[0].Messages[1].Content = "You run to the mill."
		doc.Books[0].Entries[1].Content = "Goats climb."
	}, "You walk to the mill.", "You run to the mill.", "Goats know the path.", "Goats climb.")
	codectest.Edited(t, codecs, "testdata/united.json", kobold.UnitedName, func(doc *format.Document) {
		doc.Books[0].Entries[0].Keys = lore.LiteralKeys("mill", "weir")
	}, `"key":["mill"]`, `"key":["mill", "weir"]`)
}

func TestBadInput(t *testing.T) {
	t.Parallel()
	codectest.BadInput(t, codecs, "testdata/lite.json")
	codectest.BadInput(t, codecs, "testdata/united.json")
}

func FuzzRead(f *testing.F) { codectest.Fuzz(f, codecs, "testdata/*.json") }
