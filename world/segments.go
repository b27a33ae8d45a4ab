package world

import (
	"container/list"
	"sync"

	"github.com/weft-memory/weft/engine"
	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/weaver/diag"
)

// compiled is one revision of a book, ready for the engine. It is immutable.
type compiled struct {
	book *lore.Book
	// segment is the book as it was compiled as a whole; put and hide are what
	// the revision changed since then.
	segment  *engine.Segment
	put      map[string]*lore.Entry
	hide     map[string]bool
	findings diag.List
	size     int64
}

// maxPatched is how many entries may differ from the segment before a book is
// compiled as a whole again.
const maxPatched = 128

func compile(b *lore.Book) *compiled {
	segment, findings := engine.Build(b, engine.BuildOptions{})
	c := &compiled{book: b, segment: segment, findings: findings}
	for _, e := range b.Entries {
		c.size += int64(len(e.Content)) + 512
	}
	return c
}

// edited returns the compiled form of a revision that differs from this one in
// the entry with one id only.
func (c *compiled) edited(b *lore.Book, id string) *compiled {
	out := &compiled{book: b, segment: c.segment, size: c.size, put: map[string]*lore.Entry{}, hide: map[string]bool{}}
	for k, e := range c.put {
		out.put[k] = e
	}
	for k := range c.hide {
		out.hide[k] = true
	}
	if e := b.Entry(id); e != nil {
		out.put[id] = e
		delete(out.hide, id)
	} else {
		out.hide[id] = true
		delete(out.put, id)
	}
	out.findings = c.findings
	return out
}

// overlay adds what the revision changed to an overlay.
func (c *compiled) overlay(o *engine.Overlay) {
	if len(c.put) == 0 && len(c.hide) == 0 {
		return
	}
	if o.Put == nil {
		o.Put, o.Hide = map[string][]*lore.Entry{}, map[string][]string{}
	}
	for _, e := range c.book.Entries { // in the order of the book
		if c.put[e.ID] == e {
			o.Put[c.book.ID] = append(o.Put[c.book.ID], e)
		}
	}
	for id := range c.hide {
		o.Hide[c.book.ID] = append(o.Hide[c.book.ID], id) // the order says nothing
	}
}

// segmentKey names a revision of a book. The hash says what it holds: a revision
// that was never committed, or was erased, cannot be taken for another one.
type segmentKey struct {
	world, book, hash string
}

// segments keeps compiled books, the last used ones, within a bound of bytes.
// Two who need the same book at the same time compile it once.
type segments struct {
	limit int64

	mu       sync.Mutex
	byKey    map[segmentKey]*list.Element
	recent   *list.List // of *segmentItem
	bytes    int64
	compiled int64
	loading  map[segmentKey]chan struct{}
}

type segmentItem struct {
	key segmentKey
	c   *compiled
}

func newSegments(limit int64) *segments {
	return &segments{limit: limit, byKey: map[segmentKey]*list.Element{}, recent: list.New(), loading: map[segmentKey]chan struct{}{}}
}

// get returns a compiled book; load reads it if it is not there.
func (s *segments) get(key segmentKey, load func() (*lore.Book, error)) (*compiled, error) {
	for {
		s.mu.Lock()
		if e := s.byKey[key]; e != nil {
			s.recent.MoveToFront(e)
			s.mu.Unlock()
			return e.Value.(*segmentItem).c, nil
		}
		if wait := s.loading[key]; wait != nil {
			s.mu.Unlock()
			<-wait // whoever loads needs nothing that we hold
			continue
		}
		done := make(chan struct{})
		s.loading[key] = done
		s.mu.Unlock()
		c, err := s.load(key, load)
		s.mu.Lock()
		delete(s.loading, key)
		s.mu.Unlock()
		close(done)
		return c, err
	}
}

func (s *segments) load(key segmentKey, load func() (*lore.Book, error)) (*compiled, error) {
	b, err := load()
	if err != nil {
		return nil, err
	}
	c := compile(b)
	s.mu.Lock()
	s.compiled++
	s.mu.Unlock()
	s.put(key, c)
	return c, nil
}

// peek returns a compiled book if it is there.
func (s *segments) peek(key segmentKey) *compiled {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e := s.byKey[key]; e != nil {
		return e.Value.(*segmentItem).c
	}
	return nil
}

func (s *segments) put(key segmentKey, c *compiled) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e := s.byKey[key]; e != nil {
		return
	}
	s.byKey[key] = s.recent.PushFront(&segmentItem{key, c})
	s.bytes += c.size
	for s.bytes > s.limit && s.recent.Len() > 1 {
		s.remove(s.recent.Back())
	}
}

// replace puts another form in the place of a compiled book.
func (s *segments) replace(key segmentKey, c *compiled) {
	s.mu.Lock()
	s.compiled++
	if e := s.byKey[key]; e != nil {
		s.remove(e)
	}
	s.mu.Unlock()
	s.put(key, c)
}

func (s *segments) remove(e *list.Element) {
	item := e.Value.(*segmentItem)
	delete(s.byKey, item.key)
	s.recent.Remove(e)
	s.bytes -= item.c.size
}

// forget drops the books of a world that fit.
func (s *segments) forget(fits func(segmentKey) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for key, e := range s.byKey {
		if fits(key) {
			s.remove(e)
		}
	}
}

func (s *segments) stats(out *Stats) {
	s.mu.Lock()
	defer s.mu.Unlock()
	out.Segments, out.SegmentBytes, out.Compiled = len(s.byKey), s.bytes, s.compiled
}
