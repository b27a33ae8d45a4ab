package engine_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-memory/weft/engine"
	"github.com/weft-memory/weft/lore"
)

// suzuneBook returns a book of Suzune's dialect; higher priority wins here, as
// everywhere inside of Weft.
func suzuneBook(entries ...*lore.Entry) *lore.Book {
	return &lore.Book{ID: "cafe", Policy: lore.PolicySuzune(), Entries: entries}
}

func suzuneEntry(id, keys, content string, change ...func(*lore.Entry)) *lore.Entry {
	e := lore.NewEntry(id, content)
	if keys != "" {
		e.Keys = lore.LiteralKeys(strings.Split(keys, "|")...)
	}
	for _, f := range change {
		f(e)
	}
	return e
}

func TestSuzuneScanAndSelect(t *testing.T) {
	t.Parallel()
	ix := engine.NewIndex(mustBuild(t, suzuneBook(
		suzuneEntry("cafe", "Lantern Café|the café", "{{char}} serves tea to {{user}}.", func(e *lore.Entry) {
			e.Clauses = []lore.Clause{{Logic: lore.AnyOf, Keys: lore.LiteralKeys("work", "shift")}}
		}),
		suzuneEntry("umbrella", "red umbrella", "The umbrella was left on the train."),
		suzuneEntry("never", "café", "Never.", func(e *lore.Entry) {
			e.Clauses = []lore.Clause{{Logic: lore.AnyOf}} // selective, without secondary keys
		}),
		suzuneEntry("rule", "", "{{char}} never lies to {{USER}}.", func(e *lore.Entry) { e.Constant = true }),
	)))
	e := newEngine(t, engine.Options{})
	in := engine.Input{Character: engine.Character{Name: "Mio"}, User: "Ren"}
	cases := []struct {
		name string
		chat []lore.Message
		want string
	}{
		{"one key is not enough", says("Let us meet at the café"), "aftermath rule: Mio never lies to Ren.\n"},
		{"both keys", says("My shift is over", "at the CAFÉ"), "backdrop cafe: Mio serves tea to Ren.\naftermath rule: Mio never lies to Ren.\n"},
		{"a key over two messages", says("I saw a red", "umbrella today"), "backdrop umbrella: The umbrella was left on the train.\naftermath rule: Mio never lies to Ren.\n"},
	}
	for _, c := range cases {
		in.Messages = c.chat
		if diff := cmp.Diff(c.want, summary(assemble(t, e, ix, in))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

func TestSuzuneBudgetCountsCharactersAndStops(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("雪", 40) // 40 characters, 120 bytes
	ix := engine.NewIndex(mustBuild(t, suzuneBook(
		suzuneEntry("first", "snow", text, func(e *lore.Entry) { e.Priority = 300 }),
		suzuneEntry("large", "snow", text+text, func(e *lore.Entry) { e.Priority = 200 }),
		suzuneEntry("small", "snow", "Snow.", func(e *lore.Entry) { e.Priority = 100 }),
		suzuneEntry("rule", "", strings.Repeat("r", 10), func(e *lore.Entry) { e.Constant = true }),
	)))
	e := newEngine(t, engine.Options{})
	// 12 % of 200 tokens at 4 characters each are 96 characters, 10 of which the
	// constant takes: the first fits, the large one does not, and ends it.
	r := assemble(t, e, ix, engine.Input{Messages: says("snow"), Context: 200, Why: []engine.EntryRef{{Entry: "small"}}})
	var got []string
	for _, b := range r.Blocks {
		got = append(got, b.Entry)
	}
	if diff := cmp.Diff([]string{"first", "rule"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if r.Trace.Absent[0].Reason != engine.AbsentBudget {
		t.Errorf("why small = %+v, want the budget", r.Trace.Absent[0])
	}
	// With no room at all the constant stays.
	r = assemble(t, e, ix, engine.Input{Messages: says("snow"), Context: 1, Budget: lore.Tokens(0)})
	if len(r.Blocks) != 1 || r.Blocks[0].Entry != "rule" {
		t.Errorf("blocks = %v, want the constant alone", summary(r))
	}
}

func TestSuzuneStickyThenCooldown(t *testing.T) {
	t.Parallel()
	ix := engine.NewIndex(mustBuild(t, suzuneBook(
		suzuneEntry("festival", "festival", "Lanterns.", func(e *lore.Entry) { e.Sticky, e.Cooldown = 2, 2 }),
	)))
	e := newEngine(t, engine.Options{})
	var s engine.State
	var got []string
	for turn := range 8 {
		s = advance(t, e, ix, s)
		chat := says("the festival")
		if turn == 1 || turn == 2 {
			chat = says("rain")
		}
		r := assemble(t, e, ix, engine.Input{Messages: chat, State: s})
		s = r.State
		line := "-"
		for _, f := range r.Trace.Fired {
			line = f.Reason.String()
		}
		got = append(got, line)
	}
	// Found in turn 1, carried in 2 and 3, away for two full turns, found again;
	// then each match restarts the counter.
	want := []string{
		"keyword[festival]", "sticky[2]", "sticky[1]", "-", "-",
		"keyword[festival]", "keyword[festival]", "keyword[festival]",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestSuzuneTimersStartForKeptEntriesOnly(t *testing.T) {
	t.Parallel()
	ix := engine.NewIndex(mustBuild(t, suzuneBook(
		suzuneEntry("festival", "festival", strings.Repeat("x", 1000), func(e *lore.Entry) { e.Sticky, e.Cooldown = 2, 2 }),
	)))
	e := newEngine(t, engine.Options{})
	r := assemble(t, e, ix, engine.Input{Messages: says("festival"), Context: 10})
	if len(r.Blocks) != 0 || len(r.State.Books["cafe"].Sticky) != 0 || len(r.State.Books["cafe"].Last) != 0 {
		t.Errorf("an entry that did not fit has counters: %+v", r.State.Books)
	}
}

func TestSuzuneDelayAndProbability(t *testing.T) {
	t.Parallel()
	set := func(p float64) func(*lore.Entry) {
		return func(e *lore.Entry) { e.Probability = &p }
	}
	ix := engine.NewIndex(mustBuild(t, suzuneBook(
		suzuneEntry("late", "tea", "Late.", func(e *lore.Entry) { e.Delay = 2 }),
		suzuneEntry("coin", "tea", "Coin.", set(50)),
		suzuneEntry("zero", "tea", "Zero.", set(0)),
		suzuneEntry("sure", "tea", "Sure.", set(100)),
		suzuneEntry("anchor", "", "Anchor.", set(0), func(e *lore.Entry) { e.Constant = true }),
	)))
	e := newEngine(t, engine.Options{})
	fired := 0
	for seed := range uint64(400) {
		r := assemble(t, e, ix, engine.Input{Messages: says("tea"), Seed: seed})
		text := summary(r)
		if !strings.Contains(text, "sure") || !strings.Contains(text, "anchor") || strings.Contains(text, "zero") || strings.Contains(text, "late") {
			t.Fatalf("seed %d: %s", seed, text)
		}
		if strings.Contains(text, "coin") {
			fired++
		}
	}
	if fired < 150 || fired > 250 {
		t.Errorf("an entry of 50 %% fired %d times of 400", fired)
	}
	if r := assemble(t, e, ix, engine.Input{Messages: says("so", "tea")}); !strings.Contains(summary(r), "late") {
		t.Error("the delayed entry is not there after two messages")
	}
}

func TestBooksOfTwoDialectsWorkTogether(t *testing.T) {
	t.Parallel()
	native := readBook(t, "native", "id: a\nkeywords: [snow]\n---\n{# if true #}Snow in {{char}}'s hair.{# endif #} [[note]]", "id: b\nconstant: true\nslot: coda\n---\nB.")
	other := suzuneBook(
		suzuneEntry("note", "nothing", "{{char}} and {# no template #}."),
		suzuneEntry("anchor", "", "Anchor.", func(e *lore.Entry) { e.Constant = true }))
	ix := engine.NewIndex(mustBuild(t, native), mustBuild(t, other))
	r := assemble(t, newEngine(t, engine.Options{}), ix, engine.Input{Messages: says("snow"), Character: engine.Character{Name: "Mio"}})
	want := "backdrop a: Snow in Mio's hair. Mio and {# no template #}.\ncoda b: B.\naftermath anchor: Anchor.\n"
	if diff := cmp.Diff(want, summary(r)); diff != "" {
		t.Errorf("(-want +got):\n%s\nproblems: %+v", diff, r.Problems)
	}
}
