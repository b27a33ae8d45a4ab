package format

import (
	"reflect"
	"strconv"
	"strings"

	"github.com/weft-memory/weft/format/jsondoc"
	"github.com/weft-memory/weft/lore"
)

// convertEntry writes an entry of any origin in the form of s: restored, if it
// once was of that form; otherwise new, with what s cannot say carried along.
func (s *BookShape) convertEntry(w *Writer, e *lore.Entry) (key string, t *jsondoc.Tree) {
	w.entry, w.carries = e, s.EntryPlace != nil
	defer func() { w.carries = false }()
	if w.bookCarry != nil {
		defer func() {
			t.SetAt(w.bookCarry, append(place(s.EntryPlace), "of")...)
			w.bookCarry = nil
		}()
	}
	key, t = s.newEntry(w, e)
	source, from, fromKey := w.sourceOf(e)
	if from != nil && from.Info.Name == s.Info.Name {
		// An entry of another file of the same format: as it stands there.
		return fromKeyOr(fromKey, key), source
	}
	if back := w.restoreEntry(s, e); back != nil {
		w.reportRestored(s, back, source, from, fromKey, e)
		if back.hasKey {
			key = back.key
		}
		return key, back.tree
	}
	var fromSide side[*lore.Entry]
	if from != nil {
		fromSide = from.entrySide(w, fromKey)
	} else {
		fromSide = nativeEntry
		source = nativeEntry.write(e)
	}
	hereKey := ""
	if w.isKeyed(s) {
		hereKey = key
	}
	here := s.entrySide(w, hereKey)
	again := reproduce(fromSide, here, t)
	if from != nil {
		source = from.withoutBookCarry(source, again)
	}
	c := &carried{from: fromSide.name, patch: diffTrees(again, source), at: -1}
	if from != nil && from.ListOrder {
		if at, err := strconv.Atoi(lastToken(e.Origin.Pointer)); err == nil {
			c.at = at
		}
	}
	if from != nil && w.isKeyed(from) {
		if k, _ := from.newEntry(w.quietly(), here.read(t)); k != fromKey {
			c.key, c.hasKey = fromKey, true
			if s.EntryPlace == nil {
				w.note(Lost, "(key)", "the key of the entry in its list: "+short(jsondoc.Str(fromKey)))
			}
		}
	}
	w.compare(again, source, "", s.EntryPlace != nil)
	if s.EntryPlace == nil && c.keys != nil && len(c.keys.Members) > 0 {
		w.note(Lost, "(members)", "which fields are absent, and their order")
	}
	if s.EntryPlace != nil && !c.empty() {
		t.SetAt(c.tree("entry"), place(s.EntryPlace)...)
	}
	return key, t
}

// withoutBookCarry takes from a source what an entry only carried for its book:
// that is in the book by now (see adoptCarried).
func (s *BookShape) withoutBookCarry(source, again *jsondoc.Tree) *jsondoc.Tree {
	if s.EntryPlace == nil {
		return source
	}
	path := place(s.EntryPlace)
	if weft := source.At(path...); weft.Get("of") == nil || weft.Get("from") != nil {
		return source
	}
	source = source.Clone()
	source.SetAt(nil, path...)
	for n := len(path) - 1; n > 0; n-- { // objects that were made to hold it
		if o := source.At(path[:n]...); o == nil || len(o.Members) > 0 || again.At(path[:n]...) != nil {
			break
		}
		source.SetAt(nil, path[:n]...)
	}
	return source
}

func fromKeyOr(key, def string) string {
	if key != "" {
		return key
	}
	return def
}

func place(path []string) []string { return append(append([]string(nil), path...), weftKey) }

// sourceOf returns the source of an entry with the edits made since, the shape
// of its format, and its key; nil if it was not read from a file or its format
// is not known here.
func (w *Writer) sourceOf(e *lore.Entry) (source *jsondoc.Tree, from *BookShape, key string) {
	from = w.table.shape(e.Origin.Format)
	if from == nil || e.Origin.Raw == nil {
		return nil, nil, ""
	}
	doc, err := jsondoc.Parse(e.Origin.Raw, jsondoc.Limits{Depth: 1024})
	if err != nil {
		return nil, nil, ""
	}
	if w.isKeyed(from) {
		key = lastToken(e.Origin.Pointer)
	}
	source = doc.Root().Tree()
	// An entry without an id has that of its place in the file.
	at := *w
	if i, err := strconv.Atoi(lastToken(e.Origin.Pointer)); err == nil && key == "" {
		at.Index = i
	}
	sd := from.entrySide(&at, key)
	old := sd.read(source)
	alignID(old, e)
	if old.Origin = e.Origin; !sameEntry(old, e) {
		e = from.followContent(w, quietReader(""), source, key, max(at.Index, 0), old, from.oneLadder(old, e))
		source = mergeTrees(source, sd.write(old), sd.write(e))
	}
	return source, from, key
}

// isKeyed reports whether new files of a format have their entries in an object.
func (w *Writer) isKeyed(s *BookShape) bool {
	keyed, known := w.keyed[s]
	if !known {
		if w.keyed == nil {
			w.keyed = map[*BookShape]bool{}
		}
		keyed = s.Fresh().Keyed
		w.keyed[s] = keyed
	}
	return keyed
}

// Fresh returns the layout of new files of the format.
func (s *BookShape) Fresh() Layout {
	t := s.newBook(&Writer{report: &Report{}, quiet: true, Index: -1}, &lore.Book{})
	_, l, _ := s.list(t)
	return l
}

// restored is an entry in the form that it once had.
type restored struct {
	tree   *jsondoc.Tree
	key    string
	hasKey bool
}

// restoreEntry undoes a conversion from the form of s, and the conversions
// between; nil if there was none.
func (w *Writer) restoreEntry(s *BookShape, e *lore.Entry) *restored {
	here := w.table.shape(e.Origin.Format)
	for range 8 { // conversions in a row
		if here == nil {
			return nil
		}
		c := parseCarried(ExtTree(e.Ext, weftKey), "entry")
		if c == nil {
			return nil
		}
		back := w.table.shape(c.from)
		if c.from == s.Info.Name {
			back = s
		}
		if back == nil {
			return nil
		}
		home := *w
		if c.at >= 0 {
			home.Index = c.at
		}
		b, h := back.entrySide(&home, c.key), here.entrySide(w, "")
		current := *e
		current.Origin = lore.Origin{}
		tree := restore(b, h, &current, c.patch)
		if back == s {
			r := &restored{tree: tree, key: c.key, hasKey: c.hasKey}
			if !r.hasKey {
				r.key, _ = s.newEntry(w.quietly(), &current)
				r.hasKey = true
			}
			return r
		}
		e, here = b.read(tree), back
	}
	return nil
}

// convertBook writes the fields of a book in the form of s, with an empty list
// of entries, and the rows that are to be put between them.
func (s *BookShape) convertBook(w *Writer, b *lore.Book) (root *jsondoc.Tree, style jsondoc.Style, rows []carriedRow) {
	style = s.styleOrDefault()
	carries := s.carriesBook(b)
	w.carries, w.bookCarry, w.wrap = carries, nil, false
	defer func() { w.carries = false }()
	if back, c := w.restoreBook(s, b); back != nil {
		if c.style != nil {
			style = *c.style
		}
		w.wrap = c.wrap
		return back, style, c.rows
	}
	root = s.newBook(w, b)
	from := w.table.shape(b.Origin.Format)
	if from == nil || b.Origin.Raw == nil {
		fromSide := nativeBook
		here := s.bookSide(w, b.ID)
		source := fromSide.write(b)
		again := reproduce(fromSide, here, here.wire(b))
		w.compare(again, source, "", carries)
		s.carryBook(w, root, &carried{from: fromSide.name, patch: diffTrees(again, source), id: b.ID, at: -1})
		return root, style, nil
	}
	doc, err := jsondoc.Parse(b.Origin.Raw, jsondoc.Limits{})
	if err != nil {
		return root, style, nil
	}
	source, others, ok := from.bookSource(w, doc.Root(), b)
	if from.Info.Name == s.Info.Name {
		// A book of another file of the same format.
		return source, w.fileStyle(b, doc), others
	}
	c := &carried{from: from.Info.Name, rows: others, id: b.ID, at: -1}
	c.wrap = b.Origin.Pointer == wrapPointer
	if st := w.fileStyle(b, doc); b.Origin.Pointer == "" || c.wrap {
		if st != from.styleOrDefault() {
			c.style = &st
		}
	}
	if ok {
		here := s.bookSide(w, b.ID)
		again := reproduce(from.bookSide(w, b.ID), here, here.wire(b))
		c.patch = diffTrees(again, source)
		w.compare(again, source, "", carries)
	} else {
		c.whole = "{}" // the file is one entry, without a list
		if !carries {
			w.note(Lost, "(file)", "the file was one entry without a list around it")
		}
	}
	for range others {
		w.Report().Add(w.item(carriedOrLost(carries), "row", "a row that is no entry"))
	}
	s.carryBook(w, root, c)
	return root, style, nil
}

// fileStyle returns how the file of a book was written. doc is the book alone.
func (w *Writer) fileStyle(b *lore.Book, doc *jsondoc.Doc) jsondoc.Style {
	if w.from == nil || w.from.Name != b.Origin.Path {
		return doc.Style()
	}
	file, err := w.from.Doc()
	if err != nil {
		return doc.Style()
	}
	style := file.Style()
	switch w.from.Encoding() {
	case UTF8BOM:
		style.BOM = true
	case UTF16LE:
		style.UTF16 = "le"
	case UTF16BE:
		style.UTF16 = "be"
	}
	return style
}

// carriesBook reports whether fields of a book can be carried: at the book, or
// in its first entry.
func (s *BookShape) carriesBook(b *lore.Book) bool {
	return s.BookPlace != nil || s.EntryPlace != nil && len(b.Entries) > 0
}

// carryBook puts what is carried for a book in its place. Even with nothing to
// carry the book says where it came from: the way back is a restoration then.
// A format with a place in its entries only has it in the first one.
func (s *BookShape) carryBook(w *Writer, root *jsondoc.Tree, c *carried) {
	switch {
	case s.BookPlace != nil:
		root.SetAt(c.tree("book"), place(s.BookPlace)...)
	case s.EntryPlace != nil:
		w.bookCarry = c.tree("book")
	}
}

func (s *BookShape) styleOrDefault() jsondoc.Style {
	if s.Style.Colon == "" {
		return jsondoc.Indented("    ")
	}
	return s.Style
}

// bookSource returns the source of a book with the edits made since, with an
// empty list, and the rows that are no entries; ok is false if the source is
// one entry without a list.
func (s *BookShape) bookSource(w *Writer, root jsondoc.Value, b *lore.Book) (source *jsondoc.Tree, others []carriedRow, ok bool) {
	layout, found := s.Locate(root)
	if !found || layout.Single {
		return jsondoc.Obj(), nil, false
	}
	r := quietReader(b.ID)
	list := root.At(layout.Path...)
	superseded := supersededRows(list, layout)
	for i, row := range list.Items() {
		if superseded[i] || s.readEntry(r, row, row.Key(), i) == nil {
			others = append(others, carriedRow{at: i, key: row.Key(), tree: row.Tree()})
		}
	}
	source = treeWithout(root, list)
	old := s.readBook(r, root, b.ID)
	old.Origin = b.Origin
	q := w.quietly()
	q.Index = -1
	return mergeTrees(source, s.newBook(q, old), s.newBook(q, b)), others, true
}

// treeWithout copies root, with the list in it empty.
func treeWithout(root, list jsondoc.Value) *jsondoc.Tree {
	if root == list {
		return &jsondoc.Tree{Kind: root.Kind()}
	}
	switch root.Kind() {
	case jsondoc.Object:
		t := jsondoc.Obj()
		for key, m := range root.Members() {
			t.Members = append(t.Members, jsondoc.M(key, treeWithout(m, list)))
		}
		return t
	case jsondoc.Array:
		t := jsondoc.List()
		for _, m := range root.Items() {
			t.Items = append(t.Items, treeWithout(m, list))
		}
		return t
	}
	return root.Tree()
}

// restoreBook undoes a conversion of a book's fields; nil if there was none.
func (w *Writer) restoreBook(s *BookShape, b *lore.Book) (*jsondoc.Tree, *carried) {
	here := w.table.shape(b.Origin.Format)
	for range 8 {
		if here == nil {
			return nil, nil
		}
		c := parseCarried(ExtTree(b.Ext, weftKey), "book")
		if c == nil {
			return nil, nil
		}
		back := w.table.shape(c.from)
		if c.from == s.Info.Name {
			back = s
		}
		if back == nil {
			return nil, nil
		}
		bs, hs := back.bookSide(w, b.ID), here.bookSide(w, b.ID)
		current := *b
		current.Origin = lore.Origin{}
		if c.id != "" {
			current.ID = c.id
		}
		tree := restore(bs, hs, &current, c.patch)
		if back == s {
			return tree, c
		}
		b, here = bs.read(tree), back
	}
	return nil, nil
}

// compare reports the members of a source by what comes back of them.
func (w *Writer) compare(again, source *jsondoc.Tree, at string, carries bool) {
	if source == nil || w.quiet {
		return
	}
	for _, m := range source.Members {
		field := strings.TrimPrefix(at+"."+m.Key, ".")
		old := again.Get(m.Key)
		switch {
		case m.Value.Same(old):
			w.report.Keep(field)
		case old != nil && old.Kind == jsondoc.Object && m.Value.Kind == jsondoc.Object:
			w.compare(old, m.Value, field, carries)
		case old != nil && !isEmptyTree(old):
			how := "would come back as " + short(old)
			if carries {
				how += "; the exact value is carried"
			}
			w.note(Approximated, field, how)
		default:
			how := "the format has no word for it"
			if isEmptyTree(m.Value) {
				how = "empty in the source"
			}
			w.note(carriedOrLost(carries), field, how)
		}
	}
}

func carriedOrLost(carries bool) Outcome {
	if carries {
		return Carried
	}
	return Lost
}

func isEmptyTree(t *jsondoc.Tree) bool {
	switch t.Kind {
	case jsondoc.Null:
		return true
	case jsondoc.String:
		return t.Text == ""
	case jsondoc.Array, jsondoc.Object:
		return len(t.Items)+len(t.Members) == 0
	}
	return false
}

func short(t *jsondoc.Tree) string {
	s := []rune(t.String())
	if len(s) > 40 {
		return string(s[:39]) + "…"
	}
	return string(s)
}

// reportRestored reports an entry that went back to the form it once had: its
// fields are kept, and what was added to source in between may be lost.
func (w *Writer) reportRestored(s *BookShape, back *restored, source *jsondoc.Tree, from *BookShape, key string, e *lore.Entry) {
	for _, m := range back.tree.Members {
		w.report.Keep(m.Key)
	}
	if source == nil {
		return
	}
	there := s.entrySide(w, back.key).read(back.tree)
	there.ID = e.ID
	again := from.entrySide(w, key).write(there)
	source = source.Clone()
	if from.EntryPlace != nil {
		source.SetAt(nil, place(from.EntryPlace)...)
	}
	w.carries = false
	w.compareAdded(again, source, "")
}

// compareAdded reports the members of a source that a restored entry lacks.
func (w *Writer) compareAdded(again, source *jsondoc.Tree, at string) {
	for _, m := range source.Members {
		field := strings.TrimPrefix(at+"."+m.Key, ".")
		old := again.Get(m.Key)
		switch {
		case m.Value.Same(old) || isEmptyTree(m.Value):
		case old != nil && old.Kind == jsondoc.Object && m.Value.Kind == jsondoc.Object:
			w.compareAdded(old, m.Value, field)
		case old != nil && !isEmptyTree(old):
			w.note(Approximated, field, "would come back as "+short(old))
		default:
			w.note(Lost, field, "added since, and the format has no word for it")
		}
	}
}

// unsaid reports the edits of a thing that its format has no word for: old is
// what was read, now what the edited file says, want what it should say.
func unsaid[T any](w *Writer, native side[T], old, now, want T) {
	was, has, asked := native.write(old), native.write(now), native.write(want)
	for _, m := range asked.Members {
		if m.Key != "ext" && !m.Value.Equal(has.Get(m.Key)) {
			w.note(Lost, m.Key, "the format has no word for it")
		}
	}
	for _, m := range has.Members {
		if m.Key != "ext" && asked.Get(m.Key) == nil && m.Value.Equal(was.Get(m.Key)) {
			w.note(Lost, m.Key, "taken away by an edit, for which the format has no word: it stays")
		}
	}
}

// reportUnsaid reports the edits of an entry that did not reach its row.
func (s *BookShape) reportUnsaid(w *Writer, r *Reader, row *jsondoc.Tree, key string, old, e *lore.Entry) {
	if now := s.readEntry(r, parseTree(row), key, w.Index); now != nil {
		unsaid(w, nativeEntry, old, now, e)
	}
}

// reportUnsaidBook reports the edits of a book's own fields that did not reach
// the file.
func (s *BookShape) reportUnsaidBook(w *Writer, r *Reader, root jsondoc.Value, from, to *jsondoc.Tree, old, b *lore.Book) {
	was, want := *old, *b
	was.ID, was.Origin, was.Entries = b.ID, b.Origin, b.Entries // the id is the name of the file
	if nativeBook.write(&was).Equal(nativeBook.write(&want)) {
		return
	}
	t := mergeTrees(root.Tree(), from, to)
	now := s.readBook(r, parseTree(t), b.ID)
	now.Entries = b.Entries
	unsaid(w, nativeBook, &was, now, &want)
}

// sameEntry reports whether two entries are equal in everything but their
// origin.
func sameEntry(a, b *lore.Entry) bool {
	x, y := *a, *b
	x.Origin, y.Origin = lore.Origin{}, lore.Origin{}
	return reflect.DeepEqual(&x, &y)
}
