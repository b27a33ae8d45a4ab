package engine

import (
	"cmp"
	"slices"
	"strings"

	"github.com/weft-memory/weft/lore"
)

// This file is the recursive scan that SillyTavern made popular: the books of
// a domain are searched as one list, in sweeps. The first sweep looks at the
// chat; the text of what it admitted is searched by the next one, until
// nothing new is found. Exclusive groups, probability and the budget decide
// inside of each sweep.
//
// The rules, and the faults that Policy.Faithful keeps, are those of the
// conformance README of SillyTavern books.

// sweepEntry is an entry that a scan looks at.
type sweepEntry struct {
	*entry
	book *bookScan
	// part is the part of the list that the entry's book belongs to, seq the
	// place of the book in it.
	part, seq int
	// use is the entry whose content is used: a pick may replace it. of is the
	// entry of the list that a copy from outside stands for.
	use  *entry
	of   *sweepEntry
	pick *Pick
	// copied is the copy from outside.
	copied *sweepEntry

	reason       Reason
	done, failed bool
	// sticky says that the entry is here because it was found before; cooldown
	// for how many messages more it is kept away, left for how many it stays.
	sticky         bool
	cooldown, left int
	// lost is the member that was kept of one of its groups.
	lost *sweepEntry

	// text is the content with its macros resolved, hidden what only a scan sees
	// of it; known says that they are.
	text, hidden string
	known        bool
}

func (e *sweepEntry) ref() EntryRef { return EntryRef{e.book.view.id, e.ID} }

// base is the entry of the list.
func (e *sweepEntry) base() *sweepEntry {
	if e.of != nil {
		return e.of
	}
	return e
}

// sweeper is the scanner of dialects with recursion, exclusive groups, or a
// budget inside the scan.
type sweeper struct{}

// sweepScan is one scan.
type sweepScan struct {
	*assembly
	policy lore.Policy
	books  []*bookScan
	// parts and seqs are where each book stands in the list.
	parts, seqs []int
	// list are the entries that could be admitted, in order, once sorted: those
	// that no key proposes, constants, and those with a key in the texts. All
	// others are never looked at.
	list   []*sweepEntry
	items  map[*entry]*sweepEntry
	slab   []sweepEntry // entries not yet in use
	sorted bool
	texts  *sweepTexts
	// length is the number of messages in the chat, sweep that of the sweeps.
	length, sweep int
	// limit is the budget of the scan in tokens, or -1 for none.
	limit  int
	timers sweepTimers

	admitted   []*sweepEntry
	closed     map[string]*sweepEntry // groups and their winners
	trace      *ScanTrace
	overflowed bool
	used       strings.Builder // admitted text, for the budget
	skew       int
	level      int
}

// sweepState says what a sweep looks for.
type sweepState int

const (
	sweepFirst sweepState = iota
	sweepRecursion
	sweepDeeper
	sweepDone
)

func (sweeper) scan(a *assembly, d *domain) error {
	s := newSweepScan(a, d)
	a.sweeping = s
	s.run()
	a.sweeping = nil
	for _, e := range s.admitted {
		x := a.activate(e.book.view, e.entry, e.reason)
		x.carried = e.reason.Kind == ReasonSticky
		if e.pick != nil {
			e.book.applyPick(x, e.pick)
		}
		if e.known && e.use.body.tmpl == nil {
			x.ready, x.readyText = true, e.text
		}
	}
	s.timers.record(s)
	a.trace.Scans = append(a.trace.Scans, *s.trace)
	return nil
}

func newSweepScan(a *assembly, d *domain) *sweepScan {
	s := &sweepScan{
		assembly: a, policy: *d.policy, texts: newSweepTexts(a, d),
		items: map[*entry]*sweepEntry{}, closed: map[string]*sweepEntry{}, trace: &ScanTrace{Limit: -1}, limit: -1,
	}
	s.length = s.texts.s.messages()
	if len(d.views) == 1 { // a book's own settings stand above its policy's
		if r := d.views[0].base.book.Recursive; r != nil {
			s.policy.Recursive = *r
		}
	}
	s.order(d)
	for i, v := range d.views {
		s.trace.Books = append(s.trace.Books, v.id)
		for seg := range v.segments {
			for _, r := range seg.constants {
				s.include(i, seg.entries[r])
			}
			for _, r := range seg.late {
				s.include(i, seg.entries[r])
			}
		}
		b := s.books[i]
		for id := range b.state.Kept {
			if e := v.entry(id); e != nil && e.Keep {
				s.include(i, e)
			}
		}
		for j := range a.in.Picks {
			if e := b.pickEntry(&a.in.Picks[j]); e != nil {
				s.addPick(i, e, &a.in.Picks[j])
			}
		}
	}
	for e := range a.asked {
		if v := a.viewOf(e); v != nil {
			if i := slices.Index(d.views, v); i >= 0 {
				s.include(i, e)
			}
		}
	}
	if s.policy.ScanBudget && s.size() > 0 {
		amount := s.policy.Budget
		if b := a.newBudget("scan", &amount, &s.policy); b != nil && amount.Unit != "" {
			s.limit = max(b.limit, 1)
			s.trace.Limit = s.limit
		}
	}
	return s
}

// addPick adds the copy of an entry that an activation from outside brings.
func (s *sweepScan) addPick(book int, e *entry, p *Pick) {
	item := s.include(book, e)
	if item == nil {
		return
	}
	copied := *item
	copied.pick, copied.of = p, item
	if r := p.Replace; r != nil {
		if c, _ := compileEntry(&Segment{id: e.seg.id, book: e.seg.book}, r); c != nil {
			copied.use = c
		}
	}
	item.copied = &copied
}

// order gives the books their places: chat book, persona book, then character
// and global books as the strategy says.
func (s *sweepScan) order(d *domain) {
	const chat, persona = 0, 1
	character, global := 2, 3
	switch s.policy.Strategy {
	case lore.StrategyGlobalFirst:
		character, global = 3, 2
	case lore.StrategyEvenly:
		character = 3 // one part, in which global books come first
	}
	for i, v := range d.views {
		s.books = append(s.books, s.bookScan(v))
		part, seq := global, i
		switch s.in.Bindings[v.id] {
		case BindChat:
			part = chat
		case BindPersona:
			part = persona
		case BindCharacter:
			part = character
			if s.policy.Strategy == lore.StrategyEvenly {
				seq += len(d.views)
			}
		}
		s.parts, s.seqs = append(s.parts, part), append(s.seqs, seq)
	}
}

// compare is the order of the list: by parts, in each by falling order, which
// is the canonical priority. Equal ones stay in the order of books and files.
// Copies from outside are not in the list and stand before it.
func (s *sweepScan) compare(x, y *sweepEntry) int {
	if (x.pick != nil) != (y.pick != nil) {
		if x.pick != nil {
			return -1
		}
		return 1
	}
	c := cmp.Or(cmp.Compare(x.part, y.part), cmp.Compare(y.Priority, x.Priority), cmp.Compare(x.seq, y.seq))
	if c == 0 && s.policy.ScanTogether {
		// JavaScript takes the members of an object with whole numbers first.
		c = cmp.Compare(uint64(x.member), uint64(y.member)) // -1, for none, is the greatest
	}
	return cmp.Or(c, cmp.Compare(x.pos, y.pos))
}

// include adds an entry to those that are looked at, once.
func (s *sweepScan) include(book int, e *entry) *sweepEntry {
	if item := s.items[e]; item != nil {
		return item
	}
	b := s.books[book]
	if b.view.isCovered(e) {
		return nil
	}
	if len(s.slab) == 0 {
		s.slab = make([]sweepEntry, 32)
	}
	item := &s.slab[0]
	s.slab = s.slab[1:]
	*item = sweepEntry{entry: e, book: b, use: e, part: s.parts[book], seq: s.seqs[book]}
	s.items[e] = item
	s.list = append(s.list, item)
	s.sorted = false
	return item
}

// size is the number of entries in the books.
func (s *sweepScan) size() int {
	n := 0
	for _, b := range s.books {
		n += len(b.view.base.entries) - len(b.view.covered)
		if b.view.over != nil {
			n += len(b.view.over.entries)
		}
	}
	return n
}

// run performs the scan. The admitted entries are in s.admitted, in order.
func (s *sweepScan) run() {
	s.timers.read(s)
	if s.size() == 0 {
		return
	}

	open := s.levels()
	if len(open) > 0 {
		s.level, open = open[0], open[1:]
	}
	state := sweepFirst
	for ; state != sweepDone; s.sweep++ {
		if s.policy.MaxRecursionSteps > 0 && s.sweep >= s.policy.MaxRecursionSteps || s.ctx.Err() != nil {
			break
		}
		admitted, fresh := s.admit(s.groups(s.collect(state), state))
		s.trace.Sweeps = append(s.trace.Sweeps, refs(admitted))

		next := s.next(state, fresh)
		if next == sweepDone && len(open) > 0 {
			s.level, open = open[0], open[1:]
			next = sweepRecursion
		}
		if next != sweepDone {
			s.texts.recurse(s.freshTexts(fresh))
		}
		state = next
	}
	s.trace.Overflowed = s.overflowed
}

func refs(entries []*sweepEntry) []EntryRef {
	out := make([]EntryRef, len(entries))
	for i, e := range entries {
		out[i] = e.ref()
	}
	return out
}

// levels returns the distinct levels of delayed entries, ascending.
func (s *sweepScan) levels() []int {
	var levels []int
	for _, b := range s.books {
		for seg := range b.view.segments {
			for _, e := range seg.levelled {
				if e := seg.entries[e]; !b.view.isCovered(e) {
					levels = append(levels, e.Entry.Recursion.Level)
				}
			}
		}
	}
	slices.Sort(levels)
	return slices.Compact(levels)
}

// next decides on the state of the sweep that follows.
func (s *sweepScan) next(state sweepState, fresh []*sweepEntry) sweepState {
	recursive := !s.overflowed && (s.policy.Recursive || slices.ContainsFunc(fresh, feedsAlways))
	switch {
	case recursive && len(fresh) > 0:
		return sweepRecursion
	case recursive && state == sweepDeeper && s.texts.recursed():
		return sweepRecursion
	case !s.overflowed && len(s.admitted) < s.policy.MinActivations:
		depth := int(s.policy.ScanDepth.N) + s.skew
		if limit := s.policy.MinActivationsDepthMax; limit > 0 && depth > limit || depth > s.length {
			return sweepDone
		}
		s.skew++
		s.texts.deepen(depth + 1)
		return sweepDeeper
	}
	return sweepDone
}

// feedsAlways reports whether an entry is searched for further keys although
// the book does not ask for it.
func feedsAlways(e *sweepEntry) bool { return e.Recursion.Override != nil && *e.Recursion.Override }

// feeds reports whether the next sweep may search the text of an entry.
func (s *sweepScan) feeds(e *sweepEntry) bool {
	if o := e.Recursion.Override; o != nil {
		return *o
	}
	return !e.Recursion.Silent && (s.policy.Recursive || s.policy.ScanTogether)
}

// collect returns the entries that could be admitted, in order: sticky ones
// first, copies from outside before the list.
func (s *sweepScan) collect(state sweepState) []*sweepEntry {
	for _, t := range s.texts.touched {
		s.include(t.book, t.entry)
	}
	s.texts.touched = s.texts.touched[:0]
	if !s.sorted {
		slices.SortFunc(s.list, s.compare)
		s.sorted = true
	}
	out := make([]*sweepEntry, 0, len(s.list))
	for _, e := range s.list {
		if e.done || e.failed || e.lost != nil && e.lost.base().done {
			continue
		}
		if c := s.candidate(e, state); c != nil {
			out = append(out, c)
		}
	}
	slices.SortStableFunc(out, func(x, y *sweepEntry) int {
		sx, sy := x.base().sticky, y.base().sticky
		switch {
		case sx == sy:
			return s.compare(x, y)
		case sx:
			return -1
		}
		return 1
	})
	return out
}

// candidate applies the rules in the order in which SillyTavern checks them.
// It returns the entry, or the copy from outside that stands in for it, or nil.
func (s *sweepScan) candidate(e *sweepEntry, state sweepState) *sweepEntry {
	b := e.book
	if out, ok := s.gate(e, state); !ok {
		s.refuse(e.entry, out)
		return nil
	}
	reason := Reason{}
	_, kept := b.state.Kept[e.ID]
	switch {
	case e.Force == lore.ForceActivate:
		reason.Kind = ReasonForced
	case e.Force == lore.ForceSuppress:
		s.refuse(e.entry, Absence{Reason: AbsentForced, Detail: "the decorator @@dont_activate keeps it away"})
		return nil
	case e.copied != nil:
		reason = Reason{Kind: ReasonPick, By: e.copied.pick.Reason, Score: e.copied.pick.Score}
	case e.Constant:
		reason.Kind = ReasonConstant
	case kept && e.Keep:
		reason = Reason{Kind: ReasonKept, By: "found in turn " + itoa(b.state.Kept[e.ID])}
	case e.sticky && s.timers.messages:
		reason = Reason{Kind: ReasonSticky, Left: e.left}
	default:
		hits, out, ok := s.keys(e, state)
		switch {
		case ok:
			reason = Reason{Kind: ReasonKeyword, Keys: hits}
			if hits[0].Rule == "js" || hits[0].Rule == "re2" {
				reason.Kind = ReasonRegex
			}
		case e.sticky:
			reason = Reason{Kind: ReasonSticky, Left: e.left}
		default:
			s.refuse(e.entry, out)
			return nil
		}
	}
	if out, ok, _ := s.condition(b.view, e.entry); !ok {
		s.refuse(e.entry, out)
		return nil
	}
	if e.copied != nil {
		e = e.copied
	}
	e.reason = reason
	return e
}

// gate looks at the rules that need no text.
func (s *sweepScan) gate(e *sweepEntry, state sweepState) (Absence, bool) {
	b := e.book
	if e.Disabled {
		return b.disabled(e.entry), false
	}
	if out, ok := b.gateTurn(e.entry); !ok {
		return out, false
	}
	if _, used := b.state.Used[e.ID]; used && e.Once {
		return Absence{Reason: AbsentUsed, Detail: "it activates once only, and has done so in turn " + itoa(b.state.Used[e.ID])}, false
	}
	away := e.cooldown
	if !s.timers.messages {
		away = b.timers.cooldown(b.state, e.entry, s.in.State.Turn)
	}
	switch {
	case s.length < e.Delay:
		return Absence{
			Reason: AbsentDelay, Left: e.Delay - s.length,
			Detail: "it waits until the chat has " + count(e.Delay, "message") + "; it has " + itoa(s.length),
		}, false
	case e.sticky:
		return Absence{}, true
	case away > 0:
		return Absence{Reason: AbsentCooldown, Left: away, Detail: "on cooldown, " + count(away, s.timers.unit()) + " left"}, false
	case e.Recursion.Level > 0 && state != sweepRecursion:
		return Absence{Reason: AbsentRecursion, Detail: "it waits for recursion (level " + itoa(e.Recursion.Level) + ")"}, false
	case state == sweepRecursion && e.Recursion.Level > s.level:
		return Absence{Reason: AbsentRecursion, Detail: "it waits for level " + itoa(e.Recursion.Level) + " of recursion"}, false
	case state == sweepRecursion && e.Recursion.Excluded && (s.policy.Recursive || !s.policy.ScanTogether) && !s.policy.RollsAgain:
		return Absence{Reason: AbsentRecursion, Detail: "other entries do not activate it"}, false
	}
	return Absence{}, true
}

// window returns the part of the texts that an entry is searched in.
func (s *sweepScan) window(e *sweepEntry, state sweepState) sweepWindow {
	depth := e.depth
	if e.ScanDepth == nil {
		depth.N += float64(s.skew)
	}
	if depth.Unit == lore.UnitMessages && s.policy.ScanTogether {
		depth.N = min(depth.N, maxScanDepth)
	}
	w := sweepWindow{window: s.texts.s.window(depth, nil), recursed: state != sweepDeeper}
	if e.Recursion.Excluded && s.policy.RollsAgain {
		w.recursed = false // it may still be found in the chat by another roll
	}
	w.empty = depth.N <= 0 && s.policy.Faithful
	for _, src := range e.Sources {
		w.sources |= sourceBit(src)
	}
	return w
}

// maxScanDepth is the most messages that an entry of this dialect looks at.
const maxScanDepth = 1000

// keys looks for the primary and secondary keys of an entry, and says what is
// missing.
func (s *sweepScan) keys(e *sweepEntry, state sweepState) ([]KeyHit, Absence, bool) {
	if len(e.Keys) == 0 {
		return nil, Absence{Reason: AbsentNoKeys, Detail: "it has no keys and is not constant; only a trigger or a pick activates it"}, false
	}
	w := s.window(e, state)
	var hits []KeyHit
	for i := range e.Keys {
		if len(hits) > 0 && !e.keys[i].proposable() {
			continue // enough is known
		}
		if hit, ok := s.texts.find(e.entry, primaryKey, i, w, false, s.policy.Faithful); ok {
			hits = append(hits, hit)
		}
	}
	if len(hits) == 0 {
		return nil, Absence{Reason: AbsentKey, Detail: s.keyDetail(e, w)}, false
	}
	for c := range e.Clauses {
		clause := &e.Clauses[c]
		if clause.Inactive {
			continue
		}
		n, of, found := s.clauseHits(e, c, w, false)
		if (of > 0 || !s.policy.ScanTogether) && !clauseHolds(clause.Logic, n, of) {
			return nil, Absence{Reason: AbsentSecondary, Detail: e.book.clauseDetail(e.entry, &e.clauses[c])}, false
		}
		hits = append(hits, found...)
	}
	return hits, Absence{}, true
}

// clauseHits counts the keys of a clause that are found. Blank ones do not
// exist, but in the faithful dialect.
func (s *sweepScan) clauseHits(e *sweepEntry, c int, w sweepWindow, raw bool) (n, of int, hits []KeyHit) {
	for i := range e.Clauses[c].Keys {
		if !s.policy.Faithful && s.texts.blank(e.entry, c, i) {
			continue
		}
		of++
		if hit, ok := s.texts.find(e.entry, c, i, w, raw, s.policy.Faithful); ok {
			n++
			hits = append(hits, hit)
		}
	}
	return n, of, hits
}

// clauseHolds says whether a clause is satisfied when n of its keys are found.
func clauseHolds(logic lore.Logic, n, of int) bool {
	switch logic {
	case lore.AnyOf, "":
		return n > 0
	case lore.AllOf:
		return n == of
	case lore.NoneOf:
		return n == 0
	case lore.NotAllOf:
		return n < of
	}
	return false
}

// content returns the text of an entry with its macros resolved, once: they
// may have effects. A template is not evaluated here: its source is searched.
func (s *sweepScan) content(e *sweepEntry) string {
	if !e.known {
		e.known = true
		e.text = s.raw(e)
		if e.use.body.tmpl == nil {
			e.text, e.hidden = s.expand(e.book.view, e.entry, e.use.body)
		}
	}
	return e.text
}

// forget takes the effects of a content's macros back.
func (s *sweepScan) forget(e *sweepEntry, mark int) {
	s.vars.undo(mark)
	e.known, e.text, e.hidden = false, "", ""
}

// raw returns the text of an entry with its macros as they are.
func (s *sweepScan) raw(e *sweepEntry) string {
	if e.use.body.tmpl != nil {
		return e.use.Content
	}
	return e.use.body.text
}
