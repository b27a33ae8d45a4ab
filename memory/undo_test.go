package memory

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// shown is what a view shows, without the memory of how it came to be.
func shown(t *rapid.T, v *View) map[Ref]string {
	out := map[Ref]string{}
	for _, r := range v.Live() {
		s := v.snap(r)
		out[r] = marshal(t, v.Entry(r.Book, r.Entry)) + " own " + marshal(t, s.own.lore()) + " in " + s.category
	}
	for _, s := range v.sorted(func(*state) bool { return true }) {
		if s.live() && (len(s.locks) > 0 || len(s.knows) > 0) {
			out[Ref{"locks and knows", s.ref.String()}] = string(encodeNames(append(slices.Clone(s.locks), s.knows...)))
		}
	}
	return out
}

// TestInverseRestoresBytes is the second half of invariant I19: every
// operation can be taken back, by its inverse as much as by an undo.
func TestInverseRestoresBytes(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		tr := newChat(t)
		tr.head = tr.reply(tr.add("", true))
		for range rapid.IntRange(0, 8).Draw(t, "steps") {
			tr.step()
		}
		author := rapid.SampledFrom([]AuthorKind{BySidecar, ByPerson}).Draw(t, "author")
		n := tr.add(tr.head, false)
		tr.head = n
		before := tr.view(n)
		op := tr.commit(tr.drawOp(before, author, n))
		after := before.With(op)
		inverse := before.Inverse(op)
		if d := cmp.Diff(inverse.json(t), ptr(after.Inverse(op)).json(t)); d != "" {
			t.Fatalf("the inverse depends on the view holding the operation\n%s", d)
		}

		undo, _, err := after.Undo(op.ID, Author{Kind: ByPerson})
		if err != nil {
			t.Fatal(err)
		}
		undo = tr.commit(undo)
		undone := after.With(undo)
		if d := cmp.Diff(shown(t, before), shown(t, undone)); d != "" {
			t.Fatalf("%s %+v undone (-want +got)\n%s", op.Kind, op.Change, d)
		}
		redo, _, err := undone.Undo(undo.ID, Author{Kind: ByPerson})
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(shown(t, after), shown(t, undone.With(tr.commit(redo)))); d != "" {
			t.Fatalf("%s %+v redone (-want +got)\n%s", op.Kind, op.Change, d)
		}

		if cmp.Equal(shown(t, before), shown(t, after)) {
			return // it changed nothing
		}
		if len(after.Conflicts()) > len(before.Conflicts()) || len(after.Proposals()) > len(before.Proposals()) {
			return // it had no effect of its own
		}
		by := Operation{
			Author: Author{Kind: ByPerson}, Layer: LayerStory, Kind: InverseKind(op.Kind), Book: op.Book, Entry: op.Entry, Change: inverse, On: op.ID,
		}
		if by.Kind == KindPatch && by.Change.IsZero() {
			return
		}
		back := after.With(tr.commit(by))
		if d := cmp.Diff(shown(t, before), shown(t, back)); d != "" {
			t.Fatalf("%s %+v\ntaken back by %s %s (-want +got)\n%s\n%+v", op.Kind, op.Change, by.Kind, inverse.json(t), d, back.Conflicts())
		}
	})
}

func ptr[T any](v T) *T { return &v }

func (c *Change) json(t *rapid.T) string {
	raw, err := c.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

func TestUndoOfWhatWasReplaced(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.say("n1")
	s.create("n1", "tom", "Tom is a guard.")
	first := s.field("n1", "tom", "status", ``, `"wounded"`)
	s.say("n2")
	s.field("n2", "tom", "status", `"wounded"`, `"dead"`)
	undo, conflicts, err := s.view().Undo(first.ID, Author{Kind: ByPerson})
	if err != nil {
		t.Fatal(err)
	}
	if len(conflicts) != 1 || conflicts[0].Kind != ConflictSuperseded || string(conflicts[0].Theirs) != `"dead"` {
		t.Errorf("conflicts: %+v", conflicts)
	}
	s.commit(undo)
	s.wantField("tom", "status", `"dead"`)
	if _, _, err := s.view().Undo("nothing", Author{Kind: ByPerson}); err == nil {
		t.Error("an unknown operation was undone")
	}
}

func TestUndoOfAMerge(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.say("n1")
	s.create("n1", "tom", "Tom is a guard.")
	s.create("n1", "tommy", "He likes plums.")
	merge := s.op("n1", Operation{Kind: KindMerge, Entry: "tom", Change: Change{From: []Ref{{Entry: "tommy"}}}})
	s.op("n1", Operation{Kind: KindPatch, Entry: "tommy", Change: Append("He owes money.")})
	s.wantText("tom", "Tom is a guard. He likes plums. He owes money.")
	undo, _, err := s.view().Undo(merge.ID, Author{Kind: ByPerson})
	if err != nil {
		t.Fatal(err)
	}
	s.commit(undo)
	s.wantText("tom", "Tom is a guard.")
	s.wantText("tommy", "He likes plums. He owes money.")
}

// TestVersionOfAnotherEntry: an edit may stand on an operation about another
// entry; when that goes, so does what the edit saw.
func TestVersionOfAnotherEntry(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.say("n1", "n2")
	s.create("n1", "tom", "Tom is a guard.")
	s.field("n1", "tom", "status", ``, `"well"`)
	on := s.append("n2", "alys", "She met Tom.")
	s.person(on.ID, Operation{Kind: KindPatch, Entry: "tom", Change: Change{Fields: map[string]Field{"status": {raw(`"ill"`), raw(`"dead"`)}}}})
	s.wantField("tom", "status", `"dead"`)
	v := s.view()
	s.path = s.path.Branch("n1")
	s.wantField("tom", "status", `"well"`)
	s.wantConflicts(ConflictDormant)
	if v.Without(on.ID).Fingerprint() != s.view().Fingerprint() {
		t.Error("incremental and rebuilt differ")
	}
}
