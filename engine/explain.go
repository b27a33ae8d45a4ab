package engine

import (
	"slices"
	"strings"

	"github.com/weft-memory/weft/lore"
)

// explain fills in the trace: what became of the active entries, why those asked
// about are not there, and how much of the prompt stayed.
func (a *assembly) explain(blocks []Block) {
	a.markRemoved(blocks)
	a.trace.Fired = make([]Fired, 0, len(a.list)+len(a.cut))
	for _, x := range slices.Concat(a.list, a.cut) {
		x.fired.Activation = x.Activation
		if x.fired.Outcome == "" {
			x.fired.Outcome = OutcomeEnded
		}
		a.trace.Fired = append(a.trace.Fired, x.fired)
	}
	for _, ref := range a.in.Why {
		a.trace.Absent = append(a.trace.Absent, a.why(ref))
	}
	if a.in.Trace >= TraceAll {
		a.explainRefused()
	}
	if a.in.Previous != nil {
		p := CommonPrefix(a.in.Previous, blocks)
		a.trace.Prefix = &p
	}
}

// markRemoved notes the blocks that a hook took out.
func (a *assembly) markRemoved(blocks []Block) {
	if !hasHook[PostAssembler](a.engine) {
		return
	}
	there := make(map[EntryRef]bool, len(blocks))
	for _, b := range blocks {
		there[EntryRef{b.Book, b.Entry}] = true
	}
	for _, x := range a.list {
		if x.fired.Outcome == OutcomeBlock && !there[x.Ref()] {
			x.fired.Outcome = OutcomeRemoved
		}
	}
}

// explainRefused adds the entries that some rule kept out, in book order.
func (a *assembly) explainRefused() {
	var list []*entry
	for e := range a.refused {
		if !a.asked[e] && a.active[e] == nil {
			list = append(list, e)
		}
	}
	slices.SortFunc(list, func(x, y *entry) int {
		vx, vy := a.viewOf(x), a.viewOf(y)
		if vx != vy {
			return vx.n - vy.n
		}
		return compareEntries(x, y)
	})
	for _, e := range list {
		out := a.refused[e]
		out.EntryRef = EntryRef{a.viewOf(e).id, e.ID}
		a.trace.Absent = append(a.trace.Absent, out)
	}
}

// why says why an entry is not in the prompt.
func (a *assembly) why(ref EntryRef) Absence {
	v, e := a.index.find(ref)
	if e == nil {
		return a.whyUnknown(ref)
	}
	ref = EntryRef{v.id, e.ID}
	out, ok := a.whyInactive(v, e)
	if x := a.find(e); x != nil && (x.fired.Outcome != OutcomeMaxActive || !ok) {
		out = whyFired(x)
	}
	out.EntryRef = ref
	return out
}

// find returns the activation of an entry, also of one that was cut.
func (a *assembly) find(e *entry) *activation {
	for _, x := range a.list {
		if x.entry == e {
			return x
		}
	}
	for _, x := range a.cut {
		if x.entry == e {
			return x
		}
	}
	return nil
}

func (a *assembly) whyUnknown(ref EntryRef) Absence {
	for _, v := range a.index.views {
		if ref.Book != "" && ref.Book != v.id {
			continue
		}
		if _, ok := v.hidden[ref.Entry]; ok {
			return Absence{EntryRef: EntryRef{v.id, ref.Entry}, Reason: AbsentHidden, Detail: "the view of this conversation hides the entry"}
		}
		broken := false
		v.segments(func(s *Segment) bool {
			_, bad := s.broken[ref.Entry]
			broken = broken || bad
			return true
		})
		if broken {
			return Absence{EntryRef: EntryRef{v.id, ref.Entry}, Reason: AbsentBroken, Detail: "its template or condition does not parse; see the report of loading the book"}
		}
	}
	detail := "no book has an entry with this id"
	switch {
	case ref.Book != "" && a.index.book(ref.Book) == nil:
		return Absence{EntryRef: ref, Reason: AbsentUnbound, Detail: "the book " + quote(ref.Book) + " takes no part in this assembly; it has " + strings.Join(a.index.Books(), ", ")}
	case ref.Book != "":
		detail = "the book has no entry with this id"
	}
	return Absence{EntryRef: ref, Reason: AbsentUnknown, Detail: detail}
}

// ended is the answer about an entry that the assembly did not come to.
var ended = Absence{Reason: AbsentError, Detail: "the assembly ended before the entry was looked at"}

// whyInactive says which rule kept an entry from becoming active; ok is false
// if none is known.
func (a *assembly) whyInactive(v *view, e *entry) (Absence, bool) {
	if out, ok := a.refused[e]; ok {
		return out, true
	}
	b := a.bookScan(v)
	if out, ok := b.gate(e); !ok {
		return out, true
	}
	if e.constant() {
		return ended, false
	}
	if _, out, ok := b.match(e); !ok {
		return out, true
	}
	return ended, false
}

// whyFired says what became of an entry that was active.
func whyFired(x *activation) Absence {
	f := &x.fired
	switch f.Outcome {
	case OutcomeEmpty:
		return Absence{Reason: AbsentEmpty, Detail: "it was active (" + f.Reason.String() + "), but its text is blank"}
	case OutcomeNoSlot:
		return Absence{Reason: AbsentNoSlot, Detail: "it was active, but the prompt has no slot " + string(x.use.slot) + fallbackText(x.use)}
	case OutcomeNowhere:
		return Absence{Reason: AbsentNoSlot, Detail: "it was active, but its position is none that a prompt has"}
	case OutcomeOver:
		return Absence{Reason: AbsentBudget, Detail: "it was active, but is " + itoa(f.Over) + " too large for what was left of the budget " + f.Budget}
	case OutcomeStopped:
		return Absence{Reason: AbsentBudget, Detail: "it was active, but the budget " + f.Budget + " had run out before its turn"}
	case OutcomeSkipped:
		return Absence{Reason: AbsentSkipped, Detail: "it was active, but a hook skipped it"}
	case OutcomeRemoved:
		return Absence{Reason: AbsentRemoved, Detail: "it was active, but a hook removed its block"}
	case OutcomeError:
		return Absence{Reason: AbsentError, Detail: "it was active, but its template failed: " + f.Error}
	case OutcomeMaxActive:
		return Absence{Reason: AbsentMaxActive, Detail: "it was found, but more important entries used up the places for active entries"}
	case OutcomeInjected:
		return Absence{Reason: AbsentNot, Detail: "it is there, inside of another entry's block: " + f.Reason.String() + ", in " + f.Slot}
	case OutcomeBlock:
		return Absence{Reason: AbsentNot, Detail: "it is there: " + f.Reason.String() + ", in " + f.Slot}
	}
	return Absence{Reason: AbsentError, Detail: "it was active, but the assembly ended before it was placed"}
}

func fallbackText(e *entry) string {
	if len(e.Fallback) == 0 {
		return ""
	}
	list := make([]string, len(e.Fallback))
	for i, s := range e.Fallback {
		list[i] = string(s)
	}
	return " nor " + strings.Join(list, ", ")
}

// keyDetail says which keys were not found, and where they were looked for.
func (b *bookScan) keyDetail(e *entry, w window) string {
	if !b.asked[e] && b.in.Trace < TraceAll {
		return ""
	}
	keys := make([]string, 0, len(e.keys))
	for _, k := range e.keys {
		keys = append(keys, quote(k.text))
	}
	where := "the last " + count(w.depth, "message")
	switch {
	case w.chars > 0:
		where = "the last " + count(w.chars, "character")
	case len(b.search.chat) == 0:
		where = "the chat, which is empty"
	case w.depth == 0:
		where = "the chat, since its scan depth is 0"
	case w.depth == 1:
		where = "the last message"
	}
	// Where it would have been found with a deeper scan, say so.
	hint := ""
	if w.chars == 0 {
		all := b.search.window(lore.Amount{N: wholeChat, Unit: lore.UnitMessages}, nil)
		for i := range e.keys {
			if k := &e.keys[i]; k.lit != nil && w.depth < all.depth {
				if _, ok := k.lit.Find(b.search.text(all)); ok {
					hint = "; " + quote(k.text) + " stands further back than scan_depth reaches"
					break
				}
			}
		}
	}
	if len(keys) == 1 {
		return "its key " + keys[0] + " is not in " + where + hint
	}
	return "none of its keys " + strings.Join(keys, ", ") + " is in " + where + hint
}

// clauseDetail says which secondary keys decided.
func (b *bookScan) clauseDetail(e *entry, c *clause) string {
	if !b.asked[e] && b.in.Trace < TraceAll {
		return ""
	}
	keys := make([]string, len(c.keys))
	for i := range c.keys {
		keys[i] = quote(c.keys[i].text)
	}
	list := strings.Join(keys, ", ")
	switch c.logic {
	case lore.AllOf:
		return "a key was found, but not all of the secondary keys " + list
	case lore.NoneOf:
		return "a key was found, but so was one of the secondary keys " + list + ", of which none may be"
	case lore.NotAllOf:
		return "a key was found, but so were all of the secondary keys " + list + ", of which one must be absent"
	case lore.Never:
		return "its secondary keys have a logic that no reader knows, so they never hold"
	}
	if len(keys) == 0 {
		return "a key was found, but it asks for a secondary key and has none"
	}
	return "a key was found, but none of the secondary keys " + list
}
