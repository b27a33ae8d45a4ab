package app

import (
	"archive/zip"
	"bytes"
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/weft-memory/weft/format"
	"github.com/weft-memory/weft/format/all"
	"github.com/weft-memory/weft/format/contextweaver"
	"github.com/weft-memory/weft/format/suzune"
	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/weaver/diag"
)

// opened is something that was read to be written elsewhere, or looked at.
type opened struct {
	path   string
	doc    *format.Document
	report *format.Report
	// data is the file as it was read; nil for folders.
	data []byte
	// title names the format for people.
	title string
}

// open reads anything that Weft reads, with what is needed to write it.
func (e *env) open(path string) (*opened, error) {
	src, foreign, err := e.foreign(path)
	if err != nil {
		return nil, err
	}
	if foreign {
		return e.openAs(path, src, "")
	}
	if path != "-" {
		info, err := os.Stat(path)
		if err != nil {
			return nil, cannotRead(path, "book", err)
		}
		if info.IsDir() {
			if isBookFolder(path) {
				return e.openAs(path, format.Dir(path).WithLimits(foreignLimits), contextweaver.Name)
			}
			return e.openWorld(path)
		}
	}
	data, err := e.readInput(path, "book", maxBookBytes)
	if err != nil {
		return nil, err
	}
	switch head := data[:min(len(data), headBytes)]; {
	case slices.ContainsFunc(e.opts.Readers, func(r Reader) bool { return r.Detect(path, head) }):
	case lore.IsBundle(head) || strings.HasPrefix(string(head), pngMagic):
		return e.openBundle(path, data)
	case (entryReader{}).Detect(path, head):
		return e.openAs(path, format.Bytes(path, data), contextweaver.EntryName)
	}
	if d := detect(src); d != nil && !d.Codec.Info().Books {
		return e.openAs(path, src, d.Codec.Info().Name) // a chat that might be one
	}
	books, list, err := e.readBook(path)
	if err != nil {
		return nil, err
	}
	return &opened{
		path: path, doc: &format.Document{Books: books}, data: data, title: "Weft book (JSON)",
		report: &format.Report{Problems: placed(list, path)},
	}, nil
}

// openAs reads a source as the named format; "" means what its content says.
func (e *env) openAs(path string, src format.Source, name string) (*opened, error) {
	o := &opened{path: path}
	var err error
	if name == "" {
		o.doc, o.report, err = e.readForeign(src)
	} else if o.doc, o.report, err = format.ReadAs(e.ctx, all.Table(), src, name); err != nil {
		err = fail(ExitInput, "", "%w", err)
	}
	if e.ctx.Err() != nil {
		return nil, e.ctx.Err()
	}
	if err != nil {
		return nil, err
	}
	if in := o.doc.Input; in != nil {
		o.data = in.Data
	}
	o.title = formatTitle(o.doc.Format)
	o.report.Problems = placed(o.report.Problems, path)
	return o, nil
}

// openBundle reads a bundle as the folder that it was made of.
func (e *env) openBundle(path string, data []byte) (*opened, error) {
	bundle := data
	var list diag.List
	if strings.HasPrefix(string(data), pngMagic) {
		if bundle, list = lore.ReadBundlePNG(data); bundle == nil {
			return nil, bundleError(path, list)
		}
	}
	dir, found := lore.DirFromBundle(bundle)
	list = append(list, found...)
	if len(dir.Files) == 0 {
		return nil, bundleError(path, list)
	}
	archive, err := zipOf(filesOf(dir))
	if err != nil {
		return nil, fail(ExitInternal, "", "%s: %w", path, err)
	}
	o, err := e.openAs(path, format.Bytes(cmp.Or(dir.Book().ID, baseName(path))+".zip", archive), contextweaver.Name)
	if err != nil {
		return nil, err
	}
	o.data, o.title = data, "Weft bundle"
	o.doc.Format, o.doc.Input = "", nil // a folder it is not
	return o, nil
}

// filesOf lists the files of a folder.
func filesOf(dir *lore.Dir) []format.OutFile {
	var files []format.OutFile
	if dir.Config != nil {
		files = append(files, format.OutFile{Path: "lorebook.yaml", Data: dir.Config.Bytes()})
	}
	for _, f := range dir.Files {
		files = append(files, format.OutFile{Path: f.Path(), Data: f.Bytes()})
	}
	return files
}

// zipOf packs the files of a folder as its codec reads them.
func zipOf(files []format.OutFile) ([]byte, error) {
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for _, f := range files {
		w, err := z.CreateHeader(&zip.FileHeader{Name: f.Path, Method: zip.Store})
		if err != nil {
			return nil, err
		}
		if _, err := w.Write(f.Data); err != nil {
			return nil, err
		}
	}
	err := z.Close()
	return out.Bytes(), err
}

// asFolder gives a book the form of a folder of .weaver files, with what the
// format it came from says beyond that carried along.
func (e *env) asFolder(doc *format.Document, b *lore.Book) ([]format.OutFile, *format.Report, error) {
	one := &format.Document{Format: doc.Format, Input: doc.Input, Books: []*lore.Book{b}}
	if one.Format == contextweaver.Name && one.Input != nil && one.Input.FS == nil {
		one.Format, one.Input = "", nil // a zip of a folder is to become a folder
	}
	output, report, err := format.Write(e.ctx, all.Table(), one, contextweaver.Name)
	if err != nil {
		return nil, report, err
	}
	return output.Files, report, nil
}

// openWorld reads a folder of book folders and cards, as import makes them.
func (e *env) openWorld(path string) (*opened, error) {
	o := &opened{path: path, doc: &format.Document{}, report: &format.Report{}, title: "folder of books"}
	l := &loaded{}
	if err := e.loadCards(l, path); err != nil {
		return nil, err
	}
	o.doc.Characters, o.doc.Bindings, o.report.Problems = l.characters, l.bindings, l.findings
	children, err := os.ReadDir(path)
	if err != nil {
		return nil, cannotRead(path, "book", err)
	}
	for _, c := range children {
		sub := filepath.Join(path, c.Name())
		if info, err := os.Stat(sub); err != nil || !info.IsDir() || !isBookFolder(sub) {
			continue
		}
		inner, err := e.openAs(sub, format.Dir(sub).WithLimits(foreignLimits), contextweaver.Name)
		if err != nil {
			return nil, err
		}
		o.doc.Books = append(o.doc.Books, inner.doc.Books...)
		o.report.Merge(inner.report)
	}
	if len(o.doc.Books)+len(o.doc.Characters) == 0 {
		return nil, fail(ExitInput, "name a file, a folder of .weaver files, or a folder of such folders", "the folder %s holds no book", path)
	}
	return o, nil
}

// loadCards reads the cards beside the books of a folder, as import puts them
// there. The book in a card is read from its folder if that is there.
func (e *env) loadCards(l *loaded, path string) error {
	dir := filepath.Join(path, cardsFolder)
	files, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return cannotRead(dir, "folder of cards", err)
	}
	for _, f := range files {
		file := filepath.Join(dir, f.Name())
		if info, err := os.Stat(file); err != nil || !info.Mode().IsRegular() {
			continue
		}
		doc, list, err := e.readCard(file)
		if e.ctx.Err() != nil {
			return e.ctx.Err()
		}
		l.findings = append(l.findings, list...)
		if err != nil {
			l.findings = append(l.findings, diag.Diagnostic{Severity: diag.Warning, Code: "card", File: file, Message: "this is no card: " + err.Error()})
			continue
		}
		doc.Books = slices.DeleteFunc(doc.Books, func(b *lore.Book) bool { return isBookFolder(filepath.Join(path, fileName(b.ID))) })
		doc.Chats = nil
		for i, c := range doc.Characters {
			x := *c
			x.Origin.Path = file
			doc.Characters[i] = &x
		}
		l.add(doc)
	}
	return nil
}

// readCard reads a card, or the YAML file of a character.
func (e *env) readCard(path string) (*format.Document, diag.List, error) {
	data, err := e.readInput(path, "card", foreignLimits.FileBytes)
	if err != nil {
		return nil, nil, err
	}
	switch strings.ToLower(filepath.Ext(path)) {
	case ".yaml", ".yml":
		return readCharacterYAML(path, data)
	}
	doc, report, err := e.readForeign(format.Bytes(path, data).WithLimits(foreignLimits))
	if err != nil {
		return nil, nil, err
	}
	if len(doc.Characters) == 0 {
		return nil, nil, errors.New("it has no character")
	}
	return doc, placed(report.Problems, path), nil
}

// readCharacterYAML reads the file of a character that names its books.
func readCharacterYAML(path string, data []byte) (*format.Document, diag.List, error) {
	f, problems, err := suzune.ParseCharacter(data)
	if err != nil {
		return nil, nil, err
	}
	c := &lore.Character{
		ID: baseName(path), Name: cmp.Or(f.Name, baseName(path)), DisplayName: f.DisplayName, Nickname: f.DisplayName,
		Books: slices.Clone(f.Lorebooks), Origin: lore.Origin{Format: suzune.FolderName, Path: path},
	}
	var list diag.List
	for _, p := range problems {
		list = append(list, diag.Diagnostic{Severity: diag.Warning, Code: "card", File: path, Message: p})
	}
	return &format.Document{Characters: []*lore.Character{c}}, list, nil
}

// formatTitle is the name of a format for people.
func formatTitle(name string) string {
	if c := all.Table().Codec(name); c != nil {
		return c.Info().Title
	}
	return name
}
