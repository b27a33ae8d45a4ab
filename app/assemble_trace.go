package app

import (
	"fmt"
	"strings"

	"github.com/weft-memory/weft/engine"
	"github.com/weft-memory/weft/lore"
)

// writeTrace prints why each entry is there, and what was left out and why.
func (a *assembly) writeTrace(b *strings.Builder, c *console) {
	trace := a.result.Trace
	if trace == nil {
		return
	}
	var in, out []engine.Fired
	for _, f := range trace.Fired {
		if f.Outcome == engine.OutcomeBlock {
			in = append(in, f)
		} else {
			out = append(out, f)
		}
	}
	name := min(max(c.width/4, 12), 28)
	b.WriteString("\n" + c.paint(heading, "Why they are there") + "\n")
	if len(in) == 0 {
		b.WriteString("  nothing is there\n")
	} else {
		t := newTable(c, "entry", "slot", "tokens", "why").limit(0, name).limit(1, 14).alignRight(2)
		for _, f := range in {
			t.row(cell{a.label(f.Ref()), strong}, cell{f.Slot, plain}, cell{number(f.Tokens), plain}, cell{a.reason(f.Reason, c), plain})
		}
		t.print(b)
	}

	left := newTable(c, "entry", "left out because").limit(0, name)
	n := 0
	said := make(map[engine.EntryRef]bool)
	for _, f := range out {
		left.row(cell{a.label(f.Ref()), strong}, cell{a.outcome(f), plain})
		said[f.Ref()] = true
		n++
	}
	for _, abs := range trace.Absent {
		if abs.Reason == engine.AbsentNot || said[abs.EntryRef] || a.asked(abs.EntryRef) {
			continue
		}
		left.row(cell{a.label(abs.EntryRef), strong}, cell{visible(abs.Detail, false) + reads(abs.Reads), plain})
		n++
	}
	if n > 0 {
		b.WriteString("\n" + c.paint(heading, "What was left out") + "\n")
		left.print(b)
	}
	if len(trace.Budgets) > 0 {
		b.WriteString("\n" + c.paint(heading, "Budgets") + "\n")
		t := newTable(c, "budget", "used", "of", "unit").alignRight(1).alignRight(2).limit(0, 40)
		for _, use := range trace.Budgets {
			t.row(cell{use.Name, plain}, cell{number(use.Used), plain}, cell{number(use.Limit), plain}, cell{use.Unit, dim})
		}
		t.print(b)
	}
}

// asked reports whether --why names the entry.
func (a *assembly) asked(ref engine.EntryRef) bool {
	for _, w := range a.input.Why {
		if w.Entry == ref.Entry && (w.Book == "" || ref.Book == "" || w.Book == ref.Book) {
			return true
		}
	}
	return false
}

// label names an entry in a table: its id, with the book where there are
// several.
func (a *assembly) label(ref engine.EntryRef) string {
	if len(a.books) < 2 {
		return visible(ref.Entry, false)
	}
	return visible(ref.String(), false)
}

// by names the entry that triggered another one, without the book where there
// is only one.
func (a *assembly) by(name string) string {
	if len(a.books) == 1 {
		name = strings.TrimPrefix(name, a.books[0].ID+"/")
	}
	return visible(name, false)
}

// reason says in a few words why an entry is active.
func (a *assembly) reason(r engine.Reason, c *console) string {
	switch r.Kind {
	case engine.ReasonConstant:
		return "constant"
	case engine.ReasonKeyword, engine.ReasonRegex:
		parts := make([]string, 0, len(r.Keys))
		for i, k := range r.Keys {
			if i == 3 {
				parts = append(parts, fmt.Sprintf("and %d more", len(r.Keys)-i))
				break
			}
			parts = append(parts, a.keyHit(k, i == 0, c))
		}
		return strings.Join(parts, "; ")
	case engine.ReasonSticky:
		if r.Left <= 1 {
			return "sticky, for the last time"
		}
		return fmt.Sprintf("sticky, %s more", plural(r.Left-1, "turn"))
	case engine.ReasonTriggered:
		if r.By != "" {
			return "triggered by " + a.by(r.By)
		}
		return "triggered"
	case engine.ReasonPick:
		return fmt.Sprintf("picked: %s (score %.2f)", visible(r.By, false), r.Score)
	case engine.ReasonKept:
		return "kept since it was found"
	case engine.ReasonForced:
		return "forced by a decorator"
	}
	return r.String()
}

// keyHit says where a key was found: key "lantern" in message 5, "…the lantern
// swings…".
func (a *assembly) keyHit(k engine.KeyHit, context bool, c *console) string {
	text := fmt.Sprintf("%q", visible(k.Key, false))
	if k.Message < 0 || k.Message >= len(a.messages) {
		if k.Source != "" {
			text += " in " + k.Source
		}
		return text
	}
	text += fmt.Sprintf(" in message %d", k.Message+1)
	if context && k.Start >= 0 && k.End >= k.Start {
		text += fmt.Sprintf(", “%s”", excerpt(a.messages[k.Message].Content, k.Start, k.End, min(max(c.width-48, 32), 60)))
	}
	return text
}

// outcome says why an active entry has no block.
func (a *assembly) outcome(f engine.Fired) string {
	switch f.Outcome {
	case engine.OutcomeEmpty:
		return "its text is blank"
	case engine.OutcomeNoSlot:
		return "the prompt has none of its slots" + a.wantedSlots(f.Ref())
	case engine.OutcomeOver:
		unit := "tokens"
		for _, use := range a.result.Trace.Budgets {
			if use.Name == f.Budget {
				unit = use.Unit
			}
		}
		return fmt.Sprintf("%s, over the budget %q by %s %s", plural(f.Tokens, "token"), f.Budget, number(f.Over), unit)
	case engine.OutcomeStopped:
		return "an earlier entry did not fit, which ends the selection"
	case engine.OutcomeSkipped:
		return "a hook skipped it"
	case engine.OutcomeRemoved:
		return "a hook removed it"
	case engine.OutcomeError:
		return "it failed: " + visible(f.Error, false)
	case engine.OutcomeMaxActive:
		return "too many entries are active"
	case engine.OutcomeNowhere:
		return "its place in the prompt is unknown"
	}
	return string(f.Outcome)
}

func (a *assembly) wantedSlots(ref engine.EntryRef) string {
	e, _ := a.index.Entry(ref)
	if e == nil {
		return ""
	}
	slots := append([]lore.Slot{e.Slot}, e.Fallback...)
	if e.Slot == "" {
		slots[0] = lore.DefaultSlot
	}
	names := make([]string, len(slots))
	for i, s := range slots {
		names[i] = string(s)
	}
	return " (" + strings.Join(names, ", ") + ")"
}

// reads lists the values that a condition saw.
func reads(values []engine.VarValue) string {
	if len(values) == 0 {
		return ""
	}
	parts := make([]string, 0, len(values))
	for i, v := range values {
		if i == 6 {
			parts = append(parts, fmt.Sprintf("and %d more", len(values)-i))
			break
		}
		value := v.Value
		if value == "" {
			value = "not set"
		}
		parts = append(parts, fmt.Sprintf("%s = %s", visible(v.Name, false), truncate(visible(value, false), 40)))
	}
	return " (" + strings.Join(parts, ", ") + ")"
}
