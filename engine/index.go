package engine

// Index is a list of books as one conversation sees them: compiled segments,
// each with a small overlay of entries added, changed or hidden. It is
// immutable and safe for concurrent use; making one costs next to nothing.
type Index struct {
	segments []*Segment
}

// NewIndex returns an index of the segments; the first is the primary book. If
// two segments have the same id, the later one is known as "id#2".
func NewIndex(segments ...*Segment) *Index { return &Index{segments: segments} }
