package world

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-memory/weft/engine"
	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/memory"
	"github.com/weft-memory/weft/store"
)

func TestATurnIsRepeatable(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, f *fixture) {
		f.book()
		c := f.chat()
		first, reply := f.turn(c, user("I ride to the mill."), "It is a ruin.")
		if !slices.Contains(blocks(&first.Assembly), "mill") {
			t.Fatalf("the mill is not in the prompt: %v", blocks(&first.Assembly))
		}
		if first.Prompt[0].Role != lore.RoleSystem || len(first.Prompt) != 2 {
			t.Errorf("prompt: %v", first.Prompt)
		}
		// Regenerate many times: each is computed from the state before the turn.
		var last *Turn
		for range 3 {
			last, _ = f.turn(c, TurnRequest{Assemble: Assemble{Kind: lore.KindRegenerate}}, "Ash.")
			if d := cmp.Diff(first.State, last.State); d != "" {
				t.Fatalf("the state after another reply differs (-first +again)\n%s", d)
			}
			if d := cmp.Diff(first.Blocks, last.Blocks); d != "" {
				t.Fatalf("the blocks differ (-first +again)\n%s", d)
			}
		}
		if last.Parent != reply.Parent {
			t.Errorf("the new reply follows %s, the old one %s", last.Parent, reply.Parent)
		}
		if d := cmp.Diff([]string{"I ride to the mill.", "Ash."}, f.contents(c)); d != "" {
			t.Error(d)
		}
		path := must(f.Path(f.ctx, f.world, c, PathOptions{}))(t)
		if got := path[1]; len(got.Swipes) != 4 || got.At != 3 {
			t.Errorf("swipes %v at %d, want 4 at 3", got.Swipes, got.At)
		}
	})
}

func TestRederiveGivesTheSameBytes(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, f *fixture) {
		f.book()
		c := f.chat()
		type kept struct {
			node  string
			bytes string
		}
		var all []kept
		keep := func(turn *Turn, n store.Node) {
			all = append(all, kept{n.ID, bytesOf(t, &turn.Assembly)})
		}
		keep(f.turn(c, user("I ride to the ford."), "The water is low."))
		_, second := f.turn(c, user("And the mill?"), "Burned.")
		f.apply(remember(c, second.ID, "Ilka", "Ilka keeps the ford."), addTo(c, second.ID, "vale", "mill", "Smoke still rises."))
		keep(f.turn(c, user("I ask Ilka about the mill."), "She nods."))
		keep(f.turn(c, TurnRequest{Assemble: Assemble{Kind: lore.KindSwipe}}, "She shrugs."))
		keep(f.turn(c, TurnRequest{Assemble: Assemble{Kind: lore.KindContinue}}, " Then she leaves."))
		// Everything changes afterwards.
		_, err := f.PatchBookEntry(f.ctx, f.world, "vale", "mill", []byte(`{"content": "A new mill stands there."}`), SaveBook{})
		f.ok(err)
		f.ok(f.Delete(f.ctx, f.world, second.ID))
		_, err = f.Edit(f.ctx, f.world, all[0].node, Edit{Content: "The water is high."})
		f.ok(err)
		f.ok(f.Hide(f.ctx, f.world, true, all[0].node))
		for range 2 {
			for i, k := range all {
				a := must(f.Rederive(f.ctx, f.world, k.node, engine.TraceFired))(t)
				if d := cmp.Diff(k.bytes, bytesOf(t, &a)); d != "" {
					t.Errorf("reply %d (-then +now)\n%s", i, d)
				}
			}
			f.reopen()
		}
	})
}

func TestFinishTurnIsIdempotent(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, f *fixture) {
		f.book()
		c := f.chat()
		turn := must(f.BeginTurn(f.ctx, f.world, c, user("Hello.")))(t)
		n := must(f.FinishTurn(f.ctx, f.world, turn.ID, Reply{Content: "Well met."}))(t)
		again := must(f.FinishTurn(f.ctx, f.world, turn.ID, Reply{Content: "Well met."}))(t)
		if n.ID != again.ID || n.ID != turn.ID {
			t.Errorf("ids %s, %s, want %s", n.ID, again.ID, turn.ID)
		}
		_, err := f.FinishTurn(f.ctx, f.world, turn.ID, Reply{Content: "Away!"})
		f.fails(err, store.Conflict)
		_, err = f.FinishTurn(f.ctx, f.world, "nothing", Reply{Content: "Away!"})
		f.fails(err, store.NotFound)
		if got := f.contents(c); len(got) != 2 {
			t.Errorf("messages: %q", got)
		}
	})
}

func TestATurnIsFinishedByAnotherServer(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, f *fixture) {
		f.book()
		c := f.chat()
		f.turn(c, user("To the ford."), "Here.")
		turn := must(f.BeginTurn(f.ctx, f.world, c, user("And the mill.")))(t)
		f.reopen() // nothing is in memory
		n := must(f.FinishTurn(f.ctx, f.world, turn.ID, Reply{Content: "There."}))(t)
		if d := cmp.Diff(turn.State, must(f.State(f.ctx, f.world, Place{Conversation: c}))(t)); d != "" {
			t.Errorf("state (-begun +kept)\n%s", d)
		}
		a := must(f.Rederive(f.ctx, f.world, n.ID, engine.TraceFired))(t)
		if d := cmp.Diff(bytesOf(t, &turn.Assembly), bytesOf(t, &a)); d != "" {
			t.Error(d)
		}
	})
}

func TestAReplyThatComesLateDoesNotMoveTheReader(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, f *fixture) {
		c := f.chat()
		_, first := f.turn(c, user("One."), "1")
		turn := must(f.BeginTurn(f.ctx, f.world, c, user("Two.")))(t)
		_, err := f.Branch(f.ctx, f.world, first.ID)
		f.ok(err)
		f.say(c, "Another way.")
		n := must(f.FinishTurn(f.ctx, f.world, turn.ID, Reply{Content: "2"}))(t)
		if d := cmp.Diff([]string{"One.", "1", "Another way."}, f.contents(c)); d != "" {
			t.Error(d)
		}
		_, err = f.SwitchSwipe(f.ctx, f.world, n.ID)
		f.ok(err)
		if d := cmp.Diff([]string{"One.", "1", "Two.", "2"}, f.contents(c)); d != "" {
			t.Error(d)
		}
	})
}

func TestWhatStoresNothing(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, f *fixture) {
		f.book()
		c := f.chat()
		f.turn(c, user("To the ford."), "Here.")
		before := must(f.State(f.ctx, f.world, Place{Conversation: c}))(t)
		for range 3 {
			must(f.Assemble(f.ctx, f.world, c, "", Assemble{}))(t)
		}
		quiet := must(f.BeginTurn(f.ctx, f.world, c, TurnRequest{Assemble: Assemble{Kind: lore.KindQuiet}}))(t)
		_, err := f.FinishTurn(f.ctx, f.world, quiet.ID, Reply{Content: "…"})
		f.fails(err, store.NotFound)
		said := must(f.BeginTurn(f.ctx, f.world, c, TurnRequest{Assemble: Assemble{Kind: lore.KindImpersonate}}))(t)
		n := must(f.FinishTurn(f.ctx, f.world, said.ID, Reply{Content: "I wade in."}))(t)
		if n.Role != lore.RoleUser || n.Name != "User" {
			t.Errorf("impersonated: %s %q", n.Role, n.Name)
		}
		if d := cmp.Diff(before, must(f.State(f.ctx, f.world, Place{Conversation: c}))(t)); d != "" {
			t.Errorf("state\n%s", d)
		}
		_, err = f.Rederive(f.ctx, f.world, n.ID, 0)
		f.fails(err, store.NotFound)
	})
}

func TestContinueKeepsTheState(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, f *fixture) {
		f.book()
		c := f.chat()
		_, reply := f.turn(c, user("To the ford."), "Here")
		f.apply(remember(c, reply.ID, "Ilka", "Ilka keeps the ford."))
		before := must(f.State(f.ctx, f.world, Place{Conversation: c}))(t)
		turn, n := f.turn(c, TurnRequest{Assemble: Assemble{Kind: lore.KindContinue}}, " it is.")
		if last := turn.Messages[len(turn.Messages)-1]; last.Content != "Here" || last.Role != lore.RoleAssistant {
			t.Errorf("the last message is %v", last)
		}
		if d := cmp.Diff([]string{"To the ford.", "Here it is."}, f.contents(c)); d != "" {
			t.Error(d)
		}
		if d := cmp.Diff(before, must(f.State(f.ctx, f.world, Place{Conversation: c}))(t)); d != "" {
			t.Errorf("state\n%s", d)
		}
		if got := f.text(c, "~story", "Ilka"); got == "" {
			t.Error("continuing lost what was remembered")
		}
		again := must(f.FinishTurn(f.ctx, f.world, turn.ID, Reply{Content: " it is."}))(t)
		if again.ID != n.ID || f.contents(c)[1] != "Here it is." {
			t.Errorf("finished again: %q", f.contents(c))
		}
		// The next turn goes on behind it.
		f.turn(c, user("Onwards."), "Yes.")
		if got := f.contents(c); len(got) != 4 {
			t.Errorf("messages: %q", got)
		}
	})
}

func TestWhyNot(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, f *fixture) {
		f.book()
		c := f.chat()
		_, reply := f.turn(c, user("To the ford."), "Here.")
		for _, at := range []string{reply.ID, ""} {
			why := must(f.Why(f.ctx, f.world, c, at, engine.EntryRef{Entry: "mill"}, engine.EntryRef{Entry: "nothing"}))(t)
			if len(why) != 2 || why[0].Reason != engine.AbsentKey || why[1].Reason != engine.AbsentUnknown {
				t.Errorf("at %q: %v", at, why)
			}
		}
	})
}

func TestAFailingHookIsLeftOut(t *testing.T) {
	t.Parallel()
	bad := engine.NewHook("weather", engine.HookFuncs{PostActivation: func(context.Context, *engine.PostActivation) error {
		return errors.New("no answer")
	}})
	f := newFixture(t, t.TempDir()+"/weft.db", Options{Hooks: []engine.Hook{bad}})
	f.book()
	c := f.chat()
	turn, n := f.turn(c, user("To the mill."), "Here.")
	if !slices.Contains(blocks(&turn.Assembly), "mill") || len(turn.Problems) != 1 || turn.Problems[0].Code != "hook" {
		t.Errorf("blocks %v, problems %v", blocks(&turn.Assembly), turn.Problems)
	}
	a := must(f.Rederive(f.ctx, f.world, n.ID, 0))(t)
	if d := cmp.Diff(turn.Prompt, a.Prompt); d != "" {
		t.Error(d)
	}
}

func TestAssembleAChatThatIsNotStored(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, f *fixture) {
		f.book()
		chat := []lore.Message{lore.UserMessage("To the ford."), lore.AssistantMessage("Here."), lore.UserMessage("Rest.")}
		a := must(f.AssembleMessages(f.ctx, f.world, chat, nil, Settings{}, Assemble{}))(t)
		if !slices.Contains(blocks(&a), "ford") {
			t.Errorf("the ford is sticky and missing: %v", blocks(&a))
		}
		b := must(f.AssembleMessages(f.ctx, f.world, chat, nil, Settings{}, Assemble{}))(t)
		if d := cmp.Diff(bytesOf(t, &a), bytesOf(t, &b)); d != "" {
			t.Error(d)
		}
	})
}

// A turn that was begun is the same when it is asked for again, whatever has
// happened since and whichever server is asked.
func TestATurnIsAsItWasBegun(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, f *fixture) {
		f.book()
		c := f.chat()
		_, old := f.turn(c, user("To the mill."), "It burned.")
		f.apply(remember(c, old.ID, "Ilka", "Ilka saw it."))
		begun, err := f.BeginTurn(f.ctx, f.world, c, user("Is Ilka at the ford?"))
		f.ok(err)
		want := bytesOf(t, &begun.Assembly)
		f.apply(addTo(c, old.ID, memory.StoryBook, "Ilka", "She left."))
		_, err = f.PatchBookEntry(f.ctx, f.world, "vale", "ford", []byte(`{"content": "The ford is deep."}`), SaveBook{})
		f.ok(err)
		_, err = f.Edit(f.ctx, f.world, old.ID, Edit{Content: "It stands."})
		f.ok(err)
		for range 2 {
			again, err := f.Turn(f.ctx, f.world, begun.ID, engine.TraceFired)
			f.ok(err)
			if d := cmp.Diff(want, bytesOf(t, &again.Assembly)); d != "" {
				t.Errorf("(-begun +again)\n%s", d)
			}
			if again.Parent != begun.Parent || again.Conversation != c {
				t.Errorf("the turn is %+v", again)
			}
			f.reopen()
		}
		_, err = f.FinishTurn(f.ctx, f.world, begun.ID, Reply{Content: "She is."})
		f.ok(err)
		_, err = f.Turn(f.ctx, f.world, begun.ID, engine.TraceFired)
		f.fails(err, store.NotFound)
	})
}
