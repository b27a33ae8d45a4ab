package engine_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/weft-memory/weft/engine"
	"github.com/weft-memory/weft/lore"
)

func TestBudgets(t *testing.T) {
	t.Parallel()
	words := engine.TokenizerFunc(func(s string) int { return len(strings.Fields(s)) })
	three := []string{
		"id: a\nconstant: true\npriority: 3\ngroup: war\n---\none two three",
		"id: b\nconstant: true\npriority: 2\ngroup: war\n---\none two",
		"id: c\nconstant: true\npriority: 1\n---\none",
	}
	cases := []struct {
		name   string
		config string
		in     engine.Input
		want   string
	}{
		{"none", "", engine.Input{}, "a b c"},
		{"host", "", engine.Input{Budget: lore.Tokens(4)}, "a c"},
		{"host, nothing", "", engine.Input{Budget: lore.Tokens(0)}, ""},
		{"host, characters", "", engine.Input{Budget: lore.Chars(10)}, "b c"},
		{"host, percent", "", engine.Input{Budget: lore.Percent(10), Context: 40}, "a c"},
		{"book", "token_budget: 3\n", engine.Input{}, "a"},
		{"group", "group_budgets: {war: 2}\n", engine.Input{}, "b c"},
		{"group inside book", "token_budget: 3\ngroup_budgets: {war: 2}\n", engine.Input{}, "b c"},
		{"host bounds all", "token_budget: 100\n", engine.Input{Budget: lore.Tokens(1)}, "c"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			ix := readIndex(t, append([]string{"config\n" + c.config}, three...)...)
			r := assemble(t, newEngine(t, engine.Options{Tokenizer: words}), ix, c.in)
			var got []string
			for _, b := range r.Blocks {
				got = append(got, b.Entry)
			}
			if diff := cmp.Diff(c.want, strings.Join(got, " ")); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestEachBooksBudgetBoundsItsOwnEntries(t *testing.T) {
	t.Parallel()
	one := readBook(t, "one", "config\ntoken_budget: 1\n", "id: a\nconstant: true\n---\nxxxx", "id: b\nconstant: true\n---\nxxxx")
	two := readBook(t, "two", "id: c\nconstant: true\npriority: 1\n---\nxxxx", "id: d\nconstant: true\npriority: 1\n---\nxxxx")
	ix := engine.NewIndex(mustBuild(t, one), mustBuild(t, two))
	r := assemble(t, newEngine(t, engine.Options{Tokenizer: engine.BytesPerToken(4)}), ix, engine.Input{})
	if diff := cmp.Diff("backdrop a: xxxx\nbackdrop c: xxxx\nbackdrop d: xxxx\n", summary(r)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestASmallerSizeIsTakenBeforeAnEntryIsDropped(t *testing.T) {
	t.Parallel()
	ix := readIndex(t,
		"id: inn\nconstant: true\nsizes: {brief: 'An inn by the road.', one_line: 'An inn.'}\n---\n$[inc_var(\"state:n\")]The inn stands by the road, and its lamp burns all night long.",
		"id: law\nconstant: true\npriority: 1\n---\nSalt is law.")
	e := newEngine(t, engine.Options{Tokenizer: engine.BytesPerToken(1)})
	cases := []struct {
		budget int
		want   string
	}{
		{100, "full"},
		{40, "brief"},
		{15, "one_line"},
		{5, "none"},
	}
	for _, c := range cases {
		r := assemble(t, e, ix, engine.Input{Budget: lore.Tokens(c.budget)})
		got := "none"
		for _, b := range r.Blocks {
			if b.Entry == "inn" {
				if got = string(b.Size); got == "" {
					got = "full"
				}
			}
		}
		if got != c.want {
			t.Errorf("budget %d: size %s, want %s", c.budget, got, c.want)
		}
		if n, _ := r.State.Vars["state"]["n"].AsNumber(); n != 1 {
			t.Errorf("budget %d: the entry's effects happened %v times, want once", c.budget, n)
		}
	}
}

func TestMaxTokensCutsAtASentence(t *testing.T) {
	t.Parallel()
	ix := readIndex(t, "id: a\nconstant: true\nmax_tokens: 6\n---\nThe mill is old. Its wheel turns. Nobody lives there now.")
	words := engine.TokenizerFunc(func(s string) int { return len(strings.Fields(s)) })
	r := assemble(t, newEngine(t, engine.Options{Tokenizer: words}), ix, engine.Input{})
	if diff := cmp.Diff("backdrop a: The mill is old.\n", summary(r)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if !r.Blocks[0].Cut || !r.Trace.Fired[0].Cut || len(r.Problems) != 1 {
		t.Errorf("the cut is not reported: %+v %+v", r.Blocks[0], r.Problems)
	}
}

func TestCutTextFitsAndIsAFront(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		text := strings.ToValidUTF8(rapid.StringOf(rapid.SampledFrom([]rune("ab .!?\n…。水ß\""))).Draw(rt, "text"), "")
		most := rapid.IntRange(0, 40).Draw(rt, "most")
		tok := engine.BytesPerToken(rapid.IntRange(1, 4).Draw(rt, "bytes"))
		got := engine.CutText(text, most, tok)
		switch {
		case !strings.HasPrefix(text, got):
			rt.Fatalf("%q is no front of %q", got, text)
		case !utf8.ValidString(got):
			rt.Fatalf("%q is cut inside a character", got)
		case tok.Count(got) > most:
			rt.Fatalf("%q has %d tokens, more than %d", got, tok.Count(got), most)
		}
	})
}

func TestSlotsFallBackToTheTwin(t *testing.T) {
	t.Parallel()
	ix := readIndex(t,
		"config\nslots: [{name: cellar, after: setting}]\n",
		"id: a\nconstant: true\nslot: coda\n---\nA.",
		"id: b\nconstant: true\nslot: cellar\n---\nB.",
		"id: c\nconstant: true\nslot: foreground\n---\nC.")
	e := newEngine(t, engine.Options{})
	if diff := cmp.Diff("cellar b: B.\nforeground c: C.\ncoda a: A.\n", summary(assemble(t, e, ix, engine.Input{}))); diff != "" {
		t.Errorf("all slots (-want +got):\n%s", diff)
	}
	r := assemble(t, e, ix, engine.Input{Slots: []lore.Slot{lore.SlotAftermath, lore.SlotForeground, "hidden"}})
	if diff := cmp.Diff("foreground c: C.\naftermath a: A.\n", summary(r)); diff != "" {
		t.Errorf("some slots (-want +got):\n%s", diff)
	}
	if len(r.Problems) != 1 || r.Problems[0].Code != "slot" {
		t.Errorf("problems = %+v, want the entry without a slot", r.Problems)
	}
}
