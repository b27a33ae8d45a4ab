package chats

import (
	"slices"
	"strconv"

	"github.com/weft-memory/weft/format"
	"github.com/weft-memory/weft/format/jsondoc"
	"github.com/weft-memory/weft/lore"
)

// The names of the other formats that are JSON.
const (
	AgnaiName     = "agnai-chat"
	BackyardName  = "backyard-chat"
	TextgenName   = "textgen-chat"
	CAIName       = "cai-history"
	listOfMessage = "messages"
)

// AgnaiShape returns the shape of Agnai's chat exports. A message with a userId
// is the user's.
func AgnaiShape() *Shape {
	return &Shape{
		info: format.Info{
			Name: AgnaiName, Title: "Agnai chat", Extensions: []string{".json"}, Chats: true, Carries: true,
		},
		sniff: func(root jsondoc.Value) format.Guess {
			first := root.Get(listOfMessage).Index(0)
			if first.Has("msg") || root.Get(listOfMessage).Kind() == jsondoc.Array && root.Has("sampleChat") {
				return format.Guessf(format.Certain, "messages with msg")
			}
			return format.Guess{}
		},
		chats: func(root jsondoc.Value) []place {
			if root.Get(listOfMessage).Kind() != jsondoc.Array {
				return nil
			}
			return []place{{head: root, list: root.Get(listOfMessage), pointer: "/" + listOfMessage}}
		},
		readHead: func(r *format.Reader, head jsondoc.Value, c *lore.Chat) {
			c.Title = r.Str(head, "name")
			for _, key := range []string{"greeting", "scenario", "sampleChat"} {
				if v := head.Get(key); v.Kind() == jsondoc.String {
					format.SetExt(&c.Ext, "agnai:"+key, v)
				}
			}
		},
		headTree: func(c *lore.Chat) *jsondoc.Tree {
			return jsondoc.Obj(jsondoc.M("name", jsondoc.Str(c.Title)))
		},
		readRow: func(r *format.Reader, _ *lore.Chat, v jsondoc.Value) []lore.ChatMessage {
			if v.Kind() != jsondoc.Object {
				r.Errorf(v, "bad-message", "a message is %s, not an object: kept as it is", v.Kind())
				return nil
			}
			m := lore.ChatMessage{
				Message: lore.Message{Role: lore.RoleAssistant, Name: r.Str(v, "handle"), Content: r.Str(v, "msg")},
				ID:      r.ID(v, "_id"),
			}
			if v.Has("userId") {
				m.Role = lore.RoleUser
			}
			return []lore.ChatMessage{m}
		},
		rowTree: func(_ *lore.Chat, ms []lore.ChatMessage, old jsondoc.Value) *jsondoc.Tree {
			m := &ms[0]
			t := jsondoc.Obj()
			if m.Role == lore.RoleUser {
				user := old.Get("userId").Tree()
				if user == nil {
					user = jsondoc.Str("anon")
				}
				t.Set("userId", user)
			} else {
				character := old.Get("characterId").Tree()
				if character == nil {
					character = jsondoc.Str("imported")
				}
				t.Set("characterId", character)
			}
			if m.Name != "" || old.Has("handle") {
				t.Set("handle", jsondoc.Str(m.Name))
			}
			t.Set("msg", jsondoc.Str(m.Content))
			if !old.Exists() {
				t.Set("state", jsondoc.Str("normal"))
			}
			return t
		},
		newFile: func(_ *lore.Chat, head *jsondoc.Tree, rows []*jsondoc.Tree) *jsondoc.Tree {
			t := head.Clone()
			for _, key := range []string{"greeting", "sampleChat", "scenario"} {
				if t.Get(key) == nil {
					t.Set(key, jsondoc.Str(""))
				}
			}
			t.Set(listOfMessage, jsondoc.List(rows...))
			return t
		},
		headPlace: []string{}, rowPlace: []string{},
	}
}

// greetingMark is what text-generation-webui has for the user's turn before a
// greeting.
const greetingMark = "<|BEGIN-VISIBLE-CHAT|>"

// pairRows puts messages into rows of a user's and a character's message.
func pairRows(ms []lore.ChatMessage) [][]lore.ChatMessage {
	var rows [][]lore.ChatMessage
	for i := 0; i < len(ms); i++ {
		if ms[i].Role == lore.RoleUser && i+1 < len(ms) && ms[i+1].Role != lore.RoleUser {
			rows = append(rows, ms[i:i+2])
			i++
			continue
		}
		rows = append(rows, ms[i:i+1])
	}
	return rows
}

// pair returns the texts of a row: the user's, and the character's.
func pair(ms []lore.ChatMessage) (user, bot string, hasUser, hasBot bool) {
	for i := range ms {
		if ms[i].Role == lore.RoleUser {
			user, hasUser = ms[i].Content, true
		} else {
			bot, hasBot = ms[i].Content, true
		}
	}
	return user, bot, hasUser, hasBot
}

// TextgenShape returns the shape of text-generation-webui's histories: pairs of
// texts, twice (as the model saw them, and as they are shown). The names of the
// speakers are not in the file.
func TextgenShape() *Shape {
	return &Shape{
		info: format.Info{
			Name: TextgenName, Title: "text-generation-webui chat", Extensions: []string{".json"}, Chats: true,
		},
		sniff: func(root jsondoc.Value) format.Guess {
			if root.Get("internal").Kind() == jsondoc.Array && root.Get("visible").Kind() == jsondoc.Array {
				return format.Guessf(format.Certain, "lists called internal and visible")
			}
			return format.Guess{}
		},
		chats: func(root jsondoc.Value) []place {
			if root.Get("internal").Kind() != jsondoc.Array {
				return nil
			}
			return []place{{head: root, list: root.Get("internal"), pointer: "/internal", twin: root.Get("visible")}}
		},
		readRow: func(r *format.Reader, _ *lore.Chat, v jsondoc.Value) []lore.ChatMessage {
			if v.Kind() != jsondoc.Array || v.Len() < 2 {
				r.Errorf(v, "bad-message", "a row is no pair of texts: kept as it is")
				return nil
			}
			var ms []lore.ChatMessage
			if user := v.Index(0).Text(); user != "" && user != greetingMark {
				ms = append(ms, lore.ChatMessage{Message: lore.UserMessage(user)})
			}
			if bot := v.Index(1).Text(); bot != "" {
				ms = append(ms, lore.ChatMessage{Message: lore.AssistantMessage(bot)})
			}
			return ms
		},
		rows: pairRows,
		rowTree: func(_ *lore.Chat, ms []lore.ChatMessage, old jsondoc.Value) *jsondoc.Tree {
			user, bot, hasUser, _ := pair(ms)
			if !hasUser && old.Exists() {
				user = old.Index(0).Text()
			} else if !hasUser {
				user = greetingMark
			}
			return jsondoc.List(jsondoc.Str(user), jsondoc.Str(bot))
		},
		newFile: func(_ *lore.Chat, _ *jsondoc.Tree, rows []*jsondoc.Tree) *jsondoc.Tree {
			visible := jsondoc.List()
			for _, row := range rows {
				row = row.Clone()
				if row.Items[0].Text == greetingMark {
					row.Items[0] = jsondoc.Str("")
				}
				visible.Items = append(visible.Items, row)
			}
			return jsondoc.Obj(jsondoc.M("internal", jsondoc.List(rows...)), jsondoc.M("visible", visible))
		},
	}
}

// CAIShape returns the shape of the histories that CAI tools save: several
// chats of one character.
func CAIShape() *Shape {
	histories := func(root jsondoc.Value) jsondoc.Value { return root.At("histories", "histories") }
	return &Shape{
		info: format.Info{Name: CAIName, Title: "CAI tools history", Extensions: []string{".json"}, Chats: true},
		sniff: func(root jsondoc.Value) format.Guess {
			if histories(root).Kind() == jsondoc.Array {
				return format.Guessf(format.Certain, "histories with msgs")
			}
			return format.Guess{}
		},
		chats: func(root jsondoc.Value) []place {
			var places []place
			for i, h := range histories(root).Items() {
				if list := h.Get("msgs"); list.Kind() == jsondoc.Array {
					places = append(places, place{head: h, list: list, pointer: "/histories/histories/" + strconv.Itoa(i) + "/msgs"})
				}
			}
			return places
		},
		readRow: func(r *format.Reader, _ *lore.Chat, v jsondoc.Value) []lore.ChatMessage {
			if v.Kind() != jsondoc.Object {
				r.Errorf(v, "bad-message", "a message is %s, not an object: kept as it is", v.Kind())
				return nil
			}
			m := lore.ChatMessage{Message: lore.Message{
				Role: lore.RoleAssistant, Name: r.Str(v.Get("src"), "name"), Content: r.Str(v, "text"),
			}}
			if v.At("src", "is_human").Truthy() {
				m.Role = lore.RoleUser
			}
			return []lore.ChatMessage{m}
		},
		rowTree: func(_ *lore.Chat, ms []lore.ChatMessage, _ jsondoc.Value) *jsondoc.Tree {
			m := &ms[0]
			return jsondoc.Obj(
				jsondoc.M("src", jsondoc.Obj(
					jsondoc.M("is_human", jsondoc.NewBool(m.Role == lore.RoleUser)), jsondoc.M("name", jsondoc.Str(m.Name)),
				)),
				jsondoc.M("text", jsondoc.Str(m.Content)),
			)
		},
		newFile: func(c *lore.Chat, _ *jsondoc.Tree, rows []*jsondoc.Tree) *jsondoc.Tree {
			name := ""
			if len(c.Characters) > 0 {
				name = c.Characters[0]
			}
			return jsondoc.Obj(
				jsondoc.M("info", jsondoc.Obj(jsondoc.M("name", jsondoc.Str(name)))),
				jsondoc.M("histories", jsondoc.Obj(jsondoc.M("histories", jsondoc.List(
					jsondoc.Obj(jsondoc.M("msgs", jsondoc.List(rows...))),
				)))),
			)
		},
	}
}

// BackyardShape returns the shape of Backyard's older chat backups: pairs of
// input and output.
func BackyardShape() *Shape {
	return &Shape{
		info: format.Info{Name: BackyardName, Title: "Backyard chat backup", Extensions: []string{".json"}, Chats: true},
		sniff: func(root jsondoc.Value) format.Guess {
			if root.At("chat", "ChatItems").Kind() == jsondoc.Array {
				return format.Guessf(format.Certain, "a chat with ChatItems")
			}
			return format.Guess{}
		},
		chats: func(root jsondoc.Value) []place {
			list := root.At("chat", "ChatItems")
			if list.Kind() != jsondoc.Array {
				return nil
			}
			return []place{{head: root.Get("chat"), list: list, pointer: "/chat/ChatItems"}}
		},
		readRow: func(r *format.Reader, _ *lore.Chat, v jsondoc.Value) []lore.ChatMessage {
			if v.Kind() != jsondoc.Object {
				r.Errorf(v, "bad-message", "an item is %s, not an object: kept as it is", v.Kind())
				return nil
			}
			time := r.ID(v, "createdAt")
			var ms []lore.ChatMessage
			if s := r.Str(v, "input"); s != "" {
				ms = append(ms, lore.ChatMessage{Message: lore.UserMessage(s), Time: time})
			}
			if s := r.Str(v, "output"); s != "" {
				ms = append(ms, lore.ChatMessage{Message: lore.AssistantMessage(s), Time: time})
			}
			return ms
		},
		rows: pairRows,
		rowTree: func(_ *lore.Chat, ms []lore.ChatMessage, old jsondoc.Value) *jsondoc.Tree {
			user, bot, hasUser, hasBot := pair(ms)
			t := jsondoc.Obj()
			if hasUser || old.Has("input") || !old.Exists() {
				t.Set("input", jsondoc.Str(user))
			}
			if hasBot || old.Has("output") || !old.Exists() {
				t.Set("output", jsondoc.Str(bot))
			}
			if len(ms) > 0 && ms[0].Time != "" {
				t.Set("createdAt", jsondoc.Str(ms[0].Time))
			}
			return t
		},
		newFile: func(_ *lore.Chat, _ *jsondoc.Tree, rows []*jsondoc.Tree) *jsondoc.Tree {
			return jsondoc.Obj(
				jsondoc.M("version", jsondoc.Int(2)),
				jsondoc.M("chat", jsondoc.Obj(jsondoc.M("ChatItems", jsondoc.List(rows...)))),
			)
		},
	}
}

// ScenarioShape returns the shape of the messages in a scenario of a BYAF
// archive, where a reply has several outputs and the one activated last is
// shown.
func ScenarioShape(formatName string) *Shape {
	return &Shape{
		info: format.Info{Name: formatName, Title: "Backyard scenario", Chats: true},
		chats: func(root jsondoc.Value) []place {
			if root.Get(listOfMessage).Kind() != jsondoc.Array {
				return nil
			}
			return []place{{head: root, list: root.Get(listOfMessage), pointer: "/" + listOfMessage}}
		},
		readHead: func(r *format.Reader, head jsondoc.Value, c *lore.Chat) { c.Title = r.Str(head, "title") },
		headTree: func(c *lore.Chat) *jsondoc.Tree { return jsondoc.Obj(jsondoc.M("title", jsondoc.Str(c.Title))) },
		readRow: func(r *format.Reader, _ *lore.Chat, v jsondoc.Value) []lore.ChatMessage {
			switch v.Get("type").Text() {
			case "human":
				return []lore.ChatMessage{{Message: lore.UserMessage(r.Str(v, "text")), Time: r.ID(v, "createdAt")}}
			case "ai":
			default:
				r.Errorf(v, "bad-message", `a message has the type %q, neither "human" nor "ai": kept as it is`, v.Get("type").Text())
				return nil
			}
			m := lore.ChatMessage{Message: lore.Message{Role: lore.RoleAssistant}}
			newest := ""
			for i, out := range v.Get("outputs").Items() {
				m.Variants = append(m.Variants, r.Str(out, "text"))
				if at := r.ID(out, "activeTimestamp"); i == 0 || at > newest {
					newest, m.Active, m.Time = at, i, r.ID(out, "createdAt")
				}
			}
			if len(m.Variants) > 0 {
				m.Content = m.Variants[m.Active]
			}
			if len(m.Variants) < 2 {
				m.Variants = nil
			}
			return []lore.ChatMessage{m}
		},
		rowTree: scenarioMessage,
	}
}

func scenarioMessage(_ *lore.Chat, ms []lore.ChatMessage, old jsondoc.Value) *jsondoc.Tree {
	m := &ms[0]
	if m.Role == lore.RoleUser {
		t := jsondoc.Obj(jsondoc.M("type", jsondoc.Str("human")))
		if m.Time != "" && !old.Exists() {
			t.Set("createdAt", jsondoc.Str(m.Time))
			t.Set("updatedAt", jsondoc.Str(m.Time))
		}
		t.Set("text", jsondoc.Str(m.Content))
		return t
	}
	variants := slices.Clone(m.Variants)
	if len(variants) == 0 {
		variants = []string{m.Content}
	}
	active := min(max(m.Active, 0), len(variants)-1)
	variants[active] = m.Content
	// The shown output is the one with the latest activeTimestamp: to show
	// another one, the two change their times.
	shown := -1
	newest := ""
	for i, was := range old.Get("outputs").Items() {
		if at := was.Get("activeTimestamp").Text(); shown < 0 || at > newest {
			shown, newest = i, at
		}
	}
	outputs := jsondoc.List()
	for i, text := range variants {
		out := jsondoc.Obj(jsondoc.M("text", jsondoc.Str(text)))
		if was := old.Get("outputs").Index(i); was.Exists() {
			for key, v := range was.Members() {
				if key != "text" {
					out.Set(key, v.Tree())
				}
			}
			switch i {
			case active:
				setTime(out, old.Get("outputs").Index(shown))
			case shown:
				setTime(out, old.Get("outputs").Index(active))
			}
		} else if m.Time != "" {
			out.Set("createdAt", jsondoc.Str(m.Time))
			out.Set("updatedAt", jsondoc.Str(m.Time))
			out.Set("activeTimestamp", jsondoc.Str(m.Time))
		}
		outputs.Items = append(outputs.Items, out)
	}
	return jsondoc.Obj(jsondoc.M("type", jsondoc.Str("ai")), jsondoc.M("outputs", outputs))
}

func setTime(out *jsondoc.Tree, from jsondoc.Value) {
	if at := from.Get("activeTimestamp"); at.Exists() {
		out.Set("activeTimestamp", at.Tree())
	}
}
