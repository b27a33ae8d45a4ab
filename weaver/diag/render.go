package diag

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/width"
)

// Renderer draws findings for people. The zero Renderer draws plain text 100
// columns wide.
type Renderer struct {
	// Width is the number of columns that a drawn source line may take;
	// longer lines are cut around the place. Defaults to 100.
	Width int
	// Color switches on ANSI colours. Defaults to off.
	Color bool
	// TabWidth is the number of columns a tab moves to a multiple of.
	// Defaults to 4.
	TabWidth int
}

const (
	ansiReset = "\x1b[0m"
	ansiBold  = "\x1b[1m"
	ansiBlue  = "\x1b[34m"
)

var severityColors = [...]string{"\x1b[31m", "\x1b[33m", "\x1b[36m"}

// Render draws one finding: severity and message, the place, the source line
// with carets below the span, the hint. src may be nil; then only the text is
// drawn. The result ends with a line break.
func (r Renderer) Render(d Diagnostic, src *Source) string {
	var b strings.Builder
	sev := min(int(d.Severity), len(severityColors)-1)
	b.WriteString(r.paint(severityColors[sev], d.Severity.String()))
	b.WriteString(r.paint(ansiBold, ": "+printable(d.Message)))
	b.WriteByte('\n')

	gutter := " "
	if src != nil && d.Line > 0 && d.Line <= src.Lines() {
		gutter = strings.Repeat(" ", len(strconv.Itoa(d.Line))+1)
	}
	if pos := d.Pos(); pos != "" {
		fmt.Fprintf(&b, "%s%s %s\n", gutter, r.paint(ansiBlue, "-->"), printable(pos))
	}
	if len(gutter) > 1 {
		text, carets := r.excerpt(d, src)
		bar := r.paint(ansiBlue, "|")
		fmt.Fprintf(&b, "%s %s\n", gutter, bar)
		fmt.Fprintf(&b, " %s %s %s\n", r.paint(ansiBlue, strconv.Itoa(d.Line)), bar, text)
		fmt.Fprintf(&b, "%s %s %s\n", gutter, bar, r.paint(severityColors[sev], carets))
	}
	if d.Hint != "" {
		fmt.Fprintf(&b, "%s %s %s\n", gutter, r.paint(ansiBlue, "= hint:"), printable(d.Hint))
	}
	return b.String()
}

// RenderList writes all findings to w with an empty line between them.
// source returns the text of a file by the name in Diagnostic.File, or nil.
func (r Renderer) RenderList(w io.Writer, l List, source func(file string) *Source) error {
	for i, d := range l {
		var src *Source
		if source != nil {
			src = source(d.File)
		}
		sep := ""
		if i > 0 {
			sep = "\n"
		}
		if _, err := io.WriteString(w, sep+r.Render(d, src)); err != nil {
			return err
		}
	}
	return nil
}

func (r Renderer) paint(color, s string) string {
	if !r.Color {
		return s
	}
	return color + s + ansiReset
}

// cell is one code point of a source line as it is drawn.
type cell struct {
	text  string
	width int
	mark  bool // inside the span
}

// excerpt returns the source line of d, cut to the width, and the line of
// carets that goes below it.
func (r Renderer) excerpt(d Diagnostic, src *Source) (text, carets string) {
	line := src.Line(d.Line)
	from := src.Offset(d.Line, 1)
	start := src.Offset(d.Line, max(1, d.Column)) - from
	length := 1
	if n := d.Span.Len(); n > 0 {
		length = n
	}
	cells, first := r.cells(line, start, start+length)
	lo, hi := window(cells, first, r.width())

	var t, c strings.Builder
	if lo > 0 {
		t.WriteString("…")
		c.WriteString(" ")
	}
	for _, k := range cells[lo:hi] {
		t.WriteString(k.text)
		sign := " "
		if k.mark {
			sign = "^"
		}
		c.WriteString(strings.Repeat(sign, k.width))
	}
	if hi < len(cells) {
		t.WriteString("…")
	}
	out := strings.TrimRight(c.String(), " ")
	if out == "" || !strings.Contains(out, "^") { // the end of the line
		out = c.String() + "^"
	}
	return strings.TrimRight(t.String(), " "), out
}

// cells splits a line into drawn code points and returns the index of the
// first that is marked. Very long lines are looked at only around the place.
func (r Renderer) cells(line string, start, end int) (cells []cell, first int) {
	const around = 4096 // bytes; far wider than any terminal
	lo, hi := max(0, start-around), min(len(line), start+around)
	for lo > 0 && !utf8.RuneStart(line[lo]) {
		lo--
	}
	first = -1
	column := 0
	for i := lo; i < hi; {
		c, n := utf8.DecodeRuneInString(line[i:])
		k := r.cell(c, n, column)
		if i+n > start && i < end {
			k.mark = true
			if first < 0 {
				first = len(cells)
			}
		}
		column += k.width
		cells = append(cells, k)
		i += n
	}
	if first < 0 {
		first = len(cells)
	}
	return cells, first
}

func (r Renderer) cell(c rune, n, column int) cell {
	tab := r.TabWidth
	if tab <= 0 {
		tab = 4
	}
	switch {
	case c == '\t':
		w := tab - column%tab
		return cell{text: strings.Repeat(" ", w), width: w}
	case c == utf8.RuneError && n <= 1:
		return cell{text: "\uFFFD", width: 1}
	case !visible(c):
		return cell{text: "·", width: 1}
	}
	return cell{text: string(c), width: RuneWidth(c)}
}

// window chooses the part of cells to draw so that cell at is inside and the
// whole is at most limit columns wide.
func window(cells []cell, at, limit int) (lo, hi int) {
	total := 0
	for _, c := range cells {
		total += c.width
	}
	if total <= limit {
		return 0, len(cells)
	}
	limit -= 2 // the two ellipses
	before := limit / 3
	lo = min(at, len(cells))
	w := 0
	for lo > 0 && w+cells[lo-1].width <= before {
		lo--
		w += cells[lo].width
	}
	hi = lo
	w = 0
	for hi < len(cells) && w+cells[hi].width <= limit {
		w += cells[hi].width
		hi++
	}
	for lo > 0 && w+cells[lo-1].width <= limit { // near the end: show more before
		lo--
		w += cells[lo].width
	}
	return lo, hi
}

func (r Renderer) width() int {
	if r.Width <= 0 {
		return 100
	}
	return max(r.Width, 20)
}

// visible reports whether a code point may be written to a terminal as it is.
// Controls and the marks that turn the direction of writing are not.
func visible(c rune) bool {
	if unicode.IsControl(c) {
		return false
	}
	switch {
	case c >= 0x202A && c <= 0x202E, c >= 0x2066 && c <= 0x2069, c == 0x2028, c == 0x2029, c == 0x200E, c == 0x200F, c == 0xFEFF:
		return false
	}
	return true
}

// printable replaces what must not reach a terminal.
func printable(s string) string {
	return strings.Map(func(c rune) rune {
		if c != '\n' && !visible(c) {
			return '·'
		}
		return c
	}, s)
}

// RuneWidth returns the number of terminal columns that a code point takes:
// 0 for combining marks, 2 for wide and full-width ones, else 1.
func RuneWidth(c rune) int {
	if unicode.In(c, unicode.Mn, unicode.Me, unicode.Cf) {
		return 0
	}
	switch width.LookupRune(c).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	}
	return 1
}
