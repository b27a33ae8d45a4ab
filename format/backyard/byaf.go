package backyard

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/weft-memory/weft/format"
	"github.com/weft-memory/weft/format/chats"
	"github.com/weft-memory/weft/format/internal/splice"
	"github.com/weft-memory/weft/format/internal/zipedit"
	"github.com/weft-memory/weft/format/jsondoc"
	"github.com/weft-memory/weft/format/pngcard"
	"github.com/weft-memory/weft/format/pngchunk"
	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/weaver/diag"
)

const manifest = "manifest.json"

// archiveCodec reads and writes BYAF archives: a manifest, characters with
// their lore items, and scenarios with their chats.
type archiveCodec struct {
	items *format.BookShape
	chat  *chats.Shape
}

var (
	_ format.Codec  = archiveCodec{}
	_ format.Shaped = archiveCodec{}
)

// ArchiveCodec returns the codec of BYAF archives.
func ArchiveCodec() format.Codec {
	return archiveCodec{
		items: itemShape(BYAFName, "Backyard archive (BYAF)", "loreItems"),
		chat:  chats.ScenarioShape(BYAFName),
	}
}

func (c archiveCodec) Info() format.Info {
	return format.Info{
		Name: BYAFName, Title: "Backyard archive (BYAF)", Extensions: []string{".byaf"}, Books: true, Characters: true, Chats: true,
	}
}

func (c archiveCodec) Shape() *format.BookShape { return c.items }

// ChatShape returns the shape of the chats in an archive.
func (c archiveCodec) ChatShape() *chats.Shape { return c.chat }

func (c archiveCodec) Sniff(in *format.Input) format.Guess {
	if in.Data == nil || !zipedit.IsZip(in.Data) {
		return format.Guess{}
	}
	a, err := zipedit.Open(in.Data, in.Limits)
	if err != nil || !a.Has(manifest) {
		return format.Guess{}
	}
	m, err := member(a, in, manifest)
	if err != nil || !m.JSON().Has("characters") {
		return format.Guess{}
	}
	return format.Guessf(format.Certain, "a zip archive whose manifest lists characters")
}

// member opens a JSON file of the archive as an input of its own.
func member(a *zipedit.Archive, in *format.Input, name string) (*format.Input, error) {
	b, err := a.Read(name)
	if err != nil {
		return nil, err
	}
	m := &format.Input{Name: in.Name + "/" + name, Data: b, Limits: in.Limits}
	if _, err := m.Doc(); err != nil {
		return nil, fmt.Errorf("member %q: %w", name, err)
	}
	return m, nil
}

func (c archiveCodec) Read(ctx context.Context, in *format.Input) (*format.Document, *format.Report, error) {
	report := &format.Report{}
	a, err := zipedit.Open(in.Data, in.Limits)
	if err != nil {
		return nil, report, err
	}
	bad := func(name string, err error) {
		report.Problem(diag.Diagnostic{Severity: diag.Error, Code: "bad-member", File: in.Name + "/" + name, Message: err.Error()})
	}
	for name, why := range a.Skipped {
		bad(name, errors.New(why+": left alone"))
	}
	m, err := member(a, in, manifest)
	if err != nil {
		return nil, report, err
	}
	doc := &format.Document{Format: BYAFName, Input: in}
	characters, _ := m.JSON().Get("characters").Strings()
	for _, name := range characters {
		if err := ctx.Err(); err != nil {
			return nil, report, err
		}
		file, err := member(a, in, name)
		if err != nil {
			bad(name, err)
			continue
		}
		c.readCharacter(doc, report, a, file, name)
	}
	scenarios, _ := m.JSON().Get("scenarios").Strings()
	for _, name := range scenarios {
		file, err := member(a, in, name)
		if err != nil {
			bad(name, err)
			continue
		}
		c.readScenario(doc, report, file)
	}
	if len(doc.Characters)+len(doc.Chats) == 0 {
		return nil, report, errors.New("the archive holds no character that can be read")
	}
	return doc, report, nil
}

func (c archiveCodec) readCharacter(doc *format.Document, report *format.Report, a *zipedit.Archive, file *format.Input, name string) {
	r := format.NewReader(file, report)
	root := file.JSON()
	id := r.ID(root, "id")
	if id == "" {
		id = r.Str(root, "name")
	}
	if id == "" {
		id = file.Base()
	}
	ch := &lore.Character{ID: id, Origin: lore.Origin{Format: BYAFName, Path: file.Name}}
	byafMembers.read(r, root, ch)
	book := c.items.ReadValue(r, root, id, "")
	book.Name = ch.Name
	ch.Book = book.ID
	doc.Characters, doc.Books = append(doc.Characters, ch), append(doc.Books, book)
	folder := name[:strings.LastIndexByte(name, '/')+1]
	for _, img := range root.Get("images").Items() {
		path := img.Get("path").Text()
		asset := format.Asset{Type: "icon", Name: img.Get("label").Text(), URI: path}
		if full := folder + path; path != "" && a.Has(full) {
			asset.Path = full
			asset.Open = func() ([]byte, error) { return a.Read(full) }
		}
		if dot := strings.LastIndexByte(path, '.'); dot >= 0 {
			asset.Ext = path[dot+1:]
		}
		doc.Assets = append(doc.Assets, asset)
	}
}

func (c archiveCodec) readScenario(doc *format.Document, report *format.Report, file *format.Input) {
	root := file.JSON()
	for _, chat := range c.chat.Read(file, report) {
		chat.Origin.Path = file.Name
		for i := range chat.Messages {
			chat.Messages[i].Origin.Path = file.Name
		}
		chat.Characters = nil
		for _, ch := range doc.Characters {
			chat.Characters = append(chat.Characters, ch.Name)
		}
		doc.Chats = append(doc.Chats, chat)
	}
	for _, first := range root.Get("firstMessages").Items() {
		for _, ch := range doc.Characters {
			if ch.ID == first.Get("characterID").Text() && ch.Greeting == "" {
				ch.Greeting = macros(first.Get("text").Text())
			}
		}
	}
	if narrative := root.Get("narrative").Text(); narrative != "" {
		for _, ch := range doc.Characters {
			if ch.Scenario == "" {
				ch.Scenario = macros(narrative)
			}
		}
	}
}

func (c archiveCodec) Write(ctx context.Context, doc *format.Document, opts format.WriteOptions) (*format.Output, *format.Report, error) {
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	report := &format.Report{}
	w := format.NewWriter(report, opts)
	if doc.Format == BYAFName && doc.Input != nil {
		data, err := c.splice(ctx, w, doc)
		if err != nil {
			return nil, report, err
		}
		return format.SingleFile(doc.Input.Base()+ext(doc.Input, ".byaf"), data), report, nil
	}
	data, name, err := c.newArchive(w, doc, opts)
	if err != nil {
		return nil, report, err
	}
	return format.SingleFile(name+".byaf", data), report, nil
}

// splice writes the edits into the members that they concern.
func (c archiveCodec) splice(ctx context.Context, w *format.Writer, doc *format.Document) ([]byte, error) {
	a, err := zipedit.Open(doc.Input.Data, doc.Input.Limits)
	if err != nil {
		return nil, err
	}
	was, _, err := c.Read(ctx, doc.Input)
	if err != nil {
		return nil, err
	}
	changed := map[string][]byte{}
	for _, old := range was.Characters {
		name := strings.TrimPrefix(old.Origin.Path, doc.Input.Name+"/")
		file, err := member(a, doc.Input, name)
		if err != nil {
			return nil, err
		}
		parsed, _ := file.Doc()
		edit := parsed.Edit()
		for _, now := range doc.Characters {
			if now.Origin.Path == old.Origin.Path {
				splice.Merge(edit, file.JSON(), byafMembers.write(old), byafMembers.write(now))
			}
		}
		for _, b := range doc.Books {
			if b.Origin.Path != old.Origin.Path {
				continue
			}
			if _, ok := c.items.Locate(file.JSON()); ok {
				c.items.Splice(w, edit, file.JSON(), b)
			} else if len(b.Entries) > 0 {
				t, _ := c.items.NewTree(w, b)
				edit.Set(file.JSON(), "loreItems", t.Get("loreItems"))
			}
		}
		if edit.Changed() {
			changed[name] = file.Encode(edit.Bytes())
		}
	}
	for _, old := range was.Chats {
		name := strings.TrimPrefix(old.Origin.Path, doc.Input.Name+"/")
		var now []*lore.Chat
		for _, chat := range doc.Chats {
			if chat.Origin.Path == old.Origin.Path {
				now = append(now, chat)
			}
		}
		if len(now) == 0 {
			continue
		}
		file, err := member(a, doc.Input, name)
		if err != nil {
			return nil, err
		}
		out, err := c.chat.Splice(file, now)
		if err != nil {
			return nil, err
		}
		if text, _ := file.Text(); string(out) != text {
			changed[name] = file.Encode(out)
		}
	}
	return a.Replace(changed)
}

// newArchive writes an archive with one character and its book and chats.
func (c archiveCodec) newArchive(w *format.Writer, doc *format.Document, opts format.WriteOptions) (data []byte, name string, err error) {
	ch := &lore.Character{ID: "character", Name: "Character"}
	if len(doc.Characters) > 0 {
		ch = doc.Characters[0]
		reportCharacter(w.Report(), ch, characterMembers{scenario: "narrative", greeting: "firstMessages"})
	} else if len(doc.Books) > 0 {
		ch = &lore.Character{ID: doc.Books[0].ID, Name: doc.Books[0].Name}
	}
	id := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_' {
			return r
		}
		return '-'
	}, ch.ID)
	if id == "" {
		id = "character"
	}
	character := jsondoc.Obj(jsondoc.M("schemaVersion", jsondoc.Int(1)), jsondoc.M("id", jsondoc.Str(id)))
	character.Members = append(character.Members, byafMembers.write(ch).Members...)
	folder := "characters/" + id + "/"
	images, pictures := newImages(w.Report(), doc, folder)
	character.Set("images", images)
	items := jsondoc.List()
	if len(doc.Books) > 0 {
		t, _ := c.items.NewTree(w, doc.Books[0])
		items = t.Get("loreItems")
	}
	character.Set("loreItems", items)
	path, scenario := folder+"character.json", "scenarios/scenario1.json"
	title, messages := "", jsondoc.List()
	if len(doc.Chats) > 0 {
		title = doc.Chats[0].Title
		messages.Items = c.chat.Rows(doc.Chats[0], w.Report())
	}
	first := jsondoc.List()
	if ch.Greeting != "" {
		first.Items = append(first.Items, jsondoc.Obj(
			jsondoc.M("characterID", jsondoc.Str(id)), jsondoc.M("text", jsondoc.Str(placeholders(ch.Greeting))),
		))
	}
	files := map[string]*jsondoc.Tree{
		manifest: jsondoc.Obj(
			jsondoc.M("schemaVersion", jsondoc.Int(1)), jsondoc.M("characters", jsondoc.StrList([]string{path})),
			jsondoc.M("scenarios", jsondoc.StrList([]string{scenario})),
		),
		path: character,
		scenario: jsondoc.Obj(
			jsondoc.M("schemaVersion", jsondoc.Int(1)), jsondoc.M("title", jsondoc.Str(title)),
			jsondoc.M("narrative", jsondoc.Str(placeholders(ch.Scenario))),
			jsondoc.M("firstMessages", first), jsondoc.M("exampleMessages", jsondoc.List()), jsondoc.M("messages", messages),
		),
	}
	contents := map[string][]byte{}
	for name, t := range files {
		contents[name] = t.Bytes(jsondoc.Indented("  "))
	}
	names := []string{manifest, path, scenario}
	for _, p := range pictures {
		names, contents[p.Path] = append(names, p.Path), p.Data
	}
	data, err = zipedit.New(names, contents)
	name = opts.Name
	if name == "" {
		name = id
	}
	return data, name, err
}

// newImages returns the list of a character's images and their files: the
// pictures of the document that can be opened, and the picture that a card is.
func newImages(report *format.Report, doc *format.Document, folder string) (list *jsondoc.Tree, files []format.OutFile) {
	list = jsondoc.List()
	taken := map[string]bool{}
	add := func(name, ext, label string, data []byte) {
		base := strings.TrimSuffix(format.SafeName(name), "."+ext)
		if strings.Trim(base, ". ") == "" {
			base = "image"
		}
		file := base + "." + ext
		for n := 2; taken[strings.ToLower(file)]; n++ {
			file = fmt.Sprintf("%s-%d.%s", base, n, ext)
		}
		taken[strings.ToLower(file)] = true
		list.Items = append(list.Items, jsondoc.Obj(
			jsondoc.M("path", jsondoc.Str("images/"+file)), jsondoc.M("label", jsondoc.Str(label)),
		))
		files = append(files, format.OutFile{Path: folder + "images/" + file, Data: data})
	}
	var seen [][]byte
	for _, a := range doc.Assets {
		lost := func(how string) {
			report.Add(format.Item{Outcome: format.Lost, Field: "asset", Entry: cmp.Or(a.Path, a.URI), Name: a.Name, How: how})
		}
		ext := strings.ToLower(a.Ext)
		switch {
		case a.Open == nil:
			lost("the file did not come with the card")
			continue
		case !slices.Contains(imageExts, ext):
			lost("the format holds images only")
			continue
		}
		data, err := a.Open()
		if err != nil {
			lost(err.Error())
			continue
		}
		seen = append(seen, data)
		add(cmp.Or(path.Base(a.Path), a.Name), format.SafeName(ext), a.Name, data)
	}
	if doc.Input != nil && pngchunk.IsPNG(doc.Input.Data) {
		picture, err := pngcard.Picture(doc.Input.Data)
		if err != nil {
			report.Add(format.Item{Outcome: format.Lost, Field: "picture", How: err.Error()})
		} else if !slices.ContainsFunc(seen, func(b []byte) bool { return bytes.Equal(b, picture) }) {
			add("card.png", "png", "", picture)
		}
	}
	return list, files
}

// imageExts are the extensions of the files that an archive takes as images.
var imageExts = []string{"png", "apng", "jpg", "jpeg", "webp", "gif", "avif"}
