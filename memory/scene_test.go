package memory

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/weft-memory/weft/lore"
)

// scene is a conversation of one line for tests that tell a story.
type scene struct {
	t    *testing.T
	base []*lore.Book
	opts Options
	path Path
	ops  []Operation
}

func newScene(t *testing.T) *scene {
	return &scene{t: t, base: testBooks(), path: Path{Conversation: "c"}}
}

func (s *scene) say(nodes ...string) {
	for _, n := range nodes {
		s.path = s.path.Append(Step{Node: n, User: strings.HasPrefix(n, "u")})
	}
}

func (s *scene) commit(op Operation) Operation {
	s.t.Helper()
	if op.ID == "" {
		op.ID = fmt.Sprint("o", len(s.ops)+1)
	}
	op.Seq, op.World = int64(len(s.ops)+1), "w"
	if op.Layer == "" {
		op.Layer, op.Conversation = LayerStory, "c"
	}
	op.Normalize()
	if err := op.Validate(); err != nil {
		s.t.Fatal(err)
	}
	s.ops = append(s.ops, op)
	return op
}

func (s *scene) op(node string, op Operation) Operation {
	s.t.Helper()
	op.Node, op.Author = node, Author{Kind: BySidecar}
	return s.commit(op)
}

func (s *scene) person(on string, op Operation) Operation {
	s.t.Helper()
	op.On, op.Author = on, Author{Kind: ByPerson, Name: "Ada"}
	return s.commit(op)
}

func (s *scene) create(node, id, text string) Operation {
	s.t.Helper()
	return s.op(node, Operation{Kind: KindCreate, Change: Change{Entry: lore.NewEntry(id, text)}})
}

func (s *scene) append(node, id, text string) Operation {
	s.t.Helper()
	return s.op(node, Operation{Kind: KindPatch, Book: s.book(id), Entry: id, Change: Append(text)})
}

func (s *scene) field(node, id, name, old, new string) Operation {
	s.t.Helper()
	return s.op(node, Operation{Kind: KindPatch, Book: s.book(id), Entry: id, Change: Change{Fields: map[string]Field{name: {raw(old), raw(new)}}}})
}

// edit changes the text of an entry by what a person saw and wanted.
func (s *scene) edit(on, id, old, new string) Operation {
	s.t.Helper()
	return s.person(on, Operation{Kind: KindPatch, Book: s.book(id), Entry: id, Change: Diff(lore.NewEntry(id, old), lore.NewEntry(id, new))})
}

func raw(s string) json.RawMessage {
	if s == "" {
		return nil
	}
	return json.RawMessage(s)
}

func (s *scene) book(id string) string {
	if s.base[0].Entry(id) != nil {
		return "vale"
	}
	return StoryBook
}

func (s *scene) viewAt(p Path) *View { return Fold(s.base, Active(p, s.ops), s.opts) }

func (s *scene) view() *View { return s.viewAt(s.path) }

func (s *scene) wantText(id, want string) {
	s.t.Helper()
	wantText(s.t, s.view(), s.book(id), id, want)
}

func wantText(t *testing.T, v *View, book, id, want string) {
	t.Helper()
	e := v.Entry(book, id)
	switch {
	case e == nil && want != "":
		t.Errorf("%s is %s, want %q", id, v.Status(book, id), want)
	case e != nil && e.Content != want:
		t.Errorf("%s says %q, want %q", id, e.Content, want)
	}
}

func (s *scene) wantField(id, name, want string) {
	s.t.Helper()
	got := ""
	if e := s.view().Entry(s.book(id), id); e != nil {
		got = string(newVersion(e).get(name))
	}
	if got != want {
		s.t.Errorf("%s: %s is %s, want %s", id, name, got, want)
	}
}

func (s *scene) wantConflicts(want ...ConflictKind) {
	s.t.Helper()
	var got []ConflictKind
	for _, c := range s.view().Conflicts() {
		got = append(got, c.Kind)
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		s.t.Errorf("conflicts %v, want %v", got, want)
	}
}

func (s *scene) wantProposals(n int, why string) {
	s.t.Helper()
	list := s.view().Proposals()
	if len(list) != n {
		s.t.Fatalf("%d proposals, want %d: %+v", len(list), n, list)
	}
	if n > 0 && !strings.Contains(list[0].Why, why) {
		s.t.Errorf("proposed because %q, want %q", list[0].Why, why)
	}
}
