package app

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/weft-memory/weft/engine"
	"github.com/weft-memory/weft/format"
	"github.com/weft-memory/weft/format/all"
	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/weaver/diag"
)

type inspectCmd struct {
	File string `arg:"" help:"A book, a card, a chat, or a folder, of any format. - reads standard input."`

	To      string `placeholder:"FORMAT" help:"Show what would become of every field in this format."`
	Verbose bool   `short:"v" help:"List every entry, and everything odd."`
	JSON    bool   `name:"json" help:"Print JSON. docs/cli.md describes it."`
}

// Help is shown by --help.
func (inspectCmd) Help() string {
	return `Says what a file is and how it was recognised, what is in it (books, entries, keys, characters, chats, assets), what is odd about it, and what would become of it in every format that can hold it. Nothing is written.

Examples:

    weft inspect mira.png
    weft inspect world_info.json --verbose
    weft inspect world_info.json --to novelai
    weft inspect mystery.json --json | jq .format`
}

// inspection is the output of `weft inspect --json`.
type inspection struct {
	Version int    `json:"version"`
	Path    string `json:"path"`
	// Format is the name of the format, empty for Weft's own books in one file.
	Format string `json:"format"`
	Title  string `json:"title"`
	// Reason says how the format was recognised; Ambiguous lists formats that
	// fit as well.
	Reason    string   `json:"reason,omitempty"`
	Ambiguous []string `json:"ambiguous,omitempty"`
	Bytes     int      `json:"bytes,omitempty"`
	Encoding  string   `json:"encoding,omitempty"`

	Books      []inspectedBook      `json:"books"`
	Characters []inspectedCharacter `json:"characters"`
	Chats      []inspectedChat      `json:"chats"`
	Assets     []inspectedAsset     `json:"assets"`
	Findings   diag.List            `json:"findings"`
	// Formats says what would become of the file in each format.
	Formats []inspectedTarget `json:"formats"`
	// To is there with --to.
	To *conversion `json:"to,omitempty"`
}

type inspectedBook struct {
	bookInfo
	Constant int              `json:"constant"`
	Disabled int              `json:"disabled"`
	Keys     int              `json:"keys"`
	Patterns int              `json:"patterns"`
	Tokens   int              `json:"tokens"`
	List     []inspectedEntry `json:"list"`
}

type inspectedEntry struct {
	ID       string   `json:"id"`
	Name     string   `json:"name,omitempty"`
	Keys     []string `json:"keys"`
	Second   []string `json:"secondary_keys,omitempty"`
	Constant bool     `json:"constant,omitempty"`
	Disabled bool     `json:"disabled,omitempty"`
	Slot     string   `json:"slot,omitempty"`
	Tokens   int      `json:"tokens"`
}

type inspectedCharacter struct {
	ID        string   `json:"id"`
	Name      string   `json:"name"`
	Nickname  string   `json:"nickname,omitempty"`
	Creator   string   `json:"creator,omitempty"`
	Version   string   `json:"version,omitempty"`
	Greetings int      `json:"greetings"`
	Tags      []string `json:"tags"`
	// Books are the books that belong to the character, the embedded one first.
	Books []string `json:"books"`
}

type inspectedChat struct {
	ID         string   `json:"id"`
	User       string   `json:"user,omitempty"`
	Characters []string `json:"characters"`
	Messages   int      `json:"messages"`
	// Variants counts the versions of messages beside the shown ones.
	Variants int `json:"variants"`
	Hidden   int `json:"hidden"`
}

type inspectedAsset struct {
	Type string `json:"type"`
	Name string `json:"name"`
	Ext  string `json:"ext,omitempty"`
	URI  string `json:"uri,omitempty"`
	// Inside says that the asset is in the file.
	Inside bool `json:"inside"`
}

type inspectedTarget struct {
	Format string                 `json:"format"`
	Title  string                 `json:"title"`
	Counts map[format.Outcome]int `json:"counts,omitempty"`
	// LostFields are the names of the fields that would be lost.
	LostFields []string `json:"lost_fields,omitempty"`
	Identical  bool     `json:"identical,omitempty"`
	// Error says why the format cannot hold it.
	Error string `json:"error,omitempty"`
}

// Run inspects.
func (c *inspectCmd) Run(e *env) error {
	to := ""
	if c.To != "" {
		var err error
		if to, err = targetFormat(c.To); err != nil {
			return err
		}
	}
	in, err := e.open(c.File)
	if err != nil {
		return err
	}
	r := inspect(in)
	if to != "" {
		_, report, err := format.Write(e.ctx, all.Table(), in.doc, to)
		if err != nil {
			return fail(ExitProblems, "these formats can hold it: "+strings.Join(targetNames(in.doc), ", "), "%s cannot be written as %s: %w", c.File, formatTitle(to), err)
		}
		conv := newConversion(in.doc.Format, to, report)
		conv.noun = placeNoun(in.doc)
		r.To = &conv
	} else if err := r.compare(e, in); err != nil {
		return err
	}
	if c.JSON {
		return e.printJSON(r)
	}
	var b strings.Builder
	r.write(&b, e.out, c.Verbose)
	return e.print(b.String())
}

func inspect(in *opened) *inspection {
	r := &inspection{
		Version: 1, Path: in.path, Format: in.doc.Format, Title: in.title, Reason: in.report.Reason, Ambiguous: in.report.Ambiguous,
		Bytes: len(in.data), Books: []inspectedBook{}, Characters: []inspectedCharacter{}, Chats: []inspectedChat{},
		Assets: []inspectedAsset{}, Formats: []inspectedTarget{}, Findings: append(diag.List{}, in.report.Problems...),
	}
	if in.doc.Input != nil {
		r.Encoding = string(in.doc.Input.Encoding())
	}
	for _, b := range allBooks(in.doc) {
		r.Books = append(r.Books, inspectBook(b))
	}
	for _, x := range in.doc.Characters {
		y := inspectedCharacter{
			ID: x.ID, Name: x.Name, Nickname: x.Nickname, Creator: x.Creator, Version: x.Version, Greetings: len(x.Greetings),
			Tags: append([]string{}, x.Tags...), Books: []string{},
		}
		if x.Greeting != "" {
			y.Greetings++
		}
		if x.Book != "" {
			y.Books = append(y.Books, x.Book)
		}
		y.Books = append(y.Books, x.Books...)
		r.Characters = append(r.Characters, y)
	}
	for _, x := range in.doc.Chats {
		y := inspectedChat{ID: x.ID, User: x.User, Characters: append([]string{}, x.Characters...), Messages: len(x.Messages)}
		for i := range x.Messages {
			y.Variants += max(len(x.Messages[i].Variants)-1, 0)
			if x.Messages[i].Hidden {
				y.Hidden++
			}
		}
		r.Chats = append(r.Chats, y)
	}
	for _, a := range in.doc.Assets {
		r.Assets = append(r.Assets, inspectedAsset{Type: a.Type, Name: a.Name, Ext: a.Ext, URI: clipText(a.URI, 200), Inside: a.Open != nil})
	}
	return r
}

func inspectBook(b *lore.Book) inspectedBook {
	out := inspectedBook{bookInfo: bookInfo{b.ID, b.Name, b.Policy.Name, len(b.Entries)}, List: []inspectedEntry{}}
	for _, x := range b.Entries {
		y := inspectedEntry{
			ID: x.ID, Name: x.Name, Keys: []string{}, Constant: x.Constant, Slot: string(x.Slot), Tokens: engine.Estimate.Count(x.Content),
			Disabled: x.Disabled || b.FolderDisabled(x.Folder),
		}
		for _, k := range x.Keys {
			y.Keys = append(y.Keys, keyText(k))
			if k.Kind != lore.KeyLiteral && k.Kind != "" {
				out.Patterns++
			}
		}
		for _, cl := range x.Clauses {
			for _, k := range cl.Keys {
				y.Second = append(y.Second, keyText(k))
			}
		}
		out.Keys += len(y.Keys) + len(y.Second)
		out.Tokens += y.Tokens
		if y.Constant {
			out.Constant++
		}
		if y.Disabled {
			out.Disabled++
		}
		out.List = append(out.List, y)
	}
	return out
}

// keyText writes a key as people know it.
func keyText(k lore.Key) string {
	if k.Kind == lore.KeyJS || k.Kind == lore.KeyRE2 {
		return "/" + k.Text + "/" + k.Flags
	}
	return k.Text
}

func clipText(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return s
}

// compare tries every format that can hold something of the document.
func (r *inspection) compare(e *env, in *opened) error {
	list := targets(in.doc)
	bar := e.progress("comparing", len(list))
	defer bar.end()
	for _, info := range list {
		bar.step(info.Title)
		if err := e.ctx.Err(); err != nil {
			return err
		}
		t := inspectedTarget{Format: info.Name, Title: info.Title}
		out, report, err := format.Write(e.ctx, all.Table(), in.doc, info.Name)
		if err != nil {
			if e.ctx.Err() != nil {
				return e.ctx.Err()
			}
			t.Error = err.Error()
			r.Formats = append(r.Formats, t)
			continue
		}
		c := newConversion(in.doc.Format, info.Name, report)
		t.Counts = c.Counts
		t.Identical = in.doc.Format == info.Name && in.data != nil && string(out.Bytes()) == string(in.data)
		lost := map[string]bool{}
		for _, i := range report.Filter(format.Lost) {
			if !strings.HasPrefix(i.Field, "(") { // the order of members, and the like
				lost[i.Field] = true
			}
		}
		t.LostFields = slices.Sorted(maps.Keys(lost))
		r.Formats = append(r.Formats, t)
	}
	slices.SortStableFunc(r.Formats, func(x, y inspectedTarget) int {
		rank := func(t inspectedTarget) int {
			switch {
			case t.Error != "":
				return 1 << 40
			case t.Format == r.Format:
				return -1
			}
			return t.Counts[format.Lost]<<20 + t.Counts[format.Approximated]
		}
		return rank(x) - rank(y)
	})
	return nil
}

// write prints an inspection for people.
func (r *inspection) write(b *strings.Builder, con *console, verbose bool) {
	head := r.Title
	if r.Bytes > 0 {
		head += ", " + plural(r.Bytes, "byte")
	}
	if r.Encoding != "" && r.Encoding != string(format.UTF8) {
		head += ", " + r.Encoding
	}
	b.WriteString(indentLines(wrap(con.paint(strong, visible(r.Path, false))+": "+head, con.prose()), ""))
	if r.Reason != "" {
		text := "recognised by " + r.Reason
		if len(r.Ambiguous) > 0 {
			text += "; it could be " + strings.Join(r.Ambiguous, " or ") + " too"
		}
		b.WriteString(indentLines(wrap(visible(text, false), con.prose()-2), "  "))
	}
	r.writeContent(b, con, verbose)
	r.writeFindings(b, con, verbose)
	if r.To != nil {
		fmt.Fprintf(b, "\n%s\n", con.paint(heading, "As "+formatTitle(r.To.To)))
		b.WriteString(indentLines([]string{con.paint(r.To.style(), r.To.summary())}, "  "))
		r.To.writeItems(b, con, verbose)
		r.To.writeIDs(b, con, verbose)
		return
	}
	r.writeTargets(b, con, verbose)
}

func (r *inspection) writeContent(b *strings.Builder, con *console, verbose bool) {
	part := func(kind, name, id string, facts ...string) {
		facts = slices.DeleteFunc(facts, func(f string) bool { return f == "" })
		text := visible(kind+" "+title(name, id), false)
		if len(facts) > 0 {
			text += visible(": "+strings.Join(facts, ", "), false)
		}
		b.WriteByte('\n')
		for i, line := range wrap(text, con.prose()-2) {
			if i == 0 {
				line = con.paint(heading, kind) + strings.TrimPrefix(line, kind)
			} else {
				line = "  " + line
			}
			b.WriteString(line + "\n")
		}
	}
	some := func(n int, words string) string {
		if n == 0 {
			return ""
		}
		return number(n) + " " + words
	}
	for i := range r.Books {
		x := &r.Books[i]
		keys := plural(x.Keys, "key")
		if x.Patterns > 0 {
			keys += fmt.Sprintf(" (%s)", plural(x.Patterns, "pattern"))
		}
		part("Book", x.Name, x.ID, plural(x.Entries, "entry"), some(x.Constant, "constant"), some(x.Disabled, "off"), keys,
			fmt.Sprintf("about %s", plural(x.Tokens, "token")), "dialect "+x.Dialect)
		x.writeEntries(b, con, verbose)
	}
	for _, x := range r.Characters {
		nick := ""
		if x.Nickname != "" && x.Nickname != x.Name {
			nick = "called " + x.Nickname
		}
		by := ""
		if x.Creator != "" {
			by = "by " + x.Creator
		}
		books := ""
		if len(x.Books) > 0 {
			books = "books " + strings.Join(x.Books, " and ")
		}
		greetings := ""
		if x.Greetings > 0 {
			greetings = plural(x.Greetings, "greeting")
		}
		part("Character", x.Name, x.ID, nick, by, greetings, books, tags(x.Tags))
	}
	for _, x := range r.Chats {
		who := strings.Join(x.Characters, ", ")
		if x.User != "" && who != "" {
			who = x.User + " with " + who
		}
		part("Chat", "", x.ID, plural(x.Messages, "message"), some(x.Variants, "further swipes"), some(x.Hidden, "hidden"), who)
	}
	if len(r.Assets) > 0 {
		fmt.Fprintf(b, "\n%s: %d\n", con.paint(heading, "Assets"), len(r.Assets))
		t := newTable(con, "type", "name", "where")
		for _, a := range r.Assets {
			where := a.URI
			if a.Inside {
				where = "in the file"
			}
			t.row(cell{text: visible(a.Type, false)}, cell{text: visible(clipText(a.Name, 40), false)}, cell{text: visible(clipText(where, 60), false)})
		}
		t.print(b)
	}
}

func (x *inspectedBook) writeEntries(b *strings.Builder, con *console, verbose bool) {
	const few = 8
	if len(x.List) == 0 {
		return
	}
	t := newTable(con, "entry", "tokens", "keys").limit(0, 32).alignRight(1)
	for i, e := range x.List {
		if i == few && !verbose && len(x.List) > few+1 {
			break
		}
		keys := strings.Join(e.Keys, ", ")
		if len(e.Second) > 0 {
			keys += " + " + strings.Join(e.Second, ", ")
		}
		if !verbose {
			keys = clipText(keys, 100)
		}
		switch {
		case e.Disabled:
			keys = "(off) " + keys
		case e.Constant:
			keys = "(constant) " + keys
		}
		t.row(cell{text: visible(title(e.Name, e.ID), false)}, cell{text: number(e.Tokens)}, cell{text: visible(keys, false)})
	}
	t.print(b)
	if rest := len(x.List) - few; rest > 1 && !verbose {
		fmt.Fprintf(b, "  … and %s; --verbose lists all\n", plural(rest, "further entry"))
	}
}

func (r *inspection) writeFindings(b *strings.Builder, con *console, verbose bool) {
	const few = 5
	if len(r.Findings) == 0 {
		return
	}
	fmt.Fprintf(b, "\n%s: %s\n", con.paint(heading, "Odd about it"), tally(r.Findings))
	for i, d := range r.Findings.Sort() {
		if i == few && !verbose && len(r.Findings) > few+1 {
			fmt.Fprintf(b, "  … and %d more; --verbose lists all\n", len(r.Findings)-few)
			break
		}
		text := d.Severity.String() + ": " + d.Message
		if d.Line > 0 {
			text = fmt.Sprintf("line %d: %s", d.Line, text)
		}
		if d.Hint != "" {
			text += " (" + d.Hint + ")"
		}
		for k, line := range wrap(visible(text, false), con.prose()-4) {
			b.WriteString(map[bool]string{true: "  ", false: "    "}[k == 0] + line + "\n")
		}
	}
}

func (r *inspection) writeTargets(b *strings.Builder, con *console, verbose bool) {
	if len(r.Formats) == 0 {
		return
	}
	fmt.Fprintf(b, "\n%s (fields)\n", con.paint(heading, "In other formats"))
	t := newTable(con, "format", "kept", "approx.", "carried", "lost", "what is lost").alignRight(1).alignRight(2).alignRight(3).alignRight(4)
	failed := 0
	for _, f := range r.Formats {
		if f.Error != "" {
			failed++
			if verbose {
				t.row(cell{f.Format, dim}, cell{}, cell{}, cell{}, cell{}, cell{text: visible(f.Error, false)})
			}
			continue
		}
		if f.Format == r.Format {
			text := "its own format"
			if f.Identical {
				text += ": comes back byte for byte"
			}
			t.row(cell{f.Format, good}, cell{}, cell{}, cell{}, cell{}, cell{text: text})
			continue
		}
		lost := strings.Join(f.LostFields, ", ")
		if !verbose {
			lost = clipText(lost, 60)
		}
		count := func(o format.Outcome, st style) cell {
			if f.Counts[o] == 0 {
				return cell{"–", dim}
			}
			return cell{number(f.Counts[o]), st}
		}
		if f.Counts[format.Kept]+f.Counts[format.Approximated]+f.Counts[format.Carried] == 0 && len(f.LostFields) == 0 {
			lost = "the same, as it stands"
		}
		t.row(cell{text: f.Format}, count(format.Kept, plain), count(format.Approximated, warning), count(format.Carried, plain), count(format.Lost, bad), cell{text: visible(lost, false)})
	}
	t.print(b)
	if failed > 0 && !verbose {
		fmt.Fprintf(b, "  %s cannot hold it; --verbose says why\n", plural(failed, "further format"))
	}
	fmt.Fprintf(b, "  --to FORMAT shows every field; carried ones come back on the way back\n")
}

func tags(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return "tagged " + strings.Join(list, ", ")
}
