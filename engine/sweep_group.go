package engine

import (
	"slices"

	"github.com/weft-memory/weft/lore"
)

// sweepGroup is an exclusive group and its members among the candidates.
type sweepGroup struct {
	name    string
	members []*sweepEntry
	done    bool
}

// groups keeps one candidate of each exclusive group.
func (s *sweepScan) groups(candidates []*sweepEntry, state sweepState) []*sweepEntry {
	groups := collectGroups(candidates)
	if len(groups) == 0 {
		return candidates
	}
	list := candidates
	remove := func(e *sweepEntry) {
		i := slices.Index(list, e)
		switch {
		case i >= 0:
			list = slices.Delete(slices.Clone(list), i, i+1)
		case s.policy.Faithful && len(list) > 0:
			// SillyTavern cuts at the index -1: the last candidate goes.
			list = slices.Clone(list[:len(list)-1])
		}
	}
	lose := func(e, winner *sweepEntry, group, how string) {
		remove(e)
		s.refuse(e.entry, lostGroup(group, winner, how))
	}
	gone := func(e *sweepEntry) bool { return !s.policy.Faithful && !slices.Contains(list, e) }

	// 1. Timed: sticky members push all others out.
	for _, g := range groups {
		sticky := func(e *sweepEntry) bool { return e.base().sticky }
		if i := slices.IndexFunc(g.members, sticky); i >= 0 {
			for _, e := range g.members {
				if !sticky(e) {
					lose(e, g.members[i], g.name, "which is sticky")
				}
			}
			g.done = true
		}
		for _, e := range g.members {
			// A cooldown that runs beside sticky takes the member out of its
			// groups, though not out of the scan: a fault.
			if s.policy.Faithful && e.base().cooldown > 0 {
				lose(e, nil, g.name, "since its cooldown runs")
			}
		}
	}
	// 2. Scoring: members below the best score go.
	for _, g := range groups {
		if !g.done && slices.ContainsFunc(g.members, s.scored) || !g.done && s.policy.GroupScoring {
			s.scoreGroup(g, state, lose, gone)
		}
	}
	// 3. Choice.
	for _, g := range groups {
		if g.done {
			continue
		}
		members := g.members
		if !s.policy.Faithful {
			members = slices.DeleteFunc(slices.Clone(members), gone)
		}
		if len(members) == 0 {
			continue
		}
		winner := s.choose(g.name, members)
		for _, e := range members {
			switch holder := s.holder(g.name); {
			case e == winner:
			case winner == nil && holder != nil:
				lose(e, holder, g.name, "which was found before")
			default:
				lose(e, winner, g.name, s.howChosen(winner, e))
			}
			if e != winner && !s.policy.Faithful {
				e.base().lost = winner
			}
		}
	}
	return list
}

// collectGroups lists the groups in the order in which the candidates bring
// them up; names that are array indexes come first, ascending, as the
// properties of a JavaScript object do.
func collectGroups(candidates []*sweepEntry) []*sweepGroup {
	var groups []*sweepGroup
	byName := map[string]*sweepGroup{}
	for _, e := range candidates {
		if e.Inclusion == nil {
			continue
		}
		for _, name := range e.Inclusion.Names {
			if name == "" {
				continue
			}
			g := byName[name]
			if g == nil {
				g = &sweepGroup{name: name}
				byName[name] = g
				groups = append(groups, g)
			}
			g.members = append(g.members, e)
		}
	}
	names := make([]string, len(groups))
	for i, g := range groups {
		names[i] = g.name
	}
	for i, name := range lore.JSKeyOrder(names) {
		groups[i] = byName[name]
	}
	return groups
}

func (s *sweepScan) scored(e *sweepEntry) bool {
	if own := e.Inclusion.Scoring; own != nil {
		return *own
	}
	return s.policy.GroupScoring
}

// scoreGroup removes the scored members that match fewer keys than the best.
func (s *sweepScan) scoreGroup(g *sweepGroup, state sweepState, lose func(e, winner *sweepEntry, group, how string), gone func(*sweepEntry) bool) {
	scores := make([]int, len(g.members))
	best := 0
	for i, e := range g.members {
		if gone(e) {
			continue
		}
		scores[i] = s.score(e, state)
		best = max(best, scores[i])
	}
	var top *sweepEntry
	for i, e := range g.members {
		if top == nil && !gone(e) && scores[i] == best {
			top = e
		}
	}
	kept := g.members[:0:0]
	for i, e := range g.members {
		if !gone(e) && s.scored(e) && scores[i] < best {
			lose(e, top, g.name, "which has more keys in the text ("+itoa(best)+" to "+itoa(scores[i])+")")
			if !s.policy.Faithful {
				e.base().lost = top
			}
			continue
		}
		kept = append(kept, e)
	}
	g.members = kept
}

// score counts the keys that match. It takes keys as they are written, without
// macros, and counts secondary keys even where the entry does not use them.
func (s *sweepScan) score(e *sweepEntry, state sweepState) int {
	w := s.window(e, state)
	n := 0
	for i := range e.Keys {
		if _, ok := s.texts.find(e.entry, primaryKey, i, w, true, s.policy.Faithful); ok {
			n++
		}
	}
	if len(e.Keys) == 0 {
		return 0
	}
	for c := range e.Clauses {
		m, of, _ := s.clauseHits(e, c, w, true)
		switch logic := e.Clauses[c].Logic; {
		case logic == lore.AnyOf || logic == "", logic == lore.AllOf && m == of:
			n += m
		}
	}
	return n
}

// choose returns the member that stays, or nil if the group is closed.
func (s *sweepScan) choose(name string, members []*sweepEntry) *sweepEntry {
	if holder := s.holder(name); holder != nil {
		if s.policy.Faithful || holder.Inclusion.Override || holder.base().sticky {
			return nil // a sticky member wins against all others, as in the same sweep
		}
		members = slices.DeleteFunc(slices.Clone(members), func(e *sweepEntry) bool { return !e.Inclusion.Override })
		if len(members) == 0 {
			return nil
		}
	}
	if len(members) == 1 {
		return members[0]
	}
	var first *sweepEntry
	for _, e := range members {
		if e.Inclusion.Override && (first == nil || e.Priority > first.Priority) {
			first = e
		}
	}
	if first != nil {
		return first
	}
	sum := 0.0
	for _, e := range members {
		sum += groupWeight(e)
	}
	roll := s.drawGroup(name) * sum
	at := 0.0
	for _, e := range members {
		at += groupWeight(e)
		if roll <= at {
			return e
		}
	}
	return members[len(members)-1]
}

// holder returns the admitted entry that closes a group. SillyTavern compares
// the whole group field, so that an entry of two groups closes neither.
func (s *sweepScan) holder(name string) *sweepEntry {
	if !s.policy.Faithful {
		return s.closed[name]
	}
	for _, e := range s.admitted {
		if g := e.Inclusion; g != nil && len(g.Names) == 1 && g.Names[0] == name {
			return e
		}
	}
	return nil
}

func groupWeight(e *sweepEntry) float64 {
	if w := e.Inclusion.Weight; w != nil {
		return *w
	}
	return 100
}

// drawGroup returns a random number for a choice in a group.
func (s *sweepScan) drawGroup(name string) float64 {
	if s.in.Rand != nil {
		return s.in.Rand.Float64()
	}
	return newStream(s.in.Seed, s.trace.Books[0], name, "group").Float64()
}
