package engine

import (
	"strings"

	"github.com/weft-memory/weft/lore"
)

// Some entries add their text to something else: RisuAI's to another entry or
// to a place of the prompt, NovelAI's to the spot where their key stands.

// injectPlaces are the places of a prompt that RisuAI's @@inject_at names.
var injectPlaces = map[string]lore.Where{
	"after_desc": lore.WhereAfterChar, "before_desc": lore.WhereBeforeChar, "description": lore.WhereAfterChar,
	"personality": lore.WherePersonality, "scenario": lore.WhereScenario,
	"author_note": lore.WhereNoteBottom, "authornote": lore.WhereNoteBottom,
}

// redirected returns the entry with the slot that its injection asks for.
func (a *assembly) redirected(x *activation) *entry {
	e := a.slotted(x)
	in := e.Inject
	switch {
	case in == nil:
		return e
	case in.Mode == lore.InjectKey:
		age, ok := a.newestKey(x)
		if !ok {
			return e
		}
		depth, isDepth := e.slot.Depth()
		if !isDepth || e.FromStart {
			depth = 1 // before the message with the key
		}
		moved := *e
		moved.slot = lore.AtDepth(age + depth)
		return &moved
	case in.Target == "" || a.hasNamed(x.view, in.Target):
		return e
	}
	where, known := injectPlaces[in.Target]
	moved, own := *e, *e.Entry
	moved.Entry = &own
	switch {
	case known:
		own.Where, moved.slot = where, where.Slot()
	case strings.HasPrefix(in.Target, "pt_"):
		own.Where, own.Outlet = lore.WhereOutlet, in.Target
	default:
		a.problem(x.view, x.entry, "inject", "there is no entry and no place "+quote(in.Target)+" to put the text into: it takes its own place", nil)
		return e
	}
	if in.Mode == "replace" {
		a.problem(x.view, x.entry, "inject", "a text of the place "+quote(in.Target)+" cannot be replaced, since the prompt is the host's: the entry stands beside it", nil)
	}
	return &moved
}

// hasNamed reports whether a book has an entry with this title.
func (a *assembly) hasNamed(v *view, name string) bool {
	for s := range v.segments {
		for _, e := range s.entries {
			if e.Name == name && !v.isCovered(e) {
				return true
			}
		}
	}
	return false
}

// injectInto moves the texts of entries that belong into other entries there.
// What has no such entry in the prompt stays where it is.
func (a *assembly) injectInto(list []*placed) []*placed {
	var moved map[*placed]bool
	for _, p := range list {
		in := p.use.Inject
		if in == nil || in.Target == "" || in.Mode == lore.InjectKey || !a.hasNamed(p.view, in.Target) {
			continue
		}
		var to *placed
		for _, q := range list {
			if q != p && q.view == p.view && q.use.Name == in.Target && !moved[q] {
				to = q
				break
			}
		}
		if to == nil {
			a.problem(p.view, p.entry, "inject", "the entry "+quote(in.Target)+" that is to hold the text is not in the prompt: it takes its own place", nil)
			continue
		}
		switch {
		case in.Mode == "prepend":
			to.text = p.text + "\n" + to.text
		case in.Mode != "replace":
			to.text += "\n" + p.text
		case in.Replace != "" && strings.Contains(to.text, in.Replace):
			to.text = strings.Replace(to.text, in.Replace, p.text, 1)
		default:
			a.problem(p.view, p.entry, "inject", "the entry "+quote(in.Target)+" does not hold the text "+quote(shorten(in.Replace))+" that is to be replaced", nil)
			to.text += "\n" + p.text
		}
		to.fired.Tokens = a.engine.tokenizer.Count(to.text)
		p.fired.Outcome, p.fired.Slot = OutcomeInjected, string(to.slot)
		if moved == nil {
			moved = make(map[*placed]bool)
		}
		moved[p] = true
	}
	if moved == nil {
		return list
	}
	kept := make([]*placed, 0, len(list)-len(moved))
	for _, p := range list {
		if !moved[p] {
			kept = append(kept, p)
		}
	}
	return kept
}
