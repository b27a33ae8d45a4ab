// Package agnai reads and writes Agnai's memory books.
//
// A memory book is an object of kind "memory" with a list of entries. An entry
// has keywords, in which * is any run of word characters and ? is one, a
// priority (the lowest goes first when the budget of 500 tokens is spent) and a
// weight (higher stands nearer the end of the prompt). Agnai stores further
// members for exchange with other programs, such as secondary keys and
// constants, and does not use them: neither does the canonical entry.
package agnai

import (
	"github.com/weft-memory/weft/format"
	"github.com/weft-memory/weft/format/internal/keys"
	"github.com/weft-memory/weft/format/jsondoc"
	"github.com/weft-memory/weft/lore"
)

// Name is the name of the format.
const Name = "agnai"

// Codec returns the codec of memory books.
func Codec() format.Codec { return format.NewBookCodec(Shape()) }

// Shape returns the shape of memory books.
func Shape() *format.BookShape {
	return &format.BookShape{
		Info: format.Info{
			Name: Name, Title: "Agnai memory book", Extensions: []string{".json"}, Books: true, Carries: true,
		},
		Policy:     lore.PolicyAgnai,
		Sniff:      sniff,
		Locate:     locate,
		ReadBook:   readBook,
		ReadEntry:  readEntry,
		NewBook:    newBook,
		NewEntry:   newEntry,
		EntryPlace: []string{},
		BookPlace:  []string{"extensions"},
		Style:      jsondoc.Indented("  "),
	}
}

func isEntry(v jsondoc.Value) bool { return v.Has("keywords") && v.Has("entry") }

func sniff(root jsondoc.Value) format.Guess {
	entries := root.Get("entries")
	switch {
	case root.Get("kind").Text() == "memory" && entries.Kind() == jsondoc.Array:
		return format.Guessf(format.Certain, `the kind "memory"`)
	case entries.Kind() == jsondoc.Array && entries.Len() > 0 && keys.Mostly(entries, isEntry):
		return format.Guessf(format.Likely, "entries with keywords and entry")
	}
	return format.Guess{}
}

func locate(root jsondoc.Value) (format.Layout, bool) {
	return format.Layout{Path: []string{"entries"}}, root.Get("entries").Kind() == jsondoc.Array
}

func readBook(r *format.Reader, root jsondoc.Value, b *lore.Book) {
	b.Name, b.Description = r.Str(root, "name"), r.Str(root, "description")
	if n := r.IntPtr(root, "scanDepth"); n != nil {
		b.ScanDepth = lore.Messages(*n)
	}
	if n := r.IntPtr(root, "tokenBudget"); n != nil {
		b.Budget = lore.Tokens(*n)
	}
	b.Recursive = r.BoolPtr(root, "recursiveScanning")
	if b.Recursive != nil && *b.Recursive {
		r.Notef(root.Get("recursiveScanning"), "not-modelled", "Agnai stores recursiveScanning for exchange; here it is obeyed")
	}
	format.SetExt(&b.Ext, "agnai", root.Get("extensions"))
	if inner := root.At("extensions", "weft"); inner.Exists() {
		delete(b.Ext, "agnai")
		format.SetRawExt(&b.Ext, "agnai", r.Ext(root.Get("extensions"), nil))
	}
}

func newBook(w *format.Writer, b *lore.Book) *jsondoc.Tree {
	t := jsondoc.Obj(
		jsondoc.M("kind", jsondoc.Str("memory")),
		jsondoc.M("name", jsondoc.Str(b.Name)),
		jsondoc.M("description", jsondoc.Str(b.Description)),
	)
	if d := b.ScanDepth; d != nil {
		if d.Unit != lore.UnitMessages {
			w.Approx("scanDepth", "counted in messages")
		}
		t.Set("scanDepth", jsondoc.Int(messages(d)))
	}
	if a := b.Budget; a != nil {
		switch a.Unit {
		case lore.UnitTokens:
			t.Set("tokenBudget", jsondoc.Num(a.N))
		case lore.UnitChars:
			w.Approx("tokenBudget", "four characters are taken for a token")
			t.Set("tokenBudget", jsondoc.Int(int(a.N/4)))
		default:
			w.Lost("budget", "a share of the context has no word in tokens")
		}
	}
	if b.Recursive != nil {
		t.Set("recursiveScanning", jsondoc.NewBool(*b.Recursive))
	}
	t.Set("entries", jsondoc.List())
	return t
}

// messages takes a scan depth for a number of messages: 400 characters or 100
// tokens are one.
func messages(a *lore.Amount) int {
	switch a.Unit {
	case lore.UnitChars:
		return int(a.N/400) + 1
	case lore.UnitTokens:
		return int(a.N/100) + 1
	}
	return int(a.N)
}
