package memory

import (
	"fmt"
	"slices"
)

// SettledAfter is how many later user messages settle a message, unless the
// caller says otherwise.
const SettledAfter = 2

// Settled reports whether a message will no more be swiped away, as far as one
// can tell: it lies on the head path, and at least so many user messages follow
// it. after 0 means [SettledAfter]. Operations of the world layer are written
// for settled messages.
func (p Path) Settled(node string, after int) bool {
	return slices.Contains(p.settled(after), node)
}

// Settled returns the messages that later ones settled between two head paths,
// in their order: those whose operations of the world layer are due.
func Settled(from, to Path, after int) []string {
	was := from.settled(after)
	return slices.DeleteFunc(to.settled(after), func(n string) bool { return slices.Contains(was, n) })
}

func (p Path) settled(after int) []string {
	if after <= 0 {
		after = SettledAfter
	}
	for i := len(p.Steps) - 1; i >= 0; i-- {
		if p.Steps[i].User {
			if after--; after == 0 {
				var out []string
				for _, s := range p.Steps[:i] {
					out = append(out, s.Node)
				}
				return out
			}
		}
	}
	return nil
}

// Reconcile says which operations of the world layer a new head path of their
// conversation retracts, newest first, and which it brings back, oldest first.
// A person's operations stay. The caller sets Operation.Retracted in the
// transaction that moves the head.
func Reconcile(head Path, ops []Operation) (retract, bring []Operation) {
	nodes := head.nodes()
	for _, op := range ops {
		if op.Layer != LayerWorld || op.Conversation != head.Conversation || op.Node == "" || op.Author.Kind == ByPerson {
			continue
		}
		_, on := nodes[op.Node]
		switch {
		case !on && !op.Retracted:
			retract = append(retract, op)
		case on && op.Retracted:
			bring = append(bring, op)
		}
	}
	slices.SortStableFunc(retract, func(a, b Operation) int { return compareOps(&b, &a) })
	slices.SortStableFunc(bring, func(a, b Operation) int { return compareOps(&a, &b) })
	return retract, bring
}

// Promote returns the operations by which a person takes an entry up a layer:
// from the story to the world, from the world to canon. The caller gives them
// ids, numbers and a time, and stores them together.
//
// An entry of its own moves: it is created above (in the book named, by default
// [WorldBook]) and the one below becomes part of it. Of an authored entry, what
// was laid over it is added above: for the world as an overlay, for canon as
// part of its text.
func (v *View) Promote(book, id string, to Layer, into string, by Operation) ([]Operation, error) {
	r, s := v.follow(Ref{book, id})
	if to != LayerWorld && to != LayerCanon {
		return nil, fmt.Errorf("promote %s: to world or canon, not %q", r, to)
	}
	if s == nil || !s.live() {
		return nil, fmt.Errorf("promote %s: nothing of the story concerns it: %w", r, ErrUnknown)
	}
	base := Operation{World: by.World, Layer: to, Author: by.Author, Reason: by.Reason, Quotes: v.quotes(s)}
	if s.base != nil || s.over != nil {
		return v.promoteOverlay(s, base)
	}
	if into == "" {
		if to == LayerCanon {
			return nil, fmt.Errorf("promote %s: to canon needs the book that takes it", r)
		}
		into = WorldBook
	}
	target := Ref{into, r.Entry}
	if target == r {
		return nil, fmt.Errorf("promote %s: it is there already", r)
	}
	if st := v.Status(target.Book, target.Entry); st != StatusUnknown {
		return nil, fmt.Errorf("promote %s: %s is there already: merge the two", r, target)
	}
	create := base
	create.Kind, create.Book, create.Entry = KindCreate, target.Book, target.Entry
	create.Change = Change{Entry: s.own.lore()}
	merge := by
	merge.Layer, merge.Kind, merge.Book, merge.Entry = LayerStory, KindMerge, target.Book, target.Entry
	if r.Book == WorldBook || by.Conversation == "" {
		merge.Layer = LayerWorld
	}
	merge.Change = Change{Into: []Ref{target}, From: []Ref{r}}
	merge.Quotes = nil
	if n := len(s.log); n > 0 {
		merge.On = s.log[n-1].ID
	}
	return []Operation{create, merge}, nil
}

func (v *View) promoteOverlay(s *state, op Operation) ([]Operation, error) {
	if s.over == nil {
		return nil, fmt.Errorf("promote %s: it is authored, and nothing was laid over it", s.ref)
	}
	op.Kind, op.Book, op.Entry = KindPatch, s.ref.Book, s.ref.Entry
	if op.Layer == LayerWorld {
		op.Change.Overlay = true
	}
	for _, f := range s.over.list() {
		old := Field{New: f.raw}
		if op.Layer == LayerCanon {
			old.Old = s.own.get(f.name)
			if f.name == fieldKeys || f.name == "tags" {
				items, _, _, _ := lists(f.raw)
				own, _, _, _ := lists(old.Old)
				old.New = listJSON(append(slices.Clone(own), items...))
			}
		}
		setChange(&op.Change, f.name, old)
	}
	readable(op.Change.Fields)
	if s.over.content != "" {
		op.Change.Content = []Hunk{{New: s.over.content}}
	}
	return []Operation{op}, nil
}

// quotes gathers the passages that an entry rests on.
func (v *View) quotes(s *state) []Quote {
	var out []Quote
	for _, op := range s.log {
		for _, q := range op.Quotes {
			if !slices.Contains(out, q) && len(out) < maxItems {
				out = append(out, q)
			}
		}
	}
	return out
}
