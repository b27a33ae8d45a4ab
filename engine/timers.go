package engine

import "github.com/weft-memory/weft/lore"

// timers are the rules of a dialect about sticky and cooldown.
type timers interface {
	// cooldown returns for how many turns an entry is kept away, the present
	// one included; 0 if it is not.
	cooldown(s BookState, e *entry, turn int) int
	// stickyFrom returns the counter of an entry found now; 0 means none.
	stickyFrom(e *entry) int
	// remembers reports whether some rule will still read that the entry was
	// found in the turn last.
	remembers(e *entry, last, turn int) bool
}

func timersOf(p *lore.Policy) timers {
	switch p.Timers {
	case lore.TimersAfterSticky:
		return afterSticky{}
	case lore.TimersMessages:
		return byMessages{}
	}
	return byTurns{}
}

// byTurns: cooldown N keeps an entry away while less than N turns have passed
// since it was found.
type byTurns struct{}

func (byTurns) cooldown(s BookState, e *entry, turn int) int {
	last, found := s.Last[e.ID]
	if !found || e.Cooldown <= 0 {
		return 0
	}
	return max(0, e.Cooldown-(turn-last))
}

func (byTurns) stickyFrom(e *entry) int {
	if e.Sticky <= 0 {
		return 0
	}
	return e.Sticky + 1
}

func (byTurns) remembers(e *entry, last, turn int) bool { return turn-last < e.Cooldown }

// afterSticky: N full turns of cooldown begin when sticky has run out.
type afterSticky struct{ byTurns }

func (afterSticky) cooldown(s BookState, e *entry, turn int) int {
	last, found := s.Last[e.ID]
	if !found || e.Cooldown <= 0 || s.Sticky[e.ID] > 0 {
		return 0
	}
	passed := turn - last - max(e.Sticky, 0) // turns since sticky ran out
	if passed <= 0 {
		return 0
	}
	return max(0, e.Cooldown-passed+1)
}

func (afterSticky) remembers(e *entry, last, turn int) bool {
	return e.Cooldown > 0 && turn-last <= max(e.Sticky, 0)+e.Cooldown
}

// byMessages: the scan in sweeps keeps records of its own, see sweepTimers.
type byMessages struct{}

func (byMessages) cooldown(BookState, *entry, int) int { return 0 }
func (byMessages) stickyFrom(*entry) int               { return 0 }
func (byMessages) remembers(*entry, int, int) bool     { return false }
