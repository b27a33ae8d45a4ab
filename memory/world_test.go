package memory

import (
	"slices"
	"strings"
	"testing"

	"github.com/weft-memory/weft/lore"
)

func TestSettled(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.say("u1", "a1", "u2", "a2")
	before := s.path
	if s.path.Settled("a1", 0) {
		t.Error("one later user message does not settle a reply")
	}
	s.say("u3")
	for node, want := range map[string]bool{"u1": true, "a1": true, "u2": false, "a2": false, "u3": false, "b1": false} {
		if got := s.path.Settled(node, 0); got != want {
			t.Errorf("%s settled: %v", node, got)
		}
	}
	if !s.path.Settled("a2", 1) {
		t.Error("with 1 the last reply is settled")
	}
	if got := Settled(before, s.path, 0); !slices.Equal(got, []string{"u1", "a1"}) {
		t.Errorf("settled now: %v", got)
	}
	if got := Settled(s.path, s.path, 0); len(got) != 0 {
		t.Errorf("settled again: %v", got)
	}
}

func TestWorldOperationsFollowTheirMessage(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.say("u1", "a1", "u2", "a2", "u3")
	op := s.op("a1", Operation{Layer: LayerWorld, Conversation: "c", Kind: KindCreate, Change: Change{Entry: lore.NewEntry("fire", "The mill burned.")}})
	s.person("", Operation{Layer: LayerWorld, Conversation: "c", Node: "a1", Kind: KindPatch, Book: "vale", Entry: "mill", Change: Append("It is a ruin.")})
	if op.Book != WorldBook {
		t.Errorf("stored in %q", op.Book)
	}
	elsewhere := Path{Conversation: "d"}
	wantText(t, s.viewAt(elsewhere), WorldBook, "fire", "The mill burned.")

	branch := s.path.Branch("u1").Append(Step{Node: "b1"})
	retract, bring := Reconcile(branch, s.ops)
	if ids(retract) != op.ID || len(bring) != 0 {
		t.Fatalf("retract %s, bring %s", ids(retract), ids(bring))
	}
	if r, b := Reconcile(elsewhere, s.ops); len(r)+len(b) > 0 {
		t.Error("another conversation retracts")
	}
	s.ops[0].Retracted = true
	wantText(t, s.viewAt(elsewhere), WorldBook, "fire", "")
	wantText(t, s.viewAt(elsewhere), "vale", "mill", "The mill stands by the weir. It is a ruin.")
	retract, bring = Reconcile(s.path, s.ops)
	if ids(bring) != op.ID || len(retract) != 0 {
		t.Fatalf("retract %s, bring %s", ids(retract), ids(bring))
	}

	// A turn that is made again sees the world as it was (I8).
	s.ops[0].Retracted = false
	old := s.path
	old.WorldSeq = 1
	s.op("a2", Operation{Layer: LayerWorld, Conversation: "c", Kind: KindPatch, Book: WorldBook, Entry: "fire", Change: Append("It rained.")})
	wantText(t, s.viewAt(old), WorldBook, "fire", "The mill burned.")
	wantText(t, s.viewAt(s.path), WorldBook, "fire", "The mill burned. It rained.")
}

func TestPromote(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.say("n1")
	s.create("n1", "tom", "Tom is a guard.")
	s.append("n1", "tom", "He sings.")
	s.append("n1", "alys", "She is wounded.")
	s.field("n1", "alys", "status", ``, `"in exile"`)
	by := Operation{World: "w", Conversation: "c", Author: Author{Kind: ByPerson}}
	promote := func(book, id string, to Layer, into string) {
		t.Helper()
		ops, err := s.view().Promote(book, id, to, into, by)
		if err != nil {
			t.Fatal(err)
		}
		for _, op := range ops {
			s.commit(op)
		}
	}
	elsewhere := Path{Conversation: "d"}

	promote(StoryBook, "tom", LayerWorld, "")
	wantText(t, s.viewAt(elsewhere), WorldBook, "tom", "Tom is a guard. He sings.")
	if got := s.view().Redirect(StoryBook, "tom"); got != (Ref{WorldBook, "tom"}) {
		t.Errorf("the entry of the story leads to %v", got)
	}
	if n := len(s.view().Live()); n != 3 {
		t.Errorf("%d live", n)
	}
	promote(WorldBook, "tom", LayerCanon, "vale")
	wantText(t, s.viewAt(elsewhere), "vale", "tom", "Tom is a guard. He sings.")
	if got := s.viewAt(elsewhere).Redirect(WorldBook, "tom"); got != (Ref{"vale", "tom"}) {
		t.Errorf("the entry of the world leads to %v", got)
	}

	own := s.base[0].Entry("alys").Content
	promote("vale", "alys", LayerWorld, "")
	wantText(t, s.viewAt(elsewhere), "vale", "alys", "Status: in exile.\nShe is wounded.\n"+own)
	wantText(t, s.view(), "vale", "alys", "Status: in exile.\nShe is wounded.\n"+own)
	promote("vale", "alys", LayerCanon, "")
	if got := s.viewAt(elsewhere).Authored("vale", "alys").Content; got != own+" She is wounded." {
		t.Errorf("canon says %q", got)
	}
	if got := s.view().Entry("vale", "alys").Content; strings.Count(got, "She is wounded.") != 1 {
		t.Errorf("said twice: %q", got)
	}
	for _, bad := range [][2]string{{"vale", "mill"}, {"vale", "nobody"}} {
		if _, err := s.view().Promote(bad[0], bad[1], LayerWorld, "", by); err == nil {
			t.Errorf("%v was promoted", bad)
		}
	}
}

func TestCategories(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.say("n1", "n2")
	cat := lore.NewEntry(CategoryID("fallen"), "")
	cat.Name, cat.Folder = "The fallen", ""
	s.op("n1", Operation{Kind: KindCreate, Change: Change{Entry: cat}})
	tom := lore.NewEntry("tom", "Tom is a guard.")
	tom.Folder = "fallen"
	s.op("n1", Operation{Kind: KindCreate, Change: Change{Entry: tom}})
	s.op("n1", Operation{Kind: KindPatch, Book: "vale", Entry: CategoryID("court"), Change: Append("Who is at court.")})
	s.op("n1", Operation{Kind: KindPatch, Entry: CategoryID("fallen"), Change: Append("Who fell.")})
	s.op("n1", Operation{Kind: KindMove, Book: "vale", Entry: CategoryID("people"), Change: Change{Category: "court"}}) // a circle
	s.op("n1", Operation{Kind: KindMove, Book: "vale", Entry: "mill", Change: Change{Category: "people"}})
	s.wantConflicts(ConflictRefused)
	var b strings.Builder
	var draw func(c *Category, indent string)
	draw = func(c *Category, indent string) {
		b.WriteString(indent + c.Book + "/" + c.ID + " " + c.Name + " (" + c.Summary + ")")
		for _, r := range c.Entries {
			b.WriteString(" " + r.Entry)
		}
		b.WriteString("\n")
		for _, k := range c.Children {
			draw(k, indent+"  ")
		}
	}
	tree := func() string {
		b.Reset()
		for _, c := range s.view().Categories() {
			draw(c, "")
		}
		return b.String()
	}
	want := "vale/  ()\n  vale/people People () mill\n    vale/court Court (Who is at court.) alys\n~story/  ()\n  ~story/fallen The fallen (Who fell.) tom\n"
	if got := tree(); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if e := s.view().Authored("vale", "mill"); e != s.base[0].Entry("mill") {
		t.Error("moving an authored entry changed it")
	}
	s.op("n2", Operation{Kind: KindForget, Entry: CategoryID("fallen")})
	s.person("", Operation{Kind: KindForget, Book: "vale", Entry: CategoryID("people")})
	s.op("n2", Operation{Kind: KindMove, Book: StoryBook, Entry: "tom", Change: Change{Category: "nowhere"}})
	want = "vale/  () mill\n  vale/court Court (Who is at court.) alys\n~story/  () tom\n"
	if got := tree(); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if got := s.view().CategoryOf("vale", "alys"); got != "court" {
		t.Errorf("alys is in %q", got)
	}
}

func TestCircleOfFolders(t *testing.T) {
	t.Parallel()
	b := &lore.Book{ID: "b", Folders: []lore.Folder{{ID: "x", Parent: "y"}, {ID: "y", Parent: "x"}, {ID: "z", Parent: "y"}, {ID: "self", Parent: "self"}}}
	e := lore.NewEntry("e", "E.")
	e.Folder = "z"
	b.Entries = []*lore.Entry{e}
	var seen []string
	var walk func(c *Category)
	walk = func(c *Category) {
		seen = append(seen, c.ID)
		for _, k := range c.Children {
			walk(k)
		}
	}
	for _, c := range Fold([]*lore.Book{b}, nil, Options{}).Categories() {
		walk(c)
	}
	slices.Sort(seen)
	if !slices.Equal(seen, []string{"", "self", "x", "y", "z"}) {
		t.Errorf("categories %q", seen)
	}
}
