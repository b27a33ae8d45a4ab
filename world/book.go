package world

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/store"
	"github.com/weft-memory/weft/weaver/diag"
)

// SaveBook says how a book is saved.
type SaveBook struct {
	// IfRevision is the revision that the caller changed; another current one
	// is a Conflict. 0 means whatever there is.
	IfRevision int64
	// New makes a book that exists an Exists error.
	New bool
	// Note says why, for the list of revisions.
	Note string
	// Source is where the book comes from, such as the folder that is followed.
	// Nil leaves it.
	Source *string

	// base is the revision that the book was made from, see [store.SaveBook].
	base *lore.Book
}

// SavedBook is a book as it was saved.
type SavedBook struct {
	store.Book
	// Fresh says that a revision was made; otherwise nothing had changed.
	Fresh bool
	// Findings are what is wrong with the book, or with the entry that was
	// changed.
	Findings diag.List
}

// Books lists the books of a world by id, without their entries.
func (s *Service) Books(ctx context.Context, world string) ([]store.Book, error) {
	return view(ctx, s, world, func(tx *txn) ([]store.Book, error) { return tx.Books(world) })
}

// Book returns a book at a revision; with 0 the newest one. The book is shared
// and must not be changed: change a [lore.Book.Clone].
func (s *Service) Book(ctx context.Context, world, book string, revision int64) (store.Book, *lore.Book, error) {
	type out struct {
		info store.Book
		book *lore.Book
	}
	o, err := view(ctx, s, world, func(tx *txn) (out, error) {
		info, err := tx.book(book)
		if err != nil {
			return out{}, err
		}
		if revision == 0 {
			revision = info.Revision
		}
		hash := info.Hash
		if revision != info.Revision {
			if hash, err = tx.BookHash(tx.id, book, revision); err != nil {
				return out{}, err
			}
		}
		c, err := tx.compiled(book, revision, hash)
		if err != nil {
			return out{}, err
		}
		return out{info, c.book}, nil
	})
	return o.info, o.book, err
}

// book returns a book that is not deleted.
func (tx *txn) book(book string) (store.Book, error) {
	b, err := tx.Book(tx.id, book)
	if err == nil && b.Deleted != 0 {
		err = store.Errorf(store.NotFound, "the book %q was deleted: restore it first", book)
	}
	return b, err
}

// compiled returns a revision of a book, ready for the engine.
func (tx *txn) compiled(book string, revision int64, hash string) (*compiled, error) {
	return tx.s.segments.get(segmentKey{tx.id, book, hash}, func() (*lore.Book, error) {
		return tx.BookContent(tx.id, book, revision)
	})
}

// BookJSON returns a book in Weft's own JSON.
func (s *Service) BookJSON(ctx context.Context, world, book string, revision int64) (store.Book, []byte, error) {
	type out struct {
		info store.Book
		text []byte
	}
	o, err := view(ctx, s, world, func(tx *txn) (o out, err error) {
		if o.info, err = tx.book(book); err != nil {
			return o, err
		}
		o.text, err = tx.BookJSON(world, book, revision)
		return o, err
	})
	return o.info, o.text, err
}

// BookRevisions lists the revisions of a book, the newest first.
func (s *Service) BookRevisions(ctx context.Context, world, book string, p store.Page) (list []store.BookRevision, next string, err error) {
	return page(ctx, s, world, func(tx *txn) ([]store.BookRevision, string, error) { return tx.BookRevisions(world, book, p) })
}

// page is view for a part of a list.
func page[T any](ctx context.Context, s *Service, world string, fn func(tx *txn) ([]T, string, error)) (list []T, next string, err error) {
	_, err = view(ctx, s, world, func(tx *txn) (_ any, err error) {
		list, next, err = fn(tx)
		return nil, err
	})
	return list, next, err
}

// SaveBook saves a book under its ID as the next revision, written by the
// caller. What is wrong with the book is returned beside it; only what cannot
// be stored is an error.
func (s *Service) SaveBook(ctx context.Context, world string, b *lore.Book, o SaveBook) (SavedBook, error) {
	if b == nil {
		return SavedBook{}, store.Errorf(store.Invalid, "there is no book to save")
	}
	findings := lore.Validate(b)
	return update(ctx, s, world, func(tx *txn) (SavedBook, error) {
		saved, err := tx.saveBook(b, o)
		saved.Findings = findings
		return saved, err
	})
}

// saveBook saves a book and tells of it.
func (tx *txn) saveBook(b *lore.Book, o SaveBook) (SavedBook, error) {
	author := person(tx.ctx)
	old, err := tx.Book(tx.id, b.ID)
	if err != nil && store.KindOf(err) != store.NotFound {
		return SavedBook{}, err
	}
	saved, err := tx.SaveBook(tx.id, b, store.SaveBook{
		IfRevision: o.IfRevision, New: o.New, Base: o.base, Author: author.Name, Note: o.Note, Source: o.Source,
	})
	if err != nil {
		return SavedBook{}, err
	}
	out := SavedBook{Book: saved, Fresh: saved.Revision != old.Revision || old.Deleted != 0}
	if !out.Fresh {
		return out, nil
	}
	return out, tx.event(EventBookSaved, b.ID, "", "revision", saved.Revision, "entries", saved.Entries)
}

// SaveBookJSON is SaveBook for a book in Weft's own JSON. An id in the text
// other than book is Invalid.
func (s *Service) SaveBookJSON(ctx context.Context, world, book string, src []byte, o SaveBook) (SavedBook, error) {
	b, findings, err := parseBook(book, src)
	if err != nil {
		return SavedBook{}, err
	}
	return update(ctx, s, world, func(tx *txn) (SavedBook, error) {
		saved, err := tx.saveBook(b, o)
		saved.Findings = findings
		return saved, err
	})
}

// parseBook reads a book in Weft's own JSON. Entries that cannot be read would
// be lost, so they are an error.
func parseBook(id string, src []byte) (*lore.Book, diag.List, error) {
	b, findings := lore.ParseBook(id+".json", src)
	for _, d := range findings {
		if d.Severity == diag.Error && lossy(d.Code) {
			return nil, findings, store.Errorf(store.Invalid, "the book %q cannot be saved: %s", id, d)
		}
	}
	if b.ID != id {
		return nil, findings, store.Errorf(store.Invalid, "the book's id is %q, not %q", b.ID, id)
	}
	return b, findings, nil
}

// PatchBook changes the fields of a book by a merge patch (RFC 7396) of its
// JSON; entries are not touched.
func (s *Service) PatchBook(ctx context.Context, world, book string, patch json.RawMessage, o SaveBook) (SavedBook, error) {
	if members, ok := object(patch); !ok || members["entries"] != nil {
		return SavedBook{}, store.Errorf(store.Invalid, "a patch of a book is an object without entries: they are changed one by one")
	}
	return update(ctx, s, world, func(tx *txn) (SavedBook, error) {
		b, o, _, err := tx.bookForEdit(book, o)
		if err != nil {
			return SavedBook{}, err
		}
		bare := *b
		bare.Entries = nil
		text, err := lore.MarshalBook(&bare)
		if err != nil {
			return SavedBook{}, err
		}
		if text, err = mergePatch(text, patch); err != nil {
			return SavedBook{}, err
		}
		next, findings, err := parseBook(book, text)
		if err != nil {
			return SavedBook{}, err
		}
		next.Entries = b.Entries
		saved, err := tx.saveBook(next, o)
		saved.Findings = findings
		return saved, err
	})
}

// bookForEdit returns the newest revision of a book with its hash, and the
// options with the condition that it is still the newest.
func (tx *txn) bookForEdit(book string, o SaveBook) (b *lore.Book, with SaveBook, hash string, err error) {
	info, err := tx.book(book)
	if err != nil {
		return nil, o, "", err
	}
	if o.IfRevision == 0 {
		o.IfRevision = info.Revision
	}
	if o.IfRevision != info.Revision {
		return nil, o, "", store.Errorf(store.Conflict, "the book %q was changed since: it has revision %d, not %d", book, info.Revision, o.IfRevision)
	}
	o.New = false
	c, err := tx.compiled(book, info.Revision, info.Hash)
	if err != nil {
		return nil, o, "", err
	}
	return c.book, o, info.Hash, nil
}

// RevertBook makes an earlier revision of a book the newest one.
func (s *Service) RevertBook(ctx context.Context, world, book string, revision int64, o SaveBook) (SavedBook, error) {
	return update(ctx, s, world, func(tx *txn) (SavedBook, error) {
		if _, err := tx.book(book); err != nil {
			return SavedBook{}, err
		}
		b, err := tx.BookContent(world, book, revision)
		if err != nil {
			return SavedBook{}, err
		}
		o.New = false
		return tx.saveBook(b, o)
	})
}

// DeleteBook hides a book, RestoreBook brings it back.
func (s *Service) DeleteBook(ctx context.Context, world, book string, cond store.If) error {
	return do(ctx, s, world, func(tx *txn) error {
		if _, err := tx.book(book); err != nil {
			return err
		}
		if err := tx.DeleteBook(world, book, cond); err != nil {
			return err
		}
		return tx.event(EventBookDeleted, book, "")
	})
}

// RestoreBook brings a deleted book back.
func (s *Service) RestoreBook(ctx context.Context, world, book string) (store.Book, error) {
	return update(ctx, s, world, func(tx *txn) (store.Book, error) {
		b, err := tx.RestoreBook(world, book)
		if err != nil {
			return b, err
		}
		return b, tx.event(EventBookRestored, book, "")
	})
}

// EraseBook deletes a book for good, with its revisions.
func (s *Service) EraseBook(ctx context.Context, world, book string) error {
	err := do(ctx, s, world, func(tx *txn) error {
		if err := tx.EraseBook(world, book); err != nil {
			return err
		}
		tx.OnCommit(func() { s.forgetBook(world, book) })
		return tx.event(EventBookErased, book, "")
	})
	return s.purged(ctx, err)
}

func (s *Service) forgetBook(world, book string) {
	s.segments.forget(func(k segmentKey) bool { return k.world == world && k.book == book })
	s.books.removeIf(func(_ string, b *bookSet) bool { return b.world == world })
	s.ready.removeIf(func(_ string, r *ready) bool { return r.world == world })
}

// BookEntry returns an authored entry of a book, as the newest revision has it.
// For what the story made of it, see [Service.Entry].
func (s *Service) BookEntry(ctx context.Context, world, book, entry string) (store.Book, *lore.Entry, error) {
	info, b, err := s.Book(ctx, world, book, 0)
	if err != nil {
		return info, nil, err
	}
	e := b.Entry(entry)
	if e == nil {
		return info, nil, noEntry(book, entry)
	}
	return info, e, nil
}

func noEntry(book, entry string) error {
	return store.Errorf(store.NotFound, "the book %q has no entry %q", book, entry)
}

// PutBookEntry puts an entry into a book, or in the place of the one with its
// id, as a new revision.
func (s *Service) PutBookEntry(ctx context.Context, world, book string, e *lore.Entry, o SaveBook) (SavedBook, error) {
	if e == nil || e.ID == "" {
		return SavedBook{}, store.Errorf(store.Invalid, "an entry needs an id")
	}
	return update(ctx, s, world, func(tx *txn) (SavedBook, error) {
		return tx.editEntry(book, e.ID, o, func(*lore.Entry) (*lore.Entry, error) { return e, nil })
	})
}

// PatchBookEntry changes an entry by a merge patch (RFC 7396) of its JSON, as a
// new revision.
func (s *Service) PatchBookEntry(ctx context.Context, world, book, entry string, patch json.RawMessage, o SaveBook) (SavedBook, error) {
	return update(ctx, s, world, func(tx *txn) (SavedBook, error) {
		return tx.editEntry(book, entry, o, func(old *lore.Entry) (*lore.Entry, error) {
			if old == nil {
				return nil, noEntry(book, entry)
			}
			return patchEntry(old, patch)
		})
	})
}

// DeleteBookEntry takes an entry out of a book, as a new revision.
func (s *Service) DeleteBookEntry(ctx context.Context, world, book, entry string, o SaveBook) (SavedBook, error) {
	return update(ctx, s, world, func(tx *txn) (SavedBook, error) {
		return tx.editEntry(book, entry, o, func(old *lore.Entry) (*lore.Entry, error) {
			if old == nil {
				return nil, noEntry(book, entry)
			}
			return nil, nil
		})
	})
}

// editEntry saves a book with one entry changed, added, or (nil) taken out.
func (tx *txn) editEntry(book, id string, o SaveBook, edit func(old *lore.Entry) (*lore.Entry, error)) (SavedBook, error) {
	b, o, hash, err := tx.bookForEdit(book, o)
	if err != nil {
		return SavedBook{}, err
	}
	e, err := edit(b.Entry(id))
	if err != nil {
		return SavedBook{}, err
	}
	if e, err = asStored(e); err != nil {
		return SavedBook{}, err
	}
	next := *b
	next.Entries = make([]*lore.Entry, 0, len(b.Entries)+1)
	placed := e == nil
	for _, old := range b.Entries {
		switch {
		case old.ID != id:
			next.Entries = append(next.Entries, old)
		case !placed:
			next.Entries, placed = append(next.Entries, e), true
		}
	}
	if !placed {
		next.Entries = append(next.Entries, e)
	}
	o.base = b
	saved, err := tx.saveBook(&next, o)
	if err != nil || !saved.Fresh {
		return saved, err
	}
	if e != nil {
		one := next
		one.Entries = []*lore.Entry{e}
		saved.Findings = lore.Validate(&one)
	}
	// One entry is compiled, not the book; that is done again when many differ,
	// where nobody else waits for it.
	if was := tx.s.segments.peek(segmentKey{tx.id, book, hash}); was != nil {
		key := segmentKey{tx.id, book, saved.Hash}
		c := was.edited(&next, id)
		tx.s.segments.put(key, c)
		if len(c.put)+len(c.hide) >= maxPatched {
			tx.OnCommit(func() { tx.s.segments.replace(key, compile(&next)) })
		}
	}
	return saved, nil
}

// lossy reports whether what a finding is about was left out.
func lossy(code string) bool {
	prefix, _, _ := strings.Cut(code, "-")
	return prefix == "meta" || prefix == "io" || prefix == "text"
}

// asStored returns an entry as it will be read from the database.
func asStored(e *lore.Entry) (*lore.Entry, error) {
	if e == nil {
		return nil, nil
	}
	text, err := lore.MarshalEntry(e)
	if err != nil {
		return nil, &store.Error{Kind: store.Invalid, Message: "the entry " + e.ID + " cannot be kept: " + err.Error(), Err: err}
	}
	out, err := lore.UnmarshalEntry(text)
	if err != nil {
		return nil, &store.Error{Kind: store.Invalid, Message: "the entry " + e.ID + " cannot be kept: " + err.Error(), Err: err}
	}
	return out, nil
}

// patchEntry lays a merge patch over an entry.
func patchEntry(old *lore.Entry, patch json.RawMessage) (*lore.Entry, error) {
	text, err := lore.MarshalEntry(old)
	if err != nil {
		return nil, err
	}
	if text, err = mergePatch(text, patch); err != nil {
		return nil, err
	}
	e, err := lore.UnmarshalEntry(text)
	if err != nil {
		return nil, &store.Error{Kind: store.Invalid, Message: "the entry cannot be read: " + err.Error(), Err: err}
	}
	if e.ID != old.ID {
		return nil, store.Errorf(store.Invalid, "an entry keeps its id: it is %q, not %q", old.ID, e.ID)
	}
	e.Origin = old.Origin
	return e, nil
}
