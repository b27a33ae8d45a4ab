package store

import "github.com/weft-memory/weft/lore"

// Book is a book of a world without its entries. Each saved state is a
// revision of its own that never changes.
type Book struct {
	World, ID, Name string
	// Revision is the newest one, from 1.
	Revision int64
	// Hash is the SHA-256 of the revision's JSON, in hexadecimal.
	Hash string
	// Size is the size of that JSON in bytes, Entries the number of entries.
	Size    int64
	Entries int
	// Source says where the book comes from, for example the path of the folder
	// that is followed; "" if it lives here only.
	Source string
	// Deleted is when the book was deleted; 0 if it was not. Its revisions stay
	// for the assemblies that used them.
	Deleted          int64
	Version          int64
	Created, Changed int64
}

// BookRevision is one saved state of a book.
type BookRevision struct {
	Revision int64
	Hash     string
	Size     int64
	Entries  int
	// Author and Note say who saved it and why.
	Author, Note string
	Time         int64
}

// SaveBook says how a book is saved.
type SaveBook struct {
	// IfRevision is the revision that the caller changed; another current one
	// is a Conflict. 0 means whatever there is.
	IfRevision int64
	// New makes a book that exists a Exists error.
	New bool
	// Author and Note become part of the revision.
	Author, Note string
	// Source is written to the book; nil leaves it.
	Source *string
}

// SaveBook saves a book under its ID as the next revision. A book equal to the
// newest revision makes no new one. A deleted book comes back. Ids that begin
// with "~" are kept for the books of the world and story layers and are
// Invalid.
func (tx *Tx) SaveBook(world string, b *lore.Book, s SaveBook) (Book, error) {
	return Book{}, errPending
}

// Book returns a book without its entries; also a deleted one.
func (tx *Tx) Book(world, book string) (Book, error) { return Book{}, errPending }

// Books lists the books of a world that are not deleted, by id.
func (tx *Tx) Books(world string) ([]Book, error) { return nil, errPending }

// BookJSON returns a revision in Weft's own JSON; with 0 the newest one.
func (tx *Tx) BookJSON(world, book string, revision int64) ([]byte, error) { return nil, errPending }

// BookContent returns a revision; with 0 the newest one. The book is the
// caller's.
func (tx *Tx) BookContent(world, book string, revision int64) (*lore.Book, error) {
	return nil, errPending
}

// BookRevisions lists the revisions of a book, the newest first.
func (tx *Tx) BookRevisions(world, book string, p Page) (list []BookRevision, next string, err error) {
	return nil, "", errPending
}

// DeleteBook hides a book. [Tx.SaveBook] or [Tx.RestoreBook] bring it back.
func (tx *Tx) DeleteBook(world, book string, cond If) error { return errPending }

// RestoreBook brings a deleted book back.
func (tx *Tx) RestoreBook(world, book string) (Book, error) { return Book{}, errPending }

// EraseBook deletes a book for good, with its revisions. Assemblies that used
// it can no longer be replayed.
func (tx *Tx) EraseBook(world, book string) error { return errPending }
