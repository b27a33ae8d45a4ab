// Package janitor reads and writes JanitorAI lorebooks: a plain list of
// entries, without a book object and without a name (the file's name is the
// book's).
//
// Keys stand up to three times, as a list (key) and as comma strings (keysRaw,
// keywordsRaw); the list wins, and an edit writes those that are there. Scripts
// of entries are kept and not run.
package janitor

import (
	"github.com/weft-memory/weft/format"
	"github.com/weft-memory/weft/format/internal/keys"
	"github.com/weft-memory/weft/format/jsondoc"
	"github.com/weft-memory/weft/lore"
)

// Name is the name of the format.
const Name = "janitor"

// Codec returns the codec of JanitorAI lorebooks.
func Codec() format.Codec { return format.NewBookCodec(Shape()) }

// Shape returns the shape of JanitorAI lorebooks.
func Shape() *format.BookShape {
	return &format.BookShape{
		Info: format.Info{
			Name: Name, Title: "JanitorAI lorebook", Extensions: []string{".json"}, Books: true, Carries: true,
		},
		Policy:     lore.PolicyJanitor,
		Sniff:      sniff,
		Locate:     locate,
		ReadBook:   readBook,
		ReadEntry:  readEntry,
		NewBook:    func(*format.Writer, *lore.Book) *jsondoc.Tree { return jsondoc.List() },
		NewEntry:   newEntry,
		EntryPlace: []string{"extensions"},
		Style:      jsondoc.Indented("  "),
	}
}

func isEntry(v jsondoc.Value) bool {
	return v.Has("activationMode") || v.Has("keysRaw") || v.Has("keywordsRaw") || v.Has("inclusionGroupRaw")
}

func sniff(root jsondoc.Value) format.Guess {
	if root.Kind() != jsondoc.Array || root.Len() == 0 {
		return format.Guess{}
	}
	if keys.Mostly(root, isEntry) {
		return format.Guessf(format.Certain, "a list of entries with activationMode or keysRaw")
	}
	return format.Guess{}
}

func locate(root jsondoc.Value) (format.Layout, bool) {
	return format.Layout{}, root.Kind() == jsondoc.Array
}

func readBook(r *format.Reader, root jsondoc.Value, b *lore.Book) {
	b.Name = b.ID
	r.Notef(root, "not-modelled",
		"JanitorAI does not say how far back it searches: the last four messages are; depth and priority are kept and have no effect")
}
