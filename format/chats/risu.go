package chats

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/weft-memory/weft/format"
	"github.com/weft-memory/weft/format/internal/keys"
	"github.com/weft-memory/weft/format/jsondoc"
	"github.com/weft-memory/weft/format/risu"
	"github.com/weft-memory/weft/lore"
)

// RisuName is the name of RisuAI's chats as JSON.
const RisuName = "risu-chat"

// RisuShape returns the shape of RisuAI chats: one of type risuChat, or all of
// a character of type risuAllChats. The greeting is no message; the chat says
// which one of the card it was. There are no swipes.
func RisuShape() *Shape {
	return &Shape{
		info: format.Info{
			Name: RisuName, Title: "RisuAI chat", Extensions: []string{".json"}, Chats: true, Carries: true,
		},
		sniff: func(root jsondoc.Value) format.Guess {
			if t := root.Get("type").Text(); t == "risuChat" || t == "risuAllChats" {
				return format.Guessf(format.Certain, "the type %q", t)
			}
			return format.Guess{}
		},
		chats: func(root jsondoc.Value) []place {
			data := root.Get("data")
			if data.Kind() != jsondoc.Array {
				if data.Get("message").Kind() != jsondoc.Array {
					return nil
				}
				return []place{{head: data, list: data.Get("message"), pointer: "/data/message"}}
			}
			var places []place
			for i, c := range data.Items() {
				if list := c.Get("message"); list.Kind() == jsondoc.Array {
					places = append(places, place{head: c, list: list, pointer: "/data/" + strconv.Itoa(i) + "/message"})
				}
			}
			return places
		},
		readHead: readRisuHead,
		readRow:  readRisuMessage,
		headTree: risuHead,
		rowTree: func(_ *lore.Chat, ms []lore.ChatMessage, old jsondoc.Value) *jsondoc.Tree {
			return risuMessage(&ms[0], old)
		},
		newFile: func(_ *lore.Chat, head *jsondoc.Tree, rows []*jsondoc.Tree) *jsondoc.Tree {
			data := head.Clone()
			if data.Get("message") == nil {
				data.Members = append([]jsondoc.Member{jsondoc.M("message", nil)}, data.Members...)
			}
			data.Set("message", jsondoc.List(rows...))
			return jsondoc.Obj(
				jsondoc.M("type", jsondoc.Str("risuChat")), jsondoc.M("ver", jsondoc.Int(2)),
				jsondoc.M("data", data), jsondoc.M("folders", jsondoc.List()),
			)
		},
		headPlace: []string{}, rowPlace: []string{},
	}
}

func readRisuHead(r *format.Reader, head jsondoc.Value, c *lore.Chat) {
	c.Title, c.Note = r.Str(head, "name"), r.Str(head, "note")
	if n := r.IntPtr(head, "fmIndex"); n != nil {
		greeting := *n + 1 // -1 is the first message
		c.Greeting = &greeting
	}
	for key, v := range head.Get("scriptstate").Members() {
		if c.Variables == nil {
			c.Variables = map[string]json.RawMessage{}
		}
		c.Variables[strings.TrimPrefix(key, "$")] = json.RawMessage(v.Raw())
	}
	if local := head.Get("localLore"); local.Kind() == jsondoc.Array && local.Len() > 0 {
		c.Lore = risu.RowsShape().ReadValue(r, local, "local", "/localLore")
		c.Lore.Name = "Local lore"
	}
}

func risuHead(c *lore.Chat) *jsondoc.Tree {
	t := jsondoc.Obj(jsondoc.M("note", jsondoc.Str(c.Note)), jsondoc.M("name", jsondoc.Str(c.Title)))
	local := jsondoc.List()
	if c.Lore != nil {
		if c.Lore.Origin.Format == risu.RowsName && len(c.Lore.Origin.Raw) > 0 {
			// Edits are spliced into the rows as they were read.
			if doc, err := jsondoc.Parse(c.Lore.Origin.Raw, jsondoc.Limits{}); err == nil {
				ed := doc.Edit()
				book := c.Lore.Clone()
				for _, e := range book.Entries {
					e.Origin.Pointer = e.Origin.Pointer[strings.LastIndexByte(e.Origin.Pointer, '/'):]
				}
				risu.RowsShape().Splice(format.NewWriter(&format.Report{}, format.WriteOptions{}), ed, doc.Root(), book)
				if edited, err := jsondoc.Parse(ed.Bytes(), jsondoc.Limits{}); err == nil {
					local = edited.Root().Tree()
				}
			}
		} else {
			local, _ = risu.RowsShape().NewTree(format.NewWriter(&format.Report{}, format.WriteOptions{}), c.Lore)
		}
	}
	t.Set("localLore", local)
	if c.Greeting != nil {
		t.Set("fmIndex", jsondoc.Int(*c.Greeting-1))
	}
	if len(c.Variables) > 0 {
		state := jsondoc.Obj()
		for _, key := range slices.Sorted(maps.Keys(c.Variables)) {
			if doc, err := jsondoc.Parse([]byte(c.Variables[key]), jsondoc.Limits{}); err == nil {
				state.Set("$"+key, doc.Root().Tree())
			}
		}
		t.Set("scriptstate", state)
	}
	return t
}

func readRisuMessage(r *format.Reader, _ *lore.Chat, v jsondoc.Value) []lore.ChatMessage {
	if v.Kind() != jsondoc.Object {
		r.Errorf(v, "bad-message", "a message is %s, not an object: kept as it is", v.Kind())
		return nil
	}
	m := lore.ChatMessage{
		Message: lore.Message{Role: lore.RoleAssistant, Name: r.Str(v, "name"), Content: r.Str(v, "data")},
		ID:      r.ID(v, "chatId"), Time: r.ID(v, "time"),
	}
	if v.Get("role").Text() == "user" {
		m.Role = lore.RoleUser
	}
	if v.Get("isComment").Truthy() {
		m.Kind, m.Hidden = "comment", true
	}
	// "allBefore" hides the messages before this one too; the mark stays with
	// the message.
	if v.Get("disabled").Truthy() {
		m.Hidden = true
	}
	format.SetRawExt(&m.Ext, "risu", keys.Keep(v, "saying", "disabled", "generationInfo", "promptInfo", "otherUser"))
	return []lore.ChatMessage{m}
}

func risuMessage(m *lore.ChatMessage, old jsondoc.Value) *jsondoc.Tree {
	role := "char"
	if m.Role == lore.RoleUser {
		role = "user"
	}
	t := jsondoc.Obj(jsondoc.M("role", jsondoc.Str(role)), jsondoc.M("data", jsondoc.Str(m.Content)))
	if m.Name != "" {
		t.Set("name", jsondoc.Str(m.Name))
	}
	if old.Has("chatId") || !old.Exists() && m.ID != "" {
		t.Set("chatId", jsondoc.Str(m.ID))
	}
	if n, err := strconv.ParseInt(m.Time, 10, 64); err == nil && n > 0 {
		t.Set("time", &jsondoc.Tree{Kind: jsondoc.Number, Text: m.Time})
	}
	if m.Kind == "comment" {
		t.Set("isComment", jsondoc.NewBool(true))
	}
	switch disabled := old.Get("disabled"); {
	case m.Hidden && disabled.Truthy():
		t.Set("disabled", disabled.Tree())
	case m.Hidden && m.Kind != "comment":
		t.Set("disabled", jsondoc.NewBool(true))
	}
	return t
}
