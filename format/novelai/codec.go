// Package novelai reads and writes NovelAI lorebooks: .lorebook files of all
// versions, and the lorebooks inside .story and .scenario files and in lorebook
// cards (PNG images with a naidata chunk).
//
// An entry looks back over a range of characters, is cut to a budget of its own,
// and is inserted in the order of its budget priority, higher first, at a
// position counted from either end. Categories are folders; one that is
// switched off switches its entries off. The version of a file is kept as read.
//
// Tests for keys in the story and one draw become rules of the entry; other
// conditions, places relative to a key and subcontexts stay as the file has
// them, and the engine reads them there. What Weft does not model is named when
// a book is read: phrase bias, and conditions of a type that is not known.
package novelai

import (
	"encoding/json"

	"github.com/weft-memory/weft/format"
	"github.com/weft-memory/weft/format/chats"
	"github.com/weft-memory/weft/format/internal/keys"
	"github.com/weft-memory/weft/format/jsondoc"
	"github.com/weft-memory/weft/lore"
)

// The names of the formats.
const (
	Name         = "novelai"
	StoryName    = "novelai-story"
	ScenarioName = "novelai-scenario"
	CardName     = "novelai-card"
)

// newVersion is the version of new files: the common export. Conditions came
// with version 6, which new files take if they need it.
const (
	newVersion       = 4
	conditionVersion = 6
)

// container is a kind of file that holds a lorebook, at path in its JSON.
type container struct {
	name, title, extension, version string
	path                            []string
}

var (
	lorebook = container{Name, "NovelAI lorebook", ".lorebook", "lorebookVersion", nil}
	story    = container{StoryName, "NovelAI story", ".story", "storyContainerVersion", []string{"content", "lorebook"}}
	scenario = container{ScenarioName, "NovelAI scenario", ".scenario", "scenarioVersion", []string{"lorebook"}}
)

// Shape returns the shape of .lorebook files.
func Shape() *format.BookShape { return lorebook.shape() }

// StoryShape returns the shape of the lorebook in a .story file.
func StoryShape() *format.BookShape { return story.shape() }

// ScenarioShape returns the shape of the lorebook in a .scenario file.
func ScenarioShape() *format.BookShape { return scenario.shape() }

func (c container) shape() *format.BookShape {
	return &format.BookShape{
		Info: format.Info{
			Name: c.name, Title: c.title, Extensions: []string{c.extension}, Books: true, Chats: c.name == StoryName, Carries: true,
		},
		Policy:   lore.PolicyNovelAI,
		Sniff:    c.sniff,
		Locate:   c.locate,
		ReadBook: func(r *format.Reader, root jsondoc.Value, b *lore.Book) { c.readBook(r, root, b) },
		ReadEntry: func(r *format.Reader, v jsondoc.Value, _ string) *lore.Entry {
			return readEntry(r, v)
		},
		NewBook:    c.newBook,
		NewEntry:   func(_ *format.Writer, e *lore.Entry) (string, *jsondoc.Tree) { return "", newEntry(e, c.name) },
		EntryPlace: []string{},
		BookPlace:  append([]string{}, c.path...),
		Style:      jsondoc.Indented("  "),
	}
}

func (c container) sniff(root jsondoc.Value) format.Guess {
	entries := root.At(c.path...).Get("entries")
	switch {
	case root.Has(c.version) && (entries.Kind() == jsondoc.Array || c.path != nil):
		return format.Guessf(format.Certain, "a %s", c.version)
	case c.name == Name && entries.Kind() == jsondoc.Array && entries.Len() > 0 && keys.Mostly(entries, isEntry):
		return format.Guessf(format.Likely, "entries with contextConfig")
	}
	return format.Guess{}
}

func isEntry(v jsondoc.Value) bool {
	return v.Has("contextConfig") || v.Has("displayName") && v.Has("text")
}

func (c container) locate(root jsondoc.Value) (format.Layout, bool) {
	path := append(append([]string{}, c.path...), "entries")
	return format.Layout{Path: path}, root.At(path...).Kind() == jsondoc.Array
}

func (c container) readBook(r *format.Reader, root jsondoc.Value, b *lore.Book) {
	switch c.name {
	case StoryName:
		b.Name, b.Description = r.Str(root.Get("metadata"), "title"), r.Str(root.Get("metadata"), "description")
	case ScenarioName:
		b.Name, b.Description = r.Str(root, "title"), r.Str(root, "description")
	}
	v := root.At(c.path...)
	b.Version = r.ID(v, "lorebookVersion")
	if format.SetExt(&b.Ext, "novelai", v.Get("lorebookVersion")); b.Version == "" {
		format.SetRawExt(&b.Ext, "novelai", json.RawMessage("null")) // the file says none
	}
	byLocation := v.At("settings", "orderByKeyLocations")
	b.Policy.OrderByAppearance, _ = byLocation.Bool()
	for _, cat := range v.Get("categories").Items() {
		if cat.Kind() != jsondoc.Object {
			continue
		}
		f := lore.Folder{ID: r.ID(cat, "id"), Name: r.Str(cat, "name"), Disabled: !r.Bool(cat, "enabled", true)}
		format.SetRawExt(&f.Ext, "novelai", r.Ext(cat, folderMembers))
		b.Folders = append(b.Folders, f)
	}
	bias := 0
	for _, e := range v.Get("entries").Items() {
		if hasBias(e) {
			bias++
		}
	}
	if bias > 0 {
		r.Notef(v, "not-modelled", "%d entries have phrase bias, which is for the model's sampler: it is kept", bias)
	}
}

// folderMembers are the members of a category that a folder has fields for; the
// others travel in its Ext.
var folderMembers = map[string]bool{"id": true, "name": true, "enabled": true}

// hasBias reports whether an entry has a bias group with phrases; the editor
// gives every entry an empty one.
func hasBias(e jsondoc.Value) bool {
	for _, g := range e.Get("loreBiasGroups").Items() {
		if g.Get("phrases").Len() > 0 {
			return true
		}
	}
	return false
}

func (c container) newBook(_ *format.Writer, b *lore.Book) *jsondoc.Tree {
	book := jsondoc.Obj()
	version := format.ExtTree(b.Ext, "novelai")
	if version == nil {
		version = jsondoc.Int(newVersion)
		for _, e := range b.Entries {
			if encodeConditions(e, nil, jsondoc.Value{}) != nil {
				version = jsondoc.Int(conditionVersion)
			}
		}
	}
	if version.Kind != jsondoc.Null {
		book.Set("lorebookVersion", version)
	}
	book.Set("entries", jsondoc.List())
	book.Set("settings", jsondoc.Obj(jsondoc.M("orderByKeyLocations", jsondoc.NewBool(b.Policy.OrderByAppearance))))
	categories := jsondoc.List()
	for _, f := range b.Folders {
		cat := jsondoc.Obj(
			jsondoc.M("name", jsondoc.Str(f.Name)), jsondoc.M("id", jsondoc.Str(f.ID)),
			jsondoc.M("enabled", jsondoc.NewBool(!f.Disabled)),
		)
		if rest := format.ExtTree(f.Ext, "novelai"); rest != nil {
			cat.Members = append(cat.Members, rest.Members...)
		} else {
			cat.Set("createSubcontext", jsondoc.NewBool(false))
			cat.Set("useCategoryDefaults", jsondoc.NewBool(false))
			cat.Set("categoryBiasGroups", jsondoc.List())
		}
		categories.Items = append(categories.Items, cat)
	}
	book.Set("categories", categories)
	switch c.name {
	case StoryName:
		return jsondoc.Obj(
			jsondoc.M("storyContainerVersion", jsondoc.Int(1)),
			jsondoc.M("metadata", jsondoc.Obj(
				jsondoc.M("title", jsondoc.Str(b.Name)), jsondoc.M("description", jsondoc.Str(b.Description)),
			)),
			jsondoc.M("content", jsondoc.Obj(
				jsondoc.M("story", jsondoc.Obj(jsondoc.M("version", jsondoc.Int(2)), jsondoc.M("fragments", jsondoc.List()))),
				jsondoc.M("lorebook", book),
			)),
		)
	case ScenarioName:
		return jsondoc.Obj(
			jsondoc.M("scenarioVersion", jsondoc.Int(2)),
			jsondoc.M("title", jsondoc.Str(b.Name)), jsondoc.M("description", jsondoc.Str(b.Description)),
			jsondoc.M("prompt", jsondoc.Str("")), jsondoc.M("context", jsondoc.List()), jsondoc.M("placeholders", jsondoc.List()),
			jsondoc.M("lorebook", book),
		)
	}
	return book
}

// Codecs returns the codecs of .lorebook, .story and .scenario files and of
// lorebook cards.
func Codecs() []format.Codec {
	return []format.Codec{
		format.NewBookCodec(Shape()),
		chats.WithBook(format.NewBookCodec(StoryShape()), chats.FragmentsShape(StoryName)),
		format.NewBookCodec(ScenarioShape()),
		CardCodec(),
	}
}
