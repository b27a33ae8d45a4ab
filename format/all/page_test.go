package all_test

import (
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/weft-memory/weft/format"
	"github.com/weft-memory/weft/format/all"
	"github.com/weft-memory/weft/internal/testenv"
	"github.com/weft-memory/weft/lore"
)

var update = flag.Bool("update", false, "rewrite the table of docs/formats.md")

// feature is one thing that an entry can say.
type feature struct {
	name string
	set  func(e *lore.Entry)
	get  func(e *lore.Entry) any
}

func ptr[T any](v T) *T { return &v }

var features = []feature{
	{"title", func(e *lore.Entry) { e.Name = "Gate" }, func(e *lore.Entry) any { return e.Name }},
	{"comment", func(e *lore.Entry) { e.Comment = "check" }, func(e *lore.Entry) any { return e.Comment }},
	{"disabled", func(e *lore.Entry) { e.Disabled = true }, func(e *lore.Entry) any { return e.Disabled || e.Force == lore.ForceSuppress }},
	{"expression as key", func(e *lore.Entry) { e.Keys = []lore.Key{{Text: "ga(te|p)", Kind: lore.KeyJS, Flags: "i"}} }, func(e *lore.Entry) any { return e.Keys }},
	{"secondary keys: any", clause(lore.AnyOf), clauses},
	{"secondary keys: all", clause(lore.AllOf), clauses},
	{"secondary keys: none", clause(lore.NoneOf), clauses},
	{"secondary keys: not all", clause(lore.NotAllOf), clauses},
	{"case", func(e *lore.Entry) { e.CaseSensitive = ptr(true) }, func(e *lore.Entry) any { return e.CaseSensitive }},
	{"whole words", func(e *lore.Entry) { e.WholeWords = ptr(false) }, func(e *lore.Entry) any { return e.WholeWords }},
	{"scan depth in messages", func(e *lore.Entry) { e.ScanDepth = lore.Messages(7) }, func(e *lore.Entry) any { return e.ScanDepth }},
	{"scan depth in characters", func(e *lore.Entry) { e.ScanDepth = lore.Chars(700) }, func(e *lore.Entry) any { return e.ScanDepth }},
	{"constant", func(e *lore.Entry) { e.Constant = true }, func(e *lore.Entry) any { return e.Constant }},
	{"probability", func(e *lore.Entry) { e.Probability = ptr(35.0) }, func(e *lore.Entry) any { return e.Probability }},
	{"sticky", func(e *lore.Entry) { e.Sticky = 3 }, func(e *lore.Entry) any { return e.Sticky }},
	{"cooldown", func(e *lore.Entry) { e.Cooldown = 3 }, func(e *lore.Entry) any { return e.Cooldown }},
	{"delay", func(e *lore.Entry) { e.Delay = 3 }, func(e *lore.Entry) any { return e.Delay }},
	{"after so many replies", func(e *lore.Entry) { e.After = 3 }, func(e *lore.Entry) any { return e.After }},
	{"always once found", func(e *lore.Entry) { e.Keep = true }, func(e *lore.Entry) any { return e.Keep }},
	{"only once", func(e *lore.Entry) { e.Once = true }, func(e *lore.Entry) any { return e.Once }},
	{"inclusion group", func(e *lore.Entry) { e.Inclusion = &lore.Inclusion{Names: []string{"g"}} }, func(e *lore.Entry) any { return e.Inclusion != nil }},
	{"not found in other entries", func(e *lore.Entry) { e.Recursion.Excluded = true }, func(e *lore.Entry) any { return e.Recursion.Excluded }},
	{"does not activate others", func(e *lore.Entry) { e.Recursion.Silent = true }, func(e *lore.Entry) any { return e.Recursion.Silent }},
	{"recursion level", func(e *lore.Entry) { e.Recursion.Level = 2 }, func(e *lore.Entry) any { return e.Recursion.Level }},
	{"before the character", func(e *lore.Entry) { e.Where = lore.WhereBeforeChar; e.Slot = e.Where.Slot() }, func(e *lore.Entry) any { return e.Where }},
	{"author's note", func(e *lore.Entry) { e.Where = lore.WhereNoteTop; e.Slot = e.Where.Slot() }, func(e *lore.Entry) any { return e.Where }},
	{"at depth", func(e *lore.Entry) { e.Where = lore.WhereAtDepth; e.Slot = lore.AtDepth(2) }, func(e *lore.Entry) any { return e.Slot }},
	{"role", func(e *lore.Entry) { e.Slot = lore.AtDepth(2); e.Where = lore.WhereAtDepth; e.Role = lore.RoleUser }, func(e *lore.Entry) any { return e.Role }},
	{"outlet", func(e *lore.Entry) { e.Where = lore.WhereOutlet; e.Outlet = "Map" }, func(e *lore.Entry) any { return e.Outlet }},
	{"slot", func(e *lore.Entry) { e.Slot = lore.SlotFraming }, func(e *lore.Entry) any { return e.Slot }},
	{"order", func(e *lore.Entry) { e.InsertionOrder, e.Priority = 60, 60 }, func(e *lore.Entry) any { return e.InsertionOrder }},
	{"priority beside order", func(e *lore.Entry) { e.InsertionOrder, e.Priority = 60, 20 }, func(e *lore.Entry) any { return []int{e.InsertionOrder, e.Priority} }},
	{"ignores the budget", func(e *lore.Entry) { e.IgnoreBudget = true }, func(e *lore.Entry) any { return e.IgnoreBudget }},
	{"goes first", func(e *lore.Entry) { e.DropFirst = true }, func(e *lore.Entry) any { return e.DropFirst }},
	{"own token cap", func(e *lore.Entry) { e.Cap = lore.Tokens(90) }, func(e *lore.Entry) any { return e.Cap }},
	{"shorter sizes", func(e *lore.Entry) { e.Sizes.Brief = "Shut." }, func(e *lore.Entry) any { return e.Sizes.Brief }},
	{"condition", func(e *lore.Entry) { e.Condition = "state:open == 1" }, func(e *lore.Entry) any { return e.Condition }},
	{"extra texts to search", func(e *lore.Entry) { e.Sources = []lore.Source{lore.SourceScenario} }, func(e *lore.Entry) any { return e.Sources }},
	{"kinds of turn", func(e *lore.Entry) { e.Kinds = []lore.TurnKind{lore.KindSwipe} }, func(e *lore.Entry) any { return e.Kinds }},
	{"only for some characters", func(e *lore.Entry) { e.Characters = &lore.CharacterFilter{Names: []string{"Osk"}} }, func(e *lore.Entry) any { return e.Characters != nil }},
	{"type", func(e *lore.Entry) { e.Type = "location" }, func(e *lore.Entry) any { return e.Type }},
	{"tags", func(e *lore.Entry) { e.Tags = []string{"town"} }, func(e *lore.Entry) any { return e.Tags }},
	{"text around the content", func(e *lore.Entry) { e.Prefix = "[" }, func(e *lore.Entry) any { return e.Prefix }},
}

func clause(l lore.Logic) func(e *lore.Entry) {
	return func(e *lore.Entry) { e.Clauses = []lore.Clause{{Logic: l, Keys: lore.LiteralKeys("night", "storm")}} }
}

func clauses(e *lore.Entry) any { return e.Clauses }

// columns are the formats of the table, under short names.
var columns = [][2]string{
	{"weaver", "weaver"},
	{"suzune", "suzune"},
	{"sillytavern", "ST"},
	{"character_book", "V2 book"},
	{"lorebook_v3", "V3 book"},
	{"risu", "Risu"},
	{"agnai", "Agnai"},
	{"novelai", "NovelAI"},
	{"kobold", "Kobold"},
	{"aidungeon", "AI Dungeon"},
	{"chub", "Chub"},
	{"janitor", "Janitor"},
	{"backyard-csv", "Backyard"},
}

// says writes an entry with one feature and reads the file without what was
// carried: does the feature come back?
func says(t *testing.T, f feature, as string) bool {
	t.Helper()
	e := lore.NewEntry("1", "The gate is shut.")
	e.Keys = lore.LiteralKeys("gate")
	e.Priority, e.InsertionOrder = 100, 100
	f.set(e)
	book := &lore.Book{ID: "town", Entries: []*lore.Entry{e}}
	out, _, err := format.Write(t.Context(), all.Table(), &format.Document{Books: []*lore.Book{book}}, as)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := readBack(t.Context(), all.Table(), "town", out, as)
	if err != nil || len(doc.Books) == 0 || len(doc.Books[0].Entries) == 0 {
		t.Fatalf("%s: %v\n%s", as, err, out.Bytes())
	}
	return reflect.DeepEqual(f.get(e), f.get(doc.Books[0].Entries[0]))
}

// TestPageIsCurrent makes the table of docs/formats.md from what the codecs do.
func TestPageIsCurrent(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString("| |")
	for _, c := range columns {
		b.WriteString(" " + c[1] + " |")
	}
	b.WriteString("\n|---|" + strings.Repeat("---|", len(columns)) + "\n")
	for _, f := range features {
		b.WriteString("| " + f.name + " |")
		for _, c := range columns {
			mark := "–"
			if all.Table().Codec(c[0]).Info().Carries {
				mark = "c"
			}
			if says(t, f, c[0]) {
				mark = "x"
			}
			b.WriteString(" " + mark + " |")
		}
		b.WriteString("\n")
	}
	path := filepath.Join(testenv.Root(), "docs", "formats.md")
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const open, end = "<!-- Made of what the codecs do: go test ./format/all -run PageIsCurrent -update -->\n", "<!-- end -->"
	head, rest, ok1 := strings.Cut(string(page), open)
	_, tail, ok2 := strings.Cut(rest, end)
	if !ok1 || !ok2 {
		t.Fatalf("%s has no place for the table", path)
	}
	want := head + open + "\n" + b.String() + "\n" + end + tail
	if want == string(page) {
		return
	}
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	t.Errorf("the table of %s is not what the codecs do: run the test with -update", path)
}
