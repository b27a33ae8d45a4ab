package backyard

import (
	"context"

	"github.com/weft-memory/weft/format"
	"github.com/weft-memory/weft/format/internal/splice"
	"github.com/weft-memory/weft/format/jsondoc"
	"github.com/weft-memory/weft/lore"
)

// itemShape is the shape of a list of lore items at a path of a JSON object.
func itemShape(name, title string, path ...string) *format.BookShape {
	return &format.BookShape{
		Info:   format.Info{Name: name, Title: title, Extensions: []string{".json"}, Books: true, Characters: true},
		Policy: lore.PolicyBackyard,
		Sniff:  func(jsondoc.Value) format.Guess { return format.Guess{} },
		Locate: func(root jsondoc.Value) (format.Layout, bool) {
			return format.Layout{Path: path}, root.At(path...).Kind() == jsondoc.Array
		},
		ReadEntry: func(r *format.Reader, v jsondoc.Value, _ string) *lore.Entry { return readEntry(r, v) },
		NewBook: func(*format.Writer, *lore.Book) *jsondoc.Tree {
			t := jsondoc.Obj()
			t.SetAt(jsondoc.List(), path...)
			return t
		},
		NewEntry: func(w *format.Writer, e *lore.Entry) (string, *jsondoc.Tree) { return "", newEntry(w, e, name) },
		Style:    jsondoc.Indented("  "), ListOrder: true,
	}
}

// characterMembers are the members of a character that a card has fields for:
// in a Faraday card, and in a BYAF archive.
type characterMembers struct{ name, display, persona, scenario, system, examples, greeting string }

var (
	cardMembers = characterMembers{"aiName", "aiDisplayName", "aiPersona", "scenario", "basePrompt", "customDialogue", "firstMessage"}
	byafMembers = characterMembers{name: "name", display: "displayName", persona: "persona"}
)

func (m characterMembers) read(r *format.Reader, v jsondoc.Value, c *lore.Character) {
	text := func(key string) string {
		if key == "" {
			return ""
		}
		return macros(r.Str(v, key))
	}
	c.Name, c.DisplayName = r.Str(v, m.name), r.Str(v, m.display)
	if c.DisplayName == c.Name {
		c.DisplayName = ""
	}
	c.Description, c.Scenario = text(m.persona), text(m.scenario)
	c.SystemPrompt, c.Examples, c.Greeting = text(m.system), text(m.examples), text(m.greeting)
}

func (m characterMembers) write(c *lore.Character) *jsondoc.Tree {
	t := jsondoc.Obj()
	set := func(key, value string) {
		if key != "" {
			t.Set(key, jsondoc.Str(placeholders(value)))
		}
	}
	display := c.DisplayName
	if display == "" {
		display = c.Name
	}
	set(m.display, display)
	set(m.name, c.Name)
	set(m.persona, c.Description)
	set(m.scenario, c.Scenario)
	set(m.system, c.SystemPrompt)
	set(m.examples, c.Examples)
	set(m.greeting, c.Greeting)
	return t
}

// cardCodec reads and writes Faraday cards: a character with its lore items.
type cardCodec struct{ shape *format.BookShape }

var (
	_ format.Codec  = cardCodec{}
	_ format.Shaped = cardCodec{}
)

// CardCodec returns the codec of Faraday cards as JSON.
func CardCodec() format.Codec {
	return cardCodec{itemShape(Name, "Backyard (Faraday) card", "character", "loreItems")}
}

func (c cardCodec) Info() format.Info        { return c.shape.Info }
func (c cardCodec) Shape() *format.BookShape { return c.shape }

func (c cardCodec) Sniff(in *format.Input) format.Guess {
	root := in.JSON()
	ch := root.Get("character")
	if ch.Kind() == jsondoc.Object && (ch.Has("aiName") || ch.Has("aiPersona")) {
		return format.Guessf(format.Certain, "a character with aiName or aiPersona")
	}
	return format.Guess{}
}

func (c cardCodec) Read(ctx context.Context, in *format.Input) (*format.Document, *format.Report, error) {
	report := &format.Report{}
	root, err := format.ReadJSON(in, report)
	if err != nil {
		return nil, report, err
	}
	if err := ctx.Err(); err != nil {
		return nil, report, err
	}
	return c.document(in, root, report), report, nil
}

func (c cardCodec) document(in *format.Input, root jsondoc.Value, report *format.Report) *format.Document {
	r := format.NewReader(in, report)
	book := c.shape.ReadValue(r, root, in.Base(), "")
	character := &lore.Character{
		ID: in.Base(), Book: book.ID,
		Origin: lore.Origin{Format: Name, Path: in.Name, Pointer: "/character"},
	}
	r = format.NewReader(in, report)
	cardMembers.read(r, root.Get("character"), character)
	book.Name = character.Name
	return &format.Document{Format: Name, Books: []*lore.Book{book}, Characters: []*lore.Character{character}, Input: in}
}

func (c cardCodec) Write(ctx context.Context, doc *format.Document, opts format.WriteOptions) (*format.Output, *format.Report, error) {
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	report := &format.Report{}
	w := format.NewWriter(report, opts)
	format.ReportNoPlace(report, doc, c.shape.Info)
	if doc.Format == Name && doc.Input != nil {
		parsed, err := doc.Input.Doc()
		if err != nil {
			return nil, report, err
		}
		root := doc.Input.JSON()
		edit := parsed.Edit()
		old := c.document(doc.Input, root, &format.Report{})
		if len(doc.Characters) > 0 {
			splice.Merge(edit, root.Get("character"), cardMembers.write(old.Characters[0]), cardMembers.write(doc.Characters[0]))
		}
		if len(doc.Books) > 0 {
			if _, ok := c.shape.Locate(root); !ok && len(doc.Books[0].Entries) > 0 {
				t, _ := c.shape.NewTree(w, doc.Books[0])
				edit.Set(root.Get("character"), "loreItems", t.At("character", "loreItems"))
			} else {
				c.shape.Splice(w, edit, root, doc.Books[0])
			}
		}
		data := doc.Input.Data
		if edit.Changed() {
			data = doc.Input.Encode(edit.Bytes())
		}
		return format.SingleFile(doc.Input.Base()+ext(doc.Input, ".json"), data), report, nil
	}
	format.ReportFiles(report, doc, "a card in JSON holds no files")
	t := jsondoc.Obj(jsondoc.M("character", jsondoc.Obj()), jsondoc.M("version", jsondoc.Int(4)))
	name := opts.Name
	if len(doc.Characters) > 0 {
		ch := doc.Characters[0]
		t.Set("character", cardMembers.write(ch))
		reportCharacter(report, ch, cardMembers)
		if name == "" {
			name = ch.ID
		}
	} else {
		t.Set("character", cardMembers.write(&lore.Character{Name: "Lore"}))
	}
	items := jsondoc.List()
	if len(doc.Books) > 0 {
		inner, _ := c.shape.NewTree(w, doc.Books[0])
		items = inner.At("character", "loreItems")
		if name == "" {
			name = doc.Books[0].ID
		}
	}
	t.Get("character").Set("loreItems", items)
	if name == "" {
		name = "card"
	}
	return format.SingleFile(name+".json", t.Bytes(jsondoc.Indented("  "))), report, nil
}

func ext(in *format.Input, def string) string {
	if e := in.Ext(); e != "" {
		return e
	}
	return def
}

// reportCharacter reports the fields of a character that the format has no
// word for.
func reportCharacter(report *format.Report, c *lore.Character, m characterMembers) {
	lost := func(field string, is bool) {
		if is {
			report.Add(format.Item{Outcome: format.Lost, Entry: c.ID, Name: c.Name, Field: field, How: "the format has no word for it"})
		}
	}
	lost("nickname", c.Nickname != "")
	lost("personality", c.Personality != "")
	lost("scenario", m.scenario == "" && c.Scenario != "")
	lost("greeting", m.greeting == "" && c.Greeting != "")
	lost("greetings", len(c.Greetings)+len(c.GroupGreetings) > 0)
	lost("examples", m.examples == "" && c.Examples != "")
	lost("systemPrompt", m.system == "" && c.SystemPrompt != "")
	lost("postHistory", c.PostHistory != "")
	lost("depthPrompt", c.DepthPrompt != nil)
	lost("creator", c.Creator != "")
	lost("creatorNotes", c.CreatorNotes != "")
	lost("version", c.Version != "")
	lost("tags", len(c.Tags) > 0)
	lost("ext", len(c.Ext) > 0)
}
