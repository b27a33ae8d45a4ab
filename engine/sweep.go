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

// sweepEntry is an entry in the list of a scan.
type sweepEntry struct {
	*entry
	view *view
	// place is the place in the list, -1 for a copy from outside.
	place int
	pick  *Pick
	// use is the entry whose content is used: a pick may replace it.
	use    *entry
	reason Reason
}

func (e *sweepEntry) ref() EntryRef { return EntryRef{e.view.id, e.ID} }

// sweeper is the scanner of dialects with recursion, exclusive groups, or a
// budget inside the scan.
type sweeper struct{}

// sweepScan is one scan.
type sweepScan struct {
	*assembly
	policy lore.Policy
	list   []*sweepEntry
	picks  map[EntryRef]*sweepEntry
	texts  *sweepTexts
	// length is the number of messages in the chat.
	length int
	// limit is the budget of the scan in tokens, or -1 for none.
	limit  int
	timers sweepTimers

	admitted   []*sweepEntry
	done       map[EntryRef]bool // admitted
	failed     map[EntryRef]bool
	contents   map[*sweepEntry]string
	closed     map[string]*sweepEntry // groups and their winners
	lost       map[*entry]*sweepEntry // losers in groups, and who won
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
	s.run()
	for _, e := range s.admitted {
		x := a.activate(e.view, e.entry, e.reason)
		x.carried = e.reason.Kind == ReasonSticky
		if e.pick != nil {
			b := a.bookScan(e.view)
			b.applyPick(x, e.pick)
		}
	}
	s.timers.record(s)
	a.trace.Scans = append(a.trace.Scans, *s.trace)
	return nil
}

func newSweepScan(a *assembly, d *domain) *sweepScan {
	s := &sweepScan{
		assembly: a, policy: *d.policy, texts: newSweepTexts(a, d),
		picks: map[EntryRef]*sweepEntry{}, done: map[EntryRef]bool{}, failed: map[EntryRef]bool{},
		contents: map[*sweepEntry]string{}, closed: map[string]*sweepEntry{}, lost: map[*entry]*sweepEntry{}, trace: &ScanTrace{Limit: -1},
		limit: -1,
	}
	s.length = s.texts.s.messages()
	if len(d.views) == 1 { // a book's own settings stand above its policy's
		if r := d.views[0].base.book.Recursive; r != nil {
			s.policy.Recursive = *r
		}
	}
	s.order(d)
	for _, v := range d.views {
		s.trace.Books = append(s.trace.Books, v.id)
		b := a.bookScan(v)
		for i := range a.in.Picks {
			if e := b.pickEntry(&a.in.Picks[i]); e != nil {
				copied := &sweepEntry{entry: e, view: v, place: -1, pick: &a.in.Picks[i], use: e}
				if r := a.in.Picks[i].Replace; r != nil {
					if c, _ := compileEntry(&Segment{id: v.id, book: v.base.book}, r); c != nil {
						copied.use = c
					}
				}
				s.picks[copied.ref()] = copied
			}
		}
	}
	if s.policy.ScanBudget && len(s.list) > 0 {
		amount := s.policy.Budget
		if b := a.newBudget("scan", &amount, &s.policy); b != nil && amount.Unit != "" {
			s.limit = max(b.limit, 1)
			s.trace.Limit = s.limit
		}
	}
	return s
}

// order lists the entries: chat book, persona book, then character and global
// books as the strategy says, each by falling order, which is the canonical
// priority. Equal ones stay in the order of the books and files.
func (s *sweepScan) order(d *domain) {
	var chat, persona, character, global []*sweepEntry
	for _, v := range d.views {
		list := &global
		switch s.in.Bindings[v.id] {
		case BindChat:
			list = &chat
		case BindPersona:
			list = &persona
		case BindCharacter:
			list = &character
		}
		entries := v.fileOrder(s.policy.ScanTogether)
		made := make([]sweepEntry, len(entries))
		for i, e := range entries {
			made[i] = sweepEntry{entry: e, view: v, use: e}
			*list = append(*list, &made[i])
		}
	}
	if s.policy.Strategy == lore.StrategyEvenly {
		global = append(global, character...)
		character = nil
	}
	parts := [][]*sweepEntry{chat, persona, character, global}
	if s.policy.Strategy == lore.StrategyGlobalFirst {
		parts = [][]*sweepEntry{chat, persona, global, character}
	}
	for _, part := range parts {
		if len(part) > 0 && part[0].view != part[len(part)-1].view {
			slices.SortStableFunc(part, func(x, y *sweepEntry) int { return cmp.Compare(y.Priority, x.Priority) })
		}
		s.list = append(s.list, part...)
	}
	for i, e := range s.list {
		e.place = i
	}
}

// run performs the scan. The admitted entries are in s.admitted, in order.
func (s *sweepScan) run() {
	s.timers.read(s)
	if len(s.list) == 0 {
		return
	}

	open := s.levels()
	if len(open) > 0 {
		s.level, open = open[0], open[1:]
	}
	state := sweepFirst
	for n := 0; state != sweepDone; n++ {
		if s.policy.MaxRecursionSteps > 0 && n >= s.policy.MaxRecursionSteps {
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
			if block := strings.Join(s.freshTexts(fresh), "\n"); block != "" {
				s.texts.recurse(block)
			}
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
	for _, e := range s.list {
		if n := e.entry.Recursion.Level; n > 0 && !slices.Contains(levels, n) {
			levels = append(levels, n)
		}
	}
	slices.Sort(levels)
	return levels
}

// next decides on the state of the sweep that follows.
func (s *sweepScan) next(state sweepState, fresh []*sweepEntry) sweepState {
	recursive := s.policy.Recursive && !s.overflowed
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

// collect returns the entries that could be admitted, in order: sticky ones
// first, copies from outside before the list.
func (s *sweepScan) collect(state sweepState) []*sweepEntry {
	var out []*sweepEntry
	for _, e := range s.list {
		if !e.late && !s.timers.any && !e.constant() && !s.texts.touched[e.entry] && len(s.picks) == 0 && !s.asked[e.entry] {
			continue
		}
		if ref := e.ref(); s.done[ref] || s.failed[ref] {
			continue
		}
		if winner := s.lost[e.entry]; winner != nil && s.done[winner.ref()] {
			continue
		}
		if c := s.candidate(e, state); c != nil {
			out = append(out, c)
		}
	}
	slices.SortStableFunc(out, func(x, y *sweepEntry) int {
		sx, sy := s.timers.sticky[x.ref()], s.timers.sticky[y.ref()]
		switch {
		case sx == sy:
			return cmp.Compare(x.place, y.place)
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
	sticky := s.timers.sticky[e.ref()]
	b := s.bookScan(e.view)
	if out, ok := s.gate(b, e, state, sticky); !ok {
		s.refuse(e.entry, out)
		return nil
	}
	pick := s.picks[e.ref()]
	reason := Reason{}
	_, kept := b.state.Kept[e.ID]
	switch {
	case e.Force == lore.ForceActivate:
		reason.Kind = ReasonForced
	case e.Force == lore.ForceSuppress:
		s.refuse(e.entry, Absence{Reason: AbsentForced, Detail: "the decorator @@dont_activate keeps it away"})
		return nil
	case pick != nil:
		reason = Reason{Kind: ReasonPick, By: pick.pick.Reason, Score: pick.pick.Score}
	case e.Constant:
		reason.Kind = ReasonConstant
	case kept && e.Keep:
		reason = Reason{Kind: ReasonKept, By: "found in turn " + itoa(b.state.Kept[e.ID])}
	case sticky && s.policy.Timers == lore.TimersMessages:
		reason = Reason{Kind: ReasonSticky, Left: s.timers.left(e)}
	default:
		hits, out, ok := s.keys(e, state)
		switch {
		case ok:
			reason = Reason{Kind: ReasonKeyword, Keys: hits}
			if hits[0].Rule == "js" || hits[0].Rule == "re2" {
				reason.Kind = ReasonRegex
			}
		case sticky:
			reason = Reason{Kind: ReasonSticky, Left: b.state.Sticky[e.ID]}
		default:
			s.refuse(e.entry, out)
			return nil
		}
	}
	if out, ok, _ := s.condition(e.view, e.entry); !ok {
		s.refuse(e.entry, out)
		return nil
	}
	if pick != nil {
		e = pick
	}
	e.reason = reason
	return e
}

// gate looks at the rules that need no text.
func (s *sweepScan) gate(b *bookScan, e *sweepEntry, state sweepState, sticky bool) (Absence, bool) {
	switch {
	case e.Disabled:
		return Absence{Reason: AbsentDisabled, Detail: "the entry is disabled"}, false
	case !s.hasCharacter(e.Characters):
		return Absence{Reason: AbsentCharacter, Detail: "its character filter does not admit " + quote(s.in.Character.Name)}, false
	}
	filter := e.Characters
	turn := *e.entry
	if filter != nil {
		lent := *e.Entry
		lent.Characters = nil // decided above
		turn.Entry = &lent
	}
	if out, ok := b.gateTurn(&turn); !ok {
		return out, false
	}
	if _, used := b.state.Used[e.ID]; used && e.Once {
		return Absence{Reason: AbsentUsed, Detail: "it activates once only, and has done so in turn " + itoa(b.state.Used[e.ID])}, false
	}
	switch {
	case s.length < e.Delay:
		return Absence{
			Reason: AbsentDelay, Left: e.Delay - s.length,
			Detail: "it waits until the chat has " + count(e.Delay, "message") + "; it has " + itoa(s.length),
		}, false
	case sticky:
		return Absence{}, true
	case s.timers.cooldown[e.ref()] > 0:
		left := s.timers.cooldown[e.ref()]
		return Absence{Reason: AbsentCooldown, Left: left, Detail: "on cooldown, " + count(left, s.timers.unit()) + " left"}, false
	case e.Recursion.Level > 0 && state != sweepRecursion:
		return Absence{Reason: AbsentRecursion, Detail: "it waits for recursion (level " + itoa(e.Recursion.Level) + ")"}, false
	case state == sweepRecursion && e.Recursion.Level > s.level:
		return Absence{Reason: AbsentRecursion, Detail: "it waits for level " + itoa(e.Recursion.Level) + " of recursion"}, false
	case state == sweepRecursion && s.policy.Recursive && e.Recursion.Excluded:
		return Absence{Reason: AbsentRecursion, Detail: "other entries do not activate it"}, false
	}
	return Absence{}, true
}

// hasCharacter applies a character filter. File names are compared where they
// are known. SillyTavern skips the check of tags for a character without a
// record of them.
func (s *sweepScan) hasCharacter(f *lore.CharacterFilter) bool {
	if f == nil {
		return true
	}
	c := s.in.Character
	if c.File != "" || s.policy.Faithful {
		c.Name = c.File
	}
	if c.Tags == nil && !s.policy.Faithful {
		c.Tags = []string{}
	}
	return admits(f, &c)
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
	if e.Recursion.Override != nil && !*e.Recursion.Override {
		w.recursed = false
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
		return nil, Absence{Reason: AbsentNoKeys, Detail: "it has no keys and is not constant"}, false
	}
	w := s.window(e, state)
	var hits []KeyHit
	for i := range e.Keys {
		if hit, ok := s.texts.find(e.entry, primaryKey, i, w, false, s.policy.Faithful); ok {
			hits = append(hits, hit)
			break
		}
	}
	if len(hits) == 0 {
		return nil, Absence{Reason: AbsentKey, Detail: "none of its keys occurs in the text that it looks at"}, false
	}
	for c := range e.Clauses {
		clause := &e.Clauses[c]
		if clause.Inactive {
			continue
		}
		n, of, found := s.clauseHits(e, c, w, false)
		if of > 0 && !clauseHolds(clause.Logic, n, of) {
			return nil, Absence{Reason: AbsentSecondary, Detail: s.bookScan(e.view).clauseDetail(e.entry, &e.clauses[c])}, false
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

// content returns the text of an entry as the next sweep sees it: macros
// replaced. A template is not evaluated here, since that has effects: its
// source is searched.
func (s *sweepScan) content(e *sweepEntry) string {
	text, ok := s.contents[e]
	if !ok {
		text = s.raw(e)
		if e.use.body.tmpl == nil {
			text = s.plain(e.use.body)
		}
		s.contents[e] = text
	}
	return text
}

// raw returns the text of an entry with its macros as they are.
func (s *sweepScan) raw(e *sweepEntry) string {
	if e.use.body.tmpl != nil {
		return e.use.Content
	}
	return e.use.body.text
}
