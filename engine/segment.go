package engine

import (
	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/weaver/diag"
)

// Segment is one revision of a book, compiled: templates and conditions parsed,
// keys in automata, regular expressions compiled, entries ranked. It is
// immutable and shared by any number of indexes.
type Segment struct {
	book *lore.Book
}

// BuildOptions change how a book is compiled. The zero value is the default.
type BuildOptions struct {
	// ID overrides the book's id, by which state is kept.
	ID string
}

// Build compiles a book. It never fails as a whole: an entry that cannot be
// compiled is reported with its file and line and left out of the segment. The
// book belongs to the segment from then on and must not be changed.
func Build(book *lore.Book, opts BuildOptions) (*Segment, diag.List) {
	return &Segment{book: book}, nil
}

// ID returns the id by which the state keeps the book's counters.
func (s *Segment) ID() string { return s.book.ID }

// Book returns the book. It must not be changed.
func (s *Segment) Book() *lore.Book { return s.book }

// Len returns the number of entries.
func (s *Segment) Len() int { return len(s.book.Entries) }
