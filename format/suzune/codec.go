package suzune

import (
	"slices"

	"github.com/weft-memory/weft/format"
	"github.com/weft-memory/weft/format/internal/keys"
	"github.com/weft-memory/weft/format/jsondoc"
	"github.com/weft-memory/weft/lore"
)

// The names of the formats: one file, and a folder with characters.
const (
	Name       = "suzune"
	FolderName = "suzune-folder"
)

// Codecs returns the codecs of single files and of folders.
func Codecs() []format.Codec { return []format.Codec{Codec(), FolderCodec()} }

// Codec returns the codec of a book file.
func Codec() format.Codec { return format.NewBookCodec(Shape()) }

// Shape returns the shape of a book file: a list of entries, or one entry.
func Shape() *format.BookShape {
	return &format.BookShape{
		Info: format.Info{
			Name: Name, Title: "Suzune lorebook", Extensions: []string{".json"}, Books: true, Carries: true,
		},
		Policy:     lore.PolicySuzune,
		Sniff:      sniff,
		Locate:     locate,
		ReadBook:   func(r *format.Reader, _ jsondoc.Value, b *lore.Book) { b.Name = b.ID },
		ReadEntry:  readEntry,
		NewBook:    func(*format.Writer, *lore.Book) *jsondoc.Tree { return jsondoc.List() },
		NewEntry:   newEntry,
		EntryPlace: []string{},
		Style:      jsondoc.Indented("  "),
	}
}

// foreign are members that entries of other formats have beside keys and
// content.
var foreign = []string{
	"insertion_order", "extensions", "keysRaw", "keywordsRaw", "key", "entry", "value", "contextConfig", "entries", "insertorder", "spec",
}

// own are members that mark an entry of which keys or content is missing: the
// keys of a constant entry may be.
var own = []string{"constant", "priority", "selective", "secondary_keys", "sticky", "cooldown", "case_sensitive"}

func isEntry(v jsondoc.Value) bool {
	for _, m := range foreign {
		if v.Has(m) {
			return false
		}
	}
	kind := v.Get("keys").Kind()
	hasKeys, hasContent := kind == jsondoc.Array || kind == jsondoc.String, v.Get("content").Kind() == jsondoc.String
	if hasKeys && hasContent {
		return true
	}
	return (hasKeys || hasContent) && slices.ContainsFunc(own, v.Has)
}

func sniff(root jsondoc.Value) format.Guess {
	switch root.Kind() {
	case jsondoc.Array:
		if root.Len() == 0 {
			return format.Guessf(format.Maybe, "an empty list")
		}
		if keys.Mostly(root, isEntry) {
			return format.Guessf(format.Likely, "a list of entries with keys and content")
		}
	case jsondoc.Object:
		if isEntry(root) {
			return format.Guessf(format.Likely, "one entry with keys and content")
		}
	}
	return format.Guess{}
}

func locate(root jsondoc.Value) (format.Layout, bool) {
	switch root.Kind() {
	case jsondoc.Array:
		return format.Layout{}, true
	case jsondoc.Object:
		return format.Layout{Single: true}, true
	}
	return format.Layout{}, false
}
