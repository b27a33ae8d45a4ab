package client

import (
	"context"
	"encoding/json"
	"maps"
	"net/url"
	"strconv"

	"github.com/weft-memory/weft/client/api"
)

// External is the id by which another program knows a conversation, a message
// or an author, written as the server takes it in the place of its own ids.
func External(id string) string { return "external:" + id }

// World is a world of a server.
type World struct {
	c    *Client
	id   string
	path string
}

// World returns a world by its id. It asks nothing.
func (c *Client) World(id string) *World {
	return &World{c: c, id: id, path: prefix + "/worlds/" + url.PathEscape(id)}
}

// ID returns the id of the world.
func (w *World) ID() string { return w.id }

// at returns a path in the world: the even parts are names, the odd ones ids.
func (w *World) at(parts ...string) string {
	path := w.path
	for i, p := range parts {
		if i%2 == 1 {
			p = url.PathEscape(p)
		}
		path += "/" + p
	}
	return path
}

// Place is the moment of which the lore is asked for. The zero value is the
// world by itself, as of now.
type Place struct {
	Conversation string
	// Node is a message; "" is the head.
	Node string
	// AsOf is a number of the world; 0 is now.
	AsOf int64
}

func (p Place) query() url.Values {
	q := url.Values{}
	set(q, "conversation", p.Conversation)
	set(q, "node", p.Node)
	if p.AsOf > 0 {
		q.Set("as_of", strconv.FormatInt(p.AsOf, 10))
	}
	return q
}

func set(q url.Values, name, value string) {
	if value != "" {
		q.Set(name, value)
	}
}

// Get reads the world.
func (w *World) Get(ctx context.Context) (api.World, error) {
	return do[api.World](ctx, w.c, "GET", w.path, nil, nil, nil)
}

// Update changes the world.
func (w *World) Update(ctx context.Context, p api.WorldPatch, opts ...Option) (api.World, error) {
	return do[api.World](ctx, w.c, "PATCH", w.path, nil, p, opts)
}

// Erase deletes the world for good.
func (w *World) Erase(ctx context.Context) error {
	return w.c.bare(ctx, "DELETE", w.path, nil, nil, nil)
}

// Books lists the books of the world.
func (w *World) Books(ctx context.Context) ([]api.Book, error) {
	return All(func(p Page) (api.Page[api.Book], error) {
		return do[api.Page[api.Book]](ctx, w.c, "GET", w.at("books"), p.query(), nil, nil)
	})
}

// Book returns a book in Weft's own JSON.
func (w *World) Book(ctx context.Context, book string) (json.RawMessage, error) {
	return do[json.RawMessage](ctx, w.c, "GET", w.at("books", book), nil, nil, nil)
}

// SaveBook saves a book in Weft's own JSON as a new revision.
func (w *World) SaveBook(ctx context.Context, book string, text json.RawMessage, opts ...Option) (api.Book, error) {
	return do[api.Book](ctx, w.c, "PUT", w.at("books", book), nil, text, opts)
}

// PatchBookEntry changes an entry of a book by a merge patch.
func (w *World) PatchBookEntry(ctx context.Context, book, entry string, patch json.RawMessage, opts ...Option) (api.Book, error) {
	return do[api.Book](ctx, w.c, "PATCH", w.at("books", book, "entries", entry), nil, patch, opts)
}

// DeleteBook deletes a book; with erase for good.
func (w *World) DeleteBook(ctx context.Context, book string, erase bool, opts ...Option) error {
	return w.c.bare(ctx, "DELETE", w.at("books", book), erasing(erase), nil, opts)
}

func erasing(erase bool) url.Values {
	if !erase {
		return nil
	}
	return url.Values{"erase": {"true"}}
}

// Characters lists the characters of the world.
func (w *World) Characters(ctx context.Context, p Page) (api.Page[api.Character], error) {
	return do[api.Page[api.Character]](ctx, w.c, "GET", w.at("characters"), p.query(), nil, nil)
}

// SaveCharacter makes a character, or writes over one.
func (w *World) SaveCharacter(ctx context.Context, ch api.Character, opts ...Option) (api.Character, error) {
	if ch.ID == "" {
		return do[api.Character](ctx, w.c, "POST", w.at("characters"), nil, ch, opts)
	}
	return do[api.Character](ctx, w.c, "PUT", w.at("characters", ch.ID), nil, ch, opts)
}

// SaveAuthor makes an author, or writes over the one with this id or external
// id.
func (w *World) SaveAuthor(ctx context.Context, a api.Author, opts ...Option) (api.Author, error) {
	return do[api.Author](ctx, w.c, "POST", w.at("authors"), nil, a, opts)
}

// SetBinding binds books; no books take a binding away.
func (w *World) SetBinding(ctx context.Context, b api.Binding) error {
	if b.Books == nil {
		b.Books = []string{}
	}
	return w.c.bare(ctx, "PUT", w.at("bindings"), nil, b, nil)
}

// Filter chooses entries; empty fields do not restrict.
type Filter struct {
	Book, Type, Tag, Layer, Query string
}

// Entries lists the live entries at a place.
func (w *World) Entries(ctx context.Context, at Place, f Filter, p Page) (api.Page[api.Entry], error) {
	q := at.query()
	for name, values := range p.query() {
		q[name] = values
	}
	set(q, "book", f.Book)
	set(q, "type", f.Type)
	set(q, "tag", f.Tag)
	set(q, "layer", f.Layer)
	set(q, "q", f.Query)
	return do[api.Page[api.Entry]](ctx, w.c, "GET", w.at("entries"), q, nil, nil)
}

func (w *World) entry(r api.Ref, more string) string {
	return w.path + "/entries/" + url.PathEscape(r.Book) + "/" + url.PathEscape(r.Entry) + more
}

// Entry reads an entry as it stands at a place.
func (w *World) Entry(ctx context.Context, at Place, r api.Ref) (api.Entry, error) {
	return do[api.Entry](ctx, w.c, "GET", w.entry(r, ""), at.query(), nil, nil)
}

// CreateEntry makes an entry in the story of a conversation, or in the world.
func (w *World) CreateEntry(ctx context.Context, at Place, entry json.RawMessage, opts ...Option) (api.Entry, error) {
	return do[api.Entry](ctx, w.c, "POST", w.at("entries"), at.query(), entry, opts)
}

// EditEntry changes an entry as it stands at a place by a merge patch.
func (w *World) EditEntry(ctx context.Context, at Place, r api.Ref, patch json.RawMessage, opts ...Option) (api.Entry, error) {
	return do[api.Entry](ctx, w.c, "PATCH", w.entry(r, ""), at.query(), patch, opts)
}

// Promote carries an entry to a layer above.
func (w *World) Promote(ctx context.Context, at Place, r api.Ref, p api.Promotion, opts ...Option) (api.Entry, error) {
	return do[api.Entry](ctx, w.c, "POST", w.entry(r, "/promote"), at.query(), p, opts)
}

// History returns the steps in the life of an entry.
func (w *World) History(ctx context.Context, at Place, r api.Ref) ([]api.EntryEvent, error) {
	return All(func(p Page) (api.Page[api.EntryEvent], error) {
		q := at.query()
		maps.Copy(q, p.query())
		return do[api.Page[api.EntryEvent]](ctx, w.c, "GET", w.entry(r, "/history"), q, nil, nil)
	})
}

// Search looks for words in entries, and with messages in what was said.
func (w *World) Search(ctx context.Context, at Place, query string, messages bool) ([]api.Hit, error) {
	q := at.query()
	q.Set("q", query)
	if messages {
		q.Set("messages", "true")
	}
	p, err := do[api.Page[api.Hit]](ctx, w.c, "GET", w.at("search"), q, nil, nil)
	return p.Items, err
}

// Operations lists changes to what is remembered, the newest first, in Weft's
// own JSON. The filter takes the parameters of the API: layer, conversation,
// node, book, entry, kind, author, as_of, after, before.
func (w *World) Operations(ctx context.Context, filter url.Values, p Page) (api.Page[json.RawMessage], error) {
	q := p.query()
	for name, values := range filter {
		q[name] = values
	}
	return do[api.Page[json.RawMessage]](ctx, w.c, "GET", w.at("operations"), q, nil, nil)
}

// Apply applies operations, all or none.
func (w *World) Apply(ctx context.Context, operations []json.RawMessage, opts ...Option) ([]api.Applied, error) {
	l, err := do[api.AppliedList](ctx, w.c, "POST", w.at("operations"), nil, api.Operations{Operations: operations}, opts)
	return l.Applied, err
}

// Undo takes operations back.
func (w *World) Undo(ctx context.Context, operations ...string) ([]api.Applied, error) {
	l, err := do[api.AppliedList](ctx, w.c, "POST", w.at("undo"), nil, api.OperationIDs{Operations: operations}, nil)
	return l.Applied, err
}

// Redo makes operations count again that were undone.
func (w *World) Redo(ctx context.Context, operations ...string) ([]api.Applied, error) {
	l, err := do[api.AppliedList](ctx, w.c, "POST", w.at("redo"), nil, api.OperationIDs{Operations: operations}, nil)
	return l.Applied, err
}

// Activity lists what was done to the lore, the newest first, of one
// conversation or, with "", of the world.
func (w *World) Activity(ctx context.Context, conversation string, p Page) (api.Page[api.Activity], error) {
	q := p.query()
	set(q, "conversation", conversation)
	return do[api.Page[api.Activity]](ctx, w.c, "GET", w.at("activity"), q, nil, nil)
}

// Import brings a file of another program into the world. The parameters are
// those of the API beside name: format, replace, chats, books, characters,
// external, settings.
func (w *World) Import(ctx context.Context, name string, data []byte, params url.Values, opts ...Option) (out api.Imported, err error) {
	q := url.Values{"name": {name}}
	for name, values := range params {
		q[name] = values
	}
	if data == nil {
		data = []byte{}
	}
	r := call{method: "POST", path: w.at("import"), query: q, body: data, contentType: "application/octet-stream"}
	err = w.c.send(ctx, r, &out, opts)
	return out, err
}

// Export writes a book, a character or a conversation (kind "book", …) in a
// format. A folder comes as a ZIP archive.
func (w *World) Export(ctx context.Context, kind, id, format string) (data []byte, err error) {
	q := url.Values{kind: {id}, "format": {format}}
	err = w.c.send(ctx, call{method: "GET", path: w.at("export"), query: q}, &data, nil)
	return data, err
}
