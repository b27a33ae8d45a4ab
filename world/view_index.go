package world

import (
	"slices"
	"sync"

	"github.com/weft-memory/weft/engine"
	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/memory"
	"github.com/weft-memory/weft/weaver/diag"
)

// layer is a compiled state of the book that a layer writes to. Views differ
// from it by an overlay.
type layer struct {
	segment *engine.Segment
	entries map[string]*lore.Entry
}

// viewIndex is the index of a view, made when it is first asked for: not every
// change is followed by an assembly.
type viewIndex struct {
	view  *memory.View
	books *bookSet
	empty [2]*engine.Segment

	mu sync.Mutex
	// layers are of the world and the story: compiled for this view, or before
	// it is, for an earlier one.
	layers [2]*layer
	index  *engine.Index
	found  diag.List
}

// get returns the index, and what is wrong with the entries that differ from the
// books.
func (x *viewIndex) get() (*engine.Index, diag.List) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.index == nil {
		x.build()
	}
	return x.index, x.found
}

// basis returns the layers that the next view may build on.
func (x *viewIndex) basis() [2]*layer {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.layers
}

// build makes the index. What was compiled for an earlier view is used again:
// the entries that a story made are compiled once, not every turn.
func (x *viewIndex) build() {
	o := x.view.Overlays()
	segments := slices.Clone(x.books.segments)
	for i, id := range []string{memory.WorldBook, memory.StoryBook} {
		l := x.layers[i]
		put, hide := l.difference(o.Put[id])
		if n := len(put) + len(hide); n > 32 && n > len(l.entries)/4 {
			l, put, hide = newLayer(id, o.Put[id]), nil, nil
		}
		x.layers[i] = l
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
	if x.layers[0].segment == x.empty[0] && x.layers[1].segment == x.empty[1] {
		x.index = x.books.index
	} else {
		x.index, _ = x.books.over(engine.NewIndex(segments...))
	}
	if len(o.Put)+len(o.Hide) > 0 {
		x.index, x.found = x.index.Overlay(o)
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
