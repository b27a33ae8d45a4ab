// Package contextweaver is the door between the codecs and Weft's own files:
// folders of .weaver entries with a lorebook.yaml, zips of such folders, and
// single .weaver files, which package lore reads and writes.
//
// Edits touch only what differs: comments, key order and bodies of the YAML
// stay. Books of other formats get their foreign data into the extensions of
// the entry's settings, so that a way through a .weaver folder loses nothing.
package contextweaver

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/weft-memory/weft/format"
	"github.com/weft-memory/weft/format/internal/zipedit"
	"github.com/weft-memory/weft/format/jsondoc"
	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/weaver/diag"
)

// Codecs returns the codecs of folders and of single files.
func Codecs() []format.Codec { return []format.Codec{Codec(), FileCodec()} }

// folderCodec reads and writes folders and zips of them.
type folderCodec struct{ shape *format.BookShape }

var (
	_ format.Codec  = folderCodec{}
	_ format.Shaped = folderCodec{}
)

// Codec returns the codec of book folders.
func Codec() format.Codec { return folderCodec{shape(Name)} }

func (c folderCodec) Shape() *format.BookShape { return c.shape }

func (c folderCodec) Info() format.Info {
	return format.Info{
		Name: Name, Title: "ContextWeaver folder", Extensions: []string{""}, Books: true, Carries: true,
	}
}

const configName = "lorebook.yaml"

func isEntry(name string) bool { return strings.HasSuffix(name, ".weaver") }

// open returns the folder that the input is, or holds as a zip.
func open(in *format.Input) (fs.FS, []string, error) {
	if in.FS != nil {
		var names []string
		for _, dir := range []string{".", "entries"} {
			list, err := fs.ReadDir(in.FS, dir)
			if err != nil {
				continue
			}
			for _, d := range list {
				if d.Type().IsRegular() {
					names = append(names, path.Join(dir, d.Name()))
				}
			}
		}
		return in.FS, names, nil
	}
	if in.Data == nil || !zipedit.IsZip(in.Data) {
		return nil, nil, errors.New("neither a folder nor a zip archive")
	}
	a, err := zipedit.Open(in.Data, in.Limits)
	if err != nil {
		return nil, nil, err
	}
	r, err := zip.NewReader(bytes.NewReader(in.Data), int64(len(in.Data)))
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) {
		return nil, nil, err
	}
	return r, a.Names(), nil
}

func (c folderCodec) Sniff(in *format.Input) format.Guess {
	_, names, err := open(in)
	if err != nil {
		return format.Guess{}
	}
	entries := 0
	for _, n := range names {
		if isEntry(n) {
			entries++
		}
	}
	switch {
	case slices.Contains(names, configName) && entries > 0:
		return format.Guessf(format.Certain, "a %s and %d .weaver files", configName, entries)
	case slices.Contains(names, configName):
		return format.Guessf(format.Certain, "a %s", configName)
	case entries > 0:
		return format.Guessf(format.Likely, "%d .weaver files", entries)
	}
	return format.Guess{}
}

func load(ctx context.Context, in *format.Input) (*lore.Dir, diag.List, error) {
	fsys, _, err := open(in)
	if err != nil {
		return nil, nil, err
	}
	limits := in.Limits.WithDefaults()
	return lore.LoadFS(ctx, fsys, in.Base(), lore.WithLimits(lore.Limits{
		FileBytes: limits.FileBytes, TotalBytes: limits.TotalBytes, Files: limits.Files,
	}))
}

func (c folderCodec) Read(ctx context.Context, in *format.Input) (*format.Document, *format.Report, error) {
	report := &format.Report{}
	d, list, err := load(ctx, in)
	report.Problems = list
	if err != nil {
		return nil, report, err
	}
	return &format.Document{Format: Name, Books: []*lore.Book{native(d.Book())}, Input: in}, report, nil
}

// fromHere reports whether a book comes back from another format to this one:
// it behaves as it says itself, not as books of that format do.
func fromHere(b *lore.Book) bool {
	from := format.ExtTree(b.Ext, "weft").Get("from")
	return from != nil && (from.Text == Name || from.Text == JSONName)
}

// carryWhole lets an entry that takes another id carry its whole source, the id
// in it included.
func carryWhole(t *jsondoc.Tree, e *lore.Entry) {
	if len(e.Origin.Raw) == 0 {
		return
	}
	carried := t.At("extensions", "weft")
	if carried == nil || carried.Kind != jsondoc.Object {
		carried = jsondoc.Obj(jsondoc.M("from", jsondoc.Str(e.Origin.Format)), jsondoc.M("v", jsondoc.Int(1)))
	}
	carried.Delete("entry")
	carried.Delete("keys")
	carried.Set("whole", jsondoc.Str(string(e.Origin.Raw)))
	t.SetAt(carried, "extensions", "weft")
}

// seal packs what is carried into a text if it holds half a surrogate pair,
// which JSON can write and YAML cannot.
func seal(t *jsondoc.Tree) {
	if carried := t.At("extensions", "weft"); carried != nil && carried.Kind == jsondoc.Object {
		if text := carried.String(); halfPair.MatchString(text) || repeats(carried) {
			t.SetAt(jsondoc.Str(text), "extensions", "weft")
		}
	}
}

// repeats reports whether a key stands twice in an object inside t, which YAML
// does not allow.
func repeats(t *jsondoc.Tree) bool {
	for _, m := range t.Members {
		if t.Get(m.Key) != m.Value || repeats(m.Value) {
			return true
		}
	}
	return slices.ContainsFunc(t.Items, repeats)
}

// lastOfEach takes out the members whose key stands again further down. What
// the file had is carried.
func lastOfEach(t *jsondoc.Tree) {
	members := t.Members[:0:0]
	for _, m := range t.Members {
		if t.Get(m.Key) == m.Value {
			members = append(members, m)
			lastOfEach(m.Value)
		}
	}
	t.Members = members
	for _, i := range t.Items {
		lastOfEach(i)
	}
}

var halfPair = regexp.MustCompile(`\\u[dD][89a-fA-F]`)

// unseal unpacks what [seal] packed.
func unseal(ext map[string]json.RawMessage) {
	var text string
	if json.Unmarshal(ext["weft"], &text) == nil && strings.HasPrefix(text, "{") {
		ext["weft"] = json.RawMessage(text)
	}
}

// orderKey is the extension of a book that says in which order its entries
// stood in the file that they came from.
const orderKey = "entry_order"

// Reorder puts the entries of a book into the order of the file that they came
// from, which the extension of a book in a folder names.
func Reorder(b *lore.Book) {
	var ids []string
	if raw, ok := b.Ext[orderKey]; !ok || json.Unmarshal(raw, &ids) != nil {
		return
	}
	place := map[string]int{}
	for i, id := range ids {
		place[id] = i
	}
	at := func(e *lore.Entry) int {
		if i, ok := place[e.ID]; ok {
			return i
		}
		return len(ids)
	}
	slices.SortStableFunc(b.Entries, func(x, y *lore.Entry) int { return at(x) - at(y) })
}

// native returns a copy of a book that may be changed, whose entries know their
// source in Weft's JSON.
func native(b *lore.Book) *lore.Book {
	b = b.Clone()
	Reorder(b)
	unseal(b.Ext)
	for i, e := range b.Entries {
		unseal(e.Ext)
		raw := entryTree(e).Append(nil, jsondoc.Compact())
		e.Origin.Format, e.Origin.Pointer, e.Origin.Raw = Name, fmt.Sprintf("/entries/%d", i), raw
	}
	b.Origin.Format, b.Origin.Pointer = Name, ""
	b.Origin.Raw = bookTree(b).Append(nil, jsondoc.Compact())
	return b
}

func (c folderCodec) Write(ctx context.Context, doc *format.Document, opts format.WriteOptions) (*format.Output, *format.Report, error) {
	report := &format.Report{}
	w := format.NewWriter(report, opts)
	format.ReportNoPlace(report, doc, c.Info())
	if len(doc.Books) == 0 {
		return nil, report, errors.New("the document has no lorebook")
	}
	if doc.Format == Name && doc.Input != nil {
		out, err := c.rewrite(ctx, doc)
		return out, report, err
	}
	book, err := c.convert(w, doc.Books[0])
	if err != nil {
		return nil, report, err
	}
	d, err := lore.NewDir(book)
	if err != nil {
		return nil, report, err
	}
	return output(d), report, nil
}

// convert gives a book of another format the form of this one, with what it
// carries.
func (c folderCodec) convert(w *format.Writer, b *lore.Book) (*lore.Book, error) {
	t, _ := c.shape.NewTree(w, b)
	t.Set("id", jsondoc.Str(b.ID))
	if b.Policy.Name != "" && t.Get("policy") == nil && !fromHere(b) && b.Policy.Name != lore.PolicyWeaver().Name {
		t.Set("policy", jsondoc.Str(b.Policy.Name))
	}
	seal(t)
	var ids []string
	taken := map[string]bool{}
	for i, e := range t.Get("entries").Items {
		id := b.Entries[i].ID
		for n := 2; taken[id]; n++ { // the files of a folder need ids of their own
			id = fmt.Sprintf("%s-%d", b.Entries[i].ID, n)
		}
		if taken[id] = true; id != b.Entries[i].ID {
			e.Set("id", jsondoc.Str(id))
			carryWhole(e, b.Entries[i])
			w.Report().RenameEntry(b.ID, b.Entries[i].ID, id)
		}
		ids = append(ids, id)
		seal(e)
	}
	names := make([]string, len(ids))
	for i, id := range ids {
		names[i] = strings.ToLower(id) + ".weaver"
	}
	if !slices.IsSorted(names) { // a folder lists its files by name
		t.SetAt(jsondoc.StrList(ids), "extensions", orderKey)
	}
	book, list := lore.ParseBook(b.ID+".json", t.Append(nil, jsondoc.Compact()))
	if len(book.Entries) != len(b.Entries) {
		return nil, fmt.Errorf("%d of %d entries can be written: %v", len(book.Entries), len(b.Entries), list)
	}
	book.Origin = lore.Origin{}
	for _, e := range book.Entries {
		e.Origin = lore.Origin{}
	}
	return book, nil
}

func output(d *lore.Dir) *format.Output {
	out := &format.Output{Folder: true}
	if d.Config != nil {
		out.Files = append(out.Files, format.OutFile{Path: configName, Data: d.Config.Bytes()})
	}
	for _, f := range d.Files {
		out.Files = append(out.Files, format.OutFile{Path: f.Path(), Data: f.Bytes()})
	}
	return out
}

// rewrite reads the folder again and applies the edits to its files.
func (c folderCodec) rewrite(ctx context.Context, doc *format.Document) (*format.Output, error) {
	d, _, err := load(ctx, doc.Input)
	if err != nil {
		return nil, err
	}
	was := map[string][]byte{}
	for _, f := range output(d).Files {
		was[f.Path] = f.Data
	}
	old, now := native(d.Book()), doc.Books[0]
	if !bookTree(old).Equal(bookTree(now)) {
		c := now.Clone()
		c.Origin = d.Book().Origin
		if err := d.SetBook(c); err != nil {
			return nil, err
		}
	}
	kept := map[string]bool{}
	for _, e := range now.Entries {
		kept[e.ID] = true
		if before := old.Entry(e.ID); before != nil && entryTree(before).Equal(entryTree(e)) {
			continue
		}
		c := e.Clone()
		c.Origin = lore.Origin{}
		if before := d.Book().Entry(e.ID); before != nil {
			c.Origin = before.Origin
		}
		if err := d.SetEntry(c); err != nil {
			return nil, err
		}
	}
	for _, e := range old.Entries {
		if !kept[e.ID] {
			d.RemoveEntry(e.ID)
		}
	}
	out := output(d)
	if doc.Input.FS != nil {
		return out, nil
	}
	a, err := zipedit.Open(doc.Input.Data, doc.Input.Limits)
	if err != nil {
		return nil, err
	}
	changed := map[string][]byte{}
	for _, f := range out.Files {
		if before, ok := was[f.Path]; !ok || !bytes.Equal(before, f.Data) {
			changed[f.Path] = f.Data
		}
		delete(was, f.Path)
	}
	if len(was) > 0 {
		return nil, errors.New("entries cannot be taken out of a zip archive: unpack it first")
	}
	data, err := a.Replace(changed)
	return format.SingleFile(path.Base(doc.Input.Name), data), err
}

// fileCodec reads and writes a single .weaver file as a book of one entry.
type fileCodec struct{}

var _ format.Codec = fileCodec{}

// FileCodec returns the codec of single .weaver files.
func FileCodec() format.Codec { return fileCodec{} }

func (fileCodec) Info() format.Info {
	return format.Info{Name: EntryName, Title: "ContextWeaver entry", Extensions: []string{".weaver"}, Books: true, ReadOnly: true}
}

func (fileCodec) Sniff(in *format.Input) format.Guess {
	text, ok := in.Text()
	first, rest, found := strings.Cut(text, "\n")
	if !ok || !found || strings.TrimRight(first, " \t\r") != "---" {
		return format.Guess{}
	}
	for l := range strings.Lines(rest) {
		l = strings.TrimRight(l, " \t\r\n")
		if l == "---" {
			return format.Guess{}
		}
		if strings.HasPrefix(l, "id:") {
			return format.Guessf(format.Certain, "settings in YAML with an id")
		}
	}
	return format.Guess{}
}

func (fileCodec) Read(ctx context.Context, in *format.Input) (*format.Document, *format.Report, error) {
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	f, list := lore.ParseEntry(in.Name, in.Data)
	report := &format.Report{Problems: list}
	if f.Entry() == nil {
		return nil, report, fmt.Errorf("the entry cannot be read: %w", list.Err())
	}
	b := native(&lore.Book{ID: in.Base(), Policy: lore.PolicyWeaver(), Entries: []*lore.Entry{f.Entry()}})
	return &format.Document{Format: EntryName, Books: []*lore.Book{b}, Input: in}, report, nil
}

func (fileCodec) Write(ctx context.Context, doc *format.Document, _ format.WriteOptions) (*format.Output, *format.Report, error) {
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	report := &format.Report{}
	if len(doc.Books) != 1 || len(doc.Books[0].Entries) != 1 {
		return nil, report, errors.New("a .weaver file holds one entry: write a folder instead")
	}
	e := doc.Books[0].Entries[0].Clone()
	if doc.Format == EntryName && doc.Input != nil {
		f, list := lore.ParseEntry(doc.Input.Name, doc.Input.Data)
		if f.Entry() == nil {
			return nil, report, list.Err()
		}
		if !entryTree(f.Entry()).Equal(entryTree(e)) {
			e.Origin = f.Entry().Origin
			if err := f.SetEntry(e); err != nil {
				return nil, report, err
			}
		}
		return format.SingleFile(doc.Input.Base()+".weaver", f.Bytes()), report, nil
	}
	e.Origin = lore.Origin{}
	f, err := lore.NewFile(format.SafeName(e.ID)+".weaver", e)
	if err != nil {
		return nil, report, err
	}
	return format.SingleFile(format.SafeName(e.ID)+".weaver", f.Bytes()), report, nil
}
