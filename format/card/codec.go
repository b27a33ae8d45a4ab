package card

import (
	"context"
	"errors"

	"github.com/weft-memory/weft/format"
	"github.com/weft-memory/weft/format/jsondoc"
	"github.com/weft-memory/weft/lore"
)

// Name is the name of the format of cards as JSON files.
const Name = "card"

// Codec returns the codec of cards as JSON files. New files are V3 cards.
func Codec() format.Codec { return codec{} }

type codec struct{}

var (
	_ format.Codec = codec{}
	_ Container    = codec{}
)

func (codec) Info() format.Info {
	return format.Info{
		Name: Name, Title: "character card (JSON)", Extensions: []string{".json"},
		Books: true, Characters: true, Carries: true,
	}
}

func (codec) Sniff(in *format.Input) format.Guess { return Sniff(in.JSON()) }

func (codec) Read(_ context.Context, in *format.Input) (*format.Document, *format.Report, error) {
	report := &format.Report{}
	root, err := format.ReadJSON(in, report)
	if err != nil {
		return nil, report, err
	}
	doc := &format.Document{Format: Name, Input: in}
	if err := ReadInto(doc, report, in, root); err != nil {
		return nil, report, err
	}
	return doc, report, nil
}

// ReadInto reads a card into a document. in names the source in messages; it
// need not be the file that root stands in.
func ReadInto(doc *format.Document, report *format.Report, in *format.Input, root jsondoc.Value) error {
	if Version(root) == 0 {
		return errors.New("the JSON is no character card: it has neither a \"spec\" that is known nor \"name\" and \"first_mes\"")
	}
	fields, _ := data(root)
	if err := format.CheckEntries(fields.Get("character_book").Get("entries").Len()); err != nil {
		return err
	}
	c, b := Read(format.NewReader(in, report), root, in.Base())
	doc.Characters = []*lore.Character{c}
	if b != nil {
		doc.Books = []*lore.Book{b}
	}
	doc.Bindings = Bindings(c)
	d, _ := data(root)
	for _, a := range d.Get("assets").Items() {
		doc.Assets = append(doc.Assets, format.Asset{
			Type: a.Get("type").Text(), Name: a.Get("name").Text(), URI: a.Get("uri").Text(), Ext: a.Get("ext").Text(),
		})
	}
	return nil
}

// Parts picks the character and the book of a document that go into a card, and
// reports what does not fit. A document without a character gives one that is
// named after the book.
func Parts(report *format.Report, doc *format.Document) (*lore.Character, *lore.Book) {
	var c *lore.Character
	for i, x := range doc.Characters {
		if i == 0 {
			c = x
			continue
		}
		report.Add(format.Item{Outcome: format.Lost, Field: "character", Entry: x.ID, Name: x.Name, How: "a card holds one character"})
	}
	var b *lore.Book
	for _, x := range doc.Books {
		if b == nil && (c == nil || c.Book == "" || c.Book == x.ID) {
			b = x
			continue
		}
		report.Add(format.Item{Outcome: format.Lost, Field: "book", Book: x.ID, Name: x.Name, How: "a card holds one book"})
	}
	if c == nil {
		c = &lore.Character{}
		if b != nil {
			if c.ID, c.Name = b.ID, b.Name; c.Name == "" {
				c.Name = b.ID
			}
		}
	}
	return c, b
}

func (codec) Write(_ context.Context, doc *format.Document, opts format.WriteOptions) (*format.Output, *format.Report, error) {
	report := &format.Report{}
	w := format.NewWriter(report, opts)
	info := codec{}.Info()
	format.ReportNoPlace(report, doc, info)
	c, b := Parts(report, doc)
	name := opts.Name
	if name == "" {
		name = c.ID
	}
	out := format.SafeName(name) + ".json"
	if in := doc.Input; in != nil && doc.Format == Name {
		d, err := in.Doc()
		if err != nil {
			return nil, report, err
		}
		edit := d.Edit()
		Splice(w, edit, in.JSON(), c, b)
		if !edit.Changed() {
			return format.SingleFile(out, in.Data), report, nil
		}
		return format.SingleFile(out, in.Encode(edit.Bytes())), report, nil
	}
	format.ReportFiles(report, doc, "a card in JSON holds no files")
	if t, ok, err := Take(w, doc, opts, c, b); ok || err != nil {
		return format.SingleFile(out, []byte(t.JSON)), report, err
	}
	tree, style := New(w, c, b, 3)
	return format.SingleFile(out, tree.Bytes(style)), report, nil
}

// Card returns the card of a file: the file itself.
func (codec) Card(in *format.Input) (*format.Input, error) { return in, nil }
