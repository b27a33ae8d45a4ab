package server

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"

	"github.com/weft-memory/weft/client/api"
	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/memory"
	"github.com/weft-memory/weft/server/internal/params"
	"github.com/weft-memory/weft/store"
	"github.com/weft-memory/weft/world"
)

func entryJSON(e *lore.Entry) (json.RawMessage, error) {
	if e == nil {
		return nil, nil
	}
	return lore.MarshalEntry(e)
}

func entryBody(e world.EntryInfo) (body api.Entry, err error) {
	body = api.Entry{Ref: api.Ref(e.Ref), Layer: string(e.Layer), Live: e.Entry != nil, Version: e.Version}
	if body.Data, err = entryJSON(e.Entry); err != nil {
		return body, err
	}
	if body.Authored, err = entryJSON(e.Authored); err != nil {
		return body, err
	}
	if bytes.Equal(body.Data, body.Authored) {
		body.Authored = nil
	}
	if body.Conflicts, err = raw(e.Conflicts); err != nil {
		return body, err
	}
	body.Proposals, err = raw(e.Proposals)
	return body, err
}

func renderEntry(e world.EntryInfo) (rendered[api.Entry], error) {
	body, err := entryBody(e)
	return rendered[api.Entry]{body, `"` + e.Version + `"`}, err
}

func (s *Server) registerEntries() {
	const tag, entries = "entries", worldPath + "/entries"
	const entryPath = entries + "/{book}/{entry}"
	add(s, route{method: "GET", path: entries, id: "list-entries", summary: "List the live entries at a place", tag: tag}, s.listEntries)
	add(s, route{method: "POST", path: entries, id: "create-entry", summary: "Make an entry in the story of a conversation, or in the world", status: 201, tag: tag}, s.createEntry)
	add(s, route{method: "GET", path: entryPath, id: "get-entry", summary: "Read an entry as it stands at a place", tag: tag}, s.getEntry)
	add(s, route{method: "PATCH", path: entryPath, id: "edit-entry", summary: "Change an entry as it stands at a place by a merge patch", tag: tag}, s.editEntry)
	add(s, route{method: "GET", path: entryPath + "/history", id: "get-entry-history", summary: "The steps in the life of an entry", tag: tag}, s.entryHistory)
	add(s, route{method: "GET", path: entryPath + "/provenance", id: "get-entry-provenance", summary: "Where every field and sentence of an entry comes from", tag: tag}, s.entryProvenance)
	add(s, route{method: "POST", path: entryPath + "/promote", id: "promote-entry", summary: "Carry an entry to a layer above", tag: tag}, s.promoteEntry)
	add(s, route{method: "GET", path: worldPath + "/diff", id: "diff-entries", summary: "How the lore at one place differs from that at another", tag: tag}, s.diffEntries)
	add(s, route{method: "GET", path: worldPath + "/categories", id: "list-categories", summary: "The lore tree: a root for each book", tag: tag}, s.listCategories)
	add(s, route{method: "GET", path: worldPath + "/conflicts", id: "list-conflicts", summary: "What did not take effect as it was meant", tag: tag}, s.listConflicts)
	add(s, route{method: "GET", path: worldPath + "/search", id: "search", summary: "Search entries, and messages, at a place", tag: tag}, s.search)
}

func (s *Server) listEntries(ctx context.Context, in *struct {
	params.Place
	params.Paging
	Book  string `query:"book"`
	Type  string `query:"type"`
	Tag   string `query:"tag"`
	Layer string `query:"layer" enum:"canon,world,story"`
	Query string `query:"q" maxLength:"1000" doc:"Words in names, keys and content."`
},
) (*reply[api.Page[api.Entry]], error) {
	f := world.EntryFilter{Book: in.Book, Type: in.Type, Tag: in.Tag, Layer: memory.Layer(in.Layer), Query: in.Query}
	list, next, err := s.worlds.Entries(ctx, in.World, in.At(), f, in.Page())
	return pageOf(list, next, err, entryBody)
}

func (s *Server) createEntry(ctx context.Context, in *struct {
	params.Place
	Body json.RawMessage
},
) (*reply[api.Entry], error) {
	e, err := newEntryOf(in.Body)
	if err != nil {
		return nil, err
	}
	return write(ctx, http.StatusCreated, func(ctx context.Context) (world.EntryInfo, error) {
		return s.worlds.CreateEntry(ctx, in.World, in.At(), e)
	}, renderEntry)
}

// newEntryOf reads an entry that may have no id yet.
func newEntryOf(text json.RawMessage) (*lore.Entry, error) {
	var fields map[string]json.RawMessage
	if json.Unmarshal(text, &fields) != nil || string(fields["id"]) != "" && string(fields["id"]) != `""` {
		return entryOf(text)
	}
	if fields == nil { // null
		return nil, store.Errorf(store.Invalid, "the entry: it is no object")
	}
	fields["id"] = json.RawMessage(`"new"`) // an entry of a book has one
	text, err := json.Marshal(fields)
	if err != nil {
		return nil, err
	}
	e, err := entryOf(text)
	if err == nil {
		e.ID = ""
	}
	return e, err
}

func (s *Server) getEntry(ctx context.Context, in *params.InEntry) (*reply[api.Entry], error) {
	e, err := s.worlds.Entry(ctx, in.World, in.At(), in.Ref())
	if err != nil {
		return nil, err
	}
	out, err := renderEntry(e)
	return get(ctx, out.body, out.etag), err
}

func (s *Server) editEntry(ctx context.Context, in *struct {
	params.InEntry
	Body json.RawMessage
},
) (*reply[api.Entry], error) {
	version, err := ifMatch(ctx)
	if err != nil {
		return nil, err
	}
	return write(ctx, http.StatusOK, func(ctx context.Context) (world.EntryInfo, error) {
		return s.worlds.EditEntry(ctx, in.World, in.At(), in.Ref(), in.Body, version)
	}, renderEntry)
}

func (s *Server) entryHistory(ctx context.Context, in *struct {
	params.InEntry
	params.Paging
},
) (*reply[api.Page[api.EntryEvent]], error) {
	list, err := s.worlds.History(ctx, in.World, in.At(), in.Ref())
	return part(list, in.Paging, err, func(e memory.Event) (out api.EntryEvent, err error) {
		out.Changed = e.Changed
		if out.Operation, err = json.Marshal(e.Operation); err != nil {
			return out, err
		}
		if out.Before, err = entryJSON(e.Before); err != nil {
			return out, err
		}
		out.After, err = entryJSON(e.After)
		return out, err
	})
}

func (s *Server) promoteEntry(ctx context.Context, in *struct {
	params.InEntry
	Body api.Promotion
},
) (*reply[api.Entry], error) {
	return writeSeen(ctx, world.Seen{Thing: world.ThingEntry, At: in.At(), Ref: in.Ref()}, http.StatusOK, func(ctx context.Context) (world.EntryInfo, error) {
		return s.worlds.Promote(ctx, in.World, in.At(), in.Ref(), memory.Layer(in.Body.To), in.Body.Book)
	}, renderEntry)
}

func (s *Server) diffEntries(ctx context.Context, in *struct {
	params.Place
	params.Paging
	ToConversation string `query:"to_conversation" maxLength:"1000" doc:"Defaults to conversation."`
	ToNode         string `query:"to_node" maxLength:"1000" doc:"Defaults to the head."`
	ToAsOf         int64  `query:"to_as_of" minimum:"0"`
},
) (*reply[api.Page[api.EntryDiff]], error) {
	to := world.Place{Conversation: in.ToConversation, Node: in.ToNode, AsOf: in.ToAsOf}
	if to.Conversation == "" {
		to.Conversation = in.Conversation
	}
	list, err := s.worlds.Diff(ctx, in.World, in.At(), to)
	return part(list, in.Paging, err, func(d memory.Difference) (out api.EntryDiff, err error) {
		out.Ref, out.FromCategory, out.ToCategory = api.Ref(d.Ref), d.From, d.To
		if out.Before, err = entryJSON(d.Before); err != nil {
			return out, err
		}
		if out.After, err = entryJSON(d.After); err != nil {
			return out, err
		}
		if d.Before != nil && d.After != nil {
			out.Change, err = json.Marshal(d.Change)
		}
		return out, err
	})
}

func (s *Server) listCategories(ctx context.Context, in *struct {
	params.Place
	params.Paging
},
) (*reply[api.Page[json.RawMessage]], error) {
	list, err := s.worlds.Categories(ctx, in.World, in.At())
	return part(list, in.Paging, err, func(c *memory.Category) (json.RawMessage, error) { return json.Marshal(c) })
}

func (s *Server) entryProvenance(ctx context.Context, in *struct {
	params.InEntry
	params.Paging
},
) (*reply[api.Page[api.Source]], error) {
	list, err := s.worlds.Provenance(ctx, in.World, in.At(), in.Ref())
	return part(list, in.Paging, err, func(p memory.Source) (out api.Source, err error) {
		out = api.Source{Field: p.Field, Text: p.Text, Overlay: p.Overlay, Operation: p.Operation, Node: p.Node}
		if p.Operation == "" {
			return out, nil
		}
		if out.Author, err = json.Marshal(p.Author); err != nil {
			return out, err
		}
		out.Quotes, err = raw(p.Quotes)
		return out, err
	})
}

func (s *Server) listConflicts(ctx context.Context, in *struct {
	params.Place
	params.Paging
},
) (*reply[api.Page[json.RawMessage]], error) {
	list, err := s.worlds.Conflicts(ctx, in.World, in.At())
	return part(list, in.Paging, err, func(c memory.Conflict) (json.RawMessage, error) { return json.Marshal(c) })
}

// maxHits bounds how far the pages of a search go.
const maxHits = 10_000

func (s *Server) search(ctx context.Context, in *struct {
	params.Place
	Query    string `query:"q" required:"true" minLength:"1" maxLength:"1000"`
	Messages bool   `query:"messages" doc:"Search what was said, too."`
	Limit    int    `query:"limit" minimum:"1" maximum:"1000" default:"20"`
	Cursor   string `query:"cursor" maxLength:"4096" doc:"What the page before returned as next."`
},
) (*reply[api.Page[api.Hit]], error) {
	// The best are found as a whole, so that each page goes on where the last one
	// ended.
	from, err := placeOf(in.Cursor)
	if err != nil {
		return nil, err
	}
	list, err := s.worlds.Search(ctx, in.World, in.At(), in.Query, in.Messages, min(from, maxHits)+in.Limit+1)
	return part(list, params.Paging{Limit: in.Limit, Cursor: in.Cursor}, err, sure(func(h world.Hit) api.Hit {
		out := api.Hit{Node: h.Node, Name: h.Name, Where: h.Where, Snippet: h.Snippet, Score: h.Score}
		if h.Node == "" {
			out.Ref = &api.Ref{Book: h.Ref.Book, Entry: h.Ref.Entry}
		}
		return out
	}))
}
