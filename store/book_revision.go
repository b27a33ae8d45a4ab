package store

import (
	"crypto/sha256"
	"database/sql"
	"encoding/hex"

	"github.com/weft-memory/weft/lore"
)

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

// A revision is stored as the difference to the one before while that is much
// smaller, at most so many in a row.
const bookChain = 256

// smallBook is the size in bytes up to which a book is always stored whole.
const smallBook = 4096

// putRevision stores a revision of a book; old is the one before, its revision
// 0 if there is none.
func (tx *Tx) putRevision(b, old Book, text bookText, s SaveBook) error {
	var base, step int64
	var body []byte
	if old.Revision > 0 && b.Size > smallBook {
		if _, err := tx.row("SELECT step FROM book_revisions WHERE world = $1 AND book = $2 AND revision = $3", []any{b.World, b.ID, old.Revision}, &step); err != nil {
			return err
		}
		if step++; step < bookChain {
			before, err := tx.textOf(old)
			if err != nil {
				return err
			}
			// Compressed, a whole text has rarely less than an eighth of its size.
			if diff := text.splice(before); int64(len(diff)) < b.Size/16 {
				base, body = old.Revision, pack(diff)
			} else if diff, whole := pack(diff), pack(text.bytes()); len(diff) < len(whole)/2 {
				base, body = old.Revision, diff
			} else {
				body = whole
			}
		}
	}
	if base == 0 {
		step = 0
	}
	if body == nil {
		body = pack(text.bytes())
	}
	_, err := tx.exec(`INSERT INTO book_revisions (world, book, revision, hash, size, entries, base, step, body, author, note, time)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
		b.World, b.ID, b.Revision, b.Hash, b.Size, b.Entries, base, step, body, s.Author, s.Note, tx.now)
	return err
}

// bookText returns the JSON of a revision.
func (tx *Tx) bookText(world, book string, revision int64) (text []byte, err error) {
	var bodies [][]byte
	var hash string
	err = tx.rows(`WITH RECURSIVE chain (revision, base, hash, body) AS (
			SELECT revision, base, hash, body FROM book_revisions WHERE world = $1 AND book = $2 AND revision = $3
			UNION ALL
			SELECT r.revision, r.base, r.hash, r.body FROM chain c JOIN book_revisions r ON r.world = $1 AND r.book = $2 AND r.revision = c.base
		) SELECT hash, body FROM chain ORDER BY revision`,
		[]any{world, book, revision}, func(r *sql.Rows) error {
			var body []byte
			err := r.Scan(&hash, &body)
			bodies = append(bodies, body)
			return err
		})
	if err != nil {
		return nil, err
	}
	if len(bodies) == 0 {
		return nil, Errorf(NotFound, "the world has no revision %d of the book %q", revision, book)
	}
	for i, body := range bodies {
		if bodies[i], err = unpack(body); err != nil {
			return nil, damagedBook(book, err)
		}
	}
	if text, err = unsplice(bodies[0], bodies[1:]...); err != nil {
		return nil, damagedBook(book, err)
	}
	if sum := sha256.Sum256(text); hex.EncodeToString(sum[:]) != hash {
		return nil, damagedBook(book, nil)
	}
	return text, nil
}

func damagedBook(book string, err error) error {
	return &Error{Kind: Corrupt, Message: "the book " + book + " is damaged in the database: restore a backup", Err: err}
}

// BookHash returns the hash of a revision, see [Book].
func (tx *Tx) BookHash(world, book string, revision int64) (hash string, err error) {
	found, err := tx.row("SELECT hash FROM book_revisions WHERE world = $1 AND book = $2 AND revision = $3", []any{world, book, revision}, &hash)
	if err == nil && !found {
		err = Errorf(NotFound, "the book %q has no revision %d: it was erased, or never was", book, revision)
	}
	return hash, err
}

// BookJSON returns a revision in Weft's own JSON; with 0 the newest one.
func (tx *Tx) BookJSON(world, book string, revision int64) ([]byte, error) {
	if revision == 0 {
		b, err := tx.Book(world, book)
		if err != nil {
			return nil, err
		}
		revision = b.Revision
	}
	return tx.bookText(world, book, revision)
}

// BookContent returns a revision; with 0 the newest one. The book is the
// caller's.
func (tx *Tx) BookContent(world, book string, revision int64) (*lore.Book, error) {
	text, err := tx.BookJSON(world, book, revision)
	if err != nil {
		return nil, err
	}
	b, problems := lore.ParseBook(book+".json", text)
	b.ID = book
	b.Origin = lore.Origin{}
	if len(b.Entries) == 0 && problems.Err() != nil { // what was written can be read
		return nil, &Error{Kind: Corrupt, Message: "the book " + book + " cannot be read from the database: " + problems.Err().Error(), Err: problems.Err()}
	}
	return b, nil
}

// BookRevisions lists the revisions of a book, the newest first.
func (tx *Tx) BookRevisions(world, book string, p Page) (list []BookRevision, next string, err error) {
	before := int64(1) << 62
	if err := p.after(&before); err != nil {
		return nil, "", err
	}
	err = tx.rows("SELECT revision, hash, size, entries, author, note, time FROM book_revisions WHERE world = $1 AND book = $2 AND revision < $3 ORDER BY revision DESC LIMIT $4",
		[]any{world, book, before, p.limit() + 1}, func(r *sql.Rows) error {
			var b BookRevision
			err := r.Scan(&b.Revision, &b.Hash, &b.Size, &b.Entries, &b.Author, &b.Note, &b.Time)
			list = append(list, b)
			return err
		})
	if err != nil {
		return nil, "", err
	}
	list, next = cut(p, list, func(b BookRevision) []any { return []any{b.Revision} })
	return list, next, nil
}
