package memory

import (
	"fmt"
	"slices"
	"strings"

	"github.com/weft-memory/weft/lore"
)

// folder applies operations one after the other.
type folder struct {
	base   *base
	opts   Options
	states map[Ref]*state
	status map[string]opStatus
}

// lookup returns the state of an entry as the operations so far made it. One
// that does not exist has no own version.
func (f *folder) lookup(r Ref) *state {
	if s := f.states[r]; s != nil {
		return s
	}
	s := &state{ref: r, status: StatusUnknown}
	if e := f.base.entry(r); e != nil {
		s.base, s.own, s.status, s.made, s.category = e, newVersion(e), StatusLive, ByImport, e.Folder
	}
	f.states[r] = s
	return s
}

// follow returns the state that a reference leads to.
func (f *folder) follow(r Ref) *state {
	s := f.lookup(r)
	for range len(f.states) {
		if s.status != StatusMerged {
			break
		}
		s = f.lookup(s.into)
	}
	return s
}

func (f *folder) apply(op *Operation) {
	switch op.Kind {
	case KindCreate:
		f.create(op)
		return
	case KindRestore:
		f.restore(op, f.lookup(op.Ref()))
		return
	case KindMerge:
		f.merge(op)
		return
	case KindForget, KindRetire:
		f.forget(op, f.lookup(op.Ref()))
		return
	}
	s := f.follow(op.Ref())
	s.log = append(s.log, op)
	sidecar := op.Author.Kind == BySidecar
	if !s.exists() || sidecar && !s.live() {
		f.gone(s, op)
		return
	}
	if sidecar && s.lockedAll() && op.Kind != KindLearn {
		s.propose(op, op.Change, s.guard())
		return
	}
	switch op.Kind {
	case KindPatch, KindAlias:
		f.patch(op, s)
	case KindSplit:
		f.split(op, s)
	case KindMove:
		f.move(op, s, op.Change.Category)
	case KindLearn:
		f.learn(op, s)
	case KindLock, KindUnlock:
		f.lock(op, s)
	default:
		s.refuse(op, fmt.Sprintf("unknown kind %q", op.Kind))
	}
}

// gone reports that an operation has no entry to work on.
func (f *folder) gone(s *state, op *Operation) {
	kind := ConflictGone
	if f.dormant(op) {
		kind = ConflictDormant
	}
	s.conflict(op, Conflict{Kind: kind, Detail: "the entry is " + string(s.status)})
}

// dormant reports whether the operation is a person's edit of a version that is
// not in this view.
func (f *folder) dormant(op *Operation) bool {
	if op.Author.Kind == BySidecar || op.On == "" || strings.HasPrefix(op.On, canonPrefix) {
		return false
	}
	st := f.status[op.On]
	return st != opCounts && st != opPresent
}

func (f *folder) create(op *Operation) {
	e := op.Change.Entry
	if e == nil {
		s := f.lookup(op.Ref())
		s.log = append(s.log, op)
		s.refuse(op, "a creation without an entry")
		return
	}
	r := Ref{op.book(), e.ID}
	s := f.lookup(r)
	s.log = append(s.log, op)
	if s.exists() {
		if !newVersion(e).same(s.own) {
			s.refuse(op, "an entry with this id is there already")
		}
		return
	}
	f.begin(op, s, e)
}

// begin makes the entry of a state.
func (f *folder) begin(op *Operation, s *state, e *lore.Entry) {
	s.own, s.status, s.made, s.at = newVersion(e), StatusLive, op.Author.Kind, op.Seq
	s.category = ""
	f.setCategory(op, s, e.Folder)
}

func (f *folder) forget(op *Operation, s *state) {
	s.log = append(s.log, op)
	switch {
	case !s.exists():
		f.gone(s, op)
		return
	case s.status == StatusMerged:
		s.refuse(op, "the entry was merged into "+s.into.String()+": forget that one, or take the merge back")
		return
	case op.Author.Kind == BySidecar && s.live():
		if why := s.guard(); why != "" {
			s.propose(op, op.Change, why)
			return
		}
	}
	if !s.live() { // it is gone already; a person's word weighs more
		if op.Author.Kind != BySidecar {
			s.goneBy = op.Author.Kind
		}
		return
	}
	if e := op.Change.Entry; e != nil {
		s.own = newVersion(e)
	}
	s.goneBy = op.Author.Kind
	s.status = StatusForgotten
	if op.Kind == KindRetire {
		s.status = StatusRetired
	}
}

func (f *folder) restore(op *Operation, s *state) {
	s.log = append(s.log, op)
	sidecar := op.Author.Kind == BySidecar
	e := op.Change.Entry
	switch {
	case !s.exists() && e == nil:
		f.gone(s, op)
		return
	case !s.exists():
		f.begin(op, s, e)
		return
	case sidecar && s.goneBy != "" && s.goneBy != BySidecar:
		s.propose(op, op.Change, "a person took the entry out")
		return
	case s.live():
		if e != nil && !newVersion(e).same(s.own) {
			s.refuse(op, "the entry is live: patch it")
		}
		return
	case sidecar && e != nil && s.guard() != "":
		s.propose(op, op.Change, s.guard())
		return
	}
	if e != nil {
		was := s.own
		s.own = newVersion(e)
		if !sidecar {
			s.human.note(was, s.own)
		}
	}
	s.status, s.into, s.goneBy = StatusLive, Ref{}, ""
}

func (f *folder) learn(op *Operation, s *state) {
	s.knows = addNames(s.knows, op.Change.Names)
	s.knowsField(&op.Change)
}

// knowsField applies a change of the list of those who know.
func (s *state) knowsField(c *Change) {
	if k, ok := c.Fields[fieldKnows]; ok {
		merged, _ := mergeValue(k.Old, k.New, encodeNames(s.knows))
		s.knows = decodeNames(merged)
	}
}

func (f *folder) lock(op *Operation, s *state) {
	if op.Author.Kind == BySidecar {
		s.propose(op, op.Change, "only a person locks")
		return
	}
	names := op.Change.Names
	if op.Kind == KindLock && len(names) == 0 {
		names = []string{"text"}
	}
	s.locks = slices.Clone(names)
	if len(s.locks) == 0 {
		s.locks = nil
	}
}

func (f *folder) move(op *Operation, s *state, to string) { f.setCategory(op, s, to) }

// setCategory puts an entry or category below another category. A circle is
// refused.
func (f *folder) setCategory(op *Operation, s *state, to string) {
	if s.ref.IsCategory() {
		seen := map[*state]bool{}
		for at := to; at != ""; {
			c := f.follow(Ref{s.ref.Book, CategoryID(at)})
			if c == s {
				s.refuse(op, fmt.Sprintf("the category %q lies below this one", to))
				return
			}
			if !c.exists() || seen[c] {
				break
			}
			seen[c] = true
			at = c.category
		}
	}
	s.category = to
}
