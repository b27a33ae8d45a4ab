// Package aidungeon reads and writes AI Dungeon's story cards and the world
// info that came before them.
//
// Both are plain lists: a card has its keys in one comma string, in which a
// space is part of the key, and its text in value; world info of 2021 has the
// text in entry. There is no order, no budget, no logic and no place for
// foreign data, so that a conversion to this format reports what it loses.
package aidungeon

import (
	"github.com/weft-memory/weft/format"
	"github.com/weft-memory/weft/format/internal/keys"
	"github.com/weft-memory/weft/format/jsondoc"
	"github.com/weft-memory/weft/lore"
)

// The names of the two formats.
const (
	Name          = "aidungeon"
	WorldInfoName = "aidungeon-worldinfo"
)

// longCard is what an older note of the site gives as the longest value.
const longCard = 1000

// Codecs returns the codecs of story cards and of world info.
func Codecs() []format.Codec {
	return []format.Codec{format.NewBookCodec(CardShape()), format.NewBookCodec(WorldInfoShape())}
}

// CardShape returns the shape of story cards.
func CardShape() *format.BookShape { return cards.shape() }

// WorldInfoShape returns the shape of the world info of 2021.
func WorldInfoShape() *format.BookShape { return worldInfo.shape() }

func (s kind) shape() *format.BookShape {
	return &format.BookShape{
		Info:      format.Info{Name: s.name, Title: s.title, Extensions: []string{".json"}, Books: true},
		Policy:    lore.PolicyAIDungeon,
		Sniff:     s.sniff,
		Locate:    s.locate,
		ReadBook:  s.readBook,
		ReadEntry: s.readEntry,
		NewBook:   func(*format.Writer, *lore.Book) *jsondoc.Tree { return jsondoc.List() },
		NewEntry:  s.newEntry,
		ListOrder: true,
		Style:     jsondoc.Indented("  "),
	}
}

// list returns the list of entries: the file itself, or the list in a scenario
// export.
func (s kind) list(root jsondoc.Value) (jsondoc.Value, []string) {
	if root.Kind() == jsondoc.Object && s == worldInfo {
		if l := root.Get("worldInfo"); l.Kind() == jsondoc.Array {
			return l, []string{"worldInfo"}
		}
	}
	if root.Kind() == jsondoc.Object && s == cards {
		if l := root.Get("storyCards"); l.Kind() == jsondoc.Array {
			return l, []string{"storyCards"}
		}
	}
	return root, nil
}

func (s kind) sniff(root jsondoc.Value) format.Guess {
	list, path := s.list(root)
	if list.Kind() != jsondoc.Array || list.Len() == 0 {
		if path != nil {
			return format.Guessf(format.Likely, "a scenario with %s", path[0])
		}
		return format.Guess{}
	}
	if keys.Mostly(list, s.isEntry) {
		return format.Guessf(format.Likely, "a list of cards with keys and %s", s.content)
	}
	return format.Guess{}
}

// isEntry reports whether a row is a card; one whose keys are missing is known
// by its other members.
func (s kind) isEntry(v jsondoc.Value) bool {
	switch {
	case !v.Has(s.content) || v.Has("keywords") || v.Has("contextConfig"):
		return false
	case v.Get("keys").Kind() == jsondoc.String:
		return true
	case !v.Get("keys").IsNull():
		return false
	case s == worldInfo:
		return v.Has("hidden")
	}
	return v.Has("useForCharacterCreation") || v.Has("title") && v.Has("type")
}

func (s kind) locate(root jsondoc.Value) (format.Layout, bool) {
	list, path := s.list(root)
	return format.Layout{Path: path}, list.Kind() == jsondoc.Array
}

func (s kind) readBook(r *format.Reader, root jsondoc.Value, b *lore.Book) {
	if root.Kind() == jsondoc.Object {
		b.Name, b.Description = r.Str(root, "title"), r.Str(root, "description")
	}
	r.Notef(root, "not-modelled", "AI Dungeon does not say how many actions it searches: the last %d messages are", lore.DefaultScanDepth)
}
