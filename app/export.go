package app

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/weft-memory/weft/format"
	"github.com/weft-memory/weft/format/all"
	"github.com/weft-memory/weft/format/contextweaver"
	"github.com/weft-memory/weft/lore"
)

type exportCmd struct {
	Book string `arg:"" help:"A book of Weft: a folder, a JSON book, a bundle; a folder that import made; or a book or card of any other format."`

	To  string `required:"" placeholder:"FORMAT" help:"The format to write; weft inspect BOOK lists them."`
	Out string `short:"o" placeholder:"FILE" help:"The file, or for formats of several files the folder, to write. Default: the name of the book with the extension of the format. - is standard output."`

	ID   string `name:"book" placeholder:"ID" help:"Write only this one of several books."`
	Char string `placeholder:"NAME" help:"The character whose card is written, of several. Its books go with it."`
	writing
}

// Help is shown by --help.
func (exportCmd) Help() string {
	return `Writes a book for another program and says what became of every field. What the other format cannot say is carried along where it has a place for it, so that the way back finds it again.

From a folder that weft import made, a card goes out as the file that came in, picture and all, with the book as it is now.

Examples:

    weft export my_world --to sillytavern
    weft export my_world --to novelai -o harbour.lorebook --verbose
    weft export imported --char Mira --to card_png -o mira.png
    weft export my_world --to kobold --json | jq .counts`
}

// Run exports.
func (c *exportCmd) Run(e *env) error {
	to, err := targetFormat(c.To)
	if err != nil {
		return err
	}
	in, err := e.open(c.Book)
	if err != nil {
		return err
	}
	if err := c.choose(e, in, all.Table().Codec(to).Info()); err != nil {
		return err
	}
	out := c.Out
	if out == "" {
		out = c.name(in, all.Table().Codec(to).Info())
	}
	return e.write(in, to, out, c.writing)
}

// choose narrows a document down to the book or the character that was asked
// for.
func (c *exportCmd) choose(e *env, in *opened, target format.Info) error {
	doc := *in.doc
	in.doc = &doc
	if c.Char != "" || target.Characters && len(doc.Characters) == 1 {
		l := &loaded{characters: doc.Characters, bindings: doc.Bindings, books: doc.Books}
		who := l.character(c.Char)
		if who == nil {
			names := make([]string, len(doc.Characters))
			for i, x := range doc.Characters {
				names[i] = x.Name
			}
			return fail(ExitUsage, "there are "+strings.Join(names, ", "), "no character in %s is called %q", c.Book, c.Char)
		}
		if err := c.chooseCharacter(e, in, l, who); err != nil {
			return err
		}
	}
	if c.ID != "" {
		ids := make([]string, len(in.doc.Books))
		for i, b := range in.doc.Books {
			ids[i] = b.ID
		}
		b := in.doc.Book(c.ID)
		if b == nil {
			return fail(ExitUsage, "there are "+strings.Join(ids, ", "), "no book in %s has the id %q", c.Book, c.ID)
		}
		in.doc.Books = []*lore.Book{b}
	}
	return nil
}

// chooseCharacter leaves the character and the books bound to it. A card that
// import put beside the books is the file to write into.
func (c *exportCmd) chooseCharacter(e *env, in *opened, l *loaded, who *lore.Character) error {
	var books []*lore.Book
	_, bindings := l.bind(who, nil)
	for _, b := range l.books {
		if bindings[b.ID] == "character" {
			books = append(books, b)
		}
	}
	// The embedded book, or the first one, is the book of the card.
	slices.SortStableFunc(books, func(x, y *lore.Book) int {
		switch who.Book {
		case x.ID:
			return -1
		case y.ID:
			return 1
		}
		return 0
	})
	if in.doc.Input == nil && who.Origin.Path != "" && !strings.HasSuffix(who.Origin.Path, ".yaml") {
		card, _, err := e.readCard(who.Origin.Path)
		if err != nil {
			return err
		}
		in.doc, in.title = card, in.title+", "+formatTitle(card.Format)
		if card.Input != nil {
			in.data = card.Input.Data
		}
		return e.fitBooks(card, books)
	}
	if in.doc.Input == nil || len(in.doc.Characters) > 1 {
		x := *who
		if x.Book == "" && len(books) > 0 {
			x.Book = books[0].ID
		}
		in.doc.Characters, in.doc.Books = []*lore.Character{&x}, books
	}
	return nil
}

// name is the file, or the folder, that is written if no other was named.
func (c *exportCmd) name(in *opened, target format.Info) string {
	name := baseName(in.path)
	switch doc := in.doc; {
	case target.Characters && len(doc.Characters) == 1:
		name = doc.Characters[0].ID
	case len(doc.Books) == 1:
		name = doc.Books[0].ID
	case len(doc.Books) > 1:
		return fmt.Sprintf("%s_%s", fileName(name), target.Name)
	}
	if target.Extensions[0] == "" {
		return fileName(name) + "_" + target.Name
	}
	return fileName(name) + target.Extensions[0]
}

// fitBooks puts books from folders into the card that they were imported from.
// What was not edited since is left as it stands in the card.
func (e *env) fitBooks(card *format.Document, books []*lore.Book) error {
	if len(books) == 0 {
		return nil // no folder: the card's own book is the book
	}
	old := card.Book(books[0].ID)
	if old == nil {
		if len(card.Characters) == 1 && card.Characters[0].Book == "" {
			x := *card.Characters[0]
			x.Book = books[0].ID
			card.Characters[0] = &x
		}
		card.Books = books
		return nil
	}
	files, _, err := e.asFolder(card, old)
	if err != nil {
		return fail(ExitInternal, "", "%w", err)
	}
	archive, err := zipOf(files)
	if err != nil {
		return fail(ExitInternal, "", "%w", err)
	}
	was, err := e.openAs(old.ID, format.Bytes(old.ID+".zip", archive), contextweaver.Name)
	if err != nil {
		return err
	}
	books = slices.Clone(books)
	books[0] = unedited(old, was.doc.Books[0], books[0])
	card.Books = books
	return nil
}

// unedited returns a book with the entries of now, those that are as import
// wrote them (was, in the order of old) being the ones of old.
func unedited(old, was, now *lore.Book) *lore.Book {
	origin := map[string]*lore.Entry{}
	same := func(x, y *lore.Entry) bool {
		a, b := *x, *y
		a.Origin, b.Origin = lore.Origin{}, lore.Origin{}
		return reflect.DeepEqual(&a, &b)
	}
	for i, e := range was.Entries {
		if n := now.Entry(e.ID); i < len(old.Entries) && n != nil && same(e, n) {
			origin[e.ID] = old.Entries[i]
		}
	}
	a, b := *was, *now
	a.Entries, a.Origin, b.Entries, b.Origin = nil, lore.Origin{}, nil, lore.Origin{}
	out := *now
	if reflect.DeepEqual(&a, &b) {
		out = *old
	}
	out.Entries = nil
	for _, e := range now.Entries {
		out.Entries = append(out.Entries, cmp.Or(origin[e.ID], e))
	}
	return &out
}
