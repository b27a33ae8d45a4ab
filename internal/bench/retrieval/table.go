package retrieval

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// And returns the means over the questions of both.
func (f Figures) And(g Figures) Figures {
	n := f.Questions + g.Questions
	if n == 0 {
		return f
	}
	a, b := float64(f.Questions)/float64(n), float64(g.Questions)/float64(n)
	f.Questions = n
	for i, x := range [8]*float64{&f.R5, &f.R10, &f.R20, &f.MRR, &f.Hit1, &f.Hit5, &f.Hit10, &f.Hit20} {
		y := [8]float64{g.R5, g.R10, g.R20, g.MRR, g.Hit1, g.Hit5, g.Hit10, g.Hit20}[i]
		*x = a**x + b*y
	}
	return f
}

// value returns the figure of a column of a README's table.
func (r *Report) value(column string) (float64, bool) {
	total := r.Total()
	column = strings.TrimSpace(column)
	switch column {
	case "R@5":
		return total.R5, true
	case "R@10":
		return total.R10, true
	case "R@20":
		return total.R20, true
	case "MRR":
		return total.MRR, true
	case "hit@1":
		return total.Hit1, true
	case "hit@5":
		return total.Hit5, true
	case "hit@10":
		return total.Hit10, true
	case "hit@20":
		return total.Hit20, true
	}
	name := strings.TrimPrefix(column, "R@10 ")
	if _, ok := r.by[name]; ok {
		return r.Category(name).R10, true
	}
	return 0, false
}

// Table returns the table of the README.md beside the file, with the row of
// this run below; without such a table, this run's figures alone.
func (r *Report) Table() string {
	rows := published(filepath.Join(filepath.Dir(r.File.Path), "README.md"))
	if rows == nil {
		columns := []string{"R@5", "R@10", "R@20", "MRR"}
		if r.File.Format == FormatScenes {
			columns = []string{"hit@1", "hit@5", "hit@10", "hit@20", "MRR"}
		}
		for i, c := range r.Categories() {
			if i == 0 {
				c = "R@10 " + c
			}
			columns = append(columns, c)
		}
		rows = [][]string{append([]string{"system"}, columns...)}
	}
	own := []string{"this run"}
	for _, column := range rows[0][1:] {
		if v, ok := r.value(column); ok {
			own = append(own, fmt.Sprintf("%.3f", v))
		} else {
			own = append(own, "")
		}
	}
	rows = append(rows, own)
	var b strings.Builder
	for i, row := range rows {
		b.WriteString("| " + strings.Join(row, " | ") + " |\n")
		if i == 0 {
			b.WriteString("|" + strings.Repeat(" --- |", len(row)) + "\n")
		}
	}
	return b.String()
}

// published returns the rows of the first table of a Markdown file that has a
// column for R@10 or hit@10; nil if there is none.
func published(path string) [][]string {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	var rows [][]string
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSpace(line)
		if !strings.HasPrefix(line, "|") {
			if rows != nil {
				return rows
			}
			continue
		}
		var cells []string
		for c := range strings.SplitSeq(strings.Trim(line, "|"), "|") {
			cells = append(cells, strings.TrimSpace(c))
		}
		switch {
		case rows == nil && !strings.Contains(line, "R@10") && !strings.Contains(line, "hit@10"):
		case strings.Trim(line, "|-: ") == "": // the rule below the titles
		case rows == nil || len(cells) == len(rows[0]):
			rows = append(rows, cells)
		}
	}
	return rows
}
