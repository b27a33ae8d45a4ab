package chats

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"

	"github.com/weft-memory/weft/format"
	"github.com/weft-memory/weft/format/jsondoc"
	"github.com/weft-memory/weft/lore"
)

// The names of the formats that are lines of JSON.
const (
	TavernName = "sillytavern-chat"
	ChubName   = "chub-chat"
)

// unused is what newer files hold in place of the names in their head.
const unused = "unused"

// TavernShape returns the shape of SillyTavern chats: a head line, then one
// line for each message with its swipes.
func TavernShape() *Shape {
	s := &Shape{
		info: format.Info{
			Name: TavernName, Title: "SillyTavern chat", Extensions: []string{".jsonl"}, Chats: true, Carries: true,
		},
		lines:     true,
		sniff:     func(m jsondoc.Value) format.Guess { return sniffTavern(m, false) },
		readHead:  readTavernHead,
		headTree:  tavernHead,
		headPlace: []string{"chat_metadata"}, rowPlace: []string{"extra"},
	}
	s.readRow, s.rowTree = readTavern, func(_ *lore.Chat, ms []lore.ChatMessage, old jsondoc.Value) *jsondoc.Tree {
		return tavernMessage(&ms[0], old, false)
	}
	return s
}

// ChubShape returns the shape of Chub chats: SillyTavern's, with texts inside
// objects.
func ChubShape() *Shape {
	s := TavernShape()
	s.info.Name, s.info.Title = ChubName, "Chub chat"
	s.sniff = func(m jsondoc.Value) format.Guess { return sniffTavern(m, true) }
	s.rowTree = func(_ *lore.Chat, ms []lore.ChatMessage, old jsondoc.Value) *jsondoc.Tree {
		return tavernMessage(&ms[0], old, true)
	}
	return s
}

func sniffTavern(m jsondoc.Value, chub bool) format.Guess {
	if (m.Get("mes").Kind() == jsondoc.Object) != chub {
		return format.Guess{}
	}
	return format.Guessf(format.Certain, "lines of JSON that begin as a chat")
}

func readTavernHead(r *format.Reader, head jsondoc.Value, c *lore.Chat) {
	if name := r.Str(head, "user_name"); name != unused {
		c.User = name
	}
	if name := r.Str(head, "character_name"); name != unused && name != "" {
		c.Characters = []string{name}
	}
	meta := head.Get("chat_metadata")
	c.Note = r.Str(meta, "note_prompt")
	if book := r.Str(meta, "world_info"); book != "" {
		c.Books = []string{book}
	}
	for key, v := range meta.Get("variables").Members() {
		if c.Variables == nil {
			c.Variables = map[string]json.RawMessage{}
		}
		c.Variables[key] = json.RawMessage(v.Raw())
	}
	format.SetExt(&c.Ext, "sillytavern", meta.Get("timedWorldInfo"))
}

func tavernHead(c *lore.Chat) *jsondoc.Tree {
	t := jsondoc.Obj(jsondoc.M("user_name", jsondoc.Str(c.User)))
	name := ""
	if len(c.Characters) > 0 {
		name = c.Characters[0]
	}
	t.Set("character_name", jsondoc.Str(name))
	meta := jsondoc.Obj()
	if c.Note != "" {
		meta.Set("note_prompt", jsondoc.Str(c.Note))
	}
	if len(c.Books) > 0 {
		meta.Set("world_info", jsondoc.Str(c.Books[0]))
	}
	if len(c.Variables) > 0 {
		variables := jsondoc.Obj()
		for _, key := range slices.Sorted(maps.Keys(c.Variables)) {
			if doc, err := jsondoc.Parse([]byte(c.Variables[key]), jsondoc.Limits{}); err == nil {
				variables.Set(key, doc.Root().Tree())
			}
		}
		meta.Set("variables", variables)
	}
	t.Set("chat_metadata", meta)
	return t
}

// text reads a text, or Chub's object around it.
func text(r *format.Reader, v jsondoc.Value, key string) string {
	if inner := v.Get(key); inner.Kind() == jsondoc.Object {
		return r.Str(inner, "message")
	}
	return r.Str(v, key)
}

func readTavern(r *format.Reader, _ *lore.Chat, v jsondoc.Value) []lore.ChatMessage {
	m := lore.ChatMessage{Message: lore.Message{Name: r.Str(v, "name"), Content: text(r, v, "mes")}}
	m.Kind = v.At("extra", "type").Text()
	m.Hidden = r.Bool(v, "is_system", false)
	switch {
	case r.Bool(v, "is_user", false):
		m.Role = lore.RoleUser
	case m.Kind == "narrator" || m.Hidden && m.Kind != "":
		m.Role = lore.RoleSystem
	default:
		m.Role = lore.RoleAssistant
	}
	m.Time = r.ID(v, "send_date")
	swipes := v.Get("swipes")
	if swipes.Kind() == jsondoc.Array && swipes.Len() > 1 {
		for _, s := range swipes.Items() {
			t := s.Text()
			if s.Kind() == jsondoc.Object {
				t = s.Get("message").Text()
			}
			m.Variants = append(m.Variants, t)
		}
		m.Active = r.Int(v, "swipe_id", 0)
		switch {
		case m.Active < 0 || m.Active >= len(m.Variants):
			r.Warnf(v.Get("swipe_id"), "bad-swipe", "swipe_id is %d, but there are %d swipes: mes counts", m.Active, len(m.Variants))
			m.Active = max(slices.Index(m.Variants, m.Content), 0)
		case m.Variants[m.Active] != m.Content:
			r.Notef(v.Get("mes"), "swipe-differs", "mes is not the swipe that swipe_id names: mes counts")
		}
		if info := v.Get("swipe_info"); info.Kind() == jsondoc.Array && info.Len() != swipes.Len() {
			r.Notef(info, "swipe-info", "swipe_info has %d items for %d swipes", info.Len(), swipes.Len())
		}
	}
	format.SetExt(&m.Ext, "sillytavern", v.Get("extra"))
	return []lore.ChatMessage{m}
}

func tavernMessage(m *lore.ChatMessage, old jsondoc.Value, chub bool) *jsondoc.Tree {
	if old.Exists() { // Chub writes both
		chub = old.Get("mes").Kind() == jsondoc.Object
	}
	wrap := func(s string) *jsondoc.Tree {
		if chub {
			return jsondoc.Obj(jsondoc.M("message", jsondoc.Str(s)))
		}
		return jsondoc.Str(s)
	}
	t := jsondoc.Obj(
		jsondoc.M("name", jsondoc.Str(m.Name)),
		jsondoc.M("is_user", jsondoc.NewBool(m.Role == lore.RoleUser)),
		jsondoc.M("is_system", jsondoc.NewBool(m.Hidden)),
	)
	if m.Time != "" {
		date := jsondoc.Str(m.Time)
		if _, err := strconv.ParseInt(m.Time, 10, 64); err == nil && old.Get("send_date").Kind() != jsondoc.String {
			date = &jsondoc.Tree{Kind: jsondoc.Number, Text: m.Time}
		}
		t.Set("send_date", date)
	}
	t.Set("mes", wrap(m.Content))
	extra := jsondoc.Obj()
	if m.Kind != "" {
		extra.Set("type", jsondoc.Str(m.Kind))
	} else if m.Role == lore.RoleSystem && !m.Hidden {
		extra.Set("type", jsondoc.Str("narrator"))
	}
	t.Set("extra", extra)
	variants := slices.Clone(m.Variants)
	if len(variants) == 0 && old.Get("swipes").Len() > 0 {
		variants = []string{m.Content}
	}
	if len(variants) == 0 {
		return t
	}
	active := min(max(m.Active, 0), len(variants)-1)
	variants[active] = m.Content
	swipes := jsondoc.List()
	for _, s := range variants {
		swipes.Items = append(swipes.Items, wrap(s))
	}
	t.Set("swipe_id", jsondoc.Int(active))
	t.Set("swipes", swipes)
	return t
}
