package engine_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/weft-memory/weft/engine"
	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/weaver"
)

func TestStateIsNeverChangedInPlace(t *testing.T) {
	t.Parallel()
	ix := readIndex(t,
		"id: a\nkeywords: [mill]\nsticky_turns: 2\ncooldown: 3\n---\n$[inc_var(\"state:n\")]$[set_var(\"local:x\", 1)]<trigger id=\"b\">",
		"id: b\ncooldown: 2\n---\nB.")
	e := newEngine(t, engine.Options{})
	s := engine.State{}.With("state", "n", weaver.Number(1))
	states := []engine.State{s}
	var texts []string
	for range 5 {
		texts = append(texts, asJSON(t, s))
		s = assemble(t, e, ix, engine.Input{State: s, Messages: says("mill")}).State
		states = append(states, s)
		texts = append(texts, asJSON(t, s))
		s = advance(t, e, ix, s)
		states = append(states, s)
	}
	texts = append(texts, asJSON(t, s))
	for i, s := range states {
		if diff := cmp.Diff(texts[i], asJSON(t, s)); diff != "" {
			t.Errorf("state %d changed later (-then +now):\n%s", i, diff)
		}
	}
}

func TestStateRoundTripsThroughJSON(t *testing.T) {
	t.Parallel()
	ix := readIndex(t,
		"id: a\nkeywords: [mill]\nsticky_turns: 2\ncooldown: 3\n---\n$[set_var(\"state:l\", [1, \"a\", true, none, {\"k\": 1.5}])]<trigger id=\"b\">",
		"id: b\n---\nB.<trigger id=\"c\">", "id: c\n---\nC.")
	e := newEngine(t, engine.Options{MaxTriggerPasses: 1})
	s := assemble(t, e, ix, engine.Input{Messages: says("mill")}).State
	if len(s.Pending) != 1 {
		t.Errorf("pending = %v, want c", s.Pending)
	}
	var back engine.State
	if err := json.Unmarshal([]byte(asJSON(t, s)), &back); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(asJSON(t, s), asJSON(t, back)); diff != "" {
		t.Errorf("(-state +read):\n%s", diff)
	}
	// The rest of the turn goes on from it: the pending entry fires.
	r := assemble(t, e, ix, engine.Input{State: back})
	if !strings.Contains(summary(r), "backdrop c: C.") {
		t.Errorf("the pending entry did not fire: %q", summary(r))
	}
	if next := advance(t, e, ix, s); len(next.Pending) != 0 {
		t.Errorf("pending after the turn = %v, want none", next.Pending)
	}
}

func TestLocalAndTempLastOneTurn(t *testing.T) {
	t.Parallel()
	ix := readIndex(t, "id: a\nconstant: true\n---\n$[set_var(\"local:x\", 1)]$[set_var(\"temp:y\", 2)]$[set_var(\"state:z\", 3)]A.")
	e := newEngine(t, engine.Options{})
	s := assemble(t, e, ix, engine.Input{}).State
	if len(s.Vars["local"]) != 1 || len(s.Vars["temp"]) != 1 {
		t.Errorf("vars = %v, want local and temp within the turn", s.Vars)
	}
	if diff := cmp.Diff([]string{"state"}, keys(e.Persistent(ix, s))); diff != "" {
		t.Errorf("persistent (-want +got):\n%s", diff)
	}
	s = advance(t, e, ix, s)
	if diff := cmp.Diff([]string{"state"}, keys(s.Vars)); diff != "" {
		t.Errorf("after the turn (-want +got):\n%s", diff)
	}
}

func keys[V any](m map[string]V) []string {
	var out []string
	for k := range m {
		out = append(out, k)
	}
	return out
}

func TestDottedNamesWriteIntoTheObject(t *testing.T) {
	t.Parallel()
	cases := []struct{ body, want string }{
		{`$[set_var("state:a.b", 1)]{{state:a.b}} $[get_var("state:a.b")] $[var_exists("state:a.c")]`, "1 1 false"},
		{`$[set_var("state:a.b.c", 1)]$[set_var("state:a.b.d", 2)]{{state:a.b.c}}{{state:a.b.d}}`, "12"},
		{`$[inc_var("state:a.n")]$[inc_var("state:a.n", 4)]{{state:a.n}}`, "5"},
		{`$[push_var("state:a.l", "x")]$[push_var("state:a.l", "y")]{{state:a.l[1]}}`, "y"},
		{`$[set_var("state:s", "text")]$[set_var("state:s.b", 1)]`, "error: type_error"},
		{`$[set_var("state:n", none)]$[set_var("state:n.b", 1)]{{state:n.b}}`, "1"},
	}
	for _, c := range cases {
		ix := readIndex(t, "id: a\nconstant: true\n---\n"+c.body)
		r, err := newEngine(t, engine.Options{Strict: true}).Assemble(t.Context(), ix, engine.Input{})
		got := ""
		var ee *engine.EvalError
		if errors.As(err, &ee) {
			got = "error: " + string(ee.Kind())
		} else if len(r.Blocks) == 1 {
			got = r.Blocks[0].Content
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.body, got, c.want)
		}
	}
}

func TestANamespaceIsBounded(t *testing.T) {
	t.Parallel()
	ix := readIndex(t, "id: a\nconstant: true\n---\n$[set_var(\"state:x\", @[text.repeat(text: \"abcdefghij\", count: 100)])]A.",
		"id: b\nconstant: true\n---\n$[set_var(\"state:y\", 1)]B.")
	r := assemble(t, newEngine(t, engine.Options{MaxState: 500}), ix, engine.Input{})
	if diff := cmp.Diff("backdrop b: B.\n", summary(r)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if len(r.Problems) != 1 || !strings.Contains(r.Problems[0].Message, "500 bytes") {
		t.Errorf("problems = %+v", r.Problems)
	}
}

func TestHostVariables(t *testing.T) {
	t.Parallel()
	ix := readIndex(t, "id: a\nconstant: true\n---\n{{char}} {{user}} {{chat:title}} {{state:gold}}")
	e := newEngine(t, engine.Options{})
	r := assemble(t, e, ix, engine.Input{
		Character: engine.Character{Name: "Ilse"},
		Vars: map[string]map[string]weaver.Value{
			"user":  {"name": weaver.String("Bram")},
			"chat":  {"title": weaver.String("Fog")},
			"state": {"gold": weaver.Number(3)},
		},
	})
	if diff := cmp.Diff("backdrop a: Ilse Bram Fog 3\n", summary(r)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	// What the host set in a writable namespace is kept, the rest is its own.
	if diff := cmp.Diff([]string{"state"}, keys(r.State.Vars)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestOnceAndKeep(t *testing.T) {
	t.Parallel()
	once := lore.NewEntry("once", "Once.")
	once.Keys, once.Once = lore.LiteralKeys("mill"), true
	keep := lore.NewEntry("keep", "Keep.")
	keep.Keys, keep.Keep = lore.LiteralKeys("mill"), true
	ix := engine.NewIndex(mustBuild(t, &lore.Book{ID: "book", Policy: lore.PolicyWeaver(), Entries: []*lore.Entry{once, keep}}))
	e := newEngine(t, engine.Options{})
	var s engine.State
	var got []string
	for _, text := range []string{"fog", "mill", "mill", "fog"} {
		s = advance(t, e, ix, s)
		r := assemble(t, e, ix, engine.Input{State: s, Messages: says(text)})
		s = r.State
		got = append(got, summary(r))
	}
	want := []string{"", "backdrop keep: Keep.\nbackdrop once: Once.\n", "backdrop keep: Keep.\n", "backdrop keep: Keep.\n"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestDeadCountersAreDropped(t *testing.T) {
	t.Parallel()
	ix := readIndex(t, "id: a\nconstant: true\n---\nA.", "id: b\nkeywords: [mill]\ncooldown: 2\n---\nB.")
	e := newEngine(t, engine.Options{})
	s := assemble(t, e, ix, engine.Input{Messages: says("mill")}).State
	if diff := cmp.Diff(map[string]int{"b": 0}, s.Books["book"].Last); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	s = advance(t, e, ix, advance(t, e, ix, s))
	if got := s.Books["book"].Last; got != nil {
		t.Errorf("last = %v, want nothing that no rule reads", got)
	}
}

// TestTheSameInputGivesTheSameBytes runs random turns twice.
func TestTheSameInputGivesTheSameBytes(t *testing.T) {
	t.Parallel()
	e := newEngine(t, engine.Options{})
	rapid.Check(t, func(rt *rapid.T) {
		var segments []*engine.Segment
		for i := range rapid.IntRange(1, 3).Draw(rt, "books") {
			policies := []lore.Policy{lore.PolicyWeaver(), lore.PolicySuzune(), lore.PolicySillyTavern()}
			book := genBook(rapid.SampledFrom(policies).Draw(rt, "policy"), false).Draw(rt, "book")
			book.ID = "book" + string(rune('0'+i))
			s, _ := engine.Build(book, engine.BuildOptions{})
			segments = append(segments, s)
		}
		in := engine.Input{Messages: genChat(rt), Seed: rapid.Uint64().Draw(rt, "seed"), Trace: engine.TraceAll}
		for _, id := range []string{"e0", "e1", "e2", "e9"} {
			in.Why = append(in.Why, engine.EntryRef{Entry: id})
		}
		first := asJSON(t, assemble(t, e, engine.NewIndex(segments...), in))
		if diff := cmp.Diff(first, asJSON(t, assemble(t, e, engine.NewIndex(segments...), in))); diff != "" {
			rt.Fatalf("(-first +second):\n%s", diff)
		}
	})
}
