package chats

import (
	"strconv"
	"strings"

	"github.com/weft-memory/weft/format"
	"github.com/weft-memory/weft/format/internal/keys"
	"github.com/weft-memory/weft/format/internal/splice"
	"github.com/weft-memory/weft/format/jsondoc"
	"github.com/weft-memory/weft/lore"
)

// What a target has no word for travels in its member "weft", for the head of
// the chat and for each message: the same way as for the entries of books. The
// patch is what the way to the target and back does not reproduce; on the way
// back it is laid over what the target says, and edits made in between win.

const carryVersion = "1"

// shaped is a codec whose chats have a shape.
type shaped interface{ ChatShape() *Shape }

// ChatShape returns the shape of the codec.
func (c codec) ChatShape() *Shape { return c.s }

func shapeOf(t *format.Table, name string) *Shape {
	if s, ok := t.Codec(name).(shaped); ok {
		return s.ChatShape()
	}
	return nil
}

func parse(t *jsondoc.Tree) jsondoc.Value {
	doc, err := jsondoc.Parse(t.Append(nil, jsondoc.Compact()), jsondoc.Limits{Depth: 1024})
	if err != nil {
		return jsondoc.Value{}
	}
	return doc.Root()
}

func rawTree(raw []byte) *jsondoc.Tree {
	doc, err := jsondoc.Parse(raw, jsondoc.Limits{Depth: 1024})
	if err != nil || doc.Root().Kind() != jsondoc.Object {
		return nil
	}
	return doc.Root().Tree()
}

// head reads a head tree into a chat without messages.
func (s *Shape) head(t *jsondoc.Tree, id string) *lore.Chat {
	c := &lore.Chat{ID: id}
	if s.readHead != nil && t != nil {
		s.readHead(keys.Silent(), parse(t), c)
	}
	return c
}

func (s *Shape) writeHead(c *lore.Chat) *jsondoc.Tree {
	if s.headTree == nil {
		return jsondoc.Obj()
	}
	return s.headTree(c)
}

// row reads a row tree that holds one message.
func (s *Shape) row(c *lore.Chat, t *jsondoc.Tree) (lore.ChatMessage, bool) {
	ms := s.readRow(keys.Silent(), c, parse(t))
	if len(ms) != 1 {
		return lore.ChatMessage{}, false
	}
	return ms[0], true
}

func (s *Shape) writeRow(c *lore.Chat, m lore.ChatMessage, old jsondoc.Value) *jsondoc.Tree {
	return s.rowTree(c, []lore.ChatMessage{m}, old)
}

func carriedTree(from, what string, p splice.Patch, style *jsondoc.Style) *jsondoc.Tree {
	t := jsondoc.Obj(jsondoc.M("from", jsondoc.Str(from)), jsondoc.M("v", &jsondoc.Tree{Kind: jsondoc.Number, Text: carryVersion}))
	if p.Set != nil && len(p.Set.Members) > 0 {
		t.Set(what, p.Set)
	}
	if p.Keys != nil {
		t.Set("keys", jsondoc.StrList(p.Keys))
	}
	if style != nil {
		t.Set("style", jsondoc.Obj(
			jsondoc.M("indent", jsondoc.Str(style.Indent)), jsondoc.M("newline", jsondoc.Str(style.Newline)),
			jsondoc.M("colon", jsondoc.Str(style.Colon)), jsondoc.M("comma", jsondoc.Str(style.Comma)),
			jsondoc.M("final", jsondoc.Str(style.Final)),
		))
	}
	return t
}

func parseCarried(ext *jsondoc.Tree, what, from string) (p splice.Patch, style *jsondoc.Style, ok bool) {
	text := func(t *jsondoc.Tree) string {
		if t == nil || t.Kind != jsondoc.String {
			return ""
		}
		return t.Text
	}
	if ext == nil || text(ext.Get("from")) != from || ext.Get("v") == nil || ext.Get("v").Text != carryVersion {
		return p, nil, false
	}
	if set := ext.Get(what); set != nil && set.Kind == jsondoc.Object {
		p.Set = set
	}
	if list := ext.Get("keys"); list != nil {
		p.Keys = make([]string, 0, len(list.Items))
		for _, k := range list.Items {
			p.Keys = append(p.Keys, text(k))
		}
	}
	if s := ext.Get("style"); s != nil {
		blank := func(key, extra string) string {
			v := text(s.Get(key))
			for _, r := range v {
				if r != ' ' && r != '\t' && r != '\n' && r != '\r' && string(r) != extra {
					return ""
				}
			}
			return v
		}
		style = &jsondoc.Style{
			Indent: blank("indent", ""), Newline: blank("newline", ""), Colon: blank("colon", ":"),
			Comma: blank("comma", ""), Final: blank("final", ""),
		}
		if style.Colon == "" {
			style.Colon = ":"
		}
	}
	return p, style, true
}

// restore makes a tree of the form back from v, which was read in the form
// here, and from what was carried in it.
func restore[T any](p splice.Patch, v T, readBack, readHere func(*jsondoc.Tree) T, writeBack, writeHere func(T) *jsondoc.Tree) *jsondoc.Tree {
	now := writeBack(v)
	source := p.Apply(now)
	base := writeBack(readHere(writeHere(readBack(source))))
	return splice.Trees(source, base, now)
}

// convert writes a chat in the form of s: its head and its rows.
func (s *Shape) convert(chat *lore.Chat, opts format.WriteOptions, style *jsondoc.Style, report *format.Report) (head *jsondoc.Tree, rows []*jsondoc.Tree, was *jsondoc.Style) {
	from := shapeOf(opts.Table, chat.Origin.Format)
	head = s.writeHead(chat)
	restored := false
	if from != nil && from.headPlace != nil {
		if p, style, ok := parseCarried(format.ExtTree(chat.Ext, "weft"), "head", s.info.Name); ok {
			was, restored = style, true
			head = restore(p, chat,
				func(t *jsondoc.Tree) *lore.Chat { return s.head(t, chat.ID) },
				func(t *jsondoc.Tree) *lore.Chat { return from.head(t, chat.ID) },
				s.writeHead, from.writeHead)
		}
	}
	if !restored {
		s.carryHead(chat, from, head, style, report)
	}
	for _, ms := range s.group(chat.Messages) {
		if len(ms) == 1 {
			rows = append(rows, s.convertRow(chat, from, ms[0], restored, report))
			continue
		}
		t := s.rowTree(chat, ms, jsondoc.Value{})
		s.compareRow(chat, ms, t, report)
		rows = append(rows, t)
	}
	return head, rows, was
}

func (s *Shape) carryHead(chat *lore.Chat, from *Shape, head *jsondoc.Tree, style *jsondoc.Style, report *format.Report) {
	item := format.Item{Entry: "head of the chat", Name: chat.Title}
	source := rawTree(chat.Origin.Raw)
	if from == nil || source == nil || from.headTree == nil {
		compareFields(report, item, nativeHead(chat), nativeHead(s.head(head, chat.ID)), false)
		return
	}
	old := from.head(source, chat.ID)
	source = splice.Trees(source, from.writeHead(old), from.writeHead(chat))
	again := from.writeHead(s.head(head, chat.ID))
	compareFields(report, item, source, again, s.headPlace != nil)
	p := splice.Diff(again, source)
	if s.headPlace != nil { // also when it holds nothing: it says where the chat came from
		head.SetAt(carriedTree(from.info.Name, "head", p, style), append(append([]string{}, s.headPlace...), "weft")...)
	}
}

func (s *Shape) convertRow(chat *lore.Chat, from *Shape, m lore.ChatMessage, restored bool, report *format.Report) *jsondoc.Tree {
	named := m // reports name a message by its number
	if from != nil {
		if raw := rawTree(m.Origin.Raw); raw != nil {
			if plain, ok := from.row(chat, raw); ok && plain.ID == "" {
				m.ID = "" // a number that the reader gave
			}
		}
	}
	t := s.writeRow(chat, m, jsondoc.Value{})
	bare := lore.ChatMessage{}
	got, ok := s.row(chat, t)
	if from == nil || !ok {
		if ok {
			bare = got
		}
		s.compareMessage(named, bare, report)
		return t
	}
	if p, _, carried := parseCarried(format.ExtTree(m.Ext, "weft"), "message", s.info.Name); carried && from.rowPlace != nil {
		return restore(p, m,
			func(t *jsondoc.Tree) lore.ChatMessage { m, _ := s.row(chat, t); return m },
			func(t *jsondoc.Tree) lore.ChatMessage { m, _ := from.row(chat, t); return m },
			func(m lore.ChatMessage) *jsondoc.Tree { return s.writeRow(chat, m, jsondoc.Value{}) },
			func(m lore.ChatMessage) *jsondoc.Tree { return from.writeRow(chat, m, jsondoc.Value{}) })
	}
	if restored {
		report.Keep("message")
		return t
	}
	source := rawTree(m.Origin.Raw)
	if source == nil {
		s.compareMessage(named, got, report)
		return t
	}
	old, ok := from.row(chat, source)
	if !ok {
		s.compareMessage(named, got, report)
		return t
	}
	old.Origin, old.ID = m.Origin, m.ID
	raw := parse(source)
	source = splice.Trees(source, from.writeRow(chat, old, raw), from.writeRow(chat, m, raw))
	again := from.writeRow(chat, got, jsondoc.Value{})
	compareFields(report, format.Item{Entry: "message " + named.ID, Name: m.Name}, source, again, s.rowPlace != nil)
	if p := splice.Diff(again, source); s.rowPlace != nil && !p.Empty() {
		t.SetAt(carriedTree(from.info.Name, "message", p, nil), append(append([]string{}, s.rowPlace...), "weft")...)
	}
	return t
}

// compareFields reports the members of source by what comes back of them.
func compareFields(report *format.Report, item format.Item, source, again *jsondoc.Tree, carries bool) {
	for _, m := range source.Members {
		i := item
		i.Field = m.Key
		old := again.Get(m.Key)
		switch {
		case m.Key == "weft":
			continue
		case m.Value.Same(old):
			i.Outcome = format.Kept
		case carries:
			i.Outcome, i.How = format.Carried, "in the extension"
		case old != nil:
			i.Outcome, i.How = format.Approximated, "would come back otherwise"
		default:
			i.Outcome, i.How = format.Lost, "the format has no word for it"
		}
		report.Add(i)
	}
}

// compareRow reports the messages of a row by what is read of it.
func (s *Shape) compareRow(chat *lore.Chat, ms []lore.ChatMessage, t *jsondoc.Tree, report *format.Report) {
	again := s.readRow(keys.Silent(), chat, parse(t))
	for i, m := range ms {
		got := lore.ChatMessage{}
		if len(again) == len(ms) {
			got = again[i]
		}
		s.compareMessage(m, got, report)
	}
}

// compareMessage reports the canonical fields of a message that a format
// without a member for each of them cannot say; got is what is read again.
func (s *Shape) compareMessage(m, got lore.ChatMessage, report *format.Report) {
	lost := func(field string, is bool) {
		if is {
			report.Add(format.Item{
				Outcome: format.Lost, Entry: "message " + m.ID, Name: m.Name, Field: field, How: s.info.Title + " has no word for it",
			})
		}
	}
	if got.Content == m.Content {
		report.Keep("content")
	} else {
		lost("content", true)
	}
	lost("role", m.Role != got.Role)
	lost("name", m.Name != "" && m.Name != got.Name)
	lost("variants", len(m.Variants) > 1 && len(got.Variants) != len(m.Variants))
	lost("time", m.Time != "" && m.Time != got.Time)
	lost("hidden", m.Hidden && !got.Hidden)
	lost("kind", m.Kind != "" && m.Kind != got.Kind)
	lost("ext", len(m.Ext) > 0)
}

// reportRows reports what stood between the messages of a document's chats and
// is no message: broken lines, rows of another kind.
func reportRows(doc *format.Document, table *format.Table, report *format.Report) {
	from := shapeOf(table, doc.Format)
	if from == nil || doc.Input == nil {
		return
	}
	lost := func(entry string) {
		report.Add(format.Item{Outcome: format.Lost, Entry: entry, Field: "row", How: "it is no message"})
	}
	if from.lines {
		text, _ := doc.Input.Text()
		for _, l := range splitLines(text) {
			if _, err := l.parse(text, doc.Input.Limits); err != nil {
				lost("line " + strconv.Itoa(1+strings.Count(text[:l.start], "\n")))
			}
		}
		return
	}
	for _, p := range from.chats(doc.Input.JSON()) {
		c := &lore.Chat{}
		for i, row := range p.list.Items() {
			if len(from.readRow(keys.Silent(), c, row)) == 0 {
				lost(p.pointer + "/" + strconv.Itoa(i))
			}
		}
	}
}

// nativeHead writes the canonical fields of a chat for a comparison.
func nativeHead(c *lore.Chat) *jsondoc.Tree {
	t := jsondoc.Obj()
	text := func(key, value string) {
		if value != "" {
			t.Set(key, jsondoc.Str(value))
		}
	}
	text("title", c.Title)
	text("user", c.User)
	text("note", c.Note)
	if len(c.Characters) > 0 {
		t.Set("characters", jsondoc.StrList(c.Characters))
	}
	if c.Greeting != nil {
		t.Set("greeting", jsondoc.Int(*c.Greeting))
	}
	if len(c.Books) > 0 {
		t.Set("books", jsondoc.StrList(c.Books))
	}
	if c.Lore != nil {
		t.Set("lore", jsondoc.Int(len(c.Lore.Entries)))
	}
	if len(c.Variables) > 0 {
		t.Set("variables", jsondoc.Str(strconv.Itoa(len(c.Variables))))
	}
	return t
}
