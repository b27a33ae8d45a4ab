package engine

import (
	"slices"
	"strconv"

	"github.com/weft-memory/weft/lore"
)

// Index is a list of books as one conversation sees them: compiled segments,
// each with a small overlay of entries added, changed or hidden. It is
// immutable and safe for concurrent use; making one costs next to nothing.
type Index struct {
	views []*view
	slots slotTable
}

// view is one book of an index.
type view struct {
	// id is the book's id in state, traces and blocks; n its place among the
	// books.
	id   string
	n    int
	base *Segment
	// over holds the entries added or changed; nil if there are none.
	over *Segment
	// covered are the entries of base that over replaces or that are hidden, by
	// rank; hidden the ids that are hidden.
	covered map[int32]struct{}
	hidden  map[string]struct{}
}

// NewIndex returns an index of the segments; the first is the primary book. If
// two segments have the same id, the later one is known as "id#2". A segment
// that is given twice counts once.
func NewIndex(segments ...*Segment) *Index {
	ix := &Index{}
	seen := make(map[string]int)
	for i, s := range segments {
		if s == nil || slices.Contains(segments[:i], s) {
			continue
		}
		id := s.id
		if seen[id]++; seen[id] > 1 {
			id += "#" + strconv.Itoa(seen[id])
		}
		ix.views = append(ix.views, &view{id: id, n: len(ix.views), base: s})
	}
	ix.slots = newSlotTable(ix.books())
	return ix
}

func (ix *Index) books() []*lore.Book {
	out := make([]*lore.Book, len(ix.views))
	for i, v := range ix.views {
		out[i] = v.base.book
	}
	return out
}

// Books returns the ids of the books, the primary one first.
func (ix *Index) Books() []string {
	out := make([]string, len(ix.views))
	for i, v := range ix.views {
		out[i] = v.id
	}
	return out
}

// Entry returns an entry of the index as it stands, overlay included, and the
// id of its book; nil if there is none. An empty book means the first one that
// has it.
func (ix *Index) Entry(ref EntryRef) (*lore.Entry, string) {
	v, e := ix.find(ref)
	if e == nil {
		return nil, ""
	}
	return e.Entry, v.id
}

// book returns the view with an id, or nil.
func (ix *Index) book(id string) *view {
	for _, v := range ix.views {
		if v.id == id {
			return v
		}
	}
	return nil
}

func (ix *Index) find(ref EntryRef) (*view, *entry) {
	for _, v := range ix.views {
		if ref.Book != "" && v.id != ref.Book {
			continue
		}
		if e := v.entry(ref.Entry); e != nil {
			return v, e
		}
	}
	return nil, nil
}

// resolve finds an entry as templates of the book v name it: in the own book
// first, then in the others in order.
func (ix *Index) resolve(v *view, id string) (*view, *entry) {
	if e := v.entry(id); e != nil {
		return v, e
	}
	for _, w := range ix.views {
		if w == v {
			continue
		}
		if e := w.entry(id); e != nil {
			return w, e
		}
	}
	return nil, nil
}

// entry returns the entry with an id, or nil.
func (v *view) entry(id string) *entry {
	if v.over != nil {
		if e := v.over.byID[id]; e != nil {
			return e
		}
	}
	e := v.base.byID[id]
	if e == nil || v.isCovered(e) {
		return nil
	}
	return e
}

// isCovered reports whether an entry of the base is replaced or hidden.
func (v *view) isCovered(e *entry) bool {
	if v.covered == nil || e.seg != v.base {
		return false
	}
	_, ok := v.covered[e.rank]
	return ok
}

func (v *view) policy() *lore.Policy { return &v.base.book.Policy }

// segments calls yield for the base and the overlay.
func (v *view) segments(yield func(*Segment) bool) {
	if yield(v.base) && v.over != nil {
		yield(v.over)
	}
}
