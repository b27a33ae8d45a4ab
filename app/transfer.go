package app

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/weft-memory/weft/client"
	"github.com/weft-memory/weft/client/api"
	"github.com/weft-memory/weft/lore"
)

// importFlags say how files are brought into a world.
type importFlags struct {
	Paths []string `arg:"" name:"path" help:"Files of any format that Weft reads; - is standard input."`

	Format  string `placeholder:"FORMAT" help:"What the files are. Default: what they look like."`
	Replace bool   `help:"Save under ids that are taken, as new revisions."`
	JSON    bool   `name:"json" help:"Print JSON, as the API gives it."`
	worldFlags
}

// run imports files, of each what the parameters take.
func (c *importFlags) run(e *env, params url.Values, folders bool) error {
	if err := oneStdin(c.Paths...); err != nil {
		return err
	}
	l, w, err := c.open(e)
	if err != nil {
		return err
	}
	defer l.close()
	if c.Format != "" {
		params.Set("format", c.Format)
	}
	if c.Replace {
		params.Set("replace", "true")
	}
	all := []api.Imported{}
	bar := e.progress("importing", len(c.Paths))
	defer bar.end()
	for _, path := range c.Paths {
		bar.step(path)
		got, err := c.one(e, l, w, path, params, folders)
		if err != nil {
			return err
		}
		all = append(all, got)
	}
	bar.end()
	if c.JSON {
		return e.printJSON(all)
	}
	for i, got := range all {
		if err := e.print(imports(c.Paths[i], got)); err != nil {
			return err
		}
	}
	return nil
}

func (c *importFlags) one(e *env, l *link, w *client.World, path string, params url.Values, folders bool) (api.Imported, error) {
	if info, err := os.Stat(path); path != "-" && err == nil && info.IsDir() {
		if !folders {
			return api.Imported{}, fail(ExitUsage, "name the files in it", "%s is a folder", path)
		}
		return c.folder(e, l, w, path)
	}
	if path != "-" && folders && c.Format == "" {
		// Weft's own books are read here too; a server takes them as JSON.
		switch _, foreign, err := e.foreign(path); {
		case err != nil:
			return api.Imported{}, err
		case !foreign:
			return c.folder(e, l, w, path)
		}
	}
	data, err := e.readInput(path, "file", maxChatBytes)
	if err != nil {
		return api.Imported{}, err
	}
	name := filepath.Base(path)
	if path == "-" {
		name = "stdin"
	}
	got, err := w.Import(e.ctx, name, data, params)
	if err != nil {
		return got, l.refused(fmt.Errorf("%s: %w", path, err))
	}
	return got, nil
}

// folder brings the books of a folder, or of a file of Weft's own, in: they are
// read here, since a server takes files of other programs, and books as JSON.
func (c *importFlags) folder(e *env, l *link, w *client.World, path string) (api.Imported, error) {
	out := api.Imported{Books: []api.Book{}, Characters: []string{}, Conversations: []string{}}
	all, err := e.load([]string{path})
	if err != nil {
		return out, err
	}
	if all.findings.HasErrors() {
		_ = e.errPrint(e.err.findings(all.findings, e.sources(all.books...)) + "\n")
		return out, fail(ExitInput, "", "%s cannot be read as it is", path)
	}
	there := map[string]bool{}
	if !c.Replace {
		list, err := w.Books(e.ctx)
		if err != nil {
			return out, l.refused(err)
		}
		for _, b := range list {
			there[b.ID] = b.Deleted == 0
		}
	}
	for _, b := range all.books {
		if there[b.ID] {
			return out, fail(ExitRefused, "give --replace to save it as a new revision", "%s: the world has a book %s already", path, b.ID)
		}
	}
	for _, b := range all.books {
		text, err := lore.MarshalBook(b)
		if err != nil {
			return out, fail(ExitInternal, "", "%w", err)
		}
		saved, err := w.SaveBook(e.ctx, b.ID, text)
		if err != nil {
			return out, l.refused(fmt.Errorf("%s: %w", path, err))
		}
		out.Books = append(out.Books, saved)
	}
	return out, nil
}

// imports says what one file became.
func imports(path string, got api.Imported) string {
	var b strings.Builder
	for _, book := range got.Books {
		fmt.Fprintf(&b, "%s: book %s, %s, revision %d\n", path, book.ID, plural(book.Entries, "entry"), book.Revision)
	}
	for _, id := range got.Characters {
		fmt.Fprintf(&b, "%s: character %s\n", path, id)
	}
	for _, id := range got.Conversations {
		fmt.Fprintf(&b, "%s: conversation %s\n", path, id)
	}
	if b.Len() == 0 {
		fmt.Fprintf(&b, "%s: nothing of that kind is in it\n", path)
	}
	return b.String()
}

// exportFlags say how something is written out of a world.
type exportFlags struct {
	To     string `required:"" placeholder:"FORMAT" help:"The format to write; weft inspect lists those that fit."`
	Output string `short:"o" placeholder:"FILE" help:"The file to write. Default: standard output."`
	Force  bool   `short:"f" help:"Replace the file if it is there."`
	worldFlags
}

func (c *exportFlags) run(e *env, kind, id string) error {
	l, w, err := c.open(e)
	if err != nil {
		return err
	}
	defer l.close()
	if kind == "conversation" {
		if id, err = l.conversation(w, id); err != nil {
			return err
		}
	}
	data, err := w.Export(e.ctx, kind, id, c.To)
	if err != nil {
		return l.refused(err)
	}
	if c.Output == "" || c.Output == "-" {
		return e.print(string(data))
	}
	return writeNew(c.Output, data, c.Force)
}

// yes makes parameters that are set.
func yes(names ...string) url.Values {
	q := url.Values{}
	for _, n := range names {
		q.Set(n, "true")
	}
	return q
}
