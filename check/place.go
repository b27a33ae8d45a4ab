package check

import (
	"bytes"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/weaver/diag"
)

// place is where a finding points to; line 0 means the file as a whole.
type place struct {
	span         diag.Span
	line, column int
}

// places finds fields and template positions in source files.
type places struct {
	read  func(string) []byte
	files map[string]*sourceFile
}

// sourceFile is a .weaver file or a YAML or JSON book.
type sourceFile struct {
	src  *diag.Source
	root *yaml.Node // the front matter, or the whole file
	line int        // lines before root
}

func newPlaces(read func(string) []byte) places {
	return places{read: read, files: make(map[string]*sourceFile)}
}

// file returns the source of the file that an entry was read from, or nil.
func (p *places) file(e *lore.Entry) *sourceFile { return p.open(e.Origin) }

// open returns the source of a file, or nil. A file of our own that is not JSON
// is kept with what was read from it; others are read.
func (p *places) open(o lore.Origin) *sourceFile {
	path := o.Path
	if path == "" {
		return nil
	}
	if f, ok := p.files[path]; ok {
		return f
	}
	p.files[path] = nil
	var text []byte
	if strings.HasSuffix(path, ".weaver") || strings.HasSuffix(path, ".yaml") || strings.HasSuffix(path, ".yml") {
		text = o.Raw
	}
	if len(text) == 0 && p.read != nil {
		text = p.read(path)
	}
	if len(text) == 0 {
		return nil
	}
	f := &sourceFile{src: diag.NewSource(path, string(text))}
	p.files[path] = f
	front := bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	if rest, ok := cutLine(front, "---"); ok {
		f.line = 1
		front = rest
		for at := 0; at < len(rest); {
			end := bytes.IndexByte(rest[at:], '\n')
			if end < 0 {
				end = len(rest) - at - 1
			}
			if strings.TrimRight(string(rest[at:at+end+1]), "\r\n") == "---" {
				front = rest[:at]
				break
			}
			at += end + 1
		}
	}
	const most = 1 << 20 // of front matter; a book as one file is searched by line only
	if len(front) > most {
		return f
	}
	var doc yaml.Node
	if yaml.Unmarshal(front, &doc) == nil && len(doc.Content) == 1 {
		f.root = doc.Content[0]
	}
	return f
}

// cutLine cuts a first line off if it is as given.
func cutLine(b []byte, line string) ([]byte, bool) {
	first, rest, ok := bytes.Cut(b, []byte("\n"))
	if !ok || string(bytes.TrimRight(first, "\r \t")) != line {
		return b, false
	}
	return rest, true
}

// at returns the place of a node of the YAML.
func (f *sourceFile) at(n *yaml.Node) place {
	p := place{line: n.Line + f.line, column: n.Column}
	start := f.src.Offset(p.line, p.column)
	length := len(n.Value)
	if n.Kind == yaml.ScalarNode && n.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) != 0 {
		length += 2
	}
	line := f.src.Line(p.line)
	end := f.src.Offset(p.line, 1) + len(line)
	p.span = diag.Span{Start: start, End: min(start+max(length, 1), max(end, start))}
	return p
}

// child returns the value of a key of a mapping.
func child(n *yaml.Node, key string) *yaml.Node {
	if n == nil || n.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return n.Content[i+1]
		}
	}
	return nil
}

// keyNode returns the key at a path of fields, or nil.
func keyNode(n *yaml.Node, path ...string) *yaml.Node {
	for i, name := range path {
		if n == nil || n.Kind != yaml.MappingNode {
			return nil
		}
		var key, value *yaml.Node
		for k := 0; k+1 < len(n.Content); k += 2 {
			if n.Content[k].Value == name {
				key, value = n.Content[k], n.Content[k+1]
			}
		}
		if i == len(path)-1 {
			return key
		}
		n = value
	}
	return nil
}

// field returns the place of one of the named fields of an entry, the first
// that is there. Without one it is the first line of the entry.
func (c *checker) field(n *node, names ...string) place {
	if node, f := c.fieldNode(n, names...); node != nil {
		return f.at(node)
	}
	return place{line: n.e.Origin.Line}
}

func (c *checker) fieldNode(n *node, names ...string) (*yaml.Node, *sourceFile) {
	f := c.places.file(n.e)
	if f == nil || f.root == nil {
		return nil, nil
	}
	entry := entryNode(f.root, n.e.ID)
	for _, name := range names {
		if v := child(entry, name); v != nil {
			return v, f
		}
	}
	return nil, nil
}

// entryNode returns the mapping of an entry: the front matter itself, or the
// member with this id of a book's list or map of entries.
func entryNode(root *yaml.Node, id string) *yaml.Node {
	entries := child(root, "entries")
	if entries == nil {
		return root
	}
	for i, e := range entries.Content {
		if entries.Kind == yaml.MappingNode {
			if i%2 == 1 && entries.Content[i-1].Value == id {
				return e
			}
			continue
		}
		if v := child(e, "id"); v != nil && v.Value == id {
			return e
		}
	}
	return nil
}

// item returns the place of a text in a list field, or of the field.
func (c *checker) item(n *node, text string, names ...string) place {
	for _, name := range names {
		list, f := c.fieldNode(n, name)
		if list == nil {
			continue
		}
		if list.Kind == yaml.ScalarNode && list.Value == text {
			return f.at(list)
		}
		for _, v := range list.Content {
			if v.Value == text {
				return f.at(v)
			}
		}
	}
	return c.field(n, names...)
}

// inBody returns the place of a span of the content.
func (c *checker) inBody(n *node, span diag.Span) place {
	line, column := diag.NewSource("", n.e.Content).Position(span.Start)
	if n.e.Origin.BodyLine <= 0 {
		if node, f := c.fieldNode(n, "content"); node != nil {
			return f.at(node) // a text in JSON or YAML: its beginning
		}
		if n.e.Origin.Line > 0 {
			return place{line: n.e.Origin.Line}
		}
		if n.e.Origin.Path != "" {
			return place{}
		}
		return place{span: span, line: line, column: column}
	}
	line += n.e.Origin.BodyLine - 1
	p := place{line: line, column: column}
	f := c.places.file(n.e)
	if f == nil {
		return p
	}
	start := f.src.Offset(line, column)
	p.span = diag.Span{Start: start, End: min(start+span.Len(), len(f.src.Text()))}
	return p
}

// inCondition returns the place of a span of the condition.
func (c *checker) inCondition(n *node, span diag.Span) place {
	node, f := c.fieldNode(n, "condition")
	if node == nil {
		return place{line: n.e.Origin.Line}
	}
	p := f.at(node)
	raw := f.src.Line(p.line)
	from := f.src.Offset(p.line, p.column) - f.src.Offset(p.line, 1)
	// Quotes and escapes move the text; where it stands on the line as it is,
	// the place is exact.
	if i := strings.Index(raw[min(from, len(raw)):], n.e.Condition); i >= 0 && span.End <= len(n.e.Condition) {
		start := f.src.Offset(p.line, 1) + from + i + span.Start
		line, column := f.src.Position(start)
		return place{span: diag.Span{Start: start, End: start + span.Len()}, line: line, column: column}
	}
	return p
}
