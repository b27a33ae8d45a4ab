package world

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/memory"
	"github.com/weft-memory/weft/store"
)

func has(text string, parts ...string) bool {
	for _, p := range parts {
		if !strings.Contains(text, p) {
			return false
		}
	}
	return true
}

// I1, I2: what a swipe remembered goes with it, and comes back with it.
func TestSwipesCarryTheirMemories(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, f *fixture) {
		f.book()
		c := f.chat()
		_, a := f.turn(c, user("Who keeps the ford?"), "Ilka does.")
		f.apply(remember(c, a.ID, "Ilka", "Ilka keeps the ford."), addTo(c, a.ID, "vale", "mill", "Ilka was born there."))
		before := must(f.Lore(f.ctx, f.world, Place{Conversation: c}))(t).Fingerprint()
		_, b := f.turn(c, TurnRequest{Assemble: Assemble{Kind: lore.KindSwipe}}, "Brann does.")
		f.apply(remember(c, b.ID, "Brann", "Brann keeps the ford."))
		if f.text(c, "~story", "Ilka") != "" || has(f.text(c, "vale", "mill"), "born") {
			t.Error("the other swipe's memories are there")
		}
		if f.text(c, "~story", "Brann") == "" {
			t.Error("the shown swipe's memory is missing")
		}
		_, err := f.SwitchSwipe(f.ctx, f.world, a.ID)
		f.ok(err)
		if after := must(f.Lore(f.ctx, f.world, Place{Conversation: c}))(t).Fingerprint(); after != before {
			t.Error("after swiping back the lore differs from before")
		}
		if f.text(c, "~story", "Brann") != "" {
			t.Error("the memory of the swipe that was left is there")
		}
	})
}

// I4: deleting an older message takes exactly its own operations away.
func TestDeletingAMessageTakesItsOwnMemoriesOnly(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, f *fixture) {
		f.book()
		c := f.chat()
		var replies []string
		for i, fact := range []string{"One.", "Two.", "Three."} {
			_, n := f.turn(c, user("Go on."), "Yes.")
			replies = append(replies, n.ID)
			if i == 0 {
				f.apply(remember(c, n.ID, "Ilka", "Ilka lives."))
			}
			f.apply(addTo(c, n.ID, "~story", "Ilka", fact))
		}
		f.ok(f.Delete(f.ctx, f.world, replies[1]))
		if got := f.text(c, "~story", "Ilka"); !has(got, "Ilka lives.", "One.", "Three.") || has(got, "Two.") {
			t.Errorf("after deleting the second: %q", got)
		}
		if got := f.contents(c); len(got) != 5 {
			t.Errorf("messages: %q", got)
		}
		f.ok(f.Undelete(f.ctx, f.world, replies[1]))
		if got := f.text(c, "~story", "Ilka"); !has(got, "One.", "Two.", "Three.") {
			t.Errorf("after bringing it back: %q", got)
		}
	})
}

// I5: a branch sees what came before it, and nothing else.
func TestABranchSeesOnlyItsOwnPath(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, f *fixture) {
		f.book()
		c := f.chat()
		_, first := f.turn(c, user("One."), "1")
		f.apply(remember(c, first.ID, "Ilka", "Ilka lives."))
		then := must(f.Lore(f.ctx, f.world, Place{Conversation: c}))(t).Fingerprint()
		_, second := f.turn(c, user("Two."), "2")
		f.apply(addTo(c, second.ID, "~story", "Ilka", "She is old."))
		_, err := f.Branch(f.ctx, f.world, first.ID)
		f.ok(err)
		if now := must(f.Lore(f.ctx, f.world, Place{Conversation: c}))(t).Fingerprint(); now != then {
			t.Error("the branch sees other lore than its beginning had")
		}
		_, third := f.turn(c, user("Other two."), "2'")
		f.apply(addTo(c, third.ID, "~story", "Ilka", "She is young."))
		if got := f.text(c, "~story", "Ilka"); !has(got, "young") || has(got, "old") {
			t.Errorf("on the branch: %q", got)
		}
		diff := must(f.Diff(f.ctx, f.world, Place{Conversation: c, Node: second.ID}, Place{Conversation: c}))(t)
		if len(diff) != 1 || diff[0].Ref.Entry != "Ilka" {
			t.Errorf("diff: %v", diff)
		}
		if n := must(f.DeleteBranch(f.ctx, f.world, third.Parent))(t); n != 2 {
			t.Errorf("deleted %d messages, want 2", n)
		}
		_, err = f.SwitchSwipe(f.ctx, f.world, second.ID)
		f.ok(err)
		if got := f.text(c, "~story", "Ilka"); !has(got, "old") || has(got, "young") {
			t.Errorf("on the old path: %q", got)
		}
		hits := must(f.Search(f.ctx, f.world, Place{Conversation: c}, "young", true, 0))(t)
		if len(hits) != 0 {
			t.Errorf("a search finds what only the branch knew: %v", hits)
		}
	})
}

// I6: correcting a word makes nothing unhappen; reading anew does.
func TestEditsKeepMemories(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, f *fixture) {
		c := f.chat()
		_, n := f.turn(c, user("Who?"), "Ilka kepes the ford.")
		f.apply(remember(c, n.ID, "Ilka", "Ilka keeps the ford."))
		f.say(c, "Good.")
		for _, e := range []Edit{{Content: "Ilka keeps the ford."}, {Content: "Ilka keeps the ford!"}} {
			must(f.Edit(f.ctx, f.world, n.ID, e))(t)
			if f.text(c, "~story", "Ilka") == "" {
				t.Fatal("a typo cost a memory")
			}
			if got := f.contents(c); got[1] != e.Content || len(got) != 3 {
				t.Fatalf("messages: %q", got)
			}
		}
		must(f.Edit(f.ctx, f.world, n.ID, Edit{Content: "Brann keeps the ford.", Reread: true}))(t)
		if f.text(c, "~story", "Ilka") != "" {
			t.Error("what the message no longer says is remembered")
		}
	})
}

// I7: what a person wrote survives, and conflicts are told.
func TestAPersonsEditsSurvive(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, f *fixture) {
		f.book()
		c := f.chat()
		_, n := f.turn(c, user("Who?"), "Ilka.")
		f.apply(remember(c, n.ID, "Ilka", "Ilka keeps the ford."))
		info := must(f.Entry(f.ctx, f.world, Place{Conversation: c}, memory.Ref{Book: "~story", Entry: "Ilka"}))(t)
		info = must(f.EditEntry(f.ctx, f.world, Place{Conversation: c}, info.Ref, []byte(`{"content": "Ilka guards the ford."}`), info.Version))(t)
		if info.Entry.Content != "Ilka guards the ford." {
			t.Fatalf("after the edit: %q", info.Entry.Content)
		}
		_, err := f.EditEntry(f.ctx, f.world, Place{Conversation: c}, info.Ref, []byte(`{"content": "x"}`), "old")
		f.fails(err, store.Conflict)
		_, other := f.turn(c, TurnRequest{Assemble: Assemble{Kind: lore.KindSwipe}}, "Nobody.")
		if f.text(c, "~story", "Ilka") != "" {
			t.Error("the entry of the other swipe is live")
		}
		conflicts := must(f.Conflicts(f.ctx, f.world, Place{Conversation: c}))(t)
		if len(conflicts) == 0 || conflicts[0].Kind != memory.ConflictDormant {
			t.Errorf("the edit that waits is not told: %v", conflicts)
		}
		_, err = f.SwitchSwipe(f.ctx, f.world, n.ID)
		f.ok(err)
		if got := f.text(c, "~story", "Ilka"); got != "Ilka guards the ford." {
			t.Errorf("after swiping back: %q", got)
		}
		_ = other
		// An authored entry becomes a new revision, seen everywhere.
		mill := must(f.EditEntry(f.ctx, f.world, Place{Conversation: c}, memory.Ref{Book: "vale", Entry: "mill"}, []byte(`{"content": "The mill stands."}`), ""))(t)
		if mill.Entry.Content != "The mill stands." || mill.Version != "canon:2" {
			t.Errorf("the mill: %q, version %s", mill.Entry.Content, mill.Version)
		}
	})
}

// I9, I13: the same operation twice counts once.
func TestTheSameOperationTwiceIsOnce(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, f *fixture) {
		c := f.chat()
		_, n := f.turn(c, user("Who?"), "Ilka.")
		op := remember(c, n.ID, "Ilka", "Ilka keeps the ford.")
		a, b := f.apply(op), f.apply(op)
		if !a[0].Fresh || b[0].Fresh || a[0].Operation.ID != b[0].Operation.ID {
			t.Errorf("first %v %s, then %v %s", a[0].Fresh, a[0].Operation.ID, b[0].Fresh, b[0].Operation.ID)
		}
		ops, _, err := f.Operations(f.ctx, f.world, store.OperationFilter{}, store.Page{})
		f.ok(err)
		if len(ops) != 1 || ops[0].Inverse == nil {
			t.Errorf("operations: %v", ops)
		}
	})
}

func TestUndoAndRedo(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, f *fixture) {
		f.book()
		c := f.chat()
		_, n := f.turn(c, user("Who?"), "Ilka.")
		f.apply(remember(c, n.ID, "Ilka", "Ilka keeps the ford."))
		one := f.apply(addTo(c, n.ID, "~story", "Ilka", "She is old."))[0].Operation.ID
		f.apply(addTo(c, n.ID, "~story", "Ilka", "She limps."))
		with, without := f.text(c, "~story", "Ilka"), "Ilka keeps the ford. She limps."
		for range 3 { // do, undo, and do again, as often as one likes
			must(f.Undo(f.ctx, f.world, one))(t)
			if got := f.text(c, "~story", "Ilka"); got != without {
				t.Fatalf("undone: %q, want %q", got, without)
			}
			if again := must(f.Undo(f.ctx, f.world, one))(t); len(again) != 0 {
				t.Fatalf("undone twice: %v", again)
			}
			must(f.Redo(f.ctx, f.world, one))(t)
			if got := f.text(c, "~story", "Ilka"); got != with {
				t.Fatalf("redone: %q, want %q", got, with)
			}
		}
		history := must(f.History(f.ctx, f.world, Place{Conversation: c}, memory.Ref{Book: "~story", Entry: "Ilka"}))(t)
		if len(history) != 3 {
			t.Errorf("%d steps in the history, want 3", len(history))
		}
	})
}

func TestTheWorldLearnsWhatIsSettled(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, f *fixture) {
		f.book()
		a, b := f.chat(), f.chat()
		_, n := f.turn(a, user("What burns?"), "The mill, again.")
		op := remember(a, n.ID, "fire", "The mill burned twice.")
		op.Layer = memory.LayerWorld
		if done := f.apply(op); !done[0].Operation.Retracted {
			t.Error("an operation of a message that may be swiped away counts for the world")
		}
		see := func(want bool, when string) {
			t.Helper()
			for _, c := range []string{a, b} {
				if got := f.text(c, "~world", "fire") != ""; got != want {
					t.Errorf("%s: seen by %s: %v, want %v", when, c, got, want)
				}
			}
		}
		see(false, "unsettled")
		last := f.say(a, "And then?", "Tell me.")
		see(true, "settled")
		f.ok(f.Delete(f.ctx, f.world, n.ID))
		see(false, "deleted")
		f.ok(f.Undelete(f.ctx, f.world, n.ID))
		see(true, "brought back")
		_, err := f.SetHead(f.ctx, f.world, a, Root)
		f.ok(err)
		see(false, "the head at the beginning")
		_, err = f.SetHead(f.ctx, f.world, a, last)
		f.ok(err)
		see(true, "the head at the end")
		f.ok(f.DeleteConversation(f.ctx, f.world, a, 0))
		if f.text(b, "~world", "fire") != "" {
			t.Error("the world remembers a conversation that was deleted")
		}
		_, err = f.RestoreConversation(f.ctx, f.world, a)
		f.ok(err)
		see(true, "restored")
	})
}

func TestRegenerateSeesTheWorldAsTheTurnDid(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, f *fixture) {
		f.book()
		a, b := f.chat(), f.chat()
		first, _ := f.turn(b, user("The mill?"), "Ash.")
		_, n := f.turn(a, user("News?"), "The mill is gone.")
		op := addTo(a, n.ID, "vale", "mill", "It is said to be haunted.")
		op.Layer = memory.LayerWorld
		f.apply(op)
		f.say(a, "One.", "Two.") // settled: the world knows
		if !has(f.text(b, "vale", "mill"), "haunted") {
			t.Fatal("the world does not know")
		}
		again, reply := f.turn(b, TurnRequest{Assemble: Assemble{Kind: lore.KindRegenerate}}, "Cinders.")
		if d := cmp.Diff(first.Blocks, again.Blocks); d != "" {
			t.Errorf("regenerated with another world (-first +again)\n%s", d)
		}
		next, _ := f.turn(b, user("The mill, again."), "Well.")
		if !slices.ContainsFunc(next.Prompt, func(m lore.Message) bool { return has(m.Content, "haunted") }) {
			t.Error("the next turn does not see what the world learned")
		}
		// What a person wrote counts at once, for swipes too.
		own := Operation{Layer: memory.LayerWorld, Book: "vale", Entry: "mill", Kind: memory.KindPatch, Change: memory.Append("A person says so.")}
		f.apply(own)
		mine, _ := f.turn(b, TurnRequest{Assemble: Assemble{Kind: lore.KindSwipe}, At: reply.ID}, "Dust.")
		if !slices.ContainsFunc(mine.Prompt, func(m lore.Message) bool { return has(m.Content, "A person says so.") }) {
			t.Error("a person's edit is not seen")
		}
	})
}

func TestPromote(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, f *fixture) {
		f.book()
		a, b := f.chat(), f.chat()
		_, n := f.turn(a, user("Who?"), "Ilka.")
		f.apply(remember(a, n.ID, "Ilka", "Ilka keeps the ford."))
		ref := memory.Ref{Book: "~story", Entry: "Ilka"}
		if f.text(b, "~world", "Ilka") != "" {
			t.Fatal("known before")
		}
		info := must(f.Promote(f.ctx, f.world, Place{Conversation: a}, ref, memory.LayerWorld, ""))(t)
		if info.Ref.Book != "~world" || f.text(b, "~world", "Ilka") == "" {
			t.Fatalf("promoted to %s, the other conversation sees %q", info.Ref, f.text(b, "~world", "Ilka"))
		}
		if got := f.text(a, "~story", "Ilka"); got == "" {
			t.Error("the reference of the story leads nowhere")
		}
		info = must(f.Promote(f.ctx, f.world, Place{Conversation: a}, info.Ref, memory.LayerCanon, "vale"))(t)
		if info.Ref.Book != "vale" {
			t.Errorf("promoted to %s", info.Ref)
		}
		_, e, err := f.BookEntry(f.ctx, f.world, "vale", "Ilka")
		f.ok(err)
		if e.Content != "Ilka keeps the ford." {
			t.Errorf("in the book: %q", e.Content)
		}
		live := must(f.Lore(f.ctx, f.world, Place{Conversation: b}))(t).Live()
		if n := len(slices.DeleteFunc(live, func(r memory.Ref) bool { return r.Entry != "Ilka" })); n != 1 {
			t.Errorf("%d entries called Ilka are live, want 1", n)
		}
	})
}

func TestProposals(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, f *fixture) {
		f.book()
		c := f.chat()
		at := Place{Conversation: c}
		_, n := f.turn(c, user("What?"), "Nothing.")
		forget := func(entry string) {
			f.apply(Operation{
				Layer: memory.LayerStory, Conversation: c, Node: n.ID, Book: "vale", Entry: entry, Kind: memory.KindForget,
				Author: memory.Author{Kind: memory.BySidecar}, Reason: "it is over",
			})
		}
		forget("mill")
		forget("ford")
		waiting := must(f.Proposals(f.ctx, f.world, at))(t)
		if len(waiting) != 2 || f.text(c, "vale", "mill") == "" {
			t.Fatalf("proposals: %v", waiting)
		}
		must(f.Decide(f.ctx, f.world, at, waiting[0].ID, Decision{Accept: true}))(t)
		must(f.Decide(f.ctx, f.world, at, waiting[0].ID, Decision{Accept: true}))(t)
		_, err := f.Decide(f.ctx, f.world, at, waiting[0].ID, Decision{})
		f.fails(err, store.Conflict)
		must(f.Decide(f.ctx, f.world, at, waiting[1].ID, Decision{Reason: "no"}))(t)
		if left := must(f.Proposals(f.ctx, f.world, at))(t); len(left) != 0 {
			t.Errorf("left: %v", left)
		}
		if f.text(c, "vale", "mill") != "" || f.text(c, "vale", "ford") == "" {
			t.Errorf("the mill: %q, the ford: %q", f.text(c, "vale", "mill"), f.text(c, "vale", "ford"))
		}
		if _, e, _ := f.BookEntry(f.ctx, f.world, "vale", "mill"); e == nil {
			t.Error("the book was changed")
		}
	})
}

func TestActivityIsAViewOverTheLog(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, f *fixture) {
		c := f.chat()
		_, n := f.turn(c, user("Who?"), "Ilka.")
		f.apply(remember(c, n.ID, "Ilka", "Ilka keeps the ford."), addTo(c, n.ID, "~story", "Ilka", "She is old."))
		list, _, err := f.Activity(f.ctx, f.world, c, store.Page{})
		f.ok(err)
		if len(list) != 2 || list[0].Type != "update" || list[1].Type != "remember" || !list[0].Active {
			t.Errorf("activity: %+v", list)
		}
		f.turn(c, TurnRequest{Assemble: Assemble{Kind: lore.KindSwipe}}, "Nobody.")
		list, _, err = f.Activity(f.ctx, f.world, "", store.Page{})
		f.ok(err)
		if list[0].Active || list[1].Active {
			t.Error("what was swiped away is called active")
		}
	})
}

// I12, I19: every kind of operation, by a person, can be taken back and made
// again.
func TestEveryKindCanBeUndone(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, f *fixture) {
		f.book()
		c := f.chat()
		_, n := f.turn(c, user("Who?"), "Ilka and Brann.")
		f.apply(
			remember(c, n.ID, "Ilka", "Ilka keeps the ford. She is old."), remember(c, n.ID, "Brann", "Brann keeps the mill."),
			remember(c, n.ID, "Brann of the mill", "Brann has a dog."),
		)
		story := memory.StoryBook
		part := lore.NewEntry("Ilka's dog", "She is old.")
		folder := lore.NewEntry(memory.CategoryID("people"), "")
		folder.Name = "People"
		by := func(kind memory.Kind, entry string, change memory.Change) Operation {
			return Operation{Conversation: c, Layer: memory.LayerStory, Book: story, Entry: entry, Kind: kind, Change: change}
		}
		for _, op := range []Operation{
			by(memory.KindCreate, "", memory.Change{Entry: folder}),
			by(memory.KindMove, "Ilka", memory.Change{Category: "people"}),
			by(memory.KindPatch, "Ilka", memory.Change{Fields: map[string]memory.Field{"priority": {New: []byte("120")}}, Content: []memory.Hunk{{New: "She sings."}}}),
			by(memory.KindAlias, "Ilka", memory.Change{Names: []string{"the keeper"}}),
			by(memory.KindLearn, "Ilka", memory.Change{Names: []string{"Brann"}}),
			by(memory.KindLock, "Ilka", memory.Change{Names: []string{memory.LockAll}}),
			by(memory.KindUnlock, "Ilka", memory.Change{}),
			by(memory.KindMerge, "Brann", memory.Change{From: []memory.Ref{{Entry: "Brann of the mill"}}}),
			by(memory.KindSplit, "Ilka", memory.Change{Parts: []*lore.Entry{lore.NewEntry("Ilka", "Ilka keeps the ford. She sings."), part}}),
			by(memory.KindRetire, "Ilka's dog", memory.Change{}),
			by(memory.KindRestore, "Ilka's dog", memory.Change{}),
			by(memory.KindForget, "Ilka", memory.Change{}),
		} {
			print := func() string {
				t.Helper()
				return must(f.Lore(f.ctx, f.world, Place{Conversation: c}))(t).Fingerprint()
			}
			before := print()
			done := f.apply(op)
			if !done[0].Fresh || len(done[0].Conflicts) > 0 {
				t.Fatalf("%s of %q: %+v", op.Kind, op.Entry, done[0])
			}
			after := print()
			if after == before {
				t.Errorf("%s of %q changed nothing", op.Kind, op.Entry)
			}
			must(f.Undo(f.ctx, f.world, done[0].Operation.ID))(t)
			if print() != before {
				t.Errorf("%s of %q, undone, leaves something", op.Kind, op.Entry)
			}
			must(f.Redo(f.ctx, f.world, done[0].Operation.ID))(t)
			if print() != after {
				t.Errorf("%s of %q, redone, is another", op.Kind, op.Entry)
			}
		}
	})
}
