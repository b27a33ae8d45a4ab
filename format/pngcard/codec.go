package pngcard

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/weft-memory/weft/format"
	"github.com/weft-memory/weft/format/card"
	"github.com/weft-memory/weft/format/jsondoc"
	"github.com/weft-memory/weft/format/pngchunk"
	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/weaver/diag"
)

// Name is the name of the format.
const Name = "card_png"

// Keywords of the chunks.
const (
	keywordV3    = "ccv3"
	keywordV2    = "chara"
	keywordAsset = "chara-ext-asset_"
)

// Codec returns the codec.
func Codec() format.Codec { return codec{} }

type codec struct{}

var (
	_ format.Codec   = codec{}
	_ card.Container = codec{}
)

func (codec) Info() format.Info {
	return format.Info{
		Name: Name, Title: "character card (PNG, APNG)", Extensions: []string{".png", ".apng"},
		Books: true, Characters: true, Carries: true,
	}
}

func (codec) Sniff(in *format.Input) format.Guess {
	if !pngchunk.IsPNG(in.Data) {
		return format.Guess{}
	}
	f, err := pngchunk.Parse(in.Data)
	if err != nil {
		return format.Guess{}
	}
	for _, c := range f.Chunks {
		if c.Type != "tEXt" && c.Type != "zTXt" && c.Type != "iTXt" {
			continue
		}
		if keyword, _, ok := bytes.Cut(c.Data, []byte{0}); ok && isCard(string(keyword)) {
			return format.Guessf(format.Certain, "a PNG picture with a %q chunk", keyword)
		}
	}
	return format.Guess{}
}

// Explain says why a PNG picture holds no card.
func (codec) Explain(in *format.Input) error {
	f, err := pngchunk.Parse(in.Data)
	switch {
	case err != nil:
		return nil
	case len(f.Problems) > 0:
		return fmt.Errorf("the PNG picture holds no card: %s", strings.Join(f.Problems[:min(len(f.Problems), 3)], "; "))
	}
	return errors.New("the PNG picture holds no card")
}

func isCard(keyword string) bool {
	return pngchunk.Fold(keyword, keywordV3) || pngchunk.Fold(keyword, keywordV2)
}

// cardText is a chunk with a card that could be read.
type cardText struct {
	pngchunk.Text
	// input holds the decoded JSON; plain says that it was not in base64.
	input *format.Input
	plain bool
}

// cardTexts returns the cards of a picture, the one that counts first.
func cardTexts(f *pngchunk.File, in *format.Input, problem func(code, msg string)) []cardText {
	var cards []cardText
	for _, t := range f.Texts(in.Limits.WithDefaults().FileBytes, isCard) {
		data, plain, err := decode(t.Text)
		if err != nil {
			problem("bad-base64", fmt.Sprintf("the %q chunk: %v", t.Keyword, err))
			continue
		}
		inner, err := format.Bytes(in.Name, data).WithLimits(in.Limits).Open()
		if err == nil {
			_, err = inner.Doc()
		}
		if err != nil {
			problem("bad-json", fmt.Sprintf("the JSON in the %q chunk cannot be read: %v", t.Keyword, err))
			continue
		}
		if card.Version(inner.JSON()) == 0 {
			problem("no-card", fmt.Sprintf("the JSON in the %q chunk is no card", t.Keyword))
			continue
		}
		cards = append(cards, cardText{Text: t, input: inner, plain: plain})
	}
	slices.SortStableFunc(cards, func(a, b cardText) int { return rank(a.Keyword) - rank(b.Keyword) })
	return cards
}

func rank(keyword string) int {
	if pngchunk.Fold(keyword, keywordV3) {
		return 0
	}
	return 1
}

// decode reads base64 as found in files: standard or url-safe, with or without
// padding and line breaks. Text that is JSON already is taken as it is.
func decode(text []byte) (data []byte, plain bool, err error) {
	trimmed := bytes.TrimLeft(text, "\ufeff \t\r\n")
	if len(trimmed) > 0 && trimmed[0] == '{' {
		return text, true, nil
	}
	clean := make([]byte, 0, len(text))
	for _, c := range text {
		switch c {
		case ' ', '\t', '\r', '\n', '=', 0:
			continue
		case '-':
			c = '+'
		case '_':
			c = '/'
		}
		clean = append(clean, c)
	}
	if len(clean) == 0 {
		return nil, false, errors.New("it is empty")
	}
	out := make([]byte, base64.RawStdEncoding.DecodedLen(len(clean)))
	n, err := base64.RawStdEncoding.Decode(out, clean)
	if err != nil {
		return nil, false, fmt.Errorf("not base64: %w", err)
	}
	return out[:n], false, nil
}

func (codec) Read(_ context.Context, in *format.Input) (*format.Document, *format.Report, error) {
	report := &format.Report{}
	f, err := pngchunk.Parse(in.Data)
	if err != nil {
		return nil, report, err
	}
	problem := func(code, msg string) {
		report.Problem(diag.Diagnostic{Severity: diag.Warning, Code: code, File: in.Name, Message: msg})
	}
	cards := cardTexts(f, in, problem)
	for _, p := range f.Problems {
		problem("png-damage", p)
	}
	if len(cards) == 0 {
		return nil, report, fmt.Errorf("the picture holds no card that can be read: %s", messages(report.Problems[:min(len(report.Problems), 5)]))
	}
	doc := &format.Document{Format: Name, Input: in}
	root, err := format.ReadJSON(cards[0].input, report)
	if err != nil {
		return nil, report, err
	}
	if err := card.ReadInto(doc, report, cards[0].input, root); err != nil {
		return nil, report, err
	}
	if len(cards) > 1 && differ(root, cards[1].input.JSON()) {
		report.Problem(diag.Diagnostic{
			Severity: diag.Note, Code: "views-differ", File: in.Name,
			Message: fmt.Sprintf("the %q and %q chunks describe different cards: %q counts, the other is kept until an edit",
				cards[0].Keyword, cards[1].Keyword, cards[0].Keyword),
		})
	}
	addAssets(doc, f)
	return doc, report, nil
}

func messages(list diag.List) string {
	texts := make([]string, len(list))
	for i, d := range list {
		texts[i] = d.Message
	}
	return strings.Join(texts, "; ")
}

// differ reports whether two cards differ in what both can say.
func differ(a, b jsondoc.Value) bool {
	r := format.QuietReader("")
	x, xb := card.Read(r, a, "")
	y, yb := card.Read(r, b, "")
	if (xb == nil) != (yb == nil) || xb != nil && len(xb.Entries) != len(yb.Entries) {
		return true
	}
	return x.Name != y.Name || x.Nickname != y.Nickname || x.Description != y.Description ||
		x.Greeting != y.Greeting || x.Personality != y.Personality || x.Scenario != y.Scenario
}

// addAssets ties the assets of the card to their chunks.
func addAssets(doc *format.Document, f *pngchunk.File) {
	chunks := map[string]int{}
	for i, c := range f.Chunks {
		if c.Type != "tEXt" {
			continue
		}
		keyword, _, _ := bytes.Cut(c.Data, []byte{0})
		if name, ok := strings.CutPrefix(strings.ToLower(string(keyword)), keywordAsset); ok {
			_ = name
			path := strings.TrimPrefix(string(keyword)[len(keywordAsset):], ":")
			chunks[path] = i
		}
	}
	open := func(i int) func() ([]byte, error) {
		return func() ([]byte, error) {
			_, text, _ := bytes.Cut(f.Chunks[i].Data, []byte{0})
			data, _, err := decode(text)
			return data, err
		}
	}
	for i := range doc.Assets {
		a := &doc.Assets[i]
		if path, ok := strings.CutPrefix(a.URI, "__asset:"); ok {
			if at, ok := chunks[path]; ok {
				a.Path, a.Open = path, open(at)
				delete(chunks, path)
			}
		}
	}
	for _, c := range f.Chunks { // assets that the card does not name, in file order
		keyword, _, _ := bytes.Cut(c.Data, []byte{0})
		for path, i := range chunks {
			if f.Chunks[i].Offset == c.Offset && strings.HasSuffix(string(keyword), path) {
				doc.Assets = append(doc.Assets, format.Asset{Type: "other", Name: path, Path: path, URI: "__asset:" + path, Open: open(i)})
			}
		}
	}
}

func (codec) Write(_ context.Context, doc *format.Document, opts format.WriteOptions) (*format.Output, *format.Report, error) {
	report := &format.Report{}
	format.ReportNoPlace(report, doc, codec{}.Info())
	c, b := card.Parts(report, doc)
	name := opts.Name
	if name == "" {
		name = c.ID
	}
	out := format.SafeName(name) + ".png"
	w := format.NewWriter(report, opts)
	if in := doc.Input; in != nil && doc.Format == Name {
		data, err := rewrite(w, in, c, b)
		return format.SingleFile(out, data), report, err
	}
	t, ok, err := card.Take(w, doc, opts, c, b)
	if err != nil {
		return nil, report, err
	}
	var data []byte
	if ok {
		data, err = carryOver(w, doc, t, c, b)
	} else {
		data, err = create(w, doc, c, b)
	}
	return format.SingleFile(out, data), report, err
}

// Card returns the card of a picture that counts.
func (codec) Card(in *format.Input) (*format.Input, error) {
	f, err := pngchunk.Parse(in.Data)
	if err != nil {
		return nil, err
	}
	cards := cardTexts(f, in, func(string, string) {})
	if len(cards) == 0 {
		return nil, errors.New("the picture holds no card that can be read")
	}
	return cards[0].input, nil
}

// rewrite splices the edits into each card of the picture.
func rewrite(w *format.Writer, in *format.Input, c *lore.Character, b *lore.Book) ([]byte, error) {
	f, err := pngchunk.Parse(in.Data)
	if err != nil {
		return nil, err
	}
	cards := cardTexts(f, in, func(string, string) {})
	if len(cards) == 0 {
		return nil, errors.New("the picture holds no card that can be read")
	}
	changed := false
	for i, t := range cards {
		d, err := t.input.Doc()
		if err != nil {
			return nil, err
		}
		if i > 0 {
			if !changed {
				break // the other view stays as it is until an edit
			}
			w = w.Quiet()
		}
		edit := d.Edit()
		card.Splice(w, edit, t.input.JSON(), c, b)
		if !edit.Changed() {
			continue
		}
		changed = true
		data := t.input.Encode(edit.Bytes())
		if !t.plain {
			data = []byte(base64.StdEncoding.EncodeToString(data))
		}
		f.SetText(t.Text, data)
	}
	if !changed {
		return in.Data, nil
	}
	return f.Bytes(), nil
}
