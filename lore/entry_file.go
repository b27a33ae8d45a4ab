package lore

import (
	"bytes"
	"cmp"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/weft-memory/weft/weaver"
	"github.com/weft-memory/weft/weaver/diag"
)

// File is a .weaver file: its source, byte for byte, and the entry in it.
//
// Edits go through the file and change only the bytes they must: comments, the
// order of fields, quoting, and line ends stay as the author wrote them.
type File struct {
	path  string // in messages
	name  string // inside the book's folder
	raw   []byte // what Bytes returns
	text  string // the same as UTF-8, a byte order mark included
	enc   encoding
	mode  entryMode
	entry *Entry
	id    diag.Span // where the id stands
}

// entryMode is what the book says about reading its entries.
type entryMode struct {
	language        Language
	conditions      bool
	defaultPriority int
}

func modeOf(b *Book) entryMode {
	m := entryMode{b.Policy.Language, b.Policy.Conditions, DefaultPriority}
	if b.DefaultPriority != nil {
		m.defaultPriority = *b.DefaultPriority
	}
	return m
}

var defaultMode = entryMode{LangWeaver, true, DefaultPriority}

// ParseEntry reads a .weaver file: a line `---`, settings in YAML, a line
// `---`, and the body. Path is its name in messages.
//
// It never returns nil. All problems are reported at once, those of the body
// and of the condition included, with line and column in the file. If the
// settings have an error, the file has no entry but keeps its bytes; an entry
// whose body does not parse is there all the same.
func ParseEntry(path string, src []byte) (*File, diag.List) {
	f := &File{path: path}
	return f, f.read(src, defaultMode)
}

// read replaces everything in f by what src holds.
func (f *File) read(src []byte, mode entryMode) diag.List {
	f.raw, f.mode, f.entry, f.id = src, mode, nil, diag.Span{}
	f.text, f.enc = decodeText(src)
	p := &problems{src: diag.NewSource(f.path, f.text)}
	end, body, ok := frontMatter(p)
	if !ok {
		return p.done()
	}
	d := parseYAML(p, bomLen(f.text), end)
	if d.root == nil {
		return p.done()
	}
	e := NewEntry("", f.text[body:])
	e.Priority = mode.defaultPriority
	e.Origin = Origin{
		Format: nativeExt, Path: f.path, Line: 1,
		BodyLine: strings.Count(f.text[:body], "\n") + 1, Raw: src,
	}
	r := &reader{problems: p, doc: d}
	found, ok := readEntry(r, d.root, e)
	checkUTF8(p, body)
	if ok {
		f.entry = e
	}
	for i := 0; i+1 < len(d.root.Content); i += 2 {
		if d.root.Content[i].Value == "id" {
			f.id = d.span(d.root.Content[i+1])
		}
	}
	checkTemplates(r, e, found, body, mode)
	return p.done()
}

// frontMatter finds the YAML at the head of a file: it lies before end, and
// the body begins at body.
func frontMatter(p *problems) (end, body int, ok bool) {
	text := p.src.Text()
	at := bomLen(text)
	first, rest, _ := strings.Cut(text[at:], "\n")
	if !fence(first) {
		hint := "an entry begins with a line ---, its settings, and another line ---"
		if strings.HasPrefix(strings.TrimSpace(text[at:]), "---") {
			hint = "remove what stands before the first ---"
			if strings.HasPrefix(text[at:], "---") {
				hint = "nothing but --- may stand on the first line"
			}
		}
		p.at(diag.Error, codeSyntax, lineSpan(text, at), "no front matter: the first line must be ---", hint)
		return 0, 0, false
	}
	end = len(text) - len(rest)
	for rest != "" {
		line, after, found := strings.Cut(rest, "\n")
		if fence(line) {
			if end-at > maxFrontMatter {
				p.at(diag.Error, codeSyntax, lineSpan(text, at), fmt.Sprintf("the settings are longer than %d bytes", maxFrontMatter), "is the second --- in its place?")
				return 0, 0, false
			}
			return end, len(text) - len(after), true
		}
		_ = found
		end = len(text) - len(after)
		rest = after
	}
	p.at(diag.Error, codeSyntax, lineSpan(text, at), "the front matter is not closed",
		"put a line --- between the settings and the text")
	return 0, 0, false
}

// fence reports whether a line is `---`. White space behind it is allowed.
func fence(line string) bool { return strings.TrimRight(line, " \t\r") == "---" }

// checkTemplates parses the body and the condition, where they are weaver's,
// and reports their problems with places in the file.
func checkTemplates(r *reader, e *Entry, found fieldsRead, body int, mode entryMode) {
	if mode.language == LangWeaver {
		line, column := r.src.Position(body)
		_, list := weaver.Parse(r.src.Name(), e.Content, weaver.At(body, line, column))
		for _, d := range list {
			r.add(d)
		}
	}
	if n := found.given["condition"]; n != nil && mode.conditions && e.Condition != "" {
		r.template(n, e.Condition, "condition", parseCondition)
	}
}

func parseBody(name, source string, at weaver.ParseOption) diag.List {
	_, list := weaver.Parse(name, source, at)
	return list
}

func parseCondition(name, source string, at weaver.ParseOption) diag.List {
	_, list := weaver.ParseExpr(name, source, at)
	return list
}

// template reports the problems of a template or condition that stands in a
// YAML or JSON value: exactly where it is written without escapes on one line,
// else at the value.
func (r *reader) template(n *yaml.Node, source, field string, parse func(name, source string, at weaver.ParseOption) diag.List) {
	span := r.doc.span(resolve(n))
	start := span.Start
	inside := strings.Index(r.src.Text()[span.Start:span.End], source)
	if inside >= 0 {
		start += inside
	}
	line, column := r.src.Position(start)
	for _, d := range parse(r.src.Name(), source, weaver.At(start, line, column)) {
		if inside < 0 {
			d.Span, d.Line, d.Column = span, line, column
		}
		d.Message = r.where + field + ": " + d.Message
		r.add(d)
	}
}

// NewFile returns a new .weaver file for an entry, in UTF-8 with line breaks
// "\n". Fields at their defaults are left out.
func NewFile(path string, e *Entry) (*File, error) {
	return newFile(path, e, defaultMode)
}

func newFile(path string, e *Entry, mode entryMode) (*File, error) {
	if strings.TrimSpace(e.ID) == "" {
		return nil, fmt.Errorf("%s: the entry has no id", path)
	}
	var b strings.Builder
	b.WriteString("---\n")
	for _, p := range entryPairs(e, mode.defaultPriority) {
		s, err := encodeField(p.name, p.value)
		if err != nil {
			return nil, fmt.Errorf("%s: %s: %w", path, p.name, err)
		}
		b.WriteString(s)
	}
	b.WriteString("---\n")
	b.WriteString(e.Content)
	f := &File{path: path}
	list := f.read([]byte(b.String()), mode)
	if f.entry == nil {
		return nil, fmt.Errorf("the entry cannot be written as a file: %w", list.Err())
	}
	if name := f.differs(e); name != "" {
		return nil, fmt.Errorf("%s: %s cannot be written as it is", path, name)
	}
	return f, nil
}

// differs returns the name of the first field in which the entry of the file
// is not e, or "".
func (f *File) differs(e *Entry) string {
	if f.entry.Content != e.Content {
		return "content"
	}
	return firstDifference(entryPairs(f.entry, f.mode.defaultPriority), entryPairs(e, f.mode.defaultPriority))
}

// Path returns the path that the file was read with.
func (f *File) Path() string { return f.path }

// Entry returns the entry of the file, or nil if its settings have an error.
// It must not be changed: change a clone and give it to [File.SetEntry].
func (f *File) Entry() *Entry { return f.entry }

// Bytes returns the source: what was read, with the edits made since. It must
// not be changed.
func (f *File) Bytes() []byte { return f.raw }

// SetContent changes the body and nothing else.
func (f *File) SetContent(content string) error {
	p := &problems{src: diag.NewSource(f.path, f.text)}
	_, body, ok := frontMatter(p)
	if !ok {
		return p.done().Err()
	}
	head := f.text[:body]
	if !strings.HasSuffix(head, "\n") { // the file ended with its second ---
		if content == "" {
			return nil
		}
		head += lineEnd(f.text)
	}
	return f.write(head + content)
}

// Set changes one field of the front matter and leaves all other bytes alone;
// a new field goes to the end. The value may be a text, number, truth value,
// list or map, a type of this package such as [Slot] or [Similarity], or a
// *yaml.Node. It returns an error, and changes nothing, if the file would not
// read as meant afterwards.
func (f *File) Set(field string, value any) error {
	n, err := valueNode(field, value)
	if err != nil {
		return fmt.Errorf("%s: %s: %w", f.path, field, err)
	}
	return f.edit([]pair{{field, n}})
}

// Unset removes a field of the front matter together with its lines. A field
// that is not there is no error.
func (f *File) Unset(field string) error { return f.edit([]pair{{field, nil}}) }

// SetEntry changes the source so that it reads as e, touching only the fields
// that differ. Origin is not looked at. It returns an error, and changes
// nothing, if that is not possible.
func (f *File) SetEntry(e *Entry) error {
	if f.entry == nil {
		return fmt.Errorf("%s: the settings have errors: correct them by hand first", f.path)
	}
	changes := changedPairs(entryPairs(f.entry, f.mode.defaultPriority), entryPairs(e, f.mode.defaultPriority))
	before := *f
	if len(changes) > 0 {
		if err := f.edit(changes); err != nil {
			return err
		}
	}
	if f.entry.Content != e.Content {
		if err := f.SetContent(e.Content); err != nil {
			*f = before
			return err
		}
	}
	if name := f.differs(e); name != "" {
		*f = before
		return fmt.Errorf("%s: %s cannot be written as it is", f.path, name)
	}
	return nil
}

// edit applies changes to the front matter. Settings that had an error may be
// corrected so, as long as the YAML can be read.
func (f *File) edit(changes []pair) error {
	p := &problems{src: diag.NewSource(f.path, f.text)}
	end, _, ok := frontMatter(p)
	if !ok {
		return p.done().Err()
	}
	text, err := editYAML(f.path, f.text, bomLen(f.text), end, changes)
	if err != nil {
		return err
	}
	return f.write(text)
}

// write makes text the file's source. A change that costs the file its entry
// is refused.
func (f *File) write(text string) error {
	if text == f.text {
		return nil
	}
	if f.enc != encUTF8 && !bytes.Equal(encodeText(f.text, f.enc), f.raw) {
		return fmt.Errorf("%s: %w", f.path, errNotWhole)
	}
	next := &File{path: f.path, name: f.name}
	list := next.read(encodeText(text, f.enc), f.mode)
	if next.entry == nil && f.entry != nil {
		return cmp.Or(list.Errors().Err(), fmt.Errorf("%s: the edit would damage the file", f.path))
	}
	*f = *next
	return nil
}

// lineEnd returns the line break that a text uses first.
func lineEnd(text string) string {
	if i := strings.IndexByte(text, '\n'); i > 0 && text[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}
