package engine_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-memory/weft/engine"
	"github.com/weft-memory/weft/lore"
)

// tavernEntry returns an entry of SillyTavern's dialect; keys are divided by |.
func tavernEntry(id, keys, content string, change ...func(*lore.Entry)) *lore.Entry {
	return suzuneEntry(id, keys, content, change...)
}

func tavernBook(entries ...*lore.Entry) *lore.Book {
	return &lore.Book{ID: "st", Policy: lore.PolicySillyTavern(), Entries: entries}
}

func inGroup(name string, weight float64, override bool) func(*lore.Entry) {
	return func(e *lore.Entry) {
		e.Inclusion = &lore.Inclusion{Names: []string{name}, Weight: &weight, Override: override}
	}
}

func TestSweepsSayWhyAndWhere(t *testing.T) {
	t.Parallel()
	book := tavernBook(
		tavernEntry("mill", "mill|weir", "The mill by the ferry."),
		tavernEntry("ferry", "ferry", "Its bell."),
		tavernEntry("rule", "/b[ae]ll/", "Rung twice."),
		tavernEntry("mage", "wizard", "By description.", func(e *lore.Entry) { e.Sources = []lore.Source{lore.SourceDescription} }),
	)
	book.Entries[2].Keys = []lore.Key{{Text: "b[ae]ll", Kind: lore.KeyJS}}
	r := assemble(t, newEngine(t, engine.Options{}), engine.NewIndex(mustBuild(t, book)), engine.Input{
		Messages: []lore.Message{{Role: lore.RoleUser, Name: "Ren", Content: "At the weir, by the mill"}},
		Sources:  map[lore.Source]string{lore.SourceDescription: "A wizard."},
	})
	got := map[string][]engine.KeyHit{}
	for _, f := range r.Trace.Fired {
		got[f.Entry] = f.Reason.Keys
	}
	const words = "lower, whole words"
	want := map[string][]engine.KeyHit{
		"mill": {
			{Key: "mill", Message: 0, Start: 20, End: 24, Rule: words}, {Key: "weir", Message: 0, Start: 7, End: 11, Rule: words},
		},
		"ferry": {{Key: "ferry", Message: -1, Source: "entry st/mill", Start: 16, End: 21, Rule: words}},
		"rule":  {{Key: "b[ae]ll", Message: -1, Source: "entry st/ferry", Start: 4, End: 8, Rule: "js"}},
		"mage":  {{Key: "wizard", Message: -1, Source: "description", Start: 2, End: 8, Rule: words}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestSweepsSayWhyNot(t *testing.T) {
	t.Parallel()
	half := 0.0
	book := tavernBook(
		tavernEntry("key", "weir|lock", "K.", func(e *lore.Entry) { e.Sources = []lore.Source{lore.SourcePersona} }),
		tavernEntry("second", "mill", "S.", func(e *lore.Entry) {
			e.Clauses = []lore.Clause{{Logic: lore.AllOf, Keys: lore.LiteralKeys("snow", "ice")}}
		}),
		tavernEntry("roll", "mill", "R.", func(e *lore.Entry) { e.Probability = &half }),
		tavernEntry("winner", "mill", "W.", inGroup("g", 100, true), func(e *lore.Entry) { e.Priority = 300 }),
		tavernEntry("loser", "mill", "L.", inGroup("g", 50, false)),
		tavernEntry("large", "mill", strings.Repeat("long ", 40), func(e *lore.Entry) { e.Priority = 1 }),
		tavernEntry("late", "mill", "D.", func(e *lore.Entry) { e.Delay = 5 }),
		tavernEntry("level", "mill", "V.", func(e *lore.Entry) { e.Recursion.Level = 2 }),
		tavernEntry("off", "mill", "O.", func(e *lore.Entry) { e.Folder = "f" }),
		tavernEntry("forced", "mill", "@@dont_activate\nF.", func(e *lore.Entry) { e.Force = lore.ForceSuppress }),
		tavernEntry("none", "", "N."),
		tavernEntry("kind", "mill", "X.", func(e *lore.Entry) { e.Kinds = []lore.TurnKind{lore.KindSwipe} }),
	)
	book.Policy.Budget = lore.Amount{N: 20, Unit: lore.UnitTokens}
	book.Folders = []lore.Folder{{ID: "f", Disabled: true}}
	in := engine.Input{Messages: says("old", "the mill"), Sources: map[lore.Source]string{lore.SourcePersona: "A miller."}}
	for _, e := range book.Entries {
		in.Why = append(in.Why, engine.EntryRef{Entry: e.ID})
	}
	r := assemble(t, newEngine(t, engine.Options{Tokenizer: engine.BytesPerToken(4)}), engine.NewIndex(mustBuild(t, book)), in)
	got := map[string]string{}
	for _, a := range r.Trace.Absent {
		got[a.Entry] = string(a.Reason) + ": " + a.Detail
	}
	want := map[string]string{
		"key":    `key_absent: none of its keys "weir", "lock" is in the last 2 messages, nor in persona`,
		"second": `secondary: a key was found, but not all of the secondary keys "snow", "ice"`,
		"roll":   got["roll"], // the number is the stream's
		"winner": "present: it is there: keyword[mill], in backdrop",
		"loser":  `group: it lost the group "g" to st/winner, which is prioritised`,
		"large":  "budget: its text is 33 tokens too large for what was left of the scan's budget of 20",
		"late":   "delay: it waits until the chat has 5 messages; it has 2",
		"level":  "recursion: it waits for recursion (level 2)",
		"off":    `disabled: its folder "f" is disabled`,
		"forced": "suppressed: the decorator @@dont_activate keeps it away",
		"none":   "no_keys: it has no keys and is not constant; only a trigger or a pick activates it",
		"kind":   "kind: it is not for a turn of the kind normal",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if !strings.HasPrefix(got["roll"], "roll: the roll was ") {
		t.Errorf("roll = %q", got["roll"])
	}
	if diff := cmp.Diff([]engine.EntryRef{{Book: "st", Entry: "large"}}, r.Trace.Scans[0].Refused); diff != "" {
		t.Errorf("refused (-want +got):\n%s", diff)
	}
}

func TestSweepsSayToWhomAGroupWasLost(t *testing.T) {
	t.Parallel()
	scoring := func(e *lore.Entry) { yes := true; e.Inclusion.Scoring = &yes }
	for _, c := range []struct {
		name    string
		entries []*lore.Entry
		want    string
	}{
		{"score", []*lore.Entry{
			tavernEntry("a", "mill|weir", "A.", inGroup("g", 1, false), scoring), tavernEntry("b", "mill", "B.", inGroup("g", 1, false), scoring),
		}, `b: it lost the group "g" to st/a, which has more keys in the text (2 to 1)`},
		{"weight", []*lore.Entry{
			tavernEntry("a", "mill", "A.", inGroup("g", 100, false)), tavernEntry("b", "mill", "B.", inGroup("g", 0, false)),
		}, `b: it lost the group "g" to st/a, which was drawn (weights 100 to 0)`},
		{"found before", []*lore.Entry{
			tavernEntry("a", "mill", "A by the quay.", inGroup("g", 1, false)), tavernEntry("b", "quay", "B.", inGroup("g", 1, false)),
		}, `b: it lost the group "g" to st/a, which was found before`},
		{"replaced", []*lore.Entry{
			tavernEntry("b", "mill", "B by the quay.", inGroup("g", 1, false)), tavernEntry("a", "quay", "A.", inGroup("g", 1, true)),
		}, `b: it lost the group "g" to st/a, which is prioritised and was found later`},
	} {
		r := assemble(t, newEngine(t, engine.Options{}), engine.NewIndex(mustBuild(t, tavernBook(c.entries...))),
			engine.Input{Messages: says("the mill and the weir"), Why: []engine.EntryRef{{Entry: "b"}}})
		if got := r.Trace.Absent[0].Entry + ": " + r.Trace.Absent[0].Detail; got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.want)
		}
	}
}

func TestTavernKeysHaveMacros(t *testing.T) {
	t.Parallel()
	book := tavernBook(
		tavernEntry("name", "{{char}}'s hat", "Straw."),
		tavernEntry("regex", "/{{user}}s?/i", "Many."),
		tavernEntry("trimmed", "  quay ", "Stone."),
		tavernEntry("second", "hat", "Felt.", func(e *lore.Entry) {
			e.Clauses = []lore.Clause{{Logic: lore.NoneOf, Keys: lore.LiteralKeys("{{user}}")}}
		}),
	)
	in := engine.Input{Messages: says("Mio's hat on the quay, not RENS"), Character: engine.Character{Name: "Mio"}, User: "Ren"}
	runDialect(t, book, []dialectCase{
		{"found", in, "second: Felt.\ntrimmed: Stone.\nregex: Many.\nname: Straw.\n"},
		{"another name", engine.Input{Messages: says("Mio's hat, Ren"), Character: engine.Character{Name: "Bo"}, User: "Ren"}, "regex: Many.\n"},
	})
}

func TestMacrosOfRefusedEntriesDoNotRun(t *testing.T) {
	t.Parallel()
	book := tavernBook(
		tavernEntry("a", "mill", "{{incvar::n}} times.", func(e *lore.Entry) { e.Priority = 200 }),
		tavernEntry("b", "mill", "{{incvar::n}} "+strings.Repeat("long ", 100)),
		tavernEntry("c", "mill", "{{getvar::n}} in all.", func(e *lore.Entry) { e.Priority = 50 }),
	)
	book.Policy.Budget = lore.Amount{N: 40, Unit: lore.UnitTokens}
	r := assemble(t, newEngine(t, engine.Options{}), engine.NewIndex(mustBuild(t, book)), engine.Input{Messages: says("the mill")})
	if got := blocks(r); got != "c: 1 in all.\na: 1 times.\n" {
		t.Errorf("blocks = %q", got)
	}
	if n := r.State.Vars["state"]["n"].Text(); n != "1" {
		t.Errorf("n = %s, want 1", n)
	}
}
