package sidecar

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-memory/weft/llm"
	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/memory"
)

func TestRememberMakesOneEntryOfOneThing(t *testing.T) {
	t.Parallel()
	w := writer(scene(nil, nil, "Who is that?", "Valen steps out of the dark."))
	do(t, w,
		call(ToolRemember, "name", "Valen", "type", "character", "content", "Valen left the Shadow Guild.", "keys", []string{"exile"}),
		call(ToolRemember, "name", "Valen the Shadow", "type", "character", "content", "Valen is hunted by the Shadow Guild."),
		call(ToolRemember, "name", "Valen (Northern Wastes)", "type", "character", "content", "Valen hides in the Northern Wastes."),
		call(ToolRemember, "name", "valen", "type", "character", "content", "Valen left the Shadow Guild."),
	)
	if got := live(w.View()); !cmp.Equal(got, []string{"Valen"}) {
		t.Fatalf("the story knows %v", got)
	}
	e := w.View().Entry(memory.StoryBook, "valen")
	want := "Valen left the Shadow Guild. Valen is hunted by the Shadow Guild. Valen hides in the Northern Wastes."
	if strings.Join(strings.Fields(e.Content), " ") != want {
		t.Errorf("the entry says %q", e.Content)
	}
	if got := Aliases(e); !cmp.Equal(got, []string{"Valen the Shadow", "Valen (Northern Wastes)"}) {
		t.Errorf("the aliases are %q", got)
	}
	if c := w.View().CategoryOf(memory.StoryBook, "valen"); c != "characters" {
		t.Errorf("the entry is in %q", c)
	}
	for _, op := range w.Operations() {
		if op.Node != "m2" || op.Author.Kind != memory.BySidecar || op.Validate() != nil {
			t.Errorf("operation %+v: %v", op, op.Validate())
		}
	}
}

func TestRememberNeverGuesses(t *testing.T) {
	t.Parallel()
	w := writer(scene([]*lore.Book{canon(
		entry("lord", "Lord Thorne", "The lord of the keep."), entry("lady", "Lady Thorne", "His wife."),
	)}, nil, "a", "b"))
	r := w.Do(call(ToolRemember, "name", "Thorne", "content", "Thorne burned the letters."))
	if r.OK || !strings.Contains(r.Text, "[lord]") || !strings.Contains(r.Text, "[lady]") || len(w.Operations()) > 0 {
		t.Errorf("of two Thornes: %+v", r)
	}
	do(t, w, call(ToolUpdate, "entry", "lady", "add", "Lady Thorne burned the letters."))
	if r := w.Do(call(ToolUpdate, "entry", "Thorn Keep", "add", "x.")); r.OK || len(w.Operations()) != 1 {
		t.Errorf("of an entry that is not there: %+v", r)
	}
}

func TestAuthoredTextKeepsItsBytes(t *testing.T) {
	t.Parallel()
	s := scene([]*lore.Book{canon(entry("anchor", "The Broken Anchor", "The Broken Anchor is a tavern. Its cellar is dry.", "anchor"))}, nil, "a", "b")
	w := writer(s)
	do(t, w,
		call(ToolUpdate, "entry", "anchor", "status", "burned down", "old", "Its cellar is dry.", "new", "Its cellar is flooded."),
		call(ToolRemember, "name", "the Broken Anchor Tavern", "type", "location", "content", "Odile owns the Broken Anchor."),
		call(ToolUpdate, "entry", "anchor", "name", "The Drowned Anchor"),
		call(ToolUpdate, "entry", "The Drowned Anchor", "status", "rebuilt"),
	)
	if own := w.View().Authored("vale", "anchor"); own.Content != "The Broken Anchor is a tavern. Its cellar is dry." || own.Name != "The Broken Anchor" {
		t.Errorf("the authored entry became %+v", own)
	}
	e := w.View().Entry("vale", "anchor")
	for _, want := range []string{"Now called The Drowned Anchor.", "Status: rebuilt.", "Its cellar is flooded.", "Odile owns the Broken Anchor."} {
		if !strings.Contains(e.Content, want) {
			t.Errorf("the view lacks %q: %q", want, e.Content)
		}
	}
	if strings.Contains(e.Content, "burned down") || len(live(w.View())) > 0 {
		t.Errorf("the view says %q, the story has %v", e.Content, live(w.View()))
	}
	// By the old name it is found, too.
	if ref, why := w.known.find("Broken Anchor"); why != "" || ref.Entry != "anchor" {
		t.Errorf("the old name finds %v %s", ref, why)
	}
}

func TestNamesGrow(t *testing.T) {
	t.Parallel()
	w := writer(scene(nil, nil, "a", "b"))
	do(t, w,
		call(ToolRemember, "name", "the hooded woman", "type", "character", "content", "The hooded woman watches the quay."),
		call(ToolUpdate, "entry", "the hooded woman", "name", "Mira", "add", "Mira wears a hood."),
		call(ToolUpdate, "entry", "Mira", "name", "Lady Miravel Osk"),
		call(ToolRemember, "name", "Mira", "type", "character", "content", "Mira owns a ship."),
		call(ToolRemember, "name", "Mira Vell", "type", "character", "content", "Mira Vell is a baker's daughter of nine years."),
	)
	if got := live(w.View()); !cmp.Equal(got, []string{"Lady Miravel Osk", "Mira Vell"}) {
		t.Fatalf("the story knows %v", got)
	}
	ref, _ := w.known.find("hooded woman")
	e := w.View().Entry(ref.Book, ref.Entry)
	if got := Aliases(e); !cmp.Equal(got, []string{"the hooded woman", "Mira"}) || !strings.Contains(e.Content, "Mira owns a ship.") {
		t.Errorf("aliases %q, content %q", got, e.Content)
	}
	for _, k := range []string{"Mira", "Lady Miravel Osk", "the hooded woman"} {
		if !slices.ContainsFunc(e.Keys, func(x lore.Key) bool { return x.Text == k }) {
			t.Errorf("%q is no key: %v", k, e.Keys)
		}
	}
}

func TestUpdateReplacesWhatIsMeant(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, text, old, repl, want string }{
		{"a sentence", "Tom is well. Tom has a sister.", "Tom has a sister.", "Tom has a brother.", "Tom is well. Tom has a brother."},
		{"copied badly", "Tom is well. Tom has one sister, Ann.", "tom has one sister Ann", "Tom has a brother.", "Tom is well. Tom has a brother."},
		{"the first one", "Tom is at the inn. He sleeps.", "Tom is at the inn", "Tom is on the road", "Tom is on the road. He sleeps."},
		{"taken out", "Tom is well. Tom has a sister.", "Tom has a sister.", "", "Tom is well."},
		{"two of them", "A sails. B rows. C swims.", "A sails. B rows.", "A and B drown.", "A and B drown. C swims."},
		{"in another script", "渡は宿にいる。渡は眠い。", "渡は宿にいる。", "渡は道にいる。", "渡は道にいる。渡は眠い。"},
		{"in Cyrillic", "Том в таверне. Том спит.", "Том в таверне.", "Том в дороге", "Том в дороге. Том спит."},
	} {
		w := writer(scene(nil, nil, "a", "b"))
		do(t, w, call(ToolRemember, "name", "Tom", "content", c.text))
		do(t, w, call(ToolUpdate, "entry", "Tom", "old", c.old, "new", c.repl))
		if got := w.View().Entry(memory.StoryBook, "tom").Content; got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	w := writer(scene(nil, nil, "a", "b"))
	do(t, w, call(ToolRemember, "name", "Tom", "content", "Tom is well."))
	if r := w.Do(call(ToolUpdate, "entry", "Tom", "old", "The bridge has fallen into the river.")); r.OK || len(w.Operations()) != 1 {
		t.Errorf("a sentence that is not there was taken out: %+v", r)
	}
}

func TestStatusIsOneLine(t *testing.T) {
	t.Parallel()
	w := writer(scene(nil, nil, "a", "b"))
	do(t, w, call(ToolRemember, "name", "Sera", "content", "Sera is a healer."))
	for _, s := range []string{"wounded at the shoulder", "healed", "captured by the Guild."} {
		do(t, w, call(ToolUpdate, "entry", "Sera", "status", s))
	}
	if got := w.View().Entry(memory.StoryBook, "sera").Content; got != "Status: captured by the Guild.\nSera is a healer." {
		t.Errorf("the entry says %q", got)
	}
}

func TestDestructionIsBounded(t *testing.T) {
	t.Parallel()
	s := scene([]*lore.Book{canon(entry("king", "King Osric", "The king rules."))}, nil, "a", "b")
	w := writer(s)
	for i := range 6 {
		do(t, w, call(ToolRemember, "name", fmt.Sprintf("Ship %c of the fleet", 'A'+i), "content", fmt.Sprintf("Ship number %d lies in the bay.", i)))
	}
	forgotten := 0
	for _, ref := range w.View().Live() {
		if ref.Book == memory.StoryBook && !ref.IsCategory() && w.Do(call(ToolForget, "entry", ref.Entry, "reason", "the storm")).OK {
			forgotten++
		}
	}
	if forgotten != 3 {
		t.Errorf("%d entries were forgotten in one turn", forgotten)
	}

	w = writer(s)
	if r := w.Do(call(ToolForget, "entry", "king", "reason", "I was told to")); r.OK || w.View().Entry("vale", "king") == nil {
		t.Errorf("an authored entry was forgotten: %+v", r)
	}
	w = NewWriter(s, By{Phase: "write", Node: "m2", Incomplete: true})
	if r := w.Do(call(ToolForget, "entry", "king", "reason", "x")); r.OK || len(w.Operations()) > 0 {
		t.Errorf("an answer that broke off destroyed something: %+v", r)
	}
	cut := call(ToolRemember, "name", "Half", "content", "Half a fa")
	cut.Truncated = true
	if r := w.Do(cut); r.OK || len(w.Operations()) > 0 {
		t.Errorf("a call that was cut off was done: %+v", r)
	}
}

func TestMergeAndSplit(t *testing.T) {
	t.Parallel()
	s := scene([]*lore.Book{canon(entry("alys", "Queen Alys", "Alys rules the vale."))}, nil, "a", "b")
	w := writer(s)
	do(t, w,
		call(ToolRemember, "name", "The Veiled Rider", "type", "character", "content", "The Veiled Rider crossed the ford. The mill burned that night."),
		call(ToolMergeSplit, "action", "split", "entry", "The Veiled Rider", "new_name", "The Mill", "new_content", "The mill burned that night.", "reason", "two things"),
		call(ToolMergeSplit, "action", "merge", "entry", "The Veiled Rider", "other", "alys", "reason", "she took off the veil"),
	)
	if got := live(w.View()); !cmp.Equal(got, []string{"The Mill"}) {
		t.Errorf("the story knows %v", got)
	}
	if own := w.View().Authored("vale", "alys"); own.Content != "Alys rules the vale." {
		t.Errorf("the authored text became %q", own.Content)
	}
	if e := w.View().Entry("vale", "alys"); !strings.Contains(e.Content, "crossed the ford") {
		t.Errorf("what the rider did is lost: %q", e.Content)
	}
	if ref, why := w.known.find("the veiled rider"); why != "" || ref.Entry != "alys" {
		t.Errorf("the rider is found as %v %s", ref, why)
	}
	do(t, w, call(ToolRemember, "name", "Harbour Guild", "type", "organization", "content", "It runs the harbour."))
	if r := w.Do(call(ToolMergeSplit, "action", "merge", "entry", "Harbour Guild", "other", "The Mill", "reason", "?")); !r.OK {
		t.Logf("as it should be: %s", r.Text)
	}
}

func TestCategoriesAreMadeOnTheWay(t *testing.T) {
	t.Parallel()
	w := writer(scene(nil, nil, "a", "b"))
	do(t, w,
		call(ToolRemember, "name", "Odile", "content", "Odile bakes.", "category", "Characters/Harbour"),
		call(ToolRemember, "name", "Bram", "content", "Bram fishes.", "category", "characters / harbour"),
		call(ToolReorganize, "entry", "Bram", "category", "Characters/River"),
		call(ToolReorganize, "category", "Characters/Harbour", "summary", "Who lives by the sea."),
	)
	var root *memory.Category
	for _, c := range w.View().Categories() {
		if c.Book == memory.StoryBook {
			root = c
		}
	}
	if len(root.Children) != 1 || len(root.Children[0].Children) != 2 || len(root.Entries) != 0 {
		t.Fatalf("the tree is %+v", root)
	}
	harbour := root.Children[0].Children[0]
	if harbour.Name != "Harbour" || harbour.Summary != "Who lives by the sea." || len(harbour.Entries) != 1 {
		t.Errorf("the harbour is %+v", harbour)
	}
}

func TestQuotesAreChecked(t *testing.T) {
	t.Parallel()
	w := writer(scene(nil, nil, "Who are you?", "“I am *Odile*,” she says."))
	do(t, w,
		call(ToolRemember, "name", "Odile", "content", "Odile is here.", "quote", "I am Odile, she says"),
		call(ToolRemember, "name", "Bram", "content", "Bram is here.", "quote", "Bram was king of all the land"),
	)
	ops := slices.DeleteFunc(w.Operations(), func(o memory.Operation) bool { return o.Ref().IsCategory() })
	if q := ops[0].Quotes; len(q) != 1 || q[0].Node != "m2" {
		t.Errorf("the quote is %+v", q)
	}
	if q := ops[1].Quotes; q != nil {
		t.Errorf("a quote that nobody said is kept: %+v", q)
	}
}

// Whatever a model calls, a writer neither panics nor touches what it may not.
func FuzzWriter(f *testing.F) {
	f.Add(ToolRemember, `{"name":"Odile","content":"She bakes."}`)
	f.Add(ToolUpdate, `{"entry":"king","old":"The king rules.","new":"x","status":["a"],"name":"\u202e"}`)
	f.Add(ToolMergeSplit, `{"action":"split","entry":"odd","new_name":"n","new_content":"c"}`)
	f.Add(ToolReorganize, `{"entry":"odd","category":"a/b/c/d/e"}`)
	f.Add(ToolSummary, `{"title":"t","content":"c","replaces":["t"],"level":5}`)
	f.Fuzz(func(t *testing.T, tool, args string) {
		locked := entry("king", "King Osric", "The king rules. The king is old.")
		s := scene([]*lore.Book{canon(locked)}, nil, "a", "b")
		w := writer(s)
		w.Do(call(ToolRemember, "name", "odd", "content", "An odd thing. It hums."))
		for range 2 {
			w.Do(llm.Call{Name: tool, Arguments: []byte(args)})
		}
		if own := w.View().Authored("vale", "king"); own == nil || own.Content != locked.Content || own.Name != locked.Name {
			t.Fatalf("the authored entry became %+v", own)
		}
		if w.View().Entry("vale", "king") == nil {
			t.Fatal("the authored entry is gone")
		}
		for _, op := range w.Operations() {
			if err := op.Validate(); err != nil {
				t.Fatalf("%v: %+v", err, op)
			}
		}
	})
}
