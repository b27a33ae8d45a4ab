package app

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/weft-memory/weft/format"
	"github.com/weft-memory/weft/weaver/diag"
)

// conversion says what became of a document on its way into a format, in the
// output of --json.
type conversion struct {
	// From and To are names of formats; From is empty for Weft's own books.
	From string `json:"from"`
	To   string `json:"to"`
	// Identical says that the output is byte for byte what was read.
	Identical bool `json:"identical"`
	// Counts has the number of fields by outcome: kept, approximated, carried,
	// lost.
	Counts map[format.Outcome]int `json:"counts"`
	// Kept counts the kept fields by name; Items lists all others.
	Kept  map[string]int `json:"kept"`
	Items []format.Item  `json:"items"`
	// IDs are the ids of entries that had to change, old to new, by book.
	IDs map[string]map[string]string `json:"ids,omitempty"`

	noun string // what the fields are of; "" means entry
}

// outcomes in the order in which they are shown.
var outcomes = []format.Outcome{format.Lost, format.Approximated, format.Carried}

func newConversion(from, to string, r *format.Report) conversion {
	c := conversion{From: from, To: to, Counts: map[format.Outcome]int{
		format.Kept: 0, format.Approximated: 0, format.Carried: 0, format.Lost: 0,
	}, Kept: map[string]int{}, Items: []format.Item{}}
	if r == nil {
		return c
	}
	maps.Copy(c.Kept, r.Kept)
	c.Items = append(c.Items, r.Items...)
	c.IDs = r.IDs
	for _, n := range r.Kept {
		c.Counts[format.Kept] += n
	}
	for _, i := range r.Items {
		c.Counts[i.Outcome]++
	}
	return c
}

// summary counts the outcomes in words.
func (c *conversion) summary() string {
	if c.Identical {
		return "byte for byte as it was"
	}
	parts := []string{plural(c.Counts[format.Kept], "field") + " kept"}
	for _, o := range []struct {
		outcome format.Outcome
		words   string
	}{{format.Approximated, "approximated"}, {format.Carried, "carried along"}} {
		if n := c.Counts[o.outcome]; n > 0 {
			parts = append(parts, number(n)+" "+o.words)
		}
	}
	if n := c.Counts[format.Lost]; n > 0 {
		parts = append(parts, number(n)+" lost")
	} else {
		parts = append(parts, "nothing lost")
	}
	return strings.Join(parts, ", ")
}

// style is the colour of the summary.
func (c *conversion) style() style {
	switch {
	case c.Counts[format.Lost] > 0:
		return bad
	case c.Counts[format.Approximated] > 0:
		return warning
	}
	return good
}

// writeItems prints what was not kept: a row for each field, or with verbose a
// row for each field of each entry.
func (c *conversion) writeItems(b *strings.Builder, con *console, verbose bool) {
	if len(c.Items) == 0 || c.Identical {
		return
	}
	b.WriteByte('\n')
	if verbose {
		t := newTable(con, "outcome", "of", "field", "how").limit(1, 24).limit(2, 24)
		for _, o := range outcomes {
			for _, i := range c.Items {
				if i.Outcome == o {
					t.row(outcomeCell(o), cell{text: visible(itemOwner(i), false)}, cell{text: visible(i.Field, false)}, cell{text: visible(i.How, false)})
				}
			}
		}
		t.print(b)
		return
	}
	t := newTable(con, "outcome", "field", "of", "how").limit(1, 28)
	for _, row := range c.gather() {
		t.row(outcomeCell(row.outcome), cell{text: visible(row.field, false)}, cell{text: row.count(cmp.Or(c.noun, "entry"))}, cell{text: visible(row.how, false)})
	}
	t.print(b)
}

func outcomeCell(o format.Outcome) cell {
	return cell{string(o), map[format.Outcome]style{format.Lost: bad, format.Approximated: warning}[o]}
}

func itemOwner(i format.Item) string {
	return cmp.Or(title(i.Name, i.Entry), i.Book, "the file")
}

// gathered is one outcome of one field over all entries.
type gathered struct {
	outcome    format.Outcome
	field, how string
	owners     map[string]bool
	entries    bool
}

func (g *gathered) count(noun string) string {
	if !g.entries {
		return "the file"
	}
	return plural(len(g.owners), noun)
}

// placeNoun says what the items of a report are of.
func placeNoun(doc *format.Document) string {
	if len(doc.Books) == 0 {
		return "place"
	}
	return "entry"
}

func (c *conversion) gather() []*gathered {
	var rows []*gathered
	at := map[[2]string]*gathered{}
	for _, i := range c.Items {
		key := [2]string{string(i.Outcome), i.Field}
		g := at[key]
		if g == nil {
			g = &gathered{outcome: i.Outcome, field: i.Field, how: i.How, owners: map[string]bool{}}
			at[key] = g
			rows = append(rows, g)
		}
		if g.how != i.How && !strings.HasSuffix(g.how, ", …") {
			g.how += ", …"
		}
		g.owners[i.Book+"\x00"+i.Entry+"\x00"+i.Name] = true
		g.entries = g.entries || i.Entry != ""
	}
	slices.SortStableFunc(rows, func(x, y *gathered) int {
		return slices.Index(outcomes, x.outcome) - slices.Index(outcomes, y.outcome)
	})
	return rows
}

// writeIDs prints the ids of entries that had to change.
func (c *conversion) writeIDs(b *strings.Builder, con *console, verbose bool) {
	n := 0
	for _, ids := range c.IDs {
		n += len(ids)
	}
	if n == 0 || c.Identical {
		return
	}
	fmt.Fprintf(b, "\n%s: %s had to take another id", con.paint(warning, "note"), plural(n, "entry"))
	if !verbose {
		b.WriteString("; --verbose lists them\n")
		return
	}
	b.WriteByte('\n')
	t := newTable(con, "book", "id", "new id")
	for _, book := range slices.Sorted(maps.Keys(c.IDs)) {
		for _, id := range slices.Sorted(maps.Keys(c.IDs[book])) {
			t.row(cell{text: visible(book, false)}, cell{text: visible(id, false)}, cell{text: visible(c.IDs[book][id], false)})
		}
	}
	t.print(b)
}

// showProblems draws what was odd about what was read, on standard error: all
// of it with verbose, otherwise errors and how many others there are.
func (e *env) showProblems(list diag.List, verbose bool) {
	shown := list
	if !verbose {
		shown = list.Filter(diag.Error)
	}
	if len(shown) > 0 {
		_ = e.errPrint(e.err.findings(shown.Sort(), e.sources()) + "\n")
	}
	if rest := len(list) - len(shown); rest > 0 {
		e.note("%s: %s about what was read; --verbose shows them", e.opts.Name, plural(rest, "remark"))
	}
}

// errLossy ends a command that was told to lose nothing.
func errLossy(c *conversion) error {
	return fail(ExitProblems, "without --strict it is written nevertheless; weft inspect compares the formats",
		"nothing was written: %s cannot say everything (%s)", formatTitle(c.To), c.summary())
}
