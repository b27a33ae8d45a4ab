// Package risu reads and writes RisuAI lorebooks: the export with its envelope,
// and the bare list of rows that modules and saves hold.
//
// A row is an entry, a folder (its key begins with U+F000, and entries name it
// by that key), or a child that shows an earlier entry once more. Keys are comma
// strings, kept as they are written until an edit changes the keys. Decorators
// stand at the head of the content; the policy obeys them. There is no flag for
// disabled entries: they go out with @@dont_activate.
package risu

import (
	"github.com/weft-memory/weft/format"
	"github.com/weft-memory/weft/format/internal/keys"
	"github.com/weft-memory/weft/format/jsondoc"
	"github.com/weft-memory/weft/lore"
)

// The names of the formats.
const (
	Name     = "risu"
	RowsName = "risu-entries"
)

// Codecs returns the codecs of exports and of bare lists.
func Codecs() []format.Codec {
	return []format.Codec{format.NewBookCodec(Shape()), format.NewBookCodec(RowsShape())}
}

// Shape returns the shape of lorebook exports.
func Shape() *format.BookShape {
	s := RowsShape()
	s.Info.Name, s.Info.Title = Name, "RisuAI lorebook"
	s.Sniff = func(root jsondoc.Value) format.Guess {
		if root.Get("type").Text() == "risu" && root.Get("data").Kind() == jsondoc.Array {
			return format.Guessf(format.Certain, `the type "risu"`)
		}
		return format.Guess{}
	}
	s.Locate = func(root jsondoc.Value) (format.Layout, bool) {
		return format.Layout{Path: []string{"data"}}, root.Get("data").Kind() == jsondoc.Array
	}
	s.ReadBook = func(r *format.Reader, root jsondoc.Value, b *lore.Book) { readBook(r, root.Get("data"), b) }
	s.NewBook = func(_ *format.Writer, _ *lore.Book) *jsondoc.Tree {
		return jsondoc.Obj(
			jsondoc.M("type", jsondoc.Str("risu")), jsondoc.M("ver", jsondoc.Int(1)), jsondoc.M("data", jsondoc.List()),
		)
	}
	s.NewEntry = func(_ *format.Writer, e *lore.Entry) (string, *jsondoc.Tree) { return "", newEntry(e, Name) }
	s.BookPlace = []string{}
	s.Style = jsondoc.Indented("  ")
	return s
}

// RowsShape returns the shape of bare lists of rows, as in modules, saves and
// the local lore of chats.
func RowsShape() *format.BookShape {
	return &format.BookShape{
		Info: format.Info{
			Name: RowsName, Title: "RisuAI lorebook rows", Extensions: []string{".json"}, Books: true, Carries: true,
		},
		Policy: lore.PolicyRisu,
		Sniff: func(root jsondoc.Value) format.Guess {
			if root.Kind() == jsondoc.Array && root.Len() > 0 && keys.Mostly(root, isRow) {
				return format.Guessf(format.Likely, "a list of rows with key, insertorder and mode")
			}
			return format.Guess{}
		},
		Locate: func(root jsondoc.Value) (format.Layout, bool) {
			return format.Layout{}, root.Kind() == jsondoc.Array
		},
		ReadBook:   readBook,
		ReadEntry:  func(r *format.Reader, v jsondoc.Value, _ string) *lore.Entry { return readEntry(r, v) },
		NewBook:    func(*format.Writer, *lore.Book) *jsondoc.Tree { return jsondoc.List() },
		NewEntry:   func(_ *format.Writer, e *lore.Entry) (string, *jsondoc.Tree) { return "", newEntry(e, RowsName) },
		NewRows:    folderRows,
		EntryPlace: []string{"extentions"},
		Decorated:  "content",
		Style:      jsondoc.Indented("  "),
	}
}

func isRow(v jsondoc.Value) bool {
	return v.Get("key").Kind() == jsondoc.String && (v.Has("insertorder") || v.Has("mode") && v.Has("content"))
}

func isFolder(v jsondoc.Value) bool { return v.Get("mode").Text() == "folder" }

// converted marks folder rows that stand for the folders of another format:
// those travel with the book, so that they come back as they were.
const converted = "weft"

// readBook gathers the folder rows of a list.
func readBook(r *format.Reader, list jsondoc.Value, b *lore.Book) {
	full := false // fullWordMatching is off by default; it is the character's setting
	b.WholeWords = &full
	for _, row := range list.Items() {
		if isFolder(row) && !row.Has(converted) {
			b.Folders = append(b.Folders, lore.Folder{ID: r.Str(row, "key"), Name: r.Str(row, "comment")})
		}
	}
}

// folderRows writes the folders of a book from another format. A folder's key
// begins with U+F000.
func folderRows(_ *format.Writer, b *lore.Book) []*jsondoc.Tree {
	var rows []*jsondoc.Tree
	for _, f := range b.Folders {
		rows = append(rows, jsondoc.Obj(
			jsondoc.M("key", jsondoc.Str(folderKey(f.ID))),
			jsondoc.M("comment", jsondoc.Str(f.Name)),
			jsondoc.M("content", jsondoc.Str("")),
			jsondoc.M("mode", jsondoc.Str("folder")),
			jsondoc.M("insertorder", jsondoc.Int(100)),
			jsondoc.M("alwaysActive", jsondoc.NewBool(false)),
			jsondoc.M("secondkey", jsondoc.Str("")),
			jsondoc.M("selective", jsondoc.NewBool(false)),
			jsondoc.M(converted, jsondoc.Obj(jsondoc.M("folder", jsondoc.Str(f.ID)))),
		))
	}
	return rows
}
