package format

import (
	"slices"
	"strconv"

	"github.com/weft-memory/weft/format/jsondoc"
	"github.com/weft-memory/weft/lore"
)

// Writer is what the functions of a [BookShape] write with: it knows the book
// and gathers what could not be said.
type Writer struct {
	// Book is the book that is written, Index the index of the entry in it (-1
	// for the book itself).
	Book  *lore.Book
	Index int

	table  *Table
	from   *Input // what the document was read from; may be nil
	report *Report
	quiet  bool
	// carries says that what the format cannot say is carried along.
	carries bool
	// bookCarry is what is carried for the book and has to go into an entry.
	bookCarry *jsondoc.Tree
	keyed     map[*BookShape]bool
	// wrap says that the file that is written once had a list around it.
	wrap  bool
	entry *lore.Entry
	ids   []int // allocated number ids by index
}

// NewWriter returns a writer that reports to report and finds other codecs in
// opts.
func NewWriter(report *Report, opts WriteOptions) *Writer {
	return &Writer{table: opts.Table, report: report, Index: -1, from: opts.from}
}

// Report returns the report that is written to.
func (w *Writer) Report() *Report { return w.report }

// Approx records that the format says something near the field; how says what.
func (w *Writer) Approx(field, how string) { w.note(Approximated, field, how) }

// Lost records that the format has no word for the field, for things that are
// not found by comparing (the comparison reports the fields of the source by
// itself).
func (w *Writer) Lost(field, why string) { w.note(Lost, field, why) }

func (w *Writer) note(o Outcome, field, how string) {
	if w.quiet {
		return
	}
	if o == Lost && w.carries {
		o = Carried
	}
	w.report.Add(w.item(o, field, how))
}

func (w *Writer) item(o Outcome, field, how string) Item {
	i := Item{Outcome: o, Field: field, How: how}
	if w.Book != nil {
		i.Book = w.Book.ID
	}
	if w.entry != nil {
		i.Entry, i.Name = w.entry.ID, w.entry.Name
	}
	return i
}

// Quiet returns a writer of the same book that reports nothing.
func (w *Writer) Quiet() *Writer { return w.quietly() }

// quietly returns a writer for the comparison: it reports nothing.
func (w *Writer) quietly() *Writer {
	return &Writer{Book: w.Book, Index: w.Index, table: w.table, from: w.from, report: &Report{}, quiet: true, entry: w.entry}
}

// IntID returns a number to be the id of the entry that is written: its own id
// if that is a number which no earlier entry has, else a free one. A new id is
// recorded in the report.
func (w *Writer) IntID(e *lore.Entry) int {
	own, isNumber := numberID(e.ID)
	if w.quiet || w.Book == nil || w.Index < 0 || w.Index >= len(w.Book.Entries) {
		if isNumber {
			return own
		}
		return max(w.Index, 0)
	}
	if len(w.ids) != len(w.Book.Entries) {
		w.ids = allocateIDs(w.Book.Entries)
	}
	id := w.ids[w.Index]
	if !isNumber || id != own {
		w.report.RenameEntry(w.Book.ID, e.ID, strconv.Itoa(id))
	}
	return id
}

func allocateIDs(entries []*lore.Entry) []int {
	ids := make([]int, len(entries))
	taken := make(map[int]bool, len(entries))
	var open []int
	for i, e := range entries {
		if n, ok := numberID(e.ID); ok && !taken[n] {
			ids[i], taken[n] = n, true
		} else {
			open = append(open, i)
		}
	}
	for _, i := range open {
		n := i
		for taken[n] {
			n++
		}
		ids[i], taken[n] = n, true
	}
	return ids
}

// numberID reads an id that is a whole number in its usual spelling.
func numberID(id string) (int, bool) {
	n, err := strconv.Atoi(id)
	return n, err == nil && n >= 0 && n <= 1<<53 && strconv.Itoa(n) == id
}

// KeyTexts returns the texts of keys as most formats write them: literals as
// they are, JavaScript expressions as /pattern/flags. A key of another kind is
// written as its text, and reported.
func (w *Writer) KeyTexts(field string, keys []lore.Key) []string {
	texts := make([]string, 0, len(keys))
	for _, k := range keys {
		switch k.Kind {
		case lore.KeyJS:
			texts = append(texts, "/"+k.Text+"/"+k.Flags)
		case lore.KeyRE2:
			w.Approx(field, "an expression of the RE2 family, written as a JavaScript one")
			texts = append(texts, "/"+escapeSlashes(k.Text)+"/")
		case lore.KeyGlob:
			w.Approx(field, "a pattern with * and ?, written as plain text")
			texts = append(texts, k.Text)
		default:
			texts = append(texts, k.Text)
		}
	}
	return slices.Clip(texts)
}

// escapeSlashes puts a backslash before each slash that has none.
func escapeSlashes(s string) string {
	var b []byte
	for i := range len(s) {
		if s[i] == '/' && (i == 0 || s[i-1] != '\\') {
			b = append(b, '\\')
		}
		b = append(b, s[i])
	}
	return string(b)
}
