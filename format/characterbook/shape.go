package characterbook

import (
	"github.com/weft-memory/weft/format"
	"github.com/weft-memory/weft/format/jsondoc"
	"github.com/weft-memory/weft/format/sillytavern"
	"github.com/weft-memory/weft/lore"
)

// The names of the formats.
const (
	Name     = "character_book"
	NameBare = "character_book_v3" // the object that V3 cards embed
	NameV3   = "lorebook_v3"
)

// Codec returns the codec of a bare character_book.
func Codec() format.Codec { return format.NewBookCodec(Shape(false)) }

// CodecBareV3 returns the codec of the object that V3 cards embed. A file that
// is such an object is read as a character_book: the two differ only in how
// new entries are written.
func CodecBareV3() format.Codec { return format.NewBookCodec(Shape(true)) }

// CodecV3 returns the codec of a standalone V3 lorebook.
func CodecV3() format.Codec { return format.NewBookCodec(standalone()) }

// Shape returns the shape of the object that cards embed; with v3, new entries
// use decorators and carry the fields that V3 requires.
func Shape(v3 bool) *format.BookShape {
	s := &format.BookShape{
		Info: format.Info{
			Name: Name, Title: "character_book (V2 and V3 cards)", Extensions: []string{".json"}, Books: true, Carries: true,
		},
		Policy: lore.PolicyCharaCardV3,
		Sniff:  sniff,
		Locate: func(root jsondoc.Value) (format.Layout, bool) {
			entries := root.Get("entries")
			return format.Layout{Path: []string{"entries"}, Keyed: entries.Kind() == jsondoc.Object}, entries.Kind() >= jsondoc.Array
		},
		ReadBook:   readBook,
		ReadEntry:  readEntry,
		NewBook:    func(_ *format.Writer, b *lore.Book) *jsondoc.Tree { return bookTree(b) },
		NewEntry:   func(w *format.Writer, e *lore.Entry) (string, *jsondoc.Tree) { return entryTree(w, e, v3) },
		EntryPlace: []string{"extensions"}, BookPlace: []string{"extensions"},
		Decorated: "content",
		Style:     jsondoc.Indented("    "),
	}
	if v3 {
		s.Info.Name, s.Info.Title = NameBare, "the book of a V3 card"
		s.Sniff = func(jsondoc.Value) format.Guess { return format.Guess{} }
	}
	return s
}

func standalone() *format.BookShape {
	s := Shape(true)
	s.Info = format.Info{Name: NameV3, Title: "V3 lorebook", Extensions: []string{".json"}, Books: true, Carries: true}
	s.Sniff = func(root jsondoc.Value) format.Guess {
		if root.Get("spec").Text() == NameV3 {
			return format.Guessf(format.Certain, "\"spec\" is %q", NameV3)
		}
		return format.Guess{}
	}
	s.Locate = func(root jsondoc.Value) (format.Layout, bool) {
		entries := root.At("data", "entries")
		return format.Layout{Path: []string{"data", "entries"}, Keyed: entries.Kind() == jsondoc.Object}, entries.Kind() >= jsondoc.Array
	}
	s.ReadBook = func(r *format.Reader, root jsondoc.Value, b *lore.Book) { readBook(r, root.Get("data"), b) }
	s.NewBook = func(_ *format.Writer, b *lore.Book) *jsondoc.Tree {
		return jsondoc.Obj(jsondoc.M("spec", jsondoc.Str(NameV3)), jsondoc.M("data", bookTree(b)))
	}
	s.BookPlace = []string{"data", "extensions"}
	return s
}

func sniff(root jsondoc.Value) format.Guess {
	entries := root.Get("entries")
	if root.Kind() != jsondoc.Object || entries.Kind() < jsondoc.Array || root.Has("spec") || root.Has("kind") || root.Has("lorebookVersion") {
		return format.Guess{}
	}
	if entries.Len() == 0 && entries.Kind() == jsondoc.Array {
		if root.Has("recursive_scanning") || root.Has("token_budget") || root.Has("scan_depth") {
			return format.Guessf(format.Likely, "an empty list of entries beside the settings of a character_book")
		}
		return format.Guessf(format.Maybe, "an empty list under \"entries\"")
	}
	for _, e := range entries.Items() {
		if e.Kind() != jsondoc.Object || !e.Has("keys") || e.Has("contextConfig") || e.Has("keyanti") {
			continue
		}
		if e.Has("content") && (e.Has("insertion_order") || e.Has("enabled") || e.Has("extensions") || entries.Kind() == jsondoc.Array) {
			return format.Guessf(format.Likely, "entries with \"keys\" and \"content\" under \"entries\"")
		}
	}
	return format.Guess{}
}

func readBook(r *format.Reader, root jsondoc.Value, b *lore.Book) {
	b.Name, b.Description = r.Str(root, "name"), r.Str(root, "description")
	if n := r.FloatPtr(root, "scan_depth"); n != nil {
		b.ScanDepth = &lore.Amount{N: *n, Unit: lore.UnitMessages}
	}
	if n := r.FloatPtr(root, "token_budget"); n != nil {
		b.Budget = &lore.Amount{N: *n, Unit: lore.UnitTokens}
	}
	b.Recursive = r.BoolPtr(root, "recursive_scanning")
	if raw := r.Ext(root.Get("extensions"), nil); raw != nil {
		format.SetRawExt(&b.Ext, "extensions", raw)
	}
	if entries := root.Get("entries"); entries.Kind() == jsondoc.Object {
		r.Warnf(entries, "entries-object", "\"entries\" is an object, not a list")
	}
	for _, e := range root.Get("entries").Items() {
		if tavernStyle(e) {
			b.Policy = lore.PolicySillyTavern()
			break
		}
	}
}

func bookTree(b *lore.Book) *jsondoc.Tree {
	t := jsondoc.Obj()
	name := b.Name
	if name == "" {
		name = b.ID
	}
	if name != "" {
		t.Set("name", jsondoc.Str(name))
	}
	if b.Description != "" {
		t.Set("description", jsondoc.Str(b.Description))
	}
	if d := b.ScanDepth; d != nil && d.Unit == lore.UnitMessages {
		t.Set("scan_depth", jsondoc.Num(d.N))
	}
	if d := b.Budget; d != nil && d.Unit == lore.UnitTokens {
		t.Set("token_budget", jsondoc.Num(d.N))
	}
	if b.Recursive != nil {
		t.Set("recursive_scanning", jsondoc.NewBool(*b.Recursive))
	}
	ext := format.ExtTree(b.Ext, "extensions")
	if ext == nil {
		ext = jsondoc.Obj()
	}
	t.Set("extensions", ext)
	t.Set("entries", jsondoc.List())
	return t
}

// tavernStyle reports whether an entry has any of SillyTavern's extensions.
func tavernStyle(e jsondoc.Value) bool {
	for key := range e.Get("extensions").Members() {
		if sillytavern.WorldName(key) != "" {
			return true
		}
	}
	return false
}
