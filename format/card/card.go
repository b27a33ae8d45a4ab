package card

import (
	"slices"
	"strconv"
	"strings"

	"github.com/weft-memory/weft/format"
	"github.com/weft-memory/weft/format/characterbook"
	"github.com/weft-memory/weft/format/jsondoc"
	"github.com/weft-memory/weft/lore"
)

// The values of a card's `spec`.
const (
	SpecV2 = "chara_card_v2"
	SpecV3 = "chara_card_v3"
)

// Version returns 1, 2 or 3 for a card, 0 for anything else.
func Version(root jsondoc.Value) int {
	if root.Kind() != jsondoc.Object {
		return 0
	}
	switch spec := root.Get("spec").Text(); {
	case spec == SpecV2:
		return 2
	case strings.HasPrefix(spec, "chara_card_v"): // a later one is read as V3
		return 3
	case spec == "":
		if root.Has("spec") && !root.Get("spec").IsNull() {
			return 0
		}
		if root.Get("data").Kind() == jsondoc.Object && root.Get("data").Has("first_mes") {
			return 2
		}
		if root.Has("name") && root.Has("first_mes") {
			return 1
		}
	}
	return 0
}

// Sniff says whether a JSON value is a card.
func Sniff(root jsondoc.Value) format.Guess {
	switch v := Version(root); {
	case v == 0:
		return format.Guess{}
	case root.Has("spec"):
		return format.Guessf(format.Certain, "\"spec\" is %q", root.Get("spec").Text())
	case v == 2:
		return format.Guessf(format.Likely, "\"data\" with \"first_mes\", without a \"spec\"")
	}
	return format.Guessf(format.Likely, "\"name\" and \"first_mes\" at the top, without a \"spec\"")
}

// data returns the object with the fields of the character.
func data(root jsondoc.Value) (v jsondoc.Value, pointer string) {
	if d := root.Get("data"); d.Kind() == jsondoc.Object && Version(root) > 1 {
		return d, "/data"
	}
	return root, ""
}

// Read reads a card. The book is nil if the card embeds none. id is the id of
// both.
func Read(r *format.Reader, root jsondoc.Value, id string) (*lore.Character, *lore.Book) {
	d, pointer := data(root)
	c := readCharacter(r, d)
	c.ID = id
	c.Origin = lore.Origin{Format: "card", Path: r.Input().Name, Pointer: pointer}
	if v := root.Get("spec_version"); v.Exists() && v.Kind() != jsondoc.String {
		r.Warnf(v, "field-type", "spec_version is %s, not a string", v.Kind())
	}
	if spec := root.Get("spec"); Version(root) == 3 && spec.Text() != SpecV3 {
		r.Warnf(spec, "newer-spec", "the card is a %s: read as a V3 card", spec.Text())
	}
	if d.Get("name").Kind() == jsondoc.String && c.Name == "" {
		r.Warnf(d.Get("name"), "empty-name", "the character has no name")
	}
	checkTwins(r, root, d)
	book := d.Get("character_book")
	if book.IsNull() {
		if book.Exists() {
			r.Notef(book, "null-book", "character_book is null: the card has no book")
		}
		return c, nil
	}
	shape := characterbook.Shape(Version(root) == 3)
	if _, ok := shape.Locate(book); !ok {
		r.Warnf(book, "bad-book", "character_book has no list of entries: kept as it is")
		return c, nil
	}
	b := shape.ReadValue(r, book, id, pointer+"/character_book")
	c.Book = id
	if len(c.Books) > 0 {
		r.Notef(book, "two-books", "the card embeds a book and names the book %q: two sources of one book", c.Books[0])
	}
	return c, b
}

// Bindings returns the bindings of a character.
func Bindings(c *lore.Character) []lore.Binding {
	books := slices.Clone(c.Books)
	if c.Book != "" && len(books) == 0 {
		books = []string{c.Book}
	}
	if len(books) == 0 {
		return nil
	}
	return []lore.Binding{{Scope: lore.ScopeCharacter, Name: c.Name, Books: books, Origin: c.Origin}}
}

// Splice puts what was edited in a character and its book into the card that
// they were read from. A nil book takes the embedded one away.
func Splice(w *format.Writer, edit *jsondoc.Editor, root jsondoc.Value, c *lore.Character, b *lore.Book) {
	d, _ := data(root)
	old := readCharacter(format.QuietReader(""), d)
	from, to := characterTree(old), characterTree(c)
	version := Version(root)
	edit.Merge(d, from, to)
	if version > 1 {
		mergeTwins(edit, root, from, to)
	}
	if version == 1 && !from.Equal(to) {
		for _, m := range to.Members {
			if !slices.Contains(fieldsV1, m.Key) && !m.Value.Equal(from.Get(m.Key)) {
				w.Lost(m.Key, "V1 cards have no such field")
			}
		}
	}
	shape := characterbook.Shape(version == 3)
	here := d.Get("character_book")
	_, readable := shape.Locate(here)
	switch {
	case b != nil && readable:
		shape.Splice(w, edit, here, b)
	case b != nil && (here.IsNull() || !readable):
		tree, _ := shape.NewTree(w, b)
		edit.Set(d, "character_book", tree)
	case b == nil && readable:
		edit.Delete(d, "character_book")
	}
}

// New writes a new card with its book, which may be nil.
func New(w *format.Writer, c *lore.Character, b *lore.Book, version int) (*jsondoc.Tree, jsondoc.Style) {
	style := jsondoc.Indented("    ")
	fields := characterTree(c)
	d := jsondoc.Obj()
	for _, m := range fields.Members {
		d.Set(m.Key, m.Value)
	}
	for _, name := range requiredV2 {
		if d.Get(name) == nil {
			d.Set(name, jsondoc.Str(""))
		}
	}
	for _, name := range []string{"alternate_greetings", "tags"} {
		if d.Get(name) == nil {
			d.Set(name, jsondoc.List())
		}
	}
	if d.Get("extensions") == nil {
		d.Set("extensions", jsondoc.Obj())
	}
	spec := SpecV2
	if version == 3 {
		spec = SpecV3
		if d.Get("group_only_greetings") == nil {
			d.Set("group_only_greetings", jsondoc.List())
		}
	} else {
		d.Delete("nickname")
		d.Delete("group_only_greetings")
	}
	if b != nil {
		book, _ := characterbook.Shape(version == 3).NewTree(w, b)
		d.Set("character_book", book)
	}
	return jsondoc.Obj(
		jsondoc.M("spec", jsondoc.Str(spec)),
		jsondoc.M("spec_version", jsondoc.Str(strconv.Itoa(version)+".0")),
		jsondoc.M("data", d),
	), style
}
