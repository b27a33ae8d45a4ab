package app

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/weaver"
)

type renderCmd struct {
	File string `arg:"" help:"A bare template, or a .weaver file, whose body is rendered; with --entry a book. - reads standard input."`

	Entry   string `placeholder:"ID" help:"Render this entry of a book or a card of any format, in the language of its dialect."`
	Vars    string `placeholder:"FILE" help:"Variables, JSON or YAML: {char: {name: Mira}, state: {gold: 12}}."`
	Char    string `placeholder:"NAME" help:"Name of the character, for {{char}}. Default: char:name of --vars."`
	User    string `placeholder:"NAME" help:"Name of the user, for {{user}}. Default: user:name of --vars."`
	Seed    uint64 `default:"0" placeholder:"N" help:"Where random numbers come from. Default: ${default}."`
	Lenient bool   `help:"Print the source of what cannot be evaluated, instead of failing."`
	JSON    bool   `name:"json" help:"Print JSON: text, value, the variables afterwards, and the triggers fired."`
}

// Help is shown by --help.
func (renderCmd) Help() string {
	return `Evaluates one template and prints the text, byte for byte. [[documents]] are taken from the .weaver files beside the file; triggers print nothing and are listed on standard error.

Examples:

    weft render greeting.txt --vars vars.yaml
    weft render my_world/entries/lighthouse.weaver --char Mira
    weft render mira.png --entry 3 --user Toma
    echo '{{ 6 * 7 }}' | weft render -`
}

// renderReport is the output of `weft render --json`.
type renderReport struct {
	Text  string       `json:"text"`
	Value weaver.Value `json:"value"`
	// Vars are all variables after the evaluation.
	Vars map[string]map[string]weaver.Value `json:"vars"`
	// Triggers are the ids fired, in order.
	Triggers []string `json:"triggers"`
}

// Run renders the template.
func (c renderCmd) Run(e *env) error {
	registry, err := e.registry()
	if err != nil {
		return err
	}
	vars, err := e.readVars(c.Vars)
	if err != nil {
		return err
	}
	for namespace, name := range map[string]string{"char": c.Char, "user": c.User} {
		if name != "" {
			if err := vars.set(namespace, "name", name); err != nil {
				return fail(ExitUsage, "", "--%s: %w", namespace, err)
			}
		}
	}
	var books []*lore.Book
	var t *weaver.Template
	if c.Entry != "" {
		book, entry, all, err := c.findEntry(e)
		if err != nil {
			return err
		}
		if lang := book.Policy.Language; lang != lore.LangWeaver && lang != "" {
			return c.renderForeign(e, book, entry, all, vars)
		}
		if t, err = entryTemplate(entry); err != nil {
			return fail(ExitProblems, e.opts.Name+" check shows where", "%s: entry %s: %w", c.File, entry.ID, err)
		}
		books = append([]*lore.Book{book}, all.books...)
	} else if t, err = c.template(e); err != nil {
		return err
	}
	host := &renderHost{MapHost: weaver.MapHost{Vars: vars}, dir: filepath.Dir(c.File), books: books, seen: map[string]*weaver.Template{}}
	if c.File == "-" {
		host.dir = ""
	}
	result, err := t.Render(e.ctx, host, weaver.Options{Registry: registry, Seed: c.Seed, Lenient: c.Lenient})
	if err != nil {
		var werr *weaver.Error
		if e.ctx.Err() != nil {
			return e.ctx.Err()
		}
		if errors.As(err, &werr) {
			e.errPrint(werr.Detail())
			return errProblems
		}
		return fail(ExitProblems, "", "%s: %w", c.File, err)
	}
	if c.JSON {
		return e.printJSON(renderReport{result.Text, result.Value, host.Vars, append([]string{}, host.Fired...)})
	}
	text := result.Text
	if e.out.terminal && !strings.HasSuffix(text, "\n") {
		text += "\n" // so that the prompt stands on a line of its own
	}
	if err := e.print(text); err != nil {
		return err
	}
	if len(host.Fired) > 0 {
		e.note("%s: triggers fired: %s", e.opts.Name, strings.Join(host.Fired, ", "))
	}
	return nil
}

// template reads and compiles the template; mistakes in it are drawn on
// standard error.
func (c renderCmd) template(e *env) (*weaver.Template, error) {
	data, err := e.readInput(c.File, "template", maxFileBytes)
	if err != nil {
		return nil, err
	}
	text := strings.TrimPrefix(lore.DecodeText(data), "\ufeff")
	if strings.ContainsRune(text, 0) {
		return nil, fail(ExitInput, "a template is text", "%s is a binary file", c.File)
	}
	if (entryReader{}).Detect(c.File, data) {
		file, list := lore.ParseEntry(c.File, data)
		if list.HasErrors() || file.Entry() == nil {
			e.errPrint(e.err.findings(list, e.sources()))
			return nil, errProblems
		}
		t, _ := entryTemplate(file.Entry())
		return t, nil
	}
	t, list := weaver.Parse(c.File, text)
	if list.HasErrors() {
		e.errPrint(e.err.findings(list, e.sources()))
		return nil, errProblems
	}
	return t, nil
}

// entryTemplate compiles the body of an entry with places in its file.
func entryTemplate(entry *lore.Entry) (*weaver.Template, error) {
	t, list := weaver.Parse(entry.Origin.Path, entry.Content, weaver.At(0, max(entry.Origin.BodyLine, 1), 1))
	return t, list.Err()
}

// renderHost holds the variables and finds documents in the folder of the
// template.
type renderHost struct {
	weaver.MapHost
	dir string
	// books, if there are any, hold the documents in place of dir.
	books []*lore.Book
	seen  map[string]*weaver.Template
}

// Document evaluates the entry with this id in the same folder.
func (h *renderHost) Document(ctx *weaver.Context, id string) (weaver.Value, error) {
	t, ok := h.seen[id]
	if !ok {
		var err error
		if t, err = h.load(id); err != nil {
			return weaver.None, err
		}
		h.seen[id] = t
	}
	r, err := ctx.Sub(t, weaver.SubOptions{})
	return r.Value, err
}

func (h *renderHost) load(id string) (*weaver.Template, error) {
	for _, b := range h.books {
		if entry := b.Entry(id); entry != nil {
			t, err := entryTemplate(entry)
			if err != nil {
				return nil, fmt.Errorf("document %s: %w", id, err)
			}
			return t, nil
		}
	}
	missing := weaver.Errorf(weaver.DocumentNotFound, "document not found: %s", id).
		WithHint("documents are looked for in the .weaver files beside the template")
	if len(h.books) > 0 {
		return nil, weaver.Errorf(weaver.DocumentNotFound, "document not found: %s", id).WithHint("no entry of the book has this id")
	}
	if h.dir == "" {
		return nil, missing
	}
	files, err := os.ReadDir(h.dir)
	if err != nil {
		return nil, missing
	}
	// The file that has the name of the entry is looked at first.
	names := []string{id + ".weaver"}
	for _, f := range files {
		if strings.HasSuffix(f.Name(), ".weaver") && f.Name() != names[0] {
			names = append(names, f.Name())
		}
	}
	for _, name := range names {
		if strings.ContainsAny(name, `/\`) {
			continue
		}
		path := filepath.Join(h.dir, name)
		data := readSource(path)
		if data == nil || !strings.Contains(string(data), id) {
			continue
		}
		file, _ := lore.ParseEntry(path, data)
		if entry := file.Entry(); entry != nil && entry.ID == id {
			t, err := entryTemplate(entry)
			if err != nil {
				return nil, fmt.Errorf("document %s: %w", id, err)
			}
			return t, nil
		}
	}
	return nil, missing
}

// Fire records the id; what would be triggered is not part of the text.
func (h *renderHost) Fire(_ *weaver.Context, id string) (string, error) {
	h.Fired = append(h.Fired, id)
	return "", nil
}

var _ weaver.Host = (*renderHost)(nil)
