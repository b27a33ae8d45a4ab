package lore

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/weft-memory/weft/weaver/diag"
)

// The names inside a book folder.
const (
	configName   = "lorebook.yaml"
	entriesName  = "entries"
	entryExt     = ".weaver"
	defaultLimit = 16 << 20
)

// Dir is a book folder: an optional lorebook.yaml and .weaver files, in the
// folder entries if there is one, else beside it.
//
// Changes to a Dir stay in memory until [Dir.Save]. Whoever edits one of its
// files directly calls [Dir.Refresh] afterwards.
type Dir struct {
	// Config is the lorebook.yaml, or nil.
	Config *ConfigFile
	// Files are the .weaver files by name, those that could not be read
	// included.
	Files []*File

	name    string // the book's id where the file has none
	prefix  string // before the names of files in messages
	sub     string // "entries" or ""
	book    *Book
	byID    map[string]*File
	names   map[string]*File  // by name in lower case
	saved   map[string][]byte // what is on disk, by name
	removed []string
}

// Limits bounds what a reader takes in. A zero field means its default.
type Limits struct {
	FileBytes  int64 // of one file; 16 MiB
	TotalBytes int64 // of all files of a book; 1 GiB
	Files      int   // of one book; 200,000
}

func (l Limits) withDefaults() Limits {
	if l.FileBytes <= 0 {
		l.FileBytes = defaultLimit
	}
	if l.TotalBytes <= 0 {
		l.TotalBytes = 1 << 30
	}
	if l.Files <= 0 {
		l.Files = 200_000
	}
	return l
}

// LoadOption changes how a book folder is read.
type LoadOption func(*loadOptions)

type loadOptions struct{ limits Limits }

// WithLimits sets the limits of reading.
func WithLimits(l Limits) LoadOption { return func(o *loadOptions) { o.limits = l } }

// LoadDir reads a book folder. Nothing outside the folder is reached, links
// included. The id of the book is the folder's name, unless lorebook.yaml has
// another.
//
// The error is for the folder as a whole (absent, no folder, cancelled). A bad
// file is reported in the list, by path, and the rest loads; [LoadKind] tells
// the kinds of report apart.
func LoadDir(ctx context.Context, dir string, opts ...LoadOption) (*Dir, diag.List, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, nil, fmt.Errorf("load book: %w", err)
	}
	defer root.Close()
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, nil, fmt.Errorf("load book: %w", err)
	}
	return loadFS(ctx, root.FS(), filepath.Base(abs), filepath.ToSlash(dir), opts)
}

// LoadFS reads a book folder from a file system. Name is the book's id where
// lorebook.yaml has none.
func LoadFS(ctx context.Context, fsys fs.FS, name string, opts ...LoadOption) (*Dir, diag.List, error) {
	return loadFS(ctx, fsys, name, "", opts)
}

func loadFS(ctx context.Context, fsys fs.FS, name, prefix string, opts []LoadOption) (*Dir, diag.List, error) {
	var o loadOptions
	for _, opt := range opts {
		opt(&o)
	}
	l := &loader{fsys: fsys, limits: o.limits.withDefaults(), dir: newDir(name, prefix)}
	if err := l.load(ctx); err != nil {
		return nil, nil, fmt.Errorf("load book %s: %w", name, err)
	}
	list := append(l.list, l.dir.Refresh()...)
	return l.dir, list.Sort(), nil
}

func newDir(name, prefix string) *Dir {
	return &Dir{name: name, prefix: prefix, saved: map[string][]byte{}, names: map[string]*File{}}
}

type loader struct {
	fsys   fs.FS
	limits Limits
	total  int64
	dir    *Dir
	list   diag.List
}

func (l *loader) load(ctx context.Context) error {
	names, err := l.names()
	if err != nil {
		return err
	}
	if src, ok, err := l.file(configName); err != nil {
		l.report(configName, codeIO, err)
	} else if ok {
		var list diag.List
		l.dir.Config, list = ParseConfig(l.dir.display(configName), src)
		l.list = append(l.list, list...)
		l.dir.saved[configName] = src
	}
	mode := modeOf(l.dir.settings())
	for i, name := range names {
		if i%64 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if i >= l.limits.Files {
			l.report(path.Dir(name), codeLimit, fmt.Errorf("more than %d files: %d were not read", l.limits.Files, len(names)-i))
			break
		}
		src, ok, err := l.file(name)
		if err != nil || !ok {
			if err == nil {
				err = fs.ErrNotExist
			}
			l.report(name, codeIO, err)
			continue
		}
		f := &File{path: l.dir.display(name), name: name}
		l.list = append(l.list, f.read(src, mode)...)
		l.dir.Files = append(l.dir.Files, f)
		l.dir.names[strings.ToLower(name)] = f
		l.dir.saved[name] = src
	}
	return nil
}

// names lists the .weaver files in name order.
func (l *loader) names() ([]string, error) {
	entries, err := fs.ReadDir(l.fsys, entriesName)
	switch {
	case err == nil:
		l.dir.sub = entriesName
	case errors.Is(err, fs.ErrNotExist), isNoDir(l.fsys, entriesName):
		if entries, err = fs.ReadDir(l.fsys, "."); err != nil {
			return nil, err
		}
	default:
		return nil, err
	}
	var names []string
	for _, e := range entries {
		if !e.IsDir() && strings.HasSuffix(e.Name(), entryExt) && !strings.HasPrefix(e.Name(), ".") {
			names = append(names, path.Join(l.dir.sub, e.Name()))
		}
	}
	slices.Sort(names)
	return names, nil
}

func isNoDir(fsys fs.FS, name string) bool {
	info, err := fs.Stat(fsys, name)
	return err == nil && !info.IsDir()
}

func (l *loader) file(name string) (src []byte, ok bool, err error) {
	f, err := l.fsys.Open(name)
	if errors.Is(err, fs.ErrNotExist) && name == configName {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, false, err
	}
	if !info.Mode().IsRegular() {
		return nil, false, errors.New("this is no regular file")
	}
	src, err = io.ReadAll(io.LimitReader(f, min(l.limits.FileBytes, l.limits.TotalBytes-l.total)+1))
	switch {
	case err != nil:
		return nil, false, err
	case int64(len(src)) > l.limits.FileBytes:
		return nil, false, fmt.Errorf("the file is larger than %d bytes", l.limits.FileBytes)
	case l.total+int64(len(src)) > l.limits.TotalBytes:
		return nil, false, fmt.Errorf("the files of the book are larger than %d bytes together", l.limits.TotalBytes)
	}
	l.total += int64(len(src))
	return src, true, nil
}

func (l *loader) report(name, code string, err error) {
	if e := (*fs.PathError)(nil); errors.As(err, &e) {
		err = e.Err
	}
	d := diag.Diagnostic{Severity: diag.Error, Code: code, File: l.dir.display(name), Message: "cannot be read: " + err.Error()}
	if strings.Contains(d.Message, "path escapes from parent") { // os.Root has no value for it
		d.Message, d.Hint = "cannot be read: it is a link that leads out of the book's folder", "put the file itself there"
	}
	l.list = append(l.list, d)
}

// NewDir makes a folder for a book: entries that were read from .weaver files
// keep their source and file name, others get a new file. Nothing is written
// before [Dir.Save].
func NewDir(b *Book) (*Dir, error) {
	d := newDir(b.ID, "")
	d.sub = entriesName
	if o := b.Origin; o.Format == nativeExt && len(o.Raw) > 0 && path.Base(o.Path) == configName {
		d.Config, _ = ParseConfig(configName, o.Raw)
	}
	for _, e := range b.Entries {
		if o := e.Origin; o.Format == nativeExt && o.Path != "" && path.Base(path.Dir(o.Path)) != entriesName {
			d.sub = ""
			break
		}
	}
	if err := d.SetBook(b); err != nil {
		return nil, err
	}
	mode := modeOf(d.settings())
	for _, e := range b.Entries {
		f, err := d.newFile(e, mode)
		if err != nil {
			return nil, err
		}
		d.Files = append(d.Files, f)
		d.names[strings.ToLower(f.name)] = f
	}
	d.sortFiles()
	return d, nil
}

// sortFiles puts the files into name order and makes the book anew.
func (d *Dir) sortFiles() diag.List {
	slices.SortFunc(d.Files, func(a, b *File) int { return strings.Compare(a.name, b.name) })
	return d.build()
}

func (d *Dir) display(name string) string { return path.Join(d.prefix, name) }

// Book returns the book that the files make. It must not be changed: give
// changed clones to [Dir.SetEntry] and [Dir.SetBook].
func (d *Dir) Book() *Book { return d.book }

// settings returns the settings of the folder as a book without entries.
func (d *Dir) settings() *Book {
	b := &Book{Policy: PolicyWeaver(), Origin: Origin{Format: nativeExt}}
	if d.Config != nil {
		b = cloneBook(d.Config.Book())
	}
	if b.ID == "" {
		b.ID = d.name
	}
	return b
}

// Refresh makes the book anew from the files and returns the problems that
// only the whole book shows: ids used twice, slots that nothing declares.
func (d *Dir) Refresh() diag.List {
	list := d.build()
	return append(list, checkBook(d.book)...).Sort()
}

func (d *Dir) build() diag.List {
	var list diag.List
	b := d.settings()
	b.Entries = make([]*Entry, 0, len(d.Files))
	d.byID = make(map[string]*File, len(d.Files))
	at := make(map[string]int, len(d.Files))
	for _, f := range d.Files {
		e := f.Entry()
		if e == nil {
			continue
		}
		if i, twice := at[e.ID]; twice {
			twice := diag.NewSource(f.path, f.text).At(diag.Warning, codeIDTwice, f.id,
				fmt.Sprintf("id %q is taken by %s too; this file replaces that one", e.ID, b.Entries[i].Origin.Path))
			twice.Hint = "give one of the two another id"
			list = append(list, twice)
			b.Entries[i] = e
		} else {
			at[e.ID] = len(b.Entries)
			b.Entries = append(b.Entries, e)
		}
		d.byID[e.ID] = f
	}
	d.book = b
	return list
}

// SetEntry adds an entry, or changes the one with its id, touching only what
// differs in its file.
func (d *Dir) SetEntry(e *Entry) error {
	if f := d.byID[e.ID]; f != nil {
		if err := f.SetEntry(e); err != nil {
			return err
		}
		d.build()
		return nil
	}
	f, err := d.newFile(e, modeOf(d.settings()))
	if err != nil {
		return err
	}
	at, _ := slices.BinarySearchFunc(d.Files, f, func(a, b *File) int { return strings.Compare(a.name, b.name) })
	d.Files = slices.Insert(d.Files, at, f)
	d.names[strings.ToLower(f.name)] = f
	d.build()
	return nil
}

// newFile makes the file for an entry: from its own source where it has one.
func (d *Dir) newFile(e *Entry, mode entryMode) (*File, error) {
	if o := e.Origin; o.Format == nativeExt && strings.HasSuffix(o.Path, entryExt) && len(o.Raw) > 0 {
		name := path.Join(d.sub, path.Base(o.Path))
		if d.names[strings.ToLower(name)] == nil {
			f := &File{path: d.display(name), name: name}
			f.read(o.Raw, mode)
			if f.entry != nil && f.SetEntry(e) == nil {
				return f, nil
			}
		}
	}
	name := d.freeName(e.ID)
	f, err := newFile(d.display(name), e, mode)
	if err != nil {
		return nil, err
	}
	f.name = name
	return f, nil
}

// RemoveEntry removes the entry with this id and its file. It reports whether
// there was one.
func (d *Dir) RemoveEntry(id string) bool {
	f := d.byID[id]
	if f == nil {
		return false
	}
	d.Files = slices.DeleteFunc(d.Files, func(g *File) bool { return g == f })
	delete(d.names, strings.ToLower(f.name))
	d.removed = append(d.removed, f.name)
	d.build()
	return true
}

// SetBook changes the settings of the folder to those of b. Entries are not
// looked at.
func (d *Dir) SetBook(b *Book) error {
	c := *b
	if c.ID == d.name && (d.Config == nil || d.Config.Book().ID == "") {
		c.ID = ""
	}
	if d.Config == nil {
		if len(bookPairs(&c)) == 0 {
			d.build()
			return nil
		}
		d.Config, _ = ParseConfig(d.display(configName), nil)
	}
	if err := d.Config.SetBook(&c); err != nil {
		return err
	}
	mode := modeOf(d.settings())
	for _, f := range d.Files {
		if f.mode != mode {
			f.read(f.raw, mode)
		}
	}
	d.build()
	return nil
}

// freeName makes a file name from an id.
func (d *Dir) freeName(id string) string {
	base := fileName(id)
	for i := 1; ; i++ {
		name := base
		if i > 1 {
			name += "-" + strconv.Itoa(i)
		}
		if name = path.Join(d.sub, name+entryExt); d.names[strings.ToLower(name)] == nil {
			return name
		}
	}
}

// fileName turns an id into a name that every file system takes.
func fileName(id string) string {
	name := strings.Map(func(c rune) rune {
		if c < ' ' || c == 0x7f || strings.ContainsRune(`/\:*?"<>|`, c) || c == '\ufffd' {
			return '_'
		}
		return c
	}, id)
	name = strings.Trim(name, " .")
	if r := []rune(name); len(r) > 60 {
		name = string(r[:60])
	}
	switch strings.ToUpper(name) {
	case "", "CON", "PRN", "AUX", "NUL", "COM1", "COM2", "COM3", "LPT1", "LPT2", "LPT3":
		name = "_" + name
	}
	return name
}
