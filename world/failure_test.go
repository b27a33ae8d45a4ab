package world

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/memory"
)

// The tests of this file are, like those of memory's rollback_test.go, ways in
// which memory tools of this field are known to go wrong, seen from the service.
// docs/invariants.md lists them all.

// A tool that makes its entry anew in each run ended with dozens of one: what
// is there is found again.
func TestNineRunsMakeOneEntry(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, f *fixture) {
		f.book()
		c := f.chat()
		_, n := f.turn(c, user("Who?"), "Ilka.")
		for range 9 {
			f.apply(remember(c, n.ID, "Ilka", "Ilka keeps the ford."))
		}
		if got := f.text(c, "~story", "Ilka"); got != "Ilka keeps the ford." {
			t.Errorf("the entry says %q", got)
		}
		l := must(f.Lore(f.ctx, f.world, Place{Conversation: c}))(t)
		story := 0
		for _, r := range l.Live() {
			if r.Book == memory.StoryBook {
				story++
			}
		}
		if story != 1 {
			t.Errorf("%d entries live in the story, want 1", story)
		}
	})
}

// A name that changes changes nothing that refers to the entry: references are
// ids (I12).
func TestARenameKeepsIDAndReferences(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, f *fixture) {
		f.book()
		c := f.chat()
		_, n := f.turn(c, user("Who?"), "Tom.")
		f.apply(remember(c, n.ID, "tom", "Tom is a guard."), remember(c, n.ID, "dog", "Tom's dog."))
		f.apply(Operation{Layer: memory.LayerStory, Conversation: c, Node: n.ID, Book: memory.StoryBook, Entry: "dog", Kind: memory.KindMove, Author: memory.Author{Kind: memory.BySidecar}, Change: memory.Change{Category: "beasts"}})
		e := must(f.EditEntry(f.ctx, f.world, Place{Conversation: c}, memory.Ref{Book: memory.StoryBook, Entry: "tom"}, json.RawMessage(`{"name":"The sergeant"}`), ""))(t)
		if e.Ref.Entry != "tom" || e.Entry.Name != "The sergeant" {
			t.Errorf("the entry is now %v, called %q", e.Ref, e.Entry.Name)
		}
		f.apply(addTo(c, n.ID, memory.StoryBook, "tom", "He sings."))
		if got := f.text(c, memory.StoryBook, "tom"); got != "Tom is a guard. He sings." {
			t.Errorf("what refers to it leads to %q", got)
		}
		history := must(f.History(f.ctx, f.world, Place{Conversation: c}, memory.Ref{Book: memory.StoryBook, Entry: "tom"}))(t)
		if len(history) != 3 {
			t.Errorf("its history has %d steps, want 3", len(history))
		}
	})
}

// The reply that is being replaced is no part of what is searched: neither its
// words nor what was remembered of it reach the prompt of the next one.
func TestARejectedReplyFiresNothing(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, f *fixture) {
		f.book()
		c := f.chat()
		_, n := f.turn(c, user("Go on."), "They reach the mill.")
		f.apply(remember(c, n.ID, "raven", "The raven speaks."), addTo(c, n.ID, "vale", "luck", "It is a bad sign."))
		for range 3 { // regenerate three times is regenerate once (I8)
			turn := must(f.BeginTurn(f.ctx, f.world, c, TurnRequest{Assemble: Assemble{Kind: lore.KindSwipe}, At: n.ID}))(t)
			for _, b := range turn.Assembly.Blocks {
				if b.Entry == "mill" || b.Entry == "raven" || has(b.Content, "bad sign") {
					t.Errorf("the rejected reply fired %s: %q", b.Entry, b.Content)
				}
			}
			for _, m := range turn.Assembly.Prompt {
				if has(m.Content, "They reach") {
					t.Errorf("the prompt holds the rejected reply: %q", m.Content)
				}
			}
		}
	})
}

// When every message is gone nothing is left of them: the lore, and the prompt of
// the next reply, are those of a conversation that has just begun.
func TestNothingIsLeftOfDeletedMessages(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, f *fixture) {
		f.book()
		c, fresh := f.chat(), f.chat()
		var nodes []string
		for range 4 {
			turn, n := f.turn(c, user("To the ford!"), "The ford is deep.")
			nodes = append(nodes, turn.Added[0].ID, n.ID)
			op := remember(c, n.ID, "depth", "It is deep.")
			op.Layer = memory.LayerWorld
			f.apply(op, addTo(c, n.ID, "vale", "ford", "Deep."))
		}
		f.ok(f.Delete(f.ctx, f.world, nodes...))
		a := must(f.Lore(f.ctx, f.world, Place{Conversation: c}))(t)
		b := must(f.Lore(f.ctx, f.world, Place{Conversation: fresh}))(t)
		if a.Fingerprint() != b.Fingerprint() {
			t.Errorf("the lore (-fresh +emptied)\n%s", cmp.Diff(b.Records(), a.Records()))
		}
		x := must(f.Assemble(f.ctx, f.world, c, "", Assemble{}))(t)
		y := must(f.Assemble(f.ctx, f.world, fresh, "", Assemble{}))(t)
		if d := cmp.Diff(y.Prompt, x.Prompt); d != "" {
			t.Errorf("the prompt (-fresh +emptied)\n%s", d)
		}
	})
}
