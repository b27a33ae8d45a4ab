package memory

import (
	"maps"
	"slices"
)

// With returns the view with operations added, those that are there already
// excepted. It equals a fold of all of them, but only what they concern is
// worked out anew.
func (v *View) With(ops ...Operation) *View { return v.Switch(nil, ops) }

// Without returns the view with operations gone, as if they had never been.
func (v *View) Without(ids ...string) *View {
	gone := make(map[string]bool, len(ids))
	for _, id := range ids {
		gone[id] = true
	}
	return v.change(nil, gone)
}

// Switch returns the view with some operations gone and others added, in one
// step: what a change of the head brings.
func (v *View) Switch(gone, added []Operation) *View {
	ids := make(map[string]bool, len(gone))
	for i := range gone {
		ids[gone[i].ID] = true
	}
	var fresh []*Operation
	for _, op := range pointers(added) {
		if _, known := v.status[op.ID]; !known || ids[op.ID] {
			fresh = append(fresh, op)
		}
	}
	return v.change(order(fresh), ids)
}

func (v *View) change(added []*Operation, gone map[string]bool) *View {
	ops := make([]*Operation, 0, len(v.ops)+len(added))
	var lost []*Operation
	for _, op := range v.ops {
		if gone[op.ID] {
			lost = append(lost, op)
			continue
		}
		for len(added) > 0 && compareOps(added[0], op) < 0 {
			ops, added = append(ops, added[0]), added[1:]
		}
		ops = append(ops, op)
	}
	ops = append(ops, added...)
	if len(lost) == 0 && len(ops) == len(v.ops) {
		return v
	}
	w := &View{base: v.base, opts: v.opts, ops: ops}
	var changed []*Operation
	var plainly bool
	w.counts, changed, plainly = v.recount(ops, lost)
	if !plainly {
		changed = w.changedSince(v, lost)
	}
	concerned := w.concerned(changed, lost)
	var again []*Operation
	for _, op := range ops {
		if w.status[op.ID] == opCounts && op.touches(concerned) {
			again = append(again, op)
		}
	}
	w.states = maps.Clone(v.states)
	for r := range concerned {
		delete(w.states, r)
	}
	for r, s := range w.run(again) {
		if concerned[r] {
			w.states[r] = s
		}
	}
	return w
}

// changedSince returns the operations that count in one of two views only. lost
// are those that only the old view has.
func (v *View) changedSince(old *View, lost []*Operation) (changed []*Operation) {
	for _, list := range [][]*Operation{v.ops, lost} {
		for _, op := range list {
			if v.differs(old, op.ID) {
				changed = append(changed, op)
			}
		}
	}
	return changed
}

// concerned returns the entries about which a view may differ from an older one:
// those of operations that count in one of them only, or stand on a version that
// only one has, and all that merges and splits tie to them. lost are the
// operations that only the old view has.
func (v *View) concerned(changed, lost []*Operation) map[Ref]bool {
	out := map[Ref]bool{}
	ids := make(map[string]bool, len(changed))
	for _, op := range changed {
		ids[op.ID] = true
		op.eachRef(func(r Ref) { out[r] = true })
	}
	for _, list := range [][]*Operation{v.ops, lost} {
		for _, op := range list {
			if op.On != "" && ids[op.On] {
				op.eachRef(func(r Ref) { out[r] = true })
			}
		}
	}
	v.tie(out, v.ops, lost)
	return out
}

// tie adds to a set of entries all that merges and splits tie to them.
func (v *View) tie(refs map[Ref]bool, lists ...[]*Operation) {
	var ties []*Operation
	for _, list := range lists {
		for _, op := range list {
			if op.Kind == KindMerge || op.Kind == KindSplit || op.Ref().IsCategory() {
				ties = append(ties, op)
			}
		}
	}
	for grew := true; grew; {
		grew = false
		ties = slices.DeleteFunc(ties, func(op *Operation) bool {
			if !op.touches(refs) {
				return false
			}
			op.eachRef(func(r Ref) { refs[r] = true })
			grew = true
			return true
		})
	}
}

// eachRef calls yield for every entry that the operation may change. The
// categories of a book count as one: they form a tree.
func (o *Operation) eachRef(yield func(Ref)) {
	book := o.book()
	one := func(r Ref) {
		yield(r)
		if r.IsCategory() {
			yield(Ref{r.Book, categoryPrefix})
		}
	}
	one(Ref{book, o.Entry})
	if e := o.Change.Entry; e != nil {
		one(Ref{book, e.ID})
	}
	for _, r := range o.Change.Into {
		one(r.in(book))
	}
	for _, r := range o.Change.From {
		one(r.in(book))
	}
	for i, e := range o.Change.Parts {
		if e != nil {
			one(o.part(i))
		}
	}
}

// part returns the reference of a part of a split: Into names it, or else its
// id in the operation's book.
func (o *Operation) part(i int) Ref {
	id := o.Change.Parts[i].ID
	if i < len(o.Change.Into) && o.Change.Into[i].Entry == id {
		return o.Change.Into[i].in(o.book())
	}
	return Ref{o.book(), id}
}

func (o *Operation) touches(refs map[Ref]bool) bool {
	if refs[Ref{o.book(), o.Entry}] {
		return true
	}
	if c := &o.Change; c.Entry == nil && c.Into == nil && c.From == nil && c.Parts == nil && !o.Ref().IsCategory() {
		return false
	}
	found := false
	o.eachRef(func(r Ref) { found = found || refs[r] })
	return found
}
