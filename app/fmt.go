package app

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"

	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/weaver"
	"github.com/weft-memory/weft/weaver/diag"
)

type fmtCmd struct {
	Paths []string `arg:"" name:"path" help:"The .weaver files, or folders of them. - reads standard input."`

	Write bool `short:"w" help:"Write the files in place. Otherwise the formatted text is printed."`
	Diff  bool `short:"d" help:"Show what would change."`
	Check bool `help:"Only list the files that are not formatted; exit status 1 if there are any."`
}

// Help is shown by --help.
func (fmtCmd) Help() string {
	return `Formats the constructs in template bodies: spaces inside braces, around operators, after commas. What a template renders never changes, and the front matter stays byte for byte. A file that does not parse is left alone and reported.

Examples:

    weft fmt -w my_world
    weft fmt -d my_world/entries/lighthouse.weaver
    weft fmt --check my_world`
}

// Run formats the files.
func (c fmtCmd) Run(e *env) error {
	if c.Write && (c.Diff || c.Check) || c.Diff && c.Check {
		return fail(ExitUsage, "", "give only one of --write, --diff and --check")
	}
	var files []string
	for _, path := range c.Paths {
		found, err := weaverFiles(path)
		if err != nil {
			return err
		}
		files = append(files, found...)
	}
	if !c.Write && !c.Diff && !c.Check && len(files) > 1 {
		return fail(ExitUsage, "add --write to change the files, --diff or --check to look", "%d files: only one can be printed", len(files))
	}
	var problems diag.List
	changed := 0
	for _, path := range files {
		if err := e.ctx.Err(); err != nil {
			return err
		}
		data, err := e.readInput(path, "entry", maxFileBytes)
		if err != nil && !slices.Contains(c.Paths, path) { // one of a folder: the others are done all the same
			problems = append(problems, diag.Diagnostic{Severity: diag.Error, Code: "io-read", File: path, Message: err.Error()})
			continue
		}
		if err != nil {
			return err
		}
		formatted, list := formatFile(path, data)
		problems = append(problems, list...)
		if list.HasErrors() {
			formatted = data
		}
		if differs := !bytes.Equal(data, formatted); differs {
			changed++
		} else if c.Write || c.Diff || c.Check {
			continue
		}
		switch {
		case c.Write && path == "-":
			return fail(ExitUsage, "leave --write out", "standard input cannot be written in place")
		case c.Write:
			if err = writeFile(path, formatted); err == nil {
				err = e.print(path + "\n")
			}
		case c.Check:
			err = e.print(path + "\n")
		case c.Diff:
			err = e.print(e.out.diff(path, string(data), string(formatted)))
		default:
			err = e.print(string(formatted))
		}
		if err != nil {
			return err
		}
	}
	if len(problems) > 0 {
		e.errPrint(e.err.findings(problems.Sort(), e.sources()))
	}
	if problems.HasErrors() || c.Check && changed > 0 {
		return errProblems
	}
	return nil
}

// weaverFiles lists the .weaver files at a path, in order of their names.
func weaverFiles(path string) ([]string, error) {
	if path == "-" {
		return []string{path}, nil
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, cannotRead(path, "file", err)
	}
	if !info.IsDir() {
		return []string{path}, nil
	}
	var files []string
	err = filepath.WalkDir(path, func(p string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && p != path && strings.HasPrefix(d.Name(), ".") {
			return filepath.SkipDir
		}
		if !d.IsDir() && strings.EqualFold(filepath.Ext(p), ".weaver") {
			files = append(files, p)
		}
		return nil
	})
	if err != nil {
		return nil, cannotRead(path, "folder", err)
	}
	if len(files) == 0 {
		return nil, fail(ExitInput, "name a .weaver file, or a folder with some", "the folder %s has no .weaver files", path)
	}
	sort.Strings(files)
	return files, nil
}

// formatFile formats the body of a .weaver file, or a whole bare template.
func formatFile(path string, data []byte) ([]byte, diag.List) {
	if !(entryReader{}).Detect(path, data) {
		text, list := weaver.Format(path, string(data))
		return []byte(text), list
	}
	file, list := lore.ParseEntry(path, data)
	entry := file.Entry()
	if entry == nil || list.HasErrors() {
		return data, list.Errors()
	}
	text, list := weaver.Format(path, entry.Content)
	if list.HasErrors() || text == entry.Content {
		return data, list
	}
	if err := file.SetContent(text); err != nil {
		return data, diag.List{{Severity: diag.Error, Code: "format", File: path, Message: err.Error()}}
	}
	return file.Bytes(), list
}

// diff writes the lines that differ, with a line of context, in the form of a
// unified diff.
func (c *console) diff(path, before, after string) string {
	var b strings.Builder
	b.WriteString(c.paint(strong, "--- "+path) + "\n" + c.paint(strong, "+++ "+path+" (formatted)") + "\n")
	x, y := strings.Split(before, "\n"), strings.Split(after, "\n")
	const context = 2
	edits := lineEdits(x, y)
	for i := 0; i < len(edits); {
		if edits[i].op == ' ' {
			i++
			continue
		}
		// A hunk: changes with at most 2 × context equal lines between them.
		from, to, same := i, i, 0
		for k := i; k < len(edits) && same <= 2*context; k++ {
			if edits[k].op == ' ' {
				same++
			} else {
				to, same = k+1, 0
			}
		}
		from, to = max(from-context, 0), min(to+context, len(edits))
		var dels, adds int
		for _, e := range edits[from:to] {
			if e.op != '+' {
				dels++
			}
			if e.op != '-' {
				adds++
			}
		}
		b.WriteString(c.paint(heading, fmt.Sprintf("@@ -%d,%d +%d,%d @@", edits[from].x+1, dels, edits[from].y+1, adds)) + "\n")
		for _, e := range edits[from:to] {
			st := plain
			switch e.op {
			case '-':
				st = bad
			case '+':
				st = good
			}
			b.WriteString(c.paint(st, string(e.op)+visible(e.text, false)) + "\n")
		}
		i = to
	}
	return b.String()
}

// lineEdit is a line that stays, goes or comes; x and y count the lines before
// it on each side.
type lineEdit struct {
	op   byte
	x, y int
	text string
}

// lineEdits compares two lists of lines. Formatting keeps most lines, so equal
// ends are cut off and what is between is compared line by line; very large
// middles are shown as one block.
func lineEdits(x, y []string) []lineEdit {
	head := 0
	for head < len(x) && head < len(y) && x[head] == y[head] {
		head++
	}
	tail := 0
	for tail < len(x)-head && tail < len(y)-head && x[len(x)-1-tail] == y[len(y)-1-tail] {
		tail++
	}
	var out []lineEdit
	for i := range head {
		out = append(out, lineEdit{' ', i, i, x[i]})
	}
	mx, my := x[head:len(x)-tail], y[head:len(y)-tail]
	i, j := 0, 0
	if len(mx)*len(my) <= 4<<20 {
		// lengths of the longest common subsequences of the rests
		lcs := make([][]int32, len(mx)+1)
		for k := range lcs {
			lcs[k] = make([]int32, len(my)+1)
		}
		for a := len(mx) - 1; a >= 0; a-- {
			for b := len(my) - 1; b >= 0; b-- {
				if mx[a] == my[b] {
					lcs[a][b] = lcs[a+1][b+1] + 1
				} else {
					lcs[a][b] = max(lcs[a+1][b], lcs[a][b+1])
				}
			}
		}
		for i < len(mx) && j < len(my) {
			switch {
			case mx[i] == my[j]:
				out = append(out, lineEdit{' ', head + i, head + j, mx[i]})
				i++
				j++
			case lcs[i+1][j] >= lcs[i][j+1]:
				out = append(out, lineEdit{'-', head + i, head + j, mx[i]})
				i++
			default:
				out = append(out, lineEdit{'+', head + i, head + j, my[j]})
				j++
			}
		}
	}
	for ; i < len(mx); i++ {
		out = append(out, lineEdit{'-', head + i, head + j, mx[i]})
	}
	for ; j < len(my); j++ {
		out = append(out, lineEdit{'+', head + i, head + j, my[j]})
	}
	for k := range tail {
		a, b := len(x)-tail+k, len(y)-tail+k
		out = append(out, lineEdit{' ', a, b, x[a]})
	}
	return out
}
