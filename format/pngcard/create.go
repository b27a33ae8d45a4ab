package pngcard

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/color"
	"image/png"
	"slices"
	"strings"

	"github.com/weft-memory/weft/format"
	"github.com/weft-memory/weft/format/card"
	"github.com/weft-memory/weft/format/jsondoc"
	"github.com/weft-memory/weft/format/pngchunk"
	"github.com/weft-memory/weft/lore"
)

// create makes a new card: the picture of the document, or a plain one, with
// both chunks.
func create(w *format.Writer, doc *format.Document, c *lore.Character, b *lore.Book) ([]byte, error) {
	f, shown, err := picture(doc)
	if err != nil {
		return nil, err
	}
	v3, _ := card.New(w, c, b, 3)
	v2, _ := card.New(w.Quiet(), c, b, 2)
	list := jsondoc.List()
	for i, a := range doc.Assets {
		if i == shown || !addAsset(w, f, a.Path, a) {
			continue
		}
		list.Items = append(list.Items, jsondoc.Obj(
			jsondoc.M("type", jsondoc.Str(a.Type)), jsondoc.M("uri", jsondoc.Str(assetScheme+a.Path)),
			jsondoc.M("name", jsondoc.Str(a.Name)), jsondoc.M("ext", jsondoc.Str(a.Ext)),
		))
	}
	if len(list.Items) > 0 {
		v3.Get("data").Set("assets", list)
	}
	insertCard(f, keywordV2, v2.String())
	insertCard(f, keywordV3, v3.String())
	return f.Bytes(), nil
}

const assetScheme = "__asset:"

func insertCard(f *pngchunk.File, keyword, text string) {
	f.InsertText(keyword, []byte(base64.StdEncoding.EncodeToString([]byte(text))))
}

// addAsset puts the file of an asset into a chunk.
func addAsset(w *format.Writer, f *pngchunk.File, key string, a format.Asset) bool {
	if a.Open == nil || key == "" {
		return false
	}
	data, err := a.Open()
	if err != nil {
		w.Report().Add(format.Item{Outcome: format.Lost, Field: "asset", Entry: key, Name: a.Name, How: err.Error()})
		return false
	}
	f.InsertText(keywordAsset+":"+key, []byte(base64.StdEncoding.EncodeToString(data)))
	return true
}

// carryOver makes a picture of a card from another container: its JSON as it
// stands, the files beside it in chunks. A V3 card gets a view for programs
// that know V2 only.
func carryOver(w *format.Writer, doc *format.Document, t card.Text, c *lore.Character, b *lore.Book) ([]byte, error) {
	f, shown, err := picture(doc)
	if err != nil {
		return nil, err
	}
	err = t.Enter(w, card.Enter{URI: func(i int, uri, _, _ string) (string, bool) {
		if i >= len(doc.Assets) || doc.Assets[i].Open == nil {
			return "", true // there is no file: a chunk would be missing
		}
		for _, scheme := range []string{"embeded://", "embedded://"} {
			if path, ok := strings.CutPrefix(uri, scheme); ok {
				return assetScheme + path, scheme == "embeded://" && strings.HasPrefix(path, "assets/")
			}
		}
		return "", true
	}}, c, b)
	if err != nil {
		return nil, err
	}
	uris := t.Assets()
	for i, a := range doc.Assets {
		key := a.Path
		if i < t.Named {
			key = ""
			if i < len(uris) {
				key, _ = strings.CutPrefix(uris[i], assetScheme)
			}
			if i == shown && (i >= len(uris) || uris[i] == key) {
				continue // the picture itself
			}
			if i >= len(uris) || uris[i] == key {
				key = a.Path
			}
		} else if i == shown && a.Path == PicturePath {
			continue
		}
		addAsset(w, f, key, a)
	}
	if bytes.HasPrefix(doc.Input.Data, []byte("\xff\xd8\xff")) {
		w.Report().Add(format.Item{Outcome: format.Lost, Field: "picture", How: "the JPEG in front of the archive has no place in a PNG file"})
	}
	if t.Version < 3 {
		insertCard(f, keywordV2, t.JSON)
		return f.Bytes(), nil
	}
	v2, err := t.ViewV2()
	if err != nil {
		return nil, err
	}
	insertCard(f, keywordV2, v2)
	insertCard(f, keywordV3, t.JSON)
	return f.Bytes(), nil
}

// PicturePath is where an archive has the picture that a card came in.
const PicturePath = "assets/icon/images/main.png"

// Picture returns a PNG card without the card: the picture alone.
func Picture(data []byte) ([]byte, error) {
	f, err := pngchunk.Parse(data)
	if err != nil {
		return nil, err
	}
	strip(f)
	return f.Bytes(), nil
}

func strip(f *pngchunk.File) {
	f.Chunks = slices.DeleteFunc(f.Chunks, func(c pngchunk.Chunk) bool {
		if c.Type != "tEXt" && c.Type != "zTXt" && c.Type != "iTXt" {
			return false
		}
		keyword, _, _ := bytes.Cut(c.Data, []byte{0})
		return isCard(string(keyword)) || strings.HasPrefix(strings.ToLower(string(keyword)), keywordAsset)
	})
}

// picture returns the picture of a document and which asset it is, -1 for a
// plain one.
func picture(doc *format.Document) (*pngchunk.File, int, error) {
	for i, a := range doc.Assets {
		if a.Open == nil || a.Type != "icon" && a.Path != PicturePath {
			continue
		}
		if data, err := a.Open(); err == nil && pngchunk.IsPNG(data) {
			f, err := pngchunk.Parse(data)
			if err != nil {
				continue
			}
			strip(f)
			return f, i, nil
		}
	}
	img := image.NewRGBA(image.Rect(0, 0, 16, 24))
	for i := range img.Pix {
		img.Pix[i] = 0xff
	}
	for y := range 24 {
		for x := range 16 {
			img.Set(x, y, color.RGBA{uint8(40 + 4*y), uint8(50 + 3*y), uint8(80 + 2*x), 0xff})
		}
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		return nil, -1, err
	}
	f, err := pngchunk.Parse(b.Bytes())
	return f, -1, err
}
