package all_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/weft-memory/weft/format"
	"github.com/weft-memory/weft/format/all"
	"github.com/weft-memory/weft/lore"
)

// tavernEntry draws an entry that world files can say.
func tavernEntry(t *rapid.T) *lore.Entry {
	text := rapid.StringMatching(`[a-zé 🐦"\\\n]{0,8}`)
	maybe := func(name string) *bool {
		switch rapid.IntRange(0, 2).Draw(t, name) {
		case 0:
			return nil
		case 1:
			return ptr(true)
		}
		return ptr(false)
	}
	flag := func(name string) bool { return rapid.Bool().Draw(t, name) }
	count := func(name string) int { return rapid.IntRange(0, 3).Draw(t, name) }
	keys := func(name string) []lore.Key {
		var list []lore.Key
		for range rapid.IntRange(1, 3).Draw(t, name) {
			if flag("expression") {
				list = append(list, lore.Key{Text: "a+,b", Kind: lore.KeyJS, Flags: "i"})
			} else {
				list = append(list, lore.Key{Text: text.Draw(t, "key"), Kind: lore.KeyLiteral})
			}
		}
		return list
	}
	e := &lore.Entry{Name: text.Draw(t, "name"), Content: text.Draw(t, "content"), Disabled: flag("disabled")}
	e.Keys, e.Constant = keys("keys"), flag("constant")
	if flag("has clause") {
		logic := rapid.SampledFrom([]lore.Logic{lore.AnyOf, lore.AllOf, lore.NoneOf, lore.NotAllOf}).Draw(t, "logic")
		e.Clauses = []lore.Clause{{Logic: logic, Keys: keys("secondary"), Inactive: flag("inactive")}}
	}
	e.CaseSensitive, e.WholeWords = maybe("case"), maybe("words")
	if flag("has depth") {
		e.ScanDepth = lore.Messages(count("scan depth"))
	}
	if flag("rolls") {
		e.Probability = ptr(float64(rapid.IntRange(0, 99).Draw(t, "probability")))
	}
	e.Sticky, e.Cooldown, e.Delay = count("sticky"), count("cooldown"), count("delay")
	e.Where = rapid.SampledFrom([]lore.Where{
		lore.WhereBeforeChar, lore.WhereAfterChar, lore.WhereNoteTop, lore.WhereNoteBottom, lore.WhereAtDepth,
		lore.WhereExamplesTop, lore.WhereExamplesBottom, lore.WhereOutlet,
	}).Draw(t, "where")
	if e.Slot = e.Where.Slot(); e.Where == lore.WhereAtDepth {
		e.Slot = lore.AtDepth(count("depth"))
	}
	e.Role = rapid.SampledFrom([]lore.Role{"", lore.RoleUser, lore.RoleAssistant}).Draw(t, "role")
	e.Outlet = text.Draw(t, "outlet")
	e.InsertionOrder = rapid.IntRange(-5, 200).Draw(t, "order")
	e.Priority, e.IgnoreBudget = e.InsertionOrder, flag("ignore")
	if flag("grouped") {
		e.Inclusion = &lore.Inclusion{Names: []string{"g", "h"}[:rapid.IntRange(1, 2).Draw(t, "groups")], Override: flag("override"), Weight: ptr(40.0), Scoring: maybe("scoring")}
	}
	e.Recursion = lore.Recursion{Excluded: flag("excluded"), Silent: flag("silent"), Level: count("level")}
	if flag("vector") {
		e.Similarity = &lore.Similarity{}
	}
	if flag("filtered") {
		e.Characters = &lore.CharacterFilter{Exclude: flag("exclude"), Names: []string{"Osk"}, Tags: []string{}}
	}
	return e
}

// TestTavernEntriesComeBack: what world files can say comes back from them and
// from the books of cards, new and as an edit of another entry.
func TestTavernEntriesComeBack(t *testing.T) {
	t.Parallel()
	table := all.Table()
	same := cmp.Options{cmpopts.IgnoreFields(lore.Entry{}, "Origin", "Ext", "ID")}
	rapid.Check(t, func(t *rapid.T) {
		e, edited := tavernEntry(t), tavernEntry(t)
		e.ID, edited.ID = "0", "0"
		as := rapid.SampledFrom([]string{"sillytavern", "character_book", "lorebook_v3", "card"}).Draw(t, "format")
		doc := &format.Document{Books: []*lore.Book{{ID: "b", Policy: lore.PolicySillyTavern(), Entries: []*lore.Entry{e}}}}
		for _, want := range []*lore.Entry{e, edited} {
			out, _, err := format.Write(t.Context(), table, doc, as)
			if err != nil {
				t.Fatal(err)
			}
			if doc, _, err = format.ReadAs(t.Context(), table, format.Bytes("b.json", out.Bytes()), as); err != nil {
				t.Fatal(err)
			}
			got := doc.Books[0].Entries[0]
			plain := *got // a V3 entry says its place with decorators
			_, plain.Content = lore.DecoratorsV3.Split(got.Content)
			if diff := cmp.Diff(want, &plain, same); diff != "" {
				t.Fatalf("%s (-want +got):\n%s\n%s", as, diff, out.Bytes())
			}
			next := *edited
			next.Origin, next.Ext = got.Origin, got.Ext
			doc.Books[0].Entries[0] = &next
		}
	})
}
