// Package kobold reads and writes the world info of KoboldAI and KoboldCpp: the
// story saves of KoboldAI (2021) and of Kobold Lite, which hold a list called
// worldinfo beside the story, and the world info files of KoboldAI United.
//
// Order is the place in the list, what passes the memory's limit is cut at the
// end, and a key matches by substring. Anti-keys, groups that the user switches
// as a whole, and probabilities are Lite's. A save also gives the story as a
// chat; its actions have no authors.
package kobold

import (
	"github.com/weft-memory/weft/format"
	"github.com/weft-memory/weft/format/chats"
	"github.com/weft-memory/weft/format/internal/keys"
	"github.com/weft-memory/weft/format/jsondoc"
	"github.com/weft-memory/weft/lore"
)

// The names of the two formats.
const (
	Name       = "kobold"
	UnitedName = "kobold-united"
)

// SaveShape returns the shape of the world info in a story save.
func SaveShape() *format.BookShape {
	return &format.BookShape{
		Info: format.Info{
			Name: Name, Title: "KoboldAI or Kobold Lite save", Extensions: []string{".json"}, Books: true, Chats: true,
		},
		Policy:   lore.PolicyKobold,
		Sniff:    sniffSave,
		Locate:   locateSave,
		ReadBook: readSave,
		ReadEntry: func(r *format.Reader, v jsondoc.Value, _ string) *lore.Entry {
			return readEntry(r, v, false)
		},
		NewBook: newSave, ListOrder: true,
		NewEntry: func(w *format.Writer, e *lore.Entry) (string, *jsondoc.Tree) { return newEntry(w, e, Name) },
		Style:    jsondoc.Compact(),
	}
}

// UnitedShape returns the shape of KoboldAI United's world info files.
func UnitedShape() *format.BookShape {
	return &format.BookShape{
		Info: format.Info{
			Name: UnitedName, Title: "KoboldAI United world info", Extensions: []string{".json"}, Books: true,
		},
		Policy:    lore.PolicyKobold,
		Sniff:     sniffUnited,
		Locate:    locateUnited,
		ReadBook:  readUnited,
		ReadEntry: func(r *format.Reader, v jsondoc.Value, _ string) *lore.Entry { return readEntry(r, v, true) },
		NewBook:   newUnited, ListOrder: true,
		NewEntry: func(w *format.Writer, e *lore.Entry) (string, *jsondoc.Tree) { return newEntry(w, e, UnitedName) },
	}
}

func sniffSave(root jsondoc.Value) format.Guess {
	list := root.Get("worldinfo")
	if list.Kind() != jsondoc.Array {
		return format.Guess{}
	}
	if root.Has("prompt") || root.Has("actions") || root.Has("gamestarted") {
		return format.Guessf(format.Certain, "a story save with worldinfo")
	}
	return format.Guessf(format.Likely, "a list called worldinfo")
}

func locateSave(root jsondoc.Value) (format.Layout, bool) {
	return format.Layout{Path: []string{"worldinfo"}}, root.Get("worldinfo").Kind() == jsondoc.Array
}

func readSave(r *format.Reader, root jsondoc.Value, b *lore.Book) {
	if n := r.Int(root, "wisearchdepth", 0); n > 0 {
		b.ScanDepth = lore.Chars(n)
	}
	groups(root.Get("worldinfo"), b)
	if v := root.Get("wiinsertlocation"); !v.IsNull() {
		format.SetExt(&b.Ext, "kobold", v)
		r.Notef(v, "not-modelled", "wiinsertlocation is kept; where lore stands is the host's choice")
	}
}

// groups makes a folder of each group that entries name.
func groups(list jsondoc.Value, b *lore.Book) {
	seen := map[string]bool{}
	for _, row := range list.Items() {
		name := row.Get("wigroup").Text()
		if name != "" && !seen[name] {
			seen[name] = true
			b.Folders = append(b.Folders, lore.Folder{ID: name, Name: name})
		}
	}
}

func newSave(w *format.Writer, b *lore.Book) *jsondoc.Tree {
	depth := 0
	if d := b.ScanDepth; d != nil {
		switch d.Unit {
		case lore.UnitChars:
			depth = int(d.N)
		case lore.UnitTokens:
			w.Approx("scanDepth", "four characters are taken for a token")
			depth = int(d.N) * 4
		case lore.UnitMessages:
			w.Approx("scanDepth", "400 characters are taken for a message")
			depth = int(min(d.N, 1<<20)) * 400
		}
	}
	// Members that a save has for itself are the same for all books, so that
	// only new files get them.
	return jsondoc.Obj(
		jsondoc.M("gamestarted", jsondoc.NewBool(true)),
		jsondoc.M("prompt", jsondoc.Str("")),
		jsondoc.M("memory", jsondoc.Str("")),
		jsondoc.M("authorsnote", jsondoc.Str("")),
		jsondoc.M("anotetemplate", jsondoc.Str("[Author's note: <|>]")),
		jsondoc.M("actions", jsondoc.List()),
		jsondoc.M("actions_metadata", jsondoc.Obj()),
		jsondoc.M("worldinfo", jsondoc.List()),
		jsondoc.M("wifolders_d", jsondoc.Obj()),
		jsondoc.M("wifolders_l", jsondoc.List()),
		jsondoc.M("wisearchdepth", jsondoc.Int(depth)),
		jsondoc.M("wiinsertlocation", jsondoc.Int(0)),
	)
}

func unitedEntry(v jsondoc.Value) bool {
	return v.Has("keyanti") && v.Get("key").Kind() == jsondoc.Array || v.Has("title") && v.Has("keysecondary")
}

// unitedPath returns where the entries are: at the top, or under worldinfo_v2
// in a save of United.
func unitedPath(root jsondoc.Value) []string {
	if root.At("worldinfo_v2", "entries").Kind() == jsondoc.Object {
		return []string{"worldinfo_v2", "entries"}
	}
	return []string{"entries"}
}

func sniffUnited(root jsondoc.Value) format.Guess {
	entries := root.At(unitedPath(root)...)
	if entries.Kind() != jsondoc.Object {
		return format.Guess{}
	}
	if root.Has("worldinfo_v2") {
		return format.Guessf(format.Certain, "a save with worldinfo_v2")
	}
	if root.Has("folders") && entries.Len() > 0 && keys.Mostly(entries, unitedEntry) {
		return format.Guessf(format.Certain, "folders, and entries with keyanti")
	}
	if entries.Len() > 0 && keys.Mostly(entries, func(v jsondoc.Value) bool { return v.Has("keyanti") && v.Get("key").Kind() == jsondoc.Array }) {
		return format.Guessf(format.Likely, "entries with keyanti")
	}
	if root.Has("folders") && entries.Len() == 0 {
		return format.Guessf(format.Maybe, "folders and no entries")
	}
	return format.Guess{}
}

func locateUnited(root jsondoc.Value) (format.Layout, bool) {
	path := unitedPath(root)
	return format.Layout{Path: path, Keyed: true}, root.At(path...).Kind() == jsondoc.Object
}

func readUnited(r *format.Reader, root jsondoc.Value, b *lore.Book) {
	if root.Has("worldinfo_v2") {
		root = root.Get("worldinfo_v2")
	}
	for name, ids := range root.Get("folders").Members() {
		f := lore.Folder{ID: name, Name: name}
		format.SetExt(&f.Ext, "kobold", ids)
		b.Folders = append(b.Folders, f)
	}
}

func newUnited(w *format.Writer, b *lore.Book) *jsondoc.Tree {
	folders := jsondoc.Obj()
	for _, f := range b.Folders {
		ids := format.ExtTree(f.Ext, "kobold")
		if ids == nil {
			ids = jsondoc.List()
			for i, e := range b.Entries {
				if e.Folder == f.ID {
					ids.Items = append(ids.Items, uid(e, i))
				}
			}
		}
		folders.Set(f.ID, ids)
	}
	return jsondoc.Obj(jsondoc.M("folders", folders), jsondoc.M("entries", jsondoc.Obj()))
}

// Codecs returns the codecs of saves and of United's files.
func Codecs() []format.Codec {
	return []format.Codec{
		chats.WithBook(format.NewBookCodec(SaveShape()), chats.ActionsShape(Name)),
		format.NewBookCodec(UnitedShape()),
	}
}
