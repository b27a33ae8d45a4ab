package contextweaver

import (
	"github.com/weft-memory/weft/format"
	"github.com/weft-memory/weft/format/jsondoc"
	"github.com/weft-memory/weft/lore"
)

// The names of the formats.
const (
	Name      = "weaver"      // a folder
	EntryName = "weaver-file" // one .weaver file
	JSONName  = "weft"        // a book in one JSON file
)

// shape describes an entry and a book in Weft's own JSON, which says all that a
// .weaver file says. By it foreign data is carried and comes back.
func shape(name string) *format.BookShape {
	return &format.BookShape{
		Info: format.Info{
			Name: name, Title: "ContextWeaver book (Weft)", Extensions: []string{".json"}, Books: true, Carries: true,
		},
		Policy: lore.PolicyWeaver,
		Sniff:  func(jsondoc.Value) format.Guess { return format.Guess{} },
		Locate: func(root jsondoc.Value) (format.Layout, bool) {
			return format.Layout{Path: []string{"entries"}}, root.Get("entries").Kind() == jsondoc.Array
		},
		ReadBook:   readBook,
		ReadEntry:  func(_ *format.Reader, v jsondoc.Value, _ string) *lore.Entry { return readEntry(v) },
		NewBook:    func(_ *format.Writer, b *lore.Book) *jsondoc.Tree { return bookTree(b) },
		NewEntry:   func(_ *format.Writer, e *lore.Entry) (string, *jsondoc.Tree) { return "", entryTree(e) },
		EntryPlace: []string{"extensions"}, BookPlace: []string{"extensions"},
		Style: jsondoc.Indented("  "),
	}
}

func readBook(_ *format.Reader, root jsondoc.Value, b *lore.Book) {
	t := jsondoc.Obj()
	for key, v := range root.Members() {
		if key != "entries" {
			t.Members = append(t.Members, jsondoc.M(key, v.Tree()))
		}
	}
	t.Set("entries", jsondoc.List())
	read, _ := lore.ParseBook(b.ID+".json", t.Append(nil, jsondoc.Compact()))
	id, origin := b.ID, b.Origin
	*b = *read
	b.Entries, b.Origin = nil, origin
	if !root.Has("id") {
		b.ID = id
	}
}

// plain is the policy under which entries are read and written one by one: it
// has the weaver dialect's defaults and parses no templates.
const plain = "suzune"

func readEntry(v jsondoc.Value) *lore.Entry {
	if v.Kind() != jsondoc.Object {
		return nil
	}
	t := jsondoc.Obj(jsondoc.M("policy", jsondoc.Str(plain)), jsondoc.M("entries", jsondoc.List(v.Tree())))
	b, _ := lore.ParseBook("entry.json", t.Append(nil, jsondoc.Compact()))
	if len(b.Entries) != 1 {
		return nil
	}
	e := b.Entries[0]
	e.Origin = lore.Origin{}
	return e
}

// marshal writes a book in Weft's JSON and returns its tree, nil if it cannot
// be written.
func marshal(b *lore.Book) *jsondoc.Tree {
	src, err := lore.MarshalBook(b)
	if err != nil {
		return nil
	}
	doc, err := jsondoc.Parse(src, jsondoc.Limits{})
	if err != nil {
		return nil
	}
	t := doc.Root().Tree()
	if repeats(t) {
		lastOfEach(t)
	}
	return t
}

func entryTree(e *lore.Entry) *jsondoc.Tree {
	c := *e
	c.Origin = lore.Origin{}
	policy, _ := lore.PolicyByName(plain)
	t := marshal(&lore.Book{ID: "entry", Policy: policy, Entries: []*lore.Entry{&c}})
	if list := t.Get("entries"); list != nil && len(list.Items) == 1 {
		return list.Items[0]
	}
	return jsondoc.Obj(jsondoc.M("id", jsondoc.Str(e.ID)), jsondoc.M("content", jsondoc.Str(e.Content)))
}

func bookTree(b *lore.Book) *jsondoc.Tree {
	c := *b
	c.Entries, c.Origin = nil, lore.Origin{}
	t := marshal(&c)
	if t == nil {
		t = jsondoc.Obj()
	}
	t.Set("entries", jsondoc.List())
	return t
}
