package memory

import (
	"cmp"
	"encoding/json"
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
	Book  string `json:"book,omitempty"`
	Entry string `json:"entry"`
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

// refs reads references; the id alone is one in the operation's book.
type refs []Ref

func (r *refs) UnmarshalJSON(src []byte) error {
	var list []json.RawMessage
	if err := json.Unmarshal(src, &list); err != nil {
		return err
	}
	out := make(refs, 0, len(list))
	for i, item := range list {
		var one Ref
		if json.Unmarshal(item, &one.Entry) != nil && json.Unmarshal(item, &one) != nil {
			return fmt.Errorf("reference %d is neither \"id\" nor {\"book\": …, \"entry\": …}", i)
		}
		out = append(out, one)
	}
	if len(out) > 0 {
		*r = out
	}
	return nil
}
