package turn_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/weft-memory/weft/engine"
	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/turn"
	"github.com/weft-memory/weft/weaver/stdlib"
)

func newEngine(t testing.TB) *engine.Engine {
	t.Helper()
	e, err := engine.New(engine.Options{Registry: stdlib.NewRegistry()})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func index(t testing.TB, entries ...*lore.Entry) *engine.Index {
	t.Helper()
	s, list := engine.Build(&lore.Book{ID: "book", Policy: lore.PolicyWeaver(), Entries: entries}, engine.BuildOptions{})
	if err := list.Err(); err != nil {
		t.Fatal(err)
	}
	return engine.NewIndex(s)
}

func entry(id, content, key string, change func(*lore.Entry)) *lore.Entry {
	e := lore.NewEntry(id, content)
	e.Keys = lore.LiteralKeys(key)
	e.ScanDepth = lore.Messages(1)
	if change != nil {
		change(e)
	}
	return e
}

func timedIndex(t testing.TB) *engine.Index {
	half := 50.0
	return index(t,
		entry("storm", "Storm.", "storm", func(e *lore.Entry) { e.Sticky = 2; e.Cooldown = 5 }),
		entry("count", "$[inc_var(\"state:calls\", 1)]Call {{state:calls}}.", "call", nil),
		entry("roll", "@[core.rng(min: 1, max: 1000)]", "roll", nil),
		entry("maybe", "Maybe.", "perhaps", func(e *lore.Entry) { e.Probability = &half; e.Sticky = 1 }),
	)
}

// play runs a chat turn by turn, as a host that keeps the state does, and
// returns what the last turn gave.
func play(t testing.TB, e *engine.Engine, ix *engine.Index, messages []lore.Message) *engine.Result {
	t.Helper()
	r := turn.NewReplayer(e, turn.ReplayLimits{})
	var state engine.State
	var last *engine.Result
	for i := range messages {
		if i+1 < len(messages) && messages[i+1].Role != lore.RoleAssistant {
			continue
		}
		// The seed is that of the history, which a stateful host could take too.
		seeded, err := r.Prepare(t.Context(), ix, "w", engine.Input{Messages: messages[:i+1]})
		if err != nil {
			t.Fatal(err)
		}
		in := engine.Input{Messages: messages[:i+1], Seed: seeded.Seed}
		if in.State, err = e.Advance(t.Context(), ix, state); err != nil {
			t.Fatal(err)
		}
		if last, err = e.Assemble(t.Context(), ix, in); err != nil {
			t.Fatal(err)
		}
		state = last.State
	}
	return last
}

// TestReplayEqualsStepByStep: what a replay gives, cold, warm, or with hardly
// any memory, is what a host that kept the state would have.
func TestReplayEqualsStepByStep(t *testing.T) {
	t.Parallel()
	e, ix := newEngine(t), timedIndex(t)
	words := []string{"storm", "call", "roll", "perhaps", "nothing"}
	rapid.Check(t, func(rt *rapid.T) {
		var messages []lore.Message
		warm, tiny := turn.NewReplayer(e, turn.ReplayLimits{}), turn.NewReplayer(e, turn.ReplayLimits{States: 1})
		for i := range rapid.IntRange(1, 9).Draw(rt, "turns") {
			messages = append(messages, lore.UserMessage(rapid.SampledFrom(words).Draw(rt, "word")))
			want := asJSON(t, play(t, e, ix, messages))
			for name, r := range map[string]*turn.Replayer{"cold": turn.NewReplayer(e, turn.ReplayLimits{}), "warm": warm, "tiny": tiny} {
				in, err := r.Prepare(context.Background(), ix, "w", engine.Input{Messages: messages})
				if err != nil {
					rt.Fatal(err)
				}
				got, err := e.Assemble(context.Background(), ix, in)
				if err != nil {
					rt.Fatal(err)
				}
				if d := cmp.Diff(want, asJSON(t, got)); d != "" {
					rt.Fatalf("turn %d, %s (-want +got):\n%s", i+1, name, d)
				}
			}
			messages = append(messages, lore.AssistantMessage(fmt.Sprintf("Reply %d.", i)))
		}
	})
}

func asJSON(t testing.TB, r *engine.Result) string {
	t.Helper()
	raw, err := json.MarshalIndent(struct {
		Blocks []engine.Block
		State  engine.State
	}{r.Blocks, r.State}, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

func TestReplayKnowsTurns(t *testing.T) {
	t.Parallel()
	e, ix := newEngine(t), timedIndex(t)
	r := turn.NewReplayer(e, turn.ReplayLimits{})
	turnOf := func(roles string) int {
		in, err := r.Prepare(t.Context(), ix, "w", engine.Input{Messages: chat(roles)})
		if err != nil {
			t.Fatal(err)
		}
		return in.State.Turn
	}
	for roles, want := range map[string]int{
		"": 1, "s u": 1, "s a u": 1, "s a u a u": 2, "u a u a u a u": 4,
		"s a u a": 1, // the last message is the beginning of the reply
		"u u a u": 2,
	} {
		if got := turnOf(roles); got != want {
			t.Errorf("%q is turn %d, want %d", roles, got, want)
		}
	}
}

// TestReplaySeparatesWorlds: a state of one world is not used for another.
func TestReplaySeparatesWorlds(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	counting := index(t, entry("count", "$[inc_var(\"state:calls\", 1)]", "call", nil))
	other := index(t, entry("count", "$[inc_var(\"state:calls\", 10)]", "call", nil))
	r := turn.NewReplayer(e, turn.ReplayLimits{})
	messages := []lore.Message{lore.UserMessage("call"), lore.AssistantMessage("x"), lore.UserMessage("y")}
	for world, ix := range map[string]*engine.Index{"one": counting, "two": other} {
		in, err := r.Prepare(t.Context(), ix, world, engine.Input{Messages: messages})
		if err != nil {
			t.Fatal(err)
		}
		want := map[string]string{"one": "1", "two": "10"}[world]
		if got := in.State.Vars["state"]["calls"].Text(); got != want {
			t.Errorf("world %s: state:calls is %s, want %s", world, got, want)
		}
	}
}

func TestReplayEndsWithItsContext(t *testing.T) {
	t.Parallel()
	e, ix := newEngine(t), timedIndex(t)
	var messages []lore.Message
	for range 50 {
		messages = append(messages, lore.UserMessage("storm"), lore.AssistantMessage("x"))
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := turn.NewReplayer(e, turn.ReplayLimits{}).Prepare(ctx, ix, "w", engine.Input{Messages: append(messages, lore.UserMessage("y"))}); err == nil {
		t.Error("a cancelled replay went on")
	}
}

func ExampleLayout() {
	messages := []lore.Message{lore.SystemMessage("You are the harbour."), lore.UserMessage("I row out."), lore.AssistantMessage("Fog."), lore.UserMessage("I listen.")}
	blocks := []engine.Block{
		{Slot: lore.SlotBackdrop, Content: "The harbour freezes in winter."},
		{Slot: lore.AtDepth(1), Content: "A bell rings."},
	}
	in, _ := turn.Layout(messages, blocks, lore.Slots())
	for _, m := range turn.Apply(messages, in) {
		fmt.Println(m.Role, "-", m.Content)
	}
	// Output:
	// system - You are the harbour.
	// system - The harbour freezes in winter.
	// user - I row out.
	// assistant - Fog.
	// system - A bell rings.
	// user - I listen.
}
