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
	sticky   map[EntryRef]bool
	// cooldown is how many messages or turns are left.
	cooldown map[EntryRef]int
	// any says that some effect is active.
	any bool

	length int
	books  map[string]BookState // own copies of the records
	byHash map[uint64]*sweepEntry
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
	t.sticky, t.cooldown = map[EntryRef]bool{}, map[EntryRef]int{}
	t.messages, t.length = s.policy.Timers == lore.TimersMessages, s.length
	if !t.messages {
		t.readTurns(s)
	} else if s.in.Purpose != PurposePreview || !s.policy.Faithful {
		t.readMessages(s)
	}
	t.any = len(t.sticky) > 0 || len(t.cooldown) > 0
}

func (t *sweepTimers) readTurns(s *sweepScan) {
	rules := timersOf(&s.policy)
	for _, e := range s.list {
		b := s.state.Books[e.view.id]
		if b.Sticky[e.ID] > 0 {
			t.sticky[e.ref()] = true
		}
		if left := rules.cooldown(b, e.entry, s.in.State.Turn); left > 0 {
			t.cooldown[e.ref()] = left
		}
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
	t.byHash = make(map[uint64]*sweepEntry, len(s.list))
	for _, e := range slices.Backward(s.list) {
		t.byHash[entryHash(e.view.id, e.entry)] = e
	}
	for _, id := range sortedKeys(t.books) {
		b := t.books[id]
		for _, entry := range sortedKeys(b.StickyUntil) {
			r := b.StickyUntil[entry]
			e, verdict := t.judge(r, func(e *sweepEntry) int { return e.Sticky })
			switch verdict {
			case recordActive:
				t.sticky[e.ref()] = true
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
			e, verdict := t.judge(r, func(e *sweepEntry) int { return e.Cooldown })
			switch verdict {
			case recordActive:
				t.cooldown[e.ref()] = r.End - t.length
			case recordGone, recordOver:
				delete(b.CooldownUntil, entry)
			}
		}
	}
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
	r.Hash = entryHash(e.view.id, e.entry)
	b := t.books[e.view.id]
	if b.CooldownUntil == nil {
		b.CooldownUntil = map[string]MessageTimer{}
		t.books[e.view.id] = b
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
func (t *sweepTimers) judge(r MessageTimer, effect func(*sweepEntry) int) (*sweepEntry, recordVerdict) {
	if t.length <= r.Start && !r.Protected {
		return nil, recordGone
	}
	e := t.byHash[r.Hash]
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

// left returns for how many messages more a sticky entry stays.
func (t *sweepTimers) left(e *sweepEntry) int {
	return t.books[e.view.id].StickyUntil[e.ID].End - t.length
}

// record starts the effects of the admitted entries, and puts the records into
// the state. An effect that runs is not prolonged. A preview records nothing.
func (t *sweepTimers) record(s *sweepScan) {
	if !t.messages || s.in.Purpose == PurposePreview {
		return
	}
	for _, e := range s.admitted {
		b := t.books[e.view.id]
		b.StickyUntil = t.start(b.StickyUntil, e, e.Sticky)
		b.CooldownUntil = t.start(b.CooldownUntil, e, e.Cooldown)
		t.books[e.view.id] = b
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
	m[e.ID] = MessageTimer{Hash: entryHash(e.view.id, e.entry), Start: t.length, End: t.length + n}
	return m
}
