package engine

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/weaver/diag"
)

// Segment is one revision of a book, compiled: templates and conditions parsed,
// keys in automata, regular expressions compiled, entries ranked. It is
// immutable and shared by any number of indexes.
type Segment struct {
	// serial tells compiled segments apart, for caches. It is never part of a
	// result.
	serial uint64
	id     string
	book   *lore.Book
	// entries in book order, each with its rank.
	entries []*entry
	byID    map[string]*entry
	// broken are the ids of entries that did not compile.
	broken map[string]struct{}
	// constants are the ranks of entries that need no key, always those of
	// entries with a key that no automaton can propose.
	constants []int32
	always    []int32
	sets      []*keyset
	// lookState guards hasState, which is worked out when it is asked for.
	lookState sync.Once
	hasState  bool
	// sweeping are the ranks of entries with a rule that only a scan in sweeps
	// knows.
	sweeping []int32
	// late are the ranks of entries, constants left out, with a key that no
	// automaton proposes for every place; levelled those of entries that wait
	// for recursion.
	late, levelled []int32
	// together are the folders whose entries stand together, by id.
	together map[string]*entry
	// depth is how many messages the deepest entry looks at; wholeChat if one
	// looks at all.
	depth int
	// sources are the texts beside the chat that some entry asks for.
	sources []lore.Source
}

// wholeChat is a depth that no chat exceeds.
const wholeChat = 1 << 30

var serials atomic.Uint64

// BuildOptions change how a book is compiled. The zero value is the default.
type BuildOptions struct {
	// ID overrides the book's id, by which state is kept.
	ID string
}

// Build compiles a book. It never fails as a whole: an entry that cannot be
// compiled is reported with its file and line and left out of the segment. The
// book belongs to the segment from then on and must not be changed.
func Build(book *lore.Book, opts BuildOptions) (*Segment, diag.List) {
	if book == nil {
		book = &lore.Book{}
	}
	id := book.ID
	if opts.ID != "" {
		id = opts.ID
	}
	entries, list := distinct(book)
	places := make([]int32, len(entries))
	for i := range places {
		places[i] = int32(i)
	}
	s, more := build(book, id, entries, places)
	return s, append(list, more...)
}

// distinct returns the entries that count: of those with the same id the last.
func distinct(book *lore.Book) ([]*lore.Entry, diag.List) {
	var list diag.List
	at := make(map[string]int, len(book.Entries))
	out := make([]*lore.Entry, 0, len(book.Entries))
	for _, e := range book.Entries {
		switch {
		case e == nil:
			continue
		case e.ID == "":
			list = append(list, diagnostic(diag.Error, "no-id", e, "an entry needs an id",
				"add a line such as: id: old_mill"))
			continue
		}
		if i, twice := at[e.ID]; twice {
			list = append(list, diagnostic(diag.Warning, "duplicate-id", out[i],
				"another entry of the book has the id "+quote(e.ID)+" too and replaces this one",
				"give one of them another id"))
			out[i] = nil
		}
		at[e.ID] = len(out)
		out = append(out, e)
	}
	return slices.DeleteFunc(out, func(e *lore.Entry) bool { return e == nil }), list
}

// build compiles entries with the settings of a book. places are the entries'
// places in the book.
func build(book *lore.Book, id string, entries []*lore.Entry, places []int32) (*Segment, diag.List) {
	s := &Segment{serial: serials.Add(1), id: id, book: book, byID: make(map[string]*entry, len(entries))}
	compiled, list := compileEntries(s, entries, places)
	for i, e := range compiled {
		if e == nil {
			if s.broken == nil {
				s.broken = make(map[string]struct{})
			}
			s.broken[entries[i].ID] = struct{}{}
			continue
		}
		s.entries = append(s.entries, e)
	}
	s.entries = slices.Clip(s.entries)
	slices.SortFunc(s.entries, compareEntries)
	for i, e := range s.entries {
		e.rank = int32(i)
		s.byID[e.ID] = e
		if e.constant() {
			s.constants = append(s.constants, e.rank)
		} else if e.always {
			s.always = append(s.always, e.rank)
		}
		s.depth = max(s.depth, messagesOf(e.depth))
		if e.needsSweeps() {
			s.sweeping = append(s.sweeping, e.rank)
		}
		for _, src := range e.Sources {
			if !slices.Contains(s.sources, src) {
				s.sources = append(s.sources, src)
			}
		}
	}
	slices.Sort(s.sources)
	s.together = subcontexts(s)
	list = append(list, s.buildKeysets()...)
	for _, e := range s.entries {
		if !e.constant() && e.late() {
			s.late = append(s.late, e.rank)
		}
		if e.Recursion.Level > 0 {
			s.levelled = append(s.levelled, e.rank)
		}
	}
	return s, list
}

// messagesOf returns how many messages a depth reaches at most.
func messagesOf(a lore.Amount) int {
	if a.Unit != lore.UnitMessages && a.Unit != "" {
		return wholeChat
	}
	return int(min(max(a.N, 0), wholeChat))
}

// ID returns the id by which the state keeps the book's counters.
func (s *Segment) ID() string { return s.id }

// Book returns the book. It must not be changed.
func (s *Segment) Book() *lore.Book { return s.book }

// Len returns the number of entries that compiled.
func (s *Segment) Len() int { return len(s.entries) }
