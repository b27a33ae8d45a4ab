package engine

import (
	"strings"

	"github.com/weft-memory/weft/lore"
)

// admit takes candidates into the prompt, in order, as probability and budget
// allow. fresh are those whose text the next sweep may search.
func (s *sweepScan) admit(candidates []*sweepEntry) (admitted, fresh []*sweepEntry) {
	if s.policy.Faithful {
		return s.admitFaithful(candidates)
	}
	rolled := candidates[:0:0]
	for _, e := range candidates {
		if s.roll(e) {
			rolled = append(rolled, e)
		}
	}
	// Constants are the first to draw on the budget; the order of admission
	// stays that of the list.
	fits := make(map[*sweepEntry]bool, len(rolled))
	var pending strings.Builder
	decide := func(e *sweepEntry) {
		text := s.content(e) + "\n"
		if s.limit >= 0 && !e.IgnoreBudget &&
			s.tokens(s.used.String())+s.tokens(pending.String()+text) >= s.limit {
			s.overflowed = true
			s.refuse(e.entry, Absence{Reason: AbsentBudget, Detail: "its text did not fit in what was left of the scan's budget"})
			return
		}
		fits[e] = true
		pending.WriteString(text)
	}
	for _, first := range [...]bool{true, false} {
		for _, e := range rolled {
			if first == (s.policy.Constants == lore.ConstantsFirst && e.Constant) {
				decide(e)
			}
		}
	}
	for _, e := range rolled {
		if !fits[e] {
			s.trace.Refused = append(s.trace.Refused, e.ref())
			continue
		}
		s.take(e)
		admitted = append(admitted, e)
		s.used.WriteString(s.content(e))
		s.used.WriteByte('\n')
		if !e.Recursion.Silent {
			fresh = append(fresh, e)
		}
	}
	return admitted, fresh
}

// admitFaithful is SillyTavern's own loop: the entry that overflows counts
// against the budget, no smaller one is tried, and refused entries still feed
// the next sweep.
func (s *sweepScan) admitFaithful(candidates []*sweepEntry) (admitted, fresh []*sweepEntry) {
	recursed := s.tokens(s.texts.recursedText())
	var text strings.Builder
	for _, e := range candidates {
		if s.overflowed && !e.IgnoreBudget {
			s.trace.Refused = append(s.trace.Refused, e.ref())
			if !e.Recursion.Silent {
				fresh = append(fresh, e)
			}
			continue
		}
		if !s.roll(e) {
			continue
		}
		if !e.Recursion.Silent {
			fresh = append(fresh, e)
		}
		text.WriteString(s.content(e))
		text.WriteByte('\n')
		if !e.IgnoreBudget && s.limit >= 0 && recursed+s.tokens(text.String()) >= s.limit {
			s.overflowed = true
			s.trace.Refused = append(s.trace.Refused, e.ref())
			continue
		}
		s.take(e)
		admitted = append(admitted, e)
	}
	return admitted, fresh
}

// take admits an entry and closes its groups.
func (s *sweepScan) take(e *sweepEntry) {
	s.admitted = append(s.admitted, e)
	s.done[e.ref()] = true
	s.trace.Admitted = append(s.trace.Admitted, e.ref())
	if e.Inclusion != nil && !s.policy.Faithful {
		for _, name := range e.Inclusion.Names {
			if name == "" {
				continue
			}
			if old := s.closed[name]; old != nil && old != e {
				s.drop(old) // only a prioritised member gets this far
			}
			s.closed[name] = e
		}
	}
}

// drop takes an admitted entry out again.
func (s *sweepScan) drop(e *sweepEntry) {
	for i, a := range s.admitted {
		if a == e {
			s.admitted = append(s.admitted[:i:i], s.admitted[i+1:]...)
			s.trace.Admitted = append(s.trace.Admitted[:i:i], s.trace.Admitted[i+1:]...)
			s.failed[e.ref()] = true
			return
		}
	}
}

// roll decides by probability. A failed entry is out for the rest of the scan.
func (s *sweepScan) roll(e *sweepEntry) bool {
	p := e.Probability
	if p == nil || *p == 100 || s.timers.sticky[e.ref()] {
		return true
	}
	r := s.draw(e.view, e.entry, "roll") * 100
	if r <= *p && (*p > 0 || s.policy.Faithful && *p == 0) {
		return true
	}
	s.failed[e.ref()] = true
	s.refuse(e.entry, Absence{
		Reason: AbsentRoll, Drawn: r, Needed: *p,
		Detail: "the roll was " + percent(r) + ", and it needed at most " + percent(*p),
	})
	return false
}

// tokens counts a text.
func (s *sweepScan) tokens(text string) int { return s.engine.tokenizer.Count(text) }

// freshTexts returns what the next sweep searches. SillyTavern does not
// replace the macros of entries that an overflow kept from being looked at.
func (s *sweepScan) freshTexts(fresh []*sweepEntry) []string {
	texts := make([]string, 0, len(fresh))
	for _, e := range fresh {
		if s.policy.Faithful {
			if text, ok := s.contents[e]; ok {
				texts = append(texts, text)
			} else {
				texts = append(texts, s.raw(e))
			}
			continue
		}
		texts = append(texts, s.content(e))
	}
	return texts
}
