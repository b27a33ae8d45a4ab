package app

import (
	"cmp"
	"fmt"
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

type importCmd struct {
	Paths []string `arg:"" name:"path" help:"Books, cards, chats, and folders of them; the folders of other programs too."`

	Into    string `required:"" placeholder:"DIR" help:"The folder to write into: a folder for each book, cards/ for characters, chats/ for chats."`
	Force   bool   `short:"f" help:"Replace books, cards and chats of the same names in DIR."`
	Strict  bool   `help:"Write nothing, and end with exit status 1, if something would be lost or cannot be read."`
	Verbose bool   `short:"v" help:"List every field of every entry that is not kept as it is, and everything odd about what was read."`
	JSON    bool   `name:"json" help:"Print JSON. docs/cli.md describes it."`
}

// Help is shown by --help.
func (importCmd) Help() string {
	return `Makes Weft's own folders of what other programs wrote: each book becomes a folder of .weaver files that can be read, edited and put under version control, and that runs by the rules of the program it came from. Cards and chats are copied beside them as they are. weft export makes the way back.

All commands read DIR as a whole: weft assemble DIR --char Mira --chat DIR/chats/evening.jsonl.

Examples:

    weft import world_info.json mira.png --into my_world
    weft import SillyTavern/data/default-user/worlds --into my_world --verbose
    weft import suzune/ --into my_world --json | jq .files`
}

// imported is what one source became.
type imported struct {
	Path   string `json:"path"`
	Format string `json:"format"`
	Title  string `json:"title"`
	Reason string `json:"reason,omitempty"`
	// Books are the folders that were written.
	Books []importedBook `json:"books"`
	// Cards and Chats are the files that were written.
	Cards    []string  `json:"cards"`
	Chats    []string  `json:"chats"`
	Findings diag.List `json:"findings"`

	writes []planned
}

type importedBook struct {
	ID      string `json:"id"`
	Folder  string `json:"folder"`
	Dialect string `json:"dialect"`
	Entries int    `json:"entries"`
	conversion
}

// planned is a folder or a file to write.
type planned struct {
	path  string
	files []format.OutFile // of a folder
	data  []byte           // of a file
}

// importReport is the output of `weft import --json`.
type importReport struct {
	Version int         `json:"version"`
	Into    string      `json:"into"`
	Files   []*imported `json:"files"`
	// Skipped are files that could not be read, and why.
	Skipped []skippedFile          `json:"skipped"`
	Counts  map[format.Outcome]int `json:"counts"`
}

type skippedFile struct {
	Path   string `json:"path"`
	Reason string `json:"reason"`
	// named says that the path was given on the command line.
	named bool
}

// importer is one run.
type importer struct {
	*importCmd
	e      *env
	report importReport
	books  map[string]bool // names that are taken
	cards  map[string]bool
	chats  map[string]bool
}

// Run imports.
func (c *importCmd) Run(e *env) error {
	if err := oneStdin(c.Paths...); err != nil {
		return err
	}
	im := &importer{
		importCmd: c, e: e, books: map[string]bool{}, cards: map[string]bool{}, chats: map[string]bool{},
		report: importReport{Version: 1, Into: c.Into, Files: []*imported{}, Skipped: []skippedFile{}, Counts: newConversion("", "", nil).Counts},
	}
	paths, err := im.expand()
	if err != nil {
		return err
	}
	bar := e.progress("reading", len(paths))
	defer bar.end()
	for _, p := range paths {
		bar.step(p.path)
		if err := im.read(p); err != nil {
			return err
		}
	}
	bar.end()
	if len(im.report.Files) == 0 {
		im.showSkipped()
		return fail(ExitInput, "weft inspect FILE says what a file is", "nothing was found that can be imported")
	}
	if c.Strict && (im.report.Counts[format.Lost] > 0 || im.unread() > 0) {
		im.showSkipped()
		return fail(ExitProblems, "without --strict the rest is written nevertheless", "nothing was written: %s lost, %s unread",
			plural(im.report.Counts[format.Lost], "field"), plural(im.unread(), "file"))
	}
	if err := im.write(); err != nil {
		return err
	}
	if err := im.print(); err != nil {
		return err
	}
	if im.unread() > 0 {
		return fail(ExitInput, "everything else was imported", "%s could not be read", plural(im.unread(), "file"))
	}
	return nil
}

// source is a path to read. Those found in folders may turn out to be something
// else.
type source struct {
	path  string
	named bool
}

// expand lists the sources at the paths: folders that are no books of any kind
// stand for the files in them.
func (im *importer) expand() ([]source, error) {
	var out []source
	const most = 20_000
	for _, path := range im.Paths {
		if path == "-" {
			out = append(out, source{path, true})
			continue
		}
		info, err := os.Stat(path)
		if err != nil {
			return nil, cannotRead(path, "book", err)
		}
		if !info.IsDir() || isBookFolder(path) {
			out = append(out, source{path, true})
			continue
		}
		if _, foreign, err := im.e.foreign(path); err != nil {
			return nil, err
		} else if foreign {
			out = append(out, source{path, true})
			continue
		}
		err = filepath.WalkDir(path, func(sub string, d fs.DirEntry, err error) error {
			switch {
			case im.e.ctx.Err() != nil:
				return im.e.ctx.Err()
			case err != nil:
				return cannotRead(sub, "folder", err)
			case len(out) > most:
				return fail(ExitInput, "import a part of it", "%s holds more than %s files", path, number(most))
			case d.IsDir() && sub != path && strings.HasPrefix(d.Name(), "."):
				return fs.SkipDir
			case d.IsDir() && sub != path:
				_, foreign, err := im.e.foreign(sub)
				if err != nil {
					return err
				}
				if foreign || isBookFolder(sub) {
					out = append(out, source{sub, true})
					return fs.SkipDir
				}
			case d.Type().IsRegular() && !strings.HasPrefix(d.Name(), "."):
				out = append(out, source{sub, false})
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// read reads one source and plans what to write for it. What cannot be read is
// noted; the error is for interrupts and the like.
func (im *importer) read(p source) error {
	in, err := im.e.open(p.path)
	if err == nil && len(in.doc.Books)+len(in.doc.Characters)+len(in.doc.Chats) == 0 {
		err = fail(ExitInput, "", "%s holds neither a book nor a character nor a chat", p.path)
	}
	if err != nil {
		if im.e.ctx.Err() != nil {
			return im.e.ctx.Err()
		}
		im.report.Skipped = append(im.report.Skipped, skippedFile{p.path, err.Error(), p.named})
		return nil
	}
	name := im.baseFor(in)
	if in.data != nil && in.doc.Format != "" && name != baseName(p.path) {
		// Under its new name, so that ids and bindings agree with it.
		again, err := im.e.openAs(p.path, format.Bytes(name+filepath.Ext(p.path), in.data).WithLimits(foreignLimits), in.doc.Format)
		if err != nil {
			return err
		}
		again.report.Reason = in.report.Reason
		in = again
	}
	file := &imported{
		Path: p.path, Format: in.doc.Format, Title: in.title, Reason: in.report.Reason,
		Books: []importedBook{}, Cards: []string{}, Chats: []string{}, Findings: append(diag.List{}, in.report.Problems...),
	}
	renamed := map[string]string{}
	if whole := in.isCard(); whole {
		// The copy of a card names its book by its own id.
		for _, b := range in.doc.Books {
			if folder := fileName(b.ID); folder != b.ID || im.books[strings.ToLower(folder)] {
				im.report.Skipped = append(im.report.Skipped, skippedFile{
					p.path, fmt.Sprintf("%s holds a book called %q, and a folder of this name is taken; import it into a folder of its own", p.path, b.ID), true,
				})
				return nil
			}
		}
	}
	for _, b := range in.doc.Books {
		if err := im.planBook(file, in, b, renamed); err != nil {
			if im.e.ctx.Err() != nil {
				return im.e.ctx.Err()
			}
			im.report.Skipped = append(im.report.Skipped, skippedFile{p.path, err.Error(), true})
			return nil
		}
	}
	im.planCards(file, in, name, renamed)
	if len(in.doc.Chats) > 0 && in.data != nil && !in.isCard() {
		name := fileName(baseName(p.path))
		to := name + ext(in)
		for n := 2; im.chats[strings.ToLower(to)]; n++ {
			to = fmt.Sprintf("%s-%d%s", name, n, ext(in))
		}
		im.chats[strings.ToLower(to)] = true
		to = filepath.Join(im.Into, chatsFolder, to)
		file.Chats = append(file.Chats, to)
		file.writes = append(file.writes, planned{path: to, data: in.data})
	}
	im.report.Files = append(im.report.Files, file)
	return nil
}

// baseFor chooses the name of what a source holds: that of its file, unless it
// is taken.
func (im *importer) baseFor(in *opened) string {
	name := fileName(baseName(in.path))
	free, n := name, 2
	for im.books[strings.ToLower(free)] || im.cards[strings.ToLower(free)] {
		free = fmt.Sprintf("%s-%d", name, n)
		n++
	}
	return free
}

// ext is the extension of a file that is copied.
func ext(in *opened) string {
	if e := filepath.Ext(in.path); e != "" {
		return e
	}
	if c := all.Table().Codec(in.doc.Format); c != nil {
		return c.Info().Extensions[0]
	}
	return ""
}

// isCard reports whether a file is the card of one character.
func (in *opened) isCard() bool {
	return in.data != nil && in.doc.Input != nil && len(in.doc.Characters) == 1 && in.doc.Format != suzune.FolderName
}

// allBooks are the books of a document, those of its chats included.
func allBooks(doc *format.Document) []*lore.Book {
	books := slices.Clone(doc.Books)
	for _, c := range doc.Chats {
		if c.Lore != nil {
			books = append(books, c.Lore)
		}
	}
	return books
}

// planBook plans the folder of a book.
func (im *importer) planBook(file *imported, in *opened, b *lore.Book, renamed map[string]string) error {
	folder := freeName(fileName(b.ID), im.books)
	renamed[b.ID] = folder
	x := *b
	x.ID = folder
	files, report, err := im.e.asFolder(in.doc, &x)
	if err != nil {
		return err
	}
	c := newConversion(in.doc.Format, contextweaver.Name, report)
	for o, n := range c.Counts {
		im.report.Counts[o] += n
	}
	to := filepath.Join(im.Into, folder)
	file.Books = append(file.Books, importedBook{ID: folder, Folder: to, Dialect: b.Policy.Name, Entries: len(b.Entries), conversion: c})
	file.Findings = append(file.Findings, report.Problems...)
	file.writes = append(file.writes, planned{path: to, files: files})
	return nil
}

// planCards plans the files of characters: a card is copied as it is; the
// characters of a folder get a file each, which names their books.
func (im *importer) planCards(file *imported, in *opened, name string, renamed map[string]string) {
	if len(in.doc.Characters) == 0 {
		return
	}
	add := func(name, ext string, data []byte) {
		to := filepath.Join(im.Into, cardsFolder, name+ext)
		file.Cards = append(file.Cards, to)
		file.writes = append(file.writes, planned{path: to, data: data})
	}
	if in.isCard() {
		add(freeName(name, im.cards), ext(in), in.data)
		return
	}
	for _, c := range in.doc.Characters {
		var books []string
		for _, b := range in.doc.Bindings {
			if b.Scope == lore.ScopeCharacter && (b.Name == c.ID || b.Name == c.Name) {
				books = append(books, b.Books...)
			}
		}
		for i, id := range books {
			books[i] = cmp.Or(renamed[id], id)
		}
		add(freeName(fileName(c.ID), im.cards), ".yaml", characterYAML(c, books))
	}
}

// characterYAML writes the file of a character. One that was read from such a
// file keeps everything else that stands there.
func characterYAML(c *lore.Character, books []string) []byte {
	if data := readSource(c.Origin.Path); data != nil {
		if f, _, err := suzune.ParseCharacter(data); err == nil {
			if out, err := f.Edit(f.Name, f.DisplayName, books); err == nil {
				return out
			}
		}
	}
	return suzune.NewCharacter(c.Name, c.DisplayName, books)
}

func (im *importer) unread() int {
	n := 0
	for _, s := range im.report.Skipped {
		if s.named {
			n++
		}
	}
	return n
}

// write writes everything that was planned. Before the first file is written
// all of them are known to be free.
func (im *importer) write() error {
	total := 0
	for _, f := range im.report.Files {
		total += len(f.writes)
		for _, w := range f.writes {
			if im.Force {
				continue
			}
			if _, err := os.Lstat(w.path); err == nil {
				return fail(ExitOutput, "choose another folder with --into, or give --force to replace it", "nothing was written: %s is there already", w.path)
			}
		}
	}
	bar := im.e.progress("writing", total)
	defer bar.end()
	for _, dir := range []string{im.Into, filepath.Join(im.Into, cardsFolder), filepath.Join(im.Into, chatsFolder)} {
		if dir != im.Into && !im.writesInto(dir) {
			continue
		}
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return cannotWrite(dir, err)
		}
	}
	for _, f := range im.report.Files {
		for _, w := range f.writes {
			bar.step(w.path)
			if err := im.e.ctx.Err(); err != nil {
				return err
			}
			var err error
			if w.files != nil {
				err = writeFolder(im.e.ctx, w.path, w.files, im.Force, func(name string) bool { return strings.HasSuffix(name, ".weaver") })
			} else {
				err = writeNew(w.path, w.data, im.Force)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

func (im *importer) writesInto(dir string) bool {
	for _, f := range im.report.Files {
		if slices.ContainsFunc(f.writes, func(w planned) bool { return filepath.Dir(w.path) == dir }) {
			return true
		}
	}
	return false
}

func (im *importer) showSkipped() {
	for _, s := range im.report.Skipped {
		if s.named || im.Verbose {
			im.e.complain(fmt.Errorf("%s", s.Reason), "")
		}
	}
	if n := len(im.report.Skipped) - im.unread(); n > 0 && !im.Verbose {
		im.e.note("%s: left aside: %s that hold neither a book nor a card nor a chat; --verbose lists them", im.e.opts.Name, plural(n, "file"))
	}
}

// print prints the report.
func (im *importer) print() error {
	if im.JSON {
		return im.e.printJSON(im.report)
	}
	im.showSkipped()
	var problems diag.List
	for _, f := range im.report.Files {
		problems = append(problems, f.Findings...)
	}
	im.e.showProblems(problems, im.Verbose)
	con := im.e.out
	var b strings.Builder
	total := newConversion("", contextweaver.Name, nil)
	total.Counts = im.report.Counts
	books, entries, cards, chats := 0, 0, 0, 0
	for _, f := range im.report.Files {
		fmt.Fprintf(&b, "%s %s\n", con.paint(strong, visible(f.Path, false)), con.paint(dim, "("+f.Title+")"))
		for i := range f.Books {
			book := &f.Books[i]
			books, entries = books+1, entries+book.Entries
			fmt.Fprintf(&b, "  → %s: %s, %s\n", visible(book.Folder, false), plural(book.Entries, "entry"), con.paint(book.style(), book.summary()))
			for _, i := range book.Items {
				if im.Verbose || i.Outcome != format.Carried {
					total.Items = append(total.Items, i)
				}
			}
		}
		cards, chats = cards+len(f.Cards), chats+len(f.Chats)
		for _, to := range slices.Concat(f.Cards, f.Chats) {
			fmt.Fprintf(&b, "  → %s\n", visible(to, false))
		}
	}
	total.writeItems(&b, con, im.Verbose)
	var sum []string
	if books > 0 {
		sum = append(sum, plural(entries, "entry")+" in "+plural(books, "book"))
	}
	if cards > 0 {
		sum = append(sum, plural(cards, "card"))
	}
	if chats > 0 {
		sum = append(sum, plural(chats, "chat"))
	}
	text := strings.Join(sum, ", ")
	if books > 0 {
		text += ": " + total.summary()
	}
	fmt.Fprintf(&b, "\n%s\n", con.paint(total.style(), text))
	return im.e.print(b.String())
}
