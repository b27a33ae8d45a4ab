package engine_test

import (
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-memory/weft/engine"
	"github.com/weft-memory/weft/lore"
)

func TestAVeryLongEntry(t *testing.T) {
	t.Parallel()
	book := &lore.Book{ID: "book", Policy: lore.PolicyWeaver()}
	long := lore.NewEntry("long", strings.Repeat("The river goes on. ", 10<<20/19))
	long.Constant = true
	short := lore.NewEntry("short", "Short.")
	short.Constant = true
	book.Entries = []*lore.Entry{long, short}
	ix := engine.NewIndex(mustBuild(t, book))
	r := assemble(t, newEngine(t, engine.Options{}), ix, engine.Input{Budget: lore.Percent(25)})
	if diff := cmp.Diff("backdrop short: Short.\n", summary(r)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if len(r.Problems) == 0 && r.Trace.Fired[0].Outcome != engine.OutcomeOver {
		t.Errorf("the long entry is not reported: %+v", r.Trace.Fired[0].Outcome)
	}
}

func TestAHundredThousandEntries(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("takes a second")
	}
	book := &lore.Book{ID: "book", Policy: lore.PolicyWeaver()}
	for i := range 100_000 {
		e := lore.NewEntry("e"+strconv.Itoa(i), "Text.")
		e.Keys = lore.LiteralKeys("word" + strconv.Itoa(i) + "x")
		book.Entries = append(book.Entries, e)
	}
	ix := engine.NewIndex(mustBuild(t, book))
	r := assemble(t, newEngine(t, engine.Options{}), ix, engine.Input{Messages: says("word77777x")})
	if diff := cmp.Diff("backdrop e77777: Text.\n", summary(r)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestDuplicateAndMissingIDs(t *testing.T) {
	t.Parallel()
	first, second, none := lore.NewEntry("a", "First."), lore.NewEntry("a", "Second."), lore.NewEntry("", "None.")
	first.Constant, second.Constant, none.Constant = true, true, true
	s, list := engine.Build(&lore.Book{ID: "book", Policy: lore.PolicyWeaver(), Entries: []*lore.Entry{first, nil, second, none}}, engine.BuildOptions{})
	var codes []string
	for _, d := range list {
		codes = append(codes, d.Severity.String()+" "+d.Code)
	}
	if diff := cmp.Diff([]string{"warning duplicate-id", "error no-id"}, codes); diff != "" {
		t.Errorf("reports (-want +got):\n%s", diff)
	}
	r := assemble(t, newEngine(t, engine.Options{}), engine.NewIndex(s, s), engine.Input{})
	if diff := cmp.Diff("backdrop a: Second.\n", summary(r)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestABrokenEntryNeverCostsTheBook(t *testing.T) {
	t.Parallel()
	bad, worse, good := lore.NewEntry("bad", "{# if #}"), lore.NewEntry("worse", "x"), lore.NewEntry("good", "Good.")
	worse.Condition = "&& true"
	good.Constant = true
	bad.Origin.Path, bad.Origin.BodyLine = "world/bad.weaver", 7
	s, list := engine.Build(&lore.Book{ID: "book", Policy: lore.PolicyWeaver(), Entries: []*lore.Entry{bad, worse, good}}, engine.BuildOptions{})
	if len(list.Errors()) < 2 || list[0].File != "world/bad.weaver" || list[0].Line != 7 {
		t.Errorf("reports = %v", list)
	}
	ix := engine.NewIndex(s)
	r := assemble(t, newEngine(t, engine.Options{}), ix, engine.Input{Why: []engine.EntryRef{{Entry: "bad"}}})
	if diff := cmp.Diff("backdrop good: Good.\n", summary(r)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := r.Trace.Absent[0].Reason; got != engine.AbsentBroken {
		t.Errorf("why bad = %s, want broken", got)
	}
}

func TestCirclesOfTriggersEnd(t *testing.T) {
	t.Parallel()
	ix := readIndex(t,
		"id: a\nconstant: true\n---\nA.<trigger id=\"b\"><trigger id=\"a\">",
		"id: b\n---\nB.<trigger id=\"c\">", "id: c\n---\nC.<trigger id=\"a\"><trigger id=\"b\">")
	r := assemble(t, newEngine(t, engine.Options{MaxTriggerPasses: 1000}), ix, engine.Input{})
	if diff := cmp.Diff("backdrop a: A.\nbackdrop b: B.\nbackdrop c: C.\n", summary(r)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestExpressionsThatExplode(t *testing.T) {
	t.Parallel()
	e := lore.NewEntry("bomb", "Bomb.")
	e.Keys = []lore.Key{{Text: `(a+)+b`, Kind: lore.KeyJS}, {Text: `(x+x+)+y`, Kind: lore.KeyRE2}, {Text: `[oops`, Kind: lore.KeyRE2}}
	fine := lore.NewEntry("fine", "Fine.")
	fine.Keys = lore.LiteralKeys("mill")
	s, list := engine.Build(&lore.Book{ID: "book", Policy: lore.PolicyWeaver(), Entries: []*lore.Entry{e, fine}}, engine.BuildOptions{})
	if len(list) != 1 || list[0].Code != "regex" {
		t.Errorf("reports = %v, want the invalid expression", list)
	}
	text := strings.Repeat("a", 30_000) + " b " + strings.Repeat("x", 30_000) + " mill y"
	r := assemble(t, newEngine(t, engine.Options{}), engine.NewIndex(s), engine.Input{Messages: says(strings.Repeat("aaab", 1), text)[1:]})
	if !strings.Contains(summary(r), "backdrop fine: Fine.") {
		t.Errorf("blocks = %q", summary(r))
	}
	for _, p := range r.Problems {
		if p.Code != "regex" || p.Entry != "bomb" {
			t.Errorf("problem = %+v", p)
		}
	}
}

func TestInvalidUTF8(t *testing.T) {
	t.Parallel()
	ix := readIndex(t, "id: a\nkeywords: [mill]\n---\nA.")
	r := assemble(t, newEngine(t, engine.Options{}), ix, engine.Input{Messages: says("\xff\xfe mill \xc3", "\xf0\x9f")})
	if diff := cmp.Diff("backdrop a: A.\n", summary(r)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if k := r.Trace.Fired[0].Reason.Keys[0]; k.Message != 0 || k.Start != 3 || k.End != 7 {
		t.Errorf("place = %+v, want bytes 3 to 7 of message 0", k)
	}
}

func TestAnIndexIsSharedByManyGoroutines(t *testing.T) {
	t.Parallel()
	book := readBook(t, "book",
		"id: a\nkeywords: [mill]\nsticky_turns: 1\n---\n$[inc_var(\"state:n\")]A {{state:n}}. [[b]]",
		"id: b\nkeywords: [ring]\nregex: ['m[aeiou]ll']\nprobability: 50\n---\nB @[core.rng(min: 1, max: 6)].",
		"id: c\nconstant: true\ncondition: '$[is_active(\"a\")]'\n---\nC.<trigger id=\"d\">", "id: d\n---\nD.")
	ix := engine.NewIndex(mustBuild(t, book))
	e := newEngine(t, engine.Options{})
	cache := engine.NewCache(2000)
	chat := says("the old mill", "a ring", "nothing", "mill and ring")
	results := make([]string, 8)
	var wg sync.WaitGroup
	for g := range results {
		wg.Go(func() {
			var s engine.State
			var out strings.Builder
			for n := range len(chat) * 5 {
				s, _ = e.Advance(t.Context(), ix, s)
				over, _ := ix.Overlay(engine.Overlay{Put: map[string][]*lore.Entry{"book": {lore.NewEntry("x", "X.")}}})
				r, err := e.Assemble(t.Context(), over, engine.Input{State: s, Messages: chat[:n%len(chat)+1], Cache: cache, Seed: 1, Trace: engine.TraceAll})
				if err != nil {
					t.Error(err)
				}
				s = r.State
				out.WriteString(summary(r))
			}
			results[g] = out.String()
		})
	}
	wg.Wait()
	for g, got := range results {
		if diff := cmp.Diff(results[0], got); diff != "" {
			t.Errorf("goroutine %d (-first +this):\n%s", g, diff)
		}
	}
}
