package engine_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-memory/weft/engine"
	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/weaver"
)

func TestWhyNot(t *testing.T) {
	t.Parallel()
	book := readBook(t, "book",
		"config\ntoken_budget: 40\n",
		"id: there\nkeywords: [mill]\n---\nThere.",
		"id: off\nenabled: false\nkeywords: [mill]\n---\nx",
		"id: keyless\n---\nx",
		"id: absent\nkeywords: [forge, anvil]\n---\nx",
		"id: deep\nkeywords: [harbour]\nscan_depth: 1\n---\nx",
		"id: second\nkeywords: [mill]\nsecondary_keys: [wheel]\n---\nx",
		"id: cond\nkeywords: [mill]\ncondition: '{{state:level}} > 5'\n---\nx",
		"id: cool\nkeywords: [mill]\ncooldown: 4\n---\nx",
		"id: wait\nkeywords: [mill]\ndelay: 9\n---\nx",
		"id: roll\nkeywords: [mill]\nprobability: 0\n---\nx",
		"id: big\nconstant: true\npriority: -5\n---\n"+strings.Repeat("Long story. ", 60),
		"id: placeless\nconstant: true\nslot: prelude\n---\nx",
		"id: empty\nconstant: true\n---\n{# if false #}x{# endif #}",
		"id: broken\nconstant: true\n---\n{{state:ghost}}",
		"id: skipped\nconstant: true\n---\nx",
		"id: taken\nconstant: true\n---\nx",
		"id: dropped\nconstant: true\n---\nx")
	ix := engine.NewIndex(mustBuild(t, book))
	ix, _ = ix.Overlay(engine.Overlay{Hide: map[string][]string{"book": {"secret"}}})
	hook := engine.NewHook("p", hookFuncs())
	e := newEngine(t, engine.Options{Hooks: []engine.Hook{hook}})
	s := engine.State{Turn: 3, Books: map[string]engine.BookState{"book": {Last: map[string]int{"cool": 2}}}}.
		With("state", "level", weaver.Number(3))
	in := engine.Input{Messages: says("the harbour", "the old mill"), State: s, Slots: []lore.Slot{lore.SlotBackdrop}}
	want := map[string]string{
		"there":       "present",
		"off":         "disabled",
		"keyless":     "no_keys",
		"absent":      `key_absent: none of its keys "forge", "anvil" is in the last 2 messages`,
		"deep":        `key_absent: its key "harbour" is not in the last message; "harbour" stands further back than scan_depth reaches`,
		"second":      `secondary: a key was found, but none of the secondary keys "wheel"`,
		"cond":        "condition: its condition is false",
		"cool":        "cooldown: on cooldown, 3 turns left, this one included",
		"wait":        "delay: it waits until the chat has 9 messages; it has 2",
		"roll":        "roll",
		"big":         "budget",
		"placeless":   "no_slot",
		"empty":       "empty",
		"broken":      "error",
		"skipped":     "skipped",
		"taken":       "removed",
		"dropped":     "removed",
		"secret":      "hidden",
		"ghost":       "unknown",
		"other/thing": "unbound",
	}
	for id := range want {
		book, entry, ok := strings.Cut(id, "/")
		if !ok {
			book, entry = "", id
		}
		in.Why = append(in.Why, engine.EntryRef{Book: book, Entry: entry})
	}
	r := assemble(t, e, ix, in)
	got := make(map[string]string)
	for _, a := range r.Trace.Absent {
		id := a.Entry
		if a.Reason == engine.AbsentUnbound {
			id = a.Book + "/" + id
		}
		got[id] = string(a.Reason)
		if strings.Contains(want[id], ":") {
			got[id] += ": " + a.Detail
		}
		if a.Detail == "" {
			t.Errorf("%s: no detail", id)
		}
		switch a.Reason {
		case engine.AbsentCondition:
			if diff := cmp.Diff([]engine.VarValue{{Name: "state:level", Value: "3"}}, a.Reads); diff != "" {
				t.Errorf("values that the condition saw (-want +got):\n%s", diff)
			}
		case engine.AbsentRoll:
			if a.Needed != 0 || a.Drawn < 0 || a.Drawn >= 100 {
				t.Errorf("roll = %+v", a)
			}
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestWhyMaxActive(t *testing.T) {
	t.Parallel()
	ix := readIndex(t, "id: a\nconstant: true\n---\nA.", "id: b\nconstant: true\n---\nB.")
	r := assemble(t, newEngine(t, engine.Options{MaxActive: 1}), ix, engine.Input{Why: []engine.EntryRef{{Entry: "b"}}})
	if got := r.Trace.Absent[0].Reason; got != engine.AbsentMaxActive {
		t.Errorf("reason = %s, want max_active", got)
	}
}

func TestTraceNamesThePlaceOfAKey(t *testing.T) {
	t.Parallel()
	book := readBook(t, "book",
		"id: a\nkeywords: [straße]\n---\nA.",
		"id: b\nregex: ['(?i)north\\s+gate']\n---\nB.",
		"id: c\nkeywords: [\"north\\ngate\"]\n---\nC.")
	r := assemble(t, newEngine(t, engine.Options{}), engine.NewIndex(mustBuild(t, book)), engine.Input{
		Messages: []lore.Message{
			{Content: "hidden straße", Hidden: true},
			lore.UserMessage("Öde STRASSE, north"),
			lore.UserMessage("gate or North  Gate"),
		},
	})
	got := make(map[string]engine.KeyHit)
	for _, f := range r.Trace.Fired {
		got[f.Entry] = f.Reason.Keys[0]
	}
	want := map[string]engine.KeyHit{
		"a": {Key: "straße", Message: 1, Start: len("Öde "), End: len("Öde STRASSE"), Rule: "nfkc, substring"},
		"b": {Key: `(?i)north\s+gate`, Message: 1, Start: -1, End: -1, Rule: "re2"},
		"c": {Key: "north\ngate", Message: 2, Start: -1, End: -1, Rule: "nfkc, substring"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestTraceAllHoldsReadsWritesAndNearMisses(t *testing.T) {
	t.Parallel()
	ix := readIndex(t,
		"id: a\nconstant: true\n---\n$[set_var(\"state:x\", {{state:y}} + 1)][[b]]",
		"id: b\nkeywords: [never]\n---\nB.",
		"id: c\nkeywords: [mill]\nsecondary_keys: [wheel]\n---\nC.")
	s := engine.State{}.With("state", "y", weaver.Number(1))
	r := assemble(t, newEngine(t, engine.Options{}), ix, engine.Input{State: s, Messages: says("mill"), Trace: engine.TraceAll})
	f := r.Trace.Fired[0]
	if diff := cmp.Diff([]engine.VarValue{{Name: "state:y", Value: "1"}}, f.Reads); diff != "" {
		t.Errorf("reads (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]engine.VarValue{{Name: "state:x", Value: "2"}}, f.Writes); diff != "" {
		t.Errorf("writes (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]engine.EntryRef{{Book: "book", Entry: "b"}}, f.Includes); diff != "" {
		t.Errorf("includes (-want +got):\n%s", diff)
	}
	if len(r.Trace.Absent) != 1 || r.Trace.Absent[0].Entry != "c" {
		t.Errorf("near misses = %+v, want c", r.Trace.Absent)
	}
}

func TestAbsenceAsText(t *testing.T) {
	t.Parallel()
	ix := readIndex(t, "id: a\nkeywords: [mill]\n---\nA.", "id: b\nconstant: true\n---\nB.")
	r := assemble(t, newEngine(t, engine.Options{}), ix, engine.Input{Why: []engine.EntryRef{{Entry: "a"}, {Entry: "b"}}})
	if got := r.Trace.Absent[0].String(); !strings.HasPrefix(got, "book/a: key_absent: ") {
		t.Errorf("String = %q, want the reason and its detail too", got)
	}
	if got := r.Trace.Absent[1].String(); !strings.HasPrefix(got, "book/b: present") {
		t.Errorf("String = %q, want that it is there", got)
	}
}

func TestCommonPrefix(t *testing.T) {
	t.Parallel()
	blocks := func(texts ...string) []engine.Block {
		var out []engine.Block
		for _, s := range texts {
			out = append(out, engine.Block{Entry: s[:1], Content: s, Tokens: len(s)})
		}
		return out
	}
	cases := []struct {
		prev, next []engine.Block
		want       engine.Prefix
		share      float64
	}{
		{nil, nil, engine.Prefix{}, 1},
		{nil, blocks("a"), engine.Prefix{Of: 1, OfTokens: 1, FirstChange: engine.EntryRef{Entry: "a"}}, 0},
		{blocks("aa", "b"), blocks("aa", "c", "d"), engine.Prefix{Blocks: 1, Of: 3, Tokens: 2, OfTokens: 4, FirstChange: engine.EntryRef{Entry: "c"}}, 0.5},
		{blocks("aa", "b"), blocks("aa", "b"), engine.Prefix{Blocks: 2, Of: 2, Tokens: 3, OfTokens: 3}, 1},
	}
	for i, c := range cases {
		got := engine.CommonPrefix(c.prev, c.next)
		if diff := cmp.Diff(c.want, got); diff != "" || got.Share() != c.share {
			t.Errorf("case %d: share %v, want %v (-want +got):\n%s", i, got.Share(), c.share, diff)
		}
	}
}
