package world

import (
	"context"
	"encoding/json"

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
}

// Books lists the books of a world by id, without their entries.
func (s *Service) Books(ctx context.Context, world string) ([]store.Book, error) {
	return nil, errPending
}

// Book returns a book at a revision; with 0 the newest one. The book is shared
// and must not be changed: change a [lore.Book.Clone].
func (s *Service) Book(ctx context.Context, world, book string, revision int64) (store.Book, *lore.Book, error) {
	return store.Book{}, nil, errPending
}

// BookJSON returns a book in Weft's own JSON.
func (s *Service) BookJSON(ctx context.Context, world, book string, revision int64) (store.Book, []byte, error) {
	return store.Book{}, nil, errPending
}

// BookRevisions lists the revisions of a book, the newest first.
func (s *Service) BookRevisions(ctx context.Context, world, book string, p store.Page) (list []store.BookRevision, next string, err error) {
	return nil, "", errPending
}

// SaveBook saves a book under its ID as the next revision, written by the
// caller. What is wrong with the book is returned beside it; only what cannot
// be stored is an error.
func (s *Service) SaveBook(ctx context.Context, world string, b *lore.Book, o SaveBook) (SavedBook, error) {
	return SavedBook{}, errPending
}

// SavedBook is a book as it was saved.
type SavedBook struct {
	store.Book
	// Fresh says that a revision was made; otherwise nothing had changed.
	Fresh bool
	// Findings are what is wrong with the book.
	Findings diag.List
}

// SaveBookJSON is SaveBook for a book in Weft's own JSON. An id in the text
// other than book is Invalid.
func (s *Service) SaveBookJSON(ctx context.Context, world, book string, src []byte, o SaveBook) (SavedBook, error) {
	return SavedBook{}, errPending
}

// PatchBook changes the fields of a book by a merge patch (RFC 7396) of its
// JSON; entries are not touched.
func (s *Service) PatchBook(ctx context.Context, world, book string, patch json.RawMessage, o SaveBook) (SavedBook, error) {
	return SavedBook{}, errPending
}

// RevertBook makes an earlier revision of a book the newest one.
func (s *Service) RevertBook(ctx context.Context, world, book string, revision int64, o SaveBook) (SavedBook, error) {
	return SavedBook{}, errPending
}

// DeleteBook hides a book, RestoreBook brings it back.
func (s *Service) DeleteBook(ctx context.Context, world, book string, cond store.If) error {
	return errPending
}

// RestoreBook brings a deleted book back.
func (s *Service) RestoreBook(ctx context.Context, world, book string) (store.Book, error) {
	return store.Book{}, errPending
}

// EraseBook deletes a book for good, with its revisions.
func (s *Service) EraseBook(ctx context.Context, world, book string) error { return errPending }

// BookEntry returns an authored entry of a book, as the newest revision has it.
// For what the story made of it, see [Service.Entry].
func (s *Service) BookEntry(ctx context.Context, world, book, entry string) (store.Book, *lore.Entry, error) {
	return store.Book{}, nil, errPending
}

// PutBookEntry puts an entry into a book, or in the place of the one with its
// id, as a new revision.
func (s *Service) PutBookEntry(ctx context.Context, world, book string, e *lore.Entry, o SaveBook) (SavedBook, error) {
	return SavedBook{}, errPending
}

// PatchBookEntry changes an entry by a merge patch (RFC 7396) of its JSON, as a
// new revision.
func (s *Service) PatchBookEntry(ctx context.Context, world, book, entry string, patch json.RawMessage, o SaveBook) (SavedBook, error) {
	return SavedBook{}, errPending
}

// DeleteBookEntry takes an entry out of a book, as a new revision.
func (s *Service) DeleteBookEntry(ctx context.Context, world, book, entry string, o SaveBook) (SavedBook, error) {
	return SavedBook{}, errPending
}

// SyncDir brings the books of a world up to what a folder holds: a book folder,
// a folder of book folders and of files that can be imported. A book that
// cannot be read keeps its last good revision and is reported; a book whose
// files are gone is deleted. Nothing is saved that did not change, so it may be
// called before every turn.
func (s *Service) SyncDir(ctx context.Context, world, dir string) (SyncReport, error) {
	return SyncReport{}, errPending
}

// SyncReport says what SyncDir did.
type SyncReport struct {
	Saved     []SavedBook
	Unchanged []string // ids
	Deleted   []string // ids
	// Kept are the books that could not be read, which stay as they were.
	Kept     []string
	Findings diag.List
}
