package format

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/weft-memory/weft/format/jsondoc"
	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/weaver/diag"
)

// NewBookCodec returns the codec of a format whose files are one lorebook each.
func NewBookCodec(s *BookShape) Codec { return &bookCodec{s} }

type bookCodec struct{ shape *BookShape }

var (
	_ Codec  = (*bookCodec)(nil)
	_ Shaped = (*bookCodec)(nil)
)

func (c *bookCodec) Info() Info        { return c.shape.Info }
func (c *bookCodec) Shape() *BookShape { return c.shape }

func (c *bookCodec) Sniff(in *Input) Guess {
	if root := in.JSON(); root.Exists() {
		return c.shape.Sniff(root)
	}
	return Guess{}
}

func (c *bookCodec) Read(ctx context.Context, in *Input) (*Document, *Report, error) {
	report := &Report{}
	root, err := ReadJSON(in, report)
	if err != nil {
		return nil, report, err
	}
	if err := ctx.Err(); err != nil {
		return nil, report, err
	}
	layout, ok := c.shape.Locate(root)
	if !ok {
		return nil, report, errors.New("the file has no list of entries")
	}
	if !layout.Single {
		if err := CheckEntries(root.At(layout.Path...).Len()); err != nil {
			return nil, report, err
		}
	}
	book := c.shape.ReadValue(NewReader(in, report), root, in.Base(), "")
	return &Document{Format: c.shape.Info.Name, Books: []*lore.Book{book}, Input: in}, report, nil
}

// MaxEntries bounds the entries of one book.
const MaxEntries = 100_000

// CheckEntries returns an error for a book of more than [MaxEntries] entries.
func CheckEntries(n int) error {
	if n > MaxEntries {
		return fmt.Errorf("the book has %d entries, more than the limit of %d: split it", n, MaxEntries)
	}
	return nil
}

// ReadJSON returns the JSON of an input and reports what is odd about its text:
// repeated keys, lone surrogates.
func ReadJSON(in *Input, report *Report) (jsondoc.Value, error) {
	doc, err := in.Doc()
	if err != nil {
		return jsondoc.Value{}, err
	}
	for _, d := range doc.Duplicates() {
		line, col := doc.Position(d.Offset)
		report.Problem(diag.Diagnostic{
			Severity: diag.Warning, Code: "duplicate-key", File: in.Name, Line: line, Column: col,
			Message: fmt.Sprintf("the key %q stands twice in one object: the last one counts", d.Key),
		})
	}
	if in.Lossy() {
		report.Problem(diag.Diagnostic{
			Severity: diag.Warning, Code: "lone-surrogate", File: in.Name,
			Message: "the UTF-16 text has halves of surrogate pairs: they are shown as U+FFFD",
		})
	}
	return in.JSON(), nil
}

func (c *bookCodec) Write(ctx context.Context, doc *Document, opts WriteOptions) (*Output, *Report, error) {
	report := &Report{}
	w := NewWriter(report, opts)
	ReportNoPlace(report, doc, c.shape.Info)
	if len(doc.Books) == 0 {
		return nil, report, errors.New("the document has no lorebook")
	}
	out := &Output{}
	for i, b := range doc.Books {
		if err := ctx.Err(); err != nil {
			return nil, report, err
		}
		name := b.ID
		if opts.Name != "" {
			name = opts.Name
			if i > 0 {
				name += "-" + strconv.Itoa(i+1)
			}
		}
		var data []byte
		if in := doc.Input; in != nil && doc.Format == c.shape.Info.Name && i == 0 && in.JSON().Exists() {
			data = c.shape.rewrite(w, in, b)
		} else {
			data = c.shape.NewFile(w, b)
		}
		out.Files = append(out.Files, OutFile{Path: SafeName(name) + c.shape.Info.Extensions[0], Data: data})
	}
	return out, report, nil
}

// rewrite splices a book into the file that it was read from.
func (s *BookShape) rewrite(w *Writer, in *Input, b *lore.Book) []byte {
	doc, _ := in.Doc()
	edit := doc.Edit()
	s.Splice(w, edit, in.JSON(), b)
	if !edit.Changed() {
		return in.Data
	}
	return in.Encode(edit.Bytes())
}

// Splice puts what was edited in a book into the JSON value it was read from.
// Rows that are no entries stay in their place.
func (s *BookShape) Splice(w *Writer, edit *jsondoc.Editor, root jsondoc.Value, b *lore.Book) {
	r := quietReader(b.ID)
	w.Book, w.Index, w.entry = b, -1, nil
	layout, ok := s.Locate(root)
	if !ok {
		return
	}
	old := s.readBook(r, root, b.ID)
	old.Origin = b.Origin
	if layout.Single {
		s.reportUnsaidBook(w, r, root, nil, nil, old, b)
	} else {
		from, to := s.newBook(w.quietly(), old), s.newBook(w.quietly(), b)
		edit.Merge(root, from, to)
		s.reportUnsaidBook(w, r, root, from, to, old, b)
	}
	s.spliceEntries(w, edit, root, layout, b)
}

func (s *BookShape) spliceEntries(w *Writer, edit *jsondoc.Editor, root jsondoc.Value, layout Layout, b *lore.Book) {
	r := quietReader(b.ID)
	list := root
	var rows []jsondoc.Value
	if layout.Single {
		rows = []jsondoc.Value{root}
	} else {
		list = root.At(layout.Path...)
		for _, row := range list.Items() {
			rows = append(rows, row)
		}
	}
	// Which entry of the book is which row of the file.
	byToken := make(map[string][]int, len(rows)) // a key may stand twice
	for i, row := range rows {
		token := strconv.Itoa(i)
		if layout.Keyed {
			token = row.Key()
		}
		byToken[token] = append(byToken[token], i)
	}
	rowOf := make([]int, len(b.Entries))
	entryOf := make([]*lore.Entry, len(rows))
	for i, e := range b.Entries {
		rowOf[i] = -1
		if e.Origin.Format != s.Info.Name || e.Origin.Raw == nil {
			continue
		}
		candidates := byToken[lastToken(e.Origin.Pointer)]
		if layout.Single {
			candidates = []int{0}
		}
		for _, row := range slices.Backward(candidates) {
			if entryOf[row] == nil && bytes.Equal(e.Origin.Raw, []byte(rows[row].Raw())) {
				rowOf[i], entryOf[row] = row, e
				break
			}
		}
	}
	// Edits inside the rows.
	for i, e := range b.Entries {
		if row := rowOf[i]; row >= 0 {
			s.spliceEntry(w, edit, r, rows[row], row, e)
		}
	}
	if slots, changed := s.arrange(w, r, rows, rowOf, entryOf, supersededRows(list, layout), layout, b); changed {
		switch {
		case !layout.Single:
			edit.Arrange(list, slots)
		case len(b.Entries) == 1 && rowOf[0] < 0:
			edit.Replace(root, slots[0].New)
		default:
			w.Lost("entries", "the file holds one entry: further ones need a file of their own")
		}
	}
	w.Index, w.entry = -1, nil
}

// spliceEntry puts the edits of an entry into its row.
func (s *BookShape) spliceEntry(w *Writer, edit *jsondoc.Editor, r *Reader, row jsondoc.Value, index int, e *lore.Entry) {
	old := s.readEntry(r, row, row.Key(), index)
	if old == nil {
		return
	}
	old.Origin = e.Origin
	alignID(old, e)
	if sameEntry(old, e) {
		return
	}
	was := row.Tree()
	w.Index, w.entry = index, e
	e = s.followContent(w, r, was, row.Key(), index, old, s.oneLadder(old, e))
	// The index in both is that of the row: moving an entry is no edit of it.
	q := w.quietly()
	q.Index, q.entry = index, e
	_, from := s.newEntry(q, old)
	_, to := s.newEntry(q, e)
	now := s.editRow(r, was, from, to, row.Key(), index, e)
	edit.Merge(row, was, now)
	w.Index, w.entry = index, e
	s.reportUnsaid(w, r, now, row.Key(), old, e)
}

// oneLadder makes an edit of the priority an edit of the order, in formats that
// have one number for both.
func (s *BookShape) oneLadder(old, e *lore.Entry) *lore.Entry {
	if !s.OneLadder || old.Priority != old.InsertionOrder || e.Priority == e.InsertionOrder {
		return e
	}
	c := *e
	if c.InsertionOrder == old.InsertionOrder {
		c.InsertionOrder = c.Priority
	} else {
		c.Priority = c.InsertionOrder
	}
	return &c
}

// arrange lists the rows as they have to stand; changed is false if that is as
// they stand.
func (s *BookShape) arrange(w *Writer, r *Reader, rows []jsondoc.Value, rowOf []int, entryOf []*lore.Entry, superseded map[int]bool, layout Layout, b *lore.Book) (slots []jsondoc.Slot, changed bool) {
	isEntry := make([]bool, len(rows))
	for i, row := range rows {
		isEntry[i] = entryOf[i] != nil || !superseded[i] && s.readEntry(r, row, row.Key(), i) != nil
	}
	last := -1
	for _, row := range rowOf {
		changed = changed || row <= last
		last = max(last, row)
	}
	for i := range rows {
		changed = changed || isEntry[i] && entryOf[i] == nil
	}
	if !changed {
		return nil, false
	}
	taken := takenKeys{keys: map[string]bool{}}
	for _, row := range rows {
		taken.keys[row.Key()] = true
	}
	// Rows that are no entries follow the row that they followed before.
	follow := func(row int) {
		for i := row + 1; i < len(rows) && !isEntry[i]; i++ {
			slots = append(slots, jsondoc.Slot{Old: rows[i]})
		}
	}
	follow(-1)
	for i, e := range b.Entries {
		if row := rowOf[i]; row >= 0 {
			slots = append(slots, jsondoc.Slot{Old: rows[row]})
			follow(row)
			continue
		}
		w.Index = i
		key, t := s.convertEntry(w, e)
		if layout.Keyed {
			key = taken.free(key)
		}
		slots = append(slots, jsondoc.Slot{Key: key, New: t})
	}
	for i := range rows {
		if isEntry[i] && entryOf[i] == nil {
			follow(i)
		}
	}
	return slots, true
}

// takenKeys finds keys for new members of an object.
type takenKeys struct {
	keys map[string]bool
	next int // numbers below are taken
}

// free returns the key if it is free, else the next free number.
func (t *takenKeys) free(key string) string {
	for t.keys[key] {
		key = strconv.Itoa(t.next)
		t.next++
	}
	t.keys[key] = true
	return key
}

// NewFile writes a book as a new file of the format.
func (s *BookShape) NewFile(w *Writer, b *lore.Book) []byte {
	t, style := s.NewTree(w, b)
	if w.wrap {
		t = jsondoc.List(t)
	}
	return t.Bytes(style)
}

// NewTree writes a book as a new JSON value, and says in which style a file of
// it is to be written.
func (s *BookShape) NewTree(w *Writer, b *lore.Book) (*jsondoc.Tree, jsondoc.Style) {
	w.Book, w.Index, w.entry, w.ids = b, -1, nil, nil
	root, style, rows := s.convertBook(w, b)
	list, layout, ok := s.list(root)
	if !ok {
		if len(b.Entries) == 1 { // a file that is one entry
			w.Index = 0
			_, t := s.convertEntry(w, b.Entries[0])
			return t, style
		}
		root = s.newBook(w.quietly(), b)
		list, layout, _ = s.list(root)
	}
	if s.NewRows != nil && rows == nil {
		list.Items = append(list.Items, s.NewRows(w, b)...)
	}
	taken := takenKeys{keys: map[string]bool{}}
	for i, e := range b.Entries {
		w.Index = i
		key, t := s.convertEntry(w, e)
		if layout.Keyed {
			list.Members = append(list.Members, jsondoc.M(taken.free(key), t))
		} else {
			list.Items = append(list.Items, t)
		}
	}
	// Rows that are no entries go back to where they stood.
	for _, row := range rows {
		if layout.Keyed {
			at := min(max(row.at, 0), len(list.Members))
			list.Members = slices.Insert(list.Members, at, jsondoc.M(row.key, row.tree))
		} else {
			at := min(max(row.at, 0), len(list.Items))
			list.Items = slices.Insert(list.Items, at, row.tree)
		}
	}
	w.Index, w.entry = -1, nil
	return root, style
}

// ReportNoPlace reports the parts of a document that a format has no place for.
func ReportNoPlace(report *Report, doc *Document, info Info) {
	lost := func(field, id, name string) {
		report.Add(Item{Outcome: Lost, Field: field, Entry: id, Name: name, How: info.Title + " has no place for it"})
	}
	if !info.Books {
		for _, b := range doc.Books {
			lost("book", b.ID, b.Name)
		}
	}
	if !info.Characters {
		for _, c := range doc.Characters {
			lost("character", c.ID, c.Name)
		}
		for _, a := range doc.Assets {
			lost("asset", a.URI, a.Name)
		}
	}
	if !info.Chats {
		for _, c := range doc.Chats {
			lost("chat", c.ID, c.Title)
		}
	}
}

// ReportFiles reports the files of a document, and the picture that it is
// itself, as lost, for formats that hold none. how says why.
func ReportFiles(report *Report, doc *Document, how string) {
	for _, a := range doc.Assets {
		if a.Open != nil {
			report.Add(Item{Outcome: Lost, Field: "asset", Entry: cmp.Or(a.Path, a.URI), Name: a.Name, How: how})
		}
	}
	if doc.Input != nil && !doc.Input.JSON().Exists() && doc.Input.FS == nil && pictured(doc.Input.Data) {
		report.Add(Item{Outcome: Lost, Field: "picture", How: how})
	}
}

// pictured reports whether a file is a picture, or begins with one.
func pictured(b []byte) bool {
	return bytes.HasPrefix(b, []byte("\x89PNG")) || bytes.HasPrefix(b, []byte("\xff\xd8\xff")) || bytes.HasPrefix(b, []byte("RIFF"))
}

// SafeName makes an id safe as a file name.
func SafeName(id string) string {
	b := []rune(id)
	for i, r := range b {
		if r < 0x20 || slices.Contains([]rune(`/\:*?"<>|`), r) {
			b[i] = '_'
		}
	}
	if len(b) == 0 || b[0] == '.' {
		return "book" + string(b)
	}
	return string(b)
}
