package backyard

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/weft-memory/weft/format"
	"github.com/weft-memory/weft/format/internal/keys"
	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/weaver/diag"
)

// csvCodec reads and writes lore as CSV with the header key,value.
type csvCodec struct{}

var _ format.Codec = csvCodec{}

// CSVCodec returns the codec of lore as CSV.
func CSVCodec() format.Codec { return csvCodec{} }

func (csvCodec) Info() format.Info {
	return format.Info{Name: CSVName, Title: "Backyard lore as CSV", Extensions: []string{".csv"}, Books: true}
}

func (csvCodec) Sniff(in *format.Input) format.Guess {
	text, ok := in.Text()
	first, _, _ := strings.Cut(text, "\n")
	if !ok || len(first) > 4096 {
		return format.Guess{}
	}
	rows, _ := parseCSV([]byte(first))
	if len(rows) == 1 && isHeader(rows[0]) {
		return format.Guessf(format.Certain, "a CSV header with key and value")
	}
	return format.Guess{}
}

// columns returns which fields of a row are key and value.
func columns(header csvRow) (key, value int) {
	key, value = -1, -1
	for i, f := range header.fields {
		switch strings.ToLower(strings.TrimSpace(f.value)) {
		case "key":
			key = i
		case "value":
			value = i
		}
	}
	return key, value
}

func isHeader(row csvRow) bool {
	key, value := columns(row)
	return key >= 0 && value >= 0
}

func (c csvCodec) Read(ctx context.Context, in *format.Input) (*format.Document, *format.Report, error) {
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	report := &format.Report{}
	text, ok := in.Text()
	if !ok {
		return nil, report, errors.New("not a text file")
	}
	if err := format.CheckEntries(strings.Count(text, "\n") - strings.Count(text, "\n\n")); err != nil && !strings.Contains(text, "\"") {
		return nil, report, err // counted roughly, before the rows take up space
	}
	rows, problems := parseCSV([]byte(text))
	if err := format.CheckEntries(len(rows)); err != nil {
		return nil, report, err
	}
	if len(rows) == 0 || !isHeader(rows[0]) {
		return nil, report, errors.New("line 1: the header must name the columns key and value")
	}
	for _, p := range problems {
		report.Problem(diag.Diagnostic{Severity: diag.Warning, Code: "csv-quote", File: in.Name, Message: p})
	}
	book := &lore.Book{
		ID: in.Base(), Name: in.Base(), Policy: lore.PolicyBackyard(), Origin: lore.Origin{Format: CSVName, Path: in.Name},
	}
	key, value := columns(rows[0])
	for i, row := range rows[1:] {
		if max(key, value) >= len(row.fields) {
			report.Problem(diag.Diagnostic{
				Severity: diag.Error, Code: "bad-entry", File: in.Name, Line: row.fields[0].line, Column: 1,
				Message: fmt.Sprintf("the row has %d fields, the header %d: kept as it is", len(row.fields), len(rows[0].fields)),
			})
			continue
		}
		e := &lore.Entry{
			ID: strconv.Itoa(i), Content: macros(row.fields[value].value),
		}
		e.Keys = keys.Literals(format.SplitComma(row.fields[key].value))
		e.InsertionOrder, e.Priority = i, -i
		e.Origin = lore.Origin{
			Format: CSVName, Path: in.Name, Line: row.fields[0].line, Pointer: "/" + strconv.Itoa(i),
		}
		book.Entries = append(book.Entries, e)
	}
	return &format.Document{Format: CSVName, Books: []*lore.Book{book}, Input: in}, report, nil
}

func (c csvCodec) Write(ctx context.Context, doc *format.Document, opts format.WriteOptions) (*format.Output, *format.Report, error) {
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	report := &format.Report{}
	format.ReportNoPlace(report, doc, c.Info())
	if len(doc.Books) == 0 {
		return nil, report, errors.New("the document has no lorebook")
	}
	if doc.Format == CSVName && doc.Input != nil {
		data, err := c.splice(ctx, doc.Input, doc.Books[0], report)
		if err != nil {
			return nil, report, err
		}
		return format.SingleFile(doc.Input.Base()+ext(doc.Input, ".csv"), doc.Input.Encode(data)), report, nil
	}
	// What a lore item of a card can say, a row can: the card's shape compares
	// and reports.
	w := format.NewWriter(report, opts)
	book := doc.Books[0]
	itemShape(CSVName, "Backyard lore as CSV", "loreItems").NewTree(w, book)
	var b bytes.Buffer
	b.WriteString("key,value\n")
	for _, e := range book.Entries {
		b.WriteString(csvRowText(e) + "\n")
	}
	name := opts.Name
	if name == "" {
		name = book.ID
	}
	return format.SingleFile(name+".csv", b.Bytes()), report, nil
}

func keyText(e *lore.Entry) string {
	return strings.Join(keys.Texts(e.Keys, lore.KeyLiteral, lore.KeyGlob), ", ")
}

func csvRowText(e *lore.Entry) string {
	return csvText(keyText(e), false) + "," + csvText(placeholders(e.Content), true)
}

func (c csvCodec) splice(ctx context.Context, in *format.Input, now *lore.Book, report *format.Report) ([]byte, error) {
	text, _ := in.Text()
	src := []byte(text)
	rows, _ := parseCSV(src)
	was, _, err := c.Read(ctx, in)
	if err != nil {
		return nil, err
	}
	old := map[string]*lore.Entry{}
	for _, e := range was.Books[0].Entries {
		old[e.Origin.Pointer] = e
	}
	key, value := columns(rows[0])
	nl := "\n"
	if strings.Contains(text[:rows[0].end], "\r\n") {
		nl = "\r\n"
	}
	var b bytes.Buffer
	pos, done := rows[0].end, map[int]bool{}
	b.Write(src[:pos])
	broken := func(upTo int) { // rows that are no entries, and blank lines
		for i := 1; i < upTo && i < len(rows); i++ {
			if old["/"+strconv.Itoa(i-1)] == nil && !done[i] {
				done[i] = true
				b.Write(src[rows[i-1].end:rows[i].end]) // with the blank lines above it
			}
		}
	}
	for _, e := range now.Entries {
		before := old[e.Origin.Pointer]
		n, err := strconv.Atoi(strings.TrimPrefix(e.Origin.Pointer, "/"))
		if tail := b.Bytes(); len(tail) > 0 && tail[len(tail)-1] != '\n' && tail[len(tail)-1] != '\r' {
			b.WriteString(nl)
		}
		if before == nil || err != nil || e.Origin.Format != CSVName || done[n+1] {
			b.WriteString(csvRowText(e) + nl)
			continue
		}
		broken(n + 1)
		done[n+1] = true
		row := rows[n+1]
		b.Write(src[rows[n].end:row.start]) // blank lines
		at := row.start
		for i, f := range row.fields {
			text := string(src[f.start:f.end])
			quoted := strings.HasPrefix(text, `"`)
			if i == key && keyText(e) != keyText(before) {
				text = csvText(keyText(e), quoted)
			}
			if i == value && e.Content != before.Content {
				text = csvText(placeholders(e.Content), quoted)
			}
			b.Write(src[at:f.start])
			b.WriteString(text)
			at = f.end
		}
		b.Write(src[at:row.end])
		if extra := *e; extra.Constant || extra.Disabled || len(extra.Clauses) > 0 || extra.Probability != nil {
			report.Add(format.Item{Outcome: format.Lost, Book: now.ID, Entry: e.ID, Field: "rules", How: "CSV has keys and a text"})
		}
	}
	broken(len(rows))
	b.Write(src[rows[len(rows)-1].end:])
	return b.Bytes(), nil
}
