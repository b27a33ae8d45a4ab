package memory

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// ErrUnknown is returned for an operation that a view does not hold.
var ErrUnknown = errors.New("no such operation")

// Inverse returns the change that takes an operation back, byte for byte, on
// the view to which it was added last; it belongs to an operation of kind
// [InverseKind]. Whoever commits an operation stores it as Operation.Inverse.
// The view need not hold the operation. One that changes nothing has no inverse.
func (v *View) Inverse(op Operation) Change {
	before := v
	if _, ok := v.status[op.ID]; ok {
		before = v.Without(op.ID)
	}
	after := before.With(op)
	target := op.Ref()
	switch op.Kind {
	case KindCreate, KindRetire, KindForget:
		return Change{}
	case KindMerge:
		return before.inverseOfMerge(after, op)
	case KindRestore:
	default:
		target = before.Redirect(target.Book, target.Entry)
	}
	was, is := before.snap(target), after.snap(target)
	if !was.exists() || !is.exists() {
		return Change{} // nothing was there to change
	}
	switch op.Kind {
	case KindRestore: // the forgetting may have to put the old text back
		if !was.own.same(is.own) {
			return Change{Entry: was.own.lore()}
		}
		return Change{}
	case KindMove:
		return Change{Category: was.category}
	case KindLock, KindUnlock:
		return Change{Names: slices.Clone(was.locks)}
	case KindLearn:
		return Change{Fields: map[string]Field{fieldKnows: {Old: encodeNames(is.knows), New: encodeNames(was.knows)}}}
	case KindSplit:
		c := Change{Into: []Ref{target}, Entry: was.own.lore()}
		for i, e := range op.Change.Parts {
			if e == nil {
				continue
			}
			if r := op.part(i); r != op.Ref() && r != target && after.Status(r.Book, r.Entry) == StatusLive {
				c.From = append(c.From, r)
			}
		}
		return c
	}
	// A patch: of the entry, or of what is laid over it.
	if !was.over.same(is.over) {
		c := diffVersions(is.laid(), was.laid())
		c.Overlay = true
		return c
	}
	return diffVersions(is.own, was.own)
}

// snap returns the state of an entry in the view.
func (v *View) snap(r Ref) *snapshot {
	if s := v.states[r]; s != nil {
		return snap(s)
	}
	f := &folder{base: v.base, states: map[Ref]*state{}}
	return snap(f.lookup(r))
}

// inverseOfMerge returns the split that takes a merge back.
func (v *View) inverseOfMerge(after *View, op Operation) Change {
	to := op.Ref()
	if len(op.Change.Into) > 0 {
		to = op.Change.Into[0].in(op.book())
	}
	into := v.Redirect(to.Book, to.Entry)
	was, is := v.snap(into), after.snap(into)
	var c Change
	if was.exists() {
		c.Parts, c.Into = append(c.Parts, was.own.lore()), append(c.Into, into)
	}
	for _, r := range op.Change.From {
		r = v.Redirect(r.in(op.book()).Book, r.Entry)
		if s := after.snap(r); s.status == StatusMerged && v.snap(r).live() {
			c.Parts, c.Into = append(c.Parts, v.snap(r).own.lore()), append(c.Into, r)
		}
	}
	if !was.over.same(is.over) {
		d := diffVersions(is.laid(), was.laid())
		c.Fields, c.Content, c.Overlay = d.Fields, d.Content, true
	}
	if !slices.Equal(was.knows, is.knows) {
		setChange(&c, fieldKnows, Field{Old: encodeNames(is.knows), New: encodeNames(was.knows)})
	}
	return c
}

// Undo returns the operation by which a person takes another one back; the
// caller gives it an id, a number and a time. Where both are active neither
// counts: what the other one did is gone, what came later keeps what is its
// own. To redo, undo the undo.
//
// The conflicts say what cannot be taken back as one would think: parts that
// later operations replaced, and later operations that lose what they stood on.
func (v *View) Undo(id string, author Author) (Operation, []Conflict, error) {
	op, ok := v.Operation(id)
	if !ok {
		return Operation{}, nil, fmt.Errorf("undo %q: %w", id, ErrUnknown)
	}
	undo := Operation{
		World: op.World, Layer: op.Layer, Conversation: op.Conversation, Book: op.book(), Entry: op.Entry,
		Kind: InverseKind(op.Kind), Author: author, On: op.ID, Undo: op.ID,
	}
	if op.Inverse != nil {
		undo.Change = *op.Inverse
	} else {
		undo.Change = v.AsOf(op.Seq).Inverse(op)
	}
	trial := undo
	trial.ID, trial.Seq = "\x00trial", 1
	for _, o := range v.ops {
		trial.Seq = max(trial.Seq, o.Seq+1)
	}
	conflicts := v.superseded(&op, undo.Change)
	known := map[string]bool{}
	for _, c := range v.Conflicts() {
		known[c.key()] = true
	}
	for _, c := range v.With(trial).Conflicts() {
		if !known[c.key()] {
			conflicts = append(conflicts, c)
		}
	}
	return undo, conflicts, nil
}

// key tells a conflict from others.
func (c *Conflict) key() string {
	var hunk string
	if c.Hunk != nil {
		hunk = strings.Join([]string{c.Hunk.Before, c.Hunk.Old, c.Hunk.New, c.Hunk.After}, "\x00")
	}
	return strings.Join([]string{c.Operation, c.Book, c.Entry, string(c.Kind), c.Field, string(c.Ours), hunk}, "\x00")
}

// superseded returns what of an operation is not there any more to be taken
// back.
func (v *View) superseded(op *Operation, inverse Change) []Conflict {
	s := v.snap(v.Redirect(op.book(), op.Entry))
	if !s.exists() {
		return nil
	}
	on := s.own
	if inverse.Overlay {
		on = s.laid()
	}
	var out []Conflict
	add := func(c Conflict) {
		c.Kind, c.Operation, c.Book, c.Entry = ConflictSuperseded, op.ID, s.ref.Book, s.ref.Entry
		out = append(out, c)
	}
	for _, n := range on.oneForm(inverse.Fields) {
		if _, clash := mergeValue(n.Old, n.New, on.get(n.name)); clash {
			add(Conflict{Field: n.name, Base: n.Old, Theirs: on.get(n.name), Ours: n.New})
		}
	}
	_, lost := patchText(on.content, inverse.Content, false, nil)
	for _, i := range lost {
		h := inverse.Content[i]
		add(Conflict{Field: fieldContent, Hunk: &h, Base: quoted(h.Old), Theirs: quoted(on.content), Ours: quoted(h.New)})
	}
	return out
}
