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
	t := s.newTally(s.used.String())
	decide := func(e *sweepEntry) {
		mark := len(s.vars.journal)
		if over := t.add(s.content(e), s.limit); over >= 0 && !e.IgnoreBudget {
			t.drop()
			s.forget(e, mark)
			s.overflowed = true
			s.refuse(e.entry, Absence{
				Reason: AbsentBudget,
				Detail: "its text is " + count(over+1, "token") + " too large for what was left of the scan's budget of " + itoa(s.limit),
			})
			return
		}
		fits[e] = true
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
		if s.feeds(e) {
			fresh = append(fresh, e)
		}
	}
	return admitted, fresh
}

// admitFaithful is SillyTavern's own loop: the entry that overflows counts
// against the budget, no smaller one is tried, and refused entries still feed
// the next sweep.
func (s *sweepScan) admitFaithful(candidates []*sweepEntry) (admitted, fresh []*sweepEntry) {
	t := s.newTally(s.texts.recursedText())
	for _, e := range candidates {
		if s.overflowed && !e.IgnoreBudget {
			s.stopped(e)
			if s.feeds(e) {
				fresh = append(fresh, e)
			}
			continue
		}
		if !s.roll(e) {
			continue
		}
		if s.feeds(e) {
			fresh = append(fresh, e)
		}
		over := t.add(s.content(e), s.limit)
		if over >= 0 && !e.IgnoreBudget {
			s.overflowed = true
			s.stopped(e)
			continue
		}
		s.take(e)
		admitted = append(admitted, e)
	}
	return admitted, fresh
}

// stopped notes an entry that came after the budget had run out.
func (s *sweepScan) stopped(e *sweepEntry) {
	s.trace.Refused = append(s.trace.Refused, e.ref())
	s.refuse(e.entry, Absence{
		Reason: AbsentBudget,
		Detail: "the scan's budget of " + count(s.limit, "token") + " had run out, and SillyTavern tries no smaller entry then",
	})
}

// tally counts the tokens of texts put together, without counting the whole
// anew for each: it is counted only where the sum of the parts does not decide.
type tally struct {
	tokenizer Tokenizer
	before    int // tokens of what was admitted in earlier sweeps
	text      strings.Builder
	sum       int
	parts     int
	last      int // length of text before the last part
	cost      int
}

func (s *sweepScan) newTally(before string) *tally {
	t := &tally{tokenizer: s.engine.tokenizer}
	if s.limit >= 0 && before != "" {
		t.before = t.tokenizer.Count(before)
	}
	return t
}

// add puts a text and a line break behind the others, and returns by how much the whole is more
// than one below the limit; a negative number if it is not. No limit is -1.
func (t *tally) add(text string, limit int) (over int) {
	t.last = t.text.Len()
	t.text.WriteString(text)
	t.text.WriteByte('\n')
	t.parts++
	if limit < 0 {
		return -1
	}
	t.cost = t.tokenizer.Count(t.text.String()[t.last:])
	t.sum += t.cost
	// Put together, texts take at most a token less at each seam.
	if most := t.before + t.sum - limit; most < 0 || most-t.parts >= 0 {
		return most
	}
	return t.before + t.tokenizer.Count(t.text.String()) - limit
}

// drop takes the last text out again.
func (t *tally) drop() {
	rest := t.text.String()[:t.last]
	t.text.Reset()
	t.text.WriteString(rest)
	t.sum -= t.cost
	t.parts--
}

// take admits an entry and closes its groups.
func (s *sweepScan) take(e *sweepEntry) {
	s.admitted = append(s.admitted, e)
	e.base().done = true
	s.trace.Admitted = append(s.trace.Admitted, e.ref())
	if e.Inclusion != nil && !s.policy.Faithful {
		for _, name := range e.Inclusion.Names {
			if name == "" {
				continue
			}
			if old := s.closed[name]; old != nil && old != e {
				s.drop(old, e, name) // only a prioritised member gets this far
			}
			s.closed[name] = e
		}
	}
}

// drop takes an admitted entry out again, for another member of its group.
func (s *sweepScan) drop(e, winner *sweepEntry, group string) {
	for i, a := range s.admitted {
		if a == e {
			s.admitted = append(s.admitted[:i:i], s.admitted[i+1:]...)
			s.trace.Admitted = append(s.trace.Admitted[:i:i], s.trace.Admitted[i+1:]...)
			e.base().failed = true
			s.refuse(e.entry, lostGroup(group, winner, "which is prioritised and was found later"))
			return
		}
	}
}

// roll decides by probability. A failed entry is out for the rest of the scan,
// in RisuAI for the rest of the sweep.
func (s *sweepScan) roll(e *sweepEntry) bool {
	p := e.Probability
	if p == nil || *p == 100 || e.base().sticky {
		return true
	}
	if k := e.reason.Kind; !s.policy.ScanTogether && (k == ReasonPick || k == ReasonForced ||
		k == ReasonConstant && s.policy.Constants == lore.ConstantsAtEnd) {
		return true
	}
	purpose := "roll"
	if s.policy.RollsAgain && s.sweep > 0 {
		purpose += " " + itoa(s.sweep)
	}
	r := s.draw(e.book.view, e.entry, purpose) * 100
	if r <= *p && (*p > 0 || s.policy.Faithful && *p == 0) {
		return true
	}
	e.base().failed = !s.policy.RollsAgain
	s.refuse(e.entry, Absence{
		Reason: AbsentRoll, Drawn: r, Needed: *p,
		Detail: "the roll was " + percent(r) + ", and it needed at most " + percent(*p),
	})
	return false
}

// freshTexts returns what the next sweep searches. SillyTavern does not
// replace the macros of entries that an overflow kept from being looked at.
func (s *sweepScan) freshTexts(fresh []*sweepEntry) []recursedText {
	texts := make([]recursedText, 0, len(fresh))
	for _, e := range fresh {
		text := s.raw(e)
		if e.known || !s.policy.Faithful {
			text = s.content(e)
		}
		if e.hidden != "" {
			text += "\n" + e.hidden
		}
		texts = append(texts, recursedText{e.ref(), text})
	}
	return texts
}
