package engine

import (
	"maps"
	"slices"

	"github.com/weft-memory/weft/lore"
)

// sweepTimers are the timed effects of a recursive scan. In dialects that count
// messages they are SillyTavern's records; else the counters of the book.
type sweepTimers struct {
	messages bool
	length   int
	books    map[string]BookState // own copies of the records
	byHash   map[uint64]*sweepEntry
}

func (t *sweepTimers) unit() string {
	if t.messages {
		return "message"
	}
	return "turn"
}

// read takes the effects out of the state. The faithful dialect does not look
// at them in a preview.
func (t *sweepTimers) read(s *sweepScan) {
	t.messages, t.length = s.policy.Timers == lore.TimersMessages, s.length
	switch {
	case !t.messages:
		for i, b := range s.books {
			for id, left := range b.state.Sticky {
				if e := b.view.entry(id); e != nil && left > 0 {
					if item := s.include(i, e); item != nil {
						item.sticky, item.left = true, left
					}
				}
			}
		}
	case s.in.Purpose != PurposePreview || !s.policy.Faithful:
		t.readMessages(s)
	}
}

// readMessages drops the records that ran out, and starts the cooldown of what
// was sticky.
func (t *sweepTimers) readMessages(s *sweepScan) {
	t.books = map[string]BookState{}
	records := false
	for _, id := range s.recorded() {
		b := s.state.Books[id]
		records = records || len(b.StickyUntil) > 0 || len(b.CooldownUntil) > 0
		b.StickyUntil, b.CooldownUntil = maps.Clone(b.StickyUntil), maps.Clone(b.CooldownUntil)
		t.books[id] = b
	}
	if !records {
		return
	}
	for _, id := range sortedKeys(t.books) {
		b := t.books[id]
		for _, entry := range sortedKeys(b.StickyUntil) {
			r := b.StickyUntil[entry]
			e, verdict := t.judge(s, id, entry, r, func(e *sweepEntry) int { return e.Sticky })
			switch verdict {
			case recordActive:
				e.sticky, e.left = true, r.End-t.length
			case recordGone:
				delete(b.StickyUntil, entry)
			case recordOver:
				delete(b.StickyUntil, entry)
				if e.Cooldown > 0 {
					t.put(e, MessageTimer{Start: t.length, End: t.length + e.Cooldown, Protected: true})
				}
			}
		}
	}
	for _, id := range sortedKeys(t.books) {
		b := t.books[id]
		for _, entry := range sortedKeys(b.CooldownUntil) {
			r := b.CooldownUntil[entry]
			e, verdict := t.judge(s, id, entry, r, func(e *sweepEntry) int { return e.Cooldown })
			switch verdict {
			case recordActive:
				e.cooldown = r.End - t.length
			case recordGone, recordOver:
				delete(b.CooldownUntil, entry)
			}
		}
	}
}

// entryOf finds the entry that a record is for by its hash: the one that the
// record is kept under, or one whose id has changed.
func (t *sweepTimers) entryOf(s *sweepScan, book, id string, hash uint64) *sweepEntry {
	for i, b := range s.books {
		if b.view.id != book {
			continue
		}
		if e := b.view.entry(id); e != nil && entryHash(book, e) == hash {
			return s.include(i, e)
		}
	}
	if t.byHash == nil {
		t.byHash = map[uint64]*sweepEntry{}
		for i, b := range s.books {
			for seg := range b.view.segments {
				for _, e := range seg.entries {
					if b.view.isCovered(e) {
						continue
					}
					item := &sweepEntry{entry: e, book: b, part: s.parts[i], seq: s.seqs[i]}
					h := entryHash(b.view.id, e)
					if old := t.byHash[h]; old == nil || s.compare(item, old) < 0 {
						t.byHash[h] = item
					}
				}
			}
		}
	}
	item := t.byHash[hash]
	if item == nil {
		return nil
	}
	return s.include(slices.Index(s.books, item.book), item.entry)
}

// recorded returns the books whose records this scan looks after: its own, and
// those that are not part of the assembly at all, whose clocks run on.
func (s *sweepScan) recorded() []string {
	ids := slices.Clone(s.trace.Books)
	for _, id := range sortedKeys(s.state.Books) {
		if s.index.book(id) == nil {
			ids = append(ids, id)
		}
	}
	return ids
}

// put writes a cooldown record.
func (t *sweepTimers) put(e *sweepEntry, r MessageTimer) {
	id := e.book.view.id
	r.Hash = entryHash(id, e.entry)
	b := t.books[id]
	if b.CooldownUntil == nil {
		b.CooldownUntil = map[string]MessageTimer{}
		t.books[id] = b
	}
	b.CooldownUntil[e.ID] = r
}

// recordVerdict is what becomes of a record.
type recordVerdict int

const (
	recordActive recordVerdict = iota
	recordWaits                // its entry was edited: it blocks until it runs out
	recordGone                 // the chat did not move on, or the effect is no more
	recordOver                 // it ran out
)

// judge decides about a record, and finds the entry that it is for.
func (t *sweepTimers) judge(s *sweepScan, book, id string, r MessageTimer, effect func(*sweepEntry) int) (*sweepEntry, recordVerdict) {
	if t.length <= r.Start && !r.Protected {
		return nil, recordGone
	}
	e := t.entryOf(s, book, id, r.Hash)
	switch {
	case e == nil && t.length >= r.End:
		return nil, recordGone
	case e == nil:
		return nil, recordWaits
	case effect(e) == 0:
		return e, recordGone
	case t.length >= r.End:
		return e, recordOver
	}
	return e, recordActive
}

// record starts the effects of the admitted entries, and puts the records into
// the state. An effect that runs is not prolonged. A preview records nothing.
func (t *sweepTimers) record(s *sweepScan) {
	if !t.messages || s.in.Purpose == PurposePreview {
		return
	}
	for _, e := range s.admitted {
		b := t.books[e.book.view.id]
		b.StickyUntil = t.start(b.StickyUntil, e, e.Sticky)
		b.CooldownUntil = t.start(b.CooldownUntil, e, e.Cooldown)
		t.books[e.book.view.id] = b
	}
	books := maps.Clone(s.state.Books)
	if books == nil {
		books = map[string]BookState{}
	}
	for id, b := range t.books {
		if len(b.StickyUntil) == 0 {
			b.StickyUntil = nil
		}
		if len(b.CooldownUntil) == 0 {
			b.CooldownUntil = nil
		}
		if _, had := books[id]; had || b.StickyUntil != nil || b.CooldownUntil != nil {
			books[id] = b
		}
	}
	s.state.Books = books
}

func (t *sweepTimers) start(m map[string]MessageTimer, e *sweepEntry, n int) map[string]MessageTimer {
	if _, running := m[e.ID]; running || n <= 0 {
		return m
	}
	if m == nil {
		m = map[string]MessageTimer{}
	}
	m[e.ID] = MessageTimer{Hash: entryHash(e.book.view.id, e.entry), Start: t.length, End: t.length + n}
	return m
}
