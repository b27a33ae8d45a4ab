package memory

import (
	"slices"
	"strings"

	"github.com/weft-memory/weft/lore"
)

// Category is a node of a book's lore tree.
type Category struct {
	// Book and ID name it; the root of a book has no ID.
	Book string `json:"book"`
	ID   string `json:"id,omitempty"`
	Name string `json:"name,omitempty"`
	// Summary says what lies below. It may be empty.
	Summary string `json:"summary,omitempty"`
	// Children and Entries are ordered as they came to be.
	Children []*Category `json:"children,omitempty"`
	Entries  []Ref       `json:"entries,omitempty"`
}

// Categories returns the lore tree: a root for each book that has live entries
// or categories. Every live entry is in exactly one category. One whose
// category was forgotten is in the nearest live one above; one whose category
// never was, at the root.
func (v *View) Categories() []*Category {
	t := &tree{v: v, nodes: map[Ref]*Category{}}
	var refs []Ref
	for _, b := range v.base.books {
		b.look()
		for _, f := range b.Folders {
			refs = append(refs, Ref{b.ID, CategoryID(f.ID)})
		}
	}
	for _, s := range v.created() {
		if s.ref.IsCategory() {
			refs = append(refs, s.ref)
		}
	}
	for _, r := range refs {
		if e := v.Entry(r.Book, r.Entry); e != nil && v.Redirect(r.Book, r.Entry) == r && t.nodes[r] == nil {
			t.nodes[r] = v.category(r, e)
		}
	}
	for _, r := range refs {
		if c := t.nodes[r]; c != nil {
			up := t.above(r)
			up.Children = append(up.Children, c)
		}
	}
	for _, r := range v.Live() {
		c := t.place(r.Book, v.asked(r))
		c.Entries = append(c.Entries, r)
	}
	return t.roots
}

// CategoryOf returns the id of the category that an entry is in; "" for the
// root.
func (v *View) CategoryOf(book, id string) string {
	r := v.Redirect(book, id)
	return v.nearest(r.Book, v.asked(r))
}

func (v *View) category(r Ref, e *lore.Entry) *Category {
	c := &Category{Book: r.Book, ID: r.category(), Name: e.Name, Summary: e.Content}
	if s := v.states[r]; s != nil { // a name or summary laid over a folder replaces it
		if s.over != nil {
			over := s.over.lore()
			c.Summary = strings.TrimSpace(strings.Join([]string{s.own.content, fresh(over.Content, s.own.content)}, "\n"))
		} else {
			c.Summary = s.own.content
		}
	}
	return c
}

// asked returns the category that was asked for last for an entry or category.
func (v *View) asked(r Ref) string {
	if s := v.states[r]; s != nil {
		return s.category
	}
	if e := v.base.entry(r); e != nil {
		return e.Folder
	}
	return ""
}

// nearest returns the first live category from id upwards.
func (v *View) nearest(book, id string) string {
	seen := map[string]bool{}
	for id != "" && !seen[id] {
		seen[id] = true
		r, s := v.follow(Ref{book, CategoryID(id)})
		switch {
		case r.Book != book:
			return ""
		case s == nil && v.base.entry(r) != nil, s != nil && s.live():
			return r.category()
		case s == nil || !s.exists():
			return ""
		}
		id = s.category
	}
	return ""
}

type tree struct {
	v     *View
	nodes map[Ref]*Category
	roots []*Category
}

func (t *tree) root(book string) *Category {
	i := slices.IndexFunc(t.roots, func(c *Category) bool { return c.Book == book })
	if i < 0 {
		i = len(t.roots)
		c := &Category{Book: book}
		if b := t.v.base.byID[book]; b != nil {
			c.Name = b.Name
		}
		t.roots = append(t.roots, c)
	}
	return t.roots[i]
}

// place returns the node for the category that is asked for.
func (t *tree) place(book, id string) *Category {
	if c := t.nodes[Ref{book, CategoryID(t.v.nearest(book, id))}]; c != nil {
		return c
	}
	return t.root(book)
}

// above returns the node above a category. Where the folders of a book go in a
// circle, the one with the lowest id hangs from the root.
func (t *tree) above(r Ref) *Category {
	lowest, seen := r.category(), map[string]bool{r.category(): true}
	for id := t.v.nearest(r.Book, t.v.asked(r)); id != ""; id = t.v.nearest(r.Book, t.v.asked(Ref{r.Book, CategoryID(id)})) {
		if id == r.category() { // a circle, and r is part of it
			if lowest == r.category() {
				return t.root(r.Book)
			}
			break
		}
		if seen[id] {
			break
		}
		seen[id] = true
		lowest = min(lowest, id)
	}
	return t.place(r.Book, t.v.asked(r))
}
