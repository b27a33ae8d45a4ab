package app

import (
	"github.com/weft-memory/weft/client"
	"github.com/weft-memory/weft/client/api"
)

type bookCmd struct {
	List   bookListCmd   `cmd:"" default:"withargs" help:"List the books of a world."`
	Show   bookShowCmd   `cmd:"" help:"Print a book in Weft's own JSON."`
	Import bookImportCmd `cmd:"" help:"Bring lorebooks and book folders into a world."`
	Export bookExportCmd `cmd:"" help:"Write a book in a format."`
	Delete bookDeleteCmd `cmd:"" help:"Delete a book."`
}

type bookListCmd struct {
	JSON bool `name:"json" help:"Print JSON, as the API gives it."`
	worldFlags
}

// Help is shown by --help.
func (bookListCmd) Help() string { return "Example:\n\n    weft book list --world skerrow" }

// Run lists books.
func (c *bookListCmd) Run(e *env) error {
	l, w, err := c.open(e)
	if err != nil {
		return err
	}
	defer l.close()
	list, err := w.Books(e.ctx)
	if err != nil {
		return l.refused(err)
	}
	if c.JSON {
		return e.printJSON(list)
	}
	t := newTable(e.out, "book", "entries", "revision", "changed", "name").keepWhole(0).alignRight(1).alignRight(2)
	for _, b := range list {
		t.row(cell{b.ID, strong}, cell{number(b.Entries), plain}, cell{number(int(b.Revision)), plain}, cell{when(b.Changed), dim}, cell{visible(b.Name, false), plain})
	}
	return e.printTable(t, "the world "+w.ID()+" has no books yet: "+e.opts.Name+" book import FILE brings some in")
}

type bookShowCmd struct {
	Book string `arg:"" help:"The book, by its id."`
	worldFlags
}

// Help is shown by --help.
func (bookShowCmd) Help() string {
	return "Prints the newest revision of a book; docs/books.md describes the JSON.\n\nExample:\n\n    weft book show skerrow"
}

// Run prints a book.
func (c *bookShowCmd) Run(e *env) error {
	l, w, err := c.open(e)
	if err != nil {
		return err
	}
	defer l.close()
	text, err := w.Book(e.ctx, c.Book)
	if err != nil {
		return l.refused(err)
	}
	return e.printJSON(text)
}

type bookImportCmd struct {
	importFlags
}

// Help is shown by --help.
func (bookImportCmd) Help() string {
	return `Brings the books of files into a world; of a card the book that is in it. Book folders are read here and sent. To keep a folder and the server in step, let the server follow it: weft serve --books DIR.

Examples:

    weft book import world_info.json
    weft book import my_world/ --replace --world north`
}

// Run imports books.
func (c *bookImportCmd) Run(e *env) error { return c.run(e, yes("books"), true) }

type bookExportCmd struct {
	Book string `arg:"" help:"The book, by its id."`
	exportFlags
}

// Help is shown by --help.
func (bookExportCmd) Help() string {
	return "Writes the newest revision of a book. A format that is a folder comes as a ZIP archive.\n\nExample:\n\n    weft book export skerrow --to sillytavern -o skerrow.json"
}

// Run exports a book.
func (c *bookExportCmd) Run(e *env) error { return c.run(e, "book", c.Book) }

type bookDeleteCmd struct {
	Book string `arg:"" help:"The book, by its id."`

	Erase bool `help:"Delete it for good, with all of its revisions. Otherwise it can be brought back."`
	worldFlags
}

// Help is shown by --help.
func (bookDeleteCmd) Help() string { return "Example:\n\n    weft book delete almanac" }

// Run deletes a book.
func (c *bookDeleteCmd) Run(e *env) error {
	l, w, err := c.open(e)
	if err != nil {
		return err
	}
	defer l.close()
	return l.refused(w.DeleteBook(e.ctx, c.Book, c.Erase))
}

type characterCmd struct {
	List   characterListCmd   `cmd:"" default:"withargs" help:"List the characters of a world."`
	Import characterImportCmd `cmd:"" help:"Bring character cards into a world."`
	Export characterExportCmd `cmd:"" help:"Write a character as a card."`
}

type characterListCmd struct {
	JSON bool `name:"json" help:"Print JSON, as the API gives it."`
	worldFlags
}

// Help is shown by --help.
func (characterListCmd) Help() string { return "Example:\n\n    weft character list" }

// Run lists characters.
func (c *characterListCmd) Run(e *env) error {
	l, w, err := c.open(e)
	if err != nil {
		return err
	}
	defer l.close()
	list, err := client.All(func(p client.Page) (api.Page[api.Character], error) { return w.Characters(e.ctx, p) })
	if err != nil {
		return l.refused(err)
	}
	if c.JSON {
		return e.printJSON(list)
	}
	t := newTable(e.out, "character", "book", "changed", "name").keepWhole(0).limit(1, 30)
	for _, ch := range list {
		t.row(cell{ch.ID, strong}, cell{ch.Book, plain}, cell{when(ch.Changed), dim}, cell{visible(ch.Name, false), plain})
	}
	return e.printTable(t, "the world "+w.ID()+" has no characters yet: "+e.opts.Name+" character import CARD brings one in")
}

type characterImportCmd struct {
	importFlags
}

// Help is shown by --help.
func (characterImportCmd) Help() string {
	return "Brings the characters of cards into a world, with the books in them.\n\nExample:\n\n    weft character import mira.png tove.json"
}

// Run imports characters.
func (c *characterImportCmd) Run(e *env) error { return c.run(e, yes("characters", "books"), false) }

type characterExportCmd struct {
	Character string `arg:"" help:"The character, by its id."`
	exportFlags
}

// Help is shown by --help.
func (characterExportCmd) Help() string {
	return "Example:\n\n    weft character export maddis --to card -o maddis.json"
}

// Run exports a character.
func (c *characterExportCmd) Run(e *env) error { return c.run(e, "character", c.Character) }
