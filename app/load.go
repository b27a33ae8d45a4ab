package app

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/weft-memory/weft/engine"
	"github.com/weft-memory/weft/format"
	"github.com/weft-memory/weft/format/all"
	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/weaver/diag"
)

// loaded is what paths hold: books, and the characters and bindings that come
// with them.
type loaded struct {
	books      []*lore.Book
	characters []*lore.Character
	bindings   []lore.Binding
	findings   diag.List
}

// foreignLimits bound what is read of other programs. Cards may hold pictures
// and sounds.
var foreignLimits = format.Limits{FileBytes: maxChatBytes}

// load reads everything at all paths: books and cards of every format, book
// folders, folders of book folders, and folders of other programs.
func (e *env) load(paths []string) (*loaded, error) {
	out := &loaded{}
	for _, path := range paths {
		if err := e.loadPath(out, path); err != nil {
			return out, err
		}
	}
	return out, nil
}

func (e *env) loadPath(out *loaded, path string) error {
	src, ok, err := e.foreign(path)
	if err != nil {
		return err
	}
	if !ok {
		books, list, err := e.readBook(path)
		out.books = append(out.books, books...)
		out.findings = append(out.findings, list...)
		if err != nil || path == "-" || isBookFolder(path) {
			return err
		}
		if info, err := os.Stat(path); err != nil || !info.IsDir() {
			return nil
		}
		return e.loadCards(out, path)
	}
	doc, report, err := e.readForeign(src)
	if report != nil {
		out.findings = append(out.findings, placed(report.Problems, path)...)
	}
	if err != nil {
		return err
	}
	if len(doc.Characters) == 0 && len(allBooks(doc)) == 0 {
		hint := ""
		if len(doc.Chats) > 0 {
			hint = "a chat is given with --chat"
		}
		return fail(ExitInput, hint, "%s holds no book: %s", path, formatTitle(doc.Format))
	}
	out.add(doc)
	return nil
}

// readForeign reads something of another program.
func (e *env) readForeign(src format.Source) (*format.Document, *format.Report, error) {
	doc, report, err := format.Read(e.ctx, all.Table(), src)
	if err != nil {
		if e.ctx.Err() != nil {
			return nil, report, e.ctx.Err()
		}
		return nil, report, fail(ExitInput, "", "%w", err)
	}
	return doc, report, nil
}

// add takes over what a document holds. Books whose id is taken get another
// one, which the bindings of their document follow.
func (l *loaded) add(doc *format.Document) {
	taken := map[string]bool{}
	for _, b := range l.books {
		taken[b.ID] = true
	}
	renamed := map[string]string{}
	addBook := func(b *lore.Book) {
		id := b.ID
		for n := 2; taken[id]; n++ {
			id = fmt.Sprintf("%s-%d", b.ID, n)
		}
		if taken[id] = true; id != b.ID {
			renamed[b.ID] = id
			c := *b
			c.ID = id
			b = &c
		}
		l.books = append(l.books, b)
	}
	for _, b := range doc.Books {
		addBook(b)
	}
	for _, c := range doc.Chats {
		if c.Lore != nil {
			addBook(c.Lore)
		}
	}
	rename := func(names []string) []string {
		names = slices.Clone(names)
		for i, n := range names {
			if id, ok := renamed[n]; ok {
				names[i] = id
			}
		}
		return names
	}
	for _, c := range doc.Characters {
		x := *c
		x.Books = rename(c.Books)
		if id, ok := renamed[c.Book]; ok {
			x.Book = id
		}
		l.characters = append(l.characters, &x)
	}
	for _, b := range doc.Bindings {
		b.Books = rename(b.Books)
		l.bindings = append(l.bindings, b)
	}
}

// placed names the file in findings that name none.
func placed(list diag.List, path string) diag.List {
	list = slices.Clone(list)
	for i := range list {
		if list[i].File == "" {
			list[i].File = path
		}
	}
	return list
}

// foreign decides by its content whether a path holds something of another
// program. Weft's own files, and those of the program's readers, come first.
func (e *env) foreign(path string) (src format.Source, ok bool, err error) {
	if path != "-" {
		info, err := os.Stat(path)
		if err != nil {
			return src, false, cannotRead(path, "book", err)
		}
		if info.IsDir() {
			if isBookFolder(path) {
				return src, false, nil
			}
			src = format.Dir(path).WithLimits(foreignLimits)
			d := detect(src)
			return src, d != nil && d.Guess.Confidence >= format.Likely, nil
		}
	}
	data, err := e.readInput(path, "book", maxBookBytes)
	if err != nil {
		return src, false, err
	}
	head := data[:min(len(data), headBytes)]
	for _, r := range e.opts.Readers {
		if r.Detect(path, head) {
			return src, false, nil
		}
	}
	if lore.IsBundle(head) || (entryReader{}).Detect(path, head) {
		return src, false, nil
	}
	if bytes.HasPrefix(head, []byte(pngMagic)) {
		if bundle, _ := lore.ReadBundlePNG(data); bundle != nil {
			return src, false, nil
		}
	}
	name := path
	if name == "-" {
		name = "stdin"
	}
	src = format.Bytes(name, data).WithLimits(foreignLimits)
	if int64(len(data)) > foreignLimits.FileBytes {
		return src, false, tooLarge(path, foreignLimits.FileBytes)
	}
	switch d := detect(src); {
	case d == nil || d.Guess.Confidence == format.Maybe && !d.Codec.Info().Books:
		return src, false, nil
	case d.Guess.Confidence == format.Maybe && (jsonReader{}).Detect(path, head):
		// What merely might fit is read by Weft's own reader if that can.
		_, _, err := (jsonReader{}).Read(e.ctx, path, data)
		return src, err != nil, nil
	}
	return src, true, nil
}

// detect finds the format of a source; nil if there is none.
func detect(src format.Source) *format.Detection {
	in, err := src.Open()
	if err != nil {
		return nil
	}
	d, err := format.Detect(all.Table(), in)
	if err != nil {
		return nil
	}
	return d
}

// character returns the character that speaks: the one called name, else the
// only one, else nil.
func (l *loaded) character(name string) *lore.Character {
	for _, c := range l.characters {
		if name != "" && (strings.EqualFold(c.Name, name) || strings.EqualFold(c.ID, name) || strings.EqualFold(c.DisplayName, name)) {
			return c
		}
	}
	if name == "" && len(l.characters) == 1 {
		return l.characters[0]
	}
	return nil
}

// bind leaves out the books that are bound to other characters, and returns how
// each of the others came in. Books that nobody is bound to take part always,
// and so do those of the chat, which may be nil.
func (l *loaded) bind(c *lore.Character, chat *lore.Chat) (books []*lore.Book, bindings map[string]engine.Binding) {
	bindings = make(map[string]engine.Binding)
	mine, bound := map[string]bool{}, map[string]bool{}
	note := func(owner bool, names ...string) {
		for _, n := range names {
			if n != "" {
				bound[n] = true
				mine[n] = mine[n] || owner
			}
		}
	}
	for _, x := range l.characters {
		note(x == c, append([]string{x.Book}, x.Books...)...)
	}
	for _, b := range l.bindings {
		if b.Scope == lore.ScopeCharacter {
			note(c != nil && (b.Name == c.Name || b.Name == c.ID), b.Books...)
		}
	}
	ofChat := func(id string) bool {
		return chat != nil && (slices.Contains(chat.Books, id) || chat.Lore != nil && chat.Lore.ID == id)
	}
	for _, b := range l.books {
		switch {
		case ofChat(b.ID):
			bindings[b.ID] = engine.BindChat
		case c == nil || !bound[b.ID]:
			bindings[b.ID] = engine.BindGlobal
		case mine[b.ID]:
			bindings[b.ID] = engine.BindCharacter
		default:
			continue
		}
		books = append(books, b)
	}
	return books, bindings
}

// sources are the texts of a card and a chat that entries may ask to be
// searched. Both may be nil.
func sources(c *lore.Character, chat *lore.Chat) map[lore.Source]string {
	out := map[lore.Source]string{}
	if c != nil {
		out[lore.SourceDescription], out[lore.SourcePersonality] = c.Description, c.Personality
		out[lore.SourceScenario], out[lore.SourceCreatorNotes] = c.Scenario, c.CreatorNotes
		if c.DepthPrompt != nil {
			out[lore.SourceDepthPrompt] = c.DepthPrompt.Text
		}
	}
	if chat != nil && chat.Note != "" {
		out[lore.SourceAuthorsNote] = chat.Note
	}
	return out
}
