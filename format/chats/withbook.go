package chats

import (
	"context"

	"github.com/weft-memory/weft/format"
	"github.com/weft-memory/weft/format/jsondoc"
	"github.com/weft-memory/weft/lore"
)

// bookCodec adds the story of a save to a codec that reads the book in it.
type bookCodec struct {
	book  format.Codec
	story *Shape
}

var (
	_ format.Codec  = bookCodec{}
	_ format.Shaped = bookCodec{}
)

// WithBook returns a codec for files that hold a book and a story: book reads
// and writes the one, story the other.
func WithBook(book format.Codec, story *Shape) format.Codec { return bookCodec{book, story} }

func (c bookCodec) Info() format.Info                   { return c.book.Info() }
func (c bookCodec) Sniff(in *format.Input) format.Guess { return c.book.Sniff(in) }
func (c bookCodec) Shape() *format.BookShape            { return c.book.(format.Shaped).Shape() }
func (c bookCodec) ChatShape() *Shape                   { return c.story }

func (c bookCodec) Read(ctx context.Context, in *format.Input) (*format.Document, *format.Report, error) {
	doc, report, err := c.book.Read(ctx, in)
	if err != nil {
		return doc, report, err
	}
	for _, chat := range c.story.Read(in, report) {
		if len(chat.Messages) > 0 {
			doc.Chats = append(doc.Chats, chat)
		}
	}
	return doc, report, nil
}

func (c bookCodec) Write(ctx context.Context, doc *format.Document, opts format.WriteOptions) (*format.Output, *format.Report, error) {
	d := *doc
	if len(d.Books) == 0 { // a save without lore
		d.Books = []*lore.Book{{ID: chatID(doc), Policy: c.Shape().Policy()}}
	}
	out, report, err := c.book.Write(ctx, &d, opts)
	if err != nil || len(doc.Chats) == 0 || len(out.Files) == 0 {
		return out, report, err
	}
	file := &out.Files[0]
	name := file.Path
	if doc.Input != nil && doc.Format == c.Info().Name {
		name = doc.Input.Name
	}
	in, err := format.Bytes(name, file.Data).Open()
	if err != nil {
		return out, report, err
	}
	text, err := c.story.Splice(in, doc.Chats)
	if err != nil {
		return out, report, err
	}
	if before, _ := in.Text(); string(text) != before {
		file.Data = in.Encode(text)
	}
	if doc.Format != c.Info().Name {
		c.story.convert(doc.Chats[0], opts, nil, report) // for what it reports
		reportRows(doc, opts.Table, report)
		for _, chat := range doc.Chats[1:] {
			report.Add(format.Item{Outcome: format.Lost, Field: "chat", Entry: chat.ID, Name: chat.Title, How: "a save holds one story"})
		}
	}
	return out, report, nil
}

func chatID(doc *format.Document) string {
	if len(doc.Chats) > 0 && doc.Chats[0].ID != "" {
		return doc.Chats[0].ID
	}
	return "save"
}

// ActionsShape returns the shape of a story that is a list of texts without
// authors, with the opening beside it: KoboldAI's prompt and actions.
func ActionsShape(formatName string) *Shape {
	return &Shape{
		info: format.Info{Name: formatName, Title: "story save", Chats: true},
		chats: func(root jsondoc.Value) []place {
			if root.Get("actions").Kind() != jsondoc.Array {
				return nil
			}
			return []place{{head: root, list: root.Get("actions"), pointer: "/actions"}}
		},
		readHead: func(r *format.Reader, head jsondoc.Value, c *lore.Chat) {
			c.Note = r.Str(head, "authorsnote")
			if prompt := r.Str(head, "prompt"); prompt != "" {
				c.Messages = append(c.Messages, lore.ChatMessage{
					Message: lore.AssistantMessage(prompt), Kind: "prompt", Origin: lore.Origin{Format: formatName, Pointer: "/prompt"},
				})
			}
		},
		inHead: func(m *lore.ChatMessage) bool { return m.Kind == "prompt" },
		headTree: func(c *lore.Chat) *jsondoc.Tree {
			prompt := ""
			if len(c.Messages) > 0 && c.Messages[0].Kind == "prompt" {
				prompt = c.Messages[0].Content
			}
			return jsondoc.Obj(jsondoc.M("prompt", jsondoc.Str(prompt)), jsondoc.M("authorsnote", jsondoc.Str(c.Note)))
		},
		readRow: func(r *format.Reader, _ *lore.Chat, v jsondoc.Value) []lore.ChatMessage {
			if v.Kind() != jsondoc.String {
				r.Errorf(v, "bad-message", "an action is %s, not a text: kept as it is", v.Kind())
				return nil
			}
			return []lore.ChatMessage{{Message: lore.AssistantMessage(v.Text())}}
		},
		rowTree: func(_ *lore.Chat, ms []lore.ChatMessage, _ jsondoc.Value) *jsondoc.Tree {
			return jsondoc.Str(ms[0].Content)
		},
	}
}

// FragmentsShape returns the shape of a NovelAI story: fragments with their
// origin, user or ai. Later stories keep their text in a packed document
// instead, which is kept and not read.
func FragmentsShape(formatName string) *Shape {
	list := func(root jsondoc.Value) jsondoc.Value { return root.At("content", "story", "fragments") }
	return &Shape{
		info: format.Info{Name: formatName, Title: "NovelAI story", Chats: true},
		chats: func(root jsondoc.Value) []place {
			if list(root).Kind() != jsondoc.Array {
				return nil
			}
			return []place{{head: root, list: list(root), pointer: "/content/story/fragments"}}
		},
		readHead: func(r *format.Reader, head jsondoc.Value, c *lore.Chat) {
			c.Title = r.Str(head.Get("metadata"), "title")
			c.Note = r.Str(head.At("content", "context").Index(1), "text")
		},
		readRow: func(r *format.Reader, _ *lore.Chat, v jsondoc.Value) []lore.ChatMessage {
			if v.Kind() != jsondoc.Object {
				r.Errorf(v, "bad-message", "a fragment is %s, not an object: kept as it is", v.Kind())
				return nil
			}
			m := lore.ChatMessage{Message: lore.AssistantMessage(r.Str(v, "data")), Kind: v.Get("origin").Text()}
			if m.Kind == "user" {
				m.Role = lore.RoleUser
			}
			if m.Kind == "user" || m.Kind == "ai" {
				m.Kind = ""
			}
			return []lore.ChatMessage{m}
		},
		rowTree: func(_ *lore.Chat, ms []lore.ChatMessage, _ jsondoc.Value) *jsondoc.Tree {
			origin := ms[0].Kind
			if origin == "" {
				origin = map[bool]string{true: "user", false: "ai"}[ms[0].Role == lore.RoleUser]
			}
			return jsondoc.Obj(jsondoc.M("data", jsondoc.Str(ms[0].Content)), jsondoc.M("origin", jsondoc.Str(origin)))
		},
	}
}
