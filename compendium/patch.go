package compendium

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/weft-memory/weft/lore"
)

// FieldChange is the change of one field of a lorebook entry, as JSON; nil means
// absent. It converts to memory.Field.
type FieldChange struct {
	Old, New json.RawMessage
}

// ContentChange is the change of the text of a lorebook entry.
type ContentChange struct{ Old, New string }

// PatchOf returns the change that makes one entry of another, by the fields of
// the lorebook entry that holds it: name, tags, keywords, and [FieldName] for
// the typed data. A nil before is an empty entry.
//
// The change of the typed data is sparse: Old and New hold only the members that
// differ, down to single values, and beside those of a row that is in both the
// members of its key. Merged three-way, member by member, such changes leave each
// other alone: if the operation that created a row is taken back, a later one
// that changed a value of it still makes the row it speaks of.
func PatchOf(before, after *Entry) (map[string]FieldChange, *ContentChange) {
	if before == after {
		return nil, nil
	}
	out := map[string]FieldChange{}
	old, new := Object{}, after.stored()
	var was shown
	if before != nil {
		old, was = before.stored(), before.shown()
	}
	is := after.shown()
	a, b := sparse(old, new, Fields(after.Type))
	if len(a) > 0 || len(b) > 0 {
		out[FieldName] = FieldChange{Old: objectOrNil(a), New: objectOrNil(b)}
	}
	set := func(name string, x, y any, emptyX, emptyY bool) {
		c := FieldChange{}
		if !emptyX {
			c.Old = encode(x)
		}
		if !emptyY {
			c.New = encode(y)
		}
		if !bytes.Equal(c.Old, c.New) {
			out[name] = c
		}
	}
	set("name", was.name, is.name, was.name == "", is.name == "")
	set("tags", was.tags, is.tags, len(was.tags) == 0, len(is.tags) == 0)
	set("keywords", was.keys, is.keys, len(was.keys) == 0, len(is.keys) == 0)
	var content *ContentChange
	if was.content != is.content {
		content = &ContentChange{Old: was.content, New: is.content}
	}
	if len(out) == 0 {
		out = nil
	}
	return out, content
}

// shown is what of an entry stands in the fields of its lorebook entry.
type shown struct {
	name, content string
	tags, keys    []string
}

func (e *Entry) shown() shown {
	var s shown
	s.name, _ = e.Data["name"].(string)
	s.content, _ = e.Data["description"].(string)
	s.tags, _ = e.Data["tags"].([]string)
	var have []lore.Key
	if e.base != nil {
		have = e.base.Keys
	}
	s.keys = literals(e.keys(have))
	return s
}

func objectOrNil(o Object) json.RawMessage {
	if len(o) == 0 {
		return nil
	}
	return encode(o)
}

func literals(keys []lore.Key) []string {
	var out []string
	for _, k := range keys {
		if k.Kind == lore.KeyLiteral || k.Kind == "" {
			out = append(out, k.Text)
		}
	}
	return out
}

// sparse returns the members of two objects in which they differ.
func sparse(a, b Object, fields []Field) (x, y Object) {
	x, y = Object{}, Object{}
	names := sortedNames(a)
	for name := range b {
		if _, ok := a[name]; !ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		v, w := a[name], b[name]
		if equal(v, w) {
			continue
		}
		f := member(fields, name)
		vo, ok1 := v.(Object)
		wo, ok2 := w.(Object)
		switch {
		case name == memberSources || name == memberHistory:
			sparseFlat(x, y, name, vo, wo)
			continue
		case f == nil || !ok1 && !ok2:
		case f.Kind == Rows:
			sparseRows(x, y, f, vo, wo)
			continue
		case f.Kind == Group, f.Kind == References:
			p, q := sparse(vo, wo, f.Fields)
			put(x, name, p)
			put(y, name, q)
			continue
		}
		if v != nil {
			x[name] = v
		}
		if w != nil {
			y[name] = w
		}
	}
	return x, y
}

func put(o Object, name string, v Object) {
	if len(v) > 0 {
		o[name] = v
	}
}

// sparseFlat is for sources and records of history, which are replaced as a
// whole: only the new one is stated, so that it is taken whatever is there.
func sparseFlat(x, y Object, name string, a, b Object) {
	p, q := Object{}, Object{}
	for k, v := range a {
		if b[k] == nil {
			p[k] = v
		}
	}
	for k, w := range b {
		if v, ok := a[k]; !ok || !equal(v, w) {
			q[k] = w
		}
	}
	put(x, name, p)
	put(y, name, q)
}

func sparseRows(x, y Object, f *Field, a, b Object) {
	p, q := Object{}, Object{}
	for _, k := range sortedNames(a) {
		v := asObject(a[k])
		w, ok := b[k].(Object)
		if !ok {
			p[k] = v
			continue
		}
		if equal(v, w) {
			continue
		}
		m, n := sparse(v, w, f.Fields)
		for _, name := range append(slices.Clone(f.Key), f.main(), memberAt) {
			if value, ok := w[name]; ok && n[name] == nil && m[name] == nil {
				n[name] = value
			}
		}
		put(p, k, m)
		put(q, k, n)
	}
	for _, k := range sortedNames(b) {
		if _, ok := a[k]; !ok {
			q[k] = b[k]
		}
	}
	put(x, f.Name, p)
	put(y, f.Name, q)
}
