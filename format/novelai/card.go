package novelai

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"image"
	"image/png"
	"strings"

	"github.com/weft-memory/weft/format"
	"github.com/weft-memory/weft/format/jsondoc"
	"github.com/weft-memory/weft/format/pngchunk"
	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/weaver/diag"
)

// keyword is the name of the text chunk that holds the lorebook.
const keyword = "naidata"

// cardCodec reads and writes lorebook cards: PNG pictures that hold a lorebook
// as base64 in a text chunk.
type cardCodec struct{ shape *format.BookShape }

var (
	_ format.Codec  = cardCodec{}
	_ format.Shaped = cardCodec{}
)

// CardCodec returns the codec of lorebook cards.
func CardCodec() format.Codec {
	return cardCodec{container{CardName, "NovelAI lorebook card", ".png", "lorebookVersion", nil}.shape()}
}

func (c cardCodec) Info() format.Info        { return c.shape.Info }
func (c cardCodec) Shape() *format.BookShape { return c.shape }

func isKeyword(k string) bool { return pngchunk.Fold(k, keyword) }

func (c cardCodec) Sniff(in *format.Input) format.Guess {
	if !pngchunk.IsPNG(in.Data) {
		return format.Guess{}
	}
	f, err := pngchunk.Parse(in.Data)
	if err != nil {
		return format.Guess{}
	}
	for _, chunk := range f.Chunks {
		name, _, ok := bytes.Cut(chunk.Data, []byte{0})
		if ok && strings.HasSuffix(strings.ToLower(chunk.Type), "xt") && isKeyword(string(name)) {
			return format.Guessf(format.Certain, "a PNG picture with a %s chunk", keyword)
		}
	}
	return format.Guess{}
}

// unpack finds the lorebook in a picture.
func (c cardCodec) unpack(in *format.Input, problem func(code, message string)) (*pngchunk.File, pngchunk.Text, *format.Input, error) {
	f, err := pngchunk.Parse(in.Data)
	if err != nil {
		return nil, pngchunk.Text{}, nil, err
	}
	for _, p := range f.Problems {
		problem("damaged-png", p)
	}
	cause := fmt.Errorf("the picture has no %s chunk that can be read", keyword)
	for _, t := range f.Texts(in.Limits.WithDefaults().FileBytes, isKeyword) {
		data, err := decodeBase64(t.Text)
		if err != nil {
			cause = fmt.Errorf("the %s chunk: %w", t.Keyword, err)
			problem("bad-base64", cause.Error())
			continue
		}
		inner := &format.Input{Name: in.Name, Data: data, Limits: in.Limits}
		if _, err := inner.Doc(); err != nil {
			cause = fmt.Errorf("the JSON in the %s chunk: %w", t.Keyword, err)
			problem("bad-json", cause.Error())
			continue
		}
		return f, t, inner, nil
	}
	return nil, pngchunk.Text{}, nil, cause
}

// decodeBase64 reads base64 with or without padding, line breaks and url-safe
// letters; JSON as it stands is taken too.
func decodeBase64(text []byte) ([]byte, error) {
	if bytes.HasPrefix(bytes.TrimSpace(text), []byte("{")) {
		return text, nil
	}
	clean := strings.NewReplacer("-", "+", "_", "/", "=", "", " ", "", "\n", "", "\r", "", "\t", "").Replace(string(text))
	out, err := base64.RawStdEncoding.DecodeString(clean)
	if err != nil {
		return nil, fmt.Errorf("not base64: %w", err)
	}
	return out, nil
}

func (c cardCodec) Read(ctx context.Context, in *format.Input) (*format.Document, *format.Report, error) {
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	report := &format.Report{}
	_, _, inner, err := c.unpack(in, func(code, message string) {
		report.Problem(diag.Diagnostic{Severity: diag.Warning, Code: code, File: in.Name, Message: message})
	})
	if err != nil {
		return nil, report, err
	}
	root, err := format.ReadJSON(inner, report)
	if err != nil {
		return nil, report, err
	}
	if _, ok := c.shape.Locate(root); !ok {
		return nil, report, errors.New("the picture's lorebook has no list of entries")
	}
	book := c.shape.ReadValue(format.NewReader(inner, report), root, in.Base(), "")
	return &format.Document{Format: CardName, Books: []*lore.Book{book}, Input: in}, report, nil
}

func (c cardCodec) Write(ctx context.Context, doc *format.Document, opts format.WriteOptions) (*format.Output, *format.Report, error) {
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	report := &format.Report{}
	w := format.NewWriter(report, opts)
	format.ReportNoPlace(report, doc, c.Info())
	if len(doc.Books) == 0 {
		return nil, report, errors.New("the document has no lorebook")
	}
	book := doc.Books[0]
	if doc.Format == CardName && doc.Input != nil {
		f, t, inner, err := c.unpack(doc.Input, func(string, string) {})
		if err != nil {
			return nil, report, err
		}
		parsed, _ := inner.Doc()
		edit := parsed.Edit()
		c.shape.Splice(w, edit, inner.JSON(), book)
		data := doc.Input.Data
		if edit.Changed() {
			text := inner.Encode(edit.Bytes())
			if !bytes.HasPrefix(bytes.TrimSpace(t.Text), []byte("{")) {
				text = []byte(base64.StdEncoding.EncodeToString(text))
			}
			f.SetText(t, text)
			data = f.Bytes()
		}
		return format.SingleFile(format.SafeName(doc.Input.Base())+".png", data), report, nil
	}
	f, err := picture(doc)
	if err != nil {
		return nil, report, err
	}
	t, _ := c.shape.NewTree(w, book)
	text := t.Append(nil, jsondoc.Compact())
	f.InsertText(keyword, []byte(base64.StdEncoding.EncodeToString(text)))
	name := opts.Name
	if name == "" {
		name = book.ID
	}
	return format.SingleFile(format.SafeName(name)+".png", f.Bytes()), report, nil
}

// picture returns the document's own picture without lorebooks in it, or a
// plain one.
func picture(doc *format.Document) (*pngchunk.File, error) {
	for _, a := range doc.Assets {
		if a.Open == nil {
			continue
		}
		data, err := a.Open()
		if err != nil || !pngchunk.IsPNG(data) {
			continue
		}
		if f, err := pngchunk.Parse(data); err == nil {
			return f, nil
		}
	}
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 64, 64))); err != nil {
		return nil, err
	}
	return pngchunk.Parse(b.Bytes())
}
