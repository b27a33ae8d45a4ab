package app

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/weft-memory/weft/client"
	"github.com/weft-memory/weft/client/api"
	"github.com/weft-memory/weft/internal/suggest"
)

type entryCmd struct {
	List entryListCmd `cmd:"" default:"withargs" help:"List the entries that are live at a point of a story."`
	Show entryShowCmd `cmd:"" help:"Print an entry as it stands at a point of a story."`
}

type entryListCmd struct {
	Book  string `placeholder:"ID" help:"Only those of this book; ~story and ~world hold what was learned."`
	Layer string `placeholder:"LAYER" help:"Only those of this layer: canon, world or story."`
	Tag   string `placeholder:"TAG" help:"Only those with this tag."`
	Query string `short:"q" placeholder:"WORDS" help:"Only those with these words in name, keys or content."`
	Limit int    `default:"100" placeholder:"N" help:"How many to list at most; 0 lists all. Default: ${default}."`
	JSON  bool   `name:"json" help:"Print JSON, as the API gives it."`
	placeFlags
}

// Help is shown by --help.
func (entryListCmd) Help() string {
	return "Examples:\n\n    weft entry list\n    weft entry list --conversation last --layer story"
}

// entryData is what is shown of an entry.
type entryData struct {
	Name    string `json:"name"`
	Type    string `json:"type"`
	Content string `json:"content"`
}

// Run lists entries.
func (c *entryListCmd) Run(e *env) error {
	l, w, at, err := c.place(e)
	if err != nil {
		return err
	}
	defer l.close()
	f := client.Filter{Book: c.Book, Layer: c.Layer, Tag: c.Tag, Query: c.Query}
	list, err := some(c.Limit, func(p client.Page) (api.Page[api.Entry], error) { return w.Entries(e.ctx, at, f, p) })
	if err != nil {
		return l.refused(err)
	}
	if c.JSON {
		return e.printJSON(list)
	}
	t := newTable(e.out, "entry", "layer", "name").keepWhole(0)
	for _, x := range list {
		var d entryData
		_ = json.Unmarshal(x.Data, &d) // without it the entry has no name
		t.row(cell{visible(x.Book+"/"+x.Entry, false), strong}, cell{x.Layer, plain}, cell{visible(d.Name, false), plain})
	}
	return e.printTable(t, "there is no such entry")
}

type entryShowCmd struct {
	Entry string `arg:"" help:"The entry: its id, or book/id."`
	placeFlags
}

// Help is shown by --help.
func (entryShowCmd) Help() string {
	return "Prints the entry as JSON: as the engine sees it (data), as it was authored where that differs, and the version that an edit stands on.\n\nExample:\n\n    weft entry show skerrow/tamwick --conversation last"
}

// Run prints an entry.
func (c *entryShowCmd) Run(e *env) error {
	l, w, at, err := c.place(e)
	if err != nil {
		return err
	}
	defer l.close()
	ref, err := l.entry(w, at, c.Entry)
	if err != nil {
		return err
	}
	got, err := w.Entry(e.ctx, at, ref)
	if err != nil {
		return l.refused(err)
	}
	return e.printJSON(got)
}

// missing reports whether the server says that there is no such thing.
func missing(err error) bool {
	var p *api.Problem
	return errors.As(err, &p) && p.Kind == api.NotFound
}

// learned are the books of what was learned; canon books come before them.
var learned = []string{"~story", "~world"}

// entry finds an entry as the command line names it: book/id, or an id, for
// which the books are looked through in order.
func (l *link) entry(w *client.World, at client.Place, name string) (api.Ref, error) {
	books, err := w.Books(l.env.ctx)
	if err != nil {
		return api.Ref{}, l.refused(err)
	}
	var ids []string
	for _, b := range books {
		ids = append(ids, b.ID)
	}
	ids = append(ids, learned...)
	for _, id := range ids {
		if entry, ok := strings.CutPrefix(name, id+"/"); ok {
			return api.Ref{Book: id, Entry: entry}, nil
		}
	}
	for _, id := range ids {
		ref := api.Ref{Book: id, Entry: name}
		switch _, err := w.Entry(l.env.ctx, at, ref); {
		case err == nil:
			return ref, nil
		case !missing(err):
			return ref, l.refused(err)
		}
	}
	hint := l.env.opts.Name + " entry list shows those there are"
	list, err := client.All(func(p client.Page) (api.Page[api.Entry], error) {
		return w.Entries(l.env.ctx, at, client.Filter{}, p)
	})
	if err == nil {
		var known []string
		for _, x := range list {
			known = append(known, x.Entry)
		}
		if guess := suggest.Nearest(name, known); guess != "" {
			hint = fmt.Sprintf("did you mean %s?", guess)
		}
	}
	return api.Ref{}, fail(ExitRefused, hint, "no book of the world %s has an entry %q", w.ID(), name)
}

type searchCmd struct {
	Words []string `arg:"" help:"What to look for."`

	Messages bool `short:"m" help:"Look in messages too."`
	JSON     bool `name:"json" help:"Print JSON, as the API gives it."`
	placeFlags
}

// Help is shown by --help.
func (searchCmd) Help() string {
	return "Looks through names, keys, tags and content of the entries at a point of a story, and with --messages through what was said.\n\nExamples:\n\n    weft search harbour master\n    weft search lantern --messages --conversation last"
}

// Run searches.
func (c *searchCmd) Run(e *env) error {
	l, w, at, err := c.place(e)
	if err != nil {
		return err
	}
	defer l.close()
	hits, err := w.Search(e.ctx, at, strings.Join(c.Words, " "), c.Messages)
	if err != nil {
		return l.refused(err)
	}
	if c.JSON {
		return e.printJSON(hits)
	}
	t := newTable(e.out, "found", "in", "text").keepWhole(0)
	for _, h := range hits {
		what := "message " + h.Node
		if h.Ref != nil {
			what = h.Ref.Book + "/" + h.Ref.Entry
		}
		text := h.Snippet
		if text == "" {
			text = h.Name
		}
		t.row(cell{visible(what, false), strong}, cell{h.Where, plain}, cell{visible(text, false), plain})
	}
	return e.printTable(t, "nothing is found")
}
