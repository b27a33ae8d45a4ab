package format

import (
	"reflect"
	"slices"

	"github.com/weft-memory/weft/format/jsondoc"
	"github.com/weft-memory/weft/lore"
)

// editRow applies an edit of an entry to the row it was read from: from and to
// are what the format writes of the entry before and after, want is the entry
// after.
//
// Two things go beyond the difference of from and to. Where the edit changes how
// the row is read (one extension of SillyTavern, and a key counts as an
// expression only between slashes), members that mean something else now are
// written again. And a way of writing often comes with a whole set of fields
// (thirty extensions for one probability): those that the entry does not need
// are left out. Members whose value changed stay changed, since some formats
// say one thing twice.
func (s *BookShape) editRow(r *Reader, row, from, to *jsondoc.Tree, key string, index int, want *lore.Entry) *jsondoc.Tree {
	t := mergeTrees(row, from, to)
	if row == nil || t == nil || row.Kind != jsondoc.Object || t.Kind != jsondoc.Object || to.Kind != jsondoc.Object {
		return t
	}
	e := rowEdit{want: want, read: func(t *jsondoc.Tree) *lore.Entry { return s.readEntry(r, parseTree(t), key, index) }}
	if e.now = e.read(t); e.now == nil {
		return t
	}
	e.tree, e.missing = t, differing(e.now, want)
	e.writeAgain(to)
	e.leaveOut(row)
	return e.tree
}

// rowEdit is a row on its way to what it has to say.
type rowEdit struct {
	want, now *lore.Entry
	read      func(t *jsondoc.Tree) *lore.Entry
	tree      *jsondoc.Tree
	missing   []string // fields of want that the tree does not say
}

// try takes a tree if it says no less, and with more only if it says more.
func (e *rowEdit) try(t *jsondoc.Tree, more bool) {
	now := e.read(t)
	if now == nil || !more && !reflect.DeepEqual(now.Ext, e.now.Ext) {
		return
	}
	missing := differing(now, e.want)
	for _, f := range missing {
		if !slices.Contains(e.missing, f) {
			return
		}
	}
	if more && len(missing) == len(e.missing) {
		return
	}
	e.tree, e.now, e.missing = t, now, missing
}

func (e *rowEdit) writeAgain(to *jsondoc.Tree) {
	for _, m := range to.Members {
		if len(e.missing) == 0 {
			return
		}
		if m.Value.Equal(e.tree.Get(m.Key)) || m.Value.Kind == jsondoc.Object {
			continue
		}
		t := e.tree.Clone()
		t.Set(m.Key, m.Value.Clone())
		e.try(t, true)
	}
}

func (e *rowEdit) leaveOut(row *jsondoc.Tree) {
	var spots []memberSpot
	memberSpots(row, e.tree, nil, &spots)
	if len(spots) < 2 {
		return
	}
	// What was removed may be needed once what was added instead is gone, and
	// the other way round.
	for range 2 {
		for _, spot := range spots {
			t := e.tree.Clone()
			spot.takeBack(t)
			if !t.Equal(e.tree) {
				e.try(t, false)
			}
		}
	}
}

// differing returns the canonical fields in which two entries differ.
func differing(a, b *lore.Entry) []string {
	x, y := nativeEntry.write(a), nativeEntry.write(b)
	var fields []string
	for _, m := range x.Members {
		if m.Key != "ext" && !m.Value.Equal(y.Get(m.Key)) {
			fields = append(fields, m.Key)
		}
	}
	for _, m := range y.Members {
		if m.Key != "ext" && x.Get(m.Key) == nil {
			fields = append(fields, m.Key)
		}
	}
	return fields
}

// memberSpot is a member that one of two objects has and the other has not.
type memberSpot struct {
	path  []string // of the object
	key   string
	value *jsondoc.Tree // nil if the member was added
	at    int           // where it stood
}

func (m memberSpot) takeBack(t *jsondoc.Tree) {
	for _, p := range m.path {
		if t = t.Get(p); t == nil {
			return
		}
	}
	switch {
	case m.value == nil:
		t.Delete(m.key)
	case t.Kind == jsondoc.Object && t.Get(m.key) == nil:
		at := min(m.at, len(t.Members))
		t.Members = slices.Insert(t.Members, at, jsondoc.M(m.key, m.value))
	}
}

func memberSpots(before, after *jsondoc.Tree, path []string, spots *[]memberSpot) {
	for i, m := range before.Members {
		if before.Get(m.Key) != m.Value { // of a repeated key the last one counts
			continue
		}
		now := after.Get(m.Key)
		switch {
		case now == nil:
			*spots = append(*spots, memberSpot{path: path, key: m.Key, value: m.Value, at: i})
		case m.Value.Kind == jsondoc.Object && now.Kind == jsondoc.Object:
			memberSpots(m.Value, now, append(slices.Clip(path), m.Key), spots)
		}
	}
	for _, m := range after.Members {
		if before.Get(m.Key) == nil {
			*spots = append(*spots, memberSpot{path: path, key: m.Key})
		}
	}
}
