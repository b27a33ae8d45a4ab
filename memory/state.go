package memory

import (
	"slices"
	"sync"

	"github.com/weft-memory/weft/lore"
)

// Status says where an entry stands in a view.
type Status string

// The values of Status.
const (
	StatusUnknown   Status = "unknown" // there never was one
	StatusLive      Status = "live"
	StatusForgotten Status = "forgotten"
	StatusRetired   Status = "retired"
	// StatusMerged: the entry is part of another one, see [View.Redirect].
	StatusMerged Status = "merged"
)

// state is what the operations made of one entry. It is changed while they are
// folded and never afterwards.
type state struct {
	ref Ref
	// base is the authored entry of a book; nil if an operation created it.
	base *lore.Entry
	// own is the entry itself, over what was laid over it; nil if there is none.
	own, over *version
	status    Status
	into      Ref // where a merged entry went
	// made is who created it, at is the number of the creating operation.
	made AuthorKind
	at   int64
	// goneBy is who made it forgotten or retired.
	goneBy AuthorKind
	locks  []string // of a lock; nil if none
	// category is the id of the category that was asked for last.
	category string
	knows    []string
	human    marks

	log       []*Operation
	conflicts []Conflict
	proposals []Proposal

	renderOnce sync.Once
	rendered   *lore.Entry
}

// marks are what people changed in an entry that a sidecar made.
type marks struct {
	fields    map[string]bool
	sentences map[string]bool
	// struck are sentences that a person took out.
	struck map[string]bool
}

func (m *marks) join(o marks) {
	for _, f := range []struct {
		to   *map[string]bool
		from map[string]bool
	}{{&m.fields, o.fields}, {&m.sentences, o.sentences}, {&m.struck, o.struck}} {
		for k := range f.from {
			mark(f.to, k)
		}
	}
}

func mark(m *map[string]bool, key string) {
	if *m == nil {
		*m = map[string]bool{}
	}
	(*m)[key] = true
}

// note records what a person changed from one version to the next.
func (m *marks) note(from, to *version) {
	if from == to {
		return
	}
	a, b := from.list(), to.list()
	for _, f := range append(slices.Clone(a), b...) {
		if !equalJSON(getField(a, f.name), getField(b, f.name)) {
			mark(&m.fields, f.name)
		}
	}
	if from.content == to.content {
		return
	}
	was, is := sentenceSet(from.content), sentenceSet(to.content)
	for s := range is {
		if !was[s] {
			mark(&m.sentences, s)
			delete(m.struck, s)
		}
	}
	for s := range was {
		if !is[s] {
			mark(&m.struck, s)
		}
	}
}

func (s *state) exists() bool { return s.own != nil }

func (s *state) live() bool { return s.status == StatusLive }

// lockedAll reports whether sidecars may not even lay something over the entry.
func (s *state) lockedAll() bool { return slices.Contains(s.locks, LockAll) }

// guard says why a sidecar may not change the entry itself; "" if it may.
func (s *state) guard() string {
	switch {
	case s.locks != nil:
		return "the entry is locked"
	case s.base != nil:
		return "the entry is authored"
	case s.made != BySidecar:
		return "a person made the entry"
	}
	return ""
}

func (s *state) conflict(op *Operation, list ...Conflict) {
	for _, c := range list {
		c.Operation, c.Book, c.Entry = op.ID, s.ref.Book, s.ref.Entry
		s.conflicts = append(s.conflicts, c)
	}
}

func (s *state) refuse(op *Operation, detail string) {
	s.conflict(op, Conflict{Kind: ConflictRefused, Detail: detail})
}

func (s *state) propose(op *Operation, c Change, why string) {
	kind := op.Kind
	if kind == KindAlias && len(c.Names) == 0 {
		kind = KindPatch
	}
	s.proposals = append(s.proposals, Proposal{
		Operation: op.ID, Book: s.ref.Book, Entry: s.ref.Entry, Kind: kind, Change: c, Why: why,
	})
}

// laid returns what is laid over the entry; a blank version if nothing is.
func (s *state) laid() *version {
	if s.over != nil {
		return s.over
	}
	return newVersion(lore.NewEntry(s.ref.Entry, ""))
}

func (s *state) setOver(v *version) {
	if v.blank() {
		v = nil
	}
	s.over = v
}

func addNames(list, names []string) []string {
	out := slices.Clip(list)
	for _, n := range names {
		if !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	return out
}
