package novelai_test

import (
	"path/filepath"
	"testing"

	"github.com/weft-memory/weft/format"
	"github.com/weft-memory/weft/format/internal/codectest"
	"github.com/weft-memory/weft/format/novelai"
	"github.com/weft-memory/weft/internal/testenv"
	"github.com/weft-memory/weft/lore"
)

var codecs = novelai.Codecs()

func TestFormatsSamples(t *testing.T) {
	t.Parallel()
	samples := testenv.Formats(t, "samples")
	for name, want := range map[string]string{
		"nai_v4.lorebook": novelai.Name, "nai_v6.lorebook": novelai.Name, "nai_v1_story.story": novelai.StoryName,
		"odd/nai_empty_entries.lorebook": novelai.Name,
	} {
		codectest.SameBytes(t, codecs, filepath.Join(samples, name), want)
	}
}

func TestFormatsReal(t *testing.T) {
	t.Parallel()
	for name, n := range map[string]int{"nai_v4_longtext_17.lorebook": 17, "nai_v4_southsea_8.lorebook": 4} {
		doc := codectest.SameBytes(t, codecs, filepath.Join(testenv.Formats(t, "real"), name), novelai.Name)
		if got := len(doc.Books[0].Entries); got != n {
			t.Errorf("%s: %d entries, want %d", name, got, n)
		}
	}
}

func TestRead(t *testing.T) {
	t.Parallel()
	doc := codectest.SameBytes(t, codecs, "testdata/v6.lorebook", novelai.Name)
	b := doc.Books[0]
	if len(b.Entries) != 2 || !b.Policy.OrderByAppearance || len(b.Folders) != 2 {
		t.Fatalf("book %+v", b)
	}
	mill, season := b.Entries[0], b.Entries[1]
	if *mill.Cap != *lore.Percent(50) || mill.Reserve.N != 40 || mill.Priority != 500 || mill.Trim != (lore.Trim{Direction: "top", Unit: "newline"}) {
		t.Errorf("budget rules of %+v", mill)
	}
	if mill.ScanDepth.N != 600 || mill.ScanDepth.Unit != lore.UnitChars || mill.Recursion.Excluded || *mill.Probability != 25 {
		t.Errorf("activation of %+v", mill)
	}
	if mill.Prefix != "[" || mill.Suffix != "]\n" || mill.Keys[2].Kind != lore.KeyJS || mill.Keys[1].Text != " race" {
		t.Errorf("text and keys of %+v", mill)
	}
	if season.Disabled || !b.FolderDisabled(season.Folder) || !season.Constant || !season.Recursion.Excluded {
		t.Errorf("the category is switched off: %+v", season)
	}
	if len(season.Clauses) != 1 || season.Foreign == nil || season.Foreign.Language != "nai" {
		t.Errorf("conditions of %+v", season)
	}
	doc = codectest.SameBytes(t, codecs, "testdata/valley.scenario", novelai.ScenarioName)
	if doc.Books[0].Name != "Valley" || len(doc.Books[0].Entries) != 1 {
		t.Errorf("read %+v", doc.Books[0])
	}
}

// TestPlaces checks the direction of the two ladders: each insertion at the
// bottom goes below the one before, each at the top above it.
func TestPlaces(t *testing.T) {
	t.Parallel()
	src := `{"lorebookVersion":4,"entries":[
{"text":"a","contextConfig":{"budgetPriority":400,"insertionPosition":-1}},
{"text":"b","contextConfig":{"budgetPriority":300,"insertionPosition":-1}},
{"text":"c","contextConfig":{"budgetPriority":400,"insertionPosition":0}},
{"text":"d","contextConfig":{"budgetPriority":300,"insertionPosition":0}}]}`
	doc, _, err := format.Read(t.Context(), codectest.Table(t, codecs), format.Bytes("x", []byte(src)))
	if err != nil {
		t.Fatal(err)
	}
	e := doc.Books[0].Entries
	if e[0].InsertionOrder >= e[1].InsertionOrder || e[0].Slot != lore.AtDepth(0) {
		t.Errorf("at the bottom: %d, %d in %s", e[0].InsertionOrder, e[1].InsertionOrder, e[0].Slot)
	}
	if e[2].InsertionOrder <= e[3].InsertionOrder || e[2].Slot != "" {
		t.Errorf("at the top: %d, %d in %q", e[2].InsertionOrder, e[3].InsertionOrder, e[2].Slot)
	}
	if e[0].Priority <= e[1].Priority {
		t.Errorf("higher is kept longer: %d, %d", e[0].Priority, e[1].Priority)
	}
}

func TestEdit(t *testing.T) {
	t.Parallel()
	codectest.Edited(t, codecs, "testdata/v6.lorebook", novelai.Name, func(doc *format.Document) {
		e := doc.Books[0].Entries
		e[0].Content = "The mill turns."
		e[0].Priority = 510
		e[1].Name = "Thaw"
	}, "The mill stands idle.", "The mill turns.", `"budgetPriority": 500`, `"budgetPriority": 510`,
		`"displayName": "Season"`, `"displayName": "Thaw"`)
	codectest.Edited(t, codecs, "testdata/valley.scenario", novelai.ScenarioName, func(doc *format.Document) {
		doc.Books[0].Entries[0].Disabled = true
	}, `"enabled":true`, `"enabled":false`)
}

// TestEditConditions writes the chance as a condition again.
func TestEditConditions(t *testing.T) {
	t.Parallel()
	doc, _ := codectest.Read(t, codecs, "testdata/v6.lorebook", novelai.Name)
	percent := 50.0
	e := doc.Books[0].Entries
	e[0].Probability = &percent
	e[1].Clauses = append(e[1].Clauses, lore.Clause{Logic: lore.NoneOf, Keys: lore.LiteralKeys("ice")})
	again, _, err := format.Read(t.Context(), codectest.Table(t, codecs), format.Bytes("x", codectest.Write(t, codecs, doc)))
	if err != nil {
		t.Fatal(err)
	}
	got := again.Books[0].Entries
	if *got[0].Probability != 50 || len(got[1].Clauses) != 2 || got[1].Clauses[1].Logic != lore.NoneOf || got[1].Foreign == nil {
		t.Errorf("read again %+v, %+v", got[0], got[1])
	}
}

func TestEditFolder(t *testing.T) {
	t.Parallel()
	doc, _ := codectest.Read(t, codecs, "testdata/v6.lorebook", novelai.Name)
	doc.Books[0].Folders[0].Name = "The valley"
	again, _, err := format.Read(t.Context(), codectest.Table(t, codecs), format.Bytes("x", codectest.Write(t, codecs, doc)))
	if err != nil {
		t.Fatal(err)
	}
	if f := again.Books[0].Folders[0]; f.Name != "The valley" || len(f.Ext["novelai"]) == 0 {
		t.Errorf("folder is %+v", f)
	}
}

func TestBadInput(t *testing.T) {
	t.Parallel()
	codectest.BadInput(t, codecs, "testdata/v6.lorebook")
	codectest.BadInput(t, codecs, "testdata/valley.scenario")
}

func FuzzRead(f *testing.F) { codectest.Fuzz(f, codecs, "testdata/*.lorebook", "testdata/*.scenario") }
