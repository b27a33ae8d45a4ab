package suzune

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/weft-memory/weft/format"
	"github.com/weft-memory/weft/format/internal/zipedit"
	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/weaver/diag"
)

// folderCodec reads and writes a folder (or a zip of one) with books below
// lorebooks/ and character files in YAML.
type folderCodec struct{}

var _ format.Codec = folderCodec{}

// FolderCodec returns the codec of Suzune folders.
func FolderCodec() format.Codec { return folderCodec{} }

func (folderCodec) Info() format.Info {
	return format.Info{
		Name: FolderName, Title: "Suzune folder", Extensions: []string{""}, Books: true, Characters: true, Carries: true,
	}
}

func (folderCodec) Sniff(in *format.Input) format.Guess {
	if in.FS == nil && (in.Data == nil || !zipedit.IsZip(in.Data)) {
		return format.Guess{}
	}
	t, err := openTree(in)
	if err != nil {
		return format.Guess{}
	}
	root, books := t.books()
	switch {
	case len(books) == 0:
		return format.Guess{}
	case root != "":
		return format.Guessf(format.Certain, "%d files of JSON below lorebooks/", len(books))
	}
	return format.Guessf(format.Likely, "JSON in folders called characters, worlds, shared or dynamics")
}

// reading is a folder that is being read.
type reading struct {
	in     *format.Input
	tree   *tree
	report *format.Report
	doc    *format.Document
	// ids are the ids of the books by path, names the paths by bare name.
	ids   map[string]string
	names map[string][]string
	inner map[string]*format.Input
	yaml  map[string]*CharacterFile
}

func (f folderCodec) Read(ctx context.Context, in *format.Input) (*format.Document, *format.Report, error) {
	r, err := f.read(ctx, in)
	if r == nil {
		return nil, nil, err
	}
	return r.doc, r.report, err
}

func (folderCodec) read(ctx context.Context, in *format.Input) (*reading, error) {
	t, err := openTree(in)
	if err != nil {
		return nil, err
	}
	r := &reading{
		in: in, tree: t, report: &format.Report{}, doc: &format.Document{Format: FolderName, Input: in},
		ids: map[string]string{}, names: map[string][]string{}, inner: map[string]*format.Input{}, yaml: map[string]*CharacterFile{},
	}
	for _, name := range sortedKeys(t.odd) {
		r.problem(diag.Warning, "left-alone", name, 0, t.odd[name]+": left alone", "")
	}
	root, books := t.books()
	for _, b := range books {
		bare := format.BaseName(b)
		r.names[bare] = append(r.names[bare], b)
	}
	for _, paths := range r.names {
		slices.SortStableFunc(paths, func(a, b string) int { return rank(root, a) - rank(root, b) })
	}
	total := int64(0)
	for _, b := range books {
		if err := ctx.Err(); err != nil {
			return r, err
		}
		data, err := t.read(b)
		if total += int64(len(data)); total > in.Limits.WithDefaults().TotalBytes {
			return r, fmt.Errorf("the folder's books have more than %d bytes together", in.Limits.WithDefaults().TotalBytes)
		}
		if err != nil {
			r.problem(diag.Error, "bad-file", b, 0, err.Error(), "")
			continue
		}
		r.readBook(root, b, data)
	}
	for _, c := range t.characters() {
		data, err := t.read(c)
		if err != nil {
			r.problem(diag.Error, "bad-file", c, 0, err.Error(), "")
			continue
		}
		r.readCharacter(c, data)
	}
	if len(r.doc.Books) == 0 {
		return r, errors.New("no book of the folder could be read")
	}
	return r, nil
}

func (r *reading) problem(sev diag.Severity, code, file string, line int, message, hint string) {
	r.report.Problem(diag.Diagnostic{
		Severity: sev, Code: code, File: r.in.Name + "/" + file, Line: line, Message: message, Hint: hint,
	})
}

func (r *reading) readBook(root, name string, data []byte) {
	inner := &format.Input{Name: r.in.Name + "/" + name, Data: data, Limits: r.in.Limits}
	value, err := format.ReadJSON(inner, r.report)
	if err != nil {
		r.problem(diag.Error, "bad-file", name, 0, "the book cannot be read: "+err.Error()+"; the file is left as it is", "")
		return
	}
	shape := Shape()
	if _, ok := shape.Locate(value); !ok {
		r.problem(diag.Error, "bad-file", name, 1, "the file is neither a list of entries nor one entry; it is left as it is", "")
		return
	}
	id := format.BaseName(name)
	if len(r.names[id]) > 1 { // the folder tells books of one name apart
		id = strings.TrimSuffix(strings.TrimPrefix(name, root+"/"), path.Ext(name))
	}
	r.ids[name], r.inner[name] = id, inner
	b := shape.ReadValue(format.NewReader(inner, r.report), value, id, "")
	b.Name = format.BaseName(name)
	r.doc.Books = append(r.doc.Books, b)
}

func (r *reading) readCharacter(name string, data []byte) {
	c, problems, err := ParseCharacter(data)
	if err != nil {
		r.problem(diag.Error, "bad-file", name, 0, err.Error()+"; the file is left as it is", "")
		return
	}
	for _, p := range problems {
		r.problem(diag.Warning, "field-type", name, 0, p, "")
	}
	if c.Name == "" && c.Lorebooks == nil {
		return // another YAML file
	}
	r.yaml[name] = c
	origin := lore.Origin{Format: FolderName, Path: r.in.Name + "/" + name}
	ch := &lore.Character{
		ID: c.Name, Name: c.Name, DisplayName: c.DisplayName, Nickname: c.DisplayName, Books: slices.Clone(c.Lorebooks), Origin: origin,
	}
	if ch.ID == "" {
		ch.ID = format.BaseName(name)
		ch.Name = ch.ID
	}
	binding := lore.Binding{Scope: lore.ScopeCharacter, Name: ch.ID, Origin: origin}
	for _, bare := range c.Lorebooks {
		if id, ok := r.resolve(name, bare); ok {
			binding.Books = append(binding.Books, id)
		}
	}
	r.doc.Characters = append(r.doc.Characters, ch)
	r.doc.Bindings = append(r.doc.Bindings, binding)
}

// resolve finds the book with a bare name anywhere below lorebooks/.
func (r *reading) resolve(file, bare string) (id string, ok bool) {
	if strings.ContainsAny(bare, `/\`) || bare == "." || bare == ".." || strings.ContainsRune(bare, 0) {
		r.problem(diag.Error, "not-a-bare-name", file, 0, fmt.Sprintf("%q is no bare name of a book", bare),
			"write the file name without folders and without .json")
		return "", false
	}
	var found []string
	for _, p := range r.names[bare] {
		if r.ids[p] != "" {
			found = append(found, p)
		}
	}
	switch len(found) {
	case 0:
		hint := ""
		if trimmed := strings.TrimSuffix(bare, ".json"); trimmed != bare && len(r.names[trimmed]) > 0 {
			hint = fmt.Sprintf("write %s, without .json", trimmed)
		}
		r.problem(diag.Warning, "book-missing", file, 0, fmt.Sprintf("no book below lorebooks/ is called %q", bare), hint)
		return "", false
	case 1:
	default:
		r.problem(diag.Warning, "book-ambiguous", file, 0,
			fmt.Sprintf("%q could be %s: the first is taken", bare, strings.Join(found, " or ")), "give one of the files another name")
	}
	return r.ids[found[0]], true
}

func sortedKeys(m map[string]string) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

func (f folderCodec) Write(ctx context.Context, doc *format.Document, opts format.WriteOptions) (*format.Output, *format.Report, error) {
	report := &format.Report{}
	w := format.NewWriter(report, opts)
	format.ReportNoPlace(report, doc, f.Info())
	if doc.Format == FolderName && doc.Input != nil {
		out, err := f.splice(ctx, w, doc)
		return out, report, err
	}
	if err := ctx.Err(); err != nil {
		return nil, report, err
	}
	if len(doc.Books) == 0 {
		return nil, report, errors.New("the document has no lorebook")
	}
	format.ReportFiles(report, doc, "the folder has no place for files beside its books")
	return f.newFolder(w, doc), report, nil
}

// splice writes the edits into the files that they concern; all other files
// stay as they are.
func (f folderCodec) splice(ctx context.Context, w *format.Writer, doc *format.Document) (*format.Output, error) {
	was, err := f.read(ctx, doc.Input)
	if err != nil {
		return nil, err
	}
	changed := map[string][]byte{}
	kept := map[string]bool{}
	rel := func(p string) string { return strings.TrimPrefix(p, doc.Input.Name+"/") }
	for _, b := range doc.Books {
		name := rel(b.Origin.Path)
		inner := was.inner[name]
		if b.Origin.Format != Name || inner == nil {
			root, _ := was.tree.books()
			name = path.Join(root, "worlds", safeFile(b.ID)+".json")
			changed[name] = Shape().NewFile(w, b)
			continue
		}
		kept[name] = true
		parsed, _ := inner.Doc()
		edit := parsed.Edit()
		Shape().Splice(w, edit, inner.JSON(), b)
		if edit.Changed() {
			changed[name] = inner.Encode(edit.Bytes())
		}
	}
	for name := range was.inner {
		if !kept[name] {
			w.Lost("book", name+" stays in the folder: remove the file to remove the book")
		}
	}
	for _, c := range doc.Characters {
		name := rel(c.Origin.Path)
		file := was.yaml[name]
		if file == nil {
			changed["characters/"+safeFile(c.ID)+".yaml"] = newCharacter(c, doc)
			continue
		}
		display := c.DisplayName
		if display == file.DisplayName && c.Nickname != file.DisplayName {
			display = c.Nickname
		}
		id := c.Name
		if file.Name == "" && c.Name == format.BaseName(name) {
			id = ""
		}
		data, err := file.Edit(id, display, c.Books)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if string(data) != string(file.Bytes()) {
			changed[name] = data
		}
	}
	if doc.Input.FS == nil {
		a, err := zipedit.Open(doc.Input.Data, doc.Input.Limits)
		if err != nil {
			return nil, err
		}
		data, err := a.Replace(changed)
		if err != nil {
			return nil, err
		}
		return format.SingleFile(path.Base(doc.Input.Name), data), nil
	}
	out := &format.Output{Folder: true}
	files := slices.Clone(was.tree.files)
	for name := range changed {
		if !slices.Contains(files, name) {
			files = append(files, name)
		}
	}
	slices.Sort(files)
	for _, name := range files {
		data, ok := changed[name]
		if !ok {
			if data, err = was.tree.read(name); err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
		}
		out.Files = append(out.Files, format.OutFile{Path: name, Data: data})
	}
	return out, nil
}

// newFolder lays out a document of another format: books that belong to one
// character into characters/, others into worlds/, one called timeline into
// shared/.
func (f folderCodec) newFolder(w *format.Writer, doc *format.Document) *format.Output {
	out := &format.Output{Folder: true}
	for _, b := range doc.Books {
		folder := "worlds"
		if b.ID == "timeline" {
			folder = "shared"
		}
		for _, c := range doc.Characters {
			if c.Book == b.ID {
				folder = "characters"
			}
		}
		out.Files = append(out.Files, format.OutFile{
			Path: path.Join("lorebooks", folder, safeFile(b.ID)+".json"), Data: Shape().NewFile(w, b),
		})
	}
	for _, c := range doc.Characters {
		out.Files = append(out.Files, format.OutFile{Path: "characters/" + safeFile(c.ID) + ".yaml", Data: newCharacter(c, doc)})
		text := c.Description + c.Personality + c.Scenario + c.Greeting + c.Examples + c.SystemPrompt + c.PostHistory
		if text != "" || len(c.Greetings) > 0 {
			w.Report().Add(format.Item{
				Outcome: format.Lost, Entry: c.ID, Name: c.Name, Field: "card texts", How: "a character file names the character and its books only",
			})
		}
	}
	return out
}

func newCharacter(c *lore.Character, doc *format.Document) []byte {
	books := slices.Clone(c.Books)
	if c.Book != "" && !slices.Contains(books, c.Book) {
		books = append([]string{c.Book}, books...)
	}
	for _, bind := range doc.Bindings {
		if bind.Scope == lore.ScopeCharacter && bind.Name == c.ID {
			for _, id := range bind.Books {
				if !slices.Contains(books, id) {
					books = append(books, id)
				}
			}
		}
	}
	for i, id := range books {
		books[i] = safeFile(id)
	}
	return NewCharacter(c.ID, c.CharName(), books)
}

// NewCharacter writes a new character file. An empty display name is left out.
func NewCharacter(name, displayName string, lorebooks []string) []byte {
	var b strings.Builder
	b.WriteString("name: " + yamlText(name) + "\n")
	if displayName != "" {
		b.WriteString("display_name: " + yamlText(displayName) + "\n")
	}
	if len(lorebooks) > 0 {
		b.WriteString("lorebooks:\n")
		for _, id := range lorebooks {
			b.WriteString("  - " + yamlText(id) + "\n")
		}
	}
	return []byte(b.String())
}

// safeFile makes an id a file name without folders.
func safeFile(id string) string {
	name := strings.Map(func(r rune) rune {
		if r < 0x20 || strings.ContainsRune(`/\:*?"<>|`, r) {
			return '_'
		}
		return r
	}, id)
	if name == "" || strings.HasPrefix(name, ".") {
		return "book" + name
	}
	return name
}
