package charx

import (
	"bytes"
	"errors"
	"path"
	"strings"

	"github.com/weft-memory/weft/format"
	"github.com/weft-memory/weft/format/card"
	"github.com/weft-memory/weft/format/internal/zipedit"
	"github.com/weft-memory/weft/format/jsondoc"
	"github.com/weft-memory/weft/format/pngcard"
	"github.com/weft-memory/weft/format/pngchunk"
	"github.com/weft-memory/weft/lore"
)

const (
	embedded    = "embeded://" // the spelling of the specification
	assetScheme = "__asset:"
)

// archive is an archive that is made.
type archive struct {
	names    []string
	contents map[string][]byte
}

func (a *archive) add(name string, data []byte) bool {
	if _, taken := a.contents[name]; taken {
		return false
	}
	if a.contents == nil {
		a.contents = map[string][]byte{}
	}
	a.names, a.contents[name] = append(a.names, name), data
	return true
}

// among reports whether the picture is one of the assets.
func among(assets []format.Asset, picture []byte) bool {
	for _, a := range assets {
		if a.Open == nil || a.Type != "icon" {
			continue
		}
		data, err := a.Open()
		if err != nil || !pngchunk.IsPNG(data) {
			continue
		}
		if plain, err := pngcard.Picture(data); err == nil && bytes.Equal(plain, picture) {
			return true
		}
	}
	return false
}

// carryOver makes an archive of a card from another container: its JSON as it
// stands, and the files that came with it.
func carryOver(w *format.Writer, doc *format.Document, t card.Text, c *lore.Character, b *lore.Book) ([]byte, error) {
	ar := &archive{}
	ar.add(cardName, nil)
	how := card.Enter{V3: true}
	if pngchunk.IsPNG(doc.Input.Data) {
		picture, err := pngcard.Picture(doc.Input.Data)
		if err != nil {
			return nil, err
		}
		if !among(doc.Assets, picture) {
			ar.add(pngcard.PicturePath, picture)
			how.Icon = embedded + pngcard.PicturePath
		}
	}
	before := t.Assets()
	files := map[string]string{} // by reference
	how.URI = func(i int, uri, kindOf, ext string) (string, bool) {
		key, ok := strings.CutPrefix(uri, assetScheme)
		switch {
		case ok && (i >= len(doc.Assets) || doc.Assets[i].Open == nil):
			return "", true
		case ok && strings.HasPrefix(key, "assets/") && zipedit.SafeName(key):
			files[uri] = key
			return embedded + key, true
		case ok:
			name := format.SafeName(path.Base(key))
			if path.Ext(name) == "" && ext != "" {
				name += "." + format.SafeName(ext)
			}
			files[uri] = "assets/" + format.SafeName(kindOf) + "/" + kind(ext) + "/" + name
			return embedded + files[uri], false
		case uri == "ccdefault:" && kindOf == "icon" && how.Icon != "":
			return how.Icon, false
		}
		if key, ok := strings.CutPrefix(uri, embedded); ok {
			files[uri] = key
		}
		return "", true
	}
	if err := t.Enter(w, how, c, b); err != nil {
		return nil, err
	}
	ar.contents[cardName] = []byte(t.JSON)
	for i, a := range doc.Assets {
		if a.Open == nil {
			continue
		}
		name := a.Path
		if i < t.Named && i < len(before) {
			name = files[before[i]]
		}
		data, err := a.Open()
		if err == nil && (!zipedit.SafeName(name) || !ar.add(name, data)) {
			err = errors.New("its name cannot stand in the archive, or stands there already")
		}
		if err != nil {
			w.Report().Add(format.Item{Outcome: format.Lost, Field: "asset", Entry: a.Path, Name: a.Name, How: err.Error()})
		}
	}
	return zipedit.New(ar.names, ar.contents)
}

// create makes a new archive with the card and the assets that can be opened.
func create(report *format.Report, doc *format.Document, tree *jsondoc.Tree, style jsondoc.Style) ([]byte, error) {
	names := []string{cardName}
	contents := map[string][]byte{}
	list := jsondoc.List()
	for _, a := range doc.Assets {
		uri := a.URI
		if a.Open != nil {
			data, err := a.Open()
			if err != nil {
				report.Add(format.Item{Outcome: format.Lost, Field: "asset", Entry: a.URI, Name: a.Name, How: err.Error()})
				continue
			}
			file := "assets/" + format.SafeName(a.Type) + "/" + kind(a.Ext) + "/" + format.SafeName(path.Base(a.Path))
			if contents[file] != nil {
				return nil, errors.New("two assets are called " + file)
			}
			names, contents[file] = append(names, file), data
			uri = "embeded://" + file
		}
		list.Items = append(list.Items, jsondoc.Obj(
			jsondoc.M("type", jsondoc.Str(a.Type)), jsondoc.M("uri", jsondoc.Str(uri)),
			jsondoc.M("name", jsondoc.Str(a.Name)), jsondoc.M("ext", jsondoc.Str(a.Ext)),
		))
	}
	if len(list.Items) > 0 {
		tree.Get("data").Set("assets", list)
	}
	contents[cardName] = tree.Bytes(style)
	return zipedit.New(names, contents)
}

// kind returns the folder for assets with this extension.
func kind(ext string) string {
	switch strings.ToLower(ext) {
	case "png", "jpg", "jpeg", "webp", "gif", "avif", "apng", "svg":
		return "images"
	case "mp3", "wav", "ogg", "flac", "m4a":
		return "audio"
	case "mp4", "webm", "mov":
		return "video"
	case "ttf", "otf", "woff", "woff2":
		return "fonts"
	case "js", "lua", "css", "html":
		return "code"
	}
	return "other"
}
