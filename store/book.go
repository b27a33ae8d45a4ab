package store

import (
	"database/sql"
	"strings"

	"github.com/weft-memory/weft/lore"
)

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

// SaveBook says how a book is saved.
type SaveBook struct {
	// IfRevision is the revision that the caller changed; another current one
	// is a Conflict. 0 means whatever there is.
	IfRevision int64
	// New makes a book that exists an Exists error.
	New bool
	// Base is the revision IfRevision as [Tx.BookContent] returned it, if the book
	// was made from that: entries that both hold, the same in memory, are taken
	// to be unchanged, and saving costs what changed. Nil writes the whole book.
	Base *lore.Book
	// Author and Note become part of the revision.
	Author, Note string
	// Source is written to the book; nil leaves it.
	Source *string
}

const (
	bookColumns = "b.world, b.id, b.name, b.revision, r.hash, r.size, r.entries, b.source, b.deleted, b.version, b.created, b.changed"
	bookTables  = "books b JOIN book_revisions r ON r.world = b.world AND r.book = b.id AND r.revision = b.revision"
)

func (b *Book) dest() []any {
	return []any{
		&b.World, &b.ID, &b.Name, &b.Revision, &b.Hash, &b.Size, &b.Entries, &b.Source,
		&b.Deleted, &b.Version, &b.Created, &b.Changed,
	}
}

// SaveBook saves a book under its ID as the next revision. A book equal to the
// newest revision makes no new one. A deleted book comes back. Ids that begin
// with "~" are kept for the books of the world and story layers and are
// Invalid.
func (tx *Tx) SaveBook(world string, b *lore.Book, s SaveBook) (Book, error) {
	switch {
	case world == System:
		return Book{}, noWorld(world)
	case strings.TrimSpace(b.ID) == "":
		return Book{}, Errorf(Invalid, "a book needs an id")
	case strings.HasPrefix(b.ID, "~"):
		return Book{}, Errorf(Invalid, "the id %q of the book begins with ~, which is kept for what is remembered", b.ID)
	}
	if _, err := tx.world(world); err != nil {
		return Book{}, err
	}
	old, err := tx.Book(world, b.ID)
	is := err == nil
	if err != nil && KindOf(err) != NotFound {
		return Book{}, err
	}
	switch {
	case is && s.New && old.Deleted == 0:
		return Book{}, Errorf(Exists, "there is a book %q already", b.ID)
	case s.IfRevision != 0 && s.IfRevision != old.Revision:
		return Book{}, Errorf(Conflict, "the book %q was changed since: it has revision %d, not %d", b.ID, old.Revision, s.IfRevision)
	}
	text, err := tx.bookParts(b, old, s)
	if err != nil {
		return Book{}, err
	}
	next := Book{
		World: world, ID: b.ID, Name: b.Name, Revision: old.Revision + 1, Hash: text.hash(),
		Size: int64(text.size()), Entries: len(b.Entries), Source: old.Source, Created: old.Created, Changed: tx.now,
	}
	if s.Source != nil {
		next.Source = *s.Source
	}
	if is && old.Hash == next.Hash && old.Deleted == 0 && old.Source == next.Source {
		return old, nil
	}
	w, err := tx.touch(world)
	if err != nil {
		return Book{}, err
	}
	next.Version = w.Revision
	if !is {
		next.Created = tx.now
	}
	same := is && old.Hash == next.Hash
	if same {
		next.Revision = old.Revision
	}
	_, err = tx.exec(`INSERT INTO books (world, id, name, revision, source, deleted, version, created, changed) VALUES ($1, $2, $3, $4, $5, 0, $6, $7, $8)
		ON CONFLICT (world, id) DO UPDATE SET name = excluded.name, revision = excluded.revision, source = excluded.source, deleted = 0, version = excluded.version, changed = excluded.changed`,
		world, b.ID, b.Name, next.Revision, next.Source, next.Version, next.Created, next.Changed)
	if err != nil || same {
		return next, err
	}
	if err := tx.putRevision(next, old, text, s); err != nil {
		return Book{}, err
	}
	tx.keepText(next, text)
	return next, tx.use(w, Usage{Bytes: next.Size - old.Size})
}

// Book returns a book without its entries; also a deleted one.
func (tx *Tx) Book(world, book string) (Book, error) {
	var b Book
	found, err := tx.row("SELECT "+bookColumns+" FROM "+bookTables+" WHERE b.world = $1 AND b.id = $2", []any{world, book}, b.dest()...)
	if err == nil && !found {
		err = Errorf(NotFound, "the world has no book %q", book)
	}
	return b, err
}

// Books lists the books of a world that are not deleted, by id.
func (tx *Tx) Books(world string) (list []Book, err error) {
	err = tx.rows("SELECT "+bookColumns+" FROM "+bookTables+" WHERE b.world = $1 AND b.deleted = 0 ORDER BY b.id", []any{world}, func(r *sql.Rows) error {
		var b Book
		err := r.Scan(b.dest()...)
		list = append(list, b)
		return err
	})
	return list, err
}

// DeleteBook hides a book. [Tx.SaveBook] or [Tx.RestoreBook] bring it back.
func (tx *Tx) DeleteBook(world, book string, cond If) error {
	_, err := tx.markBook(world, book, cond, true)
	return err
}

// RestoreBook brings a deleted book back.
func (tx *Tx) RestoreBook(world, book string) (Book, error) {
	return tx.markBook(world, book, 0, false)
}

func (tx *Tx) markBook(world, book string, cond If, deleted bool) (Book, error) {
	if _, err := tx.world(world); err != nil {
		return Book{}, err
	}
	b, err := tx.Book(world, book)
	if err != nil {
		return Book{}, err
	}
	if err := cond.check("the book", b.Version); err != nil {
		return Book{}, err
	}
	if deleted == (b.Deleted != 0) {
		return b, nil
	}
	w, err := tx.touch(world)
	if err != nil {
		return Book{}, err
	}
	b.Version, b.Changed, b.Deleted = w.Revision, tx.now, 0
	if deleted {
		b.Deleted = tx.now
	}
	_, err = tx.exec("UPDATE books SET deleted = $3, version = $4, changed = $5 WHERE world = $1 AND id = $2", world, book, b.Deleted, b.Version, b.Changed)
	return b, err
}

// EraseBook deletes a book for good, with its revisions. Assemblies that used
// it can no longer be replayed.
func (tx *Tx) EraseBook(world, book string) error {
	w, err := tx.touch(world)
	if err != nil {
		return err
	}
	b, err := tx.Book(world, book)
	if err != nil {
		return err
	}
	if err := tx.use(w, Usage{Bytes: -b.Size}); err != nil {
		return err
	}
	tx.OnCommit(func() {
		tx.db.texts.forget(func(k textKey) bool { return k.world == world && k.book == book })
	})
	return tx.execEach([]any{world, book},
		"DELETE FROM book_revisions WHERE world = $1 AND book = $2",
		"DELETE FROM books WHERE world = $1 AND id = $2")
}
