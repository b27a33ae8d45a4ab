package engine

import (
	"cmp"
	"slices"
	"strings"

	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/weaver"
)

// Stateful reports whether a turn of this index may depend on the turns before
// it: some entry has a timer, is kept or used once, or calls a command. A host
// that has only the chat then has to replay it; see package turn.
func (ix *Index) Stateful() bool {
	for _, v := range ix.views {
		for s := range v.segments {
			if s.stateful() {
				return true
			}
		}
	}
	return false
}

// stateful looks once, when it is asked for the first time.
func (s *Segment) stateful() bool {
	s.lookState.Do(func() { s.hasState = slices.ContainsFunc(s.entries, (*entry).stateful) })
	return s.hasState
}

func (e *entry) stateful() bool {
	if e.Sticky > 0 || e.Cooldown > 0 || e.Keep || e.Once {
		return true
	}
	command := func(c weaver.CallUse) bool { return c.Kind == weaver.CommandKind }
	for _, c := range [...]content{e.body, e.brief, e.oneLine} {
		if c.tmpl != nil && slices.ContainsFunc(c.tmpl.Calls(), command) || c.tmpl == nil && writesState(c) {
			return true
		}
	}
	return e.condition != nil && slices.ContainsFunc(e.condition.Calls(), command)
}

// writesState reports whether a text has a macro that sets a variable. It may
// say so of one that only looks like it.
func writesState(c content) bool {
	if c.lang != lore.LangTavern && c.lang != lore.LangRisu || !strings.Contains(c.text, "{{") {
		return false
	}
	text := strings.ToLower(c.text)
	for _, name := range [...]string{"setvar", "addvar", "incvar", "decvar", "globalvar", "setdefaultvar", "++", "--", "="} {
		if strings.Contains(text, name) {
			return true
		}
	}
	return false
}

// Slots returns the named slots in the order of the prompt, those that the
// books declare included.
func (ix *Index) Slots() []lore.Slot {
	out := make([]lore.Slot, 0, len(ix.slots))
	for s := range ix.slots {
		out = append(out, s)
	}
	slices.SortFunc(out, func(a, b lore.Slot) int { return cmp.Compare(ix.slots[a], ix.slots[b]) })
	return out
}
