package world

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-memory/weft/memory"
	"github.com/weft-memory/weft/store"
)

// What was deleted long ago goes for good, and nothing else: not the edit that
// stands beside a deleted wording, and not what a person wrote because of it.
func TestPruneTakesWhatWasDeleted(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, f *fixture) {
		f.book()
		c := f.chat()
		f.say(c, "To the mill.")
		_, old := f.turn(c, user("Where is Ilka?"), "At the forge.")
		f.apply(remember(c, old.ID, "forge", "The forge is cold."))
		own := remember(c, old.ID, "note", "I asked for her.")
		own.Author = memory.Author{Kind: memory.ByPerson}
		f.apply(own)
		_, err := f.Edit(f.ctx, f.world, old.ID, Edit{Content: "At the ford.", Sibling: true})
		f.ok(err)
		f.say(c, "To the ford.")
		wrong := f.say(c, "To the fort.")
		_, err = f.Edit(f.ctx, f.world, wrong, Edit{Content: "To the fjord."})
		f.ok(err)
		f.ok(f.Delete(f.ctx, f.world, old.ID))
		f.ok(f.Delete(f.ctx, f.world, wrong))
		before := f.contents(c)
		if d := cmp.Diff([]string{"To the mill.", "Where is Ilka?", "At the ford.", "To the ford."}, before); d != "" {
			t.Fatalf("(-want +got)\n%s", d)
		}
		f.ok(f.SetRetention(f.ctx, store.Retention{Events: -1, Responses: -1, Deleted: time.Nanosecond}))
		p, err := f.Prune(f.ctx)
		f.ok(err)
		if p.Messages != 2 {
			t.Errorf("%d messages went, want 2", p.Messages)
		}
		for range 2 {
			if d := cmp.Diff(before, f.contents(c)); d != "" {
				t.Errorf("the path (-before +after)\n%s", d)
			}
			if got := f.text(c, memory.StoryBook, "note"); got != "I asked for her." {
				t.Errorf("a person's note is %q", got)
			}
			if got := f.text(c, memory.StoryBook, "forge"); got != "" {
				t.Errorf("what was remembered of the deleted reply is %q", got)
			}
			f.ok(f.Undelete(f.ctx, f.world, old.ID))
			n, err := f.Node(f.ctx, f.world, old.ID)
			f.ok(err)
			if n.Content != "" {
				t.Errorf("the erased message says %q", n.Content)
			}
			f.ok(f.Delete(f.ctx, f.world, old.ID))
			f.reopen() // the log says the same as what was in memory
		}
	})
}
