package store

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/weft-memory/weft/lore"
)

// bookText is the JSON of a revision, cut where its entries begin and end: what
// stands before them, each entry with the comma and the line break before it,
// and what stands behind them. One behind the other they are the text. It is
// never changed.
type bookText []string

// The seams of a text that [lore.MarshalBook] wrote.
const (
	textEntries   = "\n  \"entries\": ["
	textFirst     = "\n    {"
	textNext      = ",\n    {"
	textEnd       = "\n  ]\n}\n"
	textNoEntries = "]\n}\n"
)

// splitBook cuts the JSON of a book. A text of another form is one piece.
func splitBook(text string) bookText {
	head := strings.Index(text, textEntries)
	if head < 0 {
		return bookText{text}
	}
	head += len(textEntries)
	if text[head:] == textNoEntries {
		return bookText{text[:head], textNoEntries}
	}
	if !strings.HasPrefix(text[head:], textFirst) || !strings.HasSuffix(text[head:], textEnd) {
		return bookText{text}
	}
	out := bookText{text[:head]}
	for rest := text[head : len(text)-len(textEnd)]; ; {
		// No text in JSON holds a line break, so this is where an entry begins.
		end := strings.Index(rest[1:], textNext)
		if end < 0 {
			return append(out, rest, textEnd)
		}
		out = append(out, rest[:end+1])
		rest = rest[end+1:]
	}
}

// entries is how many entries the text was cut into.
func (t bookText) entries() int { return max(0, len(t)-2) }

func (t bookText) size() (n int) {
	for _, p := range t {
		n += len(p)
	}
	return n
}

func (t bookText) bytes() []byte {
	out := make([]byte, 0, t.size())
	for _, p := range t {
		out = append(out, p...)
	}
	return out
}

// hash returns the SHA-256 of the text, in hexadecimal.
func (t bookText) hash() string {
	h := sha256.New()
	buf := make([]byte, 0, 32<<10)
	for _, p := range t {
		if len(buf)+len(p) > cap(buf) {
			h.Write(buf)
			buf = buf[:0]
		}
		buf = append(buf, p...)
	}
	h.Write(buf)
	return hex.EncodeToString(h.Sum(nil))
}

// splice is [splice] of the two texts. Pieces that are the same count whole.
func (t bookText) splice(old bookText) []byte {
	first, last, most := 0, 0, min(len(t), len(old))
	for first < most && t[first] == old[first] {
		first++
	}
	for last < most-first && t[len(t)-1-last] == old[len(old)-1-last] {
		last++
	}
	return putSplice(old[:first].size(), old[len(old)-last:].size(), t[first:len(t)-last].bytes())
}

// pieceAt returns a piece as that of the first entry, or of another one.
func pieceAt(first bool, piece string) string {
	switch comma := piece[0] == ','; {
	case comma && first:
		return piece[1:]
	case !comma && !first:
		return "," + piece
	}
	return piece
}

// maxRewritten is how many entries a change may concern before the book is
// written as a whole.
const maxRewritten = 64

// rewrite returns the JSON of a book that was made from another one, whose JSON
// t is: entries that both share are copied, not written again. ok is false where
// the whole has to be written.
func (t bookText) rewrite(was, is *lore.Book) (out bookText, ok bool) {
	if len(t) < 2 || t.entries() != len(was.Entries) {
		return nil, false
	}
	bare := *is
	bare.Entries = nil
	head, err := lore.MarshalBook(&bare)
	if err != nil || string(head) != t[0]+textNoEntries { // how entries are written depends on it
		return nil, false
	}
	first, last, most := 0, 0, min(len(is.Entries), len(was.Entries))
	for first < most && is.Entries[first] == was.Entries[first] {
		first++
	}
	for last < most-first && is.Entries[len(is.Entries)-1-last] == was.Entries[len(was.Entries)-1-last] {
		last++
	}
	changed := is.Entries[first : len(is.Entries)-last]
	if len(changed) > maxRewritten {
		return nil, false
	}
	out = make(bookText, 0, len(is.Entries)+2)
	out = append(out, t[:1+first]...)
	for _, e := range changed {
		bare.Entries = []*lore.Entry{e}
		text, err := lore.MarshalBook(&bare)
		if err != nil {
			return nil, false
		}
		alone := splitBook(string(text))
		if alone.entries() != 1 || alone[0] != t[0] {
			return nil, false
		}
		out = append(out, pieceAt(len(out) == 1, alone[1]))
	}
	for _, p := range t[len(t)-1-last : len(t)-1] {
		out = append(out, pieceAt(len(out) == 1, p))
	}
	if len(out) == 1 {
		return append(out, textNoEntries), true
	}
	return append(out, textEnd), true
}

// textKey names the text of a revision: the hash says what it holds.
type textKey struct {
	world, book, hash string
}

// textCache remembers the texts of the newest revisions of books.
type textCache = lru[textKey, bookText]

// cachedTexts bounds the bytes of what is remembered of texts of books.
const cachedTexts = 16 << 20

func newTextCache() *textCache { return newLRU[textKey, bookText](cachedTexts) }

func (tx *Tx) keepText(b Book, t bookText) {
	tx.db.texts.put(textKey{b.World, b.ID, b.Hash}, t, t.size()+16*len(t))
}

// textOf returns the JSON of a book's newest revision in pieces.
func (tx *Tx) textOf(b Book) (bookText, error) {
	if t, ok := tx.db.texts.get(textKey{b.World, b.ID, b.Hash}); ok {
		return t, nil
	}
	text, err := tx.bookText(b.World, b.ID, b.Revision)
	if err != nil {
		return nil, err
	}
	t := splitBook(string(text))
	tx.keepText(b, t)
	return t, nil
}

// bookParts returns the JSON that a book is saved as.
func (tx *Tx) bookParts(b *lore.Book, old Book, s SaveBook) (bookText, error) {
	if s.Base != nil && old.Revision != 0 && s.IfRevision == old.Revision {
		t, err := tx.textOf(old)
		if err != nil {
			return nil, err
		}
		if t, ok := t.rewrite(s.Base, b); ok {
			return slices.Clip(t), nil
		}
	}
	text, err := lore.MarshalBook(b)
	if err != nil {
		return nil, &Error{Kind: Invalid, Message: "the book " + b.ID + " cannot be kept: " + err.Error(), Err: err}
	}
	return splitBook(string(text)), nil
}
