// Package chub reads and writes Chub's lorebooks: character books with marks of
// the site. Some of SillyTavern's fields stand in the entry or in its
// extensions under the names of world info (excludeRecursion, selectiveLogic);
// they keep their place. The site's defaults are its own: case is ignored, and
// keys match as whole words.
package chub

import (
	"github.com/weft-memory/weft/format"
	"github.com/weft-memory/weft/format/characterbook"
	"github.com/weft-memory/weft/format/internal/keys"
	"github.com/weft-memory/weft/format/jsondoc"
	"github.com/weft-memory/weft/lore"
)

// Name is the name of the format.
const Name = "chub"

// Codec returns the codec of Chub lorebooks.
func Codec() format.Codec { return format.NewBookCodec(Shape()) }

// Shape returns the shape of Chub lorebooks.
func Shape() *format.BookShape {
	base := characterbook.Shape(false)
	s := *base
	s.Info.Name, s.Info.Title = Name, "Chub lorebook"
	s.Policy = lore.PolicyChub
	s.Sniff = sniff
	s.ReadBook = func(r *format.Reader, root jsondoc.Value, b *lore.Book) {
		base.ReadBook(r, root, b)
		b.Policy = lore.PolicyChub()
		words := true
		b.WholeWords = &words
	}
	s.ReadEntry = func(r *format.Reader, v jsondoc.Value, key string) *lore.Entry {
		if v.Kind() == jsondoc.Object && v.Len() == 0 {
			keys.IsEntry(r, v)
			return nil
		}
		e := base.ReadEntry(r, v, key)
		if e != nil {
			readSite(r, v, e)
		}
		return e
	}
	s.NewEntry = func(w *format.Writer, e *lore.Entry) (string, *jsondoc.Tree) {
		key, t := base.NewEntry(w, e)
		if v := keys.Source(e, Name); v.Exists() {
			writeSite(v, e, t)
		}
		return key, t
	}
	return &s
}

func sniff(root jsondoc.Value) format.Guess {
	entries := root.Get("entries")
	if entries.Kind() < jsondoc.Array || root.Has("spec") {
		return format.Guess{}
	}
	if root.Get("extensions").Has("chub") {
		return format.Guessf(format.Certain, "the extension chub")
	}
	if entries.Len() > 0 && keys.Mostly(entries, siteEntry) {
		return format.Guessf(format.Certain, "entries with the marks of Chub")
	}
	return format.Guess{}
}

// siteEntry reports whether an entry has the members that the site writes.
func siteEntry(v jsondoc.Value) bool {
	ext := v.Get("extensions")
	return v.Has("keys") && (ext.Has("embedded") || ext.Has("addMemo")) && (ext.Has("weight") || v.Has("selectiveLogic"))
}

var logics = []lore.Logic{lore.AnyOf, lore.NotAllOf, lore.NoneOf, lore.AllOf}

// first returns the first place in which a member of the site stands: beside
// the entry's other members, or in its extensions.
func first(v jsondoc.Value, name string) jsondoc.Value {
	if m := v.Get("extensions").Get(name); !m.IsNull() {
		return m
	}
	return v.Get(name)
}

// readSite reads the members that stand under other names than SillyTavern's
// in a card.
func readSite(r *format.Reader, v jsondoc.Value, e *lore.Entry) {
	if b, ok := first(v, "excludeRecursion").Bool(); ok {
		e.Recursion.Excluded = b
	}
	if n, ok := first(v, "selectiveLogic").Int(); ok && len(e.Clauses) > 0 && n >= 0 && n < len(logics) {
		e.Clauses[0].Logic = logics[n]
	}
	if use, ok := first(v, "useProbability").Bool(); e.Probability == nil && (use || !ok) {
		if p, ok := first(v, "probability").Float(); ok {
			e.Probability = &p
		}
	}
	if p := r.IntPtr(v, "priority"); p != nil {
		e.Priority = *p
	}
}

// writeSite puts what an edit changed where the site keeps it.
func writeSite(v jsondoc.Value, e *lore.Entry, t *jsondoc.Tree) {
	ext := t.Get("extensions")
	move := func(name, siteName string, value *jsondoc.Tree) {
		if ext != nil && name != siteName {
			ext.Delete(name)
		}
		if v.Has(siteName) {
			t.Set(siteName, value)
		}
		if v.Get("extensions").Has(siteName) && ext != nil {
			ext.Set(siteName, value)
		}
	}
	move("exclude_recursion", "excludeRecursion", jsondoc.NewBool(e.Recursion.Excluded))
	if len(e.Clauses) > 0 {
		for i, l := range logics {
			if l == e.Clauses[0].Logic {
				move("selectiveLogic", "selectiveLogic", jsondoc.Int(i))
			}
		}
	}
	if e.Probability != nil {
		move("probability", "probability", jsondoc.Num(*e.Probability))
	}
	if v.Has("priority") {
		t.Set("priority", jsondoc.Int(e.Priority))
	}
	if v.Get("extensions").Has("displayIndex") && ext != nil {
		ext.Delete("display_index")
	}
}
