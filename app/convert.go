package app

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/weft-memory/weft/format"
	"github.com/weft-memory/weft/format/all"
	"github.com/weft-memory/weft/internal/suggest"
	"github.com/weft-memory/weft/weaver/diag"
)

type convertCmd struct {
	In  string `arg:"" help:"What to convert: a book, a card, a chat, or a folder, of any format. - reads standard input."`
	Out string `arg:"" help:"The file, or for formats of several files the folder, to write. - is standard output."`

	To string `placeholder:"FORMAT" help:"The format to write; weft inspect IN lists them. Default: the format of IN if OUT has its extension, else the only format with the extension of OUT."`
	writing
}

// writing are the flags of commands that write foreign formats.
type writing struct {
	Force   bool `short:"f" help:"Replace what is there."`
	Strict  bool `help:"Write nothing, and end with exit status 1, if something would be lost."`
	Verbose bool `short:"v" help:"List every field of every entry that is not kept as it is, and everything odd about IN."`
	JSON    bool `name:"json" help:"Print JSON. docs/cli.md describes it."`
}

// Help is shown by --help.
func (convertCmd) Help() string {
	return `Reads IN, whatever it is, writes OUT, and says what became of every field: kept, approximated (and how), carried along in the extension of the target, or lost. In the format that IN has the output is byte for byte what was read.

Examples:

    weft convert world_info.json harbour.lorebook
    weft convert mira.png mira.charx
    weft convert world_info.json risu.json --to risu --verbose
    weft convert evening.jsonl evening.txt --to text-log
    weft convert mira.png - --to card | jq .data.name`
}

// Run converts.
func (c *convertCmd) Run(e *env) error {
	in, err := e.open(c.In)
	if err != nil {
		return err
	}
	to, err := c.target(in)
	if err != nil {
		return err
	}
	return e.write(in, to, c.Out, c.writing)
}

// target decides in which format to write.
func (c *convertCmd) target(in *opened) (string, error) {
	if c.To != "" {
		return targetFormat(c.To)
	}
	ext := strings.ToLower(filepath.Ext(c.Out))
	if info, err := os.Stat(c.Out); err == nil && info.IsDir() && in.doc.Format != "" {
		return in.doc.Format, nil
	}
	has := func(name string) bool {
		codec := all.Table().Codec(name)
		return codec != nil && slices.Contains(codec.Info().Extensions, ext)
	}
	if in.doc.Format != "" && (has(in.doc.Format) || c.Out == "-" || ext != "" && ext == strings.ToLower(filepath.Ext(c.In))) {
		return in.doc.Format, nil
	}
	var fit []string
	for _, x := range targets(in.doc) {
		if has(x.Name) {
			fit = append(fit, x.Name)
		}
	}
	if len(in.doc.Characters) > 0 { // a card first
		if cards := slices.DeleteFunc(slices.Clone(fit), func(name string) bool { return !all.Table().Codec(name).Info().Characters }); len(cards) > 0 {
			fit = cards
		}
	}
	switch len(fit) {
	case 1:
		return fit[0], nil
	case 0:
		return "", fail(ExitUsage, "name the format with --to; there are "+strings.Join(targetNames(in.doc), ", "),
			"nothing says in which format to write %s", c.Out)
	}
	return "", fail(ExitUsage, "name one with --to: "+strings.Join(fit, ", "), "several formats have the extension of %s", c.Out)
}

// targetFormat checks the name of a format to write.
func targetFormat(name string) (string, error) {
	codec := all.Table().Codec(name)
	if codec == nil {
		names := all.Table().Names()
		hint := "there are " + strings.Join(names, ", ")
		if guess := suggest.Nearest(name, names); guess != "" {
			hint = fmt.Sprintf("did you mean %s? %s", guess, hint)
		}
		return "", fail(ExitUsage, hint, "no format is called %q", name)
	}
	return name, nil
}

// targets lists the formats that can hold something of a document.
func targets(doc *format.Document) []format.Info {
	var out []format.Info
	for _, c := range all.Table().Codecs() {
		i := c.Info()
		fits := i.Books && len(doc.Books) > 0 || i.Characters && len(doc.Characters) > 0 || i.Chats && len(doc.Chats) > 0
		if i.ReadOnly && (i.Name != doc.Format || i.Characters) || !fits {
			continue
		}
		out = append(out, i)
	}
	return out
}

func targetNames(doc *format.Document) []string {
	var names []string
	for _, i := range targets(doc) {
		names = append(names, i.Name)
	}
	return names
}

// writeReport is the output of convert and export with --json.
type writeReport struct {
	Version int      `json:"version"`
	Input   string   `json:"input"`
	Output  []string `json:"output"`
	// Reason says how the format of the input was recognised; Ambiguous lists
	// formats that fit as well.
	Reason    string   `json:"reason,omitempty"`
	Ambiguous []string `json:"ambiguous,omitempty"`
	conversion
	Findings diag.List `json:"findings"`
}

// write writes a document in a format, and reports what became of it.
func (e *env) write(in *opened, to, out string, flags writing) error {
	if out == "-" && flags.JSON {
		return fail(ExitUsage, "give OUT a name", "--json and the converted file cannot both go to standard output")
	}
	output, report, err := format.Write(e.ctx, all.Table(), in.doc, to)
	if err != nil {
		if e.ctx.Err() != nil {
			return e.ctx.Err()
		}
		return fail(ExitProblems, "these formats can hold it: "+strings.Join(targetNames(in.doc), ", "),
			"%s cannot be written as %s: %w", in.path, formatTitle(to), err)
	}
	c := newConversion(in.doc.Format, to, report)
	c.noun = placeNoun(in.doc)
	c.Identical = in.doc.Format == to && in.data != nil && !output.Folder && len(output.Files) == 1 && bytes.Equal(in.data, output.Bytes())
	if c.Identical {
		c = conversion{From: c.From, To: c.To, Identical: true, Counts: newConversion("", "", nil).Counts, Kept: map[string]int{}, Items: []format.Item{}}
	}
	if flags.Strict && c.Counts[format.Lost] > 0 {
		e.showProblems(in.report.Problems, flags.Verbose)
		return errLossy(&c)
	}
	written, err := e.writeOutput(out, output, flags.Force)
	if err != nil {
		return err
	}
	problems := append(slices.Clone(in.report.Problems), report.Problems...)
	if flags.JSON {
		return e.printJSON(writeReport{
			Version: 1, Input: in.path, Output: written, Reason: in.report.Reason, Ambiguous: in.report.Ambiguous,
			conversion: c, Findings: append(diag.List{}, problems...),
		})
	}
	e.showProblems(problems, flags.Verbose)
	con, show := e.out, e.print
	if out == "-" {
		con, show = e.err, e.errPrint
	}
	var b strings.Builder
	head := fmt.Sprintf("%s (%s) → %s (%s)", in.path, in.title, strings.Join(short(written), ", "), formatTitle(to))
	b.WriteString(indentLines(wrap(visible(head, false), con.prose()), ""))
	b.WriteString(indentLines([]string{con.paint(c.style(), holdings(in.doc)+": "+c.summary())}, ""))
	c.writeItems(&b, con, flags.Verbose)
	c.writeIDs(&b, con, flags.Verbose)
	return show(b.String())
}

// short names the first of many files.
func short(paths []string) []string {
	if len(paths) <= 3 {
		return paths
	}
	return append(slices.Clone(paths[:2]), fmt.Sprintf("and %d more", len(paths)-2))
}

// writeOutput writes what a codec made: a file, or files into a folder. It
// returns the paths.
func (e *env) writeOutput(out string, o *format.Output, force bool) ([]string, error) {
	several := o.Folder || len(o.Files) > 1
	switch {
	case out == "-" && several:
		return nil, fail(ExitUsage, "name a folder", "%s cannot go to standard output", plural(len(o.Files), "file"))
	case out == "-":
		return []string{"-"}, e.print(string(o.Bytes()))
	case !several:
		if info, err := os.Stat(out); err == nil && info.IsDir() {
			if err := checkPaths(o.Files); err != nil {
				return nil, fail(ExitOutput, "", "%s: %w", out, err)
			}
			out = filepath.Join(out, filepath.FromSlash(o.Files[0].Path))
		}
		return []string{out}, writeNew(out, o.Bytes(), force)
	}
	if info, err := os.Stat(out); err == nil && !info.IsDir() {
		return nil, fail(ExitOutput, "name a folder", "%s is a file, and %s are to be written", out, plural(len(o.Files), "file"))
	}
	if !o.Folder && filepath.Ext(out) != "" {
		if _, err := os.Stat(out); err != nil {
			return nil, fail(ExitUsage, "name a folder for them", "%s would be written, each book into its own", plural(len(o.Files), "file"))
		}
	}
	if err := writeFolder(e.ctx, out, o.Files, force, nil); err != nil {
		return nil, err
	}
	if o.Folder {
		return []string{out}, nil
	}
	var paths []string
	for _, f := range o.Files {
		paths = append(paths, filepath.Join(out, filepath.FromSlash(f.Path)))
	}
	return paths, nil
}

// holdings counts what is in a document: "12 entries in 1 book, 1 character".
func holdings(doc *format.Document) string {
	var parts []string
	if len(doc.Books) > 0 {
		n := 0
		for _, b := range doc.Books {
			n += len(b.Entries)
		}
		parts = append(parts, plural(n, "entry")+" in "+plural(len(doc.Books), "book"))
	}
	if n := len(doc.Characters); n > 0 {
		parts = append(parts, plural(n, "character"))
	}
	for _, c := range doc.Chats {
		parts = append(parts, "a chat of "+plural(len(c.Messages), "message"))
	}
	if n := len(doc.Assets); n > 0 {
		parts = append(parts, plural(n, "asset"))
	}
	if len(parts) == 0 {
		return "nothing"
	}
	return strings.Join(parts, ", ")
}
