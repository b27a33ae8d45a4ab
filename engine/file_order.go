package engine

import (
	"cmp"
	"slices"
	"strings"

	"github.com/weft-memory/weft/lore"
)

// fileOrder is the order of dialects that take entries by falling priority and
// equal ones as their file has them.
type fileOrder struct {
	// byPlace goes by the place in the list of entries, byKey as JavaScript takes
	// the members of the object that the entries were read from.
	byPlace, byKey []*entry
	// keyed says how many of the entries were read from an object: all of them,
	// each with its own key, or none. Where neither holds, the order by keys has
	// to be worked out anew when an overlay changes the entries.
	all, none bool
}

func newFileOrder(entries []*entry) fileOrder {
	f := fileOrder{byPlace: slices.Clone(entries), all: true, none: true}
	slices.SortFunc(f.byPlace, comparePlaces)
	seen := make(map[string]bool, len(entries))
	for _, e := range entries {
		key, ok := mapKey(e)
		f.all = f.all && ok && !seen[key]
		f.none = f.none && !ok
		if ok {
			seen[key] = true
		}
	}
	f.byKey = f.byPlace
	if f.all && len(entries) > 0 {
		f.byKey = sortByMapKey(entries)
	}
	return f
}

// comparePlaces compares by falling priority, then by the place in the book.
func comparePlaces(a, b *entry) int {
	return cmp.Or(cmp.Compare(b.Priority, a.Priority), cmp.Compare(a.pos, b.pos))
}

// mapKey returns the key under which an entry stood in a JSON object.
func mapKey(e *entry) (string, bool) {
	at := strings.LastIndexByte(e.Origin.Pointer, '/')
	return e.Origin.Pointer[at+1:], at >= 0
}

// sortByMapKey returns entries that were read from a JSON object in the order in
// which JavaScript takes its members, whole numbers first and ascending; then
// by falling priority. If one was not read from the object, or two have the
// same key, the places in the book decide.
func sortByMapKey(entries []*entry) []*entry {
	out := slices.Clone(entries)
	slices.SortFunc(out, func(a, b *entry) int { return cmp.Compare(a.pos, b.pos) })
	keys := make([]string, len(out))
	byKey := make(map[string]*entry, len(out))
	for i, e := range out {
		key, ok := mapKey(e)
		if !ok || byKey[key] != nil {
			slices.SortFunc(out, comparePlaces)
			return out
		}
		keys[i], byKey[key] = key, e
	}
	for i, k := range lore.JSKeyOrder(keys) {
		out[i] = byKey[k]
	}
	slices.SortStableFunc(out, func(a, b *entry) int { return cmp.Compare(b.Priority, a.Priority) })
	return out
}

// fileOrder lists the entries of a book, by keys or by places.
func (v *view) fileOrder(byKey bool) []*entry {
	base := v.base.files
	switch {
	case len(v.covered) == 0 && v.over == nil && byKey:
		return base.byKey
	case len(v.covered) == 0 && v.over == nil:
		return base.byPlace
	case byKey && v.over == nil && base.all:
		return slices.DeleteFunc(slices.Clone(base.byKey), v.isCovered)
	case byKey && !(base.none && len(v.covered) < len(base.byPlace)) && !(v.over != nil && v.over.files.none):
		entries := slices.DeleteFunc(slices.Clone(base.byPlace), v.isCovered)
		if v.over != nil {
			entries = append(entries, v.over.files.byPlace...)
		}
		return sortByMapKey(entries)
	}
	var added []*entry
	if v.over != nil {
		added = v.over.files.byPlace
	}
	out := make([]*entry, 0, len(base.byPlace)+len(added))
	for _, e := range base.byPlace {
		if v.isCovered(e) {
			continue
		}
		for len(added) > 0 && comparePlaces(added[0], e) < 0 {
			out, added = append(out, added[0]), added[1:]
		}
		out = append(out, e)
	}
	return append(out, added...)
}
