package engine

import (
	"errors"
	"slices"
	"strings"

	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/weaver"
)

// singlePass is the scanner of dialects that look at each entry once: weaver's,
// Suzune's and the simpler foreign ones.
type singlePass struct{}

func (singlePass) scan(a *assembly, d *domain) error {
	for _, v := range d.views {
		if err := a.scanBook(v); err != nil {
			return err
		}
	}
	return nil
}

// bookScan is the scan of one book.
type bookScan struct {
	*assembly
	view   *view
	policy *lore.Policy
	search *searcher
	timers timers
	state  BookState
}

func (a *assembly) bookScan(v *view) *bookScan {
	p := v.policy()
	return &bookScan{
		assembly: a, view: v, policy: p, search: a.searcher(p.Join),
		timers: timersOf(p), state: a.state.Books[v.id],
	}
}

// scanBook looks at the entries that may be active, in book order: constants,
// those with a key in the chat, those whose keys no automaton proposes, and
// picks. All others cost nothing.
func (a *assembly) scanBook(v *view) error {
	b := a.bookScan(v)
	for _, e := range b.candidates() {
		if err := b.consider(e); err != nil {
			return err
		}
	}
	b.carry()
	return nil
}

// candidates lists the entries to look at, in book order.
func (b *bookScan) candidates() []*entry {
	var out []*entry
	b.view.segments(func(s *Segment) bool {
		from := len(out)
		for _, r := range s.constants {
			out = append(out, s.entries[r])
		}
		for _, r := range s.always {
			out = append(out, s.entries[r])
		}
		h := b.search.hits(s)
		for n, set := range s.sets {
			for id := range h.chat[n] {
				for _, r := range set.of(id) {
					out = append(out, s.entries[r])
				}
			}
			for k := range h.extra[n] {
				for _, r := range set.of(k.id) {
					out = append(out, s.entries[r])
				}
			}
		}
		if s == b.view.base && b.view.covered != nil {
			kept := slices.DeleteFunc(out[from:], b.view.isCovered)
			out = out[:from+len(kept)]
		}
		return true
	})
	for id := range b.state.Kept {
		if e := b.view.entry(id); e != nil && e.Keep {
			out = append(out, e)
		}
	}
	for i := range b.in.Picks {
		if e := b.pickEntry(&b.in.Picks[i]); e != nil {
			out = append(out, e)
		}
	}
	if b.view.over == nil {
		slices.SortFunc(out, func(x, y *entry) int { return int(x.rank - y.rank) })
	} else {
		slices.SortFunc(out, compareEntries)
	}
	return slices.Compact(out)
}

// pickEntry returns the entry that a pick means, if it is one of this book.
func (b *bookScan) pickEntry(p *Pick) *entry {
	if p.Book != "" {
		if p.Book != b.view.id {
			return nil
		}
		return b.view.entry(p.Entry)
	}
	v, e := b.index.find(EntryRef{Entry: p.Entry})
	if v != b.view {
		return nil
	}
	return e
}

// consider activates an entry if every rule allows it.
func (b *bookScan) consider(e *entry) error {
	if out, ok := b.gate(e); !ok {
		b.refuse(e, out)
		return nil
	}
	reason, pick, out, ok := b.reason(e)
	if !ok {
		b.refuse(e, out)
		return nil
	}
	if out, ok, err := b.condition(b.view, e); !ok || err != nil {
		b.refuse(e, out)
		return err
	}
	if out, ok := b.roll(e, reason.Kind); !ok {
		b.refuse(e, out)
		return nil
	}
	x := b.activate(b.view, e, reason)
	if pick != nil {
		b.applyPick(x, pick)
	}
	return nil
}

// gate looks at the rules that need no text. It changes nothing.
func (b *bookScan) gate(e *entry) (Absence, bool) {
	switch {
	case e.Disabled:
		return b.disabled(e), false
	case e.Force == lore.ForceSuppress:
		return Absence{Reason: AbsentForced, Detail: "the decorator @@dont_activate keeps it away"}, false
	}
	if left := b.timers.cooldown(b.state, e, b.in.State.Turn); left > 0 {
		return Absence{
			Reason: AbsentCooldown, Left: left,
			Detail: "on cooldown, " + count(left, "turn") + " left, this one included",
		}, false
	}
	if _, used := b.state.Used[e.ID]; used && e.Once {
		return Absence{Reason: AbsentUsed, Detail: "it activates once only, and has done so in turn " + itoa(b.state.Used[e.ID])}, false
	}
	if n := b.search.messages(); e.Delay > n {
		return Absence{
			Reason: AbsentDelay, Left: e.Delay - n,
			Detail: "it waits until the chat has " + count(e.Delay, "message") + "; it has " + itoa(n),
		}, false
	}
	return b.gateTurn(e)
}

// disabled says who switched an entry off: its author, or its folder's.
func (b *bookScan) disabled(e *entry) Absence {
	out := Absence{Reason: AbsentDisabled, Detail: "the entry is disabled"}
	if book := b.view.base.book; e.Folder != "" && book.FolderDisabled(e.Folder) {
		out.Detail = "its folder " + quote(e.Folder) + " is disabled"
	}
	return out
}

// replies is the number that rules about the length of a chat count: replies of
// the narrator, in RisuAI all messages and the greeting.
func (b *bookScan) replies() int {
	n := 0
	for _, m := range b.messages {
		if !m.Hidden && (m.Role == lore.RoleAssistant || b.policy.Decorators == lore.DecoratorsRisu) {
			n++
		}
	}
	if b.policy.Decorators == lore.DecoratorsRisu {
		n++
	}
	return n
}

// gateTurn looks at the rules about the kind of turn and who takes part.
func (b *bookScan) gateTurn(e *entry) (Absence, bool) {
	if e.After > 0 || e.Every > 0 {
		if n := b.replies(); n < e.After || e.Every > 0 && n%e.Every != 0 {
			return Absence{Reason: AbsentDelay, Detail: "its rule about the number of replies does not hold at " + itoa(n)}, false
		}
	}
	if len(e.Kinds) > 0 && !slices.Contains(e.Kinds, b.kind()) {
		return Absence{Reason: AbsentKind, Detail: "it is not for a turn of the kind " + string(b.kind())}, false
	}
	if f := e.Characters; f != nil && !b.hasCharacter(f) {
		return Absence{Reason: AbsentCharacter, Detail: "its character filter does not admit " + quote(b.in.Character.Name)}, false
	}
	if e.Greeting != nil && *e.Greeting != b.in.Greeting {
		return Absence{Reason: AbsentCharacter, Detail: "it belongs to greeting " + itoa(*e.Greeting) + "; the chat began with " + itoa(b.in.Greeting)}, false
	}
	if e.UserIcon != "" && e.UserIcon != b.in.UserIcon {
		return Absence{Reason: AbsentCharacter, Detail: "it belongs to the user icon " + quote(e.UserIcon)}, false
	}
	return Absence{}, true
}

func (a *assembly) kind() lore.TurnKind {
	if a.in.Kind == "" {
		return lore.KindNormal
	}
	return a.in.Kind
}

// reason says why an entry would be active: it is constant or picked, or its
// keys are found.
func (b *bookScan) reason(e *entry) (Reason, *Pick, Absence, bool) {
	pick := b.pickOf(e)
	if e.constant() {
		kind := ReasonConstant
		if e.Force == lore.ForceActivate {
			kind = ReasonForced
		}
		return Reason{Kind: kind}, pick, Absence{}, true
	}
	if turn, kept := b.state.Kept[e.ID]; kept && e.Keep {
		return Reason{Kind: ReasonKept, By: "found in turn " + itoa(turn)}, pick, Absence{}, true
	}
	r, out, ok := b.match(e)
	if !ok && pick != nil {
		return Reason{Kind: ReasonPick, By: pick.Reason, Score: pick.Score}, pick, Absence{}, true
	}
	return r, pick, out, ok
}

// match looks for the keys of an entry: literal ones first, then expressions;
// then the secondary keys.
func (b *bookScan) match(e *entry) (Reason, Absence, bool) {
	if len(e.keys) == 0 {
		return Reason{}, Absence{Reason: AbsentNoKeys, Detail: "it has no keys and is not constant; only a trigger or a pick activates it"}, false
	}
	w := b.search.window(e.depth, e.Sources)
	var r Reason
	for i := range e.keys {
		k := &e.keys[i]
		if k.kind != lore.KeyLiteral && k.kind != lore.KeyGlob {
			continue
		}
		if h, ok := b.search.key(e, k, w); ok {
			r.Kind = ReasonKeyword
			r.Keys = append(r.Keys, h)
		}
	}
	for i := range e.keys {
		k := &e.keys[i]
		if r.Kind != "" {
			break
		}
		if k.kind == lore.KeyLiteral || k.kind == lore.KeyGlob {
			continue
		}
		if h, ok := b.search.key(e, k, w); ok {
			r = Reason{Kind: ReasonRegex, Keys: []KeyHit{h}}
		}
	}
	if r.Kind == "" {
		return r, Absence{Reason: AbsentKey, Detail: b.keyDetail(e, w)}, false
	}
	for i := range e.clauses {
		if !e.Clauses[i].Inactive && !b.clause(e, &e.clauses[i], w) {
			return r, Absence{Reason: AbsentSecondary, Detail: b.clauseDetail(e, &e.clauses[i])}, false
		}
	}
	return r, Absence{}, true
}

// clause decides about secondary keys.
func (b *bookScan) clause(e *entry, c *clause, w window) bool {
	found := 0
	for i := range c.keys {
		if _, ok := b.search.key(e, &c.keys[i], w); ok {
			found++
		}
	}
	return clauseHolds(c.logic, found, len(c.keys))
}

// condition evaluates an entry's condition: an error counts as false.
func (a *assembly) condition(v *view, e *entry) (Absence, bool, error) {
	if e.nai != nil {
		if out, ok := a.foreign(v, e); !ok {
			return out, false, nil
		}
	}
	if e.condition == nil || !v.policy().Conditions {
		return Absence{}, true, nil
	}
	if a.asked[e] || a.in.Trace >= TraceAll {
		a.notes = &notes{}
		defer func() { a.notes = nil }()
	}
	opts := a.engine.renderOptions(a, v, e, "condition")
	opts.Lenient = false
	opts.UndefinedAsNone = !a.engine.opts.StrictConditions
	mark, queue := len(a.vars.journal), len(a.queue)
	a.unset = a.unset[:0]
	a.top = frame{a: a, view: v}
	val, err := e.condition.Eval(a.ctx, &a.top, opts)
	if ctxErr := a.ctx.Err(); ctxErr != nil {
		return Absence{}, false, ctxErr
	}
	out := Absence{Reason: AbsentCondition}
	if a.notes != nil {
		out.Reads = a.notes.reads
	}
	if err != nil {
		if !a.engine.opts.Strict {
			a.vars.undo(mark)
			a.queue = a.queue[:queue]
		}
		var werr *weaver.Error
		if !a.engine.opts.StrictConditions && len(a.unset) > 0 && errors.As(err, &werr) && werr.Kind == weaver.TypeError {
			// What is not set yet is neither more nor less than anything.
			out.Detail = "its condition is false, since " + strings.Join(slices.Compact(slices.Clone(a.unset)), ", ") + " is not set: " + werr.Message
			return out, false, nil
		}
		out.Detail = "its condition failed: " + err.Error()
		if !a.engine.opts.StrictConditions {
			a.problem(v, e, "condition", out.Detail, err)
		}
		return out, false, nil
	}
	if !val.Truthy() {
		out.Detail = "its condition is false"
		return out, false, nil
	}
	return Absence{}, true, nil
}

// roll draws for an entry with a probability.
func (b *bookScan) roll(e *entry, kind ReasonKind) (Absence, bool) {
	if e.Probability == nil || kind == ReasonPick || kind == ReasonForced ||
		kind == ReasonConstant && b.policy.Constants == lore.ConstantsAtEnd {
		return Absence{}, true
	}
	drawn := b.draw(b.view, e, "roll") * 100
	if drawn < *e.Probability {
		return Absence{}, true
	}
	return Absence{
		Reason: AbsentRoll, Drawn: drawn, Needed: *e.Probability,
		Detail: "the roll was " + percent(drawn) + ", and it needed less than " + percent(*e.Probability),
	}, false
}

// draw returns a random number for a purpose of an entry.
func (a *assembly) draw(v *view, e *entry, purpose string) float64 {
	if a.in.Rand != nil {
		return a.in.Rand.Float64()
	}
	return newStream(a.in.Seed, v.id, e.ID, purpose).Float64()
}

// carry adds the sticky entries that were not found, in book order. Condition
// and cooldown are not looked at.
func (b *bookScan) carry() {
	var out []*entry
	for id, left := range b.state.Sticky {
		if e := b.view.entry(id); e != nil && left > 0 && !e.Disabled && b.active[e] == nil {
			out = append(out, e)
		}
	}
	slices.SortFunc(out, compareEntries)
	for _, e := range out {
		x := b.activate(b.view, e, Reason{Kind: ReasonSticky, Left: b.state.Sticky[e.ID]})
		x.carried = true
	}
}

// refuse notes why an entry is not active, where asked for.
func (a *assembly) refuse(e *entry, out Absence) {
	if !a.asked[e] && a.in.Trace < TraceAll {
		return
	}
	if a.refused == nil {
		a.refused = make(map[*entry]Absence)
	}
	a.refused[e] = out
}

// renderOptions are the settings of one evaluation for an entry.
func (e *Engine) renderOptions(a *assembly, v *view, en *entry, purpose string) weaver.Options {
	o := weaver.Options{Registry: e.registry, Limits: e.opts.Limits, Lenient: e.opts.Lenient}
	if a.in.Rand != nil {
		o.Rand = wordSource{a.in.Rand}
	} else {
		o.Seed = streamSeed(a.in.Seed, v.id, en.ID, purpose)
	}
	return o
}
