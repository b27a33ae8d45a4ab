package check

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/weft-memory/weft/engine"
	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/weaver"
	"github.com/weft-memory/weft/weaver/diag"
)

// Options say what the books will meet when they are used. The zero Options
// are the product's defaults.
type Options struct {
	// Registry holds the commands and processors that templates may call. Nil
	// means that calls are not checked.
	Registry *weaver.Registry
	// Namespaces are those that the host provides. Nil means
	// [DefaultNamespaces].
	Namespaces map[string]lore.Namespace
	// Vars are variables that the host is known to set. A read-only namespace
	// that is in it is taken to hold just these; one that is not may hold
	// anything.
	Vars map[string]map[string]weaver.Value
	// Characters and Users are names that content should not spell out, beside
	// char:name and user:name in Vars.
	Characters, Users []string
	// Slots are the slots that the prompt has. Nil means all named ones.
	Slots []lore.Slot
	// Count counts tokens. Nil means the estimate of package engine.
	Count func(string) int
	// MaxTokens is the length from which on an entry without max_tokens of its
	// own counts as long. Defaults to 200.
	MaxTokens int
	// Source returns the text of a file that holds a whole book, so that
	// findings can name the line and column of a field. Nil, or a nil result,
	// means that it is not at hand; findings then name the first line of the
	// entry. Entries of .weaver files bring their text with them.
	Source func(path string) []byte
}

// DefaultMaxTokens is the default of [Options].MaxTokens.
const DefaultMaxTokens = 200

// DefaultNamespaces returns the namespaces that Weft provides to every book.
func DefaultNamespaces() map[string]lore.Namespace {
	return map[string]lore.Namespace{
		"char":  {Access: lore.ReadOnly, Description: "the character that speaks"},
		"user":  {Access: lore.ReadOnly, Description: "the user's persona"},
		"chat":  {Access: lore.ReadOnly, Description: "the conversation"},
		"state": {Access: lore.ReadWrite, Description: "kept from turn to turn"},
		"local": {Access: lore.ReadWrite, Description: "cleared when the turn advances"},
		"temp":  {Access: lore.ReadWrite, Description: "cleared when the turn advances"},
	}
}

// Book checks one book.
func Book(book *lore.Book, opts Options) diag.List { return Books([]*lore.Book{book}, opts) }

// Books checks books that are used together, the first one being the primary
// one: ids are looked up in an entry's own book first and then in the others,
// in order. The findings are sorted by file and place.
func Books(books []*lore.Book, opts Options) diag.List {
	c := newChecker(books, opts)
	for _, b := range books {
		c.book(b)
	}
	for _, n := range c.nodes {
		c.keys(n)
		c.regexes(n)
		c.names(n)
		c.length(n)
		c.timing(n)
		c.placement(n)
		c.variables(n)
		c.calls(n)
	}
	c.references()
	c.reach()
	c.cycles()
	return c.found.Sort()
}

// checker is one run.
type checker struct {
	opts       Options
	books      []*lore.Book
	nodes      []*node
	byBook     []map[string]*node
	characters []string
	users      []string
	sets       assignments
	places     places
	found      diag.List
}

// node is an entry with what its templates say.
type node struct {
	book  int
	b     *lore.Book
	e     *lore.Entry
	body  *weaver.Template // nil where the dialect is not weaver or it does not parse
	cond  *weaver.Expr
	sizes []*weaver.Template

	docs, triggers []edge // filled by references
	dynamic        bool   // fires triggers or includes documents by computed ids
}

// edge is a reference to another entry.
type edge struct {
	to   *node
	span diag.Span
}

func newChecker(books []*lore.Book, opts Options) *checker {
	if opts.Namespaces == nil {
		opts.Namespaces = DefaultNamespaces()
	}
	if opts.Count == nil {
		opts.Count = engine.Estimate.Count
	}
	if opts.MaxTokens <= 0 {
		opts.MaxTokens = DefaultMaxTokens
	}
	c := &checker{opts: opts, books: books, places: newPlaces(opts.Source)}
	c.characters = withVar(opts.Characters, opts.Vars, "char")
	c.users = withVar(opts.Users, opts.Vars, "user")
	for i, b := range books {
		ids := make(map[string]*node, len(b.Entries))
		for _, e := range b.Entries {
			if e == nil {
				continue
			}
			n := &node{book: i, b: b, e: e}
			c.parse(n)
			ids[e.ID] = n // where an id stands twice, the last one counts
			c.nodes = append(c.nodes, n)
		}
		c.byBook = append(c.byBook, ids)
	}
	c.nodes = slices.DeleteFunc(c.nodes, func(n *node) bool { return c.byBook[n.book][n.e.ID] != n })
	c.sets = c.collectAssignments()
	return c
}

func withVar(names []string, vars map[string]map[string]weaver.Value, namespace string) []string {
	out := slices.Clone(names)
	if name, ok := vars[namespace]["name"].AsString(); ok && name != "" && !slices.Contains(out, name) {
		out = append(out, name)
	}
	return out
}

// parse compiles the templates of an entry. Errors are reported only for
// entries made in code: a reader has reported those of files.
func (c *checker) parse(n *node) {
	made := n.e.Origin.Format == "" && n.e.Origin.Path == ""
	report := func(list diag.List) {
		for _, d := range list.Errors() {
			if made {
				c.report(n, codeTemplate, c.inBody(n, d.Span), d.Message, d.Hint)
			}
		}
	}
	if n.b.Policy.Language == lore.LangWeaver || n.b.Policy.Language == "" {
		t, list := weaver.Parse(n.e.ID, n.e.Content)
		if report(list); !list.HasErrors() {
			n.body = t
		}
		for _, text := range []string{n.e.Sizes.Brief, n.e.Sizes.OneLine} {
			if text == "" {
				continue
			}
			if t, list := weaver.Parse(n.e.ID, text); !list.HasErrors() {
				n.sizes = append(n.sizes, t)
			} else {
				report(list)
			}
		}
	}
	if n.e.Condition != "" {
		x, list := weaver.ParseExpr(n.e.ID, n.e.Condition)
		if report(list); !list.HasErrors() {
			n.cond = x
		}
	}
}

// report adds a finding with the severity of its rule.
func (c *checker) report(n *node, code string, at place, message, hint string) {
	c.reportAs(n, severityOf(code), code, at, message, hint)
}

func (c *checker) reportAs(n *node, sev diag.Severity, code string, at place, message, hint string) {
	file := n.e.Origin.Path
	if file == "" {
		file = n.b.ID
	}
	if !strings.HasSuffix(file, ".weaver") { // a file of its own names the entry
		message = fmt.Sprintf("entry %q: %s", n.e.ID, message)
	}
	c.found = append(c.found, diag.Diagnostic{
		Severity: sev, Code: code, File: file,
		Span: at.span, Line: at.line, Column: at.column, Message: message, Hint: hint,
	})
}

// reportBook adds a finding about a setting of a book, at a path of fields.
func (c *checker) reportBook(b *lore.Book, code, message, hint string, path ...string) {
	d := diag.Diagnostic{
		Severity: severityOf(code), Code: code, File: b.Origin.Path, Line: b.Origin.Line, Message: message, Hint: hint,
	}
	if d.File == "" {
		d.File = b.ID
	}
	if f := c.places.open(b.Origin); f != nil {
		if n := keyNode(f.root, path...); n != nil {
			at := f.at(n)
			d.Span, d.Line, d.Column = at.span, at.line, at.column
		}
	}
	c.found = append(c.found, d)
}

// find looks an id up as the engine does: in the entry's own book first.
func (c *checker) find(from *node, id string) *node {
	if n := c.byBook[from.book][id]; n != nil {
		return n
	}
	for i := range c.books {
		if n := c.byBook[i][id]; n != nil {
			return n
		}
	}
	return nil
}

// ids lists all ids, those of the given book first.
func (c *checker) ids(book int) []string {
	out := slices.Sorted(maps.Keys(c.byBook[book]))
	for i := range c.books {
		if i != book {
			out = append(out, slices.Sorted(maps.Keys(c.byBook[i]))...)
		}
	}
	return out
}
