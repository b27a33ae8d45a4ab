package world

import (
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/weft-memory/weft/engine"
	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/memory"
	"github.com/weft-memory/weft/store"
	"github.com/weft-memory/weft/weaver/diag"
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

	view   *memory.View
	index  *engine.Index
	found  diag.List
	layers [2]*layer // of the world and the story
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

// sees reports whether the same operations count at the end of a path: it goes
// on with messages of which nothing is remembered.
func (f *folded) sees(t *trail, k *known, worldLayer int64) bool {
	tail, ok := t.goesOn(f.trail)
	if !ok || worldLayer != f.worldLayer || len(k.ops) != len(f.known.ops) || len(k.ops) > 0 && &k.ops[0] != &f.known.ops[0] {
		return false
	}
	return !slices.ContainsFunc(k.ops, func(op memory.Operation) bool {
		return op.Node != "" && slices.ContainsFunc(tail, func(n *store.Node) bool { return n.ID == op.Node || n.EditOf != "" })
	})
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
	var err error
	if ok && r.lore != nil && r.lore.sees(t, k, worldLayer) {
		active = r.lore.active
	} else if active, err = tx.seen(t, k, worldLayer); err != nil {
		return nil, err
	}
	f := &folded{key: key, active: active, trail: t, known: k, worldLayer: worldLayer}
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
		f.index, f.found, f.layers = before.index, before.found, before.layers
		return f, nil
	}
	f.build(b, before, tx.s.empty)
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

// layer is a compiled state of the book that a layer writes to. Views differ
// from it by an overlay.
type layer struct {
	segment *engine.Segment
	entries map[string]*lore.Entry
}

// build makes the index of a view. What was compiled for the view before is
// used again: the entries that a story made are compiled once, not every turn.
func (f *folded) build(b *bookSet, before *folded, empty [2]*engine.Segment) {
	o := f.view.Overlays()
	segments := slices.Clone(b.segments)
	for i, id := range []string{memory.WorldBook, memory.StoryBook} {
		l := &layer{segment: empty[i]}
		if before != nil {
			l = before.layers[i]
		}
		put, hide := l.difference(o.Put[id])
		if n := len(put) + len(hide); n > 32 && n > len(l.entries)/4 {
			l, put, hide = newLayer(id, o.Put[id]), nil, nil
		}
		f.layers[i] = l
		segments = append(segments, l.segment)
		delete(o.Put, id)
		delete(o.Hide, id)
		if len(put) > 0 {
			o.Put[id] = put
		}
		if len(hide) > 0 {
			o.Hide[id] = hide
		}
	}
	if f.layers[0].segment == empty[0] && f.layers[1].segment == empty[1] {
		f.index = b.index
	} else {
		f.index, _ = b.over(engine.NewIndex(segments...))
	}
	if len(o.Put)+len(o.Hide) > 0 {
		f.index, f.found = f.index.Overlay(o)
	}
}

func newLayer(id string, entries []*lore.Entry) *layer {
	book := memory.NewBook(id)
	book.Entries = slices.Clone(entries)
	l := &layer{entries: make(map[string]*lore.Entry, len(entries))}
	for _, e := range entries {
		l.entries[e.ID] = e
	}
	l.segment, _ = engine.Build(book, engine.BuildOptions{}) // findings come with the overlay of the entry's first turn
	return l
}

// difference returns what has to be laid over the layer to have these entries.
func (l *layer) difference(entries []*lore.Entry) (put []*lore.Entry, hide []string) {
	has := make(map[string]bool, len(entries))
	for _, e := range entries {
		has[e.ID] = true
		if l.entries[e.ID] != e {
			put = append(put, e)
		}
	}
	for id := range l.entries {
		if !has[id] {
			hide = append(hide, id)
		}
	}
	slices.Sort(hide)
	return put, hide
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
