package world

import (
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/weft-memory/weft/memory"
	"github.com/weft-memory/weft/store"
)

// ready is what is kept in memory of a conversation: the path to its head, the
// operations it may see, and their fold. Each part knows of what it is, and is
// compared with that in the transaction that uses it. All of it is immutable.
type ready struct {
	world string
	trail *trail
	known *known
	lore  *folded
}

// folded is the lore at a node.
type folded struct {
	key    string             // of what it was made: node, marks, numbers, books
	active []memory.Operation // of known, those that count on the trail
	trail  *trail
	known  *known
	// worldLayer is the number up to which the world layer is seen; 0 is all.
	worldLayer int64
	// followed says that another list goes on where active ends, in the room
	// behind it.
	followed atomic.Bool

	view  *memory.View
	index *viewIndex
}

// seen are the operations that count at the end of a path. The world is seen as
// of a number: what sidecars wrote there later does not count, what people did
// does.
func (tx *txn) seen(t *trail, k *known, worldLayer int64) ([]memory.Operation, error) {
	ops := k.ops
	if worldLayer != 0 && worldLayer < k.seq {
		later := func(op *memory.Operation) bool {
			return op.Layer == memory.LayerWorld && op.Author.Kind != memory.ByPerson
		}
		switch {
		case k.marked > worldLayer: // some were retracted, or returned, since
			then, err := tx.ViewOperations(tx.id, "", worldLayer)
			if err != nil {
				return nil, err
			}
			then = slices.DeleteFunc(then, func(op memory.Operation) bool { return !later(&op) })
			ops = slices.DeleteFunc(slices.Clone(ops), func(op memory.Operation) bool { return later(&op) })
			ops = append(ops, then...)
			sort.SliceStable(ops, func(i, j int) bool { return ops[i].Seq < ops[j].Seq })
		case slices.ContainsFunc(ops, func(op memory.Operation) bool { return later(&op) && op.Seq > worldLayer }):
			ops = slices.DeleteFunc(slices.Clone(ops), func(op memory.Operation) bool { return later(&op) && op.Seq > worldLayer })
		}
	}
	return memory.Active(t.path, ops), nil
}

// seenFrom is seen where the path and the list go on from those of another
// place: only what came since is looked at. false if they do not.
func (f *folded) seenFrom(t *trail, k *known, worldLayer int64) ([]memory.Operation, bool) {
	tail, ok := t.goesOn(f.trail)
	fresh, same := k.goesOn(f.known)
	if !ok || !same || worldLayer != f.worldLayer || worldLayer != 0 && len(fresh) > 0 {
		return nil, false
	}
	if len(tail) > 0 {
		remembered := func(op memory.Operation) bool {
			return op.Node != "" && slices.ContainsFunc(tail, func(n *store.Node) bool { return n.ID == op.Node || n.EditOf != "" })
		}
		if slices.ContainsFunc(f.known.ops, remembered) {
			return nil, false
		}
	}
	if len(fresh) == 0 {
		return f.active, true
	}
	nodes := map[string]bool{}
	for _, op := range fresh {
		nodes[op.Node] = true
	}
	p := t.path
	p.Steps = nil
	for _, s := range t.path.Steps {
		if nodes[s.Node] || slices.ContainsFunc(s.Keeps, func(id string) bool { return nodes[id] }) {
			p.Steps = append(p.Steps, s)
		}
	}
	active := f.active
	if !f.followed.CompareAndSwap(false, true) {
		active = slices.Clip(active)
	}
	return append(active, memory.Active(p, fresh)...), true
}

// loreOf returns the lore at the end of a path.
func (tx *txn) loreOf(conversation string, t *trail, k *known, b *bookSet, worldLayer int64) (*folded, error) {
	key := strings.Join([]string{
		t.node, strconv.FormatInt(t.marks, 10), strconv.FormatInt(k.seq, 10), strconv.FormatInt(k.erased, 10), strconv.FormatInt(worldLayer, 10), b.key,
	}, "\x00")
	r, ok := tx.s.ready.get(readyKey(tx.id, conversation))
	if ok && r.lore != nil && r.lore.key == key && t.marks >= 0 {
		tx.s.viewHits.Add(1)
		return r.lore, nil
	}
	tx.s.viewMisses.Add(1)
	var active []memory.Operation
	var known bool
	var err error
	if ok && r.lore != nil {
		active, known = r.lore.seenFrom(t, k, worldLayer)
	}
	if !known {
		if active, err = tx.seen(t, k, worldLayer); err != nil {
			return nil, err
		}
	}
	f := &folded{key: key, active: active, trail: t, known: k, worldLayer: worldLayer}
	if known && len(active) == len(r.lore.active) {
		f.followed.Store(true) // the room behind the list is the other's
	}
	var before *folded
	if ok && r.lore != nil && strings.HasSuffix(r.lore.key, "\x00"+b.key) {
		before = r.lore
	}
	switch {
	case len(active) == 0:
		f.view = b.view
	case before != nil:
		gone, added := difference(before.active, active)
		f.view = before.view
		if len(gone)+len(added) > 0 {
			f.view = before.view.Switch(gone, added)
		}
	default:
		tx.s.viewFolds.Add(1)
		f.view = b.view.Fold(active)
	}
	if before != nil && f.view == before.view {
		f.index = before.index
		return f, nil
	}
	f.index = &viewIndex{view: f.view, books: b, empty: tx.s.empty, layers: [2]*layer{{segment: tx.s.empty[0]}, {segment: tx.s.empty[1]}}}
	if before != nil {
		f.index.layers = before.index.basis()
	}
	return f, nil
}

// difference returns the operations that only the first, and only the second
// list has. Both are in order.
func difference(was, is []memory.Operation) (gone, added []memory.Operation) {
	for len(was) > 0 || len(is) > 0 {
		switch {
		case len(is) == 0 || len(was) > 0 && was[0].Seq < is[0].Seq:
			gone, was = append(gone, was[0]), was[1:]
		case len(was) == 0 || is[0].Seq < was[0].Seq:
			added, is = append(added, is[0]), is[1:]
		default:
			was, is = was[1:], is[1:]
		}
	}
	return gone, added
}

// keep remembers what was read of a conversation: in a transaction that writes,
// once it is committed, since its numbers count only then.
func (tx *txn) keep(conversation string, t *trail, k *known, f *folded) {
	if t.marks < 0 {
		return
	}
	put := func() {
		tx.s.ready.put(readyKey(tx.id, conversation), &ready{world: tx.id, trail: t, known: k, lore: f})
	}
	if tx.write {
		tx.OnCommit(put)
		return
	}
	put()
}
