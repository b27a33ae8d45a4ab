package engine

import (
	"maps"
	"slices"
)

// record notes the activations in the counters of the state: those of books
// whose timers start for entries that the budget kept if kept is set, those of
// all others if not. Entries that are here only because they are sticky count
// no further.
func (a *assembly) record(kept bool) {
	changed := make(map[*view]*BookState)
	for _, x := range slices.Concat(a.list, a.cut[a.lateCut:]) {
		p := x.view.policy()
		if p.TimersForKept != kept || kept && x.fired.Outcome != OutcomeBlock && x.fired.Outcome != OutcomeInjected || x.carried && !x.refreshed {
			continue
		}
		s := changed[x.view]
		if s == nil {
			old := a.state.Books[x.view.id]
			s = &old
			s.Sticky, s.Last = maps.Clone(s.Sticky), maps.Clone(s.Last)
			s.Kept, s.Used = maps.Clone(s.Kept), maps.Clone(s.Used)
			changed[x.view] = s
		}
		a.recordOne(s, x)
	}
	if len(changed) == 0 {
		return
	}
	books := maps.Clone(a.state.Books)
	if books == nil {
		books = make(map[string]BookState)
	}
	for v, s := range changed {
		books[v.id] = *s
	}
	a.state.Books = books
}

func (a *assembly) recordOne(s *BookState, x *activation) {
	turn, id, t := a.state.Turn, x.entry.ID, timersOf(x.view.policy())
	set := func(m *map[string]int, n int) {
		if *m == nil {
			*m = make(map[string]int)
		}
		(*m)[id] = n
	}
	if a.engine.opts.KeepCounters || x.entry.Cooldown > 0 {
		set(&s.Last, turn)
	}
	if n := t.stickyFrom(x.entry); n > 0 {
		set(&s.Sticky, n)
	}
	if x.entry.Keep {
		if _, ok := s.Kept[id]; !ok {
			set(&s.Kept, turn)
		}
	}
	if x.entry.Once {
		set(&s.Used, turn)
	}
}
