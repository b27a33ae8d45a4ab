package engine

import (
	"maps"
	"slices"

	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/weaver/diag"
)

// Overlay is a set of changes to the books of an index.
type Overlay struct {
	// Put adds entries to a book, by its id, or replaces those with the same
	// id.
	Put map[string][]*lore.Entry
	// Hide takes entries out of a book, by their ids. An entry that is both put
	// and hidden is hidden.
	Hide map[string][]string
}

// Overlay returns an index with the changes made. Nothing of the books is
// compiled again; the result is the same as building the changed books. An
// earlier overlay of the index stays and is extended: its entries are compiled
// anew with the others, so build it from the operations of a view, not one
// after the other.
//
// Entries that do not compile are reported and absent, also where an earlier
// version was there. An unknown book is reported.
func (ix *Index) Overlay(o Overlay) (*Index, diag.List) {
	out := &Index{views: slices.Clone(ix.views), slots: ix.slots}
	var list diag.List
	for _, id := range slices.Sorted(maps.Keys(mergeKeys(o.Put, o.Hide))) {
		i := slices.IndexFunc(out.views, func(v *view) bool { return v.id == id })
		if i < 0 {
			list = append(list, diag.Diagnostic{
				Severity: diag.Error, Code: "unknown-book",
				Message: "the overlay names the book " + quote(id) + ", which the index does not hold",
			})
			continue
		}
		v, l := out.views[i].overlay(o.Put[id], o.Hide[id])
		out.views[i] = v
		list = append(list, l...)
	}
	return out, list
}

func mergeKeys(put map[string][]*lore.Entry, hide map[string][]string) map[string]struct{} {
	out := make(map[string]struct{}, len(put)+len(hide))
	for k := range put {
		out[k] = struct{}{}
	}
	for k := range hide {
		out[k] = struct{}{}
	}
	return out
}

// overlay returns the view with entries put and hidden.
func (v *view) overlay(put []*lore.Entry, hide []string) (*view, diag.List) {
	w := &view{id: v.id, n: v.n, base: v.base, hidden: maps.Clone(v.hidden), covered: make(map[int32]struct{})}
	if w.hidden == nil {
		w.hidden = make(map[string]struct{}, len(hide))
	}
	for _, id := range hide {
		w.hidden[id] = struct{}{}
	}

	// The entries of the earlier overlay in the order they were added, then the
	// new ones in place of those or behind them.
	var entries []*lore.Entry
	var places []int32
	next := int32(len(v.base.book.Entries))
	if v.over != nil {
		over := slices.Clone(v.over.entries)
		slices.SortFunc(over, func(a, b *entry) int { return int(a.pos - b.pos) })
		for _, e := range over {
			entries, places = append(entries, e.Entry), append(places, e.pos)
			next = max(next, e.pos+1)
		}
	}
	fresh, list := distinct(&lore.Book{Entries: put})
	for _, e := range fresh {
		if !slices.Contains(hide, e.ID) {
			delete(w.hidden, e.ID) // put back
		}
		if i := slices.IndexFunc(entries, func(old *lore.Entry) bool { return old.ID == e.ID }); i >= 0 {
			entries[i] = e
			continue
		}
		pos := next
		if old := v.base.byID[e.ID]; old != nil {
			pos = old.pos
		} else {
			next++
		}
		entries, places = append(entries, e), append(places, pos)
	}
	for i := len(entries) - 1; i >= 0; i-- {
		if _, ok := w.hidden[entries[i].ID]; ok {
			entries, places = slices.Delete(entries, i, i+1), slices.Delete(places, i, i+1)
		}
	}
	if len(entries) > 0 {
		var more diag.List
		w.over, more = build(v.base.book, v.base.id, entries, places)
		list = append(list, more...)
		for _, e := range entries {
			w.cover(e.ID)
		}
	}
	for id := range w.hidden {
		w.cover(id)
	}
	return w, list
}

// cover takes an entry of the base out of the view.
func (v *view) cover(id string) {
	if e := v.base.byID[id]; e != nil {
		v.covered[e.rank] = struct{}{}
	}
}
