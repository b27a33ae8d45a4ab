package app

import (
	"fmt"
	"strings"

	"github.com/weft-memory/weft/engine"
	"github.com/weft-memory/weft/lore"
)

// explanation is the answer to --why for one entry.
type explanation struct {
	book    string
	title   string
	present bool
	text    string // sentences, one paragraph a line
	fired   *engine.Fired
	absent  *engine.Absence
}

// why explains one entry in full sentences, with the values involved.
func (a *assembly) why(ref engine.EntryRef) explanation {
	entry, book := a.index.Entry(ref)
	x := explanation{book: book, title: ref.Entry}
	if entry != nil {
		x.title = title(entry.Name, entry.ID)
	}
	trace := a.result.Trace
	for i := range trace.Fired {
		f := &trace.Fired[i]
		if f.Entry == ref.Entry && (f.Book == book || book == "") {
			x.fired = f
		}
	}
	for i := range trace.Absent {
		abs := &trace.Absent[i]
		if abs.Entry == ref.Entry && (abs.Book == book || abs.Book == ref.Book || book == "") && abs.Reason != engine.AbsentNot {
			x.absent = abs
		}
	}
	var parts []string
	say := func(format string, args ...any) { parts = append(parts, fmt.Sprintf(format, args...)) }
	if x.fired != nil {
		x.present = x.fired.Outcome == engine.OutcomeBlock
		if x.present {
			x.absent = nil
			say("It is in the prompt.")
		} else {
			say("It was active, but it is not in the prompt: %s.", a.outcome(*x.fired))
		}
		a.whyActive(say, x.fired)
	} else if x.absent != nil {
		say("It is not in the prompt: %s.", strings.TrimSuffix(x.absent.Detail, "."))
		a.whyAbsent(say, x.absent)
	} else {
		say("It is not in the prompt.")
	}
	if entry != nil {
		a.rules(say, entry)
	}
	x.text = visible(strings.Join(parts, "\n"), true)
	return x
}

// whyActive says what made an entry active, and what became of it.
func (a *assembly) whyActive(say func(string, ...any), f *engine.Fired) {
	switch f.Reason.Kind {
	case engine.ReasonConstant:
		say("It is constant, so it needs no key.")
	case engine.ReasonKeyword, engine.ReasonRegex:
		for _, k := range f.Reason.Keys {
			what := "keyword"
			if f.Reason.Kind == engine.ReasonRegex {
				what = "regex"
			}
			where := "in " + k.Source
			if k.Message >= 0 && k.Message < len(a.messages) {
				m := a.messages[k.Message]
				where = fmt.Sprintf("in message %d of %d%s", k.Message+1, len(a.messages), by(m))
				if k.Start >= 0 && k.End >= k.Start {
					where += fmt.Sprintf(": “%s”", excerpt(m.Content, k.Start, k.End, 72))
				}
			}
			say("The %s %q was found %s (compared as %s).", what, k.Key, where, k.Rule)
		}
	case engine.ReasonSticky:
		if f.Reason.Left <= 1 {
			say("It was found in an earlier turn and is sticky; this is the last turn that it stays.")
		} else {
			say("It was found in an earlier turn and is sticky; it stays for %s after this one.", plural(f.Reason.Left-1, "turn"))
		}
	case engine.ReasonTriggered:
		if f.Reason.By != "" {
			say("It was triggered by %s.", a.by(f.Reason.By))
		} else {
			say("It was triggered by the template of another entry.")
		}
	case engine.ReasonPick:
		say("It was picked from outside: %s, score %.2f.", f.Reason.By, f.Reason.Score)
	case engine.ReasonKept:
		say("It was found in an earlier turn and is kept for good.")
	case engine.ReasonForced:
		say("A decorator in its content makes it active always.")
	}
	if f.Outcome == engine.OutcomeBlock {
		size := ""
		if f.Size != engine.SizeFull {
			size = fmt.Sprintf(" in its %s version", strings.ReplaceAll(string(f.Size), "_", "-"))
		}
		if f.Cut {
			size += ", cut at its max_tokens"
		}
		say("It stands in the slot %s with %s%s, at priority %d.", f.Slot, plural(f.Tokens, "token"), size, f.Priority)
	}
	if len(f.Reads) > 0 {
		say("It read%s.", strings.NewReplacer(" (", " ", ")", "").Replace(reads(f.Reads)))
	}
	if len(f.Writes) > 0 {
		say("It set%s.", strings.NewReplacer(" (", " ", ")", "").Replace(reads(f.Writes)))
	}
	if len(f.Includes) > 0 {
		names := make([]string, len(f.Includes))
		for i, r := range f.Includes {
			names[i] = a.label(r)
		}
		say("It includes %s.", strings.Join(names, ", "))
	}
}

// whyAbsent adds the numbers and values to what kept an entry out.
func (a *assembly) whyAbsent(say func(string, ...any), x *engine.Absence) {
	if len(x.Reads) > 0 {
		say("Its condition saw%s.", strings.NewReplacer(" (", " ", ")", "").Replace(reads(x.Reads)))
	}
}

// rules says what would activate the entry.
func (a *assembly) rules(say func(string, ...any), e *lore.Entry) {
	var parts []string
	if e.Constant {
		parts = append(parts, "constant")
	}
	var keys, regexes []string
	for _, k := range e.Keys {
		if k.Kind == lore.KeyLiteral || k.Kind == "" {
			keys = append(keys, fmt.Sprintf("%q", k.Text))
		} else {
			regexes = append(regexes, "/"+k.Text+"/"+k.Flags)
		}
	}
	if len(keys) > 0 {
		parts = append(parts, "keywords "+strings.Join(keys, ", "))
	}
	if len(regexes) > 0 {
		parts = append(parts, "regex "+strings.Join(regexes, ", "))
	}
	if e.Condition != "" {
		parts = append(parts, "condition "+e.Condition)
	}
	if e.Sticky > 0 {
		parts = append(parts, fmt.Sprintf("sticky %d", e.Sticky))
	}
	if e.Cooldown > 0 {
		parts = append(parts, fmt.Sprintf("cooldown %d", e.Cooldown))
	}
	if e.Probability != nil {
		parts = append(parts, fmt.Sprintf("probability %g%%", *e.Probability))
	}
	if len(parts) > 0 {
		say("Its rules: %s.", strings.Join(parts, "; "))
	}
	if e.Origin.Path != "" {
		say("It is written in %s.", e.Origin.Path)
	}
}

// by names the author of a message.
func by(m lore.Message) string {
	switch {
	case m.Name != "":
		return " by " + m.Name
	case m.Role != "":
		return " by the " + string(m.Role)
	}
	return ""
}

// writeWhy prints the explanations of all entries asked about.
func (a *assembly) writeWhy(b *strings.Builder, c *console) {
	for i, ref := range a.input.Why {
		if i > 0 {
			b.WriteByte('\n')
		}
		x := a.why(ref)
		st := good
		if !x.present {
			st = warning
		}
		b.WriteString(c.paint(st, visible(x.title, false)) + "\n")
		b.WriteString(indentLines(wrap(x.text, c.prose()-2), "  "))
	}
}
