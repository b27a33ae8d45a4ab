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
const bookChain = 32

// putRevision stores a revision of a book.
func (tx *Tx) putRevision(b Book, text []byte, s SaveBook) error {
	var base, step int64
	body := pack(text)
	if b.Revision > 1 && len(body) > 4096 {
		old, oldStep, err := tx.bookText(b.World, b.ID, b.Revision-1)
		if err != nil {
			return err
		}
		if diff := pack(splice(old, text)); oldStep+1 < bookChain && len(diff) < len(body)/2 {
			base, step, body = b.Revision-1, oldStep+1, diff
		}
	}
	_, err := tx.exec(`INSERT INTO book_revisions (world, book, revision, hash, size, entries, base, step, body, author, note, time)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
		b.World, b.ID, b.Revision, b.Hash, b.Size, b.Entries, base, step, body, s.Author, s.Note, tx.now)
	return err
}

// bookText returns the JSON of a revision, and how many differences it was made
// of.
func (tx *Tx) bookText(world, book string, revision int64) (text []byte, step int64, err error) {
	type part struct {
		base, step int64
		body       []byte
		hash       string
	}
	var chain []part
	err = tx.rows(`WITH RECURSIVE chain (revision, base, step, hash, body) AS (
			SELECT revision, base, step, hash, body FROM book_revisions WHERE world = $1 AND book = $2 AND revision = $3
			UNION ALL
			SELECT r.revision, r.base, r.step, r.hash, r.body FROM chain c JOIN book_revisions r ON r.world = $1 AND r.book = $2 AND r.revision = c.base
		) SELECT base, step, hash, body FROM chain ORDER BY revision`,
		[]any{world, book, revision}, func(r *sql.Rows) error {
			var p part
			err := r.Scan(&p.base, &p.step, &p.hash, &p.body)
			chain = append(chain, p)
			return err
		})
	if err != nil {
		return nil, 0, err
	}
	if len(chain) == 0 {
		return nil, 0, Errorf(NotFound, "the world has no revision %d of the book %q", revision, book)
	}
	for _, p := range chain {
		body, err := unpack(p.body)
		if err == nil && p.base != 0 {
			body, err = unsplice(text, body)
		}
		if err != nil {
			return nil, 0, &Error{Kind: Corrupt, Message: "the book " + book + " is damaged in the database: restore a backup", Err: err}
		}
		text, step = body, p.step
	}
	last := chain[len(chain)-1]
	if sum := sha256.Sum256(text); hex.EncodeToString(sum[:]) != last.hash {
		return nil, 0, Errorf(Corrupt, "the book %s is damaged in the database: restore a backup", book)
	}
	return text, step, nil
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
	text, _, err := tx.bookText(world, book, revision)
	return text, err
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
