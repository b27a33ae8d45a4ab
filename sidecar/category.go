package sidecar

import (
	"strings"

	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/memory"
	"github.com/weft-memory/weft/resolve"
)

// typeCategories are the categories of entries that a model gives none.
var typeCategories = map[string]string{
	"character": "Characters", "location": "Places", "organization": "Groups", "event": "Events", "plot": "Plots", "threat": "Plots",
	"item": "Items", "power": "Rules", "rule": "Rules", "culture": "Cultures", TypeSummary: "Summaries",
}

// maxCategoryDepth is how deep categories made by a model may stand.
const maxCategoryDepth = 3

// categoryFor returns the path of categories for an entry.
func categoryFor(path, typ string) []string {
	var steps []string
	for _, s := range strings.FieldsFunc(path, func(r rune) bool { return r == '/' || r == '>' || r == '\\' }) {
		if s = clip(strings.TrimSpace(s), 60); s != "" && len(steps) < maxCategoryDepth {
			steps = append(steps, s)
		}
	}
	if steps == nil {
		if name, ok := typeCategories[typ]; ok {
			return []string{name}
		}
		return nil
	}
	return steps
}

// category returns the id of a category of a book, making what is missing on the
// way to it.
func (w *Writer) category(book string, path []string, a args) string {
	parent := ""
	for _, name := range path {
		at := findCategory(w.known.view.Categories(), book, parent)
		next := ""
		if at != nil {
			for _, c := range at.Children {
				if resolve.Normal(c.Name) == resolve.Normal(name) || c.ID == name {
					next = c.ID
				}
			}
		}
		if next == "" {
			next = w.newCategory(book, parent, name, a)
		}
		parent = next
	}
	return parent
}

func (w *Writer) newCategory(book, parent, name string, a args) string {
	base := strings.ReplaceAll(resolve.Normal(name), " ", "-")
	if parent != "" {
		base = parent + "." + base
	}
	id := clip(base, 80)
	for n := 2; w.known.view.Status(book, memory.CategoryID(id)) != memory.StatusUnknown; n++ {
		id = clip(base, 76) + "-" + itoa(n)
	}
	e := lore.NewEntry(memory.CategoryID(id), "")
	e.Name, e.Folder = name, parent
	w.add(memory.Operation{Book: book, Entry: e.ID, Kind: memory.KindCreate, Change: memory.Change{Entry: e}}, args{"reason": a["reason"]})
	return id
}

// findCategory finds a category of a book; id "" is its root.
func findCategory(roots []*memory.Category, book, id string) *memory.Category {
	for _, c := range roots {
		if c.Book == book && c.ID == id {
			return c
		}
		if c.Book == book {
			if found := findCategory(c.Children, book, id); found != nil {
				return found
			}
		}
	}
	return nil
}

func (w *Writer) reorganize(a args) (string, bool) {
	path := categoryFor(a.text("category"), "")
	if path == nil {
		return "Say which category.", false
	}
	book := memory.StoryBook
	if a.text("entry") == "" {
		summary := clip(a.text("summary"), 600)
		if summary == "" {
			return "Give the entry that moves, or what the category holds.", false
		}
		id := w.category(book, path, a)
		now := w.known.view.Entry(book, memory.CategoryID(id))
		if now == nil {
			return "There is no such category.", false
		}
		was, is := *now, *now
		is.Content = summary
		if waits := w.add(memory.Operation{Book: book, Entry: memory.CategoryID(id), Kind: memory.KindPatch, Change: memory.Diff(&was, &is)}, a); waits != "" {
			return "That waits for a person: " + waits + ".", false
		}
		return "Noted what " + strings.Join(path, "/") + " holds.", true
	}
	ref, why := w.known.find(a.text("entry"))
	if why != "" {
		return sentence(why), false
	}
	if w.guarded(ref) {
		return w.known.label(ref) + " is authored: it stays where its author put it.", false
	}
	id := w.category(ref.Book, path, a)
	if w.known.view.CategoryOf(ref.Book, ref.Entry) == id {
		return w.known.label(ref) + " is there already.", true
	}
	op := memory.Operation{Book: ref.Book, Entry: ref.Entry, Kind: memory.KindMove, Change: memory.Change{Category: id}}
	if waits := w.add(op, a); waits != "" {
		return "That waits for a person: " + waits + ".", false
	}
	return w.known.label(ref) + " is in " + strings.Join(path, "/") + " now.", true
}
