package memory

import (
	"slices"
	"strings"
	"testing"

	"github.com/weft-memory/weft/lore"
)

// The tests of this file are the ways in which memory tools of this field are
// known to go wrong, each with what must happen instead.

func TestSwipeToANewReplyAndBack(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.say("u1")
	a, b := s.path.Append(Step{Node: "a"}), s.path.Append(Step{Node: "b"})
	s.create("a", "tom", "Tom lies dead.")
	s.append("a", "alys", "She mourns Tom.")
	s.create("b", "tom", "Tom fled.")
	wantText(t, s.viewAt(a), StoryBook, "tom", "Tom lies dead.")
	wantText(t, s.viewAt(b), StoryBook, "tom", "Tom fled.")
	wantText(t, s.viewAt(b), "vale", "alys", s.base[0].Entry("alys").Content)

	// Only the swipe shown counts, as if the other had never been (I1).
	onlyB := *s
	onlyB.ops = s.ops[2:]
	if onlyB.viewAt(b).Fingerprint() != s.viewAt(b).Fingerprint() {
		t.Error("the swipe left a trace")
	}
	gone, added := Switch(a, b, s.ops)
	if ids(gone) != "o2 o1" || ids(added) != "o3" {
		t.Errorf("switch: gone %s, added %s", ids(gone), ids(added))
	}
	gone, added = Switch(b, a, s.ops)
	if ids(gone) != "o3" || ids(added) != "o1 o2" {
		t.Errorf("back: gone %s, added %s", ids(gone), ids(added))
	}
}

func ids(ops []Operation) string {
	var out []string
	for _, op := range ops {
		out = append(out, op.ID)
	}
	return strings.Join(out, " ")
}

func TestTypoEditKeepsMemories(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.say("u1", "n1", "u2")
	op := s.create("n1", "tom", "Tom lies dead.")
	s.path = s.path.Edit("n1", "n1b").Edit("n1b", "n1c")
	s.wantText("tom", "Tom lies dead.")
	if !s.path.SourceEdited(&op) {
		t.Error("the source is not marked as edited")
	}
	// After the message was read anew, only the new operations count.
	s.create("n1c", "tom", "Tom is alive.")
	s.path.Steps[1].Keeps = nil
	s.wantText("tom", "Tom is alive.")
	if p := s.path.Edit("nowhere", "x"); len(p.Steps) != 3 {
		t.Error("editing what is not there changed the path")
	}
}

func TestContinueAddsToTheMessage(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.say("u1", "n1")
	s.create("n1", "tom", "Tom lies dead.")
	s.path = s.path.Edit("n1", "n1+") // the longer text stands in for the shorter
	s.append("n1+", "tom", "He was buried.")
	s.wantText("tom", "Tom lies dead. He was buried.")
}

func TestDeletingAnOlderMessageKeepsLaterUpdates(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.say("n1", "n2", "n3")
	s.create("n1", "tom", "Tom is a guard.")
	s.append("n2", "tom", "He is wounded.")
	s.field("n2", "tom", "tags", ``, `["hurt"]`)
	s.append("n3", "tom", "He went home.")
	s.field("n3", "tom", "tags", `["hurt"]`, `["hurt","home"]`)
	s.field("n2", "tom", "status", ``, `"wounded"`)
	s.field("n3", "tom", "status", `"wounded"`, `"resting"`)
	s.path = s.path.Delete("n2")
	s.wantText("tom", "Tom is a guard. He went home.")
	s.wantField("tom", "tags", `["home"]`)
	s.wantField("tom", "status", `"resting"`)
	s.wantConflicts()
}

func TestLaterUpdateThatStoodOnADeletedMessageIsFlagged(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.say("n1", "n2", "n3")
	s.create("n1", "tom", "Tom is a guard.")
	s.append("n2", "tom", "He is wounded.")
	s.op("n3", Operation{Kind: KindPatch, Entry: "tom", Change: Change{Content: []Hunk{{Before: "Tom is a guard. ", Old: "He is wounded.", New: "His wound has healed."}}}})
	s.wantText("tom", "Tom is a guard. His wound has healed.")
	s.path = s.path.Delete("n2")
	s.wantText("tom", "Tom is a guard.")
	s.wantConflicts(ConflictContext)
	if c := s.view().Conflicts()[0]; c.Operation != "o3" || string(c.Ours) != `"His wound has healed."` || string(c.Base) != `"He is wounded."` {
		t.Errorf("conflict: %+v", c)
	}
}

func TestDeletingSeveralInAnyOrder(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.say("n1", "n2", "n3", "n4")
	s.create("n1", "tom", "Tom is a guard.")
	s.append("n2", "tom", "He is wounded.")
	s.append("n3", "tom", "He went home.")
	s.append("n4", "tom", "He sleeps.")
	if got := ids(Of(s.ops, "n2", "n3")); got != "o3 o2" {
		t.Errorf("operations of the messages: %s, want newest first", got)
	}
	for _, p := range []Path{s.path.Delete("n2", "n3"), s.path.Delete("n3").Delete("n2"), s.path.Delete("n2").Delete("n3")} {
		wantText(t, s.viewAt(p), StoryBook, "tom", "Tom is a guard. He sleeps.")
	}
}

func TestRollbackHasNoDepth(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.say("n0")
	s.create("n0", "tom", "Tom is a guard.")
	want := []string{s.view().Fingerprint()}
	for i := range 120 {
		n := "n" + strings.Repeat("x", i+1)
		s.say(n)
		s.append(n, "tom", "Day "+strings.Repeat("I", i+1)+" passed.")
		want = append(want, s.view().Fingerprint())
	}
	for i := range want {
		p := s.path
		p.Steps = p.Steps[:i+1]
		if s.viewAt(p).Fingerprint() != want[i] {
			t.Fatalf("%d turns back differs from what it was", len(want)-1-i)
		}
	}
}

func TestPersonsEditSurvivesRollback(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.say("n1", "n2")
	create := s.create("n1", "tom", "Tom is a guard. He drinks.")
	update := s.append("n2", "tom", "He is wounded.")
	s.edit(update.ID, "tom", "Tom is a guard. He drinks. He is wounded.", "Tom is a sergeant. He drinks. He is badly wounded.")
	s.wantText("tom", "Tom is a sergeant. He drinks. He is badly wounded.")
	s.wantConflicts()

	// The update goes: what the person changed elsewhere stays, and what they
	// changed in the update waits, with all three versions.
	all := s.path
	s.path = all.Branch("n1")
	s.wantText("tom", "Tom is a sergeant. He drinks.")
	s.wantConflicts(ConflictDormant)
	if c := s.view().Conflicts()[0]; string(c.Ours) != `" He is badly wounded."` && string(c.Ours) != `"He is badly wounded."` {
		t.Errorf("conflict: %+v", c)
	}
	s.path = all
	s.wantText("tom", "Tom is a sergeant. He drinks. He is badly wounded.")
	s.wantConflicts()

	// The entry goes, and so does the edit, until it comes back.
	s.path = all.Delete("n1")
	s.wantText("tom", "")
	if got := s.view().Status(StoryBook, "tom"); got != StatusUnknown {
		t.Errorf("status %s", got)
	}
	s.path = all
	s.wantText("tom", "Tom is a sergeant. He drinks. He is badly wounded.")
	_ = create
}

func TestPersonsEditAppliesOnEveryBranchWithItsVersion(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.say("n1")
	create := s.create("n1", "tom", "Tom is a guard.")
	fork := s.path
	s.say("n2")
	s.append("n2", "tom", "He is wounded.")
	s.edit(create.ID, "tom", "Tom is a guard.", "Tom is a sergeant.")
	s.wantText("tom", "Tom is a sergeant. He is wounded.")
	other := fork.Append(Step{Node: "m2"})
	wantText(t, s.viewAt(other), StoryBook, "tom", "Tom is a sergeant.")
}

func TestPersonAgainstALaterChange(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.say("n1", "n2")
	create := s.create("n1", "tom", "Tom is a guard.")
	s.field("n1", "tom", "status", ``, `"well"`)
	s.field("n2", "tom", "status", `"well"`, `"dead"`)
	s.person(create.ID, Operation{Kind: KindPatch, Entry: "tom", Change: Change{Fields: map[string]Field{"status": {raw(`"well"`), raw(`"asleep"`)}}}})
	s.wantField("tom", "status", `"asleep"`)
	s.wantConflicts(ConflictChanged)
	if c := s.view().Conflicts()[0]; string(c.Base) != `"well"` || string(c.Theirs) != `"dead"` || string(c.Ours) != `"asleep"` {
		t.Errorf("conflict: %+v", c)
	}
}

func TestSidecarMayNotChangeWhatAPersonWrote(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.say("n1", "n2", "n3")
	create := s.create("n1", "tom", "Tom is a guard. He drinks.")
	edit := s.edit(create.ID, "tom", "Tom is a guard. He drinks.", "Tom is a sergeant.")
	s.op("n2", Operation{Kind: KindPatch, Entry: "tom", Change: Change{Content: []Hunk{{Old: "Tom is a sergeant.", New: "Tom is a thief."}}}})
	s.wantText("tom", "Tom is a sergeant.")
	s.wantProposals(1, "person")
	s.append("n2", "tom", "He drinks.") // the person took that out
	s.wantText("tom", "Tom is a sergeant.")
	s.wantProposals(2, "person")
	s.append("n3", "tom", "He sings.")
	s.wantText("tom", "Tom is a sergeant. He sings.")

	p := s.view().Proposals()[0]
	source, _ := s.view().Operation(p.Operation)
	s.commit(p.Accept(source, Author{Kind: ByPerson}))
	s.wantText("tom", "Tom is a thief. He sings.")

	s.person(edit.ID, Operation{Kind: KindPatch, Entry: "tom", Change: Change{Fields: map[string]Field{"name": {New: raw(`"Tom"`)}, "mood": {New: raw(`"low"`)}}}})
	s.field("n3", "tom", "name", `"Tom"`, `"Thomas"`)
	s.wantField("tom", "name", `"Tom"`)
	s.field("n3", "tom", "mood", `"high"`, `"mad"`) // it did not see what the person said
	s.wantField("tom", "mood", `"low"`)
	s.field("n3", "tom", "mood", `"low"`, `"mad"`)
	s.wantField("tom", "mood", `"mad"`)
}

func TestTwoConversationsShareABook(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.say("n1")
	s.append("n1", "alys", "She is wounded.")
	other := Path{Conversation: "d", Steps: []Step{{Node: "n1"}}}
	if len(Active(other, s.ops)) != 0 {
		t.Error("one conversation sees the memories of another")
	}
}

func TestStructuredKeys(t *testing.T) {
	t.Parallel()
	b := &lore.Book{ID: "a:b/c\x00", Policy: lore.PolicyWeaver()}
	e := lore.NewEntry("x:y/z", "It is odd.")
	b.Entries = []*lore.Entry{e}
	op := Operation{
		ID: "o", Seq: 1, World: "w", Layer: LayerStory, Conversation: "c", Node: "n", Book: b.ID, Entry: e.ID,
		Kind: KindPatch, Author: Author{Kind: BySidecar}, Change: Append("It is old."),
	}
	v := Fold([]*lore.Book{b}, []Operation{op}, Options{})
	wantText(t, v, b.ID, e.ID, "It is old.\nIt is odd.")
}

func TestABookIsNamedInWhatIsStored(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	op := s.create("n1", "tom", "Tom.")
	if op.Book != StoryBook || op.Entry != "tom" || op.Digest == "" {
		t.Errorf("stored as %q %q %q", op.Book, op.Entry, op.Digest)
	}
	op = Operation{Layer: LayerWorld, Kind: KindMerge, Change: Change{Into: []Ref{{"vale", "alys"}}}}
	op.Normalize()
	if op.Ref() != (Ref{"vale", "alys"}) {
		t.Errorf("merge into %v", op.Ref())
	}
}

func TestAuthoredEntryKeepsItsBytes(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.say("n1", "n2")
	own := s.base[0].Entry("alys").Content
	s.op("n1", Operation{Kind: KindPatch, Book: "vale", Entry: "alys", Change: Change{
		Fields: map[string]Field{
			"name": {raw(`"Queen Alys"`), raw(`"Alys the Fallen"`)}, "status": {New: raw(`"in exile"`)},
			"tags": {New: raw(`["exile"]`)}, "priority": {raw(`100`), raw(`1`)},
		},
		Content: []Hunk{
			{Before: "Alys rules the vale. ", Old: "She is just. ", New: "She is cruel. ", After: "She is thirty."},
			{Before: "She is thirty.", New: " She lost her crown. She is just. {{Set}}"},
		},
	}})
	want := "Now called Alys the Fallen.\nStatus: in exile.\nShe lost her crown. {{ \"{{\" }}Set}}\n" + own
	s.wantText("alys", want)
	v := s.view()
	e := v.Entry("vale", "alys")
	if e.Name != "Queen Alys" || e.Priority != 100 || len(v.Live()) != 2 {
		t.Errorf("entry %+v", e)
	}
	if !slices.ContainsFunc(e.Keys, func(k lore.Key) bool { return k.Text == "Alys the Fallen" }) {
		t.Error("the new name finds nothing")
	}
	if v.Authored("vale", "alys") != s.base[0].Entry("alys") {
		t.Error("the authored entry is another one")
	}
	s.wantProposals(1, "authored")
	p := v.Proposals()[0]
	if len(p.Change.Content) != 1 || p.Change.Content[0].New != "She is cruel. " || string(p.Change.Fields["priority"].New) != "1" || len(p.Change.Fields) != 1 {
		t.Errorf("proposal %+v", p)
	}
	o, ok := v.Overlay("vale", "alys")
	if !ok || o.Name != "Alys the Fallen" || string(o.Fields["status"]) != `"in exile"` || !strings.HasPrefix(o.Facts, "She lost her crown.") {
		t.Errorf("overlay %+v", o)
	}
	// What was laid over it may be changed again.
	s.op("n2", Operation{Kind: KindPatch, Book: "vale", Entry: "alys", Change: Change{
		Fields:  map[string]Field{"name": {raw(`"Alys the Fallen"`), raw(`"Queen Alys"`)}, "status": {raw(`"in exile"`), nil}, "tags": {raw(`["exile"]`), nil}},
		Content: []Hunk{{Old: "She lost her crown.", New: "She won it back."}, {Old: "{{Set}}", Before: "She lost her crown. "}},
	}})
	s.wantText("alys", "She won it back.\n"+own)
	for _, kind := range []Kind{KindForget, KindRetire, KindSplit, KindMerge} {
		s.op("n2", Operation{Kind: kind, Book: "vale", Entry: "alys", Change: Change{
			Into: []Ref{{"vale", "alys"}}, From: []Ref{{"vale", "mill"}}, Parts: []*lore.Entry{lore.NewEntry("alys", "She is gone.")},
		}})
	}
	s.wantText("alys", "She won it back.\n"+own)
	s.wantProposals(5, "authored")
}

func TestDecoratorsStayInFront(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.base[0].Policy = lore.PolicySillyTavern()
	s.base[0].Entries[0].Content = "@@activate\nAlys rules."
	s.say("n1")
	s.append("n1", "alys", "She met {{user}}.")
	s.wantText("alys", "@@activate\nShe met { {user} }.\nAlys rules.")
}

func TestLocks(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.say("n1")
	s.create("n1", "tom", "Tom is a guard.")
	s.person("o1", Operation{Kind: KindLock, Entry: "tom"})
	s.append("n1", "tom", "He sings.")
	s.wantText("tom", "He sings.\nTom is a guard.")
	if got := s.view().Locked(StoryBook, "tom"); !slices.Equal(got, []string{"text"}) || s.view().Guarded(StoryBook, "tom") == "" {
		t.Errorf("lock %v", got)
	}
	s.person("o1", Operation{Kind: KindLock, Entry: "tom", Change: Change{Names: []string{LockAll}}})
	s.append("n1", "tom", "He dances.")
	s.wantText("tom", "He sings.\nTom is a guard.")
	s.wantProposals(1, "locked")
	s.op("n1", Operation{Kind: KindUnlock, Entry: "tom"})
	s.wantProposals(2, "locked")
	s.person("o1", Operation{Kind: KindUnlock, Entry: "tom"})
	s.append("n1", "tom", "He jumps.")
	s.wantText("tom", "He sings.\nTom is a guard. He jumps.")
}

func TestShrinkGuard(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.say("n1")
	long := "Tom is a guard of the old town. " + strings.Repeat("He knows every stone of it. And more. ", 20)
	s.create("n1", "tom", long)
	s.op("n1", Operation{Kind: KindPatch, Entry: "tom", Change: Diff(lore.NewEntry("tom", long), lore.NewEntry("tom", "Tom is a guard."))})
	s.wantText("tom", long)
	s.wantProposals(1, "%")
	s.opts.Shrink = 1
	s.wantText("tom", "Tom is a guard.")
	s.wantProposals(0, "")
}

func TestTheSameParagraphAgain(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.say("n1", "n2", "n3")
	s.create("n1", "tom", "Tom is a guard. He sings.")
	for _, n := range []string{"n1", "n2", "n3"} {
		s.append(n, "tom", "He sings. He has a dog. He has  a dog.")
	}
	s.wantText("tom", "Tom is a guard. He sings. He has a dog.")
}

func TestRetryDoesNotDuplicate(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.say("n1")
	s.create("n1", "tom-1", "Tom is a guard.")
	s.create("n1", "tom-2", "Tom is a guard.") // the retry drew another id
	if got := s.view().Live(); len(got) != 3 {
		t.Errorf("live: %v", got)
	}
	s.create("n1", "tom-1", "Tom is another guard.")
	s.wantConflicts(ConflictRefused)
	// A person may do a thing, undo it and do it again.
	a := s.edit("o1", "tom-1", "Tom is a guard.", "Tom is a cook.")
	b := s.edit(a.ID, "tom-1", "Tom is a cook.", "Tom is a guard.")
	s.edit(b.ID, "tom-1", "Tom is a guard.", "Tom is a cook.")
	s.wantText("tom-1", "Tom is a cook.")
}

func TestReferencesFollowMerges(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.say("n1")
	for _, e := range []struct{ id, name, text string }{{"tom", "Tom", "Tom is a guard."}, {"tommy", "Tommy", "He has a dog."}, {"sergeant", "The sergeant", "He sings."}} {
		entry := lore.NewEntry(e.id, e.text)
		entry.Name, entry.Keys = e.name, lore.LiteralKeys(e.name, "guard")
		s.op("n1", Operation{Kind: KindCreate, Change: Change{Entry: entry}})
	}
	s.op("n1", Operation{Kind: KindLearn, Entry: "tommy", Change: Change{Names: []string{"Alys"}}})
	s.op("n1", Operation{Kind: KindMerge, Entry: "tommy", Change: Change{From: []Ref{{Entry: "sergeant"}}}})
	s.op("n1", Operation{Kind: KindMerge, Entry: "tom", Change: Change{From: []Ref{{Entry: "tommy"}}}})
	v := s.view()
	for _, id := range []string{"tom", "tommy", "sergeant"} {
		if got := v.Redirect(StoryBook, id); got != (Ref{StoryBook, "tom"}) {
			t.Errorf("%s leads to %v", id, got)
		}
		wantText(t, v, StoryBook, id, "Tom is a guard. He has a dog. He sings.")
	}
	var keys []string
	for _, k := range v.Entry(StoryBook, "tom").Keys {
		keys = append(keys, k.Text)
	}
	if got := strings.Join(keys, ","); got != "Tom,guard,Tommy,The sergeant" {
		t.Errorf("keys %s", got)
	}
	if got := v.Knows(StoryBook, "sergeant"); !slices.Equal(got, []string{"Alys"}) {
		t.Errorf("known by %v", got)
	}
	s.op("n1", Operation{Kind: KindForget, Entry: "tommy"}) // is part of tom
	s.op("n1", Operation{Kind: KindMerge, Entry: "tom", Change: Change{From: []Ref{{Entry: "tom"}, {Entry: "nobody"}}}})
	s.wantConflicts(ConflictRefused, ConflictGone, ConflictRefused)

	// Splitting keeps what no part holds, and merging again keeps all.
	s.op("n1", Operation{Kind: KindSplit, Entry: "tom", Change: Change{Parts: []*lore.Entry{lore.NewEntry("guard", "Tom is a guard."), lore.NewEntry("dog", "He has a dog.")}}})
	wantText(t, s.view(), StoryBook, "guard", "Tom is a guard. He sings.")
	wantText(t, s.view(), StoryBook, "sergeant", "Tom is a guard. He sings.")
	s.op("n1", Operation{Kind: KindMerge, Entry: "guard", Change: Change{From: []Ref{{Entry: "dog"}}}})
	wantText(t, s.view(), StoryBook, "tom", "Tom is a guard. He sings. He has a dog.")
}

func TestForgetAndRestore(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.say("n1", "n2")
	s.create("n1", "tom", "Tom is a guard.  \nHe sings.")
	before := marshalT(t, s.view().Entry(StoryBook, "tom"))
	s.op("n2", Operation{Kind: KindForget, Entry: "tom"})
	s.wantText("tom", "")
	s.append("n2", "tom", "He is back.") // a sidecar cannot write to what is gone
	s.wantConflicts(ConflictGone)
	s.op("n2", Operation{Kind: KindRestore, Entry: "tom", Reason: "he is alive"})
	if got := marshalT(t, s.view().Entry(StoryBook, "tom")); got != before {
		t.Errorf("restored as %s, want %s", got, before)
	}
	s.person("o1", Operation{Kind: KindForget, Entry: "tom"})
	s.op("n2", Operation{Kind: KindRestore, Entry: "tom", Reason: "again"})
	s.op("n2", Operation{Kind: KindRetire, Entry: "tom"})
	s.wantText("tom", "")
	if got := s.view().Status(StoryBook, "tom"); got != StatusForgotten {
		t.Errorf("status %s", got)
	}
	s.person("o1", Operation{Kind: KindRestore, Entry: "tom", Change: Change{Entry: lore.NewEntry("tom", "Tom lives.")}})
	s.wantText("tom", "Tom lives.")
	s.person("", Operation{Kind: KindForget, Book: "vale", Entry: "mill"})
	if o := s.view().Overlays(); !slices.Equal(o.Hide["vale"], []string{"mill"}) {
		t.Errorf("hidden: %v", o.Hide)
	}
	s.person("", Operation{Kind: KindMerge, Book: "vale", Entry: "mill", Change: Change{From: []Ref{{Entry: "alys"}}}})
	s.person("", Operation{Kind: KindRestore, Book: "vale", Entry: "mill"})
	s.person("", Operation{Kind: KindMerge, Book: "vale", Entry: "mill", Change: Change{From: []Ref{{Entry: "alys"}}}, Reason: "now", On: "x"})
}

func marshalT(t *testing.T, e *lore.Entry) string {
	t.Helper()
	raw, err := lore.MarshalEntry(e)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

func TestAuthoredEntryMergedByAPersonLeavesASignpost(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.person("", Operation{Kind: KindMerge, Book: "vale", Entry: "mill", Change: Change{From: []Ref{{Entry: "alys"}}}})
	put := s.view().Overlays().Put["vale"]
	if len(put) != 2 || put[0].ID != "alys" || put[0].Content != "[[mill]]" || !put[0].Disabled || !strings.Contains(put[1].Content, "Alys rules") {
		t.Errorf("put: %+v", put)
	}
	if len(s.view().Live()) != 1 {
		t.Errorf("live: %v", s.view().Live())
	}
}

func TestOneMessageTakesOnlyItsOwn(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	for i := range 50 {
		n := "n" + strings.Repeat("i", i)
		s.say(n)
		s.create(n, "e"+n, "Fact of "+n+".")
	}
	before := len(s.view().Live())
	s.path = s.path.Delete("niii")
	if got := len(s.view().Live()); got != before-1 {
		t.Errorf("%d entries went with one message", before-got)
	}
	if got := ids(Of(s.ops, "niii")); got != "o4" {
		t.Errorf("operations of the message: %s", got)
	}
}
