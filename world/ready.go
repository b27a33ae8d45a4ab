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

// trail is the path to a node, as it is when the marks of the conversation are
// those of a number.
type trail struct {
	node  string
	marks int64
	nodes []*store.Node
	path  memory.Path
}

// known are the operations that a conversation may see.
type known struct {
	seq    int64 // of the world, when the list was complete
	erased string
	marked int64 // the newest retraction or return in it
	ops    []memory.Operation
}

// folded is the lore at a node.
type folded struct {
	key    string // of what it was made: node, marks, numbers, books
	active []memory.Operation
	view   *memory.View
	index  *engine.Index
	found  diag.List
	layers [2]*layer // of the world and the story
}

// trailTo returns the path to a node of a conversation as it is now.
func (tx *txn) trailTo(c store.Conversation, node string) (*trail, error) {
	marks, err := tx.markSeq(c.ID)
	if err != nil {
		return nil, err
	}
	if node == "" {
		return &trail{marks: marks, path: memory.Path{Conversation: c.ID}}, nil
	}
	if t, err := tx.keptWith(c, node, marks); t != nil || err != nil {
		return t, err
	}
	t := &trail{node: node, marks: marks}
	if t.nodes, err = pointers(tx.Path(node, store.PathOptions{})); err != nil {
		return nil, err
	}
	if t.path, err = tx.MemoryPath(node, 0); err != nil {
		return nil, err
	}
	t.path.Conversation = c.ID
	return t, nil
}

// keptTrail returns the path to a node if it follows from one that is in memory;
// else nil.
func (tx *txn) keptTrail(c store.Conversation, node string) (*trail, error) {
	if node == "" {
		return nil, nil
	}
	marks, err := tx.markSeq(c.ID)
	if err != nil {
		return nil, err
	}
	return tx.keptWith(c, node, marks)
}

func (tx *txn) keptWith(c store.Conversation, node string, marks int64) (*trail, error) {
	if r, ok := tx.s.ready.get(c.ID); ok && r.trail != nil && r.trail.marks == marks {
		return tx.follow(c, r.trail, node)
	}
	return nil, nil
}

func pointers(nodes []store.Node, err error) ([]*store.Node, error) {
	out := make([]*store.Node, len(nodes))
	for i := range nodes {
		out[i] = &nodes[i]
	}
	return out, err
}

// maxFollow is how many messages a path is followed by before it is read anew.
const maxFollow = 8

// follow returns the path to a node that lies on, or shortly behind, another
// path with the same marks; nil if it does not.
func (tx *txn) follow(c store.Conversation, t *trail, node string) (*trail, error) {
	var tail []*store.Node
	for range maxFollow {
		for i := len(t.nodes) - 1; i >= 0; i-- {
			if t.nodes[i].ID != node || t.nodes[i].EditOf != "" {
				continue
			}
			if i == len(t.nodes)-1 && len(tail) == 0 {
				return t, nil
			}
			out := &trail{marks: t.marks, nodes: append(slices.Clip(t.nodes[:i+1]), tail...)}
			out.path = memory.Path{Conversation: c.ID, Steps: slices.Clip(t.path.Steps[:i+1])}
			for _, n := range tail {
				out.path.Steps = append(out.path.Steps, memory.Step{Node: n.ID, User: n.Role == lore.RoleUser})
			}
			out.node = out.nodes[len(out.nodes)-1].ID
			return out, nil
		}
		n, err := tx.Node(node)
		if err != nil {
			return nil, err
		}
		if n.Parent == "" || n.Deleted || n.ShownAs != "" || n.EditOf != "" {
			return nil, nil
		}
		tail = slices.Insert(tail, 0, &n)
		node = n.Parent
	}
	return nil, nil
}

// trailAsOf is trailTo for the marks as of a number of the world.
func (tx *txn) trailAsOf(c store.Conversation, node string, seq int64) (*trail, error) {
	marks, err := tx.markSeq(c.ID)
	if err != nil {
		return nil, err
	}
	if marks <= seq || seq == 0 {
		return tx.trailTo(c, node)
	}
	t := &trail{node: node, marks: -1}
	if t.nodes, err = pointers(tx.Path(node, store.PathOptions{AsOf: seq})); err != nil {
		return nil, err
	}
	if t.path, err = tx.MemoryPath(node, seq); err != nil {
		return nil, err
	}
	t.path.Conversation = c.ID
	return t, nil
}

// messages returns the chat of a path as an assembly takes it.
func (t *trail) messages() []lore.Message {
	out := make([]lore.Message, 0, len(t.nodes))
	for _, n := range t.nodes {
		if !n.Hidden {
			out = append(out, lore.Message{Role: n.Role, Name: n.Name, Content: n.Content})
		}
	}
	return out
}

// settingErased counts the conversations of a world that were erased: their
// operations are gone from the lists of others.
const settingErased = "erased"

// knownOf returns the operations that a conversation may see, as of now. An
// empty conversation stands for the world by itself.
func (tx *txn) knownOf(conversation string) (*known, error) {
	seq, err := tx.Seq(tx.id)
	if err != nil {
		return nil, err
	}
	r, ok := tx.s.ready.get(readyKey(tx.id, conversation))
	if ok && r.known != nil && r.known.seq == seq {
		return r.known, nil
	}
	erased, err := tx.Setting(scopeWorld+tx.id, settingErased)
	if err != nil && store.KindOf(err) != store.NotFound {
		return nil, err
	}
	if ok && r.known != nil && r.known.erased == string(erased) && r.known.seq < seq {
		return tx.catchUp(r.known, conversation, seq)
	}
	k := &known{seq: seq, erased: string(erased)}
	if k.ops, err = tx.ViewOperations(tx.id, conversation, 0); err != nil {
		return nil, err
	}
	marks, err := tx.retractions(0)
	if err != nil {
		return nil, err
	}
	if len(marks) > 0 {
		k.marked = marks[len(marks)-1].seq
	}
	return k, nil
}

// catchUp returns the list with what came since.
func (tx *txn) catchUp(old *known, conversation string, seq int64) (*known, error) {
	k := &known{seq: seq, erased: old.erased, marked: old.marked, ops: old.ops}
	filters := []store.OperationFilter{{Layer: memory.LayerCanon, After: old.seq}, {Layer: memory.LayerWorld, After: old.seq}}
	if conversation != "" {
		filters = append(filters, store.OperationFilter{Layer: memory.LayerStory, Conversation: conversation, After: old.seq})
	}
	var fresh []memory.Operation
	for _, f := range filters {
		list, err := tx.Operations(tx.id, f)
		if err != nil {
			return nil, err
		}
		fresh = append(fresh, list...)
	}
	if len(fresh) > 0 {
		sort.Slice(fresh, func(i, j int) bool { return fresh[i].Seq < fresh[j].Seq })
		k.ops = append(slices.Clip(old.ops), fresh...)
	}
	marks, err := tx.retractions(old.seq)
	if err != nil || len(marks) == 0 {
		return k, err
	}
	k.marked = marks[len(marks)-1].seq
	k.ops = slices.Clone(k.ops)
	for i := range k.ops {
		if !slices.ContainsFunc(marks, func(m retracted) bool { return m.operation == k.ops[i].ID }) {
			continue
		}
		op, err := tx.Operation(k.ops[i].ID)
		if err != nil {
			return nil, err
		}
		k.ops[i] = op
	}
	return k, nil
}

// knownAsOf is knownOf for a number of the world.
func (tx *txn) knownAsOf(conversation string, seq int64) (*known, error) {
	k, err := tx.knownOf(conversation)
	if err != nil || seq == 0 || seq >= k.seq {
		return k, err
	}
	if k.marked > seq {
		ops, err := tx.ViewOperations(tx.id, conversation, seq)
		return &known{seq: seq, marked: seq, erased: k.erased, ops: ops}, err // marked at most there
	}
	end := sort.Search(len(k.ops), func(i int) bool { return k.ops[i].Seq > seq })
	if end == len(k.ops) {
		return k, nil // nothing of the conversation came since
	}
	return &known{seq: seq, marked: k.marked, erased: k.erased, ops: k.ops[:end:end]}, nil
}

// readyKey names what is kept of a conversation, or of a world by itself.
func readyKey(world, conversation string) string {
	if conversation == "" {
		return scopeWorld + world
	}
	return conversation
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

// loreOf returns the lore at the end of a path.
func (tx *txn) loreOf(conversation string, t *trail, k *known, b *bookSet, worldLayer int64) (*folded, error) {
	key := strings.Join([]string{
		t.node, strconv.FormatInt(t.marks, 10), strconv.FormatInt(k.seq, 10), k.erased, strconv.FormatInt(worldLayer, 10), b.key,
	}, "\x00")
	r, ok := tx.s.ready.get(readyKey(tx.id, conversation))
	if ok && r.lore != nil && r.lore.key == key && t.marks >= 0 {
		tx.s.viewHits.Add(1)
		return r.lore, nil
	}
	tx.s.viewMisses.Add(1)
	active, err := tx.seen(t, k, worldLayer)
	if err != nil {
		return nil, err
	}
	f := &folded{key: key, active: active}
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
