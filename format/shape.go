package format

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/weft-memory/weft/format/jsondoc"
	"github.com/weft-memory/weft/lore"
)

// BookShape describes a lorebook format whose files (or parts of files) are
// JSON with a list of entries. From it the package makes a codec, splices
// edits, carries foreign data and reports.
//
// The functions read a JSON value into canonical form and write canonical form
// as JSON. They work on one thing at a time and must be pure: the same input
// gives the same output, since edits are found by writing the old and the new
// thing and comparing.
type BookShape struct {
	Info Info
	// Policy is how books of the format behave.
	Policy func() lore.Policy
	// Sniff says whether a JSON value is a book of the format.
	Sniff func(root jsondoc.Value) Guess
	// Locate finds the list of entries; ok is false if there is none.
	Locate func(root jsondoc.Value) (l Layout, ok bool)
	// ReadBook fills the fields of the book that root describes, without its
	// entries. ID, Policy and Origin are set already. May be nil.
	ReadBook func(r *Reader, root jsondoc.Value, b *lore.Book)
	// ReadEntry reads one row of the list; key is its key if the list is an
	// object. It returns nil for rows that are no entries (folders, broken
	// ones): they stay in the file as they are. Origin is set by the caller;
	// an empty ID becomes the key or the index.
	ReadEntry func(r *Reader, v jsondoc.Value, key string) *lore.Entry
	// NewBook writes the whole file of a book with an empty list of entries.
	NewBook func(w *Writer, b *lore.Book) *jsondoc.Tree
	// NewEntry writes an entry; key is used where the list is an object.
	NewEntry func(w *Writer, e *lore.Entry) (key string, t *jsondoc.Tree)
	// NewRows writes rows that stand before the entries of a new file and are
	// no entries, such as folders. May be nil.
	NewRows func(w *Writer, b *lore.Book) []*jsondoc.Tree
	// EntryPlace and BookPlace are the paths of the objects, seen from an entry
	// and from the file's root, that may hold the member "weft". Nil means that
	// there is no place for foreign data; an empty path is the thing itself.
	EntryPlace, BookPlace []string
	// OneLadder says that the format has one number for priority and order: an
	// edit of either changes it.
	OneLadder bool
	// Decorated is the member of an entry whose text may begin with decorators,
	// which give fields of the entry their values; "" for none.
	Decorated string
	// ListOrder says that the place in the list is what is kept longer and what
	// comes first: entries are read with the index as their order.
	ListOrder bool
	// Style is how new files are written; the zero Style means indented by
	// four spaces.
	Style jsondoc.Style
}

// Layout says where the entries of a file are.
type Layout struct {
	// Path leads from the root to the list.
	Path []string
	// Keyed says that the list is an object whose values are the entries.
	Keyed bool
	// Single says that the root is itself the only entry.
	Single bool
}

// wrapPointer is the place of a book that an exporter wrapped into a list.
const wrapPointer = "/0"

// weftKey is the name of our extension.
const weftKey = "weft"

// ReadValue reads the book that a JSON value holds. The book's id is id, its
// place in the file pointer.
func (s *BookShape) ReadValue(r *Reader, root jsondoc.Value, id, pointer string) *lore.Book {
	b := s.readBook(r, root, id)
	if r.in.inner && pointer == "" {
		pointer = wrapPointer
	}
	b.Origin = lore.Origin{Format: s.Info.Name, Path: r.in.Name, Pointer: pointer, Line: r.line(root), Raw: r.in.raw(root)}
	layout, ok := s.Locate(root)
	if !ok {
		return b
	}
	if layout.Single {
		if e := s.readRow(r, root, "", 0, pointer); e != nil {
			b.Entries = append(b.Entries, e)
		}
		s.adoptCarried(b)
		return b
	}
	list := root.At(layout.Path...)
	for _, p := range layout.Path {
		pointer += "/" + escapePointer(p)
	}
	b.Entries = make([]*lore.Entry, 0, list.Len())
	superseded := supersededRows(list, layout)
	for i, row := range list.Items() {
		if superseded[i] {
			continue
		}
		key := row.Key()
		at := pointer + "/" + strconv.Itoa(i)
		if layout.Keyed {
			at = pointer + "/" + escapePointer(key)
		}
		if e := s.readRow(r, row, key, i, at); e != nil {
			b.Entries = append(b.Entries, e)
		}
	}
	r.index, r.key = -1, ""
	r.distinctIDs(b)
	s.adoptCarried(b)
	return b
}

// supersededRows returns the rows whose key stands again further down: as in
// JavaScript the last one counts, and the others stay in the file as they are.
// It is nil if there are none.
func supersededRows(list jsondoc.Value, layout Layout) map[int]bool {
	if !layout.Keyed {
		return nil
	}
	var rows map[int]bool
	last := make(map[string]int, list.Len())
	for i, row := range list.Items() {
		if before, ok := last[row.Key()]; ok {
			if rows == nil {
				rows = map[int]bool{}
			}
			rows[before] = true
		}
		last[row.Key()] = i
	}
	return rows
}

// idMark stands between an id and the number that tells its second use in a
// book from the first.
const idMark = "~"

// distinctIDs gives entries whose id an earlier entry has an id of their own,
// since ids name entries to the engine. The file keeps its ids.
func (r *Reader) distinctIDs(b *lore.Book) {
	seen := make(map[string]bool, len(b.Entries))
	next := map[string]int{} // number to try, by id
	for _, e := range b.Entries {
		if !seen[e.ID] {
			seen[e.ID] = true
			continue
		}
		old := e.ID
		n := max(next[old], 2)
		for ; seen[e.ID]; n++ {
			e.ID = old + idMark + strconv.Itoa(n)
		}
		next[old] = n
		seen[e.ID] = true
		r.report.RenameEntry(b.ID, old, e.ID)
	}
}

// alignID gives an entry that was read again the id that it got as the second
// one of its id.
func alignID(again, e *lore.Entry) {
	number, ok := strings.CutPrefix(e.ID, again.ID+idMark)
	if !ok {
		return
	}
	if _, err := strconv.Atoi(number); err == nil {
		again.ID = e.ID
	}
}

// adoptCarried gives the book what an entry carries for it, in formats that
// have no place at the book.
func (s *BookShape) adoptCarried(b *lore.Book) {
	if s.BookPlace != nil || s.EntryPlace == nil {
		return
	}
	for _, e := range b.Entries {
		if e.Ext[weftKey] == nil {
			continue
		}
		if of := ExtTree(e.Ext, weftKey).Get("of"); of != nil {
			SetRawExt(&b.Ext, weftKey, json.RawMessage(of.String()))
			return
		}
	}
}

func (s *BookShape) readRow(r *Reader, row jsondoc.Value, key string, index int, pointer string) *lore.Entry {
	e := s.readEntry(r, row, key, index)
	if e == nil {
		return nil
	}
	e.Origin = lore.Origin{Format: s.Info.Name, Path: r.in.Name, Pointer: pointer, Line: r.line(row), Raw: r.in.raw(row)}
	return e
}

// readBook reads the fields of a book, without entries and origin.
func (s *BookShape) readBook(r *Reader, root jsondoc.Value, id string) *lore.Book {
	b := &lore.Book{ID: id, Policy: s.Policy()}
	r.book, r.index, r.key = b, -1, ""
	if s.ReadBook != nil && root.Exists() {
		s.ReadBook(r, root, b)
	}
	if s.BookPlace != nil {
		setExt(&b.Ext, root.At(s.BookPlace...).Get(weftKey))
	}
	return b
}

// readEntry reads an entry, without its origin.
func (s *BookShape) readEntry(r *Reader, row jsondoc.Value, key string, index int) *lore.Entry {
	r.index, r.key = index, key
	e := s.ReadEntry(r, row, key)
	if e == nil {
		return nil
	}
	if e.ID == "" {
		e.ID = key
		if e.ID == "" {
			e.ID = strconv.Itoa(index)
		}
	}
	if s.EntryPlace != nil {
		setExt(&e.Ext, row.At(s.EntryPlace...).Get(weftKey))
	}
	return e
}

// newEntry writes an entry without what was carried in it.
func (s *BookShape) newEntry(w *Writer, e *lore.Entry) (string, *jsondoc.Tree) {
	if _, ok := e.Ext[weftKey]; ok {
		c := *e
		c.Ext = withoutWeft(e.Ext)
		e = &c
	}
	return s.NewEntry(w, e)
}

// newBook writes the file of a book without entries and without what was
// carried in it; nil if the format has no book object.
func (s *BookShape) newBook(w *Writer, b *lore.Book) *jsondoc.Tree {
	c := *b
	c.Ext = withoutWeft(b.Ext)
	return s.NewBook(w, &c)
}

// list returns the list of entries of a tree.
func (s *BookShape) list(t *jsondoc.Tree) (*jsondoc.Tree, Layout, bool) {
	doc, err := jsondoc.Parse(t.String(), jsondoc.Limits{})
	if err != nil {
		return nil, Layout{}, false
	}
	layout, ok := s.Locate(doc.Root())
	if !ok || layout.Single {
		return nil, layout, false
	}
	for _, p := range layout.Path {
		t = t.Get(p)
	}
	return t, layout, t != nil
}

func escapePointer(s string) string {
	if !strings.ContainsAny(s, "~/") {
		return s
	}
	return strings.NewReplacer("~", "~0", "/", "~1").Replace(s)
}

func unescapePointer(s string) string {
	return strings.NewReplacer("~1", "/", "~0", "~").Replace(s)
}

// LastToken returns the last part of a JSON pointer, such as the key of an entry
// in its list.
func LastToken(pointer string) string { return lastToken(pointer) }

// lastToken returns the last part of a JSON pointer.
func lastToken(pointer string) string {
	return unescapePointer(pointer[strings.LastIndexByte(pointer, '/')+1:])
}
