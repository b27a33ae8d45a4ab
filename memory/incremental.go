package memory

import (
	"maps"
	"slices"
)

// With returns the view with operations added, those that are there already
// excepted. It equals a fold of all of them, but only what they concern is
// worked out anew.
func (v *View) With(ops ...Operation) *View {
	var fresh []*Operation
	for i := range ops {
		if _, known := v.status[ops[i].ID]; !known {
			fresh = append(fresh, &ops[i])
		}
	}
	return v.change(fresh, nil)
}

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
	for i := range added {
		if _, known := v.status[added[i].ID]; !known || ids[added[i].ID] {
			fresh = append(fresh, &added[i])
		}
	}
	return v.change(fresh, ids)
}

func (v *View) change(added []*Operation, gone map[string]bool) *View {
	ops := make([]*Operation, 0, len(v.ops)+len(added))
	for _, op := range v.ops {
		if !gone[op.ID] {
			ops = append(ops, op)
		}
	}
	if len(added) == 0 && len(ops) == len(v.ops) {
		return v
	}
	if len(added) > 0 {
		ops = order(append(ops, added...))
	}
	w := &View{base: v.base, opts: v.opts, ops: ops, status: statuses(ops)}
	concerned := w.concerned(v)
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

// concerned returns the entries about which the two views may differ: those of
// operations that count in one of them only, or stand on a version that only
// one has, and all that merges and splits tie to them.
func (v *View) concerned(old *View) map[Ref]bool {
	differ := func(id string) bool { return v.status[id] != old.status[id] }
	out := map[Ref]bool{}
	for _, list := range [][]*Operation{v.ops, old.ops} {
		for _, op := range list {
			if differ(op.ID) || op.On != "" && differ(op.On) {
				op.eachRef(func(r Ref) { out[r] = true })
			}
		}
	}
	v.tie(out, v.ops, old.ops)
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
	found := false
	o.eachRef(func(r Ref) { found = found || refs[r] })
	return found
}
