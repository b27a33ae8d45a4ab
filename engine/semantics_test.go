package engine_test

import (
	"context"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-memory/weft/engine"
	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/weaver"
)

func TestAHookThatTriggersACarriedEntryRefreshesIt(t *testing.T) {
	t.Parallel()
	ix := readIndex(t,
		"id: call\nconstant: true\n---\nCall.<trigger id=\"x\">",
		"id: storm\nkeywords: [storm]\nsticky_turns: 2\n---\nStorm.",
		"id: x\n---\n")
	h := engine.NewHook("p", engine.HookFuncs{TriggerFired: func(_ context.Context, c *engine.TriggerFired) error {
		c.Triggered = []engine.EntryRef{{Book: "book", Entry: "storm"}}
		return nil
	}})
	e := newEngine(t, engine.Options{Hooks: []engine.Hook{h}})
	s := assemble(t, newEngine(t, engine.Options{}), ix, engine.Input{Messages: says("storm")}).State
	s = advance(t, e, ix, s)
	if got := s.Books["book"].Sticky["storm"]; got != 2 {
		t.Fatalf("sticky = %d, want 2", got)
	}
	s = assemble(t, e, ix, engine.Input{Messages: says("x"), State: s}).State
	if got := s.Books["book"].Sticky["storm"]; got != 3 {
		t.Errorf("sticky = %d, want 3: the trigger restarts it", got)
	}
}

func TestTooManyTriggeredEntriesAreCutButRecorded(t *testing.T) {
	t.Parallel()
	ix := readIndex(t,
		"id: a\nconstant: true\n---\nA.<trigger id=\"b\"><trigger id=\"c\">",
		"id: b\npriority: 1\n---\nB.$[inc_var(\"state:n\")]<trigger id=\"d\">",
		"id: c\npriority: 2\n---\nC.$[inc_var(\"state:n\")]",
		"id: d\n---\nD.")
	e := newEngine(t, engine.Options{MaxActive: 2, KeepCounters: true})
	r := assemble(t, e, ix, engine.Input{State: engine.State{Turn: 4}})
	if diff := cmp.Diff("backdrop a: A.\nbackdrop c: C.\n", summary(r)); diff != "" {
		t.Errorf("blocks (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]int{"a": 4, "b": 4, "c": 4}, r.State.Books["book"].Last); diff != "" {
		t.Errorf("last (-want +got):\n%s", diff)
	}
	if n, _ := r.State.Vars["state"]["n"].AsNumber(); n != 2 {
		t.Errorf("n = %v: both were evaluated before the cut", n)
	}
	if diff := cmp.Diff([]engine.EntryRef{{Book: "book", Entry: "d"}}, r.State.Pending); diff != "" {
		t.Errorf("pending (-want +got):\n%s", diff)
	}
}

func TestAnExpressionSeesTheEmptyText(t *testing.T) {
	t.Parallel()
	ix := readIndex(t, "id: a\nregex: ['^$']\nscan_depth: 0\n---\nA.", "id: b\nregex: ['^$']\n---\nB.", "id: c\nregex: ['.']\nscan_depth: 0\n---\nC.")
	r := assemble(t, newEngine(t, engine.Options{}), ix, engine.Input{Messages: says("something")})
	if diff := cmp.Diff("backdrop a: A.\n", summary(r)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestTurnAdvanceIsToldForEachBook(t *testing.T) {
	t.Parallel()
	var log []string
	hook := func(name string) engine.Hook {
		return engine.NewHook(name, engine.HookFuncs{TurnAdvance: func(_ context.Context, c *engine.TurnAdvance) error {
			log = append(log, name+" "+c.Book+" "+strconv.Itoa(c.Turn))
			return nil
		}})
	}
	one, two := readBook(t, "one", "id: a\n---\nA."), readBook(t, "two", "id: a\n---\nA.")
	ix := engine.NewIndex(mustBuild(t, one), mustBuild(t, two))
	advance(t, newEngine(t, engine.Options{Hooks: []engine.Hook{hook("p"), hook("q")}}), ix, engine.State{Turn: 1})
	if diff := cmp.Diff([]string{"p one 2", "q one 2", "p two 2", "q two 2"}, log); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestTriggersReachOtherBooksAndObeyTheirCounters(t *testing.T) {
	t.Parallel()
	one := readBook(t, "one", "id: a\nconstant: true\n---\nA.<trigger id=\"bell\">")
	two := readBook(t, "two", "id: bell\ncooldown: 2\ncondition: '{{state:quiet}} != true'\n---\nBell.")
	ix := engine.NewIndex(mustBuild(t, one), mustBuild(t, two))
	e := newEngine(t, engine.Options{})
	var s engine.State
	var got []int
	for turn := range 5 {
		s = advance(t, e, ix, s).With("state", "quiet", weaver.Bool(turn == 3))
		r := assemble(t, e, ix, engine.Input{State: s})
		s = r.State
		got = append(got, len(r.Blocks))
	}
	if diff := cmp.Diff([]int{2, 1, 2, 1, 2}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestWholeWordsOfABook(t *testing.T) {
	t.Parallel()
	ix := readIndex(t, "config\nwhole_words: true\n", "id: a\nkeywords: [ring, кот, 水]\n---\nA.")
	e := newEngine(t, engine.Options{})
	for text, want := range map[string]int{
		"a ring": 1, "spring": 0, "ringing": 0, "\"ring\"": 1, "скот": 0, "кот!": 1, "水車": 1, "": 0,
	} {
		if got := len(assemble(t, e, ix, engine.Input{Messages: says(text)}).Blocks); got != want {
			t.Errorf("%q: %d blocks, want %d", text, got, want)
		}
	}
}

func TestSecondaryKeysAndDelay(t *testing.T) {
	t.Parallel()
	clause := func(logic lore.Logic, keys ...string) *lore.Entry {
		e := lore.NewEntry("e", "E.")
		e.Keys = lore.LiteralKeys("mill")
		e.Clauses = []lore.Clause{{Logic: logic, Keys: lore.LiteralKeys(keys...)}}
		return e
	}
	e := newEngine(t, engine.Options{})
	cases := []struct {
		logic lore.Logic
		keys  string
		text  string
		want  int
	}{
		{lore.AnyOf, "wheel stone", "mill and wheel", 1},
		{lore.AnyOf, "wheel stone", "mill", 0},
		{lore.AnyOf, "wheel stone", "wheel", 0},
		{lore.AllOf, "wheel stone", "mill, wheel", 0},
		{lore.AllOf, "wheel stone", "stone mill, wheel", 1},
		{lore.NoneOf, "wheel stone", "mill", 1},
		{lore.NoneOf, "wheel stone", "mill stone", 0},
		{lore.NotAllOf, "wheel stone", "mill stone", 1},
		{lore.NotAllOf, "wheel stone", "mill stone wheel", 0},
		{lore.Never, "wheel", "mill wheel", 0},
		{lore.AnyOf, "", "mill", 0},
		{lore.AllOf, "", "mill", 1},
	}
	for _, c := range cases {
		book := &lore.Book{ID: "book", Policy: lore.PolicyWeaver(), Entries: []*lore.Entry{clause(c.logic, strings.Fields(c.keys)...)}}
		r := assemble(t, e, engine.NewIndex(mustBuild(t, book)), engine.Input{Messages: says(c.text)})
		if len(r.Blocks) != c.want {
			t.Errorf("%s %q in %q: %d blocks, want %d", c.logic, c.keys, c.text, len(r.Blocks), c.want)
		}
	}
}

func TestPlaceInsideTheChat(t *testing.T) {
	t.Parallel()
	en := lore.NewEntry("note", "Note.")
	en.Constant, en.Slot, en.Role, en.Prefix, en.Suffix = true, lore.AtDepth(3), lore.RoleUser, "[", "]"
	ix := engine.NewIndex(mustBuild(t, &lore.Book{ID: "book", Policy: lore.PolicyWeaver(), Entries: []*lore.Entry{en}}))
	r := assemble(t, newEngine(t, engine.Options{}), ix, engine.Input{Slots: []lore.Slot{}})
	if len(r.Blocks) != 1 {
		t.Fatalf("blocks = %v", r.Blocks)
	}
	b := r.Blocks[0]
	if b.Depth != 3 || b.Role != lore.RoleUser || b.Content != "[Note.]" || b.Slot != "at_depth(3)" {
		t.Errorf("block = %+v", b)
	}
}

func TestADeeperWindowInOtherUnits(t *testing.T) {
	t.Parallel()
	entry := func(a *lore.Amount) *engine.Index {
		e := lore.NewEntry("e", "E.")
		e.Keys, e.ScanDepth = lore.LiteralKeys("mill"), a
		return engine.NewIndex(mustBuild(t, &lore.Book{ID: "b", Policy: lore.PolicyWeaver(), Entries: []*lore.Entry{e}}))
	}
	e := newEngine(t, engine.Options{Tokenizer: engine.TokenizerFunc(func(s string) int { return len(strings.Fields(s)) })})
	chat := says("the old mill", "one two three", "four")
	cases := []struct {
		depth *lore.Amount
		want  int
	}{
		{lore.Chars(18), 0},
		{lore.Chars(22), 0},
		{lore.Chars(23), 1}, // mill, line break, 13, line break, 4
		{lore.Chars(0), 0},
		{lore.Messages(2), 0},
		{lore.Messages(3), 1},
		{&lore.Amount{N: 6, Unit: lore.UnitTokens}, 0},
		{&lore.Amount{N: 7, Unit: lore.UnitTokens}, 1},
	}
	for _, c := range cases {
		if got := len(assemble(t, e, entry(c.depth), engine.Input{Messages: chat}).Blocks); got != c.want {
			t.Errorf("depth %v %s: %d blocks, want %d", c.depth.N, c.depth.Unit, got, c.want)
		}
	}
}

func TestSourcesAreSearchedBesideTheChat(t *testing.T) {
	t.Parallel()
	e := lore.NewEntry("e", "E.")
	e.Keys, e.Sources = lore.LiteralKeys("Harbour master", "fog\nI am"), []lore.Source{lore.SourcePersona}
	book := &lore.Book{ID: "b", Policy: lore.PolicyWeaver(), Entries: []*lore.Entry{e}}
	ix := engine.NewIndex(mustBuild(t, book))
	eng := newEngine(t, engine.Options{})
	in := engine.Input{Messages: says("fog"), Sources: map[lore.Source]string{lore.SourcePersona: "I am the harbour master.", lore.SourceScenario: "A harbour master."}}
	r := assemble(t, eng, ix, in)
	var got []string
	for _, k := range r.Trace.Fired[0].Reason.Keys {
		got = append(got, k.Key+" in "+k.Source)
	}
	if diff := cmp.Diff([]string{"Harbour master in persona", "fog\nI am in "}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	delete(in.Sources, lore.SourcePersona)
	if r := assemble(t, eng, ix, in); len(r.Blocks) != 0 {
		t.Error("a source was searched that the entry does not ask for")
	}
}
