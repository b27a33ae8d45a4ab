package app

import (
	"fmt"
	"strings"

	"github.com/weft-memory/weft/check"
	"github.com/weft-memory/weft/weaver/diag"
)

type checkCmd struct {
	Paths []string `arg:"" name:"path" help:"Books: folders, .weaver files, JSON books, bundles; lorebooks, cards and folders of other programs. Those named together are used together."`

	Vars   string   `placeholder:"FILE" help:"Variables that the host provides (JSON or YAML), so that names in them can be checked."`
	Char   []string `placeholder:"NAME" help:"Name of a character that content should write as {{char}}."`
	User   []string `placeholder:"NAME" help:"Name that content should write as {{user}}."`
	Slots  []string `placeholder:"SLOT" help:"The slots that the prompt has. Default: all."`
	Strict bool     `help:"Let warnings too end with exit status 1."`
	Quiet  bool     `short:"q" help:"Leave out notes."`
	JSON   bool     `name:"json" help:"Print the findings as JSON."`
}

// Help is shown by --help.
func (checkCmd) Help() string {
	return `Reads everything and reports all problems at once: what cannot be read, and what is likely to go wrong in a story, such as keys that stand inside common words, entries that nothing can activate, references into the void. docs/check.md explains each finding.

The exit status is 1 if there are errors (with --strict: or warnings), else 0.

Examples:

    weft check my_world
    weft check --strict --char Mira my_world shared_lore
    weft check --json my_world | jq '.findings[].code'`
}

// checkReport is the output of `weft check --json`.
type checkReport struct {
	Books    []bookInfo     `json:"books"`
	Findings diag.List      `json:"findings"`
	Counts   map[string]int `json:"counts"`
	OK       bool           `json:"ok"`
}

// bookInfo names a book that was read.
type bookInfo struct {
	ID      string `json:"id"`
	Name    string `json:"name,omitempty"`
	Dialect string `json:"dialect"`
	Entries int    `json:"entries"`
}

// Run checks the books.
func (c checkCmd) Run(e *env) error {
	registry, err := e.registry()
	if err != nil {
		return err
	}
	vars, err := e.readVars(c.Vars)
	if err != nil {
		return err
	}
	slots, err := parseSlots(c.Slots)
	if err != nil {
		return err
	}
	all, err := e.load(c.Paths)
	if err != nil {
		return err
	}
	books, list := all.books, all.findings
	if err := e.ctx.Err(); err != nil {
		return err
	}
	list = append(list, check.Books(books, check.Options{
		Registry: registry, Vars: vars, Characters: c.Char, Users: c.User, Slots: slots, Source: e.readSource,
	})...).Sort()
	if c.Quiet {
		list = append(list.Filter(diag.Error), list.Filter(diag.Warning)...).Sort()
	}
	failed := list.HasErrors() || c.Strict && len(list.Filter(diag.Warning)) > 0

	var report checkReport
	entries := 0
	for _, b := range books {
		report.Books = append(report.Books, bookInfo{b.ID, b.Name, b.Policy.Name, len(b.Entries)})
		entries += len(b.Entries)
	}
	if c.JSON {
		report.Findings = append(diag.List{}, list...)
		report.Counts = map[string]int{}
		for _, s := range []diag.Severity{diag.Error, diag.Warning, diag.Note} {
			report.Counts[s.String()] = len(list.Filter(s))
		}
		report.OK = !failed
		err = e.printJSON(report)
	} else {
		var b strings.Builder
		b.WriteString(e.out.findings(list, e.sources(books...)))
		if len(list) > 0 {
			b.WriteByte('\n')
		}
		summary := fmt.Sprintf("%s in %s: %s", plural(entries, "entry"), plural(len(books), "book"), tally(list))
		st := good
		if len(list.Filter(diag.Warning)) > 0 {
			st = warning
		}
		if failed {
			st = bad
		}
		b.WriteString(e.out.paint(st, summary) + "\n")
		err = e.print(b.String())
	}
	if err == nil && failed {
		err = errProblems
	}
	return err
}
