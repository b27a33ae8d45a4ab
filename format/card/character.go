package card

import (
	"encoding/json"
	"slices"

	"github.com/weft-memory/weft/format"
	"github.com/weft-memory/weft/format/jsondoc"
	"github.com/weft-memory/weft/lore"
)

var (
	fieldsV1   = []string{"name", "description", "personality", "scenario", "first_mes", "mes_example"}
	requiredV2 = append(slices.Clone(fieldsV1), "creator_notes", "system_prompt", "post_history_instructions", "creator", "character_version")
)

// twins are the fields that SillyTavern writes at the top of a card too: the
// name there, and the path under data.
var twins = []struct {
	top  string
	path []string
}{
	{"name", []string{"name"}},
	{"description", []string{"description"}},
	{"personality", []string{"personality"}},
	{"scenario", []string{"scenario"}},
	{"first_mes", []string{"first_mes"}},
	{"mes_example", []string{"mes_example"}},
	{"creatorcomment", []string{"creator_notes"}},
	{"tags", []string{"tags"}},
}

// readCharacter reads the object with a character's fields.
func readCharacter(r *format.Reader, d jsondoc.Value) *lore.Character {
	c := &lore.Character{
		Name: r.Str(d, "name"), Nickname: r.Str(d, "nickname"),
		Description: r.Str(d, "description"), Personality: r.Str(d, "personality"), Scenario: r.Str(d, "scenario"),
		Greeting: r.Str(d, "first_mes"), Examples: r.Str(d, "mes_example"),
		SystemPrompt: r.Str(d, "system_prompt"), PostHistory: r.Str(d, "post_history_instructions"),
		Creator: r.Str(d, "creator"), CreatorNotes: r.Str(d, "creator_notes"), Version: r.Str(d, "character_version"),
		Greetings:      readList(r, d, "alternate_greetings"),
		GroupGreetings: readList(r, d, "group_only_greetings"),
	}
	c.Tags = r.Strings(d, "tags")
	ext := d.Get("extensions")
	if p := ext.Get("depth_prompt"); p.Kind() == jsondoc.Object && p.Get("prompt").Text() != "" {
		c.DepthPrompt = &lore.DepthPrompt{Text: r.Str(p, "prompt"), Depth: r.Int(p, "depth", 4), Role: lore.Role(r.Str(p, "role"))}
	}
	if world := ext.Get("world").Text(); world != "" {
		c.Books = []string{world}
	}
	other := jsondoc.Obj()
	for key, m := range ext.Members() {
		if key != "depth_prompt" && key != "world" && key != "weft" {
			other.Members = append(other.Members, jsondoc.M(key, m.Tree()))
		}
	}
	if len(other.Members) > 0 {
		format.SetRawExt(&c.Ext, "extensions", json.RawMessage(other.String()))
	}
	return c
}

// readList reads a list of texts; one text in its place is a list of one.
func readList(r *format.Reader, d jsondoc.Value, key string) []string {
	m := d.Get(key)
	if m.Kind() != jsondoc.String {
		return r.Strings(d, key)
	}
	r.Warnf(m, "field-type", "%q is one string, not a list: taken as a list of one", key)
	return []string{m.Text()}
}

// characterTree writes the fields of a character that are not empty, in the
// order of the specification.
func characterTree(c *lore.Character) *jsondoc.Tree {
	t := jsondoc.Obj()
	text := func(key, s string) {
		if s != "" {
			t.Set(key, jsondoc.Str(s))
		}
	}
	list := func(key string, s []string) {
		if len(s) > 0 {
			t.Set(key, jsondoc.StrList(s))
		}
	}
	text("name", c.Name)
	text("description", c.Description)
	text("personality", c.Personality)
	text("scenario", c.Scenario)
	text("first_mes", c.Greeting)
	text("mes_example", c.Examples)
	text("creator_notes", c.CreatorNotes)
	text("system_prompt", c.SystemPrompt)
	text("post_history_instructions", c.PostHistory)
	list("alternate_greetings", c.Greetings)
	list("tags", c.Tags)
	text("creator", c.Creator)
	text("character_version", c.Version)
	text("nickname", c.Nickname)
	list("group_only_greetings", c.GroupGreetings)
	ext := format.ExtTree(c.Ext, "extensions")
	if ext == nil {
		ext = jsondoc.Obj()
	}
	if len(c.Books) > 0 {
		ext.Set("world", jsondoc.Str(c.Books[0]))
	}
	if p := c.DepthPrompt; p != nil {
		prompt := jsondoc.Obj(jsondoc.M("prompt", jsondoc.Str(p.Text)), jsondoc.M("depth", jsondoc.Int(p.Depth)))
		role := p.Role
		if role == "" {
			role = lore.RoleSystem
		}
		prompt.Set("role", jsondoc.Str(string(role)))
		ext.Set("depth_prompt", prompt)
	}
	if len(ext.Members) > 0 {
		t.Set("extensions", ext)
	}
	return t
}

// checkTwins reports fields that stand twice and differ.
func checkTwins(r *format.Reader, root, d jsondoc.Value) {
	if root == d {
		return
	}
	for _, t := range twins {
		top, inner := root.Get(t.top), d.At(t.path...)
		if top.Kind() == jsondoc.String && inner.Kind() == jsondoc.String && top.Text() != inner.Text() {
			r.Warnf(top, "twins-differ", "%q at the top differs from the one under \"data\", which counts", t.top)
		}
	}
}

// mergeTwins changes the fields at the top together with those under data.
func mergeTwins(edit *jsondoc.Editor, root jsondoc.Value, from, to *jsondoc.Tree) {
	for _, t := range twins {
		old, now := from.At(t.path...), to.At(t.path...)
		top := root.Get(t.top)
		if !top.Exists() || old.Equal(now) {
			continue
		}
		if now == nil {
			if now = jsondoc.Str(""); top.Kind() == jsondoc.Array {
				now = jsondoc.List()
			}
		}
		edit.Replace(top, now)
	}
	for _, key := range []string{"talkativeness", "fav"} {
		old, now := from.At("extensions", key), to.At("extensions", key)
		if top := root.Get(key); top.Exists() && now != nil && !old.Equal(now) {
			edit.Replace(top, now)
		}
	}
}
