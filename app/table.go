package app

import "strings"

// A table prints rows in columns that fit the width of the console. The last
// column takes what is left and wraps; the others are as wide as their widest
// cell, at most their limit.
type table struct {
	c      *console
	titles []string
	limits []int // widest each column may get; 0 means no limit
	right  []bool
	whole  []bool // columns that are never cut: what they hold is to be copied
	rows   [][]cell
}

type cell struct {
	text  string
	style style
}

func newTable(c *console, titles ...string) *table {
	return &table{c: c, titles: titles, limits: make([]int, len(titles)), right: make([]bool, len(titles)), whole: make([]bool, len(titles))}
}

// limit bounds the width of a column.
func (t *table) limit(column, n int) *table { t.limits[column] = n; return t }

// keepWhole sets a column of ids.
func (t *table) keepWhole(column int) *table { t.whole[column] = true; return t }

// alignRight sets a column of numbers.
func (t *table) alignRight(column int) *table { t.right[column] = true; return t }

func (t *table) row(cells ...cell) { t.rows = append(t.rows, cells) }

// print writes the table with a two-column indent.
func (t *table) print(b *strings.Builder) {
	const indent, gap = 2, 2
	n := len(t.titles)
	widths := make([]int, n)
	for i, title := range t.titles {
		widths[i] = textWidth(title)
		for _, row := range t.rows {
			widths[i] = max(widths[i], textWidth(row[i].text))
		}
		if t.limits[i] > 0 {
			widths[i] = min(widths[i], max(t.limits[i], textWidth(t.titles[i])))
		}
	}
	taken := indent
	for i := range n - 1 {
		taken += widths[i] + gap
	}
	// On a narrow console the columns of words give way to the last one.
	const least, narrowest = 16, 6
	for t.c.width-taken < least {
		widest := -1
		for i := range n - 1 {
			if !t.right[i] && !t.whole[i] && widths[i] > narrowest && (widest < 0 || widths[i] > widths[widest]) {
				widest = i
			}
		}
		if widest < 0 {
			break
		}
		widths[widest]--
		taken--
	}
	last := max(t.c.width-taken, 8)
	line := func(cells []cell) {
		tail := wrap(cells[n-1].text, last)
		for k, text := range tail {
			b.WriteString(strings.Repeat(" ", indent))
			for i := range n - 1 {
				s := ""
				if k == 0 {
					s = truncate(cells[i].text, widths[i])
				}
				if t.right[i] {
					s = padLeft(s, widths[i])
				} else if k == 0 || n > 1 {
					s = pad(s, widths[i])
				}
				b.WriteString(t.c.paint(cells[i].style, s))
				b.WriteString(strings.Repeat(" ", gap))
			}
			b.WriteString(t.c.paint(cells[n-1].style, text))
			b.WriteByte('\n')
		}
	}
	head := make([]cell, n)
	for i, title := range t.titles {
		head[i] = cell{title, dim}
	}
	line(head)
	for _, row := range t.rows {
		line(row)
	}
}
