package sillytavern

import (
	"slices"
	"strconv"

	"github.com/weft-memory/weft/format"
	"github.com/weft-memory/weft/format/jsondoc"
	"github.com/weft-memory/weft/lore"
)

// Codec returns the codec of world files.
func Codec() format.Codec { return format.NewBookCodec(Shape()) }

// Shape returns the shape of world files.
func Shape() *format.BookShape {
	return &format.BookShape{
		Info: format.Info{
			Name: Name, Title: "SillyTavern world info", Extensions: []string{".json"}, Books: true, Carries: true,
		},
		Policy: lore.PolicySillyTavern, Sniff: sniff, Locate: locate,
		ReadBook: readBook, ReadEntry: readEntry, NewBook: newBook, NewEntry: newEntry,
		EntryPlace: []string{"extensions"}, BookPlace: []string{"extensions"},
		OneLadder: true,
		Decorated: "content",
		Style:     jsondoc.Indented("    "),
	}
}

func sniff(root jsondoc.Value) format.Guess {
	entries := root.Get("entries")
	if root.Kind() != jsondoc.Object || entries.Kind() < jsondoc.Array || root.Has("lorebookVersion") || root.Has("spec") || root.Has("kind") {
		return format.Guess{}
	}
	rows := 0
	for _, e := range entries.Items() {
		if e.Kind() == jsondoc.Object && e.Len() > 0 {
			rows++
		}
	}
	if rows == 0 {
		if entries.Kind() == jsondoc.Object {
			return format.Guessf(format.Maybe, "an object without entries under \"entries\"")
		}
		return format.Guessf(format.Maybe, "an empty list under \"entries\"")
	}
	for _, e := range entries.Items() {
		if e.Kind() != jsondoc.Object || e.Len() == 0 {
			continue
		}
		if e.Has("key") && !e.Has("keyanti") && e.Get("key").Kind() != jsondoc.String {
			return format.Guessf(format.Likely, "entries with \"key\" lists under \"entries\"")
		}
		if e.Get("key").Kind() == jsondoc.String && e.Has("content") && !e.Has("keyanti") && (e.Has("uid") || e.Has("disable") || e.Has("selectiveLogic")) {
			return format.Guessf(format.Likely, "entries with \"key\" and SillyTavern's fields under \"entries\"")
		}
		if entries.Kind() == jsondoc.Object && (e.Has("keysecondary") || e.Has("uid")) && e.Has("content") && !e.Has("keyanti") {
			return format.Guessf(format.Likely, "an object of entries with \"content\" under \"entries\"")
		}
	}
	return format.Guess{}
}

func locate(root jsondoc.Value) (format.Layout, bool) {
	entries := root.Get("entries")
	return format.Layout{Path: []string{"entries"}, Keyed: entries.Kind() == jsondoc.Object}, entries.Kind() >= jsondoc.Array
}

var bookFields = map[string]bool{"entries": true, "name": true, "description": true, "extensions": true, "originalData": true}

func readBook(r *format.Reader, root jsondoc.Value, b *lore.Book) {
	b.Name = r.Str(root, "name")
	b.Description = r.Str(root, "description")
	if raw := r.Ext(root.Get("extensions"), nil); raw != nil {
		format.SetRawExt(&b.Ext, "extensions", raw)
	}
	if root.Get("entries").Kind() == jsondoc.Array {
		r.Warnf(root.Get("entries"), "entries-list", "\"entries\" is a list, not an object: SillyTavern scans it but its editor does not show it")
	}
	if raw := r.Ext(root, bookFields); raw != nil {
		format.SetRawExt(&b.Ext, Name, raw)
	}
	checkIDs(r, root.Get("entries"))
}

// checkIDs reports entries that share an id: SillyTavern takes them for one in
// its timed effects.
func checkIDs(r *format.Reader, entries jsondoc.Value) {
	seen := map[string]bool{}
	for _, e := range entries.Items() {
		uid := e.Get("uid")
		if uid.Kind() != jsondoc.Number {
			continue
		}
		if n, _ := uid.Float(); true {
			id := strconv.FormatFloat(n, 'g', -1, 64)
			if seen[id] {
				r.Warnf(uid, "duplicate-id", "two entries have the uid %s: timed effects cannot tell them apart", uid.Raw())
			}
			seen[id] = true
		}
	}
}

func newBook(w *format.Writer, b *lore.Book) *jsondoc.Tree {
	t := jsondoc.Obj(jsondoc.M("entries", jsondoc.Obj()))
	if b.Name != "" {
		t.Set("name", jsondoc.Str(b.Name))
	}
	if b.Description != "" {
		t.Set("description", jsondoc.Str(b.Description))
	}
	if ext := format.ExtTree(b.Ext, "extensions"); ext != nil {
		t.Set("extensions", ext)
	}
	return t
}

// ScanOrder returns the entries of a book in the order in which SillyTavern
// takes them: map keys that are whole numbers ascending, then the others in
// file order.
func ScanOrder(b *lore.Book) []*lore.Entry {
	keys := make([]string, len(b.Entries))
	byKey := make(map[string]*lore.Entry, len(b.Entries))
	for i, e := range b.Entries {
		keys[i] = format.LastToken(e.Origin.Pointer)
		if e.Origin.Pointer == "" || byKey[keys[i]] != nil {
			return slices.Clone(b.Entries)
		}
		byKey[keys[i]] = e
	}
	sorted := make([]*lore.Entry, 0, len(keys))
	for _, k := range lore.JSKeyOrder(keys) {
		sorted = append(sorted, byKey[k])
	}
	return sorted
}
