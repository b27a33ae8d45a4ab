package memory

import (
	"cmp"
	"slices"

	"github.com/weft-memory/weft/engine"
	"github.com/weft-memory/weft/lore"
)

// Options change how operations are folded. The zero value is the default.
type Options struct {
	// Shrink is the share of a text that one operation of a sidecar may remove;
	// what removes more becomes a proposal. 0 means 0.5; 1 and more means that
	// anything goes.
	Shrink float64
	// ShrinkFrom is the length in bytes from which on a text is guarded so.
	// 0 means 200.
	ShrinkFrom int
	// Label gives the words for what is laid over an authored entry, for
	// example in the story's language. Nil means English.
	Label func(field, value string) string
}

// View is the lore as it is seen at one place: books with operations applied.
// It is immutable, safe for concurrent use, and shares what it can with the
// views it was made from.
type View struct {
	base *base
	opts Options
	ops  []*Operation // in order, all that were given
	counts
	states map[Ref]*state
}

// Fold applies operations to books in the order of their numbers. It takes the
// operations that are active there, see [Active]; retracted ones, undone ones,
// and of those with one digest all but the first do not count. The books and
// the operations must not be changed afterwards.
func Fold(books []*lore.Book, ops []Operation, opts Options) *View {
	return fold(newBase(books), order(pointers(ops)), opts)
}

// Fold returns the view of other operations on the same books.
func (v *View) Fold(ops []Operation) *View { return fold(v.base, order(pointers(ops)), v.opts) }

func fold(b *base, ops []*Operation, opts Options) *View {
	v := &View{base: b, opts: opts, ops: ops, counts: count(ops)}
	v.states = v.run(ops)
	return v
}

// run applies those of the operations that count to the bare books.
func (v *View) run(ops []*Operation) map[Ref]*state {
	f := &folder{base: v.base, opts: v.opts, states: make(map[Ref]*state), status: v.status}
	for _, op := range ops {
		if v.status[op.ID] == opCounts {
			f.apply(op)
		}
	}
	return f.states
}

// pointers returns the operations one by one, those without a digest with one.
func pointers(ops []Operation) []*Operation {
	out := make([]*Operation, len(ops))
	for i := range ops {
		out[i] = &ops[i]
		if ops[i].Digest == "" {
			op := ops[i]
			op.Digest = op.Sum()
			out[i] = &op
		}
	}
	return out
}

// order sorts operations by their numbers; of those with one id it keeps the
// first. The list is its own.
func order(ops []*Operation) []*Operation {
	slices.SortStableFunc(ops, compareOps)
	seen := make(map[string]bool, len(ops))
	return slices.DeleteFunc(ops, func(op *Operation) bool {
		twice := seen[op.ID]
		seen[op.ID] = true
		return twice
	})
}

// Operations returns the operations of the view in order, those that do not
// count included.
func (v *View) Operations() []Operation {
	out := make([]Operation, len(v.ops))
	for i, op := range v.ops {
		out[i] = *op
	}
	return out
}

// Operation returns an operation of the view.
func (v *View) Operation(id string) (Operation, bool) {
	for _, op := range v.ops {
		if op.ID == id {
			return *op, true
		}
	}
	return Operation{}, false
}

// Counts reports whether an operation is part of the view and takes effect: it
// is neither retracted, nor undone, nor there twice.
func (v *View) Counts(id string) bool { return v.status[id] == opCounts }

// follow returns where a reference leads, and its state.
func (v *View) follow(r Ref) (Ref, *state) {
	s := v.states[r]
	for range len(v.states) {
		if s == nil || s.status != StatusMerged {
			break
		}
		r = s.into
		s = v.states[r]
	}
	return r, s
}

// Entry returns an entry as the engine sees it, references to merged entries
// followed; nil if none is live. It must not be changed.
func (v *View) Entry(book, id string) *lore.Entry {
	r, s := v.follow(Ref{book, id})
	if s == nil {
		return v.base.entry(r)
	}
	if !s.live() {
		return nil
	}
	return v.rendered(s)
}

// Authored returns the entry without what was laid over it, also if it is not
// live, references not followed: what its author and, if a sidecar made it,
// later operations gave it. Nil if there never was one. It must not be changed.
func (v *View) Authored(book, id string) *lore.Entry {
	r := Ref{book, id}
	s := v.states[r]
	if s == nil {
		return v.base.entry(r)
	}
	if !s.exists() {
		return nil
	}
	return s.own.lore()
}

// Status says where an entry stands, references not followed.
func (v *View) Status(book, id string) Status {
	if s := v.states[Ref{book, id}]; s != nil {
		return s.status
	}
	if v.base.entry(Ref{book, id}) != nil {
		return StatusLive
	}
	return StatusUnknown
}

// Redirect returns what a reference leads to after merges, splits and
// promotions; itself if nothing happened to it.
func (v *View) Redirect(book, id string) Ref {
	r, _ := v.follow(Ref{book, id})
	return r
}

// Locked returns what keeps sidecars from an entry: nil if nothing does, else
// the names of its lock, of which [LockAll] is one.
func (v *View) Locked(book, id string) []string {
	if _, s := v.follow(Ref{book, id}); s != nil {
		return slices.Clone(s.locks)
	}
	return nil
}

// Guarded says why a sidecar may not change the entry itself; "" if it may, or
// if there is none.
func (v *View) Guarded(book, id string) string {
	r, s := v.follow(Ref{book, id})
	if s == nil {
		if v.base.entry(r) == nil {
			return ""
		}
		return (&state{base: v.base.entry(r)}).guard()
	}
	if !s.exists() {
		return ""
	}
	return s.guard()
}

// Knows returns the characters who learned of an entry, in the order in which
// they did.
func (v *View) Knows(book, id string) []string {
	if _, s := v.follow(Ref{book, id}); s != nil {
		return slices.Clone(s.knows)
	}
	return nil
}

// Live returns the live entries: those of the books in their order, then the
// created ones in the order of their creation.
func (v *View) Live() []Ref {
	var out []Ref
	for _, b := range v.base.books {
		b.look()
		for _, e := range b.Entries {
			if e == nil || b.byID[e.ID] != e {
				continue
			}
			r := Ref{b.ID, e.ID}
			if s := v.states[r]; s == nil || s.live() {
				out = append(out, r)
			}
		}
	}
	for _, s := range v.created() {
		if s.live() && !s.ref.IsCategory() {
			out = append(out, s.ref)
		}
	}
	return out
}

// created returns the states of what operations created, in that order.
func (v *View) created() []*state {
	var out []*state
	for _, s := range v.states {
		if s.base == nil && s.exists() {
			out = append(out, s)
		}
	}
	slices.SortFunc(out, func(a, b *state) int { return cmp.Or(cmp.Compare(a.at, b.at), compareRefs(a.ref, b.ref)) })
	return out
}

// sorted returns the states that are wanted, in the order of their references.
func (v *View) sorted(wanted func(*state) bool) []*state {
	var out []*state
	for _, s := range v.states {
		if wanted(s) {
			out = append(out, s)
		}
	}
	slices.SortFunc(out, func(a, b *state) int { return compareRefs(a.ref, b.ref) })
	return out
}

// Conflicts returns what did not take effect as it was meant, in the order of
// the operations.
func (v *View) Conflicts() []Conflict {
	var out []Conflict
	for _, s := range v.sorted(func(s *state) bool { return len(s.conflicts) > 0 }) {
		out = append(out, s.conflicts...)
	}
	if out == nil {
		return nil
	}
	at := v.places()
	slices.SortStableFunc(out, func(a, b Conflict) int { return cmp.Compare(at[a.Operation], at[b.Operation]) })
	return out
}

// Proposals returns what sidecars want but may not do, in the order of the
// operations.
func (v *View) Proposals() []Proposal {
	var out []Proposal
	for _, s := range v.sorted(func(s *state) bool { return len(s.proposals) > 0 }) {
		out = append(out, s.proposals...)
	}
	if out == nil {
		return nil
	}
	at := v.places()
	slices.SortStableFunc(out, func(a, b Proposal) int { return cmp.Compare(at[a.Operation], at[b.Operation]) })
	return out
}

func (v *View) places() map[string]int {
	at := make(map[string]int, len(v.ops))
	for i, op := range v.ops {
		at[op.ID] = i
	}
	return at
}

// Overlays returns the view as changes to an index of the books. The index has
// to hold [WorldBook] and [StoryBook], see [NewBook].
func (v *View) Overlays() engine.Overlay {
	o := engine.Overlay{Put: map[string][]*lore.Entry{}, Hide: map[string][]string{}}
	for _, s := range v.authored() {
		book := s.ref.Book
		switch {
		case s.live():
			if e := v.rendered(s); e != s.base {
				o.Put[book] = append(o.Put[book], e)
			}
		case s.status == StatusMerged && v.base.policy(book).Language == lore.LangWeaver:
			o.Put[book] = append(o.Put[book], v.signpost(s))
		default:
			o.Hide[book] = append(o.Hide[book], s.ref.Entry)
		}
	}
	for _, s := range v.created() {
		if s.live() && !s.ref.IsCategory() {
			o.Put[s.ref.Book] = append(o.Put[s.ref.Book], v.rendered(s))
		}
	}
	return o
}

// authored returns the states of the books' own entries, sorted.
func (v *View) authored() []*state {
	var out []*state
	for _, s := range v.states {
		if s.base != nil && !s.ref.IsCategory() {
			out = append(out, s)
		}
	}
	slices.SortFunc(out, func(a, b *state) int { return compareRefs(a.ref, b.ref) })
	return out
}

// signpost stands in the place of an entry that was merged into another one, so
// that templates which include it include that one. It never activates.
func (v *View) signpost(s *state) *lore.Entry {
	e := lore.NewEntry(s.ref.Entry, "[["+v.Redirect(s.ref.Book, s.ref.Entry).Entry+"]]")
	e.Disabled = true
	return e
}
