package memory

import (
	"sync"

	"github.com/weft-memory/weft/lore"
)

// base are the books below a view, looked up by id. It is shared by all views
// that were made from one another.
type base struct {
	books []*baseBook
	byID  map[string]*baseBook
}

type baseBook struct {
	*lore.Book
	once sync.Once
	byID map[string]*lore.Entry
	// cats are the folders, as entries: a category is patched like one.
	cats map[string]*lore.Entry
}

func newBase(books []*lore.Book) *base {
	b := &base{byID: make(map[string]*baseBook, len(books))}
	for _, book := range books {
		if book == nil || b.byID[book.ID] != nil {
			continue
		}
		bb := &baseBook{Book: book}
		b.books = append(b.books, bb)
		b.byID[book.ID] = bb
	}
	return b
}

func (b *baseBook) look() {
	b.once.Do(func() {
		b.byID = make(map[string]*lore.Entry, len(b.Entries))
		for _, e := range b.Entries {
			if e != nil {
				b.byID[e.ID] = e // of entries with one id the last counts
			}
		}
		b.cats = make(map[string]*lore.Entry, len(b.Folders))
		for _, f := range b.Folders {
			e := lore.NewEntry(CategoryID(f.ID), "")
			e.Name, e.Folder = f.Name, f.Parent
			b.cats[e.ID] = e
		}
	})
}

// entry returns the authored entry, or the folder as an entry; nil if there is
// none.
func (b *base) entry(r Ref) *lore.Entry {
	book := b.byID[r.Book]
	if book == nil {
		return nil
	}
	book.look()
	if r.IsCategory() {
		return book.cats[r.Entry]
	}
	return book.byID[r.Entry]
}

// policy returns how the text of a book is read.
func (b *base) policy(book string) lore.Policy {
	if bb := b.byID[book]; bb != nil {
		return bb.Policy
	}
	return NewBook(book).Policy
}

// NewBook returns an empty book for [WorldBook] or [StoryBook]: plain text, so
// that nothing a model wrote is run as a template.
func NewBook(id string) *lore.Book {
	p := lore.PolicyWeaver()
	p.Language = lore.LangPlain
	return &lore.Book{ID: id, Policy: p}
}
