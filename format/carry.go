package format

import (
	"slices"
	"strconv"

	"github.com/weft-memory/weft/format/jsondoc"
	"github.com/weft-memory/weft/lore"
)

// The way of a thing from format A to format B and back:
//
//	to B      T = B.write(A.read(S))       what B can say of the source S
//	          R = A.write(B.read(T))       what of S comes back by itself
//	          patch = S - R                is carried in T
//	back to A R = A.write(B.read(T'))      T' is T, perhaps edited
//	          S' = R + patch               S again, if T' = T
//	          base = A.write(B.read(B.write(A.read(S'))))
//	          S' += R - base               an edit in between wins
//
// The same is done for entries and for the fields of the book.

// carryVersion is the version of the extension's own form.
const carryVersion = 1

// side is one format's way to read and write one kind of thing.
type side[T any] struct {
	name  string
	read  func(t *jsondoc.Tree) T
	write func(v T) *jsondoc.Tree
	// whole is like write, with parts that are no fields of the thing but that
	// read looks at (rows of folders). Nil means write.
	whole func(v T) *jsondoc.Tree
	// align gives v what is no edit if it differs from current: an id that was
	// changed because another entry had it. May be nil.
	align func(v, current T)
}

func (s side[T]) wire(v T) *jsondoc.Tree {
	if s.whole != nil {
		return s.whole(v)
	}
	return s.write(v)
}

// reproduce writes in the form of s what here's form says: s.write(here.read(t)).
func reproduce[T any](s, here side[T], t *jsondoc.Tree) *jsondoc.Tree { return s.write(here.read(t)) }

// restore makes the source in the form of back from a thing that was read in
// the form of here, and from what was carried with it.
func restore[T any](back, here side[T], current T, p patch) *jsondoc.Tree {
	now := back.write(current)
	source := p.apply(now)
	old := back.read(source)
	if back.align != nil {
		back.align(old, current)
	}
	again := here.read(here.wire(old))
	if back.align != nil {
		back.align(again, current)
	}
	return mergeTrees(source, back.write(again), now)
}

// patch is the difference between what a format reproduces and the source.
type patch struct {
	// set holds the members that differ, as an object that is laid over what is
	// there; keys the order of members by JSON pointer, where that differs.
	set, keys *jsondoc.Tree
	// whole is the source itself, for sources that set and keys cannot express
	// (repeated keys, values that are no objects).
	whole string
}

func (p patch) empty() bool {
	return p.whole == "" && (p.set == nil || len(p.set.Members) == 0) && (p.keys == nil || len(p.keys.Members) == 0)
}

// diffTrees returns the patch from have to want.
func diffTrees(have, want *jsondoc.Tree) patch {
	if have.Equal(want) {
		return patch{}
	}
	p := patch{set: jsondoc.Obj(), keys: jsondoc.Obj()}
	if have != nil && want != nil && have.Kind == jsondoc.Object && want.Kind == jsondoc.Object {
		p.set = diffObjects(have, want, "", p.keys)
	}
	if !p.apply(have).Equal(want) {
		return patch{whole: want.String()}
	}
	return p
}

func diffObjects(have, want *jsondoc.Tree, at string, keys *jsondoc.Tree) *jsondoc.Tree {
	set := jsondoc.Obj()
	order := memberKeys(have)
	for _, m := range want.Members {
		old := have.Get(m.Key)
		if old == nil {
			order = append(order, m.Key)
		}
		switch {
		case m.Value.Equal(old):
		case old != nil && old.Kind == jsondoc.Object && m.Value.Kind == jsondoc.Object:
			if inner := diffObjects(old, m.Value, at+"/"+escapePointer(m.Key), keys); len(inner.Members) > 0 {
				set.Members = append(set.Members, jsondoc.M(m.Key, inner))
			}
		default:
			set.Members = append(set.Members, jsondoc.M(m.Key, m.Value.Clone()))
		}
	}
	if wanted := memberKeys(want); !slices.Equal(order, wanted) {
		keys.Members = append(keys.Members, jsondoc.M(at, jsondoc.StrList(wanted)))
	}
	return set
}

func memberKeys(t *jsondoc.Tree) []string {
	keys := make([]string, 0, len(t.Members))
	for _, m := range t.Members {
		keys = append(keys, m.Key)
	}
	return keys
}

// apply lays the patch over t and returns the result; t stays as it is.
func (p patch) apply(t *jsondoc.Tree) *jsondoc.Tree {
	if p.whole != "" {
		if doc, err := jsondoc.Parse(p.whole, jsondoc.Limits{}); err == nil {
			return doc.Root().Tree()
		}
		return t.Clone()
	}
	t = t.Clone()
	if p.set != nil && t != nil {
		overlay(t, p.set)
	}
	if p.keys != nil {
		for _, m := range p.keys.Members {
			reorder(t, m.Key, m.Value)
		}
	}
	return t
}

func overlay(t, set *jsondoc.Tree) {
	for _, m := range set.Members {
		if old := t.Get(m.Key); old != nil && old.Kind == jsondoc.Object && m.Value.Kind == jsondoc.Object {
			overlay(old, m.Value)
			continue
		}
		t.Set(m.Key, m.Value.Clone())
	}
}

// reorder gives the object at a pointer the members of the list, in its order.
func reorder(t *jsondoc.Tree, pointer string, list *jsondoc.Tree) {
	for _, token := range splitPointer(pointer) {
		t = t.Get(token)
	}
	if t == nil || t.Kind != jsondoc.Object || list.Kind != jsondoc.Array {
		return
	}
	var members []jsondoc.Member
	for _, k := range list.Items {
		if v := t.Get(k.Text); v != nil {
			members = append(members, jsondoc.M(k.Text, v))
		}
	}
	t.Members = members
}

// mergeTrees applies the difference between two trees to dst; what is equal in
// both stays in dst as it is.
func mergeTrees(dst, from, to *jsondoc.Tree) *jsondoc.Tree {
	if from.Equal(to) {
		return dst
	}
	if dst == nil || from == nil || to == nil ||
		dst.Kind != jsondoc.Object || from.Kind != jsondoc.Object || to.Kind != jsondoc.Object {
		return to.Clone()
	}
	dst = dst.Clone()
	for _, m := range from.Members {
		if to.Get(m.Key) == nil {
			dst.Delete(m.Key)
		}
	}
	for _, m := range to.Members {
		old := from.Get(m.Key)
		if m.Value.Equal(old) || to.Get(m.Key) != m.Value { // of a repeated key the last one counts
			continue
		}
		dst.Set(m.Key, mergeTrees(dst.Get(m.Key), old, m.Value))
	}
	return dst
}

// carried is the content of the extension.
type carried struct {
	from string
	patch
	key    string // of the entry in its list
	hasKey bool
	at     int // of the entry in a list whose order counts; -1 for none
	rows   []carriedRow
	style  *jsondoc.Style
	wrap   bool // the file was a list around the book
	// id is the id that a book had: the name of its file, which formats with a
	// field for the name fall back on.
	id string
}

// carriedRow is a row that is no entry.
type carriedRow struct {
	at   int
	key  string
	tree *jsondoc.Tree
}

func (c *carried) tree(what string) *jsondoc.Tree {
	t := jsondoc.Obj(jsondoc.M("from", jsondoc.Str(c.from)), jsondoc.M("v", jsondoc.Int(carryVersion)))
	if c.hasKey {
		t.Set("key", jsondoc.Str(c.key))
	}
	if c.at >= 0 {
		t.Set("at", jsondoc.Int(c.at))
	}
	if c.id != "" {
		t.Set("id", jsondoc.Str(c.id))
	}
	if c.whole != "" {
		t.Set("whole", jsondoc.Str(c.whole))
	}
	if c.set != nil && len(c.set.Members) > 0 {
		t.Set(what, c.set)
	}
	if c.keys != nil && len(c.keys.Members) > 0 {
		t.Set("keys", c.keys)
	}
	if len(c.rows) > 0 {
		rows := jsondoc.List()
		for _, r := range c.rows {
			row := jsondoc.Obj(jsondoc.M("at", jsondoc.Int(r.at)))
			if r.key != "" {
				row.Set("key", jsondoc.Str(r.key))
			}
			row.Set("row", r.tree)
			rows.Items = append(rows.Items, row)
		}
		t.Set("rows", rows)
	}
	if c.wrap {
		t.Set("wrap", jsondoc.NewBool(true))
	}
	if c.style != nil {
		t.Set("style", styleTree(*c.style))
	}
	return t
}

func (c *carried) empty() bool {
	return c.patch.empty() && !c.hasKey && len(c.rows) == 0 && c.style == nil
}

// parseCarried reads the extension; nil if it is none of ours or of a later
// version.
func parseCarried(t *jsondoc.Tree, what string) *carried {
	from := t.Get("from")
	if from == nil || from.Kind != jsondoc.String {
		return nil
	}
	if v := t.Get("v"); v == nil || v.Text != strconv.Itoa(carryVersion) {
		return nil
	}
	c := &carried{from: from.Text, at: -1}
	if k := t.Get("key"); k != nil && k.Kind == jsondoc.String {
		c.key, c.hasKey = k.Text, true
	}
	if at := t.Get("at"); at != nil {
		if n, err := strconv.Atoi(at.Text); err == nil {
			c.at = n
		}
	}
	if id := t.Get("id"); id != nil && id.Kind == jsondoc.String {
		c.id = id.Text
	}
	if w := t.Get("whole"); w != nil && w.Kind == jsondoc.String {
		c.whole = w.Text
	}
	if s := t.Get(what); s != nil && s.Kind == jsondoc.Object {
		c.set = s
	}
	if k := t.Get("keys"); k != nil && k.Kind == jsondoc.Object {
		c.keys = k
	}
	if rows := t.Get("rows"); rows != nil {
		for _, r := range rows.Items {
			row := carriedRow{tree: r.Get("row")}
			if at := r.Get("at"); at != nil {
				row.at, _ = strconv.Atoi(at.Text)
			}
			if k := r.Get("key"); k != nil {
				row.key = k.Text
			}
			if row.tree != nil {
				c.rows = append(c.rows, row)
			}
		}
	}
	if wrap := t.Get("wrap"); wrap != nil {
		c.wrap = wrap.Text == "true"
	}
	if s := t.Get("style"); s != nil {
		style := parseStyle(s)
		c.style = &style
	}
	return c
}

// entrySide returns how a shape reads and writes entries, at an index and with
// a key.
func (s *BookShape) entrySide(w *Writer, key string) side[*lore.Entry] {
	r := quietReader("")
	r.book, r.index, r.key = w.Book, max(w.Index, 0), key
	return side[*lore.Entry]{
		name: s.Info.Name,
		read: func(t *jsondoc.Tree) *lore.Entry {
			v := parseTree(t)
			e := s.readEntry(r, v, key, max(w.Index, 0))
			if e == nil {
				e = &lore.Entry{ID: strconv.Itoa(max(w.Index, 0))}
			}
			return e
		},
		write: func(e *lore.Entry) *jsondoc.Tree {
			_, t := s.newEntry(w.quietly(), e)
			return t
		},
		align: func(v, current *lore.Entry) { v.ID = current.ID },
	}
}

// bookSide returns how a shape reads and writes the fields of a book.
func (s *BookShape) bookSide(w *Writer, id string) side[*lore.Book] {
	write := func(b *lore.Book) *jsondoc.Tree { return s.newBook(w.quietly(), b) }
	return side[*lore.Book]{
		name:  s.Info.Name,
		read:  func(t *jsondoc.Tree) *lore.Book { return s.readBook(quietReader(id), parseTree(t), id) },
		write: write,
		whole: func(b *lore.Book) *jsondoc.Tree {
			t := write(b)
			if s.NewRows != nil {
				if list, _, ok := s.list(t); ok {
					list.Items = append(list.Items, s.NewRows(w.quietly(), b)...)
				}
			}
			return t
		},
		// Some formats list the entries of a folder in the book.
		align: func(v, current *lore.Book) { v.Entries, v.ID = current.Entries, current.ID },
	}
}

func parseTree(t *jsondoc.Tree) jsondoc.Value {
	if t == nil {
		return jsondoc.Value{}
	}
	doc, err := jsondoc.Parse(t.Append(nil, jsondoc.Compact()), jsondoc.Limits{Depth: 1024})
	if err != nil {
		return jsondoc.Value{}
	}
	return doc.Root()
}
