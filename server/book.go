package server

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/weft-memory/weft/client/api"
	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/server/internal/params"
	"github.com/weft-memory/weft/store"
	"github.com/weft-memory/weft/weaver/diag"
	"github.com/weft-memory/weft/world"
)

func bookBody(b store.Book) api.Book {
	return api.Book{
		ID: b.ID, Name: b.Name, Revision: b.Revision, Hash: b.Hash, Size: b.Size, Entries: b.Entries,
		Source: b.Source, Deleted: b.Deleted, Created: b.Created, Changed: b.Changed,
	}
}

func renderBook(b world.SavedBook) (rendered[api.Book], error) {
	body := bookBody(b.Book)
	body.Fresh, body.Findings = &b.Fresh, findings(b.Findings)
	return rendered[api.Book]{body, etag(b.Revision)}, nil
}

func findings(list diag.List) []api.Finding {
	var out []api.Finding
	for _, d := range list {
		out = append(out, api.Finding{
			Severity: d.Severity.String(), Code: d.Code, File: d.File, Line: d.Line, Column: d.Column, Message: d.Message, Hint: d.Hint,
		})
	}
	return out
}

func revisionBody(r store.BookRevision) api.BookRevision {
	return api.BookRevision{Revision: r.Revision, Hash: r.Hash, Size: r.Size, Entries: r.Entries, Author: r.Author, Note: r.Note, Time: r.Time}
}

const bookPath = worldPath + "/books/{book}"

func (s *Server) registerBooks() {
	const tag = "books"
	add(s, route{method: "GET", path: worldPath + "/books", id: "list-books", summary: "List the books of a world", tag: tag}, s.listBooks)
	add(s, route{method: "GET", path: bookPath, id: "get-book", summary: "Read a book in Weft's own JSON", tag: tag}, s.getBook)
	add(s, route{method: "PUT", path: bookPath, id: "save-book", summary: "Save a book in Weft's own JSON as a new revision", tag: tag, file: true}, s.saveBook)
	add(s, route{method: "PATCH", path: bookPath, id: "patch-book", summary: "Change the fields of a book by a merge patch; entries stay", tag: tag}, s.patchBook)
	add(s, route{method: "DELETE", path: bookPath, id: "delete-book", summary: "Delete a book; with erase for good", status: 204, tag: tag}, s.deleteBook)
	add(s, route{method: "POST", path: bookPath + "/restore", id: "restore-book", summary: "Bring a deleted book back", tag: tag}, s.restoreBook)
	add(s, route{method: "GET", path: bookPath + "/revisions", id: "list-book-revisions", summary: "List the revisions of a book, the newest first", tag: tag}, s.listRevisions)
	add(s, route{method: "POST", path: bookPath + "/revisions/{revision}/revert", id: "revert-book", summary: "Make an earlier revision the newest one", tag: tag}, s.revertBook)
	add(s, route{method: "GET", path: bookPath + "/entries/{entry}", id: "get-book-entry", summary: "Read an entry as its author wrote it", tag: tag}, s.getBookEntry)
	add(s, route{method: "PUT", path: bookPath + "/entries/{entry}", id: "put-book-entry", summary: "Put an entry into a book", tag: tag}, s.putBookEntry)
	add(s, route{method: "PATCH", path: bookPath + "/entries/{entry}", id: "patch-book-entry", summary: "Change an entry of a book by a merge patch", tag: tag}, s.patchBookEntry)
	add(s, route{method: "DELETE", path: bookPath + "/entries/{entry}", id: "delete-book-entry", summary: "Take an entry out of a book", tag: tag}, s.deleteBookEntry)
}

func (s *Server) listBooks(ctx context.Context, in *struct {
	params.InWorld
	params.Paging
	Deleted bool `query:"deleted" doc:"List deleted ones too."`
},
) (*reply[api.Page[api.Book]], error) {
	list, err := s.worlds.Books(ctx, in.World)
	if !in.Deleted {
		kept := list[:0:0]
		for _, b := range list {
			if b.Deleted == 0 {
				kept = append(kept, b)
			}
		}
		list = kept
	}
	return part(list, in.Paging, err, sure(bookBody))
}

func (s *Server) getBook(ctx context.Context, in *struct {
	params.InBook
	Revision int64 `query:"revision" minimum:"0" doc:"Defaults to the newest."`
},
) (*reply[json.RawMessage], error) {
	b, text, err := s.worlds.BookJSON(ctx, in.World, in.Book, in.Revision)
	if err != nil {
		return nil, err
	}
	revision := b.Revision
	if in.Revision > 0 {
		revision = in.Revision
	}
	return get(ctx, json.RawMessage(text), etag(revision)), nil
}

// saving returns how a book is saved.
func saving(ctx context.Context, note string) (world.SaveBook, error) {
	cond, err := ifVersion(ctx)
	return world.SaveBook{IfRevision: int64(cond), New: requestOf(ctx).ifNoneMatch == "*", Note: note}, err
}

func (s *Server) saveBook(ctx context.Context, in *struct {
	params.InBook
	params.Noted
	Body json.RawMessage `doc:"A book in Weft's own JSON."`
},
) (*reply[api.Book], error) {
	o, err := saving(ctx, in.Note)
	if err != nil {
		return nil, err
	}
	return write(ctx, http.StatusOK, func(ctx context.Context) (world.SavedBook, error) {
		return s.worlds.SaveBookJSON(ctx, in.World, in.Book, in.Body, o)
	}, renderBook)
}

func (s *Server) patchBook(ctx context.Context, in *struct {
	params.InBook
	params.Noted
	Body json.RawMessage
},
) (*reply[api.Book], error) {
	o, err := saving(ctx, in.Note)
	if err != nil {
		return nil, err
	}
	return write(ctx, http.StatusOK, func(ctx context.Context) (world.SavedBook, error) {
		return s.worlds.PatchBook(ctx, in.World, in.Book, in.Body, o)
	}, renderBook)
}

func (s *Server) deleteBook(ctx context.Context, in *struct {
	params.InBook
	Erase bool `query:"erase" doc:"Delete it for good, with its revisions."`
},
) (*none, error) {
	return writeNoneSeen(ctx, world.Seen{Thing: world.ThingBook, ID: in.Book}, func(ctx context.Context) error {
		if in.Erase {
			return s.worlds.EraseBook(ctx, in.World, in.Book)
		}
		return s.worlds.DeleteBook(ctx, in.World, in.Book, 0)
	})
}

func (s *Server) restoreBook(ctx context.Context, in *params.InBook) (*reply[api.Book], error) {
	return writeSeen(ctx, world.Seen{Thing: world.ThingBook, ID: in.Book}, http.StatusOK, func(ctx context.Context) (store.Book, error) {
		return s.worlds.RestoreBook(ctx, in.World, in.Book)
	}, func(b store.Book) (rendered[api.Book], error) {
		return rendered[api.Book]{bookBody(b), etag(b.Revision)}, nil
	})
}

func (s *Server) listRevisions(ctx context.Context, in *struct {
	params.InBook
	params.Paging
},
) (*reply[api.Page[api.BookRevision]], error) {
	list, next, err := s.worlds.BookRevisions(ctx, in.World, in.Book, in.Page())
	return pageOf(list, next, err, sure(revisionBody))
}

func (s *Server) revertBook(ctx context.Context, in *struct {
	params.InBook
	params.Noted
	Revision int64 `path:"revision" minimum:"1"`
},
) (*reply[api.Book], error) {
	o, err := saving(ctx, in.Note)
	if err != nil {
		return nil, err
	}
	return write(ctx, http.StatusOK, func(ctx context.Context) (world.SavedBook, error) {
		return s.worlds.RevertBook(ctx, in.World, in.Book, in.Revision, o)
	}, renderBook)
}

func (s *Server) getBookEntry(ctx context.Context, in *params.InBookEntry) (*reply[json.RawMessage], error) {
	b, e, err := s.worlds.BookEntry(ctx, in.World, in.Book, in.Entry)
	if err != nil {
		return nil, err
	}
	text, err := lore.MarshalEntry(e)
	if err != nil {
		return nil, err
	}
	return get(ctx, json.RawMessage(text), etag(b.Revision)), nil
}

func (s *Server) putBookEntry(ctx context.Context, in *struct {
	params.InBookEntry
	params.Noted
	Body json.RawMessage
},
) (*reply[api.Book], error) {
	o, err := saving(ctx, in.Note)
	if err != nil {
		return nil, err
	}
	e, err := entryOf(in.Body)
	if err != nil {
		return nil, err
	}
	if e.ID == "" {
		e.ID = in.Entry
	}
	if e.ID != in.Entry {
		return nil, store.Errorf(store.Invalid, "the entry has the id %q, but is put at %q", e.ID, in.Entry)
	}
	return write(ctx, http.StatusOK, func(ctx context.Context) (world.SavedBook, error) {
		return s.worlds.PutBookEntry(ctx, in.World, in.Book, e, o)
	}, renderBook)
}

func (s *Server) patchBookEntry(ctx context.Context, in *struct {
	params.InBookEntry
	params.Noted
	Body json.RawMessage
},
) (*reply[api.Book], error) {
	o, err := saving(ctx, in.Note)
	if err != nil {
		return nil, err
	}
	return write(ctx, http.StatusOK, func(ctx context.Context) (world.SavedBook, error) {
		return s.worlds.PatchBookEntry(ctx, in.World, in.Book, in.Entry, in.Body, o)
	}, renderBook)
}

func (s *Server) deleteBookEntry(ctx context.Context, in *struct {
	params.InBookEntry
	params.Noted
},
) (*reply[api.Book], error) {
	o, err := saving(ctx, in.Note)
	if err != nil {
		return nil, err
	}
	return write(ctx, http.StatusOK, func(ctx context.Context) (world.SavedBook, error) {
		return s.worlds.DeleteBookEntry(ctx, in.World, in.Book, in.Entry, o)
	}, renderBook)
}

// entryOf reads an entry of a request.
func entryOf(text json.RawMessage) (*lore.Entry, error) {
	e, err := lore.UnmarshalEntry(text)
	if err != nil {
		return nil, store.Errorf(store.Invalid, "the entry: %v", err)
	}
	return e, nil
}
