package memory

import (
	"slices"

	"github.com/weft-memory/weft/lore"
)

// Event is one step in the life of an entry.
type Event struct {
	Operation Operation
	// Before and After are the entry as the engine saw it; nil where it was not
	// live.
	Before, After *lore.Entry
	// Changed says that the operation had an effect on the entry.
	Changed bool
}

// History returns the operations that concern an entry, or one that was merged
// into it, in order, with what each did.
func (v *View) History(book, id string) []Event {
	var out []Event
	v.replay(Ref{book, id}, func(op *Operation, before, after *snapshot) {
		out = append(out, Event{
			Operation: *op, Before: before.rendered(v), After: after.rendered(v),
			Changed: !before.same(after),
		})
	})
	return out
}

// snapshot is a state at one moment.
type snapshot struct{ state }

func snap(s *state) *snapshot {
	c := &snapshot{}
	c.ref, c.base, c.own, c.over, c.status, c.into, c.category = s.ref, s.base, s.own, s.over, s.status, s.into, s.category
	c.locks, c.knows = slices.Clone(s.locks), slices.Clone(s.knows)
	return c
}

func (s *snapshot) rendered(v *View) *lore.Entry {
	if !s.live() {
		return nil
	}
	return v.rendered(&s.state)
}

func (s *snapshot) same(o *snapshot) bool {
	return s.own.same(o.own) && s.over.same(o.over) && s.status == o.status && s.into == o.into && s.category == o.category &&
		slices.Equal(s.locks, o.locks) && slices.Equal(s.knows, o.knows)
}

// replay folds the operations about an entry again and calls yield for each
// that names it or changes it.
func (v *View) replay(r Ref, yield func(op *Operation, before, after *snapshot)) {
	refs := map[Ref]bool{r: true}
	if r.IsCategory() {
		refs[Ref{r.Book, categoryPrefix}] = true
	}
	v.tie(refs, v.ops)
	f := &folder{base: v.base, opts: v.opts, states: map[Ref]*state{}, status: v.status}
	for _, op := range v.ops {
		if v.status[op.ID] != opCounts || !op.touches(refs) {
			continue
		}
		before := snap(f.lookup(r))
		f.apply(op)
		after := snap(f.lookup(r))
		names := false
		op.eachRef(func(x Ref) { names = names || x == r })
		if names || !before.same(after) {
			yield(op, before, after)
		}
	}
}

// AsOf returns the view as it was when no operation had a higher number.
func (v *View) AsOf(seq int64) *View {
	i := len(v.ops)
	for i > 0 && v.ops[i-1].Seq > seq {
		i--
	}
	if i == len(v.ops) {
		return v
	}
	return fold(v.base, slices.Clone(v.ops[:i]), v.opts)
}

// Source says where a part of an entry comes from.
type Source struct {
	// Field is the name of a field, "content" for a sentence, which is then in
	// Text.
	Field string
	Text  string
	// Overlay says that the part was laid over the entry.
	Overlay bool
	// Operation put it there; "" means that it is authored: it was in the book.
	Operation string
	Author    Author
	Node      string
	Quotes    []Quote
}

// Provenance returns the source of every field and every sentence of an entry,
// fields first, in their order.
func (v *View) Provenance(book, id string) []Source {
	r := v.Redirect(book, id)
	p := &provenance{fields: map[partKey]*Operation{}, texts: map[partKey]*Operation{}}
	v.replay(r, func(op *Operation, before, after *snapshot) {
		p.note(op, before.own, after.own, false)
		p.note(op, before.over, after.over, true)
	})
	if s := v.states[r]; s != nil {
		return slices.Concat(p.sources(s.own, false), p.sources(s.over, true))
	}
	if e := v.base.entry(r); e != nil {
		return p.sources(newVersion(e), false)
	}
	return nil
}

type partKey struct {
	name    string
	overlay bool
}

type provenance struct{ fields, texts map[partKey]*Operation }

// note records what an operation put into a version.
func (p *provenance) note(op *Operation, before, after *version, overlay bool) {
	if after == nil || before == after {
		return
	}
	if before == nil {
		before = newVersion(lore.NewEntry("", ""))
	}
	for _, f := range after.list() {
		if !equalJSON(before.get(f.name), f.raw) {
			p.fields[partKey{f.name, overlay}] = op
		}
	}
	was := sentenceSet(before.content)
	for s := range sentenceSet(after.content) {
		if !was[s] {
			p.texts[partKey{s, overlay}] = op
		}
	}
}

func (p *provenance) sources(v *version, overlay bool) []Source {
	if v == nil {
		return nil
	}
	var out []Source
	add := func(op *Operation, s Source) {
		s.Overlay = overlay
		if op != nil {
			s.Operation, s.Author, s.Node, s.Quotes = op.ID, op.Author, op.Node, op.Quotes
		}
		out = append(out, s)
	}
	for _, f := range v.list() {
		add(p.fields[partKey{f.name, overlay}], Source{Field: f.name})
	}
	for _, t := range tokens(v.content) {
		if !isGap(t) {
			add(p.texts[partKey{sentenceKey(t), overlay}], Source{Field: fieldContent, Text: t})
		}
	}
	return out
}
