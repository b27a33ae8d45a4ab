package aidungeon

import (
	"encoding/json"
	"strings"
	"unicode/utf8"

	"github.com/weft-memory/weft/format"
	"github.com/weft-memory/weft/format/internal/keys"
	"github.com/weft-memory/weft/format/jsondoc"
	"github.com/weft-memory/weft/lore"
)

// splitKeys splits the keys of a card at its commas. Spaces are part of a key,
// and what stands in `#[…]` is the syntax of a script that no comma divides.
func splitKeys(s string) []string {
	var list []string
	from, script := 0, false
	add := func(to int) {
		if part := s[from:to]; strings.TrimSpace(part) != "" {
			list = append(list, part)
		}
		from = to + 1
	}
	for i := range len(s) {
		switch {
		case s[i] == '[' && i > 0 && s[i-1] == '#':
			script = strings.IndexByte(s[i:], ']') > 0
		case s[i] == ']':
			script = false
		case s[i] == ',' && !script:
			add(i)
		}
	}
	add(len(s))
	return list
}

// kind tells the two shapes apart: story cards hold their text in value, the
// world info of 2021 in entry.
type kind struct{ name, title, content string }

var (
	cards     = kind{Name, "AI Dungeon story cards", "value"}
	worldInfo = kind{WorldInfoName, "AI Dungeon world info (2021)", "entry"}
)

func (s kind) readEntry(r *format.Reader, v jsondoc.Value, _ string) *lore.Entry {
	if !keys.IsEntry(r, v) {
		return nil
	}
	e := &lore.Entry{
		ID: r.ID(v, "id"), Name: r.Str(v, "title"), Comment: r.Str(v, "description"),
		Type: r.Str(v, "type"), Content: r.Str(v, s.content),
	}
	switch list := v.Get("keys"); list.Kind() {
	case jsondoc.Array:
		r.Warnf(list, "field-value", `"keys" is a list where a comma string belongs`)
		e.Keys = keys.Literals(r.Strings(v, "keys"))
	default:
		e.Keys = keys.Literals(splitKeys(r.Str(v, "keys")))
	}
	if raw := keys.Keep(v, "useForCharacterCreation", "hidden"); raw != nil {
		e.Ext = map[string]json.RawMessage{"aidungeon": raw}
	}
	e.InsertionOrder, e.Priority = r.Index(), -r.Index()
	return e
}

func (s kind) newEntry(w *format.Writer, e *lore.Entry) (string, *jsondoc.Tree) {
	isNew := e.Origin.Format != s.name
	keys.ListOrder(w, e, s.name)
	if isNew && utf8.RuneCountInString(e.Content) > longCard {
		w.Approx("content", "longer than the 1,000 characters that the site has allowed")
	}
	t := jsondoc.Obj(
		jsondoc.M("keys", jsondoc.Str(strings.Join(keys.Texts(e.Keys, lore.KeyLiteral, lore.KeyGlob), ","))),
		jsondoc.M(s.content, jsondoc.Str(e.Content)),
	)
	if s == worldInfo {
		if isNew {
			t.Set("id", jsondoc.Str(e.ID))
			t.Set("hidden", jsondoc.NewBool(false))
		}
		return "", t
	}
	cardType := e.Type
	if cardType == "" && isNew {
		cardType = "custom"
	}
	t.Set("type", jsondoc.Str(cardType))
	t.Set("title", jsondoc.Str(e.Name))
	t.Set("description", jsondoc.Str(e.Comment))
	if isNew {
		t.Set("useForCharacterCreation", jsondoc.NewBool(false))
	}
	return "", t
}
