package memory

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/weft-memory/weft/lore"
)

// chat is a conversation as a store would keep it: nodes with parents, a head,
// and the operations of the whole world.
type chat struct {
	t     *rapid.T
	books []*lore.Book
	nodes map[string]*node
	order []string
	head  string
	ops   []Operation
	seq   int64
	ids   int
}

type node struct {
	id, parent string
	user       bool
	keeps      []string
}

func testBooks() []*lore.Book {
	b := &lore.Book{ID: "vale", Policy: lore.PolicyWeaver(), Folders: []lore.Folder{{ID: "people", Name: "People"}, {ID: "court", Name: "Court", Parent: "people"}}}
	alys := lore.NewEntry("alys", "Alys rules the vale. She is just. She is thirty.")
	alys.Name, alys.Keys, alys.Folder = "Queen Alys", lore.LiteralKeys("Alys", "queen"), "court"
	mill := lore.NewEntry("mill", "The mill stands by the weir.")
	mill.Name, mill.Keys = "The mill", lore.LiteralKeys("mill")
	b.Entries = []*lore.Entry{alys, mill}
	return []*lore.Book{b, NewBook(WorldBook), NewBook(StoryBook)}
}

func newChat(t *rapid.T) *chat {
	return &chat{t: t, books: testBooks(), nodes: map[string]*node{}}
}

func (tr *chat) id(kind string) string {
	tr.ids++
	return fmt.Sprintf("%s%d", kind, tr.ids)
}

func (tr *chat) add(parent string, user bool) string {
	n := &node{id: tr.id("n"), parent: parent, user: user}
	tr.nodes[n.id] = n
	tr.order = append(tr.order, n.id)
	return n.id
}

func (tr *chat) path(head string) Path {
	p := Path{Conversation: "c"}
	for n := tr.nodes[head]; n != nil; n = tr.nodes[n.parent] {
		p.Steps = append(p.Steps, Step{Node: n.id, Keeps: n.keeps, User: n.user})
	}
	slices.Reverse(p.Steps)
	return p
}

func (tr *chat) view(head string) *View {
	return Fold(tr.books, Active(tr.path(head), tr.ops), Options{})
}

func (tr *chat) commit(op Operation) Operation {
	tr.seq++
	op.ID, op.Seq, op.World = tr.id("o"), tr.seq, "w"
	if op.Layer == "" {
		op.Layer = LayerStory
	}
	if op.Layer == LayerStory {
		op.Conversation = "c"
	}
	op.Normalize()
	if err := op.Validate(); err != nil {
		tr.t.Fatalf("generated an invalid operation: %v\n%+v", err, op)
	}
	tr.ops = append(tr.ops, op)
	return op
}

var facts = []string{"She is wounded.", "She fled north.", "The bridge fell.", "He owes her gold.", "It burned down.", "No one knows."}

// drawOp draws a change to what a view shows.
func (tr *chat) drawOp(v *View, author AuthorKind, at string) Operation {
	t := tr.t
	op := Operation{Author: Author{Kind: author}, Node: at, Quotes: []Quote{{Node: at, Text: "so it was said"}}}
	live := v.Live()
	pick := func(label string) Ref {
		if len(live) == 0 {
			return Ref{"vale", "alys"}
		}
		return rapid.SampledFrom(live).Draw(t, label)
	}
	r := pick("entry")
	op.Book, op.Entry = r.Book, r.Entry
	kinds := []Kind{KindCreate, KindCreate, KindCreate, KindPatch, KindPatch, KindPatch, KindPatch, KindForget, KindRestore, KindMerge, KindSplit, KindMove, KindRetire, KindLearn, KindAlias}
	if author == ByPerson {
		kinds = append(kinds, KindLock, KindUnlock)
		op.Node = ""
	}
	op.Kind = rapid.SampledFrom(kinds).Draw(t, "kind")
	fact := rapid.SampledFrom(facts)
	switch op.Kind {
	case KindCreate:
		op.Book = StoryBook
		id := tr.id("e")
		if rapid.IntRange(0, 5).Draw(t, "category?") == 0 {
			id = CategoryID(id)
		}
		e := lore.NewEntry(id, fact.Draw(t, "fact")+" "+fact.Draw(t, "fact"))
		e.Name = rapid.SampledFrom([]string{"Tom", "Valen", "Harbour", "守り人"}).Draw(t, "name")
		e.Keys = lore.LiteralKeys(e.Name)
		e.Folder = rapid.SampledFrom([]string{"", "people", "nowhere", "e1"}).Draw(t, "folder")
		op.Entry, op.Change.Entry = id, e
	case KindPatch:
		e := v.Authored(r.Book, r.Entry).Clone()
		if e == nil {
			e = lore.NewEntry("x", "")
		}
		was := e.Clone()
		switch rapid.IntRange(0, 4).Draw(t, "patch") {
		case 0:
			op.Change = Append(fact.Draw(t, "fact"))
		case 1:
			s := Sentences(e.Content)
			if len(s) > 0 {
				s[rapid.IntRange(0, len(s)-1).Draw(t, "which")] = fact.Draw(t, "fact") + " "
			}
			e.Content = fmt.Sprint(joined(s))
		case 2:
			e.Name = rapid.SampledFrom([]string{"Tom", "Alys the Fallen", "Valen"}).Draw(t, "name")
		case 3:
			e.Tags = append(e.Tags, rapid.SampledFrom([]string{"x", "y", "z"}).Draw(t, "tag"))
			e.Priority = rapid.SampledFrom([]int{1, 2, 3}).Draw(t, "priority")
		case 4:
			old := newVersion(was).get("status")
			op.Change.Fields = map[string]Field{"status": {Old: old, New: quoted(rapid.SampledFrom([]string{"dead", "wounded", "fled"}).Draw(t, "status"))}}
		}
		if op.Change.IsZero() {
			op.Change = Diff(was, e)
		}
		if op.Change.IsZero() {
			op.Change = Append("Nothing else changed.")
		}
	case KindMerge:
		op.Change.From = []Ref{pick("from")}
		op.Change.Into = []Ref{r}
	case KindSplit:
		a, b := lore.NewEntry(tr.id("e"), fact.Draw(t, "fact")), lore.NewEntry(tr.id("e"), fact.Draw(t, "fact"))
		op.Change.Parts = []*lore.Entry{a, b}
		if rapid.Bool().Draw(t, "stays") {
			a.ID = r.Entry
		}
	case KindMove:
		op.Change.Category = rapid.SampledFrom([]string{"", "people", "court", "e1", "e2"}).Draw(t, "to")
	case KindRestore:
		for _, s := range v.created() {
			if !s.live() {
				op.Book, op.Entry = s.ref.Book, s.ref.Entry
			}
		}
	case KindLearn, KindAlias:
		op.Change.Names = []string{rapid.SampledFrom([]string{"Tam", "Ilse", "Bo"}).Draw(t, "who")}
	case KindLock:
		op.Change.Names = rapid.SampledFrom([][]string{nil, {LockAll}}).Draw(t, "lock")
	}
	if author == ByPerson {
		op.On = lastOn(v, Ref{op.Book, op.Entry})
	}
	return op
}

func joined(s []string) string {
	out := ""
	for _, x := range s {
		out += x
	}
	return out
}

func lastOn(v *View, r Ref) string {
	if s := v.states[r]; s != nil && len(s.log) > 0 {
		return s.log[len(s.log)-1].ID
	}
	return CanonVersion("1")
}

// reply adds a reply with operations below a node.
func (tr *chat) reply(parent string) string {
	n := tr.add(parent, false)
	v := tr.view(n)
	for range rapid.IntRange(0, 4).Draw(tr.t, "ops") {
		op := tr.commit(tr.drawOp(v, BySidecar, n))
		v = v.With(op)
	}
	return n
}

// step does one thing that a person may do in a chat.
func (tr *chat) step() {
	t := tr.t
	any := func() string { return rapid.SampledFrom(tr.order).Draw(t, "node") }
	switch rapid.SampledFrom([]string{"turn", "turn", "turn", "swipe", "go", "edit", "delete", "person", "undo", "world"}).Draw(t, "step") {
	case "turn":
		tr.head = tr.reply(tr.add(tr.head, true))
	case "swipe":
		if n := tr.nodes[tr.head]; n != nil && !n.user {
			tr.head = tr.reply(n.parent)
		}
	case "go":
		tr.head = any()
	case "edit":
		old := tr.nodes[any()]
		n := tr.add(old.parent, old.user)
		tr.nodes[n].keeps = append([]string{old.id}, old.keeps...)
		for _, m := range tr.nodes {
			if m.parent == old.id {
				m.parent = n
			}
		}
		if tr.head == old.id {
			tr.head = n
		}
	case "delete":
		n := tr.nodes[any()]
		if len(tr.order) < 2 {
			return
		}
		for _, m := range tr.nodes {
			if m.parent == n.id {
				m.parent = n.parent
			}
		}
		if tr.head == n.id {
			tr.head = n.parent
		}
		delete(tr.nodes, n.id)
		tr.order = slices.DeleteFunc(tr.order, func(id string) bool { return id == n.id })
	case "person":
		tr.commit(tr.drawOp(tr.view(tr.head), ByPerson, ""))
	case "undo":
		v := tr.view(tr.head)
		if ops := v.Operations(); len(ops) > 0 {
			op, _, err := v.Undo(rapid.SampledFrom(ops).Draw(t, "undo").ID, Author{Kind: ByPerson})
			if err != nil {
				t.Fatal(err)
			}
			tr.commit(op)
		}
	case "world":
		p := tr.path(tr.head)
		if s := p.settled(0); len(s) > 0 {
			op := tr.drawOp(tr.view(tr.head), BySidecar, rapid.SampledFrom(s).Draw(t, "settled"))
			op.Layer, op.Conversation = LayerWorld, "c"
			if op.Kind == KindCreate {
				op.Book = WorldBook
			}
			tr.commit(op)
		}
	}
	retract, bring := Reconcile(tr.path(tr.head), tr.ops)
	for i := range tr.ops {
		if slices.ContainsFunc(retract, func(o Operation) bool { return o.ID == tr.ops[i].ID }) {
			tr.ops[i].Retracted = true
		}
		if slices.ContainsFunc(bring, func(o Operation) bool { return o.ID == tr.ops[i].ID }) {
			tr.ops[i].Retracted = false
		}
	}
}

func same(t *rapid.T, what string, want, got *View) {
	t.Helper()
	if want.Fingerprint() == got.Fingerprint() {
		return
	}
	t.Fatalf("%s: (-want +got)\n%s", what, cmp.Diff(readable2(want), readable2(got)))
}

func readable2(v *View) string {
	raw, err := json.MarshalIndent(map[string]any{
		"records": v.Records(), "live": v.Live(), "categories": v.Categories(), "conflicts": v.Conflicts(), "proposals": v.Proposals(),
	}, "", "  ")
	if err != nil {
		return err.Error()
	}
	return string(raw)
}

// TestTree walks through random conversations and holds the invariants.
func TestTree(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		tr := newChat(t)
		tr.head = tr.reply(tr.add("", true))
		active := Active(tr.path(tr.head), tr.ops)
		v := Fold(tr.books, active, Options{})
		for range rapid.IntRange(1, 12).Draw(t, "steps") {
			tr.step()
			path := tr.path(tr.head)
			now := Active(path, tr.ops)
			// The materialised view is moved by what ceased and began to count.
			gone, added := changes(active, now)
			v = v.Switch(gone, added)
			active = now
			fresh := Fold(tr.books, now, Options{})
			same(t, "incremental and rebuilt (I3, I9)", fresh, v)

			shuffled := rapid.Permutation(append(slices.Clone(now), now...)).Draw(t, "order")
			same(t, "order and repetition of the log (I9)", fresh, Fold(tr.books, shuffled, Options{}))

			tr.checkBranches(v)
			tr.checkDeletion(path)
			checkCategories(t, v)
			checkProvenance(t, tr, v)
			checkAuthored(t, tr, now)
		}
	})
}

func changes(was, is []Operation) (gone, added []Operation) {
	has := func(list []Operation, id string) bool {
		return slices.ContainsFunc(list, func(o Operation) bool { return o.ID == id })
	}
	for _, o := range was {
		if !has(is, o.ID) {
			gone = append(gone, o)
		}
	}
	for _, o := range is {
		if !has(was, o.ID) {
			added = append(added, o)
		}
	}
	return gone, added
}

// checkBranches: a branch sees its parent as of the fork (I5), away and back
// changes nothing (I2), and what is written on one side stays there.
func (tr *chat) checkBranches(v *View) {
	at := rapid.SampledFrom(tr.order).Draw(tr.t, "fork")
	from, to := tr.path(tr.head), tr.path(at)
	gone, added := Switch(from, to, tr.ops)
	away := v.Switch(gone, added)
	same(tr.t, "branch (I5)", tr.view(at), away)
	gone, added = Switch(to, from, tr.ops)
	same(tr.t, "and back (I2)", v, away.Switch(gone, added))

	last := from.Steps
	if len(last) > 0 {
		cut := from.Branch(last[rapid.IntRange(0, len(last)-1).Draw(tr.t, "cut")].Node)
		for _, op := range Active(cut, tr.ops) {
			if op.Layer == LayerStory && op.Author.Kind == BySidecar && !slices.ContainsFunc(cut.Steps, func(s Step) bool {
				return s.Node == op.Node || slices.Contains(s.Keeps, op.Node)
			}) {
				tr.t.Fatalf("%s of %s leaks into the branch", op.ID, op.Node)
			}
		}
	}
}

// checkDeletion: deleting a message takes exactly its operations (I4, I1).
func (tr *chat) checkDeletion(p Path) {
	if len(p.Steps) == 0 {
		return
	}
	s := p.Steps[rapid.IntRange(0, len(p.Steps)-1).Draw(tr.t, "deleted")]
	story := slices.DeleteFunc(slices.Clone(tr.ops), func(o Operation) bool { return o.Layer == LayerWorld })
	without := slices.DeleteFunc(slices.Clone(story), func(o Operation) bool {
		return slices.ContainsFunc(Of(story, append(s.Keeps, s.Node)...), func(x Operation) bool { return x.ID == o.ID })
	})
	same(tr.t, "without the message (I4)",
		Fold(tr.books, Active(p, without), Options{}),
		Fold(tr.books, Active(p.Delete(s.Node), story), Options{}))
}

// checkCategories is invariant I21.
func checkCategories(t *rapid.T, v *View) {
	in := map[Ref]int{}
	seen := map[string]bool{}
	var walk func(c *Category, depth int)
	walk = func(c *Category, depth int) {
		key := c.Book + "\x00" + c.ID
		if seen[key] || depth > 100 {
			t.Fatalf("category %s is there twice", c.ID)
		}
		seen[key] = true
		for _, r := range c.Entries {
			in[r]++
			if got := v.CategoryOf(r.Book, r.Entry); got != c.ID {
				t.Fatalf("%v is in %q, CategoryOf says %q", r, c.ID, got)
			}
		}
		for _, k := range c.Children {
			walk(k, depth+1)
		}
	}
	for _, root := range v.Categories() {
		walk(root, 0)
	}
	live := v.Live()
	for _, r := range live {
		if in[r] != 1 {
			t.Fatalf("%v is in %d categories", r, in[r])
		}
	}
	if len(in) != len(live) {
		t.Fatalf("%d entries in categories, %d live", len(in), len(live))
	}
}

// checkProvenance is invariant I19: every part has a source, and redirects lead
// to what is there.
func checkProvenance(t *rapid.T, tr *chat, v *View) {
	for _, r := range v.Live() {
		for _, s := range v.Provenance(r.Book, r.Entry) {
			if s.Operation == "" {
				if v.base.entry(r) == nil {
					t.Fatalf("%v: %+v has no source", r, s)
				}
				continue
			}
			op, ok := v.Operation(s.Operation)
			if !ok || !v.Counts(op.ID) {
				t.Fatalf("%v: %+v: its source does not count", r, s)
			}
			if op.Author.Kind == BySidecar && op.Node == "" {
				t.Fatalf("%v: %+v: no message", r, s)
			}
		}
	}
	for _, s := range v.sorted(func(*state) bool { return true }) {
		if s.status == StatusMerged {
			if to := v.Redirect(s.ref.Book, s.ref.Entry); v.Status(to.Book, to.Entry) == StatusMerged || v.Status(to.Book, to.Entry) == StatusUnknown {
				t.Fatalf("%v leads to %v, which is %s", s.ref, to, v.Status(to.Book, to.Entry))
			}
		}
	}
}

// checkAuthored is invariant I16: what sidecars do leaves authored, human-made
// and locked entries as they are.
func checkAuthored(t *rapid.T, tr *chat, ops []Operation) {
	people := slices.DeleteFunc(slices.Clone(ops), func(o Operation) bool { return o.Author.Kind == ByPerson && o.Kind != KindLock })
	v := Fold(tr.books, people, Options{})
	for _, b := range tr.books {
		for _, e := range b.Entries {
			if got := v.Authored(b.ID, e.ID); marshal(t, got) != marshal(t, e) || v.Status(b.ID, e.ID) != StatusLive {
				t.Fatalf("%s became %s, %s", marshal(t, e), marshal(t, got), v.Status(b.ID, e.ID))
			}
			if shown := v.Entry(b.ID, e.ID); shown.Name != e.Name || len(shown.Content) < len(e.Content) || shown.Content[len(shown.Content)-len(e.Content):] != e.Content {
				t.Fatalf("%s is shown as %s", marshal(t, e), marshal(t, shown))
			}
		}
	}
}
