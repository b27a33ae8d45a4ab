package memory

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// The books that take what is not authored. Their names cannot clash with a
// book of a person: ids of books do not begin with a tilde.
const (
	// WorldBook holds entries that a world's characters share.
	WorldBook = "~world"
	// StoryBook holds entries of one conversation.
	StoryBook = "~story"
)

// categoryPrefix marks references to categories, see [CategoryID].
const categoryPrefix = "~category:"

// Ref names an entry in a book. It is compared by value and never joined to
// one string, so that any text may be an id.
type Ref struct {
	Book  string
	Entry string
}

// CategoryID returns the entry id under which operations address the category
// with this id: a category is created, renamed (field name), summarised
// (content), moved and forgotten by the same kinds of operation as an entry.
func CategoryID(id string) string { return categoryPrefix + id }

// IsCategory reports whether the reference names a category.
func (r Ref) IsCategory() bool { return strings.HasPrefix(r.Entry, categoryPrefix) }

// category returns the id of the category that the reference names.
func (r Ref) category() string { return strings.TrimPrefix(r.Entry, categoryPrefix) }

// String returns the reference for messages; it is not meant to be parsed.
func (r Ref) String() string {
	if r.Book == "" {
		return r.Entry
	}
	return r.Book + "/" + r.Entry
}

// compareRefs orders references by book, then entry.
func compareRefs(a, b Ref) int {
	return cmp.Or(strings.Compare(a.Book, b.Book), strings.Compare(a.Entry, b.Entry))
}

// in returns the reference with the book filled in where it names none.
func (r Ref) in(book string) Ref {
	if r.Book == "" {
		r.Book = book
	}
	return r
}

type refJSON struct {
	Book  string `json:"book,omitempty"`
	Entry string `json:"entry"`
}

// MarshalJSON writes {"book", "entry"}, or the entry's id alone if the book is
// the operation's.
func (r Ref) MarshalJSON() ([]byte, error) {
	if r.Book == "" {
		return json.Marshal(r.Entry)
	}
	return json.Marshal(refJSON(r))
}

// UnmarshalJSON reads both forms that MarshalJSON writes.
func (r *Ref) UnmarshalJSON(src []byte) error {
	var id string
	if json.Unmarshal(src, &id) == nil {
		*r = Ref{Entry: id}
		return nil
	}
	var v refJSON
	if err := json.Unmarshal(src, &v); err != nil {
		return errors.New(`a reference is "id" or {"book": "…", "entry": "id"}`)
	}
	*r = Ref(v)
	return nil
}

// GoString keeps test output short.
func (r Ref) GoString() string { return fmt.Sprintf("Ref{%q, %q}", r.Book, r.Entry) }
